//! What happens to a path between surfaces: haze, smoke, and the light that water takes away and scatters.
//!
//! Light fades by Beer's law per colour. Open water scatters once, in closed form, in shafts for an eye in it. A hazy liquid in a tank does so evenly;
//! a cloudy one sends paths on in any direction, as often as it scatters.

use std::f32::consts::FRAC_1_PI;

use glam::Vec3;

use super::environment::RayKind;
use super::hit::{Hit, TraceMaterial};
use super::integrator::{PathIntegrator, PathSample, PathState, Ray};
use super::sampler::Sampler;
use super::sampling::sample_uniform_sphere;
use super::scene::OpenWater;

/// One that scatters it less often than this is followed without chance.
const THIN: f32 = 0.6;

impl PathIntegrator<'_> {
    // What the medium takes from a ray up to a surface and adds to it; whether it sends the ray elsewhere.
    pub(super) fn traverse_medium(
        &self,
        path: &mut PathState,
        hit: Option<&Hit>,
        sampler: &mut Sampler,
        sample: &mut PathSample,
    ) -> bool {
        let media = &self.scene.media;
        let distance = hit.map_or(1e5, |hit| hit.distance);
        let Ray { from, direction, medium, .. } = path.ray;
        if medium.glass {
            let absorbed = if self.scene.is_lossless { Vec3::ZERO } else { media.glass };
            path.throughput *= (-absorbed * distance).map(f32::exp);
            return false;
        }
        if !medium.water {
            self.add_smoke(path, distance, sampler, sample);
            self.add_haze(path, hit, sample);
            return false;
        }
        let end = hit.filter(|hit| hit.material == TraceMaterial::Water).and_then(|hit| hit.colour);
        let (absorbed, scattered) = media.losses(mean_colour(path.colour, end));
        let lost = absorbed + scattered;
        let often = scattered.element_sum() / 3.0;
        match &self.scene.open_water {
            Some(open) => {
                let light = self.scattered_below(open, from, direction, distance, absorbed, scattered);
                // Once light is scattered elsewhere too, only its mean is seen.
                let sun = match path.diffuse_bounces {
                    0 => {
                        let rate = (lost - 1.2 * absorbed * direction.z).y;
                        self.scene.mean_shaft_strength(open, from, direction, distance, rate, sampler)
                    }
                    _ => 1.0,
                };
                self.add_radiance(path, light * (1.0 + open.sunny * (sun - 1.0)), sample);
            }
            None if often * self.scene.intersector.size() < THIN => {
                let kept = (-lost * distance).map(f32::exp);
                let inner =
                    self.scene.environment.ambient + self.scene.environment.sunlight * (0.25 * FRAC_1_PI);
                self.add_radiance(
                    path,
                    scattered / lost.max(Vec3::splat(1e-9)) * (1.0 - kept) * inner,
                    sample,
                );
            }
            None => {
                let free_path = -(1.0 - sampler.get_1d()).max(1e-7).ln() / often;
                if free_path < distance {
                    // The weight makes up for colours that are scattered more or less often than their mean.
                    path.throughput *= scattered / often * (-(lost - often) * free_path).map(f32::exp);
                    self.scatter_in_volume(path, from + direction * free_path, sampler, sample);
                    return path.throughput.max_element() > 0.0;
                }
                path.throughput *= (-(lost - often) * distance).map(f32::exp);
                return false;
            }
        }
        path.throughput *= (-lost * distance).map(f32::exp);
        false
    }

    // Light that open water scatters once along a ray. Daylight falls off with depth by absorption, so that both
    // attenuations have a closed integral.
    fn scattered_below(
        &self,
        open: &OpenWater<'_>,
        from: Vec3,
        direction: Vec3,
        distance: f32,
        absorbed: Vec3,
        scattered: Vec3,
    ) -> Vec3 {
        let depth = (open.water.basin.level - from.z).max(0.0);
        let lost = (absorbed + scattered).max(Vec3::splat(1e-9));
        let fall = absorbed * 1.2;
        // Depth grows along the ray by −z per metre.
        let rate = (lost - fall * direction.z).max(Vec3::splat(1e-6));
        let integral = (Vec3::ONE - (-rate * distance).map(f32::exp)) / rate;
        scattered * integral * (-fall * depth).map(f32::exp) * open.entering * FRAC_1_PI
    }

    // Sends a path on in any direction from a point inside a cloudy liquid.
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
            sample.guide.albedo += path.throughput;
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
        let (light, clear) = smoke.march(path.ray.from, path.ray.direction, distance, sampler.get_1d());
        self.add_radiance(path, light, sample);
        path.throughput *= clear;
    }

    fn add_haze(&self, path: &mut PathState, hit: Option<&Hit>, sample: &mut PathSample) {
        let Some(hit) = hit.filter(|_| self.scene.environment.shows_sky() && path.diffuse_bounces == 0)
        else {
            return;
        };
        let clear = self.scene.environment.sky.transmittance(hit.distance);
        if clear < 0.998 {
            self.add_radiance(
                path,
                self.scene.environment.sky.horizon(path.ray.direction) * (1.0 - clear),
                sample,
            );
            path.throughput *= clear;
        }
    }
}

fn mean_colour(one: Option<Vec3>, other: Option<Vec3>) -> Option<Vec3> {
    match (one, other) {
        (Some(one), Some(other)) => Some(0.5 * (one + other)),
        (one, other) => one.or(other),
    }
}
