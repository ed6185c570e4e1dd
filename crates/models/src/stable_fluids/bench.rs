//! Speed of grid-fluid steps and of their projection, over sizes, dimensions and threads.
//!
//! The peer for the 512² step is Taichi's own example; `benches/peers/taichi_stable_fluid.py` times it on the same
//! machine.

use undine_checks::{Bench, Figures};
use undine_grid::bench::copy_bandwidth;

use crate::checks::build;

/// The benchmarks of this model.
pub static BENCHES: &[Bench] =
    &[Bench { name: "stable-fluids/step", run: step }, Bench { name: "stable-fluids/space", run: space }];

/// Target rate of 512² steps on two threads, in steps per second.
const WANTED: f64 = 40.0;

/// Largest fraction of a step that the projection may take.
const PROJECTION_SHARE: f64 = 0.7;

/// Steps with viscosity, MacCormack for the velocity and three channels of dye, and a projection converged to 1e-6.
pub fn step(figures: &mut Figures) -> anyhow::Result<()> {
    for resolution in [128, 256, 512, 1024] {
        let timing = measure(resolution, DYE_2D, "")?;
        figures.rate(
            format!("{resolution}², dye"),
            1.0 / timing.step,
            "steps/s",
            WANTED,
            "steps/s asked for at 512²",
        );
        if resolution == 512 {
            let fraction = timing.projection / timing.step;
            figures.rate("512², projection", fraction, "of the step", PROJECTION_SHARE, "allowed");
        }
    }
    let obstacle = "[[obstacle]]\nkind = 'circle'\nat = [0.5, 0.5]\nradius = 0.1\n";
    let timing = measure(512, DYE_2D, obstacle)?;
    figures.rate("512², dye, obstacle", 1.0 / timing.step, "steps/s", WANTED, "steps/s asked for at 512²");
    let bare = measure(512, "", "")?;
    figures.rate("512², no dye", 1.0 / bare.step, "steps/s", WANTED, "steps/s asked for at 512²");
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let alone = alone.install(|| measure(512, DYE_2D, ""))?;
    figures.rate("512², dye, one thread", 1.0 / alone.step, "steps/s", WANTED, "steps/s asked for at 512²");
    Ok(())
}

/// Steps in 3-D, relative to reading and writing the velocity once.
pub fn space(figures: &mut Figures) -> anyhow::Result<()> {
    let bandwidth = copy_bandwidth();
    for resolution in [64, 128] {
        let timing = measure(resolution, SMOKE_3D, "")?;
        let cells = (resolution as f64).powi(3);
        let limit = bandwidth / (2.0 * 3.0 * 8.0);
        figures.rate(
            format!("{resolution}³, smoke"),
            cells / timing.step / 1e6,
            "M cells/s",
            limit / 1e6,
            "M/s to read and write a velocity",
        );
    }
    Ok(())
}

const DYE_2D: &str =
    "[[emitter]]\nkind = 'jet'\nat = [0.2, 0.4]\nradius = 0.05\nspeed = 1\ncolour = '#ff8000'\n";
const SMOKE_3D: &str =
    "[[emitter]]\nkind = 'jet'\nat = [0.5, 0.5, 0.1]\nradius = 0.1\nspeed = 1\nsmoke = 1\n";

/// Seconds of the fastest step.
struct StepAndProjection {
    step: f64,
    projection: f64,
}

fn measure(resolution: usize, emitters: &str, obstacles: &str) -> anyhow::Result<StepAndProjection> {
    let height = if emitters == SMOKE_3D { "height = 1" } else { "" };
    let text = format!(
        "[scene]\nduration = 3600\nfps = {fps}\n[[water]]\nkind = 'stable-fluids'\nresolution = {resolution}\n{height}\n\
         viscosity = 1e-4\nstart = 'turbulence'\nsteps = 1\ntolerance = 1e-6\n{emitters}{obstacles}",
        // About one cell per step, as far as the frame rate allows
        fps = resolution.min(1000),
    );
    let mut runner = build(&text, &[])?;
    let mut fastest = StepAndProjection { step: f64::INFINITY, projection: f64::INFINITY };
    for _ in 0..((1 << 23) / runner.cells().max(1)).clamp(5, 60) {
        let stats = runner.next_frame()?;
        if stats.seconds < fastest.step {
            let projection =
                stats.phases.iter().filter(|(name, _)| *name == "project").map(|(_, seconds)| seconds).sum();
            fastest = StepAndProjection { step: stats.seconds, projection };
        }
    }
    Ok(fastest)
}
