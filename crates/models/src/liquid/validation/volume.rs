//! A stirred tank conserves its volume.

use undine_checks::{Checks, Target, measured};

use super::measures::budget;
use crate::checks::build;

const CASE: &str = include_str!("../../../../../validation/liquid/volume/case.toml");

/// The mean of the drift of the volume over the last turn of the paddle. The ledger of particles is not checked: they are
/// counted, so it cannot be wrong.
fn drift(seconds: f64, control: bool) -> anyhow::Result<f64> {
    let mut runner = build(CASE, &[format!("water.0.volume_control={control}")])?;
    let (mut drift, mut count) = (0.0, 0.0);
    while runner.time() < seconds - 1e-9 {
        runner.next_frame()?;
        // The paddle turns once in two seconds
        if runner.time() > seconds - 2.0 {
            drift += measured(budget(&runner).volume_drift.unwrap_or(f64::NAN));
            count += 1.0;
        }
    }
    Ok((drift / count).abs())
}

fn check(checks: &mut Checks, seconds: f64) -> anyhow::Result<()> {
    for (control, name, bound) in [(false, "without control", 5e-3), (true, "with control", 5e-4)] {
        let target = Target::ours(bound, "continuity");
        checks.at_most(format!("{name}: drift in {seconds} s"), drift(seconds, control)?, target);
    }
    Ok(())
}

/// Six seconds.
pub fn quick(checks: &mut Checks) -> anyhow::Result<()> {
    check(checks, 6.0)
}

/// A minute.
pub fn fine(checks: &mut Checks) -> anyhow::Result<()> {
    check(checks, 60.0)
}
