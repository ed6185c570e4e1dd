//! The level after pouring, and the volume of both forms of the height field.

use std::f64::consts::PI;

use glam::DVec2;
use undine_checks::{Checks, Target, Worst, measured};
use undine_sim::{Budget, Runner, Sample};

use crate::checks::build;

const POURING: &str = include_str!("../../../../../../validation/foster-metaxas/pouring/case.toml");
const VOLUME: &str = include_str!("../../../../../../validation/foster-metaxas/volume/case.toml");

fn budget(runner: &Runner) -> Budget {
    runner.waters()[0].simulation.budget()
}

/// The mean level of all columns of a tank of one metre.
fn mean_level(runner: &Runner, columns: u32) -> f64 {
    let place = |column: u32| DVec2::new((f64::from(column) + 0.5) / f64::from(columns), 0.0);
    (0..columns).map(|column| runner.height(place(column)).unwrap_or(f64::NAN)).sum::<f64>()
        / f64::from(columns)
}

/// 0.1 m³ poured into a tank of 1 m².
pub fn pouring(checks: &mut Checks) -> anyhow::Result<()> {
    const COLUMNS: u32 = 20;
    const POURED: f64 = 0.1;
    for (surface, bound) in [("height", 1e-9), ("chains", 0.02), ("markers", 0.1)] {
        let mut runner = build(POURING, &[format!("water.0.surface='{surface}'")])?;
        let start = mean_level(&runner, COLUMNS);
        let (mut closure, mut level, mut samples) = (Worst::default(), 0.0, 0.0);
        while runner.frame() + 1 < runner.frame_count() {
            runner.next_frame()?;
            closure.compare(budget(&runner).volume.error(), 0.0);
            if runner.time() > 7.0 {
                level += mean_level(&runner, COLUMNS);
                samples += 1.0;
            }
        }
        let end = budget(&runner);
        closure.compare(end.volume.inflow, POURED);
        let exact = Target::exact(1e-12, "held = initial + ∫ u dA dt");
        checks.at_most(format!("{surface}: inflow and ledger, m³"), closure.value(), exact);
        let rise = (measured(level / samples - start) / POURED - 1.0).abs();
        let source = "the level rises by volume / area, as exactly as the surface is known";
        checks.at_most(format!("{surface}: rise of the level, relative"), rise, Target::ours(bound, source));
        let drift = measured(end.volume_drift.unwrap_or(f64::NAN)) * end.volume.held / POURED;
        checks.at_most(
            format!("{surface}: volume seen, of what was poured"),
            drift.abs(),
            Target::ours(bound, source),
        );
    }
    Ok(())
}

/// A standing wave of k a = 0.0295 over ten seconds.
pub fn forms(checks: &mut Checks) -> anyhow::Result<()> {
    const DEPTH: f64 = 16.5 / 32.0;
    const AMPLITUDE: f64 = 0.3 / 32.0;
    let mut corners = "{ at = [0, 0] }, { at = [1, 0] }".to_owned();
    for x in (0..=128).rev().map(|column| f64::from(column) / 128.0) {
        corners += &format!(", {{ at = [{x}, {:?}] }}", DEPTH + AMPLITUDE * (PI * x).cos());
    }
    let scene = format!("{VOLUME}[[fill]]\nkind = 'polygon'\ncorner = [{corners}]\n");
    for (form, bound, source) in [
        ("flux", 1e-12, "fluxes between columns cancel to rounding"),
        ("paper", 1e-3, "asked of this model, for k a ≤ 0.03"),
    ] {
        let mut runner = build(&scene, &[format!("water.0.height_form='{form}'")])?;
        let mut drift = Worst::default();
        while runner.frame() < runner.frame_count() {
            runner.next_frame()?;
            drift.compare(budget(&runner).volume_drift.unwrap_or(f64::NAN), 0.0);
        }
        let target = if form == "flux" { Target::exact(bound, source) } else { Target::ours(bound, source) };
        checks.at_most(format!("{form} form: volume, relative"), drift.value(), target);
    }
    Ok(())
}
