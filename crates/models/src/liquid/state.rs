//! Checkpoints: saving the state of a liquid and restoring it.

use std::io;
use std::sync::OnceLock;

use undine_sim::{Reader, Writer};

use super::simulation::LiquidSimulation;
use super::sources::DEFAULT_COLOUR;

impl<const D: usize> LiquidSimulation<D> {
    /// Writes everything that a step reads.
    pub fn save_state(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.values("time", &[self.step_start, self.time])?;
        to.number("fastest", self.max_speed)?;
        to.number("pace", self.courant_speed)?;
        to.number("last_dt", self.pressure.last_dt())?;
        to.integer("solids", self.boundary.fingerprint())?;
        self.particles.save(to)?;
        to.field("distance", &self.distance)?;
        to.field("psi", &self.pressure.psi)?;
        to.field("shift", &self.pressure.correction)?;
        for component in self.velocity.components() {
            to.field("velocity", component)?;
        }
        to.integer("has bulk", u64::from(self.interior.is_enabled()))?;
        if self.interior.is_enabled() {
            to.values("bulk", self.interior.map().values())?;
            for component in self.old_velocity.components() {
                to.field("carried", component)?;
            }
        }
        self.volume_control.save(to)?;
        self.inflow_outflow.save(to)?;
        self.live_sources.save(to)?;
        self.ledger.save(to)
    }

    /// Reads what was written.
    pub fn restore_state(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        // In the order in which it was saved
        [self.step_start, self.time] = from.array("time")?;
        self.max_speed = from.number("fastest")?;
        self.courant_speed = from.number("pace")?;
        let last_dt = from.number("last_dt")?;
        let fingerprint = from.integer("solids")?;
        self.particles.restore(from, DEFAULT_COLOUR)?;
        from.field("distance", &mut self.distance)?;
        from.field("psi", &mut self.pressure.psi)?;
        from.field("shift", &mut self.pressure.correction)?;
        self.pressure.restore(last_dt);
        for component in self.velocity.components_mut() {
            from.field("velocity", component)?;
        }
        self.restore_interior(from)?;
        self.volume_control.restore(from)?;
        self.inflow_outflow.restore(from)?;
        self.live_sources.restore(from)?;
        self.ledger.restore(from)?;
        // Everything that follows from the saved state
        self.capacity.invalidate();
        let moved = self.boundary.restore(self.step_start, self.time);
        if moved.map_err(io::Error::other)? {
            self.rest_density.update(&self.boundary);
        }
        self.velocity.fill_ghosts();
        self.tiles.sort(&mut self.particles, &mut self.scratch);
        self.particle_arrays = OnceLock::new();
        let has_interior = self.interior.map().values().iter().any(|&is_interior| is_interior != 0);
        let lost_its_band = has_interior && !self.interior.is_enabled();
        if lost_its_band || fingerprint != self.boundary.fingerprint() {
            self.resolve_overlaps();
        }
        Ok(())
    }

    /// Restores the interior, whether there is a band now or not.
    fn restore_interior(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        let map = self.interior.map_mut().values_mut();
        map.fill(0);
        if from.integer("has bulk")? != 0 {
            from.values_into("bulk", map)?;
            for component in self.old_velocity.components_mut() {
                from.field("carried", component)?;
            }
        }
        self.interior.update_dilated();
        Ok(())
    }

    /// After solids were added, removed or moved, or the band was switched off: particles in solids are projected out;
    /// those too deep go to the pool and are seeded again where there is room, so that no volume is lost.
    fn resolve_overlaps(&mut self) {
        for index in 0..self.particles.len() {
            let point = self.particles.position_of(index);
            if self.boundary.is_free(point) {
                continue;
            }
            let out = self.boundary.push_outside(point);
            if self.boundary.is_free(out) {
                (0..D).for_each(|axis| self.particles.position[axis][index] = out[axis]);
            } else {
                self.particles.mark_removed(index);
                self.ledger.pool_spare(1);
            }
        }
        if !self.interior.is_enabled() {
            let flow = self.velocity.components();
            self.interior.convert_to_particles(&mut self.particles, &mut self.ledger, flow, &self.boundary);
        }
        self.interior.remove_from_solids(&self.boundary);
        self.sort_particles();
        // As at the start, three iterations of the reconstruction
        (0..3).for_each(|_| self.update_surface());
    }
}
