//! The sum of sine waves against its formula, the dispersion relation and its own ledger.

use std::f64::consts::TAU;

use anyhow::Context;
use glam::{DVec2, DVec3};
use undine_checks::{Case, Checks, ExpectedTable, Target, Worst, measured};
use undine_sim::{Runner, Sample, SurfaceView};

use crate::checks::build;

/// Every case of this water.
pub static CASES: &[Case] = &[
    Case { name: "sine-waves/formula", is_quick: true, is_chaotic: false, run: formula },
    Case { name: "sine-waves/dispersion", is_quick: true, is_chaotic: false, run: dispersion },
    Case { name: "sine-waves/ring-front", is_quick: true, is_chaotic: false, run: ring_front },
    Case { name: "sine-waves/ledger", is_quick: true, is_chaotic: false, run: ledger },
];

const FORMULA: &str = include_str!("../../../../../validation/sine-waves/formula/case.toml");
const RING: &str = include_str!("../../../../../validation/sine-waves/ring-front/case.toml");
const LEDGER: &str = include_str!("../../../../../validation/sine-waves/ledger/case.toml");
const DISPERSION: &str = include_str!("../../../../../validation/sine-waves/dispersion/expected.csv");

/// The waves of the case `formula`, written out once more: amplitude, wavelength, direction, phase.
const WAVES: [(f64, f64, [f64; 2], f64); 5] = [
    (0.30, 9.0, [1.0, 0.0], 0.0),
    (0.20, 6.0, [0.8, 0.6], 1.0),
    (0.12, 4.0, [0.6, -0.8], 2.0),
    (0.06, 2.5, [0.0, 1.0], 3.0),
    (0.03, 1.5, [-0.6, 0.8], 4.0),
];

/// Every vertex, and queries between them, against the sum evaluated term by term.
pub fn formula(checks: &mut Checks) -> anyhow::Result<()> {
    let mut runner = build(FORMULA, &[])?;
    let (mut level, mut normal) = (Worst::default(), Worst::default());
    let (mut velocity, mut query) = (Worst::default(), Worst::default());
    for _ in 0..40 {
        runner.next_frame()?;
        let view = runner.waters()[0].simulation.view();
        let Some(SurfaceView::Sheet(sheet)) = view.surfaces.first() else {
            anyhow::bail!("the water shows no sheet")
        };
        for (vertex, position) in sheet.positions.iter().enumerate() {
            let columns = sheet.columns.len();
            let xy = DVec2::new(sheet.columns[vertex % columns], sheet.rows[vertex / columns]);
            let (z, n, v) = term_by_term(xy, runner.time());
            level.compare(f64::from(position[2]), z);
            normal.compare((DVec3::from(sheet.normals[vertex].map(f64::from)) - n).length(), 0.0);
            velocity.compare((DVec3::from(sheet.velocities[vertex].map(f64::from)) - v).length(), 0.0);
        }
        for index in 0..100 {
            let xy = DVec2::new(0.37 * f64::from(index) % 19.0 - 9.5, 0.53 * f64::from(index) % 19.0 - 9.5);
            let found = runner.height(xy).context("a point inside the water has no height")?;
            query.compare(found, term_by_term(xy, runner.time()).0);
        }
    }
    const SOURCE: &str = "[li2007] §2.2.2";
    checks.at_most("level of vertices, m", level.value(), Target::exact(1e-6, SOURCE));
    checks.at_most("normal of vertices", normal.value(), Target::exact(1e-6, SOURCE));
    checks.at_most("velocity of vertices, m/s", velocity.value(), Target::exact(1e-6, SOURCE));
    checks.at_most("level by query, m", query.value(), Target::exact(1e-12, SOURCE));
    Ok(())
}

/// Level, normal and surface velocity in deep water, straight from the formula.
fn term_by_term(xy: DVec2, time: f64) -> (f64, DVec3, DVec3) {
    let (mut level, mut slope, mut velocity) = (0.0, DVec2::ZERO, DVec3::ZERO);
    for (amplitude, wavelength, direction, phase) in WAVES {
        let (k, direction) = (TAU / wavelength, DVec2::from(direction));
        let omega = (9.81 * k).sqrt();
        let angle = k * direction.dot(xy) - omega * time + phase;
        level += amplitude * angle.sin();
        slope += direction * (amplitude * k * angle.cos());
        velocity += (direction * (amplitude * omega * angle.sin())).extend(-amplitude * omega * angle.cos());
    }
    (level, DVec3::new(-slope.x, -slope.y, 1.0).normalize(), velocity)
}

/// The frequency of a wave at a point, measured by the clock, against ω² = g k tanh(kh).
pub fn dispersion(checks: &mut Checks) -> anyhow::Result<()> {
    let depth: f64 = 2.0;
    let mut worst = Worst::default();
    for [kh, scaled] in ExpectedTable::parse(DISPERSION)?.select(["kh", "omega_sqrt_h_over_g"])? {
        let (wavelength, omega) = (TAU * depth / kh, scaled * (9.81 / depth).sqrt());
        let found = measured_frequency("sine-waves", wavelength, omega, &[format!("water.0.depth={depth}")])?;
        worst.compare(found / omega, 1.0);
    }
    checks.at_most("frequency, relative", worst.value(), Target::exact(1e-6, "[lamb1932] art. 229"));
    Ok(())
}

/// The frequency at the origin of a model with one wave, from the zero crossings of six periods. What is expected only
/// sets the pace of the clock: 400 frames a period.
pub fn measured_frequency(
    kind: &str,
    wavelength: f64,
    expected: f64,
    overrides: &[String],
) -> anyhow::Result<f64> {
    let period = TAU / expected;
    let text = format!(
        "[scene]\nduration = {:?}\nfps = {:?}\n[[water]]\nkind = \"{kind}\"\nresolution = 2\n\
         wave = [{{ amplitude = 0.001, wavelength = {wavelength:?}, phase = 0.3 }}]\n",
        10.0 * period,
        400.0 / period
    );
    // Times of the zero crossings, linear between frames
    let mut runner = build(&text, overrides)?;
    let mut before = level_at_origin(&runner)?;
    let mut crossings: Vec<f64> = Vec::new();
    while crossings.len() < 13 {
        anyhow::ensure!(
            runner.frame() < runner.frame_count(),
            "the level crossed zero only {} times",
            crossings.len()
        );
        let start = runner.time();
        runner.next_frame()?;
        let now = level_at_origin(&runner)?;
        if (before < 0.0) != (now < 0.0) {
            crossings.push(start + (runner.time() - start) * before / (before - now));
        }
        before = now;
    }
    Ok(std::f64::consts::PI * 12.0 / (crossings[12] - crossings[0]))
}

fn level_at_origin(runner: &Runner) -> anyhow::Result<f64> {
    runner.height(DVec2::ZERO).context("the origin is in the water")
}

/// The front of a ring passes two gauges with the group speed between them.
pub fn ring_front(checks: &mut Checks) -> anyhow::Result<()> {
    let mut runner = build(RING, &[])?;
    let gauges = [DVec2::new(4.0, 0.0), DVec2::new(0.0, 9.0)];
    let mut arrivals = [f64::INFINITY; 2];
    while runner.frame() + 1 < runner.frame_count() {
        runner.next_frame()?;
        for (gauge, arrival) in gauges.iter().zip(&mut arrivals) {
            if runner.height(*gauge).unwrap_or(0.0) != 0.0 {
                *arrival = arrival.min(runner.time());
            }
        }
    }
    // 1 m long in deep water: half of √(g/k).
    let group_speed = 0.5 * (9.81 / TAU).sqrt();
    let speed = measured(5.0 / (arrivals[1] - arrivals[0]));
    checks.at_most(
        "speed of the front, relative",
        (speed / group_speed - 1.0).abs(),
        Target::ours(0.01, "[lamb1932] art. 236"),
    );
    Ok(())
}

/// Straight waves carry through the sides exactly what the level inside gains or loses.
pub fn ledger(checks: &mut Checks) -> anyhow::Result<()> {
    let mut runner = build(LEDGER, &[])?;
    let (mut worst, mut turnover) = (Worst::default(), 0.0f64);
    while runner.frame() + 1 < runner.frame_count() {
        runner.next_frame()?;
        let volume = runner.waters()[0].simulation.budget().volume;
        worst.compare(volume.relative_error(), 0.0);
        turnover = turnover.max(volume.inflow + volume.outflow);
    }
    anyhow::ensure!(turnover > 0.01, "nothing flowed, so nothing was checked");
    checks.at_most(
        "volume ledger, relative",
        worst.value(),
        Target::exact(1e-7, "continuity: ∂η/∂t + ∇·q = 0"),
    );
    Ok(())
}
