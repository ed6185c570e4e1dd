//! Checkpoints of the model.

use std::io;

use undine_sim::{Reader, Writer};

use super::ledger::Ledger;
use super::tiling::WIDTH;
use super::units::{CEILING, Units};
use super::water::Pipes;
use crate::heightfield::domain;

/// Writes the state.
pub(super) fn save(water: &Pipes, to: &mut Writer<'_>) -> io::Result<()> {
    domain::save(&water.grid, to)?;
    to.values("units", &water.units.parts())?;
    water.ground.save(&water.changes, to)?;
    to.values("ledger", &water.ledger.parts())?;
    to.values("clock", &[water.time, water.source_remainder])?;
    to.tiles("volume", &water.columns.volume, &water.changes.water)?;
    let deepest = water.sums.as_flattened().iter().map(|sums| [sums.deepest as u32]);
    to.records("deepest", deepest)?;
    to.tiles("wet until", &water.columns.wet_until, &water.changes.wetness)?;
    to.integer("directions", water.sets.len() as u64)?;
    water.sets.iter().try_for_each(|set| to.tiles("pipes", &set.values, &water.changes.water))?;
    water.sides.iter().try_for_each(|side| side.save(to))?;
    water.save_curve(to)?;
    water.rain.save(to)?;
    water.drops.save(to)?;
    water.falls.save(to)?;
    to.integer("is managed", u64::from(water.manager.is_some()))?;
    water.manager.as_ref().map_or(Ok(()), |manager| manager.save(&water.visits, to))?;
    water.sources.save(to)
}

/// Restores what [`save`] wrote, also with other settings, other sources or another bed: volumes and flows are restored, so
/// levels follow the bed.
pub(super) fn restore(water: &mut Pipes, from: &mut Reader<'_>) -> io::Result<()> {
    domain::check(&water.grid, from)?;
    let units = Units::from_parts(from.array("units")?).ok_or_else(|| refused("has no whole units"))?;
    water.ground.undo(&mut water.columns);
    water.change_units(units)?;
    water.ground.restore(from, &mut water.columns, &water.units)?;
    water.ledger = Ledger::from_parts(from.array("ledger")?);
    [water.time, water.source_remainder] = from.array("clock")?;
    restore_volumes(water, from)?;
    from.values_into("wet until", &mut water.columns.wet_until)?;
    if from.integer("directions")? != water.sets.len() as u64 {
        return Err(refused("has pipes to other neighbours"));
    }
    for set in &mut water.sets {
        from.values_into("pipes", &mut set.values)?;
    }
    water.sides.iter_mut().try_for_each(|side| side.restore(from))?;
    water.restore_curve(from)?;
    water.rain.restore(from)?;
    water.drops.restore(from)?;
    water.restore_falls(from)?;
    if (from.integer("is managed")? != 0) != water.manager.is_some() {
        return Err(refused("has another manager"));
    }
    water.managed(|water, manager| manager.restore(water, from)).unwrap_or(Ok(()))?;
    water.sources.restore(from)?;
    let wetting = water.wetting();
    water.changes.renew(&water.columns, wetting);
    Ok(())
}

/// Volumes, and the sums of the tiles with them.
fn restore_volumes(water: &mut Pipes, from: &mut Reader<'_>) -> io::Result<()> {
    let (mut volumes, mut is_sound) = (water.columns.volume.chunks_exact_mut(WIDTH), true);
    from.records("volume", |row: [u32; WIDTH]| match volumes.next() {
        Some(volumes) => volumes.iter_mut().zip(row).for_each(|(volume, saved)| *volume = saved as i32),
        None => is_sound = false,
    })?;
    is_sound &= volumes.next().is_none();
    let (columns, bed) = (&water.columns.volume, &water.columns.bed);
    is_sound &= columns.iter().zip(bed).all(|(&volume, &bed)| (0..=CEILING - bed).contains(&volume));
    if !is_sound {
        return Err(refused("does not fit the columns"));
    }
    water.measure();
    let (mut sums, mut is_sound) = (water.sums.as_flattened_mut().iter_mut(), true);
    from.records("deepest", |[deepest]: [u32; 1]| match sums.next() {
        Some(sums) => sums.deepest = sums.deepest.max(deepest as i32),
        None => is_sound = false,
    })?;
    if is_sound && sums.next().is_none() { Ok(()) } else { Err(refused("has other tiles")) }
}

impl Pipes {
    /// Measures the bed in the units of a saved state, which stay those of the run when the bed has changed since.
    fn change_units(&mut self, units: Units) -> io::Result<()> {
        if units == self.units {
            return Ok(());
        }
        let [columns, rows] = self.grid.cells();
        let level = |index: usize, bed: &[i32]| self.units.metres(bed[index]);
        let mut bed = self.columns.bed.clone();
        for cell in (0..rows).flat_map(|y| (0..columns).map(move |x| [x, y])) {
            let index = self.columns.tiling.index(cell);
            let z = level(index, &self.columns.bed);
            bed[index] = units.level(z);
            if (units.metres(bed[index]) - z).abs() > units.unit() {
                return Err(refused("has whole units in which this relief does not fit"));
            }
        }
        (self.columns.bed, self.units) = (bed, units);
        Ok(())
    }
}

fn refused(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the saved state of the pipes {what}"))
}
