//! Open sides, after the pipes: what leaves the columns along them, and what comes in.
//!
//! Where no water stands beyond, a column spills over a weir as high as its ground, q = (2/3)^(3/2) √g d^(3/2). Where the
//! still level L beyond is above the ground, the outgoing characteristic leaves and the incoming wave η enters,
//! q = c (h − L − 2 η) with c² = g d. Each column carries the remainder of its rounding.

use undine_grid::{Grid, Side};
use undine_scene::Problem;

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
        OpenSide { side, remainders: vec![0.0; grid.cells()[1 - side.axis()]] }
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
            let wanted = conditions.outflow(self.side, water.columns, cell)? * conditions.dt
                + f64::from(self.remainders[line]);
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
