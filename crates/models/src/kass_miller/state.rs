//! Saving the water and taking it up again.

use std::io;

use undine_grid::Real;
use undine_sim::{Reader, Writer};

use super::model::{KassMiller, Ledger};
use super::paper::Paper;
use crate::heightfield::{Tally, domain};

/// Writes everything that moves.
pub fn save<T: Real, const W: usize>(water: &KassMiller<T, W>, to: &mut Writer<'_>) -> io::Result<()> {
    domain::save(water.basin.grid(), to)?;
    let [along_x, along_y] = &water.basin.flow;
    for (name, field) in [("depth", &water.basin.depth), ("along x", along_x), ("along y", along_y)] {
        to.field(name, field)?;
    }
    let Ledger { initial, held, inflow, outflow, kept_back } = water.ledger;
    let ([inflow, inflow_rest], [outflow, outflow_rest]) = (inflow.parts(), outflow.parts());
    to.values("ledger", &[initial, held, inflow, inflow_rest, outflow, outflow_rest, kept_back])?;
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
        from.field(name, field)?;
    }
    let [initial, held, inflow, inflow_rest, outflow, outflow_rest, kept_back] = from.array("ledger")?;
    water.ledger = Ledger {
        initial,
        held,
        inflow: Tally::from_parts([inflow, inflow_rest]),
        outflow: Tally::from_parts([outflow, outflow_rest]),
        kept_back,
    };
    // Where the film has become thicker, ground is bare that was not
    let had_bare_ground = from.integer("bare ground")? != 0;
    water.basin.has_bare_ground = had_bare_ground || water.basin.bares_ground();
    let had_levels = from.integer("is paper")? != 0;
    match &mut water.paper {
        Some(paper) if had_levels => paper.restore(&water.basin, water.longest, from)?,
        Some(paper) => **paper = Paper::new(&water.basin, water.longest),
        None if had_levels => Paper::skip(from)?,
        None => {}
    }
    water.wetness.restore(from)?;
    water.sources.restore(from)
}
