//! Water over land by the shading of [kass1990].
//!
//! A camera ray is refracted at the surface and ends on the bottom, taken as locally flat. The terrain there, lit by the
//! illumination map, is blended with the reflected environment map by Fresnel's equations for unpolarised light. Wet ground
//! is darker by up to a half, and the wetness blends between the shaders of terrain and water.
//!
//! The paper's water is clear; here it attenuates light by Beer's law with the picture's optical properties.

use std::f32::consts::FRAC_1_PI;

use glam::{Vec2, Vec3};

use super::cube_map::CubeMap;
use crate::caustics::Caustics;
use crate::optics::{WATER_INDEX, fresnel, reflect, refract};
use crate::preview::WaterLook;
use crate::preview::land::Land;
use crate::sky::Sky;

/// Relative loss of albedo of wet ground.
const WET_LOSS: f32 = 0.5;

/// Inputs of the shading.
pub struct CausticShading<'a> {
    /// The land.
    pub land: &'a Land,
    /// The illumination map.
    pub caustics: Option<&'a Caustics>,
    /// The sky.
    pub sky: &'a Sky,
    /// The environment map where there is no studio.
    pub cube: Option<&'a CubeMap>,
    /// Optical properties of the water.
    pub look: WaterLook,
}

/// Shading of the ground under a pixel, cached for its other samples.
#[derive(Debug, Clone, Copy)]
pub struct GroundCache {
    at: Vec2,
    /// Radiance lit by the sky alone, and by the full sun alone.
    skylit: Vec3,
    sunlit: Vec3,
    facing: f32,
    /// A point of a side face, and its radiance.
    cut: Option<(Vec3, Vec3)>,
}

impl Default for GroundCache {
    fn default() -> Self {
        let none = Vec3::ZERO;
        GroundCache { at: Vec2::splat(f32::INFINITY), skylit: none, sunlit: none, facing: 0.0, cut: None }
    }
}

impl CausticShading<'_> {
    /// The radiance of a water sample.
    pub fn water(
        &self,
        point: Vec3,
        normal: Vec3,
        direction: Vec3,
        footprint: f32,
        ground_cache: &mut GroundCache,
    ) -> Vec3 {
        let normal = if normal.dot(direction) < -0.02 { normal } else { Vec3::Z };
        let depth = self.land.depth(point);
        let ray = refract(direction, normal, WATER_INDEX).unwrap_or(-normal);
        let falling = (-ray.z).max(0.2);
        let bottom = (point + ray * (depth / falling)).with_z(point.z - depth);
        let terrain = self.terrain(bottom, footprint, 1.0, ground_cache);
        // Path of the light down to the bottom and up to the camera
        let path = depth / falling + depth / 0.8;
        let left = (-self.look.extinction() * path).map(f32::exp);
        let deep =
            (self.sky.sunlight * self.sky.sun.z.max(0.0) + self.sky.skylight) * self.look.deep_albedo();
        let inner = terrain * left + deep * FRAC_1_PI * (Vec3::ONE - left);
        self.blended(inner, normal, direction)
    }

    /// The radiance of a ground sample.
    pub fn ground(
        &self,
        point: Vec3,
        normal: Vec3,
        direction: Vec3,
        footprint: f32,
        ground_cache: &mut GroundCache,
    ) -> Vec3 {
        let wetness = self.land.wetness(point.truncate());
        let terrain = self.terrain(point, footprint, wetness, ground_cache);
        if wetness <= 0.0 {
            return terrain;
        }
        terrain.lerp(self.blended(terrain, normal, direction), wetness)
    }

    /// The radiance of a sample of a block's side.
    pub fn cut(&self, point: Vec3, outward: Vec3, footprint: f32, ground_cache: &mut GroundCache) -> Vec3 {
        match ground_cache.cut {
            Some((near, light)) if (near - point).length() < footprint => light,
            _ => {
                let light = self.land.cut_earth(self.sky, point, outward, footprint);
                ground_cache.cut = Some((point, light));
                light
            }
        }
    }

    // Fresnel blend of reflected and transmitted radiance.
    fn blended(&self, inner: Vec3, normal: Vec3, direction: Vec3) -> Vec3 {
        let reflectance = fresnel(-direction.dot(normal), WATER_INDEX);
        let ray = reflect(direction, normal);
        let mirrored = match (self.cube, self.land.studio()) {
            (Some(cube), _) => cube.at(ray),
            (None, Some(studio)) => studio.mirrored(ray),
            (None, None) => self.sky.blurred_radiance(ray, 0.0),
        };
        inner * (1.0 - reflectance) + mirrored * reflectance
    }

    fn terrain(&self, point: Vec3, footprint: f32, wetness: f32, ground_cache: &mut GroundCache) -> Vec3 {
        let at = point.truncate();
        // Samples of one pixel share the ground texture, which is filtered to the pixel
        if (ground_cache.at - at).length() > footprint {
            let normal = self.land.normal(at, footprint);
            let albedo = self.land.albedo(point, normal, footprint) * FRAC_1_PI;
            ground_cache.at = at;
            ground_cache.skylit = albedo * self.sky.partial_irradiance(normal, 0.0, 1.0);
            ground_cache.sunlit = albedo * self.sky.sunlight;
            ground_cache.facing = normal.dot(self.sky.sun).max(0.0);
        }
        let sun = self.caustics.and_then(|caustics| caustics.ground_light(at, footprint));
        let light = ground_cache.skylit + ground_cache.sunlit * sun.unwrap_or(ground_cache.facing);
        light * (1.0 - WET_LOSS * wetness)
    }
}
