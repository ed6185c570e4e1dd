//! The positivity limiter: no column gives more than it has.
//!
//! A column of volume V whose pipes would take out Σ_out > V units gives floor(t V / Σ_out) to each that wanted t. This is
//! computed in whole numbers and depends on no order; what a column receives in the same step is not counted.

use undine_grid::par;

use super::columns::Columns;
use super::pipe_set::{PipeSet, moved};
use super::tiling::{TILES_PER_TASK, Tiling, WIDTH};
use super::visits::Visits;
use super::volume_update::{SumsOfTiles, take_back_volumes, update_some_volumes};

/// A tile of which no column is limited.
const NO_SLOT: u32 = u32::MAX;

/// Working memory of the limiter, kept from step to step.
#[derive(Debug, Clone, Default)]
pub(super) struct Limiter {
    /// The tiles with a column that gave more than it has, and where each has its sums.
    limited: Vec<usize>,
    slots: Vec<u32>,
    /// Whether a tile, or one beside it, is limited.
    is_near: Vec<bool>,
    /// Σ_out of the columns of the limited tiles.
    outgoing: Vec<i64>,
}

impl Limiter {
    pub fn new(tiling: &Tiling) -> Limiter {
        Limiter {
            slots: vec![NO_SLOT; tiling.count()],
            is_near: vec![false; tiling.count()],
            ..Limiter::default()
        }
    }

    /// Bytes held.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        4 * self.slots.len() + self.is_near.len() + 8 * (self.limited.capacity() + self.outgoing.capacity())
    }

    /// Reduces the transfers of columns that gave more than they have, their flows with them, and moves what is left.
    pub fn limit(
        &mut self,
        sets: &mut [PipeSet],
        columns: &mut Columns,
        visits: &Visits,
        sums: &mut SumsOfTiles,
        film: i32,
        dt: f64,
    ) {
        let tiling = columns.tiling;
        let is_overdrawn = |tile: &usize| sums[tile / TILES_PER_TASK][tile % TILES_PER_TASK].is_overdrawn;
        self.limited.clear();
        self.limited.extend(visits.touched().filter(is_overdrawn));
        if self.limited.is_empty() {
            return;
        }
        self.mark(&tiling, true);
        take_back_volumes(columns, sets, visits, sums, |tile| self.is_near[tile]);
        self.sum_outgoing(sets, &tiling);
        for set in &mut *sets {
            self.reduce(set, columns, visits, dt as f32);
        }
        update_some_volumes(columns, sets, visits, sums, film, |tile| self.is_near[tile]);
        self.mark(&tiling, false);
    }

    /// Gives the limited tiles their places, or takes them away.
    fn mark(&mut self, tiling: &Tiling, is_limited: bool) {
        for (slot, &tile) in self.limited.iter().enumerate() {
            self.slots[tile] = if is_limited { slot as u32 } else { NO_SLOT };
            tiling.around(tile).for_each(|tile| self.is_near[tile] = is_limited);
        }
    }

    /// Σ_out of every column of the limited tiles.
    fn sum_outgoing(&mut self, sets: &[PipeSet], tiling: &Tiling) {
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
        let values = [set.values.as_mut_slice()];
        tiling.for_each_of(visits.groups(), values, 2 * length, |tile, [values]| {
            if !visits.is_touched(tile) || !self.is_near[tile] {
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
pub(super) fn whole_at_most(count: i64) -> f32 {
    let nearest = count as f32;
    if nearest as i64 > count { nearest.next_down() } else { nearest }
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
