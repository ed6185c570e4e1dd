//! Velocity on a staggered grid.
//!
//! Each component lies on the faces it flows through [harlow1965]. The divergence of a cell and the pressure gradient
//! of a face then need no averages, and no chequerboard of pressure stays unseen.

use std::ops::{Index, IndexMut};

use crate::boundary::{Boundary, BoundaryError, Condition, Side, fill_ghosts};
use crate::field::{Field, FieldError};
use crate::grid::Grid;
use crate::interpolation::{Interpolant, sample};
use crate::location::Location;
use crate::value::Real;

/// A velocity, one component per axis, each on the faces across its axis.
///
/// Conditions are set for the whole velocity: a value or gradient is a vector.
///
/// ```
/// use undine_grid::{Condition, Grid, MacVelocity, Side};
///
/// let grid = Grid::new([8, 4], [1.0, 1.0], [0.0, 0.0])?;
/// let mut velocity = MacVelocity::<f32, 2>::new(grid, Condition::FreeSlip, 1)?;
/// velocity.set(Side::West, Condition::Value([2.0, 0.0]))?;
/// velocity.set(Side::East, Condition::Open)?;
/// velocity.fill_ghosts();
/// assert_eq!(velocity[0][[0, 1]], 2.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct MacVelocity<T, const D: usize> {
    components: [Field<T, D>; D],
}

impl<T: Real, const D: usize> MacVelocity<T, D> {
    /// A velocity of zero with the same condition on every side.
    pub fn new(grid: Grid<D>, condition: Condition<[T; D]>, ghost: usize) -> Result<Self, FieldError> {
        let made: [Result<Field<T, D>, FieldError>; D] = std::array::from_fn(|axis| {
            Field::new(grid, Location::Face(axis), condition.component(axis), ghost)
        });
        if let Some(refused) = made.iter().find_map(|component| component.as_ref().err()) {
            return Err(refused.clone());
        }
        Ok(MacVelocity { components: made.map(|component| component.expect("refusals were returned above")) })
    }

    /// Sets the condition on one side for all components, or for none if one refuses it.
    pub fn set(&mut self, side: Side, condition: Condition<[T; D]>) -> Result<(), BoundaryError> {
        self.change_boundaries(|axis, boundary| boundary.set(side, condition.component(axis)))
    }

    /// Sets the conditions on both sides across an axis for all components, or for none if one refuses.
    pub fn set_axis(
        &mut self,
        axis: usize,
        low: Condition<[T; D]>,
        high: Condition<[T; D]>,
    ) -> Result<(), BoundaryError> {
        self.change_boundaries(|along, boundary| {
            boundary.set_axis(axis, low.component(along), high.component(along))
        })
    }

    fn change_boundaries(
        &mut self,
        change: impl Fn(usize, &mut Boundary<T, D>) -> Result<(), BoundaryError>,
    ) -> Result<(), BoundaryError> {
        let mut boundaries = self.components.each_ref().map(|component| component.boundary);
        boundaries.iter_mut().enumerate().try_for_each(|(axis, boundary)| change(axis, boundary))?;
        let components = self.components.iter_mut();
        components.zip(boundaries).for_each(|(component, boundary)| component.boundary = boundary);
        Ok(())
    }

    /// The grid below the velocity.
    pub fn grid(&self) -> &Grid<D> {
        self.components[0].grid()
    }

    /// The components in order of their axes.
    pub fn components(&self) -> &[Field<T, D>; D] {
        &self.components
    }

    /// Like [`MacVelocity::components`], to write to.
    pub fn components_mut(&mut self) -> &mut [Field<T, D>; D] {
        &mut self.components
    }

    /// Writes the ghosts of all components, and what crosses walls: nothing.
    pub fn fill_ghosts(&mut self) {
        self.components.iter_mut().for_each(fill_ghosts);
    }

    /// Exchanges the values of two velocities; each keeps its boundary.
    ///
    /// # Panics
    /// When they have different grids or ghosts.
    pub fn swap(&mut self, other: &mut Self) {
        self.components.iter_mut().zip(&mut other.components).for_each(|(a, b)| a.swap(b));
    }

    /// The velocity at a point.
    pub fn sample<I: Interpolant>(&self, interpolant: I, point: [f64; D]) -> [T; D] {
        self.components.each_ref().map(|component| sample(interpolant, component, point))
    }
}

impl<T, const D: usize> Index<usize> for MacVelocity<T, D> {
    type Output = Field<T, D>;

    fn index(&self, axis: usize) -> &Field<T, D> {
        &self.components[axis]
    }
}

impl<T, const D: usize> IndexMut<usize> for MacVelocity<T, D> {
    fn index_mut(&mut self, axis: usize) -> &mut Field<T, D> {
        &mut self.components[axis]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walls_stop_what_crosses_and_drag_what_slides() {
        let grid = Grid::new([3, 2, 2], [1.0; 3], [0.0; 3]).unwrap();
        let mut velocity = MacVelocity::<f64, 3>::new(grid, Condition::NoSlip, 2).unwrap();
        velocity.set_axis(2, Condition::FreeSlip, Condition::FreeSlip).unwrap();
        velocity.components_mut().iter_mut().for_each(|component| component.fill(1.0));
        velocity.fill_ghosts();
        assert_eq!(velocity[0].row_with_ghosts([0, 0, 0]), [-1.0, -1.0, 0.0, 1.0, 1.0, 0.0, -1.0, -1.0]);
        assert_eq!(velocity[1].at([-1, 1, 0]), -1.0);
        assert_eq!(velocity[1].at([1, 1, -1]), 1.0);
        assert_eq!(velocity[2].at([1, 1, 2]), 0.0);
    }

    #[test]
    fn a_refused_condition_leaves_every_component() {
        let grid = Grid::new([3, 3], [1.0; 2], [0.0; 2]).unwrap();
        let mut velocity = MacVelocity::<f64, 2>::new(grid, Condition::NoSlip, 1).unwrap();
        // South is across the second component only, so the first would have taken it
        assert!(velocity.set(Side::South, Condition::Wall).is_err());
        assert_eq!(velocity[0].boundary.get(Side::South), Some(Condition::NoSlip));
        assert!(MacVelocity::<f64, 2>::new(grid, Condition::Wall, 1).is_err());
    }
}
