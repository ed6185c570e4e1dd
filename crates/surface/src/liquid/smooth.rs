//! Smoothing of the level set, so that single particles do not show.
//!
//! A Gaussian blur S removes bumps, but shrinks round shapes; as S (2 − S) it keeps larger shapes [taubin1995]. It is
//! applied twice. The narrow one acts where the liquid is thick, so that sheets and drops keep their size. Then
//! levels are redistanced, and the wide one removes the remaining noise: where the blur would move a level by δ it
//! moves it by δ / (1 + δ²/b²), at most b / 2. Levels are mirrored in the walls of the box.

use undine_grid::{par, simd};

use super::lattice::{SurfaceLattice, TILE};
use super::redistance::redistance;
use super::tiles::{LatticeTile, NODES, TileTable};

/// Greatest number of nodes around a tile that a blur may use: those of the next tile.
const MAX_MARGIN: usize = TILE;
/// Ratio of the widths of both blurs.
const WIDE: f32 = 3.0;
/// The limit b of the wide blur, in cells of the simulation.
const BUMP: f32 = 0.45;
/// Range of the redistancing, in cells of the simulation.
const RANGE: f32 = 2.5;

/// Smooths the level set on all tiles by two blurs, of which the wide one is limited. Returns the level that stands for
/// liquid or air without tiles.
pub fn smooth(
    tiles: &mut [LatticeTile],
    table: &TileTable,
    lattice: &SurfaceLattice<'_>,
    clamp: f32,
    smoothing: f32,
) -> f32 {
    let width = smoothing * lattice.refinement;
    if width <= 0.0 {
        return clamp;
    }
    smooth_once(tiles, table, lattice, clamp, width, f32::INFINITY);
    let far = redistance(tiles, table, lattice, clamp, (RANGE * lattice.refinement).ceil() as usize);
    smooth_once(tiles, table, lattice, far, WIDE * width, BUMP * lattice.refinement);
    far
}

/// One blur with this standard deviation in lattice cells, which moves levels by at most half of `bump`.
fn smooth_once(
    tiles: &mut [LatticeTile],
    table: &TileTable,
    lattice: &SurfaceLattice<'_>,
    clamp: f32,
    width: f32,
    bump: f32,
) {
    let weights = weights(width);
    if weights.len() < 2 {
        return;
    }
    let blur = Blur { gain: gain(&weights, clamp), weights, bump };
    let once = blurred(tiles, table, lattice, clamp, &blur);
    for (tile, blurred) in tiles.iter_mut().zip(once) {
        tile.level.iter_mut().zip(blurred).for_each(|(level, blurred)| *level = 2.0 * *level - blurred);
    }
    let twice = blurred(tiles, table, lattice, clamp, &blur);
    for (tile, blurred) in tiles.iter_mut().zip(twice) {
        tile.level = blurred;
    }
}

/// Half of the normalised Gaussian kernel, from its centre outwards.
fn weights(width: f32) -> Vec<f32> {
    let margin = ((2.0 * width).ceil() as usize).min(MAX_MARGIN);
    if width <= 0.0 {
        return vec![1.0];
    }
    let bell: Vec<f32> = (0..=margin).map(|step| (-0.5 * (step as f32 / width).powi(2)).exp()).collect();
    let sum = 2.0 * bell.iter().sum::<f32>() - bell[0];
    bell.iter().map(|weight| weight / sum).collect()
}

/// Settings of one blur.
struct Blur {
    weights: Vec<f32>,
    /// Compensates for the slope that is lost because levels are clamped.
    gain: f32,
    bump: f32,
}

/// The factor that restores the slope of a clamped level surface after the blur.
fn gain(weights: &[f32], clamp: f32) -> f32 {
    let weight = |step: isize| weights[step.unsigned_abs()];
    let margin = weights.len() as isize - 1;
    let blurred: f32 =
        (-margin..=margin).map(|step| weight(step) * (0.5 + step as f32).clamp(-clamp, clamp)).sum();
    0.5 / blurred
}

/// The levels of all tiles after one blur.
fn blurred(
    tiles: &[LatticeTile],
    table: &TileTable,
    lattice: &SurfaceLattice<'_>,
    clamp: f32,
    by: &Blur,
) -> Vec<Vec<f32>> {
    let is_near = table.near_surface(tiles);
    let mut levels: Vec<Vec<f32>> = vec![Vec::new(); tiles.len()];
    par::for_each_chunk(&mut levels, 1, |index, level| {
        let tile = &tiles[index];
        if !is_near[index] {
            level[0].clone_from(&tile.level);
            return;
        }
        let source = with_margin(tiles, table, lattice, clamp, tile, by.weights.len() - 1);
        let blurred = blur(source, &by.weights);
        let mixed = (0..NODES).map(|node| {
            let before = tile.level[node];
            let change = by.gain * blurred[node] - before;
            let ratio = change / by.bump;
            before + tile.smoothness[node] * change / (1.0 + ratio * ratio)
        });
        level[0] = mixed.collect();
    });
    levels
}

/// The levels of a tile with a margin of nodes on all sides, x fastest.
pub fn with_margin(
    tiles: &[LatticeTile],
    table: &TileTable,
    lattice: &SurfaceLattice<'_>,
    far: f32,
    tile: &LatticeTile,
    margin: usize,
) -> Vec<f32> {
    let width = TILE + 2 * margin;
    let first = tile.first();
    // Tile and index within it of every node along each axis, mirrored in the walls.
    let nodes: [Vec<[usize; 2]>; 3] = std::array::from_fn(|axis| {
        let node = |index: usize| {
            mirrored(
                (first[axis] + index) as isize - margin as isize,
                lattice.side[axis],
                lattice.tiles[axis],
            )
        };
        (0..width).map(node).map(|node| [node / TILE, node % TILE]).collect()
    });
    // Gather the values, run by run along x.
    let mut values = Vec::with_capacity(width * width * width);
    for z in &nodes[2] {
        for y in &nodes[1] {
            let mut x = 0;
            while x < width {
                // Consecutive nodes of one tile are copied together
                let [tile_index, start] = nodes[0][x];
                let run = nodes[0][x..]
                    .iter()
                    .zip(start..)
                    .take_while(|(node, next)| **node == [tile_index, *next])
                    .count();
                match table.slot([tile_index, y[0], z[0]]) {
                    Ok(slot) => {
                        let row = (z[1] * TILE + y[1]) * TILE + start;
                        values.extend_from_slice(&tiles[slot].level[row..row + run]);
                    }
                    Err(is_liquid) => {
                        let level = if is_liquid { -far } else { far };
                        values.resize(values.len() + run, level);
                    }
                }
                x += run;
            }
        }
    }
    values
}

/// The node that mirrors one beyond a wall of the box.
fn mirrored(node: isize, side: f32, tile_count: usize) -> usize {
    let beyond = node as f32 > side + 0.5;
    let shown = if node < 0 {
        1 - node
    } else if beyond {
        (2.0 * side).round() as isize - node
    } else {
        node
    };
    shown.clamp(0, (tile_count * TILE) as isize - 1) as usize
}

/// Separable blur along z, y and x, each time dropping the margin of that axis.
fn blur(source: Vec<f32>, weights: &[f32]) -> Vec<f32> {
    simd::dispatch(
        #[inline(always)]
        || blur_generic(source, weights),
    )
}

#[inline(always)]
fn blur_generic(source: Vec<f32>, weights: &[f32]) -> Vec<f32> {
    let width = TILE + 2 * (weights.len() - 1);
    let along_z = blur_slabs(&source, width * width, 1, weights);
    let along_y = blur_slabs(&along_z, width, TILE, weights);
    blur_slabs(&along_y, 1, TILE * TILE, weights)
}

/// Blurs across slabs of `stride` values, in `blocks` consecutive stacks.
#[inline(always)]
fn blur_slabs(source: &[f32], stride: usize, blocks: usize, weights: &[f32]) -> Vec<f32> {
    let margin = weights.len() - 1;
    let mut target = vec![0.0; blocks * TILE * stride];
    for (to, from) in target.chunks_mut(TILE * stride).zip(source.chunks(stride * (TILE + 2 * margin))) {
        let length = to.len();
        let shifted = |slabs: usize| &from[slabs * stride..][..length];
        add_scaled(to, shifted(margin), weights[0]);
        for step in 1..=margin {
            add_scaled(to, shifted(margin - step), weights[step]);
            add_scaled(to, shifted(margin + step), weights[step]);
        }
    }
    target
}

#[inline(always)]
fn add_scaled(to: &mut [f32], from: &[f32], weight: f32) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += weight * from);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blur_keeps_slopes_and_takes_out_what_alternates() {
        let weights = weights(1.2);
        let width = TILE + 2 * (weights.len() - 1);
        let coordinates = |index: usize| [index % width, index / width % width, index / width / width];
        let slope = |index: usize| {
            coordinates(index).iter().zip([1.0, -2.0, 0.5]).map(|(&a, b)| a as f32 * b).sum::<f32>()
        };
        let rough = |index: usize| {
            slope(index) + if coordinates(index).iter().sum::<usize>() % 2 == 0 { 0.1 } else { -0.1 }
        };
        let blurred = blur((0..width.pow(3)).map(rough).collect(), &weights);
        let margin = weights.len() - 1;
        for (node, value) in blurred.iter().enumerate() {
            let at = [node % TILE + margin, node / TILE % TILE + margin, node / TILE / TILE + margin];
            let wanted = slope((at[2] * width + at[1]) * width + at[0]);
            assert!((value - wanted).abs() < 1e-2, "{value} for {wanted}");
        }
    }
}
