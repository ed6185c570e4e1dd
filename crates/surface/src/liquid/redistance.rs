//! Redistancing: turns the level set into signed distances within a few nodes of the surface.
//!
//! Nodes with a neighbour on the other side take |level| / |slope|. From there the distance is propagated by chamfer
//! steps of 1 along axes, √2 and √3 along diagonals [borgefors1986].

use undine_grid::par;

use super::lattice::{SurfaceLattice, TILE};
use super::smooth::with_margin;
use super::tiles::{LatticeTile, NODES, TileTable};

/// Nodes along an edge of a tile with one more on each side.
const WIDE: usize = TILE + 2;
/// Smaller slopes count as noise.
const LEAST_SLOPE: f32 = 0.25;

/// Redistances all levels up to `range` nodes from the surface; returns the level of all that are farther away.
pub fn redistance(
    tiles: &mut [LatticeTile],
    table: &TileTable,
    lattice: &SurfaceLattice<'_>,
    clamp: f32,
    range: usize,
) -> f32 {
    let far = range as f32;
    let is_near = table.near_surface(tiles);
    change(tiles, &is_near, |tiles, tile| {
        let around = with_margin(tiles, table, lattice, clamp, tile, 1);
        (0..NODES).map(|node| nearest(&around, wide(node), far)).collect()
    });
    let away = tiles.iter_mut().zip(&is_near).filter(|(_, is_near)| !**is_near).map(|(tile, _)| tile);
    away.flat_map(|tile| &mut tile.level).for_each(|level| *level = far.copysign(*level));
    for _ in 1..range {
        change(tiles, &is_near, |tiles, tile| {
            spread(with_margin(tiles, table, lattice, far, tile, 1), &tile.level, far)
        });
    }
    far
}

/// Replaces the levels of the tiles near the surface.
fn change(
    tiles: &mut [LatticeTile],
    is_near: &[bool],
    levels: impl Fn(&[LatticeTile], &LatticeTile) -> Vec<f32> + Sync,
) {
    let mut changed: Vec<Vec<f32>> = vec![Vec::new(); tiles.len()];
    par::for_each_chunk(&mut changed, 1, |index, changed| {
        if is_near[index] {
            changed[0] = levels(tiles, &tiles[index]);
        }
    });
    let near = tiles.iter_mut().zip(changed).filter(|(_, level)| !level.is_empty());
    near.for_each(|(tile, level)| tile.level = level);
}

fn wide(node: usize) -> usize {
    ((node / TILE / TILE + 1) * WIDE + node / TILE % TILE + 1) * WIDE + node % TILE + 1
}

/// Distance of a node next to the surface; `far` for all others.
fn nearest(around: &[f32], node: usize, far: f32) -> f32 {
    let level = around[node];
    let (mut is_beside, mut square) = (false, 0.0);
    for step in [1, WIDE, WIDE * WIDE] {
        let (low, high) = (around[node - step], around[node + step]);
        is_beside |= (low < 0.0) != (level < 0.0) || (high < 0.0) != (level < 0.0);
        square += 0.25 * (high - low) * (high - low);
    }
    let distance = if is_beside { (level.abs() / square.sqrt().max(LEAST_SLOPE)).min(1.0) } else { far };
    distance.copysign(level)
}

/// One pass of the chamfer transform.
fn spread(mut around: Vec<f32>, levels: &[f32], far: f32) -> Vec<f32> {
    around.iter_mut().for_each(|level| *level = level.abs());
    let mut nearest = vec![far; NODES];
    for (row, nearest) in nearest.chunks_mut(TILE).enumerate() {
        let start = wide(row * TILE);
        for (step, length) in steps() {
            let from = &around[start.wrapping_add_signed(step)..][..TILE];
            nearest.iter_mut().zip(from).for_each(|(near, other)| *near = near.min(other + length));
        }
    }
    nearest.iter().zip(levels).map(|(near, level)| near.copysign(*level)).collect()
}

/// Index offsets to a node and its 26 neighbours, with their lengths.
fn steps() -> impl Iterator<Item = (isize, f32)> {
    (0..27isize).map(|index| {
        let at = [index % 3 - 1, index / 3 % 3 - 1, index / 9 - 1];
        let length = at.iter().map(|x| x * x).sum::<isize>() as f32;
        ((at[2] * WIDE as isize + at[1]) * WIDE as isize + at[0], length.sqrt())
    })
}
