//! Dam break: the collapse of a column of water twice as high as wide, against the experiment of [martin1952].

use glam::DVec2;
use undine_checks::{Checks, Curve, ErrorSums, ExpectedTable, Target, Worst, measured};
use undine_sim::{Runner, Sample};

use super::measures::PlaneField;
use crate::checks::build;

const CASE: &str = include_str!("../../../../../validation/liquid/dam-break/case.toml");
const EXPECTED: &str = include_str!("../../../../../validation/liquid/dam-break/expected.csv");
const SOURCE: &str = "[martin1952] tables 2 and 6";
const GRAVITY: f64 = 9.81;
/// Width of the column in metres.
const WIDTH: f64 = 0.05715;
/// The delay of the experiment while its gate opens, in units of T.
const GATE_DELAY: f64 = 0.175;

/// Front and height at the wall over the time T, relative to the column.
struct Collapse {
    samples: Vec<[f64; 3]>,
}

impl Collapse {
    /// Runs the case with this many cells across the tank, which is eight columns wide.
    fn run(cells: usize, further: &[String]) -> anyhow::Result<Collapse> {
        let mut overrides = vec![format!("water.0.resolution={cells}")];
        overrides.extend_from_slice(further);
        let mut runner = build(CASE, &overrides)?;
        let mut samples = vec![[0.0, 1.0, 1.0]];
        for _ in 0..runner.frame_count() {
            runner.next_frame()?;
            let scaled = runner.time() * (2.0 * GRAVITY / WIDTH).sqrt();
            samples.push([scaled, front(&runner)? / WIDTH, height(&runner, cells) / (2.0 * WIDTH)]);
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

    /// Mean relative error of the front, and greatest error of the height.
    fn errors(&self) -> anyhow::Result<[f64; 2]> {
        let (mut front, mut height) = (ErrorSums::default(), Worst::default());
        for [is_height, scaled, value] in
            ExpectedTable::parse(EXPECTED)?.select(["is_height", "time", "value"])?
        {
            if is_height > 0.0 {
                height.compare(self.at(scaled)[1], value);
            } else {
                front.compare(self.at(scaled)[0] / value, 1.0);
            }
        }
        Ok([front.relative().mean, height.value()])
    }
}

/// Position of the front: the farthest point of the surface in the lowest three rows of cells.
fn front(runner: &Runner) -> anyhow::Result<f64> {
    let distance = PlaneField::read(runner, "distance")?;
    let rows = (0..3).map(|row| distance.row(row));
    let reach = rows.map(|row| {
        let last = row.iter().rposition(|phi| *phi < 0.0)?;
        let beyond = row.get(last + 1).map_or(0.5, |next| row[last] / (row[last] - next));
        Some(distance.origin[0] + (last as f64 + f64::from(beyond)) * distance.cell)
    });
    // A dry floor has its front at the wall
    Ok(reach.flatten().fold(0.0, f64::max))
}

/// The height of the water in the second cell from the wall.
fn height(runner: &Runner, cells: usize) -> f64 {
    let cell = 8.0 * WIDTH / cells as f64;
    runner.height(DVec2::new(1.5 * cell, 0.0)).unwrap_or(f64::NAN)
}

/// The mean difference between the fronts on two grids, to T = 2.5, in widths of the column.
fn front_difference(a: &Collapse, b: &Collapse) -> f64 {
    let times = (1..=25).map(|step| GATE_DELAY + 0.1 * f64::from(step));
    times.map(|time| (a.at(time)[0] - b.at(time)[0]).abs()).sum::<f64>() / 25.0
}

/// Errors of the front and of the height that are wanted on any grid.
fn check(checks: &mut Checks, name: &str, collapse: &Collapse) -> anyhow::Result<()> {
    let [front, height] = collapse.errors()?;
    checks.at_most(format!("{name}: front to T = 2.5, mean share"), front, Target::ours(0.05, SOURCE));
    checks.at_most(format!("{name}: height of the column, worst"), height, Target::ours(0.03, SOURCE));
    for (column, what) in [(1, "front / width"), (2, "height of the column")] {
        let found = collapse.samples.iter().map(|sample| [sample[0] + GATE_DELAY, sample[column]]);
        let rows = ExpectedTable::parse(EXPECTED)?.select(["is_height", "time", "value"])?;
        let rows = rows.into_iter().filter(|row| (row[0] > 0.0) == (column == 2));
        let expected = rows.map(|[_, time, value]| [time, value]).collect();
        let title = format!("{name}: {what}");
        checks.curve(Curve::against_table(title, ["T", what], found.collect(), expected));
    }
    Ok(())
}

/// In 2-D on two grids.
pub fn quick(checks: &mut Checks) -> anyhow::Result<()> {
    check(checks, "64 cells", &Collapse::run(64, &[])?)?;
    check(checks, "128 cells", &Collapse::run(128, &[])?)
}

/// In 2-D on four grids.
pub fn fine(checks: &mut Checks) -> anyhow::Result<()> {
    let grids = [64, 128, 256, 512].map(|cells| Collapse::run(cells, &[]));
    let [a, b, c, d] = grids;
    let [a, b, c, d] = [a?, b?, c?, d?];
    check(checks, "256 cells", &c)?;
    check(checks, "512 cells", &d)?;
    let (coarse, medium, fine) =
        (front_difference(&a, &b), front_difference(&b, &c), front_difference(&c, &d));
    checks.at_most(
        "front of 256 from 128 / 128 from 64",
        measured(medium) / coarse,
        Target::ours(0.8, "convergence"),
    );
    checks.at_most(
        "front of 512 from 256 / 256 from 128",
        measured(fine) / medium,
        Target::ours(0.8, "convergence"),
    );
    Ok(())
}
