//! Saving a liquid and taking it up again.

use std::io;
use std::sync::OnceLock;

use undine_sim::{Reader, Writer};

use super::simulation::Liquid;

impl<const D: usize> Liquid<D> {
    /// Writes everything that a step reads.
    pub fn save_state(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.number("time", self.time)?;
        to.number("fastest", self.fastest)?;
        to.number("pace", self.pace)?;
        to.number("last_dt", self.pressure.last_dt())?;
        to.integer("next_id", u64::from(self.particles.next_id()))?;
        let ids: Vec<u8> = self.particles.id.iter().flat_map(|id| id.to_le_bytes()).collect();
        to.bytes("ids", &ids)?;
        self.particles.singles().try_for_each(|column| to.singles("particles", column))?;
        to.singles("distance", &self.distance.to_dense())?;
        to.singles("psi", &self.pressure.psi.to_dense())?;
        to.singles("shift", &self.pressure.shift.to_dense())?;
        for component in self.velocity.components() {
            to.singles("velocity", &component.to_dense())?;
        }
        if self.bulk.is_in_use() {
            to.bytes("bulk", self.bulk.map().values())?;
            for component in self.before.components() {
                to.singles("carried", &component.to_dense())?;
            }
        }
        self.control.save(to)?;
        self.sources.save(to)?;
        self.ledger.save(to)
    }

    /// Takes what was written.
    pub fn restore_state(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.time = from.number("time")?;
        self.fastest = from.number("fastest")?;
        self.pace = from.number("pace")?;
        let last_dt = from.number("last_dt")?;
        let next_id = u32::try_from(from.integer("next_id")?).map_err(refused)?;
        let (ids, _) = from.bytes("ids")?.as_chunks::<4>();
        let ids: Vec<u32> = ids.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        let count = ids.len();
        for column in self.particles.singles_mut() {
            *column = from.singles("particles")?;
            if column.len() != count {
                return Err(refused("the columns of particles differ in length"));
            }
        }
        self.particles.restore_ids(ids, next_id);
        self.distance.copy_from(&from.singles("distance")?).map_err(refused)?;
        self.pressure.psi.copy_from(&from.singles("psi")?).map_err(refused)?;
        self.pressure.shift.copy_from(&from.singles("shift")?).map_err(refused)?;
        self.pressure.restore(last_dt);
        for component in self.velocity.components_mut() {
            component.copy_from(&from.singles("velocity")?).map_err(refused)?;
        }
        if self.bulk.is_in_use() {
            let bytes = from.bytes("bulk")?;
            let map = self.bulk.map_mut().values_mut();
            if bytes.len() != map.len() {
                return Err(refused("the bulk has another size than this scene"));
            }
            map.copy_from_slice(bytes);
            self.bulk.look_around();
            for component in self.before.components_mut() {
                component.copy_from(&from.singles("carried")?).map_err(refused)?;
            }
        }
        self.control.restore(from)?;
        self.sources.restore(from)?;
        self.ledger.restore(from)?;
        self.walls.place(self.time);
        self.velocity.fill_ghosts();
        self.tiles.sort(&mut self.particles, &mut self.spare);
        self.shown = OnceLock::new();
        Ok(())
    }
}

fn refused(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
