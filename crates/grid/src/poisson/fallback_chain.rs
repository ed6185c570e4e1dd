//! Fallbacks when preconditioned conjugate gradients do not converge.
//!
//! They rest on a preconditioner that is symmetric, positive and always the same. Where coefficients lie very far
//! apart, rounding can take that from a multigrid cycle. Each fallback has weaker requirements and continues from the
//! last iterate: flexible conjugate gradients bear a cycle that is not symmetric [notay2000]; cycles by themselves,
//! each as far as lowers the energy the most, bear one that changes; and the diagonal is symmetric and positive
//! whatever happens.

use super::conjugate::{ConjugateGradients, Diagonal, DirectionUpdate, Preconditioner};
use super::{Fallback, PoissonError, PoissonProblem, PoissonSolver, SolveReport, Stop};
use crate::field::Field;
use crate::value::Real;

/// Iterations in which the residual must halve on the upper fallbacks: good cycles need one.
const PATIENCE: usize = 40;

/// The upper fallbacks.
const FALLBACKS: [(Fallback, DirectionUpdate); 3] = [
    (Fallback::First, DirectionUpdate::Conjugate),
    (Fallback::Flexible, DirectionUpdate::Flexible),
    (Fallback::Cycles, DirectionUpdate::Steepest),
];

/// Conjugate gradients with the preconditioner `M`, and surer ways below.
pub(super) struct FallbackChain<T, M, const D: usize> {
    upper: ConjugateGradients<T, M, D>,
    sure: Option<ConjugateGradients<T, Diagonal, D>>,
}

impl<T: Real, M: Preconditioner<T, D> + Default, const D: usize> FallbackChain<T, M, D> {
    /// A solver that knows no problem yet.
    pub fn new() -> Self {
        FallbackChain { upper: ConjugateGradients::new(), sure: None }
    }
}

impl<T: Real, M: Preconditioner<T, D>, const D: usize> PoissonSolver<T, D> for FallbackChain<T, M, D> {
    fn solve(
        &mut self,
        problem: &PoissonProblem<T, D>,
        rhs: &Field<T, D>,
        p: &mut Field<T, D>,
        stop: Stop,
    ) -> Result<SolveReport, PoissonError> {
        let mut taken = 0;
        for (fallback, direction) in FALLBACKS {
            let rest = Stop { max_iterations: stop.max_iterations - taken, ..stop };
            let outcome = self.upper.solve_along(direction, PATIENCE, problem, rhs, p, rest)?;
            taken += outcome.iterations;
            if outcome.has_converged || taken >= stop.max_iterations {
                return Ok(SolveReport { iterations: taken, fallback, ..outcome });
            }
        }
        let rest = Stop { max_iterations: stop.max_iterations - taken, ..stop };
        let last = self.sure.get_or_insert_with(ConjugateGradients::new).solve(problem, rhs, p, rest)?;
        Ok(SolveReport { iterations: taken + last.iterations, fallback: Fallback::Diagonal, ..last })
    }
}

#[cfg(test)]
mod tests {
    use super::super::checkered::Checkered;
    use super::super::matrix::Matrix;
    use super::super::multigrid::Hierarchy;
    use super::super::{Inside, SideKind};
    use super::*;
    use crate::{Condition, Grid, Location};

    const STOP: Stop = Stop { tolerance: 1e-8, max_iterations: 4000 };

    /// What a preconditioner that has failed gives.
    #[derive(Clone, Copy)]
    enum Failure {
        NoNumber,
        Negative,
        Nothing,
    }

    /// Multigrid that fails for the first fallbacks.
    struct Failing<const D: usize> {
        cycles: Hierarchy<f64, D>,
        failures: Vec<Failure>,
    }

    impl<const D: usize> Preconditioner<f64, D> for Failing<D> {
        fn prepare(&mut self, problem: &PoissonProblem<f64, D>) -> Result<(), PoissonError> {
            self.cycles.prepare(problem)
        }

        fn apply(
            &mut self,
            matrix: &Matrix<f64, D>,
            r: &Checkered<f64, D>,
            z: &mut Checkered<f64, D>,
        ) -> f64 {
            let right = self.cycles.apply(matrix, r, z);
            match self.failures.pop() {
                Some(Failure::NoNumber) => {
                    z.put([3; D], f64::NAN);
                    f64::NAN
                }
                Some(Failure::Negative) => -right,
                Some(Failure::Nothing) => {
                    z.clear();
                    0.0
                }
                None => right,
            }
        }
    }

    /// Good cycles and the diagonal in turn.
    #[derive(Default)]
    struct Fickle<const D: usize> {
        cycles: Hierarchy<f64, D>,
        calls: usize,
    }

    impl<const D: usize> Preconditioner<f64, D> for Fickle<D> {
        fn prepare(&mut self, problem: &PoissonProblem<f64, D>) -> Result<(), PoissonError> {
            self.cycles.prepare(problem)
        }

        fn apply(
            &mut self,
            matrix: &Matrix<f64, D>,
            r: &Checkered<f64, D>,
            z: &mut Checkered<f64, D>,
        ) -> f64 {
            self.calls += 1;
            match self.calls % 2 {
                0 => (0..2).for_each(|colour| matrix.divide(colour, r, z)),
                _ => {
                    self.cycles.apply(matrix, r, z);
                }
            }
            matrix.dot(r, z)
        }
    }

    /// Sees only the red cells.
    #[derive(Default)]
    struct Blind;

    impl<const D: usize> Preconditioner<f64, D> for Blind {
        fn prepare(&mut self, _: &PoissonProblem<f64, D>) -> Result<(), PoissonError> {
            Ok(())
        }

        fn apply(
            &mut self,
            matrix: &Matrix<f64, D>,
            r: &Checkered<f64, D>,
            z: &mut Checkered<f64, D>,
        ) -> f64 {
            matrix.divide(0, r, z);
            matrix.dot(r, z)
        }
    }

    fn basin() -> (PoissonProblem<f64, 2>, Field<f64, 2>) {
        let grid = Grid::new([40, 33], [1.0; 2], [0.0; 2]).unwrap();
        let mut rhs = Field::new(grid, Location::Center, Condition::Open, 1).unwrap();
        rhs.set_by_position(|[x, y]| (0.3 * x).sin() + (7.7 * x * y).sin());
        let mut unknown = Field::<u8, 2>::new(grid, Location::Center, Condition::Open, 1).unwrap();
        unknown.fill(1);
        unknown[[20, 16]] = 0;
        let mut problem =
            PoissonProblem::new(grid, [[SideKind::Closed, SideKind::Fixed], [SideKind::Closed; 2]]).unwrap();
        problem.set_inside(&Inside { unknown: Some(&unknown), ..Inside::default() }).unwrap();
        (problem, rhs)
    }

    fn solve<M: Preconditioner<f64, 2> + Default>(preconditioner: M) -> (SolveReport, f64) {
        let (problem, rhs) = basin();
        let mut chain = FallbackChain::<f64, M, 2>::new();
        *chain.upper.preconditioner() = preconditioner;
        let (mut p, mut exact) = (rhs.clone(), rhs.clone());
        p.fill(0.0);
        let outcome = chain.solve(&problem, &rhs, &mut p, STOP).unwrap();
        super::super::solver("gaussian").unwrap().build().solve(&problem, &rhs, &mut exact, STOP).unwrap();
        let apart = p.iter().zip(exact.iter()).map(|((_, p), (_, exact))| (p - exact).abs());
        (outcome, apart.fold(0.0, f64::max) / crate::par::max(&exact, f64::abs))
    }

    impl<const D: usize> Default for Failing<D> {
        fn default() -> Self {
            Failing { cycles: Hierarchy::default(), failures: Vec::new() }
        }
    }

    #[test]
    fn every_rung_holds_when_those_above_break() {
        let fallbacks = [Fallback::First, Fallback::Flexible, Fallback::Cycles, Fallback::Diagonal];
        for failure in [Failure::NoNumber, Failure::Negative, Failure::Nothing] {
            for (failures, fallback) in fallbacks.into_iter().enumerate() {
                let (outcome, apart) =
                    solve(Failing { cycles: Hierarchy::default(), failures: vec![failure; failures] });
                assert_eq!(outcome.fallback, fallback);
                assert!(outcome.has_converged && apart < 1e-6, "{outcome:?} {apart}");
            }
        }
    }

    #[test]
    fn a_cycle_that_changes_is_borne_by_flexible_directions() {
        let (problem, rhs) = basin();
        let mut solver = ConjugateGradients::<f64, Fickle<2>, 2>::new();
        let mut p = rhs.clone();
        p.fill(0.0);
        let outcome =
            solver.solve_along(DirectionUpdate::Flexible, PATIENCE, &problem, &rhs, &mut p, STOP).unwrap();
        assert!(outcome.has_converged && outcome.iterations < 60, "{outcome:?}");
    }

    #[test]
    fn a_residual_that_stays_is_given_up_on() {
        let (problem, rhs) = basin();
        let mut p = rhs.clone();
        p.fill(0.0);
        let mut solver = ConjugateGradients::<f64, Blind, 2>::new();
        let outcome =
            solver.solve_along(DirectionUpdate::Steepest, PATIENCE, &problem, &rhs, &mut p, STOP).unwrap();
        assert!(!outcome.has_converged && outcome.iterations <= 2 * PATIENCE, "{outcome:?}");
        assert!(p.to_dense().iter().all(|value| value.is_finite()));
    }
}
