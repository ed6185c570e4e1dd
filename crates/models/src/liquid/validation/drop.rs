//! Oscillation of a drop by surface tension at the frequency of [rayleigh1879].

use std::f64::consts::TAU;

use glam::DVec3;
use undine_checks::{Checks, Oscillation, Target, Worst, measured};
use undine_sim::Runner;

use super::measures::{budget, for_each_particle, set_flow};
use crate::checks::build;

const CASE: &str = include_str!("../../../../../validation/liquid/drop/case.toml");
const SPACE: &str = include_str!("../../../../../validation/liquid/drop-fine/case.toml");
const RADIUS: f64 = 0.1;
/// Amplitude, relative to the radius.
const STRETCH: f64 = 0.05;

/// The difference of the second moments along two axes, in m².
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

/// An oscillation of the second mode.
struct SecondMode {
    /// The relative error of its frequency.
    frequency: f64,
    /// The greatest kinetic energy, in units of that at the start.
    energy: f64,
}

/// Runs a drop that starts round with the velocities of the second mode.
fn oscillate(case: &str, cells: usize, pull: DVec3, exact: f64) -> anyhow::Result<SecondMode> {
    let mut runner = build(case, &[format!("water.0.resolution={cells}")])?;
    let is_flat = pull.z == 0.0;
    let centre = DVec3::new(0.25, 0.25, if is_flat { 0.0 } else { 0.25 });
    set_flow(&mut runner, (centre, 1.1 * RADIUS), 0.25 / cells as f64, |from| STRETCH * exact * pull * from);
    let axes = if is_flat { [0, 1] } else { [0, 2] };
    let (start, mut energy) = (budget(&runner).kinetic_energy, Worst::default());
    let mut oscillation = Oscillation::default();
    for _ in 0..runner.frame_count() {
        runner.next_frame()?;
        oscillation.record(runner.time(), stretch(&runner, axes)?);
        energy.add(measured(budget(&runner).kinetic_energy) / start);
    }
    let frequency = (TAU / exact / oscillation.period()? - 1.0).abs();
    Ok(SecondMode { frequency, energy: energy.value() })
}

/// The round shape has the least surface energy, so the kinetic energy is never more than in the round shape at the start.
fn check_energy(checks: &mut Checks, name: &str, mode: &SecondMode) {
    let target = Target::exact(1.0, "½ρu² + surface energy is constant, and least of the round shape");
    checks.at_most(format!("{name}: kinetic energy / that at the start"), mode.energy, target);
}

/// In 2-D: ω² = 6σ/ρR³ with σ = ρ = 1.
fn flat(cells: usize) -> anyhow::Result<SecondMode> {
    oscillate(CASE, cells, DVec3::new(1.0, -1.0, 0.0), (6.0 / RADIUS.powi(3)).sqrt())
}

/// Checks the frequency in 2-D against a requirement, and against the error that a public code publishes on the same
/// grid.
fn check_flat(checks: &mut Checks, cells: usize, published: Option<f64>) -> anyhow::Result<()> {
    const SOURCE: &str = "[lamb1932] art. 273: ω² = (n³ − n) σ/ρR³";
    let (mode, across) = (flat(cells)?, 0.4 * cells as f64);
    let found = mode.frequency;
    checks.at_most(format!("{across:.1} cells across: frequency"), found, Target::ours(0.05, SOURCE));
    if let Some(bound) = published {
        let target = Target::published(bound, "Basilisk, test `oscillation`");
        checks.at_most(format!("{across:.1} cells across: frequency, as Basilisk"), found, target);
    }
    check_energy(checks, &format!("{across:.1} cells across"), &mode);
    Ok(())
}

/// In 2-D on two grids.
pub fn quick(checks: &mut Checks) -> anyhow::Result<()> {
    check_flat(checks, 32, Some(0.005))?;
    check_flat(checks, 64, Some(0.001))
}

/// Finer, and in 3-D: ω² = 8σ/ρR³.
pub fn fine(checks: &mut Checks) -> anyhow::Result<()> {
    check_flat(checks, 128, None)?;
    check_space(checks, 48)
}

/// In 3-D on a coarse grid.
pub fn space(checks: &mut Checks) -> anyhow::Result<()> {
    check_space(checks, 32)
}

fn check_space(checks: &mut Checks, cells: usize) -> anyhow::Result<()> {
    let exact = (8.0 / RADIUS.powi(3)).sqrt();
    let mode = oscillate(SPACE, cells, DVec3::new(1.0, 1.0, -2.0), exact)?;
    let name = format!("in space, {:.1} cells across", 0.4 * cells as f64);
    let target = Target::ours(0.05, "[rayleigh1879]: ω² = 8σ/ρR³");
    checks.at_most(format!("{name}: frequency"), mode.frequency, target);
    check_energy(checks, &name, &mode);
    Ok(())
}
