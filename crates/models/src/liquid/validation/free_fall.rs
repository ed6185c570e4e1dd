//! The centre of mass of a drop that touches nothing falls at g.

use glam::DVec3;
use undine_checks::{Checks, Target, Worst, measured};
use undine_sim::Runner;

use super::measures::for_each_particle;
use crate::checks::build;

const PLANE: &str = include_str!("../../../../../validation/liquid/free-fall/case.toml");
const SPACE: &str = include_str!("../../../../../validation/liquid/free-fall/space.toml");
const GRAVITY: f64 = 9.81;
/// Relative, near the precision of the particles' numbers.
const BOUND: f64 = 1e-6;

/// Position and velocity of the centre of mass.
fn centre_of_mass(runner: &Runner) -> anyhow::Result<[DVec3; 2]> {
    let (mut count, mut position, mut velocity) = (0.0, DVec3::ZERO, DVec3::ZERO);
    for_each_particle(runner, |x, u| {
        count += 1.0;
        position += x;
        velocity += u;
    })?;
    Ok([position / count, velocity / count])
}

fn check(checks: &mut Checks, name: &str, case: &str, up: usize) -> anyhow::Result<()> {
    let mut runner = build(case, &[])?;
    let start = centre_of_mass(&runner)?[0];
    let (mut speed, mut fallen) = (Worst::default(), vec![0.0]);
    for _ in 0..runner.frame_count() {
        runner.next_frame()?;
        let [position, velocity] = centre_of_mass(&runner)?;
        speed.compare(-velocity[up] / (GRAVITY * runner.time()), 1.0);
        fallen.push(start[up] - position[up]);
    }
    // The velocity at every frame
    let target = Target::exact(BOUND, "u = −g t");
    checks.at_most(format!("{name}: velocity of the centre, relative"), speed.value(), target);
    // The second difference of the position, over thirds of the run
    let (time, last) = (runner.time(), fallen.len() - 1);
    let third = last / 3;
    let difference = fallen[last] - 2.0 * fallen[last - third] + fallen[last - 2 * third];
    let acceleration = difference / (time * third as f64 / last as f64).powi(2);
    let target = Target::exact(BOUND, "d²x/dt² = −g");
    let error = (measured(acceleration) / GRAVITY - 1.0).abs();
    checks.at_most(format!("{name}: acceleration of the centre, relative"), error, target);
    // How far it has fallen in the end
    let target = Target::exact(BOUND, "x = −½ g t²");
    let error = (measured(fallen[last]) / (0.5 * GRAVITY * time * time) - 1.0).abs();
    checks.at_most(format!("{name}: fall of the centre, relative"), error, target);
    Ok(())
}

/// A disk and a ball.
pub fn run(checks: &mut Checks) -> anyhow::Result<()> {
    check(checks, "2-D", PLANE, 1)?;
    check(checks, "3-D", SPACE, 2)
}
