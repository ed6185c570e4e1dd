//! Water that circles and pulses in a paraboloid, against the two exact solutions of [thacker1981].

use glam::DVec2;
use undine_checks::{Checks, ErrorSums, Norms, Target};
use undine_grid::{Condition, Field, Grid, Location};
use undine_sim::{Simulation, Step, World};

use super::channel::THIN;
use super::parabola::MOVING_SHORE_ORDER;
use crate::heightfield::HeightFieldSetup;
use crate::shallow_water::{Settings, ShallowWater};

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

    /// Runs `periods` and answers the errors.
    fn run(self, count: usize, periods: f64) -> anyhow::Result<BowlErrors> {
        let mut water = self.water(count)?;
        let (mut time, end) = (0.0, periods * self.period());
        let middle = [count / 2; 2];
        let mut at_middle = ErrorSums::default();
        while time < end {
            let dt = water.max_dt().min(end - time);
            let mut world = World { time, gravity: GRAVITY, seed: 0, driver: None };
            time += match water.step(dt, &mut world)? {
                Step::Done(_) => dt,
                Step::Retry { .. } => anyhow::bail!("the step was too long"),
            };
            let at = DVec2::from(water.grid().centre(middle.map(|index| index as isize)));
            at_middle.compare(water.depth_in(middle), self.state(at, time).0);
        }

        // Depth, momentum and velocity at the end
        let [mut depth, mut discharge, mut velocity] = [ErrorSums::default(); 3];
        for cell in (0..count).flat_map(|y| (0..count).map(move |x| [x, y])) {
            let at = water.grid().centre(cell.map(|index| index as isize)).into();
            let (exact, moving) = self.state(at, end);
            let (h, flow) = (water.depth_in(cell), water.discharge_in(cell));
            depth.compare(h, exact);
            for (q, u) in flow.into_iter().zip(moving.to_array()) {
                discharge.compare(q, exact * u);
                if exact > THIN * DEPTH {
                    velocity.compare(q / h, u);
                }
            }
        }
        let wave_speed = (GRAVITY * DEPTH).sqrt();
        Ok(BowlErrors {
            depth: depth.relative(),
            discharge: discharge.absolute(DEPTH * wave_speed).mean,
            velocity: velocity.absolute(wave_speed).mean,
            middle: at_middle.absolute(self.middle_range()).mean,
        })
    }

    /// The range of the exact depth in the middle over a period; of the flat surface, whose middle depth is constant, the
    /// depth of the bowl.
    fn middle_range(self) -> f64 {
        let middle = DVec2::splat(2.0);
        let range = self.state(middle, 0.5 * self.period()).0 - self.state(middle, 0.0).0;
        if self == Motion::Circling { DEPTH } else { range.abs() }
    }
}

/// Errors of a run.
struct BowlErrors {
    /// Of the depth at the end, relative to its own norms.
    depth: Norms,
    /// Mean error of both components of the momentum at the end, in units of the bowl's depth times the speed of waves in
    /// it.
    discharge: f64,
    /// Mean error of both components of the velocity at the end in units of that speed, over the cells whose exact depth
    /// is more than [`THIN`] of the bowl's.
    velocity: f64,
    /// Mean error of the level in the middle over all steps, relative to the range of the exact one.
    middle: f64,
}

/// Norms after three periods on three grids, and their order.
fn check_runs(checks: &mut Checks, motion: Motion) -> anyhow::Result<()> {
    let mut means = Vec::new();
    for count in [50, 100, 200] {
        let errors = motion.run(count, 3.0)?;
        let Norms { mean, square, most } = errors.depth;
        let found = [("L1", mean), ("L2", square), ("L∞", most), ("level in the middle", errors.middle)];
        let flow = [("L1 of hu", errors.discharge), ("L1 of u", errors.velocity)];
        for (name, value) in found.into_iter().chain(flow) {
            checks.baseline(format!("{count}² cells, 3 periods: {name}"), value);
        }
        means.push((count, mean));
    }
    checks.order("order of L1", &means, MOVING_SHORE_ORDER);
    Ok(())
}

/// The flat surface that goes around.
pub fn circling(checks: &mut Checks) -> anyhow::Result<()> {
    check_runs(checks, Motion::Circling)
}

/// The dome that falls and rises.
pub fn pulsing(checks: &mut Checks) -> anyhow::Result<()> {
    check_runs(checks, Motion::Pulsing)
}

/// The dome on the grid and over the time of a public code: 125 cells in the radius, 5.3 periods.
pub fn pulsing_fine(checks: &mut Checks) -> anyhow::Result<()> {
    let middle = Motion::Pulsing.run(500, 5.3)?.middle;
    let target = Target::published(0.02, "SWALS, its test of the radial oscillation of [thacker1981]");
    checks.at_most("500² cells, 5.3 periods: level in the middle / range", middle, target);
    Ok(())
}

#[cfg(test)]
mod tests {
    use glam::DVec2;
    use undine_checks::{ExpectedTable, Worst};

    use super::Motion;

    const CIRCLING: &str =
        include_str!("../../../../../validation/shallow-water/thacker-circling/expected.csv");
    const PULSING: &str =
        include_str!("../../../../../validation/shallow-water/thacker-pulsing/expected.csv");

    #[test]
    fn the_exact_motions_are_those_of_the_tables() {
        for (motion, table) in [(Motion::Circling, CIRCLING), (Motion::Pulsing, PULSING)] {
            let (mut depth, mut velocity) = (Worst::default(), Worst::default());
            let columns = ["t_over_T", "x", "y", "depth", "u", "v"];
            for [time, x, y, h, u, v] in ExpectedTable::parse(table).unwrap().select(columns).unwrap() {
                let (found, moving) = motion.state(DVec2::new(x, y), time * motion.period());
                depth.add((found - h).abs());
                velocity.add((moving - DVec2::new(u, v)).length());
            }
            assert!(depth.value() <= 3e-7 && velocity.value() <= 2e-6, "{depth:?} {velocity:?}");
        }
    }
}
