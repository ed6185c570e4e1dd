//! Lakes that must stay as they are.

use undine_checks::{Checks, Target, Worst, measured};
use undine_sim::Runner;

use super::bump::bump;
use super::channel::{ChannelCase, ChannelOrientation};
use crate::checks::build;
use crate::shallow_water::Settings;

const ISLANDS: &str = include_str!("../../../../../validation/shallow-water/lake-at-rest/case.toml");

/// A lake over the bump, which it covers or not.
fn lake(level: f64) -> ChannelCase {
    let depth = move |x: f64| (level - bump(x)).max(0.0);
    ChannelCase {
        length: 25.0,
        end: 100.0,
        diagonal_end: 100.0,
        settings: Settings::default(),
        bed: Box::new(bump),
        start: Box::new(move |x| [depth(x), 0.0]),
        exact: Box::new(move |x, _| [depth(x), 0.0]),
    }
}

/// A lake over the bump, below its top and above, each way; and one among rough islands.
pub fn rest(checks: &mut Checks) -> anyhow::Result<()> {
    const SOURCE: &str = "[delestre2013] §3.1: nothing moves";
    for (name, level) in [("immersed", 0.5), ("emerged", 0.1)] {
        for (way, label) in ChannelOrientation::ALL {
            let channel = lake(level);
            let (mut moved, mut flow) = (Worst::default(), Worst::default());
            let water = channel.watch(way, 100, 100.0, |_, _| {})?;
            for state in channel.states(&water, way, 100.0) {
                moved.compare(state.found[0], state.exact[0]);
            }
            let [columns, rows] = water.grid().cells();
            for cell in (0..rows).flat_map(|y| (0..columns).map(move |x| [x, y])) {
                water.discharge_in(cell).into_iter().for_each(|discharge| flow.compare(discharge, 0.0));
            }
            checks.at_most(format!("{name} {label}: level, m"), moved.value(), Target::exact(1e-14, SOURCE));
            checks.at_most(
                format!("{name} {label}: momentum, m²/s"),
                flow.value(),
                Target::exact(1e-14, SOURCE),
            );
        }
    }
    rough(checks)
}

/// Fractal ground, half of it dry.
fn rough(checks: &mut Checks) -> anyhow::Result<()> {
    const SOURCE: &str = "a level surface is a solution";
    let mut runner = build(ISLANDS, &[])?;
    let speeds = |runner: &Runner| {
        let view = runner.waters()[0].simulation.view();
        let field =
            view.fields.iter().find(|field| field.name == "speed").map(|field| field.samples.values());
        field.unwrap_or_default()
    };
    while runner.frame() + 1 < runner.frame_count() {
        runner.next_frame()?;
    }
    let mut speed = Worst::default();
    speeds(&runner).into_iter().for_each(|found| speed.compare(f64::from(found), 0.0));
    let volume = runner.waters()[0].simulation.volume();
    checks.at_most("among islands: speed, m/s", speed.value(), Target::exact(1e-14, SOURCE));
    checks.at_most(
        "among islands: volume, relative",
        measured(volume.relative_error().abs()),
        Target::exact(1e-14, SOURCE),
    );
    Ok(())
}
