//! Shoaling: over a gentle slope the amplitude of long waves grows as d^(−1/4), Green's law [lamb1932, art. 185].

use std::f64::consts::TAU;

use glam::DVec2;
use undine_checks::{Checks, Curve, Target, Worst};
use undine_sim::Sample;

use crate::checks::build;

const CASE: &str = include_str!("../../../../../validation/kass-miller/shoaling/case.toml");
const PERIOD: f64 = 3.0;
/// Rise of the bed per metre.
const SLOPE: f64 = 0.01;
/// Two periods, in seconds, after the waves have come to the last place and before reflections from the east come back
/// to it.
const MEASURED: [f64; 2] = [35.0, 41.0];
/// Depths in metres at which the amplitude is compared, and that to which it is relative.
const DEPTHS: [f64; 6] = [0.8, 0.7, 0.6, 0.5, 0.4, 0.3];
const REFERENCE_DEPTH: f64 = 0.9;

/// The amplitude at six depths, relative to that at 0.9 m.
pub fn run(checks: &mut Checks) -> anyhow::Result<()> {
    let mut water = build(CASE, &[])?;
    let depths: Vec<f64> = [REFERENCE_DEPTH].into_iter().chain(DEPTHS).collect();
    let mut sums = vec![[0.0; 2]; depths.len()];
    // Demodulation at the frequency of the waves
    while water.time() < MEASURED[1] - 1e-9 {
        water.next_frame()?;
        if water.time() <= MEASURED[0] + 1e-9 {
            continue;
        }
        let (sin, cos) = (TAU * water.time() / PERIOD).sin_cos();
        for (depth, sum) in depths.iter().zip(&mut sums) {
            let at = DVec2::new((1.0 - depth) / SLOPE, 0.2);
            let level = water.height(at).unwrap_or(f64::NAN);
            *sum = [sum[0] + level * cos, sum[1] + level * sin];
        }
    }
    let amplitudes: Vec<f64> = sums.iter().map(|[cos, sin]| cos.hypot(*sin)).collect();
    let (mut worst, mut found, mut expected) = (Worst::default(), Vec::new(), Vec::new());
    for (depth, amplitude) in depths.iter().zip(&amplitudes).skip(1) {
        let (growth, green) = (amplitude / amplitudes[0], (depth / REFERENCE_DEPTH).powf(-0.25));
        worst.compare(growth / green, 1.0);
        found.push([*depth, growth]);
        expected.push([*depth, green]);
    }
    let target = Target::exact(0.05, "Green's law: a ∝ d^(−1/4) [lamb1932, art. 185]");
    checks.at_most("amplitude, worst relative", worst.value(), target);
    let axes = ["depth, m", "amplitude / that at 0.9 m"];
    checks.curve(Curve::against_table("amplitude over a slope", axes, found, expected));
    Ok(())
}
