//! Sloshing in a tank at the frequency of linear waves, ω² = gk tanh kh [lamb1932].

use std::f64::consts::PI;

use glam::DVec2;
use undine_checks::{Checks, Oscillation, Target};
use undine_sim::{Runner, Sample};

use crate::checks::build;

const CASE: &str = include_str!("../../../../../validation/liquid/sloshing/case.toml");
const GRAVITY: f64 = 9.81;
const DEPTH: f64 = 0.5;
const AMPLITUDE: f64 = 0.02;
/// Columns in which the surface is sampled.
const COLUMNS: usize = 64;

/// A tank of one metre with a cosine surface.
fn tank() -> String {
    let mut corners = "{ at = [0, 0] }, { at = [1, 0] }".to_owned();
    for x in (0..=COLUMNS).rev().map(|column| column as f64 / COLUMNS as f64) {
        corners += &format!(", {{ at = [{x}, {}] }}", DEPTH + AMPLITUDE * (PI * x).cos());
    }
    format!("{CASE}[[fill]]\nkind = 'polygon'\ncorner = [{corners}]\n")
}

/// Amplitude of the first mode of the surface, in metres.
fn amplitude(runner: &Runner) -> f64 {
    let column = |column: usize| {
        let x = (column as f64 + 0.5) / COLUMNS as f64;
        runner.height(DVec2::new(x, 0.0)).unwrap_or(f64::NAN) * (PI * x).cos()
    };
    2.0 / COLUMNS as f64 * (0..COLUMNS).map(column).sum::<f64>()
}

/// The frequency on two grids.
pub fn run(checks: &mut Checks) -> anyhow::Result<()> {
    let exact = 2.0 * PI / (GRAVITY * PI * (PI * DEPTH).tanh()).sqrt();
    for (cells, bound) in [(32, 0.02), (64, 0.01)] {
        let mut runner = build(&tank(), &[format!("water.0.resolution={cells}")])?;
        let mut oscillation = Oscillation::default();
        for _ in 0..runner.frame_count() {
            runner.next_frame()?;
            oscillation.record(runner.time(), amplitude(&runner));
        }
        let error = (exact / oscillation.period()? - 1.0).abs();
        checks.at_most(
            format!("{cells} cells: frequency, relative"),
            error,
            Target::ours(bound, "[lamb1932] art. 228"),
        );
    }
    Ok(())
}
