//! Dams that break onto a wet and onto a dry bed, against the solutions of [stoker1957] and [ritter1892], as in
//! [delestre2013] §4.1.

use undine_checks::{Checks, ErrorSums, Target};

use super::channel::{ChannelCase, ChannelOrientation, ChannelTargets, check, check_diagonal, jump_error};
use crate::shallow_water::Settings;

const GRAVITY: f64 = 9.81;
const LENGTH: f64 = 10.0;
const TIME: f64 = 6.0;

/// A dam in the middle of the channel, with water on both sides or on one.
#[derive(Clone, Copy)]
struct Dam {
    high: f64,
    low: f64,
    /// Depth and velocity between the fan and the shock, and the speed of the shock.
    middle: [f64; 3],
}

impl Dam {
    /// Onto a dry bed [ritter1892].
    fn dry(high: f64) -> Dam {
        Dam { high, low: 0.0, middle: [0.0, 2.0 * (GRAVITY * high).sqrt(), f64::INFINITY] }
    }

    /// Onto a wet bed [stoker1957]: the fan and the shock agree on the depth between them, found by bisection.
    fn wet(high: f64, low: f64) -> Dam {
        let fan = |depth: f64| 2.0 * ((GRAVITY * high).sqrt() - (GRAVITY * depth).sqrt());
        let shock = |depth: f64| (depth - low) * (GRAVITY * (depth + low) / (2.0 * depth * low)).sqrt();
        let (mut below, mut above) = (low, high);
        for _ in 0..200 {
            let depth = 0.5 * (below + above);
            *(if fan(depth) > shock(depth) { &mut below } else { &mut above }) = depth;
        }
        let (depth, velocity) = (below, fan(below));
        Dam { high, low, middle: [depth, velocity, velocity * depth / (depth - low)] }
    }

    fn state(&self, x: f64, time: f64) -> [f64; 2] {
        let away = x - 0.5 * LENGTH;
        if time <= 0.0 {
            return [if away < 0.0 { self.high } else { self.low }, 0.0];
        }
        let (speed, c) = (away / time, (GRAVITY * self.high).sqrt());
        let [depth, velocity, shock] = self.middle;
        if speed < -c {
            [self.high, 0.0]
        } else if speed < velocity - (GRAVITY * depth).sqrt() {
            [(2.0 * c - speed).powi(2) / (9.0 * GRAVITY), 2.0 / 3.0 * (speed + c)]
        } else if speed < shock {
            [depth, if depth > 0.0 { velocity } else { 0.0 }]
        } else {
            [self.low, 0.0]
        }
    }

    fn channel(self) -> ChannelCase {
        ChannelCase {
            length: LENGTH,
            end: TIME,
            diagonal_end: TIME,
            settings: Settings { borders: open(), ..Settings::default() },
            bed: Box::new(|_| 0.0),
            start: Box::new(move |x| self.state(x, 0.0)),
            exact: Box::new(move |x, time| self.state(x, time)),
        }
    }
}

fn open() -> [crate::shallow_water::Border; 4] {
    [const { crate::shallow_water::Border::Open }; 4]
}

/// Depths of the wet dam break in metres.
const WET: [f64; 2] = [0.005, 0.001];

/// Stoker's wet and Ritter's dry dam break after 6 s.
pub fn run(checks: &mut Checks) -> anyhow::Result<()> {
    check_wet(checks)?;
    let targets = ChannelTargets {
        counts: [200, 400, 800],
        order: Target::exact(0.95, "[ritter1892]: first order at the edges of the fan"),
        steady: None,
        jump: None,
    };
    let runs = check(checks, "dry", &Dam::dry(WET[0]).channel(), &targets)?;
    let [coarse, ..] = &runs.along_x[..] else { return Ok(()) };
    let target = Target::ours(0.01, "[ritter1892]");
    checks.at_most("dry, 200 cells: mean error", coarse.1.depth.mean, target);
    check_diagonal(checks, "dry", &runs.diagonal, &coarse.1);
    Ok(())
}

/// The wet dam break: a scheme that smears the shock over two cells has an L1 of at most 2 Δx [h] / ∫h.
fn check_wet(checks: &mut Checks) -> anyhow::Result<()> {
    let dam = Dam::wet(WET[0], WET[1]);
    let channel = dam.channel();
    let [depth, _, shock] = dam.middle;
    let place = 0.5 * LENGTH + shock * TIME;
    let volume = 0.5 * LENGTH * (WET[0] + WET[1]);
    let smeared = |count: usize| {
        let error = 2.0 * LENGTH / count as f64 * (depth - WET[1]) / volume;
        Target::exact(error, "[stoker1957]: a shock two cells wide, 2 Δx [h] / ∫h")
    };
    let targets = ChannelTargets {
        counts: [200, 400, 800],
        order: Target::exact(0.95, "[stoker1957]: first order at the shock"),
        steady: None,
        jump: None,
    };
    let runs = check(checks, "wet", &channel, &targets)?;
    for (count, errors) in &runs.along_x {
        checks.at_most(format!("wet, {count} cells: mean error"), errors.depth.mean, smeared(*count));
        let cells = jump_error(&errors.profile, [place, depth, WET[1]]) * *count as f64 / LENGTH;
        let target = Target::exact(2.0, "[stoker1957]");
        checks.at_most(format!("wet, {count} cells: place of the shock, cells"), cells, target);
    }
    checks.at_most("wet at 45°, 200 cells: mean error", runs.diagonal.depth.mean, smeared(200));
    if let [coarse, ..] = &runs.along_x[..] {
        check_diagonal(checks, "wet", &runs.diagonal, &coarse.1);
    }

    // Depth, discharge and velocity on the grid of the public codes
    let water = channel.watch(ChannelOrientation::AlongX, 1000, TIME, |_, _| {})?;
    let mut sums = [ErrorSums::default(); 3];
    for state in channel.states(&water, ChannelOrientation::AlongX, TIME) {
        let ([h, hu], [depth, velocity]) = (state.found, state.exact);
        sums[0].compare(h, depth);
        sums[1].compare(hu, depth * velocity);
        sums[2].compare(hu / h, velocity);
    }
    const SOURCE: &str = "errors of ANUGA and SWALS on about 1000 cells";
    for ((name, bound), sums) in [("h", 0.01), ("hu", 0.02), ("u", 0.02)].into_iter().zip(sums) {
        let target = Target::published(bound, SOURCE);
        checks.at_most(format!("wet, 1000 cells: L1 of {name}"), sums.relative().mean, target);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use undine_checks::{ExpectedTable, Worst};

    use super::{Dam, TIME, WET};

    const EXPECTED: &str = include_str!("../../../../../validation/shallow-water/dam-break/expected.csv");

    #[test]
    fn the_exact_solutions_are_those_of_the_table() {
        let (stoker, ritter) = (Dam::wet(WET[0], WET[1]), Dam::dry(WET[0]));
        let columns = ["x", "wet_depth", "wet_velocity", "dry_depth", "dry_velocity"];
        let rows = ExpectedTable::parse(EXPECTED).unwrap().select(columns).unwrap();
        let mut worst = Worst::default();
        for [x, wet_h, wet_u, dry_h, dry_u] in rows {
            for (dam, expected) in [(stoker, [wet_h, wet_u]), (ritter, [dry_h, dry_u])] {
                let [h, u] = dam.state(x, TIME);
                worst.add((h - expected[0]).abs());
                worst.add((u - expected[1]).abs());
            }
        }
        assert!(worst.value() <= 2e-9, "{worst:?}");
    }
}
