//! The viscosity of a liquid: its fields in the form that the solver of `viscosity` takes.

use undine_grid::{Condition, Field, FieldError, Grid, Location, MacVelocity, par};
use undine_sim::StepError;

use super::viscosity::{
    KinematicViscosity, Viscosity, ViscosityError, ViscosityInputs, ViscousSide, ViscousStop,
};
use crate::free_surface::solid_boundary::SolidBoundary;

/// The solver and its inputs.
#[derive(Debug)]
pub(super) struct ViscosityStep<const D: usize> {
    solver: Viscosity<D>,
    /// ν in m²/s.
    nu: f64,
    /// φ in metres.
    distance: Field<f32, D>,
    /// Velocity of solids at faces.
    solids: MacVelocity<f32, D>,
    /// Iterations of the last solve.
    pub iterations: usize,
}

impl<const D: usize> ViscosityStep<D> {
    /// A liquid of viscosity ν in m²/s; no slip at closed sides and solids.
    pub fn new(grid: Grid<D>, open_sides: [[bool; 2]; D], nu: f64) -> Result<Self, FieldError> {
        let side = |is_open: bool| if is_open { ViscousSide::Open } else { ViscousSide::NoSlip };
        let no_memory = |_: ViscosityError| FieldError::Memory { size: grid.cells().to_vec() };
        Ok(ViscosityStep {
            solver: Viscosity::new(grid, open_sides.map(|pair| pair.map(side))).map_err(no_memory)?,
            nu,
            distance: Field::new(grid, Location::Center, Condition::Open, 1)?,
            solids: MacVelocity::new(grid, Condition::Open, 1)?,
            iterations: 0,
        })
    }

    /// Applies viscosity to a velocity for `dt` seconds; `distance` is φ in cells.
    pub fn apply(
        &mut self,
        velocity: &mut [Field<f32, D>; D],
        distance: &Field<f32, D>,
        boundary: &SolidBoundary<D>,
        dt: f64,
    ) -> Result<(), StepError> {
        let cell = distance.grid().spacing()[0] as f32;
        par::rows(&mut self.distance, |at, row| {
            row.iter_mut().zip(distance.row(at)).for_each(|(metres, cells)| *metres = cell * cells);
        });
        // The velocity of solids on faces that are not wholly open
        let moving = boundary.solids.as_ref().filter(|geometry| !geometry.solids.are_still());
        if let Some(geometry) = moving {
            for axis in 0..D {
                let open = &geometry.face_fractions[axis];
                par::rows(&mut self.solids[axis], |at, row| {
                    for (x, speed) in row.iter_mut().enumerate() {
                        let face = undine_grid::neighbour(at, 0, x as isize);
                        let is_open = open.at(face) >= 1.0;
                        *speed = if is_open { 0.0 } else { geometry.solids.velocity(axis, face) as f32 };
                    }
                });
            }
        }
        // Implicit solve
        let inputs = ViscosityInputs {
            distance: &self.distance,
            open: boundary.solids.as_ref().map(|geometry| geometry.face_fractions.components()),
            solid_velocity: moving.map(|_| self.solids.components()),
            viscosity: KinematicViscosity::Uniform(self.nu),
            dt,
        };
        let solved = self.solver.solve(velocity, &inputs, ViscousStop::default());
        self.iterations = solved
            .map_err(|error| StepError::Failed(format!("the viscosity solve failed: {error}")))?
            .iterations;
        Ok(())
    }
}
