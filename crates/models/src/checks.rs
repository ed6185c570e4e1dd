//! Shared by the validation cases and benchmarks of all models.

use undine_scene::{LoadOptions, Scene};
use undine_sim::Runner;

use crate::MODELS;

/// Builds the scene of a case or a benchmark.
pub fn build(text: &str, overrides: &[String]) -> anyhow::Result<Runner> {
    let options = LoadOptions { overrides: overrides.to_vec(), ..LoadOptions::default() };
    let scene = Scene::parse("case", text, &options)?;
    Ok(Runner::new(&scene, MODELS, None)?)
}

/// `level` of [`height_field_rate`]: everything under water.
pub const FLOODED: &str = "level = 1";

/// `level` of [`height_field_rate`]: hills above the water.
pub const ISLANDS: &str = "level = 0";

/// Millions of samples per second of a height-field model over noise terrain, with further keys of its `[[water]]`: the
/// fastest of many steps, without the budget that follows a frame.
pub fn height_field_rate(kind: &str, resolution: usize, keys: &str, frames: usize) -> anyhow::Result<f64> {
    let text = format!(
        "[scene]\nduration = 3600\nfps = 60\n[[terrain]]\nkind = 'noise'\nwavelength = 20\namplitude = 0.5\noctaves = 1\n\
         [[water]]\nkind = '{kind}'\nsize = [100, 100]\nresolution = {resolution}\n\
         hump = [{{ center = [10, 10], radius = [5, 5], height = 0.2 }}]\n{keys}\n"
    );
    let mut runner = build(&text, &[])?;
    let mut fastest = f64::INFINITY;
    for _ in 0..frames {
        let stats = runner.next_frame()?;
        fastest = fastest.min(stats.seconds / stats.steps as f64);
    }
    Ok((resolution * resolution) as f64 / fastest / 1e6)
}
