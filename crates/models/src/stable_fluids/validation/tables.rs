//! Grid fluids against published data: the lid-driven cavity and the vortex street.

use glam::DVec3;
use undine_checks::{Checks, ExpectedTable, Target};
use undine_sim::{Runner, Sample};

use super::exact::field;
use crate::checks::build;

const CAVITY: &str = include_str!("../../../../../validation/stable-fluids/cavity/case.toml");
const GHIA: &str = include_str!("../../../../../validation/stable-fluids/cavity/expected.csv");
const SPECTRAL: &str = include_str!("../../../../../validation/stable-fluids/cavity-1000/expected.csv");
const STREET: &str = include_str!("../../../../../validation/stable-fluids/street/case.toml");

/// The flow is steady when no speed changes by more than this fraction of the lid's in one time unit.
const STEADY: f32 = 3e-5;

/// The steady flow in the cavity.
fn cavity_flow(reynolds: f64, cells: usize) -> anyhow::Result<Runner> {
    let overrides = [format!("water.0.viscosity={}", 1.0 / reynolds), format!("water.0.resolution={cells}")];
    let mut runner = build(CAVITY, &overrides)?;
    let mut before = field(&runner, "speed")?;
    while runner.frame() + 1 < runner.frame_count() {
        runner.next_frame()?;
        let now = field(&runner, "speed")?;
        let change = now.iter().zip(&before).map(|(now, then)| (now - then).abs()).fold(0.0, f32::max);
        if change < STEADY {
            return Ok(runner);
        }
        before = now;
    }
    anyhow::bail!("the cavity at Re {reynolds} does not become steady")
}

/// The greatest difference of the centreline velocities u and v from rows of (component, place, value).
fn centreline_errors(runner: &Runner, rows: impl Iterator<Item = [f64; 3]>) -> [f64; 2] {
    let mut worst = [0.0f64; 2];
    for [component, at, value] in rows {
        let (index, place) = match component {
            0.0 => (0, DVec3::new(0.5, at, 0.0)),
            _ => (1, DVec3::new(at, 0.5, 0.0)),
        };
        worst[index] = worst[index].max((runner.velocity(place)[index] - value).abs());
    }
    worst
}

fn against_ghia(checks: &mut Checks, runner: &Runner, reynolds: f64, cells: usize) -> anyhow::Result<()> {
    const SOURCE: &str = "[ghia1982] tables I and II";
    let rows = ExpectedTable::parse(GHIA)?.select(["re", "component", "at", "value"])?;
    let rows = rows
        .into_iter()
        .filter(|row| row[0] == reynolds)
        .map(|[_, component, at, value]| [component, at, value]);
    let [u, v] = centreline_errors(runner, rows);
    checks.at_most(format!("Re {reynolds}, {cells}²: u"), u, Target::exact(0.012, SOURCE));
    checks.at_most(format!("Re {reynolds}, {cells}²: v"), v, Target::exact(0.02, SOURCE));
    Ok(())
}

/// Re 100 on 128² cells.
pub fn cavity(checks: &mut Checks) -> anyhow::Result<()> {
    let runner = cavity_flow(100.0, 128)?;
    against_ghia(checks, &runner, 100.0, 128)
}

/// Low Reynolds numbers on finer grids.
pub fn cavity_fine(checks: &mut Checks) -> anyhow::Result<()> {
    for (reynolds, cells) in [(400.0, 128), (100.0, 256), (400.0, 256)] {
        let runner = cavity_flow(reynolds, cells)?;
        against_ghia(checks, &runner, reynolds, cells)?;
    }
    Ok(())
}

/// Re 1000, also against a solution of high accuracy.
pub fn cavity_1000(checks: &mut Checks) -> anyhow::Result<()> {
    for cells in [128, 256] {
        let runner = cavity_flow(1000.0, cells)?;
        against_ghia(checks, &runner, 1000.0, cells)?;
        if cells == 256 {
            let rows = ExpectedTable::parse(SPECTRAL)?.select(["component", "at", "value"])?;
            let [u, v] = centreline_errors(&runner, rows.into_iter());
            checks.at_most("Re 1000, 256²: u", u, Target::exact(0.006, "[botella1998]"));
            checks.at_most("Re 1000, 256²: v", v, Target::exact(0.006, "[botella1998]"));
        }
    }
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
        (strouhal - 0.164).abs(),
        Target::exact(0.006, "[williamson1988]"),
    );
    Ok(())
}
