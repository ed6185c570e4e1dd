//! Lamps: glowing balls that a picture puts into its scene.

use std::f32::consts::TAU;

use glam::{Vec2, Vec3};

/// A ball that shines evenly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SphereLight {
    /// Its centre.
    pub at: Vec3,
    /// Its radius in metres.
    pub radius: f32,
    /// Its radiance in thousands of candela per square metre.
    pub light: Vec3,
}

/// Light from a lamp at a point.
#[derive(Debug, Clone, Copy)]
pub struct LightSample {
    /// Direction towards the lamp.
    pub direction: Vec3,
    /// Distance of the lamp.
    pub distance: f32,
    /// Radiance times the angle that the lamp fills, in steradians.
    pub light: Vec3,
}

impl SphereLight {
    /// The distance at which a ray meets it, nearer than `limit`.
    pub fn intersect(&self, from: Vec3, direction: Vec3, limit: f32) -> Option<f32> {
        let middle = (self.at - from).dot(direction);
        let half = self.radius * self.radius - (from + direction * middle - self.at).length_squared();
        let distance = middle - half.max(0.0).sqrt();
        (half > 0.0 && distance > 0.0 && distance < limit).then_some(distance)
    }

    /// Light from a random point of it, at a point outside.
    pub fn beam(&self, point: Vec3, at: Vec2) -> Option<LightSample> {
        let way = self.at - point;
        let squared = way.length_squared();
        let sine_squared = self.radius * self.radius / squared;
        if sine_squared >= 1.0 || !sine_squared.is_finite() {
            return None;
        }
        // The lamp fills a cone, in which all directions are drawn alike. For a far lamp 1 − cos would lose all digits.
        let cap = sine_squared / (1.0 + (1.0 - sine_squared).sqrt());
        let cosine = 1.0 - at.y * cap;
        let aside = Vec2::from_angle(TAU * at.x) * (1.0 - cosine * cosine).max(0.0).sqrt();
        let axis = way / squared.sqrt();
        let (along, across) = axis.any_orthonormal_pair();
        let direction = (axis * cosine + along * aside.x + across * aside.y).normalize_or(axis);
        let distance =
            self.intersect(point, direction, f32::INFINITY).unwrap_or(squared.sqrt() - self.radius);
        Some(LightSample { direction, distance, light: self.light * (TAU * cap) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // A ball of radiance L and radius r gives L π r² / d² on a surface that faces it.
    #[test]
    fn a_lamp_lights_by_the_square_of_its_distance() {
        let lamp = SphereLight { at: Vec3::new(0.0, 0.0, 5.0), radius: 0.5, light: Vec3::ONE };
        let count = 64;
        let sum: f32 = (0..count)
            .map(|index| {
                let at = Vec2::new(index as f32 * 0.618 % 1.0, (index as f32 + 0.5) / count as f32);
                let beam = lamp.beam(Vec3::ZERO, at).unwrap();
                assert!(lamp.intersect(Vec3::ZERO, beam.direction, f32::INFINITY).is_some());
                beam.light.x * beam.direction.z
            })
            .sum();
        assert!((sum / count as f32 - std::f32::consts::PI * 0.01).abs() < 1e-4);
        assert!(lamp.beam(lamp.at, Vec2::ZERO).is_none());
    }
}
