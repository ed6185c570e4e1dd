//! The positivity limiter: no column gives more than it has.
//!
//! A column of volume V whose pipes would take out Σ_out > V units gives floor(t V / Σ_out) to each that wanted t. This is
//! computed in whole numbers and depends on no order; what a column receives in the same step is not counted.

use undine_grid::{par, simd};

use super::columns::Columns;
use super::pipe_set::{PipeSet, moved};
use super::tiling::{TILES_PER_TASK, TileRow, Tiling, WIDTH};
use super::visits::Visits;

/// A tile of which no column is limited.
const NO_SLOT: u32 = u32::MAX;

/// Working memory of the limiter, kept from step to step.
#[derive(Debug, Clone, Default)]
pub(super) struct Limiter {
    /// Whether a column of each tile may give more than it has, by an estimate from above.
    suspects: Vec<[bool; TILES_PER_TASK]>,
    /// The tiles with such columns, and where each has its sums.
    limited: Vec<usize>,
    slots: Vec<u32>,
    /// Σ_out of the columns of the limited tiles.
    outgoing: Vec<i64>,
}

impl Limiter {
    pub fn new(tiling: &Tiling) -> Limiter {
        Limiter {
            suspects: vec![[false; TILES_PER_TASK]; tiling.count().div_ceil(TILES_PER_TASK)],
            slots: vec![NO_SLOT; tiling.count()],
            ..Limiter::default()
        }
    }

    /// Bytes held.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.suspects.len() * TILES_PER_TASK
            + 4 * self.slots.len()
            + 8 * (self.limited.capacity() + self.outgoing.capacity())
    }

    /// Reduces the transfers of columns that would give more than they have, and their flows with them.
    pub fn limit(&mut self, sets: &mut [PipeSet], columns: &Columns, visits: &Visits, dt: f64) {
        self.find_suspects(sets, columns, visits);
        self.sum_outgoing(sets, &columns.tiling);
        if self.limited.is_empty() {
            return;
        }
        for set in &mut *sets {
            self.reduce(set, columns, visits, dt as f32);
        }
        for &tile in &self.limited {
            self.slots[tile] = NO_SLOT;
        }
    }

    /// Marks the tiles with a column whose outgoing transfers, estimated from above, are more than its volume.
    fn find_suspects(&mut self, sets: &[PipeSet], columns: &Columns, visits: &Visits) {
        let tiling = &columns.tiling;
        par::for_each_chunk(&mut self.suspects, 1, |first, group| {
            for (index, suspect) in group[0].iter_mut().enumerate() {
                let tile = first * TILES_PER_TASK + index;
                *suspect = tile < tiling.count()
                    && visits.is_touched(tile)
                    && simd::dispatch(
                        #[inline(always)]
                        || may_overdraw(sets, columns, tile),
                    );
            }
        });
    }

    /// Σ_out of every column of the tiles that were marked.
    fn sum_outgoing(&mut self, sets: &[PipeSet], tiling: &Tiling) {
        let suspects = self.suspects.as_flattened();
        self.limited.clear();
        self.limited.extend((0..tiling.count()).filter(|&tile| suspects[tile]));
        for (slot, &tile) in self.limited.iter().enumerate() {
            self.slots[tile] = slot as u32;
        }
        let (length, limited) = (tiling.tile_len(), &self.limited);
        let needed = limited.len() * length;
        if self.outgoing.len() < needed {
            self.outgoing.resize(needed, 0);
        }
        par::for_each_chunk(&mut self.outgoing[..needed], length, |first, sums| {
            let tile = limited[first / length];
            for row in 0..tiling.height() {
                let sums = &mut sums[row * WIDTH..(row + 1) * WIDTH];
                sums.fill(0);
                for set in sets {
                    let (own, opposite) =
                        (set.transfers(tiling, tile, row), set.opposite_transfers(tiling, tile, row));
                    for i in 0..WIDTH {
                        sums[i] += i64::from(moved(-own[i]).max(0)) + i64::from(moved(opposite[i]).max(0));
                    }
                }
            }
        });
    }

    /// Reduces the transfers of one direction whose donors are limited.
    fn reduce(&self, set: &mut PipeSet, columns: &Columns, visits: &Visits, dt: f32) {
        let (tiling, offset) = (&columns.tiling, set.direction.offset);
        let length = tiling.tile_len();
        tiling.for_each(&mut set.values, 2 * length, |tile, values| {
            if !visits.is_touched(tile) || !self.is_near(tiling, tile, offset) {
                return;
            }
            let (flows, transfers) = values.split_at_mut(length);
            let [first, _] = tiling.corner(tile);
            let [_, rows] = tiling.extent(tile);
            for y in rows {
                for lane in 0..WIDTH {
                    let (x, local) = (first + lane, y % tiling.height() * WIDTH + lane);
                    let wanted = i64::from(moved(transfers[local]));
                    if wanted == 0 {
                        continue;
                    }
                    // The donor is the neighbour where water flows into the column
                    let donor = if wanted > 0 { neighbour([x, y], offset) } else { [x, y] };
                    if let Some(given) = self.given(tiling, columns, visits, donor, wanted.abs()) {
                        transfers[local] = whole_at_most(given) * wanted.signum() as f32;
                        flows[local] = transfers[local] / dt;
                    }
                }
            }
        });
    }

    /// Whether a donor of the tile's pipes may be limited.
    fn is_near(&self, tiling: &Tiling, tile: usize, offset: [isize; 2]) -> bool {
        let is_limited = |step: [isize; 2]| {
            tiling.neighbour(tile, step).is_some_and(|beside| self.slots[beside] != NO_SLOT)
        };
        [[0, 0], [offset[0], 0], [0, offset[1]], offset].into_iter().any(is_limited)
    }

    /// What a donor gives of what a pipe wants; `None` when it gives all.
    fn given(
        &self,
        tiling: &Tiling,
        columns: &Columns,
        visits: &Visits,
        donor: [usize; 2],
        wanted: i64,
    ) -> Option<i64> {
        let (index, length) = (tiling.index(donor), tiling.tile_len());
        let tile = index / length;
        let slot = self.slots[tile];
        if slot == NO_SLOT {
            return None;
        }
        let outgoing = self.outgoing[slot as usize * length + index % length];
        let available = available(columns.volume[index], visits.is_awake(tile));
        (outgoing > available)
            .then(|| (i128::from(wanted) * i128::from(available) / i128::from(outgoing)) as i64)
    }
}

/// What a column can give in a step. Sleeping tiles keep half of every column, because what they have given is booked on
/// the tile's account and not yet taken from its columns.
fn available(volume: i32, is_awake: bool) -> i64 {
    i64::from(if is_awake { volume } else { volume / 2 })
}

fn neighbour([x, y]: [usize; 2], offset: [isize; 2]) -> [usize; 2] {
    [x.wrapping_add_signed(offset[0]), y.wrapping_add_signed(offset[1])]
}

/// The greatest number of single precision that is whole and at most `count`.
fn whole_at_most(count: i64) -> f32 {
    let nearest = count as f32;
    if nearest as i64 > count { nearest.next_down() } else { nearest }
}

/// Whether the outgoing transfers of a column in the tile, rounded up, are more than half of its volume.
#[inline(always)]
fn may_overdraw(sets: &[PipeSet], columns: &Columns, tile: usize) -> bool {
    let tiling = &columns.tiling;
    let mut is_overdrawn = false;
    for row in 0..tiling.height() {
        let mut outgoing: TileRow<f32> = [0.0; WIDTH];
        for set in sets {
            let (own, opposite) =
                (set.transfers(tiling, tile, row), set.opposite_transfers(tiling, tile, row));
            for i in 0..WIDTH {
                outgoing[i] += (-own[i]).round_ties_even().max(0.0) + opposite[i].round_ties_even().max(0.0);
            }
        }
        let volume = tiling.row(&columns.volume, tile, row);
        for i in 0..WIDTH {
            is_overdrawn |= outgoing[i] > 0.5 * (volume[i] - 1) as f32;
        }
    }
    is_overdrawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_never_rounded_up() {
        for count in [0, 1, 16_777_217, 16_777_219, 999_999_999, i64::from(i32::MAX)] {
            let whole = whole_at_most(count);
            assert!(whole as i64 <= count && whole.fract() == 0.0);
            assert!(count - (whole as i64) < 128);
        }
    }
}
