//! The sun in water and in wet ground: what a mirrored ray would hardly ever meet.

use std::f32::consts::FRAC_PI_2;

use glam::Vec3;

use super::path::{Step, Walker};
use super::spread::lobe;
use super::touch::Touch;
use crate::optics::{WATER_INDEX, fresnel};
use crate::sky::SUN_RADIUS;

/// Glitter of the sun brighter than this cannot be told apart in a picture, but would outweigh its pixel.
const BRIGHTEST: f32 = 1500.0;

impl Walker<'_> {
    // The sun in a surface of water: F D G / (4 cos), with the sun's own width added to the lobe's.
    pub(super) fn glitter(&self, step: &Step, touch: &Touch, normal: Vec3, variance: f32) -> Vec3 {
        if !self.place.light.is_open() || step.ray.inside.water {
            return Vec3::ZERO;
        }
        let (sun, direction) = (self.place.light.sun, step.ray.direction);
        let half = (sun - direction).normalize_or(Vec3::Z);
        let cosine = half.dot(normal);
        let width = 2.0 * variance + 2.0 * SUN_RADIUS * SUN_RADIUS;
        let towards = normal.dot(sun).max(0.0);
        if cosine <= 0.0 || towards <= 0.0 {
            return Vec3::ZERO;
        }
        let seen = -direction.dot(normal);
        let seen = 0.5 * (seen + (seen * seen + 4.0 * FRAC_PI_2 * variance).sqrt());
        let strength =
            fresnel(-direction.dot(half), WATER_INDEX) * lobe(cosine, width) / (4.0 * seen.max(0.03));
        let shadowed = towards / (towards + 0.4 * width.sqrt()).max(1e-4);
        let light = self.place.light.sunlight * (strength * shadowed);
        let from = touch.point + touch.face * self.place.world.step(touch.point);
        if light.max_element() < 1e-3 || !self.place.sees_sun(from, step.ray.time) {
            return Vec3::ZERO;
        }
        light * (BRIGHTEST / (BRIGHTEST + light.max_element()))
    }

    // The sun in the rough film on wet ground.
    pub(super) fn film_glint(&self, step: &Step, touch: &Touch, normal: Vec3, roughness: f32) -> Vec3 {
        let (sun, direction) = (self.place.light.sun, step.ray.direction);
        let half = (sun - direction).normalize_or(Vec3::Z);
        let towards = normal.dot(sun);
        if towards <= 0.0 || step.scatters > 0 {
            return Vec3::ZERO;
        }
        let cosine = (-direction.dot(normal)).max(0.05);
        let strength =
            fresnel(-direction.dot(half), WATER_INDEX) * lobe(half.dot(normal).max(0.0), 2.0 * roughness);
        let from = touch.point + touch.face * self.place.world.step(touch.point);
        let light =
            self.place.light.sunlight * (strength * towards / ((towards + 0.1) * 4.0 * cosine)).min(0.5);
        if light.max_element() < 1e-3 || !self.place.sees_sun(from, step.ray.time) {
            Vec3::ZERO
        } else {
            light
        }
    }
}
