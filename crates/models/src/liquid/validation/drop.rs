//! A drop that is pushed out of its round shape swings at the frequency that Rayleigh found.

use std::f64::consts::TAU;

use glam::DVec3;
use undine_checks::{Checks, Oscillation};
use undine_sim::Runner;

use super::measures::{for_each_particle, set_flow};
use crate::checks::build;

const CASE: &str = include_str!("../../../../../validation/liquid/drop/case.toml");
const SPACE: &str = include_str!("../../../../../validation/liquid/drop-fine/case.toml");
const RADIUS: f64 = 0.1;
/// Greatest stretch of the drop, as a share of its radius.
const STRETCH: f64 = 0.05;

/// How far the drop is longer along the first axis than along the second, in m².
fn stretch(runner: &Runner, axes: [usize; 2]) -> anyhow::Result<f64> {
    let (mut count, mut sum, mut squares) = (0.0, DVec3::ZERO, DVec3::ZERO);
    for_each_particle(runner, |position, _| {
        count += 1.0;
        sum += position;
        squares += position * position;
    })?;
    let spread = squares / count - (sum / count) * (sum / count);
    Ok(spread[axes[0]] - spread[axes[1]])
}

/// The frequency of the second mode against the exact one, when the drop starts round with the velocities of that mode.
fn error(case: &str, cells: usize, pull: DVec3, exact: f64) -> anyhow::Result<f64> {
    let mut runner = build(case, &[format!("water.0.resolution={cells}")])?;
    let is_flat = pull.z == 0.0;
    let middle = DVec3::new(0.25, 0.25, if is_flat { 0.0 } else { 0.25 });
    set_flow(&mut runner, (middle, 1.1 * RADIUS), 0.25 / cells as f64, |from| STRETCH * exact * pull * from);
    let axes = if is_flat { [0, 1] } else { [0, 2] };
    let mut swing = Oscillation::default();
    for _ in 0..runner.frame_count() {
        runner.next_frame()?;
        swing.record(runner.time(), stretch(&runner, axes)?);
    }
    Ok((TAU / exact / swing.period()? - 1.0).abs())
}

/// In the plane: ω² = 6σ/ρR³ with σ = ρ = 1.
fn flat(cells: usize) -> anyhow::Result<f64> {
    error(CASE, cells, DVec3::new(1.0, -1.0, 0.0), (6.0 / RADIUS.powi(3)).sqrt())
}

/// On two grids in the plane.
pub fn quick(checks: &mut Checks) -> anyhow::Result<()> {
    const SOURCE: &str = "[lamb1932] art. 273: ω² = (n³ − n) σ/ρR³";
    checks.at_most("13 cells in the radius: frequency", flat(64)?, 0.05, SOURCE);
    Ok(())
}

/// Finer, and in space: ω² = 8σ/ρR³.
pub fn fine(checks: &mut Checks) -> anyhow::Result<()> {
    checks.at_most("26 cells in the radius: frequency", flat(128)?, 0.05, "[lamb1932] art. 273");
    let exact = (8.0 / RADIUS.powi(3)).sqrt();
    let found = error(SPACE, 48, DVec3::new(1.0, 1.0, -2.0), exact)?;
    checks.at_most("in space, 10 cells in the radius", found, 0.05, "[rayleigh1879]");
    Ok(())
}
