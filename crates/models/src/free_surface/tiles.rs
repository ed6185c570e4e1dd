//! Tiles of 8 cells along each axis, and the order of particles in memory.
//!
//! A counting sort by tile and cell once per step makes the particles of a tile, and of a cell, contiguous. Tiles are
//! the unit of parallel work on particles. Scatter to the grid is free of races: a tile adds into a block of its own,
//! as large as the tile plus a halo for the support of its particles; rows of the grid then gather from the blocks
//! around them in a fixed order. So no two tasks write to the same place, and sums are the same for any number of
//! threads.

use undine_grid::{Grid, par};

use super::particles::Particles;

/// Cells along the edge of a tile.
pub(crate) const TILE_EDGE: usize = 8;
/// No block, or no cell.
const NONE: u32 = u32::MAX;
/// Particles per parallel task.
const CHUNK: usize = 1 << 14;

/// The particles of each tile and cell.
#[derive(Debug)]
pub(crate) struct ParticleTiles<const D: usize> {
    cells: [usize; D],
    /// Tiles along each axis.
    tiles_per_axis: [usize; D],
    /// First particle of every cell, tile after tile; one more at the end.
    cell_starts: Vec<u32>,
    /// Tiles that have particles, in order.
    active: Vec<u32>,
    /// Index of each tile in `active`.
    block: Vec<u32>,
    keys: Vec<u32>,
    order: Vec<u32>,
}

impl<const D: usize> ParticleTiles<D> {
    /// The tiles of a grid, all empty.
    pub fn new(grid: &Grid<D>) -> Self {
        let cells = grid.cells();
        let tiles_per_axis = cells.map(|count| count.div_ceil(TILE_EDGE));
        let count: usize = tiles_per_axis.iter().product();
        ParticleTiles {
            cells,
            tiles_per_axis,
            cell_starts: vec![0; count * Self::CELLS + 1],
            active: Vec::new(),
            block: vec![NONE; count],
            keys: Vec::new(),
            order: Vec::new(),
        }
    }

    /// Cells of a tile.
    const CELLS: usize = TILE_EDGE.pow(D as u32);

    /// Sorts particles by tile and cell; `scratch` is memory of the same kind. Removed particles are dropped.
    pub fn sort(&mut self, particles: &mut Particles<D>, scratch: &mut Particles<D>) {
        self.count(particles);
        self.reorder(particles, scratch);
    }

    /// The first half of a sort: counts the particles of every cell. Until [`ParticleTiles::reorder`] has done the
    /// other half, only [`ParticleTiles::counted`] is valid, and particles may be added and dropped by cells.
    pub fn count(&mut self, particles: &Particles<D>) {
        self.compute_keys(particles);
        self.cell_starts.fill(0);
        for &key in &self.keys {
            if key != NONE {
                self.cell_starts[key as usize] += 1;
            }
        }
    }

    /// The number of particles counted in a cell.
    #[inline]
    pub fn counted(&self, cell: [usize; D]) -> u32 {
        self.cell_starts[key_of_cell(cell, self.tiles_per_axis)]
    }

    /// Counts a particle that was pushed since.
    pub fn add_count(&mut self, cell: [usize; D]) {
        let key = key_of_cell(cell, self.tiles_per_axis);
        self.keys.push(key as u32);
        self.cell_starts[key] += 1;
    }

    /// Drops the counted particles of all cells for which `is_dropped` is true. Returns their number.
    pub fn drop_cells(&mut self, is_dropped: impl Fn([usize; D]) -> bool + Sync) -> usize {
        let tiles_per_axis = self.tiles_per_axis;
        par::for_each_chunk(&mut self.keys, CHUNK, |_, keys| {
            for key in keys.iter_mut().filter(|key| **key != NONE) {
                if is_dropped(cell_of_key(*key as usize, tiles_per_axis)) {
                    *key = NONE;
                }
            }
        });
        let mut dropped = 0;
        for (key, count) in self.cell_starts.iter_mut().enumerate().filter(|(_, count)| **count > 0) {
            if is_dropped(cell_of_key(key, tiles_per_axis)) {
                dropped += std::mem::take(count) as usize;
            }
        }
        dropped
    }

    /// Drops particles from every cell that has more than `max`, down to that. Returns the number dropped.
    pub fn limit_per_cell(&mut self, max: u32) -> usize {
        let mut dropped = 0;
        for key in self.keys.iter_mut().filter(|key| **key != NONE) {
            let count = &mut self.cell_starts[*key as usize];
            if *count > max {
                *count -= 1;
                *key = NONE;
                dropped += 1;
            }
        }
        dropped
    }

    /// The second half of a sort: puts the particles that were counted in order.
    pub fn reorder(&mut self, particles: &mut Particles<D>, scratch: &mut Particles<D>) {
        // Counts to first indices
        let mut before = 0;
        for start in &mut self.cell_starts {
            before += std::mem::replace(start, before);
        }
        self.order.resize(before as usize, 0);
        for (index, &key) in self.keys.iter().enumerate() {
            if key != NONE {
                let next = &mut self.cell_starts[key as usize];
                self.order[*next as usize] = index as u32;
                *next += 1;
            }
        }
        // Every start has advanced to that of the next cell
        self.cell_starts.rotate_right(1);
        self.cell_starts[0] = 0;
        scratch.reorder_from(particles, &self.order);
        std::mem::swap(particles, scratch);
        self.list_active();
    }

    fn compute_keys(&mut self, particles: &Particles<D>) {
        self.keys.resize(particles.len(), 0);
        let (cells, tiles_per_axis) = (self.cells, self.tiles_per_axis);
        par::for_each_chunk(&mut self.keys, CHUNK, |first, keys| {
            for (offset, key) in keys.iter_mut().enumerate() {
                let point = particles.position_of(first + offset);
                *key = match point[0].is_nan() {
                    true => NONE,
                    false => key_of_cell(cell_of(point, cells), tiles_per_axis) as u32,
                };
            }
        });
    }

    fn list_active(&mut self) {
        self.active.clear();
        for tile in 0..self.block.len() {
            let is_empty = self.range(tile).is_empty();
            self.block[tile] = if is_empty { NONE } else { self.active.len() as u32 };
            if !is_empty {
                self.active.push(tile as u32);
            }
        }
    }

    /// Tiles that have particles.
    pub fn active(&self) -> &[u32] {
        &self.active
    }

    /// Particles of a tile.
    pub fn range(&self, tile: usize) -> std::ops::Range<usize> {
        self.cell_starts[tile * Self::CELLS] as usize..self.cell_starts[(tile + 1) * Self::CELLS] as usize
    }

    /// Particles of a cell.
    #[inline]
    pub fn particles_in(&self, cell: [usize; D]) -> std::ops::Range<usize> {
        let key = key_of_cell(cell, self.tiles_per_axis);
        self.cell_starts[key] as usize..self.cell_starts[key + 1] as usize
    }

    /// The first particles of the cells along x from `cell`, whose x is a multiple of [`TILE_EDGE`], to the end of its
    /// tile, and of the cell after.
    #[inline]
    pub fn row_starts(&self, cell: [usize; D]) -> &[u32] {
        let key = key_of_cell(cell, self.tiles_per_axis);
        &self.cell_starts[key..key + TILE_EDGE + 1]
    }

    /// Calls `work` with the particles of `count` cells along x from `cell` on, in one range per tile.
    #[inline(always)]
    pub fn for_each_range(
        &self,
        cell: [usize; D],
        count: usize,
        mut work: impl FnMut(std::ops::Range<usize>),
    ) {
        let (mut from, mut left) = (cell, count);
        while left > 0 {
            let here = left.min(TILE_EDGE - from[0] % TILE_EDGE);
            let key = key_of_cell(from, self.tiles_per_axis);
            let range = self.cell_starts[key] as usize..self.cell_starts[key + here] as usize;
            if !range.is_empty() {
                work(range);
            }
            from[0] += here;
            left -= here;
        }
    }

    /// Sets the cells of a row that have particles to one, the others to zero.
    pub fn mark_occupied(&self, at: [usize; D], row: &mut [u8]) {
        for (index, piece) in row.chunks_mut(TILE_EDGE).enumerate() {
            let mut cell = at;
            cell[0] = index * TILE_EDGE;
            for (full, pair) in piece.iter_mut().zip(self.row_starts(cell).windows(2)) {
                *full = u8::from(pair[1] > pair[0]);
            }
        }
    }

    /// The same between the halves of a sort, by what was counted.
    pub fn mark_counted(&self, at: [usize; D], row: &mut [u8]) {
        for (index, piece) in row.chunks_mut(TILE_EDGE).enumerate() {
            let mut cell = at;
            cell[0] = index * TILE_EDGE;
            for (full, count) in piece.iter_mut().zip(self.row_starts(cell)) {
                *full = u8::from(*count > 0);
            }
        }
    }

    /// The lowest cell of a tile.
    pub fn first_cell(&self, tile: usize) -> [usize; D] {
        let mut rest = tile;
        std::array::from_fn(|axis| {
            let i = rest % self.tiles_per_axis[axis];
            rest /= self.tiles_per_axis[axis];
            i * TILE_EDGE
        })
    }

    /// Tiles along each axis.
    pub fn tiles_per_axis(&self) -> [usize; D] {
        self.tiles_per_axis
    }

    /// The block of a tile, by its coordinates; `None` where there are no particles.
    #[inline]
    pub fn block(&self, tile: [usize; D]) -> Option<usize> {
        let index = (0..D).rev().fold(0, |index, axis| index * self.tiles_per_axis[axis] + tile[axis]);
        let block = self.block[index];
        (block != NONE).then_some(block as usize)
    }
}

/// The cell in which a point lies; the nearest one for points outside.
#[inline]
pub(crate) fn cell_of<const D: usize>(point: [f32; D], cells: [usize; D]) -> [usize; D] {
    // The cast saturates: negative numbers and NaN become zero
    std::array::from_fn(|axis| (point[axis] as usize).min(cells[axis] - 1))
}

#[inline]
fn key_of_cell<const D: usize>(cell: [usize; D], tiles_per_axis: [usize; D]) -> usize {
    let (mut tile, mut local) = (0, 0);
    for axis in (0..D).rev() {
        tile = tile * tiles_per_axis[axis] + cell[axis] / TILE_EDGE;
        local = local * TILE_EDGE + cell[axis] % TILE_EDGE;
    }
    tile * TILE_EDGE.pow(D as u32) + local
}

fn cell_of_key<const D: usize>(key: usize, tiles_per_axis: [usize; D]) -> [usize; D] {
    let cells = TILE_EDGE.pow(D as u32);
    let (mut tile, mut local) = (key / cells, key % cells);
    std::array::from_fn(|axis| {
        let cell = tile % tiles_per_axis[axis] * TILE_EDGE + local % TILE_EDGE;
        tile /= tiles_per_axis[axis];
        local /= TILE_EDGE;
        cell
    })
}

/// Accumulators of a scatter: a block of sums per tile that has particles.
#[derive(Debug)]
pub(crate) struct TileBlocks {
    values: Vec<f32>,
    /// Cells of a block beyond its tile, on every side.
    halo: usize,
    channels: usize,
}

impl TileBlocks {
    /// Blocks with `channels` sums per cell and a halo of so many cells.
    pub fn new(halo: usize, channels: usize) -> Self {
        TileBlocks { values: Vec::new(), halo, channels }
    }

    /// The number of values per channel of a block.
    fn block_length<const D: usize>(&self) -> usize {
        (TILE_EDGE + 2 * self.halo).pow(D as u32)
    }

    /// Sets the block of every tile to zero and lets `work` add to it.
    pub fn scatter<const D: usize>(
        &mut self,
        tiles: &ParticleTiles<D>,
        work: impl Fn(usize, &mut [f32]) + Sync,
    ) {
        let length = self.block_length::<D>() * self.channels;
        self.values.resize(length * tiles.active().len(), 0.0);
        par::for_each_chunk(&mut self.values, length, |first, block| {
            block.fill(0.0);
            work(tiles.active()[first / length] as usize, block);
        });
    }

    /// Adds a channel of all blocks that overlap a row of the grid to it; `at` are the coordinates of its first sample.
    /// False when there was none.
    pub fn gather_row<const D: usize>(
        &self,
        tiles: &ParticleTiles<D>,
        channel: usize,
        at: [isize; D],
        row: &mut [f32],
    ) -> bool {
        let (edge, block_length) = (TILE_EDGE + 2 * self.halo, self.block_length::<D>());
        let mut any = false;
        let tiles_around = |axis: usize| {
            let i = at[axis] as usize;
            let last = tiles.tiles_per_axis()[axis] as isize - 1;
            let first = (i as isize - self.halo as isize).max(0) as usize / TILE_EDGE;
            first..=((i + self.halo) / TILE_EDGE).min(last.max(0) as usize)
        };
        // The tiles whose blocks overlap the row, in a fixed order
        let planes = if D > 2 { tiles_around(2) } else { 0..=0 };
        for z in planes {
            for y in tiles_around(1) {
                let inside = |axis: usize, tile: usize| at[axis] as usize + self.halo - tile * TILE_EDGE;
                let line = inside(1, y) + if D > 2 { edge * inside(2, z) } else { 0 };
                for x in 0..tiles.tiles_per_axis()[0] {
                    let Some(block) = tiles.block(std::array::from_fn(|axis| [x, y, z][axis])) else {
                        continue;
                    };
                    any = true;
                    let start = (block * self.channels + channel) * block_length + line * edge;
                    add_clipped(row, x * TILE_EDGE, self.halo, &self.values[start..start + edge]);
                }
            }
        }
        any
    }
}

/// Adds values to a row, the first of them `halo` before `first`; those outside are skipped.
#[inline]
fn add_clipped(row: &mut [f32], first: usize, halo: usize, values: &[f32]) {
    let skipped = halo.saturating_sub(first);
    let start = first + skipped - halo;
    let values = &values[skipped..];
    if start < row.len() {
        row[start..].iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
}

#[cfg(test)]
mod tests {
    use super::super::particles::NewParticle;
    use super::*;

    fn scattered(cells: [usize; 3]) -> Particles<3> {
        let mut particles = Particles::new(false, false);
        for n in 0..2000_u32 {
            let random =
                |axis: usize| (n.wrapping_mul(2654435761 + 97 * axis as u32) >> 8) as f32 / (1 << 24) as f32;
            let position = std::array::from_fn(|axis| random(axis) * cells[axis] as f32);
            particles.push(NewParticle { position, velocity: [0.0; 3], colour: [0.0; 3] });
        }
        particles
    }

    #[test]
    fn sorting_puts_every_particle_into_its_cell() {
        let grid = Grid::new([11, 9, 20], [1.0; 3], [0.0; 3]).unwrap();
        let (mut tiles, mut particles) = (ParticleTiles::new(&grid), scattered(grid.cells()));
        tiles.sort(&mut particles, &mut Particles::new(false, false));
        let mut seen = 0;
        for z in 0..20 {
            for y in 0..9 {
                for x in 0..11 {
                    for index in tiles.particles_in([x, y, z]) {
                        assert_eq!(cell_of(particles.position_of(index), grid.cells()), [x, y, z]);
                        seen += 1;
                    }
                }
            }
        }
        assert_eq!(seen, 2000);
        assert_eq!(
            cell_of_key(key_of_cell([10, 8, 19], tiles.tiles_per_axis), tiles.tiles_per_axis),
            [10, 8, 19]
        );
        let ids: std::collections::BTreeSet<u32> = particles.id.iter().copied().collect();
        assert_eq!(ids.len(), 2000);
    }

    #[test]
    fn removed_particles_are_dropped_and_added_ones_are_sorted_in() {
        let grid = Grid::new([11, 9, 20], [1.0; 3], [0.0; 3]).unwrap();
        let (mut tiles, mut particles) = (ParticleTiles::new(&grid), scattered(grid.cells()));
        particles.position[0][17] = f32::NAN;
        tiles.count(&particles);
        let low =
            (0..11).flat_map(|x| (0..9).map(move |y| [x, y, 0])).map(|cell| tiles.counted(cell)).sum::<u32>();
        assert_eq!(tiles.drop_cells(|cell| cell[2] == 0), low as usize);
        particles.push(NewParticle { position: [3.5, 4.5, 0.5], velocity: [1.0; 3], colour: [0.0; 3] });
        tiles.add_count([3, 4, 0]);
        tiles.reorder(&mut particles, &mut Particles::new(false, false));
        assert_eq!(particles.len(), 2000 - low as usize);
        let only = tiles.particles_in([3, 4, 0]);
        assert_eq!((only.len(), particles.velocity[2][only.start]), (1, 1.0));
        assert!(!particles.id.contains(&17));
    }

    #[test]
    fn rows_gather_from_the_halos_of_blocks() {
        let grid = Grid::new([20, 17], [1.0; 2], [0.0; 2]).unwrap();
        let mut tiles = ParticleTiles::<2>::new(&grid);
        let mut particles = Particles::new(false, false);
        for position in [[8.5, 8.5], [7.5, 3.5]] {
            particles.push(NewParticle { position, velocity: [0.0; 2], colour: [0.0; 3] });
        }
        tiles.sort(&mut particles, &mut Particles::new(false, false));
        let mut blocks = TileBlocks::new(1, 1);
        // Every block adds one everywhere it reaches
        blocks.scatter(&tiles, |_, block| block.fill(1.0));
        let count = |y: isize| {
            let mut row = vec![0.0; 20];
            blocks.gather_row(&tiles, 0, [0, y], &mut row);
            row
        };
        assert_eq!(count(3)[..10], [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0]);
        assert_eq!(count(8)[6..9], [1.0, 2.0, 2.0]);
        assert_eq!(count(16)[6..19], [0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
        assert_eq!(cell_of([-3.0, f32::NAN], [4, 4]), [0, 0]);
    }
}
