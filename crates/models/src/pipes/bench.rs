//! Speed of steps of the pipes relative to the memory bandwidth, and to finite volumes.

use super::thesis::bench::UPDATES;
use undine_checks::{Bench, Figures};
use undine_grid::bench::copy_bandwidth;

use crate::checks::{FLOODED, ISLANDS, height_field_rate};

/// The benchmarks of this model.
pub static BENCHES: &[Bench] = &[Bench { name: "pipes/step", run: step }, UPDATES];

/// Bytes that a step must move for a column with four neighbours: it reads bed, volume, two flows and two transfers, and
/// writes all but the bed. The two passes of this one move 14 numbers instead of 11: transfers and volumes are read twice.
const BYTES: f64 = 11.0 * 4.0;

/// The share of the speed of finite volumes that is asked of this model.
const TIMES_FINITE_VOLUMES: f64 = 4.0;

/// Columns per second with all of them awake, for several resolutions, on all threads and on one.
pub fn step(figures: &mut Figures) -> anyhow::Result<()> {
    let limit = copy_bandwidth() / BYTES / 1e6;
    let mut row = |metric: String, rate: f64| {
        figures.rate(metric, rate, "M cells/s", limit, "M/s by the memory's bandwidth");
    };
    for resolution in [256, 512, 1024, 2048] {
        row(format!("step of {resolution}², flooded"), rate(resolution, FLOODED)?);
    }
    row("step of 1024², islands".into(), rate(1024, ISLANDS)?);
    row("step of 1024², eight neighbours".into(), rate(1024, &format!("{FLOODED}\nneighbours = 'eight'"))?);
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    row("step of 1024², flooded, one thread".into(), alone.install(|| rate(1024, FLOODED))?);
    // In the same run, for the ratio
    let (own, other) = (rate(1024, FLOODED)?, height_field_rate("shallow-water", 1024, FLOODED, 8)?);
    let wanted = TIMES_FINITE_VOLUMES * other;
    figures.rate("step of 1024², flooded", own, "M cells/s", wanted, "M/s, four times shallow-water");
    Ok(())
}

fn rate(resolution: usize, keys: &str) -> anyhow::Result<f64> {
    let frames = ((1 << 25) / (resolution * resolution)).clamp(8, 100);
    height_field_rate("pipes", resolution, &format!("{keys}\nmanager = 'none'"), frames)
}
