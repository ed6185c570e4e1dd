//! One train of waves, and a point of the surface that several of them move.

use glam::{DMat2, DVec2, DVec3};
use undine_scene::{Problem, Timed, Values};

use super::super::sheet::Sums;
use super::super::{Dispersion, amplitude_now, wave_of};

/// One train of waves.
pub(super) struct Train {
    pub amplitude: Timed,
    pub dispersion: Dispersion,
    pub direction: DVec2,
    pub steepness: f64,
    pub phase: f64,
    /// The amplitude now, and how fast it changes.
    pub height: (f64, f64),
}

/// A point of the surface: where it is, how the surface runs there, and how it moves.
#[derive(Clone, Copy)]
pub(super) struct Point {
    /// Displacement from its place at rest.
    pub shift: DVec3,
    /// ∂position/∂x₀ and ∂position/∂y₀.
    pub tangents: [DVec3; 2],
    pub velocity: DVec3,
    /// Momentum and doubled kinetic energy of the column below, per square metre and unit density.
    pub momentum: DVec3,
    pub kinetic: f64,
}

impl Train {
    pub fn read(values: &Values, depth: Option<f64>, gravity: f64) -> Result<Train, Problem> {
        let direction = DVec2::from(values.vector::<2>("direction"));
        let direction = direction.try_normalize().ok_or_else(|| {
            values.problem("direction", "the direction has no length", "give a vector such as [1, 0]")
        })?;
        Ok(Train {
            amplitude: values.timed("amplitude").clone(),
            dispersion: wave_of(values, depth, gravity),
            direction,
            steepness: values.number("steepness"),
            phase: values.number("phase"),
            height: (0.0, 0.0),
        })
    }

    pub fn clock(&self, time: f64) -> f64 {
        self.phase - self.dispersion.omega * time
    }

    pub fn phase_at(&self, rest: DVec2, time: f64) -> f64 {
        self.dispersion.k * self.direction.dot(rest) + self.clock(time)
    }

    pub fn turn(&mut self, time: f64) {
        self.height = amplitude_now(&self.amplitude, time);
    }
}

impl Point {
    /// A point of the water at rest.
    pub const AT_REST: Point = Point {
        shift: DVec3::ZERO,
        tangents: [DVec3::X, DVec3::Y],
        velocity: DVec3::ZERO,
        momentum: DVec3::ZERO,
        kinetic: 0.0,
    };

    /// Adds a train with the sine and cosine of its phase, as far as `share`.
    pub fn add(&mut self, train: &Train, (sin, cos): (f64, f64), share: f64) {
        let Dispersion { k, omega, .. } = train.dispersion;
        let (height, growth) = (train.height.0 * share, train.height.1 * share);
        let (direction, reach) = (train.direction, train.steepness);
        self.shift += (direction * (-reach * height * sin)).extend(height * cos);
        // d/dθ of the displacement; along x₀ and y₀ the phase grows by k D.
        let turning = (direction * (-reach * height * cos)).extend(-height * sin);
        self.tangents[0] += turning * (k * direction.x);
        self.tangents[1] += turning * (k * direction.y);
        let velocity = -omega * turning + (direction * (-reach * growth * sin)).extend(growth * cos);
        self.velocity += velocity;
        // Motion falls off as exp(k z): ∫ exp(kz) dz = 1/k, ∫ exp(2kz) dz = 1/2k.
        self.momentum += velocity / k;
        self.kinetic += velocity.length_squared() / (2.0 * k);
    }

    /// How much a small square at rest is stretched: the horizontal Jacobian. The surface folds where it is negative.
    pub fn stretch(&self) -> DMat2 {
        DMat2::from_cols(self.tangents[0].truncate(), self.tangents[1].truncate())
    }

    pub fn contribution(&self) -> Sums {
        let stretch = self.stretch().determinant();
        Sums {
            volume: self.shift.z * stretch,
            // A formula, not a flow; the model enters what changes.
            prescribed: 0.0,
            momentum: self.momentum,
            kinetic: self.kinetic,
            potential: self.shift.z * self.shift.z * stretch,
        }
    }
}
