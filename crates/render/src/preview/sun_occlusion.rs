//! Occlusion of the sun by solid bodies and smoke.

use glam::Vec3;

use super::shadow_map::ShadowMap;
use super::smoke::Smoke;

/// Shadows of solid bodies and smoke.
#[derive(Debug, Default)]
pub struct SunOcclusion {
    /// Shadow map of the bodies.
    pub bodies: Option<ShadowMap>,
    /// The smoke.
    pub smoke: Option<Smoke>,
}

impl SunOcclusion {
    /// Visibility of the sun in direction `sun` at a point, 0 to 1.
    pub fn sun_visibility(&self, point: Vec3, sun: Vec3) -> f32 {
        let past_bodies = self.bodies.as_ref().map_or(1.0, |map| map.sun_visibility(point));
        let through_smoke = self.smoke.as_ref().map_or(1.0, |smoke| smoke.transmittance(point, sun));
        past_bodies * through_smoke
    }
}
