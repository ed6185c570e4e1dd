//! The projection in place of the pressure iteration: the same equations as [`relaxation`], by a Poisson solver of
//! `undine_grid`.
//!
//! −∇²ψ = D̃ on Full cells, ∂ψ/∂n = 0 at masked faces, ψ = 0 beyond an outflow and in Surface cells, or η of the way there. The
//! residual of the equation is D, so it is solved until |D| < ε in every Full cell, as the iteration would.
//!
//! [`relaxation`]: super::relaxation

use undine_frame::CellKind;
use undine_grid::poisson::{
    self, Inside, PoissonError, PoissonProblem, PoissonSolver, SOLVERS, SideKind, Stop,
};
use undine_grid::{Condition, Field, FieldError, Location};

use super::flow::Flow;
use super::relaxation::{PressureOutcome, RelaxationSettings};
use super::surface_pressure::SurfacePressure;

/// Solves with an ever smaller tolerance, until the greatest |D| is below ε.
const ATTEMPTS: usize = 4;

/// The Poisson problem of the Full cells, and its solver.
pub(super) struct PoissonProjection<const D: usize> {
    problem: PoissonProblem<f64, D>,
    solver: Box<dyn PoissonSolver<f64, D>>,
    unknown: Field<u8, D>,
    /// Σ η/δ² over faces to Surface cells and outflows.
    extra: Field<f64, D>,
    rhs: Field<f64, D>,
    psi: Field<f64, D>,
}

impl<const D: usize> PoissonProjection<D> {
    /// For a flow, with the solver of this name.
    pub fn new(flow: &Flow<D>, solver: &str) -> Result<Self, FieldError> {
        let no_memory = |_: PoissonError| FieldError::Memory { size: flow.grid.cells().to_vec() };
        let centre = || Field::new(flow.grid, Location::Center, Condition::Open, 1);
        Ok(PoissonProjection {
            problem: PoissonProblem::new(flow.grid, [[SideKind::Closed; 2]; D]).map_err(no_memory)?,
            solver: poisson::solver(solver).unwrap_or(&SOLVERS[0]).build(),
            unknown: Field::new(flow.grid, Location::Center, Condition::Open, 1)?,
            extra: centre()?,
            rhs: centre()?,
            psi: centre()?,
        })
    }

    /// ψ of every Full cell into `potential`, from zero.
    pub fn solve(
        &mut self,
        flow: &Flow<D>,
        surface: &SurfacePressure<D>,
        settings: &RelaxationSettings,
        potential: &mut [f64],
    ) -> PressureOutcome {
        let failed = PressureOutcome { sweeps: settings.sweeps, is_converged: false };
        let greatest = self.set_problem(flow, surface);
        if greatest < settings.divergence {
            return PressureOutcome { sweeps: 0, is_converged: true };
        }
        let inside = Inside { faces: None, unknown: Some(&self.unknown), extra: Some(&self.extra) };
        if !greatest.is_finite() || self.problem.set_inside(&inside).is_err() {
            return failed;
        }
        self.psi.fill(0.0);
        let (mut tolerance, mut sweeps) = (0.5 * settings.divergence / greatest, 0);
        for _ in 0..ATTEMPTS {
            let stop = Stop { tolerance, max_iterations: settings.sweeps };
            let Ok(report) = self.solver.solve(&self.problem, &self.rhs, &mut self.psi, stop) else {
                return failed;
            };
            sweeps += report.iterations.max(1);
            self.copy_potential(flow, potential);
            if self.greatest_residual(flow, surface, potential) < settings.divergence {
                return PressureOutcome { sweeps, is_converged: true };
            }
            tolerance *= 0.1;
        }
        PressureOutcome { sweeps, is_converged: false }
    }

    /// Sets unknowns, diagonal and D̃; answers the greatest |D̃|.
    fn set_problem(&mut self, flow: &Flow<D>, surface: &SurfacePressure<D>) -> f64 {
        let (strides, inverse) = (flow.index.strides(), flow.inverse_spacing());
        let mut greatest = 0.0_f64;
        for start in flow.index.rows() {
            let (first, row) = (flow.index.at(start), start.map(|i| i as isize));
            let (unknown, extra, rhs) =
                (self.unknown.row_mut(row), self.extra.row_mut(row), self.rhs.row_mut(row));
            for x in 0..unknown.len() {
                let at = first + x;
                let is_full = flow.kinds[at] == CellKind::Full;
                unknown[x] = u8::from(is_full);
                (extra[x], rhs[x]) = (0.0, 0.0);
                if is_full {
                    extra[x] = fixed_diagonal(flow, surface, at);
                    rhs[x] = Flow::missing_mass(&flow.tentative, at, strides, inverse);
                    greatest = if rhs[x].is_nan() { f64::NAN } else { greatest.max(rhs[x].abs()) };
                }
                if greatest.is_nan() {
                    return greatest;
                }
            }
        }
        greatest
    }

    fn copy_potential(&self, flow: &Flow<D>, potential: &mut [f64]) {
        for start in flow.index.rows() {
            let (first, psi) = (flow.index.at(start), self.psi.row(start.map(|i| i as isize)));
            for (x, &psi) in psi.iter().enumerate() {
                let is_full = flow.kinds[first + x] == CellKind::Full;
                potential[first + x] = if is_full { psi } else { 0.0 };
            }
        }
    }

    /// The greatest |D| that this ψ leaves.
    fn greatest_residual(&self, flow: &Flow<D>, surface: &SurfacePressure<D>, potential: &[f64]) -> f64 {
        let (strides, inverse) = (flow.index.strides(), flow.inverse_spacing());
        let mut greatest = 0.0_f64;
        for start in flow.index.rows() {
            let first = flow.index.at(start);
            for at in first..first + flow.grid.cells()[0] {
                if flow.kinds[at] != CellKind::Full {
                    continue;
                }
                let mut residual = Flow::missing_mass(&flow.tentative, at, strides, inverse)
                    - fixed_diagonal(flow, surface, at) * potential[at];
                for a in 0..D {
                    for neighbour in [at - strides[a], at + strides[a]] {
                        if flow.kinds[neighbour] == CellKind::Full {
                            residual += inverse[a] * inverse[a] * (potential[neighbour] - potential[at]);
                        }
                    }
                }
                if !residual.is_finite() {
                    return f64::INFINITY;
                }
                greatest = greatest.max(residual.abs());
            }
        }
        greatest
    }
}

/// What faces to Surface cells and outflows add to the diagonal of a Full cell.
fn fixed_diagonal<const D: usize>(flow: &Flow<D>, surface: &SurfacePressure<D>, at: usize) -> f64 {
    let (strides, inverse) = (flow.index.strides(), flow.inverse_spacing());
    let mut sum = 0.0;
    for a in 0..D {
        for neighbour in [at - strides[a], at + strides[a]] {
            sum += inverse[a]
                * inverse[a]
                * match flow.kinds[neighbour] {
                    CellKind::Surface => surface.share(neighbour, at),
                    CellKind::Outflow => 1.0,
                    _ => 0.0,
                };
        }
    }
    sum
}
