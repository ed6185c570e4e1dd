//! From particles to the grid.
//!
//! A particle at x gives the face at x' its velocity v + C (x' − x) with the weight w = Π (1 − |x' − x|), distances in
//! cells; the velocity of a face is the weighted mean. C is zero in PIC and FLIP [li2007, zhu2005]; in APIC it is the
//! affine part that the grid gave the particle in the step before, which keeps angular momentum [jiang2015].

use undine_grid::simd;
use undine_grid::{Field, par};

use crate::free_surface::particles::Particles;
use crate::free_surface::tiles::{ParticleTiles, TILE_EDGE, TileBlocks};

/// Cells that a particle's faces reach beyond its tile.
const HALO: usize = 1;
/// Faces along the edge of a block.
const BLOCK_EDGE: usize = TILE_EDGE + 2 * HALO;

/// What carries velocities from particles to faces.
#[derive(Debug)]
pub(super) struct ParticlesToGrid {
    blocks: TileBlocks,
    is_affine: bool,
}

impl ParticlesToGrid {
    /// A transfer in `D` dimensions.
    pub fn new(dimension: usize, is_affine: bool) -> Self {
        ParticlesToGrid { blocks: TileBlocks::new(HALO, 2 * dimension), is_affine }
    }

    /// Sets the velocity of every face that particles reach, zero elsewhere, and the weight of what reached it.
    pub fn transfer<const D: usize>(
        &mut self,
        particles: &Particles<D>,
        tiles: &ParticleTiles<D>,
        velocity: &mut [Field<f32, D>; D],
        weight: &mut [Field<f32, D>; D],
    ) {
        let is_affine = self.is_affine;
        self.blocks.scatter(tiles, |tile, block| {
            simd::dispatch(
                #[inline(always)]
                || match is_affine {
                    true => scatter::<D, true>(particles, tiles, tile, block),
                    false => scatter::<D, false>(particles, tiles, tile, block),
                },
            );
        });
        let blocks = &self.blocks;
        for axis in 0..D {
            par::rows_each([&mut velocity[axis], &mut weight[axis]], |at, [velocity, weight]| {
                velocity.fill(0.0);
                weight.fill(0.0);
                if !blocks.gather_row(tiles, 2 * axis, at, weight) {
                    return;
                }
                blocks.gather_row(tiles, 2 * axis + 1, at, velocity);
                for (velocity, weight) in velocity.iter_mut().zip(weight) {
                    *velocity = if *weight > 0.0 { *velocity / *weight } else { 0.0 };
                }
            });
        }
    }
}

/// Adds what the particles of a tile give: weights and momenta, one axis after the other.
#[inline(always)]
fn scatter<const D: usize, const AFFINE: bool>(
    particles: &Particles<D>,
    tiles: &ParticleTiles<D>,
    tile: usize,
    block: &mut [f32],
) {
    let corner = tiles.first_cell(tile).map(|i| i as f32);
    let plane = BLOCK_EDGE.pow(D as u32);
    let range = tiles.range(tile);
    let position: [&[f32]; D] = std::array::from_fn(|axis| &particles.position[axis][range.clone()]);
    for axis in 0..D {
        let (weights, momenta) = block[2 * axis * plane..2 * (axis + 1) * plane].split_at_mut(plane);
        let velocity = &particles.velocity[axis][range.clone()];
        let affine: [&[f32]; D] = std::array::from_fn(|dim| match AFFINE {
            true => &particles.affine[axis][dim][range.clone()],
            false => &[],
        });
        for particle in 0..velocity.len() {
            let mut index = 0;
            let mut weights_1d = [[0.0_f32; 2]; D];
            let mut start = velocity[particle];
            let mut gradient = [0.0_f32; D];
            for dim in (0..D).rev() {
                // Faces lie on whole numbers along their axis, on halves along the others
                let shift = if dim == axis { 1.0 } else { 0.5 };
                let local = position[dim][particle] - corner[dim] + shift;
                let below = (local as usize).min(BLOCK_EDGE - 2);
                let beyond = local - below as f32;
                index = index * BLOCK_EDGE + below;
                weights_1d[dim] = [1.0 - beyond, beyond];
                if AFFINE {
                    gradient[dim] = affine[dim][particle];
                    start -= gradient[dim] * beyond;
                }
            }
            for face in 0..1 << D {
                let (mut weight, mut value, mut offset, mut stride) = (1.0, start, 0, 1);
                for dim in 0..D {
                    let bit = face >> dim & 1;
                    weight *= weights_1d[dim][bit];
                    if AFFINE && bit == 1 {
                        value += gradient[dim];
                    }
                    offset += bit * stride;
                    stride *= BLOCK_EDGE;
                }
                weights[index + offset] += weight;
                momenta[index + offset] += weight * value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::free_surface::particles::NewParticle;
    use undine_grid::{Condition, Grid, MacVelocity};

    #[test]
    fn an_affine_flow_comes_over_exactly() {
        let grid = Grid::new([19, 12, 10], [0.5; 3], [0.0; 3]).unwrap();
        let (mut tiles, mut particles) = (ParticleTiles::new(&grid), Particles::<3>::new(true, false));
        let flow = |x: f32, y: f32, z: f32| [1.0 + 0.5 * y - z, 2.0 * x + 0.25 * z, 3.0 - x + y];
        for n in 0..6000_u32 {
            let dim =
                |axis: u32| (n.wrapping_mul(2654435761 ^ (axis * 77777)) >> 8) as f32 / (1 << 24) as f32;
            let position = [dim(0) * 19.0, dim(1) * 12.0, dim(2) * 10.0];
            let velocity = flow(position[0], position[1], position[2]);
            particles.push(NewParticle { position, velocity, colour: [0.0; 3] });
        }
        let slopes = [[0.0, 0.5, -1.0], [2.0, 0.0, 0.25], [-1.0, 1.0, 0.0]];
        for (a, row) in slopes.iter().enumerate() {
            row.iter().enumerate().for_each(|(b, slope)| particles.affine[a][b].fill(*slope));
        }
        tiles.sort(&mut particles, &mut Particles::new(true, false));
        let make = || MacVelocity::<f32, 3>::new(grid, Condition::FreeSlip, 1).unwrap();
        let (mut velocity, mut weight) = (make(), make());
        let mut transfer = ParticlesToGrid::new(3, true);
        transfer.transfer(&particles, &tiles, velocity.components_mut(), weight.components_mut());
        for axis in 0..3 {
            for (at, u) in velocity[axis].iter().filter(|(at, _)| weight[axis][*at] > 1e-3) {
                let index: [f32; 3] =
                    std::array::from_fn(|dim| at[dim] as f32 + if dim == axis { 0.0 } else { 0.5 });
                let wanted = flow(index[0], index[1], index[2])[axis];
                assert!((u - wanted).abs() < 2e-4, "{u} for {wanted} at {at:?}");
            }
            let total = par::sum(&weight[axis], f64::from);
            // Faces beyond the sides take a little with them
            assert!((5000.0..=6000.5).contains(&total), "{total}");
        }
    }
}
