//! Which tiles a step visits: the manager decides, the step obeys.

use std::ops::Range;

use super::tiling::{TILES_PER_TASK, Tiling, WIDTH};

/// The tiles that are awake, and those that touch them.
///
/// A step computes every pipe that leads to a column of an awake tile, and changes the columns of awake tiles. What
/// reaches a sleeping tile is its manager's to keep.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Visits {
    awake: Vec<bool>,
    /// Awake, or beside an awake tile.
    touched: Vec<bool>,
    /// The groups of a task's tiles with one that is touched, in order.
    groups: Vec<usize>,
    /// Touched at any time since [`forget`](Visits::forget).
    recent: Vec<bool>,
    /// How often a tile was woken or put to sleep since [`take_changes`](Visits::take_changes).
    changes: u64,
}

impl Visits {
    /// All tiles.
    pub fn all(tiling: &Tiling) -> Visits {
        let every = vec![true; tiling.count()];
        Visits {
            awake: every.clone(),
            touched: every.clone(),
            groups: (0..tiling.count().div_ceil(TILES_PER_TASK)).collect(),
            recent: every,
            changes: 0,
        }
    }

    pub fn is_awake(&self, tile: usize) -> bool {
        self.awake[tile]
    }

    /// Whether a pipe of the tile leads to a column that is awake.
    pub fn is_touched(&self, tile: usize) -> bool {
        self.touched[tile]
    }

    /// Wakes a tile, or puts it to sleep.
    pub fn set_awake(&mut self, tiling: &Tiling, tile: usize, is_awake: bool) {
        self.changes += u64::from(self.awake[tile] != is_awake);
        self.awake[tile] = is_awake;
        for tile in tiling.around(tile) {
            self.touched[tile] = tiling.around(tile).any(|tile| self.awake[tile]);
            self.recent[tile] |= self.touched[tile];
            self.list(tile / TILES_PER_TASK);
        }
    }

    /// Keeps a group in the list while it has a tile that is touched.
    fn list(&mut self, group: usize) {
        let end = self.touched.len().min((group + 1) * TILES_PER_TASK);
        let is_touched = self.touched[group * TILES_PER_TASK..end].contains(&true);
        match (is_touched, self.groups.binary_search(&group)) {
            (true, Err(place)) => self.groups.insert(place, group),
            (false, Ok(place)) => {
                self.groups.remove(place);
            }
            _ => {}
        }
    }

    /// The tiles that are touched, in order.
    pub fn touched(&self) -> impl Iterator<Item = usize> {
        let tiles = |&group: &usize| group * TILES_PER_TASK..(group + 1) * TILES_PER_TASK;
        self.groups.iter().flat_map(tiles).filter(|&tile| self.touched.get(tile) == Some(&true))
    }

    /// The groups of tiles with one that is touched, in order.
    pub fn groups(&self) -> &[usize] {
        &self.groups
    }

    /// Whether a pipe of the tile has led to a column that was awake since [`forget`](Visits::forget).
    pub fn was_touched(&self, tile: usize) -> bool {
        self.recent[tile]
    }

    /// Forgets which tiles were touched before.
    pub fn forget(&mut self) {
        self.recent.copy_from_slice(&self.touched);
    }

    /// Number of tiles that are awake.
    pub fn awake_count(&self) -> usize {
        self.awake.iter().filter(|awake| **awake).count()
    }

    /// How often a tile was woken or put to sleep since this was last asked.
    pub fn take_changes(&mut self) -> u64 {
        std::mem::take(&mut self.changes)
    }

    /// The pipes of a row, from the neighbours at `offset`, that are visited.
    #[inline(always)]
    pub fn lanes(&self, tiling: &Tiling, tile: usize, row: usize, offset: [isize; 2]) -> Range<usize> {
        if self.awake[tile] {
            return 0..WIDTH;
        }
        let tile_row = (row as isize + offset[1]).div_euclid(tiling.height() as isize);
        let is_awake = |column: isize| {
            tiling.neighbour(tile, [column, tile_row]).is_some_and(|beside| self.awake[beside])
        };
        let (middle, edge) = (is_awake(0), offset[0] != 0 && is_awake(offset[0]));
        match (offset[0], middle, edge) {
            (0, true, _) | (_, true, true) => 0..WIDTH,
            (-1, true, false) => 1..WIDTH,
            (-1, false, true) => 0..1,
            (1, true, false) => 0..WIDTH - 1,
            (1, false, true) => WIDTH - 1..WIDTH,
            _ => 0..0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_those_of_the_touched_tiles() {
        let tiling = Tiling::new([700, 500]);
        let mut visits = Visits::all(&tiling);
        let mut number = 1_u64;
        for turn in 0..4000 {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Mostly to sleep, then mostly awake
            let is_awake = (number >> 40) % 10 < if turn < 2500 { 1 } else { 7 };
            visits.set_awake(&tiling, (number >> 20) as usize % tiling.count(), is_awake);
            if turn % 100 == 0 {
                let touched = || (0..tiling.count()).filter(|&tile| visits.is_touched(tile));
                assert!(visits.touched().eq(touched()));
                let mut groups: Vec<usize> = touched().map(|tile| tile / TILES_PER_TASK).collect();
                groups.dedup();
                assert_eq!(visits.groups(), groups);
            }
        }
    }
}
