//! Waves at a wall, over a shoal and behind a rock.

use std::f64::consts::{PI, TAU};

use glam::DVec2;
use undine_checks::{Checks, Target, Worst, measured};
use undine_sim::{Runner, Sample};

use crate::checks::build;

const REFLECTION: &str = include_str!("../../../../../../validation/foster-metaxas/reflection/case.toml");
const REFRACTION: &str = include_str!("../../../../../../validation/foster-metaxas/refraction/case.toml");
const DIFFRACTION: &str = include_str!("../../../../../../validation/foster-metaxas/diffraction/case.toml");

const GRAVITY: f64 = 9.81;
/// Period of the waves in the basins in s, and depth of the basins in m.
const PERIOD: f64 = 1.2;
const DEEP: f64 = 0.51;

/// A pulse on its way to a wall and back.
pub fn reflection(checks: &mut Checks) -> anyhow::Result<()> {
    const LENGTH: f64 = 8.0;
    const DEPTH: f64 = 0.11;
    const WIDTH: f64 = 0.6;
    let mut corners = format!("{{ at = [0, 0] }}, {{ at = [{LENGTH}, 0] }}");
    for x in (0..=320).rev().map(|column| LENGTH * f64::from(column) / 320.0) {
        corners += &format!(", {{ at = [{x}, {:?}] }}", DEPTH + 1e-3 * (-0.5 * (x / WIDTH).powi(2)).exp());
    }
    let mut runner = build(&format!("{REFLECTION}[[fill]]\nkind = 'polygon'\ncorner = [{corners}]\n"), &[])?;
    let mut levels = Vec::new();
    while runner.frame() + 1 < runner.frame_count() {
        runner.next_frame()?;
        let level = runner.height(DVec2::new(0.5 * LENGTH + 0.025, 0.0)).unwrap_or(f64::NAN);
        levels.push([runner.time(), level]);
    }
    // The crest passes at half the way and at one and a half
    let speed = (GRAVITY * DEPTH).sqrt();
    let turn = LENGTH / speed;
    let (there, back) = levels.split_at(levels.partition_point(|level| level[0] < turn));
    let ([first, high], [second, low]) = (crest(there), crest(back));
    let late = (measured(second - first) * speed / LENGTH - 1.0).abs();
    checks.at_most(
        "time to the wall and back, relative",
        late,
        Target::ours(0.02, "c = √(g d) of long waves"),
    );
    let still = levels.first().map_or(f64::NAN, |level| level[1]);
    let lost = (1.0 - measured(low - still) / (high - still)).abs();
    checks.at_most(
        "height of the crest that is lost, relative",
        lost,
        Target::ours(0.05, "a wall reflects all"),
    );
    Ok(())
}

/// Time and height of the highest sample, by a parabola through it and those beside it.
fn crest(samples: &[[f64; 2]]) -> [f64; 2] {
    let highest = (0..samples.len()).max_by(|&a, &b| samples[a][1].total_cmp(&samples[b][1])).unwrap_or(0);
    let [Some(before), Some(at), Some(after)] =
        [highest.wrapping_sub(1), highest, highest + 1].map(|i| samples.get(i))
    else {
        return [f64::NAN; 2];
    };
    let (slope, bend) = (0.5 * (after[1] - before[1]), after[1] - 2.0 * at[1] + before[1]);
    let offset = -slope / bend;
    [at[0] + offset * (after[0] - at[0]), at[1] + 0.5 * slope * offset]
}

/// k of ω² = g k tanh k d, by bisection.
fn wave_number(omega: f64, depth: f64) -> f64 {
    let excess = |k: f64| GRAVITY * k * (k * depth).tanh() - omega * omega;
    let (mut low, mut high) = (0.0, omega * omega / GRAVITY + 10.0 * omega / (GRAVITY * depth).sqrt());
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        *(if excess(middle) < 0.0 { &mut low } else { &mut high }) = middle;
    }
    0.5 * (low + high)
}

/// Amplitude and phase of the waves at some points over the period that begins at `from`.
fn components(runner: &mut Runner, points: &[DVec2], from: f64) -> anyhow::Result<Vec<[f64; 2]>> {
    let (omega, mut sums) = (TAU / PERIOD, vec![[0.0; 2]; points.len()]);
    while runner.time() < from + PERIOD - 1e-9 {
        runner.next_frame()?;
        if runner.time() <= from + 1e-9 {
            continue;
        }
        let (sin, cos) = (omega * runner.time()).sin_cos();
        for (point, sum) in points.iter().zip(&mut sums) {
            let level = runner.height(*point).unwrap_or(f64::NAN) - DEEP;
            *sum = [sum[0] + level * cos, sum[1] + level * sin];
        }
    }
    Ok(sums.iter().map(|[cos, sin]| [cos.hypot(*sin), sin.atan2(*cos)]).collect())
}

/// The direction of waves with and without a shoal.
pub fn refraction(checks: &mut Checks) -> anyhow::Result<()> {
    const SHALLOW: f64 = 0.15;
    /// Width of the channel, and columns along y.
    const WIDTH: f64 = 1.75;
    const ROWS: usize = 14;
    /// Where the phase is compared, over the shoal that begins at 3 m.
    const PLACES: [f64; 5] = [4.0625, 4.3125, 4.5625, 4.8125, 5.0625];
    let (omega, across) = (TAU / PERIOD, PI / WIDTH);
    let shoal = "[[obstacle]]\nkind = 'box'\nat = [6.5, 0.875, 0.18]\nsize = [7, 1.75, 0.36]\n";
    for (name, section, depth) in [("without a shoal", "", DEEP), ("over the shoal", shoal, SHALLOW)] {
        let mut runner = build(&format!("{REFRACTION}{section}"), &[])?;
        // The crests that run to either side: their part of each row, cos k_y y
        let row = |row: usize| (row as f64 + 0.5) * WIDTH / ROWS as f64;
        let points: Vec<DVec2> =
            PLACES.iter().flat_map(|&x| (0..ROWS).map(move |number| DVec2::new(x, row(number)))).collect();
        let found = components(&mut runner, &points, 8.0)?;
        let phases: Vec<f64> = found
            .chunks_exact(ROWS)
            .map(|rows| {
                let part = |of: fn(f64) -> f64| -> f64 {
                    rows.iter()
                        .enumerate()
                        .map(|(n, [size, phase])| size * of(*phase) * (across * row(n)).cos())
                        .sum()
                };
                part(f64::sin).atan2(part(f64::cos))
            })
            .collect();
        let turned = |pair: &[f64]| (pair[1] - pair[0]).rem_euclid(TAU);
        let along = phases.windows(2).map(turned).sum::<f64>() / (PLACES[PLACES.len() - 1] - PLACES[0]);
        let mut error = Worst::default();
        let expected = (across / wave_number(omega, depth)).asin().to_degrees();
        error.compare(across.atan2(along).to_degrees(), expected);
        let source = "Snell: k sin θ is constant, with ω² = g k tanh kd [lamb1932]";
        checks.at_most(format!("{name}: direction, degrees"), error.value(), Target::ours(2.0, source));
        checks.baseline(
            format!("{name}: angle to the normal of the shoal, degrees"),
            measured(across.atan2(along).to_degrees()),
        );
    }
    Ok(())
}

/// Amplitudes behind a rock.
pub fn diffraction(checks: &mut Checks) -> anyhow::Result<()> {
    /// The tip of the rock, on its lee.
    const TIP: DVec2 = DVec2::new(3.125, 5.0);
    /// From there to the places, in metres.
    const BEHIND: f64 = 2.1875;
    const INTO_SHADOW: [(&str, f64); 3] = [("on its border", 0.0), ("1 m within", 1.0), ("2 m within", 2.0)];
    let rock = "[[obstacle]]\nkind = 'box'\nat = [3.0625, 2.5, 0.3]\nsize = [0.125, 5, 0.6]\n";
    let points = INTO_SHADOW.map(|(_, depth)| TIP + DVec2::new(BEHIND, -depth));
    let amplitudes = |section: &str| -> anyhow::Result<Vec<[f64; 2]>> {
        components(&mut build(&format!("{DIFFRACTION}{section}"), &[])?, &points, 6.0)
    };
    let (open, behind) = (amplitudes("")?, amplitudes(rock)?);
    let wavelength = TAU / wave_number(TAU / PERIOD, DEEP);
    for (number, (name, depth)) in INTO_SHADOW.iter().enumerate() {
        let mut error = Worst::default();
        error.compare(
            behind[number][0] / open[number][0],
            sommerfeld(BEHIND / wavelength, -depth / wavelength),
        );
        let source = "[sommerfeld1896], rigid half-plane";
        checks.at_most(format!("amplitude in the shadow, {name}"), error.value(), Target::ours(0.1, source));
    }
    Ok(())
}

/// Amplitude behind a rigid half-plane x = 0, y < 0 over that of the waves that come along x; lengths in wavelengths, x > 0.
fn sommerfeld(x: f64, y: f64) -> f64 {
    let r = x.hypot(y);
    let sign = if y < 0.0 { -1.0 } else { 1.0 };
    let incident = half_plane_integral(sign * (4.0 * (r - x)).max(0.0).sqrt());
    let reflected = half_plane_integral(-(4.0 * (r + x)).sqrt());
    let turned = |[re, im]: [f64; 2], angle: f64| {
        let (sin, cos) = angle.sin_cos();
        [re * cos - im * sin, re * sin + im * cos]
    };
    let [a, b] = [turned(incident, -TAU * x), turned(reflected, TAU * x)];
    (a[0] + b[0]).hypot(a[1] + b[1])
}

/// (1 + i)/2 ∫ exp(−iπu²/2) du from −∞ to σ, real and imaginary part, by Simpson's rule from 0.
fn half_plane_integral(sigma: f64) -> [f64; 2] {
    const PIECES: usize = 2000;
    let step = sigma / PIECES as f64;
    let mut sums = [0.0; 2];
    for piece in 0..=PIECES {
        let weight = match piece {
            0 | PIECES => 1.0,
            _ if piece % 2 == 1 => 4.0,
            _ => 2.0,
        };
        let (sin, cos) = (0.5 * PI * (step * piece as f64).powi(2)).sin_cos();
        sums = [sums[0] + weight * step / 3.0 * cos, sums[1] - weight * step / 3.0 * sin];
    }
    // From −∞ to 0: (1 − i)/2
    let [re, im] = [sums[0] + 0.5, sums[1] - 0.5];
    [0.5 * (re - im), 0.5 * (re + im)]
}

#[cfg(test)]
mod tests {
    use super::{half_plane_integral, sommerfeld, wave_number};

    #[test]
    fn the_exact_solutions_have_their_known_limits() {
        let far = half_plane_integral(8.0);
        assert!((far[0] - 1.0).hypot(far[1]) < 0.04, "{far:?}");
        let none = half_plane_integral(-8.0);
        assert!(none[0].hypot(none[1]) < 0.04, "{none:?}");
        // Half the amplitude on the border of the shadow far behind, all of it far in the light
        assert!((sommerfeld(50.0, 0.0) - 0.5).abs() < 0.02);
        assert!((sommerfeld(5.0, 40.0) - 1.0).abs() < 0.05);
        let k = wave_number(5.0, 0.4);
        assert!((9.81 * k * (0.4 * k).tanh() - 25.0).abs() < 1e-9);
    }
}
