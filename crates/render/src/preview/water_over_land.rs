//! Water over land: its bed, its shores in the mirror, its foam, and its thin edges.

use glam::{Vec2, Vec3};

use super::land::Land;
use super::land::ground::GroundShadingPoint;
use super::pixel_shader::{BRIGHTEST, PixelShader};
use super::water_shader::{RefractedHit, ShadingPoint, WaterEnvironment};
use crate::noise::smoothstep;

/// What ripples make of the sun under water so shallow that they cannot gather it.
const UNGATHERED: f32 = 1.05 / 1.16;
/// Thinner water than this, in metres, is a film that shows the grains below it.
const FILM: f32 = 0.006;
/// Slopes of the grains under a film, as a variance.
const GRAINS: f32 = 0.02;
/// Water of this optical depth hides its bed.
const OPAQUE: f32 = 5.0;

/// A spot of water over land, looked at along a direction.
struct LandWaterEnvironment<'a> {
    shader: &'a PixelShader<'a>,
    land: &'a Land,
    spot: ShadingPoint,
    direction: Vec3,
    depth: f32,
}

impl PixelShader<'_> {
    /// The light of a spot of water over land.
    pub fn shallow(&self, land: &Land, spot: ShadingPoint, direction: Vec3) -> Vec3 {
        let at = Vec2::new(spot.point.x, spot.point.y);
        let depth = land.depth(spot.point);
        // Ripples need depth, and room to grow in.
        let room = smoothstep(8.0, 80.0, land.width() / self.ripple_length);
        let rippled = room * smoothstep(0.0, 0.7, depth / self.ripple_length);
        let film = 1.0 - smoothstep(0.0, FILM, depth);
        let (sunlit, _) = land.daylight(spot.point);
        let spot = ShadingPoint { variance: spot.variance + GRAINS * film, rippled, sunlit, ..spot };
        let around = LandWaterEnvironment { shader: self, land, spot, direction, depth };
        let water = self.water.shade(&spot, direction, &around);
        let footprint = spot.width / (-direction.dot(spot.normal)).clamp(0.04, 1.0).sqrt();
        let foam = land.foam(self.foam, at, footprint);
        if foam > 0.0 { water.lerp(land.foam_light(self.sky, spot.point, spot.normal), foam) } else { water }
    }
}

impl WaterEnvironment for LandWaterEnvironment<'_> {
    fn below(&self, ray: Vec3) -> Option<RefractedHit> {
        let solid = self.shader.opaque.as_ref();
        let solid =
            solid.and_then(|backdrop| backdrop.below(self.shader.eye, &self.spot, self.direction, ray));
        let extinction = self.shader.water.look.extinction();
        if self.depth * extinction.min_element() > OPAQUE {
            let bed = RefractedHit { radiance: Vec3::ZERO, path: self.depth / (-ray.z).max(0.05) };
            return solid.filter(|solid| solid.path < bed.path).or(Some(bed));
        }
        let path = self.land.reach(self.spot.point, self.depth, ray);
        if let Some(solid) = solid.filter(|solid| solid.path < path) {
            return Some(solid);
        }
        let end = self.spot.point + ray * path;
        let depth = path * -ray.z;
        let footprint = self.spot.width / (-self.direction.z).clamp(0.05, 1.0).sqrt();
        let entry = self.shader.water.entry(end, depth);
        let ripples = self.shader.water.focus(entry, depth, footprint, self.spot.rippled) / UNGATHERED;
        let caustics = self.shader.caustics.as_ref();
        // Where no caustics are known the sun is only kept off by the land.
        let at = Vec2::new(end.x, end.y);
        let sun = caustics.and_then(|caustics| caustics.ground_light(at, footprint));
        let sun = sun.unwrap_or_else(|| {
            let facing = self.land.normal(at, footprint).dot(self.shader.sky.sun).max(0.0);
            facing * self.land.daylight(end).0
        });
        let sun = (sun * ripples).min(BRIGHTEST);
        Some(RefractedHit { radiance: self.land.flooded(self.shader.sky, end, footprint, sun), path })
    }

    fn mirrored(&self, ray: Vec3, spread: f32) -> Option<(Vec3, f32)> {
        let studio = self.land.studio().map(|studio| studio.mirrored(ray));
        let Some(distance) = self.land.meet(self.spot.point, ray) else {
            return studio.map(|light| (light, 1.0));
        };
        // A look a little higher tells whether the edge of the land is near.
        let higher = (ray + Vec3::Z * spread.max(0.02)).normalize_or(ray);
        let fraction = if self.land.meet(self.spot.point, higher).is_some() { 1.0 } else { 0.5 };
        let land = self.mirrored_land(ray, spread, distance);
        Some(studio.map_or((land, fraction), |studio| (studio.lerp(land, fraction), 1.0)))
    }
}

impl LandWaterEnvironment<'_> {
    fn mirrored_land(&self, ray: Vec3, spread: f32, distance: f32) -> Vec3 {
        let point = self.spot.point + ray * distance;
        let footprint = (0.6 * spread.max(0.02) * distance).max(self.spot.width);
        let normal = self.land.normal(Vec2::new(point.x, point.y), footprint);
        let spot = GroundShadingPoint { point, normal, face: normal, footprint };
        self.shader.sky.haze(self.land.bare(self.shader.sky, &spot, ray), ray, distance)
    }
}
