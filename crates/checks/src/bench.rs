//! Benchmarks.

use std::time::Instant;

/// A benchmark: a group of speeds. Each is compared with a limit measured in the same run: memory bandwidth, a minimal
/// implementation, another program.
#[derive(Debug, Clone, Copy)]
pub struct Bench {
    /// `<model or part>/<what>`.
    pub name: &'static str,
    /// Runs the benchmark and records its figures.
    pub run: fn(&mut Figures) -> anyhow::Result<()>,
}

/// Records the figures of a benchmark.
#[derive(Debug, Default)]
pub struct Figures {
    done: Vec<Figure>,
}

/// A measured speed and its limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// What was measured.
    pub metric: String,
    /// The measured value.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// The limit of the machine, or the speed of another program.
    pub limit: f64,
    /// What the limit is, with its unit.
    pub limit_is: &'static str,
}

impl Figures {
    /// Records a rate with its limit; `limit_is` describes the limit.
    pub fn rate(
        &mut self,
        metric: impl Into<String>,
        value: f64,
        unit: &'static str,
        limit: f64,
        limit_is: &'static str,
    ) {
        self.done.push(Figure { metric: metric.into(), value, unit, limit, limit_is });
    }

    /// Everything recorded, in order.
    pub fn done(&self) -> &[Figure] {
        &self.done
    }
}

/// The shortest of several runs, in seconds.
pub fn best_of(runs: u32, mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..runs {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best
}
