//! Boxes of every size, each solved many times by the same plan: nothing of an earlier solve may show in a later one.
//!
//! The reference is direct: p is chosen first, f = A p is written down cell by cell, and a solver must find p again.
//! Then the last of many solves must have the bits of the first.

use undine_grid::poisson::SideKind::{self, Closed, Fixed, Periodic};
use undine_grid::poisson::{PoissonProblem, PoissonSolver, Stop, solver};
use undine_grid::{Field, Grid, Location, Real, neighbour};

use super::specimen::{chance, difference, field_of, zeros};

const STOP: Stop = Stop { tolerance: 1e-9, max_iterations: 400 };

/// Every combination of two sides that an axis can have.
const SIDES: [[SideKind; 2]; 5] =
    [[Closed; 2], [Fixed; 2], [Closed, Fixed], [Fixed, Closed], [Periodic, Periodic]];

/// Solvers that need a box with nothing inside.
const FAMILY: [&str; 2] = ["fft", "cyclic-reduction"];

/// A box with a solution that was chosen and the right-hand side that belongs to it.
struct Known<T, const D: usize> {
    problem: PoissonProblem<T, D>,
    wanted: Field<f64, D>,
    rhs: Field<T, D>,
}

impl<T: Real, const D: usize> Known<T, D> {
    fn new(cells: [usize; D], sides: [[SideKind; 2]; D]) -> Self {
        // Cells of many sizes: what a solve multiplies padding by depends on it
        let spacing = [1.0, 64.0, 0.125][cells.iter().sum::<usize>() % 3];
        let grid = Grid::new(cells, [spacing; D], [0.0; D]).unwrap();
        let rough = |at: [usize; D]| chance(at.iter().fold(77, |seed, &i| seed * 131 + i as u64)) - 0.5;
        let is_closed = !sides.as_flattened().contains(&Fixed);
        let count = cells.iter().product::<usize>() as f64;
        let rough = field_of::<f64, D>(grid, Location::Center, rough);
        let mean = if is_closed { rough.iter().map(|(_, p)| p).sum::<f64>() / count } else { 0.0 };
        let wanted = field_of::<f64, D>(grid, Location::Center, |at| rough[at] - mean);
        let rhs = field_of(grid, Location::Center, |at| applied(&wanted, sides, at));
        Known { problem: PoissonProblem::new(grid, sides).unwrap(), wanted, rhs }
    }
}

/// (A p) of a cell, with the image of p beyond each side.
fn applied<const D: usize>(p: &Field<f64, D>, sides: [[SideKind; 2]; D], at: [usize; D]) -> f64 {
    let (own, at) = (p[at], at.map(|i| i as isize));
    let difference = |axis: usize, side: usize| {
        let count = p.grid().cells()[axis] as isize;
        let mut next = neighbour(at, axis, 2 * side as isize - 1);
        if (0..count).contains(&next[axis]) {
            return own - p.at(next);
        }
        next[axis] = next[axis].rem_euclid(count);
        match sides[axis][side] {
            Closed => 0.0,
            Fixed => 2.0 * own,
            Periodic => own - p.at(next),
        }
    };
    (0..2 * D).map(|side| difference(side / 2, side % 2)).sum::<f64>() / p.grid().spacing()[0].powi(2)
}

/// Sides that depend on the size, so that every combination meets many sizes.
fn sides_of<const D: usize>(cells: [usize; D]) -> [[SideKind; 2]; D] {
    let sum = cells.iter().fold(0, |sum, &count| 3 * sum + count);
    std::array::from_fn(|axis| SIDES[(sum + 2 * axis + axis * axis) % SIDES.len()])
}

/// Solves until a number that grows by the length of an axis in each solve, from rounding, would be as large as p.
fn solves<const D: usize>(cells: [usize; D]) -> usize {
    let longest = cells.into_iter().max().unwrap_or(1).max(2) as f64;
    6 + (36.0 / longest.log10()) as usize
}

fn solved<T: Real, const D: usize>(
    solver: &mut dyn PoissonSolver<T, D>,
    known: &Known<T, D>,
    what: &str,
) -> Field<T, D> {
    let mut p = zeros(*known.problem.grid());
    let outcome = solver.solve(&known.problem, &known.rhs, &mut p, STOP);
    assert!(outcome.as_ref().is_ok_and(|outcome| outcome.has_converged), "{what}: {outcome:?}");
    p
}

/// The family against the reference and each other, and the last solve against the first.
fn check<T: Real, const D: usize>(cells: [usize; D], sides: [[SideKind; 2]; D], tolerance: f64) {
    let known = Known::<T, D>::new(cells, sides);
    for name in FAMILY {
        let what = format!("{name} {cells:?} {sides:?}");
        let mut kept = solver(name).unwrap().build();
        let first = solved(kept.as_mut(), &known, &what);
        let apart = difference(&first, &known.wanted);
        assert!(apart < tolerance, "{what}: {apart}");
        for number in 1..solves(cells) {
            let again = solved(kept.as_mut(), &known, &what);
            assert!(first.to_dense() == again.to_dense(), "{what}: solve {number} differs from the first");
        }
    }
}

/// In both precisions. Single precision loses as many digits as the box is long.
fn check_both<const D: usize>(cells: [usize; D]) {
    let sides = sides_of(cells);
    check::<f64, D>(cells, sides, 1e-10);
    check::<f32, D>(cells, sides, 5e-3);
}

#[test]
fn lines_of_every_length() {
    for count in 1..=130 {
        for sides in SIDES {
            check::<f64, 1>([count], [sides], 1e-10);
        }
        check_both([count]);
    }
}

#[test]
fn every_width_with_some_heights() {
    for width in 1..=130 {
        [1, 3, 17, 30].into_iter().for_each(|height| check_both([width, height]));
    }
}

#[test]
fn every_height_with_some_widths() {
    for height in 1..=130 {
        [1, 5, 19, 32].into_iter().for_each(|width| check_both([width, height]));
    }
}

#[test]
fn squares_of_every_size() {
    for count in 1..=130 {
        check_both([count, 131 - count]);
        if count % 3 == 1 {
            check_both([count, count]);
        }
    }
}

#[test]
fn every_depth_in_space() {
    for depth in 1..=130 {
        check_both([1 + depth % 7, 1 + depth % 5, depth]);
    }
    for [width, rows, depth] in [[9, 130, 2], [17, 33, 18], [130, 3, 5], [31, 2, 47], [16, 16, 15]] {
        check_both([width, rows, depth]);
        check_both([depth, width, rows]);
    }
}

/// Solvers that do not know the box agree with those that do.
#[test]
fn other_solvers_agree() {
    for count in [1, 2, 5, 15, 16, 17, 31, 48, 61, 97, 130] {
        let cells = [count, 131 - count];
        let known = Known::<f64, 2>::new(cells, sides_of(cells));
        for name in ["auto", "mgpcg", "multigrid", "gaussian"] {
            let what = format!("{name} {cells:?}");
            let mut kept = solver(name).unwrap().build();
            for _ in 0..3 {
                let apart = difference(&solved(kept.as_mut(), &known, &what), &known.wanted);
                assert!(apart < 1e-6, "{what}: {apart}");
            }
        }
    }
}
