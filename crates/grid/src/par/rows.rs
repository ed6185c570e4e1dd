//! Loops over the rows and slabs of fields.

use std::ops::Range;

use super::{pieces, pieces_per_task, pieces_sum};
use crate::field::Field;
use crate::layout::Layout;
use crate::value::Value;

/// Calls `work` on every row of a field, in parallel, with the coordinates of its first sample. Ghosts are not visited.
///
/// ```
/// use undine_grid::{Condition, Field, Grid, Location, par};
///
/// let grid = Grid::new([4, 3], [1.0, 1.0], [0.0, 0.0])?;
/// let mut field = Field::new(grid, Location::Center, Condition::Wall, 1)?;
/// par::rows(&mut field, |[_, y], row| row.fill(y as f32));
/// assert_eq!(field[[2, 1]], 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn rows<T: Value, const D: usize>(field: &mut Field<T, D>, work: impl Fn([isize; D], &mut [T]) + Sync) {
    rows_each([field], |at, [row]| work(at, row));
}

/// Calls `work` on the same row of several fields at once, in parallel.
///
/// # Panics
/// When the fields differ in grid, location or ghosts.
pub fn rows_each<T: Value, const D: usize, const N: usize>(
    fields: [&mut Field<T, D>; N],
    work: impl Fn([isize; D], [&mut [T]; N]) + Sync,
) {
    rows_sum(fields, |at, together| {
        work(at, together);
        0.0
    });
}

/// Like [`rows_each`], and adds up what the rows return, in a fixed order: a kernel can write a field and measure it
/// in one go.
///
/// # Panics
/// When the fields differ in grid, location or ghosts.
pub fn rows_sum<T: Value, const D: usize, const N: usize>(
    fields: [&mut Field<T, D>; N],
    work: impl Fn([isize; D], [&mut [T]; N]) -> f64 + Sync,
) -> f64 {
    let Some(first) = fields.first() else { return 0.0 };
    fields.iter().for_each(|field| first.assert_alike(field));
    let layout = *first.layout();
    let (length, pitch, per_task) = (layout.size()[0], layout.pitch(), pieces_per_task(layout.pitch()));

    let stored = fields.map(|field| &mut field.storage_mut()[layout.lead()..]);
    pieces_sum(stored, per_task * pitch, &|task, chunks| {
        let mut rows = chunks.map(|chunk| chunk.chunks_exact_mut(pitch));
        let mut next = || each_next(&mut rows, length);
        let (mut stored_row, mut total) = (task * per_task, 0.0);
        while let Some(together) = next() {
            if let Some(at) = layout.row_start(stored_row) {
                total += work(at, together);
            }
            stored_row += 1;
        }
        total
    })
}

/// The next row of each field, cut to its samples; `None` after the last.
fn each_next<'a, T, const N: usize>(
    rows: &mut [std::slice::ChunksExactMut<'a, T>; N],
    length: usize,
) -> Option<[&'a mut [T]; N]> {
    let mut together: [&mut [T]; N] = std::array::from_fn(|_| Default::default());
    for (row, stored) in together.iter_mut().zip(rows) {
        *row = &mut stored.next()?[..length];
    }
    Some(together)
}

/// Some consecutive planes of a field in 3-D, rows in 2-D, the whole line in 1-D: what one task writes.
pub struct Slab<'a, T, const D: usize> {
    layout: Layout<D>,
    /// Coordinates along the last axis.
    planes: Range<isize>,
    /// Place in memory of the first of `values`.
    start: usize,
    values: &'a mut [T],
}

/// Cuts a field into slabs of `thickness` along its last axis and works on them in parallel. For kernels that care in
/// which order rows are visited, as caches do; others take [`rows`].
pub fn slabs<T: Value, const D: usize>(
    field: &mut Field<T, D>,
    thickness: usize,
    work: impl Fn(Slab<'_, T, D>) + Sync,
) {
    let layout = *field.layout();
    let (count, stride) = match D {
        1 => (1, layout.pitch()),
        _ => (layout.size()[D - 1], layout.strides()[D - 1]),
    };
    let thickness = thickness.clamp(1, count);
    let start = layout.lead() + if D > 1 { layout.ghost() * stride } else { 0 };
    let samples = &mut field.storage_mut()[start..start + count * stride];
    pieces([samples], thickness * stride, &|slab, [values]| {
        let first = slab * thickness;
        let planes = first as isize..(first + values.len() / stride) as isize;
        work(Slab { layout, planes, start: start + first * stride, values });
    });
}

impl<T: Value, const D: usize> Slab<'_, T, D> {
    /// Visits every row once. In 3-D it takes `band` rows of each plane in turn, before it takes the next `band`: a
    /// stencil then finds the planes above and below still in cache.
    pub fn for_each_row(&mut self, band: usize, mut work: impl FnMut([isize; D], &mut [T])) {
        let ([y_range, z_range], length) = (self.ranges(), self.layout.size()[0]);
        let band = band.clamp(1, y_range.len());
        for band_start in y_range.clone().step_by(band) {
            for z in z_range.clone() {
                for y in band_start..y_range.end.min(band_start + band as isize) {
                    let at = std::array::from_fn(|axis| [0, y, z][axis]);
                    let start = self.row_place(at);
                    work(at, &mut self.values[start..start + length]);
                }
            }
        }
    }

    fn ranges(&self) -> [Range<isize>; 2] {
        match D {
            1 => [0..1, 0..1],
            2 => [self.planes.clone(), 0..1],
            _ => [0..self.layout.size()[1] as isize, self.planes.clone()],
        }
    }

    /// Place of a row among the values of the slab, which start at the lowest ghost row of its first plane.
    fn row_place(&self, at: [isize; D]) -> usize {
        self.layout.index(at) - self.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Condition, Grid, Location};

    fn visits<const D: usize>(cells: [usize; D], thickness: usize, band: usize) -> Field<f64, D> {
        let grid = Grid::new(cells, [1.0; D], [0.0; D]).unwrap();
        let mut field = Field::new(grid, Location::Center, Condition::Open, 2).unwrap();
        slabs(&mut field, thickness, |mut slab| {
            slab.for_each_row(band, |at, row| {
                row.iter_mut().for_each(|value| *value += 1.0 + at.iter().sum::<isize>() as f64);
            });
        });
        field
    }

    fn assert_visited_once<const D: usize>(field: &Field<f64, D>) {
        for (at, value) in field.iter() {
            assert_eq!(value, 1.0 + at[1..].iter().sum::<usize>() as f64, "{at:?}");
        }
        let touched = field.storage().iter().filter(|&&value| value != 0.0).count();
        assert_eq!(touched, field.len());
    }

    #[test]
    fn slabs_visit_every_sample_once_and_no_ghost() {
        for (thickness, band) in [(1, 1), (2, 3), (3, usize::MAX), (100, 2)] {
            assert_visited_once(&visits([9], thickness, band));
            assert_visited_once(&visits([5, 7], thickness, band));
            assert_visited_once(&visits([3, 5, 7], thickness, band));
        }
    }

    #[test]
    fn rows_of_several_fields_are_visited_together() {
        let grid = Grid::new([300, 70, 3], [1.0; 3], [0.0; 3]).unwrap();
        let make = || Field::<f32, 3>::new(grid, Location::Face(2), Condition::Open, 1).unwrap();
        let (mut depth, mut discharge) = (make(), make());
        depth.set_by_position(|[x, y, z]| x + 1000.0 * y + 0.25 * z);
        rows_each([&mut depth, &mut discharge], |at, [depth, discharge]| {
            discharge.copy_from_slice(depth);
            depth.fill(at[1] as f32);
        });
        assert_eq!(discharge[[7, 3, 2]], 7.5 + 3500.0 + 0.5);
        assert_eq!(depth[[299, 69, 3]], 69.0);
        assert_eq!(depth.at([0, -1, 0]), 0.0);
    }
}
