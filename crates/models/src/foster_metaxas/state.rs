//! Checkpoints: saving the state of the water and restoring it.

use std::io;

use undine_sim::{Reader, Writer};

use super::simulation::CellWater;

impl<const D: usize> CellWater<D> {
    /// Writes everything that a step reads.
    pub fn save_state(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.number("time", self.time)?;
        to.integer("has sealed", u64::from(self.has_sealed))?;
        for component in &self.flow.velocity {
            to.values("velocity", component)?;
        }
        to.values("pressure", &self.flow.pressure)?;
        self.surface.save(to)?;
        self.totals.save(to)
    }

    /// Reads what was written.
    pub fn restore_state(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.time = from.number("time")?;
        self.has_sealed = from.integer("has sealed")? != 0;
        for component in &mut self.flow.velocity {
            from.values_into("velocity", component)?;
        }
        from.values_into("pressure", &mut self.flow.pressure)?;
        self.surface.restore(from)?;
        self.totals.restore(from)?;
        // Everything that follows from the saved state
        self.set_port_kinds(self.time);
        self.label_cells();
        self.clear_obstacle_faces();
        self.finish_state();
        Ok(())
    }
}
