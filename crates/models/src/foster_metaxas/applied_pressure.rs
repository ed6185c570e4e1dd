//! The pressure that is applied to the surface: §7.2 of [foster1996].
//!
//! p_applied is any expression of x, y, t and the level h, plus a wind of h's slopes too, plus the wave form of eqs. (17)–(19):
//!
//!   p_applied/ρ = (A + B cos(C x − ω t))/τ,   C = π/L = 2π/λ,   B = a √(|g|/(C tanh C D)),   ω² = |g| C tanh C D.
//!
//! Corrected: eq. (18) prints a √(−gD/C), which is no depth-dependent amplitude of a wave; eq. (17) divides by δt in every step,
//! but an impulse acts once, so here it acts for 0 ≤ t < τ, or in the first step for τ = 0. The mean A moves no water.
//! A wind acts by its pressure alone; there is no shear.

use std::f64::consts::TAU;

use undine_scene::{Absent, Formula, Key, Problem, Values, active_fraction};

/// The variables of a surface pressure.
const PRESSURE_VARIABLES: &[&str] = &["x", "y", "t", "h"];
/// The variables of a wind.
const WIND_VARIABLES: &[&str] = &["x", "y", "t", "h", "hx", "hy"];

/// The key of the applied pressure.
pub(super) const PRESSURE: Key = Key::text("applied_pressure").optional("none").live().help(
    "pressure on the surface in Pa, as an expression of x, y, t and the level h, such as '20*sin(6*x - 4*t)'",
);

/// The key of the wind.
pub(super) const WIND: Key = Key::text("wind").optional("none").live().help(
    "pressure of a wind on the surface in Pa, as an expression of x, y, t, the level h and its slopes hx and hy, such as \
     '-30*hx'",
);

/// The key of the wave form.
pub(super) const PRESSURE_WAVE: Key = Key::table("pressure_wave", WAVE_KEYS).live().help(
    "an impulse of pressure that starts a wave, such as { amplitude = 0.02, wavelength = 1, depth = 0.5 }",
);

const WAVE_KEYS: &[Key] = &[
    Key::number("amplitude").unit("m").or(0.0).within(0.0, 1e4).help("amplitude a of the wave"),
    Key::number("wavelength").unit("m").or(1.0).positive_to(1e6).help("wavelength, 2 L of the paper"),
    Key::number("depth").unit("m").or(1.0).positive_to(1e6).help("mean depth D of the water"),
    Key::number("mean")
        .unit("m²/s")
        .or(0.0)
        .within(-1e6, 1e6)
        .help("A, the mean of the impulse, which moves no water"),
    Key::number("duration")
        .unit("s")
        .default(Absent::Number(0.0))
        .within(0.0, 1e6)
        .help("time τ over which the impulse acts from the start; 0: in the first step"),
    Key::number("angle")
        .unit("rad")
        .or(0.0)
        .within(-10.0, 10.0)
        .help("direction of the wave, from x towards y"),
];

/// The impulse of eq. (17).
#[derive(Debug, Clone, Copy)]
struct PressureWave {
    mean: f64,
    /// B in m²/s.
    strength: f64,
    /// C in 1/m.
    wave_number: f64,
    /// ω in rad/s.
    frequency: f64,
    duration: f64,
    direction: [f64; 2],
}

/// The level of the surface at a place, and its slopes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SurfacePoint {
    pub x: f64,
    pub y: f64,
    pub level: f64,
    pub slopes: [f64; 2],
}

/// Everything that presses on the surface.
#[derive(Debug, Clone)]
pub(super) struct AppliedPressure {
    values: Values,
    pressure: Option<Formula>,
    wind: Option<Formula>,
    wave: Option<PressureWave>,
    density: f64,
}

impl AppliedPressure {
    /// Reads the keys of a water under this gravity.
    pub fn read(values: &Values, gravity: f64) -> Result<AppliedPressure, Problem> {
        let table = values.table("pressure_wave");
        let amplitude = table.number("amplitude");
        let wave_number = TAU / table.number("wavelength");
        let squared = gravity.abs() * wave_number * (wave_number * table.number("depth")).tanh();
        let wave = PressureWave {
            mean: table.number("mean"),
            strength: if squared > 0.0 { amplitude * gravity.abs() / squared.sqrt() } else { 0.0 },
            wave_number,
            frequency: squared.sqrt(),
            duration: table.number("duration"),
            direction: [table.number("angle").cos(), table.number("angle").sin()],
        };
        Ok(AppliedPressure {
            pressure: Formula::read(values, "applied_pressure", PRESSURE_VARIABLES)?,
            wind: Formula::read(values, "wind", WIND_VARIABLES)?,
            wave: (amplitude > 0.0).then_some(wave),
            density: values.number("density"),
            values: values.clone(),
        })
    }

    /// Whether nothing presses at any time.
    pub fn is_none(&self) -> bool {
        self.pressure.is_none() && self.wind.is_none() && self.wave.is_none()
    }

    /// p_applied/ρ in m²/s² at a point of the surface during a step.
    pub fn at(&self, point: &SurfacePoint, from: f64, to: f64) -> Result<f64, Problem> {
        let time = 0.5 * (from + to);
        let SurfacePoint { x, y, level, slopes: [slope_x, slope_y] } = *point;
        let mut sum = self.wave.map_or(0.0, |wave| wave.at(point, from, to));
        for (key, formula) in [("applied_pressure", &self.pressure), ("wind", &self.wind)] {
            let Some(formula) = formula else { continue };
            let value = match key {
                "wind" => formula.value(&[x, y, time, level, slope_x, slope_y]),
                _ => formula.value(&[x, y, time, level]),
            };
            if !value.is_finite() {
                let message =
                    format!("this pressure is {value} at x = {x}, y = {y}, h = {level}, t = {time} s");
                return Err(self.values.problem(
                    key,
                    message,
                    "mind divisions by zero, roots and logarithms",
                ));
            }
            sum += value / self.density;
        }
        Ok(sum)
    }
}

impl PressureWave {
    fn at(&self, point: &SurfacePoint, from: f64, to: f64) -> f64 {
        // The part of the impulse that falls into the step, per second
        let rate = match self.duration > 0.0 {
            true => active_fraction(&(from..to), &(0.0..self.duration)) / self.duration,
            false if from <= 0.0 && to > 0.0 => 1.0 / (to - from),
            false => 0.0,
        };
        if rate == 0.0 {
            return 0.0;
        }
        let along = self.direction[0] * point.x + self.direction[1] * point.y;
        let phase = self.wave_number * along - self.frequency * 0.5 * (from.max(0.0) + to);
        rate * (self.mean + self.strength * phase.cos())
    }
}
