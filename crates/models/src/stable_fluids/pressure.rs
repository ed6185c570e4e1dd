//! The pressure of the staggered layout: what is solved, by whom, and how well.

use undine_grid::poisson::{self, Inside, PoissonError, PoissonSolver, Problem, SOLVERS, SideKind, Stop};
use undine_grid::{Boundary, Condition, Field, FieldError, Grid, Side, par};
use undine_scene::Values;
use undine_sim::StepError;

use crate::solids::Solids;

/// Iterations after which a solve is given up.
const MOST_ITERATIONS: usize = 2000;

/// The mean error that is aimed at, as a share of the greatest that is allowed.
const SHARE_OF_MEAN: f64 = 0.1;

/// The Poisson problem of a fluid, and its solver.
pub(super) struct PressureSolver<const D: usize> {
    problem: Problem<f64, D>,
    solver: Box<dyn PoissonSolver<f64, D>>,
    tolerance: f64,
}

impl<const D: usize> PressureSolver<D> {
    /// The problem of a box whose φ has this boundary, with what stands in it.
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
            problem: Problem::new(grid, sides).map_err(no_memory)?,
            solver: poisson::solver(values.word("solver")).unwrap_or(&SOLVERS[0]).build(),
            tolerance: values.number("tolerance"),
        };
        if let Some(solids) = solids {
            pressure.set_inside(solids).map_err(no_memory)?;
        }
        Ok(pressure)
    }

    /// Takes note that obstacles have moved.
    pub fn refresh(&mut self, solids: &Solids<D>) -> Result<(), StepError> {
        self.set_inside(solids).map_err(failed)
    }

    fn set_inside(&mut self, solids: &Solids<D>) -> Result<(), PoissonError> {
        self.problem.set_inside(&Inside { faces: Some(solids.open().components()), ..Inside::default() })
    }

    /// The most that any cell may gain or lose in a step, as a share of its volume.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// Solves −∇·(A∇φ) = `rhs` so well that what is left changes the cells by no more than a tenth of the tolerance in
    /// `dt` seconds, as root of the mean of squares. True when that took iterations, which may have left more in
    /// single cells.
    pub fn solve(
        &mut self,
        rhs: &Field<f64, D>,
        phi: &mut Field<f64, D>,
        dt: f64,
    ) -> Result<bool, StepError> {
        let size = (par::dot(rhs, rhs) / rhs.len() as f64).sqrt();
        if size == 0.0 {
            phi.fill(0.0);
            return Ok(false);
        }
        let tolerance = (SHARE_OF_MEAN * self.tolerance / (size * dt)).min(0.1);
        let stop = Stop { tolerance, max_iterations: MOST_ITERATIONS };
        let outcome = self.solver.solve(&self.problem, rhs, phi, stop).map_err(failed)?;
        Ok(outcome.iterations > 0)
    }
}

fn failed(error: PoissonError) -> StepError {
    StepError::Failed(format!("the pressure cannot be solved for: {error}"))
}
