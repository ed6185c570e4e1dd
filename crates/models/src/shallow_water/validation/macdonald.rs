//! Steady flow in channels whose bed was made for it, with Manning friction, after [macdonald1997] and
//! [delestre2013] §3.2.
//!
//! A depth h(x) is chosen; the bed then follows from dz/dx = (q²/(g h³) − 1) h′ − S with S = n² q²/h^(10/3). Between
//! jumps the first term is the change of the head E = h + q²/(2 g h²), so z(x) = z₁ + E₁ − E(x) + ∫ S from x on, and
//! only friction is left to integrate.

use undine_checks::Checks;
use undine_scene::Timed;

use super::bump::{JUMP_ERROR, steady_order};
use super::channel::{ChannelCase, ChannelTargets, check, check_diagonal};
use crate::shallow_water::{Border, Inflow, Settings};

const GRAVITY: f64 = 9.81;

/// A channel with its flow.
struct Reach {
    length: f64,
    discharge: f64,
    manning: f64,
    depth: fn(f64) -> f64,
    /// Position of the hydraulic jump.
    jump: Option<f64>,
    is_fast: [bool; 2],
}

/// The depth at which 2 m²/s is critical: (4/g)^(1/3).
fn critical() -> f64 {
    (4.0 / GRAVITY).cbrt()
}

/// The eight channels, in the order of the table.
fn reaches() -> [(&'static str, Reach); 8] {
    // Long channels of 1000 m and short ones of 100 m with 2 m²/s, then an undulating one
    let long = |discharge, manning, depth, jump, is_fast| Reach {
        length: 1000.0,
        discharge,
        manning,
        depth,
        jump,
        is_fast,
    };
    let short = |manning, depth, jump, is_fast| Reach {
        length: 100.0,
        discharge: 2.0,
        manning,
        depth,
        jump,
        is_fast,
    };
    [
        ("slow", long(2.0, 0.033, slow, None, [false, false])),
        ("fast", long(2.5, 0.04, fast, None, [true, true])),
        ("quickening", long(2.0, 0.0218, quickening, None, [false, true])),
        ("jumping", long(2.0, 0.0218, jumping, Some(500.0), [true, false])),
        ("short, quickening, then jumping", short(0.0328, short_jumping, Some(200.0 / 3.0), [false, false])),
        ("short, fast", short(0.03, short_fast, None, [true, true])),
        ("short, quickening", short(0.0328, short_quickening, None, [false, true])),
        (
            "undulating",
            Reach {
                length: 5000.0,
                discharge: 2.0,
                manning: 0.03,
                depth: |x| 9.0 / 8.0 + 0.25 * (std::f64::consts::PI * x / 500.0).sin(),
                jump: None,
                is_fast: [false, false],
            },
        ),
    ]
}

fn slow(x: f64) -> f64 {
    critical() * (1.0 + 0.5 * (-16.0 * (x / 1000.0 - 0.5).powi(2)).exp())
}

fn fast(x: f64) -> f64 {
    critical() * (1.0 - 0.2 * (-36.0 * (x / 1000.0 - 0.5).powi(2)).exp())
}

fn quickening(x: f64) -> f64 {
    let away = x / 1000.0 - 0.5;
    let fall = if x <= 500.0 { (3.0 * away).tanh() / 3.0 } else { (6.0 * away).tanh() / 6.0 };
    critical() * (1.0 - fall)
}

fn jumping(x: f64) -> f64 {
    if x <= 500.0 {
        return critical() * (0.9 - (-x / 250.0).exp() / 6.0);
    }
    let away = x / 1000.0 - 0.5;
    let terms = [-0.348427, 0.552264, -0.555580].iter().zip(1..);
    let sum: f64 = terms.map(|(a, k)| a * (-20.0 * f64::from(k) * away).exp()).sum();
    critical() * (1.0 + sum + 0.8 * (x / 1000.0 - 1.0).exp())
}

fn short_jumping(x: f64) -> f64 {
    let away = x / 100.0 - 2.0 / 3.0;
    if x <= 200.0 / 3.0 {
        return critical() * (4.0 / 3.0 - x / 100.0) - 9.0 * x / 1000.0 * away;
    }
    critical() * ((((0.674202 * away + 0.674202) * away - 21.7112) * away + 14.492) * away + 1.4305)
}

fn short_fast(x: f64) -> f64 {
    critical() * (1.0 - 0.25 * (-4.0 * (x / 100.0 - 0.5).powi(2)).exp())
}

fn short_quickening(x: f64) -> f64 {
    critical() * (1.0 - (x - 50.0) / 200.0 + (x - 50.0).powi(2) / 30_000.0)
}

impl Reach {
    fn head(&self, depth: f64) -> f64 {
        depth + self.discharge.powi(2) / (2.0 * GRAVITY * depth * depth)
    }

    /// Head lost between two places, by Simpson's rule.
    fn loss(&self, from: f64, to: f64) -> f64 {
        const PIECES: usize = 512;
        let step = (to - from) / PIECES as f64;
        let slope =
            |x: f64| (self.manning * self.discharge).powi(2) / (self.depth)(x.min(to)).powf(10.0 / 3.0);
        let piece = |index: usize| {
            let start = from + step * index as f64;
            step / 6.0 * (slope(start) + 4.0 * slope(start + 0.5 * step) + slope(start + step))
        };
        (0..PIECES).map(piece).sum()
    }

    /// Level of the bed; 0 at the outlet.
    fn bed(&self, x: f64) -> f64 {
        let rise = |from: f64, to: f64| {
            self.head((self.depth)(to)) - self.head((self.depth)(from)) + self.loss(from, to)
        };
        match self.jump {
            // The depth at the jump itself is that before it
            Some(jump) if x <= jump => rise(x, jump) + rise(jump + 1e-9, self.length),
            _ => rise(x, self.length),
        }
    }

    fn channel(self) -> ChannelCase {
        let [low, high] = [(self.depth)(0.0), (self.depth)(self.length)];
        let inflow = Inflow::Even(Timed::constant(self.discharge));
        let entry = Border::Discharge { inflow, depth: self.is_fast[0].then_some(low) };
        let exit = match self.is_fast[1] {
            true => Border::Open,
            false => Border::Stage { level: Timed::constant(self.bed(self.length) + high) },
        };
        let (depth, discharge, length) = (self.depth, self.discharge, self.length);
        ChannelCase {
            length,
            end: 4.0 * length,
            diagonal_end: 0.5 * length,
            settings: Settings {
                manning: self.manning,
                borders: [entry, exit, Border::Wall, Border::Wall],
                ..Settings::default()
            },
            bed: Box::new(move |x| self.bed(x)),
            start: Box::new(move |_| [high, 0.0]),
            exact: Box::new(move |x, _| [depth(x), discharge / depth(x)]),
        }
    }
}

/// All eight channels.
pub fn run(checks: &mut Checks) -> anyhow::Result<()> {
    for (name, reach) in reaches() {
        let (depth, discharge) = (reach.depth, reach.discharge);
        let targets = ChannelTargets {
            counts: [100, 200, 400],
            order: steady_order(reach.jump.is_some()),
            steady: Some(discharge),
            jump: reach.jump.map(|jump| [jump, depth(jump), depth(jump + 1e-9)]),
        };
        let has_jump = reach.jump.is_some();
        let runs = check(checks, name, &reach.channel(), &targets)?;
        let [coarse, ..] = &runs.along_x[..] else { continue };
        if has_jump {
            checks.at_most(format!("{name}, 100 cells: mean error"), coarse.1.depth.mean, JUMP_ERROR);
        }
        check_diagonal(checks, name, &runs.diagonal, &coarse.1);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use undine_checks::{ExpectedTable, Worst};

    use super::reaches;

    const EXPECTED: &str = include_str!("../../../../../validation/shallow-water/macdonald/expected.csv");

    #[test]
    fn the_exact_channels_are_those_of_the_table() {
        let table = ExpectedTable::parse(EXPECTED).unwrap();
        let table = table.select(["channel", "x", "bed", "depth"]).unwrap();
        for (number, (name, reach)) in reaches().into_iter().enumerate() {
            let (mut bed, mut depth) = (Worst::default(), Worst::default());
            for &[_, x, z, h] in table.iter().filter(|row| row[0] == (number + 1) as f64) {
                bed.add((reach.bed(x) - z).abs());
                depth.add(((reach.depth)(x) - h).abs());
            }
            assert!(bed.value() <= 2e-7 && depth.value() <= 2e-8, "{name}: {bed:?} {depth:?}");
        }
    }
}
