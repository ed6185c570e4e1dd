//! One wave train, and a point of the surface displaced by several trains.

use glam::{DMat2, DVec2, DVec3};
use undine_scene::{Problem, Timed, Values};

use super::super::sheet::SheetIntegrals;
use super::super::{Dispersion, amplitude_now, dispersion_of};

/// One wave train.
pub(super) struct WaveTrain {
    pub amplitude: Timed,
    pub dispersion: Dispersion,
    pub direction: DVec2,
    pub steepness: f64,
    pub phase: f64,
    /// A(t) and dA/dt at the current time.
    pub height: (f64, f64),
}

/// A material point of the surface: displacement, tangents and motion.
#[derive(Clone, Copy)]
pub(super) struct GerstnerPoint {
    /// Displacement from x₀.
    pub shift: DVec3,
    /// ∂position/∂x₀ and ∂position/∂y₀.
    pub tangents: [DVec3; 2],
    pub velocity: DVec3,
    /// Momentum and twice the kinetic energy of the column below, per square metre and unit density.
    pub momentum: DVec3,
    pub kinetic: f64,
}

impl WaveTrain {
    /// Reads a train.
    pub fn read(values: &Values, depth: Option<f64>, gravity: f64) -> Result<WaveTrain, Problem> {
        let direction = DVec2::from(values.vector::<2>("direction"));
        let direction = direction.try_normalize().ok_or_else(|| {
            values.problem("direction", "the direction has no length", "give a vector such as [1, 0]")
        })?;
        Ok(WaveTrain {
            amplitude: values.timed("amplitude").clone(),
            dispersion: dispersion_of(values, depth, gravity),
            direction,
            steepness: values.number("steepness"),
            phase: values.number("phase"),
            height: (0.0, 0.0),
        })
    }

    /// Phase at x = 0: φ − ω t.
    pub fn clock(&self, time: f64) -> f64 {
        self.phase - self.dispersion.omega * time
    }

    /// θ = k D·x₀ − ω t + φ.
    pub fn phase_at(&self, rest: DVec2, time: f64) -> f64 {
        self.dispersion.k * self.direction.dot(rest) + self.clock(time)
    }

    /// Evaluates A(t) and dA/dt.
    pub fn set_time(&mut self, time: f64) -> Result<(), Problem> {
        self.height = amplitude_now(&self.amplitude, time)?;
        Ok(())
    }
}

impl GerstnerPoint {
    /// The undisturbed state.
    pub const AT_REST: GerstnerPoint = GerstnerPoint {
        shift: DVec3::ZERO,
        tangents: [DVec3::X, DVec3::Y],
        velocity: DVec3::ZERO,
        momentum: DVec3::ZERO,
        kinetic: 0.0,
    };

    /// Adds a train with the sine and cosine of its phase, its amplitude multiplied by `fraction`.
    pub fn add(&mut self, train: &WaveTrain, (sin, cos): (f64, f64), fraction: f64) {
        let Dispersion { k, omega, .. } = train.dispersion;
        let (height, growth) = (train.height.0 * fraction, train.height.1 * fraction);
        let (direction, steepness) = (train.direction, train.steepness);
        self.shift += (direction * (-steepness * height * sin)).extend(height * cos);
        // d/dθ of the displacement; ∂θ/∂x₀ = k D
        let derivative = (direction * (-steepness * height * cos)).extend(-height * sin);
        self.tangents[0] += derivative * (k * direction.x);
        self.tangents[1] += derivative * (k * direction.y);
        let velocity = -omega * derivative + (direction * (-steepness * growth * sin)).extend(growth * cos);
        self.velocity += velocity;
        // The motion decays as exp(k z): ∫ exp(kz) dz = 1/k, ∫ exp(2kz) dz = 1/2k.
        self.momentum += velocity / k;
        self.kinetic += velocity.length_squared() / (2.0 * k);
    }

    /// ∂(x, y)/∂(x₀, y₀): the surface folds where the determinant is negative.
    pub fn jacobian(&self) -> DMat2 {
        DMat2::from_cols(self.tangents[0].truncate(), self.tangents[1].truncate())
    }

    /// Contribution to the integrals over the domain.
    pub fn contribution(&self) -> SheetIntegrals {
        let jacobian = self.jacobian().determinant();
        SheetIntegrals {
            volume: self.shift.z * jacobian,
            // The model accounts for all changes as prescribed
            prescribed: 0.0,
            momentum: self.momentum,
            kinetic: self.kinetic,
            potential: self.shift.z * self.shift.z * jacobian,
        }
    }
}
