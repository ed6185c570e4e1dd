//! Shading of the side faces of a block: soil strata and water.
//!
//! A ray through a water face is refracted, continues to the bed or out of the far side, and is attenuated on the way. The
//! extinction is scaled up in small blocks, so that the water's colour is visible: the shorter side of the block has at
//! least a given optical depth.

use std::f32::consts::FRAC_1_PI;

use glam::{Vec2, Vec3};

use super::Land;
use crate::noise::{fractal, smoothstep};
use crate::optics::{WATER_INDEX, fresnel, reflect, refract};
use crate::preview::water_shader::WaterShader;
use crate::sky::Sky;

/// Least optical depth of the block's shorter side, for the mean of the three channels.
const LEAST_DEPTH: f32 = 0.75;
/// Ray-marching steps through the block.
const STEPS: usize = 20;

impl Land {
    /// Albedo of an earth face: procedural strata.
    pub(crate) fn earth(&self, point: Vec3, footprint: f32) -> Vec3 {
        let at = Vec2::new(point.x, point.y);
        let below = (self.height(at) - point.z).max(0.0);
        let scale = 1.0 / self.texture.width;
        let horizontal = point.x + point.y;
        let undulation =
            0.012 * (fractal(Vec2::new(3.0 * horizontal * scale, 0.5), 3, footprint * scale, 41) - 0.5);
        // Strata follow the ground near the surface and are flat farther down
        let depth = below * scale + undulation;
        let layer =
            fractal(Vec2::new(0.8 * horizontal * scale, 46.0 * depth), 3, 46.0 * footprint * scale, 42);
        let grain = super::ground_texture::mottle(Vec2::new(horizontal, point.z), footprint, 43);
        let humus = Vec3::new(0.075, 0.052, 0.035);
        let loam = Vec3::new(0.20, 0.142, 0.092);
        let stone = Vec3::new(0.24, 0.215, 0.185);
        let earth =
            humus.lerp(loam, smoothstep(0.004, 0.012, depth)).lerp(stone, smoothstep(0.02, 0.07, depth));
        earth * (0.62 + 0.76 * layer + 0.30 * grain)
    }

    /// The radiance of an earth face.
    pub fn cut_earth(&self, sky: &Sky, point: Vec3, outward: Vec3, footprint: f32) -> Vec3 {
        let albedo = self.earth(point, footprint);
        // Fill light on sides away from the sun
        let fill = 0.16 * (sky.sunlight + sky.skylight);
        let dim = 1.0
            - 0.45
                * smoothstep(0.0, 1.0, (self.range[0] - point.z) / (self.range[0] - self.base()).max(1e-6));
        albedo * (sky.partial_irradiance(outward, 1.0, dim) + fill * dim) * FRAC_1_PI
    }

    /// Scale factor of the extinction in a block.
    pub(crate) fn block_strength(&self, extinction: Vec3) -> f32 {
        let [low, high] = self.lattice.corners();
        let mean = (extinction.element_sum() / 3.0).max(1e-6);
        (LEAST_DEPTH / (mean * (high - low).min_element().max(1e-6))).max(1.0)
    }

    // Path length of a ray inside the block to the ground, the water surface or a side, and whether it is the ground.
    fn ray_through_block(&self, from: Vec3, ray: Vec3) -> (f32, bool) {
        let [low, high] = self.lattice.corners();
        let level = Vec2::new(ray.x, ray.y);
        let wall = Vec2::select(level.cmpgt(Vec2::ZERO), high, low);
        let distances = (wall - Vec2::new(from.x, from.y))
            / Vec2::select(level.abs().cmplt(Vec2::splat(1e-6)), Vec2::splat(1e-6), level);
        let exit = distances.min_element().clamp(0.0, 4.0 * self.texture.width);
        let (mut before, mut gap_before) = (0.0, self.clearance(from).max(0.0));
        for step in 1..=STEPS {
            let distance = exit * step as f32 / STEPS as f32;
            let point = from + ray * distance;
            let at = Vec2::new(point.x, point.y);
            let gap = self.clearance(point);
            if gap < 0.0 {
                // Refine the root: marching steps alone cause banding on a level bed
                return (self.regula_falsi(from, ray, [before, distance], [gap_before, gap]), true);
            }
            (before, gap_before) = (distance, gap);
            if self.surface(at).is_some_and(|surface| point.z > surface) {
                return (distance, false);
            }
        }
        (exit, false)
    }
}

impl WaterShader<'_> {
    /// The radiance of a water face of a block of `land`, seen along `direction`; `behind` is the background radiance.
    pub fn section(
        &self,
        land: &Land,
        point: Vec3,
        outward: Vec3,
        direction: Vec3,
        footprint: f32,
        behind: Vec3,
    ) -> Vec3 {
        let cosine = (-direction.dot(outward)).max(0.0);
        let ray = refract(direction, outward, WATER_INDEX).unwrap_or(direction);
        let extinction = self.look.extinction();
        let mean = (extinction.element_sum() / 3.0).max(1e-6);
        let strength = land.block_strength(extinction);
        let (distance, is_ground) = land.ray_through_block(point, ray);
        let left = (-extinction * (strength * distance)).map(f32::exp);
        // Attenuation of light from above
        let depth =
            land.surface(Vec2::new(point.x, point.y)).map_or(0.0, |surface| (surface - point.z).max(0.0));
        let attenuation = (-(extinction / mean) * (1.5 * depth / land.deepest())).map(f32::exp);
        let scattered = (self.deep * 1.6) * (Vec3::ONE - left);
        let end = point + ray * distance;
        let seen = if is_ground { land.flooded(self.sky, end, footprint, 1.0) } else { behind };
        // Bright line along the edge of the surface
        let edge = 1.0 + 0.35 * (1.0 - smoothstep(0.8, 2.2, depth / footprint.max(1e-9)));
        let inner = (scattered + seen * left) * attenuation * edge;
        let mirrored =
            land.mirrored(self.sky, reflect(direction, outward).with_z(0.15).normalize_or(Vec3::Z), 0.3);
        let reflectance = fresnel(cosine, WATER_INDEX);
        inner * (1.0 - reflectance) + mirrored * reflectance
    }
}
