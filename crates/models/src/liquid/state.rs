//! Saving a liquid and taking it up again.

use std::io;
use std::sync::OnceLock;

use undine_sim::{Reader, Writer};

use super::simulation::Liquid;
use super::sources::WATER;

impl<const D: usize> Liquid<D> {
    /// Writes everything that a step reads.
    pub fn save_state(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.values("time", &[self.began, self.time])?;
        to.number("fastest", self.fastest)?;
        to.number("pace", self.pace)?;
        to.number("last_dt", self.pressure.last_dt())?;
        to.integer("solids", self.walls.footprint())?;
        self.particles.save(to)?;
        to.field("distance", &self.distance)?;
        to.field("psi", &self.pressure.psi)?;
        to.field("shift", &self.pressure.shift)?;
        for component in self.velocity.components() {
            to.field("velocity", component)?;
        }
        to.integer("has bulk", u64::from(self.bulk.is_in_use()))?;
        if self.bulk.is_in_use() {
            to.values("bulk", self.bulk.map().values())?;
            for component in self.before.components() {
                to.field("carried", component)?;
            }
        }
        self.control.save(to)?;
        self.sources.save(to)?;
        self.hand.save(to)?;
        self.ledger.save(to)
    }

    /// Takes what was written.
    pub fn restore_state(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        [self.began, self.time] = from.array("time")?;
        self.fastest = from.number("fastest")?;
        self.pace = from.number("pace")?;
        let last_dt = from.number("last_dt")?;
        let footprint = from.integer("solids")?;
        self.particles.restore(from, WATER)?;
        from.field("distance", &mut self.distance)?;
        from.field("psi", &mut self.pressure.psi)?;
        from.field("shift", &mut self.pressure.shift)?;
        self.pressure.restore(last_dt);
        for component in self.velocity.components_mut() {
            from.field("velocity", component)?;
        }
        self.restore_bulk(from)?;
        self.control.restore(from)?;
        self.sources.restore(from)?;
        self.hand.restore(from)?;
        self.ledger.restore(from)?;
        if self.walls.take_up(self.began, self.time) {
            self.density.refresh(&self.walls);
        }
        self.velocity.fill_ghosts();
        self.tiles.sort(&mut self.particles, &mut self.spare);
        self.shown = OnceLock::new();
        let has_bulk = self.bulk.map().values().iter().any(|&is_bulk| is_bulk != 0);
        let lost_its_band = has_bulk && !self.bulk.is_in_use();
        if lost_its_band || footprint != self.walls.footprint() {
            self.make_way();
        }
        Ok(())
    }

    /// Takes up the bulk, whether there is a band now or not.
    fn restore_bulk(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        let map = self.bulk.map_mut().values_mut();
        map.fill(0);
        if from.integer("has bulk")? != 0 {
            from.values_into("bulk", map)?;
            for component in self.before.components_mut() {
                from.field("carried", component)?;
            }
        }
        self.bulk.look_around();
        Ok(())
    }

    /// Solids have come, gone or been put elsewhere, or there is no band any more. Particles in the way are pushed out;
    /// those too deep in a solid go to the pool, and come back where there is room: so nothing is lost.
    fn make_way(&mut self) {
        for number in 0..self.particles.len() {
            let point = self.particles.at(number);
            if self.walls.is_free(point) {
                continue;
            }
            let out = self.walls.way_out(point);
            if self.walls.is_free(out) {
                (0..D).for_each(|axis| self.particles.position[axis][number] = out[axis]);
            } else {
                self.particles.take_away(number);
                self.ledger.pool_spare(1);
            }
        }
        if !self.bulk.is_in_use() {
            let flow = self.velocity.components();
            self.bulk.dissolve(&mut self.particles, &mut self.ledger, flow, &self.walls);
        }
        self.bulk.leave_solids(&self.walls);
        self.settle();
        // As at the start: beside slanted walls the surface is found along what was found before
        (0..3).for_each(|_| self.find_surface());
    }
}
