//! Checks of light transport against exact results: the white furnace test, and reflection and refraction against their
//! formulae in double precision.

use glam::Vec3;
use undine_checks::Worst;

pub use super::furnace::{Furnace, white_furnace};
use crate::optics::{WATER_INDEX, fresnel, refract};

/// Greatest error of the Fresnel reflectance, from both sides and at all angles.
pub fn fresnel_error() -> f64 {
    let mut worst = Worst::default();
    for (cosine, index) in angles().flat_map(|cosine| indices().map(move |index| (cosine, index))) {
        worst.compare(f64::from(fresnel(cosine, index)), exact_fresnel(f64::from(cosine), f64::from(index)));
    }
    worst.value()
}

/// Greatest error of Snell's law, n₁ sin θ₁ = n₂ sin θ₂, in the direction of refracted rays.
pub fn snell_error() -> f64 {
    let mut worst = Worst::default();
    for (cosine, index) in angles().flat_map(|cosine| indices().map(move |index| (cosine, index))) {
        let sine = (1.0 - f64::from(cosine).powi(2)).sqrt();
        if let Some(refracted) = refract(Vec3::new(sine as f32, 0.0, -cosine), Vec3::Z, index) {
            worst.compare(f64::from(refracted.x) * f64::from(index), sine);
            worst.compare(f64::from(refracted.length()), 1.0);
        }
    }
    worst.value()
}

fn angles() -> impl Iterator<Item = f32> {
    (1..=1000).map(|step| step as f32 / 1000.0)
}

fn indices() -> impl Iterator<Item = f32> {
    [WATER_INDEX, 1.0 / WATER_INDEX, 1.5, 1.0 / 1.5].into_iter()
}

// Reflectance of unpolarised light, the mean of both polarisations, from the angles themselves [born1999].
fn exact_fresnel(cosine: f64, index: f64) -> f64 {
    let sine = (1.0 - cosine * cosine).sqrt() / index;
    if sine >= 1.0 {
        return 1.0;
    }
    let cosine_inside = (1.0 - sine * sine).sqrt();
    let perpendicular = (cosine - index * cosine_inside) / (cosine + index * cosine_inside);
    let parallel = (cosine_inside - index * cosine) / (cosine_inside + index * cosine);
    0.5 * (perpendicular * perpendicular + parallel * parallel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fresnel_and_snell_errors_are_small() {
        assert!(fresnel_error() < 1e-6, "{}", fresnel_error());
        assert!(snell_error() < 1e-6, "{}", snell_error());
    }
}
