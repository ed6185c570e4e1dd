//! The sparse set of lattice tiles that the surface may pass through.

use super::Scales;
use super::bins::{ParticleBins, linear_index};
use super::lattice::{SurfaceLattice, TILE};
use super::near_surface::near_surface_cells;

/// Nodes of a tile.
pub const NODES: usize = TILE * TILE * TILE;
/// Nodes around a tile that must be uniform too for it to be left out.
const MARGIN: f32 = 2.0;

/// Entries of the table for a tile without nodes: all air, or all liquid.
const AIR: u32 = u32::MAX;
const LIQUID: u32 = u32::MAX - 1;

/// A tile with values at its nodes, x fastest. It owns the nodes from its first up to the first of the next.
#[derive(Debug, Clone, Default)]
pub struct LatticeTile {
    /// Its coordinates among tiles.
    pub at: [usize; 3],
    /// Level set: height above the surface in lattice cells, negative in the liquid.
    pub level: Vec<f32>,
    /// Strength of smoothing: 1 where the liquid is at least as thick as the kernel radius.
    pub smoothness: Vec<f32>,
    /// Distance from walls in lattice cells, negative in them.
    pub wall: Vec<f32>,
}

impl LatticeTile {
    /// Its first node.
    pub fn first(&self) -> [usize; 3] {
        self.at.map(|x| x * TILE)
    }

    /// Whether a node, by its index in the tile, is liquid.
    pub fn is_inside(&self, node: usize) -> bool {
        self.level[node] < 0.0 && self.wall[node] > 0.0
    }
}

/// The table of tiles.
pub struct TileTable {
    counts: [usize; 3],
    /// Index of each tile in the list of those that have nodes, or [`AIR`] or [`LIQUID`].
    slots: Vec<u32>,
}

impl TileTable {
    /// Finds the tiles that the surface may pass through; returns them without values, in the order of the table.
    pub fn find(
        lattice: &SurfaceLattice<'_>,
        bins: &ParticleBins,
        scales: &Scales,
    ) -> (TileTable, Vec<LatticeTile>, Vec<u8>) {
        let near = near_surface_cells(lattice, scales.reach_cells());
        let mut table = TileTable { counts: lattice.tiles, slots: vec![AIR; lattice.tiles.iter().product()] };
        table.mark_particles(lattice, bins, &near, scales);
        let mut tiles = Vec::new();
        for slot in 0..table.slots.len() {
            let at = table.tile_at(slot);
            let is_marked = table.slots[slot] != AIR;
            match if is_marked { None } else { uniform(lattice, at, scales) } {
                Some(is_liquid) => table.slots[slot] = if is_liquid { LIQUID } else { AIR },
                None => table.add(slot, LatticeTile { at, ..LatticeTile::default() }, &mut tiles),
            }
        }
        (table, tiles, near)
    }

    fn add(&mut self, slot: usize, tile: LatticeTile, tiles: &mut Vec<LatticeTile>) {
        self.slots[slot] = tiles.len() as u32;
        tiles.push(tile);
    }

    fn tile_at(&self, slot: usize) -> [usize; 3] {
        let [columns, rows, _] = self.counts;
        [slot % columns, slot / columns % rows, slot / columns / rows]
    }

    /// Marks the tiles within the kernel radius of particles near the surface.
    fn mark_particles(
        &mut self,
        lattice: &SurfaceLattice<'_>,
        bins: &ParticleBins,
        near: &[u8],
        scales: &Scales,
    ) {
        let reach = scales.reach + MARGIN;
        for cell in (0..near.len()).filter(|&cell| near[cell] != 0 && !bins.is_empty(cell)) {
            let [columns, rows, _] = lattice.cells;
            let at = [cell % columns, cell / columns % rows, cell / columns / rows];
            let [x, y, z] = [0, 1, 2].map(|axis| {
                let low = at[axis] as f32 * lattice.refinement + 0.5;
                let tile = |position: f32| (position.max(0.0) as usize / TILE).min(self.counts[axis] - 1);
                tile(low - reach)..=tile(low + lattice.refinement + reach)
            });
            for (z, y) in z.flat_map(|z| y.clone().map(move |y| (z, y))) {
                let row = linear_index(self.counts, [0, y, z]);
                self.slots[row + x.start()..=row + x.end()].fill(LIQUID);
            }
        }
    }

    /// Index of a tile in the list; whether it is all liquid when it is not there.
    pub fn slot(&self, at: [usize; 3]) -> Result<usize, bool> {
        match self.slots.get(linear_index(self.counts, at)) {
            Some(&slot) if slot < LIQUID => Ok(slot as usize),
            Some(&slot) => Err(slot == LIQUID),
            None => Err(false),
        }
    }

    /// Whether the surface is in each tile of the list or in one around it.
    pub fn near_surface(&self, tiles: &[LatticeTile]) -> Vec<bool> {
        let sides: Vec<Option<bool>> = tiles.iter().map(|tile| side(&tile.level)).collect();
        let side_at = |at: [usize; 3]| self.slot(at).map_or_else(Some, |slot| sides[slot]);
        let is_near = |(tile, own): (&LatticeTile, &Option<bool>)| {
            let mut around = neighbours(tile.at, self.counts);
            own.is_none() || around.any(|at| side_at(at) != *own)
        };
        tiles.iter().zip(&sides).map(is_near).collect()
    }

    /// Adds nodes to tiles that differ from a neighbour, so that every edge that crosses the surface begins in a tile
    /// with nodes.
    pub fn close(&mut self, tiles: &mut Vec<LatticeTile>, far: f32) {
        let lacking = |slot: &usize| self.slots[*slot] >= LIQUID && self.differs(*slot, tiles);
        let found: Vec<usize> = (0..self.slots.len()).filter(lacking).collect();
        for slot in found {
            let level = if self.slots[slot] == LIQUID { -far } else { far };
            let values = || vec![level; NODES];
            let tile = LatticeTile {
                at: self.tile_at(slot),
                level: values(),
                smoothness: values(),
                wall: vec![far; NODES],
            };
            self.add(slot, tile, tiles);
        }
    }

    /// Whether a tile without nodes has a neighbouring node on the other side of the surface.
    fn differs(&self, slot: usize, tiles: &[LatticeTile]) -> bool {
        let (at, is_liquid) = (self.tile_at(slot), self.slots[slot] == LIQUID);
        (0..6).any(|side| {
            let (axis, is_above) = (side / 2, side % 2 == 1);
            let mut neighbour = at;
            neighbour[axis] = at[axis].wrapping_add(if is_above { 1 } else { usize::MAX });
            let is_there = neighbour[axis] < self.counts[axis];
            is_there
                && match self.slot(neighbour) {
                    Err(other) => other != is_liquid,
                    Ok(index) => {
                        let layer = if is_above { 0 } else { TILE - 1 };
                        face(axis, layer).any(|node| tiles[index].is_inside(node) != is_liquid)
                    }
                }
        })
    }
}

/// Whether all levels are liquid; `None` when they differ.
fn side(levels: &[f32]) -> Option<bool> {
    let is_liquid = levels.first().is_some_and(|&level| level < 0.0);
    levels.iter().all(|&level| (level < 0.0) == is_liquid).then_some(is_liquid)
}

/// The tiles around one, and itself.
fn neighbours(at: [usize; 3], counts: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    let [x, y, z] = [0, 1, 2].map(|axis| at[axis].saturating_sub(1)..(at[axis] + 2).min(counts[axis]));
    z.flat_map(move |z| {
        let x = x.clone();
        y.clone().flat_map(move |y| x.clone().map(move |x| [x, y, z]))
    })
}

/// The nodes of a tile in one layer across an axis.
fn face(axis: usize, layer: usize) -> impl Iterator<Item = usize> {
    (0..TILE * TILE).map(move |index| {
        let (one, other) = (index % TILE, index / TILE);
        let at = match axis {
            0 => [layer, one, other],
            1 => [one, layer, other],
            _ => [one, other, layer],
        };
        linear_index([TILE; 3], at)
    })
}

/// Whether a tile without particles near the surface is all liquid or all air; `None` when it is neither.
fn uniform(lattice: &SurfaceLattice<'_>, at: [usize; 3], scales: &Scales) -> Option<bool> {
    let low = at.map(|x| (x * TILE) as f32 - MARGIN);
    let high = low.map(|x| x + TILE as f32 - 1.0 + 2.0 * MARGIN);
    let (least, greatest) = lattice.distances_within(low, high);
    let is_liquid = least + scales.margin < 0.0;
    let is_one = is_liquid == (greatest + scales.margin < 0.0);
    let has_wall = is_liquid && lattice.nearest_wall(low, high) <= MARGIN;
    (is_one && !has_wall).then_some(is_liquid)
}
