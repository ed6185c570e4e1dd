//! Steps of the finite-volume water, beside the memory that they must move.

use undine_checks::{Bench, Figures};
use undine_grid::bench::copy_bandwidth;

use crate::checks::build;

/// Every benchmark of this water.
pub static BENCHES: &[Bench] = &[Bench { name: "shallow-water/step", run: step }];

/// Bytes that a step must move for a cell: in each of its two stages it reads depth, both momenta and the bed and writes
/// depth and momenta, and the second stage also reads the state before the step.
const BYTES: f64 = (7.0 + 10.0) * 8.0;

/// Cells per second of whole steps of second order, from a pond to a sea, on all threads and on one.
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

const FLOODED: &str = "level = 1";
const ISLANDS: &str = "level = 0";

fn rate(resolution: usize, keys: &str) -> anyhow::Result<f64> {
    let text = format!(
        "[scene]\nduration = 3600\nfps = 60\n[[terrain]]\nkind = 'noise'\nwavelength = 20\namplitude = 0.5\noctaves = 1\n\
         [[water]]\nkind = 'shallow-water'\nsize = [100, 100]\nresolution = {resolution}\n\
         hump = [{{ center = [10, 10], radius = [5, 5], height = 0.2 }}]\n{keys}\n"
    );
    let mut runner = build(&text, &[])?;
    let mut fastest = f64::INFINITY;
    for _ in 0..((1 << 24) / (resolution * resolution)).clamp(4, 60) {
        let stats = runner.next_frame()?;
        fastest = fastest.min(stats.seconds / stats.steps as f64);
    }
    Ok((resolution * resolution) as f64 / fastest / 1e6)
}
