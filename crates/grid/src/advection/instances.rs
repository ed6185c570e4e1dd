//! Advection schemes and tracing, compiled once for every number type and dimension.

use super::paths::{Paths, TraceDirection, TracedPaths, trace_into};
use super::scheme::advect_by;
use super::{AdvectionScratch, Scheme, Tracer};
use crate::field::Field;
use crate::value::Real;

/// The functions compiled once.
pub(crate) trait AdvectionFamily<T: Real, const D: usize>: Send + Sync {
    /// Advects a quantity along trajectories traced on the fly.
    fn advect(
        &self,
        scheme: Scheme,
        quantity: &Field<T, D>,
        trajectories: &TracedPaths<'_, D>,
        out: &mut Field<T, D>,
        scratch: &mut AdvectionScratch<T, D>,
    );

    /// Advects a quantity along stored trajectories.
    fn advect_along(
        &self,
        scheme: Scheme,
        quantity: &Field<T, D>,
        paths: &Paths<D>,
        out: &mut Field<T, D>,
        scratch: &mut AdvectionScratch<T, D>,
    );

    /// Follows the ways of all samples of a field.
    fn trace_into(
        &self,
        fields: &mut [Field<f64, D>; D],
        trajectories: &TracedPaths<'_, D>,
        direction: TraceDirection,
    );

    /// Moves points.
    fn follow_points(&self, tracer: &Tracer<'_, D>, points: &mut [[f64; D]], dt: f64);

    /// Velocities at points.
    fn velocities(&self, tracer: &Tracer<'_, D>, points: &[[f64; D]], out: &mut [[f64; D]]);
}

struct AdvectionInstances;

impl<T: Real, const D: usize> AdvectionFamily<T, D> for AdvectionInstances {
    fn advect(
        &self,
        scheme: Scheme,
        quantity: &Field<T, D>,
        trajectories: &TracedPaths<'_, D>,
        out: &mut Field<T, D>,
        scratch: &mut AdvectionScratch<T, D>,
    ) {
        advect_by(scheme, quantity, trajectories, out, scratch);
    }

    fn advect_along(
        &self,
        scheme: Scheme,
        quantity: &Field<T, D>,
        paths: &Paths<D>,
        out: &mut Field<T, D>,
        scratch: &mut AdvectionScratch<T, D>,
    ) {
        advect_by(scheme, quantity, paths, out, scratch);
    }

    fn trace_into(
        &self,
        fields: &mut [Field<f64, D>; D],
        trajectories: &TracedPaths<'_, D>,
        direction: TraceDirection,
    ) {
        trace_into(fields, trajectories, direction);
    }

    fn follow_points(&self, tracer: &Tracer<'_, D>, points: &mut [[f64; D]], dt: f64) {
        tracer.trace_batches(points, dt);
    }

    fn velocities(&self, tracer: &Tracer<'_, D>, points: &[[f64; D]], out: &mut [[f64; D]]) {
        tracer.velocity_batches(points, out);
    }
}

crate::instances::table!(family, AdvectionFamily, AdvectionInstances);
