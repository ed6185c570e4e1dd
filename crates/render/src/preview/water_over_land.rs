//! Shading of water over land: refraction of the bed, reflection of the shores, foam, and thin films.

use glam::{Vec2, Vec3};

use super::land::Land;
use super::land::ground::GroundShadingPoint;
use super::pixel_shader::{BRIGHTEST, PixelShader};
use super::water_shader::{RefractedHit, ShadingPoint, WaterEnvironment};
use crate::noise::smoothstep;

/// Value of the ripples' focusing factor at depth zero.
const UNFOCUSED: f32 = 1.05 / 1.16;
/// Water thinner than this, in metres, is a film that takes the roughness of the ground.
const FILM: f32 = 0.006;
/// Slope variance of the ground under a film.
const GRAINS: f32 = 0.02;
/// Optical depth at which the bed is invisible.
const OPAQUE: f32 = 5.0;

/// Secondary rays of water over land.
struct LandWaterEnvironment<'a> {
    shader: &'a PixelShader<'a>,
    land: &'a Land,
    shading_point: ShadingPoint,
    direction: Vec3,
    depth: f32,
}

impl PixelShader<'_> {
    /// The radiance of water over land.
    pub fn shallow(&self, land: &Land, shading_point: ShadingPoint, direction: Vec3) -> Vec3 {
        let at = Vec2::new(shading_point.point.x, shading_point.point.y);
        let depth = land.depth(shading_point.point);
        // Ripples need depth and fetch
        let room = smoothstep(8.0, 80.0, land.width() / self.ripple_length);
        let rippled = room * smoothstep(0.0, 0.7, depth / self.ripple_length);
        let film = 1.0 - smoothstep(0.0, FILM, depth);
        let (sunlit, _) = land.daylight(shading_point.point);
        let shading_point = ShadingPoint {
            variance: shading_point.variance + GRAINS * film,
            rippled,
            flow: land.flow(shading_point.point),
            sunlit,
            ..shading_point
        };
        let around = LandWaterEnvironment { shader: self, land, shading_point, direction, depth };
        let water = self.water.shade(&shading_point, direction, &around);
        let footprint = shading_point.width / (-direction.dot(shading_point.normal)).clamp(0.04, 1.0).sqrt();
        let foam = land.foam(self.foam, at, footprint);
        if foam > 0.0 {
            water.lerp(land.foam_light(self.sky, shading_point.point, shading_point.normal), foam)
        } else {
            water
        }
    }
}

impl WaterEnvironment for LandWaterEnvironment<'_> {
    fn refracted(&self, ray: Vec3) -> Option<RefractedHit> {
        let solid = self.shader.opaque.as_ref();
        let solid = solid
            .and_then(|opaque| opaque.refract(self.shader.eye, &self.shading_point, self.direction, ray));
        let extinction = self.shader.water.look.extinction();
        if self.depth * extinction.min_element() > OPAQUE {
            let bed = RefractedHit { radiance: Vec3::ZERO, path: self.depth / (-ray.z).max(0.05) };
            return solid.filter(|solid| solid.path < bed.path).or(Some(bed));
        }
        let path = self.land.distance_to_bed(self.shading_point.point, self.depth, ray);
        if let Some(solid) = solid.filter(|solid| solid.path < path) {
            return Some(solid);
        }
        let end = self.shading_point.point + ray * path;
        let depth = path * -ray.z;
        let footprint = self.shading_point.width / (-self.direction.z).clamp(0.05, 1.0).sqrt();
        let entry = self.shader.water.entry(end, depth);
        let ripples =
            self.shader.water.focus(entry, depth, footprint, self.shading_point.rippled) / UNFOCUSED;
        let caustics = self.shader.caustics.as_ref();
        // Without caustics, only the terrain shadows the sun
        let at = Vec2::new(end.x, end.y);
        let sun = caustics.and_then(|caustics| caustics.ground_light(at, footprint));
        let sun = sun.unwrap_or_else(|| {
            let facing = self.land.normal(at, footprint).dot(self.shader.sky.sun).max(0.0);
            facing * self.land.daylight(end).0
        });
        let sun = (sun * ripples).min(BRIGHTEST);
        Some(RefractedHit { radiance: self.land.flooded(self.shader.sky, end, footprint, sun), path })
    }

    fn reflected(&self, ray: Vec3, spread: f32) -> Option<(Vec3, f32)> {
        let studio = self.land.studio().map(|studio| studio.mirrored(ray));
        let Some(distance) = self.land.intersect(self.shading_point.point, ray) else {
            return studio.map(|light| (light, 1.0));
        };
        // A second, higher ray estimates the coverage at the silhouette of the land
        let higher = (ray + Vec3::Z * spread.max(0.02)).normalize_or(ray);
        let fraction =
            if self.land.intersect(self.shading_point.point, higher).is_some() { 1.0 } else { 0.5 };
        let land = self.reflected_land(ray, spread, distance);
        Some(studio.map_or((land, fraction), |studio| (studio.lerp(land, fraction), 1.0)))
    }
}

impl LandWaterEnvironment<'_> {
    fn reflected_land(&self, ray: Vec3, spread: f32, distance: f32) -> Vec3 {
        let point = self.shading_point.point + ray * distance;
        let footprint = (0.6 * spread.max(0.02) * distance).max(self.shading_point.width);
        let normal = self.land.normal(Vec2::new(point.x, point.y), footprint);
        let shading_point = GroundShadingPoint { point, normal, face: normal, footprint };
        self.shader.sky.haze(self.land.bare(self.shader.sky, &shading_point, ray), ray, distance)
    }
}
