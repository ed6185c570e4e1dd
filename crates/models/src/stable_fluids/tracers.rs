//! Passive particles: tracers all over the box, and particles of emitters.
//!
//! Tracers start at random positions and follow the flow by midpoint steps; one that leaves through an open side is
//! seeded again. The particles of emitters have a mass, which may decrease; they are removed when it is zero or when
//! they leave. All positions come from hashes ([`HashRng`]), so a resumed run is identical.
//!
//! A moving obstacle pushes particles to its surface.

use std::io;
use std::ops::Range;

use undine_frame::{CloudRole, Quantity};
use undine_grid::advection::Tracer;
use undine_grid::{Field, Grid, par};
use undine_scene::Problem;
use undine_sim::{AttributeView, CloudView, Reader, Writer};

use super::emitters::FluidEmitter;
use super::hash_rng::HashRng;
use crate::solids::Solids;

/// Particles per parallel task.
const CHUNK: usize = 256;

/// Maximum number of random positions tried to find one outside obstacles.
const MAX_ATTEMPTS: u32 = 16;

/// Largest number of simultaneous particles of one emitter.
const MAX_PER_EMITTER: f64 = 1e6;

/// The passive particles of a fluid.
#[derive(Debug, Clone)]
pub struct Tracers<const D: usize> {
    seed: u64,
    /// First the tracers, then the emitted particles, the oldest first.
    particles: Vec<TracerParticle<D>>,
    tracers: usize,
    /// Maximum number of particles.
    capacity: usize,
    /// Capacity needed by the emitters of this scene.
    initial_capacity: usize,
    counters: Vec<EmissionCounter>,
    positions: Vec<[f32; 3]>,
    velocities: Vec<[f32; 3]>,
    /// Empty if no emitter emits particles.
    masses: Vec<f32>,
    radius: f32,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct TracerParticle<const D: usize> {
    /// In cells from the lowest corner.
    point: [f64; D],
    velocity: [f64; D],
    mass: f64,
    /// Mass lost per second.
    burning: f64,
    /// Number of random positions tried so far.
    starts: u32,
    has_left: bool,
}

/// Particles emitted by one emitter so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct EmissionCounter {
    /// Fraction of the next particle that is due.
    due: f64,
    emitted: u64,
}

/// What moves particles: the flow, the solids, and the open sides.
pub struct TracerEnvironment<'a, const D: usize> {
    /// The flow, with its ghosts.
    pub flow: [&'a Field<f64, D>; D],
    /// Obstacles in it.
    pub solids: Option<&'a Solids<D>>,
    /// Sides through which particles leave.
    pub is_open: [[bool; 2]; D],
}

impl<const D: usize> Tracers<D> {
    /// `count` tracers all over the grid, and the particles of initial blots.
    pub fn new(
        count: usize,
        seed: u64,
        duration: f64,
        grid: &Grid<D>,
        solids: Option<&Solids<D>>,
        emitters: &[FluidEmitter<D>],
    ) -> Self {
        let bound =
            |emitter: &FluidEmitter<D>| emitter.most_particles(duration).min(MAX_PER_EMITTER) as usize;
        let capacity = count + emitters.iter().map(bound).sum::<usize>();
        let mut tracers = Tracers {
            seed,
            particles: Vec::with_capacity(capacity),
            tracers: count,
            initial_capacity: capacity,
            capacity,
            counters: vec![EmissionCounter::default(); emitters.len()],
            positions: Vec::with_capacity(capacity),
            velocities: Vec::with_capacity(capacity),
            masses: Vec::with_capacity(if capacity > count { capacity } else { 0 }),
            radius: 0.3 * grid.spacing().into_iter().fold(f64::INFINITY, f64::min) as f32,
        };
        // Tracers at random positions, then the particles of blots that are there from the start
        for number in 0..count {
            let mut particle = TracerParticle::at([0.0; D], 1.0, 0.0);
            particle.reseed(seed, number as u64, grid, solids);
            tracers.particles.push(particle);
        }
        for (number, emitter) in emitters.iter().enumerate().filter(|(_, emitter)| emitter.is_initial_blot())
        {
            // The value was checked when the scene was read
            tracers.counters[number].due = emitter.initial_particles().unwrap_or(0.0);
            tracers.emit(number, emitter, 0.0, grid, solids, |_, point| point);
        }
        tracers.update_view(grid);
        tracers
    }

    /// Moves all particles during a step of `dt` seconds, reduces their masses, and emits new ones.
    pub fn advance(
        &mut self,
        emitters: &[FluidEmitter<D>],
        environment: &TracerEnvironment<'_, D>,
        dt: f64,
        step: &Range<f64>,
    ) -> Result<(), Problem> {
        // Without room for particles, rates are still checked
        if self.capacity == 0 {
            return emitters.iter().try_for_each(|emitter| emitter.emitted(step).map(|_| ()));
        }
        let (tracer, grid) = (Tracer::new(environment.flow), *environment.flow[0].grid());
        let (seed, tracers) = (self.seed, self.tracers);
        par::for_each_chunk(&mut self.particles, CHUNK, |first, chunk| {
            let mut points = [[0.0; D]; CHUNK];
            let points = &mut points[..chunk.len()];
            points.iter_mut().zip(&*chunk).for_each(|(point, particle)| *point = particle.point);
            tracer.trace_all(points, dt);
            for (number, (particle, point)) in chunk.iter_mut().zip(points).enumerate() {
                particle.move_to(*point, &grid, environment);
                particle.mass -= particle.burning * dt;
                if particle.has_left && first + number < tracers {
                    particle.reseed(seed, (first + number) as u64, &grid, environment.solids);
                }
            }
        });
        self.particles.retain(|particle| !particle.has_left && particle.mass > 0.0);
        for (number, emitter) in emitters.iter().enumerate() {
            if emitter.is_blot() && !emitter.starts_within(step) {
                continue;
            }
            self.counters[number].due += emitter.emitted(step)?;
            // Emission is spread over the step: each particle moves for a random part of it
            self.emit(number, emitter, step.end, &grid, environment.solids, |age, point| {
                tracer.trace(point, age * dt)
            });
        }
        self.measure_velocities(&tracer);
        self.update_view(&grid);
        Ok(())
    }

    fn measure_velocities(&mut self, tracer: &Tracer<'_, D>) {
        par::for_each_chunk(&mut self.particles, CHUNK, |_, chunk| {
            let (mut points, mut velocities) = ([[0.0; D]; CHUNK], [[0.0; D]; CHUNK]);
            points.iter_mut().zip(&*chunk).for_each(|(point, particle)| *point = particle.point);
            tracer.velocities(&points[..chunk.len()], &mut velocities);
            chunk.iter_mut().zip(velocities).for_each(|(particle, velocity)| particle.velocity = velocity);
        });
    }

    /// Emits the particles that are due at random positions in an emitter's ball. `drift` moves a point for a fraction
    /// of the step. None is emitted beyond the capacity, nor where no open position is found.
    fn emit(
        &mut self,
        number: usize,
        emitter: &FluidEmitter<D>,
        time: f64,
        grid: &Grid<D>,
        solids: Option<&Solids<D>>,
        drift: impl Fn(f64, [f64; D]) -> [f64; D],
    ) {
        let count = self.counters[number].due.floor();
        self.counters[number].due -= count;
        let Some(ball) = emitter.ball(time) else { return };
        for _ in 0..count as usize {
            let counter = &mut self.counters[number];
            counter.emitted += 1;
            let rng = HashRng::new([self.seed, number as u64 + 1, counter.emitted]);
            let position = (0..MAX_ATTEMPTS)
                .find_map(|attempt| open_position(rng.in_ball(attempt, &ball), grid, solids));
            if let Some(point) = position.filter(|_| self.particles.len() < self.capacity) {
                let point = drift(rng.unit(MAX_ATTEMPTS, 0), point);
                let point = outside_solids(point, grid, solids).unwrap_or(point);
                let [mass, burning] = emitter.mass_and_burning();
                self.particles.push(TracerParticle::at(point, mass, burning));
            }
        }
    }

    /// The particles as a cloud.
    pub fn view(&self) -> Option<CloudView<'_>> {
        let masses = AttributeView {
            name: "mass",
            unit: "",
            quantity: Quantity::Mass,
            columns: vec![self.masses.as_slice()],
        };
        (self.capacity > 0).then(|| CloudView {
            role: CloudRole::Tracer,
            positions: &self.positions,
            velocities: &self.velocities,
            radius: self.radius,
            attributes: if self.masses.is_empty() { Vec::new() } else { vec![masses] },
        })
    }

    fn update_view(&mut self, grid: &Grid<D>) {
        let (origin, spacing) = (grid.origin(), grid.spacing());
        self.positions.clear();
        self.velocities.clear();
        let in_space =
            |vector: [f64; D]| std::array::from_fn(|axis| vector.get(axis).map_or(0.0, |one| *one as f32));
        for particle in &self.particles {
            let position = std::array::from_fn(|axis| origin[axis] + particle.point[axis] * spacing[axis]);
            self.positions.push(in_space(position));
            self.velocities.push(in_space(particle.velocity));
        }
        if self.capacity > self.tracers {
            self.masses.clear();
            self.masses.extend(self.particles.iter().map(|particle| particle.mass as f32));
        }
    }

    /// Writes all particles.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        let particles = || self.particles.iter();
        to.records("points", particles().map(|one| one.point))?;
        to.records("velocities", particles().map(|one| one.velocity))?;
        to.records("masses", particles().map(|one| [one.mass, one.burning, f64::from(one.starts)]))?;
        to.records("springs", self.counters.iter().map(|counter| [counter.due, counter.emitted as f64]))?;
        to.integer("room", self.capacity as u64)
    }

    /// Restores saved particles, also with other emitters: the particles of a removed emitter stay.
    pub fn restore(&mut self, from: &mut Reader<'_>, grid: &Grid<D>) -> io::Result<()> {
        let foreign =
            || io::Error::new(io::ErrorKind::InvalidData, "the saved particles are not those of this scene");
        // Every column must have as many records as there are points
        self.particles.clear();
        from.records("points", |point| self.particles.push(TracerParticle::at(point, 0.0, 0.0)))?;
        let mut counts = [0; 2];
        let mut velocities = self.particles.iter_mut();
        from.records("velocities", |velocity| {
            velocities.next().into_iter().for_each(|particle| particle.velocity = velocity);
            counts[0] += 1;
        })?;
        let mut masses = self.particles.iter_mut();
        from.records("masses", |[mass, burning, starts]: [f64; 3]| {
            if let Some(particle) = masses.next() {
                (particle.mass, particle.burning, particle.starts) = (mass, burning, starts as u32);
            }
            counts[1] += 1;
        })?;
        self.counters.fill(EmissionCounter::default());
        let mut counters = self.counters.iter_mut();
        from.records("springs", |[due, emitted]: [f64; 2]| {
            counters
                .next()
                .into_iter()
                .for_each(|counter| *counter = EmissionCounter { due, emitted: emitted as u64 });
        })?;
        let capacity = usize::try_from(from.integer("room")?).map_err(|_| foreign())?;
        let count = self.particles.len();
        if counts != [count; 2] || !(self.tracers..=capacity).contains(&count) {
            return Err(foreign());
        }
        self.capacity = capacity.max(self.initial_capacity);
        self.update_view(grid);
        Ok(())
    }
}

impl<const D: usize> TracerParticle<D> {
    fn at(point: [f64; D], mass: f64, burning: f64) -> Self {
        TracerParticle { point, velocity: [0.0; D], mass, burning, starts: 0, has_left: false }
    }

    /// Sets the position at the end of a step, outside obstacles; marks a particle that has left.
    fn move_to(&mut self, point: [f64; D], grid: &Grid<D>, environment: &TracerEnvironment<'_, D>) {
        let is_out = |axis: usize| {
            let [low, high] = environment.is_open[axis];
            (low && point[axis] <= 0.0) || (high && point[axis] >= grid.cells()[axis] as f64)
        };
        let outside_solids = outside_solids(point, grid, environment.solids).filter(|_| !(0..D).any(is_out));
        self.has_left = outside_solids.is_none();
        self.point = outside_solids.unwrap_or(point);
    }

    /// Seeds a tracer at a new random position outside obstacles.
    fn reseed(&mut self, seed: u64, number: u64, grid: &Grid<D>, solids: Option<&Solids<D>>) {
        self.has_left = false;
        for _ in 0..MAX_ATTEMPTS {
            self.starts = self.starts.wrapping_add(1);
            let rng = HashRng::new([seed, 0, number]);
            let coordinate = |axis: usize| rng.unit(self.starts, axis) * grid.cells()[axis] as f64;
            self.point = std::array::from_fn(coordinate);
            if let Some(point) = outside_solids(self.point, grid, solids) {
                self.point = point;
                return;
            }
        }
    }
}

/// Converts a position from metres to cells, if it lies in the box and outside obstacles.
fn open_position<const D: usize>(
    position: [f64; D],
    grid: &Grid<D>,
    solids: Option<&Solids<D>>,
) -> Option<[f64; D]> {
    let point: [f64; D] =
        std::array::from_fn(|axis| (position[axis] - grid.origin()[axis]) / grid.spacing()[axis]);
    let is_inside = (0..D).all(|axis| (0.0..=grid.cells()[axis] as f64).contains(&point[axis]));
    (is_inside && solids.is_none_or(|solids| solids.distance_from(position) > 0.0)).then_some(point)
}

/// A point in cells, pushed out of obstacles; `None` if it is too deep inside or would leave the box.
fn outside_solids<const D: usize>(
    point: [f64; D],
    grid: &Grid<D>,
    solids: Option<&Solids<D>>,
) -> Option<[f64; D]> {
    let Some(solids) = solids else { return Some(point) };
    let (origin, spacing) = (grid.origin(), grid.spacing());
    let position = std::array::from_fn(|axis| origin[axis] + point[axis] * spacing[axis]);
    let out = solids.push_outside(position)?;
    if out == position {
        return Some(point);
    }
    let moved: [f64; D] = std::array::from_fn(|axis| (out[axis] - origin[axis]) / spacing[axis]);
    (0..D).all(|axis| (0.0..=grid.cells()[axis] as f64).contains(&moved[axis])).then_some(moved)
}
