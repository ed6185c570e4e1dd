//! What stands between the sun and a point: solid bodies and smoke.

use glam::Vec3;

use super::smoke::Smoke;
use super::sunmap::SunMap;

/// The shadows of solid bodies and of smoke.
#[derive(Debug, Default)]
pub struct Shade {
    /// The bodies as the sun sees them.
    pub bodies: Option<SunMap>,
    /// The smoke.
    pub smoke: Option<Smoke>,
}

impl Shade {
    /// The share of the sun, which stands in direction `sun`, that reaches a point.
    pub fn lit(&self, point: Vec3, sun: Vec3) -> f32 {
        let past_bodies = self.bodies.as_ref().map_or(1.0, |map| map.lit(point));
        let through_smoke = self.smoke.as_ref().map_or(1.0, |smoke| smoke.lets_through(point, sun));
        past_bodies * through_smoke
    }
}
