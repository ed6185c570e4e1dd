//! Dams that break onto a wet and onto a dry bed, against the solutions of Stoker and Ritter.

use undine_checks::{Checks, ExpectedTable, Target};

use super::channel::{ChannelCase, ChannelOrientation, check};
use crate::shallow_water::Settings;

const EXPECTED: &str = include_str!("../../../../../validation/shallow-water/dam-break/expected.csv");
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

/// Stoker's wet and Ritter's dry dam break after 6 s.
pub fn run(checks: &mut Checks) -> anyhow::Result<()> {
    let (stoker, ritter) = (Dam::wet(0.005, 0.001), Dam::dry(0.005));
    // The exact solutions against the published table
    let (mut depth, mut velocity) = (0.0f64, 0.0f64);
    for [x, wet_h, wet_u, dry_h, dry_u] in ExpectedTable::parse(EXPECTED)?.select([
        "x",
        "wet_depth",
        "wet_velocity",
        "dry_depth",
        "dry_velocity",
    ])? {
        for (dam, expected) in [(stoker, [wet_h, wet_u]), (ritter, [dry_h, dry_u])] {
            let [h, u] = dam.state(x, TIME);
            depth = depth.max((h - expected[0]).abs());
            velocity = velocity.max((u - expected[1]).abs());
        }
    }
    checks.at_most("formula against table, depth, m", depth, Target::exact(2e-9, "[delestre2013] §4.1"));
    checks.at_most(
        "formula against table, velocity, m/s",
        velocity,
        Target::exact(2e-9, "[delestre2013] §4.1"),
    );

    // The model against the exact solutions: bounds of L1, L2 and L∞ for each run
    let runs = |bounds: [[f64; 3]; 4]| {
        let [coarse, fine, along_y, diagonal] = bounds;
        [
            (ChannelOrientation::AlongX, 200, coarse),
            (ChannelOrientation::AlongX, 800, fine),
            (ChannelOrientation::AlongY, 200, along_y),
            (ChannelOrientation::Diagonal, 200, diagonal),
        ]
    };
    check(
        checks,
        "wet",
        &stoker.channel(),
        &runs([
            [4.1e-3, 1.8e-2, 1.5e-1],
            [9.7e-4, 7.5e-3, 1.3e-1],
            [4.1e-3, 1.8e-2, 1.5e-1],
            [6.9e-3, 2.3e-2, 1.8e-1],
        ]),
        Some(0.9),
        "[stoker1957]",
    )?;
    check(
        checks,
        "dry",
        &ritter.channel(),
        &runs([
            [4.9e-3, 7.5e-3, 2.8e-2],
            [1.3e-3, 2.1e-3, 9.4e-3],
            [4.8e-3, 7.3e-3, 2.8e-2],
            [8.6e-3, 1.3e-2, 3.9e-2],
        ]),
        Some(0.9),
        "[ritter1892]",
    )
}
