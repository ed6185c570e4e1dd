//! The water and the ground below it, without anything around them.
//!
//! Depths and velocities are kept, not levels: a film on a mountain has all its digits. Levels are only ever compared,
//! as (depth − depth) + (bed − bed). The bed is laid on multiples of a power of two so small that it does not matter
//! and so large that, for water that starts at a common level, these sums come out as exactly zero: rest is rest.

use undine_grid::tridiagonal::bundles;
use undine_grid::{Condition, Field, FieldError, Grid, Location, Real, Side};

use super::law::Law;
use super::rim::Rim;
use super::stage::{Outcome, Stage, Strands, advance};
use crate::heightfield::HeightFieldSetup;

/// How a step weighs its beginning and its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// The share p of the end of the step.
    pub implicit: f64,
    /// τ: the share of every velocity that a step takes away.
    pub damping: f64,
}

/// Depths, velocities and the bed; `W` values fill a cache line.
pub struct Basin<T, const W: usize> {
    /// Depth of the water in metres, never below zero.
    pub depth: Field<T, 2>,
    /// Level of the ground above `reference`.
    pub bed: Field<T, 2>,
    /// Along x and y, m = √D u through the face between each sample and the one before it, D the depth there.
    pub flow: [Field<T, 2>; 2],
    /// The level from which the bed is counted, in metres.
    pub reference: f64,
    /// Water thinner than this clings to the ground.
    pub film: f64,
    /// Whether the last step left samples that are not covered by more than a film.
    pub has_bare_ground: bool,
    /// West, east, south, north: the sides that are open.
    sides: [Option<Opening<T>>; 4],
}

/// An open side: one number for each line that ends there.
struct Opening<T> {
    rest: Vec<T>,
    incoming: Vec<T>,
}

impl<T> Opening<T> {
    fn rim(&self) -> Rim<'_, T> {
        Rim { rest: &self.rest, incoming: &self.incoming }
    }
}

impl<T: Real, const W: usize> Basin<T, W> {
    /// The water that `land` begins with.
    pub fn new(land: &HeightFieldSetup, film: f64) -> Result<Self, FieldError> {
        let blank = || Field::new(land.grid, Location::Center, Condition::Open, 1);
        let mut basin = Basin {
            depth: blank()?,
            bed: blank()?,
            flow: [blank()?, blank()?],
            reference: land.still_level,
            film,
            has_bare_ground: true,
            sides: [const { None }; 4],
        };
        let quantum = quantum::<T>(land);
        let snapped = |level: f64| ((level - land.still_level) / quantum).round() * quantum;
        for ([x, y], bed) in land.bed.iter() {
            let ground = snapped(bed);
            basin.bed[[x, y]] = T::from_f64(ground);
            let depth = land.depth[[x, y]];
            if depth > 0.0 {
                basin.depth[[x, y]] = T::from_f64((snapped(bed + depth) - ground).max(0.0));
            }
        }
        for axis in 0..2 {
            for (at, velocity) in land.velocity[axis].iter() {
                let Some(low) = before(at, axis) else { continue };
                basin.set_speed(axis, at, 0.5 * (velocity + land.velocity[axis][low]));
            }
        }
        Ok(basin)
    }

    /// The cells.
    pub fn grid(&self) -> &Grid<2> {
        self.depth.grid()
    }

    /// Opens a side, with the level at rest at `reference`.
    pub fn open(&mut self, side: Side) {
        let Some(number) = number(side) else { return };
        let cells = self.depth.size();
        let (axis, lines) = (side.axis(), cells[1 - side.axis()]);
        let edge = if side.is_high() { cells[axis] - 1 } else { 0 };
        let rest = |line: usize| {
            let bed = self.bed[if axis == 0 { [edge, line] } else { [line, edge] }];
            T::from_f64((-bed.to_f64()).max(0.0))
        };
        let rest = (0..lines).map(rest).collect();
        self.sides[number] = Some(Opening { rest, incoming: vec![T::default(); lines] });
    }

    /// Sets what comes in through an open side: `elevation(line, depth at rest)`, averaged over the step to come.
    pub fn send_in(&mut self, side: Side, elevation: impl Fn(usize, f64) -> f64) {
        let Some(opening) = number(side).and_then(|number| self.sides[number].as_mut()) else { return };
        for (line, incoming) in opening.incoming.iter_mut().enumerate() {
            *incoming = T::from_f64(2.0 * elevation(line, opening.rest[line].to_f64()));
        }
    }

    /// Advances by `dt`: all rows, then all columns, eqs. (19) and (20) of [kass1990].
    pub fn step(&mut self, dt: f64, gravity: f64, weights: Weights) -> Outcome {
        let [columns, rows] = self.depth.size();
        if rows == 1 {
            return self.sweep(0, true, dt, gravity, weights);
        }
        let along_x = match columns {
            1 => Outcome::default(),
            _ => self.sweep(0, false, dt, gravity, weights),
        };
        self.sweep(1, true, dt, gravity, weights).and(along_x)
    }

    /// Advances by `dt` along one axis.
    pub fn sweep(&mut self, axis: usize, is_last: bool, dt: f64, gravity: f64, weights: Weights) -> Outcome {
        let spacing = self.grid().spacing()[axis];
        let law = Law::new(dt, spacing, gravity, weights.implicit, weights.damping, self.film);
        let rims = [0, 1].map(|end| self.sides[2 * axis + end].as_ref().map(Opening::rim));
        let stage = Stage { law, rims, has_bare_ground: self.has_bare_ground, is_last };
        let flow = &mut self.flow[axis];
        let work = |strands: Strands<'_, T, W>| advance(&stage, strands);
        let outcome =
            bundles(axis, [&self.bed], [&mut self.depth, flow], work, Outcome::and).unwrap_or_default();
        if is_last {
            self.has_bare_ground = outcome.bare > 0;
        }
        outcome
    }

    /// Whether there are samples that are not covered by more than a film.
    pub fn bares_ground(&self) -> bool {
        self.depth.iter().any(|(_, depth)| depth.to_f64() <= self.film)
    }

    /// Level of the surface, or of the ground where it is bare, in metres.
    pub fn level(&self, cell: [usize; 2]) -> f64 {
        self.reference + (self.bed[cell].to_f64() + self.depth[cell].to_f64())
    }

    /// Velocity through the face between a cell and the one before it; zero at the side and where it is bare.
    pub fn face_speed(&self, axis: usize, cell: [usize; 2]) -> f64 {
        let depth = self.face_depth(axis, cell);
        if depth > self.film { self.flow[axis][cell].to_f64() / depth.sqrt() } else { 0.0 }
    }

    /// Sets the velocity through the face between a cell and the one before it.
    pub fn set_speed(&mut self, axis: usize, cell: [usize; 2], speed: f64) {
        self.flow[axis][cell] = T::from_f64(speed * self.face_depth(axis, cell).sqrt());
    }

    /// Mean depth of a cell and the one before it; zero at the side.
    pub fn face_depth(&self, axis: usize, cell: [usize; 2]) -> f64 {
        let mean = |low: [usize; 2]| 0.5 * (self.depth[cell].to_f64() + self.depth[low].to_f64());
        before(cell, axis).map_or(0.0, mean)
    }

    /// Velocity in the middle of a cell: the mean of its two faces; zero where it is bare.
    pub fn speed(&self, axis: usize, cell: [usize; 2]) -> f64 {
        let mut high = cell;
        high[axis] += 1;
        let is_inside = high[axis] < self.depth.size()[axis];
        let above = if is_inside { self.face_speed(axis, high) } else { 0.0 };
        let speed = 0.5 * (self.face_speed(axis, cell) + above);
        if self.depth[cell].to_f64() > self.film { speed } else { 0.0 }
    }

    /// The velocities of [`Basin::speed`] in all cells of a row.
    pub fn row_speeds(&self, axis: usize, y: usize, speeds: &mut [f32]) {
        let rows = self.depth.size()[1];
        let depth = self.depth.row([0, y as isize]);
        let through = |flow: T, here: T, before: T| {
            let mean = 0.5 * (here.to_f64() + before.to_f64());
            if mean > self.film { flow.to_f64() / mean.sqrt() } else { 0.0 }
        };
        let at = |x: usize, low: f64, high: f64| {
            if depth[x].to_f64() > self.film { (0.5 * (low + high)) as f32 } else { 0.0 }
        };
        let flow = self.flow[axis].row([0, y as isize]);
        if axis == 0 {
            let mut west = 0.0;
            for x in 0..speeds.len() {
                let is_inside = x + 1 < speeds.len();
                let east = if is_inside { through(flow[x + 1], depth[x + 1], depth[x]) } else { 0.0 };
                speeds[x] = at(x, west, east);
                west = east;
            }
            return;
        }
        let below = (y > 0).then(|| self.depth.row([0, y as isize - 1]));
        let above = (y + 1 < rows)
            .then(|| (self.depth.row([0, y as isize + 1]), self.flow[1].row([0, y as isize + 1])));
        for x in 0..speeds.len() {
            let south = below.map_or(0.0, |below| through(flow[x], depth[x], below[x]));
            let north = above.map_or(0.0, |(above, flow)| through(flow[x], above[x], depth[x]));
            speeds[x] = at(x, south, north);
        }
    }
}

/// The cell before this one along an axis.
fn before(mut cell: [usize; 2], axis: usize) -> Option<[usize; 2]> {
    cell[axis] = cell[axis].checked_sub(1)?;
    Some(cell)
}

fn number(side: Side) -> Option<usize> {
    Side::of_dimension(2).iter().position(|&other| other == side)
}

/// The power of two on whose multiples the bed is laid: such that every depth between the lowest ground and the highest
/// water is a multiple that the type holds exactly.
fn quantum<T: Real>(land: &HeightFieldSetup) -> f64 {
    let away = |level: f64| (level - land.still_level).abs();
    let farthest =
        land.bed.iter().fold(0.0f64, |far, (at, bed)| far.max(away(bed)).max(away(bed + land.depth[at])));
    let bits = if size_of::<T>() == 4 { 22 } else { 51 };
    let exponent = farthest.max(1e-6).log2().ceil() as i32;
    2f64.powi(exponent - bits)
}
