//! Light inside smoke: optical depth towards the sun and upwards on a coarse grid, and in-scattering.

use std::f32::consts::PI;

use glam::Vec3;
use rayon::prelude::*;

use super::density_grid::DensityGrid;

/// Most samples of the light grid along an axis: light is smoother than the density.
const MAX_SAMPLES: usize = 56;
/// Octaves of multiple scattering, and factors of contribution, extinction and anisotropy from one to the next.
const ORDERS: i32 = 4;
const CONTRIBUTION_SCALE: f32 = 0.55;
const EXTINCTION_SCALE: f32 = 0.45;
const ANISOTROPY_SCALE: f32 = 0.5;
/// Anisotropy g: mean cosine of the scattering angle.
const ANISOTROPY: f32 = 0.45;
/// Factor of the upward optical depth for ambient light.
const AMBIENT_EXTINCTION: f32 = 0.6;

/// Light sources of smoke.
#[derive(Debug, Clone, Copy)]
pub struct SmokeLights {
    /// Direction to the sun.
    pub sun: Vec3,
    /// Its irradiance at normal incidence.
    pub sunlight: Vec3,
    /// Mean ambient radiance.
    pub around: Vec3,
    /// Single-scattering albedo.
    pub colour: Vec3,
}

/// Optical depth of smoke towards the sun and upwards, on a coarse grid.
#[derive(Debug, Clone)]
pub struct LightField {
    lights: SmokeLights,
    towards_sun: DensityGrid,
    upwards: DensityGrid,
    lit: DensityGrid,
}

impl LightField {
    /// Samples the light: `depth` is the optical depth from a point along a direction, `is_lit` the visibility of the sun
    /// past solid bodies.
    pub fn new(
        volume: &DensityGrid,
        lights: SmokeLights,
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
            lights,
            towards_sun: sampled(&|point| depth(point, lights.sun)).unwrap_or_else(otherwise),
            upwards: sampled(&|point| depth(point, Vec3::Z)).unwrap_or_else(otherwise),
            lit: sampled(&is_lit).unwrap_or_else(otherwise),
        }
    }

    /// In-scattering towards rays in a direction.
    pub fn scattered_towards(&self, direction: Vec3) -> InScattering<'_> {
        let cosine = direction.dot(self.lights.sun);
        let fractions = std::array::from_fn(|order| {
            let order = order as i32;
            CONTRIBUTION_SCALE.powi(order)
                * henyey_greenstein(cosine, ANISOTROPY * ANISOTROPY_SCALE.powi(order))
        });
        InScattering { field: self, fractions }
    }
}

/// In-scattering along a ray.
pub struct InScattering<'a> {
    field: &'a LightField,
    /// Weighted phase function of each octave.
    fractions: [f32; ORDERS as usize],
}

impl InScattering<'_> {
    /// Source function at a point: the radiance of optically thick smoke.
    pub fn at(&self, point: Vec3) -> Vec3 {
        let LightField { lights, towards_sun, upwards, lit } = self.field;
        let depth = towards_sun.at(point);
        let orders = self.fractions.iter().enumerate();
        let sun: f32 = orders
            .map(|(order, fraction)| fraction * (-depth * EXTINCTION_SCALE.powi(order as i32)).exp())
            .sum();
        let open = (-AMBIENT_EXTINCTION * upwards.at(point)).exp();
        // Ambient light from the sides, also deep inside
        let around = lights.around * (0.15 + 0.85 * open);
        lights.colour * (lights.sunlight * (sun * lit.at(point)) + around)
    }
}

/// Henyey–Greenstein phase function [henyey1941].
fn henyey_greenstein(cosine: f32, forward: f32) -> f32 {
    let square = forward * forward;
    (1.0 - square) / (4.0 * PI * (1.0 + square - 2.0 * forward * cosine).max(1e-6).powf(1.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_phase_function_is_normalised() {
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
