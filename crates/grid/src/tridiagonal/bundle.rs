//! The lines of fields along an axis, in bundles of a cache line's width.
//!
//! Along y, neighbouring columns lie side by side in memory: a bundle works on them in place. Along x, neighbouring
//! rows do not: a bundle gets them turned into working memory, and they are turned back when it is done. Either way a
//! solver sees the same thing, so it is written once for both axes.

use std::cell::RefCell;

use super::lines::StridedLines;
use crate::aligned::{CacheLine, LINE_BYTES};
use crate::field::Field;
use crate::layout::Layout;
use crate::par;
use crate::transpose::transpose;
use crate::value::Value;

/// `W` lines of `R` fields that are only read and of `M` fields that move, all at the same samples.
pub struct Bundle<'a, T, const W: usize, const R: usize, const M: usize> {
    /// Number of the first line.
    pub first: usize,
    /// How many lines there are; lanes beyond them hold zeros, and nothing is taken from them.
    pub count: usize,
    /// The fields that are only read.
    pub fixed: [StridedLines<'a, T, W>; R],
    /// The fields to work on.
    pub moving: [StridedLines<'a, T, W>; M],
    /// Working memory, as many places as the lines have; what it holds at first is left over from others.
    pub room: [&'a mut [[T; W]]; ROOMS],
}

/// Pieces of working memory of a bundle.
const ROOMS: usize = 4;

thread_local! {
    /// Working memory of a thread: it stays warm in the caches from bundle to bundle.
    static ROOM: RefCell<Vec<CacheLine>> = const { RefCell::new(Vec::new()) };
}

/// Calls `work` on all lines along `axis`, in parallel, in bundles of `W` (the last may be partly empty), and combines
/// what it returns in a fixed order; `None` never comes back from a field, which has at least one sample.
///
/// ```
/// use undine_grid::tridiagonal::{Bundle, bundles};
/// use undine_grid::{Condition, Field, Grid, Location};
///
/// // Running sums along y
/// let grid = Grid::new([3, 4], [1.0, 1.0], [0.0, 0.0])?;
/// let mut sums = Field::<f32, 2>::new(grid, Location::Center, Condition::Open, 1)?;
/// sums.set_by_position(|_| 1.0);
/// bundles(1, [], [&mut sums], |bundle: Bundle<'_, f32, 16, 0, 1>| {
///     let [mut lines] = bundle.moving;
///     for place in 1..lines.len() {
///         let before = *lines.get(place - 1);
///         lines.get_mut(place).iter_mut().zip(before).for_each(|(sum, before)| *sum += before);
///     }
/// }, |(), ()| ());
/// assert_eq!(sums[[2, 3]], 4.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// When the fields differ in grid, location or ghosts, when `W` values are no cache line, or when `work` itself calls
/// this function.
pub fn bundles<T: Value, A: Send, const W: usize, const R: usize, const M: usize>(
    axis: usize,
    fixed: [&Field<T, 2>; R],
    moving: [&mut Field<T, 2>; M],
    work: impl Fn(Bundle<'_, T, W, R, M>) -> A + Sync,
    combine: impl Fn(A, A) -> A + Sync,
) -> Option<A> {
    assert_eq!(W * size_of::<T>(), LINE_BYTES, "bundles are as wide as a cache line");
    let layout = *moving.first()?.layout();
    assert!(fixed.iter().all(|field| *field.layout() == layout), "fields differ in size or ghosts");
    assert!(moving.iter().all(|field| *field.layout() == layout), "fields differ in size or ghosts");

    let shared = SharedFields {
        layout,
        fixed: fixed.map(|field| field.storage().as_ptr()),
        moving: moving.map(|field| field.storage_mut().as_mut_ptr()),
    };
    let one = |number: usize| match axis {
        0 => shared.rows(number * W, &work),
        _ => shared.columns(number * W, &work),
    };
    let part = |numbers: std::ops::Range<usize>| numbers.map(one).reduce(&combine);
    let count = layout.size()[1 - axis].div_ceil(W);
    let combine_some = |low: Option<A>, high: Option<A>| match (low, high) {
        (Some(low), Some(high)) => Some(combine(low, high)),
        (one, other) => one.or(other),
    };
    par::fold(count, 1, part, combine_some)?
}

/// The fields, as every task sees them.
struct SharedFields<T, const W: usize, const R: usize, const M: usize> {
    layout: Layout<2>,
    fixed: [*const T; R],
    moving: [*mut T; M],
}

// SAFETY: `bundles` holds the fields borrowed while tasks run, and no two tasks touch the same lines of `moving`.
unsafe impl<T: Sync + Send, const W: usize, const R: usize, const M: usize> Sync
    for SharedFields<T, W, R, M>
{
}

impl<T: Value, const W: usize, const R: usize, const M: usize> SharedFields<T, W, R, M> {
    /// A bundle of columns, in place.
    fn columns<A>(&self, first: usize, work: &impl Fn(Bundle<'_, T, W, R, M>) -> A) -> A {
        let [columns, rows] = self.layout.size();
        let start = self.layout.offset([first as isize, 0]);
        let pitch = self.layout.strides()[1];
        // SAFETY: rows start on cache lines and fill whole ones, ghosts and padding included, and `first` is a multiple
        // of the `W` values of a line: so the lines from `start` on belong to this bundle and to no other.
        let lines = |pointer: *mut T| unsafe { StridedLines::new(pointer.add(start), pitch, rows) };
        with_room(ROOMS * rows, |room: &mut [[T; W]]| {
            work(Bundle {
                first,
                count: W.min(columns - first),
                fixed: self.fixed.map(|pointer| lines(pointer.cast_mut())),
                moving: self.moving.map(lines),
                room: rooms(room, rows),
            })
        })
    }

    /// A bundle of rows, turned into lanes and back.
    fn rows<A>(&self, first: usize, work: &impl Fn(Bundle<'_, T, W, R, M>) -> A) -> A {
        let [columns, rows] = self.layout.size();
        let count = W.min(rows - first);
        let (start, pitch) = (self.layout.offset([0, first as isize]), self.layout.strides()[1]);
        let extent = (count - 1) * pitch + columns;
        with_room((R + M + ROOMS) * columns, |room: &mut [[T; W]]| {
            let (turned, room) = room.split_at_mut((R + M) * columns);
            if count < W {
                turned.fill([T::default(); W]);
            }
            let pointers = self.fixed.into_iter().chain(self.moving.map(|pointer| pointer.cast_const()));
            for (lanes, pointer) in turned.chunks_exact_mut(columns).zip(pointers) {
                // SAFETY: these rows are in the field, and no other task writes them.
                let rows = unsafe { std::slice::from_raw_parts(pointer.add(start), extent) };
                transpose(rows, pitch, lanes.as_flattened_mut(), W, [count, columns]);
            }
            let parts = turned.as_mut_ptr().cast::<T>();
            // SAFETY: each of the R + M parts of `turned` holds `columns` places of W values.
            let lines = |part: usize| unsafe { StridedLines::new(parts.add(part * columns * W), W, columns) };
            let result = work(Bundle {
                first,
                count,
                fixed: std::array::from_fn(lines),
                moving: std::array::from_fn(|part| lines(R + part)),
                room: rooms(room, columns),
            });
            for (lanes, pointer) in turned[R * columns..].chunks_exact(columns).zip(self.moving) {
                // SAFETY: these rows are in the field, and no other task reads or writes them.
                let rows = unsafe { std::slice::from_raw_parts_mut(pointer.add(start), extent) };
                transpose(lanes.as_flattened(), W, rows, pitch, [columns, count]);
            }
            result
        })
    }
}

/// Cuts working memory into pieces of `length`.
fn rooms<P, const N: usize>(mut memory: &mut [P], length: usize) -> [&mut [P]; N] {
    std::array::from_fn(|_| {
        let (piece, rest) = std::mem::take(&mut memory).split_at_mut(length);
        memory = rest;
        piece
    })
}

/// Working memory of at least one place, from this thread's own.
fn with_room<T: Value, A, const W: usize>(places: usize, work: impl FnOnce(&mut [[T; W]]) -> A) -> A {
    ROOM.with_borrow_mut(|lines| {
        if lines.len() < places {
            lines.resize(places, bytemuck::Zeroable::zeroed());
        }
        // A line holds W values, so the same memory serves every type.
        let values: &mut [T] = bytemuck::cast_slice_mut(&mut lines[..places]);
        work(values.as_chunks_mut().0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Condition, Grid, Location};

    fn numbered<T: crate::Real>(cells: [usize; 2], ghost: usize) -> Field<T, 2> {
        let grid = Grid::new(cells, [1.0; 2], [0.0; 2]).unwrap();
        let mut field = Field::new(grid, Location::Center, Condition::Open, ghost).unwrap();
        field.set_by_position(|[x, y]| 1.0 + x + 1000.0 * y);
        field
    }

    /// Each sample becomes the sum of itself and all samples before it on its line, plus `offset` of another field.
    fn running_sums<T: crate::Real, const W: usize>(axis: usize, cells: [usize; 2], ghost: usize) {
        let start = numbered::<T>(cells, ghost);
        let mut field = start.clone();
        let lines_seen = bundles(
            axis,
            [&start],
            [&mut field],
            |bundle: Bundle<'_, T, W, 1, 1>| {
                let ([fixed], [mut moving]) = (bundle.fixed, bundle.moving);
                for place in 1..moving.len() {
                    let before = *moving.get(place - 1);
                    for lane in 0..W {
                        moving.get_mut(place)[lane] = fixed.get(place)[lane] + before[lane];
                    }
                }
                bundle.count
            },
            |low, high| low + high,
        );
        assert_eq!(lines_seen, Some(cells[1 - axis]));
        for ([x, y], value) in field.iter() {
            let along = [x, y][axis];
            let sum: f64 =
                (0..=along).map(|at| start[if axis == 0 { [at, y] } else { [x, at] }].to_f64()).sum();
            assert_eq!(value.to_f64(), sum, "{x}, {y} along {axis}");
        }
        let ghosts =
            |field: &Field<T, 2>| field.at([-1, 0]).to_f64() + field.at([cells[0] as isize, 0]).to_f64();
        assert_eq!(ghosts(&field), 0.0);
    }

    #[test]
    fn every_line_is_visited_once_along_both_axes() {
        for cells in [[1, 1], [1, 40], [40, 1], [16, 16], [37, 21], [100, 3]] {
            for axis in [0, 1] {
                for ghost in [1, 3] {
                    running_sums::<f64, 8>(axis, cells, ghost);
                    running_sums::<f32, 16>(axis, cells.map(|count| count.min(30)), ghost);
                }
            }
        }
    }
}
