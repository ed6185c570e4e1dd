//! Transfer from particles to the grid (P2G).
//!
//! u_i = Σ_p w_ip (u_p + C_p (x_i − x_p)) / Σ_p w_ip for the face i, with the linear weights w_ip = Π (1 − |x_i −
//! x_p|), distances in cells. C is zero in PIC and FLIP [li2007, zhu2005]; in APIC it is the affine matrix from the
//! step before, which conserves angular momentum [jiang2015].

use undine_grid::simd;
use undine_grid::{Field, par};

use crate::free_surface::particles::Particles;
use crate::free_surface::tiles::{ParticleTiles, TILE_EDGE, TileBlocks};

/// Cells beyond a tile that the faces of its particles reach.
const HALO: usize = 1;
/// Faces along the edge of a block.
const BLOCK_EDGE: usize = TILE_EDGE + 2 * HALO;

/// The transfer and its accumulators.
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

    /// Sets u_i and Σ w_ip of every face; both zero where no particle reaches.
    pub fn transfer<const D: usize>(
        &mut self,
        particles: &Particles<D>,
        tiles: &ParticleTiles<D>,
        velocity: &mut [Field<f32, D>; D],
        weight: &mut [Field<f32, D>; D],
    ) {
        let is_affine = self.is_affine;
        // Scatter Σ w and Σ w u into the block of each tile
        self.blocks.scatter(tiles, |tile, block| {
            simd::dispatch(
                #[inline(always)]
                || match is_affine {
                    true => scatter::<D, true>(particles, tiles, tile, block),
                    false => scatter::<D, false>(particles, tiles, tile, block),
                },
            );
        });
        // Gather the rows of the grid from the blocks, and divide
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

/// Adds Σ w and Σ w u of the particles of a tile to its block, one axis after the other.
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
                // Faces are at integer coordinates along their own axis, at half-integer ones along the others
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
    fn an_affine_flow_is_transferred_exactly() {
        let grid = Grid::new([19, 12, 10], [0.5; 3], [0.0; 3]).unwrap();
        let (mut tiles, mut particles) = (ParticleTiles::new(&grid), Particles::<3>::new(true, false));
        let flow = |x: f32, y: f32, z: f32| [1.0 + 0.5 * y - z, 2.0 * x + 0.25 * z, 3.0 - x + y];
        for n in 0..6000_u32 {
            let random =
                |axis: u32| (n.wrapping_mul(2654435761 ^ (axis * 77777)) >> 8) as f32 / (1 << 24) as f32;
            let position = [random(0) * 19.0, random(1) * 12.0, random(2) * 10.0];
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
                let position: [f32; 3] =
                    std::array::from_fn(|dim| at[dim] as f32 + if dim == axis { 0.0 } else { 0.5 });
                let expected = flow(position[0], position[1], position[2])[axis];
                assert!((u - expected).abs() < 2e-4, "{u} for {expected} at {at:?}");
            }
            let total = par::sum(&weight[axis], f64::from);
            // A little of the weight lies beyond the sides
            assert!((5000.0..=6000.5).contains(&total), "{total}");
        }
    }
}
