//! Water that circles and pulses in a paraboloid, against the two exact solutions of [thacker1981].

use glam::DVec2;
use undine_checks::{Checks, ExpectedTable, Target};
use undine_grid::{Condition, Field, Grid, Location};
use undine_sim::{Simulation, Step, World};

use super::channel::Norms;
use crate::heightfield::HeightFieldSetup;
use crate::shallow_water::{Settings, ShallowWater};

const CIRCLING: &str = include_str!("../../../../../validation/shallow-water/thacker-circling/expected.csv");
const PULSING: &str = include_str!("../../../../../validation/shallow-water/thacker-pulsing/expected.csv");
const GRAVITY: f64 = 9.81;

/// Depth of the bowl in the middle; its radius is 1 m, its middle (2, 2).
const DEPTH: f64 = 0.1;

fn bed(at: DVec2) -> f64 {
    -DEPTH * (1.0 - (at - 2.0).length_squared())
}

/// A solution: depth, and velocity where there is water.
#[derive(Clone, Copy, PartialEq)]
enum Motion {
    /// A flat surface whose middle goes around at half the radius.
    Circling,
    /// A dome that flattens and rises; initial radius 0.8 m.
    Pulsing,
}

impl Motion {
    fn frequency(self) -> f64 {
        let waves = if self == Motion::Circling { 2.0 } else { 8.0 };
        (waves * GRAVITY * DEPTH).sqrt()
    }

    fn period(self) -> f64 {
        std::f64::consts::TAU / self.frequency()
    }

    fn state(self, at: DVec2, time: f64) -> (f64, DVec2) {
        let (from_middle, omega) = (at - 2.0, self.frequency());
        let (sin, cos) = (omega * time).sin_cos();
        let (level, velocity) = match self {
            Motion::Circling => {
                let level = 0.5 * DEPTH * (2.0 * from_middle.x * cos + 2.0 * from_middle.y * sin - 0.5);
                (level, 0.5 * omega * DVec2::new(-sin, cos))
            }
            Motion::Pulsing => {
                let fourth = 0.8f64.powi(4);
                let a = (1.0 - fourth) / (1.0 + fourth);
                let (root, under) = ((1.0 - a * a).sqrt(), 1.0 - a * cos);
                let bent = from_middle.length_squared() * ((root / under).powi(2) - 1.0);
                let level = DEPTH * (root / under - 1.0 - bent);
                (level, 0.5 * omega * a * sin / under * from_middle)
            }
        };
        let depth = (level - bed(at)).max(0.0);
        (depth, if depth > 0.0 { velocity } else { DVec2::ZERO })
    }

    fn water(self, count: usize) -> anyhow::Result<ShallowWater> {
        let grid = Grid::new([count; 2], [4.0 / count as f64; 2], [0.0; 2])?;
        let mut blank = Field::new(grid, Location::Center, Condition::Open, 3)?;
        let mut made = |value: &(dyn Fn(DVec2) -> f64 + Sync)| {
            blank.set_by_position(|at| value(at.into()));
            blank.clone()
        };
        let land = HeightFieldSetup {
            grid,
            bed: made(&bed),
            depth: made(&|at| self.state(at, 0.0).0),
            velocity: [made(&|at| self.state(at, 0.0).1.x), made(&|at| self.state(at, 0.0).1.y)],
            still_level: 0.0,
            warnings: Vec::new(),
        };
        Ok(ShallowWater::new(land, Settings::default())?)
    }

    /// Runs `periods` and answers the norms, and the greatest error of the level in the middle relative to its range.
    fn run(self, count: usize, periods: f64) -> anyhow::Result<(Norms, f64)> {
        let mut water = self.water(count)?;
        let (mut time, end) = (0.0, periods * self.period());
        let middle = [count / 2; 2];
        let mut worst = 0.0f64;
        while time < end {
            let dt = water.max_dt().min(end - time);
            let mut world = World { time, gravity: GRAVITY, seed: 0, driver: None };
            time += match water.step(dt, &mut world)? {
                Step::Done(_) => dt,
                Step::Retry { .. } => anyhow::bail!("the step was too long"),
            };
            let at = DVec2::from(water.grid().centre(middle.map(|index| index as isize)));
            worst = worst.max((water.depth_in(middle) - self.state(at, time).0).abs());
        }
        let cells = (0..count).flat_map(|y| (0..count).map(move |x| [x, y]));
        let grid = *water.grid();
        let exact =
            |cell: [usize; 2]| self.state(grid.centre(cell.map(|index| index as isize)).into(), end).0;
        let range =
            self.state(DVec2::splat(2.0), 0.0).0 - self.state(DVec2::splat(2.0), 0.5 * self.period()).0;
        Ok((Norms::of(cells.map(|cell| [water.depth_in(cell), exact(cell)])), worst / range.abs().max(DEPTH)))
    }
}

fn check_formula(checks: &mut Checks, motion: Motion, table: &str) -> anyhow::Result<()> {
    let (mut depth, mut velocity) = (0.0f64, 0.0f64);
    for [time, x, y, h, u, v] in
        ExpectedTable::parse(table)?.select(["t_over_T", "x", "y", "depth", "u", "v"])?
    {
        let (found, moving) = motion.state(DVec2::new(x, y), time * motion.period());
        depth = depth.max((found - h).abs());
        velocity = velocity.max((moving - DVec2::new(u, v)).length());
    }
    checks.at_most("formula against table, depth, m", depth, Target::exact(3e-7, "[thacker1981]"));
    checks.at_most("formula against table, velocity, m/s", velocity, Target::exact(2e-6, "[thacker1981]"));
    Ok(())
}

fn check_runs(checks: &mut Checks, motion: Motion, runs: &[(usize, [f64; 4])]) -> anyhow::Result<()> {
    let mut means = Vec::new();
    for &(count, bounds) in runs {
        let (norms, middle) = motion.run(count, 3.0)?;
        let found =
            [("L1", norms.mean), ("L2", norms.square), ("L∞", norms.most), ("level in the middle", middle)];
        for ((name, value), bound) in found.into_iter().zip(bounds) {
            checks.at_most(
                format!("{count}² cells, 3 periods: {name}"),
                value,
                Target::exact(bound, "[thacker1981]"),
            );
        }
        means.push(norms.mean);
    }
    if let [first, .., last] = means[..] {
        let order = (first / last).log2() / (means.len() - 1) as f64;
        checks.at_most("2 − order of L1", 2.0 - order, Target::exact(0.3, "[thacker1981]"));
    }
    Ok(())
}

/// The flat surface that goes around.
pub fn circling(checks: &mut Checks) -> anyhow::Result<()> {
    check_formula(checks, Motion::Circling, CIRCLING)?;
    check_runs(
        checks,
        Motion::Circling,
        &[
            (50, [7.3e-2, 7.5e-2, 1.4e-1, 5.4e-2]),
            (100, [1.9e-2, 2.0e-2, 5.0e-2, 1.8e-2]),
            (200, [6.0e-3, 6.9e-3, 2.5e-2, 6.4e-3]),
        ],
    )
}

/// The dome that falls and rises.
pub fn pulsing(checks: &mut Checks) -> anyhow::Result<()> {
    check_formula(checks, Motion::Pulsing, PULSING)?;
    check_runs(
        checks,
        Motion::Pulsing,
        &[
            (50, [1.9e-1, 1.8e-1, 2.1e-1, 3.2e-1]),
            (100, [5.3e-2, 5.5e-2, 7.7e-2, 1.4e-1]),
            (200, [1.6e-2, 1.6e-2, 2.4e-2, 6.5e-2]),
        ],
    )
}
