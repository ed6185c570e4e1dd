//! Tracing points along a flow.

use super::instances::family;
use super::sampler::{BATCH, CornerValues, FieldSampler, PointBatch, Points, TraceDomain};
use crate::field::Field;
use crate::location::Location;
use crate::simd;

/// A flow along which points are traced. Points are in cells from the lowest corner of the grid, so that no
/// division is needed on the way.
///
/// ```
/// use undine_grid::advection::Tracer;
/// use undine_grid::{Condition, Grid, MacVelocity};
///
/// let grid = Grid::new([8, 8], [0.5, 0.5], [0.0, 0.0])?;
/// let mut wind = MacVelocity::<f64, 2>::new(grid, Condition::Open, 1)?;
/// wind[0].fill(2.0);
/// wind.fill_ghosts();
/// let tracer = Tracer::new(wind.components().each_ref());
/// assert_eq!(tracer.trace([1.0, 3.0], 0.25), [2.0, 3.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Tracer<'a, const D: usize> {
    components: [FieldSampler<'a, f64, D>; D],
    /// One over the spacing.
    per_cell: [f64; D],
    extent: TraceDomain<D>,
}

impl<'a, const D: usize> Tracer<'a, D> {
    /// The flow with these components, on faces or at centres; their ghosts must be filled.
    ///
    /// # Panics
    /// When the components lie on different grids.
    pub fn new(components: [&'a Field<f64, D>; D]) -> Self {
        let grid = components[0].grid();
        assert!(components.iter().all(|field| field.grid() == grid), "the components of a flow share a grid");
        Tracer {
            components: components.map(FieldSampler::new),
            per_cell: grid.spacing().map(|spacing| 1.0 / spacing),
            extent: TraceDomain::of(components[0]),
        }
    }

    /// Position of a point after `dt` seconds in the flow, or before for a negative `dt`: a midpoint step (RK2).
    pub fn trace(&self, point: [f64; D], dt: f64) -> [f64; D] {
        let mut points = [point];
        self.trace_all(&mut points, dt);
        points[0]
    }

    /// The velocity at a point, in m/s; outside the grid, that of the nearest point of it.
    pub fn velocity(&self, point: [f64; D]) -> [f64; D] {
        let mut velocities = [[0.0; D]];
        self.velocities(&[point], &mut velocities);
        velocities[0]
    }

    /// Moves many points for `dt` seconds: [`Tracer::trace`] for each, in whole registers.
    pub fn trace_all(&self, points: &mut [[f64; D]], dt: f64) {
        family::<f64, D>().follow_points(self, points, dt);
    }

    /// Does [`Tracer::trace_all`].
    pub(super) fn trace_batches(&self, points: &mut [[f64; D]], dt: f64) {
        simd::dispatch(
            #[inline(always)]
            || {
                let mut scratch = TraceScratch::new();
                for batch in points.chunks_mut(BATCH) {
                    self.load_points(batch, &mut scratch);
                    self.midpoint_step(&mut scratch, dt);
                    for (number, point) in batch.iter_mut().enumerate() {
                        (0..D).for_each(|axis| point[axis] = scratch.ends.along(axis)[number]);
                    }
                }
            },
        );
    }

    /// The velocities at many points: [`Tracer::velocity`] for each, in whole registers.
    pub fn velocities(&self, points: &[[f64; D]], out: &mut [[f64; D]]) {
        family::<f64, D>().velocities(self, points, out);
    }

    /// Does [`Tracer::velocities`].
    pub(super) fn velocity_batches(&self, points: &[[f64; D]], out: &mut [[f64; D]]) {
        simd::dispatch(
            #[inline(always)]
            || {
                let mut scratch = TraceScratch::new();
                for (batch, out) in points.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
                    self.load_points(batch, &mut scratch);
                    for (number, velocity) in out.iter_mut().enumerate() {
                        (0..D).for_each(|axis| velocity[axis] = scratch.velocity[axis][number]);
                    }
                }
            },
        );
    }

    /// Loads up to [`BATCH`] points and their velocities into the scratch memory.
    #[inline(always)]
    fn load_points(&self, points: &[[f64; D]], scratch: &mut TraceScratch<D>) {
        for axis in 0..D {
            for (along, point) in scratch.from[axis].iter_mut().zip(points) {
                *along = point[axis];
            }
            *scratch.middle.along_mut(axis) = scratch.from[axis];
            scratch.middle.keep_inside(axis, &self.extent);
        }
        for axis in 0..D {
            scratch.velocity[axis] = *self.components[axis].values(&scratch.middle, &mut scratch.corners);
        }
    }

    /// Where up to [`BATCH`] samples of a row, from `at` on, are after `dt` seconds in the flow: [`Tracer::trace`] for
    /// many, left as the scratch's ends. Their own velocities are means of rows, which is faster than sampling.
    #[inline(always)]
    pub(super) fn trace_row(
        &self,
        location: Location,
        at: [isize; D],
        count: usize,
        dt: f64,
        scratch: &mut TraceScratch<D>,
    ) {
        for axis in 0..D {
            self.components[axis].means(location, at, &mut scratch.velocity[axis][..count]);
            let start = at[axis] as f64 + if location.is_on_side(axis) { 0.0 } else { 0.5 };
            let step = if axis == 0 { 1.0 } else { 0.0 };
            for (x, along) in scratch.from[axis].iter_mut().enumerate() {
                *along = start + step * x as f64;
            }
        }
        self.midpoint_step(scratch, dt);
    }

    #[inline(always)]
    fn midpoint_step(&self, scratch: &mut TraceScratch<D>, dt: f64) {
        self.store_ends(&scratch.from, &scratch.velocity, 0.5 * dt, &mut scratch.middle);
        for axis in 0..D {
            scratch.velocity[axis] = *self.components[axis].values(&scratch.middle, &mut scratch.corners);
        }
        self.store_ends(&scratch.from, &scratch.velocity, dt, &mut scratch.ends);
    }

    #[inline(always)]
    fn store_ends(
        &self,
        from: &[PointBatch<f64>; D],
        velocity: &[PointBatch<f64>; D],
        dt: f64,
        to: &mut Points<D>,
    ) {
        for axis in 0..D {
            let scale = dt * self.per_cell[axis];
            let along = to.along_mut(axis);
            for point in 0..BATCH {
                along[point] = from[axis][point] + scale * velocity[axis][point];
            }
            to.keep_inside(axis, &self.extent);
        }
    }
}

/// Scratch memory for tracing a batch of points, made once per row.
pub(super) struct TraceScratch<const D: usize> {
    from: [PointBatch<f64>; D],
    velocity: [PointBatch<f64>; D],
    middle: Points<D>,
    corners: CornerValues<f64, D>,
    /// End points.
    pub ends: Points<D>,
}

impl<const D: usize> TraceScratch<D> {
    /// An empty scratch.
    pub fn new() -> Self {
        TraceScratch {
            from: [[0.0; BATCH]; D],
            velocity: [[0.0; BATCH]; D],
            middle: Points::new(),
            corners: CornerValues::new(),
            ends: Points::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Condition, Grid, MacVelocity};

    #[test]
    fn a_quarter_turn_is_a_quarter_turn() {
        let grid = Grid::new([64, 64], [0.25; 2], [0.0; 2]).unwrap();
        let mut turning = MacVelocity::<f64, 2>::new(grid, Condition::Extrapolated, 1).unwrap();
        turning[0].set_by_position(|[_, y]| 8.0 - y);
        turning[1].set_by_position(|[x, _]| x - 8.0);
        turning.fill_ghosts();
        let tracer = Tracer::new(turning.components().each_ref());
        let steps = 400;
        let dt = std::f64::consts::FRAC_PI_2 / f64::from(steps);
        let end = (0..steps).fold([52.0, 32.0], |point, _| tracer.trace(point, dt));
        assert!((end[0] - 32.0).abs() < 1e-3 && (end[1] - 52.0).abs() < 1e-3, "{end:?}");
        let start = (0..steps).fold(end, |point, _| tracer.trace(point, -dt));
        assert!((start[0] - 52.0).abs() < 1e-3 && (start[1] - 32.0).abs() < 1e-3, "{start:?}");
    }

    #[test]
    fn many_points_go_where_each_would_go() {
        let grid = Grid::new([20, 10], [0.1; 2], [0.0; 2]).unwrap();
        let mut wind = MacVelocity::<f64, 2>::new(grid, Condition::Open, 1).unwrap();
        wind[0].set_by_position(|[x, y]| (3.0 * y).sin() - x);
        wind[1].set_by_position(|[x, y]| x * y - 0.5);
        wind.fill_ghosts();
        let tracer = Tracer::new(wind.components().each_ref());
        let start: Vec<[f64; 2]> = (0..77).map(|n| [f64::from(n) * 0.26, f64::from(n % 11) * 0.9]).collect();
        let (mut end, mut velocities) = (start.clone(), start.clone());
        tracer.trace_all(&mut end, 0.1);
        tracer.velocities(&start, &mut velocities);
        for number in 0..start.len() {
            assert_eq!(end[number], tracer.trace(start[number], 0.1));
            assert_eq!(velocities[number], tracer.velocity(start[number]));
        }
    }

    #[test]
    fn nothing_leaves_the_grid_not_even_in_an_absurd_flow() {
        let grid = Grid::new([4, 5, 6], [1.0; 3], [0.0; 3]).unwrap();
        let mut wind = MacVelocity::<f64, 3>::new(grid, Condition::Open, 1).unwrap();
        wind.set_axis(1, Condition::Periodic, Condition::Periodic).unwrap();
        for speed in [1e300, -1e300, f64::INFINITY, f64::NAN] {
            wind.components_mut().iter_mut().for_each(|component| component.fill(speed));
            let tracer = Tracer::new(wind.components().each_ref());
            let end = tracer.trace([1.0, 2.0, 3.0], 1e10);
            let is_inside = |axis: usize| (0.0..=[4.0, 5.0, 6.0][axis]).contains(&end[axis]);
            assert!((0..3).all(is_inside), "{end:?} at {speed}");
        }
    }
}
