//! Saving the water and taking it up again.

use std::io;

use undine_grid::{Field, Real};
use undine_sim::{Reader, Writer};

use super::model::{KassMiller, Ledger};
use super::paper::{Levels, Paper};
use crate::heightfield::{CompensatedSum, domain};

/// Writes everything that moves.
pub fn save<T: Real, const W: usize>(water: &KassMiller<T, W>, to: &mut Writer<'_>) -> io::Result<()> {
    domain::save(water.basin.grid(), to)?;
    let [along_x, along_y] = &water.basin.flow;
    for (name, field) in [("depth", &water.basin.depth), ("along x", along_x), ("along y", along_y)] {
        save_field(name, field, to)?;
    }
    let Ledger { initial, held, inflow, outflow, kept_back } = water.ledger;
    let ([inflow, inflow_rest], [outflow, outflow_rest]) = (inflow.parts(), outflow.parts());
    to.numbers("ledger", &[initial, held, inflow, inflow_rest, outflow, outflow_rest, kept_back])?;
    to.integer("bare ground", u64::from(water.basin.has_bare_ground))?;
    to.integer("is paper", u64::from(water.paper.is_some()))?;
    if let Some(paper) = &water.paper {
        paper.save(to)?;
    }
    water.wetness.save(to)?;
    water.sources.save(to)
}

/// Takes up what [`save`] wrote, be it of another scheme, with other sources or over another bed: depths and velocities
/// stay, so what the ground does, the water's surface does too.
pub fn restore<T: Real, const W: usize>(
    water: &mut KassMiller<T, W>,
    from: &mut Reader<'_>,
) -> io::Result<()> {
    domain::check(water.basin.grid(), from)?;
    let [along_x, along_y] = &mut water.basin.flow;
    for (name, field) in [("depth", &mut water.basin.depth), ("along x", along_x), ("along y", along_y)] {
        restore_field(name, field, from)?;
    }
    let Ok([initial, held, inflow, inflow_rest, outflow, outflow_rest, kept_back]) =
        <[f64; 7]>::try_from(from.numbers("ledger")?)
    else {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the ledger has the wrong length"));
    };
    water.ledger = Ledger {
        initial,
        held,
        inflow: CompensatedSum::from_parts([inflow, inflow_rest]),
        outflow: CompensatedSum::from_parts([outflow, outflow_rest]),
        kept_back,
    };
    // Where the film has become thicker, ground is bare that was not
    let had_bare_ground = from.integer("bare ground")? != 0;
    water.basin.has_bare_ground = had_bare_ground || water.basin.bares_ground();
    let saved = match from.integer("is paper")? {
        0 => None,
        _ => Some(Levels::read(from)?),
    };
    if water.paper.is_some() {
        water.paper = Some(Box::new(Paper::resumed(&water.basin, water.longest, saved)));
    }
    water.wetness.restore(from)?;
    water.sources.restore(from)
}

/// In the field's own precision, which loses nothing.
fn save_field<T: Real>(name: &str, field: &Field<T, 2>, to: &mut Writer<'_>) -> io::Result<()> {
    let values = field.iter().map(|(_, value)| value.to_f64());
    if size_of::<T>() == size_of::<f32>() {
        to.singles(name, &values.map(|value| value as f32).collect::<Vec<_>>())
    } else {
        to.numbers(name, &values.collect::<Vec<_>>())
    }
}

fn restore_field<T: Real>(name: &str, field: &mut Field<T, 2>, from: &mut Reader<'_>) -> io::Result<()> {
    let values: Vec<T> = if size_of::<T>() == size_of::<f32>() {
        from.singles(name)?.into_iter().map(|value| T::from_f64(value.into())).collect()
    } else {
        from.numbers(name)?.into_iter().map(T::from_f64).collect()
    };
    field.copy_from(&values).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
