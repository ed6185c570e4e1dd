//! Saving the water and taking it up again.

use std::io;

use undine_grid::{Field, Real};
use undine_sim::{Reader, Writer};

use super::model::{KassMiller, Ledger};
use crate::heightfield::Tally;

/// Writes everything that moves.
pub fn save<T: Real, const W: usize>(water: &KassMiller<T, W>, to: &mut Writer<'_>) -> io::Result<()> {
    let [along_x, along_y] = &water.basin.flow;
    for (name, field) in [("depth", &water.basin.depth), ("along x", along_x), ("along y", along_y)] {
        save_field(name, field, to)?;
    }
    let Ledger { initial, held, inflow, outflow, kept_back } = water.ledger;
    let ([inflow, inflow_rest], [outflow, outflow_rest]) = (inflow.parts(), outflow.parts());
    to.numbers("ledger", &[initial, held, inflow, inflow_rest, outflow, outflow_rest, kept_back])?;
    to.integer("bare ground", u64::from(water.basin.has_bare_ground))?;
    if let Some(paper) = &water.paper {
        to.number("paper dt", paper.dt)?;
        for (name, values) in [("level", &paper.level), ("last", &paper.last), ("shown", &paper.shown)] {
            to.numbers(name, values)?;
        }
    }
    water.wetness.save(to)?;
    water.sources.save(to)
}

/// Takes up what [`save`] wrote.
pub fn restore<T: Real, const W: usize>(
    water: &mut KassMiller<T, W>,
    from: &mut Reader<'_>,
) -> io::Result<()> {
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
        inflow: Tally::from_parts([inflow, inflow_rest]),
        outflow: Tally::from_parts([outflow, outflow_rest]),
        kept_back,
    };
    water.basin.has_bare_ground = from.integer("bare ground")? != 0;
    if let Some(paper) = &mut water.paper {
        paper.dt = from.number("paper dt")?;
        for (name, values) in
            [("level", &mut paper.level), ("last", &mut paper.last), ("shown", &mut paper.shown)]
        {
            let saved = from.numbers(name)?;
            if saved.len() != values.len() {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "the levels have another size than this scene",
                ));
            }
            values.copy_from_slice(&saved);
        }
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
