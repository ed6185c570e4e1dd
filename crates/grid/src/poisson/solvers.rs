//! The list of solvers by name, and the automatic choice.

use super::conjugate::{ConjugateGradients, Diagonal, Plain};
use super::fallback_chain::FallbackChain;
use super::gaussian::Gaussian;
use super::incomplete::Incomplete;
use super::multigrid::{Hierarchy, Multigrid};
use super::relaxation::{Relaxing, SweepOrder};
use super::spectral::{LastAxis, Spectral};
use super::{PoissonError, PoissonProblem, PoissonSolver, SolveReport, Stop};
use crate::field::Field;
use crate::value::Real;

/// A solver and what to know of it.
#[derive(Debug)]
pub struct SolverEntry {
    /// Its name in a scene file.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Whether it only solves boxes with nothing inside.
    pub needs_box: bool,
    /// Whether it answers at once, without iterating.
    pub is_direct: bool,
    /// The exponent of the number of cells in its cost, in 2-D and in 3-D, logarithms left out.
    pub exponents: [f64; 2],
    method: Method,
}

/// Method of a solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Auto,
    Gaussian,
    Relaxing(SweepOrder),
    Plain,
    Diagonal,
    Incomplete,
    Spectral(LastAxis),
    Multigrid,
    Mgpcg,
}

/// Every solver.
pub static SOLVERS: &[SolverEntry] = &[
    SolverEntry {
        name: "auto",
        summary: "fft for a box with nothing inside, mgpcg for everything else",
        needs_box: false,
        is_direct: false,
        exponents: [1.0, 1.0],
        method: Method::Auto,
    },
    SolverEntry {
        name: "gaussian",
        summary: "elimination in the band of the matrix; exact, for very small problems",
        needs_box: false,
        is_direct: true,
        exponents: [2.0, 7.0 / 3.0],
        method: Method::Gaussian,
    },
    SolverEntry {
        name: "jacobi",
        summary: "each cell from the old neighbours; the slowest",
        needs_box: false,
        is_direct: false,
        exponents: [2.0, 5.0 / 3.0],
        method: Method::Relaxing(SweepOrder::Jacobi),
    },
    SolverEntry {
        name: "gauss-seidel",
        summary: "each cell from the newest neighbours, red cells before black ones",
        needs_box: false,
        is_direct: false,
        exponents: [2.0, 5.0 / 3.0],
        method: Method::Relaxing(SweepOrder::RedBlack),
    },
    SolverEntry {
        name: "lexicographic",
        summary: "Gauss-Seidel row by row, on one thread, as in the books",
        needs_box: false,
        is_direct: false,
        exponents: [2.0, 5.0 / 3.0],
        method: Method::Relaxing(SweepOrder::Lexicographic),
    },
    SolverEntry {
        name: "sor",
        summary: "Gauss-Seidel that goes further, by the factor that is best for a box",
        needs_box: false,
        is_direct: false,
        exponents: [1.5, 4.0 / 3.0],
        method: Method::Relaxing(SweepOrder::Over),
    },
    SolverEntry {
        name: "cg",
        summary: "conjugate gradients",
        needs_box: false,
        is_direct: false,
        exponents: [1.5, 4.0 / 3.0],
        method: Method::Plain,
    },
    SolverEntry {
        name: "cg-jacobi",
        summary: "conjugate gradients, divided by the diagonal",
        needs_box: false,
        is_direct: false,
        exponents: [1.5, 4.0 / 3.0],
        method: Method::Diagonal,
    },
    SolverEntry {
        name: "cg-mic",
        summary: "conjugate gradients with incomplete Cholesky factors, in eight slabs",
        needs_box: false,
        is_direct: false,
        exponents: [1.25, 7.0 / 6.0],
        method: Method::Incomplete,
    },
    SolverEntry {
        name: "fft",
        summary: "fast sine, cosine and Fourier transforms along every axis; the fastest for boxes",
        needs_box: true,
        is_direct: true,
        exponents: [1.0, 1.0],
        method: Method::Spectral(LastAxis::Transformed),
    },
    SolverEntry {
        name: "cyclic-reduction",
        summary: "fast transforms along all axes but the last, cyclic reduction along that one",
        needs_box: true,
        is_direct: true,
        exponents: [1.0, 1.0],
        method: Method::Spectral(LastAxis::Reduced),
    },
    SolverEntry {
        name: "multigrid",
        summary: "V-cycles over ever coarser grids",
        needs_box: false,
        is_direct: false,
        exponents: [1.0, 1.0],
        method: Method::Multigrid,
    },
    SolverEntry {
        name: "mgpcg",
        summary: "conjugate gradients, each step with one V-cycle; the fastest with solids or a free surface",
        needs_box: false,
        is_direct: false,
        exponents: [1.0, 1.0],
        method: Method::Mgpcg,
    },
];

/// The name and the summary of every solver, in the order of [`SOLVERS`]: the words of a key that chooses one.
pub const SOLVER_WORDS: &[(&str, &str)] = &words();

const fn words() -> [(&'static str, &'static str); SOLVERS.len()] {
    let mut words = [("", ""); SOLVERS.len()];
    let mut number = 0;
    while number < SOLVERS.len() {
        words[number] = (SOLVERS[number].name, SOLVERS[number].summary);
        number += 1;
    }
    words
}

/// The solver with a name; `None` when there is none.
pub fn solver(name: &str) -> Option<&'static SolverEntry> {
    SOLVERS.iter().find(|entry| entry.name == name)
}

impl SolverEntry {
    /// Makes the solver. It takes memory when it sees its first problem.
    /// Its code is compiled in this crate, for one to three dimensions.
    pub fn build<T: Real, const D: usize>(&self) -> Box<dyn PoissonSolver<T, D>> {
        T::family::<D>().solver(self.method)
    }
}

/// Makes a solver. Called by [`super::instances`] only, which compiles it once for every number type and dimension.
pub(super) fn make<T: Real, const D: usize>(method: Method) -> Box<dyn PoissonSolver<T, D>> {
    match method {
        Method::Auto => Box::new(Auto { spectral: None, mgpcg: None }),
        Method::Gaussian => Box::new(Gaussian::new()),
        Method::Relaxing(sweep) => Box::new(Relaxing::new(sweep)),
        Method::Plain => Box::new(ConjugateGradients::<T, Plain, D>::new()),
        Method::Diagonal => Box::new(ConjugateGradients::<T, Diagonal, D>::new()),
        Method::Incomplete => Box::new(ConjugateGradients::<T, Incomplete<T, D>, D>::new()),
        Method::Spectral(last_axis) => Box::new(Spectral::new(last_axis)),
        Method::Multigrid => Box::new(Multigrid::new()),
        Method::Mgpcg => Box::new(Mgpcg::new()),
    }
}

/// The name of the solver that `auto` takes for a problem, and why.
pub fn choose<T: Real, const D: usize>(problem: &PoissonProblem<T, D>) -> (&'static str, &'static str) {
    match problem.is_box() {
        true => ("fft", "a box with nothing inside is solved at once by fast transforms"),
        false => ("mgpcg", "what lies inside the box couples all its waves, and multigrid does not mind"),
    }
}

/// Conjugate gradients with multigrid, and what is surer behind it.
type Mgpcg<T, const D: usize> = FallbackChain<T, Hierarchy<T, D>, D>;

/// Delegates to the solver that suits each problem.
struct Auto<T, const D: usize> {
    spectral: Option<Spectral<T, D>>,
    mgpcg: Option<Mgpcg<T, D>>,
}

impl<T: Real, const D: usize> PoissonSolver<T, D> for Auto<T, D> {
    fn solve(
        &mut self,
        problem: &PoissonProblem<T, D>,
        rhs: &Field<T, D>,
        p: &mut Field<T, D>,
        stop: Stop,
    ) -> Result<SolveReport, PoissonError> {
        let solver: &mut dyn PoissonSolver<T, D> = match choose(problem).0 {
            "fft" => self.spectral.get_or_insert_with(|| Spectral::new(LastAxis::Transformed)),
            _ => self.mgpcg.get_or_insert_with(Mgpcg::new),
        };
        solver.solve(problem, rhs, p, stop)
    }
}
