//! Pipes against still water, the theory of long waves, Manning's normal depth, a weir, the levels at which lakes
//! overflow, the lakes that limited volumes of water make, and the time by which water must be asleep.

mod chains;
mod channel;
mod depressions;
pub(super) mod great_terrain;
mod lakes;
mod sleep;
mod waves;

use undine_checks::Case;
use undine_scene::{LoadOptions, Scene};
use undine_sim::{Simulation, Step, WATER_KEYS, World};

use super::ENTRY;
use super::water::{self, Pipes};

/// Every case of this water.
pub static CASES: &[Case] = &[
    Case { name: "pipes/fill-spill-merge", is_quick: true, is_chaotic: false, run: chains::levels },
    Case { name: "pipes/great-terrain", is_quick: false, is_chaotic: false, run: great_terrain::sleep },
    Case { name: "pipes/lake-at-rest", is_quick: true, is_chaotic: false, run: lakes::at_rest },
    Case { name: "pipes/lake-levels", is_quick: true, is_chaotic: false, run: lakes::levels },
    Case { name: "pipes/long-waves", is_quick: true, is_chaotic: false, run: waves::speed },
    Case { name: "pipes/normal-depth", is_quick: true, is_chaotic: false, run: channel::normal_depth },
    Case { name: "pipes/sleep", is_quick: true, is_chaotic: false, run: sleep::cases },
    Case { name: "pipes/weir", is_quick: true, is_chaotic: false, run: channel::weir },
];

/// The water of a scene with these keys in its section and these sections after it.
pub(super) fn build(keys: &str) -> anyhow::Result<Pipes> {
    let text = format!("[scene]\nduration = 1e5\n[[water]]\nkind = \"{}\"\n{keys}", ENTRY.name);
    let scene = Scene::parse("case", &text, &LoadOptions::default())?;
    let values = scene.sections("water")[0].read(&[WATER_KEYS, ENTRY.keys])?;
    Ok(water::read(&scene, &values)?.0)
}

/// Takes a step of at most `longest` seconds; answers its length.
pub(super) fn step(water: &mut Pipes, longest: f64) -> anyhow::Result<f64> {
    let dt = water.max_dt().min(longest);
    let mut world = World { time: water.time, gravity: water.settings.gravity, seed: 1, driver: None };
    match water.step(dt, &mut world)? {
        Step::Done(_) => Ok(dt),
        Step::Retry { dt } => anyhow::bail!("a stable step was refused for one of {dt} s"),
    }
}

/// Takes steps up to a time.
fn run_until(water: &mut Pipes, time: f64, longest: f64) -> anyhow::Result<()> {
    while water.time < time {
        step(water, longest)?;
    }
    Ok(())
}
