//! Water that sloshes in a parabolic valley, undamped [thacker1981] and damped [sampson2006]: the shore moves.

use undine_checks::{Checks, ExpectedTable, Target};

use super::channel::{ChannelCase, ChannelOrientation, check};
use crate::shallow_water::{Border, Settings};

const PLANAR: &str = include_str!("../../../../../validation/shallow-water/thacker-valley/expected.csv");
const DAMPED: &str = include_str!("../../../../../validation/shallow-water/damped-parabola/expected.csv");
const GRAVITY: f64 = 9.81;

/// The frictionless valley: a = 1 m, h₀ = 0.5 m.
fn valley(x: f64) -> f64 {
    0.5 * ((x - 2.0).powi(2) - 1.0)
}

fn valley_frequency() -> f64 {
    (2.0 * GRAVITY * 0.5).sqrt()
}

fn valley_state(x: f64, time: f64) -> [f64; 2] {
    let phase = valley_frequency() * time;
    let depth = (-0.5 * ((x - 2.0 + 0.5 * phase.cos()).powi(2) - 1.0)).max(0.0);
    [depth, if depth > 0.0 { 0.5 * valley_frequency() * phase.sin() } else { 0.0 }]
}

/// Five periods in the frictionless valley.
pub fn thacker(checks: &mut Checks) -> anyhow::Result<()> {
    let period = std::f64::consts::TAU / valley_frequency();
    let mut worst = [0.0f64; 2];
    for [time, x, depth, velocity] in
        ExpectedTable::parse(PLANAR)?.select(["t_over_T", "x", "depth", "velocity"])?
    {
        let [h, u] = valley_state(x, time * period);
        worst = [worst[0].max((h - depth).abs()), worst[1].max((u - velocity).abs())];
    }
    checks.at_most("formula against table, depth, m", worst[0], Target::exact(2e-8, "[delestre2013] §4.2"));
    checks.at_most(
        "formula against table, velocity, m/s",
        worst[1],
        Target::exact(2e-8, "[delestre2013] §4.2"),
    );

    let channel = ChannelCase {
        length: 4.0,
        end: 5.0 * period,
        diagonal_end: period,
        settings: Settings { borders: [const { Border::Open }; 4], ..Settings::default() },
        bed: Box::new(valley),
        start: Box::new(|x| valley_state(x, 0.0)),
        exact: Box::new(valley_state),
    };
    let runs = [
        (ChannelOrientation::AlongX, 100, [2.0e-2, 2.3e-2, 3.8e-2]),
        (ChannelOrientation::AlongX, 400, [1.5e-3, 1.8e-3, 5.8e-3]),
        (ChannelOrientation::AlongY, 100, [2.0e-2, 2.3e-2, 3.7e-2]),
        (ChannelOrientation::Diagonal, 100, [2.3e-3, 3.9e-3, 2.0e-2]),
    ];
    check(checks, "valley", &channel, &runs, Some(1.8), "[thacker1981]")
}

/// The damped valley: a = 3000 m, h₀ = 10 m, B = 5 m/s, τ = 0.001/s, from −5000 to 5000 m.
struct Damped;

impl Damped {
    const RADIUS: f64 = 3000.0;
    const DEPTH: f64 = 10.0;
    const SPEED: f64 = 5.0;
    const DRAG: f64 = 1e-3;

    fn bed(x: f64) -> f64 {
        Damped::DEPTH * ((x - 5000.0) / Damped::RADIUS).powi(2)
    }

    /// Frequency s = √(p² − τ²)/2 with p = √(8 g h₀)/a.
    fn frequency() -> f64 {
        let p = (8.0 * GRAVITY * Damped::DEPTH).sqrt() / Damped::RADIUS;
        0.5 * (p * p - Damped::DRAG * Damped::DRAG).sqrt()
    }

    /// Rise of the surface above h₀.
    fn rise(x: f64, time: f64) -> f64 {
        let (s, tau, speed) = (Damped::frequency(), Damped::DRAG, Damped::SPEED);
        let (decay, half) = ((-tau * time).exp(), (-0.5 * tau * time).exp());
        let bend = (Damped::RADIUS * speed / GRAVITY).powi(2) * decay / (8.0 * Damped::DEPTH);
        let (double, single) = (2.0 * s * time, s * time);
        bend * ((0.25 * tau * tau - s * s) * double.cos() - s * tau * double.sin())
            - speed * speed * decay / (4.0 * GRAVITY)
            - half / GRAVITY * speed * (s * single.cos() + 0.5 * tau * single.sin()) * (x - 5000.0)
    }

    fn velocity(time: f64) -> f64 {
        Damped::SPEED * (-0.5 * Damped::DRAG * time).exp() * (Damped::frequency() * time).sin()
    }

    fn state(x: f64, time: f64) -> [f64; 2] {
        let depth = (Damped::DEPTH + Damped::rise(x, time) - Damped::bed(x)).max(0.0);
        [depth, if depth > 0.0 { Damped::velocity(time) } else { 0.0 }]
    }

    fn channel(end: f64) -> ChannelCase {
        ChannelCase {
            length: 10_000.0,
            end,
            diagonal_end: end,
            settings: Settings {
                drag: Damped::DRAG,
                borders: [const { Border::Open }; 4],
                ..Settings::default()
            },
            bed: Box::new(Damped::bed),
            start: Box::new(|x| Damped::state(x, 0.0)),
            exact: Box::new(Damped::state),
        }
    }
}

/// Errors over 6000 s, averaged over all steps and relative to h₀, at five resolutions: to stay below those of a public
/// code with the same kind of scheme.
pub fn damped(checks: &mut Checks) -> anyhow::Result<()> {
    // The exact solution against the published table
    let mut worst = [0.0f64; 2];
    for [time, velocity, rise] in ExpectedTable::parse(DAMPED)?.select(["t", "velocity", "rise_at_centre"])? {
        let errors = [Damped::velocity(time) - velocity, Damped::rise(5000.0, time) - rise];
        worst = [worst[0].max(errors[0].abs()), worst[1].max(errors[1].abs())];
    }
    checks.at_most("formula against table, velocity, m/s", worst[0], Target::exact(2e-8, "[sampson2006]"));
    checks.at_most("formula against table, rise, m", worst[1], Target::exact(2e-8, "[sampson2006]"));

    // The model at five resolutions, and its order of convergence
    const SOURCE: &str = "[sampson2006]; L1 at most as in [popinet2011]";
    let published = [(32, 0.00562), (64, 0.00172), (128, 0.000560), (256, 0.000169), (512, 5.46e-5)];
    let bounds = [[1.1e-2, 8.5e-2], [3.6e-3, 4.6e-2], [1.4e-3, 2.6e-2], [5.0e-4, 1.4e-2], [1.9e-4, 7.5e-3]];
    let mut coarsest = 0.0;
    for ((count, published), [square, most]) in published.into_iter().zip(bounds) {
        let found = errors_over_time(ChannelOrientation::AlongX, count)?;
        checks.at_most(format!("{count} cells: L1"), found[0], Target::exact(published, SOURCE));
        checks.at_most(format!("{count} cells: L2"), found[1], Target::exact(square, SOURCE));
        checks.at_most(format!("{count} cells: L∞"), found[2], Target::exact(most, SOURCE));
        if count == 32 {
            coarsest = found[0];
        }
        if count == 512 {
            let order = (coarsest / found[0]).log2() / 4.0;
            checks.at_most("2 − order of L1", 2.0 - order, Target::exact(0.4, SOURCE));
        }
    }
    let runs = [
        (ChannelOrientation::AlongY, 128, [1.8e-3, 2.6e-3, 1.1e-2]),
        (ChannelOrientation::Diagonal, 128, [5.8e-4, 8.0e-4, 5.1e-3]),
    ];
    check(checks, "after 1500 s", &Damped::channel(1500.0), &runs, None, "[sampson2006]")
}

/// Mean, mean square and greatest error of the depth over all steps, relative to h₀.
fn errors_over_time(way: ChannelOrientation, count: usize) -> anyhow::Result<[f64; 3]> {
    let channel = Damped::channel(6000.0);
    let (mut mean, mut square, mut most, mut samples) = (0.0, 0.0, 0.0f64, 0.0);
    channel.watch(way, count, 6000.0, |water, time| {
        for [found, exact] in channel.pairs(water, way, time) {
            let error = (found - exact).abs() / Damped::DEPTH;
            mean += error;
            square += error * error;
            most = most.max(error);
            samples += 1.0;
        }
    })?;
    Ok([mean / samples, (square / samples).sqrt(), most])
}
