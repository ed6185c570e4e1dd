//! Every bundled scene at resolutions that nobody tuned it for: it ends without an error and with its ledger in order.

use undine_checks::{Case, Checks, Target};
use undine_models::MODELS;
use undine_scene::LoadOptions;
use undine_sim::conformance::ledger_of_run;

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
        let target = Target::ours(1.0, "conservation of volume to the tolerance of each model");
        let metric = format!("{}, ledger error / tolerance of its model", bundled.name);
        match ledger_of_run(&scene, MODELS) {
            Ok(ratio) => checks.at_most(metric, ratio, target),
            // The other scenes are still run
            Err(error) => failures.push(format!("{} at scale {scale}: {error}", bundled.name)),
        }
    }
    anyhow::ensure!(failures.is_empty(), failures.join("\n"));
    Ok(())
}
