//! Poisson's equation −∇·(β∇p) + σp = f on a box of cells, and every classical way to solve it.
//!
//! A [`PoissonProblem`] says what holds on the sides and what lies inside; a solver is chosen by name from [`SOLVERS`],
//! kept, and used for many solves. It returns the number of iterations and the residual.
//!
//! ```
//! use undine_grid::poisson::{PoissonProblem, SOLVERS, SideKind, Stop};
//! use undine_grid::{Condition, Field, Grid, Location};
//!
//! // A closed box with a source at the west and a sink at the east
//! let grid = Grid::new([16, 8], [0.5, 0.5], [0.0, 0.0])?;
//! let problem = PoissonProblem::<f64, 2>::new(grid, [[SideKind::Closed; 2]; 2])?;
//! let mut f = Field::new(grid, Location::Center, Condition::Open, 1)?;
//! (f[[0, 4]], f[[15, 4]]) = (1.0, -1.0);
//!
//! let mut p = Field::new(grid, Location::Center, Condition::Open, 1)?;
//! for entry in SOLVERS {
//!     p.fill(0.0);
//!     let mut solver = entry.build();
//!     let outcome = solver.solve(&problem, &f, &mut p, Stop { tolerance: 1e-6, max_iterations: 5000 })?;
//!     assert!(outcome.has_converged && p[[0, 4]] > p[[15, 4]], "{}", entry.name);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The table of [li2007, fig. 3.14] is walked by `undine bench poisson`: N is the number of cells.
//!
//! | solver | cost in 2-D | in 3-D | when |
//! |---|---|---|---|
//! | `gaussian` | N² | N^7/3 | very small N, and the bottom of multigrid |
//! | `jacobi`, `gauss-seidel` | N² | N^5/3 | to see how slow they are |
//! | `sor`, `cg`, `cg-jacobi` | N^3/2 | N^4/3 | little memory |
//! | `cg-mic` | N^5/4 | N^7/6 | middling N with solids, one thread |
//! | `fft`, `cyclic-reduction` | N log N | N log N | boxes with nothing inside |
//! | `multigrid`, `mgpcg` | N | N | everything else |
//!
//! Where a part of the domain is fixed nowhere, the mean of f over that part is taken out and reported, and p comes out
//! with mean zero there. A right-hand side where there is no unknown is passed over, and p is zero there.

mod assembly;
mod banded;
#[cfg(feature = "checks")]
pub(crate) mod bench;
mod checkered;
mod coarsening;
mod components;
mod conjugate;
mod detached_cells;
mod fallback_chain;
mod formulas;
mod gaussian;
mod incomplete;
mod instances;
mod interpolation_weights;
mod matrix;
mod multigrid;
mod problem;
mod relaxation;
mod restriction;
mod row_vectors;
mod solvers;
mod spans;
mod spectral;
mod stencil;
mod transfer;
#[cfg(feature = "checks")]
pub(crate) mod validation;
mod workspace;

use crate::field::{Field, FieldError};
use crate::grid::GridError;
use crate::location::Location;
use crate::value::Real;

pub(crate) use instances::SolverNumber;
pub use problem::{Inside, PoissonProblem};
pub use solvers::{SOLVER_WORDS, SOLVERS, SolverEntry, choose, solver};

/// Boundary condition on a side of the box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SideKind {
    /// Neumann: ∂p/∂n = 0, no flow through it.
    Closed,
    /// Dirichlet: p = 0 on it, half a cell beyond the last centre.
    Fixed,
    /// The opposite side follows.
    Periodic,
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// Residual to reach, as a share of the right-hand side, both as root of the sum of squares.
    pub tolerance: f64,
    /// Iterations after which to give up. Direct solvers need none.
    pub max_iterations: usize,
}

/// Iterations and residual of a solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolveReport {
    /// Iterations taken; zero from direct solvers.
    pub iterations: usize,
    /// The residual left, as a share of the right-hand side. Conjugate gradients and multigrid carry it along instead of
    /// measuring it; the rounding of p itself adds about ε ‖A‖ ‖p‖ / ‖f‖ to it.
    pub residual: f64,
    /// Whether the residual is within the tolerance. Direct solvers always have converged, to what rounding allows.
    pub has_converged: bool,
    /// The greatest mean that was taken out of the right-hand side of a closed part, without its sign.
    pub removed_mean: f64,
    /// The fallback used by `mgpcg`.
    pub fallback: Fallback,
}

/// Position of `mgpcg` in its chain of fallbacks. Other solvers have only the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fallback {
    /// The requested solver.
    First,
    /// Flexible conjugate gradients, for cycles that are not symmetric.
    Flexible,
    /// Multigrid cycles by themselves.
    Cycles,
    /// Conjugate gradients, divided by the diagonal.
    Diagonal,
}

/// Why there is no solution.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PoissonError {
    /// One of two opposite sides is periodic and the other is not.
    #[error("the sides across axis {axis} must both be periodic or neither")]
    HalfPeriodic {
        /// The axis.
        axis: usize,
    },
    /// β or σ of no use.
    #[error("β = {beta} and σ = {sigma}; β must be above zero, σ not below, and β/Δ² a finite number")]
    Strength {
        /// The given β.
        beta: f64,
        /// The given σ.
        sigma: f64,
    },
    /// A field of another grid or at another place.
    #[error("the {what} must lie at each {location} of the problem's grid")]
    Misfit {
        /// The field.
        what: &'static str,
        /// The required location.
        location: Location,
    },
    /// Negative, infinite or no numbers among the coefficients.
    #[error("the {what} must be finite numbers from zero upwards")]
    Amount {
        /// The field.
        what: &'static str,
    },
    /// The right-hand side or the first guess is infinite or no number somewhere.
    #[error("the {what} is not finite at cell {cell:?}")]
    NotFinite {
        /// The field.
        what: &'static str,
        /// A cell where it is not.
        cell: Vec<usize>,
    },
    /// Every value is finite, but the sum of their squares is not.
    #[error(
        "the {what} is too large to solve for: {value:e} at cell {cell:?}; use shorter steps or other units"
    )]
    TooLarge {
        /// The field.
        what: &'static str,
        /// The greatest value without its sign.
        value: f64,
        /// Its cell.
        cell: Vec<usize>,
    },
    /// The solver cannot do this.
    #[error("{solver} cannot solve this: {reason}; {remedy}")]
    Unsuited {
        /// The solver.
        solver: &'static str,
        /// Why not.
        reason: &'static str,
        /// Remedy.
        remedy: &'static str,
    },
    /// Not enough memory.
    #[error("no memory for the solver; use fewer cells")]
    Memory,
}

impl From<FieldError> for PoissonError {
    fn from(_: FieldError) -> Self {
        // The layouts are valid; only memory can be missing
        PoissonError::Memory
    }
}

impl From<GridError> for PoissonError {
    fn from(_: GridError) -> Self {
        PoissonError::Memory
    }
}

/// A way to solve Poisson's equation. Solvers keep their memory between calls.
pub trait PoissonSolver<T: Real, const D: usize>: Send + Sync {
    /// Solves for `p`, starting from what is in it. Ghosts of `p` are left as they are.
    fn solve(
        &mut self,
        problem: &PoissonProblem<T, D>,
        rhs: &Field<T, D>,
        p: &mut Field<T, D>,
        stop: Stop,
    ) -> Result<SolveReport, PoissonError>;
}
