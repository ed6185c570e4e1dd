//! Banded Gaussian elimination in double precision: exact, but its cost grows too fast for large grids.

use super::banded::Banded;
use super::checkered::Checkered;
use super::workspace::{Exchange, Kept};
use super::{PoissonError, PoissonProblem, PoissonSolver, SolveReport, Stop};
use crate::field::Field;
use crate::value::Real;

/// Memory that the factor may take.
const MOST_BYTES: u64 = 1 << 30;

/// A solver by elimination. The factor is kept until the problem changes.
#[derive(Debug)]
pub(super) struct Gaussian<T, const D: usize> {
    banded: Banded,
    factorised_for: u64,
    /// Right-hand side, solution and residual.
    vectors: Kept<[Checkered<T, D>; 3], D>,
    exchange: Exchange,
}

impl<T: Real, const D: usize> Gaussian<T, D> {
    /// A solver that knows no problem yet.
    pub fn new() -> Self {
        Gaussian {
            banded: Banded::default(),
            factorised_for: 0,
            vectors: Kept::default(),
            exchange: Exchange::default(),
        }
    }
}

impl<T: Real, const D: usize> PoissonSolver<T, D> for Gaussian<T, D> {
    fn solve(
        &mut self,
        problem: &PoissonProblem<T, D>,
        rhs: &Field<T, D>,
        p: &mut Field<T, D>,
        stop: Stop,
    ) -> Result<SolveReport, PoissonError> {
        // Refuse what would not fit into memory
        let matrix = &problem.matrix;
        if Banded::bytes(matrix.cells(), matrix.periodic) > MOST_BYTES {
            return Err(PoissonError::Unsuited {
                solver: "gaussian",
                reason: "elimination would take more than a gigabyte",
                remedy: "use mgpcg",
            });
        }
        problem.check_solution(p)?;
        let [b, x, r] = self.vectors.fit(matrix, |cells| {
            let make = || Checkered::new(cells);
            Ok([make()?, make()?, make()?])
        })?;
        let given = self.exchange.take_rhs(problem, rhs, b)?;
        // Factorise only when the matrix has changed, then substitute
        if self.factorised_for != problem.stamp() {
            self.factorised_for = 0;
            self.banded.factorise(matrix)?;
            self.factorised_for = problem.stamp();
        }
        self.banded.solve(matrix, b, x);
        matrix.residual(b, x, r);
        self.exchange.give(problem, x, p);
        Ok(given.direct_outcome(matrix.dot(r, r).sqrt(), stop))
    }
}
