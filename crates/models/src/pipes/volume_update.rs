//! The volumes after a step: v ← v + Σ transfers in − Σ transfers out, in whole units.

use undine_grid::simd;

use super::columns::Columns;
use super::pipe_set::{PipeSet, moved};
use super::tiling::{TILES_PER_TASK, TileRow, Tiling, WIDTH, row_at_mut};
use super::visits::Visits;

/// What a pass over the columns of a tile has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct TileSums {
    /// Sum of the volumes, in units.
    pub total: i64,
    /// The greatest volume: the deepest column.
    pub deepest: i32,
    /// What the pipes have brought to the tile in the last step, when it was touched.
    pub received: i64,
    /// Whether a column has become wet or dry since `Changes::mark_wet` was called.
    pub has_crossed: bool,
}

impl TileSums {
    /// Sums of the columns as they are.
    pub fn of(columns: &Columns, tile: usize) -> TileSums {
        let length = columns.tiling.tile_len();
        let volumes = &columns.volume[tile * length..(tile + 1) * length];
        TileSums {
            total: volumes.iter().map(|&volume| i64::from(volume)).sum(),
            deepest: volumes.iter().copied().max().unwrap_or(0),
            received: 0,
            has_crossed: true,
        }
    }
}

/// The sums of all tiles, in groups of a task.
pub(super) type SumsOfTiles = Vec<[TileSums; TILES_PER_TASK]>;

/// Moves the transfers of the pipes between the columns of the awake tiles. `film` is the depth above which a column counts
/// as wet. A sleeping tile beside an awake one keeps its columns, and what it received is in its sums.
pub(super) fn update_volumes(
    columns: &mut Columns,
    sets: &[PipeSet],
    visits: &Visits,
    sums: &mut SumsOfTiles,
    film: i32,
) {
    let (tiling, length) = (columns.tiling, columns.tiling.tile_len());
    tiling.for_each_with(&mut columns.volume, length, sums, |tile, volume, sums| {
        if visits.is_awake(tile) {
            *sums = simd::dispatch(
                #[inline(always)]
                || update_tile(&tiling, sets, tile, volume, film, sums.has_crossed),
            );
        } else if visits.is_touched(tile) {
            sums.received =
                (0..tiling.height()).flat_map(|row| net_row(&tiling, sets, tile, row)).map(i64::from).sum();
        } else {
            sums.received = 0;
        }
    });
}

#[inline(always)]
fn update_tile(
    tiling: &Tiling,
    sets: &[PipeSet],
    tile: usize,
    volume: &mut [i32],
    film: i32,
    had_crossed: bool,
) -> TileSums {
    let mut crossed = [had_crossed; WIDTH];
    let (mut deepest, mut totals, mut received): (TileRow<i32>, TileRow<i64>, TileRow<i64>) =
        ([0; WIDTH], [0; WIDTH], [0; WIDTH]);
    for row in 0..tiling.height() {
        let net = net_row(tiling, sets, tile, row);
        let volume = row_at_mut(volume, row * WIDTH);
        for i in 0..WIDTH {
            let before = volume[i];
            volume[i] += net[i];
            crossed[i] |= (before > film) != (volume[i] > film);
            deepest[i] = deepest[i].max(volume[i]);
            totals[i] += i64::from(volume[i]);
            received[i] += i64::from(net[i]);
        }
    }
    TileSums {
        total: totals.iter().sum(),
        deepest: deepest.into_iter().max().unwrap_or(0),
        received: received.iter().sum(),
        has_crossed: crossed.contains(&true),
    }
}

/// What the pipes bring to the columns of a row.
#[inline(always)]
fn net_row(tiling: &Tiling, sets: &[PipeSet], tile: usize, row: usize) -> TileRow<i32> {
    let mut net = [0; WIDTH];
    for set in sets {
        let (own, opposite) = (set.transfers(tiling, tile, row), set.opposite_transfers(tiling, tile, row));
        for i in 0..WIDTH {
            net[i] += moved(own[i]) - moved(opposite[i]);
        }
    }
    net
}
