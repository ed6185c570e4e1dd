//! What the validation cases and benchmarks of all waters share.

use undine_scene::{LoadOptions, Scene};
use undine_sim::Runner;

use crate::MODELS;

/// Builds a scene that a case or a benchmark states.
pub fn build(text: &str, overrides: &[String]) -> anyhow::Result<Runner> {
    let options = LoadOptions { overrides: overrides.to_vec(), ..LoadOptions::default() };
    let scene = Scene::parse("case", text, &options)?;
    Ok(Runner::new(&scene, MODELS, None)?)
}
