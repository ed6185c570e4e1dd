//! From particles to the grid.
//!
//! A particle at x gives the face at x' its velocity v + C (x' − x) with the weight w = Π (1 − |x' − x|), distances in
//! cells; the velocity of a face is the weighted mean. C is zero in PIC and FLIP [li2007, zhu2005]; in APIC it is the
//! affine part that the grid gave the particle in the step before, which keeps angular momentum [jiang2015].

use undine_grid::simd;
use undine_grid::{Field, par};

use crate::free_surface::particles::Particles;
use crate::free_surface::tiles::{Blocks, EDGE, Tiles};

/// Cells that a particle's faces reach beyond its tile.
const APRON: usize = 1;
/// Faces along the edge of a block.
const REACH: usize = EDGE + 2 * APRON;

/// What carries velocities from particles to faces.
#[derive(Debug)]
pub(super) struct Transfer {
    blocks: Blocks,
    is_affine: bool,
}

impl Transfer {
    /// A transfer in `D` dimensions.
    pub fn new(dimension: usize, is_affine: bool) -> Self {
        Transfer { blocks: Blocks::new(APRON, 2 * dimension), is_affine }
    }

    /// Sets the velocity of every face that particles reach, zero elsewhere, and the weight of what reached it.
    pub fn give<const D: usize>(
        &mut self,
        particles: &Particles<D>,
        tiles: &Tiles<D>,
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
                if !blocks.pull(tiles, 2 * axis, at, weight) {
                    return;
                }
                blocks.pull(tiles, 2 * axis + 1, at, velocity);
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
    tiles: &Tiles<D>,
    tile: usize,
    block: &mut [f32],
) {
    let corner = tiles.corner(tile).map(|along| along as f32);
    let plane = REACH.pow(D as u32);
    let range = tiles.range(tile);
    let position: [&[f32]; D] = std::array::from_fn(|axis| &particles.position[axis][range.clone()]);
    for axis in 0..D {
        let (weights, momenta) = block[2 * axis * plane..2 * (axis + 1) * plane].split_at_mut(plane);
        let velocity = &particles.velocity[axis][range.clone()];
        let affine: [&[f32]; D] = std::array::from_fn(|along| match AFFINE {
            true => &particles.affine[axis][along][range.clone()],
            false => &[],
        });
        for number in 0..velocity.len() {
            let mut place = 0;
            let mut share = [[0.0_f32; 2]; D];
            let mut start = velocity[number];
            let mut step = [0.0_f32; D];
            for along in (0..D).rev() {
                // Faces lie on whole numbers along their axis, on halves along the others
                let shift = if along == axis { 1.0 } else { 0.5 };
                let local = position[along][number] - corner[along] + shift;
                let below = (local as usize).min(REACH - 2);
                let beyond = local - below as f32;
                place = place * REACH + below;
                share[along] = [1.0 - beyond, beyond];
                if AFFINE {
                    step[along] = affine[along][number];
                    start -= step[along] * beyond;
                }
            }
            for face in 0..1 << D {
                let (mut weight, mut value, mut offset, mut stride) = (1.0, start, 0, 1);
                for along in 0..D {
                    let bit = face >> along & 1;
                    weight *= share[along][bit];
                    if AFFINE && bit == 1 {
                        value += step[along];
                    }
                    offset += bit * stride;
                    stride *= REACH;
                }
                weights[place + offset] += weight;
                momenta[place + offset] += weight * value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::free_surface::particles::Newborn;
    use undine_grid::{Condition, Grid, MacVelocity};

    #[test]
    fn an_affine_flow_comes_over_exactly() {
        let grid = Grid::new([19, 12, 10], [0.5; 3], [0.0; 3]).unwrap();
        let (mut tiles, mut particles) = (Tiles::new(&grid), Particles::<3>::new(true, false));
        let flow = |x: f32, y: f32, z: f32| [1.0 + 0.5 * y - z, 2.0 * x + 0.25 * z, 3.0 - x + y];
        for n in 0..6000_u32 {
            let along =
                |axis: u32| (n.wrapping_mul(2654435761 ^ (axis * 77777)) >> 8) as f32 / (1 << 24) as f32;
            let position = [along(0) * 19.0, along(1) * 12.0, along(2) * 10.0];
            let velocity = flow(position[0], position[1], position[2]);
            particles.push(Newborn { position, velocity, colour: [0.0; 3] });
        }
        let slopes = [[0.0, 0.5, -1.0], [2.0, 0.0, 0.25], [-1.0, 1.0, 0.0]];
        for (a, row) in slopes.iter().enumerate() {
            row.iter().enumerate().for_each(|(b, slope)| particles.affine[a][b].fill(*slope));
        }
        tiles.sort(&mut particles, &mut Particles::new(true, false));
        let make = || MacVelocity::<f32, 3>::new(grid, Condition::FreeSlip, 1).unwrap();
        let (mut velocity, mut weight) = (make(), make());
        let mut transfer = Transfer::new(3, true);
        transfer.give(&particles, &tiles, velocity.components_mut(), weight.components_mut());
        for axis in 0..3 {
            for (at, u) in velocity[axis].iter().filter(|(at, _)| weight[axis][*at] > 1e-3) {
                let place: [f32; 3] =
                    std::array::from_fn(|along| at[along] as f32 + if along == axis { 0.0 } else { 0.5 });
                let wanted = flow(place[0], place[1], place[2])[axis];
                assert!((u - wanted).abs() < 2e-4, "{u} for {wanted} at {at:?}");
            }
            let total = par::sum(&weight[axis], f64::from);
            // Faces beyond the sides take a little with them
            assert!((5000.0..=6000.5).contains(&total), "{total}");
        }
    }
}
