//! Directions drawn at random: over a hemisphere, within a cone, among the facets of a rough surface.

use std::f32::consts::{PI, TAU};

use glam::{Vec2, Vec3};

/// A direction over the side of `normal`, as often as its cosine tells.
pub fn cosine_weighted(normal: Vec3, at: Vec2) -> Vec3 {
    let disc = Vec2::from_angle(TAU * at.x) * at.y.sqrt();
    let (along, across) = normal.any_orthonormal_pair();
    let up = (1.0 - disc.length_squared()).max(0.0).sqrt();
    (along * disc.x + across * disc.y + normal * up).normalize_or(normal)
}

/// A direction of the whole sphere, each as often as any other.
pub fn any_direction(at: Vec2) -> Vec3 {
    let z = 1.0 - 2.0 * at.y;
    (Vec2::from_angle(TAU * at.x) * (1.0 - z * z).max(0.0).sqrt()).extend(z)
}

/// A direction within `radius` radians of `axis`, for a small radius.
pub fn in_cone(axis: Vec3, radius: f32, at: Vec2) -> Vec3 {
    let (along, across) = axis.any_orthonormal_pair();
    let disc = on_disc(at) * radius;
    (axis + along * disc.x + across * disc.y).normalize_or(axis)
}

/// A point of the unit disc, each as often as any other.
pub fn on_disc(at: Vec2) -> Vec2 {
    Vec2::from_angle(TAU * at.x) * at.y.sqrt()
}

/// A facet of a rough surface whose slopes have this variance per axis, drawn by the Gauss curve.
pub fn facet(normal: Vec3, variance: f32, at: Vec2) -> Vec3 {
    if variance <= 0.0 {
        return normal;
    }
    let (along, across) = normal.any_orthonormal_pair();
    // Box and Muller's pair of Gaussian numbers.
    let slopes = Vec2::from_angle(TAU * at.x) * (-2.0 * variance * (1.0 - at.y).max(1e-7).ln()).sqrt();
    (normal + along * slopes.x + across * slopes.y).normalize_or(normal)
}

/// How densely facets that mirror towards each other lie, for a lobe of squared width `width`, by the cosine between
/// the half-way direction and the normal [walter2007].
pub fn lobe(cosine: f32, width: f32) -> f32 {
    let base = 1.0 + cosine * cosine * (width - 1.0);
    width / (PI * base * base)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::numbers::Numbers;

    fn mean(count: u32, value: impl Fn(&mut Numbers) -> f32) -> f32 {
        (0..count).map(|sample| value(&mut Numbers::new(3, 4, 0, sample))).sum::<f32>() / count as f32
    }

    #[test]
    fn directions_have_the_means_that_their_laws_tell() {
        let normal = Vec3::new(0.3, -0.5, 0.8).normalize();
        let cosine = mean(4096, |numbers| cosine_weighted(normal, numbers.pair()).dot(normal));
        assert!((cosine - 2.0 / 3.0).abs() < 1e-3, "{cosine}");
        let level = mean(4096, |numbers| any_direction(numbers.pair()).dot(normal).abs());
        assert!((level - 0.5).abs() < 2e-3, "{level}");
        let slope = mean(4096, |numbers| {
            let facet = facet(Vec3::Z, 0.01, numbers.pair());
            (facet.x / facet.z).powi(2)
        });
        assert!((slope - 0.01).abs() < 3e-4, "{slope}");
        let aside = mean(1024, |numbers| 1.0 - in_cone(normal, 0.01, numbers.pair()).dot(normal));
        assert!((aside - 0.25e-4).abs() < 1e-6, "{aside}");
    }
}
