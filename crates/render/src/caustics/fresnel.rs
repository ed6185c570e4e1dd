//! Snell's and Fresnel's laws in double precision [born1999].
//!
//! The power budget is checked to 1e-6, which the single precision of [`crate::optics`] would just miss.

use glam::DVec3;

/// Refractive index of water for visible light, relative to air.
pub const INDEX: f64 = crate::optics::WATER_INDEX as f64;

/// Refracted direction and Fresnel transmittance of unpolarised light.
///
/// `normal` points against the ray and `index` is that of the far medium over that of the near one. `None` past the
/// critical angle.
pub fn transmit(direction: DVec3, normal: DVec3, index: f64) -> Option<(DVec3, f64)> {
    let cosine = (-direction.dot(normal)).clamp(0.0, 1.0);
    let ratio = 1.0 / index;
    let squared = 1.0 - ratio * ratio * (1.0 - cosine * cosine);
    if squared <= 0.0 {
        return None;
    }
    let cosine_inside = squared.sqrt();
    let refracted = ratio * direction + (ratio * cosine - cosine_inside) * normal;
    let perpendicular = (cosine - index * cosine_inside) / (cosine + index * cosine_inside);
    let parallel = (index * cosine - cosine_inside) / (index * cosine + cosine_inside);
    Some((
        refracted.normalize_or(direction),
        1.0 - 0.5 * (perpendicular * perpendicular + parallel * parallel),
    ))
}

/// The reflected direction.
pub fn reflect(direction: DVec3, normal: DVec3) -> DVec3 {
    direction - 2.0 * direction.dot(normal) * normal
}

/// A shading normal that faces away from the light, bent until it is just lit.
pub fn facing_normal(normal: DVec3, face: DVec3, direction: DVec3) -> DVec3 {
    let seen = -normal.dot(direction);
    if !normal.is_finite() || normal.dot(face) <= 0.0 {
        return face;
    }
    if seen >= 0.01 { normal } else { (normal - direction * (0.01 - seen)).normalize_or(face) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optics::{WATER_INDEX, fresnel};

    #[test]
    fn both_precisions_agree() {
        for step in 1..90 {
            let angle = f64::from(step).to_radians();
            let falling = DVec3::new(angle.sin(), 0.0, -angle.cos());
            let (refracted, transmittance) = transmit(falling, DVec3::Z, INDEX).unwrap();
            assert!((refracted.x * INDEX - angle.sin()).abs() < 1e-12, "Snell at {step}°");
            let single = f64::from(fresnel(angle.cos() as f32, WATER_INDEX));
            assert!((1.0 - transmittance - single).abs() < 2e-6, "Fresnel at {step}°");
            // The transmittance is the same in reverse.
            let (back, again) = transmit(-refracted, -DVec3::Z, 1.0 / INDEX).unwrap();
            assert!((back + falling).length() < 1e-9 && (again - transmittance).abs() < 1e-9);
        }
        assert_eq!(
            transmit(DVec3::new(0.8, 0.0, -0.6), DVec3::Z, 1.0 / INDEX),
            None,
            "past the critical angle"
        );
    }
}
