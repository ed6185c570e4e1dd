//! A rotating disk of liquid in a drum without gravity conserves its angular momentum.

use std::f64::consts::{PI, TAU};
use std::fmt::Write;

use glam::DVec3;
use undine_checks::{Checks, Target, measured};
use undine_sim::Runner;

use super::measures::{for_each_particle, set_flow};
use crate::checks::build;

const CASE: &str = include_str!("../../../../../validation/liquid/disk/case.toml");
/// Revolutions per second.
const TURNS: f64 = 1.0;
/// Radius of the disk and thickness of the drum around it.
const RADIUS: f64 = 0.35;
const WALL: f64 = 0.1;
/// Sides of half the drum.
const SIDES: usize = 90;

/// The drum: two halves of a ring.
fn drum() -> String {
    let mut text = CASE.to_owned();
    for half in 0..2 {
        let angle = |side: usize| PI * (half as f64 + side as f64 / SIDES as f64);
        let corner = |radius: f64, side: usize| {
            let (sin, cos) = angle(side).sin_cos();
            format!("{{ at = [{:?}, {:?}] }},", 0.5 + radius * cos, 0.5 + radius * sin)
        };
        let outer: String = (0..=SIDES).map(|side| corner(RADIUS + WALL, side)).collect();
        let inner: String = (0..=SIDES).rev().map(|side| corner(RADIUS, side)).collect();
        let _ = write!(text, "[[obstacle]]\nkind = 'polygon'\ncorner = [{outer}{inner}]\n");
    }
    text
}

/// Angular momentum about the centre of mass, per mass of a particle.
fn angular_momentum(runner: &Runner) -> anyhow::Result<f64> {
    let (mut count, mut centre, mut momentum, mut about_origin) =
        (0.0, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
    for_each_particle(runner, |position, velocity| {
        count += 1.0;
        centre += position;
        momentum += velocity;
        about_origin += position.cross(velocity);
    })?;
    Ok((about_origin - centre.cross(momentum) / count).z)
}

/// The relative loss of angular momentum in a revolution.
fn loss(transfer: &str) -> anyhow::Result<f64> {
    let mut runner = build(&drum(), &[format!("water.0.transfer='{transfer}'")])?;
    let centre = DVec3::new(0.5, 0.5, 0.0);
    set_flow(&mut runner, (centre, RADIUS), 0.005, |from| TAU * TURNS * DVec3::Z.cross(from));
    // The first steps set the affine matrix of APIC, and fit the flow to the drum
    for _ in 0..15 {
        runner.next_frame()?;
    }
    let (start, before) = (runner.time(), angular_momentum(&runner)?);
    while runner.time() < start + 1.0 / TURNS - 1e-9 {
        runner.next_frame()?;
    }
    Ok((measured(angular_momentum(&runner)?) / before - 1.0).abs())
}

/// One revolution by each transfer scheme.
pub fn run(checks: &mut Checks) -> anyhow::Result<()> {
    let [apic, flip, pic] = [loss("apic")?, loss("flip")?, loss("pic")?];
    let target = Target::ours(0.01, "[jiang2015]: affine particles keep rotation");
    checks.at_most("apic: lost in a turn", apic, target);
    checks.baseline("flip: lost in a turn", flip);
    let target = Target::ours(0.1, "[jiang2015]: pic loses what apic keeps");
    checks.at_most("apic / pic", measured(apic / pic), target);
    Ok(())
}
