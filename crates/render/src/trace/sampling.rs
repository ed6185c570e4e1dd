//! Sampling of directions: hemisphere, sphere, cone, and microfacets of a rough surface.

use std::f32::consts::{PI, TAU};

use glam::{Vec2, Vec3};

/// A direction in the hemisphere around `normal`, with density cos θ / π.
pub fn sample_cosine_hemisphere(normal: Vec3, at: Vec2) -> Vec3 {
    let disc = Vec2::from_angle(TAU * at.x) * at.y.sqrt();
    let (tangent, bitangent) = normal.any_orthonormal_pair();
    let up = (1.0 - disc.length_squared()).max(0.0).sqrt();
    (tangent * disc.x + bitangent * disc.y + normal * up).normalize_or(normal)
}

/// A direction on the sphere, uniformly distributed.
pub fn sample_uniform_sphere(at: Vec2) -> Vec3 {
    let z = 1.0 - 2.0 * at.y;
    (Vec2::from_angle(TAU * at.x) * (1.0 - z * z).max(0.0).sqrt()).extend(z)
}

/// A direction within `radius` radians of `axis`, uniformly distributed for a small radius.
pub fn sample_cone(axis: Vec3, radius: f32, at: Vec2) -> Vec3 {
    let (tangent, bitangent) = axis.any_orthonormal_pair();
    let disc = sample_disc(at) * radius;
    (axis + tangent * disc.x + bitangent * disc.y).normalize_or(axis)
}

/// A point of the unit disc, uniformly distributed.
pub fn sample_disc(at: Vec2) -> Vec2 {
    Vec2::from_angle(TAU * at.x) * at.y.sqrt()
}

/// A microfacet normal of a rough surface with Gaussian slopes of this variance per axis.
pub fn sample_microfacet(normal: Vec3, variance: f32, at: Vec2) -> Vec3 {
    if variance <= 0.0 {
        return normal;
    }
    let (tangent, bitangent) = normal.any_orthonormal_pair();
    // Box–Muller transform.
    let slopes = Vec2::from_angle(TAU * at.x) * (-2.0 * variance * (1.0 - at.y).max(1e-7).ln()).sqrt();
    (normal + tangent * slopes.x + bitangent * slopes.y).normalize_or(normal)
}

/// GGX distribution D(θ) of microfacet normals with α² = `width`, by cos θ of the half vector [walter2007].
pub fn ggx(cosine: f32, width: f32) -> f32 {
    let base = 1.0 + cosine * cosine * (width - 1.0);
    width / (PI * base * base)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::sampler::Sampler;

    fn mean(count: u32, value: impl Fn(&mut Sampler) -> f32) -> f32 {
        (0..count).map(|sample| value(&mut Sampler::new(3, 4, 0, sample))).sum::<f32>() / count as f32
    }

    #[test]
    fn sampled_directions_have_the_expected_means() {
        let normal = Vec3::new(0.3, -0.5, 0.8).normalize();
        let cosine = mean(4096, |sampler| sample_cosine_hemisphere(normal, sampler.get_2d()).dot(normal));
        assert!((cosine - 2.0 / 3.0).abs() < 1e-3, "{cosine}");
        let level = mean(4096, |sampler| sample_uniform_sphere(sampler.get_2d()).dot(normal).abs());
        assert!((level - 0.5).abs() < 2e-3, "{level}");
        let slope = mean(4096, |sampler| {
            let facet = sample_microfacet(Vec3::Z, 0.01, sampler.get_2d());
            (facet.x / facet.z).powi(2)
        });
        assert!((slope - 0.01).abs() < 3e-4, "{slope}");
        let aside = mean(1024, |sampler| 1.0 - sample_cone(normal, 0.01, sampler.get_2d()).dot(normal));
        assert!((aside - 0.25e-4).abs() < 1e-6, "{aside}");
    }
}
