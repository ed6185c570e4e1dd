//! Grid fluids against exact solutions (channel flows, decaying vortices) and conservation properties.

use std::f64::consts::TAU;

use anyhow::Context;
use glam::DVec3;
use undine_checks::{Checks, ExpectedTable, Target, Worst, measured};
use undine_sim::{Runner, Sample};

use crate::checks::build;

const POISEUILLE: &str = include_str!("../../../../../validation/stable-fluids/poiseuille/case.toml");
const COUETTE: &str = include_str!("../../../../../validation/stable-fluids/couette/case.toml");
const COUETTE_SERIES: &str = include_str!("../../../../../validation/stable-fluids/couette/expected.csv");
const VORTICES: &str = include_str!("../../../../../validation/stable-fluids/taylor-green/case.toml");
const DIVERGENCE: &str = include_str!("../../../../../validation/stable-fluids/divergence/case.toml");
const ENERGY: &str = include_str!("../../../../../validation/stable-fluids/energy/case.toml");
const DIMENSIONS: &str = include_str!("../../../../../validation/stable-fluids/dimensions/case.toml");

/// The values of a named field of the only water.
pub(super) fn field(runner: &Runner, name: &str) -> anyhow::Result<Vec<f32>> {
    let view = runner.waters()[0].simulation.view();
    let found = view.fields.iter().find(|field| field.name == name);
    Ok(found.with_context(|| format!("there is no field {name:?}"))?.samples.values())
}

fn kinetic_energy(runner: &Runner) -> f64 {
    runner.waters()[0].simulation.budget().kinetic_energy
}

/// Plane Poiseuille flow between two plates, driven by a body force.
pub fn poiseuille(checks: &mut Checks) -> anyhow::Result<()> {
    let mut runner = build(POISEUILLE, &[])?;
    for _ in 0..10 {
        runner.next_frame()?;
    }
    let (force, viscosity, rows) = (0.8, 0.1, 32);
    let mut worst = Worst::default();
    for row in 0..rows {
        let y = (f64::from(row) + 0.5) / f64::from(rows);
        let exact = force * y * (1.0 - y) / (2.0 * viscosity);
        worst.compare(runner.velocity(DVec3::new(0.1, y, 0.0)).x, exact);
    }
    let fastest = force / (8.0 * viscosity);
    checks.at_most(
        "profile, share of the fastest",
        worst.value() / fastest,
        Target::exact(1e-6, "u = f y (1 − y) / 2ν"),
    );
    Ok(())
}

/// Start-up of plane Couette flow: a wall is set in motion.
pub fn couette(checks: &mut Checks) -> anyhow::Result<()> {
    let mut runner = build(COUETTE, &[])?;
    let mut worst = Worst::default();
    for [time, y, speed] in ExpectedTable::parse(COUETTE_SERIES)?.select(["t", "y", "u"])? {
        while runner.time() < time - 1e-9 {
            runner.next_frame()?;
        }
        worst.compare(runner.velocity(DVec3::new(0.05, y, 0.0)).x, speed);
    }
    checks.at_most(
        "profiles in time, m/s",
        worst.value(),
        Target::ours(2e-3, "the series of Couette start-up"),
    );
    Ok(())
}

/// Taylor–Green vortices after one second.
struct Decayed {
    /// Decay rate of the kinetic energy, relative to the exact one.
    rate: f64,
    /// Root mean square error of u.
    error: f64,
    /// Amplitude, relative to the exact one.
    amplitude: f64,
}

fn decay(cells: usize, steps: usize) -> anyhow::Result<Decayed> {
    let overrides = [format!("water.0.resolution={cells}"), format!("water.0.steps={steps}")];
    let mut runner = build(VORTICES, &overrides)?;
    let (viscosity, k) = (0.01, TAU);
    let before = kinetic_energy(&runner);
    runner.next_frame()?;
    let rate = -(measured(kinetic_energy(&runner)) / before).ln() / (4.0 * viscosity * k * k);
    let fallen = (-2.0 * viscosity * k * k).exp();
    let (mut squares, mut product, mut total) = (0.0, 0.0, 0.0);
    for column in 0..cells {
        for row in 0..cells {
            let x = column as f64 / cells as f64;
            let y = (row as f64 + 0.5) / cells as f64;
            let exact = -(k * x).cos() * (k * y).sin() * fallen;
            let found = measured(runner.velocity(DVec3::new(x, y, 0.0)).x);
            squares += (found - exact).powi(2);
            product += found * exact;
            total += exact * exact;
        }
    }
    Ok(Decayed { rate, error: (squares / (cells * cells) as f64).sqrt(), amplitude: product / total })
}

/// Decay rate, and order of convergence in space.
pub fn taylor_green(checks: &mut Checks) -> anyhow::Result<()> {
    const SOURCE: &str = "[taylor1937]: exp(−2νk²t)";
    let decayed = decay(128, 256)?;
    checks.at_most("rate of decay at 128², relative", (decayed.rate - 1.0).abs(), Target::ours(0.01, SOURCE));
    checks.at_most("error at 128², m/s", decayed.error, Target::ours(1e-3, SOURCE));
    // With the same steps on three grids the errors in time cancel in the differences
    let [coarse, middle, fine] =
        [decay(32, 512)?, decay(64, 512)?, decay(128, 512)?].map(|one| one.amplitude);
    let order = ((coarse - middle) / (middle - fine)).abs().log2();
    checks.at_least("order in space", order, Target::order(1.8, "second-order differences"));
    Ok(())
}

/// The divergence is within the tolerance, with moving obstacles.
pub fn divergence(checks: &mut Checks) -> anyhow::Result<()> {
    let mut runner = build(DIVERGENCE, &[])?;
    let (mut worst, mut ledger) = (Worst::default(), Worst::default());
    for _ in 0..100 {
        let stats = runner.next_frame()?;
        let dt = 0.02 / stats.steps as f64;
        for divergence in field(&runner, "divergence")? {
            worst.compare(f64::from(divergence) * dt, 0.0);
        }
        ledger.compare(runner.waters()[0].simulation.budget().volume.relative_error(), 0.0);
    }
    checks.at_most("greatest divergence × Δt", worst.value(), Target::exact(1e-6, "continuity: ∇·u = 0"));
    checks.at_most(
        "volume ledger, relative",
        ledger.value(),
        Target::exact(1e-6, "continuity: what comes in goes out"),
    );
    Ok(())
}

/// The kinetic energy of an unforced fluid never grows.
pub fn energy(checks: &mut Checks) -> anyhow::Result<()> {
    let periodic: Vec<String> =
        ["west", "east", "south", "north"].map(|side| format!("water.0.{side}.kind='periodic'")).to_vec();
    let mut kept = Vec::new();
    for scheme in ["semi-lagrangian", "mac-cormack", "bfecc"] {
        // The greatest growth of a frame, with walls and in a periodic box
        let mut growth = Worst::default();
        for sides in [&[][..], &periodic] {
            let mut overrides = vec![format!("water.0.advection='{scheme}'")];
            overrides.extend_from_slice(sides);
            let mut runner = build(ENERGY, &overrides)?;
            let start = kinetic_energy(&runner);
            let mut before = start;
            for _ in 0..50 {
                runner.next_frame()?;
                let change = measured(kinetic_energy(&runner)) / before - 1.0;
                growth.add(if change <= 0.0 { 0.0 } else { change });
                before = kinetic_energy(&runner);
            }
            if sides.is_empty() {
                kept.push(before / start);
            }
        }
        checks.at_most(
            format!("growth of energy, {scheme}"),
            growth.value(),
            Target::exact(0.0, "energy is not made"),
        );
    }
    // Schemes of second order keep more
    checks.at_most(
        "kept by one look back / MacCormack",
        measured(kept[0]) / kept[1],
        Target::ours(0.95, "[selle2008]"),
    );
    checks.at_most(
        "kept by one look back / BFECC",
        measured(kept[0]) / kept[2],
        Target::ours(0.95, "[kim2005]"),
    );
    Ok(())
}

/// A 3-D flow without variation along z equals the 2-D flow.
pub fn dimensions(checks: &mut Checks) -> anyhow::Result<()> {
    let mut flat = build(DIMENSIONS, &[])?;
    let deep = [
        "water.0.height=0.25",
        "water.0.down.kind='free-slip'",
        "water.0.up.kind='free-slip'",
        "obstacle.0.kind='cylinder'",
        "obstacle.0.at=[0.4, 0.5, 0]",
        "obstacle.0.height=2",
    ];
    let mut deep = build(DIMENSIONS, &deep.map(str::to_owned))?;
    let mut worst = Worst::default();
    for _ in 0..10 {
        flat.next_frame()?;
        deep.next_frame()?;
        for place in 0..400 {
            let [x, y] = [f64::from(place % 20) / 20.0 + 0.02, f64::from(place / 20) / 20.0 + 0.02];
            let one = flat.velocity(DVec3::new(x, y, 0.0));
            let other = deep.velocity(DVec3::new(x, y, 0.11));
            worst.compare((one - other).length(), 0.0);
        }
    }
    checks.at_most("3-D against 2-D, m/s", worst.value(), Target::exact(1e-5, "the same equations"));
    Ok(())
}
