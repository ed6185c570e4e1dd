//! One step.

use undine_sim::{Phases, StepError, World};

use super::fluid::{Fluid, Layout};
use super::staggered::{diffuse, hold_in_solids};
use super::tracers::Surroundings;

impl<const D: usize> Fluid<D> {
    /// Advances by `dt`.
    pub fn advance(&mut self, dt: f64, world: &World<'_>) -> Result<Phases, StepError> {
        let mut phases = Phases::default();
        let end = world.time + dt;
        phases.time("obstacles", || self.move_obstacles(world.time, end))?;
        self.sides.apply(&mut self.velocity, end);
        match self.layout {
            Layout::Staggered(_) => self.advance_staggered(dt, end, world, &mut phases)?,
            Layout::Collocated(_) => self.advance_collocated(dt, end, world, &mut phases),
        }
        self.sides.fill(&mut self.velocity, end);
        phases.time("follow", || self.follow(dt, end))?;
        Ok(phases)
    }

    /// Advect, force, diffuse, project.
    fn advance_staggered(
        &mut self,
        dt: f64,
        end: f64,
        world: &World<'_>,
        phases: &mut Phases,
    ) -> Result<(), StepError> {
        phases.time("carry", || self.carry(dt));
        let Layout::Staggered(layout) = &mut self.layout else { return Ok(()) };
        let implicit_dt = layout.implicit_dt(dt, self.settings.viscosity);
        phases.time("advect", || {
            layout.follow(&self.sides, &self.velocity, end);
            layout.advect(self.settings.scheme, &mut self.velocity, &self.sides, implicit_dt, dt, end);
            self.sides.fill(&mut self.velocity, end);
        });
        phases.time("force", || {
            if let Some(confinement) = &mut self.confinement {
                confinement.act(&mut self.velocity, dt);
            }
            self.emit(dt, end);
            self.settle(end);
            self.keep_drifted(implicit_dt);
            self.force(implicit_dt, end, world.gravity);
            self.settle(end);
        });
        phases.time("diffuse", || {
            let amount = self.settings.viscosity * implicit_dt;
            if amount > 0.0 {
                diffuse(
                    &mut self.velocity,
                    amount,
                    &self.sides,
                    self.solids.as_ref(),
                    end,
                    &mut self.diffusion,
                );
                self.sides.fill(&mut self.velocity, end);
            }
        });
        phases.time("project", || {
            let Layout::Staggered(layout) = &mut self.layout else { return Ok(()) };
            layout.project(&mut self.velocity, self.solids.as_ref(), dt)
        })
    }

    fn keep_drifted(&mut self, implicit_dt: f64) {
        if let Layout::Staggered(layout) = &mut self.layout {
            layout.keep(&self.velocity, implicit_dt);
        }
    }

    /// Sets what sides and obstacles prescribe.
    fn settle(&mut self, time: f64) {
        self.sides.fill(&mut self.velocity, time);
        if let Some(solids) = &self.solids {
            hold_in_solids(&mut self.velocity, solids);
        }
    }

    /// Force, diffuse, advect, project, as the theses have it.
    fn advance_collocated(&mut self, dt: f64, end: f64, world: &World<'_>, phases: &mut Phases) {
        phases.time("force", || {
            self.emit(dt, end);
            self.force(dt, end, world.gravity);
        });
        let Layout::Collocated(layout) = &mut self.layout else { return };
        let (sides, solids) = (&self.sides, self.solids.as_ref());
        phases.time("diffuse", || layout.diffuse(self.settings.viscosity * dt, sides, end, solids));
        phases.time("advect", || layout.advect(dt, sides, end, solids));
        phases.time("project", || layout.project(sides, end, solids));
        phases.time("carry", || {
            if let Layout::Collocated(layout) = &self.layout {
                layout.to_faces(&mut self.velocity);
            }
            self.sides.fill(&mut self.velocity, end);
            self.carry(dt);
        });
    }

    fn move_obstacles(&mut self, from: f64, to: f64) -> Result<(), StepError> {
        let Some(solids) = &mut self.solids else { return Ok(()) };
        if !solids.advance(from, to) {
            return Ok(());
        }
        match &mut self.layout {
            Layout::Staggered(layout) => layout.refresh(solids),
            Layout::Collocated(layout) => {
                layout.refresh(solids);
                Ok(())
            }
        }
    }

    fn carry(&mut self, dt: f64) {
        let flow = self.velocity.components().each_ref();
        let solids = self.solids.as_ref();
        self.cargo.advance(self.settings.scheme, flow, dt, &self.sides, solids, &mut self.diffusion);
    }

    /// Lets emitters act up to time `end`.
    fn emit(&mut self, dt: f64, end: f64) {
        let velocity = match &mut self.layout {
            Layout::Staggered(_) => self.velocity.components_mut(),
            Layout::Collocated(layout) => layout.velocity_mut(),
        };
        for emitter in &self.emitters {
            emitter.act(end - dt, dt, velocity, &self.grid, &mut self.cargo);
        }
        self.cargo.fill_ghosts();
    }

    /// Lets forces act on the velocity for `dt` seconds.
    fn force(&mut self, dt: f64, end: f64, gravity: f64) {
        let velocity = match &mut self.layout {
            Layout::Staggered(_) => self.velocity.components_mut(),
            Layout::Collocated(layout) => layout.velocity_mut(),
        };
        self.forces.act(velocity, &self.cargo, end, dt, gravity);
    }

    /// Moves the tracers, closes the books, and looks for numbers that are none.
    fn follow(&mut self, dt: f64, end: f64) -> Result<(), StepError> {
        self.time = end;
        self.last_dt = dt;
        let was = self.energy;
        self.measure();
        if !self.rate.is_finite() {
            return Err(self
                .find_fault()
                .unwrap_or_else(|| StepError::Failed("the fluid has become too fast".into())));
        }
        if self.settings.is_unforced && self.energy > was {
            self.slow_down(was);
        }
        self.ledger.enter(&self.velocity, &self.sides, self.solids.as_ref(), dt);
        let around = Surroundings {
            flow: self.velocity.components().each_ref(),
            solids: self.solids.as_ref(),
            is_open: self.open_sides(),
        };
        self.tracers.advance(&self.emitters, &around, dt, end);
        Ok(())
    }

    /// Takes off the energy that interpolation made. Nothing drives the fluid and nothing enters, so it cannot have
    /// gained any; a factor on all of it keeps it free of divergence and at rest where it was at rest.
    fn slow_down(&mut self, energy: f64) {
        // A few bits less, or rounding could still let it grow
        let factor = (energy / self.energy).sqrt() * (1.0 - 1e-13);
        for component in self.velocity.components_mut() {
            component.storage_mut().iter_mut().for_each(|u| *u *= factor);
        }
        self.measure();
    }
}
