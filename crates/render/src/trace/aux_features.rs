//! Auxiliary features of a path besides its radiance: input of the denoiser and of render passes.

use glam::Vec3;

/// Auxiliary features of a path.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct AuxFeatures {
    /// Albedo of the first diffuse surface, seen through water and glass too.
    pub albedo: Vec3,
    /// Shading normal at the first hit.
    pub normal: Vec3,
    /// Distance of the first hit; 0 for none.
    pub depth: f32,
    /// Path length to what is seen through and in clear surfaces, weighted by throughput.
    pub through: f32,
    /// Velocity of the surface at the first hit, in m/s.
    pub velocity: Vec3,
    /// Radiance due to sunlight that came through water.
    pub caustics: Vec3,
}

impl AuxFeatures {
    /// The sum of both, component by component.
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

    /// All components multiplied by `scale`.
    pub fn times(&self, scale: f32) -> AuxFeatures {
        AuxFeatures {
            albedo: self.albedo * scale,
            normal: self.normal * scale,
            depth: self.depth * scale,
            through: self.through * scale,
            velocity: self.velocity * scale,
            caustics: self.caustics * scale,
        }
    }
}
