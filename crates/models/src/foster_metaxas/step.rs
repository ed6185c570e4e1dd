//! A step: the algorithm of §6 of [foster1996].
//!
//! Its step 3 stands at the end, so that the cells of a view are those of its surface.

use undine_frame::CellKind;
use undine_grid::par;
use undine_scene::Problem;
use undine_sim::{Phases, Step, StepError, World};

use super::applied_pressure::SurfacePoint;
use super::flow::Flow;
use super::momentum::{MomentumTerms, set_tentative_velocity};
use super::ports::MOST_PORTS;
use super::relaxation::PressureOutcome;
use super::simulation::{CellWater, LimitPolicy, StepCounts};
use super::surface::{InflowFaces, SurfaceStep, TrackedSurface};

/// The shortest step that is tried when the pressure iteration does not converge, as a share of the limit of a step. After
/// that a Poisson solver takes over.
const LEAST_RETRY: f64 = 0.3;

impl<const D: usize> CellWater<D> {
    /// Advances by `dt`.
    pub fn advance(&mut self, dt: f64, world: &World<'_>) -> Result<Step, StepError> {
        let (from, to) = (world.time, world.time + dt);
        self.settings.scene_gravity = world.gravity;
        let terms = MomentumTerms {
            dt,
            body_force: self.settings.body_force(from, to)?,
            viscosity: self.settings.viscosity.mean(from, to)?,
            upwind: self.settings.upwind,
        };
        self.check_limits(&terms)?;
        let mut phases = Phases::default();

        // 4. Boundary conditions of obstacles, ports and the free surface; again where sealed water refuses to take in any
        let mut outcome = self.solve_velocity(&terms, from, &mut phases)?;
        if !outcome.is_converged && !self.has_sealed && self.sealed.find(&self.flow) {
            self.has_sealed = true;
            let swept = outcome.sweeps;
            outcome = self.solve_velocity(&terms, from, &mut phases)?;
            outcome.sweeps += swept;
        }
        if !outcome.is_converged {
            self.check_finite()?;
            if dt > LEAST_RETRY * undine_sim::Simulation::max_dt(self) {
                return Ok(Step::Retry { dt: 0.5 * dt });
            }
            outcome.sweeps += self.solve_again(&mut phases)?;
        }

        // 7. Velocities of Surface cells again
        let (strides, spacing) = (self.flow.index.strides(), self.grid.spacing());
        self.surface_cells.set_open_faces(&mut self.flow.tentative, strides, spacing);
        self.check_finite()?;
        std::mem::swap(&mut self.flow.velocity, &mut self.flow.tentative);
        self.pressure.update_pressure(&mut self.flow, dt);

        // 8. The position of the surface
        let surface_cells = self.surface_cells.count();
        phases.time("move surface", || self.move_surface(from, to))?;

        // 3. The contents of the cells
        let refilled = phases.time("label cells", || self.label_cells());
        self.totals.seen = self.surface.seen_volume(&self.cells);
        self.time = to;
        self.counts = StepCounts {
            sweeps: outcome.sweeps,
            steps: 1,
            full_cells: self.pressure.full_cells(),
            surface_cells,
            refilled,
            removed: self.counts.removed,
        };
        self.finish_state();
        Ok(Step::Done(phases))
    }

    /// Steps 4, 5 and 6: boundary conditions, tentative velocity, pressure iteration.
    fn solve_velocity(
        &mut self,
        terms: &MomentumTerms<D>,
        from: f64,
        phases: &mut Phases,
    ) -> Result<PressureOutcome, StepError> {
        let to = from + terms.dt;
        phases.time("boundaries", || self.set_boundaries(terms, from, to))?;
        phases.time("tentative velocity", || {
            set_tentative_velocity(&mut self.flow, terms);
            self.ports.iter().for_each(|port| port.copy_tentative(&mut self.flow, from));
            let gain = terms.body_force.map(|g| g * terms.dt);
            let strides = self.flow.index.strides();
            self.surface_cells.apply_body_force(&mut self.flow.tentative, strides, gain);
        });
        let settings = self.settings.relaxation;
        Ok(phases.time("pressure", || self.pressure.solve(&mut self.flow, &self.surface_pressure, &settings)))
    }

    /// Step 4.
    fn set_boundaries(&mut self, terms: &MomentumTerms<D>, from: f64, to: f64) -> Result<(), Problem> {
        if self.set_port_kinds(from) {
            self.flow.set_kinds(&self.cells);
            self.surface_cells.find(&self.flow);
        }
        self.has_sealed = self.has_sealed && self.sealed.find(&self.flow);
        if !self.has_sealed {
            self.sealed.clear();
        }
        let sealed = &self.sealed;
        for port in &self.ports {
            port.set_velocity(&mut self.flow, from, to, |at| !sealed.contains(at))?;
        }
        let (strides, spacing) = (self.flow.index.strides(), self.grid.spacing());
        self.surface_cells.set_open_faces(&mut self.flow.velocity, strides, spacing);
        self.apply_surface_pressure(terms.body_force, from, to)
    }

    /// Sets the kinds of the cells of ports at a time; answers whether any has changed.
    pub fn set_port_kinds(&mut self, time: f64) -> bool {
        let mut has_changed = false;
        for port in &self.ports {
            let kind = port.kind(time);
            for &index in port.cells() {
                has_changed |= self.cells.kinds()[index] != kind;
                self.cells.set(index, kind);
            }
        }
        has_changed
    }

    /// The normal velocity of obstacles is zero.
    pub fn clear_obstacle_faces(&mut self) {
        let strides = self.flow.index.strides();
        let Flow { velocity, kinds, .. } = &mut self.flow;
        for a in 0..D {
            for at in strides[a]..kinds.len() {
                if kinds[at] == CellKind::Solid || kinds[at - strides[a]] == CellKind::Solid {
                    velocity[a][at] = 0.0;
                }
            }
        }
    }

    fn apply_surface_pressure(&mut self, body_force: [f64; D], from: f64, to: f64) -> Result<(), Problem> {
        let mut problem = None;
        let CellWater {
            applied, levels, grid, flow, cells, surface, surface_cells, surface_pressure, ..
        } = self;
        if applied.is_none() {
            surface_pressure.apply(flow, cells, surface, surface_cells, body_force, |_| 0.0);
            return Ok(());
        }
        levels.measure(cells, surface);
        let index = flow.index;
        surface_pressure.apply(flow, cells, surface, surface_cells, body_force, |number| {
            let cell = index.cell(surface_cells.at(number));
            let centre = grid.centre(cell);
            let column = [cell[0] as usize, if D == 3 { cell[1] as usize } else { 0 }];
            let spacing = [grid.spacing()[0], grid.spacing()[if D == 3 { 1 } else { 0 }]];
            let (level, slopes) = levels.at(column, spacing);
            let point = SurfacePoint { x: centre[0], y: if D == 3 { centre[1] } else { 0.0 }, level, slopes };
            applied.at(&point, from, to).unwrap_or_else(|error| {
                problem.get_or_insert(error);
                0.0
            })
        });
        problem.map_or(Ok(()), Err)
    }

    /// Moves the tracked surface, and enters what has come and gone in the ledger.
    fn move_surface(&mut self, from: f64, to: f64) -> Result<(), Problem> {
        let dt = to - from;
        self.extension.extend(&mut self.flow, &self.surface_cells);
        self.fill_carrier();
        let mut births = [InflowFaces { faces: &[], markers_per_second: None }; MOST_PORTS];
        for (port, births) in self.ports.iter().zip(&mut births) {
            if let Some(faces) = port.births(from, to)? {
                *births = faces;
            }
        }
        let step = SurfaceStep { cells: &self.cells, velocity: &self.carrier, dt };
        let change = self.surface.advance(&step, &births[..self.ports.len()]);
        // Columns exchange what they hold; markers and chains follow the velocity, whose fluxes are the ledger
        match self.surface {
            TrackedSurface::HeightField(_) => {
                self.totals.inflow += change.inflow;
                self.totals.outflow += change.outflow;
            }
            TrackedSurface::Markers(_) | TrackedSurface::Chains(_) => {
                for port in &self.ports {
                    let flux = port.flux(&self.flow);
                    self.totals.inflow += flux.inflow * dt;
                    self.totals.outflow += flux.outflow * dt;
                }
            }
        }
        if self.has_sealed {
            let sealed = &self.sealed;
            for port in &self.ports {
                let refused = port.refused(&self.flow, from, to, |at| !sealed.contains(at))?;
                self.totals.refuse(refused * dt, from);
            }
        }
        self.counts.removed = change.lost + change.refused;
        Ok(())
    }

    /// Copies the velocity for the tracked surface.
    fn fill_carrier(&mut self) {
        let (flow, index) = (&self.flow, self.flow.index);
        for (a, component) in self.carrier.components_mut().iter_mut().enumerate() {
            par::rows(component, |start, row| {
                let first = index.at(start.map(|i| i as usize));
                row.copy_from_slice(&flow.velocity[a][first..first + row.len()]);
            });
        }
    }

    fn check_limits(&self, terms: &MomentumTerms<D>) -> Result<(), StepError> {
        if self.settings.limits != LimitPolicy::Refuse {
            return Ok(());
        }
        let (limit, name) = self.limits(terms.body_force, terms.viscosity).least();
        if terms.dt <= limit * (1.0 + 1e-9) {
            return Ok(());
        }
        let message = format!(
            "a step of {:.3e} s is beyond the limit of {limit:.3e} s by {name}, at t = {:.4} s",
            terms.dt, self.time
        );
        let remedy = "lower time_step, or let limits = \"substep\" shorten the steps";
        Err(self.settings.values.problem("time_step", message, remedy).into())
    }

    /// The Poisson solver in place of an iteration that has not converged; answers its iterations.
    fn solve_again(&mut self, phases: &mut Phases) -> Result<usize, StepError> {
        let settings = self.settings.relaxation;
        let outcome = phases.time("pressure", || {
            self.pressure.solve_again(&mut self.flow, &self.surface_pressure, &settings)
        });
        match outcome.is_converged {
            true => Ok(outcome.sweeps),
            false => Err(StepError::Failed(format!(
                "the pressure has not converged in {} sweeps: raise sweeps or divergence",
                settings.sweeps
            ))),
        }
    }

    /// An error where the tentative velocity is not finite.
    fn check_finite(&self) -> Result<(), StepError> {
        for component in &self.flow.tentative {
            if let Some(at) = component.iter().position(|u| !u.is_finite()) {
                let cell = self.flow.index.cell(at);
                let cell = std::array::from_fn(|axis| cell.get(axis).map_or(0, |i| (*i).max(0) as usize));
                return Err(StepError::NotFinite { field: "velocity", cell });
            }
        }
        Ok(())
    }
}
