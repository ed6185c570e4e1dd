//! Disturbances of the water, interactive or by the scene file.

use glam::{DVec2, DVec3};

/// A disturbance from outside; [`Runner::disturb`](crate::Runner::disturb) hands it to every water.
///
/// ```
/// use glam::DVec2;
/// let pebble = undine_sim::Disturbance::Drop { at: DVec2::ZERO, radius: 0.02, volume: 3e-5 };
/// # let _ = pebble;
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Disturbance {
    /// Something falls in: a stone, or a lump of water.
    Drop {
        /// Where it meets the surface, in metres.
        at: DVec2,
        /// Its radius in metres.
        radius: f64,
        /// The volume it displaces, in m³.
        volume: f64,
    },
    /// A push that gives water near a point this velocity.
    Push {
        /// Where, in metres.
        at: DVec3,
        /// How far it reaches, in metres.
        radius: f64,
        /// The velocity, in m/s.
        velocity: DVec3,
    },
    /// Water poured in (or drawn off, by a negative rate) for a while.
    Source {
        /// Where, in metres.
        at: DVec2,
        /// Radius of the jet in metres.
        radius: f64,
        /// Rate in m³/s.
        rate: f64,
        /// For how long, in seconds.
        duration: f64,
    },
    /// Rain on everything for a while.
    Rain {
        /// Depth of rain per second, in m/s.
        rate: f64,
        /// For how long, in seconds.
        duration: f64,
    },
}

impl Disturbance {
    /// Whether it is made of finite numbers.
    pub fn is_finite(&self) -> bool {
        match *self {
            Disturbance::Drop { at, radius, volume } => {
                at.is_finite() && radius.is_finite() && volume.is_finite()
            }
            Disturbance::Push { at, radius, velocity } => {
                at.is_finite() && radius.is_finite() && velocity.is_finite()
            }
            Disturbance::Source { at, radius, rate, duration } => {
                at.is_finite() && radius.is_finite() && rate.is_finite() && duration.is_finite()
            }
            Disturbance::Rain { rate, duration } => rate.is_finite() && duration.is_finite(),
        }
    }
}
