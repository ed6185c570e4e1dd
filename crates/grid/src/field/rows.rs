//! Access to the rows of a field.

use super::Field;
use crate::value::Value;

impl<T: Value, const D: usize> Field<T, D> {
    /// `length` values along x, from the sample or ghost `from` on: what a stencil reads.
    ///
    /// # Panics
    /// When they do not lie in one row, its ghosts included.
    #[inline]
    pub fn run(&self, from: [isize; D], length: usize) -> &[T] {
        let start = self.start_of_run(from, length);
        &self.storage()[start..start + length]
    }

    #[inline]
    fn start_of_run(&self, from: [isize; D], length: usize) -> usize {
        let start = self.layout.offset(from);
        let room = (self.size()[0] + self.layout.ghost()) as isize - from[0];
        assert!(length as isize <= room, "{length} values from {from:?} on leave their row");
        start
    }

    /// The runs next to `self.run(from, length)`, below and above it along each axis: the arms of a stencil.
    ///
    /// # Panics
    /// When one of them does not lie in the field or its ghosts.
    #[inline]
    pub fn neighbour_runs(&self, from: [isize; D], length: usize) -> [[&[T]; 2]; D] {
        let start = self.start_of_run(from, length + 1);
        let has_room = (0..D).all(|axis| {
            let ghost = self.layout.ghost() as isize;
            (1 - ghost..self.size()[axis] as isize + ghost - 1).contains(&from[axis])
        });
        assert!(has_room, "no samples beside {from:?} in a field of {:?}", self.size());

        let (stored, strides) = (self.storage(), self.layout.strides());
        let mut neighbours = [[&stored[..0]; 2]; D];
        for axis in 0..D {
            let (low, high) = (start - strides[axis], start + strides[axis]);
            neighbours[axis] = [&stored[low..low + length], &stored[high..high + length]];
        }
        neighbours
    }

    /// The samples of the row through `at`, whatever its first coordinate.
    ///
    /// # Panics
    /// When there is no such row.
    #[inline]
    pub fn row(&self, at: [isize; D]) -> &[T] {
        self.run(first_in_row(at, 0), self.size()[0])
    }

    /// Like [`Field::row`], to write to.
    #[inline]
    pub fn row_mut(&mut self, at: [isize; D]) -> &mut [T] {
        let length = self.size()[0];
        let start = self.start_of_run(first_in_row(at, 0), length);
        &mut self.storage_mut()[start..start + length]
    }

    /// The row through `at` with the ghosts at both ends.
    ///
    /// # Panics
    /// When there is no such row.
    #[inline]
    pub fn row_with_ghosts(&self, at: [isize; D]) -> &[T] {
        self.run(first_in_row(at, -(self.layout.ghost() as isize)), self.layout.ghosted(0))
    }

    /// All rows without ghosts in memory order, each with the coordinates of its first sample.
    pub fn rows(&self) -> impl Iterator<Item = ([isize; D], &[T])> {
        let starts = (0..self.layout.stored_rows()).filter_map(|row| self.layout.row_start(row));
        starts.map(|at| (at, self.row(at)))
    }

    /// Like [`Field::rows`], to write to.
    pub fn rows_mut(&mut self) -> impl Iterator<Item = ([isize; D], &mut [T])> {
        let (layout, length) = (self.layout, self.size()[0]);
        let chunks = self.buffer.values_mut()[layout.lead()..].chunks_exact_mut(layout.pitch());
        chunks
            .enumerate()
            .filter_map(move |(row, chunk)| Some((layout.row_start(row)?, &mut chunk[..length])))
    }
}

/// The coordinates with this first one, in the same row.
pub(super) fn first_in_row<const D: usize>(mut at: [isize; D], x: isize) -> [isize; D] {
    at[0] = x;
    at
}
