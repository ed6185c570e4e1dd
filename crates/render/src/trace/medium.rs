//! Transport between surfaces: haze, smoke, and absorption and scattering in water.
//!
//! Transmittance follows Beer's law per colour. Open water scatters once, in closed form, with light shafts for a
//! camera in it. In a tank, a thin liquid has a constant source term, and a cloudy one scatters paths isotropically
//! at random.

use std::f32::consts::FRAC_1_PI;

use glam::Vec3;

use super::environment::RayKind;
use super::hit::{Hit, TraceMaterial};
use super::integrator::{PathIntegrator, PathSample, PathState, Ray};
use super::sampler::Sampler;
use super::sampling::sample_uniform_sphere;
use super::scene::OpenWater;

/// Liquids of less scattering optical depth across the tank have a closed form instead of random scattering.
const THIN: f32 = 0.6;

impl PathIntegrator<'_> {
    // Attenuates a path up to the next surface and adds in-scattered light; returns whether the path was scattered
    // elsewhere.
    pub(super) fn traverse_medium(
        &self,
        path: &mut PathState,
        hit: Option<&Hit>,
        sampler: &mut Sampler,
        sample: &mut PathSample,
    ) -> bool {
        // Glass absorbs; air holds smoke and haze.
        let media = &self.scene.media;
        let distance = hit.map_or(1e5, |hit| hit.distance);
        let Ray { from, direction, medium, .. } = path.ray;
        if medium.glass {
            let absorption = if self.scene.is_lossless { Vec3::ZERO } else { media.glass };
            path.throughput *= (-absorption * distance).map(f32::exp);
            return false;
        }
        if !medium.water {
            self.add_smoke(path, distance, sampler, sample);
            self.add_haze(path, hit, sample);
            return false;
        }
        // Coefficients of the liquid, with the mean dye colour of both ends of the ray.
        let end = hit.filter(|hit| hit.material == TraceMaterial::Water).and_then(|hit| hit.colour);
        let (absorption, scattering) = media.coefficients(mean_colour(path.colour, end));
        let extinction = absorption + scattering;
        let mean_scattering = scattering.element_sum() / 3.0;
        match &self.scene.open_water {
            Some(open) => {
                let light = self.single_scattering(open, from, direction, distance, absorption, scattering);
                // After a diffuse bounce the mean strength of the shafts is enough.
                let sun = match path.diffuse_bounces {
                    0 => {
                        let rate = (extinction - 1.2 * absorption * direction.z).y;
                        self.scene.mean_shaft_strength(open, from, direction, distance, rate, sampler)
                    }
                    _ => 1.0,
                };
                self.add_radiance(path, light * (1.0 + open.sun_fraction * (sun - 1.0)), sample);
            }
            None if mean_scattering * self.scene.intersector.size() < THIN => {
                let transmittance = (-extinction * distance).map(f32::exp);
                let inner =
                    self.scene.environment.ambient + self.scene.environment.sunlight * (0.25 * FRAC_1_PI);
                self.add_radiance(
                    path,
                    scattering / extinction.max(Vec3::splat(1e-9)) * (1.0 - transmittance) * inner,
                    sample,
                );
            }
            None => {
                // Distance sampling by the mean scattering coefficient.
                let free_path = -(1.0 - sampler.get_1d()).max(1e-7).ln() / mean_scattering;
                if free_path < distance {
                    // The throughput corrects for colours whose coefficients differ from that mean.
                    path.throughput *= scattering / mean_scattering
                        * (-(extinction - mean_scattering) * free_path).map(f32::exp);
                    self.scatter_in_volume(path, from + direction * free_path, sampler, sample);
                    return path.throughput.max_element() > 0.0;
                }
                path.throughput *= (-(extinction - mean_scattering) * distance).map(f32::exp);
                return false;
            }
        }
        path.throughput *= (-extinction * distance).map(f32::exp);
        false
    }

    // Single scattering along a ray in open water, where daylight falls off exponentially with depth: the product of
    // both attenuations is integrated in closed form.
    fn single_scattering(
        &self,
        open: &OpenWater<'_>,
        from: Vec3,
        direction: Vec3,
        distance: f32,
        absorption: Vec3,
        scattering: Vec3,
    ) -> Vec3 {
        let depth = (open.water.basin.level - from.z).max(0.0);
        let extinction = (absorption + scattering).max(Vec3::splat(1e-9));
        let fall = absorption * 1.2;
        // Depth grows along the ray by −z per metre.
        let rate = (extinction - fall * direction.z).max(Vec3::splat(1e-6));
        let integral = (Vec3::ONE - (-rate * distance).map(f32::exp)) / rate;
        scattering * integral * (-fall * depth).map(f32::exp) * open.entering * FRAC_1_PI
    }

    // Isotropic scattering at a point inside a cloudy liquid, with the sun sampled directly.
    fn scatter_in_volume(
        &self,
        path: &mut PathState,
        point: Vec3,
        sampler: &mut Sampler,
        sample: &mut PathSample,
    ) {
        path.bounces += 1;
        path.diffuse_bounces += 1;
        if path.diffuse_bounces == 1 {
            sample.features.albedo += path.throughput;
        }
        let sun = self.scene.attenuated_sun(point, sampler.get_2d(), path.ray.time);
        self.add_radiance(path, sun * (0.25 * FRAC_1_PI), sample);
        if !self.survives_roulette(path, 100.0 * self.limits.min_throughput, sampler) {
            path.throughput = Vec3::ZERO;
            return;
        }
        path.kind = RayKind::Scattered;
        path.ray.from = point;
        path.ray.direction = sample_uniform_sphere(sampler.get_2d());
        path.ray.spread = 0.5;
    }

    fn add_smoke(&self, path: &mut PathState, distance: f32, sampler: &mut Sampler, sample: &mut PathSample) {
        let Some(smoke) = self.scene.smoke.as_ref().filter(|_| path.diffuse_bounces == 0) else { return };
        let (light, transmittance) =
            smoke.march(path.ray.from, path.ray.direction, distance, sampler.get_1d());
        self.add_radiance(path, light, sample);
        path.throughput *= transmittance;
    }

    fn add_haze(&self, path: &mut PathState, hit: Option<&Hit>, sample: &mut PathSample) {
        let Some(hit) = hit.filter(|_| self.scene.environment.shows_sky() && path.diffuse_bounces == 0)
        else {
            return;
        };
        let transmittance = self.scene.environment.sky.transmittance(hit.distance);
        if transmittance < 0.998 {
            self.add_radiance(
                path,
                self.scene.environment.sky.horizon(path.ray.direction) * (1.0 - transmittance),
                sample,
            );
            path.throughput *= transmittance;
        }
    }
}

fn mean_colour(one: Option<Vec3>, other: Option<Vec3>) -> Option<Vec3> {
    match (one, other) {
        (Some(one), Some(other)) => Some(0.5 * (one + other)),
        (one, other) => one.or(other),
    }
}
