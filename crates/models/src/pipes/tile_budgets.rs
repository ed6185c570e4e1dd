//! Momentum and energy, tile by tile: tiles that have not changed keep theirs.

use std::ops::Range;
use std::sync::Mutex;

use undine_grid::par;

use super::tiling::{TILES_PER_TASK, Tiling};
use super::water::Pipes;

/// Momentum along x and y, twice the kinetic and twice the potential energy, per unit of mass.
pub(super) type BudgetSums = [f64; 4];

/// The sums of the tiles, as they were last taken.
pub(super) struct TileBudgets(Mutex<Vec<[TileBudget; TILES_PER_TASK]>>);

#[derive(Debug, Clone, Copy, Default)]
struct TileBudget {
    /// Stamp of the water for which the sums were taken: the bed does not change without it.
    stamp: u64,
    sums: BudgetSums,
}

impl TileBudgets {
    pub fn new(tiling: &Tiling) -> TileBudgets {
        TileBudgets(Mutex::new(vec![Default::default(); tiling.count().div_ceil(TILES_PER_TASK)]))
    }
}

impl Pipes {
    /// The sums over all tiles.
    pub(super) fn budget_sums(&self) -> BudgetSums {
        let Ok(mut known) = self.budgets.0.try_lock() else {
            // Another thread takes them at this moment
            return self.sum_tiles(|tile| self.tile_sums(tile));
        };
        par::for_each_chunk(&mut known, 1, |first, group| {
            for (tile, known) in (first * TILES_PER_TASK..).zip(&mut group[0]) {
                let stamp = self.changes.water.get(tile).copied().unwrap_or(known.stamp);
                if known.stamp != stamp {
                    *known = TileBudget { stamp, sums: self.tile_sums(tile) };
                }
            }
        });
        let known = known.as_flattened();
        self.sum_tiles(|tile| known[tile].sums)
    }

    /// Adds up the sums of all tiles, always in the same order.
    fn sum_tiles(&self, of_tile: impl Fn(usize) -> BudgetSums + Sync) -> BudgetSums {
        let add = |a: BudgetSums, b: BudgetSums| std::array::from_fn(|index| a[index] + b[index]);
        let part = |tiles: Range<usize>| tiles.map(&of_tile).fold([0.0; 4], add);
        par::fold(self.columns.tiling.count(), TILES_PER_TASK, part, add).unwrap_or_default()
    }

    fn tile_sums(&self, tile: usize) -> BudgetSums {
        let [columns, rows] = self.columns.tiling.extent(tile);
        let mut sums = [0.0; 4];
        for cell in rows.flat_map(|y| columns.clone().map(move |x| [x, y])) {
            let (depth, velocity) = (self.depth_in(cell), self.velocity_in(cell));
            let bed = self.bed_in(cell) - self.still_level;
            sums[0] += depth * velocity.x;
            sums[1] += depth * velocity.y;
            sums[2] += depth * velocity.length_squared();
            sums[3] += (bed + depth).powi(2) - bed.max(0.0).powi(2);
        }
        sums
    }
}
