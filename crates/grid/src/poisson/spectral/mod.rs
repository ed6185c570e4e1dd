//! Direct solution in empty boxes by fast transforms.
//!
//! In the basis of the waves that fit between its sides the operator is diagonal: transform along every axis, divide by
//! the eigenvalues Σ 2w (1 − cos φ) + σ, and transform back. N log N operations, no iteration, exact to rounding.
//! `cyclic-reduction` leaves out the last axis, where a tridiagonal system remains for each wave across it; that is
//! Hockney's method [hockney1965]. A periodic last axis has no ends to start from, so it is transformed like the others.
//!
//! The work goes in three passes. Planes are transformed along x and y while they are in cache; then columns along the
//! last axis, forth and back; then planes again, back. Where the mean of p is free it is set to zero, by leaving out the
//! wave that is constant. The transforms are those of [`crate::fft`], which takes any length.

mod basis;
mod cyclic;
mod plan;
mod residual;

use super::workspace::Exchange;
use super::{PoissonError, PoissonProblem, PoissonSolver, SolveReport, Stop};
use crate::field::Field;
use crate::location::Location;
use crate::value::Real;
use plan::SpectralPlan;
use residual::box_residual;

/// Method along the last axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastAxis {
    Transformed,
    Reduced,
}

/// A solver by transforms.
#[derive(Debug)]
pub(super) struct Spectral<T, const D: usize> {
    last_axis: LastAxis,
    planned_for: u64,
    plan: Option<SpectralPlan<T, D>>,
    exchange: Exchange,
}

impl<T: Real, const D: usize> Spectral<T, D> {
    /// A solver that knows no problem yet.
    pub fn new(last_axis: LastAxis) -> Self {
        Spectral { last_axis, planned_for: 0, plan: None, exchange: Exchange::default() }
    }

    fn name(&self) -> &'static str {
        match self.last_axis {
            LastAxis::Transformed => "fft",
            LastAxis::Reduced => "cyclic-reduction",
        }
    }
}

impl<T: Real, const D: usize> PoissonSolver<T, D> for Spectral<T, D> {
    fn solve(
        &mut self,
        problem: &PoissonProblem<T, D>,
        rhs: &Field<T, D>,
        p: &mut Field<T, D>,
        stop: Stop,
    ) -> Result<SolveReport, PoissonError> {
        if !problem.is_box() {
            return Err(PoissonError::Unsuited {
                solver: self.name(),
                reason: "there is something inside the box",
                remedy: "use mgpcg",
            });
        }
        problem.check_solution(p)?;
        problem.check_field("right-hand side", rhs, Location::Center)?;
        // Bases and eigenvalues depend on sizes, sides and weights only
        if self.planned_for != problem.stamp() {
            self.planned_for = 0;
            let is_kept = self.plan.as_ref().is_some_and(|plan| plan.fits(problem));
            if !is_kept {
                self.plan = None;
                self.plan = Some(SpectralPlan::new(problem, self.last_axis)?);
            }
            self.planned_for = problem.stamp();
        }
        let Some(plan) = &mut self.plan else { return Err(PoissonError::Memory) };
        // Transform, divide by the eigenvalues, transform back; the residual is measured
        let given = self.exchange.look_at(problem, rhs)?;
        let mean = self.exchange.mean();
        plan.solve(rhs, p);
        self.exchange.centre(problem, p);
        let residual = box_residual(problem, rhs, mean, p);
        Ok(given.direct_outcome(residual, stop))
    }
}
