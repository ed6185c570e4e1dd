//! Chains that meet, part, cross and vanish.

use std::f64::consts::PI;

use super::*;

/// Area common to two discs of one radius at a distance.
fn lens(radius: f64, distance: f64) -> f64 {
    let half = 0.5 * distance;
    2.0 * (radius * radius * (half / radius).acos() - half * (radius * radius - half * half).sqrt())
}

fn settle(chains: &mut Chains<2>, cells: &Cells<2>, steps: usize) -> SurfaceChange {
    let velocity = still(cells);
    let mut total = SurfaceChange::default();
    for _ in 0..steps {
        let change = chains.advance(&SurfaceStep { cells, velocity: &velocity, dt: 0.1 }, &[]);
        total.resampled += change.resampled;
        total.removed_loops += change.removed_loops;
        total.reconnections += change.reconnections;
    }
    total
}

#[test]
fn two_discs_nearer_than_d_min_become_one() {
    let cells = cells_of([24, 16], 1.0, CellKind::Full);
    let mut chains = chains_on(&cells);
    chains.add_region(&cells, None, disc([7.95, 8.0], 4.0));
    chains.add_region(&cells, None, disc([16.05, 8.0], 4.0));
    let sum = chains.area();
    let change = settle(&mut chains, &cells, 5);
    assert_eq!((chains.loops().len(), change.removed_loops), (1, 0.0));
    assert!(change.reconnections > 0);
    // What meets is nearer than d_min along 2 √(R (d_min − gap)) on either side; each pair deleted takes at most d_max d_min
    let bound = 0.125 * (2.0 * (4.0_f64 * 0.125).sqrt()) + 2.0 * 0.5 * 0.125 + 0.002 * sum;
    assert!((chains.area() - sum).abs() < bound, "{} of {sum}", chains.area() - sum);
    assert!((chains.area() - sum - change.resampled).abs() < 1e-9);
}

#[test]
fn two_discs_that_run_into_each_other_become_one() {
    let mut cells = cells_of([24, 16], 1.0, CellKind::Empty);
    let mut chains = chains_on(&cells);
    chains.add_region(&cells, None, disc([6.0, 8.0], 4.0));
    chains.add_region(&cells, None, disc([18.0, 8.0], 4.0));
    let (sum, mut resampled, mut moved) = (chains.area(), 0.0, 0.0);
    let mut steps = 0;
    while chains.loops().len() > 1 && steps < 100 {
        chains.label(&mut cells);
        (0..24 * 16).for_each(|index| cells.set(index, CellKind::Full));
        let velocity = velocity_of(&cells, |[x, _]| {
            [
                if x < 11.9 {
                    1.0
                } else if x > 12.1 {
                    -1.0
                } else {
                    0.0
                },
                0.0,
            ]
        });
        let before = chains.area();
        let change = chains.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt: 0.1 }, &[]);
        resampled += change.resampled;
        moved += chains.area() - before - change.resampled;
        steps += 1;
    }
    assert!(chains.loops().len() == 1 && (15..60).contains(&steps), "{} after {steps}", chains.loops().len());
    assert!(resampled.abs() < 0.01 * sum, "{resampled} of {sum}");
    assert!((chains.area() - sum - resampled - moved).abs() < 1e-9);
}

#[test]
fn what_lies_in_two_chains_counts_once() {
    let cells = cells_of([24, 16], 1.0, CellKind::Full);
    let mut chains = chains_on(&cells);
    chains.add_region(&cells, None, disc([8.3, 8.1], 4.0));
    chains.add_region(&cells, None, disc([15.1, 8.1], 4.0));
    let change = settle(&mut chains, &cells, 5);
    assert_eq!(chains.loops().len(), 1);
    let union = 2.0 * PI * 16.0 - lens(4.0, 6.8);
    assert!((chains.area() / union - 1.0).abs() < 0.01, "{} {union}", chains.area());
    assert!((change.removed_loops / lens(4.0, 6.8) - 1.0).abs() < 0.1, "{}", change.removed_loops);
}

#[test]
fn a_neck_that_is_stretched_parts() {
    let mut cells = cells_of([40, 12], 1.0, CellKind::Full);
    let mut chains = chains_on(&cells);
    let dumbbell = |[x, y]: [f64; 2]| {
        disc([17.0, 6.0], 1.5)([x, y])
            || disc([23.0, 6.0], 1.5)([x, y])
            || (x - 20.0).abs() < 3.0 && (y - 6.0).abs() < 0.25
    };
    assert_eq!(chains.add_region(&cells, None, dumbbell), 1);
    let start = chains.area();
    let velocity = velocity_of(&cells, |[x, y]| [x - 20.0, 6.0 - y]);
    let mut resampled = 0.0;
    for _ in 0..145 {
        resampled +=
            chains.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt: 0.01 }, &[]).resampled;
    }
    let mut areas: Vec<f64> = chains.starts.windows(2).map(|range| chains.area_of(range)).collect();
    areas.sort_by(|a, b| b.total_cmp(a));
    assert!(areas.len() >= 2, "{areas:?}");
    // Two drops hold what was in the discs; the neck, 3 m × 0.5 m of them, is in small drops or thinner than d_min and lost
    let disc = PI * 2.25;
    assert!(areas[..2].iter().all(|area| (area / disc - 1.0).abs() < 0.15), "{areas:?} {disc}");
    let lost = start - chains.area();
    assert!((-0.01 * start..1.5 + 0.01 * start).contains(&lost), "{lost} of {start}");
    assert!((lost + resampled).abs() < 1e-3 * start, "{lost} {resampled}");
    chains.label(&mut cells);
    assert_eq!(cells.kind([20, 1]), CellKind::Empty);
}

#[test]
fn a_bow_tie_is_disentangled() {
    let cells = cells_of([12, 12], 1.0, CellKind::Full);
    let mut chains = chains_on(&cells);
    add_polygon(&mut chains, &[[2.0, 2.0], [10.0, 10.0], [10.0, 2.0], [2.0, 10.0]]);
    assert!(chains.area().abs() < 1e-9);
    let change = settle(&mut chains, &cells, 3);
    // One triangle of 16 m² goes around counter-clockwise; the other enclosed air in air
    assert_eq!(chains.loops().len(), 1);
    assert!((chains.area() - 16.0).abs() < 0.5 && (change.removed_loops - 16.0).abs() < 0.5, "{change:?}");
}

#[test]
fn no_tangle_panics_or_is_lost_silently() {
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    for _ in 0..60 {
        let mut cells = cells_of([12, 12], 1.0, CellKind::Full);
        let mut chains = chains_on(&cells);
        let corners: Vec<[f64; 2]> =
            (0..14).map(|_| [0.2 + 11.6 * random(), 0.2 + 11.6 * random()]).collect();
        add_polygon(&mut chains, &corners);
        let velocity = velocity_of(&cells, |[x, y]| [3.0 * (y + 0.3 * x).sin(), 3.0 * (x - 0.2 * y).cos()]);
        for _ in 0..25 {
            let before = chains.area();
            let change = chains.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt: 0.2 }, &[]);
            chains.label(&mut cells);
            (0..144).for_each(|index| cells.set(index, CellKind::Full));
            assert!(
                [chains.area(), change.resampled, change.removed_loops, before].iter().all(|x| x.is_finite())
            );
            for point in &chains.points {
                assert!(point.iter().all(|x| (0.0..12.0).contains(x)), "{point:?}");
            }
        }
        // What is left are borders: liquid inside of them, no deeper than once
        let negative = chains.starts.windows(2).filter(|range| chains.area_of(range) < 0.0).count();
        assert!(chains.area() >= 0.0 && chains.area() < 150.0, "{negative} {}", chains.area());
    }
}

#[test]
fn chains_that_cannot_be_are_refused() {
    let cells = cells_of([8, 8], 1.0, CellKind::Empty);
    let uneven = ChainSettings { max_link: 0.5, min_distance: 0.2, contents: Contents::Winding };
    assert!(matches!(Chains::new(*cells.grid(), uneven), Err(ChainError::Distances { .. })));
    let space = Grid::new([2; 3], [1.0; 3], [0.0; 3]).unwrap();
    assert_eq!(
        Chains::new(space, ChainSettings::of_cell(1.0, Contents::Winding)).err(),
        Some(ChainError::Space)
    );
}
