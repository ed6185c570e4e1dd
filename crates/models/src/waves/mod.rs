//! Waves in closed form: surface and motion are functions of position and time.
//!
//! [`sine`] sums sine waves over a plane, as in §2.2.2 of [li2007]: plane waves, and rings around an impact.
//! [`gerstner`] moves the points of the surface on circles, as in §2.3.2 of [li2007] and in [gerstner1809], which
//! sharpens crests and flattens troughs. Both are exact at every point and time, so they also serve as reference
//! solutions for other models.

#[cfg(feature = "checks")]
mod bench;
mod dispersion;
pub mod gerstner;
mod sheet;
pub mod sine;
mod table;

pub use dispersion::Dispersion;

use undine_scene::{Problem, SceneErrors, Timed, Values};
use undine_sim::Estimate;

/// Density of fresh water in kg/m³, for momentum and energy.
const DENSITY: f64 = 1000.0;

/// The keys of the sheet over which closed forms are evaluated; see [`sheet::WaveSheet`].
macro_rules! sheet_keys {
    ($($more:expr),* $(,)?) => {
        &[
            Key::vector("size", 2).unit("m").default(Absent::Vector(&[20.0, 20.0])).positive_to(1e6)
                .help("extent of the water along x and y"),
            Key::vector("center", 2).unit("m").default(Absent::Vector(&[0.0, 0.0])).within(-1e5, 1e5)
                .help("middle of the water"),
            Key::integer("resolution").default(Absent::Integer(256)).within(2.0, 16384.0).scaled()
                .help("samples along x; along y there are as many as make the samples square"),
            Key::number("depth").unit("m").optional("deep water").positive_to(12_000.0)
                .live().help("depth of the water, which slows long waves"),
            Key::number("horizon").unit("m").or(0.0).within(0.0, 1e6)
                .live().help("how far the sheet goes on beyond its size, with ever wider samples, so that its edge is out of sight"),
            $($more),*
        ]
    };
}
use sheet_keys;

/// Dispersion of a wave: from its given speed, or from the dispersion relation.
fn dispersion_of(wave: &Values, depth: Option<f64>, gravity: f64) -> Dispersion {
    let wavelength = wave.number("wavelength");
    match wave.number_if("speed") {
        Some(speed) => Dispersion::with_speed(wavelength, speed, depth),
        None => Dispersion::of_gravity_wave(wavelength, depth, gravity),
    }
}

/// Amplitude A(t) and its rate of change dA/dt, by central differences; one-sided where A is not given on one side.
fn amplitude_now(amplitude: &Timed, time: f64) -> Result<(f64, f64), Problem> {
    const STEP: f64 = 1e-4;
    let now = amplitude.at(time)?;
    if amplitude.is_constant() {
        return Ok((now, 0.0));
    }
    let sample = |t: f64| amplitude.at(t).map_or((time, now), |value| (t, value));
    // There is no time before zero
    let ((before, earlier), (after, later)) = (sample((time - STEP).max(0.0)), sample(time + STEP));
    Ok((now, if after > before { (later - earlier) / (after - before) } else { 0.0 }))
}

/// Reads every `wave` of a section; reports all problems at once.
fn read_all<W>(values: &Values, read: impl Fn(&Values) -> Result<W, Problem>) -> Result<Vec<W>, SceneErrors> {
    let mut errors = SceneErrors::default();
    let waves =
        values.tables("wave").iter().filter_map(|wave| errors.keep(read(wave).map_err(SceneErrors::from)));
    let waves = waves.collect();
    errors.into_result().map(|()| waves)
}

/// Memory and time that a sheet with these keys needs.
fn estimate(values: &Values) -> Estimate {
    let vertices = sheet::WaveSheet::vertices(values);
    let waves = values.tables("wave").len() as u64;
    Estimate {
        // Position, normal and velocity; the same with texture coordinates in the frame; rasters; compression of the
        // frame
        bytes: vertices.saturating_mul(36 + 44 + 20 + 60),
        seconds_per_frame: vertices as f64 * (100.0 + 40.0 * waves as f64) * 1e-9,
        lower: "resolution",
    }
}

/// A warning for every wave with fewer than four samples per wavelength.
fn coarse_waves(values: &Values, sheet: &sheet::WaveSheet) -> Vec<Problem> {
    let spacing = sheet.grid.spacing().into_iter().fold(0.0, f64::max);
    let coarse = values.tables("wave").iter().filter(|wave| wave.number("wavelength") < 4.0 * spacing);
    let warn = |wave: &Values| {
        let samples = wave.number("wavelength") / spacing;
        let message = format!(
            "{samples:.2} samples to a wavelength are too few: the surface shows this wave in part or not at all"
        );
        wave.problem("wavelength", message, "raise resolution until there are four")
    };
    coarse.map(warn).collect()
}
