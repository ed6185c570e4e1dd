//! The height field against the paper, its conservation laws, and extreme input.

use undine_grid::{Condition, Field, Grid, Location, Real, Side};

use super::energy::energy;
use super::height_field::{HeightField, TimeWeights};
use crate::heightfield::HeightFieldSetup;

const G: f64 = 9.81;
const FIRST: TimeWeights = TimeWeights { implicit: 1.0, damping: 0.0 };
const SECOND: TimeWeights = TimeWeights { implicit: super::SECOND_ORDER, damping: 0.0 };

/// Ground and surface by position; the level at rest is 0.
pub(super) fn setup(
    cells: [usize; 2],
    spacing: f64,
    bed: impl Fn(f64, f64) -> f64 + Sync,
    surface: impl Fn(f64, f64) -> f64,
) -> HeightFieldSetup {
    let grid = Grid::new(cells, [spacing; 2], [0.0; 2]).unwrap();
    let blank = || Field::<f64, 2>::new(grid, Location::Center, Condition::Open, 1).unwrap();
    let (mut ground, mut depth) = (blank(), blank());
    ground.set_by_position(|[x, y]| bed(x, y));
    for (cell, bed) in ground.iter() {
        let [x, y] = grid.centre(cell.map(|index| index as isize));
        depth[cell] = (surface(x, y) - bed).max(0.0);
    }
    HeightFieldSetup {
        grid,
        bed: ground,
        depth,
        velocity: [blank(), blank()],
        still_level: 0.0,
        warnings: Vec::new(),
    }
}

fn height_field<T: Real, const W: usize>(setup: &HeightFieldSetup) -> HeightField<T, W> {
    HeightField::new(setup, 1e-4).unwrap()
}

fn run<T: Real, const W: usize>(water: &mut HeightField<T, W>, steps: usize, dt: f64, weights: TimeWeights) {
    for _ in 0..steps {
        water.step(dt, G, weights);
    }
}

fn volume<T: Real, const W: usize>(height_field: &HeightField<T, W>) -> f64 {
    undine_grid::par::sum(&height_field.depth, T::to_f64)
}

fn surface<T: Real, const W: usize>(height_field: &HeightField<T, W>, cell: [usize; 2]) -> f64 {
    height_field.bed[cell].to_f64() + height_field.depth[cell].to_f64()
}

/// Hills and hollows, some of them above the water.
fn islands(x: f64, y: f64) -> f64 {
    -0.35 + 0.3 * (1.9 * x).sin() * (2.3 * y + 0.4).cos() + 0.25 * (0.7 * x * y + 1.0).sin()
}

/// The algorithm box of [kass1990] without shores, word by word: eqs. (14) to (17) by dense elimination.
fn paper_step(h: &mut [f64], last: &mut [f64], bed: &[f64], courant_factor: f64, tau: f64) {
    let n = h.len();
    let d: Vec<f64> = (0..n).map(|i| h[i] - bed[i]).collect();
    let f = |i: usize| courant_factor * 0.5 * (d[i] + d[i + 1]);
    let mut matrix = vec![vec![0.0; n + 1]; n];
    for i in 0..n {
        matrix[i][n] = h[i] + (1.0 - tau) * (h[i] - last[i]);
        matrix[i][i] = 1.0;
        if i > 0 {
            matrix[i][i] += f(i - 1);
            matrix[i][i - 1] = -f(i - 1);
        }
        if i + 1 < n {
            matrix[i][i] += f(i);
            matrix[i][i + 1] = -f(i);
        }
    }
    for column in 0..n {
        for i in (0..n).filter(|&i| i != column) {
            let factor = matrix[i][column] / matrix[column][column];
            (column..=n).for_each(|j| matrix[i][j] -= factor * matrix[column][j]);
        }
    }
    last.copy_from_slice(h);
    (0..n).for_each(|i| h[i] = matrix[i][n] / matrix[i][i]);
}

#[test]
fn the_first_order_step_is_that_of_the_paper() {
    let ground = |x: f64, _: f64| -1.0 - 0.3 * (0.8 * x).sin();
    let wave = |x: f64, _: f64| 1e-7 * (-(x - 3.0) * (x - 3.0)).exp();
    let start = setup([40, 1], 0.2, ground, wave);
    for damping in [0.0, 0.2] {
        let mut water = height_field::<f64, 8>(&start);
        let bed: Vec<f64> = (0..40).map(|x| water.bed[[x, 0]]).collect();
        let mut h: Vec<f64> = (0..40).map(|x| surface(&water, [x, 0])).collect();
        let mut last = h.clone();
        let dt = 0.1f64;
        for _ in 0..30 {
            paper_step(&mut h, &mut last, &bed, G * (dt / 0.2).powi(2), damping);
            water.step(dt, G, TimeWeights { damping, ..FIRST });
            for x in 0..40 {
                assert!((surface(&water, [x, 0]) - h[x]).abs() < 1e-13, "sample {x} with damping {damping}");
            }
        }
    }
}

#[test]
fn rest_is_rest_to_the_bit() {
    let mut start = setup([60, 50], 0.1, |x, y| islands(x, y) * 3.0, |_, _| 0.0);
    for high in [0.0, 2000.0] {
        start.still_level = high;
        start.bed.set_by_position(|[x, y]| islands(x, y) * 3.0 + high);
        for weights in [FIRST, SECOND] {
            let mut water = height_field::<f32, 16>(&start);
            let before = water.depth.to_dense();
            run(&mut water, 100, 1.0 / 30.0, weights);
            assert_eq!(water.depth.to_dense(), before);
            assert_eq!(energy(&water, G).kinetic_energy, 0.0);
        }
    }
}

/// Standing waves that flood and uncover islands.
fn sloshing() -> HeightFieldSetup {
    setup([48, 40], 0.1, islands, |x, y| 0.25 * (0.6 * x).cos() + 0.1 * (0.9 * y).sin())
}

fn drift<T: Real, const W: usize>(weights: TimeWeights, steps: usize) -> (f64, usize) {
    let mut water = height_field::<T, W>(&sloshing());
    let before = volume(&water);
    let (mut least, mut most) = (usize::MAX, 0);
    for step in 0..steps {
        let outcome = water.step(1.0 / 30.0, G, weights);
        assert!(water.depth.iter().all(|(_, depth)| depth.to_f64() >= 0.0));
        (least, most) = (least.min(outcome.bare), most.max(outcome.bare));
        // Pushed again and again, so that it does not come to rest.
        if step % 300 == 0 {
            (10..20).for_each(|y| water.set_speed(0, [20, y], 1.0));
        }
    }
    ((volume(&water) / before - 1.0).abs(), most - least)
}

#[test]
fn volume_is_kept_while_islands_come_and_go() {
    for weights in [FIRST, SECOND] {
        let (double, change) = drift::<f64, 8>(weights, 1000);
        let (single, _) = drift::<f32, 16>(weights, 1000);
        assert!(double < 1e-13 && single < 3e-7, "{double:e} {single:e}");
        assert!(change > 100, "the shore hardly moved: {change}");
    }
}

#[test]
fn every_puddle_keeps_its_own() {
    // A wave in the left pool; the right one is cut off by a ridge.
    let ridge = |x: f64| if (x - 2.0).abs() < 0.3 { 0.5 } else { -0.5 };
    let start = setup([64, 20], 0.0625, |x, _| ridge(x), |x, _| if x < 1.0 { 0.2 } else { -0.1 });
    let mut water = height_field::<f32, 16>(&start);
    let right = |water: &HeightField<f32, 16>| -> f64 {
        water.depth.iter().filter(|([x, _], _)| *x > 32).map(|(_, depth)| f64::from(depth)).sum()
    };
    let (all, before) = (volume(&water), right(&water));
    run(&mut water, 2000, 1.0 / 30.0, SECOND);
    assert_eq!(right(&water), before);
    assert!((volume(&water) / all - 1.0).abs() < 3e-7);
}

#[test]
fn energy_never_grows_at_any_step() {
    for dt in [1e-3, 1.0 / 30.0, 1.0, 300.0] {
        for weights in [FIRST, SECOND] {
            let mut water = height_field::<f64, 8>(&sloshing());
            let total = |water: &HeightField<f64, 8>| {
                let now = energy(water, G);
                now.kinetic_energy + now.potential_energy
            };
            let mut before = total(&water);
            for _ in 0..300 {
                water.step(dt, G, weights);
                let now = total(&water);
                assert!(now <= before * (1.0 + 2e-3) + 1e-9, "{before} to {now} J at dt = {dt}");
                before = now;
            }
        }
    }
}

#[test]
fn a_courant_number_of_ten_thousand_is_survived() {
    for weights in [FIRST, SECOND] {
        let mut water = height_field::<f32, 16>(&sloshing());
        let before = volume(&water);
        // c is about 2 m/s and a sample 0.1 m.
        run(&mut water, 200, 500.0, weights);
        let levels = water.depth.iter().map(|(cell, _)| surface(&water, cell));
        assert!(levels.into_iter().all(|level| level.abs() < 2.0));
        assert!((volume(&water) / before - 1.0).abs() < 1e-5);
    }
}

#[test]
fn a_round_drop_stays_round() {
    let drop = |x: f64, y: f64| 0.01 * (-((x - 3.2).powi(2) + (y - 3.2).powi(2)) / 0.16).exp();
    for (weights, exchanged_bound, oblique_bound) in [(FIRST, 0.002, 0.08), (SECOND, 0.02, 0.03)] {
        let mut water = height_field::<f32, 16>(&setup([129, 129], 6.4 / 129.0, |_, _| -0.5, drop));
        run(&mut water, 30, 1.0 / 60.0, weights);
        let level = |x: usize, y: usize| surface(&water, [x, y]);
        let highest = water.depth.iter().map(|(cell, _)| surface(&water, cell).abs()).fold(0.0, f64::max);
        let (mut exchanged, mut oblique) = (0.0f64, 0.0f64);
        for x in 0..129 {
            for y in 0..129 {
                exchanged = exchanged.max((level(x, y) - level(y, x)).abs());
            }
        }
        // 28² + 21² and 35²: the same distance from the middle, in another direction.
        for (k, l) in [(4, 3), (8, 6), (12, 9), (16, 12), (20, 15), (24, 18), (28, 21)] {
            let r = 5 * k / 4;
            oblique = oblique.max((level(64 + k, 64 + l) - level(64 + r, 64)).abs());
        }
        assert!(exchanged / highest < exchanged_bound, "{}", exchanged / highest);
        assert!(oblique / highest < oblique_bound, "{}", oblique / highest);
    }
}

#[test]
fn an_open_side_lets_waves_out_and_a_wall_does_not() {
    let bell = |x: f64, _: f64| 0.01 * (-((x - 10.0) / 1.5).powi(2)).exp();
    let left = |opened: bool| {
        let mut water = height_field::<f32, 16>(&setup([400, 1], 0.05, |_, _| -1.0, bell));
        if opened {
            [Side::West, Side::East].into_iter().for_each(|side| water.open(side));
        }
        run(&mut water, 300, 1.0 / 30.0, SECOND);
        (0..400).map(|x| surface(&water, [x, 0]).abs()).fold(0.0, f64::max) / 0.01
    };
    assert!(left(true) < 0.01, "{}", left(true));
    assert!(left(false) > 0.35, "{}", left(false));
}

#[test]
fn what_passes_open_sides_is_what_is_missing() {
    let bell = |x: f64, y: f64| 0.2 * (-((x - 2.0).powi(2) + (y - 1.0).powi(2))).exp();
    let mut water = height_field::<f64, 8>(&setup([64, 48], 0.1, |_, _| -0.4, bell));
    Side::ALL[..4].iter().for_each(|&side| water.open(side));
    let (before, mut inflow, mut outflow) = (volume(&water), 0.0, 0.0);
    for _ in 0..400 {
        let outcome = water.step(1.0 / 30.0, G, SECOND);
        (inflow, outflow) = (inflow + outcome.inflow, outflow + outcome.outflow);
    }
    assert!(outflow > 10.0);
    assert!(((volume(&water) - before - inflow + outflow) / before).abs() < 1e-14);
}

#[test]
fn narrow_and_dry_basins_are_no_trouble() {
    for cells in [[1, 1], [1, 30], [30, 1], [2, 2], [17, 3]] {
        for ground in [-1.0, 5.0] {
            for weights in [FIRST, SECOND] {
                let mut water = height_field::<f32, 16>(&setup(cells, 0.1, |_, _| ground, |x, _| 0.1 * x));
                let before = volume(&water);
                run(&mut water, 50, 1.0 / 30.0, weights);
                assert!(water.depth.iter().all(|(_, depth)| depth.is_finite() && depth >= 0.0));
                assert!((volume(&water) - before).abs() <= 1e-6 * before);
            }
        }
    }
}

#[test]
fn water_runs_off_a_slope() {
    // A film on a slope of 1 in 5 above a trough.
    let start = setup(
        [100, 1],
        0.1,
        |x, _| (x - 3.0).max(0.0) * 0.2,
        |x, _| if x > 5.0 { (x - 3.0) * 0.2 + 0.01 } else { -1.0 },
    );
    let mut water = height_field::<f32, 16>(&start);
    let on_slope =
        |water: &HeightField<f32, 16>| -> f64 { (35..100).map(|x| f64::from(water.depth[[x, 0]])).sum() };
    let before = on_slope(&water);
    run(&mut water, 900, 1.0 / 30.0, SECOND);
    assert!(on_slope(&water) < 0.05 * before, "{} of {before} clings to the slope", on_slope(&water));
}

#[test]
fn rows_of_speeds_are_those_of_their_cells() {
    let setup = setup([13, 9], 0.5, |x, y| 0.2 * (x - 3.0) + 0.1 * y, |x, _| 0.3 + 0.2 * (1.3 * x).cos());
    let mut water = height_field::<f32, 16>(&setup);
    run(&mut water, 5, 0.05, SECOND);
    let (mut row, mut moving) = ([0.0; 13], 0);
    for (axis, y) in [0, 1].into_iter().flat_map(|axis| (0..9).map(move |y| (axis, y))) {
        water.row_speeds(axis, y, &mut row);
        for (x, &speed) in row.iter().enumerate() {
            assert_eq!(speed, water.speed(axis, [x, y]) as f32, "axis {axis}, cell {x}, {y}");
            moving += u32::from(speed != 0.0);
        }
    }
    assert!(moving > 20, "{moving} cells move");
}
