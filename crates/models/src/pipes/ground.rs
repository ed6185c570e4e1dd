//! Ground that is raised, dug away or dammed while the water runs. Volumes stay, so levels follow the bed.

use std::io;
use std::ops::Range;

use undine_grid::{Condition, Field, FieldError, Grid, Location};
use undine_sim::{Disturbance, Reader, Writer};

use super::columns::Columns;
use super::units::{CEILING, FLOOR, Units};
use super::water::Pipes;
use crate::heightfield::BedChange;

/// Units that rounding may add to a level.
const ROUNDING: f64 = 2.0;

/// The change of the bed; without one nothing is stored.
pub(super) struct Ground {
    change: BedChange<f64>,
    /// The bed in metres, once it has been changed.
    bed: Option<Field<f64, 2>>,
}

impl Ground {
    /// Ground that nobody has changed.
    pub fn new() -> Ground {
        Ground { change: BedChange::new(0.0, 0.0), bed: None }
    }

    /// The bed in metres, taken out of the ground.
    fn take_bed(
        &mut self,
        grid: &Grid<2>,
        columns: &Columns,
        units: &Units,
    ) -> Result<Field<f64, 2>, FieldError> {
        if let Some(bed) = self.bed.take() {
            return Ok(bed);
        }
        let mut bed = Field::new(*grid, Location::Center, Condition::Open, 1)?;
        for cell in cells(grid) {
            bed[cell] = units.metres(columns.bed[columns.tiling.index(cell)]);
        }
        Ok(bed)
    }

    /// Writes the change.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        self.change.save(to)
    }

    /// Restores a change over the bed that the columns have.
    pub fn restore(
        &mut self,
        from: &mut Reader<'_>,
        grid: &Grid<2>,
        columns: &mut Columns,
        units: &Units,
    ) -> io::Result<()> {
        let no_memory = |error: FieldError| io::Error::new(io::ErrorKind::OutOfMemory, error);
        let mut bed = self.take_bed(grid, columns, units).map_err(no_memory)?;
        self.change.restore(from, &mut bed)?;
        for cell in cells(grid) {
            let index = columns.tiling.index(cell);
            columns.bed[index] = units.ground(bed[cell]);
        }
        self.bed = self.change.is_changed().then_some(bed);
        Ok(())
    }
}

impl Pipes {
    /// Raises, digs away or dams ground. Refused as by [`BedChange::apply`], and where levels would leave the range of the
    /// units.
    pub(super) fn change_ground(&mut self, disturbance: &Disturbance) -> bool {
        if !self.fits(disturbance) {
            return false;
        }
        let Ok(mut bed) = self.ground.take_bed(&self.grid, &self.columns, &self.units) else { return false };
        let has_changed = self.ground.change.apply(disturbance, &mut bed);
        if has_changed {
            // Tiles wake over the old bed, which their accounts and levels fit
            if let Some([columns, rows]) = self.changed_range(&bed) {
                let tiles: Vec<usize> = self.columns.tiling.tiles_in(columns, rows).collect();
                self.managed(|water, manager| tiles.iter().for_each(|&tile| manager.wake(water, tile)));
            }
            for cell in cells(&self.grid) {
                let index = self.columns.tiling.index(cell);
                self.columns.bed[index] = self.units.ground(bed[cell]);
            }
            self.lay_curve();
            self.find_lips();
        }
        self.ground.bed = self.ground.change.is_changed().then_some(bed);
        has_changed
    }

    /// Whether all levels stay within the range of the units.
    fn fits(&self, disturbance: &Disturbance) -> bool {
        let (mut lowest, mut highest, mut deepest) = (i32::MAX, i32::MIN, 0);
        for cell in cells(&self.grid) {
            let index = self.columns.tiling.index(cell);
            lowest = lowest.min(self.columns.bed[index]);
            highest = highest.max(self.columns.level(index));
            deepest = deepest.max(self.columns.volume[index]);
        }
        let unit = self.units.unit();
        match *disturbance {
            Disturbance::Ground { height, .. } => {
                let change = height.abs() / unit + ROUNDING;
                f64::from(highest) + change <= f64::from(CEILING)
                    && f64::from(lowest) - change >= f64::from(FLOOR)
            }
            Disturbance::Dam { level, .. } => {
                let crest = (level - self.units.metres(0)) / unit + ROUNDING;
                crest + f64::from(deepest) <= f64::from(CEILING)
            }
            _ => true,
        }
    }

    /// The columns and rows whose bed differs from this one, and their neighbours.
    fn changed_range(&self, bed: &Field<f64, 2>) -> Option<[Range<usize>; 2]> {
        let is_changed = |cell: &[usize; 2]| {
            self.columns.bed[self.columns.tiling.index(*cell)] != self.units.ground(bed[*cell])
        };
        let size = self.grid.cells();
        let mut changed = cells(&self.grid).filter(is_changed);
        let first = changed.next()?;
        let (low, high) = changed.fold((first, first), |(low, high), cell| {
            ([0, 1].map(|axis| low[axis].min(cell[axis])), [0, 1].map(|axis| high[axis].max(cell[axis])))
        });
        Some([0, 1].map(|axis| low[axis].saturating_sub(1)..(high[axis] + 2).min(size[axis])))
    }
}

fn cells(grid: &Grid<2>) -> impl Iterator<Item = [usize; 2]> + use<> {
    let [columns, rows] = grid.cells();
    (0..rows).flat_map(move |y| (0..columns).map(move |x| [x, y]))
}
