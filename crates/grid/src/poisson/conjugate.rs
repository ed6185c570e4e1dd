//! The method of conjugate gradients [hestenes1952], with a preconditioner.
//!
//! A p = f is the minimum of ½ p·Ap − p·f. Each step goes to the minimum along a direction that is A-conjugate to all
//! before it, so that nothing gained is lost again. The error falls as ((√κ − 1)/(√κ + 1))ⁿ, where κ is the condition
//! number of M⁻¹A: a preconditioner M near A makes it near 1. M must be symmetric and positive. On closed parts A is
//! singular; with f of mean zero there the iteration never leaves the space where it is not.
//!
//! Stable whenever A is symmetric and positive. Vectors are stored in T, sums are taken in double precision.

use super::checkered::{Checkered, row_of};
use super::matrix::Matrix;
use super::row_vectors::{add, product, scale_and_add};
use super::workspace::{Exchange, Kept, VectorSet};
use super::{PoissonError, PoissonProblem, PoissonSolver, SolveReport, Stop};
use crate::field::Field;
use crate::par;
use crate::value::Real;

/// When the square of the residual has fallen this far, means over closed parts are taken out of it. They come from
/// rounding, no iteration can reduce them, and in the end they would be all that is left.
const CLEAN: f64 = 1e-4;

/// Approximates the inverse of a matrix.
pub(super) trait Preconditioner<T: Real, const D: usize>: Send + Sync {
    /// Prepares for a problem before its first solve.
    fn prepare(&mut self, problem: &PoissonProblem<T, D>) -> Result<(), PoissonError>;

    /// z = M⁻¹ r with ghosts filled. Returns r·z.
    fn apply(&mut self, matrix: &Matrix<T, D>, r: &Checkered<T, D>, z: &mut Checkered<T, D>) -> f64;
}

/// No preconditioner: z = r.
#[derive(Debug, Default)]
pub(super) struct Plain;

impl<T: Real, const D: usize> Preconditioner<T, D> for Plain {
    fn prepare(&mut self, _: &PoissonProblem<T, D>) -> Result<(), PoissonError> {
        Ok(())
    }

    fn apply(&mut self, matrix: &Matrix<T, D>, r: &Checkered<T, D>, z: &mut Checkered<T, D>) -> f64 {
        let [red, black] = &mut z.halves;
        par::rows_each([red, black], |at, rows| {
            rows.into_iter().zip(&r.halves).for_each(|(row, half)| row.copy_from_slice(half.row(at)));
        });
        z.wrap(matrix.periodic);
        matrix.dot(r, z)
    }
}

/// Jacobi's preconditioner: z = r / d.
#[derive(Debug, Default)]
pub(super) struct Diagonal;

impl<T: Real, const D: usize> Preconditioner<T, D> for Diagonal {
    fn prepare(&mut self, _: &PoissonProblem<T, D>) -> Result<(), PoissonError> {
        Ok(())
    }

    fn apply(&mut self, matrix: &Matrix<T, D>, r: &Checkered<T, D>, z: &mut Checkered<T, D>) -> f64 {
        (0..2).for_each(|colour| matrix.divide(colour, r, z));
        matrix.dot(r, z)
    }
}

/// Conjugate gradients with the preconditioner `M`.
#[derive(Debug)]
pub(super) struct ConjugateGradients<T, M, const D: usize> {
    preconditioner: M,
    prepared_for: u64,
    vectors: Kept<CgVectors<T, D>, D>,
    exchange: Exchange,
}

impl<T, M: Default, const D: usize> ConjugateGradients<T, M, D> {
    /// A solver that knows no problem yet.
    pub fn new() -> Self {
        ConjugateGradients {
            preconditioner: M::default(),
            prepared_for: 0,
            vectors: Kept::default(),
            exchange: Exchange::default(),
        }
    }

    /// The preconditioner.
    #[cfg(test)]
    pub fn preconditioner(&mut self) -> &mut M {
        &mut self.preconditioner
    }
}

#[derive(Debug)]
struct CgVectors<T, const D: usize> {
    /// The solution.
    x: Checkered<T, D>,
    /// The residual b − A x.
    r: Checkered<T, D>,
    /// M⁻¹ r.
    z: Checkered<T, D>,
    /// The direction.
    p: Checkered<T, D>,
    /// A p.
    q: Checkered<T, D>,
}

impl<T: Real, const D: usize> VectorSet<T, D> for CgVectors<T, D> {
    fn each(&mut self) -> impl Iterator<Item = &mut Checkered<T, D>> {
        [&mut self.x, &mut self.r, &mut self.z, &mut self.p, &mut self.q].into_iter()
    }
}

impl<T: Real, const D: usize> CgVectors<T, D> {
    fn new(cells: [usize; D]) -> Result<Self, PoissonError> {
        let make = || Checkered::new(cells);
        Ok(CgVectors { x: make()?, r: make()?, z: make()?, p: make()?, q: make()? })
    }

    /// r −= α q. Returns r·r.
    fn reduce(&mut self, matrix: &Matrix<T, D>, alpha: f64) -> f64 {
        let (back, q) = (T::from_f64(-alpha), &self.q.halves);
        let [red, black] = &mut self.r.halves;
        par::rows_sum([red, black], |at, rows| {
            let span = matrix.span(at);
            if span.is_empty() {
                return 0.0;
            }
            let mut total = 0.0;
            for (row, q) in rows.into_iter().zip(q) {
                let cells = span.cells(row.len());
                let row = &mut row[cells.clone()];
                add(row, back, &row_of(q, at)[cells]);
                total += product(row, row);
            }
            total
        })
    }

    /// x += α p with the direction of the last step, then p = z + β p: the solution lags one step behind, so that p
    /// is read once for both.
    fn turn(&mut self, matrix: &Matrix<T, D>, alpha: f64, beta: f64) {
        let (alpha, beta) = (T::from_f64(alpha), T::from_f64(beta));
        for colour in 0..2 {
            let z = &self.z.halves[colour];
            par::rows_each([&mut self.x.halves[colour], &mut self.p.halves[colour]], |at, [x, p]| {
                let cells = matrix.span(at).cells(x.len());
                let (x, p) = (&mut x[cells.clone()], &mut p[cells.clone()]);
                add(x, alpha, p);
                scale_and_add(p, beta, &row_of(z, at)[cells]);
            });
        }
        self.p.wrap(matrix.periodic);
    }

    /// x += α p.
    fn catch_up(&mut self, matrix: &Matrix<T, D>, alpha: f64) {
        for (x, p) in self.x.halves.iter_mut().zip(&self.p.halves) {
            par::rows(x, |at, x| {
                let cells = matrix.span(at).cells(x.len());
                add(&mut x[cells.clone()], T::from_f64(alpha), &row_of(p, at)[cells]);
            });
        }
    }
}

/// Formula of β, by which the next search direction follows from the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DirectionUpdate {
    /// A-conjugate to all before, when M is symmetric and always the same.
    Conjugate,
    /// A-conjugate to the last one, whatever M is [notay2000].
    Flexible,
    /// No memory of the last one: M by itself, each time as far as lowers the energy the most.
    Steepest,
}

impl DirectionUpdate {
    /// β, the weight of the last direction in the next, from r·z now and before, and the change of r·z by the step.
    fn beta(self, rz: f64, before: f64, change: f64) -> f64 {
        match self {
            _ if before == 0.0 => 0.0,
            DirectionUpdate::Conjugate => rz / before,
            DirectionUpdate::Flexible => change / before,
            DirectionUpdate::Steepest => 0.0,
        }
    }
}

/// Detects stagnation of an iteration.
struct StagnationCheck {
    patience: usize,
    mark: f64,
    since: usize,
}

impl StagnationCheck {
    /// Whether the residual, given by its square, has not halved for `patience` iterations.
    fn has_stalled(&mut self, squared: f64) -> bool {
        match squared < 0.25 * self.mark {
            true => (self.mark, self.since) = (squared, 0),
            false => self.since += 1,
        }
        self.since >= self.patience
    }
}

impl<T: Real, M: Preconditioner<T, D>, const D: usize> ConjugateGradients<T, M, D> {
    /// Solves with directions of a kind. Gives up early when the residual does not halve in `patience` iterations. What
    /// is left in `p` is finite, whatever the preconditioner does.
    pub fn solve_along(
        &mut self,
        direction: DirectionUpdate,
        patience: usize,
        problem: &PoissonProblem<T, D>,
        rhs: &Field<T, D>,
        p: &mut Field<T, D>,
        stop: Stop,
    ) -> Result<SolveReport, PoissonError> {
        let matrix = &problem.matrix;
        let v = self.vectors.fit(matrix, CgVectors::new)?;
        if self.prepared_for != problem.stamp() {
            self.prepared_for = 0;
            self.preconditioner.prepare(problem)?;
            self.prepared_for = problem.stamp();
        }

        let given = self.exchange.take_rhs(problem, rhs, &mut v.z)?;
        self.exchange.take_guess(problem, p, &mut v.x)?;
        matrix.residual(&v.z, &v.x, &mut v.r);
        v.p.clear();
        let mut squared = matrix.dot(&v.r, &v.r);
        let (target, mut clean_below) = (given.target(stop), CLEAN * squared);
        let mut progress = StagnationCheck { patience, mark: squared, since: 0 };
        let (mut iterations, mut alpha, mut rz) = (0, 0.0, 0.0);
        while squared.sqrt() > target && iterations < stop.max_iterations {
            let before = rz;
            rz = self.preconditioner.apply(matrix, &v.r, &mut v.z);
            if !(rz > 0.0 && rz.is_finite()) {
                // Nothing is left but rounding, or M is not positive
                break;
            }
            let change =
                if direction == DirectionUpdate::Flexible { -alpha * matrix.dot(&v.z, &v.q) } else { 0.0 };
            v.turn(matrix, alpha, direction.beta(rz, before, change));
            let curvature = matrix.apply(&v.p, &mut v.q);
            alpha = if curvature > 0.0 { rz / curvature } else { 0.0 };
            let next = v.reduce(matrix, alpha);
            if !(alpha > 0.0 && next.is_finite()) {
                alpha = 0.0;
                break;
            }
            squared = next;
            iterations += 1;
            if squared < clean_below && problem.closed_parts() > 0 {
                self.exchange.clean(problem, &mut v.r);
                squared = matrix.dot(&v.r, &v.r);
                clean_below = CLEAN * squared;
            }
            if progress.has_stalled(squared) {
                break;
            }
        }
        if alpha > 0.0 {
            v.catch_up(matrix, alpha);
        }
        if !matrix.dot(&v.x, &v.x).is_finite() {
            v.x.clear();
            squared = f64::INFINITY;
        }
        self.exchange.give(problem, &v.x, p);
        Ok(given.outcome(iterations, squared.sqrt(), stop))
    }
}

impl<T: Real, M: Preconditioner<T, D>, const D: usize> PoissonSolver<T, D> for ConjugateGradients<T, M, D> {
    fn solve(
        &mut self,
        problem: &PoissonProblem<T, D>,
        rhs: &Field<T, D>,
        p: &mut Field<T, D>,
        stop: Stop,
    ) -> Result<SolveReport, PoissonError> {
        self.solve_along(DirectionUpdate::Conjugate, usize::MAX, problem, rhs, p, stop)
    }
}
