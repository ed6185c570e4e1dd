//! A smooth vortex in a uniform stream on a periodic square: the order of the scheme in two dimensions.
//!
//! Around the middle of a vortex at rest the slope of the surface turns the water, g dh/dr = v²/r. With
//!
//! ```text
//! v = ω r exp(−r²/2R²)        h = H − ω² R²/(2g) exp(−r²/R²)
//! ```
//!
//! this is an exact steady flow. The equations are the same in every frame that moves uniformly, so in a stream (U, V) the
//! vortex is carried along unchanged.

use glam::DVec2;
use undine_checks::{Checks, Norms, Target};
use undine_grid::{Condition, Field, Grid, Location};
use undine_sim::{Simulation, Step, World};

use crate::heightfield::HeightFieldSetup;
use crate::shallow_water::{Border, Settings, ShallowWater};

const GRAVITY: f64 = 9.81;

/// Edge of the square; at half of it the vortex is 1e-7 of itself.
const LENGTH: f64 = 12.0;

/// Depth H far away, radius R, angular velocity ω in the middle, and the stream (U, V).
const DEPTH: f64 = 1.0;
const RADIUS: f64 = 1.0;
const SPIN: f64 = 2.0;
const STREAM: DVec2 = DVec2::new(1.5, 0.75);

/// Duration: the middle turns by 4 radians and moves by 3.35 m.
const END: f64 = 2.0;

/// Depth and velocity at a point and time.
fn state(at: DVec2, time: f64) -> (f64, DVec2) {
    // From the nearest image of the middle
    let away = at - 0.5 * LENGTH - STREAM * time;
    let away = away - LENGTH * (away / LENGTH).round();
    let decay = (-0.5 * away.length_squared() / (RADIUS * RADIUS)).exp();
    let dip = (SPIN * RADIUS * decay).powi(2) / (2.0 * GRAVITY);
    (DEPTH - dip, STREAM + SPIN * decay * away.perp())
}

/// Norms of h, hu and hv at the end on `count`² cells.
fn run(count: usize) -> anyhow::Result<[Norms; 3]> {
    // Depth and velocity in the middles of the cells
    let grid = Grid::new([count; 2], [LENGTH / count as f64; 2], [0.0; 2])?;
    let blank = Field::new(grid, Location::Center, Condition::Open, 3)?;
    let made = |value: fn(DVec2) -> f64| {
        let mut field = blank.clone();
        field.set_by_position(|at| value(at.into()));
        field
    };
    let setup = HeightFieldSetup {
        grid,
        bed: blank.clone(),
        depth: made(|at| state(at, 0.0).0),
        velocity: [made(|at| state(at, 0.0).1.x), made(|at| state(at, 0.0).1.y)],
        still_level: DEPTH,
        warnings: Vec::new(),
    };
    let borders = [const { Border::Periodic }; 4];
    let mut water = ShallowWater::new(setup, Settings { borders, ..Settings::default() })?;

    let mut time = 0.0;
    while time < END {
        let dt = water.max_dt().min(END - time);
        let mut world = World { time, gravity: GRAVITY, seed: 0, driver: None };
        time += match water.step(dt, &mut world)? {
            Step::Done(_) => dt,
            Step::Retry { .. } => anyhow::bail!("the step was too long"),
        };
    }

    // Found and exact h, hu and hv
    let pair = |cell: [usize; 2], index: usize| {
        let (depth, velocity) = state(grid.centre(cell.map(|index| index as isize)).into(), END);
        let [flow_x, flow_y] = water.discharge_in(cell);
        let found = [water.depth_in(cell), flow_x, flow_y];
        [found[index], [depth, depth * velocity.x, depth * velocity.y][index]]
    };
    let cells = || (0..count).flat_map(|row| (0..count).map(move |column| [column, row]));
    Ok([0, 1, 2].map(|index| Norms::of(cells().map(|cell| pair(cell, index)))))
}

/// Orders of h, hu and hv in L1 and L∞ on three grids.
pub fn order(checks: &mut Checks) -> anyhow::Result<()> {
    const COUNTS: [usize; 3] = [80, 160, 320];
    const ORDER: Target = Target::order(1.9, "second order where the flow is smooth");
    let mut runs = Vec::new();
    for count in COUNTS {
        runs.push((count, run(count)?));
    }
    for (index, name) in ["h", "hu", "hv"].into_iter().enumerate() {
        for (norm, value) in
            [("L1", (|norms| norms.mean) as fn(&Norms) -> f64), ("L∞", |norms: &Norms| norms.most)]
        {
            let errors: Vec<_> = runs.iter().map(|(count, norms)| (*count, value(&norms[index]))).collect();
            for (count, error) in &errors {
                checks.baseline(format!("{count}² cells: {norm} of {name}"), *error);
            }
            checks.order(format!("order of {norm} of {name}"), &errors, ORDER);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vortex_is_in_balance_and_returns_after_a_turn_around_the_square() {
        const STEP: f64 = 1e-5;
        for index in 1..50 {
            let r = 0.1 * f64::from(index);
            let at = |r: f64| state(DVec2::new(0.5 * LENGTH + r, 0.5 * LENGTH), 0.0);
            let slope = (at(r + STEP).0 - at(r - STEP).0) / (2.0 * STEP);
            let v = (at(r).1 - STREAM).y;
            assert!((GRAVITY * slope - v * v / r).abs() < 1e-8, "{r}");
        }
        let (middle, around) = (DVec2::splat(0.5 * LENGTH), LENGTH / STREAM.y);
        let near = middle + DVec2::from_angle(1.9);
        assert!((state(near, 0.0).0 - state(near, around).0).abs() < 1e-12);
    }
}
