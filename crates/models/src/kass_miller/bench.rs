//! Speed of Kass–Miller steps relative to the memory bandwidth.

use undine_checks::{Bench, Figures};
use undine_grid::bench::copy_bandwidth;

use crate::checks::{FLOODED, ISLANDS, height_field_rate};

/// The benchmarks of this model.
pub static BENCHES: &[Bench] = &[Bench { name: "kass-miller/step", run: step }];

/// Bytes that a step must move for a sample in single precision: along each axis it reads depth, bed and flow and
/// writes depth and flow.
const BYTES: f64 = 2.0 * 5.0 * 4.0;

/// Samples per second of whole steps, for several resolutions, flooded and with islands, on all threads and on one.
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

fn rate(resolution: usize, keys: &str) -> anyhow::Result<f64> {
    let frames = ((1 << 26) / (resolution * resolution)).clamp(8, 100);
    height_field_rate("kass-miller", resolution, keys, frames)
}
