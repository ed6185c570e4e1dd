//! The identities of calculus, which the operators keep to rounding on any grid.

use proptest::prelude::*;
use undine_grid::operators::{add_curl_of_potential, curl, curl_location, divergence, gradient, laplacian};
use undine_grid::{Condition, Field, Grid, Location, MacVelocity, fill_ghosts, par};

/// A number in −1 … 1 that depends on all bits of the seed and the count (splitmix64).
fn noise(seed: u64, count: u64) -> f64 {
    let mut bits = seed.wrapping_add(count.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits ^ (bits >> 31)) as f64 / u64::MAX as f64 * 2.0 - 1.0
}

fn fill_with_noise<const D: usize>(field: &mut Field<f64, D>, seed: u64) {
    let dense: Vec<f64> = (0..field.len() as u64).map(|count| noise(seed, count)).collect();
    field.copy_from(&dense).unwrap();
    fill_ghosts(field);
}

fn noisy<const D: usize>(
    grid: Grid<D>,
    location: Location,
    condition: Condition<f64>,
    seed: u64,
) -> Field<f64, D> {
    let mut field = Field::new(grid, location, condition, 1).unwrap();
    fill_with_noise(&mut field, seed);
    field
}

fn noisy_velocity<const D: usize>(
    grid: Grid<D>,
    condition: Condition<[f64; D]>,
    seed: u64,
) -> MacVelocity<f64, D> {
    let mut velocity = MacVelocity::new(grid, condition, 1).unwrap();
    for (axis, component) in velocity.components_mut().iter_mut().enumerate() {
        fill_with_noise(component, seed ^ (axis as u64 + 1));
    }
    velocity
}

fn largest<const D: usize>(field: &Field<f64, D>) -> f64 {
    par::max(field, f64::abs)
}

/// Sum over samples that are not repeats of others.
fn distinct_dot<const D: usize>(a: &Field<f64, D>, b: &Field<f64, D>) -> f64 {
    let distinct = a.distinct_size();
    let counts = |at: &[usize; D]| (0..D).all(|axis| at[axis] < distinct[axis]);
    a.iter().filter(|(at, _)| counts(at)).map(|(at, value)| value * b[at]).sum()
}

fn grids<const D: usize>() -> impl Strategy<Value = Grid<D>> {
    let cells = prop::array::uniform3(1..7_usize);
    let spacing = prop::array::uniform3(0.2..2.0_f64);
    (cells, spacing).prop_map(|(cells, spacing)| {
        let cut = |axis: usize| (cells[axis], spacing[axis]);
        let cells = std::array::from_fn(|axis| cut(axis).0);
        Grid::new(cells, std::array::from_fn(|axis| cut(axis).1), [0.0; D]).unwrap()
    })
}

fn any_condition() -> impl Strategy<Value = Condition<f64>> {
    prop_oneof![
        Just(Condition::Wall),
        Just(Condition::Open),
        Just(Condition::Extrapolated),
        Just(Condition::Periodic),
        (-2.0..2.0).prop_map(Condition::Value),
        (-2.0..2.0).prop_map(Condition::Gradient),
    ]
}

fn divergence_of_gradient_is_laplacian<const D: usize>(grid: Grid<D>, condition: Condition<f64>, seed: u64) {
    let pressure = noisy(grid, Location::Center, condition, seed);
    let mut slope = MacVelocity::new(grid, Condition::Open, 1).unwrap();
    gradient(&pressure, &mut slope);
    let mut twice = pressure.clone();
    divergence(&slope, &mut twice);
    let mut direct = pressure.clone();
    laplacian(&pressure, &mut direct);
    let scale = 1.0 + largest(&direct);
    for (at, value) in direct.iter() {
        assert!((value - twice[at]).abs() < 1e-13 * scale, "{at:?}: {value} and {}", twice[at]);
    }
}

/// ⟨div u, p⟩ = −⟨u, grad p⟩ where nothing crosses the sides, or everything that does comes back.
fn parts_sum_up<const D: usize>(grid: Grid<D>, is_periodic: bool, seed: u64) {
    let (for_pressure, for_velocity) = match is_periodic {
        true => (Condition::Periodic, Condition::Periodic),
        false => (Condition::Wall, Condition::FreeSlip),
    };
    let pressure = noisy(grid, Location::Center, for_pressure, seed);
    let velocity = noisy_velocity(grid, for_velocity, seed);
    let mut outflow = pressure.clone();
    divergence(&velocity, &mut outflow);
    let mut slope = MacVelocity::new(grid, for_velocity, 1).unwrap();
    gradient(&pressure, &mut slope);
    let work: f64 = (0..D).map(|axis| distinct_dot(&velocity[axis], &slope[axis])).sum();
    let size = pressure.len() as f64 * 100.0;
    assert!((distinct_dot(&outflow, &pressure) + work).abs() < 1e-13 * size);
}

/// Moving a periodic field by whole cells and differencing it commute, bit for bit.
fn shifts_commute<const D: usize>(grid: Grid<D>, shift: [usize; D], seed: u64) {
    let field = noisy(grid, Location::Center, Condition::Periodic, seed);
    let moved_place =
        |at: [usize; D]| std::array::from_fn(|axis| (at[axis] + shift[axis]) % grid.cells()[axis]);
    let mut moved = field.clone();
    field.iter().for_each(|(at, value)| moved[moved_place(at)] = value);
    fill_ghosts(&mut moved);
    let (mut curvature, mut moved_curvature) = (field.clone(), field.clone());
    laplacian(&field, &mut curvature);
    laplacian(&moved, &mut moved_curvature);
    for (at, value) in curvature.iter() {
        assert_eq!(value.to_bits(), moved_curvature[moved_place(at)].to_bits());
    }
}

const PLANES: [[usize; 2]; 3] = [[0, 1], [1, 2], [2, 0]];

fn planes(dimension: usize) -> impl Iterator<Item = ([usize; 2], Location)> {
    PLANES.into_iter().filter_map(move |plane| Some((plane, curl_location(dimension, plane)?)))
}

/// On a periodic grid, where the ghosts of a gradient are gradients too.
fn gradients_do_not_turn<const D: usize>(grid: Grid<D>, seed: u64) {
    let pressure = noisy(grid, Location::Center, Condition::Periodic, seed);
    let mut slope = MacVelocity::new(grid, Condition::Periodic, 1).unwrap();
    gradient(&pressure, &mut slope);
    slope.fill_ghosts();
    for (plane, location) in planes(D) {
        let mut turning = Field::new(grid, location, Condition::Open, 1).unwrap();
        curl(&slope, plane, &mut turning);
        assert!(largest(&turning) < 1e-12, "{plane:?}: {}", largest(&turning));
    }
}

fn curls_do_not_diverge<const D: usize>(grid: Grid<D>, seed: u64) {
    let mut velocity = MacVelocity::new(grid, Condition::Open, 1).unwrap();
    for (plane, location) in planes(D) {
        let potential = noisy(grid, location, Condition::Open, seed ^ plane[0] as u64);
        add_curl_of_potential(&potential, plane, &mut velocity);
    }
    assert!(velocity.components().iter().any(|component| largest(component) > 0.0));
    let mut outflow = Field::new(grid, Location::Center, Condition::Open, 1).unwrap();
    divergence(&velocity, &mut outflow);
    assert!(largest(&outflow) < 1e-12, "{}", largest(&outflow));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn divergence_of_gradient(
        line in grids::<1>(), plane in grids::<2>(), space in grids::<3>(), condition in any_condition(), seed: u64,
    ) {
        divergence_of_gradient_is_laplacian(line, condition, seed);
        divergence_of_gradient_is_laplacian(plane, condition, seed);
        divergence_of_gradient_is_laplacian(space, condition, seed);
    }

    #[test]
    fn summation_by_parts(
        line in grids::<1>(), plane in grids::<2>(), space in grids::<3>(), is_periodic: bool, seed: u64,
    ) {
        parts_sum_up(line, is_periodic, seed);
        parts_sum_up(plane, is_periodic, seed);
        parts_sum_up(space, is_periodic, seed);
    }

    #[test]
    fn shift_invariance(plane in grids::<2>(), space in grids::<3>(), shift in prop::array::uniform3(0..9_usize), seed: u64) {
        shifts_commute(plane, [shift[0], shift[1]], seed);
        shifts_commute(space, shift, seed);
    }

    #[test]
    fn curl_of_gradient(plane in grids::<2>(), space in grids::<3>(), seed: u64) {
        gradients_do_not_turn(plane, seed);
        gradients_do_not_turn(space, seed);
    }

    #[test]
    fn divergence_of_curl(plane in grids::<2>(), space in grids::<3>(), seed: u64) {
        curls_do_not_diverge(plane, seed);
        curls_do_not_diverge(space, seed);
    }
}
