//! Still water after a thousand steps: its speed, and its pressure against ρ g h.

use anyhow::Context;
use undine_checks::{Checks, Target, Worst};
use undine_frame::Quantity;
use undine_sim::Runner;

use crate::checks::build;

const CASE: &str = include_str!("../../../../../validation/foster-metaxas/rest/case.toml");
const DENSITY: f64 = 1000.0;
const GRAVITY: f64 = 9.81;
/// Depth of the water, whose surface lies at 0.3 of a cell above a border of cells.
const DEPTH: f64 = 0.515;
const STEPS: u64 = 1000;

/// The greatest speed of a cell over √(gh), and the greatest error of the pressure of a Full cell over that at the floor.
fn errors(runner: &Runner) -> anyhow::Result<[f64; 2]> {
    let view = runner.waters()[0].simulation.view();
    let find = |quantity: Quantity| {
        let found = view.fields.iter().find(|field| field.quantity == quantity);
        found.map(|field| &field.samples).with_context(|| format!("there is no field of {}", quantity.name()))
    };
    let mut speed = Worst::default();
    let scale = (GRAVITY * DEPTH).sqrt();
    find(Quantity::Speed)?.values().into_iter().for_each(|u| speed.compare(f64::from(u) / scale, 0.0));
    let (pressure, kinds) = (find(Quantity::Pressure)?, find(Quantity::CellKind)?.values());
    let full = f32::from(undine_frame::CellKind::Full.code());
    let ([columns, rows, layers], values) = (pressure.size(), pressure.values());
    let up = if layers > 1 { 2 } else { 1 };
    let mut error = Worst::default();
    for (number, (value, kind)) in values.iter().zip(&kinds).enumerate() {
        if *kind == full {
            let level = if up == 2 { number / (columns * rows) } else { number / columns };
            let height = pressure.origin()[up] + level as f64 * pressure.spacing()[up];
            error.compare(
                (f64::from(*value) - DENSITY * GRAVITY * (DEPTH - height)) / (DENSITY * GRAVITY * DEPTH),
                0.0,
            );
        }
    }
    Ok([speed.value(), error.value()])
}

/// Markers, chains and heights in the plane, markers and heights in space.
pub fn run(checks: &mut Checks) -> anyhow::Result<()> {
    for (name, keys) in [
        ("2-D, height field", vec!["water.0.surface='height'".to_owned()]),
        ("2-D, chains", vec!["water.0.surface='chains'".to_owned()]),
        ("2-D, markers", vec!["water.0.markers_per_cell=16".to_owned()]),
        (
            "3-D, height field",
            ["surface='height'", "height=1", "resolution=12"].map(|key| format!("water.0.{key}")).to_vec(),
        ),
    ] {
        let mut runner = build(CASE, &keys)?;
        while runner.frame() < STEPS {
            runner.next_frame()?;
        }
        let [speed, pressure] = errors(&runner)?;
        checks.at_most(format!("{name}: speed / √(gh)"), speed, Target::exact(1e-6, "u = 0"));
        // Markers know the surface to a part of their spacing
        if !name.contains("markers") {
            checks.at_most(format!("{name}: pressure"), pressure, Target::exact(1e-4, "p = ρ g h"));
        }
    }
    Ok(())
}
