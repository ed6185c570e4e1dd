//! Particles for a region: one in every half of a cell along each axis, each a little off the middle.

use undine_grid::Grid;

use crate::free_surface::particles::{Newborn, Particles, in_metres};
use crate::free_surface::solid_boundary::Walls;

/// How far a particle may lie off the middle of its share of the cell, as a share of that share's half.
const JITTER: f32 = 0.4;

/// What a region is filled with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Content<const D: usize> {
    pub velocity: [f32; D],
    pub colour: [f32; 3],
}

/// Fills the cells between two corners with particles wherever `content` says, in metres, and no solid is.
pub(super) fn seed<const D: usize>(
    particles: &mut Particles<D>,
    grid: &Grid<D>,
    walls: &Walls<D>,
    seed: u64,
    content: impl Fn([f64; D]) -> Option<Content<D>>,
) {
    let cells = grid.cells();
    let count: usize = cells.iter().product();
    for number in 0..count {
        let mut rest = number;
        let cell: [usize; D] = std::array::from_fn(|axis| {
            let along = rest % cells[axis];
            rest /= cells[axis];
            along
        });
        seed_cell(cell, seed, |position| {
            if let Some(content) = content(in_metres(grid, position)).filter(|_| walls.is_free(position)) {
                particles.push(Newborn { position, velocity: content.velocity, colour: content.colour });
            }
        });
    }
}

/// Calls `work` with the places of the particles of a full cell, in cells.
pub(super) fn seed_cell<const D: usize>(cell: [usize; D], seed: u64, mut work: impl FnMut([f32; D])) {
    let mut draw = Draws::new(cell, seed);
    for share in 0..1 << D {
        work(std::array::from_fn(|axis| {
            let middle = cell[axis] as f32 + 0.25 + 0.5 * (share >> axis & 1) as f32;
            middle + 0.25 * JITTER * (2.0 * draw.next() - 1.0)
        }));
    }
}

/// Random numbers that belong to a cell, or to whatever else has numbers of its own.
pub(super) struct Draws {
    bits: u64,
}

impl Draws {
    /// Numbers that belong to a cell.
    pub fn new<const D: usize>(cell: [usize; D], seed: u64) -> Self {
        let bits = cell.iter().fold(seed ^ 0x9e37_79b9_7f4a_7c15, |bits, &along| {
            (bits ^ along as u64).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29)
        });
        Draws { bits }
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
    fn a_full_cell_has_one_particle_in_every_share() {
        let mut seen = [0; 8];
        for cell in [[0, 0, 0], [5, 7, 1000]] {
            seed_cell(cell, 42, |place| {
                let share = (0..3).map(|axis| {
                    let inside = place[axis] - cell[axis] as f32;
                    assert!((0.0..1.0).contains(&inside));
                    usize::from(inside > 0.5) << axis
                });
                seen[share.sum::<usize>()] += 1;
            });
        }
        assert_eq!(seen, [2; 8]);
    }
}
