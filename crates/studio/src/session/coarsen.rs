//! Scenes made for films, made light enough for a hand.

use undine::scene::{Edit, Kind, Scene, Values};
use undine::sim::{ModelEntry, WATER_KEYS};

/// Seconds of work for a frame, on one thread of an ordinary machine, above which a scene is made coarser.
#[cfg(not(target_arch = "wasm32"))]
const HEAVY: f64 = 0.15;
/// A page has one thread, and steps there take longer.
#[cfg(target_arch = "wasm32")]
const HEAVY: f64 = 0.04;

/// What resolutions are multiplied by until the scene is light.
const COARSER: f64 = 0.75;
/// How often that is done at the most.
const MOST_TIMES: u32 = 6;

/// The scene, with coarser waters where a frame would take too long to be played with; and what to say about it.
pub(super) fn coarsened(scene: Scene) -> (Scene, Option<String>) {
    let (mut light, mut times) = (scene.clone(), 0);
    while times < MOST_TIMES && seconds(&light) > HEAVY {
        let Some(coarser) = coarser(&light) else { break };
        light = coarser;
        times += 1;
    }
    if times == 0 {
        return (scene, None);
    }
    let share = 100.0 * COARSER.powi(times as i32);
    let note = format!(
        "to be quick under the hand, the water has {share:.0} % of its resolution; the knobs change that"
    );
    (light, Some(note))
}

/// The waters of a scene: the number, the model and the values of each.
fn waters(scene: &Scene) -> Vec<(usize, &'static ModelEntry, Values)> {
    let sections = scene.sections("water");
    let read = sections.iter().enumerate().filter_map(|(number, section)| {
        let model = undine::models::find(section.text("kind")?)?;
        Some((number, model, section.read(&[WATER_KEYS, model.keys]).ok()?))
    });
    read.collect()
}

fn seconds(scene: &Scene) -> f64 {
    waters(scene).iter().map(|(_, model, values)| (model.estimate)(scene, values).seconds_per_frame).sum()
}

/// The scene with every resolution a step lower; `None` where nothing can be lowered.
fn coarser(scene: &Scene) -> Option<Scene> {
    let mut edits = Vec::new();
    for (number, model, values) in waters(scene) {
        for key in model.keys.iter().filter(|key| key.scales && matches!(key.kind, Kind::Integer)) {
            let lowered = (values.integer_if(key.name)? as f64 * COARSER).round().max(key.range.low).max(8.0);
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
    fn a_heavy_scene_is_made_lighter_and_a_light_one_left_alone() {
        let scene = |resolution: u32| {
            let text = format!(
                "[scene]\nduration = 1\n[[water]]\nkind = 'stable-fluids'\nheight = 1\nresolution = {resolution}"
            );
            Scene::parse("box", &text, &LoadOptions::default()).unwrap()
        };
        let (light, note) = coarsened(scene(512));
        assert!(note.is_some() && seconds(&light) < 0.5 * seconds(&scene(512)));
        let small = scene(16);
        assert_eq!(coarsened(small.clone()).0.resolved(), small.resolved());
    }
}
