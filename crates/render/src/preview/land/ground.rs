//! The light of dry, wet and flooded ground.
//!
//! Wet ground is darker by up to a half [kass1990], because a film of water sends part of the light back into it.
//! It also shines: the film mirrors the sky a little, roughened by the grains below.

use std::f32::consts::{FRAC_1_PI, PI};

use glam::{Vec2, Vec3};

use super::Land;
use crate::optics::{WATER_INDEX, fresnel, reflect};
use crate::sky::Sky;

/// Fraction of the light that wet ground loses.
pub(crate) const WET_LOSS: f32 = 0.5;
/// Fraction of the small bumps that a film of water leaves.
pub(crate) const WET_BUMPS: f32 = 0.4;
/// Roughness of the film on wet ground, as a variance of slopes.
pub(crate) const FILM: f32 = 0.035;

/// A spot on the ground under a pixel.
#[derive(Debug, Clone, Copy)]
pub struct GroundShadingPoint {
    /// The point.
    pub point: Vec3,
    /// Unit normal, smooth.
    pub normal: Vec3,
    /// Unit normal of the face itself.
    pub face: Vec3,
    /// Width of the spot along the ground.
    pub footprint: f32,
}

impl Land {
    /// The light of ground that no water covers, seen along `direction`.
    pub fn bare(&self, sky: &Sky, spot: &GroundShadingPoint, direction: Vec3) -> Vec3 {
        let wetness = self.wetness(Vec2::new(spot.point.x, spot.point.y));
        let patch = self.texture.sample(spot.point, spot.face, spot.footprint);
        let bumps = patch.bumps * (1.0 + (WET_BUMPS - 1.0) * wetness);
        let normal = (spot.normal - Vec3::new(bumps.x, bumps.y, 0.0)).normalize_or(spot.normal);
        let (sun, open) = self.daylight(spot.point);
        let light = sky.partial_irradiance(normal, sun, open) + bounce(sky, open);
        let albedo = patch.albedo * (1.0 - WET_LOSS * wetness);
        let matt = albedo * light * FRAC_1_PI;
        if wetness <= 0.0 {
            matt
        } else {
            matt + self.sheen(sky, normal, direction, sun, open) * wetness * wetness
        }
    }

    /// The fraction of light that dry ground reflects, over about `footprint` metres.
    pub fn albedo(&self, point: Vec3, normal: Vec3, footprint: f32) -> Vec3 {
        self.texture.albedo(point, normal, footprint)
    }

    /// The light of ground under water, were the water clear. `sun` is its light on the smooth
    /// ground, in units of that on a surface that faces it.
    pub fn flooded(&self, sky: &Sky, point: Vec3, footprint: f32, sun: f32) -> Vec3 {
        let at = Vec2::new(point.x, point.y);
        let normal = self.normal(at, footprint);
        let patch = self.texture.sample(point, normal, footprint);
        let smooth = normal.dot(sky.sun).max(0.1);
        let normal = (normal - Vec3::new(patch.bumps.x, patch.bumps.y, 0.0) * WET_BUMPS).normalize_or(normal);
        let (_, open) = self.daylight(point);
        let bumped = sun * (normal.dot(sky.sun).max(0.0) / smooth).min(2.0);
        let light = sky.partial_irradiance(normal, 0.0, open) + sky.sunlight * bumped + bounce(sky, open);
        patch.albedo * (1.0 - WET_LOSS) * light * FRAC_1_PI
    }

    // What a rough film mirrors of sky and sun.
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

// Light that sunlit land around sends back; hollows get more of it than of the sky.
fn bounce(sky: &Sky, open: f32) -> Vec3 {
    sky.sunlight * Vec3::new(1.0, 0.9, 0.75) * (sky.sun.z.max(0.0) * (0.04 + 0.06 * (1.0 - open)))
}
