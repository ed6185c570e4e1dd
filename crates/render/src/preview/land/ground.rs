//! Shading of dry, wet and flooded ground.
//!
//! Wet ground is darker by up to a half [kass1990], because its film of water reflects part of the light back into it. The
//! film also reflects the sky, with the roughness of the grains below.

use std::f32::consts::{FRAC_1_PI, PI};

use glam::{Vec2, Vec3};

use super::Land;
use crate::optics::{WATER_INDEX, fresnel, reflect};
use crate::sky::Sky;

/// Relative loss of albedo of wet ground.
pub(crate) const WET_LOSS: f32 = 0.5;
/// Amplitude factor of small bumps under a film of water.
pub(crate) const WET_BUMPS: f32 = 0.4;
/// Slope variance of the film on wet ground.
pub(crate) const FILM: f32 = 0.035;

/// Shading point on the ground.
#[derive(Debug, Clone, Copy)]
pub struct GroundShadingPoint {
    /// The point.
    pub point: Vec3,
    /// Unit shading normal.
    pub normal: Vec3,
    /// Unit geometric normal.
    pub face: Vec3,
    /// Size of the pixel footprint in metres.
    pub footprint: f32,
}

impl Land {
    /// The radiance of ground above water, seen along `direction`.
    pub fn bare(&self, sky: &Sky, shading_point: &GroundShadingPoint, direction: Vec3) -> Vec3 {
        let wetness = self.wetness(Vec2::new(shading_point.point.x, shading_point.point.y));
        let sample = self.texture.sample(shading_point.point, shading_point.face, shading_point.footprint);
        let bumps = sample.bumps * (1.0 + (WET_BUMPS - 1.0) * wetness);
        let normal =
            (shading_point.normal - Vec3::new(bumps.x, bumps.y, 0.0)).normalize_or(shading_point.normal);
        let (sun, open) = self.daylight(shading_point.point);
        let light = sky.partial_irradiance(normal, sun, open) + bounce(sky, open);
        let albedo = sample.albedo * (1.0 - WET_LOSS * wetness);
        let matt = albedo * light * FRAC_1_PI;
        if wetness <= 0.0 {
            matt
        } else {
            matt + self.sheen(sky, normal, direction, sun, open) * wetness * wetness
        }
    }

    /// Albedo of dry ground, filtered over about `footprint` metres.
    pub fn albedo(&self, point: Vec3, normal: Vec3, footprint: f32) -> Vec3 {
        self.texture.albedo(point, normal, footprint)
    }

    /// The radiance of ground under water, without attenuation. `sun` is the irradiance of the sun on the smooth ground,
    /// relative to that at normal incidence.
    pub fn flooded(&self, sky: &Sky, point: Vec3, footprint: f32, sun: f32) -> Vec3 {
        let at = Vec2::new(point.x, point.y);
        let normal = self.normal(at, footprint);
        let sample = self.texture.sample(point, normal, footprint);
        let smooth = normal.dot(sky.sun).max(0.1);
        let normal =
            (normal - Vec3::new(sample.bumps.x, sample.bumps.y, 0.0) * WET_BUMPS).normalize_or(normal);
        let (_, open) = self.daylight(point);
        let bumped = sun * (normal.dot(sky.sun).max(0.0) / smooth).min(2.0);
        let light = sky.partial_irradiance(normal, 0.0, open) + sky.sunlight * bumped + bounce(sky, open);
        sample.albedo * (1.0 - WET_LOSS) * light * FRAC_1_PI
    }

    // Specular reflection of sky and sun by a rough film of water (GGX).
    fn sheen(&self, sky: &Sky, normal: Vec3, direction: Vec3, sun: f32, open: f32) -> Vec3 {
        let cosine = (-direction.dot(normal)).max(0.05);
        let ray = reflect(direction, normal);
        let lifted = ray.with_z(ray.z.max(0.02)).normalize_or(Vec3::Z);
        let mirrored = self.mirrored(sky, lifted, 0.35) * (0.8 * open * fresnel(cosine, WATER_INDEX));
        let half = (sky.sun - direction).normalize_or(Vec3::Z);
        let towards = half.dot(normal).max(0.0);
        let base = 1.0 + towards * towards * (2.0 * FILM - 1.0);
        let lobe = 2.0 * FILM / (PI * base * base) * fresnel(-direction.dot(half), WATER_INDEX);
        let lit = normal.dot(sky.sun).max(0.0) / (normal.dot(sky.sun).max(0.0) + 0.1);
        mirrored + sky.sunlight * (sun * lobe * lit / (4.0 * cosine)).min(0.5)
    }
}

// Indirect light from sunlit terrain around; more in hollows, which see less sky.
fn bounce(sky: &Sky, open: f32) -> Vec3 {
    sky.sunlight * Vec3::new(1.0, 0.9, 0.75) * (sky.sun.z.max(0.0) * (0.04 + 0.06 * (1.0 - open)))
}
