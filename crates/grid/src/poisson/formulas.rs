//! Update formulas of the solvers for a cell, from the sum over its neighbours, its diagonal and its inputs.

use super::stencil::Formula;
use crate::value::Real;

/// Solves the equation of a cell for it.
pub(super) struct Relaxation;

impl<T: Real> Formula<T, 1> for Relaxation {
    #[inline(always)]
    fn value(&self, sum: T, _: T, inverse: T, [b]: [T; 1], _: T) -> T {
        (b + sum) * inverse
    }
}

/// Over-relaxation by a factor.
pub(super) struct OverRelaxation<T>(pub T);

impl<T: Real> Formula<T, 1> for OverRelaxation<T> {
    #[inline(always)]
    fn value(&self, sum: T, _: T, inverse: T, [b]: [T; 1], before: T) -> T {
        before + self.0 * ((b + sum) * inverse - before)
    }
}

/// The same from zero: no neighbours yet.
pub(super) struct Division;

impl<T: Real> Formula<T, 1> for Division {
    #[inline(always)]
    fn value(&self, _: T, _: T, inverse: T, [b]: [T; 1], _: T) -> T {
        b * inverse
    }
}

/// A p.
pub(super) struct Application;

impl<T: Real> Formula<T, 1> for Application {
    #[inline(always)]
    fn value(&self, sum: T, diagonal: T, _: T, [p]: [T; 1], _: T) -> T {
        diagonal * p - sum
    }
}

/// b − A x.
pub(super) struct Residual;

impl<T: Real> Formula<T, 2> for Residual {
    #[inline(always)]
    fn value(&self, sum: T, diagonal: T, _: T, [b, x]: [T; 2], _: T) -> T {
        b - (diagonal * x - sum)
    }
}

/// b − A x of an x that is b / d.
pub(super) struct Coupling;

impl<T: Real> Formula<T, 0> for Coupling {
    #[inline(always)]
    fn value(&self, sum: T, _: T, _: T, _: [T; 0], _: T) -> T {
        sum
    }
}

/// A part of the way to what solves the equation of a cell.
pub(super) struct DampedJacobi<T>(pub T);

impl<T: Real> Formula<T, 2> for DampedJacobi<T> {
    #[inline(always)]
    fn value(&self, sum: T, _: T, inverse: T, [b, x]: [T; 2], _: T) -> T {
        x + self.0 * ((b + sum) * inverse - x)
    }
}
