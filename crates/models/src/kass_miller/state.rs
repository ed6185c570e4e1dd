//! Checkpoints of the model.

use std::io;

use undine_grid::{Field, Real};
use undine_sim::{Reader, Writer};

use super::model::{KassMiller, VolumeLedger};
use super::paper::{Paper, SavedLevels};
use crate::heightfield::{CompensatedSum, domain};

/// Writes the state.
pub fn save<T: Real, const W: usize>(water: &KassMiller<T, W>, to: &mut Writer<'_>) -> io::Result<()> {
    domain::save(water.height_field.grid(), to)?;
    let [along_x, along_y] = &water.height_field.flow;
    for (name, field) in [("depth", &water.height_field.depth), ("along x", along_x), ("along y", along_y)] {
        save_field(name, field, to)?;
    }
    let VolumeLedger { initial, held, inflow, outflow, rounding } = water.ledger;
    let ([inflow, inflow_rest], [outflow, outflow_rest]) = (inflow.parts(), outflow.parts());
    to.numbers("ledger", &[initial, held, inflow, inflow_rest, outflow, outflow_rest, rounding])?;
    to.integer("bare ground", u64::from(water.height_field.has_bare_ground))?;
    to.integer("is paper", u64::from(water.paper.is_some()))?;
    if let Some(paper) = &water.paper {
        paper.save(to)?;
    }
    water.wetness.save(to)?;
    water.sources.save(to)
}

/// Restores what [`save`] wrote, also with another scheme, other sources or another bed: depths and velocities are
/// restored, so levels follow the bed.
pub fn restore<T: Real, const W: usize>(
    water: &mut KassMiller<T, W>,
    from: &mut Reader<'_>,
) -> io::Result<()> {
    domain::check(water.height_field.grid(), from)?;
    let [along_x, along_y] = &mut water.height_field.flow;
    for (name, field) in
        [("depth", &mut water.height_field.depth), ("along x", along_x), ("along y", along_y)]
    {
        restore_field(name, field, from)?;
    }
    let Ok([initial, held, inflow, inflow_rest, outflow, outflow_rest, rounding]) =
        <[f64; 7]>::try_from(from.numbers("ledger")?)
    else {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the ledger has the wrong length"));
    };
    water.ledger = VolumeLedger {
        initial,
        held,
        inflow: CompensatedSum::from_parts([inflow, inflow_rest]),
        outflow: CompensatedSum::from_parts([outflow, outflow_rest]),
        rounding,
    };
    // With a thicker film there may be more bare samples
    let had_bare_ground = from.integer("bare ground")? != 0;
    water.height_field.has_bare_ground = had_bare_ground || water.height_field.find_bare_ground();
    let saved = match from.integer("is paper")? {
        0 => None,
        _ => Some(SavedLevels::read(from)?),
    };
    if water.paper.is_some() {
        water.paper = Some(Box::new(Paper::resumed(&water.height_field, water.longest, saved)));
    }
    water.wetness.restore(from)?;
    water.sources.restore(from)
}

/// Writes a field in its own precision, without loss.
fn save_field<T: Real>(name: &str, field: &Field<T, 2>, to: &mut Writer<'_>) -> io::Result<()> {
    let values = field.iter().map(|(_, value)| value.to_f64());
    if size_of::<T>() == size_of::<f32>() {
        to.singles(name, &values.map(|value| value as f32).collect::<Vec<_>>())
    } else {
        to.numbers(name, &values.collect::<Vec<_>>())
    }
}

/// Restores a field.
fn restore_field<T: Real>(name: &str, field: &mut Field<T, 2>, from: &mut Reader<'_>) -> io::Result<()> {
    let values: Vec<T> = if size_of::<T>() == size_of::<f32>() {
        from.singles(name)?.into_iter().map(|value| T::from_f64(value.into())).collect()
    } else {
        from.numbers(name)?.into_iter().map(T::from_f64).collect()
    };
    field.copy_from(&values).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
