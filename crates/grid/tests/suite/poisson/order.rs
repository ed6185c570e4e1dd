//! Second order against solutions in closed form.

use std::f64::consts::{PI, TAU};

use undine_grid::poisson::SideKind::{self, Closed, Fixed, Periodic};
use undine_grid::poisson::{Inside, PoissonProblem, Stop, solver};
use undine_grid::{Condition, Field, Grid, Location, neighbour};

use super::specimen::zeros;

const STOP: Stop = Stop { tolerance: 1e-11, max_iterations: 100 };

/// The greatest errors on ever finer grids fall by about four each time.
fn assert_second_order(what: &str, error: impl Fn(usize) -> f64) {
    let errors @ [coarse, _, fine] = [16, 32, 64].map(error);
    let order = 0.5 * (coarse / fine).log2();
    assert!(order > 1.9 && fine < 2e-3, "{what}: {errors:?}");
}

/// On a unit square, −∇²p + σp = f where p is a product of waves that fit the sides.
fn error_of_waves(sides: [[SideKind; 2]; 2], waves: [fn(f64) -> f64; 2], eigenvalue: f64, n: usize) -> f64 {
    let grid = Grid::new([n, n + n / 2], [1.0 / n as f64, 1.0 / (n + n / 2) as f64], [0.0; 2]).unwrap();
    let mut problem = PoissonProblem::<f64, 2>::new(grid, sides).unwrap();
    problem.set_strength(2.0, 3.0).unwrap();
    let exact = |[x, y]: [f64; 2]| waves[0](x) * waves[1](y);
    let mut f = zeros(grid);
    f.set_by_position(|at| (2.0 * eigenvalue + 3.0) * exact(at));
    let mut p = zeros(grid);
    solver("mgpcg").unwrap().build().solve(&problem, &f, &mut p, STOP).unwrap();
    p.iter().map(|(at, p)| (p - exact(grid.centre(at.map(|along| along as isize)))).abs()).fold(0.0, f64::max)
}

#[test]
fn waves_between_all_sides() {
    let closed: fn(f64) -> f64 = |x| (PI * x).cos();
    let fixed: fn(f64) -> f64 = |x| (PI * x).sin();
    let mixed: fn(f64) -> f64 = |x| (0.5 * PI * x).cos();
    let periodic: fn(f64) -> f64 = |x| (TAU * x + 0.3).sin();
    assert_second_order("closed, fixed", |n| {
        error_of_waves([[Closed; 2], [Fixed; 2]], [closed, fixed], 2.0 * PI * PI, n)
    });
    assert_second_order("mixed, periodic", |n| {
        error_of_waves([[Closed, Fixed], [Periodic; 2]], [mixed, periodic], 4.25 * PI * PI, n)
    });
}

/// p = exp(x) cos(y) + 3y/2 has no Laplacian; its values are given on two sides and its slopes on the other two.
#[test]
fn sides_with_values_and_slopes() {
    assert_second_order("values at x, slopes at y", |n| {
        let grid = Grid::new([n, n], [1.0 / n as f64, PI / n as f64], [0.0; 2]).unwrap();
        let problem = PoissonProblem::<f64, 2>::new(grid, [[Fixed; 2], [Closed; 2]]).unwrap();
        let exact = |[x, y]: [f64; 2]| x.exp() * y.cos() + 1.5 * y;
        let mut f = zeros(grid);
        problem.add_side_values([[0.0, 0.0], [-1.5, 1.5]], &mut f).unwrap();
        let weight = 2.0 * (n * n) as f64;
        for y in 0..n {
            let middle = grid.centre([0, y as isize])[1];
            f[[0, y]] += weight * exact([0.0, middle]);
            f[[n - 1, y]] += weight * exact([1.0, middle]);
        }
        let mut p = zeros(grid);
        solver("fft").unwrap().build().solve(&problem, &f, &mut p, STOP).unwrap();
        p.iter()
            .map(|(at, p)| (p - exact(grid.centre(at.map(|along| along as isize)))).abs())
            .fold(0.0, f64::max)
    });
}

/// A drop of radius 0.4 with p = (r² − R²)/4 inside and p = 0 on its surface, which cuts the grid anywhere.
#[test]
fn a_free_surface() {
    assert_second_order("drop", |n| {
        let spacing = 1.0 / n as f64;
        let grid = Grid::new([n, n], [spacing; 2], [-0.507, -0.493]).unwrap();
        let level = |[x, y]: [f64; 2]| 0.25 * (x * x + y * y - 0.16);
        let mut unknown = Field::<u8, 2>::new(grid, Location::Center, Condition::Open, 1).unwrap();
        let (mut extra, mut f) = (zeros::<f64, 2>(grid), zeros::<f64, 2>(grid));
        f.fill(-1.0);
        for (cell, _) in zeros::<f64, 2>(grid).iter() {
            let at = cell.map(|along| along as isize);
            let own = level(grid.centre(at));
            unknown[cell] = u8::from(own < 0.0);
            for beside in (0..4).map(|side| neighbour(at, side / 2, 2 * (side as isize % 2) - 1)) {
                let distance = distance_to_surface(grid.centre(at), grid.centre(beside)) / spacing;
                if own < 0.0 && level(grid.centre(beside)) >= 0.0 {
                    extra[cell] += 1.0 / (distance.max(1e-3) * spacing * spacing);
                }
            }
        }
        let mut problem = PoissonProblem::new(grid, [[Closed; 2]; 2]).unwrap();
        problem.set_inside(&Inside { faces: None, unknown: Some(&unknown), extra: Some(&extra) }).unwrap();
        let mut p = zeros(grid);
        let outcome = solver("mgpcg").unwrap().build().solve(&problem, &f, &mut p, STOP).unwrap();
        assert!(outcome.has_converged, "{outcome:?}");
        let inside = p.iter().filter(|&(at, _)| unknown[at] == 1);
        inside
            .map(|(at, p)| (p - level(grid.centre(at.map(|along| along as isize)))).abs())
            .fold(0.0, f64::max)
    });
}

/// From a point inside the drop along an axis to its surface.
fn distance_to_surface(from: [f64; 2], to: [f64; 2]) -> f64 {
    let along = if from[0] == to[0] { 1 } else { 0 };
    let reach = (0.16 - from[1 - along] * from[1 - along]).max(0.0).sqrt();
    reach - from[along] * (to[along] - from[along]).signum()
}
