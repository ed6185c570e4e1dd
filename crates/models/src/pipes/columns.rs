//! The columns of water: bed and volume in whole units, and when each was last covered.

use undine_grid::Field;

use super::tiling::{TILES_PER_TASK, Tiling};
use super::units::{CEILING, Units};
use super::volume_update::SumsOfTiles;

/// A column that was never covered.
pub(super) const NEVER: f32 = f32::NEG_INFINITY;

/// A column that is covered.
pub(super) const STILL_WET: f32 = f32::INFINITY;

/// Bed, volume and last time under water of every column, in the order of the tiles.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Columns {
    pub tiling: Tiling,
    /// Level of the ground in units above the datum; the ceiling in the padding.
    pub bed: Vec<i32>,
    /// Volume in units, which is also the depth.
    pub volume: Vec<i32>,
    /// Time in seconds until which the column was covered: infinite while it is.
    pub wet_until: Vec<f32>,
    /// Whether units were added to a column of each tile by itself, since its changes were last noted.
    pub changed: Vec<bool>,
}

impl Columns {
    /// Columns over a bed, with the water that stands on it.
    pub fn new(bed: &Field<f64, 2>, depth: &Field<f64, 2>, units: &Units) -> Columns {
        let tiling = Tiling::new(bed.grid().cells());
        let mut columns = Columns {
            bed: vec![CEILING; tiling.stored()],
            volume: vec![0; tiling.stored()],
            wet_until: vec![NEVER; tiling.stored()],
            changed: vec![false; tiling.count()],
            tiling,
        };
        for (cell, z) in bed.iter() {
            let (index, level) = (tiling.index(cell), units.level(z));
            columns.bed[index] = level;
            // A dry column stays dry, whatever rounding says
            if depth[cell] > 0.0 {
                columns.volume[index] = (units.level(z + depth[cell]) - level).max(0);
            }
        }
        columns
    }

    /// The wetness of a stored column: 1 under water, falling by `drying` per second when it is dry.
    pub fn wetness(&self, index: usize, drying: f64, time: f64) -> f32 {
        let dry_for = time - f64::from(self.wet_until[index]);
        if dry_for <= 0.0 { 1.0 } else { (1.0 - drying * dry_for).max(0.0) as f32 }
    }

    /// h = b + v of a stored column, in units.
    pub fn level(&self, index: usize) -> i32 {
        self.bed[index] + self.volume[index]
    }

    /// The most that a stored column can still take in.
    pub fn headroom(&self, index: usize) -> i32 {
        CEILING - self.level(index)
    }

    /// Adds units to a stored column, or takes them when negative, within what it holds and its headroom.
    pub fn add(&mut self, index: usize, units: i32, film: i32, sums: &mut SumsOfTiles) {
        let before = self.volume[index];
        let after = before + units;
        self.volume[index] = after;
        let tile = index / self.tiling.tile_len();
        self.changed[tile] = true;
        let sums = &mut sums[tile / TILES_PER_TASK][tile % TILES_PER_TASK];
        sums.total += i64::from(units);
        sums.deepest = sums.deepest.max(after);
        sums.has_crossed |= (before > film) != (after > film);
    }

    /// Sum of all volumes, in units.
    pub fn total(&self) -> i128 {
        self.volume.iter().map(|&volume| i128::from(volume)).sum()
    }
}
