//! How heights move.

use std::f64::consts::PI;

use super::*;

/// A basin in space with a floor of steps, a pillar and a bridge.
fn rough_basin() -> Cells<3> {
    let grid = Grid::new([9, 7, 8], [0.5, 0.4, 0.25], [1.0, -1.0, 0.5]).unwrap();
    let mut cells = Cells::new(grid);
    for index in 0..9 * 7 * 8 {
        let [i, j, k] = cells.cell(index);
        if k < (i * 3 + j) % 3 || [i, j] == [4, 3] || (j == 5 && (3..5).contains(&k)) {
            cells.set(index, CellKind::Solid);
        }
    }
    cells
}

/// A random velocity up to `speed` on every face, whatever its divergence.
fn random_velocity(cells: &Cells<3>, random: &mut Random, speed: f64) -> MacVelocity<f64, 3> {
    let mut velocity = MacVelocity::new(*cells.grid(), Condition::FreeSlip, 1).unwrap();
    for component in velocity.components_mut() {
        component.storage_mut().iter_mut().for_each(|u| *u = speed * (2.0 * random.next() - 1.0));
    }
    velocity
}

#[test]
fn the_flux_form_conserves_volume_to_rounding() {
    let cells = rough_basin();
    let mut random = Random(3);
    let mut heights =
        HeightField::new(&cells, flux(0.2), |[x, y, _]| 1.5 + 0.6 * (2.0 * x).sin() * (3.0 * y).cos());
    let start = heights.volume();
    let (mut held_back, mut moved) = (0.0, 0.0);
    for _ in 0..400 {
        let before = heights.depths.clone();
        let velocity = random_velocity(&cells, &mut random, 2.0);
        held_back += heights.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt: 0.1 }).held_back;
        moved += before.iter().zip(&heights.depths).map(|(a, b)| (a - b).abs()).sum::<f64>();
        for column in 0..63 {
            let [floor, ceiling] = heights.columns.range(column);
            assert!((floor..=ceiling).contains(&heights.heights[column]) && heights.depths[column] > -1e-12);
        }
    }
    assert!((heights.volume() / start - 1.0).abs() < 1e-13, "{} {start}", heights.volume());
    assert!(held_back > 0.0 && moved > 100.0, "{held_back} {moved}");
}

#[test]
fn divergence_free_fields_conserve_volume_too_and_keep_level_water_level() {
    // A stream function that vanishes on the walls and at the level: nothing crosses the surface
    let cells = basin([16, 8], [0.5, 0.25]);
    let mut random = Random(9);
    let mut heights = HeightField::new(&cells, flux(0.1), |_| 1.25);
    for _ in 0..100 {
        let waves: [f64; 4] = std::array::from_fn(|_| random.next() - 0.5);
        let psi = |x: f64, y: f64| {
            let term =
                |m: usize| waves[m] * ((m + 1) as f64 * PI * x / 8.0).sin() * (4.0 * PI * y / 5.0).sin();
            (0..4).map(term).sum::<f64>()
        };
        let velocity = velocity_of(&cells, |[x, y]| {
            [(psi(x, y + 0.125) - psi(x, y - 0.125)) / 0.25, -(psi(x + 0.25, y) - psi(x - 0.25, y)) / 0.5]
        });
        let change = heights.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt: 0.05 });
        assert_eq!(change, SurfaceChange::default());
    }
    assert!((heights.volume() - 10.0).abs() < 1e-12);
    assert!(heights.heights.iter().all(|height| (height - 1.25).abs() < 1e-12), "{:?}", heights.heights);
}

/// The greatest error of a sine carried along for 2 m by a uniform flow, away from the ends, and its height.
fn carried_sine(n: usize, upwind: f64) -> (f64, f64) {
    let cells = basin([n, 4], [16.0 / n as f64, 1.0]);
    let (length, amplitude) = (4.0, 0.3);
    let wave = |x: f64| 1.6 + amplitude * (2.0 * PI * x / length).sin();
    let mut heights = HeightField::new(&cells, flux(upwind), |[x, _]| wave(x));
    let velocity = velocity_of(&cells, |_| [1.0, 0.0]);
    let steps = n / 4;
    for _ in 0..steps {
        heights.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt: 2.0 / steps as f64 });
    }
    let (mut error, mut top) = (0.0_f64, 0.0_f64);
    for (column, height) in heights.heights.iter().enumerate() {
        let x = (column as f64 + 0.5) * 16.0 / n as f64;
        if (5.0..11.0).contains(&x) {
            error = error.max((height - wave(x - 2.0)).abs());
            top = top.max(height - 1.6);
        }
    }
    (error, top)
}

#[test]
fn a_sine_is_carried_without_decay_beyond_the_order() {
    let errors: Vec<f64> = [64, 128, 256].iter().map(|&n| carried_sine(n, 0.0).0).collect();
    let orders = [(errors[0] / errors[1]).log2(), (errors[1] / errors[2]).log2()];
    assert!(orders.iter().all(|&order| order > 1.8), "{errors:?}");
    // Lax–Wendroff: phase error (kΔ)³(1 − c²)/6 per step; its amplitude is kept to fourth order
    let k_delta = 2.0 * PI / 4.0 * 16.0 / 64.0;
    assert!(errors[0] < 1.2 * 0.3 * (2.0 / 0.25) * k_delta.powi(3) * 0.75 / 6.0, "{}", errors[0]);
    assert!((carried_sine(128, 0.0).1 / 0.3 - 1.0).abs() < 0.005);
    // The share α adds the diffusion α (1 − c) u Δ / 2: a decay by exp(−α (1 − c) k² Δ x / 2)
    let decay = |alpha: f64| (-alpha * 0.5 * (2.0 * PI / 4.0_f64).powi(2) * 0.125 * 2.0 / 2.0).exp();
    for alpha in [0.1, 1.0] {
        let top = carried_sine(128, alpha).1 / 0.3;
        assert!((top / decay(alpha) - 1.0).abs() < 0.01, "{alpha}: {top} {}", decay(alpha));
    }
}

#[test]
fn noise_in_a_diagonal_flow_does_not_grow_at_the_limit() {
    // Σ|u| Δt/δ = 1. Blended by each axis's own Courant number alone, waves along the diagonal would grow by √1.25 a step
    let grid = Grid::new([100, 100, 3], [1.0; 3], [0.0; 3]).unwrap();
    let cells = Cells::new(grid);
    let mut velocity = MacVelocity::<f64, 3>::new(grid, Condition::FreeSlip, 1).unwrap();
    (0..2).for_each(|axis| velocity[axis].set_by_position(|_| 0.5));
    let mut heights = HeightField::new(&cells, flux(0.0), |_| 1.5);
    let mut random = Random(2);
    for column in (0..10_000).filter(|at| (30..50).contains(&(at % 100)) && (30..50).contains(&(at / 100))) {
        heights.depths[column] += 0.4 * (random.next() - 0.5);
    }
    // As far as the walls cannot have made themselves felt
    let squares = |heights: &HeightField<3>| {
        let inner = (25..75).flat_map(|j| (25..75).map(move |i| i + 100 * j));
        inner.map(|column| (heights.depths[column] - 1.5).powi(2)).sum::<f64>()
    };
    let start = squares(&heights);
    for _ in 0..25 {
        heights.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt: 1.0 });
    }
    assert!(squares(&heights) <= start && squares(&heights) > 0.05 * start, "{} {start}", squares(&heights));
}

#[test]
fn eq_12_is_the_papers_formula() {
    let grid = Grid::new([6, 5, 7], [0.5, 0.4, 0.3], [0.0; 3]).unwrap();
    let cells = Cells::new(grid);
    let mut random = Random(5);
    let start = |[x, y, _]: [f64; 3]| 1.0 + 0.25 * (3.0 * x).sin() * (2.0 * y).cos();
    let mut heights = HeightField::new(&cells, EQ12, start);
    let h = heights.heights.to_vec();
    let velocity = random_velocity(&cells, &mut random, 0.5);
    let dt = 0.02;
    let change = heights.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt });
    assert_eq!(change.limited, 0.0);
    for j in 1..4 {
        for i in 1..5 {
            let at = i + 6 * j;
            let k = (h[at] / 0.3) as usize;
            let above = h[at] / 0.3 - k as f64;
            let w = velocity[2][[i, j, k]] * (1.0 - above) + velocity[2][[i, j, k + 1]] * above;
            let expected = h[at]
                + dt * (w
                    + (h[at - 1] - h[at + 1]) / (4.0 * 0.5)
                        * (velocity[0][[i + 1, j, k]] + velocity[0][[i, j, k]])
                    + (h[at - 6] - h[at + 6]) / (4.0 * 0.4)
                        * (velocity[1][[i, j + 1, k]] + velocity[1][[i, j, k]]));
            assert!((heights.heights[at] - expected).abs() < 1e-12, "{i} {j}");
        }
    }
}

#[test]
fn eq_12_reports_what_floor_and_ceiling_cut_off() {
    let cells = basin([3, 4], [0.5, 1.0]);
    let mut heights = HeightField::new(&cells, EQ12, |_| 3.5);
    let velocity = velocity_of(&cells, |_| [0.0, 2.0]);
    let change = heights.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt: 0.5 });
    assert!((change.limited - 1.5 * 0.5).abs() < 1e-12 && (heights.volume() - 6.0).abs() < 1e-12);
}

#[test]
fn bits_do_not_depend_on_threads_nor_on_a_restore() {
    for settings in [flux(0.1), EQ12] {
        let run = |threads: usize, is_restored: bool| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let grid = Grid::new([50, 40, 6], [0.5, 0.4, 0.5], [0.0; 3]).unwrap();
                let mut cells = Cells::new(grid);
                let level = |[x, y, _]: [f64; 3]| 1.4 + 0.4 * x.sin() * y.cos();
                let mut heights = HeightField::new(&cells, settings, level);
                let velocity = random_velocity(&cells, &mut Random(11), 0.5);
                for number in 0..20 {
                    if number == 10 && is_restored {
                        let mut bytes = Vec::new();
                        heights.save(&mut Writer::new(&mut bytes)).unwrap();
                        heights = HeightField::new(&cells, settings, |_| 0.0);
                        heights.restore(&mut Reader::new(&bytes)).unwrap();
                    }
                    heights.label(&mut cells);
                    heights.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt: 0.05 });
                }
                heights.heights.iter().map(|height| height.to_bits()).collect::<Vec<_>>()
            })
        };
        let expected = run(1, false);
        assert!(run(8, false) == expected && run(8, true) == expected);
    }
}
