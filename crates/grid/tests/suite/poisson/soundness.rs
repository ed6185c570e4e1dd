//! Bad and strange input: an error or a sound answer.

use undine_grid::poisson::SideKind::{Closed, Fixed, Periodic};
use undine_grid::poisson::{
    Inside, PoissonError, PoissonProblem, PoissonSolver, SOLVERS, Stop, choose, solver,
};
use undine_grid::{Condition, Field, Grid, Location};

use super::specimen::{Content, Specimen, field_of, zeros};

const STOP: Stop = Stop { tolerance: 1e-9, max_iterations: 10_000 };

fn grid<const D: usize>(cells: [usize; D]) -> Grid<D> {
    Grid::new(cells, [0.5; D], [0.0; D]).unwrap()
}

#[test]
fn one_cell() {
    for entry in SOLVERS {
        let only = grid([1, 1, 1]);
        let f = field_of::<f64, 3>(only, Location::Center, |_| 6.0);
        for (sides, wanted, removed) in
            [([[Closed; 2]; 3], 0.0, 6.0), ([[Periodic; 2]; 3], 0.0, 6.0), ([[Fixed; 2]; 3], 6.0 / 48.0, 0.0)]
        {
            let problem = PoissonProblem::new(only, sides).unwrap();
            let mut p = zeros(only);
            let outcome = entry.build().solve(&problem, &f, &mut p, STOP).unwrap();
            let apart = (p[[0, 0, 0]] - wanted).abs();
            assert!(apart < 1e-9 && outcome.has_converged, "{} {sides:?} {p:?}", entry.name);
            assert_eq!(outcome.removed_mean, removed, "{} {sides:?}", entry.name);
        }
    }
}

#[test]
fn all_solid() {
    let box_grid = grid([9, 6]);
    let closed: [Field<f32, 2>; 2] =
        std::array::from_fn(|axis| field_of(box_grid, Location::Face(axis), |_| 0.0));
    let nowhere = Field::<u8, 2>::new(box_grid, Location::Center, Condition::Open, 1).unwrap();
    let f = field_of(box_grid, Location::Center, |[x, y]| (x * y) as f64);
    for inside in [
        Inside { faces: Some(&closed), ..Inside::default() },
        Inside { unknown: Some(&nowhere), ..Inside::default() },
        Inside { faces: Some(&closed), unknown: Some(&nowhere), extra: None },
    ] {
        let mut problem = PoissonProblem::new(box_grid, [[Closed, Fixed], [Periodic; 2]]).unwrap();
        problem.set_inside(&inside).unwrap();
        for entry in SOLVERS.iter().filter(|entry| !entry.needs_box) {
            let mut p = field_of(box_grid, Location::Center, |_| 1.0);
            let outcome = entry.build().solve(&problem, &f, &mut p, STOP).unwrap();
            assert!(
                outcome.has_converged && p.to_dense().iter().all(|&value| value == 0.0),
                "{}",
                entry.name
            );
        }
    }
}

#[test]
fn what_cannot_be_solved_for_is_reported() {
    let sides = [[Closed; 2], [Closed; 2]];
    let problem = PoissonProblem::<f64, 2>::new(grid([16, 8]), sides).unwrap();
    let f = field_of(grid([16, 8]), Location::Center, |[x, _]| 3.0 + (x as f64).sin());
    let mean = f.iter().map(|(_, value)| value).sum::<f64>() / f.len() as f64;
    for entry in SOLVERS {
        let mut p = zeros(grid([16, 8]));
        let outcome = entry.build().solve(&problem, &f, &mut p, STOP).unwrap();
        assert!((outcome.removed_mean - mean).abs() < 1e-12, "{} {outcome:?}", entry.name);
        assert!(outcome.has_converged, "{} {outcome:?}", entry.name);
    }
}

#[test]
fn no_number_is_refused() {
    let specimen = Specimen::<f32, 2>::new([20, 10], [[Closed; 2]; 2], Content::Pockets, 4);
    for bad in [f32::NAN, f32::INFINITY] {
        for entry in SOLVERS.iter().filter(|entry| !entry.needs_box) {
            let (mut f, mut p) = (specimen.rhs.clone(), zeros(*specimen.problem.grid()));
            // Values in walls are not read
            f[[3, 3]] = bad;
            assert!(entry.build().solve(&specimen.problem, &f, &mut p, STOP).is_ok(), "{}", entry.name);
            f[[7, 5]] = bad;
            let error = entry.build().solve(&specimen.problem, &f, &mut p, STOP).unwrap_err();
            let wanted = PoissonError::NotFinite { what: "right-hand side", cell: vec![7, 5] };
            assert_eq!(error, wanted, "{}", entry.name);
        }
    }
    let free = PoissonProblem::<f32, 2>::new(*specimen.problem.grid(), [[Closed; 2]; 2]).unwrap();
    for name in ["fft", "cyclic-reduction"] {
        let (mut f, mut p) = (specimen.rhs.clone(), zeros(*free.grid()));
        f[[19, 9]] = f32::NAN;
        let error = solver(name).unwrap().build().solve(&free, &f, &mut p, STOP).unwrap_err();
        assert_eq!(error, PoissonError::NotFinite { what: "right-hand side", cell: vec![19, 9] });
    }
    let mut guess = zeros(*free.grid());
    guess[[2, 1]] = f32::NAN;
    let error = solver("mgpcg").unwrap().build().solve(&free, &specimen.rhs, &mut guess, STOP).unwrap_err();
    assert_eq!(error, PoissonError::NotFinite { what: "first guess", cell: vec![2, 1] });
}

/// Numbers that are finite, but whose squares are not, are refused with the cell of the greatest.
#[test]
fn too_large_numbers_have_a_place() {
    let problem = PoissonProblem::<f64, 2>::new(grid([20, 10]), [[Closed; 2]; 2]).unwrap();
    let mut f = zeros(grid([20, 10]));
    (f[[3, 4]], f[[17, 8]], f[[5, 1]]) = (1e180, -1e200, 1e190);
    for entry in SOLVERS {
        let mut p = zeros(grid([20, 10]));
        let error = entry.build().solve(&problem, &f, &mut p, STOP).unwrap_err();
        let wanted = PoissonError::TooLarge { what: "right-hand side", value: 1e200, cell: vec![17, 8] };
        assert_eq!(error, wanted, "{}", entry.name);
    }
}

#[test]
fn misfits_are_refused() {
    let sides = [[Closed; 2], [Closed; 2]];
    let mut problem = PoissonProblem::<f64, 2>::new(grid([8, 8]), sides).unwrap();
    let (own, other) = (zeros::<f64, 2>(grid([8, 8])), zeros::<f64, 2>(grid([8, 9])));
    let faces = field_of::<f64, 2>(grid([8, 8]), Location::Face(0), |_| 1.0);
    for entry in SOLVERS {
        let mut solver = entry.build();
        let mut p = own.clone();
        assert!(matches!(solver.solve(&problem, &other, &mut p, STOP), Err(PoissonError::Misfit { .. })));
        assert!(matches!(solver.solve(&problem, &faces, &mut p, STOP), Err(PoissonError::Misfit { .. })));
        let mut p = other.clone();
        assert!(matches!(solver.solve(&problem, &own, &mut p, STOP), Err(PoissonError::Misfit { .. })));
    }
    let swapped = [faces.clone(), faces];
    let inside = Inside { faces: Some(&swapped), ..Inside::default() };
    assert!(matches!(problem.set_inside(&inside), Err(PoissonError::Misfit { what: "faces", .. })));
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        let extra = field_of(grid([8, 8]), Location::Center, |[x, y]| if x + y == 9 { bad } else { 1.0 });
        let inside = Inside { extra: Some(&extra), ..Inside::default() };
        assert_eq!(problem.set_inside(&inside), Err(PoissonError::Amount { what: "extra" }));
    }
}

#[test]
fn strange_problems_are_refused() {
    let half = PoissonProblem::<f64, 2>::new(grid([4, 4]), [[Closed; 2], [Closed, Periodic]]);
    assert_eq!(half.unwrap_err(), PoissonError::HalfPeriodic { axis: 1 });
    let mut problem = PoissonProblem::<f32, 2>::new(grid([4, 4]), [[Closed; 2]; 2]).unwrap();
    for (beta, sigma) in [(0.0, 1.0), (-1.0, 0.0), (f64::NAN, 0.0), (1e39, 0.0), (1.0, -1.0), (1.0, f64::NAN)]
    {
        assert!(matches!(problem.set_strength(beta, sigma), Err(PoissonError::Strength { .. })));
    }
    let specimen = Specimen::<f64, 2>::new([9, 9], [[Closed; 2]; 2], Content::Solids, 1);
    for name in ["fft", "cyclic-reduction"] {
        let mut p = zeros(*specimen.problem.grid());
        let error = solver(name).unwrap().build().solve(&specimen.problem, &specimen.rhs, &mut p, STOP);
        assert!(matches!(error, Err(PoissonError::Unsuited { .. })));
    }
    let large = PoissonProblem::<f32, 3>::new(grid([128, 128, 128]), [[Closed; 2]; 3]).unwrap();
    let (f, mut p) = (zeros(grid([128, 128, 128])), zeros(grid([128, 128, 128])));
    let error = solver("gaussian").unwrap().build().solve(&large, &f, &mut p, STOP);
    assert!(matches!(error, Err(PoissonError::Unsuited { .. })));
}

#[test]
fn giving_up_is_said() {
    let specimen = Specimen::<f64, 2>::new([40, 40], [[Closed; 2]; 2], Content::Solids, 1);
    for entry in SOLVERS.iter().filter(|entry| !entry.needs_box && !entry.is_direct) {
        for (tolerance, max_iterations) in [(1e-12, 1), (1e-6, 0), (0.0, 50), (-1.0, 50), (f64::NAN, 50)] {
            let mut p = zeros(*specimen.problem.grid());
            let stop = Stop { tolerance, max_iterations };
            let outcome = entry.build().solve(&specimen.problem, &specimen.rhs, &mut p, stop).unwrap();
            assert!(!outcome.has_converged, "{} {stop:?} {outcome:?}", entry.name);
            assert!(
                outcome.iterations <= max_iterations && p.to_dense().iter().all(|value| value.is_finite())
            );
        }
    }
}

#[test]
fn the_choice_is_wise() {
    let chosen =
        |cells, content| choose(&Specimen::<f64, 2>::new(cells, [[Closed; 2]; 2], content, 1).problem).0;
    assert_eq!(chosen([64, 60], Content::Nothing), "fft");
    assert_eq!(chosen([64, 61], Content::Nothing), "fft");
    assert_eq!(chosen([64, 60], Content::Solids), "mgpcg");
    assert!(solver("aut").is_none());
}

/// A block of liquid that falls apart and moves on, always with the same problem and solver: the bits are those of a new
/// problem and a new solver each time.
#[test]
fn liquid_that_moves_on_leaves_nothing_behind() {
    let box_grid = grid([70, 20, 18]);
    let rhs = field_of::<f32, 3>(box_grid, Location::Center, |[x, y, z]| ((3 * x + 7 * y * z) as f64).sin());
    let is_liquid = |step: usize, [x, y, z]: [usize; 3]| match step {
        0 => x < 30 && z < 12,
        1 => (40..66).contains(&x) && y > 8,
        2 => x % 17 < 3 && y % 6 < 3 && z % 5 != 2,
        _ => x < 5 && z < 12 || x > 60 && z < 4,
    };
    let fields_of = |step: usize| {
        let mut unknown = Field::<u8, 3>::new(box_grid, Location::Center, Condition::Open, 1).unwrap();
        let mut extra = zeros::<f32, 3>(box_grid);
        for (at, _) in rhs.iter().filter(|(at, _)| is_liquid(step, *at)) {
            unknown[at] = 1;
            extra[at] = if is_liquid(step, [at[0], at[1], at[2] + 1]) { 0.0 } else { 5.0 };
        }
        (unknown, extra)
    };
    let solve = |problem: &mut PoissonProblem<f32, 3>, solver: &mut dyn PoissonSolver<f32, 3>, step| {
        let (unknown, extra) = fields_of(step);
        let inside = Inside { faces: None, unknown: Some(&unknown), extra: Some(&extra) };
        problem.set_inside(&inside).unwrap();
        let mut p = zeros(box_grid);
        let stop = Stop { tolerance: 1e-5, max_iterations: 60 };
        let outcome = solver.solve(problem, &rhs, &mut p, stop).unwrap();
        (p.to_dense(), outcome)
    };
    for name in ["mgpcg", "multigrid", "cg", "cg-mic", "jacobi", "sor"] {
        let sides = [[Closed; 2], [Periodic; 2], [Closed; 2]];
        let mut kept_problem = PoissonProblem::new(box_grid, sides).unwrap();
        let mut kept = solver(name).unwrap().build();
        for step in [0, 1, 2, 3, 1, 0] {
            let mut new_problem = PoissonProblem::new(box_grid, sides).unwrap();
            let mut new = solver(name).unwrap().build();
            let (again, first) =
                (solve(&mut kept_problem, kept.as_mut(), step), solve(&mut new_problem, new.as_mut(), step));
            assert!(again == first, "{name} {step}: {:?} {:?}", again.1, first.1);
        }
    }
}
