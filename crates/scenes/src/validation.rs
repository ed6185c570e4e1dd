//! Every bundled scene at resolutions that nobody tuned it for: it ends without an error, with its ledger in order, and
//! with liquids of which as much is seen as is held.

use undine_checks::{Case, Checks, Target, Worst, measured};
use undine_frame::FrameRequest;
use undine_models::MODELS;
use undine_scene::{LoadOptions, Scene, SceneErrors};
use undine_sim::conformance::ledger_of_run;
use undine_sim::{Runner, Seconds, capture};
use undine_surface::{Tessellation, seen_volumes};

use crate::SCENES;

/// Every case, one per scale, since they run side by side.
pub static CASES: &[Case] = &[
    Case {
        name: "scenes/scale-20",
        is_quick: false,
        is_chaotic: true,
        run: |checks| run_scenes(checks, 0.2),
    },
    Case {
        name: "scenes/scale-37",
        is_quick: false,
        is_chaotic: true,
        run: |checks| run_scenes(checks, 0.37),
    },
    Case {
        name: "scenes/scale-75",
        is_quick: false,
        is_chaotic: true,
        run: |checks| run_scenes(checks, 0.75),
    },
];

/// Runs all scenes at a scale, simulation only.
fn run_scenes(checks: &mut Checks, scale: f64) -> anyhow::Result<()> {
    let mut failures = Vec::new();
    for bundled in SCENES {
        let options = LoadOptions { scale, ..LoadOptions::default() };
        let scene = bundled.parse(bundled.text, &options)?;
        let mut drift = SeenDrift::new(&scene)?;
        let target = Target::ours(1.0, "conservation of volume to the tolerance of each model");
        let metric = format!("{}, ledger error / tolerance of its model", bundled.name);
        match ledger_of_run(&scene, MODELS, |runner| drift.observe(runner)) {
            Ok(ratio) => checks.at_most(metric, measured(ratio), target),
            // The other scenes are still run
            Err(error) => failures.push(format!("{} at scale {scale}: {error}", bundled.name)),
        }
        if drift.has_liquid {
            let target = Target::ours(0.02, "the drift of which a run warns");
            let metric = format!("{}, lasting drift of seen from held volume", bundled.name);
            checks.at_most(metric, measured(drift.sustained.value()), target);
        }
    }
    anyhow::ensure!(failures.is_empty(), failures.join("\n"));
    Ok(())
}

/// Simulated time between two measurements of the seen volume: a run warns of a drift that lasts so long. Short films are
/// measured at every quarter.
const INTERVAL: Seconds = 0.25;

/// The greatest drift |seen / held − 1| of any liquid that lasts from one measurement to the next.
struct SeenDrift {
    tessellation: Tessellation,
    interval: Seconds,
    next: Seconds,
    /// The drift of each water at the last measurement; `None` for waters that are no liquid, and for empty ones.
    last: Vec<Option<f64>>,
    has_liquid: bool,
    sustained: Worst,
}

impl SeenDrift {
    fn new(scene: &Scene) -> Result<SeenDrift, SceneErrors> {
        Ok(SeenDrift {
            tessellation: Tessellation::read(scene)?,
            interval: INTERVAL.min(scene.duration / 4.0),
            next: 0.0,
            last: Vec::new(),
            has_liquid: false,
            sustained: Worst::default(),
        })
    }

    fn observe(&mut self, runner: &Runner) {
        if runner.time() < self.next {
            return;
        }
        self.next = runner.time() + self.interval;
        let request = FrameRequest { liquid_meshes: true, ..FrameRequest::default() };
        let seen = seen_volumes(&capture(runner, &request), &self.tessellation);
        let held = runner.waters().iter().map(|water| water.simulation.volume().held);
        let drifts: Vec<Option<f64>> = held
            .zip(seen)
            .map(|(held, seen)| seen.filter(|_| held > 0.0).map(|seen| (seen / held - 1.0).abs()))
            .collect();
        self.has_liquid |= drifts.iter().any(Option::is_some);
        for (before, now) in self.last.iter().zip(&drifts) {
            if let (Some(before), Some(now)) = (before, now) {
                // The lesser of both, or NaN
                self.sustained.add(if before < now { *before } else { *now });
            }
        }
        self.last = drifts;
    }
}
