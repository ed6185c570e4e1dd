//! Open sides, after the pipes: what leaves the columns along them, and what comes in.
//!
//! Where no water stands beyond, a column spills over a weir as high as its ground, q = (2/3)^(3/2) √g d^(3/2). Where the
//! still level L beyond is above the ground, the outgoing characteristic leaves and the incoming wave η enters,
//! q = c (h − L − 2 η) with c² = g d. Each column carries the remainder of its rounding.
//!
//! A step takes the flow after the pipes have raised the level, and a tile falls asleep with the lower level after it. So a
//! column that sleeps goes on with the flow that it had last, changed by as much as the formula changes from then on.

use std::io;

use undine_grid::{Grid, Side};
use undine_scene::Problem;
use undine_sim::{Reader, Writer};

use super::columns::Columns;
use super::ledger::Ledger;
use super::manager::{ManagedWater, Manager};
use super::settings::{Border, Settings};
use super::units::Units;
use crate::heightfield::SideWaves;

/// The remainders of the columns along a side.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OpenSide {
    pub side: Side,
    /// What rounding has left over, in units, per column along the side.
    pub remainders: Vec<f32>,
    /// What the columns remember of their flows, while the side is open.
    memory: Vec<Memory>,
}

/// What a column along an open side remembers of its flow, in units per second.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Memory {
    /// What flowed out last while the column was awake; not a number once it sleeps.
    last: f64,
    /// What a sleeping column's flow is above that of the formula.
    excess: f64,
}

/// What a side's flow depends on beside the columns.
pub(super) struct SideConditions<'a> {
    pub settings: &'a Settings,
    pub units: &'a Units,
    pub grid: &'a Grid<2>,
    pub waves: &'a [SideWaves],
    /// Middle of the step.
    pub time: f64,
    pub dt: f64,
}

impl OpenSide {
    pub fn new(side: Side, grid: &Grid<2>) -> OpenSide {
        OpenSide { side, remainders: vec![0.0; grid.cells()[1 - side.axis()]], memory: Vec::new() }
    }

    /// Writes its state.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.values("side", &self.remainders)?;
        to.records("flows of the side", self.memory.iter().map(|m| [m.last.to_bits(), m.excess.to_bits()]))
    }

    /// Restores what [`OpenSide::save`] wrote.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        from.values_into("side", &mut self.remainders)?;
        self.memory.clear();
        from.records("flows of the side", |[last, excess]: [u64; 2]| {
            self.memory.push(Memory { last: f64::from_bits(last), excess: f64::from_bits(excess) });
        })
    }

    /// The flow of a column, in units per second, from that of the formula.
    fn flow(&mut self, line: usize, formula: f64, is_awake: bool) -> f64 {
        self.memory.resize(self.remainders.len(), Memory { last: f64::NAN, excess: 0.0 });
        let memory = &mut self.memory[line];
        if is_awake {
            *memory = Memory { last: formula, excess: 0.0 };
        } else if !memory.last.is_nan() {
            *memory = Memory { last: f64::NAN, excess: memory.last - formula };
        }
        formula + memory.excess
    }

    /// Lets water through the side.
    pub fn exchange(
        &mut self,
        water: &mut ManagedWater<'_>,
        manager: &mut Option<Box<dyn Manager>>,
        ledger: &mut Ledger,
        conditions: &SideConditions<'_>,
    ) -> Result<(), Problem> {
        let tiling = water.columns.tiling;
        let (axis, cells) = (self.side.axis(), tiling.cells());
        // In a single row the sides along it have no length
        if conditions.settings.borders[side_index(self.side)] == Border::Wall || axis == 1 && cells[1] == 1 {
            return Ok(());
        }
        let last = if matches!(self.side, Side::East | Side::North) { cells[axis] - 1 } else { 0 };
        for line in 0..self.remainders.len() {
            let cell = if axis == 0 { [last, line] } else { [line, last] };
            let formula = conditions.outflow(self.side, water.columns, cell)?;
            let is_awake = water.visits.is_awake(tiling.tile_of(cell));
            let wanted =
                self.flow(line, formula, is_awake) * conditions.dt + f64::from(self.remainders[line]);
            let whole = wanted.round_ties_even();
            self.remainders[line] = (wanted - whole) as f32;
            if whole != 0.0 {
                ledger.record(i64::from(water.exchange(manager, tiling.index(cell), (-whole) as i32)));
            }
        }
        Ok(())
    }
}

impl SideConditions<'_> {
    /// What flows out of a column through its side, in units per second.
    fn outflow(&self, side: Side, columns: &Columns, cell: [usize; 2]) -> Result<f64, Problem> {
        let (index, axis) = (columns.tiling.index(cell), side.axis());
        let unit = self.units.unit();
        let (g, depth) = (self.settings.gravity, f64::from(columns.volume[index]) * unit);
        let sea = self.settings.sea_level.map_or(0, |level| self.units.level(level) - columns.bed[index]);
        let per_width = if sea <= 0 {
            WEIR * g.sqrt() * depth * depth.sqrt()
        } else {
            let still = f64::from(sea) * unit;
            let speed = (g * depth.max(still)).sqrt();
            let s = self.grid.centre(cell.map(|index| index as isize))[1 - axis];
            let waves = self.waves.iter().filter(|waves| waves.side == side);
            let rest = (g * still).sqrt();
            let incoming = waves.map(|waves| waves.level(s, self.time, rest)).sum::<Result<f64, _>>()?;
            // Whole units, so that still water is still
            speed * (f64::from(columns.volume[index] - sea) * unit - 2.0 * incoming)
        };
        Ok(per_width / (self.grid.spacing()[axis] * unit))
    }
}

/// (2/3)^(3/2): a broad-crested weir.
pub(super) const WEIR: f64 = 0.544_331_053_951_817_4;

/// The place of a side in [`Settings::borders`].
fn side_index(side: Side) -> usize {
    Side::ALL[..4].iter().position(|known| *known == side).unwrap_or(0)
}
