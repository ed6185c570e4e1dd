//! Thin walls do not leak, and no particles are inside solids.

use glam::{DVec2, DVec3};
use undine_checks::{Checks, Target, Worst};
use undine_sim::Runner;

use super::measures::{PlaneField, for_each_particle};
use crate::checks::build;

const WALL: &str = include_str!("../../../../../validation/liquid/thin-wall/case.toml");
const SOURCE: &str = "solids are solid";
/// Centre of the wall, and half its thickness, in metres.
const CENTRE: DVec2 = DVec2::new(0.5, 0.5);
const HALF_THICKNESS: f64 = 0.25 / 64.0;

/// The greatest number of particles and of liquid cells beyond the wall.
fn leaked(degrees: f64, seconds: f64) -> anyhow::Result<f64> {
    let angle = degrees.to_radians();
    let mut runner = build(WALL, &[format!("obstacle.0.turn={angle:?}")])?;
    let distance_beyond = |at: DVec2| (at - CENTRE).dot(DVec2::new(angle.cos(), angle.sin()));
    let mut max = Worst::default();
    while runner.time() < seconds - 1e-9 {
        runner.next_frame()?;
        let mut beyond = 0;
        for_each_particle(&runner, |position, _| {
            beyond += usize::from(distance_beyond(position.truncate()) > 0.0)
        })?;
        max.compare((beyond + wet_beyond(&runner, distance_beyond)?) as f64, 0.0);
    }
    Ok(max.value())
}

fn wet_beyond(runner: &Runner, distance_beyond: impl Fn(DVec2) -> f64) -> anyhow::Result<usize> {
    let distance = PlaneField::read(runner, "distance")?;
    let centre = |index: usize| {
        let cell = [index % distance.size[0], index / distance.size[0]];
        DVec2::from_array([0, 1].map(|axis| distance.origin[axis] + cell[axis] as f64 * distance.cell))
    };
    let is_beyond = |index: usize| distance_beyond(centre(index)) > HALF_THICKNESS + distance.cell;
    Ok(distance.values.iter().enumerate().filter(|(index, phi)| **phi < 0.0 && is_beyond(*index)).count())
}

/// The greatest number of particles inside a pillar in the way of a dam break.
fn in_pillar(degrees: f64, seconds: f64) -> anyhow::Result<f64> {
    let angle = degrees.to_radians();
    let text = format!(
        "{DAM}[[obstacle]]\nkind = 'rectangle'\nat = [1.1, 0.2]\nsize = [0.14, 0.5]\nturn = {angle}\n"
    );
    let mut runner = build(&text, &[])?;
    let (sin, cos) = angle.sin_cos();
    let is_inside = |position: DVec3| {
        let from = position - DVec3::new(1.1, 0.2, 0.0);
        let (x, y) = (cos * from.x + sin * from.y, cos * from.y - sin * from.x);
        // A tolerance of a tenth of a millimetre for single precision
        x.abs() < 0.07 - 1e-4 && y.abs() < 0.25 - 1e-4
    };
    let mut max = Worst::default();
    while runner.time() < seconds - 1e-9 {
        runner.next_frame()?;
        let mut inside = 0;
        for_each_particle(&runner, |position, _| inside += usize::from(is_inside(position)))?;
        max.compare(inside as f64, 0.0);
    }
    Ok(max.value())
}

const DAM: &str = "[scene]\nduration = 100\nfps = 30\n[[water]]\nkind = 'liquid'\nsize = [2, 1]\nresolution = 96\n\
                   [[fill]]\nkind = 'rectangle'\nsize = [0.667, 0.9]\nat = [0.3335, 0.45]\n";

fn check(checks: &mut Checks, [held, flowing]: [f64; 2]) -> anyhow::Result<()> {
    for degrees in [0.0, 7.0] {
        let metric = format!("wall at {degrees}°: leaked in {held} s");
        checks.at_most(metric, leaked(degrees, held)?, Target::exact(0.0, SOURCE));
    }
    for degrees in [0.0, 30.0] {
        let metric = format!("pillar at {degrees}°: particles inside");
        checks.at_most(metric, in_pillar(degrees, flowing)?, Target::exact(0.0, SOURCE));
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
