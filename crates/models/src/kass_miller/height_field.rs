//! State of the model: depths, face velocities and bed, and a step of them without sources.
//!
//! Depths and velocities are stored, not levels, so a film on a mountain has full precision. Level differences are
//! computed as (depth − depth) + (bed − bed). The bed is rounded to multiples of a power of two, small enough not to
//! matter and large enough that for water at a common level these sums are exactly zero: a lake at rest stays at rest.

use std::io;

use undine_grid::tridiagonal::bundles;
use undine_grid::{Condition, Field, FieldError, Grid, Location, Real, Side};
use undine_sim::{Disturbance, Reader};

use super::adi_sweep::{AdiSweep, LineBundle, SweepSums, advance};
use super::face_flux::FaceFlux;
use super::open_boundary::OpenBoundary;
use crate::heightfield::{BedChange, HeightFieldSetup};

/// Weights of a step in time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeWeights {
    /// p: weight of the end of the step.
    pub implicit: f64,
    /// τ: fraction of every velocity that a step removes.
    pub damping: f64,
}

/// Depths, face velocities and bed; `W` values fill a cache line.
pub struct HeightField<T, const W: usize> {
    /// Depth in metres, never below zero.
    pub depth: Field<T, 2>,
    /// Bed b above `reference`.
    pub bed: Field<T, 2>,
    /// What has been heaped up and dug away.
    pub bed_change: BedChange<T>,
    /// m = √D u along x and y, through the face between each sample and the one before it; D the depth at the face.
    pub flow: [Field<T, 2>; 2],
    /// Level from which the bed is counted, in metres: the still level.
    pub reference: f64,
    /// Depth up to which a sample counts as bare.
    pub film: f64,
    /// Whether the last step left bare samples.
    pub has_bare_ground: bool,
    /// The open sides of west, east, south, north.
    sides: [Option<OpenSide<T>>; 4],
}

/// An open side: one value for each line that ends there.
struct OpenSide<T> {
    rest: Vec<T>,
    incoming: Vec<T>,
}

impl<T> OpenSide<T> {
    fn boundary(&self) -> OpenBoundary<'_, T> {
        OpenBoundary { rest: &self.rest, incoming: &self.incoming }
    }
}

impl<T: Real, const W: usize> HeightField<T, W> {
    /// The state that `setup` starts from.
    pub fn new(setup: &HeightFieldSetup, film: f64) -> Result<Self, FieldError> {
        let blank = || Field::new(setup.grid, Location::Center, Condition::Open, 1);
        let quantum = quantum::<T>(setup);
        let mut height_field = HeightField {
            depth: blank()?,
            bed: blank()?,
            bed_change: BedChange::new(setup.still_level, quantum),
            flow: [blank()?, blank()?],
            reference: setup.still_level,
            film,
            has_bare_ground: true,
            sides: [const { None }; 4],
        };
        // Depths and bed, rounded so that a common level gives exactly equal sums
        let quantised = |level: f64| ((level - setup.still_level) / quantum).round() * quantum;
        for ([x, y], bed) in setup.bed.iter() {
            let ground = quantised(bed);
            height_field.bed[[x, y]] = T::from_f64(ground);
            let depth = setup.depth[[x, y]];
            if depth > 0.0 {
                height_field.depth[[x, y]] = T::from_f64((quantised(bed + depth) - ground).max(0.0));
            }
        }
        // Face velocities: the mean of both cells
        for axis in 0..2 {
            for (at, velocity) in setup.velocity[axis].iter() {
                let Some(low) = low_neighbour(at, axis) else { continue };
                height_field.set_speed(axis, at, 0.5 * (velocity + setup.velocity[axis][low]));
            }
        }
        Ok(height_field)
    }

    /// The grid.
    pub fn grid(&self) -> &Grid<2> {
        self.depth.grid()
    }

    /// Opens a side, with the still level at `reference`.
    pub fn open(&mut self, side: Side) {
        let Some(index) = side_index(side) else { return };
        let lines = self.depth.size()[1 - side.axis()];
        let blank = || vec![T::default(); lines];
        self.sides[index] = Some(OpenSide { rest: blank(), incoming: blank() });
        self.update_rest();
    }

    /// Sets the depth at rest of the open sides from the bed.
    fn update_rest(&mut self) {
        let cells = self.depth.size();
        for (side, open) in Side::of_dimension(2).iter().zip(&mut self.sides) {
            let axis = side.axis();
            let edge = if side.is_high() { cells[axis] - 1 } else { 0 };
            for (line, rest) in open.iter_mut().flat_map(|open| &mut open.rest).enumerate() {
                let bed = self.bed[if axis == 0 { [edge, line] } else { [line, edge] }];
                *rest = T::from_f64((-bed.to_f64()).max(0.0));
            }
        }
    }

    /// Changes the ground; the depth stays everywhere.
    pub fn change_ground(&mut self, disturbance: &Disturbance) -> bool {
        let has_changed = self.bed_change.apply(disturbance, &mut self.bed);
        if has_changed {
            self.update_rest();
        }
        has_changed
    }

    /// Restores what has been heaped up and dug away.
    pub fn restore_ground(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.bed_change.restore(from, &mut self.bed)?;
        self.update_rest();
        Ok(())
    }

    /// Sets η_in at an open side: `elevation(line, depth at rest)`, averaged over the coming step.
    pub fn set_incoming<E>(
        &mut self,
        side: Side,
        elevation: impl Fn(usize, f64) -> Result<f64, E>,
    ) -> Result<(), E> {
        let Some(open) = side_index(side).and_then(|index| self.sides[index].as_mut()) else { return Ok(()) };
        for (line, incoming) in open.incoming.iter_mut().enumerate() {
            *incoming = T::from_f64(2.0 * elevation(line, open.rest[line].to_f64())?);
        }
        Ok(())
    }

    /// Advances by `dt`: one sweep along x and one along y, eqs. (19) and (20) of [kass1990].
    pub fn step(&mut self, dt: f64, gravity: f64, weights: TimeWeights) -> SweepSums {
        let [columns, rows] = self.depth.size();
        if rows == 1 {
            return self.sweep(0, true, dt, gravity, weights);
        }
        let along_x = match columns {
            1 => SweepSums::default(),
            _ => self.sweep(0, false, dt, gravity, weights),
        };
        self.sweep(1, true, dt, gravity, weights).and(along_x)
    }

    /// One implicit sweep by `dt` along an axis.
    pub fn sweep(
        &mut self,
        axis: usize,
        is_last: bool,
        dt: f64,
        gravity: f64,
        weights: TimeWeights,
    ) -> SweepSums {
        let spacing = self.grid().spacing()[axis];
        let face_flux = FaceFlux::new(dt, spacing, gravity, weights.implicit, weights.damping, self.film);
        let boundaries = [0, 1].map(|end| self.sides[2 * axis + end].as_ref().map(OpenSide::boundary));
        let parameters = AdiSweep { face_flux, boundaries, has_bare_ground: self.has_bare_ground, is_last };
        let flow = &mut self.flow[axis];
        let work = |lines: LineBundle<'_, T, W>| advance(&parameters, lines);
        let sums =
            bundles(axis, [&self.bed], [&mut self.depth, flow], work, SweepSums::and).unwrap_or_default();
        if is_last {
            self.has_bare_ground = sums.bare > 0;
        }
        sums
    }

    /// Whether there are bare samples.
    pub fn find_bare_ground(&self) -> bool {
        self.depth.iter().any(|(_, depth)| depth.to_f64() <= self.film)
    }

    /// Level of the surface in metres, or of the bed where it is bare.
    pub fn level(&self, cell: [usize; 2]) -> f64 {
        self.reference + (self.bed[cell].to_f64() + self.depth[cell].to_f64())
    }

    /// u = m/√D through the face between a cell and the one before it; zero at the side and where it is bare.
    pub fn face_speed(&self, axis: usize, cell: [usize; 2]) -> f64 {
        let depth = self.face_depth(axis, cell);
        if depth > self.film { self.flow[axis][cell].to_f64() / depth.sqrt() } else { 0.0 }
    }

    /// Sets u through the face between a cell and the one before it.
    pub fn set_speed(&mut self, axis: usize, cell: [usize; 2], speed: f64) {
        self.flow[axis][cell] = T::from_f64(speed * self.face_depth(axis, cell).sqrt());
    }

    /// D: mean depth of a cell and the one before it; zero at the side.
    pub fn face_depth(&self, axis: usize, cell: [usize; 2]) -> f64 {
        let mean = |low: [usize; 2]| 0.5 * (self.depth[cell].to_f64() + self.depth[low].to_f64());
        low_neighbour(cell, axis).map_or(0.0, mean)
    }

    /// Velocity at a cell centre: the mean of its two faces; zero where it is bare.
    pub fn speed(&self, axis: usize, cell: [usize; 2]) -> f64 {
        let mut high = cell;
        high[axis] += 1;
        let is_inside = high[axis] < self.depth.size()[axis];
        let above = if is_inside { self.face_speed(axis, high) } else { 0.0 };
        let speed = 0.5 * (self.face_speed(axis, cell) + above);
        if self.depth[cell].to_f64() > self.film { speed } else { 0.0 }
    }

    /// [`HeightField::speed`] of all cells of a row.
    pub fn row_speeds(&self, axis: usize, y: usize, speeds: &mut [f32]) {
        let rows = self.depth.size()[1];
        let depth = self.depth.row([0, y as isize]);
        let through = |flow: T, here: T, low_neighbour: T| {
            let mean = 0.5 * (here.to_f64() + low_neighbour.to_f64());
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

/// The previous cell along an axis.
fn low_neighbour(mut cell: [usize; 2], axis: usize) -> Option<[usize; 2]> {
    cell[axis] = cell[axis].checked_sub(1)?;
    Some(cell)
}

/// The index of a side in `sides`.
fn side_index(side: Side) -> Option<usize> {
    Side::of_dimension(2).iter().position(|&other| other == side)
}

/// The power of two to whose multiples the bed is rounded: such that every depth between the lowest bed and the highest
/// level is exact in `T`.
fn quantum<T: Real>(setup: &HeightFieldSetup) -> f64 {
    let height = |level: f64| (level - setup.still_level).abs();
    let largest = setup
        .bed
        .iter()
        .fold(0.0f64, |far, (at, bed)| far.max(height(bed)).max(height(bed + setup.depth[at])));
    let bits = if size_of::<T>() == 4 { 22 } else { 51 };
    let exponent = largest.max(1e-6).log2().ceil() as i32;
    2f64.powi(exponent - bits)
}
