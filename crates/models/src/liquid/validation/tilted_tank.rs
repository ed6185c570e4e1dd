//! Water in a tank that is rotated against the grid stays at rest.

use undine_checks::{Checks, Target, Worst};

use super::measures::{for_each_particle, max_speed};
use crate::checks::build;

const CASE: &str = include_str!("../../../../../validation/liquid/tilted-tank/case.toml");
const SPACE: &str = include_str!("../../../../../validation/liquid/rest-space/case.toml");
const GRAVITY: f64 = 9.81;
/// Half the inner width of the tank, which is also the depth of the water in the upright one, and the thickness of its
/// walls.
const HALF: f64 = 0.25;
const WALL: f64 = 0.08;

/// The tank, turned, as obstacles and a fill that ends at half its height.
fn tank(degrees: f64) -> String {
    let angle = degrees.to_radians();
    let (sin, cos) = angle.sin_cos();
    let off = HALF + 0.5 * WALL;
    let length = 2.0 * (HALF + WALL);
    let mut text = CASE.to_owned();
    for ([x, y], size) in [
        ([off, 0.0], [WALL, length]),
        ([-off, 0.0], [WALL, length]),
        ([0.0, off], [length, WALL]),
        ([0.0, -off], [length, WALL]),
    ] {
        let at = [0.5 + cos * x - sin * y, 0.5 + sin * x + cos * y];
        text += &format!("[[obstacle]]\nkind = 'rectangle'\nat = {at:?}\nsize = {size:?}\nturn = {angle}\n");
    }
    let inside = [2.0 * HALF; 2];
    text += &format!("[[fill]]\nkind = 'rectangle'\nat = [0.5, 0.5]\nsize = {inside:?}\nturn = {angle}\n");
    text += "[[fill]]\nkind = 'rectangle'\nat = [0.5, 1]\nsize = [2, 1]\nremove = true\n";
    text
}

/// The greatest speed at a time, relative to √(g h).
fn speed(degrees: f64, cells: usize, time: f64) -> anyhow::Result<f64> {
    let mut runner = build(&tank(degrees), &[format!("water.0.resolution={cells}")])?;
    while runner.time() < time - 1e-9 {
        runner.next_frame()?;
    }
    Ok(max_speed(&runner)? / (GRAVITY * HALF).sqrt())
}

/// Three angles, coarse and short.
pub fn quick(checks: &mut Checks) -> anyhow::Result<()> {
    for degrees in [0.0, 20.0, 45.0] {
        let metric = format!("{degrees}°: |u| after 2 s / √gh");
        checks.at_most(metric, speed(degrees, 48, 2.0)?, Target::exact(1e-3, "rest stays rest"));
    }
    Ok(())
}

/// Every angle.
pub fn fine(checks: &mut Checks) -> anyhow::Result<()> {
    for step in 0..10 {
        let degrees = 5.0 * f64::from(step);
        let metric = format!("{degrees}°: |u| after 5 s / √gh");
        checks.at_most(metric, speed(degrees, 96, 5.0)?, Target::exact(1e-3, "rest stays rest"));
    }
    Ok(())
}

/// A tank in 3-D, upright, half full.
pub fn space(checks: &mut Checks) -> anyhow::Result<()> {
    let mut runner = build(SPACE, &[])?;
    while runner.time() < 1.0 - 1e-9 {
        runner.next_frame()?;
    }
    let mut fastest = Worst::default();
    for_each_particle(&runner, |_, velocity| fastest.compare(velocity.length(), 0.0))?;
    let speed = fastest.value() / (GRAVITY * HALF).sqrt();
    checks.at_most("|u| after 1 s / √gh", speed, Target::exact(1e-3, "rest stays rest"));
    Ok(())
}
