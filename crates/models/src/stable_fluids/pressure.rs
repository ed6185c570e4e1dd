//! The pressure Poisson equation of the staggered layout: problem, solver and tolerance.

use undine_grid::poisson::{
    self, Inside, PoissonError, PoissonProblem, PoissonSolver, SOLVERS, SideKind, Stop,
};
use undine_grid::{Boundary, Condition, Field, FieldError, Grid, Side, par};
use undine_scene::Values;
use undine_sim::StepError;

use crate::solids::Solids;

/// Maximum number of iterations.
const MAX_ITERATIONS: usize = 2000;

/// Root mean square error aimed at, relative to the largest error allowed.
const MEAN_TO_MAX_ERROR: f64 = 0.1;

/// The Poisson problem of a fluid, and its solver.
pub(super) struct PressureSolver<const D: usize> {
    problem: PoissonProblem<f64, D>,
    solver: Box<dyn PoissonSolver<f64, D>>,
    tolerance: f64,
}

impl<const D: usize> PressureSolver<D> {
    /// The problem of a box whose φ has this boundary, with solids.
    pub fn new(
        grid: Grid<D>,
        boundary: Boundary<f64, D>,
        solids: Option<&Solids<D>>,
        values: &Values,
    ) -> Result<Self, FieldError> {
        let side = |side: Side| match boundary.get(side) {
            Some(Condition::Periodic) => SideKind::Periodic,
            Some(Condition::Value(_)) => SideKind::Fixed,
            _ => SideKind::Closed,
        };
        let sides = std::array::from_fn(|axis| [0, 1].map(|high| side(Side::ALL[2 * axis + high])));
        let no_memory = |_: PoissonError| FieldError::Memory { size: grid.cells().to_vec() };
        let mut pressure = PressureSolver {
            problem: PoissonProblem::new(grid, sides).map_err(no_memory)?,
            solver: poisson::solver(values.word("solver")).unwrap_or(&SOLVERS[0]).build(),
            tolerance: values.number("tolerance"),
        };
        if let Some(solids) = solids {
            pressure.set_inside(solids).map_err(no_memory)?;
        }
        Ok(pressure)
    }

    /// Updates the matrix after obstacles have moved.
    pub fn refresh(&mut self, solids: &Solids<D>) -> Result<(), StepError> {
        self.set_inside(solids).map_err(pressure_error)
    }

    fn set_inside(&mut self, solids: &Solids<D>) -> Result<(), PoissonError> {
        self.problem.set_inside(&Inside { faces: Some(solids.open().components()), ..Inside::default() })
    }

    /// Largest relative volume change of a cell allowed in a step.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// Solves −∇·(A∇φ) = `rhs` until the root mean square of residual × `dt` is below a tenth of the tolerance. Returns
    /// whether an iterative solver was used, whose residual may be greater in single cells.
    pub fn solve(
        &mut self,
        rhs: &Field<f64, D>,
        phi: &mut Field<f64, D>,
        dt: f64,
    ) -> Result<bool, StepError> {
        let norm = (par::dot(rhs, rhs) / rhs.len() as f64).sqrt();
        if norm == 0.0 {
            phi.fill(0.0);
            return Ok(false);
        }
        let tolerance = (MEAN_TO_MAX_ERROR * self.tolerance / (norm * dt)).min(0.1);
        let stop = Stop { tolerance, max_iterations: MAX_ITERATIONS };
        let outcome = self.solver.solve(&self.problem, rhs, phi, stop).map_err(pressure_error)?;
        Ok(outcome.iterations > 0)
    }
}

fn pressure_error(error: PoissonError) -> StepError {
    StepError::Failed(format!("the pressure cannot be solved for: {error}"))
}
