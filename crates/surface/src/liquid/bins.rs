//! Particles binned by the cells of the simulation.

use undine_frame::Cloud;
use undine_grid::par;

use super::lattice::SurfaceLattice;

/// Particles per parallel task.
const GRAIN: usize = 1 << 14;
/// The cell of a particle whose position is not finite.
const NOWHERE: u32 = u32::MAX;

/// A particle in lattice coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BinnedParticle {
    pub position: [f32; 3],
    /// Its index in the cloud.
    pub number: u32,
}

/// All particles sorted by cell, in order of their indices within a cell.
pub struct ParticleBins {
    cells: [usize; 3],
    starts: Vec<u32>,
    particles: Vec<BinnedParticle>,
}

impl ParticleBins {
    /// Counting sort of the particles; those without a finite position are left out.
    pub fn new(cloud: &Cloud, lattice: &SurfaceLattice<'_>) -> ParticleBins {
        let mut keys: Vec<(u32, [f32; 3])> = vec![(NOWHERE, [0.0; 3]); cloud.positions.len()];
        par::for_each_chunk(&mut keys, GRAIN, |first, chunk| {
            let positions = &cloud.positions[first..];
            for (key, position) in chunk.iter_mut().zip(positions) {
                let at = lattice.to_lattice(*position);
                if position.iter().all(|x| x.is_finite()) {
                    *key = (
                        linear_index(lattice.cells, [0, 1, 2].map(|axis| lattice.cell(at[axis], axis)))
                            as u32,
                        at,
                    );
                }
            }
        });
        let mut starts = vec![0u32; lattice.cells.iter().product::<usize>() + 2];
        keys.iter().filter(|key| key.0 != NOWHERE).for_each(|key| starts[key.0 as usize + 2] += 1);
        for cell in 2..starts.len() {
            starts[cell] += starts[cell - 1];
        }
        let mut particles = vec![BinnedParticle::default(); starts.last().map_or(0, |&count| count as usize)];
        for (number, (cell, position)) in (0u32..).zip(keys).filter(|(_, key)| key.0 != NOWHERE) {
            let next = &mut starts[cell as usize + 1];
            particles[*next as usize] = BinnedParticle { position, number };
            *next += 1;
        }
        starts.pop();
        ParticleBins { cells: lattice.cells, starts, particles }
    }

    /// Whether a cell, by its linear index, holds no particle.
    pub fn is_empty(&self, cell: usize) -> bool {
        self.starts[cell] == self.starts[cell + 1]
    }

    /// The particles of `count` cells along x from `first`.
    pub fn row(&self, first: [usize; 3], count: usize) -> &[BinnedParticle] {
        let cell = linear_index(self.cells, first);
        &self.particles[self.starts[cell] as usize..self.starts[cell + count] as usize]
    }
}

/// Linear index of a cell, x fastest.
pub fn linear_index(cells: [usize; 3], at: [usize; 3]) -> usize {
    (at[2] * cells[1] + at[1]) * cells[0] + at[0]
}
