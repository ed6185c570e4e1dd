//! The residual of a solution in a box, in the natural order of cells.

use super::super::SideKind;
use super::PoissonProblem;
use crate::field::Field;
use crate::par;
use crate::value::Real;

/// Root of the sum of the squares of f − mean − A p.
pub(super) fn box_residual<T: Real, const D: usize>(
    problem: &PoissonProblem<T, D>,
    rhs: &Field<T, D>,
    mean: f64,
    p: &Field<T, D>,
) -> f64 {
    let rows: usize = problem.grid().cells()[1..].iter().product();
    let width = problem.grid().cells()[0];
    let part = |rows: std::ops::Range<usize>| {
        rows.map(|row| squares_of_row(problem, rhs, mean, p, problem.matrix.row_at(row))).sum::<f64>()
    };
    par::fold(rows, par::pieces_per_task(width), part, |a, b| a + b).unwrap_or(0.0).sqrt()
}

fn squares_of_row<T: Real, const D: usize>(
    problem: &PoissonProblem<T, D>,
    rhs: &Field<T, D>,
    mean: f64,
    p: &Field<T, D>,
    at: [isize; D],
) -> f64 {
    let (here, given, weights) = (p.row(at), rhs.row(at), problem.matrix.weights);
    let (shift, mean, last) = (T::from_f64(problem.sigma()), T::from_f64(mean), here.len() - 1);
    let sides = problem.sides();
    // Beyond a side lies the image in it
    let mut neighbours: [[(&[T], T); 2]; D] = [[(here, T::zeroed()); 2]; D];
    for axis in 1..D {
        for side in 0..2 {
            neighbours[axis][side] = neighbour_row(problem, p, at, axis, side);
        }
    }
    let end = |side: SideKind, own: T, opposite: T| match side {
        SideKind::Closed => own,
        SideKind::Fixed => -own,
        SideKind::Periodic => opposite,
    };
    let ends = [end(sides[0][0], here[0], here[last]), end(sides[0][1], here[last], here[0])];
    let mut total = 0.0;
    for x in 0..here.len() {
        let low = if x == 0 { ends[0] } else { here[x - 1] };
        let high = if x == last { ends[1] } else { here[x + 1] };
        let mut applied = shift * here[x] + weights[0] * ((here[x] - low) + (here[x] - high));
        for axis in 1..D {
            let [(low, low_sign), (high, high_sign)] = neighbours[axis];
            let differences = (here[x] - low_sign * low[x]) + (here[x] - high_sign * high[x]);
            applied = applied + weights[axis] * differences;
        }
        let residual = ((given[x] - mean) - applied).to_f64();
        total += residual * residual;
    }
    total
}

/// The row beside another and its sign: at a closed side the row itself, at a fixed one its negative.
fn neighbour_row<'a, T: Real, const D: usize>(
    problem: &PoissonProblem<T, D>,
    p: &'a Field<T, D>,
    at: [isize; D],
    axis: usize,
    side: usize,
) -> (&'a [T], T) {
    let (one, count) = (T::from_f64(1.0), problem.grid().cells()[axis] as isize);
    let neighbours = crate::neighbour(at, axis, 2 * side as isize - 1);
    let wrapped = super::super::checkered::moved(neighbours, axis, neighbours[axis].rem_euclid(count));
    match problem.sides()[axis][side] {
        _ if wrapped == neighbours => (p.row(neighbours), one),
        SideKind::Periodic => (p.row(wrapped), one),
        SideKind::Closed => (p.row(at), one),
        SideKind::Fixed => (p.row(at), -one),
    }
}
