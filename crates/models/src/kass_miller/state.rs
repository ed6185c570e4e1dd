//! Checkpoints of the model.

use std::io;

use undine_grid::Real;
use undine_sim::{Reader, Writer};

use super::model::{KassMiller, VolumeLedger};
use super::paper::Paper;
use crate::heightfield::{CompensatedSum, domain};

/// Writes the state.
pub fn save<T: Real, const W: usize>(water: &KassMiller<T, W>, to: &mut Writer<'_>) -> io::Result<()> {
    domain::save(water.height_field.grid(), to)?;
    water.height_field.bed_change.save(to)?;
    let [along_x, along_y] = &water.height_field.flow;
    for (name, field) in [("depth", &water.height_field.depth), ("along x", along_x), ("along y", along_y)] {
        to.field(name, field)?;
    }
    let VolumeLedger { initial, held, inflow, outflow, rounding } = water.ledger;
    let ([inflow, inflow_rest], [outflow, outflow_rest]) = (inflow.parts(), outflow.parts());
    to.values("ledger", &[initial, held, inflow, inflow_rest, outflow, outflow_rest, rounding])?;
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
    water.height_field.restore_ground(from)?;
    let [along_x, along_y] = &mut water.height_field.flow;
    for (name, field) in
        [("depth", &mut water.height_field.depth), ("along x", along_x), ("along y", along_y)]
    {
        from.field(name, field)?;
    }
    let [initial, held, inflow, inflow_rest, outflow, outflow_rest, rounding] = from.array("ledger")?;
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
    let had_levels = from.integer("is paper")? != 0;
    match &mut water.paper {
        Some(paper) if had_levels => paper.restore(&water.height_field, water.longest, from)?,
        Some(paper) => **paper = Paper::new(&water.height_field, water.longest),
        None if had_levels => Paper::skip(from)?,
        None => {}
    }
    water.wetness.restore(from)?;
    water.sources.restore(from)
}
