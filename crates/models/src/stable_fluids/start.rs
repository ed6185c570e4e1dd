//! How the fluid moves at the start.

use std::f64::consts::{PI, TAU};

use undine_grid::{Condition, Field, FieldError, Location, MacVelocity, operators};

use super::confinement::PLANES;

/// Waves along each axis that make up turbulence.
const WAVES: usize = 8;

/// Fills a velocity with vortices of Taylor and Green, one pair along x and y: u = −U cos kx sin ky,
/// v = U sin kx cos ky.
pub fn vortices<const D: usize>(velocity: &mut MacVelocity<f64, D>, speed: f64) {
    let (origin, length) = (velocity.grid().origin(), velocity.grid().length());
    let phase = move |axis: usize, at: f64| TAU * (at - origin[axis]) / length[axis];
    velocity[0].set_by_position(|at| -speed * phase(0, at[0]).cos() * phase(1, at[1]).sin());
    // In a box that is not square the second component makes up for it, or the flow would be squeezed
    let ratio = length[1] / length[0];
    velocity[1].set_by_position(|at| speed * ratio * phase(0, at[0]).sin() * phase(1, at[1]).cos());
}

/// Fills a velocity with the curl of random sine waves that vanish on all sides; its largest component is `speed`.
pub fn turbulence<const D: usize>(
    velocity: &mut MacVelocity<f64, D>,
    speed: f64,
    seed: u64,
) -> Result<(), FieldError> {
    let grid = *velocity.grid();
    let (origin, length) = (grid.origin(), grid.length());
    let planes = PLANES.into_iter().filter(|plane| plane.iter().all(|&axis| axis < D));
    for (number, plane) in planes.enumerate() {
        let location = operators::curl_location(D, plane).unwrap_or(Location::Node);
        let mut potential = Field::<f64, D>::new(grid, location, Condition::Open, 1)?;
        potential.set_by_position(|at| {
            let waves = |axis: usize| {
                let way = (at[axis] - origin[axis]) / length[axis];
                std::array::from_fn::<f64, WAVES, _>(|wave| ((wave + 1) as f64 * PI * way).sin())
            };
            product_sum::<D>(&std::array::from_fn(waves), seed ^ (number as u64) << 32)
        });
        operators::add_curl_of_potential(&potential, plane, velocity);
    }
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

/// Σ a(m, n, …) sin(mπx) sin(nπy) … with random a that fall off with the number of waves.
fn product_sum<const D: usize>(waves: &[[f64; WAVES]; D], seed: u64) -> f64 {
    let count = WAVES.pow(D as u32);
    let term = |number: usize| {
        let (mut rest, mut product, mut squares) = (number, 1.0, 0.0);
        for sines in waves {
            let wave = rest % WAVES;
            rest /= WAVES;
            product *= sines[wave];
            squares += ((wave + 1) * (wave + 1)) as f64;
        }
        product * signed_number(seed, number as u64) / squares
    };
    (0..count).map(term).sum()
}

/// A number between −1 and 1 from a hash.
fn signed_number(seed: u64, number: u64) -> f64 {
    let mut bits = seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for shift in [30, 27] {
        bits = (bits ^ (bits >> shift)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}
