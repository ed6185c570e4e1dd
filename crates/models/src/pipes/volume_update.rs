//! The volumes after a step: v ← v + Σ transfers in − Σ transfers out, in whole units.
//!
//! The same pass finds the tiles with a column that gives more than it has, for the limiter. They are rare: what was moved
//! around them is taken back, which in whole numbers leaves nothing behind, limited, and moved again.

use undine_grid::simd;

use super::columns::Columns;
use super::pipe_set::{PipeSet, moved};
use super::tiling::{TILES_PER_TASK, TileRow, Tiling, WIDTH, row_at, row_at_mut};
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
    /// Whether a column of the tile, which was touched, gave more than it could in the last pass.
    pub is_overdrawn: bool,
}

impl TileSums {
    /// Sums of the columns as they are.
    pub fn of(columns: &Columns, tile: usize) -> TileSums {
        let length = columns.tiling.tile_len();
        let volumes = &columns.volume[tile * length..(tile + 1) * length];
        TileSums {
            total: volumes.iter().map(|&volume| i64::from(volume)).sum(),
            deepest: volumes.iter().copied().max().unwrap_or(0),
            has_crossed: true,
            ..TileSums::default()
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
    update_some_volumes(columns, sets, visits, sums, film, |_| true);
}

/// Like [`update_volumes`], of some tiles only.
pub(super) fn update_some_volumes(
    columns: &mut Columns,
    sets: &[PipeSet],
    visits: &Visits,
    sums: &mut SumsOfTiles,
    film: i32,
    is_chosen: impl Fn(usize) -> bool + Sync,
) {
    let (tiling, length) = (columns.tiling, columns.tiling.tile_len());
    let volumes = [columns.volume.as_mut_slice()];
    tiling.for_each_of_with(visits.groups(), volumes, length, sums, |tile, [volume], sums| {
        if !is_chosen(tile) {
            return;
        }
        if !visits.is_touched(tile) {
            (sums.received, sums.is_overdrawn) = (0, false);
            return;
        }
        simd::dispatch(
            #[inline(always)]
            || {
                let exchange = Exchange::of(&tiling, sets, tile);
                if visits.is_awake(tile) {
                    exchange.apply(&tiling, volume, film, sums);
                } else {
                    exchange.record(&tiling, volume, sums);
                }
            },
        );
    });
}

/// Takes back from the awake ones of some tiles what [`update_volumes`] has moved.
pub(super) fn take_back_volumes(
    columns: &mut Columns,
    sets: &[PipeSet],
    visits: &Visits,
    sums: &mut SumsOfTiles,
    is_chosen: impl Fn(usize) -> bool + Sync,
) {
    let (tiling, length) = (columns.tiling, columns.tiling.tile_len());
    let volumes = [columns.volume.as_mut_slice()];
    tiling.for_each_of_with(visits.groups(), volumes, length, sums, |tile, [volume], sums| {
        if is_chosen(tile) && visits.is_awake(tile) {
            sums.total -= sums.received;
            simd::dispatch(
                #[inline(always)]
                || {
                    let exchange = Exchange::of(&tiling, sets, tile);
                    let moved = exchange.net.as_flattened();
                    volume.iter_mut().zip(moved).for_each(|(volume, moved)| *volume -= moved);
                },
            );
        }
    });
}

/// What the pipes move to and from every column of a tile.
struct Exchange {
    /// Σ in − Σ out.
    net: [TileRow<i32>; WIDTH],
    /// Σ out.
    outgoing: [TileRow<i32>; WIDTH],
}

impl Exchange {
    #[inline(always)]
    fn of(tiling: &Tiling, sets: &[PipeSet], tile: usize) -> Exchange {
        let mut exchange = Exchange { net: [[0; WIDTH]; WIDTH], outgoing: [[0; WIDTH]; WIDTH] };
        let mut moves = Moves { rows: [[0; WIDTH + 2]; WIDTH + 1] };
        for set in sets {
            let [across, along] = set.direction.offset;
            moves.read(tiling, set, tile);
            for row in 0..tiling.height() {
                let own: &TileRow<i32> = row_at(&moves.rows[row], 1);
                let opposite: &TileRow<i32> = row_at(
                    &moves.rows[row.wrapping_add_signed(-along)],
                    1_usize.wrapping_add_signed(-across),
                );
                let (net, outgoing) = (&mut exchange.net[row], &mut exchange.outgoing[row]);
                for i in 0..WIDTH {
                    net[i] += own[i] - opposite[i];
                    outgoing[i] += (-own[i]).max(0) + opposite[i].max(0);
                }
            }
        }
        exchange
    }

    /// Moves it.
    #[inline(always)]
    fn apply(&self, tiling: &Tiling, volume: &mut [i32], film: i32, sums: &mut TileSums) {
        let (mut totals, mut deepest): (TileRow<i64>, TileRow<i32>) = ([0; WIDTH], [0; WIDTH]);
        // Flags as whole numbers, which fill registers like the volumes do
        let (mut crossed, mut overdrawn): (TileRow<i32>, TileRow<i32>) = ([0; WIDTH], [0; WIDTH]);
        for row in 0..tiling.height() {
            let (net, outgoing) = (&self.net[row], &self.outgoing[row]);
            let volume = row_at_mut(volume, row * WIDTH);
            for i in 0..WIDTH {
                let (before, after) = (volume[i], volume[i] + net[i]);
                volume[i] = after;
                overdrawn[i] |= i32::from(outgoing[i] > before);
                crossed[i] |= i32::from((before > film) != (after > film));
                deepest[i] = deepest[i].max(after);
                totals[i] += i64::from(after);
            }
        }
        let (before, total) = (sums.total, totals.iter().sum());
        *sums = TileSums {
            total,
            deepest: deepest.into_iter().max().unwrap_or(0),
            received: total - before,
            has_crossed: sums.has_crossed || crossed.contains(&1),
            is_overdrawn: overdrawn.contains(&1),
        };
    }

    /// Notes what a sleeping tile receives, of which every column keeps half.
    #[inline(always)]
    fn record(&self, tiling: &Tiling, volume: &[i32], sums: &mut TileSums) {
        let received = self.net[..tiling.height()].as_flattened().iter();
        sums.received = received.map(|&units| i64::from(units)).sum();
        let outgoing = self.outgoing.as_flattened().iter();
        sums.is_overdrawn = outgoing.zip(volume).any(|(outgoing, volume)| *outgoing > volume / 2);
    }
}

/// The whole units that the pipes of one direction move: to the columns of a tile, and on its far sides to the columns whose
/// neighbours are in the tile. The column x of row y is at `[y][x + 1]`.
struct Moves {
    rows: [[i32; WIDTH + 2]; WIDTH + 1],
}

impl Moves {
    #[inline(always)]
    fn read(&mut self, tiling: &Tiling, set: &PipeSet, tile: usize) {
        let ([across, along], height) = (set.direction.offset, tiling.height());
        // The column beside the tile that has a pipe from it
        let (outside, edge) = if across < 0 { (WIDTH + 1, 0) } else { (0, WIDTH - 1) };
        for step in 0..=-along {
            let middle = tiling.neighbour(tile, [0, step]);
            let side = if across == 0 { None } else { tiling.neighbour(tile, [-across, step]) };
            for row in 0..if step == 0 { height } else { 1 } {
                let moves = &mut self.rows[row + step as usize * height];
                let inside: &mut TileRow<i32> = row_at_mut(moves, 1);
                match middle {
                    Some(middle) => {
                        let transfers = set.transfers(tiling, middle, row);
                        for i in 0..WIDTH {
                            inside[i] = moved(transfers[i]);
                        }
                    }
                    None => inside.fill(0),
                }
                if across != 0 {
                    moves[outside] = side.map_or(0, |side| moved(set.transfers(tiling, side, row)[edge]));
                }
            }
        }
    }
}
