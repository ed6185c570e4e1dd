//! Trajectories shared by several quantities.

use super::instances::family;
use super::sampler::{BATCH, TraceDomain, put, take};
use super::trace::{TraceScratch, Tracer};
use crate::boundary::Condition;
use crate::field::{Field, FieldError};
use crate::grid::Grid;
use crate::layout::neighbour;
use crate::location::Location;
use crate::par;
use crate::simd;

/// Direction of a trace along the flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TraceDirection {
    /// Backward in time, to the departure point.
    Backward,
    /// Forward in time, to the arrival point.
    Forward,
}

/// End points of the trajectories of the samples of a location, in cells from the lowest corner.
pub(super) trait Trajectories<const D: usize>: Sync {
    /// Stores the end points of `count` samples of a row, at most [`BATCH`], from `at` on, in the scratch memory.
    fn find_ends(
        &self,
        direction: TraceDirection,
        at: [isize; D],
        count: usize,
        scratch: &mut TraceScratch<D>,
    );
}

/// Trajectories that are traced on every use.
pub(crate) struct TracedPaths<'a, const D: usize> {
    pub tracer: Tracer<'a, D>,
    pub location: Location,
    pub dt: f64,
}

impl<const D: usize> Trajectories<D> for TracedPaths<'_, D> {
    #[inline(always)]
    fn find_ends(
        &self,
        direction: TraceDirection,
        at: [isize; D],
        count: usize,
        scratch: &mut TraceScratch<D>,
    ) {
        let dt = if direction == TraceDirection::Backward { -self.dt } else { self.dt };
        self.tracer.trace_row(self.location, at, count, dt, scratch);
    }
}

/// The trajectories of all samples of one location, traced once and stored, for several quantities that lie there.
///
/// ```
/// use undine_grid::advection::{Paths, AdvectionScratch, Scheme, advect_along};
/// use undine_grid::{Condition, Field, Grid, Location, MacVelocity};
///
/// let grid = Grid::new([4, 2], [1.0, 1.0], [0.0, 0.0])?;
/// let mut river = MacVelocity::<f64, 2>::new(grid, Condition::Open, 1)?;
/// river[0].fill(1.0);
/// let mut paths = Paths::new(grid, Location::Center)?;
/// paths.trace(river.components().each_ref(), 1.0);
///
/// let mut ink = Field::<f32, 2>::new(grid, Location::Center, Condition::Open, 1)?;
/// ink[[1, 0]] = 1.0;
/// let (mut after, mut scratch) = (ink.clone(), AdvectionScratch::new(&ink));
/// advect_along(Scheme::SemiLagrangian, &ink, &paths, &mut after, &mut scratch);
/// assert_eq!(after.row([0, 0]), [0.0, 0.0, 1.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Paths<const D: usize> {
    extent: TraceDomain<D>,
    back: [Field<f64, D>; D],
    forth: [Field<f64, D>; D],
}

impl<const D: usize> Paths<D> {
    /// Memory for the trajectories of all samples of a location.
    pub fn new(grid: Grid<D>, location: Location) -> Result<Self, FieldError> {
        let field = Field::new(grid, location, Condition::Open, 1)?;
        let fields = || std::array::from_fn(|_| field.clone());
        Ok(Paths { extent: TraceDomain::of(&field), back: fields(), forth: fields() })
    }

    /// Traces a flow for `dt` seconds backward and forward. Ghosts of its components must be filled.
    pub fn trace(&mut self, flow: [&Field<f64, D>; D], dt: f64) {
        let location = self.location();
        let trajectories = TracedPaths { tracer: Tracer::new(flow), location, dt };
        let family = family::<f64, D>();
        family.trace_into(&mut self.back, &trajectories, TraceDirection::Backward);
        family.trace_into(&mut self.forth, &trajectories, TraceDirection::Forward);
    }

    pub(super) fn location(&self) -> Location {
        self.back[0].location()
    }

    pub(super) fn grid(&self) -> &Grid<D> {
        self.back[0].grid()
    }
}

/// Traces trajectories and stores their end points. Called by [`super::instances`] only, which compiles it once.
pub(super) fn trace_into<const D: usize>(
    fields: &mut [Field<f64, D>; D],
    trajectories: &TracedPaths<'_, D>,
    direction: TraceDirection,
) {
    let write = |at: [isize; D], mut rows: [&mut [f64]; D]| {
        simd::dispatch(
            #[inline(always)]
            || {
                let mut scratch = TraceScratch::new();
                for first in (0..rows[0].len()).step_by(BATCH) {
                    let count = BATCH.min(rows[0].len() - first);
                    trajectories.find_ends(direction, neighbour(at, 0, first as isize), count, &mut scratch);
                    for (axis, row) in rows.iter_mut().enumerate() {
                        put(&mut row[first..first + count], scratch.ends.along(axis));
                    }
                }
            },
        );
    };
    par::rows_each(fields.each_mut(), write);
}

impl<const D: usize> Trajectories<D> for Paths<D> {
    #[inline(always)]
    fn find_ends(
        &self,
        direction: TraceDirection,
        at: [isize; D],
        count: usize,
        scratch: &mut TraceScratch<D>,
    ) {
        let fields = if direction == TraceDirection::Backward { &self.back } else { &self.forth };
        for (axis, field) in fields.iter().enumerate() {
            take(scratch.ends.along_mut(axis), field.run(at, count));
            scratch.ends.keep_inside(axis, &self.extent);
        }
    }
}
