//! Liquid that comes and goes: emitters, drains and the sides of the box, at the end of every step.
//!
//! A mouth is a part of the box that is kept full of liquid with a velocity: what is in it takes that velocity, and every
//! share of a cell in it that has no particle gets one, as far as its rate allows. Particles in drains and beyond open
//! sides are taken away. All of it goes through the ledger.

use std::io;

use undine_grid::{Grid, Side};
use undine_sim::{Reader, Writer};

use super::ledger::Ledger;
use super::seed::seed_cell;
use super::sources::{Drain, Emitter, LiquidSide, LiquidSides};
use crate::free_surface::particles::{Newborn, Particles, in_metres};
use crate::free_surface::solid_boundary::Walls;

/// All ways in and out.
pub(super) struct Sources<const D: usize> {
    pub emitters: Vec<Emitter<D>>,
    pub drains: Vec<Drain<D>>,
    pub sides: LiquidSides<D>,
    /// Particles that each emitter, then each drain, may still move.
    dues: Vec<f64>,
    /// How many particles each share of the cells of a mouth has.
    taken: Vec<u8>,
}

/// A part of the box that is kept full.
pub(super) struct Mouth<'a, const D: usize> {
    /// Its lowest and highest cell.
    pub cells: [[usize; D]; 2],
    /// Whether a point, in metres, lies in it.
    pub contains: &'a dyn Fn([f64; D]) -> bool,
    pub velocity: [f32; D],
    pub colour: [f32; 3],
    /// The most particles that it may give.
    pub most: usize,
}

/// What sources act on, and when.
pub(super) struct Scenery<'a, const D: usize> {
    pub grid: &'a Grid<D>,
    pub walls: &'a Walls<D>,
    /// The end of the step, and its length, in seconds.
    pub time: f64,
    pub dt: f64,
}

impl<const D: usize> Sources<D> {
    /// Sources that have done nothing yet.
    pub fn new(emitters: Vec<Emitter<D>>, drains: Vec<Drain<D>>, sides: LiquidSides<D>) -> Self {
        let dues = vec![0.0; emitters.len() + drains.len()];
        Sources { emitters, drains, sides, dues, taken: Vec::new() }
    }

    /// Which sides let particles out.
    pub fn open_sides(&self) -> [[bool; 2]; D] {
        let is_open = |side: Side| self.sides.kind(side) == LiquidSide::Open;
        std::array::from_fn(|axis| [0, 1].map(|high| is_open(Side::ALL[2 * axis + high])))
    }

    /// Velocities that closed sides have, and the level in cells below which they have it.
    pub fn side_speeds(&self, grid: &Grid<D>, time: f64) -> ([[f32; 2]; D], [[f32; 2]; D]) {
        let each = |value: &dyn Fn(Side) -> f64| {
            std::array::from_fn(|axis| [0, 1].map(|high| value(Side::ALL[2 * axis + high]) as f32))
        };
        let base = grid.origin()[D - 1];
        let level = |side: Side| (self.sides.level(side, time) - base) / grid.spacing()[0];
        (each(&|side| self.sides.velocity(side, time)), each(&level))
    }

    /// The greatest speed of anything that comes in now, in m/s.
    pub fn fastest(&self, time: f64) -> f64 {
        let speed = |emitter: &Emitter<D>| {
            emitter
                .at(time)
                .map_or(0.0, |flow| flow.velocity.iter().fold(0.0, |most: f64, one| most.max(one.abs())))
        };
        self.emitters.iter().map(speed).fold(self.sides.fastest(time), f64::max)
    }

    /// Whether a cell must have particles, however deep it lies: where liquid is taken out.
    pub fn keeps_particles(
        &self,
        grid: &Grid<D>,
        time: f64,
    ) -> impl Fn([usize; D]) -> bool + Sync + use<'_, D> {
        let spots: Vec<_> =
            self.drains.iter().filter_map(|drain| drain.at(time).map(|(spot, _)| spot)).collect();
        let grid = *grid;
        move |cell| {
            let middle = || grid.centre(cell.map(|along| along as isize));
            spots.iter().any(|spot| spot.contains(middle()))
        }
    }

    /// Lets liquid out and in for a step.
    pub fn act(&mut self, particles: &mut Particles<D>, ledger: &mut Ledger, scenery: &Scenery<'_, D>) {
        self.let_out_of_sides(particles, ledger, scenery);
        self.drain(particles, ledger, scenery);
        self.emit(particles, ledger, scenery);
        self.let_in_by_sides(particles, ledger, scenery);
    }

    fn let_out_of_sides(&self, particles: &mut Particles<D>, ledger: &mut Ledger, scenery: &Scenery<'_, D>) {
        for (axis, [low, high]) in self.open_sides().into_iter().enumerate() {
            let end = scenery.walls.cells[axis] as f32;
            for number in 0..if low || high { particles.len() } else { 0 } {
                let along = particles.position[axis][number];
                // Not again what has left by another side
                let is_there = !particles.position[0][number].is_nan();
                if is_there && (low && along <= 0.0 || high && along >= end) {
                    particles.take_away(number);
                    ledger.leave(1);
                }
            }
        }
    }

    fn drain(&mut self, particles: &mut Particles<D>, ledger: &mut Ledger, scenery: &Scenery<'_, D>) {
        let &Scenery { grid, time, dt, .. } = scenery;
        let (_, dues) = self.dues.split_at_mut(self.emitters.len());
        for (drain, due) in self.drains.iter().zip(dues) {
            let Some((spot, rate)) = drain.at(time) else { continue };
            let most = allowance(due, rate, ledger.particle(), dt);
            let [low, high] = spot.bounds();
            let mut taken = 0;
            for number in 0..particles.len() {
                let point = in_metres(grid, particles.at(number));
                let is_near = (0..D).all(|axis| point[axis] >= low[axis] && point[axis] <= high[axis]);
                if is_near && taken < most && spot.contains(point) {
                    particles.take_away(number);
                    taken += 1;
                }
            }
            ledger.leave(taken);
            *due = settle(*due, taken, rate);
        }
    }

    fn emit(&mut self, particles: &mut Particles<D>, ledger: &mut Ledger, scenery: &Scenery<'_, D>) {
        let &Scenery { grid, time, dt, .. } = scenery;
        for (emitter, due) in self.emitters.iter().zip(&mut self.dues) {
            let Some(flow) = emitter.at(time) else { continue };
            let most = allowance(due, flow.rate, ledger.particle(), dt);
            let Some(cells) = cells_between(grid, flow.spot.bounds()) else { continue };
            let mouth = Mouth {
                cells,
                contains: &|point| flow.spot.contains(point),
                velocity: flow.velocity.map(|along| along as f32),
                colour: flow.colour,
                most,
            };
            let given = mouth.keep_full(particles, scenery, &mut self.taken);
            ledger.enter(given);
            *due = settle(*due, given, flow.rate);
        }
    }

    fn let_in_by_sides(
        &mut self,
        particles: &mut Particles<D>,
        ledger: &mut Ledger,
        scenery: &Scenery<'_, D>,
    ) {
        let &Scenery { grid, walls, time, dt } = scenery;
        for &side in Side::of_dimension(D).iter().filter(|side| self.sides.kind(**side) == LiquidSide::Inflow)
        {
            let (axis, speed) = (side.axis(), self.sides.velocity(side, time));
            // As thick as what comes in during a step, so that no gap opens
            let thick = ((speed.abs() * dt / grid.spacing()[0]).ceil() as usize).clamp(1, walls.cells[axis]);
            let mut cells = [[0; D], walls.cells.map(|count| count - 1)];
            match side.is_high() {
                false => cells[1][axis] = thick - 1,
                true => cells[0][axis] = walls.cells[axis] - thick,
            }
            let level = self.sides.level(side, time);
            let mut velocity = [0.0; D];
            velocity[axis] = speed as f32;
            let mouth = Mouth {
                cells,
                contains: &|point| point[D - 1] < level,
                velocity,
                colour: super::sources::WATER,
                most: usize::MAX,
            };
            ledger.enter(mouth.keep_full(particles, scenery, &mut self.taken));
        }
    }

    /// Writes what each may still move.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        let (emitters, drains) = self.dues.split_at(self.emitters.len());
        to.values("emitters", emitters)?;
        to.values("drains", drains)
    }

    /// Takes what was written, by these sources or by others; one that is new has done nothing yet.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.dues.fill(0.0);
        let (emitters, drains) = self.dues.split_at_mut(self.emitters.len());
        for (name, dues) in [("emitters", emitters), ("drains", drains)] {
            let mut dues = dues.iter_mut();
            from.records(name, |[saved]: [f64; 1]| dues.next().into_iter().for_each(|due| *due = saved))?;
        }
        Ok(())
    }
}

impl<const D: usize> Mouth<'_, D> {
    /// Gives what is in the mouth its velocity and fills what is empty. Returns how many particles were added.
    pub fn keep_full(
        &self,
        particles: &mut Particles<D>,
        &Scenery { grid, walls, .. }: &Scenery<'_, D>,
        taken: &mut Vec<u8>,
    ) -> usize {
        let [low, high] = self.cells;
        let size: [usize; D] = std::array::from_fn(|axis| high[axis] + 1 - low[axis]);
        let count: usize = size.iter().product();
        taken.clear();
        taken.resize(count << D, 0);
        for number in 0..particles.len() {
            let point = particles.at(number);
            let is_near =
                (0..D).all(|axis| point[axis] >= low[axis] as f32 && point[axis] < (high[axis] + 1) as f32);
            if !is_near || !(self.contains)(in_metres(grid, point)) {
                continue;
            }
            let share = &mut taken[share_of(point, low, size)];
            *share = share.saturating_add(1);
            particles.set_velocity(number, self.velocity);
        }
        let mut given = 0;
        for place in 0..count {
            let mut rest = place;
            let cell = std::array::from_fn(|axis| {
                let along = low[axis] + rest % size[axis];
                rest /= size[axis];
                along
            });
            // Where shares have several, others may stay empty, or the liquid would come in too dense
            let present: usize =
                taken[place << D..(place + 1) << D].iter().map(|&count| usize::from(count)).sum();
            let mut lacking = (1 << D) - present.min(1 << D);
            // Other places at other times
            seed_cell(cell, u64::from(particles.next_id()), |position| {
                let is_free = taken[share_of(position, low, size)] == 0 && walls.is_free(position);
                let is_wanted = given < self.most && lacking > 0;
                if is_wanted && is_free && (self.contains)(in_metres(grid, position)) {
                    lacking -= 1;
                    particles.push(Newborn { position, velocity: self.velocity, colour: self.colour });
                    given += 1;
                }
            });
        }
        given
    }
}

/// Number of the share of a cell in which a point of the mouth lies.
fn share_of<const D: usize>(point: [f32; D], low: [usize; D], size: [usize; D]) -> usize {
    let (mut cell, mut share) = (0, 0);
    for axis in (0..D).rev() {
        let local = point[axis] - low[axis] as f32;
        let along = (local as usize).min(size[axis] - 1);
        cell = cell * size[axis] + along;
        share = 2 * share + usize::from(local - along as f32 >= 0.5);
    }
    (cell << D) + share
}

/// The cells of a grid between two corners in metres; `None` when there is none.
pub(super) fn cells_between<const D: usize>(
    grid: &Grid<D>,
    [low, high]: [[f64; D]; 2],
) -> Option<[[usize; D]; 2]> {
    let (origin, spacing, cells) = (grid.origin(), grid.spacing(), grid.cells());
    let place = |axis: usize, at: f64| (at - origin[axis]) / spacing[axis];
    let is_inside =
        |axis: usize| place(axis, high[axis]) > 0.0 && place(axis, low[axis]) < cells[axis] as f64;
    let cell = |axis: usize, at: f64| (place(axis, at).max(0.0) as usize).min(cells[axis] - 1);
    (0..D).all(is_inside).then(|| {
        [
            std::array::from_fn(|axis| cell(axis, low[axis])),
            std::array::from_fn(|axis| cell(axis, high[axis])),
        ]
    })
}

/// Whole particles that may be moved now.
fn allowance(due: &mut f64, rate: Option<f64>, particle: f64, dt: f64) -> usize {
    let Some(rate) = rate else { return usize::MAX };
    *due += rate * dt / particle;
    *due as usize
}

/// What is left of a due: no more than one particle, so that what could not be moved is not made up for in one gush.
fn settle(due: f64, moved: usize, rate: Option<f64>) -> f64 {
    if rate.is_some() { (due - moved as f64).clamp(0.0, 1.0) } else { 0.0 }
}
