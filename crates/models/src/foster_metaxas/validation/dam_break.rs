//! Dam break: the collapse of a column of water twice as high as wide, against the experiment of [martin1952].

use anyhow::Context;
use glam::DVec2;
use undine_checks::{Checks, Curve, ErrorSums, ExpectedTable, Target, Worst, measured};
use undine_sim::{Runner, Sample};

use crate::checks::build;

const CASE: &str = include_str!("../../../../../validation/foster-metaxas/dam-break/case.toml");
const EXPECTED: &str = include_str!("../../../../../validation/liquid/dam-break/expected.csv");
const SOURCE: &str = "[martin1952] tables 2 and 6";
const GRAVITY: f64 = 9.81;
/// Width of the column, and of the tank, in metres.
const WIDTH: f64 = 0.05715;
const TANK: f64 = 6.0 * WIDTH;
/// The delay of the experiment while its gate opens, in units of T.
const GATE_DELAY: f64 = 0.175;
/// The share of the markers behind the front.
const FRONT_SHARE: f64 = 0.995;

/// Front and height at the wall over the time T, relative to the column.
struct Collapse {
    samples: Vec<[f64; 3]>,
}

impl Collapse {
    /// Runs the case with this many cells across the column.
    fn run(cells: usize) -> anyhow::Result<Collapse> {
        let across = (cells as f64 * TANK / WIDTH).round() as usize;
        let mut runner = build(CASE, &[format!("water.0.resolution={across}")])?;
        let mut samples = vec![[0.0, 1.0, 1.0]];
        while runner.frame() + 1 < runner.frame_count() {
            runner.next_frame()?;
            let scaled = runner.time() * (2.0 * GRAVITY / WIDTH).sqrt();
            let height = runner.height(DVec2::new(1.5 * WIDTH / cells as f64, 0.0)).unwrap_or(f64::NAN);
            samples.push([scaled, front(&runner)? / WIDTH, height / (2.0 * WIDTH)]);
        }
        Ok(Collapse { samples })
    }

    /// Front and height at a time of the experiment.
    fn at(&self, scaled: f64) -> [f64; 2] {
        let time = (scaled - GATE_DELAY).max(0.0);
        let after =
            self.samples.partition_point(|sample| sample[0] < time).min(self.samples.len() - 1).max(1);
        let [low, high] = [self.samples[after - 1], self.samples[after]];
        let fraction = (time - low[0]) / (high[0] - low[0]);
        [1, 2].map(|column| low[column] + fraction * (high[column] - low[column]))
    }

    /// Mean relative error of the front to T = 2.5, and greatest error of the height to the same time.
    fn errors(&self) -> anyhow::Result<[f64; 2]> {
        let (mut front, mut height) = (ErrorSums::default(), Worst::default());
        let rows = ExpectedTable::parse(EXPECTED)?.select(["is_height", "time", "value"])?;
        for [is_height, scaled, value] in rows.into_iter().filter(|row| row[1] < 2.52) {
            if is_height > 0.0 {
                height.compare(self.at(scaled)[1], value);
            } else {
                front.compare(self.at(scaled)[0] / value, 1.0);
            }
        }
        Ok([front.relative().mean, height.value()])
    }
}

/// The distance from the wall behind which nearly all markers lie.
fn front(runner: &Runner) -> anyhow::Result<f64> {
    let view = runner.waters()[0].simulation.view();
    let markers = view.clouds.first().context("the water shows no markers")?;
    let mut reach: Vec<f32> = markers.positions.iter().map(|[x, ..]| *x).collect();
    anyhow::ensure!(!reach.is_empty(), "no marker is left");
    let place = ((reach.len() - 1) as f64 * FRONT_SHARE).round() as usize;
    let (_, front, _) = reach.select_nth_unstable_by(place, f32::total_cmp);
    Ok(f64::from(*front))
}

/// The mean difference between the fronts on two grids, to T = 2.5, in widths of the column.
fn front_difference(a: &Collapse, b: &Collapse) -> f64 {
    let times = (1..=25).map(|step| GATE_DELAY + 0.1 * f64::from(step));
    times.map(|time| (a.at(time)[0] - b.at(time)[0]).abs()).sum::<f64>() / 25.0
}

fn check(checks: &mut Checks, name: &str, collapse: &Collapse) -> anyhow::Result<()> {
    let [front, height] = collapse.errors()?;
    checks.at_most(format!("{name}: front to T = 2.5, mean share"), front, Target::ours(0.1, SOURCE));
    checks.at_most(format!("{name}: height of the column, worst"), height, Target::ours(0.05, SOURCE));
    for (column, what) in [(1, "front / width"), (2, "height of the column")] {
        let found = collapse.samples.iter().map(|sample| [sample[0] + GATE_DELAY, sample[column]]);
        let rows = ExpectedTable::parse(EXPECTED)?.select(["is_height", "time", "value"])?;
        let rows = rows.into_iter().filter(|row| (row[0] > 0.0) == (column == 2) && row[1] < 2.52);
        let expected = rows.map(|[_, time, value]| [time, value]).collect();
        let title = format!("{name}: {what}");
        checks.curve(Curve::against_table(title, ["T", what], found.collect(), expected));
    }
    Ok(())
}

/// With 16 and 32 cells across the column.
pub fn quick(checks: &mut Checks) -> anyhow::Result<()> {
    check(checks, "16 cells", &Collapse::run(16)?)?;
    check(checks, "32 cells", &Collapse::run(32)?)
}

/// With up to 64 cells across the column.
pub fn fine(checks: &mut Checks) -> anyhow::Result<()> {
    let (coarse, medium, fine) = (Collapse::run(16)?, Collapse::run(32)?, Collapse::run(64)?);
    check(checks, "64 cells", &fine)?;
    let ratio = measured(front_difference(&medium, &fine)) / front_difference(&coarse, &medium);
    checks.at_most("front of 64 from 32 / 32 from 16", ratio, Target::ours(1.0, "convergence"));
    Ok(())
}
