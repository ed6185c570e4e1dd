//! One time step: the stages of the operator splitting in order.

use std::ops::Range;

use undine_sim::{Phases, StepError, World};

use super::fluid::{StableFluid, VelocityLayout};
use super::staggered::{diffuse, impose_solid_velocity};
use super::tracers::TracerEnvironment;

impl<const D: usize> StableFluid<D> {
    /// Advances by `dt`.
    pub fn advance(&mut self, dt: f64, world: &World<'_>) -> Result<Phases, StepError> {
        let mut phases = Phases::default();
        let step = world.time..world.time + dt;
        phases.time("obstacles", || self.move_obstacles(&step))?;
        self.sides.set_step(step.start, step.end)?;
        self.sides.set_conditions(&mut self.velocity);
        match self.layout {
            VelocityLayout::Staggered(_) => self.advance_staggered(dt, &step, world, &mut phases)?,
            VelocityLayout::Collocated(_) => self.advance_collocated(dt, &step, world, &mut phases)?,
        }
        self.sides.fill_ghosts(&mut self.velocity);
        phases.time("follow", || self.finish_step(dt, &step))?;
        Ok(phases)
    }

    /// Advection, forces, viscosity, projection.
    fn advance_staggered(
        &mut self,
        dt: f64,
        step: &Range<f64>,
        world: &World<'_>,
        phases: &mut Phases,
    ) -> Result<(), StepError> {
        // Scalars and velocity are advected by the divergence-free velocity of the step before
        phases.time("carry", || self.transport_scalars(dt));
        let VelocityLayout::Staggered(layout) = &mut self.layout else { return Ok(()) };
        let implicit_dt = layout.implicit_dt(dt, self.settings.viscosity);
        phases.time("advect", || {
            layout.update_boundaries(&self.sides, &self.velocity);
            layout.advect(self.settings.scheme, &mut self.velocity, &self.sides, implicit_dt, dt);
            self.sides.fill_ghosts(&mut self.velocity);
        });
        // Forces: confinement and emitters explicitly, body forces and buoyancy for the implicit part of the step
        phases.time("force", || -> Result<(), StepError> {
            if let Some(confinement) = &mut self.confinement {
                confinement.apply(&mut self.velocity, dt);
            }
            self.apply_emitters(step)?;
            self.impose_boundaries();
            self.store_advected(implicit_dt);
            self.apply_forces(implicit_dt, step, world.gravity)?;
            self.impose_boundaries();
            Ok(())
        })?;
        // (1 − ν Δt ∇²) u** = u*, split by axes
        phases.time("diffuse", || {
            let amount = self.settings.viscosity * implicit_dt;
            if amount > 0.0 {
                diffuse(&mut self.velocity, amount, &self.sides, self.solids.as_ref(), &mut self.diffusion);
                self.sides.fill_ghosts(&mut self.velocity);
            }
        });
        // u = u** − ∇φ with ∇·u = 0
        phases.time("project", || {
            let VelocityLayout::Staggered(layout) = &mut self.layout else { return Ok(()) };
            layout.project(&mut self.velocity, self.solids.as_ref(), dt)
        })
    }

    fn store_advected(&mut self, implicit_dt: f64) {
        if let VelocityLayout::Staggered(layout) = &mut self.layout {
            layout.store_advected(&self.velocity, implicit_dt);
        }
    }

    /// Sets the velocities prescribed by sides and obstacles.
    fn impose_boundaries(&mut self) {
        self.sides.fill_ghosts(&mut self.velocity);
        if let Some(solids) = &self.solids {
            impose_solid_velocity(&mut self.velocity, solids);
        }
    }

    /// Forces, viscosity, advection, projection, in the order of the theses [li2007, demeulenaere2008].
    fn advance_collocated(
        &mut self,
        dt: f64,
        step: &Range<f64>,
        world: &World<'_>,
        phases: &mut Phases,
    ) -> Result<(), StepError> {
        phases.time("force", || {
            self.apply_emitters(step)?;
            self.apply_forces(dt, step, world.gravity)
        })?;
        let VelocityLayout::Collocated(layout) = &mut self.layout else { return Ok(()) };
        let (sides, solids) = (&self.sides, self.solids.as_ref());
        phases.time("diffuse", || layout.diffuse(self.settings.viscosity * dt, sides, solids));
        phases.time("advect", || layout.advect(dt, sides, solids));
        phases.time("project", || layout.project(sides, solids));
        phases.time("carry", || {
            if let VelocityLayout::Collocated(layout) = &self.layout {
                layout.to_faces(&mut self.velocity);
            }
            self.sides.fill_ghosts(&mut self.velocity);
            self.transport_scalars(dt);
        });
        Ok(())
    }

    fn move_obstacles(&mut self, step: &Range<f64>) -> Result<(), StepError> {
        let Some(solids) = &mut self.solids else { return Ok(()) };
        if !solids.advance(step.start, step.end)? {
            return Ok(());
        }
        if let Some(side) = self.walled_off_inflow() {
            return Err(StepError::Failed(format!(
                "obstacles keep the fluid that comes in through the {side} side from every outflow: leave a gap between \
                 them, or end the inflow before"
            )));
        }
        let Some(solids) = &self.solids else { return Ok(()) };
        match &mut self.layout {
            VelocityLayout::Staggered(layout) => layout.refresh(solids),
            VelocityLayout::Collocated(layout) => {
                layout.refresh(solids);
                Ok(())
            }
        }
    }

    fn transport_scalars(&mut self, dt: f64) {
        let flow = self.velocity.components().each_ref();
        let solids = self.solids.as_ref();
        self.scalars.advance(self.settings.scheme, flow, dt, &self.sides, solids, &mut self.diffusion);
    }

    /// Applies the emitters for a step.
    fn apply_emitters(&mut self, step: &Range<f64>) -> Result<(), StepError> {
        let velocity = match &mut self.layout {
            VelocityLayout::Staggered(_) => self.velocity.components_mut(),
            VelocityLayout::Collocated(layout) => layout.velocity_mut(),
        };
        for emitter in &self.emitters {
            emitter.apply(step, velocity, &self.grid, &mut self.scalars)?;
        }
        self.dye_sources.apply(step.start, &self.grid, &mut self.scalars);
        self.scalars.fill_ghosts();
        Ok(())
    }

    /// Adds the body forces of a step to the velocity, as they act for `dt` seconds.
    fn apply_forces(&mut self, dt: f64, step: &Range<f64>, gravity: f64) -> Result<(), StepError> {
        let velocity = match &mut self.layout {
            VelocityLayout::Staggered(_) => self.velocity.components_mut(),
            VelocityLayout::Collocated(layout) => layout.velocity_mut(),
        };
        self.forces.apply(velocity, &self.scalars, step, dt, gravity)?;
        Ok(())
    }

    /// Checks that the velocity is finite, updates energy and volume ledger, and moves the tracers.
    fn finish_step(&mut self, dt: f64, step: &Range<f64>) -> Result<(), StepError> {
        self.time = step.end;
        self.last_dt = dt;
        let previous_energy = self.energy;
        self.measure();
        if !self.rate.is_finite() {
            return Err(self
                .find_non_finite()
                .unwrap_or_else(|| StepError::Failed("the fluid has become too fast".into())));
        }
        if self.settings.limits_energy && self.energy > previous_energy {
            self.limit_energy(previous_energy);
        }
        self.ledger.record_fluxes(&self.velocity, &self.sides, self.solids.as_ref(), dt);
        let environment = TracerEnvironment {
            flow: self.velocity.components().each_ref(),
            solids: self.solids.as_ref(),
            is_open: self.open_sides(),
        };
        self.tracers.advance(&self.emitters, &environment, dt, step)?;
        Ok(())
    }

    /// Energy limiter for a fluid without forcing, inflow or moving walls: scales the velocity back to the energy of
    /// the step before, which interpolation may have increased. A global factor keeps it divergence-free.
    fn limit_energy(&mut self, energy: f64) {
        // A few bits less, or rounding could still let it grow
        let factor = (energy / self.energy).sqrt() * (1.0 - 1e-13);
        for component in self.velocity.components_mut() {
            component.storage_mut().iter_mut().for_each(|u| *u *= factor);
        }
        self.measure();
    }
}
