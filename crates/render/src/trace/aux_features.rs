//! What a path tells beside its light, for the denoiser and for passes.

use glam::Vec3;

/// What a path tells beside its light.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct AuxFeatures {
    /// Share of light that is scattered by what is first seen, through water too.
    pub albedo: Vec3,
    /// Normal of the first surface.
    pub normal: Vec3,
    /// Distance of the first surface; 0 for none.
    pub depth: f32,
    /// Distance to what is seen through and in clear surfaces, by the weight of its light.
    pub through: f32,
    /// Velocity of the first surface.
    pub velocity: Vec3,
    /// Light that came from the sun through water.
    pub caustics: Vec3,
}

impl AuxFeatures {
    /// Both together.
    pub fn plus(&self, other: &AuxFeatures) -> AuxFeatures {
        AuxFeatures {
            albedo: self.albedo + other.albedo,
            normal: self.normal + other.normal,
            depth: self.depth + other.depth,
            through: self.through + other.through,
            velocity: self.velocity + other.velocity,
            caustics: self.caustics + other.caustics,
        }
    }

    /// A share of it.
    pub fn times(&self, share: f32) -> AuxFeatures {
        AuxFeatures {
            albedo: self.albedo * share,
            normal: self.normal * share,
            depth: self.depth * share,
            through: self.through * share,
            velocity: self.velocity * share,
            caustics: self.caustics * share,
        }
    }
}
