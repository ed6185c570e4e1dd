//! Reflections of the sun in water and on wet ground, in closed form: a reflected ray would hardly ever hit its disc.

use std::f32::consts::FRAC_PI_2;

use glam::Vec3;

use super::hit::Hit;
use super::integrator::{PathIntegrator, PathState};
use super::sampling::ggx;
use crate::optics::{WATER_INDEX, fresnel};
use crate::sky::SUN_RADIUS;

/// Soft limit of the glitter's radiance: brighter light cannot be told apart in a picture, but adds noise.
const BRIGHTEST: f32 = 1500.0;

impl PathIntegrator<'_> {
    // The sun reflected in water: F D G / (4 cos θ), where D is a GGX lobe widened by the sun's own width.
    pub(super) fn glitter(&self, path: &PathState, hit: &Hit, normal: Vec3, variance: f32) -> Vec3 {
        if !self.scene.environment.shows_sky() || path.ray.medium.water {
            return Vec3::ZERO;
        }
        let (sun, direction) = (self.scene.environment.sun, path.ray.direction);
        let half = (sun - direction).normalize_or(Vec3::Z);
        let cosine = half.dot(normal);
        let width = 2.0 * variance + 2.0 * SUN_RADIUS * SUN_RADIUS;
        let towards = normal.dot(sun).max(0.0);
        if cosine <= 0.0 || towards <= 0.0 {
            return Vec3::ZERO;
        }
        let cosine_view = -direction.dot(normal);
        let cosine_view =
            0.5 * (cosine_view + (cosine_view * cosine_view + 4.0 * FRAC_PI_2 * variance).sqrt());
        let strength =
            fresnel(-direction.dot(half), WATER_INDEX) * ggx(cosine, width) / (4.0 * cosine_view.max(0.03));
        let shadowed = towards / (towards + 0.4 * width.sqrt()).max(1e-4);
        let light = self.scene.environment.sunlight * (strength * shadowed);
        let from = hit.point + hit.face * self.scene.intersector.ray_offset(hit.point);
        if light.max_element() < 1e-3 || !self.scene.is_sunlit(from, path.ray.time) {
            return Vec3::ZERO;
        }
        light * (BRIGHTEST / (BRIGHTEST + light.max_element()))
    }

    // The sun reflected in the rough film on wet ground.
    pub(super) fn coat_glint(&self, path: &PathState, hit: &Hit, normal: Vec3, roughness: f32) -> Vec3 {
        let (sun, direction) = (self.scene.environment.sun, path.ray.direction);
        let half = (sun - direction).normalize_or(Vec3::Z);
        let towards = normal.dot(sun);
        if towards <= 0.0 || path.diffuse_bounces > 0 {
            return Vec3::ZERO;
        }
        let cosine = (-direction.dot(normal)).max(0.05);
        let strength =
            fresnel(-direction.dot(half), WATER_INDEX) * ggx(half.dot(normal).max(0.0), 2.0 * roughness);
        let from = hit.point + hit.face * self.scene.intersector.ray_offset(hit.point);
        let light = self.scene.environment.sunlight
            * (strength * towards / ((towards + 0.1) * 4.0 * cosine)).min(0.5);
        if light.max_element() < 1e-3 || !self.scene.is_sunlit(from, path.ray.time) {
            Vec3::ZERO
        } else {
            light
        }
    }
}
