//! The five cases of [thompson2009], chapter 5, with every manager: what is updated, against all columns and wet ones.

use undine_checks::{Bench, Figures};

use crate::checks::build;

/// The benchmark of the cases.
pub const UPDATES: Bench = Bench { name: "pipes-cases/updates", run: cases };

/// The scenes of the cases, and the keys that tell the variants of a scene apart.
const CASES: [(&str, &str, &[&str]); 7] = [
    ("trivial", include_str!("../../../../../scenes/pipes-trivial/scene.toml"), &[]),
    (
        "downhill a",
        include_str!("../../../../../scenes/pipes-downhill/scene.toml"),
        &["water.0.stable_flow=0.0005", "source.1.rate='6*step(t-180)'"],
    ),
    ("downhill b", include_str!("../../../../../scenes/pipes-downhill/scene.toml"), &[]),
    (
        "downhill c",
        include_str!("../../../../../scenes/pipes-downhill/scene.toml"),
        &["water.0.stable_flow=0.007", "source.1.rate='6*step(t-180)'"],
    ),
    ("rough", include_str!("../../../../../scenes/pipes-rough/scene.toml"), &[]),
    ("multiple downhill", include_str!("../../../../../scenes/pipes-multiple-downhill/scene.toml"), &[]),
    ("step", include_str!("../../../../../scenes/pipes-step/scene.toml"), &[]),
];

const MANAGERS: [&str; 3] = ["none", "thesis", "exact"];

/// What a run counted, over all its steps.
#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    steps: f64,
    columns: f64,
    flow_updates: f64,
    volume_updates: f64,
    wet_columns: f64,
    operations: f64,
    transitions: f64,
    /// Time at which a column was last updated.
    last_update: f64,
    /// Volume held at the end, and what stable regions made of it, in m³.
    held: f64,
    made: f64,
}

/// Runs every case with every manager.
fn cases(figures: &mut Figures) -> anyhow::Result<()> {
    for (case, scene, keys) in CASES {
        let mut unmanaged = 0.0;
        for manager in MANAGERS {
            let counted = run(scene, keys, manager)?;
            if manager == "none" {
                unmanaged = counted.held;
            }
            record(figures, &format!("{case}, {manager}"), &counted, unmanaged);
        }
    }
    Ok(())
}

fn record(figures: &mut Figures, name: &str, counted: &Counted, unmanaged: f64) {
    let Counted { steps, columns, wet_columns, .. } = *counted;
    let mut row = |what: &str, value: f64, unit, limit: f64, limit_is| {
        figures.rate(format!("{name}: {what}"), value, unit, limit, limit_is);
    };
    row("volume updates of all", counted.volume_updates / steps, "columns a step", columns, "columns");
    row(
        "volume updates of wet",
        counted.volume_updates / steps,
        "columns a step",
        wet_columns,
        "wet columns",
    );
    row("flow updates", counted.flow_updates / steps, "faces a step", columns - 1.0, "faces");
    row("region operations", counted.operations, "in all", steps, "steps");
    row("sleep transitions", counted.transitions, "in all", steps, "steps");
    row("last update", counted.last_update, "s", counted.last_update, "s");
    row("volume at the end", counted.held, "m³", unmanaged, "m³ without a manager");
    row("of it made by stable regions", counted.made, "m³", unmanaged, "m³ without a manager");
}

/// Runs a scene to its end.
fn run(scene: &str, keys: &[&str], manager: &str) -> anyhow::Result<Counted> {
    let mut overrides: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
    overrides.push(format!("water.0.manager='{manager}'"));
    let mut runner = build(scene, &overrides)?;
    let mut counted = Counted { columns: runner.waters()[0].simulation.cells() as f64, ..Counted::default() };
    let mut frames = 0.0;
    while runner.frame() + 1 < runner.frame_count() {
        let stats = runner.next_frame()?;
        let count = |name: &str| stats.counters[0].get(name).unwrap_or(0) as f64;
        counted.steps += stats.steps as f64;
        counted.flow_updates += count("flow updates");
        counted.volume_updates += count("volume updates");
        counted.operations += count("region operations");
        counted.transitions += count("sleep transitions");
        counted.wet_columns += count("wet columns");
        frames += 1.0;
        if count("volume updates") > 0.0 {
            counted.last_update = runner.time();
        }
    }
    counted.wet_columns /= frames;
    let volume = runner.waters()[0].simulation.volume();
    (counted.held, counted.made) = (volume.held, volume.prescribed);
    Ok(counted)
}
