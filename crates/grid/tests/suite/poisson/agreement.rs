//! All solvers find the same solution, and it solves the equation.

use undine_grid::poisson::SideKind::{self, Closed, Fixed, Periodic};
use undine_grid::poisson::{SOLVERS, SolveReport, SolverEntry, Stop, solver};
use undine_grid::{Field, Real};

use super::specimen::{Content, Specimen, difference, zeros};

const STOP: Stop = Stop { tolerance: 1e-10, max_iterations: 200_000 };

fn solve<T: Real, const D: usize>(
    entry: &SolverEntry,
    specimen: &Specimen<T, D>,
    stop: Stop,
) -> (Field<T, D>, SolveReport) {
    let mut p = zeros(*specimen.problem.grid());
    let outcome = entry.build().solve(&specimen.problem, &specimen.rhs, &mut p, stop).unwrap();
    (p, outcome)
}

fn suits<const D: usize>(entry: &SolverEntry, specimen: &Specimen<f64, D>) -> bool {
    !entry.needs_box || specimen.problem.is_box()
}

/// Every solver against elimination, and elimination against the definition.
fn check_all<const D: usize>(cells: [usize; D], sides: [[SideKind; 2]; D]) {
    for content in Content::ALL {
        let specimen = Specimen::<f64, D>::new(cells, sides, content, 7);
        let closed = specimen.parts().iter().filter(|(part, is_fixed)| !is_fixed && part.len() > 1).count();
        let what = format!("{cells:?} {sides:?} {content:?}");
        assert_eq!(specimen.problem.closed_parts(), closed, "{what}");
        let (exact, _) = solve(solver("gaussian").unwrap(), &specimen, STOP);
        assert!(specimen.residual(&exact) < 1e-12, "{what}: {}", specimen.residual(&exact));
        for entry in SOLVERS.iter().filter(|entry| suits(entry, &specimen)) {
            let (p, outcome) = solve(entry, &specimen, STOP);
            let (residual, apart) = (specimen.residual(&p), difference(&p, &exact));
            let what = format!("{} {what}: {outcome:?}", entry.name);
            assert!(outcome.has_converged && outcome.residual <= STOP.tolerance, "{what}");
            assert!(residual < 1.1 * STOP.tolerance, "{what}: {residual}");
            assert!(apart < 1e-7, "{what}: {apart}");
            assert!(specimen.stray(&p) < 1e-12, "{what}");
        }
    }
}

#[test]
fn all_agree_in_the_plane() {
    check_all([12, 9], [[Closed; 2], [Closed; 2]]);
    check_all([19, 14], [[Closed, Fixed], [Periodic; 2]]);
    check_all([7, 11], [[Periodic; 2], [Periodic; 2]]);
    check_all([16, 16], [[Fixed; 2], [Fixed, Closed]]);
    check_all([23, 1], [[Closed, Closed], [Closed; 2]]);
    check_all([1, 17], [[Periodic; 2], [Fixed, Closed]]);
    check_all([2, 2], [[Periodic; 2], [Closed; 2]]);
}

#[test]
fn all_agree_in_space() {
    check_all([8, 7, 9], [[Closed; 2], [Closed; 2], [Closed; 2]]);
    check_all([9, 6, 5], [[Fixed, Closed], [Periodic; 2], [Closed, Fixed]]);
    check_all([5, 1, 12], [[Periodic; 2], [Closed; 2], [Fixed; 2]]);
    check_all([1, 8, 8], [[Closed; 2], [Closed; 2], [Periodic; 2]]);
    check_all([3, 5, 7], [[Periodic; 2], [Periodic; 2], [Periodic; 2]]);
}

#[test]
fn all_agree_on_a_line() {
    check_all([31], [[Closed; 2]]);
    check_all([24], [[Fixed, Closed]]);
    check_all([17], [[Periodic; 2]]);
}

/// Sizes that do not halve, with those solvers that are fast enough for them.
fn check_odd<const D: usize>(cells: [usize; D], sides: [[SideKind; 2]; D]) {
    const FAST: [&str; 5] = ["auto", "fft", "cyclic-reduction", "multigrid", "mgpcg"];
    for content in Content::ALL {
        let specimen = Specimen::<f64, D>::new(cells, sides, content, 3);
        let stop = Stop { tolerance: 1e-9, max_iterations: 400 };
        let fast = SOLVERS.iter().filter(|entry| FAST.contains(&entry.name));
        for entry in fast.filter(|entry| suits(entry, &specimen)) {
            let (p, outcome) = solve(entry, &specimen, stop);
            let (residual, name) = (specimen.residual(&p), entry.name);
            assert!(outcome.has_converged, "{name} {cells:?} {content:?} {outcome:?}");
            assert!(residual < 1.1 * stop.tolerance, "{name} {cells:?} {content:?} {residual}");
        }
    }
}

#[test]
fn sizes_need_not_halve() {
    check_odd([127, 127], [[Closed; 2], [Closed; 2]]);
    check_odd([100, 37, 53], [[Closed; 2], [Periodic; 2], [Closed, Fixed]]);
    check_odd([301, 1, 40], [[Periodic; 2], [Closed; 2], [Fixed; 2]]);
    check_odd([1, 1, 999], [[Closed; 2], [Closed; 2], [Closed; 2]]);
}

#[test]
fn single_precision_finds_the_same() {
    for content in Content::ALL {
        let sides = [[Closed, Fixed], [Closed; 2]];
        let (single, double) = (
            Specimen::<f32, 2>::new([21, 16], sides, content, 1),
            Specimen::new([21, 16], sides, content, 1),
        );
        let (exact, _) = solve::<f64, 2>(solver("gaussian").unwrap(), &double, STOP);
        let stop = Stop { tolerance: 1e-4, max_iterations: 20_000 };
        for entry in SOLVERS.iter().filter(|entry| suits(entry, &double)) {
            let (p, outcome) = solve(entry, &single, stop);
            let apart = difference(&p, &exact);
            assert!(outcome.has_converged && apart < 2e-3, "{} {content:?} {outcome:?} {apart}", entry.name);
        }
    }
}

#[test]
fn a_good_guess_saves_work() {
    let sides = [[Closed; 2], [Closed; 2], [Closed, Fixed]];
    let mut specimen = Specimen::<f64, 3>::new([20, 18, 22], sides, Content::Everything, 2);
    let stop = Stop { tolerance: 1e-6, max_iterations: 50_000 };
    for entry in SOLVERS.iter().filter(|entry| !entry.needs_box && !entry.is_direct) {
        let (mut p, cold) = solve(entry, &specimen, stop);
        let mut solver = entry.build();
        let warm = solver.solve(&specimen.problem, &specimen.rhs, &mut p, stop).unwrap();
        // Conjugate gradients carry the residual along: measured anew it may be a little greater
        assert!(warm.iterations <= 8.min(cold.iterations), "{} {cold:?} {warm:?}", entry.name);
        specimen.rhs[[3, 3, 3]] += 1e-3;
        let near = solver.solve(&specimen.problem, &specimen.rhs, &mut p, stop).unwrap();
        assert!(near.has_converged && near.iterations < cold.iterations, "{} {near:?}", entry.name);
        specimen.rhs[[3, 3, 3]] -= 1e-3;
    }
}

#[test]
fn what_moves_is_seen() {
    let sides = [[Closed; 2], [Closed; 2]];
    for entry in SOLVERS.iter().filter(|entry| !entry.needs_box) {
        let mut solver = entry.build();
        for (seed, content) in Content::ALL.into_iter().cycle().take(7).enumerate() {
            let specimen = Specimen::<f64, 2>::new([18, 13], sides, content, seed as u64);
            let mut p = zeros(*specimen.problem.grid());
            let outcome = solver.solve(&specimen.problem, &specimen.rhs, &mut p, STOP).unwrap();
            let residual = specimen.residual(&p);
            assert!(outcome.has_converged && residual < 1.1e-10, "{} {content:?} {residual}", entry.name);
        }
    }
}
