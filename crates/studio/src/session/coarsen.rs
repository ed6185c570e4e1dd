//! Coarsening of scenes that are too expensive for interactive use.

use undine::scene::{Edit, Kind, Scene, Values};
use undine::sim::{ModelEntry, WATER_KEYS};

/// Estimated seconds per frame, on one thread, above which a scene is coarsened.
#[cfg(not(target_arch = "wasm32"))]
const MAX_FRAME_SECONDS: f64 = 0.15;
/// A page has one thread, and steps there take longer.
#[cfg(target_arch = "wasm32")]
const MAX_FRAME_SECONDS: f64 = 0.04;

/// Factor on the resolutions per pass.
const COARSENING: f64 = 0.75;
/// Limit on the number of passes.
const MAX_PASSES: u32 = 6;

/// The scene with lower resolutions where a frame would take too long, and a note about it.
pub(super) fn coarsened(scene: Scene) -> (Scene, Option<String>) {
    let (mut coarse, mut passes) = (scene.clone(), 0);
    while passes < MAX_PASSES && seconds_per_frame(&coarse) > MAX_FRAME_SECONDS {
        let Some(coarser) = coarser(&coarse) else { break };
        coarse = coarser;
        passes += 1;
    }
    if passes == 0 {
        return (scene, None);
    }
    let percent = 100.0 * COARSENING.powi(passes as i32);
    let note = format!(
        "for interactive speed the water has {percent:.0} % of its resolution; the knobs change that"
    );
    (coarse, Some(note))
}

/// The waters of a scene: index, model and values of each.
fn waters(scene: &Scene) -> Vec<(usize, &'static ModelEntry, Values)> {
    let sections = scene.sections("water");
    let read = sections.iter().enumerate().filter_map(|(number, section)| {
        let model = undine::models::find(section.text("kind")?)?;
        Some((number, model, section.read(&[WATER_KEYS, model.keys]).ok()?))
    });
    read.collect()
}

/// The estimate of all models together.
fn seconds_per_frame(scene: &Scene) -> f64 {
    waters(scene).iter().map(|(_, model, values)| (model.estimate)(scene, values).seconds_per_frame).sum()
}

/// The scene with every resolution multiplied by [`COARSENING`]; `None` if it has none.
fn coarser(scene: &Scene) -> Option<Scene> {
    let mut edits = Vec::new();
    for (number, model, values) in waters(scene) {
        for key in model.keys.iter().filter(|key| key.scales && matches!(key.kind, Kind::Integer)) {
            let lowered =
                (values.integer_if(key.name)? as f64 * COARSENING).round().max(key.range.low).max(8.0);
            edits.push(format!("water.{number}.{}={lowered:.0}", key.name));
        }
    }
    if edits.is_empty() {
        return None;
    }
    scene.edited(&Edit::set(edits.join("\n"))).ok()
}

#[cfg(test)]
mod tests {
    use undine::scene::LoadOptions;

    use super::*;

    #[test]
    fn an_expensive_scene_is_coarsened_and_a_cheap_one_unchanged() {
        let scene = |resolution: u32| {
            let text = format!(
                "[scene]\nduration = 1\n[[water]]\nkind = 'stable-fluids'\nheight = 1\nresolution = {resolution}"
            );
            Scene::parse("box", &text, &LoadOptions::default()).unwrap()
        };
        let (coarse, note) = coarsened(scene(512));
        assert!(note.is_some() && seconds_per_frame(&coarse) < 0.5 * seconds_per_frame(&scene(512)));
        let small = scene(16);
        assert_eq!(coarsened(small.clone()).0.resolved(), small.resolved());
    }
}
