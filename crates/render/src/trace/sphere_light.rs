//! Lamps: spherical area lights.

use std::f32::consts::TAU;

use glam::{Vec2, Vec3};

/// A sphere of constant radiance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SphereLight {
    /// Its centre.
    pub centre: Vec3,
    /// Its radius in metres.
    pub radius: f32,
    /// Its radiance in kcd/m².
    pub light: Vec3,
}

/// A sampled direction towards a lamp.
#[derive(Debug, Clone, Copy)]
pub struct LightSample {
    /// Direction towards the lamp.
    pub direction: Vec3,
    /// Distance of the lamp's surface.
    pub distance: f32,
    /// Radiance times the solid angle of the lamp, in kcd/m² · sr.
    pub light: Vec3,
}

impl SphereLight {
    /// Distance at which a ray hits it, nearer than `limit`.
    pub fn intersect(&self, from: Vec3, direction: Vec3, limit: f32) -> Option<f32> {
        let middle = (self.centre - from).dot(direction);
        let half = self.radius * self.radius - (from + direction * middle - self.centre).length_squared();
        let distance = middle - half.max(0.0).sqrt();
        (half > 0.0 && distance > 0.0 && distance < limit).then_some(distance)
    }

    /// Samples a direction towards it from a point outside, uniformly in its solid angle.
    pub fn sample(&self, point: Vec3, at: Vec2) -> Option<LightSample> {
        let offset = self.centre - point;
        let squared = offset.length_squared();
        let sine_squared = self.radius * self.radius / squared;
        if sine_squared >= 1.0 || !sine_squared.is_finite() {
            return None;
        }
        // 1 − cos θ of the cone, without the loss of digits for a distant lamp.
        let cap = sine_squared / (1.0 + (1.0 - sine_squared).sqrt());
        let cosine = 1.0 - at.y * cap;
        let aside = Vec2::from_angle(TAU * at.x) * (1.0 - cosine * cosine).max(0.0).sqrt();
        let axis = offset / squared.sqrt();
        let (tangent, bitangent) = axis.any_orthonormal_pair();
        let direction = (axis * cosine + tangent * aside.x + bitangent * aside.y).normalize_or(axis);
        let distance =
            self.intersect(point, direction, f32::INFINITY).unwrap_or(squared.sqrt() - self.radius);
        Some(LightSample { direction, distance, light: self.light * (TAU * cap) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // A sphere of radiance L and radius r gives the irradiance L π r² / d² on a surface that faces it.
    #[test]
    fn a_lamp_lights_by_the_square_of_its_distance() {
        let lamp = SphereLight { centre: Vec3::new(0.0, 0.0, 5.0), radius: 0.5, light: Vec3::ONE };
        let count = 64;
        let sum: f32 = (0..count)
            .map(|index| {
                let at = Vec2::new(index as f32 * 0.618 % 1.0, (index as f32 + 0.5) / count as f32);
                let sample = lamp.sample(Vec3::ZERO, at).unwrap();
                assert!(lamp.intersect(Vec3::ZERO, sample.direction, f32::INFINITY).is_some());
                sample.light.x * sample.direction.z
            })
            .sum();
        assert!((sum / count as f32 - std::f32::consts::PI * 0.01).abs() < 1e-4);
        assert!(lamp.sample(lamp.centre, Vec2::ZERO).is_none());
    }
}
