//! The animations of [foster1996] at their sizes and numbers of iterations, and the cost over the number of cells.
//!
//! The paper states wall times, of a workstation of 1992, and no time steps; ours are fixed, and spread its iterations over the time
//! that our scenes show.

use std::time::Instant;

use undine_checks::{Bench, Figures};
use undine_sim::FrameStats;

use crate::checks::build;

/// Every benchmark of this water.
pub static BENCHES: &[Bench] = &[
    Bench { name: "foster-metaxas/paper", run: paper },
    Bench { name: "foster-metaxas/phases", run: phases },
    Bench { name: "foster-metaxas/growth", run: growth },
];

/// How much faster than the paper an animation should be.
const TIMES_FASTER: f64 = 500.0;

/// An animation of the paper.
struct Animation {
    name: &'static str,
    scene: &'static str,
    /// Where the scene leaves it to the limits of the step.
    time_step: Option<f64>,
    iterations: u64,
    /// Wall time that the paper states, in seconds.
    paper_seconds: f64,
}

static ANIMATIONS: [Animation; 6] = [
    Animation {
        name: "jet, 30×40",
        scene: include_str!("../../../../../scenes/fm-jet/scene.toml"),
        time_step: None,
        iterations: 4500,
        paper_seconds: 16.0 * 60.0,
    },
    Animation {
        name: "drop, 30×40",
        scene: include_str!("../../../../../scenes/fm-drop/scene.toml"),
        time_step: None,
        iterations: 2800,
        paper_seconds: 12.0 * 60.0,
    },
    Animation {
        name: "soup, 15×30",
        scene: include_str!("../../../../../scenes/fm-marble-soup/scene.toml"),
        time_step: None,
        iterations: 2000,
        paper_seconds: 12.0 * 60.0,
    },
    Animation {
        name: "cove, 50×15×40",
        scene: include_str!("../../../../../scenes/fm-moonlight-cove/scene.toml"),
        time_step: Some(8.5e-4),
        iterations: 20_000,
        paper_seconds: 2.5 * 3600.0,
    },
    Animation {
        name: "sluice, 40×12×40",
        scene: include_str!("../../../../../scenes/fm-sluice/scene.toml"),
        time_step: Some(1.75e-3),
        iterations: 8000,
        paper_seconds: 3600.0,
    },
    // The paper does not give the iterations: those of the sluice for as many cells a second
    Animation {
        name: "cans' water, 30×10×20",
        scene: include_str!("../../../../../scenes/fm-cans-water/scene.toml"),
        time_step: Some(1.1e-3),
        iterations: 12_800,
        paper_seconds: 30.0 * 60.0,
    },
];

/// What a number of iterations took.
#[derive(Debug, Default)]
struct Timing {
    iterations: u64,
    /// On the clock, without drawing.
    seconds: f64,
    sweeps: u64,
    full_cells: u64,
    retries: u64,
    phases: Vec<(&'static str, f64)>,
}

impl Timing {
    /// Runs whole frames of a scene until it has taken so many steps.
    fn run(text: &str, overrides: &[String], iterations: u64) -> anyhow::Result<Timing> {
        let mut runner = build(text, overrides)?;
        let mut timing = Timing::default();
        while timing.iterations < iterations {
            let start = Instant::now();
            let stats = runner.next_frame()?;
            timing.seconds += start.elapsed().as_secs_f64();
            timing.add(&stats);
        }
        Ok(timing)
    }

    fn add(&mut self, stats: &FrameStats) {
        self.iterations += stats.steps;
        self.retries += stats.retries + stats.retakes;
        let count = |name: &str| stats.counters.first().and_then(|counters| counters.get(name)).unwrap_or(0);
        self.sweeps += count("pressure sweeps");
        self.full_cells += stats.steps * count("full cells");
        for (name, seconds) in stats.phases.iter() {
            match self.phases.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += seconds,
                None => self.phases.push((name, seconds)),
            }
        }
    }

    fn mean(&self, sum: u64) -> f64 {
        sum as f64 / self.iterations.max(1) as f64
    }
}

impl Animation {
    fn run(&self, iterations: u64) -> anyhow::Result<Timing> {
        let step = self.time_step.map(|step| format!("water.0.time_step={step:?}"));
        Timing::run(self.scene, &Vec::from_iter(step), iterations)
    }
}

/// The animations against 1/500 of the wall time of the paper.
pub fn paper(figures: &mut Figures) -> anyhow::Result<()> {
    for animation in &ANIMATIONS {
        let timing = animation.run(animation.iterations)?;
        let faster = animation.paper_seconds / timing.seconds;
        let bound = animation.paper_seconds / TIMES_FASTER;
        figures.rate(animation.name, timing.seconds, "s", bound, "s, a 500th of the paper's wall time");
        figures.row(
            &[
                "animation",
                "iterations",
                "seconds",
                "times faster",
                "mean sweeps",
                "mean Full cells",
                "retries",
            ],
            vec![
                animation.name.to_owned(),
                timing.iterations.to_string(),
                format!("{:.2}", timing.seconds),
                format!("{faster:.0}"),
                format!("{:.1}", timing.mean(timing.sweeps)),
                format!("{:.0}", timing.mean(timing.full_cells)),
                timing.retries.to_string(),
            ],
        );
    }
    Ok(())
}

/// Microseconds of each phase of a step of the animations.
pub fn phases(figures: &mut Figures) -> anyhow::Result<()> {
    for animation in &ANIMATIONS {
        let timing = animation.run(animation.iterations / 10)?;
        let steps = timing.iterations as f64;
        for (phase, seconds) in &timing.phases {
            figures.row(
                &["animation", "phase", "µs a step", "share"],
                vec![
                    animation.name.to_owned(),
                    (*phase).to_owned(),
                    format!("{:.1}", 1e6 * seconds / steps),
                    format!("{:.0} %", 100.0 * seconds / timing.seconds),
                ],
            );
        }
    }
    Ok(())
}

/// A column of water collapses in a box of a metre.
const COLLAPSE: &str = "
[scene]
duration = 3600
fps = 50
[[water]]
kind = 'foster-metaxas'
size = [1, 1]
surface = 'height'
[[fill]]
kind = 'level'
level = 0.4
";

const HEAP: [&str; 2] = [
    "[[fill]]\nkind = 'rectangle'\nat = [0.2, 0.25]\nsize = [0.4, 0.5]\n",
    "[[fill]]\nkind = 'box'\nat = [0.2, 0.5, 0.25]\nsize = [0.4, 1, 0.5]\n",
];

/// Cells along an edge whose cost is compared, and the simulated seconds.
const GRIDS: [usize; 4] = [16, 32, 64, 128];
const SIMULATED: [f64; 2] = [0.4, 0.04];

/// The cost of the same water for the same simulated time over the cells N along an edge, in the plane and in space. The
/// paper expects N⁴ in space: N³ cells, and steps that shorten with the cells; sweeps come on top.
pub fn growth(figures: &mut Figures) -> anyhow::Result<()> {
    for (dimension, heap) in [(2, HEAP[0]), (3, HEAP[1])] {
        let (mut before, mut first) = (None, None);
        for cells in GRIDS {
            let mut overrides = vec![format!("water.0.resolution={cells}")];
            if dimension == 3 {
                overrides.push("water.0.height=1".to_owned());
            }
            let timing = run_for(&format!("{COLLAPSE}{heap}"), &overrides, SIMULATED[dimension - 2])?;
            let point = (cells as f64, timing.seconds);
            let exponent = |(coarse, seconds): (f64, f64)| (point.1 / seconds).ln() / (point.0 / coarse).ln();
            figures.row(
                &["water", "N", "iterations", "mean sweeps", "seconds", "exponent from N/2"],
                vec![
                    format!("{dimension}-D"),
                    cells.to_string(),
                    timing.iterations.to_string(),
                    format!("{:.1}", timing.mean(timing.sweeps)),
                    format!("{:.3}", timing.seconds),
                    before.map_or_else(String::new, |coarse| format!("{:.2}", exponent(coarse))),
                ],
            );
            let first = *first.get_or_insert(point);
            if cells == GRIDS[GRIDS.len() - 1] {
                let expected = dimension as f64 + 1.0;
                let metric = format!("{dimension}-D, exponent of N, 16 to 128");
                figures.rate(
                    metric,
                    exponent(first),
                    "",
                    expected,
                    "by cells and steps alone (the paper's N⁴ in space)",
                );
            }
            before = Some(point);
        }
    }
    Ok(())
}

/// Runs a scene for so many seconds of its own time.
fn run_for(text: &str, overrides: &[String], simulated: f64) -> anyhow::Result<Timing> {
    let mut runner = build(text, overrides)?;
    let mut timing = Timing::default();
    while runner.time() < simulated - 1e-9 {
        let start = Instant::now();
        let stats = runner.next_frame()?;
        timing.seconds += start.elapsed().as_secs_f64();
        timing.add(&stats);
    }
    Ok(timing)
}
