//! Walls hold water, however thin, and solids have no particles in them.

use glam::{DVec2, DVec3};
use undine_checks::Checks;
use undine_sim::Runner;

use super::measures::{PlaneField, for_each_particle};
use crate::checks::build;

const WALL: &str = include_str!("../../../../../validation/liquid/thin-wall/case.toml");
const SOURCE: &str = "solids are solid";
/// Middle of the wall, and half its thickness, in metres.
const MIDDLE: DVec2 = DVec2::new(0.5, 0.5);
const HALF: f64 = 0.25 / 64.0;

/// Particles beyond the wall and cells of liquid that are wholly beyond it, after some time.
fn leaked(degrees: f64, seconds: f64) -> anyhow::Result<f64> {
    let angle = degrees.to_radians();
    let mut runner = build(WALL, &[format!("obstacle.0.turn={angle:?}")])?;
    let away = |at: DVec2| (at - MIDDLE).dot(DVec2::new(angle.cos(), angle.sin()));
    let mut most = 0;
    while runner.time() < seconds - 1e-9 {
        runner.next_frame()?;
        let mut beyond = 0;
        for_each_particle(&runner, |position, _| beyond += usize::from(away(position.truncate()) > 0.0))?;
        most = most.max(beyond + wet_beyond(&runner, away)?);
    }
    Ok(most as f64)
}

fn wet_beyond(runner: &Runner, away: impl Fn(DVec2) -> f64) -> anyhow::Result<usize> {
    let distance = PlaneField::read(runner, "distance")?;
    let middle = |number: usize| {
        let cell = [number % distance.size[0], number / distance.size[0]];
        DVec2::from_array([0, 1].map(|axis| distance.origin[axis] + cell[axis] as f64 * distance.cell))
    };
    let is_beyond = |number: usize| away(middle(number)) > HALF + distance.cell;
    Ok(distance.values.iter().enumerate().filter(|(number, phi)| **phi < 0.0 && is_beyond(*number)).count())
}

/// Particles in a pillar that stands in the way of a breaking dam, at the worst moment.
fn in_pillar(degrees: f64, seconds: f64) -> anyhow::Result<f64> {
    let angle = degrees.to_radians();
    let text = format!(
        "{DAM}[[obstacle]]\nkind = 'rectangle'\nat = [1.1, 0.2]\nsize = [0.14, 0.5]\nturn = {angle}\n"
    );
    let mut runner = build(&text, &[])?;
    let (sin, cos) = angle.sin_cos();
    let is_inside = |position: DVec3| {
        let from = position - DVec3::new(1.1, 0.2, 0.0);
        let (along, across) = (cos * from.x + sin * from.y, cos * from.y - sin * from.x);
        // Single precision leaves a tenth of a millimetre in doubt
        along.abs() < 0.07 - 1e-4 && across.abs() < 0.25 - 1e-4
    };
    let mut most = 0;
    while runner.time() < seconds - 1e-9 {
        runner.next_frame()?;
        let mut inside = 0;
        for_each_particle(&runner, |position, _| inside += usize::from(is_inside(position)))?;
        most = most.max(inside);
    }
    Ok(most as f64)
}

const DAM: &str = "[scene]\nduration = 100\nfps = 30\n[[water]]\nkind = 'liquid'\nsize = [2, 1]\nresolution = 96\n\
                   [[fill]]\nkind = 'rectangle'\nsize = [0.667, 0.9]\nat = [0.3335, 0.45]\n";

fn check(checks: &mut Checks, [held, flowing]: [f64; 2]) -> anyhow::Result<()> {
    for degrees in [0.0, 7.0] {
        let metric = format!("wall at {degrees}°: leaked in {held} s");
        checks.at_most(metric, leaked(degrees, held)?, 0.0, SOURCE);
    }
    for degrees in [0.0, 30.0] {
        let metric = format!("pillar at {degrees}°: particles inside");
        checks.at_most(metric, in_pillar(degrees, flowing)?, 0.0, SOURCE);
    }
    Ok(())
}

/// Five seconds.
pub fn quick(checks: &mut Checks) -> anyhow::Result<()> {
    check(checks, [5.0, 2.0])
}

/// A minute.
pub fn fine(checks: &mut Checks) -> anyhow::Result<()> {
    check(checks, [60.0, 10.0])
}
