//! Initial velocity fields.

use std::f64::consts::{PI, TAU};

use undine_grid::{Condition, Field, FieldError, Location, MacVelocity, operators};

use super::confinement::PLANES;

/// Wave numbers along each axis of the random turbulence.
const WAVES: usize = 8;

/// Taylor–Green vortices, one pair along x and y: u = −U cos kx sin ky, v = U sin kx cos ky.
pub fn taylor_green<const D: usize>(velocity: &mut MacVelocity<f64, D>, speed: f64) {
    let (origin, length) = (velocity.grid().origin(), velocity.grid().length());
    let phase = move |axis: usize, at: f64| TAU * (at - origin[axis]) / length[axis];
    velocity[0].set_by_position(|at| -speed * phase(0, at[0]).cos() * phase(1, at[1]).sin());
    // In a box that is not square this factor keeps ∇·u = 0
    let ratio = length[1] / length[0];
    velocity[1].set_by_position(|at| speed * ratio * phase(0, at[0]).sin() * phase(1, at[1]).cos());
}

/// Arnold–Beltrami–Childress flow with A = B = C [dombre1986]: u = A sin kz + A cos ky, and so on in a circle. Its curl is k u
/// in a cube, so that only viscosity changes it. In 2-D nothing is set.
pub fn arnold_beltrami_childress<const D: usize>(velocity: &mut MacVelocity<f64, D>, speed: f64) {
    if D != 3 {
        return;
    }
    let (origin, length) = (velocity.grid().origin(), velocity.grid().length());
    let phase = move |axis: usize, at: &[f64; D]| TAU * (at[axis] - origin[axis]) / length[axis];
    for axis in 0..D {
        let [next, last] = [(axis + 1) % D, (axis + 2) % D];
        velocity[axis].set_by_position(|at| speed * (phase(last, &at).sin() + phase(next, &at).cos()));
    }
}

/// Random turbulence: the curl of a potential of random sine waves that vanish on all sides; the largest velocity
/// component is `speed`.
pub fn random_turbulence<const D: usize>(
    velocity: &mut MacVelocity<f64, D>,
    speed: f64,
    seed: u64,
) -> Result<(), FieldError> {
    let grid = *velocity.grid();
    let (origin, length) = (grid.origin(), grid.length());
    // u += ∇ × ψ for one potential ψ per plane of rotation
    let planes = PLANES.into_iter().filter(|plane| plane.iter().all(|&axis| axis < D));
    for (number, plane) in planes.enumerate() {
        let location = operators::curl_location(D, plane).unwrap_or(Location::Node);
        let mut potential = Field::<f64, D>::new(grid, location, Condition::Open, 1)?;
        let amplitudes = amplitudes::<D>(seed ^ (number as u64) << 32);
        potential.set_by_position(|at| {
            let waves = |axis: usize| {
                let x = (at[axis] - origin[axis]) / length[axis];
                std::array::from_fn::<f64, WAVES, _>(|wave| ((wave + 1) as f64 * PI * x).sin())
            };
            product_sum::<D>(&std::array::from_fn(waves), &amplitudes)
        });
        operators::add_curl_of_potential(&potential, plane, velocity);
    }
    // Scale to the given speed
    let fastest =
        velocity.components().iter().map(|one| undine_grid::par::max(one, f64::abs)).fold(0.0, f64::max);
    if fastest > 0.0 {
        let factor = speed / fastest;
        velocity
            .components_mut()
            .iter_mut()
            .for_each(|one| one.storage_mut().iter_mut().for_each(|u| *u *= factor));
    }
    Ok(())
}

/// Random amplitudes a(m, n, …) ∝ 1/(m² + n² + …); m fastest.
fn amplitudes<const D: usize>(seed: u64) -> Vec<f64> {
    let amplitude = |number: usize| {
        let wave = |axis: usize| number / WAVES.pow(axis as u32) % WAVES + 1;
        let squares: usize = (0..D).map(|axis| wave(axis) * wave(axis)).sum();
        signed_hash(seed, number as u64) / squares as f64
    };
    (0..WAVES.pow(D as u32)).map(amplitude).collect()
}

/// Σ a(m, n, …) sin(mπx) sin(nπy) …, summed axis by axis.
fn product_sum<const D: usize>(waves: &[[f64; WAVES]; D], amplitudes: &[f64]) -> f64 {
    let along_x = |row: &[f64; WAVES]| (0..WAVES).map(|wave| waves[0][wave] * row[wave]).sum::<f64>();
    let rows = amplitudes.as_chunks::<WAVES>().0;
    let row = |(number, row): (usize, &[f64; WAVES])| {
        let wave = |axis: usize| waves[axis][number / WAVES.pow(axis as u32 - 1) % WAVES];
        along_x(row) * (1..D).map(wave).product::<f64>()
    };
    rows.iter().enumerate().map(row).sum()
}

/// A number between −1 and 1 from a hash.
fn signed_hash(seed: u64, number: u64) -> f64 {
    let mut bits = seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for shift in [30, 27] {
        bits = (bits ^ (bits >> shift)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}
