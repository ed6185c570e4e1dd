//! Saving the water and taking it up again.

use std::io;

use undine_grid::{Field, Real};
use undine_sim::{Reader, Writer};

use super::model::{KassMiller, Ledger};
use crate::heightfield::Tally;

/// Writes everything that moves.
pub fn save<T: Real, const W: usize>(water: &KassMiller<T, W>, to: &mut Writer<'_>) -> io::Result<()> {
    let [along_x, along_y] = &water.basin.velocity;
    for (name, field) in [("depth", &water.basin.depth), ("along x", along_x), ("along y", along_y)] {
        save_field(name, field, to)?;
    }
    let Ledger { initial, held, inflow, outflow, kept_back, is_flooded } = water.ledger;
    let ([inflow, inflow_rest], [outflow, outflow_rest]) = (inflow.parts(), outflow.parts());
    to.numbers("ledger", &[initial, held, inflow, inflow_rest, outflow, outflow_rest, kept_back])?;
    to.integer("flooded", u64::from(is_flooded))?;
    water.wetness.save(to)?;
    water.sources.save(to)
}

/// Takes up what [`save`] wrote.
pub fn restore<T: Real, const W: usize>(
    water: &mut KassMiller<T, W>,
    from: &mut Reader<'_>,
) -> io::Result<()> {
    let [along_x, along_y] = &mut water.basin.velocity;
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
        inflow: Tally::from_parts([inflow, inflow_rest]),
        outflow: Tally::from_parts([outflow, outflow_rest]),
        kept_back,
        is_flooded: from.integer("flooded")? != 0,
    };
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
