//! Seeding: 2^D particles per cell, one at the jittered centre of each subcell of half the edge.

use undine_grid::Grid;

use super::sources::FillContent;
use crate::free_surface::particles::{NewParticle, Particles, to_metres};
use crate::free_surface::solid_boundary::SolidBoundary;

/// The greatest offset of a particle from the centre of its subcell, as a fraction of half the subcell's edge.
const JITTER: f32 = 0.4;

/// Seeds all cells of the box; keeps the particles at points, in metres, that have a `content` and are in no solid.
pub(super) fn seed_box<'a, const D: usize>(
    particles: &mut Particles<D>,
    grid: &Grid<D>,
    boundary: &SolidBoundary<D>,
    seed: u64,
    content: impl Fn([f64; D]) -> Option<&'a FillContent<D>>,
) {
    let cells = grid.cells();
    let count: usize = cells.iter().product();
    for index in 0..count {
        let mut rest = index;
        let cell: [usize; D] = std::array::from_fn(|axis| {
            let i = rest % cells[axis];
            rest /= cells[axis];
            i
        });
        seed_cell(cell, seed, |position| {
            if let Some(content) = content(to_metres(grid, position)).filter(|_| boundary.is_free(position)) {
                let velocity = content.velocity.map(|u| u as f32);
                particles.push(NewParticle { position, velocity, colour: content.colour });
            }
        });
    }
}

/// Calls `work` with the positions of the particles of a full cell, in cells.
pub(super) fn seed_cell<const D: usize>(cell: [usize; D], seed: u64, mut work: impl FnMut([f32; D])) {
    let mut random = HashedRandom::new(cell, seed);
    for subcell in 0..1 << D {
        work(std::array::from_fn(|axis| {
            let centre = cell[axis] as f32 + 0.25 + 0.5 * (subcell >> axis & 1) as f32;
            centre + 0.25 * JITTER * (2.0 * random.next() - 1.0)
        }));
    }
}

/// Random numbers from a hash of a seed and of the indices of a cell, or of anything else that is numbered.
pub(super) struct HashedRandom {
    bits: u64,
}

impl HashedRandom {
    /// The sequence of a cell.
    pub fn new<const D: usize>(cell: [usize; D], seed: u64) -> Self {
        let bits = cell.iter().fold(seed ^ 0x9e37_79b9_7f4a_7c15, |bits, &i| {
            (bits ^ i as u64).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29)
        });
        HashedRandom { bits }
    }

    /// A number in [0, 1).
    pub fn next(&mut self) -> f32 {
        self.bits = self.bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.bits ^ (self.bits >> 31)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        ((mixed ^ (mixed >> 33)) >> 40) as f32 / (1 << 24) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_cell_has_one_particle_in_every_subcell() {
        let mut seen = [0; 8];
        for cell in [[0, 0, 0], [5, 7, 1000]] {
            seed_cell(cell, 42, |position| {
                let subcell = (0..3).map(|axis| {
                    let inside = position[axis] - cell[axis] as f32;
                    assert!((0.0..1.0).contains(&inside));
                    usize::from(inside > 0.5) << axis
                });
                seen[subcell.sum::<usize>()] += 1;
            });
        }
        assert_eq!(seen, [2; 8]);
    }
}
