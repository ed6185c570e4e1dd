//! The five cases of [thompson2009], chapter 5, with every manager: what is updated, against all columns and wet ones.

use undine_checks::{Bench, Figures};
use undine_sim::Volume;

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

/// Headings of the table. Updates in thousands over the whole run; shares of volume updates of all columns, and of the wet
/// ones, in every step; the time at which a column was last updated; volumes in m³: held at the end, how much of it stable
/// regions made, and what the ledger is off.
const COLUMNS: [&str; 12] = [
    "case", "manager", "flow", "volume", "drop", "of all", "of wet", "sleeps", "last s", "held", "made",
    "ledger",
];

/// What a run counted, over all its steps.
#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    /// Updates that there would be with all columns, and with all wet ones, in every step.
    of_columns: f64,
    of_wet: f64,
    flow_updates: f64,
    volume_updates: f64,
    /// Not every water counts them.
    drop_updates: Option<f64>,
    transitions: f64,
    /// Time at which a column was last updated.
    last_update: f64,
    volume: Volume,
}

/// Runs every case with every manager.
fn cases(figures: &mut Figures) -> anyhow::Result<()> {
    for (case, scene, keys) in CASES {
        for manager in MANAGERS {
            figures.row(&COLUMNS, cells(case, manager, &run(scene, keys, manager)?));
        }
    }
    Ok(())
}

/// A row of the table.
fn cells(case: &str, manager: &str, counted: &Counted) -> Vec<String> {
    let thousands = |count: f64| format!("{:.0}", 1e-3 * count);
    let percent = |whole: f64| format!("{:.1} %", 100.0 * counted.volume_updates / whole);
    let Volume { held, initial, inflow, outflow, prescribed } = counted.volume;
    vec![
        case.to_owned(),
        manager.to_owned(),
        thousands(counted.flow_updates),
        thousands(counted.volume_updates),
        counted.drop_updates.map_or_else(|| "-".to_owned(), thousands),
        percent(counted.of_columns),
        percent(counted.of_wet),
        format!("{:.0}", counted.transitions),
        format!("{:.0}", counted.last_update),
        format!("{held:.2}"),
        format!("{prescribed:.2}"),
        // Each volume is a whole number of units, rounded once when it becomes a float
        format!("{:.0e}", held - (initial + inflow - outflow + prescribed)),
    ]
}

/// Runs a scene to its end.
fn run(scene: &str, keys: &[&str], manager: &str) -> anyhow::Result<Counted> {
    let mut overrides: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
    overrides.push(format!("water.0.manager='{manager}'"));
    let mut runner = build(scene, &overrides)?;
    let columns = runner.waters()[0].simulation.cells() as f64;
    let mut counted = Counted::default();
    while runner.frame() + 1 < runner.frame_count() {
        let stats = runner.next_frame()?;
        let get = |name: &str| stats.counters[0].get(name).map(|count| count as f64);
        let count = |name: &str| get(name).unwrap_or(0.0);
        counted.of_columns += columns * stats.steps as f64;
        counted.of_wet += count("wet columns") * stats.steps as f64;
        counted.flow_updates += count("flow updates");
        counted.volume_updates += count("volume updates");
        counted.transitions += count("sleep transitions");
        if let Some(updates) = get("drop updates") {
            *counted.drop_updates.get_or_insert(0.0) += updates;
        }
        if count("volume updates") > 0.0 {
            counted.last_update = runner.time();
        }
    }
    counted.volume = runner.waters()[0].simulation.volume();
    Ok(counted)
}
