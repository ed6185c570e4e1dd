//! One sine wave: level, slope and motion at a point and time.

use glam::{DVec2, DVec3};
use undine_scene::{Problem, Timed, Values};

use super::super::sheet::{SheetIntegrals, SheetVertex, smooth_step};
use super::super::{Dispersion, amplitude_now, dispersion_of};

/// Shape of the crests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum CrestShape {
    /// Plane wave along a unit vector.
    Straight(DVec2),
    /// Circles around a centre.
    Ring(DVec2),
}

/// One wave of the sum.
#[derive(Debug, Clone)]
pub(super) struct SineWave {
    pub shape: CrestShape,
    pub amplitude: Timed,
    /// A(t) and dA/dt at the current time.
    pub amplitude_now: (f64, f64),
    pub dispersion: Dispersion,
    pub phase: f64,
    /// Time at which it starts; −∞ for a wave without a start.
    pub onset: f64,
    pub rise: f64,
    /// Decay time; infinite for an undamped wave.
    pub decay: f64,
}

/// Surface and motion at a point: η, its derivatives, and the flow.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WaveState {
    pub level: f64,
    pub slope: DVec2,
    /// ∂η/∂t, which is also the vertical velocity at the surface.
    pub rising: f64,
    /// Horizontal velocity at the surface.
    pub along: DVec2,
    /// Velocity potential at the surface.
    pub potential: f64,
    /// Volume transport per metre of crest, in m²/s.
    pub transport: DVec2,
    /// Vertical velocity integrated over the depth, in m²/s.
    pub lift: f64,
}

impl WaveState {
    /// All quantities multiplied by a factor.
    pub fn scaled(self, by: f64) -> WaveState {
        WaveState {
            level: self.level * by,
            slope: self.slope * by,
            rising: self.rising * by,
            along: self.along * by,
            potential: self.potential * by,
            transport: self.transport * by,
            lift: self.lift * by,
        }
    }
}

impl WaveState {
    /// The vertex above `xy`.
    pub fn vertex(&self, xy: DVec2) -> SheetVertex {
        SheetVertex {
            position: xy.extend(self.level),
            normal: DVec3::new(-self.slope.x, -self.slope.y, 1.0),
            velocity: self.along.extend(self.rising),
        }
    }

    /// Contribution to the budget, per square metre; energies and momentum by linear theory.
    pub fn contribution(&self, prescribed: f64) -> SheetIntegrals {
        SheetIntegrals {
            volume: self.level,
            prescribed,
            momentum: self.transport.extend(self.lift),
            kinetic: self.potential * self.rising,
            potential: self.level * self.level,
        }
    }
}

impl std::ops::AddAssign for WaveState {
    fn add_assign(&mut self, other: WaveState) {
        self.level += other.level;
        self.slope += other.slope;
        self.rising += other.rising;
        self.along += other.along;
        self.potential += other.potential;
        self.transport += other.transport;
        self.lift += other.lift;
    }
}

impl SineWave {
    pub fn read(values: &Values, depth: Option<f64>, gravity: f64) -> Result<SineWave, Problem> {
        let dispersion = dispersion_of(values, depth, gravity);
        let direction = DVec2::from(values.vector::<2>("direction"));
        let shape = match values.word("shape") {
            "ring" => CrestShape::Ring(DVec2::from(values.vector::<2>("center"))),
            _ => CrestShape::Straight(direction.try_normalize().ok_or_else(|| {
                values.problem("direction", "the direction has no length", "give a vector such as [1, 0]")
            })?),
        };
        for key in ["rise", "decay"] {
            if values.is_given(key) && !values.is_given("onset") {
                let message = format!("a wave that has always been there has no {key}");
                return Err(values.problem(key, message, "give it an onset, such as onset = 0"));
            }
        }
        let period = if dispersion.omega > 0.0 { std::f64::consts::TAU / dispersion.omega } else { 1.0 };
        Ok(SineWave {
            shape,
            amplitude: values.timed("amplitude").clone(),
            amplitude_now: (0.0, 0.0),
            dispersion,
            phase: values.number("phase"),
            onset: values.number_if("onset").unwrap_or(f64::NEG_INFINITY),
            rise: values.number_if("rise").unwrap_or(period),
            decay: values.number_if("decay").unwrap_or(f64::INFINITY),
        })
    }

    /// The ring wave of an impact that displaces `volume` at `center`.
    pub fn of_impact(
        center: DVec2,
        radius: f64,
        volume: f64,
        time: f64,
        depth: f64,
        gravity: f64,
    ) -> SineWave {
        // The crater is half a wavelength wide, and at most a tenth of the wavelength deep
        let wavelength = 4.0 * radius.clamp(0.01, 50.0);
        let crater = volume / (std::f64::consts::PI * radius.max(0.01).powi(2));
        let dispersion = Dispersion::of_gravity_wave(wavelength, Some(depth), gravity);
        let period = std::f64::consts::TAU / dispersion.omega.max(1e-3);
        let amplitude = crater.clamp(-0.1 * wavelength, 0.1 * wavelength);
        SineWave {
            shape: CrestShape::Ring(center),
            amplitude: Timed::constant(amplitude),
            amplitude_now: (amplitude, 0.0),
            dispersion,
            phase: 0.0,
            onset: time,
            rise: 0.5 * period,
            decay: 2.0 * period,
        }
    }

    /// Whether its volume changes are those of a flow: plane and of constant amplitude.
    pub fn is_flow(&self) -> bool {
        let is_straight = matches!(self.shape, CrestShape::Straight(_));
        is_straight
            && self.amplitude.is_constant()
            && self.onset == f64::NEG_INFINITY
            && self.decay.is_infinite()
    }

    /// Evaluates A(t) and dA/dt.
    pub fn set_time(&mut self, time: f64) -> Result<(), Problem> {
        self.amplitude_now = amplitude_now(&self.amplitude, time)?;
        Ok(())
    }

    /// The wave at a point.
    pub fn at(&self, xy: DVec2, time: f64) -> WaveState {
        match self.shape {
            CrestShape::Straight(direction) => {
                let angle = self.dispersion.k * direction.dot(xy) + self.clock(time);
                self.straight(direction, self.height(time), angle.sin_cos())
            }
            CrestShape::Ring(center) => self.ring(xy - center, time),
        }
    }

    /// Phase at the origin: φ − ω (t − onset).
    pub fn clock(&self, time: f64) -> f64 {
        let since = if self.onset.is_finite() { time - self.onset } else { time };
        self.phase - self.dispersion.omega * since
    }

    /// Amplitude of a plane wave with its envelope, and its rate of change.
    pub fn height(&self, time: f64) -> (f64, f64) {
        let (amplitude, growth) = self.amplitude_now;
        if self.onset == f64::NEG_INFINITY {
            return (amplitude, growth);
        }
        let (fraction, change) = self.envelope(time - self.onset);
        (amplitude * fraction, growth * fraction + amplitude * change)
    }

    /// A plane wave, from its amplitude and the sine and cosine of its phase.
    pub fn straight(
        &self,
        direction: DVec2,
        (height, growth): (f64, f64),
        (sin, cos): (f64, f64),
    ) -> WaveState {
        let Dispersion { k, omega, .. } = self.dispersion;
        let level = height * sin;
        let rising = growth * sin - height * omega * cos;
        WaveState {
            level,
            slope: direction * (height * k * cos),
            ..self.motion(direction, level, height * cos, rising)
        }
    }

    /// A ring wave at `offset` from its centre.
    fn ring(&self, offset: DVec2, time: f64) -> WaveState {
        let Dispersion { k, omega, group_speed, .. } = self.dispersion;
        let wavelength = self.dispersion.wavelength();
        // The distance is smoothed at the centre, where the slope would be singular
        let soft = 0.15 * wavelength;
        let distance = offset.length().hypot(soft);
        let outward = offset / distance;

        // The envelope travels outwards at the group speed, and the amplitude falls with the circumference
        let since_onset = if self.onset.is_finite() { time - self.onset } else { f64::INFINITY };
        let (fraction, change) = self.envelope(since_onset - (distance - soft) / group_speed.max(1e-9));
        if fraction == 0.0 {
            return WaveState::default();
        }
        let (amplitude, growth) = self.amplitude_now;
        let spread = (wavelength / (wavelength + distance)).sqrt();
        let spread_slope = -0.5 * spread / (wavelength + distance);
        let height = amplitude * fraction * spread;
        let height_slope = amplitude * (fraction * spread_slope - change * spread / group_speed.max(1e-9));

        let (sin, cos) = (k * distance + self.clock(time)).sin_cos();
        let level = height * sin;
        let slope = outward * (height_slope * sin + height * k * cos);
        let rising = (growth * fraction + amplitude * change) * spread * sin - height * omega * cos;
        WaveState { level, slope, ..self.motion(outward, level, height * cos, rising) }
    }

    /// Motion by linear theory: from η = A sin θ, `cosine` = A cos θ and ∂η/∂t.
    fn motion(&self, direction: DVec2, level: f64, cosine: f64, rising: f64) -> WaveState {
        let Dispersion { k, omega, orbit_ratio, lift, .. } = self.dispersion;
        WaveState {
            rising,
            along: direction * (omega * orbit_ratio * level),
            potential: -omega * orbit_ratio / k * cosine,
            transport: direction * (omega / k * level),
            lift: rising * lift,
            ..WaveState::default()
        }
    }

    /// Envelope at this age: smooth_step(age/rise) exp(−age/decay), and its rate of change.
    fn envelope(&self, age: f64) -> (f64, f64) {
        if age <= 0.0 {
            return (0.0, 0.0);
        }
        if age.is_infinite() {
            return (if self.decay.is_infinite() { 1.0 } else { 0.0 }, 0.0);
        }
        let x = (age / self.rise).min(1.0);
        let (risen, rising) = (smooth_step(x), 6.0 * x * (1.0 - x) / self.rise);
        let left = (-age / self.decay).exp();
        (risen * left, (rising - risen / self.decay) * left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn impact() -> SineWave {
        SineWave::of_impact(DVec2::new(0.2, -0.1), 0.2, 0.01, 0.3, 2.0, 9.81)
    }

    fn straight() -> SineWave {
        let shape = CrestShape::Straight(DVec2::new(0.6, 0.8));
        SineWave { shape, onset: f64::NEG_INFINITY, decay: f64::INFINITY, ..impact() }
    }

    #[test]
    fn slopes_and_rise_are_the_derivatives_of_the_level() {
        const STEP: f64 = 1e-6;
        for wave in [impact(), straight(), SineWave { onset: 0.1, decay: 3.0, ..straight() }] {
            for (x, y, t) in [(0.2, -0.1, 0.9), (1.3, 0.4, 1.7), (-2.0, 1.0, 2.4), (0.21, -0.1, 1.1)] {
                let level = |x: f64, y: f64, t: f64| wave.at(DVec2::new(x, y), t).level;
                let here = wave.at(DVec2::new(x, y), t);
                let numeric = [
                    (level(x + STEP, y, t) - level(x - STEP, y, t)) / (2.0 * STEP),
                    (level(x, y + STEP, t) - level(x, y - STEP, t)) / (2.0 * STEP),
                    (level(x, y, t + STEP) - level(x, y, t - STEP)) / (2.0 * STEP),
                ];
                for (exact, numeric) in [here.slope.x, here.slope.y, here.rising].into_iter().zip(numeric) {
                    assert!((exact - numeric).abs() < 1e-6, "{exact} against {numeric} at {x}, {y}, {t}");
                }
            }
        }
    }

    #[test]
    fn nothing_moves_before_the_front_arrives() {
        let wave = impact();
        let far = DVec2::new(30.0, 0.0);
        assert_eq!(wave.at(far, 2.0).level, 0.0);
        let arrival = wave.onset + far.length() / wave.dispersion.group_speed;
        assert!(wave.at(far, arrival + 1.0).level.abs() > 0.0);
    }

    #[test]
    fn crests_travel_along_the_direction_at_the_phase_speed() {
        let wave = straight();
        let speed = wave.dispersion.omega / wave.dispersion.k;
        let start = wave.at(DVec2::new(0.1, 0.2), 0.0).level;
        let later = wave.at(DVec2::new(0.1, 0.2) + DVec2::new(0.6, 0.8) * speed * 0.7, 0.7).level;
        assert!((start - later).abs() < 1e-12);
    }
}
