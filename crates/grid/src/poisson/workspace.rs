//! Conversion to and from storage by colour, at the beginning and end of every iterative solve.

use super::checkered::Checkered;
use super::components::Means;
use super::matrix::Matrix;
use super::spans::ActiveSpans;
use super::{Fallback, PoissonError, PoissonProblem, SolveReport, Stop};
use crate::field::Field;
use crate::location::Location;
use crate::par;
use crate::value::Real;

/// Norm and mean of a right-hand side.
#[derive(Debug, Clone, Copy)]
pub(super) struct RightHandSide {
    /// Root of its sum of squares, without the means.
    pub norm: f64,
    /// Greatest mean that was taken out.
    pub removed_mean: f64,
}

impl RightHandSide {
    /// The outcome for a residual, given as root of its sum of squares.
    pub fn outcome(&self, iterations: usize, residual: f64, stop: Stop) -> SolveReport {
        let residual = if self.norm > 0.0 { residual / self.norm } else { 0.0 };
        let has_converged = residual <= stop.tolerance;
        SolveReport {
            iterations,
            residual,
            has_converged,
            removed_mean: self.removed_mean,
            fallback: Fallback::First,
        }
    }

    /// The outcome of a direct solver: converged, whatever rounding has left.
    pub fn direct_outcome(&self, residual: f64, stop: Stop) -> SolveReport {
        SolveReport { has_converged: true, ..self.outcome(0, residual, stop) }
    }

    /// The residual to reach, as root of its sum of squares.
    pub fn target(&self, stop: Stop) -> f64 {
        self.norm * stop.tolerance
    }
}

/// Some vectors that are used together.
pub(super) trait VectorSet<T: Real, const D: usize> {
    /// All of them.
    fn each(&mut self) -> impl Iterator<Item = &mut Checkered<T, D>>;
}

impl<T: Real, const D: usize, const N: usize> VectorSet<T, D> for [Checkered<T, D>; N] {
    fn each(&mut self) -> impl Iterator<Item = &mut Checkered<T, D>> {
        self.iter_mut()
    }
}

/// Vectors for boxes of one size, made anew when another size comes.
#[derive(Debug)]
pub(super) struct Kept<V, const D: usize>(Option<([usize; D], ActiveSpans, V)>);

impl<V, const D: usize> Default for Kept<V, D> {
    fn default() -> Self {
        Kept(None)
    }
}

impl<V, const D: usize> Kept<V, D> {
    /// The memory for the size of a matrix, zero where that has no unknowns.
    pub fn fit<T: Real>(
        &mut self,
        matrix: &Matrix<T, D>,
        make: impl FnOnce([usize; D]) -> Result<V, PoissonError>,
    ) -> Result<&mut V, PoissonError>
    where
        V: VectorSet<T, D>,
    {
        let cells = matrix.cells();
        if self.0.as_ref().is_none_or(|(size, ..)| *size != cells) {
            // The old memory goes before the new is taken
            self.0 = None;
            self.0 = Some((cells, ActiveSpans::default(), make(cells)?));
        }
        let (_, extent, vectors) = self.0.as_mut().ok_or(PoissonError::Memory)?;
        extent.renew(&matrix.spans, vectors.each());
        Ok(vectors)
    }
}

/// Memory for means.
#[derive(Debug, Clone, Default)]
pub(super) struct Exchange {
    means: Means,
}

impl Exchange {
    /// Loads the right-hand side, without the means over closed parts.
    pub fn take_rhs<T: Real, const D: usize>(
        &mut self,
        problem: &PoissonProblem<T, D>,
        rhs: &Field<T, D>,
        b: &mut Checkered<T, D>,
    ) -> Result<RightHandSide, PoissonError> {
        problem.check_field("right-hand side", rhs, Location::Center)?;
        take(problem, "right-hand side", rhs, b)?;
        problem.components.measure(rhs, &mut self.means);
        problem.components.subtract_checkered(&self.means, b);
        Ok(RightHandSide { norm: problem.matrix.dot(b, b).sqrt(), removed_mean: self.means.greatest() })
    }

    /// Measures a right-hand side without loading it, in a box.
    pub fn look_at<T: Real, const D: usize>(
        &mut self,
        problem: &PoissonProblem<T, D>,
        rhs: &Field<T, D>,
    ) -> Result<RightHandSide, PoissonError> {
        let squares = par::sum(rhs, |value| value.to_f64() * value.to_f64());
        if !squares.is_finite() {
            return Err(refusal("right-hand side", rhs.iter()));
        }
        problem.components.measure(rhs, &mut self.means);
        let mean = self.means.greatest();
        let squares_without = (squares - mean * mean * rhs.len() as f64).max(0.0);
        Ok(RightHandSide { norm: squares_without.sqrt(), removed_mean: mean })
    }

    /// The mean of the whole box that was measured last; zero when it is not closed.
    pub fn mean(&self) -> f64 {
        self.means.first()
    }

    /// Loads the initial guess.
    pub fn take_guess<T: Real, const D: usize>(
        &self,
        problem: &PoissonProblem<T, D>,
        p: &Field<T, D>,
        x: &mut Checkered<T, D>,
    ) -> Result<(), PoissonError> {
        problem.check_solution(p)?;
        take(problem, "first guess", p, x)?;
        x.wrap(problem.matrix.periodic);
        Ok(())
    }

    /// Stores the solution, with mean zero on closed parts.
    pub fn give<T: Real, const D: usize>(
        &mut self,
        problem: &PoissonProblem<T, D>,
        x: &Checkered<T, D>,
        p: &mut Field<T, D>,
    ) {
        x.copy_to(p);
        self.centre(problem, p);
    }

    /// Subtracts the means over closed parts from a residual: they are rounding errors, which no solver can reduce.
    pub fn clean<T: Real, const D: usize>(
        &mut self,
        problem: &PoissonProblem<T, D>,
        r: &mut Checkered<T, D>,
    ) {
        problem.components.measure_checkered(r, &mut self.means);
        problem.components.subtract_checkered(&self.means, r);
    }

    /// Makes the mean of a solution zero on closed parts.
    pub fn centre<T: Real, const D: usize>(&mut self, problem: &PoissonProblem<T, D>, p: &mut Field<T, D>) {
        problem.components.measure(p, &mut self.means);
        problem.components.subtract(&self.means, p);
    }
}

/// Copies the unknowns of a field, zeros elsewhere in their spans.
fn take<T: Real, const D: usize>(
    problem: &PoissonProblem<T, D>,
    what: &'static str,
    field: &Field<T, D>,
    to: &mut Checkered<T, D>,
) -> Result<(), PoissonError> {
    let matrix = &problem.matrix;
    to.rows(|at, halves| {
        let span = matrix.span(at);
        if span.is_empty() {
            return;
        }
        let range = span.natural(matrix.cells()[0]);
        let (row, known) = (&field.row(at)[range.clone()], matrix.diagonal.even_and_odd(at));
        for (right, half) in halves.into_iter().enumerate() {
            let cells = span.cells(half.len());
            let values = row[right.min(row.len())..].iter().step_by(2);
            let known = &known[right].row(at)[cells.clone()];
            for ((to, &value), &diagonal) in half[cells].iter_mut().zip(values).zip(known) {
                *to = if diagonal > T::zeroed() { value } else { T::zeroed() };
            }
        }
    });
    if matrix.dot(to, to).is_finite() {
        return Ok(());
    }
    Err(refusal(what, field.iter().filter(|(at, _)| matrix.is_unknown(at.map(|i| i as isize)))))
}

/// Why values are refused whose sum of squares is not finite: the first cell that is not finite, or the one with the
/// greatest value.
fn refusal<T: Real, const D: usize>(
    what: &'static str,
    values: impl Iterator<Item = ([usize; D], T)>,
) -> PoissonError {
    let mut greatest = ([0; D], 0.0);
    for (at, value) in values {
        if !value.is_finite() {
            return PoissonError::NotFinite { what, cell: at.to_vec() };
        }
        if value.to_f64().abs() > greatest.1 {
            greatest = (at, value.to_f64().abs());
        }
    }
    PoissonError::TooLarge { what, value: greatest.1, cell: greatest.0.to_vec() }
}
