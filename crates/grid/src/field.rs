//! Numbers on the samples of a grid, with ghosts around them.

mod rows;

use std::ops::{Index, IndexMut};

use crate::aligned::Buffer;
use crate::boundary::{Boundary, BoundaryError, Condition};
use crate::grid::Grid;
use crate::layout::{Layout, MAX_GHOST};
use crate::location::Location;
use crate::par;
use crate::value::{Real, Value};

/// Why a field cannot be made or filled.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FieldError {
    /// The grid has no such place.
    #[error("a field of {dimension} axes has no {location}")]
    Location {
        /// The requested size.
        location: Location,
        /// Axes of the grid.
        dimension: usize,
    },
    /// Ghosts too narrow or too wide.
    #[error("ghosts of width {0}; give 1 to {MAX_GHOST}")]
    Ghost(usize),
    /// A condition that makes no sense where it is put.
    #[error(transparent)]
    Boundary(#[from] BoundaryError),
    /// Not enough memory.
    #[error("no memory for a field of {size:?} samples; use fewer cells")]
    Memory {
        /// Samples along each axis.
        size: Vec<usize>,
    },
    /// A list of values of the wrong length.
    #[error("{given} values for a field of {wanted} samples")]
    Length {
        /// Values given.
        given: usize,
        /// Samples of the field.
        wanted: usize,
    },
}

/// One number per sample of a grid, its ghosts, and the boundary that says what the ghosts are.
///
/// `field[[i, j]]` is a sample, as in a slice of slices: coordinates that do not exist panic. Ghosts have signed
/// coordinates, `field.at([-1, j])`. Solvers work on whole rows: [`Field::row`] and [`Field::run`].
///
/// ```
/// use undine_grid::{Condition, Field, Grid, Location, fill_ghosts};
///
/// let grid = Grid::new([3, 2], [1.0, 1.0], [0.0, 0.0])?;
/// let mut depth = Field::new(grid, Location::Center, Condition::Wall, 1)?;
/// depth.copy_from(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// fill_ghosts(&mut depth);
/// assert_eq!(depth[[2, 1]], 6.0);
/// assert_eq!(depth.row([0, 1]), [4.0, 5.0, 6.0]);
/// assert_eq!(depth.row_with_ghosts([0, -1]), [1.0, 1.0, 2.0, 3.0, 3.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Field<T, const D: usize> {
    /// One condition per side; [`fill_ghosts`](crate::fill_ghosts) reads it.
    pub boundary: Boundary<T, D>,
    grid: Grid<D>,
    location: Location,
    layout: Layout<D>,
    buffer: Buffer<T>,
}

impl<T: Value, const D: usize> Field<T, D> {
    /// A field of zeros with the same condition on every side and `ghost` ghosts (1 to 3) around it.
    pub fn new(
        grid: Grid<D>,
        location: Location,
        condition: Condition<T>,
        ghost: usize,
    ) -> Result<Self, FieldError> {
        if !location.exists_in(D) {
            return Err(FieldError::Location { location, dimension: D });
        }
        Field::with_boundary(grid, Boundary::new(location, condition)?, ghost)
    }

    /// A field of zeros at the location its boundary was made for.
    pub fn with_boundary(grid: Grid<D>, boundary: Boundary<T, D>, ghost: usize) -> Result<Self, FieldError> {
        let location = boundary.location();
        if !location.exists_in(D) {
            return Err(FieldError::Location { location, dimension: D });
        }
        if !(1..=MAX_GHOST).contains(&ghost) {
            return Err(FieldError::Ghost(ghost));
        }
        let layout = Layout::new::<T>(&grid, location, ghost);
        let buffer = Buffer::zeroed(layout.stored_values())
            .ok_or_else(|| FieldError::Memory { size: layout.size().to_vec() })?;
        Ok(Field { boundary, grid, location, layout, buffer })
    }

    /// The grid below the field.
    pub fn grid(&self) -> &Grid<D> {
        &self.grid
    }

    /// Location of the samples on the cells.
    pub fn location(&self) -> Location {
        self.location
    }

    /// Memory layout of the samples.
    pub fn layout(&self) -> &Layout<D> {
        &self.layout
    }

    /// Samples along each axis, without ghosts.
    pub fn size(&self) -> [usize; D] {
        self.layout.size()
    }

    /// All samples, without ghosts.
    pub fn len(&self) -> usize {
        self.size().iter().product()
    }

    /// Never: a field has at least one sample.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Samples along each axis that are not repeats: where a periodic pair of sides both carry samples, the last is
    /// the first again.
    pub fn distinct_size(&self) -> [usize; D] {
        std::array::from_fn(|axis| match self.boundary.is_periodic(axis) {
            true => self.grid.cells()[axis],
            false => self.size()[axis],
        })
    }

    /// Position of a sample or ghost, in metres.
    pub fn position(&self, at: [isize; D]) -> [f64; D] {
        self.grid.position(self.location, at)
    }

    /// A sample or ghost.
    ///
    /// # Panics
    /// When there is none with these coordinates.
    #[inline]
    pub fn at(&self, at: [isize; D]) -> T {
        self.storage()[self.layout.offset(at)]
    }

    /// A sample or ghost; `None` when there is none with these coordinates.
    #[inline]
    pub fn get(&self, at: [isize; D]) -> Option<T> {
        self.layout.contains(at).then(|| self.at(at))
    }

    /// All samples without ghosts, x fastest, each with its coordinates.
    pub fn iter(&self) -> impl Iterator<Item = ([usize; D], T)> {
        self.rows().flat_map(|(start, row)| {
            let start = start.map(|x| x as usize);
            row.iter().enumerate().map(move |(x, &value)| {
                let mut at = start;
                at[0] = x;
                (at, value)
            })
        })
    }

    /// Sets every sample and ghost to `value`.
    pub fn fill(&mut self, value: T) {
        self.storage_mut().fill(value);
    }

    /// Exchanges the values of two fields, ghosts included; each keeps its boundary. Costs nothing.
    ///
    /// # Panics
    /// When the fields have different grids, locations or ghosts.
    pub fn swap(&mut self, other: &mut Self) {
        self.assert_alike(other);
        std::mem::swap(&mut self.buffer, &mut other.buffer);
    }

    /// The samples without ghosts, x fastest, as rasters and files want them.
    pub fn to_dense(&self) -> Vec<T> {
        let mut dense = Vec::with_capacity(self.len());
        self.rows().for_each(|(_, row)| dense.extend_from_slice(row));
        dense
    }

    /// Copies the samples from a dense list, x fastest; the ghosts are unchanged.
    pub fn copy_from(&mut self, dense: &[T]) -> Result<(), FieldError> {
        if dense.len() != self.len() {
            return Err(FieldError::Length { given: dense.len(), wanted: self.len() });
        }
        let rows = dense.chunks_exact(self.size()[0]);
        self.rows_mut().zip(rows).for_each(|((_, row), values)| row.copy_from_slice(values));
        Ok(())
    }

    /// Everything in memory: samples, ghosts and padding, as [`Field::layout`] orders them.
    #[inline]
    pub fn storage(&self) -> &[T] {
        self.buffer.values()
    }

    /// Like [`Field::storage`], to write to.
    #[inline]
    pub fn storage_mut(&mut self) -> &mut [T] {
        self.buffer.values_mut()
    }

    /// Panics unless two fields have their samples at the same places, in the world and in memory.
    pub(crate) fn assert_alike<U: Value>(&self, other: &Field<U, D>) {
        assert!(
            self.grid == other.grid && self.location == other.location && self.layout == other.layout,
            "fields differ in grid, location or ghosts"
        );
    }
}

impl<T: Real, const D: usize> Field<T, D> {
    /// Sets every sample from its position, on all threads; the ghosts stay as they were.
    pub fn set_by_position(&mut self, value: impl Fn([f64; D]) -> f64 + Sync) {
        let (grid, location) = (self.grid, self.location);
        par::rows(self, |start, row| {
            for (x, sample) in row.iter_mut().enumerate() {
                *sample = T::from_f64(value(grid.position(location, rows::first_in_row(start, x as isize))));
            }
        });
    }
}

impl<T: Value, const D: usize> Index<[usize; D]> for Field<T, D> {
    type Output = T;

    #[inline]
    fn index(&self, at: [usize; D]) -> &T {
        &self.storage()[offset_of_sample(&self.layout, at)]
    }
}

impl<T: Value, const D: usize> IndexMut<[usize; D]> for Field<T, D> {
    #[inline]
    fn index_mut(&mut self, at: [usize; D]) -> &mut T {
        let offset = offset_of_sample(&self.layout, at);
        &mut self.storage_mut()[offset]
    }
}

#[inline]
fn offset_of_sample<const D: usize>(layout: &Layout<D>, at: [usize; D]) -> usize {
    let size = layout.size();
    assert!((0..D).all(|axis| at[axis] < size[axis]), "no sample {at:?} in a field of {size:?}");
    layout.index(at.map(|x| x as isize))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(ghost: usize) -> Field<f32, 3> {
        let grid = Grid::new([5, 3, 2], [1.0; 3], [0.0; 3]).unwrap();
        let mut field = Field::new(grid, Location::Face(1), Condition::Open, ghost).unwrap();
        let dense: Vec<f32> = (0..field.len()).map(|n| n as f32).collect();
        field.copy_from(&dense).unwrap();
        field
    }

    #[test]
    fn samples_are_ordered_x_fastest() {
        let field = numbered(2);
        assert_eq!(field.size(), [5, 4, 2]);
        assert_eq!(field[[3, 2, 1]], (3 + 5 * (2 + 4)) as f32);
        assert_eq!(field.at([3, 2, 1]), field[[3, 2, 1]]);
        assert_eq!(field.row([0, 1, 0]), [5.0, 6.0, 7.0, 8.0, 9.0]);
        assert_eq!(field.run([2, 1, 0], 3), [7.0, 8.0, 9.0]);
        assert_eq!(field.to_dense(), (0..40).map(|n| n as f32).collect::<Vec<_>>());
        let visited: Vec<f32> = field.iter().map(|(at, value)| value - field[at]).collect();
        assert_eq!(visited, [0.0; 40]);
        let row = field.row([0, 3, 1]).as_ptr().addr();
        assert_eq!(row % 64, 0);
    }

    #[test]
    fn coordinates_outside_are_not_found() {
        let field = numbered(1);
        assert_eq!(field.get([-2, 0, 0]), None);
        assert_eq!(field.get([-1, -1, -1]), Some(0.0));
        assert!(std::panic::catch_unwind(|| field[[5, 0, 0]]).is_err());
        assert!(std::panic::catch_unwind(|| field.run([0, 0, 0], 7).len()).is_err());
    }

    #[test]
    fn fields_that_cannot_be_are_refused() {
        let grid = Grid::new([4, 4], [1.0; 2], [0.0; 2]).unwrap();
        let make = |location, ghost| Field::new(grid, location, Condition::<f32>::Open, ghost).unwrap_err();
        assert_eq!(make(Location::Center, 0), FieldError::Ghost(0));
        assert_eq!(make(Location::Center, 4), FieldError::Ghost(4));
        assert_eq!(
            make(Location::Face(2), 1),
            FieldError::Location { location: Location::Face(2), dimension: 2 }
        );
        assert!(matches!(make(Location::Edge(0), 1), FieldError::Location { .. }));
        let vast = Grid::new([1 << 19; 3], [1.0; 3], [0.0; 3]).unwrap();
        let refused = Field::new(vast, Location::Center, Condition::<f64>::Open, 1).unwrap_err();
        assert!(matches!(refused, FieldError::Memory { .. }));
        assert_eq!(numbered(1).copy_from(&[1.0]), Err(FieldError::Length { given: 1, wanted: 40 }));
    }

    #[test]
    fn swapping_leaves_boundaries() {
        let (mut old, mut new) = (numbered(1), numbered(1));
        new.fill(7.0);
        new.boundary.set(crate::Side::West, Condition::Value(1.0)).unwrap();
        old.swap(&mut new);
        assert_eq!((old[[1, 0, 0]], new[[1, 0, 0]]), (7.0, 1.0));
        assert_eq!(new.boundary.get(crate::Side::West), Some(Condition::Value(1.0)));
    }

    #[test]
    fn labels_are_values_too() {
        let grid = Grid::new([3], [1.0], [0.0]).unwrap();
        let mut kinds = Field::new(grid, Location::Center, Condition::Value(9_u8), 2).unwrap();
        kinds.copy_from(&[1, 2, 3]).unwrap();
        crate::fill_ghosts(&mut kinds);
        assert_eq!(kinds.row_with_ghosts([0]), [9, 9, 1, 2, 3, 9, 9]);
    }
}
