//! The method of conjugate gradients [hestenes1952], with a preconditioner.
//!
//! A p = f is the minimum of ½ p·Ap − p·f. Each step goes to the minimum along a direction that is A-conjugate to all
//! before it, so that nothing gained is lost again. The error falls as ((√κ − 1)/(√κ + 1))ⁿ, where κ is the condition
//! number of M⁻¹A: a preconditioner M near A makes it near 1. M must be symmetric and positive. On closed parts A is
//! singular; with f of mean zero there the iteration never leaves the space where it is not.
//!
//! Stable whenever A is symmetric and positive. Vectors are stored in T, sums are taken in double precision.

use super::checkered::{Checkered, row_of};
use super::lanes::{add, product, scale_and_add};
use super::matrix::Matrix;
use super::workspace::{Exchange, dot};
use super::{Outcome, PoissonError, PoissonSolver, Problem, Stop};
use crate::field::Field;
use crate::par;
use crate::value::Real;

/// Approximates the inverse of a matrix.
pub(super) trait Preconditioner<T: Real, const D: usize>: Send + Sync {
    /// Looks at a problem before the first of its solutions.
    fn prepare(&mut self, problem: &Problem<T, D>) -> Result<(), PoissonError>;

    /// z = M⁻¹ r with ghosts filled. Returns r·z.
    fn apply(&mut self, matrix: &Matrix<T, D>, r: &Checkered<T, D>, z: &mut Checkered<T, D>) -> f64;
}

/// No preconditioner: z = r.
#[derive(Debug, Default)]
pub(super) struct Plain;

impl<T: Real, const D: usize> Preconditioner<T, D> for Plain {
    fn prepare(&mut self, _: &Problem<T, D>) -> Result<(), PoissonError> {
        Ok(())
    }

    fn apply(&mut self, matrix: &Matrix<T, D>, r: &Checkered<T, D>, z: &mut Checkered<T, D>) -> f64 {
        let [red, black] = &mut z.halves;
        par::rows_each([red, black], |at, rows| {
            rows.into_iter().zip(&r.halves).for_each(|(row, half)| row.copy_from_slice(half.row(at)));
        });
        z.wrap(matrix.periodic);
        dot(r, z)
    }
}

/// Jacobi's preconditioner: z = r / d.
#[derive(Debug, Default)]
pub(super) struct Diagonal;

impl<T: Real, const D: usize> Preconditioner<T, D> for Diagonal {
    fn prepare(&mut self, _: &Problem<T, D>) -> Result<(), PoissonError> {
        Ok(())
    }

    fn apply(&mut self, matrix: &Matrix<T, D>, r: &Checkered<T, D>, z: &mut Checkered<T, D>) -> f64 {
        matrix.divide(0, r, z) + matrix.divide(1, r, z)
    }
}

/// Conjugate gradients with the preconditioner `M`.
#[derive(Debug)]
pub(super) struct ConjugateGradients<T, M, const D: usize> {
    preconditioner: M,
    prepared_for: u64,
    vectors: Option<Vectors<T, D>>,
    exchange: Exchange,
}

impl<T, M: Default, const D: usize> ConjugateGradients<T, M, D> {
    /// A solver that knows no problem yet.
    pub fn new() -> Self {
        ConjugateGradients {
            preconditioner: M::default(),
            prepared_for: 0,
            vectors: None,
            exchange: Exchange::default(),
        }
    }
}

#[derive(Debug)]
struct Vectors<T, const D: usize> {
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

impl<T: Real, const D: usize> Vectors<T, D> {
    fn new(cells: [usize; D]) -> Result<Self, PoissonError> {
        let make = || Checkered::new(cells);
        Ok(Vectors { x: make()?, r: make()?, z: make()?, p: make()?, q: make()? })
    }

    /// x += α p, r −= α q. Returns r·r.
    fn advance(&mut self, alpha: f64) -> f64 {
        let (ahead, back) = (T::from_f64(alpha), T::from_f64(-alpha));
        let mut total = 0.0;
        for colour in 0..2 {
            let (p, q) = (&self.p.halves[colour], &self.q.halves[colour]);
            total += par::rows_sum([&mut self.x.halves[colour], &mut self.r.halves[colour]], |at, [x, r]| {
                add(x, ahead, row_of(p, at));
                add(r, back, row_of(q, at));
                product(r, r)
            });
        }
        total
    }

    /// p = z + β p.
    fn turn(&mut self, beta: f64, periodic: [bool; D]) {
        let beta = T::from_f64(beta);
        for colour in 0..2 {
            let z = &self.z.halves[colour];
            par::rows(&mut self.p.halves[colour], |at, p| scale_and_add(p, beta, row_of(z, at)));
        }
        self.p.wrap(periodic);
    }
}

impl<T: Real, M: Preconditioner<T, D>, const D: usize> PoissonSolver<T, D> for ConjugateGradients<T, M, D> {
    fn solve(
        &mut self,
        problem: &Problem<T, D>,
        rhs: &Field<T, D>,
        p: &mut Field<T, D>,
        stop: Stop,
    ) -> Result<Outcome, PoissonError> {
        let matrix = &problem.matrix;
        if self.vectors.as_ref().is_none_or(|vectors| vectors.x.cells() != matrix.cells()) {
            self.vectors = None;
            self.vectors = Some(Vectors::new(matrix.cells())?);
        }
        let Some(v) = &mut self.vectors else { return Err(PoissonError::Memory) };
        if self.prepared_for != problem.stamp() {
            self.prepared_for = 0;
            self.preconditioner.prepare(problem)?;
            self.prepared_for = problem.stamp();
        }

        let given = self.exchange.take_rhs(problem, rhs, &mut v.z)?;
        self.exchange.take_guess(problem, p, &mut v.x)?;
        matrix.residual(&v.z, &v.x, &mut v.r);
        let mut squared = dot(&v.r, &v.r);
        let (target, mut iterations, mut rz) = (given.target(stop), 0, 0.0);
        let mut clean_below = 1e-4 * squared;
        v.p.clear();
        while squared.sqrt() > target && iterations < stop.max_iterations {
            let before = rz;
            rz = self.preconditioner.apply(matrix, &v.r, &mut v.z);
            v.turn(if iterations == 0 { 0.0 } else { rz / before }, matrix.periodic);
            let curvature = matrix.apply(&v.p, &mut v.q);
            if !(curvature > 0.0 && rz > 0.0) {
                // Nothing left but rounding
                break;
            }
            squared = v.advance(rz / curvature);
            iterations += 1;
            if squared < clean_below && problem.closed_parts() > 0 {
                self.exchange.clean(problem, &mut v.r);
                squared = dot(&v.r, &v.r);
                clean_below = 1e-4 * squared;
            }
        }
        self.exchange.give(problem, &v.x, p);
        Ok(given.outcome(iterations, squared.sqrt(), stop))
    }
}
