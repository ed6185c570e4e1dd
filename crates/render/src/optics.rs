//! Light at a smooth boundary between two transparent media.
//!
//! Computes specular reflection, Snell's refraction and the exact unpolarised Fresnel reflectance of a dielectric,
//! from either side, with total internal reflection. Absorbing media (metals) are not covered. [born1999]

use glam::Vec3;

/// Refractive index of water for visible light, relative to air.
pub const WATER_INDEX: f32 = 1.333;

/// A direction at least the angle of sine `least` above a face: the given one, or the nearest such.
pub(crate) fn clamp_to_hemisphere(direction: Vec3, face: Vec3, least: f32) -> Vec3 {
    let out = direction.dot(face);
    if out > least { direction } else { (direction + face * (least - out)).normalize_or(face) }
}

/// Specular reflection of a direction by a surface with unit normal `normal`: d − 2 (d · n) n.
///
/// ```
/// use glam::Vec3;
/// let falling = Vec3::new(0.6, 0.0, -0.8);
/// assert_eq!(undine_render::optics::reflect(falling, Vec3::Z), Vec3::new(0.6, 0.0, 0.8));
/// ```
pub fn reflect(direction: Vec3, normal: Vec3) -> Vec3 {
    direction - 2.0 * direction.dot(normal) * normal
}

/// Refraction by Snell's law into a medium whose index is `index` times that of the one that the ray leaves, or `None`
/// past the critical angle. `normal` points against the ray; both are unit vectors.
pub fn refract(direction: Vec3, normal: Vec3, index: f32) -> Option<Vec3> {
    let ratio = 1.0 / index;
    let cosine = -direction.dot(normal);
    // Near the critical angle the root magnifies what single precision would lose.
    let squared = 1.0 - f64::from(ratio).powi(2) * (1.0 - f64::from(cosine).powi(2));
    (squared >= 0.0).then(|| ratio * direction + (ratio * cosine - squared.sqrt() as f32) * normal)
}

/// Fresnel reflectance of unpolarised light. `cosine` is that of the angle of incidence; `index` is the
/// index of the far medium relative to the near one, so light that leaves water uses `1.0 / WATER_INDEX`.
///
/// ```
/// use undine_render::optics::{WATER_INDEX, fresnel};
/// assert!((fresnel(1.0, WATER_INDEX) - 0.020373).abs() < 1e-6);
/// assert_eq!(fresnel(0.2, 1.0 / WATER_INDEX), 1.0); // total internal reflection
/// ```
pub fn fresnel(cosine: f32, index: f32) -> f32 {
    // Near the critical angle the root magnifies what single precision would lose.
    let (cosine, index) = (f64::from(cosine.clamp(0.0, 1.0)), f64::from(index));
    let squared = 1.0 - (1.0 - cosine * cosine) / (index * index);
    if squared <= 0.0 {
        return 1.0;
    }
    let inside = index * squared.sqrt();
    let perpendicular = (cosine - inside) / (cosine + inside);
    // The parallel amplitude written with the same two products: n² cos θ against n cos θ'.
    let outside = index * index * cosine;
    let parallel = (outside - inside) / (outside + inside);
    (0.5 * (perpendicular * perpendicular + parallel * parallel)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_incidence_is_the_squared_index_step() {
        for index in [1.1_f32, 1.333, 1.5, 2.4] {
            let closed = ((index - 1.0) / (index + 1.0)).powi(2);
            assert!((fresnel(1.0, index) - closed).abs() < 1e-6);
            assert!((fresnel(1.0, 1.0 / index) - closed).abs() < 1e-6);
        }
    }

    #[test]
    fn brewster_light_keeps_only_the_crosswise_half() {
        // At tan θ = n the parallel part vanishes and the other is ((n² − 1)/(n² + 1))².
        let index = 1.333_f64;
        let cosine = 1.0 / (1.0 + index * index).sqrt();
        let closed = 0.5 * ((index * index - 1.0) / (index * index + 1.0)).powi(2);
        assert!((f64::from(fresnel(cosine as f32, index as f32)) - closed).abs() < 1e-6);
    }

    #[test]
    fn grazing_light_is_reflected_whole() {
        assert_eq!(fresnel(0.0, WATER_INDEX), 1.0);
        assert!(fresnel(1e-3, WATER_INDEX) > 0.99);
    }

    #[test]
    fn both_sides_reflect_alike_along_one_path() {
        let outside = 0.6_f32;
        let inside = (1.0 - (1.0 - outside * outside) / (WATER_INDEX * WATER_INDEX)).sqrt();
        assert!((fresnel(outside, WATER_INDEX) - fresnel(inside, 1.0 / WATER_INDEX)).abs() < 1e-6);
    }

    #[test]
    fn refraction_obeys_snell() {
        let falling = Vec3::new(0.6, 0.0, -0.8);
        let inside = refract(falling, Vec3::Z, WATER_INDEX).unwrap();
        assert!((inside.x * WATER_INDEX - 0.6).abs() < 1e-6);
        assert!((inside.length() - 1.0).abs() < 1e-6);
        let back = refract(-inside, -Vec3::Z, 1.0 / WATER_INDEX).unwrap();
        assert!((back + falling).length() < 1e-6);
        assert_eq!(refract(falling, Vec3::Z, 0.5), None);
    }
}
