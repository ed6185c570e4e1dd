//! The staggered layout: velocity components on faces (MAC grid [harlow1965]), projection to a stated divergence.
//!
//! A step is advection, forces, viscosity, projection. The advecting velocity is the projected one of the step before,
//! which is divergence-free; so forces come after advection and not, as in [stam1999], before.
//!
//! Crank–Nicolson along the trajectories: forces, viscosity and pressure act for nearly half of the step at the
//! departure point and for the rest at the arrival point. Their effect at the departure point is that of the end of the
//! step before, u − u_advected, so it costs no solve: u + s (u − u_advected) is advected, the advection–reflection of
//! [zehnder2018]. It is second order in time except for the advecting velocity, which is that of the beginning of the
//! step, and for viscosity, which is split by axes.
//!
//! Projection: −∇·(A ∇φ) = −∇·(A u + (1 − A) u_solid), then u −= ∇φ on faces with A > 0; A is the open area fraction of
//! a face [batty2007, ng2009] and p = ρ φ/Δt. ∂φ/∂n = 0 on sides with prescribed velocity, φ = 0 at an outflow. The
//! residual changes no cell by more than `tolerance` of its volume in a step.

use std::io;

use undine_grid::advection::{AdvectionScratch, Scheme, advect};
use undine_grid::{
    Boundary, Condition, Field, FieldError, Grid, Location, MacVelocity, Side, fill_ghosts, neighbour,
    operators, par,
};
use undine_scene::Values;
use undine_sim::{Reader, StepError, Writer};

use super::diffusion::{Diffusion, ObstacleCondition, velocity_line_ends};
use super::pressure::PressureSolver;
use super::sides::{BoundaryType, Sides};
use crate::solids::{SOLID, Solids};

/// Maximum number of further projections of the residual of an iterative solve.
const EXTRA_PASSES: usize = 3;

/// State and scratch fields of the staggered layout beside the velocity.
pub struct Staggered<const D: usize> {
    next: MacVelocity<f64, D>,
    scratches: Vec<AdvectionScratch<f64, D>>,
    phi: Field<f64, D>,
    /// Correction of φ by a further projection.
    correction: Field<f64, D>,
    divergence: Field<f64, D>,
    solver: PressureSolver<D>,
    /// The velocity of the last step after advection, before forces, viscosity and pressure.
    advected: MacVelocity<f64, D>,
    /// Whether `advected` is valid for the next step.
    has_advected: bool,
    /// The time for which forces, viscosity and pressure acted in that step.
    implicit_dt: f64,
}

impl<const D: usize> Staggered<D> {
    /// Fields on the grid of a velocity.
    pub fn new(
        velocity: &MacVelocity<f64, D>,
        sides: &Sides<D>,
        solids: Option<&Solids<D>>,
        values: &Values,
    ) -> Result<Self, FieldError> {
        let grid = *velocity.grid();
        let boundary = pressure_boundary(sides)?;
        Ok(Staggered {
            next: velocity.clone(),
            scratches: velocity.components().iter().map(AdvectionScratch::new).collect(),
            phi: Field::with_boundary(grid, boundary, 1)?,
            correction: Field::with_boundary(grid, boundary, 1)?,
            divergence: Field::new(grid, Location::Center, Condition::Open, 1)?,
            solver: PressureSolver::new(grid, boundary, solids, values)?,
            advected: velocity.clone(),
            has_advected: false,
            implicit_dt: 0.0,
        })
    }

    /// Self-advection for `dt` seconds, after the explicit part dt − `implicit_dt` of forces, viscosity and pressure.
    /// Ghosts must be filled.
    pub fn advect(
        &mut self,
        scheme: Scheme,
        velocity: &mut MacVelocity<f64, D>,
        sides: &Sides<D>,
        implicit_dt: f64,
        dt: f64,
    ) {
        let carried = match self.has_advected {
            true => {
                self.reflect_forces((dt - implicit_dt) / self.implicit_dt, velocity);
                sides.fill_ghosts(&mut self.advected);
                &self.advected
            }
            false => &*velocity,
        };
        let flow = velocity.components().each_ref();
        for axis in 0..D {
            advect(scheme, &carried[axis], flow, dt, &mut self.next[axis], &mut self.scratches[axis]);
        }
        velocity.swap(&mut self.next);
    }

    /// Reflection: u_advected ← u + fraction (u − u_advected), a fraction of the forces of the last step once more.
    fn reflect_forces(&mut self, fraction: f64, velocity: &MacVelocity<f64, D>) {
        for (advected, now) in self.advected.components_mut().iter_mut().zip(velocity.components()) {
            par::rows(advected, |at, row| {
                let now = now.row(at);
                for x in 0..row.len() {
                    row[x] = now[x] + fraction * (now[x] - row[x]);
                }
            });
        }
    }

    /// The implicit part of a step of `dt`: the time for which pressure, viscosity and forces act at its end. The rest
    /// is explicit at its beginning; nearly half and half is second order. Stiff viscosity needs a larger implicit
    /// part.
    pub fn implicit_dt(&self, dt: f64, viscosity: f64) -> f64 {
        if !self.has_advected {
            return dt;
        }
        let grid = self.phi.grid();
        let spacing = grid.spacing().into_iter().fold(f64::INFINITY, f64::min);
        let stiffness = 4.0 * viscosity * dt / (spacing * spacing);
        // Exactly half would not damp modes faster than a step; the excess vanishes with the cell size
        let longest = grid.cells().into_iter().max().unwrap_or(1) as f64;
        dt * (0.5 + (1.0 / longest).min(0.05)).max(1.0 - 4.0 / stiffness)
    }

    /// Stores the velocity before pressure, viscosity and forces act for `implicit_dt` seconds.
    pub fn store_advected(&mut self, velocity: &MacVelocity<f64, D>, implicit_dt: f64) {
        for (kept, now) in self.advected.components_mut().iter_mut().zip(velocity.components()) {
            par::rows(kept, |at, row| row.copy_from_slice(now.row(at)));
        }
        self.has_advected = true;
        self.implicit_dt = implicit_dt;
    }

    /// Copies the boundary conditions of the velocity, which may depend on time, to the scratch fields.
    pub fn update_boundaries(&mut self, sides: &Sides<D>, velocity: &MacVelocity<f64, D>) {
        sides.set_conditions(&mut self.next);
        sides.set_conditions(&mut self.advected);
        for (scratch, component) in self.scratches.iter_mut().zip(velocity.components()) {
            scratch.set_boundary(component.boundary);
        }
    }

    /// Updates the pressure matrix after obstacles have moved.
    pub fn refresh(&mut self, solids: &Solids<D>) -> Result<(), StepError> {
        self.solver.refresh(solids)
    }

    /// Projects the velocity on divergence-free fields. Obstacles and sides must be set; ghosts are not read.
    pub fn project(
        &mut self,
        velocity: &mut MacVelocity<f64, D>,
        solids: Option<&Solids<D>>,
        dt: f64,
    ) -> Result<(), StepError> {
        self.compute_negative_divergence(velocity, solids);
        let mut is_iterated = self.solver.solve(&self.divergence, &mut self.phi, dt)?;
        fill_ghosts(&mut self.phi);
        subtract_gradient(&self.phi, solids, velocity);
        // Iterative solvers stop at a mean error: if single cells exceed the tolerance, project the residual again
        for _ in 0..EXTRA_PASSES {
            if !is_iterated {
                break;
            }
            self.compute_negative_divergence(velocity, solids);
            if par::max(&self.divergence, f64::abs) * dt <= self.solver.tolerance() {
                break;
            }
            self.correction.fill(0.0);
            // With a ten times smaller mean error: the same one would leave the same cells
            is_iterated = self.solver.solve(&self.divergence, &mut self.correction, 10.0 * dt)?;
            fill_ghosts(&mut self.correction);
            subtract_gradient(&self.correction, solids, velocity);
            let correction = &self.correction;
            par::rows(&mut self.phi, |at, row| {
                for (value, added) in row.iter_mut().zip(correction.row(at)) {
                    *value += added;
                }
            });
            fill_ghosts(&mut self.phi);
        }
        Ok(())
    }

    /// Projects the velocity around solids that were changed by an edit; the pressure of the last step is kept.
    pub fn project_around_changed_solids(
        &mut self,
        velocity: &mut MacVelocity<f64, D>,
        solids: Option<&Solids<D>>,
    ) -> Result<(), StepError> {
        if let Some(solids) = solids {
            self.refresh(solids)?;
        }
        let pressure = self.phi.clone();
        self.phi.fill(0.0);
        let projected = self.project(velocity, solids, 1.0);
        self.phi = pressure;
        projected
    }

    /// −∇·(A u + (1 − A) u_solid), the right-hand side of the Poisson equation.
    fn compute_negative_divergence(&mut self, velocity: &MacVelocity<f64, D>, solids: Option<&Solids<D>>) {
        match solids {
            None => operators::divergence(velocity, &mut self.divergence),
            Some(solids) => divergence_with_solids(velocity, solids, &mut self.divergence),
        }
        par::rows(&mut self.divergence, |_, row| row.iter_mut().for_each(|value| *value = -*value));
    }

    /// Resets φ after the projection of the initial velocity, which is no pressure.
    pub fn reset_pressure(&mut self) {
        self.phi.fill(0.0);
        self.implicit_dt = 0.0;
    }

    /// Invalidates `advected` after the velocity was changed from outside.
    pub fn discard_history(&mut self) {
        self.has_advected = false;
    }

    /// Pressure in a cell for unit density, up to a constant in a closed box.
    pub fn pressure(&self, cell: [isize; D]) -> f64 {
        if self.implicit_dt > 0.0 { self.phi.at(cell) / self.implicit_dt } else { 0.0 }
    }

    /// Writes φ and the advected velocity.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.number("implicit_dt", self.implicit_dt)?;
        to.integer("has_drifted", u64::from(self.has_advected))?;
        to.field("phi", &self.phi)?;
        self.advected.components().iter().try_for_each(|one| to.field("drifted", one))
    }

    /// Restores a saved state.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.implicit_dt = from.number("implicit_dt")?;
        self.has_advected = from.integer("has_drifted")? != 0;
        from.field("phi", &mut self.phi)?;
        fill_ghosts(&mut self.phi);
        self.advected.components_mut().iter_mut().try_for_each(|one| from.field("drifted", one))
    }
}

/// Implicit viscosity; samples in obstacles keep the velocity of the obstacle.
pub fn diffuse<const D: usize>(
    velocity: &mut MacVelocity<f64, D>,
    amount: f64,
    sides: &Sides<D>,
    solids: Option<&Solids<D>>,
    diffusion: &mut Diffusion,
) {
    for (axis, component) in velocity.components_mut().iter_mut().enumerate() {
        let inside = solids.map_or(ObstacleCondition::Absent, |solids| {
            ObstacleCondition::NoSlip(solids, solids.face_kinds(axis))
        });
        diffusion.diffuse(component, amount, velocity_line_ends(sides, axis), inside);
    }
}

/// Sets all faces in obstacles to the velocity of the obstacle.
pub fn impose_solid_velocity<const D: usize>(velocity: &mut MacVelocity<f64, D>, solids: &Solids<D>) {
    for (axis, component) in velocity.components_mut().iter_mut().enumerate() {
        let (kinds, open) = (solids.face_kinds(axis), &solids.open()[axis]);
        par::rows(component, |at, row| {
            let (kinds, open) = (kinds.row(at), open.row(at));
            for x in 0..row.len() {
                if kinds[x] & SOLID != 0 || open[x] == 0.0 {
                    row[x] = solids.velocity(axis, neighbour(at, 0, x as isize));
                }
            }
        });
    }
}

/// ∇·(A u + (1 − A) u_solid) with open face fractions A.
pub fn divergence_with_solids<const D: usize>(
    velocity: &MacVelocity<f64, D>,
    solids: &Solids<D>,
    out: &mut Field<f64, D>,
) {
    let spacing = velocity.grid().spacing();
    par::rows(out, |at, row| {
        for (x, value) in row.iter_mut().enumerate() {
            let cell = neighbour(at, 0, x as isize);
            *value = divergence_at(velocity, Some(solids), spacing, cell);
        }
    });
}

/// ∇·(A u + (1 − A) u_solid) of one cell.
#[inline]
pub fn divergence_at<const D: usize>(
    velocity: &MacVelocity<f64, D>,
    solids: Option<&Solids<D>>,
    spacing: [f64; D],
    cell: [isize; D],
) -> f64 {
    let mut sum = 0.0;
    for axis in 0..D {
        let flux = |at: [isize; D]| {
            let through = velocity[axis].at(at);
            match solids.map(|solids| (solids, solids.open()[axis].at(at))) {
                Some((solids, open)) if open < 1.0 => {
                    open * through + (1.0 - open) * solids.velocity(axis, at)
                }
                _ => through,
            }
        };
        sum += (flux(neighbour(cell, axis, 1)) - flux(cell)) / spacing[axis];
    }
    sum
}

fn subtract_gradient<const D: usize>(
    phi: &Field<f64, D>,
    solids: Option<&Solids<D>>,
    velocity: &mut MacVelocity<f64, D>,
) {
    for axis in 0..D {
        let per_spacing = 1.0 / phi.grid().spacing()[axis];
        par::rows(&mut velocity[axis], |at, row| {
            let (low, high) = (phi.run(neighbour(at, axis, -1), row.len()), phi.run(at, row.len()));
            match solids.map(|solids| solids.open()[axis].row(at)) {
                None => {
                    for x in 0..row.len() {
                        row[x] -= per_spacing * (high[x] - low[x]);
                    }
                }
                Some(open) => {
                    for x in (0..row.len()).filter(|&x| open[x] > 0.0) {
                        row[x] -= per_spacing * (high[x] - low[x]);
                    }
                }
            }
        });
    }
}

/// Boundary conditions of φ: Dirichlet zero at an outflow, Neumann at sides of prescribed velocity.
fn pressure_boundary<const D: usize>(sides: &Sides<D>) -> Result<Boundary<f64, D>, FieldError> {
    let mut boundary = Boundary::new(Location::Center, Condition::Wall)?;
    for axis in 0..D {
        let [low, high] = [0, 1].map(|high| match sides.kind(Side::ALL[2 * axis + high]) {
            BoundaryType::Periodic => Condition::Periodic,
            BoundaryType::Outflow => Condition::Value(0.0),
            _ => Condition::Wall,
        });
        boundary.set_axis(axis, low, high)?;
    }
    Ok(boundary)
}

/// Bytes per cell of a staggered step, for the memory estimate before anything is allocated.
pub const fn bytes_per_cell(dimension: usize) -> u64 {
    // Velocity, next and three scratch fields per component; φ, divergence, line solves, and the solver's fields
    (8 * (5 * dimension + 2 + 3 + 6)) as u64
}

/// A new velocity at rest with the conditions of the sides.
pub fn velocity_at_rest<const D: usize>(
    grid: Grid<D>,
    sides: &Sides<D>,
) -> Result<MacVelocity<f64, D>, FieldError> {
    let mut velocity = MacVelocity::new(grid, Condition::Open, 1)?;
    sides.set_conditions(&mut velocity);
    Ok(velocity)
}
