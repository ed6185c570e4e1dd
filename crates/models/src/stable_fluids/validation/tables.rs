//! Grid fluids against published data: the lid-driven cavity and the vortex street.

use glam::DVec3;
use undine_checks::{Checks, Curve, ExpectedTable, Target, Worst, measured};
use undine_sim::{Runner, Sample};

use super::exact::field;
use crate::checks::build;

const CAVITY: &str = include_str!("../../../../../validation/stable-fluids/cavity/case.toml");
const GHIA: &str = include_str!("../../../../../validation/stable-fluids/cavity/expected.csv");
const SPECTRAL: &str = include_str!("../../../../../validation/stable-fluids/cavity-1000/expected.csv");
const EXTREMA: &str = include_str!("../../../../../validation/stable-fluids/cavity/extrema.csv");
const ERTURK: &str = include_str!("../../../../../validation/stable-fluids/cavity-5000/expected.csv");
const STREET: &str = include_str!("../../../../../validation/stable-fluids/street/case.toml");

/// The flow is steady when no speed changes by more than this fraction of the lid's in one time unit.
const STEADY: f64 = 3e-5;

/// The steady flow in the cavity.
fn cavity_flow(reynolds: f64, cells: usize) -> anyhow::Result<Runner> {
    let overrides = [format!("water.0.viscosity={}", 1.0 / reynolds), format!("water.0.resolution={cells}")];
    let mut runner = build(CAVITY, &overrides)?;
    let mut before = field(&runner, "speed")?;
    while runner.frame() + 1 < runner.frame_count() {
        runner.next_frame()?;
        let now = field(&runner, "speed")?;
        let changes = now.iter().zip(&before).map(|(now, then)| f64::from((now - then).abs()));
        if Worst::of(changes).value() < STEADY {
            return Ok(runner);
        }
        before = now;
    }
    anyhow::bail!("the cavity at Re {reynolds} does not become steady")
}

/// A point of a centreline: on the vertical one for u, on the horizontal one for v.
fn on_centreline(component: usize, at: f64) -> DVec3 {
    if component == 0 { DVec3::new(0.5, at, 0.0) } else { DVec3::new(at, 0.5, 0.0) }
}

/// The velocity component u on the vertical centreline or v on the horizontal one, at many points.
fn centreline(runner: &Runner, component: usize) -> Vec<[f64; 2]> {
    let positions = (0..=1000).map(|index| f64::from(index) / 1000.0);
    positions.map(|at| [at, runner.velocity(on_centreline(component, at))[component]]).collect()
}

/// The greatest difference of the centreline velocities u and v from rows of (component, place, value); keeps both curves
/// for the report.
fn centreline_errors(
    checks: &mut Checks,
    name: &str,
    runner: &Runner,
    rows: impl Iterator<Item = [f64; 3]>,
) -> [f64; 2] {
    let (mut worst, mut table) = ([Worst::default(); 2], [Vec::new(), Vec::new()]);
    for [component, at, value] in rows {
        let index = usize::from(component != 0.0);
        worst[index].compare(runner.velocity(on_centreline(index, at))[index], value);
        table[index].push([at, value]);
    }
    for (index, (axes, mut expected)) in [["y", "u"], ["x", "v"]].into_iter().zip(table).enumerate() {
        expected.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let title = format!("{name}: {} on the centreline", axes[1]);
        checks.curve(Curve::against_table(title, axes, centreline(runner, index), expected));
    }
    worst.map(Worst::value)
}

fn against_ghia(checks: &mut Checks, runner: &Runner, reynolds: f64, cells: usize) -> anyhow::Result<()> {
    const SOURCE: &str = "[ghia1982] tables I and II";
    let name = format!("Re {reynolds}, {cells}²");
    let rows = ExpectedTable::parse(GHIA)?.select(["re", "component", "at", "value"])?;
    let rows = rows
        .into_iter()
        .filter(|row| row[0] == reynolds)
        .map(|[_, component, at, value]| [component, at, value]);
    let [u, v] = centreline_errors(checks, &name, runner, rows);
    checks.at_most(format!("{name}: u"), u, Target::published(0.012, SOURCE));
    checks.at_most(format!("{name}: v"), v, Target::published(0.02, SOURCE));
    Ok(())
}

/// Re 100 on 128² cells, also against the extremes of an extrapolated solution.
pub fn cavity(checks: &mut Checks) -> anyhow::Result<()> {
    let runner = cavity_flow(100.0, 128)?;
    against_ghia(checks, &runner, 100.0, 128)?;
    let rows = ExpectedTable::parse(EXTREMA)?.select(["component", "is_least", "value"])?;
    for [component, is_least, value] in rows {
        let index = usize::from(component != 0.0);
        let along = centreline(&runner, index).into_iter().map(|[_, speed]| speed);
        // The greatest of the values or of their opposites, so that NaN is kept
        let sign = if is_least != 0.0 { -1.0 } else { 1.0 };
        let extreme = sign * Worst::of(along.map(|speed| sign * speed)).value();
        let name = format!("{} {}", if sign < 0.0 { "least" } else { "greatest" }, ["u", "v"][index]);
        let target = Target::published(1e-3, "[marchi2009], extrapolated from 1024² cells");
        checks.at_most(format!("Re 100, 128²: {name}"), (measured(extreme) - value).abs(), target);
    }
    Ok(())
}

/// Low Reynolds numbers on finer grids.
pub fn cavity_fine(checks: &mut Checks) -> anyhow::Result<()> {
    for (reynolds, cells) in [(400.0, 128), (100.0, 256), (400.0, 256)] {
        let runner = cavity_flow(reynolds, cells)?;
        against_ghia(checks, &runner, reynolds, cells)?;
    }
    Ok(())
}

/// Re 1000 against a solution of high accuracy: on 128² cells at least as near to it as the tables of [ghia1982].
pub fn cavity_1000(checks: &mut Checks) -> anyhow::Result<()> {
    const GHIA_ERROR: &str = "the error of [ghia1982] against [botella1998]";
    let bounds = [
        (64, None),
        (128, Some([0.0063, 0.0185].map(|error| Target::published(error, GHIA_ERROR)))),
        (256, Some([Target::ours(0.006, "[botella1998]"); 2])),
    ];
    let mut errors = [Vec::new(), Vec::new()];
    for (cells, targets) in bounds {
        let (runner, name) = (cavity_flow(1000.0, cells)?, format!("Re 1000, {cells}²"));
        let rows = ExpectedTable::parse(SPECTRAL)?.select(["component", "at", "value"])?;
        let found = centreline_errors(checks, &name, &runner, rows.into_iter());
        for (index, component) in ["u", "v"].into_iter().enumerate() {
            errors[index].push((cells, found[index]));
            if let Some(targets) = targets {
                checks.at_most(format!("{name}: {component}"), found[index], targets[index]);
            }
        }
    }
    let target = Target::order(1.8, "second-order differences, against [botella1998]");
    checks.order("Re 1000: order of u", &errors[0], target);
    checks.order("Re 1000: order of v", &errors[1], target);
    Ok(())
}

/// Re 5000 against [erturk2005], u on the vertical centreline.
pub fn cavity_5000(checks: &mut Checks) -> anyhow::Result<()> {
    let runner = cavity_flow(5000.0, 128)?;
    let mut worst = Worst::default();
    for [y, u] in ExpectedTable::parse(ERTURK)?.select(["y", "u"])? {
        worst.compare(runner.velocity(on_centreline(0, y)).x, u);
    }
    let target = Target::ours(0.02, "[erturk2005]: 2 % of the speed of the lid");
    checks.at_most("Re 5000, 128²: u", worst.value(), target);
    Ok(())
}

/// Re 3200, where the boundary layers are a few cells thin.
pub fn cavity_3200(checks: &mut Checks) -> anyhow::Result<()> {
    for cells in [128, 256] {
        let runner = cavity_flow(3200.0, cells)?;
        against_ghia(checks, &runner, 3200.0, cells)?;
    }
    Ok(())
}

/// Strouhal number of the vortex shedding of a cylinder at Re 100.
pub fn street(checks: &mut Checks) -> anyhow::Result<()> {
    const PERIODS: usize = 6;
    let mut runner = build(STREET, &[])?;
    let probe = DVec3::new(11.0, 12.0, 0.0);
    let (mut before, mut crossings) = (0.0, Vec::new());
    while runner.frame() + 1 < runner.frame_count() {
        let start = runner.time();
        runner.next_frame()?;
        let now = runner.velocity(probe).y;
        if before < 0.0 && now >= 0.0 {
            crossings.push(start + (runner.time() - start) * before / (before - now));
        }
        before = now;
    }
    anyhow::ensure!(crossings.len() > 2 * PERIODS, "only {} vortices were shed", crossings.len());
    let last = crossings.len() - 1;
    let strouhal = PERIODS as f64 / (crossings[last] - crossings[last - PERIODS]);
    checks.at_most(
        "Strouhal number, off 0.164",
        (measured(strouhal) - 0.164).abs(),
        Target::published(0.006, "[williamson1988]"),
    );
    Ok(())
}
