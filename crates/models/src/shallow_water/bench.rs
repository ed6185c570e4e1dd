//! Speed of shallow-water steps relative to the memory bandwidth.

use undine_checks::{Bench, Figures};
use undine_grid::bench::copy_bandwidth;

use crate::checks::{FLOODED, ISLANDS, height_field_rate};

/// The benchmarks of this model.
pub static BENCHES: &[Bench] = &[Bench { name: "shallow-water/step", run: step }];

/// Bytes that a step must move for a cell: in each of its two stages it reads depth, both momenta and the bed and writes
/// depth and momenta, and the second stage also reads the state before the step.
const BYTES: f64 = (7.0 + 10.0) * 8.0;

/// Cells per second of second-order steps, for several resolutions, on all threads and on one.
pub fn step(figures: &mut Figures) -> anyhow::Result<()> {
    let limit = copy_bandwidth() / BYTES / 1e6;
    let mut row = |metric: String, rate: f64| {
        figures.rate(metric, rate, "M cells/s", limit, "M/s by the memory's bandwidth");
    };
    for resolution in [256, 512, 1024, 2048] {
        row(format!("step of {resolution}², flooded"), rate(resolution, FLOODED)?);
    }
    row("step of 1024², islands".into(), rate(1024, ISLANDS)?);
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    for resolution in [256, 512, 1024] {
        let rate = alone.install(|| rate(resolution, FLOODED))?;
        row(format!("step of {resolution}², flooded, one thread"), rate);
    }
    Ok(())
}

fn rate(resolution: usize, keys: &str) -> anyhow::Result<f64> {
    let frames = ((1 << 24) / (resolution * resolution)).clamp(4, 60);
    height_field_rate("shallow-water", resolution, keys, frames)
}
