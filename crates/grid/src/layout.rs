//! Memory layout of the samples of a field.
//!
//! Rows run along x. A row of `n` samples with `g` ghosts on both ends takes `n + 2g` places, rounded up to whole
//! cache lines. The first row starts one line into the memory, so that its low ghosts have a place; each further row
//! finds it at the end of the row before.
//!
//! ```text
//!   line 0   │ line 1 …                          │
//! · · · · g g│0 1 2 3 … n-1 g g · · · · · · · g g│0 1 2 …
//!           low ghosts      high ghosts        low ghosts of the next row
//! ```

use crate::aligned::values_per_line;
use crate::grid::Grid;
use crate::location::Location;

/// The widest ghosts a field can have.
pub const MAX_GHOST: usize = 3;

/// The coordinates `by` samples further along `axis`.
///
/// ```
/// assert_eq!(undine_grid::neighbour([4, 7], 1, -1), [4, 6]);
/// ```
#[inline]
pub fn neighbour<const D: usize>(mut at: [isize; D], axis: usize, by: isize) -> [isize; D] {
    at[axis] += by;
    at
}

/// Memory layout of the samples of a field: sizes, ghosts and strides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout<const D: usize> {
    size: [usize; D],
    ghost: usize,
    strides: [usize; D],
    lead: usize,
}

impl<const D: usize> Layout<D> {
    /// The layout of a field of `T`. A checked grid has no more samples than can be numbered.
    pub(crate) fn new<T>(grid: &Grid<D>, location: Location, ghost: usize) -> Self {
        let size = grid.samples(location);
        let lead = values_per_line::<T>();
        let mut strides = [1; D];
        for axis in 1..D {
            let along = size[axis - 1] + 2 * ghost;
            strides[axis] = if axis == 1 { along.next_multiple_of(lead) } else { strides[axis - 1] * along };
        }
        Layout { size, ghost, strides, lead }
    }

    /// Samples along each axis, without ghosts.
    pub fn size(&self) -> [usize; D] {
        self.size
    }

    /// Ghost samples on every side.
    pub fn ghost(&self) -> usize {
        self.ghost
    }

    /// Distance in memory, in values, of neighbours along each axis.
    pub fn strides(&self) -> [usize; D] {
        self.strides
    }

    /// Samples along `axis` with the ghosts on both ends.
    pub(crate) fn ghosted(&self, axis: usize) -> usize {
        self.size[axis] + 2 * self.ghost
    }

    /// Values before sample 0 of the first row in memory.
    pub(crate) fn lead(&self) -> usize {
        self.lead
    }

    /// Values from the start of one row to that of the next.
    pub(crate) fn pitch(&self) -> usize {
        if D > 1 { self.strides[1] } else { self.ghosted(0).next_multiple_of(self.lead) }
    }

    /// Rows in memory, those of ghosts included.
    pub(crate) fn stored_rows(&self) -> usize {
        (1..D).map(|axis| self.ghosted(axis)).product()
    }

    /// Values the whole field takes in memory.
    pub(crate) fn stored_values(&self) -> usize {
        self.lead + self.stored_rows() * self.pitch()
    }

    /// Coordinates of the first sample of a row in memory; `None` for a row of ghosts.
    pub(crate) fn row_start(&self, stored_row: usize) -> Option<[isize; D]> {
        let mut at = [0; D];
        let mut rest = stored_row;
        for axis in 1..D {
            let along = (rest % self.ghosted(axis)).checked_sub(self.ghost)?;
            rest /= self.ghosted(axis);
            at[axis] = (along < self.size[axis]).then_some(along as isize)?;
        }
        Some(at)
    }

    /// Whether there is a sample or ghost with these coordinates.
    #[inline]
    pub fn contains(&self, at: [isize; D]) -> bool {
        let ghost = self.ghost as isize;
        (0..D).all(|axis| (-ghost..self.size[axis] as isize + ghost).contains(&at[axis]))
    }

    /// Place in memory of a sample or ghost.
    ///
    /// # Panics
    /// When there is none with these coordinates.
    #[inline]
    pub fn offset(&self, at: [isize; D]) -> usize {
        assert!(
            self.contains(at),
            "no sample {at:?} in a field of {:?} with ghosts {}",
            self.size,
            self.ghost
        );
        self.index(at)
    }

    /// Place in memory for coordinates that are known to exist.
    #[inline]
    pub(crate) fn index(&self, at: [isize; D]) -> usize {
        let ghost = self.ghost as isize;
        let along_row = self.lead as isize + at[0];
        let across = (1..D).map(|axis| (at[axis] + ghost) * self.strides[axis] as isize);
        (along_row + across.sum::<isize>()) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn rows_start_on_lines_and_no_two_samples_share_a_place() {
        for ghost in 1..=MAX_GHOST {
            for nx in [1, 2, 9, 10, 16, 31] {
                let grid = Grid::new([nx, 3, 2], [1.0; 3], [0.0; 3]).unwrap();
                let layout = Layout::new::<f32>(&grid, Location::Center, ghost);
                let g = ghost as isize;
                let mut places = HashSet::new();
                for z in -g..2 + g {
                    for y in -g..3 + g {
                        assert_eq!(layout.offset([0, y, z]) % 16, 0);
                        (-g..nx as isize + g).for_each(|x| assert!(places.insert(layout.offset([x, y, z]))));
                    }
                }
                assert!(places.iter().all(|&index| index < layout.stored_values()));
            }
        }
    }

    #[test]
    fn padding_costs_at_most_a_line_per_row() {
        let grid = Grid::new([256, 256], [1.0; 2], [0.0; 2]).unwrap();
        assert_eq!(Layout::new::<f32>(&grid, Location::Center, 1).strides(), [1, 272]);
    }

    #[test]
    fn rows_in_memory_know_their_coordinates() {
        let grid = Grid::new([5, 3, 2], [1.0; 3], [0.0; 3]).unwrap();
        let layout = Layout::new::<f64>(&grid, Location::Center, 2);
        let starts: Vec<_> = (0..layout.stored_rows()).filter_map(|row| layout.row_start(row)).collect();
        assert_eq!(starts, [[0, 0, 0], [0, 1, 0], [0, 2, 0], [0, 0, 1], [0, 1, 1], [0, 2, 1]]);
    }
}
