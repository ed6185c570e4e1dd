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
use crate::heightfield::Land;

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
    /// Velocities along x and y, in m/s, through the face between each sample and the one before it.
    pub velocity: [Field<T, 2>; 2],
    /// The level from which the bed is counted, in metres.
    pub reference: f64,
    /// Water thinner than this clings to the ground.
    pub film: f64,
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
    pub fn new(land: &Land, film: f64) -> Result<Self, FieldError> {
        let blank = || Field::new(land.grid, Location::Center, Condition::Open, 1);
        let mut basin = Basin {
            depth: blank()?,
            bed: blank()?,
            velocity: [blank()?, blank()?],
            reference: land.still_level,
            film,
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
                let Some(before) = at[axis].checked_sub(1) else { continue };
                let mut low = at;
                low[axis] = before;
                basin.velocity[axis][at] = T::from_f64(0.5 * (velocity + land.velocity[axis][low]));
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
        let cells = self.depth.size();
        let along_x = if cells[0] > 1 || cells[1] == 1 { self.sweep(0, dt, gravity, weights) } else { Outcome::default() };
        if cells[1] == 1 {
            return along_x;
        }
        let along_y = self.sweep(1, dt, gravity, weights);
        Outcome {
            inflow: along_x.inflow + along_y.inflow,
            outflow: along_x.outflow + along_y.outflow,
            ..along_y
        }
    }

    /// Advances by `dt` along one axis.
    pub fn sweep(&mut self, axis: usize, dt: f64, gravity: f64, weights: Weights) -> Outcome {
        let pace = dt / self.grid().spacing()[axis];
        let number = T::from_f64;
        let law = Law {
            pace: number(pace),
            gain: number(gravity * pace * pace),
            kept: number(1.0 - weights.damping),
            implicit: number(weights.implicit),
            smoothing: number(if weights.implicit < 1.0 { 1.0 } else { 0.0 }),
            film: number(self.film),
        };
        let rims = [0, 1].map(|end| self.sides[2 * axis + end].as_ref().map(Opening::rim));
        let stage = Stage { law, rims };
        let velocity = &mut self.velocity[axis];
        let work = |strands: Strands<'_, T, W>| advance(&stage, strands);
        bundles(axis, [&self.bed], [&mut self.depth, velocity], work, Outcome::and).unwrap_or_default()
    }

    /// Level of the surface, or of the ground where it is bare, in metres.
    pub fn level(&self, cell: [usize; 2]) -> f64 {
        self.reference + (self.bed[cell].to_f64() + self.depth[cell].to_f64())
    }

    /// Velocity in the middle of a cell: the mean of its two faces; zero where it is bare.
    pub fn speed(&self, cell: [usize; 2], axis: usize) -> f64 {
        if self.depth[cell].to_f64() <= self.film {
            return 0.0;
        }
        let mut high = cell;
        high[axis] += 1;
        let above = if high[axis] < self.depth.size()[axis] { self.velocity[axis][high].to_f64() } else { 0.0 };
        let below = if cell[axis] > 0 { self.velocity[axis][cell].to_f64() } else { 0.0 };
        0.5 * (below + above)
    }
}

fn number(side: Side) -> Option<usize> {
    Side::of_dimension(2).iter().position(|&other| other == side)
}

/// The power of two on whose multiples the bed is laid: such that every depth between the lowest ground and the highest
/// water is a multiple that the type holds exactly.
fn quantum<T: Real>(land: &Land) -> f64 {
    let away = |level: f64| (level - land.still_level).abs();
    let farthest = land.bed.iter().fold(0.0f64, |far, (at, bed)| far.max(away(bed)).max(away(bed + land.depth[at])));
    let bits = if size_of::<T>() == 4 { 22 } else { 51 };
    let exponent = farthest.max(1e-6).log2().ceil() as i32;
    2f64.powi(exponent - bits)
}
