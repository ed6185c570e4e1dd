//! Ground that is raised, dug away or dammed while the water runs. Volumes stay, so levels follow the bed.
//!
//! b = b₀ + c, with the bed b₀ of the scene and the change c, which is part of the state. Both are kept for the tiles in
//! which something has changed.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

use undine_grid::par;
use undine_sim::{Disturbance, Reader, Writer};

use super::changes::Changes;
use super::columns::Columns;
use super::tiling::TILES_PER_TASK;
use super::units::{CEILING, FLOOR, Units};
use super::water::Pipes;
use crate::heightfield::GroundShape;

/// Units that rounding may add to a level.
const ROUNDING: f64 = 2.0;

/// The changes of the bed; without one nothing is stored.
#[derive(Default)]
pub(super) struct Ground {
    tiles: BTreeMap<usize, ChangedTile>,
}

/// A tile of which the bed has been changed.
struct ChangedTile {
    /// b₀ in units.
    original: Vec<i32>,
    /// c in metres, not rounded, so that many small changes add up.
    change: Vec<f64>,
}

/// A column of which the bed changes, and its c in metres.
struct ColumnChange {
    cell: [usize; 2],
    change: f64,
}

impl Ground {
    /// b₀ in units and c in metres of a stored column.
    fn at(&self, columns: &Columns, index: usize) -> (i32, f64) {
        let length = columns.tiling.tile_len();
        match self.tiles.get(&(index / length)) {
            Some(tile) => (tile.original[index % length], tile.change[index % length]),
            None => (columns.bed[index], 0.0),
        }
    }

    /// The record of a tile, begun if there is none.
    fn tile(&mut self, columns: &Columns, tile: usize) -> &mut ChangedTile {
        let length = columns.tiling.tile_len();
        self.tiles.entry(tile).or_insert_with(|| ChangedTile {
            original: columns.bed[tile * length..(tile + 1) * length].to_vec(),
            change: vec![0.0; length],
        })
    }

    /// Sets the change of a column, and its bed with it.
    fn set(&mut self, columns: &mut Columns, units: &Units, column: &ColumnChange) {
        let (index, length) = (columns.tiling.index(column.cell), columns.tiling.tile_len());
        let (parts, place) = (self.tile(columns, index / length), index % length);
        parts.change[place] = column.change;
        columns.bed[index] = parts.bed(place, units);
    }

    /// Gives the columns the bed of the scene again.
    pub fn undo(&mut self, columns: &mut Columns) {
        let length = columns.tiling.tile_len();
        for (tile, parts) in std::mem::take(&mut self.tiles) {
            columns.bed[tile * length..(tile + 1) * length].copy_from_slice(&parts.original);
        }
    }

    /// Writes the changes.
    pub fn save(&self, changes: &Changes, to: &mut Writer<'_>) -> io::Result<()> {
        to.records("changed ground", self.tiles.keys().map(|tile| [*tile as u64]))?;
        self.tiles
            .iter()
            .try_for_each(|(tile, parts)| to.tiles("ground change", &parts.change, &[changes.bed[*tile]]))
    }

    /// Restores changes over the bed of the scene, which the columns have.
    pub fn restore(&mut self, from: &mut Reader<'_>, columns: &mut Columns, units: &Units) -> io::Result<()> {
        let (mut tiles, count) = (Vec::new(), columns.tiling.count());
        from.records("changed ground", |[tile]: [u64; 1]| tiles.push(tile))?;
        for tile in tiles {
            let tile = usize::try_from(tile).ok().filter(|tile| *tile < count);
            let tile = tile.ok_or_else(|| {
                io::Error::new(io::ErrorKind::InvalidData, "the saved change of the ground is of other tiles")
            })?;
            let parts = self.tile(columns, tile);
            from.values_into("ground change", &mut parts.change)?;
            let first = tile * parts.change.len();
            for (place, bed) in columns.bed[first..first + parts.change.len()].iter_mut().enumerate() {
                *bed = parts.bed(place, units);
            }
        }
        Ok(())
    }
}

impl ChangedTile {
    /// b = b₀ + c in units.
    fn bed(&self, place: usize, units: &Units) -> i32 {
        let (original, change) = (self.original[place], self.change[place]);
        if change == 0.0 { original } else { units.ground(units.metres(original) + change) }
    }
}

impl Pipes {
    /// Raises, digs away or dams ground. Refused where the disturbance is no change of the ground or lies beside it, where
    /// the ground would rise or fall by more than the longer side of the domain, and where levels would leave the range of
    /// the units.
    pub(super) fn change_ground(&mut self, disturbance: &Disturbance) -> bool {
        let Some(shape) = GroundShape::new(&self.grid, disturbance, || self.lowest_bed()) else {
            return false;
        };
        let Some(new) = self.changed_columns(&shape, disturbance) else { return false };
        let tiling = self.columns.tiling;
        if let Some([columns, rows]) = self.reach(&new) {
            // Tiles wake over the old bed, which their accounts and levels fit
            let tiles: Vec<usize> = tiling.tiles_in(columns, rows).collect();
            self.managed(|water, manager| tiles.iter().for_each(|&tile| manager.wake(water, tile)));
            for column in &new {
                self.ground.set(&mut self.columns, &self.units, column);
            }
            self.changes.note_bed(&tiling, new.iter().map(|column| tiling.tile_of(column.cell)));
            self.lay_curve();
            self.find_lips();
        }
        true
    }

    /// The columns that a shape changes; `None` if one of them would leave its range.
    fn changed_columns(&self, shape: &GroundShape, disturbance: &Disturbance) -> Option<Vec<ColumnChange>> {
        let limit = self.grid.length().into_iter().fold(0.0, f64::max);
        let mut new = Vec::new();
        for cell in cells(shape.cells()) {
            let index = self.columns.tiling.index(cell);
            let (original, before) = self.ground.at(&self.columns, index);
            let change = shape.changed(cell, before, self.units.metres(original));
            // A number that is none is refused too
            let is_within = change.abs() <= limit && self.fits(disturbance, index);
            if !is_within {
                return None;
            }
            if change != before {
                new.push(ColumnChange { cell, change });
            }
        }
        Some(new)
    }

    /// Whether the level of a column stays within the range of the units.
    fn fits(&self, disturbance: &Disturbance, index: usize) -> bool {
        let (bed, level) = (self.columns.bed[index], self.columns.level(index));
        match *disturbance {
            Disturbance::Ground { height, .. } => {
                let change = height.abs() / self.units.unit() + ROUNDING;
                f64::from(level) + change <= f64::from(CEILING) && f64::from(bed) - change >= f64::from(FLOOR)
            }
            Disturbance::Dam { level, .. } => {
                let crest = (level - self.units.metres(0)) / self.units.unit() + ROUNDING;
                crest + f64::from(self.columns.volume[index]) <= f64::from(CEILING)
            }
            _ => true,
        }
    }

    /// The columns and rows of which the bed changes, and their neighbours.
    fn reach(&self, new: &[ColumnChange]) -> Option<[Range<usize>; 2]> {
        let first = new.first()?.cell;
        let (low, high) = new.iter().fold((first, first), |(low, high), ColumnChange { cell, .. }| {
            ([0, 1].map(|axis| low[axis].min(cell[axis])), [0, 1].map(|axis| high[axis].max(cell[axis])))
        });
        let size = self.grid.cells();
        Some([0, 1].map(|axis| low[axis].saturating_sub(1)..(high[axis] + 2).min(size[axis])))
    }

    /// Level of the lowest ground in metres, from which the foot of a dam is found.
    fn lowest_bed(&self) -> f64 {
        let (bed, length) = (&self.columns.bed, self.columns.tiling.tile_len());
        let lowest = |tiles: Range<usize>| {
            bed[tiles.start * length..tiles.end * length].iter().copied().fold(i32::MAX, i32::min)
        };
        let lowest = par::fold(self.columns.tiling.count(), TILES_PER_TASK, lowest, i32::min);
        self.units.metres(lowest.unwrap_or(0))
    }
}

fn cells([columns, rows]: [Range<usize>; 2]) -> impl Iterator<Item = [usize; 2]> {
    rows.flat_map(move |y| columns.clone().map(move |x| [x, y]))
}
