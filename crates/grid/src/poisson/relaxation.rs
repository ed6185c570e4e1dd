//! Relaxation: Jacobi, Gauss–Seidel and successive over-relaxation [young1954].
//!
//! Each cell in turn is set to what would solve its own equation, p = (f + Σ c p') / d. Jacobi's method uses the old
//! neighbours throughout, Gauss–Seidel the newest, and over-relaxation goes ω times as far. An error of wavelength λ
//! needs about (λ/Δ)² sweeps, so a grid twice as fine needs four times as many; with the best ω it is (λ/Δ).
//!
//! Gauss–Seidel and over-relaxation take the red cells first and then the black ones, which many threads can do with
//! the same result. `lexicographic` takes the cells row by row, as in textbooks, on one thread. Plain Jacobi never
//! damps a chequerboard on a periodic or closed box: it goes 0.95 of the way, which does. Over-relaxation diverges when
//! two neighbours are moved at once, so where a periodic axis has an odd number of cells it too goes row by row.
//!
//! Stable for any positive β and σ ≥ 0. The residual is measured every eighth sweep.

use super::checkered::{Checkered, moved};
use super::matrix::Matrix;
use super::workspace::{Exchange, Kept, VectorSet};
use super::{PoissonError, PoissonProblem, PoissonSolver, SideKind, SolveReport, Stop};
use crate::field::Field;
use crate::value::Real;

/// Damping factor of Jacobi's method.
const JACOBI_DAMPING: f64 = 0.95;

/// Sweeps between two evaluations of the residual.
const SWEEPS_PER_LOOK: usize = 8;

/// In which order cells are relaxed, and how far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SweepOrder {
    Jacobi,
    RedBlack,
    Lexicographic,
    /// Red–black, with the ω that is best for a box.
    Over,
}

/// A solver that sweeps over the cells again and again.
#[derive(Debug)]
pub(super) struct Relaxing<T, const D: usize> {
    sweep: SweepOrder,
    vectors: Kept<RelaxationVectors<T, D>, D>,
    exchange: Exchange,
}

#[derive(Debug)]
struct RelaxationVectors<T, const D: usize> {
    b: Checkered<T, D>,
    x: Checkered<T, D>,
    /// The residual, or the next x of Jacobi's method.
    next: Checkered<T, D>,
}

impl<T: Real, const D: usize> Relaxing<T, D> {
    /// A solver that knows no problem yet.
    pub fn new(sweep: SweepOrder) -> Self {
        Relaxing { sweep, vectors: Kept::default(), exchange: Exchange::default() }
    }
}

impl<T: Real, const D: usize> VectorSet<T, D> for RelaxationVectors<T, D> {
    fn each(&mut self) -> impl Iterator<Item = &mut Checkered<T, D>> {
        [&mut self.b, &mut self.x, &mut self.next].into_iter()
    }
}

impl<T: Real, const D: usize> RelaxationVectors<T, D> {
    fn new(cells: [usize; D]) -> Result<Self, PoissonError> {
        let make = || Checkered::new(cells);
        Ok(RelaxationVectors { b: make()?, x: make()?, next: make()? })
    }

    fn sweep(&mut self, matrix: &Matrix<T, D>, sweep: SweepOrder, omega: f64) {
        let RelaxationVectors { b, x, next } = self;
        match sweep {
            SweepOrder::Jacobi => {
                matrix.jacobi(JACOBI_DAMPING, b, x, next);
                std::mem::swap(x, next);
            }
            SweepOrder::RedBlack => (0..2).for_each(|colour| matrix.relax(colour, b, x)),
            SweepOrder::Over if matrix.is_two_coloured() => {
                (0..2).for_each(|colour| matrix.over_relax(colour, omega, b, x));
            }
            SweepOrder::Over => relax_row_by_row(matrix, omega, b, x),
            SweepOrder::Lexicographic => relax_row_by_row(matrix, 1.0, b, x),
        }
    }

    fn residual(&mut self, matrix: &Matrix<T, D>) -> f64 {
        matrix.residual(&self.b, &self.x, &mut self.next);
        matrix.dot(&self.next, &self.next).sqrt()
    }
}

impl<T: Real, const D: usize> PoissonSolver<T, D> for Relaxing<T, D> {
    fn solve(
        &mut self,
        problem: &PoissonProblem<T, D>,
        rhs: &Field<T, D>,
        p: &mut Field<T, D>,
        stop: Stop,
    ) -> Result<SolveReport, PoissonError> {
        let matrix = &problem.matrix;
        let vectors = self.vectors.fit(matrix, RelaxationVectors::new)?;
        let given = self.exchange.take_rhs(problem, rhs, &mut vectors.b)?;
        self.exchange.take_guess(problem, p, &mut vectors.x)?;

        let (target, omega) = (given.target(stop), best_omega(problem));
        let (mut iterations, mut residual) = (0, vectors.residual(matrix));
        while residual > target && iterations < stop.max_iterations {
            for _ in 0..SWEEPS_PER_LOOK.min(stop.max_iterations - iterations) {
                vectors.sweep(matrix, self.sweep, omega);
                iterations += 1;
            }
            residual = vectors.residual(matrix);
        }
        self.exchange.give(problem, &vectors.x, p);
        Ok(given.outcome(iterations, residual, stop))
    }
}

/// ω = 2 / (1 + √(1 − ρ²)) with the convergence factor ρ of Jacobi's method on a box with the same sides.
fn best_omega<T: Real, const D: usize>(problem: &PoissonProblem<T, D>) -> f64 {
    let (mut least, mut least_change) = (0.0, f64::INFINITY);
    for (axis, &sides) in problem.sides().iter().enumerate() {
        let (count, weight) = (problem.grid().cells()[axis] as f64, problem.matrix.weights[axis].to_f64());
        let mode = |half_waves: f64| 2.0 * weight * (1.0 - (std::f64::consts::PI * half_waves / count).cos());
        match sides {
            [SideKind::Periodic, _] if count > 1.0 => least_change = mode(2.0).min(least_change),
            [SideKind::Closed, SideKind::Closed] if count > 1.0 => least_change = mode(1.0).min(least_change),
            [SideKind::Fixed, SideKind::Fixed] => least += mode(1.0),
            [SideKind::Fixed, _] | [_, SideKind::Fixed] => least += mode(0.5),
            _ => {}
        }
    }
    least += problem.sigma();
    let slowest = if least > 0.0 { least } else { least_change };
    let rho = (1.0 - slowest / problem.matrix.full_diagonal().to_f64()).clamp(0.0, 1.0 - 1e-12);
    2.0 / (1.0 + (1.0 - rho * rho).sqrt())
}

/// One sweep in the order in which cells are read, going `omega` times as far as Gauss–Seidel.
fn relax_row_by_row<T: Real, const D: usize>(
    matrix: &Matrix<T, D>,
    omega: f64,
    b: &Checkered<T, D>,
    x: &mut Checkered<T, D>,
) {
    let rows: usize = matrix.cells()[1..].iter().product();
    for row in 0..rows {
        for along in 0..matrix.cells()[0] as isize {
            let at = moved(matrix.row_at(row), 0, along);
            if matrix.is_unknown(at) {
                let sum = (0..D).map(|axis| pull(matrix, x, axis, at)).sum::<f64>();
                let (before, solved) =
                    (x.get(at).to_f64(), (b.get(at).to_f64() + sum) / matrix.diagonal.get(at).to_f64());
                x.put(at, T::from_f64(before + omega * (solved - before)));
            }
        }
    }
    x.wrap(matrix.periodic);
}

/// Contribution of the two neighbours along an axis.
fn pull<T: Real, const D: usize>(
    matrix: &Matrix<T, D>,
    x: &Checkered<T, D>,
    axis: usize,
    at: [isize; D],
) -> f64 {
    let count = matrix.cells()[axis] as isize;
    let value = |by: isize| {
        let along = at[axis] + by;
        let along = if matrix.periodic[axis] { along.rem_euclid(count) } else { along };
        x.get(moved(at, axis, along)).to_f64()
    };
    let above = crate::neighbour(at, axis, 1);
    matrix.coupling(axis, at) * value(-1) + matrix.coupling(axis, above) * value(1)
}
