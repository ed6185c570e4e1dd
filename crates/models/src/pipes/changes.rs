//! What has changed, tile by tile, so that only that is handed out, kept and measured again.
//!
//! A tile has changed in a step when it is awake or beside one that is, when something was added to one of its columns while
//! it slept, and in its wetness while ground dries that was covered.

#[cfg(test)]
mod tests;

use undine_sim::next_stamp;

use super::columns::{Columns, NEVER, STILL_WET};
use super::tiling::{TILES_PER_TASK, Tiling};
use super::visits::Visits;
use super::volume_update::SumsOfTiles;

/// The stamps of the last changes of each tile: equal stamps mean equal bits.
pub(super) struct Changes {
    /// Of volumes and flows, in the tile or along its sides: of all that a column's level and velocity depend on.
    pub water: Vec<u64>,
    /// Of the bed.
    pub bed: Vec<u64>,
    /// Of the wetness and of the last time under water.
    pub wetness: Vec<u64>,
    covers: Vec<[Cover; TILES_PER_TASK]>,
}

/// How much of a tile is covered by water.
#[derive(Debug, Clone, Copy, Default)]
struct Cover {
    /// Whether a column has become wet or dry in this step.
    has_crossed: bool,
    /// Whether ground that was covered is still drying.
    is_drying: bool,
    /// Wet columns.
    wet: u32,
    /// When the last column fell dry.
    dried: f32,
}

/// The thresholds of wetness.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wetting {
    /// Depth in units above which a column counts as wet.
    pub film: i32,
    /// Loss of wetness per second on ground that is not covered.
    pub drying: f64,
    /// Time in seconds.
    pub time: f64,
}

impl Changes {
    /// All tiles have changed.
    pub fn all(tiling: &Tiling) -> Changes {
        let stamps = vec![next_stamp(); tiling.count()];
        let covers = vec![Default::default(); tiling.count().div_ceil(TILES_PER_TASK)];
        Changes { water: stamps.clone(), bed: stamps.clone(), wetness: stamps, covers }
    }

    /// Stamps the tiles whose columns or pipes may have changed since this was last called.
    pub fn note(&mut self, columns: &mut Columns, visits: &mut Visits) {
        let (tiling, stamp) = (columns.tiling, next_stamp());
        for tile in 0..tiling.count() {
            if visits.was_touched(tile) {
                self.water[tile] = stamp;
            }
            // A column that sleeps was changed by itself; velocities beside it depend on its level
            if std::mem::take(&mut columns.changed[tile]) {
                for tile in tiling.around(tile) {
                    self.water[tile] = stamp;
                }
            }
        }
        visits.forget();
    }

    /// Stamps tiles whose bed has changed, and those beside them.
    pub fn note_bed(&mut self, tiling: &Tiling, tiles: impl Iterator<Item = usize>) {
        let stamp = next_stamp();
        for tile in tiles {
            self.bed[tile] = stamp;
            for tile in tiling.around(tile) {
                self.water[tile] = stamp;
            }
        }
    }

    /// Notes in the tiles in which columns have become wet or dry which of them are covered, now, and stamps those whose
    /// wetness has changed.
    pub fn mark_wet(&mut self, columns: &mut Columns, sums: &mut SumsOfTiles, wetting: Wetting) {
        let (tiling, length) = (columns.tiling, columns.tiling.tile_len());
        let (tiles, mut any) = (tiling.count(), false);
        for (cover, sums) in
            self.covers.as_flattened_mut().iter_mut().zip(sums.as_flattened_mut()).take(tiles)
        {
            cover.has_crossed = std::mem::take(&mut sums.has_crossed);
            any |= cover.has_crossed;
        }
        if any {
            let volume = &columns.volume;
            tiling.for_each_with(
                &mut columns.wet_until,
                length,
                &mut self.covers,
                |tile, wet_until, cover| {
                    if cover.has_crossed {
                        let volume = &volume[tile * length..(tile + 1) * length];
                        mark_tile(wet_until, volume, wetting);
                        *cover = Cover { has_crossed: true, ..Cover::of(wet_until, volume, wetting) };
                    }
                },
            );
        }
        let stamp = next_stamp();
        for (cover, own) in self.covers.as_flattened_mut().iter_mut().zip(&mut self.wetness) {
            if cover.has_crossed || cover.is_drying {
                *own = stamp;
                cover.is_drying = wetting.is_drying(cover.dried);
            }
        }
    }

    /// Stamps everything, and counts the columns that are wet as they are.
    pub fn renew(&mut self, columns: &Columns, wetting: Wetting) {
        let (tiling, length) = (columns.tiling, columns.tiling.tile_len());
        let former = std::mem::replace(self, Changes::all(&tiling));
        self.covers = former.covers;
        for (tile, cover) in self.covers.as_flattened_mut().iter_mut().take(tiling.count()).enumerate() {
            let own = tile * length..(tile + 1) * length;
            *cover = Cover::of(&columns.wet_until[own.clone()], &columns.volume[own], wetting);
        }
    }

    /// Columns that hold more than a film.
    pub fn wet_columns(&self) -> u64 {
        self.covers.as_flattened().iter().map(|cover| u64::from(cover.wet)).sum()
    }
}

impl Cover {
    fn of(wet_until: &[f32], volume: &[i32], wetting: Wetting) -> Cover {
        let dried = wet_until.iter().copied().filter(|until| *until != STILL_WET).fold(NEVER, f32::max);
        Cover {
            has_crossed: false,
            is_drying: wetting.is_drying(dried),
            wet: volume.iter().filter(|volume| **volume > wetting.film).count() as u32,
            dried,
        }
    }
}

impl Wetting {
    /// Whether ground that fell dry at a time is still wetter than dry ground.
    fn is_drying(&self, dried: f32) -> bool {
        self.drying > 0.0 && dried > NEVER && 1.0 - self.drying * (self.time - f64::from(dried)) > 0.0
    }
}

/// Notes which columns of a tile are covered.
fn mark_tile(wet_until: &mut [f32], volume: &[i32], wetting: Wetting) {
    for (until, &volume) in wet_until.iter_mut().zip(volume) {
        match (volume > wetting.film, *until == STILL_WET) {
            (true, false) => *until = STILL_WET,
            (false, true) => *until = wetting.time as f32,
            _ => {}
        }
    }
}
