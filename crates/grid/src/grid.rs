//! The uniform grid: a box of equal cells.

use crate::layout::MAX_GHOST;
use crate::location::Location;

/// Why a grid cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GridError {
    /// The dimension is not 1, 2 or 3.
    #[error("a grid has one, two or three axes, not {0}")]
    Dimension(usize),
    /// An axis without cells.
    #[error("no cells along axis {axis}; give at least one")]
    NoCells {
        /// The axis.
        axis: usize,
    },
    /// A spacing that is zero, negative, infinite or not a number.
    #[error("the spacing along axis {axis} is {spacing}; it must be a length above zero")]
    Spacing {
        /// The axis.
        axis: usize,
        /// The given value.
        spacing: f64,
    },
    /// A corner at infinity or at no number, or a box so far away or so large that positions overflow.
    #[error("the grid from {origin} along axis {axis} has corners that are not finite numbers")]
    Position {
        /// The axis.
        axis: usize,
        /// The given origin.
        origin: f64,
    },
    /// More cells than this machine can number.
    #[error("{cells:?} cells are more than this machine can address; use fewer")]
    TooLarge {
        /// The requested size.
        cells: Vec<usize>,
    },
}

/// A box of equal cells with `D` axes: x, y and z, z up, in metres.
///
/// ```
/// use undine_grid::{Grid, GridError};
///
/// let grid = Grid::new([4, 2], [0.5, 0.5], [10.0, 0.0])?;
/// assert_eq!(grid.centre([0, 1]), [10.25, 0.75]);
/// assert_eq!(grid.far_corner(), [12.0, 1.0]);
/// assert_eq!(Grid::new([0], [1.0], [0.0]), Err(GridError::NoCells { axis: 0 }));
/// # Ok::<(), GridError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid<const D: usize> {
    cells: [usize; D],
    spacing: [f64; D],
    origin: [f64; D],
}

impl<const D: usize> Grid<D> {
    /// A grid of `cells` along each axis, each `spacing` metres long, whose lowest corner is at `origin`.
    pub fn new(cells: [usize; D], spacing: [f64; D], origin: [f64; D]) -> Result<Self, GridError> {
        if !(1..=3).contains(&D) {
            return Err(GridError::Dimension(D));
        }
        let grid = Grid { cells, spacing, origin };
        (0..D).try_for_each(|axis| grid.check_axis(axis))?;
        if !fits_in_memory(cells) {
            return Err(GridError::TooLarge { cells: cells.to_vec() });
        }
        Ok(grid)
    }

    fn check_axis(&self, axis: usize) -> Result<(), GridError> {
        let (spacing, origin) = (self.spacing[axis], self.origin[axis]);
        if self.cells[axis] == 0 {
            return Err(GridError::NoCells { axis });
        }
        if !(spacing.is_normal() && spacing > 0.0) {
            return Err(GridError::Spacing { axis, spacing });
        }
        if !(origin.is_finite() && self.far_corner()[axis].is_finite()) {
            return Err(GridError::Position { axis, origin });
        }
        Ok(())
    }

    /// Cells along each axis.
    pub fn cells(&self) -> [usize; D] {
        self.cells
    }

    /// All cells.
    pub fn cell_count(&self) -> usize {
        self.cells.iter().product()
    }

    /// Length of a cell along each axis, in metres.
    pub fn spacing(&self) -> [f64; D] {
        self.spacing
    }

    /// Length, area or volume of a cell, in m, m² or m³.
    pub fn cell_measure(&self) -> f64 {
        self.spacing.iter().product()
    }

    /// The lowest corner, in metres.
    pub fn origin(&self) -> [f64; D] {
        self.origin
    }

    /// Length of the box along each axis, in metres.
    pub fn length(&self) -> [f64; D] {
        std::array::from_fn(|axis| self.cells[axis] as f64 * self.spacing[axis])
    }

    /// The highest corner, in metres.
    pub fn far_corner(&self) -> [f64; D] {
        let length = self.length();
        std::array::from_fn(|axis| self.origin[axis] + length[axis])
    }

    /// Samples along each axis of a field at this location.
    pub fn samples(&self, location: Location) -> [usize; D] {
        std::array::from_fn(|axis| self.cells[axis] + usize::from(location.is_on_side(axis)))
    }

    /// Position of a sample; signed coordinates reach ghosts too.
    pub fn position(&self, location: Location, at: [isize; D]) -> [f64; D] {
        std::array::from_fn(|axis| {
            let inset = if location.is_on_side(axis) { 0.0 } else { 0.5 };
            self.origin[axis] + (at[axis] as f64 + inset) * self.spacing[axis]
        })
    }

    /// Middle of a cell.
    pub fn centre(&self, at: [isize; D]) -> [f64; D] {
        self.position(Location::Center, at)
    }

    /// Middle of the low face of a cell across `axis`.
    pub fn face(&self, axis: usize, at: [isize; D]) -> [f64; D] {
        self.position(Location::Face(axis), at)
    }

    /// Lowest corner of a cell.
    pub fn node(&self, at: [isize; D]) -> [f64; D] {
        self.position(Location::Node, at)
    }

    /// The cell that holds a point; coordinates below zero or past the last cell are outside the grid.
    pub fn cell_at(&self, point: [f64; D]) -> [isize; D] {
        std::array::from_fn(|axis| ((point[axis] - self.origin[axis]) / self.spacing[axis]).floor() as isize)
    }
}

/// Whether any field on `cells`, with the widest ghosts and padding, has byte offsets that fit an `isize`.
fn fits_in_memory<const D: usize>(cells: [usize; D]) -> bool {
    // A row of bytes is padded by up to a line, and one line stands before the first row
    let margin = [2 * MAX_GHOST + 1 + 2 * crate::aligned::LINE_BYTES, 2 * MAX_GHOST + 1, 2 * MAX_GHOST + 1];
    let padded = cells.iter().zip(margin).map(|(cells, margin)| cells.checked_add(margin));
    let bytes =
        padded.chain([Some(size_of::<f64>())]).try_fold(1_usize, |product, n| product.checked_mul(n?));
    bytes.is_some_and(|bytes| isize::try_from(bytes).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn senseless_grids_are_refused() {
        let line = |cells, spacing, origin| Grid::new([cells], [spacing], [origin]).unwrap_err();
        assert_eq!(line(0, 1.0, 0.0), GridError::NoCells { axis: 0 });
        for spacing in [0.0, -1.0, f64::INFINITY, f64::MIN_POSITIVE / 4.0] {
            assert_eq!(line(4, spacing, 0.0), GridError::Spacing { axis: 0, spacing });
        }
        assert!(matches!(line(4, f64::NAN, 0.0), GridError::Spacing { .. }));
        assert!(matches!(line(4, 1.0, f64::NAN), GridError::Position { .. }));
        assert!(matches!(line(4, 1e308, 0.0), GridError::Position { .. }));
        assert!(matches!(line(usize::MAX, 1.0, 0.0), GridError::TooLarge { .. }));
        let huge = Grid::new([1 << 22; 3], [1.0; 3], [0.0; 3]).unwrap_err();
        assert!(matches!(huge, GridError::TooLarge { .. }));
        assert_eq!(Grid::new([1; 4], [1.0; 4], [0.0; 4]).unwrap_err(), GridError::Dimension(4));
        assert_eq!(Grid::new([], [], []).unwrap_err(), GridError::Dimension(0));
    }

    #[test]
    fn samples_lie_where_their_names_say() {
        let grid = Grid::new([4, 2, 1], [1.0, 2.0, 4.0], [0.0, 10.0, 0.0]).unwrap();
        assert_eq!(grid.centre([0, 0, 0]), [0.5, 11.0, 2.0]);
        assert_eq!(grid.face(1, [0, 2, 0]), [0.5, 14.0, 2.0]);
        assert_eq!(grid.position(Location::Edge(1), [4, 1, 1]), [4.0, 13.0, 4.0]);
        assert_eq!(grid.node([-1, 0, 0]), [-1.0, 10.0, 0.0]);
        assert_eq!(grid.samples(Location::Edge(0)), [4, 3, 2]);
        assert_eq!(grid.cell_at([3.9, 13.9, -0.1]), [3, 1, -1]);
    }
}
