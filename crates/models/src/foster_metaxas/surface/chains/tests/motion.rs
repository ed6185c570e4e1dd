//! How chains move.

use std::f64::consts::PI;

use super::*;

/// A disc in the single vortex of LeVeque that turns back after half the period; answers the chains at the beginning, the
/// end, and the greatest number of particles on the way.
fn single_vortex(n: usize, period: f64) -> (Chains<2>, Chains<2>, usize) {
    let cells = cells_of([n, n], 1.0 / n as f64, CellKind::Full);
    let mut chains = chains_on(&cells);
    assert_eq!(chains.add_region(&cells, None, disc([0.5, 0.75], 0.15)), 1);
    let (start, mut most) = (chains.clone(), 0);
    let steps = (2.0 * period * n as f64).round() as usize;
    let dt = period / steps as f64;
    for step in 0..steps {
        let turn = (PI * (step as f64 + 0.5) * dt / period).cos();
        let psi = |x: f64, y: f64| -turn / PI * ((PI * x).sin() * (PI * y).sin()).powi(2);
        let velocity = velocity_of_stream(&cells, psi);
        chains.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt }, &[]);
        most = most.max(chains.points.len());
    }
    (start, chains, most)
}

#[test]
fn a_disc_in_the_single_vortex_comes_back() {
    // Bounds set before measuring: one percent where the filament stays far thicker than d_min, five where its tail does not
    for (n, period, area_bound, distance_bound) in [(32, 2.0, 0.01, 0.25), (64, 8.0, 0.05, 1.5)] {
        let (start, end, most) = single_vortex(n, period);
        let error = end.area() / start.area() - 1.0;
        assert!(error.abs() < area_bound, "area: {error}");
        let off = |[x, y]: [f64; 2]| ((x - 0.5).hypot(y - 0.75) - 0.15).abs() * n as f64;
        let farthest = end.loops().next().unwrap().map(off).fold(0.0, f64::max);
        assert!(farthest < distance_bound, "{farthest} cells off the circle after {period} s");
        // Links are at least d_min long; the filament is stretched to at most a few times the box
        assert!(
            most as f64 <= 2.0 * 0.0707 * (8 * n * 8 * n) as f64 && end.points.len() <= 8 * n,
            "{most} {}",
            end.points.len()
        );
    }
}

#[test]
fn a_rotating_disc_keeps_its_area_and_place() {
    let cells = cells_of([16, 16], 1.0, CellKind::Full);
    let velocity = velocity_of(&cells, |[x, y]| [8.0 - y, x - 8.0]);
    let mut chains = chains_on(&cells);
    chains.add_region(&cells, Some(80), disc([8.0, 11.0], 3.0));
    assert_eq!(chains.points.len(), 80);
    let start = chains.clone();
    for _ in 0..400 {
        chains.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt: 2.0 * PI / 400.0 }, &[]);
    }
    // Area of the midpoint rule: (1 + θ⁴/4) in every step
    assert!((chains.area() / start.area() - 1.0).abs() < 1e-5);
    let apart = |(a, b): ([f64; 2], [f64; 2])| (a[0] - b[0]).hypot(a[1] - b[1]);
    let farthest =
        chains.loops().next().unwrap().zip(start.loops().next().unwrap()).map(apart).fold(0.0, f64::max);
    assert!(chains.points.len() == 80 && farthest < 2e-3, "{farthest}");
}

#[test]
fn links_stay_between_both_distances() {
    let (_, chains, _) = single_vortex(32, 2.0);
    for chain in chains.loops() {
        let points: Vec<_> = chain.collect();
        for (at, a) in points.iter().enumerate() {
            let b = points[(at + 1) % points.len()];
            let length = (a[0] - b[0]).hypot(a[1] - b[1]) * 32.0;
            assert!((0.125 - 1e-9..=0.5 + 1e-9).contains(&length), "{length}");
        }
    }
}

#[test]
fn bits_do_not_depend_on_threads_nor_on_a_restore() {
    let run = |threads: usize, is_restored: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let cells = cells_of([256, 256], 1.0, CellKind::Full);
            let velocity = velocity_of(&cells, |[x, y]| [(y * 0.11).sin(), (x * 0.13).cos()]);
            let mut chains = chains_on(&cells);
            chains.add_region(&cells, None, disc([100.0, 100.0], 90.0));
            chains.add_region(&cells, None, disc([215.0, 215.0], 38.0));
            for number in 0..30 {
                if number == 15 && is_restored {
                    let mut bytes = Vec::new();
                    chains.save(&mut Writer::new(&mut bytes)).unwrap();
                    chains = chains_on(&cells);
                    chains.restore(&mut Reader::new(&bytes)).unwrap();
                }
                chains.advance(&SurfaceStep { cells: &cells, velocity: &velocity, dt: 0.5 }, &[]);
            }
            let bits: Vec<_> = chains.points.iter().flatten().map(|x| x.to_bits()).collect();
            (bits, chains.starts.clone())
        })
    };
    let expected = run(1, false);
    assert!(expected.0.len() > 2 * CHUNK);
    assert!(run(8, false) == expected && run(8, true) == expected);
}

#[test]
fn saved_chains_that_do_not_fit_together_are_refused() {
    let cells = cells_of([4, 4], 1.0, CellKind::Full);
    let mut bytes = Vec::new();
    let mut to = Writer::new(&mut bytes);
    to.records("chain_particles", [[0.5, 0.5], [1.0, f64::NAN], [0.5, 1.0]].into_iter()).unwrap();
    to.values("chain_starts", &[0_u32, 4]).unwrap();
    to.values("chain_due", &[0.0; 0]).unwrap();
    let mut chains = chains_on(&cells);
    assert!(chains.restore(&mut Reader::new(&bytes)).is_err());
    assert_eq!((chains.points.len(), chains.area()), (0, 0.0));
}
