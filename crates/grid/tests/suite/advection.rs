//! Carrying quantities: what must hold for every scheme, and the orders of convergence.

use std::f64::consts::{PI, TAU};

use undine_grid::advection::{AdvectionScratch, Scheme, advect};
use undine_grid::{Condition, Field, Grid, Location, MacVelocity, fill_ghosts, par};

const SCHEMES: [Scheme; 3] = [Scheme::SemiLagrangian, Scheme::MacCormack, Scheme::Bfecc];

/// A periodic unit box in which everything moves by `velocity`.
fn wind<const D: usize>(cells: usize, velocity: [f64; D]) -> MacVelocity<f64, D> {
    let grid = Grid::new([cells; D], [1.0 / cells as f64; D], [0.0; D]).unwrap();
    let mut wind = MacVelocity::new(grid, Condition::Periodic, 1).unwrap();
    (0..D).for_each(|axis| wind[axis].fill(velocity[axis]));
    wind
}

fn at_centres<const D: usize>(
    flow: &MacVelocity<f64, D>,
    value: impl Fn([f64; D]) -> f64 + Sync,
) -> Field<f64, D> {
    let mut field = Field::new(*flow.grid(), Location::Center, Condition::Periodic, 1).unwrap();
    field.set_by_position(value);
    fill_ghosts(&mut field);
    field
}

fn carried<const D: usize>(
    scheme: Scheme,
    quantity: &Field<f64, D>,
    flow: &MacVelocity<f64, D>,
    dt: f64,
    steps: usize,
) -> Field<f64, D> {
    let (mut now, mut next, mut scratch) =
        (quantity.clone(), quantity.clone(), AdvectionScratch::new(quantity));
    for _ in 0..steps {
        advect(scheme, &now, flow.components().each_ref(), dt, &mut next, &mut scratch);
        now.swap(&mut next);
        fill_ghosts(&mut now);
    }
    now
}

/// Mean error of a smooth wave after one trip around the box, in steps of 0.4 cells.
fn error_after_a_trip(scheme: Scheme, cells: usize) -> f64 {
    let flow = wind(cells, [1.0, 0.5]);
    let wave = at_centres(&flow, |[x, y]| (TAU * x).sin() * (TAU * y).cos());
    let steps = cells * 5;
    let after = carried(scheme, &wave, &flow, 2.0 / steps as f64, steps);
    let wrong: f64 = wave.iter().map(|(at, value)| (value - after[at]).abs()).sum();
    wrong / wave.len() as f64
}

#[test]
fn the_corrected_schemes_are_of_second_order() {
    let order = |scheme| (error_after_a_trip(scheme, 32) / error_after_a_trip(scheme, 64)).log2();
    let orders = SCHEMES.map(order);
    assert!((0.6..1.2).contains(&orders[0]), "{orders:?}");
    assert!(orders[1] > 1.7 && orders[2] > 1.7, "{orders:?}");
    assert!(
        5.0 * error_after_a_trip(Scheme::MacCormack, 64) < error_after_a_trip(Scheme::SemiLagrangian, 64)
    );
}

#[test]
fn whole_cells_are_exact_in_every_dimension() {
    fn check<const D: usize>() {
        let flow = wind(8, [1.0; D]);
        let rough = at_centres(&flow, |point| (100.0 * point.iter().sum::<f64>().sin()).sin());
        for scheme in SCHEMES {
            let after = carried(scheme, &rough, &flow, 3.0 / 8.0, 8);
            let wrong = rough.iter().map(|(at, value)| (value - after[at]).abs()).fold(0.0, f64::max);
            assert!(wrong < 1e-12, "{scheme:?} in {D}-D: {wrong}");
        }
    }
    check::<1>();
    check::<2>();
    check::<3>();
}

#[test]
fn no_scheme_makes_new_extremes_or_changes_a_constant() {
    let grid = Grid::new([40, 30], [0.1; 2], [0.0; 2]).unwrap();
    let mut flow = MacVelocity::<f64, 2>::new(grid, Condition::FreeSlip, 1).unwrap();
    flow[0].set_by_position(|[x, y]| 9.0 * (PI * x / 4.0).sin() * (PI * y / 3.0).cos());
    flow[1].set_by_position(|[x, y]| -7.0 * (PI * x / 4.0).cos() * (PI * y / 3.0).sin());
    flow.fill_ghosts();
    let mut block = Field::<f64, 2>::new(grid, Location::Center, Condition::Wall, 1).unwrap();
    block
        .set_by_position(|[x, y]| if (1.0..2.0).contains(&x) && (1.0..2.0).contains(&y) { 1.0 } else { 0.0 });
    fill_ghosts(&mut block);
    let mut even = block.clone();
    even.fill(0.7);
    for scheme in SCHEMES {
        for dt in [1e-4, 0.02, 0.3, 1e6] {
            let after = carried(scheme, &block, &flow, dt, 20);
            assert!(after.iter().all(|(_, value)| (0.0..=1.0).contains(&value)), "{scheme:?}, {dt}");
            let after = carried(scheme, &even, &flow, dt, 5);
            assert!(after.iter().all(|(_, value)| (value - 0.7).abs() < 1e-12), "{scheme:?}, {dt}");
        }
    }
}

#[test]
fn an_absurd_flow_breaks_nothing() {
    let flow = wind(8, [f64::NAN, f64::INFINITY]);
    let wave = at_centres(&flow, |[x, _]| x);
    for scheme in SCHEMES {
        assert_eq!(carried(scheme, &wave, &flow, 1.0, 3).size(), [8, 8]);
    }
}

#[test]
fn every_number_of_threads_gives_the_same_bits() {
    let with_threads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            assert_eq!(par::threads(), threads);
            let flow = wind(200, [0.7, -0.3]);
            let wave = at_centres(&flow, |[x, y]| (9.0 * x).sin() + (5.0 * y).cos());
            carried(Scheme::MacCormack, &wave, &flow, 0.013, 3).to_dense()
        })
    };
    let alone = with_threads(1);
    assert!([2, 3, 8].into_iter().all(|threads| with_threads(threads) == alone));
}
