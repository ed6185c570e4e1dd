//! Particles that follow the fluid without weighing anything.
//!
//! They start at places drawn from the scene's seed, and follow the flow by midpoint steps. One that meets an obstacle or
//! leaves through an open side starts again elsewhere; where, comes from a hash of the seed, its number and how
//! often it has started, so a run that is resumed goes on the same way.

use std::io;

use undine_grid::advection::Tracer;
use undine_grid::{Field, Grid, par};
use undine_sim::{ParticlesView, Reader, Writer};

use super::obstacles::{SOLID, Solids};

/// Particles that are moved together on one thread.
const CHUNK: usize = 1024;

/// How often a particle looks for a place in the open before it takes any.
const TRIES: u32 = 16;

/// Particles that follow a fluid.
#[derive(Debug, Clone)]
pub struct Tracers<const D: usize> {
    seed: u64,
    particles: Vec<Particle<D>>,
    positions: Vec<[f32; 3]>,
    velocities: Vec<[f32; 3]>,
    radius: f32,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Particle<const D: usize> {
    /// In cells from the lowest corner.
    point: [f64; D],
    velocity: [f64; D],
    starts: u32,
}

impl<const D: usize> Tracers<D> {
    /// So many particles all over the grid.
    pub fn new(count: usize, seed: u64, grid: &Grid<D>, solids: Option<&Solids<D>>) -> Self {
        let start = |number: usize| {
            let mut particle = Particle { point: [0.0; D], velocity: [0.0; D], starts: 0 };
            particle.start(seed, number as u64, grid, solids);
            particle
        };
        let mut tracers = Tracers {
            seed,
            particles: (0..count).map(start).collect(),
            positions: vec![[0.0; 3]; count],
            velocities: vec![[0.0; 3]; count],
            radius: 0.3 * grid.spacing().into_iter().fold(f64::INFINITY, f64::min) as f32,
        };
        tracers.show(grid);
        tracers
    }

    /// Moves all particles with a flow for `dt` seconds.
    pub fn advance(&mut self, flow: [&Field<f64, D>; D], dt: f64, is_open: [[bool; 2]; D], solids: Option<&Solids<D>>) {
        if self.particles.is_empty() {
            return;
        }
        let (tracer, grid, seed) = (Tracer::new(flow), *flow[0].grid(), self.seed);
        let cells = grid.cells().map(|cells| cells as f64);
        par::for_each_chunk(&mut self.particles, CHUNK, |first, chunk| {
            for (number, particle) in chunk.iter_mut().enumerate() {
                particle.point = tracer.follow(particle.point, dt);
                let left = (0..D).any(|axis| {
                    (is_open[axis][0] && particle.point[axis] <= 0.0)
                        || (is_open[axis][1] && particle.point[axis] >= cells[axis])
                });
                if left || is_in_solid(particle.point, solids) {
                    particle.start(seed, (first + number) as u64, &grid, solids);
                }
                particle.velocity = tracer.velocity(particle.point);
            }
        });
        self.show(&grid);
    }

    /// What there is to see of them.
    pub fn view(&self) -> Option<ParticlesView<'_>> {
        (!self.particles.is_empty()).then_some(ParticlesView {
            positions: &self.positions,
            velocities: &self.velocities,
            radius: self.radius,
            masses: &[],
        })
    }

    fn show(&mut self, grid: &Grid<D>) {
        let (origin, spacing) = (grid.origin(), grid.spacing());
        let shown = self.positions.iter_mut().zip(&mut self.velocities);
        for (particle, (position, velocity)) in self.particles.iter().zip(shown) {
            for axis in 0..D {
                position[axis] = (origin[axis] + particle.point[axis] * spacing[axis]) as f32;
                velocity[axis] = particle.velocity[axis] as f32;
            }
        }
    }

    /// Writes where all particles are.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        let numbers: Vec<f64> = self
            .particles
            .iter()
            .flat_map(|one| one.point.into_iter().chain(one.velocity).chain([f64::from(one.starts)]))
            .collect();
        to.numbers("tracers", &numbers)
    }

    /// Takes up particles that were saved.
    pub fn restore(&mut self, from: &mut Reader<'_>, grid: &Grid<D>) -> io::Result<()> {
        let numbers = from.numbers("tracers")?;
        if numbers.len() != self.particles.len() * (2 * D + 1) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the saved tracers are not those of this scene"));
        }
        for (particle, numbers) in self.particles.iter_mut().zip(numbers.chunks_exact(2 * D + 1)) {
            particle.point = std::array::from_fn(|axis| numbers[axis]);
            particle.velocity = std::array::from_fn(|axis| numbers[D + axis]);
            particle.starts = numbers[2 * D] as u32;
        }
        self.show(grid);
        Ok(())
    }
}

impl<const D: usize> Particle<D> {
    /// Puts it at a new place in the open.
    fn start(&mut self, seed: u64, number: u64, grid: &Grid<D>, solids: Option<&Solids<D>>) {
        for _ in 0..TRIES {
            self.starts = self.starts.wrapping_add(1);
            let share = |axis: usize| unit_number([seed, number, u64::from(self.starts), axis as u64]);
            self.point = std::array::from_fn(|axis| share(axis) * grid.cells()[axis] as f64);
            if !is_in_solid(self.point, solids) {
                return;
            }
        }
    }
}

fn is_in_solid<const D: usize>(point: [f64; D], solids: Option<&Solids<D>>) -> bool {
    let cell = point.map(|along| along as isize);
    solids.is_some_and(|solids| solids.cell_kinds().get(cell).is_some_and(|kind| kind & SOLID != 0))
}

/// A number in [0, 1) from a hash of others.
fn unit_number(words: [u64; 4]) -> f64 {
    let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
    for word in words {
        bits = (bits ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        bits = (bits ^ (bits >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        bits ^= bits >> 29;
    }
    (bits >> 11) as f64 / (1u64 << 53) as f64
}
