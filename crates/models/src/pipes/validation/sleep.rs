//! The five cases of [thompson2009], chapter 5, with the manager `exact`: when the last tile falls asleep, how often tiles
//! wake, and what is held.

use undine_checks::{Checks, Target, measured};
use undine_scene::{LoadOptions, Scene};
use undine_sim::{Simulation, WATER_KEYS};

use super::super::ENTRY;
use super::super::water::{self, Pipes};
use super::step;

/// A case of the thesis: name, scene, keys, when the sink takes what the source gives, and whether the sink runs dry.
struct SleepCase {
    name: &'static str,
    scene: &'static str,
    keys: &'static [&'static str],
    balance: f64,
    runs_dry: bool,
}

const DOWNHILL: &str = include_str!("../../../../../scenes/pipes-downhill/scene.toml");

const CASES: [SleepCase; 7] = [
    SleepCase {
        name: "trivial",
        scene: include_str!("../../../../../scenes/pipes-trivial/scene.toml"),
        keys: &[],
        balance: 30.0,
        runs_dry: false,
    },
    SleepCase {
        name: "downhill a and c",
        scene: DOWNHILL,
        keys: &["source.1.rate='6*step(t-180)'"],
        balance: 180.0,
        runs_dry: false,
    },
    SleepCase { name: "downhill b", scene: DOWNHILL, keys: &[], balance: 180.0, runs_dry: true },
    SleepCase {
        name: "rough",
        scene: include_str!("../../../../../scenes/pipes-rough/scene.toml"),
        keys: &[],
        balance: 240.0,
        runs_dry: false,
    },
    SleepCase {
        name: "multiple downhill",
        scene: include_str!("../../../../../scenes/pipes-multiple-downhill/scene.toml"),
        keys: &[],
        balance: 240.0,
        runs_dry: false,
    },
    SleepCase {
        name: "step",
        scene: include_str!("../../../../../scenes/pipes-step/scene.toml"),
        keys: &[],
        balance: 120.0,
        runs_dry: false,
    },
    // As the downhill scene first was: overdamped, so that its basin settles more slowly than 20/k. Its sink runs dry at first
    SleepCase {
        name: "downhill a, friction 0.1",
        scene: DOWNHILL,
        keys: &["source.1.rate='6*step(t-180)'", "water.0.friction=0.1"],
        balance: 180.0,
        runs_dry: true,
    },
];

/// Wakes of a tile, on the mean of all tiles of a case.
const MOST_WAKES: f64 = 4.0;

/// Length of a run after the balance, in units of 20/k: well beyond the time by which all must sleep.
const RUN: f64 = 4.0;

/// What a run came to.
struct Course {
    water: Pipes,
    last_update: f64,
    least_error: i128,
}

/// Runs every case.
pub fn cases(checks: &mut Checks) -> anyhow::Result<()> {
    for case in CASES {
        let first = build(&case, "exact")?;
        let relaxation = 20.0 / first.settings.friction;
        let course = run(first, case.balance + RUN * relaxation)?;
        let crossing = crossing(&course.water);
        let name = case.name;
        let allowed = relaxation + crossing;
        checks.at_most(
            format!("{name}: last update after the balance, in units of 20/k and a crossing"),
            measured(course.last_update - case.balance) / allowed,
            Target::ours(
                1.0,
                "asked of this model: asleep 20/k and a crossing by a long wave after the balance",
            ),
        );
        let exact = || Target::exact(0.0, "volumes are whole units");
        checks.at_most(
            format!("{name}: greatest error of the ledger in units"),
            measured(course.least_error as f64),
            exact(),
        );
        let [_, wakes] = course.water.manager.as_ref().map_or([0; 2], |manager| manager.transitions());
        checks.at_most(
            format!("{name}: wakes of a tile"),
            measured(wakes as f64) / course.water.columns.tiling.count() as f64,
            Target::ours(MOST_WAKES, "asked of this model: no flapping"),
        );
        if !case.runs_dry {
            let unmanaged = run(build(&case, "none")?, case.balance + RUN * relaxation)?;
            let difference = (unmanaged.water.held() - course.water.held()).abs();
            checks.at_most(
                format!("{name}: units held more or less than without a manager"),
                measured(difference as f64),
                exact(),
            );
        }
    }
    Ok(())
}

fn build(case: &SleepCase, manager: &str) -> anyhow::Result<Pipes> {
    let manager = format!("water.0.manager='{manager}'");
    let overrides = case.keys.iter().map(|key| (*key).to_owned()).chain([manager]).collect();
    let scene = Scene::parse(case.name, case.scene, &LoadOptions { overrides, ..LoadOptions::default() })?;
    let values = scene.sections("water")[0].read(&[WATER_KEYS, ENTRY.keys])?;
    Ok(water::read(&scene, &values)?.0)
}

/// Runs to a time exactly.
fn run(mut water: Pipes, end: f64) -> anyhow::Result<Course> {
    let (mut last_update, mut least_error) = (0.0, 0);
    while water.time < end {
        let longest = (end - water.time).min(0.5);
        let is_awake = water.visits.awake_count() > 0;
        step(&mut water, longest)?;
        if is_awake {
            last_update = water.time;
        }
        least_error = (water.held() - water.ledger.expected()).abs().max(least_error);
    }
    anyhow::ensure!(water.volume().held > 0.0, "the case has no water");
    Ok(Course { water, last_update, least_error })
}

/// The time in which a long wave crosses the water: Σ Δx/√(g d) over the wet columns.
fn crossing(water: &Pipes) -> f64 {
    let cells = water.grid.cells()[0];
    let depths = (0..cells).map(|x| water.depth_in([x, 0])).filter(|depth| *depth > super::water::FILM);
    depths.map(|depth| water.grid.spacing()[0] / (water.settings.gravity * depth).sqrt()).sum()
}
