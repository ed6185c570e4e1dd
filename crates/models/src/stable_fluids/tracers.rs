//! Particles that follow the fluid without weighing anything in it.
//!
//! Tracers start at places drawn from the scene's seed, and follow the flow by midpoint steps; one that leaves through an
//! open side starts again elsewhere. After them come the particles that emitters give off. They have a mass, which may
//! burn down; they are gone when nothing is left of it, or when they leave. All places come from hashes
//! ([`Draw`]), so a run that is resumed goes on the same way.
//!
//! An obstacle that runs over a particle pushes it to its surface.

use std::io;

use undine_frame::{CloudRole, Quantity};
use undine_grid::advection::Tracer;
use undine_grid::{Field, Grid, par};
use undine_sim::{AttributeView, CloudView, Reader, Writer};

use super::draw::Draw;
use super::emitters::Emitter;
use crate::solids::Solids;

/// Particles that are moved together on one thread.
const CHUNK: usize = 256;

/// How often a particle looks for a place in the open.
const TRIES: u32 = 16;

/// The most particles that one emitter can have around at once.
const MOST_OF_AN_EMITTER: f64 = 1e6;

/// Particles that follow a fluid.
#[derive(Debug, Clone)]
pub struct Tracers<const D: usize> {
    seed: u64,
    /// The first ones are tracers, so many of them; then come those that were given off, the oldest first.
    particles: Vec<Particle<D>>,
    tracers: usize,
    /// There are never more than this.
    most: usize,
    /// Room for so many is taken at the start, for the emitters of this scene.
    room: usize,
    springs: Vec<Spring>,
    positions: Vec<[f32; 3]>,
    velocities: Vec<[f32; 3]>,
    /// Empty where no emitter gives off any.
    masses: Vec<f32>,
    radius: f32,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Particle<const D: usize> {
    /// In cells from the lowest corner.
    point: [f64; D],
    velocity: [f64; D],
    mass: f64,
    /// Mass that it loses per second.
    burning: f64,
    /// How often it looked for a place.
    starts: u32,
    has_left: bool,
}

/// What an emitter has given off so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Spring {
    /// The share of the next particle that is due.
    due: f64,
    given: u64,
}

/// Where particles are moved: the flow, what stands in it, and which sides let them out.
pub struct Surroundings<'a, const D: usize> {
    /// The flow, with its ghosts.
    pub flow: [&'a Field<f64, D>; D],
    /// What stands in it.
    pub solids: Option<&'a Solids<D>>,
    /// Sides through which particles leave.
    pub is_open: [[bool; 2]; D],
}

impl<const D: usize> Tracers<D> {
    /// So many particles all over the grid, and what blots have at the start.
    pub fn new(
        count: usize,
        seed: u64,
        duration: f64,
        grid: &Grid<D>,
        solids: Option<&Solids<D>>,
        emitters: &[Emitter<D>],
    ) -> Self {
        let room = |emitter: &Emitter<D>| emitter.most_particles(duration).min(MOST_OF_AN_EMITTER) as usize;
        let most = count + emitters.iter().map(room).sum::<usize>();
        let mut tracers = Tracers {
            seed,
            particles: Vec::with_capacity(most),
            tracers: count,
            room: most,
            most,
            springs: vec![Spring::default(); emitters.len()],
            positions: Vec::with_capacity(most),
            velocities: Vec::with_capacity(most),
            masses: Vec::with_capacity(if most > count { most } else { 0 }),
            radius: 0.3 * grid.spacing().into_iter().fold(f64::INFINITY, f64::min) as f32,
        };
        for number in 0..count {
            let mut particle = Particle::at([0.0; D], 1.0, 0.0);
            particle.start(seed, number as u64, grid, solids);
            tracers.particles.push(particle);
        }
        for (number, emitter) in emitters.iter().enumerate().filter(|(_, emitter)| emitter.is_at_start()) {
            tracers.springs[number].due = emitter.rate(0.0);
            tracers.give(number, emitter, 0.0, grid, solids, |_, point| point);
        }
        tracers.show(grid);
        tracers
    }

    /// Moves all particles for `dt` seconds up to time `end`, burns them down, and lets emitters give off new ones.
    pub fn advance(&mut self, emitters: &[Emitter<D>], around: &Surroundings<'_, D>, dt: f64, end: f64) {
        if self.most == 0 {
            return;
        }
        let (tracer, grid) = (Tracer::new(around.flow), *around.flow[0].grid());
        let (seed, tracers) = (self.seed, self.tracers);
        par::for_each_chunk(&mut self.particles, CHUNK, |first, chunk| {
            let mut points = [[0.0; D]; CHUNK];
            let points = &mut points[..chunk.len()];
            points.iter_mut().zip(&*chunk).for_each(|(point, particle)| *point = particle.point);
            tracer.follow_all(points, dt);
            for (number, (particle, point)) in chunk.iter_mut().zip(points).enumerate() {
                particle.arrive(*point, &grid, around);
                particle.mass -= particle.burning * dt;
                if particle.has_left && first + number < tracers {
                    particle.start(seed, (first + number) as u64, &grid, around.solids);
                }
            }
        });
        self.particles.retain(|particle| !particle.has_left && particle.mass > 0.0);
        for (number, emitter) in emitters.iter().enumerate() {
            self.springs[number].due += match emitter.is_blot() {
                true if emitter.falls(end - dt, end) => emitter.rate(end),
                true => continue,
                false => emitter.rate(end) * dt,
            };
            // They come one after the other in the course of the step, so the younger ones have not come as far
            self.give(number, emitter, end, &grid, around.solids, |age, point| {
                tracer.follow(point, age * dt)
            });
        }
        self.measure_velocities(&tracer);
        self.show(&grid);
    }

    fn measure_velocities(&mut self, tracer: &Tracer<'_, D>) {
        par::for_each_chunk(&mut self.particles, CHUNK, |_, chunk| {
            let (mut points, mut velocities) = ([[0.0; D]; CHUNK], [[0.0; D]; CHUNK]);
            points.iter_mut().zip(&*chunk).for_each(|(point, particle)| *point = particle.point);
            tracer.velocities(&points[..chunk.len()], &mut velocities);
            chunk.iter_mut().zip(velocities).for_each(|(particle, velocity)| particle.velocity = velocity);
        });
    }

    /// Puts the particles that are due into an emitter's ball. `drift` takes a point as far as it gets in a share of
    /// the step. None is given off while there is no room, nor where there is no open place.
    fn give(
        &mut self,
        number: usize,
        emitter: &Emitter<D>,
        time: f64,
        grid: &Grid<D>,
        solids: Option<&Solids<D>>,
        drift: impl Fn(f64, [f64; D]) -> [f64; D],
    ) {
        let count = self.springs[number].due.floor();
        self.springs[number].due -= count;
        let Some(ball) = emitter.ball(time) else { return };
        for _ in 0..count as usize {
            let spring = &mut self.springs[number];
            spring.given += 1;
            let draw = Draw::new([self.seed, number as u64 + 1, spring.given]);
            let place = (0..TRIES).find_map(|attempt| open_place(draw.in_ball(attempt, &ball), grid, solids));
            if let Some(point) = place.filter(|_| self.particles.len() < self.most) {
                let point = drift(draw.unit(TRIES, 0), point);
                let point = settled(point, grid, solids).unwrap_or(point);
                let [mass, burning] = emitter.mass_and_burning();
                self.particles.push(Particle::at(point, mass, burning));
            }
        }
    }

    /// What there is to see of them.
    pub fn view(&self) -> Option<CloudView<'_>> {
        let masses = AttributeView {
            name: "mass",
            unit: "",
            quantity: Quantity::Mass,
            columns: vec![self.masses.as_slice()],
        };
        (self.most > 0).then(|| CloudView {
            role: CloudRole::Tracer,
            positions: &self.positions,
            velocities: &self.velocities,
            radius: self.radius,
            attributes: if self.masses.is_empty() { Vec::new() } else { vec![masses] },
        })
    }

    fn show(&mut self, grid: &Grid<D>) {
        let (origin, spacing) = (grid.origin(), grid.spacing());
        self.positions.clear();
        self.velocities.clear();
        let in_space =
            |along: [f64; D]| std::array::from_fn(|axis| along.get(axis).map_or(0.0, |one| *one as f32));
        for particle in &self.particles {
            let place = std::array::from_fn(|axis| origin[axis] + particle.point[axis] * spacing[axis]);
            self.positions.push(in_space(place));
            self.velocities.push(in_space(particle.velocity));
        }
        if self.most > self.tracers {
            self.masses.clear();
            self.masses.extend(self.particles.iter().map(|particle| particle.mass as f32));
        }
    }

    /// Writes where all particles are.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        let particles = || self.particles.iter();
        to.records("points", particles().map(|one| one.point))?;
        to.records("velocities", particles().map(|one| one.velocity))?;
        to.records("masses", particles().map(|one| [one.mass, one.burning, f64::from(one.starts)]))?;
        to.records("springs", self.springs.iter().map(|spring| [spring.due, spring.given as f64]))?;
        to.integer("room", self.most as u64)
    }

    /// Takes up particles that were saved, be it with other emitters: those of an emitter that is gone float on.
    pub fn restore(&mut self, from: &mut Reader<'_>, grid: &Grid<D>) -> io::Result<()> {
        let foreign =
            || io::Error::new(io::ErrorKind::InvalidData, "the saved particles are not those of this scene");
        // Every column must have as many records as there are points
        self.particles.clear();
        from.records("points", |point| self.particles.push(Particle::at(point, 0.0, 0.0)))?;
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
        self.springs.fill(Spring::default());
        let mut springs = self.springs.iter_mut();
        from.records("springs", |[due, given]: [f64; 2]| {
            springs.next().into_iter().for_each(|spring| *spring = Spring { due, given: given as u64 });
        })?;
        let most = usize::try_from(from.integer("room")?).map_err(|_| foreign())?;
        let count = self.particles.len();
        if counts != [count; 2] || !(self.tracers..=most).contains(&count) {
            return Err(foreign());
        }
        self.most = most.max(self.room);
        self.show(grid);
        Ok(())
    }
}

impl<const D: usize> Particle<D> {
    fn at(point: [f64; D], mass: f64, burning: f64) -> Self {
        Particle { point, velocity: [0.0; D], mass, burning, starts: 0, has_left: false }
    }

    /// Takes it where the flow has carried it, or beside the obstacle that it met there.
    fn arrive(&mut self, point: [f64; D], grid: &Grid<D>, around: &Surroundings<'_, D>) {
        let is_out = |axis: usize| {
            let [low, high] = around.is_open[axis];
            (low && point[axis] <= 0.0) || (high && point[axis] >= grid.cells()[axis] as f64)
        };
        let settled = settled(point, grid, around.solids).filter(|_| !(0..D).any(is_out));
        self.has_left = settled.is_none();
        self.point = settled.unwrap_or(point);
    }

    /// Puts a tracer at a new place in the open.
    fn start(&mut self, seed: u64, number: u64, grid: &Grid<D>, solids: Option<&Solids<D>>) {
        self.has_left = false;
        for _ in 0..TRIES {
            self.starts = self.starts.wrapping_add(1);
            let draw = Draw::new([seed, 0, number]);
            let along = |axis: usize| draw.unit(self.starts, axis) * grid.cells()[axis] as f64;
            self.point = std::array::from_fn(along);
            if let Some(point) = settled(self.point, grid, solids) {
                self.point = point;
                return;
            }
        }
    }
}

/// A place in metres as one in cells, if it lies in the open and in the box.
fn open_place<const D: usize>(
    place: [f64; D],
    grid: &Grid<D>,
    solids: Option<&Solids<D>>,
) -> Option<[f64; D]> {
    let point: [f64; D] =
        std::array::from_fn(|axis| (place[axis] - grid.origin()[axis]) / grid.spacing()[axis]);
    let is_inside = (0..D).all(|axis| (0.0..=grid.cells()[axis] as f64).contains(&point[axis]));
    (is_inside && solids.is_none_or(|solids| solids.distance_from(place) > 0.0)).then_some(point)
}

/// A point in cells, or the nearest one outside obstacles; `None` deep in an obstacle, or where that lies beyond the box.
fn settled<const D: usize>(point: [f64; D], grid: &Grid<D>, solids: Option<&Solids<D>>) -> Option<[f64; D]> {
    let Some(solids) = solids else { return Some(point) };
    let (origin, spacing) = (grid.origin(), grid.spacing());
    let place = std::array::from_fn(|axis| origin[axis] + point[axis] * spacing[axis]);
    let out = solids.push_outside(place)?;
    if out == place {
        return Some(point);
    }
    let moved: [f64; D] = std::array::from_fn(|axis| (out[axis] - origin[axis]) / spacing[axis]);
    (0..D).all(|axis| (0.0..=grid.cells()[axis] as f64).contains(&moved[axis])).then_some(moved)
}
