//! Waves in closed form: nothing is stored from step to step but the time.
//!
//! [`sine`] sums sine waves over a plane, as in §2.2.2 of [li2007]: straight crests, and rings around a stone's fall.
//! [`gerstner`] moves the points of the surface on circles, as in §2.3.2 of [li2007] and in [gerstner1809], which
//! sharpens crests and flattens troughs. Both are exact at every point and time, so they are also the oracles
//! against which other waters are measured.

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

/// The keys of the sheet over which closed forms are evaluated; see [`sheet::Sheet`].
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

/// The speed of a wave: as given, or from the dispersion relation.
fn wave_of(wave: &Values, depth: Option<f64>, gravity: f64) -> Dispersion {
    let wavelength = wave.number("wavelength");
    match wave.number_if("speed") {
        Some(speed) => Dispersion::with_speed(wavelength, speed, depth),
        None => Dispersion::of_gravity_wave(wavelength, depth, gravity),
    }
}

/// An amplitude now, and how fast it changes.
fn amplitude_now(amplitude: &Timed, time: f64) -> (f64, f64) {
    const STEP: f64 = 1e-4;
    let now = amplitude.at(time);
    if amplitude.is_constant() {
        return (now, 0.0);
    }
    // Nobody has checked the expression before the start.
    let before = (time - STEP).max(0.0);
    (now, (amplitude.at(time + STEP) - amplitude.at(before)) / (time + STEP - before))
}

/// Reads every `wave` of a section, with all problems at once.
fn read_all<W>(values: &Values, read: impl Fn(&Values) -> Result<W, Problem>) -> Result<Vec<W>, SceneErrors> {
    let mut errors = SceneErrors::default();
    let waves =
        values.tables("wave").iter().filter_map(|wave| errors.keep(read(wave).map_err(SceneErrors::from)));
    let waves = waves.collect();
    errors.into_result().map(|()| waves)
}

/// What a sheet with these keys will need.
fn estimate(values: &Values) -> Estimate {
    let vertices = sheet::Sheet::vertices(values);
    let waves = values.tables("wave").len() as u64;
    Estimate {
        // Position, normal and velocity; the same and texture coordinates once more in the frame; rasters; what packing
        // the frame for the cache takes.
        bytes: vertices.saturating_mul(36 + 44 + 20 + 60),
        seconds_per_frame: vertices as f64 * (100.0 + 40.0 * waves as f64) * 1e-9,
        lower: "resolution",
    }
}

/// A warning for every wave that the sheet is too coarse to carry whole.
fn coarse_waves(values: &Values, sheet: &sheet::Sheet) -> Vec<Problem> {
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
