//! Steps of Kass and Miller's water, beside the memory that they must move.

use undine_checks::{Bench, Figures};
use undine_grid::bench::copy_bandwidth;

use crate::checks::build;

/// Every benchmark of this water.
pub static BENCHES: &[Bench] = &[Bench { name: "kass-miller/step", run: step }];

/// Bytes that a step must move for a sample in single precision: along each axis it reads depth, bed and flow and
/// writes depth and flow.
const BYTES: f64 = 2.0 * 5.0 * 4.0;

/// Samples per second of whole steps, from a pond to a sea, all under water and with islands, on all threads and on one.
pub fn step(figures: &mut Figures) -> anyhow::Result<()> {
    let limit = copy_bandwidth() / BYTES / 1e6;
    let mut row = |metric: String, rate: f64| {
        figures.rate(metric, rate, "M samples/s", limit, "M/s by the memory's bandwidth");
    };
    for resolution in [256, 512, 1024, 2048, 4096] {
        row(format!("step of {resolution}², flooded"), rate(resolution, FLOODED)?);
    }
    row("step of 2048², islands".into(), rate(2048, ISLANDS)?);
    row("step of 2048², first-order".into(), rate(2048, &format!("{FLOODED}\nscheme = 'first-order'"))?);
    row("step of 2048², double".into(), rate(2048, &format!("{FLOODED}\nprecision = 'double'"))?);
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    row("step of 2048², flooded, one thread".into(), alone.install(|| rate(2048, FLOODED))?);
    Ok(())
}

const FLOODED: &str = "level = 1";
const ISLANDS: &str = "level = 0";

fn rate(resolution: usize, keys: &str) -> anyhow::Result<f64> {
    let text = format!(
        "[scene]\nduration = 3600\nfps = 60\n[[terrain]]\nkind = 'noise'\nwavelength = 20\namplitude = 0.5\noctaves = 1\n\
         [[water]]\nkind = 'kass-miller'\nsize = [100, 100]\nresolution = {resolution}\n\
         hump = [{{ center = [10, 10], radius = [5, 5], height = 0.2 }}]\n{keys}\n"
    );
    let mut runner = build(&text, &[])?;
    // The time of the step itself, without the budget that follows a frame: the best of many, as everywhere.
    let mut fastest = f64::INFINITY;
    for _ in 0..((1 << 26) / (resolution * resolution)).clamp(8, 100) {
        let stats = runner.next_frame()?;
        fastest = fastest.min(stats.seconds / stats.steps as f64);
    }
    Ok((resolution * resolution) as f64 / fastest / 1e6)
}
