//! What stands between the sun and a point: solid bodies and smoke.

use glam::Vec3;

use super::shadow_map::ShadowMap;
use super::smoke::Smoke;

/// The shadows of solid bodies and of smoke.
#[derive(Debug, Default)]
pub struct SunOcclusion {
    /// The bodies as the sun sees them.
    pub bodies: Option<ShadowMap>,
    /// The smoke.
    pub smoke: Option<Smoke>,
}

impl SunOcclusion {
    /// The fraction of the sun, which stands in direction `sun`, that reaches a point.
    pub fn sun_visibility(&self, point: Vec3, sun: Vec3) -> f32 {
        let past_bodies = self.bodies.as_ref().map_or(1.0, |map| map.sun_visibility(point));
        let through_smoke = self.smoke.as_ref().map_or(1.0, |smoke| smoke.transmittance(point, sun));
        past_bodies * through_smoke
    }
}
