//! Semi-Lagrangian, MacCormack and BFECC advection.

use std::ops::Range;

use super::instances::family;
use super::paths::{Paths, TraceDirection, TracedPaths, Trajectories};
use super::sampler::{BATCH, CornerValues, FieldSampler, Points, put};
use super::trace::{TraceScratch, Tracer};
use crate::boundary::{Boundary, fill_ghosts};
use crate::field::Field;
use crate::layout::neighbour;
use crate::par;
use crate::simd;
use crate::value::Real;

/// Advection scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// One backtrace [stam1999]: robust but diffusive, first order.
    SemiLagrangian,
    /// Backward and forward trace; half of the round-trip error corrects the result, limited [selle2008].
    MacCormack,
    /// Backward and forward trace; half of the round-trip error corrects the quantity before a second backtrace, limited.
    Bfecc,
}

/// Scratch fields of [`advect`].
#[derive(Debug, Clone)]
pub struct AdvectionScratch<T, const D: usize> {
    once: Field<T, D>,
    low: Field<T, D>,
    high: Field<T, D>,
}

impl<T: Real, const D: usize> AdvectionScratch<T, D> {
    /// Scratch fields for quantities at the samples and with the boundary of `like`.
    pub fn new(like: &Field<T, D>) -> Self {
        AdvectionScratch { once: like.clone(), low: like.clone(), high: like.clone() }
    }

    /// Sets another boundary, for quantities whose own has changed.
    pub fn set_boundary(&mut self, boundary: Boundary<T, D>) {
        self.once.boundary = boundary;
    }
}

/// Advects a quantity for `dt` seconds with a flow, and writes the result to `out` without its ghosts.
///
/// Ghosts of the quantity and of the flow's components must be filled. A negative `dt` advects backward.
///
/// ```
/// use undine_grid::advection::{AdvectionScratch, Scheme, advect};
/// use undine_grid::{Condition, Field, Grid, Location, MacVelocity, fill_ghosts};
///
/// let grid = Grid::new([4, 2], [1.0, 1.0], [0.0, 0.0])?;
/// let mut ink = Field::<f32, 2>::new(grid, Location::Center, Condition::Open, 1)?;
/// ink.copy_from(&[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0])?;
/// fill_ghosts(&mut ink);
/// let mut river = MacVelocity::<f64, 2>::new(grid, Condition::Open, 1)?;
/// river[0].fill(2.0);
/// let (mut after, mut scratch) = (ink.clone(), AdvectionScratch::new(&ink));
/// advect(Scheme::MacCormack, &ink, river.components().each_ref(), 0.5, &mut after, &mut scratch);
/// assert_eq!(after.row([0, 1]), [0.0, 0.0, 1.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// When the fields lie on different grids, or `out` or `scratch` differ from the quantity in location or ghosts.
pub fn advect<T: Real, const D: usize>(
    scheme: Scheme,
    quantity: &Field<T, D>,
    flow: [&Field<f64, D>; D],
    dt: f64,
    out: &mut Field<T, D>,
    scratch: &mut AdvectionScratch<T, D>,
) {
    assert_eq!(quantity.grid(), flow[0].grid(), "a quantity and its flow share a grid");
    let trajectories = TracedPaths { tracer: Tracer::new(flow), location: quantity.location(), dt };
    family::<T, D>().advect(scheme, quantity, &trajectories, out, scratch);
}

/// Advects a quantity along stored trajectories; otherwise as [`advect`].
///
/// # Panics
/// When the fields lie on different grids, or at other locations than the paths start from.
pub fn advect_along<T: Real, const D: usize>(
    scheme: Scheme,
    quantity: &Field<T, D>,
    paths: &Paths<D>,
    out: &mut Field<T, D>,
    scratch: &mut AdvectionScratch<T, D>,
) {
    assert_eq!(quantity.grid(), paths.grid(), "a quantity and its paths share a grid");
    assert_eq!(quantity.location(), paths.location(), "a quantity lies where its paths start");
    family::<T, D>().advect_along(scheme, quantity, paths, out, scratch);
}

/// Carries a quantity. Called by [`super::instances`] only, which compiles it once.
pub(super) fn advect_by<T: Real, const D: usize>(
    scheme: Scheme,
    quantity: &Field<T, D>,
    trajectories: &impl Trajectories<D>,
    out: &mut Field<T, D>,
    scratch: &mut AdvectionScratch<T, D>,
) {
    quantity.assert_alike(out);
    quantity.assert_alike(&scratch.once);
    if scheme == Scheme::SemiLagrangian {
        return semi_lagrangian(quantity, trajectories, out);
    }
    semi_lagrangian_with_range(quantity, trajectories, scratch);
    fill_ghosts(&mut scratch.once);
    correct(scheme, quantity, trajectories, scratch, out);
    if scheme == Scheme::Bfecc {
        // `out` holds the corrected quantity: carry it, too
        out.boundary = quantity.boundary;
        fill_ghosts(out);
        semi_lagrangian(out, trajectories, &mut scratch.once);
        out.swap(&mut scratch.once);
        limit(out, scratch);
    }
}

/// Calls `work` with the samples of a row, batch by batch, and the other ends of their ways.
#[inline(always)]
fn for_each_batch<const D: usize>(
    trajectories: &impl Trajectories<D>,
    direction: TraceDirection,
    at: [isize; D],
    length: usize,
    mut work: impl FnMut(Range<usize>, &Points<D>),
) {
    let mut scratch = TraceScratch::new();
    for first in (0..length).step_by(BATCH) {
        let count = BATCH.min(length - first);
        trajectories.find_ends(direction, neighbour(at, 0, first as isize), count, &mut scratch);
        work(first..first + count, &scratch.ends);
    }
}

fn semi_lagrangian<T: Real, const D: usize>(
    quantity: &Field<T, D>,
    trajectories: &impl Trajectories<D>,
    out: &mut Field<T, D>,
) {
    let sampler = FieldSampler::new(quantity);
    par::rows(out, |at, row| {
        simd::dispatch(
            #[inline(always)]
            || {
                let mut corners = CornerValues::new();
                for_each_batch(trajectories, TraceDirection::Backward, at, row.len(), |range, before| {
                    put(&mut row[range], sampler.values(before, &mut corners));
                });
            },
        );
    });
}

fn semi_lagrangian_with_range<T: Real, const D: usize>(
    quantity: &Field<T, D>,
    trajectories: &impl Trajectories<D>,
    scratch: &mut AdvectionScratch<T, D>,
) {
    let sampler = FieldSampler::new(quantity);
    par::rows_each([&mut scratch.once, &mut scratch.low, &mut scratch.high], |at, [once, low, high]| {
        simd::dispatch(
            #[inline(always)]
            || {
                let mut corners = CornerValues::new();
                for_each_batch(trajectories, TraceDirection::Backward, at, once.len(), |range, before| {
                    sampler.find(before, &mut corners);
                    let [least, greatest] = corners.ranges();
                    put(&mut low[range.clone()], &least);
                    put(&mut high[range.clone()], &greatest);
                    put(&mut once[range], corners.blend());
                });
            },
        );
    });
}

/// Writes the corrected result (MacCormack), or the quantity with the error taken off (BFECC).
fn correct<T: Real, const D: usize>(
    scheme: Scheme,
    quantity: &Field<T, D>,
    trajectories: &impl Trajectories<D>,
    scratch: &AdvectionScratch<T, D>,
    out: &mut Field<T, D>,
) {
    let sampler = FieldSampler::new(&scratch.once);
    let half = T::from_f64(0.5);
    par::rows(out, |at, row| {
        let (was, once) = (quantity.row(at), scratch.once.row(at));
        let (low, high) = (scratch.low.row(at), scratch.high.row(at));
        simd::dispatch(
            #[inline(always)]
            || {
                let mut corners = CornerValues::new();
                for_each_batch(trajectories, TraceDirection::Forward, at, row.len(), |range, after| {
                    let returned = sampler.values(after, &mut corners);
                    let (row, was, once) =
                        (&mut row[range.clone()], &was[range.clone()], &once[range.clone()]);
                    let (low, high) = (&low[range.clone()], &high[range]);
                    // Half the error of going back and forth: e = (q − q̃)/2
                    for x in 0..row.len() {
                        row[x] = half * (was[x] - returned[x]);
                    }
                    // BFECC takes it off before a second backtrace; MacCormack afterwards, limited to the values around
                    if scheme == Scheme::Bfecc {
                        for x in 0..row.len() {
                            row[x] = was[x] + row[x];
                        }
                    } else {
                        for x in 0..row.len() {
                            row[x] = within(once[x] + row[x], low[x], high[x]);
                        }
                    }
                });
            },
        );
    });
}

fn limit<T: Real, const D: usize>(out: &mut Field<T, D>, scratch: &AdvectionScratch<T, D>) {
    par::rows(out, |at, row| {
        let (low, high) = (scratch.low.row(at), scratch.high.row(at));
        for x in 0..row.len() {
            row[x] = within(row[x], low[x], high[x]);
        }
    });
}

#[inline(always)]
fn within<T: Real>(value: T, low: T, high: T) -> T {
    let raised = if value < low { low } else { value };
    if raised > high { high } else { raised }
}
