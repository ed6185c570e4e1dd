//! Water that sloshes in a parabolic valley, undamped [thacker1981] and damped [sampson2006]: the shore moves.

use undine_checks::{Checks, ErrorSums, Norms, Target};

use super::channel::{
    ChannelCase, ChannelOrientation, ChannelTargets, check, check_diagonal, draw_profile, record_norms,
};
use crate::shallow_water::{Border, Settings};

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
    let channel = ChannelCase {
        length: 4.0,
        end: 5.0 * period,
        diagonal_end: period,
        settings: Settings { borders: [const { Border::Open }; 4], ..Settings::default() },
        bed: Box::new(valley),
        start: Box::new(|x| valley_state(x, 0.0)),
        exact: Box::new(valley_state),
    };
    let targets =
        ChannelTargets { counts: [100, 200, 400], order: MOVING_SHORE_ORDER, steady: None, jump: None };
    let runs = check(checks, "valley", &channel, &targets)?;
    // At 45° the run is shorter: it is compared with one of the same duration
    let short = ChannelCase { end: channel.diagonal_end, ..channel };
    let along_x = short.run(ChannelOrientation::AlongX, 100)?;
    check_diagonal(checks, "valley, one period", &runs.diagonal, &along_x);
    Ok(())
}

/// The order of L1 of the depth of water whose shore moves.
pub const MOVING_SHORE_ORDER: Target =
    Target::published(1.67, "Basilisk, test `parabola`, 32 to 512 cells, by the scheme of [popinet2011]");

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

/// Errors over 6000 s, averaged over all steps and relative to h₀, at five resolutions: those of a public code with the
/// same kind of scheme, mean, mean square and greatest.
const PUBLISHED: [(usize, [f64; 3]); 5] = [
    (32, [0.00562, 0.00975, 0.0733]),
    (64, [0.00172, 0.00336, 0.0391]),
    (128, [0.000560, 0.00123, 0.0220]),
    (256, [0.000169, 0.000443, 0.0118]),
    (512, [5.46e-5, 0.000167, 0.00641]),
];

/// The damped valley at five resolutions, along y and at 45°.
pub fn damped(checks: &mut Checks) -> anyhow::Result<()> {
    // Errors over time, and their order
    const SOURCE: &str = "Basilisk, test `parabola`, by the scheme of [popinet2011]";
    let mut means = Vec::new();
    for (count, published) in PUBLISHED {
        let Norms { mean, square, most } = errors_over_time(count)?;
        for ((norm, value), bound) in [("L1", mean), ("L2", square), ("L∞", most)].into_iter().zip(published)
        {
            checks.at_most(format!("{count} cells: {norm}"), value, Target::published(bound, SOURCE));
        }
        means.push((count, mean));
    }
    checks.order("order of L1", &means, MOVING_SHORE_ORDER);

    // Along y, and at 45°, after 1500 s
    let channel = Damped::channel(1500.0);
    let along_x = channel.run(ChannelOrientation::AlongX, 128)?;
    record_norms(checks, "after 1500 s, 128 cells", &along_x);
    draw_profile(checks, "after 1500 s, 128 cells", &along_x);
    let difference = channel.difference_along_y(128)?;
    let symmetry = Target::exact(0.0, "the equations know no direction");
    checks.at_most("after 1500 s, 128 cells: along y from along x", difference, symmetry);
    let diagonal = channel.run(ChannelOrientation::Diagonal, 128)?;
    record_norms(checks, "after 1500 s at 45°, 128 cells", &diagonal);
    check_diagonal(checks, "after 1500 s", &diagonal, &along_x);
    Ok(())
}

/// Mean, mean square and greatest error of the depth over all steps, relative to h₀.
fn errors_over_time(count: usize) -> anyhow::Result<Norms> {
    let (channel, way) = (Damped::channel(6000.0), ChannelOrientation::AlongX);
    let mut sums = ErrorSums::default();
    channel.watch(way, count, 6000.0, |water, time| {
        channel.states(water, way, time).for_each(|state| sums.compare(state.found[0], state.exact[0]));
    })?;
    Ok(sums.absolute(Damped::DEPTH))
}

#[cfg(test)]
mod tests {
    use undine_checks::{ExpectedTable, Worst};

    use super::{Damped, valley_frequency, valley_state};

    const PLANAR: &str = include_str!("../../../../../validation/shallow-water/thacker-valley/expected.csv");
    const DAMPED: &str = include_str!("../../../../../validation/shallow-water/damped-parabola/expected.csv");

    #[test]
    fn the_exact_valley_is_that_of_the_table() {
        let period = std::f64::consts::TAU / valley_frequency();
        let mut worst = Worst::default();
        let columns = ["t_over_T", "x", "depth", "velocity"];
        for [time, x, depth, velocity] in ExpectedTable::parse(PLANAR).unwrap().select(columns).unwrap() {
            let [h, u] = valley_state(x, time * period);
            worst.add((h - depth).abs());
            worst.add((u - velocity).abs());
        }
        assert!(worst.value() <= 2e-8, "{worst:?}");
    }

    #[test]
    fn the_exact_damped_valley_is_that_of_the_table() {
        let mut worst = Worst::default();
        let columns = ["t", "velocity", "rise_at_centre"];
        for [time, velocity, rise] in ExpectedTable::parse(DAMPED).unwrap().select(columns).unwrap() {
            worst.add((Damped::velocity(time) - velocity).abs());
            worst.add((Damped::rise(5000.0, time) - rise).abs());
        }
        assert!(worst.value() <= 2e-8, "{worst:?}");
    }
}
