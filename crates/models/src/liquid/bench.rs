//! Timings of steps, whole and by phase, over particles, threads and the width of the narrow band.
//!
//! The scene is the dam break of a 2 × 1 × 1 m tank that is a third full. The peer is Blender's liquid;
//! `benches/peers/blender_liquid.py` times it on the same machine.

use undine_checks::{Bench, Figures};
use undine_sim::FrameStats;

use crate::checks::build;

/// Every benchmark of this water.
pub static BENCHES: &[Bench] =
    &[Bench { name: "liquid/step", run: step }, Bench { name: "liquid/growth", run: growth }];

/// Target rates per core in millions of particles per second: to the grid, back and advection, whole step.
const TARGET_RATES: [f64; 3] = [8.0, 6.0, 1.5];
const NAMES: [&str; 3] = ["transfer to the grid", "gather and move", "whole step"];
/// Target speed-up by a second thread.
const TARGET_SPEEDUP: f64 = 1.7;
/// Frames before timing starts: the dam has broken.
const WARM_UP_FRAMES: usize = 8;

/// 128 × 64 × 64 cells: by phase, by threads, with and without a band.
pub fn step(figures: &mut Figures) -> anyhow::Result<()> {
    let threads = rayon::current_num_threads() as f64;
    let all = measure(128, 0, WARM_UP_FRAMES, 6)?;
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let alone = alone.install(|| measure(128, 0, WARM_UP_FRAMES, 6))?;
    // Rates of the transfers and of the whole step, by threads
    for (name, cores, timing) in [("all threads", threads, &all), ("one thread", 1.0, &alone)] {
        for ((part, rate), target) in NAMES.iter().zip(timing.rates()).zip(TARGET_RATES) {
            let limit = cores * target;
            figures.rate(format!("{part}, {name}"), rate, "M particles/s", limit, "M/s asked for");
        }
    }
    figures.rate(
        "all threads over one",
        alone.step / all.step,
        "times",
        TARGET_SPEEDUP,
        "asked for of two threads",
    );
    // Time of each phase
    for (part, seconds) in &all.phases {
        figures.rate(format!("phase {part}"), 1e3 * seconds, "ms", 1e3 * all.step, "ms of the step");
    }
    // The narrow band against particles everywhere
    let narrow = measure(128, 4, WARM_UP_FRAMES, 6)?;
    figures.rate(
        "whole step, band of 4",
        1e3 * narrow.step,
        "ms",
        1e3 * all.step,
        "ms with particles everywhere",
    );
    figures.rate("particles, band of 4", narrow.particles / 1e6, "M", all.particles / 1e6, "M everywhere");
    figures.rate("frame, band of 4", narrow.frame, "s", 4.0, "s of Blender 3.4 without a mesh on two cores");
    Ok(())
}

/// The rate over the number of particles, up to ten million.
pub fn growth(figures: &mut Figures) -> anyhow::Result<()> {
    let mut first = None;
    for resolution in [64, 96, 128, 160, 192, 256] {
        let frames = if resolution > 160 { 2 } else { 5 };
        let timing = measure(resolution, 0, frames, frames)?;
        let rate = timing.particles / timing.step / 1e6;
        let limit = *first.get_or_insert(rate);
        let metric = format!("{:.2} M particles", timing.particles / 1e6);
        figures.rate(metric, rate, "M particles/s", limit, "M/s of the fewest");
    }
    Ok(())
}

/// Timing of the fastest step.
struct StepTiming {
    particles: f64,
    /// Seconds of a whole step, and of a frame.
    step: f64,
    frame: f64,
    /// The phases of that step, in seconds.
    phases: Vec<(&'static str, f64)>,
}

impl StepTiming {
    fn new(stats: &FrameStats, particles: u64) -> StepTiming {
        let steps = stats.steps.max(1) as f64;
        let phases = stats.phases.iter().map(|(name, seconds)| (name, seconds / steps)).collect();
        StepTiming { particles: particles as f64, step: stats.seconds / steps, frame: stats.seconds, phases }
    }

    /// Millions of particles per second, in the order of [`NAMES`].
    fn rates(&self) -> [f64; 3] {
        let phase = |target: &str| -> f64 {
            self.phases.iter().filter(|(name, _)| *name == target).map(|(_, seconds)| seconds).sum()
        };
        [phase("transfer"), phase("follow"), self.step].map(|seconds| self.particles / seconds / 1e6)
    }
}

fn measure(resolution: usize, band: usize, warm_up: usize, frames: usize) -> anyhow::Result<StepTiming> {
    let text = format!(
        "[scene]\nduration = 3600\nfps = 24\n[[water]]\nkind = 'liquid'\nsize = [2, 1]\nheight = 1\n\
         resolution = {resolution}\nband = {band}\n\
         [[fill]]\nkind = 'box'\nsize = [0.6667, 1, 1]\nat = [0.33335, 0.5, 0.5]\n"
    );
    let mut runner = build(&text, &[])?;
    for _ in 0..warm_up {
        runner.next_frame()?;
    }
    let mut fastest: Option<StepTiming> = None;
    for _ in 0..frames.max(1) {
        let stats = runner.next_frame()?;
        let timing = StepTiming::new(&stats, runner.cells());
        if fastest.as_ref().is_none_or(|best| timing.step < best.step) {
            fastest = Some(timing);
        }
    }
    fastest.ok_or_else(|| anyhow::anyhow!("no frame was measured"))
}
