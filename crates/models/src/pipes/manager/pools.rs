//! Pools: still water that is set to one whole level when all of it is asleep.
//!
//! A pool is a set of wet columns joined by wet pipes, in sleeping tiles, whose levels differ from that of its seed by no
//! more than the calm band allows. Films on the shore do not belong to it; water that a river runs into or out of is no
//! pool. Its volume, with the accounts of its tiles, is set to one level; units left over go to its first columns, so that the total is exact and
//! levels differ by one unit at most. What it takes in later raises the level by another pass. Dry ground below the new
//! level joins the pool; ground below the old level lies beyond a sill, and its tile wakes.

use super::super::pipe_set::PipeSet;
use super::super::tiling::{Tiling, WIDTH};
use super::ManagedWater;

/// Water beyond the spread that is no deeper than this many films clings to the shore; deeper, it is a river.
const FILMS: i32 = 10;

/// Columns of a pool for which memory is kept from search to search.
const MOST_COLUMNS: usize = 1 << 16;

/// Working memory of the search, kept from pass to pass.
#[derive(Debug, Clone, Default)]
pub(super) struct Pools {
    /// Whether each stored column belongs to the pool: a bit of a word of 32.
    found: Vec<u32>,
    pass: u32,
    /// The columns of the pool, and the tiles that they lie in.
    columns: Vec<[u32; 2]>,
    tiles: Vec<usize>,
    /// The pass in which each tile was last found.
    found_tiles: Vec<u32>,
}

/// What has become of a pool.
pub(super) enum Levelling {
    /// The columns are no pool: some are awake, water flows, or what is on an account may belong to other water.
    NoPool,
    /// It was levelled. The tiles beyond a sill that it has reached.
    Level(Vec<usize>),
}

impl Pools {
    /// Levels the pool that holds the deepest column of a sleeping tile, and the accounts of its tiles with it. `spread` is
    /// the greatest difference from the level of that column.
    pub fn level(
        &mut self,
        water: &mut ManagedWater<'_>,
        tile: usize,
        accounts: &mut [i64],
        spread: i32,
    ) -> Levelling {
        let tiling = water.columns.tiling;
        self.found.resize(tiling.stored().div_ceil(32), 0);
        self.found_tiles.resize(tiling.count(), 0);
        let [columns, rows] = tiling.extent(tile);
        let cells = rows.flat_map(|y| columns.clone().map(move |x| [x, y]));
        let Some(seed) = cells.max_by_key(|&cell| water.columns.volume[tiling.index(cell)]) else {
            return Levelling::NoPool;
        };
        if water.columns.volume[tiling.index(seed)] <= water.film {
            return Levelling::NoPool;
        }
        let Some(highest) = self.gather(water, seed, spread) else {
            return self.finish(&tiling, Levelling::NoPool);
        };
        if self.tiles.iter().any(|&tile| accounts[tile] != 0 && self.has_other_water(water, tile)) {
            return self.finish(&tiling, Levelling::NoPool);
        }
        let mut spills = Vec::new();
        self.fill(water, accounts, highest, &mut spills);
        self.finish(&tiling, Levelling::Level(spills))
    }

    /// Forgets the columns; the memory of very many is given back.
    fn finish(&mut self, tiling: &Tiling, outcome: Levelling) -> Levelling {
        for cell in &self.columns {
            self.found[tiling.index(cell.map(|x| x as usize)) / 32] = 0;
        }
        self.columns.clear();
        self.columns.shrink_to(MOST_COLUMNS);
        outcome
    }

    /// Whether a tile of the pool holds other water as well, to which what is on its account may belong.
    fn has_other_water(&self, water: &ManagedWater<'_>, tile: usize) -> bool {
        let length = water.columns.tiling.tile_len();
        let is_other =
            |index: usize| water.columns.volume[index] > FILMS * water.film && !self.has_column(index);
        (tile * length..(tile + 1) * length).any(is_other)
    }

    /// Finds the columns of the pool of a column; answers their highest level, or nothing when one of them is awake or
    /// a river joins them.
    fn gather(&mut self, water: &ManagedWater<'_>, seed: [usize; 2], spread: i32) -> Option<i32> {
        let tiling = water.columns.tiling;
        self.begin();
        self.take(&tiling, seed);
        let middle = water.columns.level(tiling.index(seed));
        let (mut next, mut highest) = (0, middle);
        while next < self.columns.len() {
            let cell = self.columns[next].map(|x| x as usize);
            next += 1;
            if water.visits.is_awake(tiling.tile_of(cell)) {
                return None;
            }
            let own = tiling.index(cell);
            highest = highest.max(water.columns.level(own));
            for beside in neighbours(water, cell) {
                let index = tiling.index(beside);
                let (level, volume) = (water.columns.level(index), water.columns.volume[index]);
                let sill = water.columns.bed[index].max(water.columns.bed[own]);
                let is_joined = volume > 0 && level.max(water.columns.level(own)) > sill;
                if !is_joined || self.has_column(index) {
                    continue;
                }
                if (level - middle).abs() <= spread {
                    self.take(&tiling, beside);
                } else if volume > FILMS * water.film {
                    return None;
                }
            }
        }
        Some(highest)
    }

    /// The tiles of the last pool.
    pub fn tiles(&self) -> &[usize] {
        &self.tiles
    }

    /// Whether a tile holds a column of the last pool.
    pub fn has_tile(&self, tile: usize) -> bool {
        self.found_tiles[tile] == self.pass
    }

    /// Bytes held.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        4 * (self.found.capacity() + self.found_tiles.capacity())
            + 8 * (self.columns.capacity() + self.tiles.capacity())
    }

    /// Whether a stored column belongs to the pool.
    fn has_column(&self, index: usize) -> bool {
        self.found[index / 32] >> (index % 32) & 1 != 0
    }

    /// Begins a new set of columns.
    fn begin(&mut self) {
        self.pass += 1;
        self.tiles.clear();
    }

    fn take(&mut self, tiling: &Tiling, cell: [usize; 2]) {
        let index = tiling.index(cell);
        self.found[index / 32] |= 1 << (index % 32);
        self.columns.push(cell.map(|x| x as u32));
        let tile = tiling.tile_of(cell);
        if self.found_tiles[tile] != self.pass {
            self.found_tiles[tile] = self.pass;
            self.tiles.push(tile);
        }
    }

    /// Sets the columns, and the dry ground that they flood, to one level. `old` is the highest level so far.
    fn fill(
        &mut self,
        water: &mut ManagedWater<'_>,
        accounts: &mut [i64],
        old: i32,
        spills: &mut Vec<usize>,
    ) {
        let tiling = water.columns.tiling;
        let index = |cell: &[u32; 2]| tiling.index(cell.map(|x| x as usize));
        let mut total: i64 =
            self.columns.iter().map(|cell| i64::from(water.columns.volume[index(cell)])).sum();
        for &tile in &self.tiles {
            total += std::mem::take(&mut accounts[tile]);
        }
        let mut checked = 0;
        let mut level = self.level_of(&water.columns.bed, &tiling, total);
        while checked < self.columns.len() {
            let cell = self.columns[checked].map(|x| x as usize);
            checked += 1;
            for beside in neighbours(water, cell) {
                let (index, tile) = (tiling.index(beside), tiling.tile_of(beside));
                let bed = water.columns.bed[index];
                let is_film = water.columns.volume[index] > 0;
                if self.has_column(index) || bed >= level || is_film {
                    continue;
                }
                // Water that stands below the pool, or ground beyond a sill
                if bed < old || water.visits.is_awake(tile) {
                    spills.push(tile);
                } else {
                    self.take(&tiling, beside);
                    total += std::mem::take(&mut accounts[tile]);
                    level = self.level_of(&water.columns.bed, &tiling, total);
                }
            }
        }
        self.set(water, accounts, level, total);
    }

    /// The greatest level at which the columns hold no more than `total` units.
    fn level_of(&self, bed: &[i32], tiling: &Tiling, total: i64) -> i32 {
        let beds = || self.columns.iter().map(|cell| bed[tiling.index(cell.map(|x| x as usize))]);
        let held = |level: i32| -> i64 { beds().map(|bed| i64::from((level - bed).max(0))).sum() };
        let (mut low, mut high) = (beds().min().unwrap_or(0), super::super::units::CEILING);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if held(middle) <= total { low = middle } else { high = middle }
        }
        low
    }

    /// Sets every column to the level; what is left goes to the first of them, a unit each.
    fn set(&mut self, water: &mut ManagedWater<'_>, accounts: &mut [i64], level: i32, total: i64) {
        let tiling = water.columns.tiling;
        let mut left = total;
        for cell in &self.columns {
            left -= i64::from((level - water.columns.bed[tiling.index(cell.map(|x| x as usize))]).max(0));
        }
        for cell in &self.columns {
            let cell = cell.map(|x| x as usize);
            let index = tiling.index(cell);
            let depth = level - water.columns.bed[index];
            let extra = i32::from(left > 0 && depth >= 0);
            left -= i64::from(extra);
            let change = depth.max(0) + extra - water.columns.volume[index];
            water.columns.add(index, change, water.film, water.sums);
            still(water.sets, &tiling, cell);
        }
        // Without a column to take it, in the first tile's account
        accounts[self.tiles[0]] += left;
    }
}

/// Whether the water in a tile, but for films, lies in several places that no wet pipes in the tile join.
pub(super) fn are_several(water: &ManagedWater<'_>, tile: usize) -> bool {
    let tiling = water.columns.tiling;
    let [columns, rows] = tiling.extent(tile);
    let place = |[x, y]: [usize; 2]| (y - rows.start) * columns.len() + x - columns.start;
    let is_deep = |cell| water.columns.volume[tiling.index(cell)] > FILMS * water.film;
    let cells =
        || rows.clone().flat_map(|y| columns.clone().map(move |x| [x, y])).filter(|&cell| is_deep(cell));
    let Some(seed) = cells().next() else { return false };
    // Flood the first place from column to column
    let mut found = [false; WIDTH * WIDTH];
    let mut next = Vec::with_capacity(WIDTH);
    found[place(seed)] = true;
    next.push(seed);
    while let Some(cell) = next.pop() {
        let own = tiling.index(cell);
        for beside in neighbours(water, cell) {
            let index = tiling.index(beside);
            let sill = water.columns.bed[index].max(water.columns.bed[own]);
            let is_joined = water.columns.level(index).max(water.columns.level(own)) > sill;
            if tiling.tile_of(beside) == tile && is_joined && is_deep(beside) && !found[place(beside)] {
                found[place(beside)] = true;
                next.push(beside);
            }
        }
    }
    cells().any(|cell| !found[place(cell)])
}

/// The columns to which a column has pipes.
fn neighbours(water: &ManagedWater<'_>, cell: [usize; 2]) -> impl Iterator<Item = [usize; 2]> + use<> {
    let tiling = water.columns.tiling;
    let mut offsets = [[0; 2]; 8];
    let count = 2 * water.sets.len();
    for (pair, set) in offsets.chunks_exact_mut(2).zip(&*water.sets) {
        pair.copy_from_slice(&[set.direction.offset, set.direction.opposite()]);
    }
    offsets.into_iter().take(count).filter_map(move |offset| tiling.beside(cell, offset))
}

/// Stops the flow in the pipes of a column.
fn still(sets: &mut [PipeSet], tiling: &Tiling, cell: [usize; 2]) {
    for set in sets {
        let own = Some(cell);
        for cell in [own, tiling.beside(cell, set.direction.opposite())].into_iter().flatten() {
            let flow = PipeSet::flow_index(tiling, tiling.index(cell));
            set.values[flow] = 0.0;
            set.values[flow + tiling.tile_len()] = 0.0;
        }
    }
}
