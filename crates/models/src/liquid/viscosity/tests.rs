//! Viscosity compared with theory.

use std::f64::consts::PI;

use undine_grid::{Condition, Field, Grid, Location, par};

use super::coefficients::{Coefficients, lattices};
use super::conjugate_gradients::apply;
use super::{KinematicViscosity, Viscosity, ViscosityError, ViscosityInputs, ViscousSide, ViscousStop};

const STOP: ViscousStop = ViscousStop { tolerance: 1e-5, max_iterations: 3000 };

/// A liquid where a distance is negative.
struct ViscousCase<const D: usize> {
    grid: Grid<D>,
    distance: Field<f32, D>,
    velocity: [Field<f32, D>; D],
    open: Option<[Field<f32, D>; D]>,
    solid_velocity: Option<[Field<f32, D>; D]>,
}

fn components<const D: usize>(
    grid: Grid<D>,
    value: impl Fn(usize, [f64; D]) -> f64 + Sync,
) -> [Field<f32, D>; D] {
    std::array::from_fn(|axis| {
        let mut field = Field::new(grid, Location::Face(axis), Condition::Open, 1).unwrap();
        field.set_by_position(|at| value(axis, at));
        field
    })
}

impl<const D: usize> ViscousCase<D> {
    fn new(
        cells: [usize; D],
        distance: impl Fn([f64; D]) -> f64 + Sync,
        velocity: impl Fn(usize, [f64; D]) -> f64 + Sync,
    ) -> Self {
        let grid = Grid::new(cells, [1.0 / cells[D - 1] as f64; D], [0.0; D]).unwrap();
        let mut field = Field::new(grid, Location::Center, Condition::Open, 1).unwrap();
        field.set_by_position(distance);
        let velocity = components(grid, velocity);
        ViscousCase { grid, distance: field, velocity, open: None, solid_velocity: None }
    }

    fn inputs(&self, nu: f64, dt: f64) -> ViscosityInputs<'_, D> {
        ViscosityInputs {
            distance: &self.distance,
            open: self.open.as_ref(),
            solid_velocity: self.solid_velocity.as_ref(),
            viscosity: KinematicViscosity::Uniform(nu),
            dt,
        }
    }

    /// Takes steps. Returns the iterations.
    fn advance(&mut self, sides: [[ViscousSide; 2]; D], nu: f64, dt: f64, steps: usize) -> usize {
        let mut viscosity = Viscosity::new(self.grid, sides).unwrap();
        let mut iterations = 0;
        for _ in 0..steps {
            let mut velocity = self.velocity.clone();
            let outcome = viscosity.solve(&mut velocity, &self.inputs(nu, dt), STOP).unwrap();
            assert!(outcome.has_converged, "{outcome:?}");
            self.velocity = velocity;
            iterations += outcome.iterations;
        }
        iterations
    }

    fn masses(&self, nu: f64) -> Coefficients<D> {
        let mut coefficients = Coefficients::new(self.grid, [[ViscousSide::Open; 2]; D]).unwrap();
        coefficients.set(&self.inputs(nu, 1.0));
        coefficients
    }

    /// Σ m f(axis, position, u).
    fn sum(&self, c: &Coefficients<D>, term: impl Fn(usize, [f64; D], f64) -> f64) -> f64 {
        let mut total = 0.0;
        for (axis, component) in self.velocity.iter().enumerate() {
            for (at, value) in component.iter() {
                let position = component.position(at.map(|i| i as isize));
                total += f64::from(c.mass[axis][at]) * term(axis, position, f64::from(value));
            }
        }
        total
    }
}

fn ball<const D: usize>(at: [f64; D]) -> f64 {
    at.iter().map(|x| (x - 0.5).powi(2)).sum::<f64>().sqrt() - 0.33
}

fn noise<const D: usize>(axis: usize, at: [f64; D]) -> f64 {
    (at.iter().enumerate().map(|(dim, x)| x * [571.0, 933.0, 1289.0][dim]).sum::<f64>() + axis as f64).sin()
}

/// Rigid rotation about an axis through (½, ½).
fn turning<const D: usize>(axis: usize, at: [f64; D]) -> f64 {
    match axis {
        0 => 0.5 - at[1],
        1 => at[0] - 0.5,
        _ => 0.0,
    }
}

fn check_symmetry<const D: usize>(cells: [usize; D]) {
    let mut case = ViscousCase::new(cells, |at| ball(at) + 0.03 * noise(0, at), noise);
    let opening = |at: [f64; D]| (2.0 * noise(1, at)).clamp(0.0, 1.0);
    case.open = Some(components(case.grid, |_, at| opening(at)));
    let mut c = Coefficients::new(case.grid, [[ViscousSide::NoSlip, ViscousSide::Open]; D]).unwrap();
    c.set(&case.inputs(0.3, 0.1));
    let vector = |salt: usize| {
        let mut vector = lattices(case.grid).unwrap();
        for axis in 0..D {
            vector[axis].set_by_position(|at| noise(axis + salt, at));
            let free = &c.mass[axis];
            par::rows(&mut vector[axis], |at, row| {
                row.iter_mut()
                    .zip(free.row(at))
                    .for_each(|(value, &free)| *value *= f32::from(u8::from(free > 0.0)));
            });
        }
        vector
    };
    let (p, w) = (vector(3), vector(8));
    let (mut image_of_p, mut image_of_w) = (lattices(case.grid).unwrap(), lattices(case.grid).unwrap());
    let energies = [apply(&c, &p, &mut image_of_p), apply(&c, &w, &mut image_of_w)];
    let product = |a: &[Field<f32, D>; D], b: &[Field<f32, D>; D]| -> f64 {
        a.iter().zip(b).map(|(a, b)| par::dot(a, b)).sum()
    };
    let (one, other) = (product(&w, &image_of_p), product(&p, &image_of_w));
    assert!(energies.iter().all(|&energy| energy > 0.0), "{energies:?}");
    assert!((one - other).abs() < 1e-6 * (energies[0] * energies[1]).sqrt(), "{one} {other}");
}

#[test]
fn the_matrix_is_symmetric_and_positive() {
    check_symmetry([19, 23]);
    check_symmetry([12, 10, 11]);
}

fn check_rotation<const D: usize>(cells: [usize; D]) {
    let mut case = ViscousCase::new(cells, ball, turning);
    let before = case.velocity.clone();
    case.advance([[ViscousSide::NoSlip; 2]; D], 1.0, 0.01, 5);
    for (before, after) in before.iter().zip(&case.velocity) {
        let change = before.iter().zip(after.iter()).map(|((_, before), (_, after))| (after - before).abs());
        assert!(change.fold(0.0, f32::max) < 1e-5);
    }
}

#[test]
fn rigid_rotation_is_not_damped() {
    check_rotation([32, 32]);
    check_rotation([16, 17, 18]);
}

fn check_conservation<const D: usize>(cells: [usize; D]) {
    let mut case = ViscousCase::new(cells, ball, |axis, at| 1.0 + turning(axis, at) + noise(axis, at));
    let c = case.masses(1.0);
    let lever = |axis: usize, at: [f64; D]| turning(axis, at);
    let sums = |case: &ViscousCase<D>| {
        let momentum = |component: usize| case.sum(&c, |axis, _, u| if axis == component { u } else { 0.0 });
        let turn = case.sum(&c, |axis, at, u| lever(axis, at) * u);
        let energy = case.sum(&c, |_, _, u| u * u);
        ([momentum(0), momentum(1), turn], energy)
    };
    let (before, energy_before) = sums(&case);
    case.advance([[ViscousSide::Open; 2]; D], 0.1, 0.02, 3);
    let (after, energy_after) = sums(&case);
    for (before, after) in before.iter().zip(after) {
        assert!((after / before - 1.0).abs() < 1e-4, "{before} {after}");
    }
    assert!(energy_after < 0.9 * energy_before);
}

#[test]
fn momentum_and_angular_momentum_are_conserved_without_walls() {
    check_conservation([32, 32]);
    check_conservation([18, 17, 16]);
}

/// Taylor–Green vortex [taylor1937]: sin kx cos ky, −cos kx sin ky between free-slip walls decays as exp(−2νk²t).
#[test]
fn a_vortex_decays_at_the_rate_of_theory() {
    let vortex = |axis: usize, at: [f64; 2]| match axis {
        0 => (PI * at[0]).sin() * (PI * at[1]).cos(),
        _ => -(PI * at[0]).cos() * (PI * at[1]).sin(),
    };
    let mut case = ViscousCase::new([48, 48], |_| -1.0, vortex);
    let (nu, dt, steps) = (0.05, 0.01, 60);
    case.advance([[ViscousSide::Slip; 2]; 2], nu, dt, steps);
    let left = f64::from(case.velocity[0][[24, 5]]) / vortex(0, case.velocity[0].position([24, 5]));
    let rate = -left.ln() / (dt * steps as f64);
    assert!((rate / (2.0 * nu * PI * PI) - 1.0).abs() < 0.01, "{rate}");
}

/// In the middle of a long channel with no-slip walls, sin πy decays as exp(−νπ²t).
fn check_channel<const D: usize>(cells: [usize; D], centre: [usize; D]) {
    let profile = |axis: usize, at: [f64; D]| if axis == 0 { (PI * at[D - 1]).sin() } else { 0.0 };
    let mut case = ViscousCase::new(cells, |_| -1.0, profile);
    let mut sides = [[ViscousSide::Slip; 2]; D];
    sides[0] = [ViscousSide::Open; 2];
    sides[D - 1] = [ViscousSide::NoSlip; 2];
    let (nu, dt, steps) = (0.05, 0.02, 20);
    case.advance(sides, nu, dt, steps);
    let start = profile(0, case.velocity[0].position(centre.map(|i| i as isize)));
    let left = f64::from(case.velocity[0][centre]) / start;
    let rate = -left.ln() / (dt * steps as f64);
    assert!((rate / (nu * PI * PI) - 1.0).abs() < 0.01, "{rate} {}", nu * PI * PI);
}

#[test]
fn a_channel_decays_at_the_rate_of_theory() {
    check_channel([128, 24], [64, 7]);
    check_channel([96, 3, 20], [48, 1, 6]);
}

/// Couette flow: a moving floor drags the liquid, with a linear profile up to the wall at rest.
#[test]
fn a_moving_solid_drags_the_liquid() {
    let mut case = ViscousCase::new([160, 28], |_| -1.0, |_, _| 0.0);
    let edge = 1.0 / 28.0;
    let is_floor = move |at: [f64; 2]| at[1] < 4.0 * edge + 1e-6;
    case.open = Some(components(case.grid, |_, at| f64::from(u8::from(!is_floor(at)))));
    case.solid_velocity = Some(components(case.grid, |axis, _| f64::from(u8::from(axis == 0))));
    let sides = [[ViscousSide::Open; 2], [ViscousSide::NoSlip; 2]];
    case.advance(sides, 10.0, 10.0, 1);
    for y in 4..28 {
        let expected = 1.0 - (y as f64 - 3.5) / 24.0;
        let found = f64::from(case.velocity[0][[80, y]]);
        assert!((found - expected).abs() < 0.01, "{y}: {found} {expected}");
    }
    assert_eq!(case.velocity[0][[80, 2]], 0.0);
}

#[test]
fn nothing_changes_without_viscosity_or_without_liquid() {
    for (nu, level) in [(0.0, -1.0), (1.0, 1.0)] {
        let mut case = ViscousCase::new([20, 12, 14], |_| level, noise);
        let before = case.velocity.clone();
        let iterations = case.advance([[ViscousSide::NoSlip; 2]; 3], nu, 0.1, 1);
        assert_eq!(iterations, 0);
        for (before, after) in before.iter().zip(&case.velocity) {
            assert_eq!(before.to_dense(), after.to_dense());
        }
    }
}

#[test]
fn any_step_is_stable() {
    for (nu, dt) in [(10.0, 1.0), (1e-6, 0.1), (10.0, 1e-3)] {
        let mut case = ViscousCase::new([16, 16, 16], |at| ball(at) + 0.05 * noise(0, at), noise);
        let c = case.masses(nu);
        let before = case.sum(&c, |_, _, u| u * u);
        case.advance([[ViscousSide::NoSlip; 2]; 3], nu, dt, 2);
        let after = case.sum(&c, |_, _, u| u * u);
        assert!(after < before, "{nu} {dt}: {before} {after}");
    }
}

#[test]
fn a_viscous_part_is_smoothed_and_a_thin_part_is_not() {
    let mut case = ViscousCase::new(
        [40, 40],
        |_| -1.0,
        |axis, at| if axis == 0 { (8.0 * PI * at[1]).sin() } else { 0.0 },
    );
    let mut nu = Field::<f32, 2>::new(case.grid, Location::Center, Condition::Open, 1).unwrap();
    nu.set_by_position(|[_, y]| if y > 0.5 { 1.0 } else { 1e-6 });
    let mut velocity = case.velocity.clone();
    let inputs = ViscosityInputs { viscosity: KinematicViscosity::Varying(&nu), ..case.inputs(0.0, 0.1) };
    let mut viscosity = Viscosity::new(case.grid, [[ViscousSide::Slip; 2]; 2]).unwrap();
    assert!(viscosity.solve(&mut velocity, &inputs, STOP).unwrap().has_converged);
    let fraction = |y: usize| f64::from(velocity[0][[20, y]] / case.velocity[0][[20, y]]);
    assert!(fraction(2) > 0.99 && fraction(37).abs() < 0.1, "{} {}", fraction(2), fraction(37));
    case.velocity = velocity;
}

#[test]
fn bad_input_is_refused() {
    let case = ViscousCase::new([8, 8], |_| -1.0, noise);
    let oblong = Grid::new([8, 8], [0.1, 0.2], [0.0; 2]).unwrap();
    let sides = [[ViscousSide::NoSlip; 2]; 2];
    assert!(matches!(Viscosity::new(oblong, sides), Err(ViscosityError::NotCubes { .. })));
    let mut viscosity = Viscosity::new(case.grid, sides).unwrap();
    let mut solve = |velocity: &[Field<f32, 2>; 2], inputs: ViscosityInputs<'_, 2>| {
        viscosity.solve(&mut velocity.clone(), &inputs, STOP).unwrap_err()
    };
    for (nu, dt) in [(-1.0, 0.1), (f64::NAN, 0.1), (1.0, -0.1), (1.0, f64::INFINITY)] {
        assert!(matches!(solve(&case.velocity, case.inputs(nu, dt)), ViscosityError::Strength(_)));
    }
    let mut swapped = case.velocity.clone();
    swapped.swap(0, 1);
    assert!(matches!(
        solve(&swapped, case.inputs(1.0, 0.1)),
        ViscosityError::Misfit { what: "velocity", .. }
    ));
    let mut wild = case.velocity.clone();
    wild[1][[3, 3]] = f32::NAN;
    assert_eq!(solve(&wild, case.inputs(1.0, 0.1)), ViscosityError::NotFinite);
    let mut nowhere = case.distance.clone();
    nowhere[[2, 2]] = f32::NAN;
    let inputs = ViscosityInputs { distance: &nowhere, ..case.inputs(1.0, 0.1) };
    assert_eq!(solve(&case.velocity, inputs), ViscosityError::NotFinite);
}
