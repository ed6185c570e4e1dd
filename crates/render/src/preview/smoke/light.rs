//! The light inside smoke: how much of the sun and of the sky comes to every place.

use std::f32::consts::PI;

use glam::Vec3;
use rayon::prelude::*;

use super::density_grid::DensityGrid;

/// Most samples of the light along an axis: it is softer than the smoke itself.
const MAX_SAMPLES: usize = 56;
/// Orders of scattering, and by what each is weaker, softer and less directed than the one before.
const ORDERS: i32 = 4;
const ATTENUATION: f32 = 0.55;
const EXTINCTION_SCALE: f32 = 0.45;
const ECCENTRICITY_SCALE: f32 = 0.5;
/// How much smoke scatters forwards: the mean cosine of the angle.
const ANISOTROPY: f32 = 0.45;
/// How deep the light from all around comes in, against that from straight above.
const AMBIENT_EXTINCTION: f32 = 0.6;

/// What lights the smoke.
#[derive(Debug, Clone, Copy)]
pub struct SmokeLights {
    /// Direction to the sun.
    pub sun: Vec3,
    /// Its light on a surface that faces it.
    pub sunlight: Vec3,
    /// Mean radiance from all around.
    pub around: Vec3,
    /// Fraction of light that is scattered.
    pub colour: Vec3,
}

/// The depth of smoke towards the sun and upwards, sampled coarsely.
#[derive(Debug, Clone)]
pub struct LightField {
    lamps: SmokeLights,
    towards_sun: DensityGrid,
    upwards: DensityGrid,
    lit: DensityGrid,
}

impl LightField {
    /// Finds the light: `depth` is the optical depth from a point along a direction, `is_lit` what solid things leave
    /// of the sun.
    pub fn new(
        volume: &DensityGrid,
        lamps: SmokeLights,
        depth: impl Fn(Vec3, Vec3) -> f32 + Sync,
        is_lit: impl Fn(Vec3) -> f32 + Sync,
    ) -> LightField {
        let times = volume.size().iter().max().map_or(1, |most| most.div_ceil(MAX_SAMPLES));
        let (first, step, size) = volume.coarsened(times);
        let sampled = |value: &(dyn Fn(Vec3) -> f32 + Sync)| {
            let position = |sample: usize| {
                let at = [sample % size[0], sample / size[0] % size[1], sample / (size[0] * size[1])];
                first + step * Vec3::from(at.map(|coordinate| coordinate as f32))
            };
            let values = (0..size.iter().product()).into_par_iter().map(|sample| value(position(sample)));
            DensityGrid::new(first, step, size, values.collect())
        };
        let otherwise = || volume.clone();
        LightField {
            lamps,
            towards_sun: sampled(&|point| depth(point, lamps.sun)).unwrap_or_else(otherwise),
            upwards: sampled(&|point| depth(point, Vec3::Z)).unwrap_or_else(otherwise),
            lit: sampled(&is_lit).unwrap_or_else(otherwise),
        }
    }

    /// The light that is scattered along rays in a direction.
    pub fn towards(&self, direction: Vec3) -> InScattering<'_> {
        let cosine = direction.dot(self.lamps.sun);
        let fractions = std::array::from_fn(|order| {
            let order = order as i32;
            ATTENUATION.powi(order) * henyey_greenstein(cosine, ANISOTROPY * ECCENTRICITY_SCALE.powi(order))
        });
        InScattering { field: self, fractions }
    }
}

/// The light that is scattered along a ray.
pub struct InScattering<'a> {
    field: &'a LightField,
    /// What each order of scattering sends along the ray.
    fractions: [f32; ORDERS as usize],
}

impl InScattering<'_> {
    /// The radiance that dense smoke would have at a point.
    pub fn at(&self, point: Vec3) -> Vec3 {
        let LightField { lamps, towards_sun, upwards, lit } = self.field;
        let depth = towards_sun.at(point);
        let orders = self.fractions.iter().enumerate();
        let sun: f32 = orders
            .map(|(order, fraction)| fraction * (-depth * EXTINCTION_SCALE.powi(order as i32)).exp())
            .sum();
        let open = (-AMBIENT_EXTINCTION * upwards.at(point)).exp();
        // Even deep inside some light arrives from the sides.
        let around = lamps.around * (0.15 + 0.85 * open);
        lamps.colour * (lamps.sunlight * (sun * lit.at(point)) + around)
    }
}

/// Fraction of the light that is scattered by an angle, per steradian [henyey1941].
fn henyey_greenstein(cosine: f32, forward: f32) -> f32 {
    let square = forward * forward;
    (1.0 - square) / (4.0 * PI * (1.0 + square - 2.0 * forward * cosine).max(1e-6).powf(1.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_scattered_light_goes_somewhere() {
        for forward in [0.0, 0.3, 0.7] {
            let steps = 2000;
            let ring = |step: i32| {
                let cosine = -1.0 + (step as f32 + 0.5) * 2.0 / steps as f32;
                henyey_greenstein(cosine, forward) * 2.0 * PI * 2.0 / steps as f32
            };
            let sum: f32 = (0..steps).map(ring).sum();
            assert!((sum - 1.0).abs() < 1e-2, "{sum}");
        }
    }
}
