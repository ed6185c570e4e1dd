//! A stirred tank conserves its volume.

use undine_checks::Checks;

use super::measures::budget;
use crate::checks::build;

const CASE: &str = include_str!("../../../../../validation/liquid/volume/case.toml");

/// Errors of the volume of a stirred tank.
struct Stirred {
    /// Mean of the drift of the volume over the last turn of the paddle.
    drift: f64,
    /// The greatest error of the ledger.
    ledger: f64,
}

fn stir(seconds: f64, control: bool) -> anyhow::Result<Stirred> {
    let mut runner = build(CASE, &[format!("water.0.volume_control={control}")])?;
    let (mut drift, mut count, mut ledger) = (0.0, 0.0, 0.0f64);
    while runner.time() < seconds - 1e-9 {
        runner.next_frame()?;
        let budget = budget(&runner);
        ledger = ledger.max(budget.volume.error().abs());
        // The paddle turns once in two seconds
        if runner.time() > seconds - 2.0 {
            drift += budget.volume_drift.unwrap_or(f64::NAN);
            count += 1.0;
        }
    }
    Ok(Stirred { drift: (drift / count).abs(), ledger })
}

fn check(checks: &mut Checks, seconds: f64, bounds: [f64; 2]) -> anyhow::Result<()> {
    for (control, name, bound) in [(false, "without control", bounds[0]), (true, "with control", bounds[1])] {
        let stirred = stir(seconds, control)?;
        checks.at_most(format!("{name}: drift in {seconds} s"), stirred.drift, bound, "continuity");
        checks.at_most(format!("{name}: ledger, m³"), stirred.ledger, 0.0, "particles are counted");
    }
    Ok(())
}

/// Six seconds.
pub fn quick(checks: &mut Checks) -> anyhow::Result<()> {
    check(checks, 6.0, [1e-2, 2e-3])
}

/// A minute.
pub fn fine(checks: &mut Checks) -> anyhow::Result<()> {
    check(checks, 60.0, [5e-3, 5e-4])
}
