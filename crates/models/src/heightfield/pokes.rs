//! What a hand or a script pours in: drops at once, jets and rain for a while.

use std::io;

use undine_grid::Grid;
use undine_sim::{Disturbance, Reader, Writer};

use super::stamp::{Area, Disc};

/// The most pokes that may act at a time.
const MOST: usize = 1024;

/// Pokes that have not ended.
#[derive(Default)]
pub(super) struct Pokes {
    active: Vec<Poke>,
}

/// A volume or a depth, given all at once or bit by bit.
struct Poke {
    kind: u64,
    at: [f64; 2],
    radius: f64,
    /// m³ at once, m³/s, or m/s.
    amount: f64,
    remaining: f64,
}

const DROP: u64 = 0;
const JET: u64 = 1;
const RAIN: u64 = 2;

impl Pokes {
    /// Takes a poke. One outside the domain, one that is no pouring, and one that would pile water higher than the
    /// domain is long, where nothing here is shallow, is refused.
    pub fn take(&mut self, poke: &Disturbance, grid: &Grid<2>) -> bool {
        let poke = match *poke {
            Disturbance::Drop { at, radius, volume } => {
                Poke { kind: DROP, at: at.to_array(), radius, amount: volume, remaining: 0.0 }
            }
            Disturbance::Source { at, radius, rate, duration } => {
                Poke { kind: JET, at: at.to_array(), radius, amount: rate, remaining: duration }
            }
            Disturbance::Rain { rate, duration } => {
                Poke { kind: RAIN, at: [0.0; 2], radius: 0.0, amount: rate, remaining: duration }
            }
            Disturbance::Push { .. } => return false,
        };
        let longest = grid.length().into_iter().fold(0.0, f64::max);
        let is_sound = poke.pile(grid).is_some_and(|pile| pile.is_finite() && pile <= longest);
        if is_sound && self.active.len() < MOST {
            self.active.push(poke);
            return true;
        }
        false
    }

    pub fn is_empty(&self) -> bool {
        self.active.is_empty()
    }

    /// Pours what is due in `dt` seconds: a depth for every cell it falls on.
    pub fn pour(&mut self, dt: f64, grid: &Grid<2>, mut take: impl FnMut([usize; 2], f64)) {
        for poke in &mut self.active {
            let during = if poke.kind == DROP { 1.0 } else { poke.remaining.min(dt) };
            poke.remaining -= dt;
            let amount = poke.amount * during;
            if poke.kind == RAIN {
                Area::whole(grid).each(|cell| take(cell, amount));
            } else if let Some(disc) = Disc::new(grid, poke.at, poke.radius) {
                disc.each(|cell, depth| take(cell, amount * depth));
            }
        }
        self.active.retain(|poke| poke.remaining > 0.0);
    }

    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.integer("pokes", self.active.len() as u64)?;
        for poke in &self.active {
            to.integer("poke", poke.kind)?;
            to.values("poured", &[poke.at[0], poke.at[1], poke.radius, poke.amount, poke.remaining])?;
        }
        Ok(())
    }

    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.active.clear();
        for _ in 0..from.integer("pokes")? {
            let kind = from.integer("poke")?;
            let [x, y, radius, amount, remaining] = from.array("poured")?;
            self.active.push(Poke { kind, at: [x, y], radius, amount, remaining });
        }
        Ok(())
    }
}

impl Poke {
    /// The greatest depth that it makes in all; none outside the domain.
    fn pile(&self, grid: &Grid<2>) -> Option<f64> {
        let duration = if self.kind == DROP { 1.0 } else { self.remaining };
        let per_amount =
            if self.kind == RAIN { 1.0 } else { Disc::new(grid, self.at, self.radius)?.deepest() };
        Some(self.amount.max(0.0) * duration * per_amount)
    }
}
