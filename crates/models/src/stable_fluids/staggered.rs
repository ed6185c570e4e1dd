//! The staggered layout: components on the faces they flow through [harlow1965], a projection to a stated divergence.
//!
//! advect, add forces, diffuse, project. The velocity that carries is the projected one of the step before, so nothing
//! is squeezed on its way; that is why the forces come after it and not, as in [stam1999], before.
//!
//! Along the way of each piece of fluid, forces, viscosity and pressure act for nearly half of the step where it starts
//! and for the rest where it ends: Crank and Nicolson's rule along the flow. What they do at the start is what they did
//! at the end of the step before, u − u_drifted, so it costs no solve: u + s (u − u_drifted) is carried, the reflection
//! of [zehnder2018]. That is of second order in time but for the flow, which is taken as it was at the start of the
//! step, and for viscosity, which is split by axes.
//!
//! Projection: −∇·(A ∇φ) = −∇·(A u + (1 − A) u_solid), then u −= ∇φ where a face is open at all; A is the open share
//! of a face [batty2007, ng2009] and p = ρ φ/Δt. Sides with a known velocity let no gradient through, an outflow has
//! p = 0. What is left changes no cell by more than `tolerance` of its volume in a step.

use std::io;

use undine_grid::advection::{Room, Scheme, advect};
use undine_grid::{
    Boundary, Condition, Field, FieldError, Grid, Location, MacVelocity, Side, fill_ghosts, neighbour,
    operators, par,
};
use undine_scene::Values;
use undine_sim::{Reader, StepError, Writer};

use super::diffusion::{Diffusion, Inside, velocity_ends};
use super::pressure::PressureSolver;
use super::sides::{SideKind, Sides};
use crate::solids::{SOLID, Solids};

/// How often what a solve has left is solved for again.
const MORE_PASSES: usize = 3;

/// What a staggered step works with beside the velocity.
pub struct Staggered<const D: usize> {
    next: MacVelocity<f64, D>,
    rooms: Vec<Room<f64, D>>,
    phi: Field<f64, D>,
    /// What a further pass adds to φ.
    rest: Field<f64, D>,
    divergence: Field<f64, D>,
    solver: PressureSolver<D>,
    /// The velocity of the last step before pressure and viscosity acted.
    drifted: MacVelocity<f64, D>,
    /// Whether it holds anything that the next step may use.
    has_drifted: bool,
    /// Time for which they acted then.
    implicit_dt: f64,
}

impl<const D: usize> Staggered<D> {
    /// Room for steps on a grid.
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
            rooms: velocity.components().iter().map(Room::new).collect(),
            phi: Field::with_boundary(grid, boundary, 1)?,
            rest: Field::with_boundary(grid, boundary, 1)?,
            divergence: Field::new(grid, Location::Center, Condition::Open, 1)?,
            solver: PressureSolver::new(grid, boundary, solids, values)?,
            drifted: velocity.clone(),
            has_drifted: false,
            implicit_dt: 0.0,
        })
    }

    /// Lets the velocity carry itself for `dt` seconds, after the explicit share of what acts in the step. Answers for
    /// how long pressure, viscosity and forces must act afterwards. Ghosts must be filled.
    pub fn advect(
        &mut self,
        scheme: Scheme,
        velocity: &mut MacVelocity<f64, D>,
        sides: &Sides<D>,
        implicit_dt: f64,
        dt: f64,
        time: f64,
    ) {
        let carried = match self.has_drifted {
            true => {
                self.act_again((dt - implicit_dt) / self.implicit_dt, velocity);
                sides.fill(&mut self.drifted, time);
                &self.drifted
            }
            false => &*velocity,
        };
        let flow = velocity.components().each_ref();
        for axis in 0..D {
            advect(scheme, &carried[axis], flow, dt, &mut self.next[axis], &mut self.rooms[axis]);
        }
        velocity.swap(&mut self.next);
    }

    /// Lets a share of what made the velocity of the drifted one act once more: u + share (u − u_drifted).
    fn act_again(&mut self, share: f64, velocity: &MacVelocity<f64, D>) {
        for (drifted, now) in self.drifted.components_mut().iter_mut().zip(velocity.components()) {
            par::rows(drifted, |at, row| {
                let now = now.row(at);
                for x in 0..row.len() {
                    row[x] = now[x] + share * (now[x] - row[x]);
                }
            });
        }
    }

    /// How long of a step of `dt` pressure, viscosity and forces act at its end. What is left, they act at its beginning,
    /// as they did at the end of the step before: nearly half and half, which is of second order. Where viscosity
    /// would overshoot at the beginning, more of it is left to the end.
    pub fn implicit_dt(&self, dt: f64, viscosity: f64) -> f64 {
        if !self.has_drifted {
            return dt;
        }
        let grid = self.phi.grid();
        let spacing = grid.spacing().into_iter().fold(f64::INFINITY, f64::min);
        let stiffness = 4.0 * viscosity * dt / (spacing * spacing);
        // Exactly half would never damp what is faster than a step; this little more vanishes with the cells
        let longest = grid.cells().into_iter().max().unwrap_or(1) as f64;
        dt * (0.5 + (1.0 / longest).min(0.05)).max(1.0 - 4.0 / stiffness)
    }

    /// Keeps the velocity as it is before pressure, viscosity and forces act for `implicit_dt` seconds.
    pub fn keep(&mut self, velocity: &MacVelocity<f64, D>, implicit_dt: f64) {
        for (kept, now) in self.drifted.components_mut().iter_mut().zip(velocity.components()) {
            par::rows(kept, |at, row| row.copy_from_slice(now.row(at)));
        }
        self.has_drifted = true;
        self.implicit_dt = implicit_dt;
    }

    /// Gives rooms and spare fields the conditions of the velocity: its sides may move.
    pub fn follow(&mut self, sides: &Sides<D>, velocity: &MacVelocity<f64, D>, time: f64) {
        sides.apply(&mut self.next, time);
        sides.apply(&mut self.drifted, time);
        for (room, component) in self.rooms.iter_mut().zip(velocity.components()) {
            room.set_boundary(component.boundary);
        }
    }

    /// Takes note that obstacles have moved.
    pub fn refresh(&mut self, solids: &Solids<D>) -> Result<(), StepError> {
        self.solver.refresh(solids)
    }

    /// Makes the velocity free of divergence. Obstacles and sides must be set; ghosts are not read.
    pub fn project(
        &mut self,
        velocity: &mut MacVelocity<f64, D>,
        solids: Option<&Solids<D>>,
        dt: f64,
    ) -> Result<(), StepError> {
        self.find_divergence(velocity, solids);
        let mut is_iterated = self.solver.solve(&self.divergence, &mut self.phi, dt)?;
        fill_ghosts(&mut self.phi);
        subtract_gradient(&self.phi, solids, velocity);
        // Iterations stop at a mean error: where single cells have more, what is left is projected again
        for _ in 0..MORE_PASSES {
            if !is_iterated {
                break;
            }
            self.find_divergence(velocity, solids);
            if par::max(&self.divergence, f64::abs) * dt <= self.solver.tolerance() {
                break;
            }
            self.rest.fill(0.0);
            // As if the step were longer: the same mean error again would leave the same cells
            is_iterated = self.solver.solve(&self.divergence, &mut self.rest, 10.0 * dt)?;
            fill_ghosts(&mut self.rest);
            subtract_gradient(&self.rest, solids, velocity);
            let rest = &self.rest;
            par::rows(&mut self.phi, |at, row| {
                for (value, more) in row.iter_mut().zip(rest.row(at)) {
                    *value += more;
                }
            });
            fill_ghosts(&mut self.phi);
        }
        Ok(())
    }

    /// Makes the velocity free of divergence around solids that were put there. The pressure stays what it was: no step
    /// has asked for another.
    pub fn settle(
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

    /// Minus the divergence.
    fn find_divergence(&mut self, velocity: &MacVelocity<f64, D>, solids: Option<&Solids<D>>) {
        match solids {
            None => operators::divergence(velocity, &mut self.divergence),
            Some(solids) => divergence_around(velocity, solids, &mut self.divergence),
        }
        par::rows(&mut self.divergence, |_, row| row.iter_mut().for_each(|value| *value = -*value));
    }

    /// Forgets φ: the projection of the start is no pressure.
    pub fn forget(&mut self) {
        self.phi.fill(0.0);
        self.implicit_dt = 0.0;
    }

    /// Takes note that the velocity was changed from outside: the last step says nothing about it any more.
    pub fn interrupt(&mut self) {
        self.has_drifted = false;
    }

    /// Pressure in a cell for a density of one, apart from a constant in a closed box.
    pub fn pressure(&self, cell: [isize; D]) -> f64 {
        if self.implicit_dt > 0.0 { self.phi.at(cell) / self.implicit_dt } else { 0.0 }
    }

    /// Writes φ and the velocity before it acted.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.number("implicit_dt", self.implicit_dt)?;
        to.integer("has_drifted", u64::from(self.has_drifted))?;
        to.field("phi", &self.phi)?;
        self.drifted.components().iter().try_for_each(|one| to.field("drifted", one))
    }

    /// Takes up what was saved.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.implicit_dt = from.number("implicit_dt")?;
        self.has_drifted = from.integer("has_drifted")? != 0;
        from.field("phi", &mut self.phi)?;
        fill_ghosts(&mut self.phi);
        self.drifted.components_mut().iter_mut().try_for_each(|one| from.field("drifted", one))
    }
}

/// Diffuses a velocity; samples in obstacles are held at the velocity of the obstacle.
pub fn diffuse<const D: usize>(
    velocity: &mut MacVelocity<f64, D>,
    amount: f64,
    sides: &Sides<D>,
    solids: Option<&Solids<D>>,
    time: f64,
    diffusion: &mut Diffusion,
) {
    for (axis, component) in velocity.components_mut().iter_mut().enumerate() {
        let inside = solids.map_or(Inside::Nothing, |solids| Inside::Sticks(solids, solids.face_kinds(axis)));
        diffusion.spread(component, amount, velocity_ends(sides, axis, time), inside);
    }
}

/// Gives all faces in obstacles the velocity of the obstacle.
pub fn hold_in_solids<const D: usize>(velocity: &mut MacVelocity<f64, D>, solids: &Solids<D>) {
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

/// The divergence of what flows through the open parts of faces and of what obstacles push.
pub fn divergence_around<const D: usize>(
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

/// The divergence of one cell.
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

/// What φ does on the sides: it is zero at an outflow, and has no gradient at sides whose velocity is known.
fn pressure_boundary<const D: usize>(sides: &Sides<D>) -> Result<Boundary<f64, D>, FieldError> {
    let mut boundary = Boundary::new(Location::Center, Condition::Wall)?;
    for axis in 0..D {
        let [low, high] = [0, 1].map(|high| match sides.kind(Side::ALL[2 * axis + high]) {
            SideKind::Periodic => Condition::Periodic,
            SideKind::Outflow => Condition::Value(0.0),
            _ => Condition::Wall,
        });
        boundary.set_axis(axis, low, high)?;
    }
    Ok(boundary)
}

/// Room for the greatest grids is refused before it is asked for: bytes that a staggered step needs per cell.
pub const fn bytes_per_cell(dimension: usize) -> u64 {
    // Velocity, next and three fields of room per component; φ, divergence, lanes, and what the solver keeps
    (8 * (5 * dimension + 2 + 3 + 6)) as u64
}

/// A new velocity at rest with the conditions of the sides.
pub fn still_velocity<const D: usize>(
    grid: Grid<D>,
    sides: &Sides<D>,
) -> Result<MacVelocity<f64, D>, FieldError> {
    let mut velocity = MacVelocity::new(grid, Condition::Open, 1)?;
    sides.apply(&mut velocity, 0.0);
    Ok(velocity)
}
