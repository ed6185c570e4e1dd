//! Markers in flows of a known form.

use std::f64::consts::PI;

use undine_grid::{Condition, MacVelocity};

use super::super::InflowFace;
use super::super::sliding::cell_of;
use super::*;

fn settings(motion: MarkerMotion) -> MarkerSettings {
    MarkerSettings { per_cell: 25, jitter: 0.0, seed: 7, motion }
}

/// A grid of n × m cells of 1 m.
fn empty(n: usize, m: usize) -> Cells<2> {
    Cells::new(Grid::new([n, m], [1.0; 2], [0.0; 2]).unwrap())
}

fn velocity_of(cells: &Cells<2>, u: impl Fn([f64; 2]) -> [f64; 2] + Sync) -> MacVelocity<f64, 2> {
    let mut velocity = MacVelocity::new(*cells.grid(), Condition::FreeSlip, 1).unwrap();
    (0..2).for_each(|axis| velocity[axis].set_by_position(|[x, y]| u([x, y])[axis]));
    velocity
}

fn disc(centre: [f64; 2], radius: f64) -> impl Fn([f64; 2]) -> bool {
    move |[x, y]| (x - centre[0]).hypot(y - centre[1]) < radius
}

/// The greatest distance of any marker from where it started, after a turn of a disc in `steps` steps.
fn error_of_a_turn(motion: MarkerMotion, steps: usize) -> f64 {
    let mut cells = empty(16, 16);
    let mut markers = Markers::new(&cells, settings(motion), disc([8.0, 11.0], 3.0));
    let start = markers.positions.clone();
    let velocity = velocity_of(&cells, |[x, y]| [8.0 - y, x - 8.0]);
    let dt = 2.0 * PI / steps as f64;
    for _ in 0..steps {
        markers.label(&mut cells);
        // All faces have their velocity: the whole box is taken as liquid
        (0..256).for_each(|index| cells.set(index, CellKind::Full));
        markers.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt }, &[]);
    }
    assert_eq!(markers.len(), start.len());
    let apart = |(a, b): (&[f64; 2], &[f64; 2])| (a[0] - b[0]).hypot(a[1] - b[1]);
    markers.positions.iter().zip(&start).map(apart).fold(0.0, f64::max)
}

#[test]
fn a_disc_in_solid_body_rotation_comes_back() {
    // Midpoint: phase error (2π/N)² / 6 · 2π per turn at r ≤ 6, growth of the radius of fourth order
    let bound = |steps: f64| 1.1 * 6.0 * 2.0 * PI * (2.0 * PI / steps).powi(2) / 6.0;
    let (coarse, fine) =
        (error_of_a_turn(MarkerMotion::Midpoint, 200), error_of_a_turn(MarkerMotion::Midpoint, 400));
    assert!(coarse < bound(200.0) && fine < bound(400.0), "{coarse} {fine}");
    assert!(coarse / fine > 3.5, "second order: {coarse} / {fine}");
    // Euler spirals out: r grows by (1 + Δθ²)^½ in every step
    let euler = error_of_a_turn(MarkerMotion::Euler, 400);
    let spiral = ((1.0 + (2.0 * PI / 400.0_f64).powi(2)).powf(200.0) - 1.0) * 6.0;
    assert!(euler > 0.8 * spiral && euler < 1.2 * spiral, "{euler} against {spiral}");
}

#[test]
fn markers_in_a_shear_never_enter_solids_and_leave_at_outflows_only() {
    let mut cells = empty(12, 8);
    for index in 0..96 {
        let [i, j] = cells.cell(index);
        let is_block = (4..6).contains(&i) && j < 3 || i == 8 && j > 4;
        cells.set(
            index,
            if i == 11 {
                CellKind::Outflow
            } else if is_block {
                CellKind::Solid
            } else {
                CellKind::Full
            },
        );
    }
    // Straight into the blocks and the walls, up to 2.4 cells a step: worse than any flow that a solver would give
    let velocity = velocity_of(&cells, |[x, y]| [1.0 + y, 2.0 * (x * 1.7).sin() - 0.5]);
    let mut markers = Markers::new(&cells, settings(MarkerMotion::Midpoint), |_| true);
    let start = markers.len();
    let mut left = 0;
    for _ in 0..60 {
        let change = markers.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt: 0.3 }, &[]);
        left += change.left;
        assert_eq!(change.lost, 0);
        for &point in &markers.positions {
            assert!(!cells.is_obstacle(cell_of(point)), "{point:?}");
        }
    }
    assert_eq!(markers.len() + left, start);
    assert!(left > start / 4, "{left} of {start}");
}

#[test]
fn cells_are_labelled_by_their_markers_and_holes_are_refilled() {
    let mut cells = empty(6, 6);
    cells.set(0, CellKind::Solid);
    let hole = |[x, y]: [f64; 2]| x.floor() == 2.0 && y.floor() == 1.0;
    let mut markers = Markers::new(&cells, settings(MarkerMotion::Midpoint), |at| at[1] < 3.5 && !hole(at));
    assert_eq!(markers.label(&mut cells), 1);
    for index in 0..36 {
        let [i, j] = cells.cell(index);
        let expected = match j {
            _ if index == 0 => CellKind::Solid,
            0..3 => CellKind::Full,
            3 => CellKind::Surface,
            _ => CellKind::Empty,
        };
        assert_eq!(cells.kinds()[index], expected, "{i} {j}");
    }
    // Rows of markers at 0.1, 0.3 (and 0.5, which is not below) of row 3: two fifths
    assert!((markers.seen_volume(&cells) - (17.0 + 6.0 * 0.4)).abs() < 1e-12);
    assert!((markers.interface(&cells, [3, 3], 1, true) - (0.3 - 0.5 + 0.1)).abs() < 1e-6);
    assert!((markers.interface(&cells, [3, 3], 1, false) - (0.5 - 0.1 + 0.1)).abs() < 1e-6);
    assert_eq!(markers.label(&mut cells), 0);
}

/// A box with an inflow of 0.8 m/s at the left side.
fn jet() -> (Cells<2>, MacVelocity<f64, 2>, Vec<InflowFace<2>>) {
    let mut cells = empty(10, 10);
    let faces: Vec<_> = (4..6).map(|j| InflowFace { cell: [0, j], axis: 0, towards_high: true }).collect();
    (0..100).for_each(|index| cells.set(index, CellKind::Full));
    faces.iter().for_each(|face| cells.set(cells.index(face.cell), CellKind::Inflow));
    let velocity = velocity_of(&cells, |_| [0.8, 0.0]);
    (cells, velocity, faces)
}

#[test]
fn markers_are_born_at_their_own_rate() {
    let (cells, velocity, faces) = jet();
    let step = SurfaceStep { cells: &cells, velocity: &velocity, dt: 0.01 };
    for (rate, expected) in [(Some(500.0), 1000), (None, 2 * 25 * 16 / 10), (Some(0.0), 0)] {
        let mut markers = Markers::new(&cells, settings(MarkerMotion::Midpoint), |_| false);
        let inflows = [InflowFaces { faces: &faces, markers_per_second: rate }];
        let born: usize = (0..200).map(|_| markers.advance(&step, &inflows).born).sum();
        assert!(born.abs_diff(expected) <= 1, "{born} of {expected}");
        // They fill the jet evenly: 1.6 m long, half of them in each half
        let near = markers.positions.iter().filter(|point| point[0] < 1.8).count();
        assert!(near.abs_diff(born / 2) <= born / 20 + 3, "{near} of {born}");
        assert!(markers.positions.iter().all(|&[x, y]| (1.0..2.62).contains(&x) && (4.0..6.0).contains(&y)));
    }
}

#[test]
fn markers_of_an_edited_scene_that_lie_in_a_solid_are_counted() {
    let mut cells = empty(4, 4);
    let mut markers = Markers::new(&cells, settings(MarkerMotion::Midpoint), |_| true);
    cells.set(5, CellKind::Solid);
    let velocity = velocity_of(&cells, |_| [0.0; 2]);
    let change = markers.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt: 0.1 }, &[]);
    assert_eq!((change.lost, markers.len()), (25, 375));
}

#[test]
fn bits_do_not_depend_on_threads_nor_on_a_restore() {
    let run = |threads: usize, is_restored: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (cells, _, faces) = jet();
            let velocity = velocity_of(&cells, |[x, y]| [0.8 + (y * 0.7).sin(), (x * 0.9).cos()]);
            let new = || {
                Markers::new(
                    &cells,
                    MarkerSettings { per_cell: 64, jitter: 0.5, ..settings(MarkerMotion::Midpoint) },
                    disc([6.0, 5.0], 3.5),
                )
            };
            let mut markers = new();
            for number in 0..40 {
                if number == 20 && is_restored {
                    let mut bytes = Vec::new();
                    markers.save(&mut Writer::new(&mut bytes)).unwrap();
                    markers = new();
                    markers.restore(&mut Reader::new(&bytes)).unwrap();
                }
                let inflows = [InflowFaces { faces: &faces, markers_per_second: Some(300.0) }];
                markers.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt: 0.02 }, &inflows);
            }
            markers.positions.iter().flatten().map(|x| x.to_bits()).collect::<Vec<_>>()
        })
    };
    let expected = run(1, false);
    assert!(expected.len() > 2 * 2048);
    assert_eq!(run(8, false), expected);
    assert_eq!(run(8, true), expected);
}

#[test]
fn in_space_a_ball_keeps_its_markers_in_a_swirl() {
    let grid = Grid::new([10, 10, 8], [0.1, 0.1, 0.2], [0.0; 3]).unwrap();
    let mut cells = Cells::new(grid);
    (0..800).for_each(|index| cells.set(index, CellKind::Full));
    let mut velocity = MacVelocity::new(grid, Condition::FreeSlip, 1).unwrap();
    velocity[0].set_by_position(|[_, y, _]| 0.5 - y);
    velocity[1].set_by_position(|[x, _, _]| x - 0.5);
    let ball = |[x, y, z]: [f64; 3]| {
        (x - 0.507_f64).powi(2) + (y - 0.596_f64).powi(2) + (z - 0.791_f64).powi(2) < 0.09
    };
    let mut markers =
        Markers::new(&cells, MarkerSettings { per_cell: 27, ..settings(MarkerMotion::Midpoint) }, ball);
    let expected = 4.0 / 3.0 * PI * 0.027 / 0.002 * 27.0;
    assert!((markers.len() as f64 / expected - 1.0).abs() < 0.02, "{} of {expected}", markers.len());
    let start: Vec<_> = markers.positions().collect();
    for _ in 0..400 {
        markers.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt: 2.0 * PI / 400.0 }, &[]);
    }
    for (point, start) in markers.positions().zip(start) {
        assert!((0..3).all(|axis| (point[axis] - start[axis]).abs() < 1e-3), "{point:?} {start:?}");
    }
}
