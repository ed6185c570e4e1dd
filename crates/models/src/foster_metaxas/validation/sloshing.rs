//! A wave of 0.3 of a cell in a tank at the frequency of linear waves, ω² = gk tanh kh [lamb1932].

use std::f64::consts::PI;

use glam::DVec2;
use undine_checks::{Checks, Oscillation, Target, Worst};
use undine_sim::{Runner, Sample};

use crate::checks::build;

const CASE: &str = include_str!("../../../../../validation/foster-metaxas/sloshing/case.toml");
const GRAVITY: f64 = 9.81;
const CELLS: usize = 32;
const DEPTH: f64 = 16.5 / CELLS as f64;
const AMPLITUDE: f64 = 0.3 / CELLS as f64;

/// A tank of one metre with a cosine surface.
fn tank() -> String {
    let mut corners = "{ at = [0, 0] }, { at = [1, 0] }".to_owned();
    for x in (0..=128).rev().map(|column| f64::from(column) / 128.0) {
        corners += &format!(", {{ at = [{x}, {}] }}", DEPTH + AMPLITUDE * (PI * x).cos());
    }
    format!("{CASE}[[fill]]\nkind = 'polygon'\ncorner = [{corners}]\n")
}

/// Amplitude of the first mode of the surface, in metres.
fn amplitude(runner: &Runner) -> f64 {
    let column = |column: usize| {
        let x = (column as f64 + 0.5) / CELLS as f64;
        runner.height(DVec2::new(x, 0.0)).unwrap_or(f64::NAN) * (PI * x).cos()
    };
    2.0 / CELLS as f64 * (0..CELLS).map(column).sum::<f64>()
}

/// The period with the pressure at the surface; the volume; and that nothing moves with the pressure of the paper.
pub fn run(checks: &mut Checks) -> anyhow::Result<()> {
    let exact = 2.0 * PI / (GRAVITY * PI * (PI * DEPTH).tanh()).sqrt();
    for (name, solver) in [("relaxation", "'relaxation'"), ("projection", "'projection'")] {
        let mut runner = build(&tank(), &[format!("water.0.pressure_solver={solver}")])?;
        let (mut oscillation, mut volume) = (Oscillation::default(), Worst::default());
        let initial = runner.waters()[0].simulation.budget().volume.initial;
        for _ in 0..runner.frame_count() {
            runner.next_frame()?;
            oscillation.record(runner.time(), amplitude(&runner));
            let drift = runner.waters()[0].simulation.budget().volume_drift.unwrap_or(f64::NAN);
            volume.compare(drift, 0.0);
        }
        let error = (oscillation.period()? / exact - 1.0).abs();
        checks.at_most(format!("{name}: period, relative"), error, Target::ours(0.02, "[lamb1932] art. 228"));
        let target = Target::exact(1e-12, "the flux form, of a volume of about 0.5 m²");
        checks.at_most(format!("{name}: volume of the heights"), volume.value() * initial, target);
    }
    let mut runner = build(&tank(), &["water.0.surface_pressure='cell'".to_owned()])?;
    while runner.time() < exact {
        runner.next_frame()?;
    }
    let moved = (amplitude(&runner) / AMPLITUDE - 1.0).abs();
    checks.at_most(
        "pressure of the paper: change of amplitude in a period",
        moved,
        Target::ours(0.05, "[foster1996] p. 8"),
    );
    Ok(())
}
