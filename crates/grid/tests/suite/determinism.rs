//! The same bits on any number of threads.
#![cfg(not(target_arch = "wasm32"))]

use undine_grid::{Condition, Field, Grid, Location, MacVelocity, fill_ghosts, kernels, operators, par};

/// Everything that runs in parallel, reduced to bits.
fn fingerprint() -> Vec<u64> {
    let grid = Grid::new([97, 61, 43], [0.3, 0.2, 0.1], [0.0; 3]).unwrap();
    let mut field = Field::<f32, 3>::new(grid, Location::Center, Condition::Value(0.3), 2).unwrap();
    field.set_by_position(|[x, y, z]| (17.0 * x).sin() * (31.0 * y + z * z).cos() * 1e3);
    fill_ghosts(&mut field);
    let mut swept = field.clone();
    kernels::sweep(&field, &mut swept, 0.31, 0.115);
    let mut slope = MacVelocity::new(grid, Condition::Open, 2).unwrap();
    operators::gradient(&swept, &mut slope);
    slope.fill_ghosts();
    let mut turning = Field::new(grid, Location::Edge(2), Condition::Open, 1).unwrap();
    operators::curl(&slope, [0, 1], &mut turning);
    operators::divergence(&slope, &mut swept);

    let sums = [par::sum(&swept, f64::from), par::dot(&swept, &field), par::max(&turning, f64::from)];
    let chain =
        par::fold(100_000, 77, |part| part.map(|n| (n as f64).sqrt()).sum(), |a: f64, b| a * 0.99 + b);
    let bits = |values: &[f32]| values.iter().map(|value| u64::from(value.to_bits())).collect::<Vec<_>>();
    let mut all = [bits(swept.storage()), bits(turning.storage())].concat();
    all.extend(sums.into_iter().chain(chain).map(f64::to_bits));
    all
}

fn on_threads(count: usize) -> Vec<u64> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap();
    pool.install(|| {
        assert_eq!(par::threads(), count);
        fingerprint()
    })
}

#[test]
fn one_two_and_eight_threads_give_the_same_bits() {
    let alone = on_threads(1);
    assert_eq!(alone, on_threads(2));
    assert_eq!(alone, on_threads(8));
}
