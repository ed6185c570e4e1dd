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
    /// Ground that is heaped up by a round tool of radius R while its middle goes along a straight path: it rises by the
    /// height times the mean of (1 − r²/R²)² over the path, so that the volume of ground does not depend on how long the
    /// path is. The water keeps its depth everywhere, so its level moves with the ground.
    Ground {
        /// Beginning and end of the path, in metres; the same point twice for a single heap.
        path: [DVec2; 2],
        /// Radius of the tool in metres.
        radius: f64,
        /// Height of a single heap in metres; negative digs ground away.
        height: f64,
    },
    /// A dam: ground is raised to the level of its crest along a straight line, and beside it to an even slope that falls
    /// from the crest until it meets the ground. Higher ground stays.
    Dam {
        /// The ends of the line, in metres.
        path: [DVec2; 2],
        /// Half the width of the crest, in metres.
        radius: f64,
        /// Level of the crest in metres.
        level: f64,
        /// Fall of the sides per distance from the crest.
        slope: f64,
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
            Disturbance::Ground { path: [from, to], radius, height } => {
                from.is_finite() && to.is_finite() && radius.is_finite() && height.is_finite()
            }
            Disturbance::Dam { path: [from, to], radius, level, slope } => {
                let numbers = [radius, level, slope];
                from.is_finite() && to.is_finite() && numbers.iter().all(|number| number.is_finite())
            }
            Disturbance::Rain { rate, duration } => rate.is_finite() && duration.is_finite(),
        }
    }

    /// Whether it changes the ground, and not the water.
    pub fn changes_ground(&self) -> bool {
        matches!(self, Disturbance::Ground { .. } | Disturbance::Dam { .. })
    }
}
