//! Disturbances that add water: drops at once, jets and rain for a duration.

use std::io;

use undine_grid::Grid;
use undine_sim::{Disturbance, Reader, Writer};

use super::footprint::{BoxFootprint, DiscFootprint};

/// The most disturbances that act at the same time.
const MAX_ACTIVE: usize = 1024;

/// The disturbances that have not ended.
#[derive(Default)]
pub(super) struct ActiveDisturbances {
    active: Vec<ActiveDisturbance>,
}

/// A drop (a volume at once), a jet (m³/s in a disc) or rain (m/s everywhere).
struct ActiveDisturbance {
    kind: u64,
    at: [f64; 2],
    radius: f64,
    /// m³ of a drop, m³/s of a jet, m/s of rain.
    amount: f64,
    /// Seconds until it ends.
    remaining: f64,
}

const DROP: u64 = 0;
const JET: u64 = 1;
const RAIN: u64 = 2;

impl ActiveDisturbances {
    /// Adds a disturbance. Refused are pushes, changes of the ground, a disturbance outside the domain, and one whose peak depth exceeds the
    /// length of the domain, for which shallow-water theory has no meaning.
    pub fn insert(&mut self, disturbance: &Disturbance, grid: &Grid<2>) -> bool {
        let disturbance = match *disturbance {
            Disturbance::Drop { at, radius, volume } => {
                ActiveDisturbance { kind: DROP, at: at.to_array(), radius, amount: volume, remaining: 0.0 }
            }
            Disturbance::Source { at, radius, rate, duration } => {
                ActiveDisturbance { kind: JET, at: at.to_array(), radius, amount: rate, remaining: duration }
            }
            Disturbance::Rain { rate, duration } => {
                ActiveDisturbance { kind: RAIN, at: [0.0; 2], radius: 0.0, amount: rate, remaining: duration }
            }
            // These are the model's part
            Disturbance::Push { .. } | Disturbance::Ground { .. } | Disturbance::Dam { .. } => return false,
        };
        let longest = grid.length().into_iter().fold(0.0, f64::max);
        let is_acceptable = disturbance
            .peak_depth(grid)
            .is_some_and(|peak_depth| peak_depth.is_finite() && peak_depth <= longest);
        if is_acceptable && self.active.len() < MAX_ACTIVE {
            self.active.push(disturbance);
            return true;
        }
        false
    }

    pub fn is_empty(&self) -> bool {
        self.active.is_empty()
    }

    /// Calls `add` with every cell and the depth that the disturbances add to it in `dt` seconds.
    pub fn apply(&mut self, dt: f64, grid: &Grid<2>, mut add: impl FnMut([usize; 2], f64)) {
        for disturbance in &mut self.active {
            let duration = if disturbance.kind == DROP { 1.0 } else { disturbance.remaining.min(dt) };
            disturbance.remaining -= dt;
            let amount = disturbance.amount * duration;
            if disturbance.kind == RAIN {
                BoxFootprint::all(grid).each(|cell| add(cell, amount));
            } else if let Some(disc) = DiscFootprint::new(grid, disturbance.at, disturbance.radius) {
                disc.each(|cell, depth| add(cell, amount * depth));
            }
        }
        self.active.retain(|disturbance| disturbance.remaining > 0.0);
    }

    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.integer("pokes", self.active.len() as u64)?;
        for disturbance in &self.active {
            to.integer("poke", disturbance.kind)?;
            to.values(
                "poured",
                &[
                    disturbance.at[0],
                    disturbance.at[1],
                    disturbance.radius,
                    disturbance.amount,
                    disturbance.remaining,
                ],
            )?;
        }
        Ok(())
    }

    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.active.clear();
        for _ in 0..from.integer("pokes")? {
            let kind = from.integer("poke")?;
            let [x, y, radius, amount, remaining] = from.array("poured")?;
            self.active.push(ActiveDisturbance { kind, at: [x, y], radius, amount, remaining });
        }
        Ok(())
    }
}

impl ActiveDisturbance {
    /// The greatest depth that it adds to any cell until it ends; none outside the domain.
    fn peak_depth(&self, grid: &Grid<2>) -> Option<f64> {
        let duration = if self.kind == DROP { 1.0 } else { self.remaining };
        let per_amount = if self.kind == RAIN {
            1.0
        } else {
            DiscFootprint::new(grid, self.at, self.radius)?.peak_depth()
        };
        Some(self.amount.max(0.0) * duration * per_amount)
    }
}
