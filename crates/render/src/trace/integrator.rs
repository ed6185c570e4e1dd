//! Unidirectional path tracing from the camera [kajiya1986].
//!
//! At clear boundaries light is split by the exact Fresnel law and refracted by Snell's. The first few times both
//! parts are traced, later one of them is chosen at random. At diffuse surfaces the sun and lamps are sampled
//! directly, and one ray estimates all other light; after a diffuse bounce paths do not see the sun's disc, which has
//! its own estimate ([`super::direct_light`]). Contributions after a diffuse bounce are clamped to
//! [`PathLimits::clamp`], and a path that is cut off after its last bounce ends in the mean radiance around. Both
//! trade a little bias for less noise.

use std::f32::consts::FRAC_1_PI;

use glam::Vec3;

use super::aux_features::AuxFeatures;
use super::coated_diffuse::CoatedDiffuse;
use super::environment::RayKind;
use super::hit::{Hit, TraceMaterial};
use super::sampler::Sampler;
use super::sampling::{sample_cosine_hemisphere, sample_microfacet};
use super::scene::TraceScene;
use crate::optics::{WATER_INDEX, fresnel, reflect};
use crate::preview::liquid::media::RayMedium;

/// Limits of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathLimits {
    /// Surfaces in all.
    pub bounces: u32,
    /// Diffuse bounces.
    pub diffuse_bounces: u32,
    /// Boundaries at which both parts are traced.
    pub splits: u32,
    /// Greatest contribution after a diffuse bounce, in kcd/m².
    pub clamp: f32,
    /// A path of less throughput is terminated.
    pub min_throughput: f32,
}

/// Greatest number of split-off paths on the stack.
const MAX_PENDING: usize = 8;
/// Rays whose direction has a smaller |z| count as horizontal.
const LEVEL: f32 = 0.02;
/// Fraction of light that a particle of mist scatters.
const MIST: f32 = 0.2;

/// Radiance of a camera path, and its auxiliary features.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PathSample {
    /// Radiance in thousands of candela per square metre.
    pub light: Vec3,
    /// Auxiliary features, for the denoiser and for render passes.
    pub features: AuxFeatures,
}

/// A ray with its footprint.
#[derive(Debug, Clone, Copy)]
pub struct Ray {
    /// Origin.
    pub from: Vec3,
    /// Unit direction.
    pub direction: Vec3,
    /// The medium that it passes through.
    pub medium: RayMedium,
    /// Width of its footprint at the origin, in metres.
    pub width: f32,
    /// Growth of the footprint per metre, in radians.
    pub spread: f32,
    /// Time in shutter lengths, from −½ to ½.
    pub time: f32,
}

/// A path being traced: its current ray and what it has accumulated.
#[derive(Debug, Clone, Copy)]
pub(super) struct PathState {
    pub ray: Ray,
    pub throughput: Vec3,
    pub kind: RayKind,
    pub bounces: u32,
    pub diffuse_bounces: u32,
    pub splits: u32,
    /// The colour of the liquid where the ray entered it.
    pub colour: Option<Vec3>,
    /// Length of the path so far, in metres.
    pub length: f32,
}

/// Estimates the radiance along camera rays.
pub struct PathIntegrator<'a> {
    /// The scene.
    pub scene: &'a TraceScene<'a>,
    /// Limits of a path.
    pub limits: PathLimits,
}

/// Split-off paths that are still to be traced.
pub(super) struct PathStack {
    steps: [Option<PathState>; MAX_PENDING],
    count: usize,
}

impl PathStack {
    pub fn push(&mut self, path: PathState) -> bool {
        let Some(scene) = self.steps.get_mut(self.count) else { return false };
        *scene = Some(path);
        self.count += 1;
        true
    }

    fn pop(&mut self) -> Option<PathState> {
        self.count = self.count.checked_sub(1)?;
        self.steps[self.count].take()
    }
}

impl PathIntegrator<'_> {
    /// Estimates the radiance that arrives at the origin of a ray against its direction.
    pub fn radiance(&self, ray: Ray, sampler: &mut Sampler) -> PathSample {
        let mut sample = PathSample::default();
        let mut pending = PathStack { steps: [None; MAX_PENDING], count: 0 };
        let first = PathState {
            ray,
            throughput: Vec3::ONE,
            kind: RayKind::Camera,
            bounces: 0,
            diffuse_bounces: 0,
            splits: 0,
            colour: None,
            length: 0.0,
        };
        pending.push(first);
        while let Some(mut path) = pending.pop() {
            while self.extend(&mut path, &mut pending, sampler, &mut sample) {}
        }
        if !sample.light.is_finite() {
            sample.light = Vec3::ZERO;
        }
        sample
    }

    // Extends a path to the next surface and shades it; returns whether the path goes on.
    fn extend(
        &self,
        path: &mut PathState,
        pending: &mut PathStack,
        sampler: &mut Sampler,
        sample: &mut PathSample,
    ) -> bool {
        // After the last bounce, the mean radiance around ends the path.
        let Ray { from, direction, medium, time, .. } = path.ray;
        if path.bounces >= self.limits.bounces {
            let upward = direction.with_z(direction.z.abs());
            self.add_radiance(path, self.scene.environment.radiance(upward, 0.3, RayKind::Scattered), sample);
            return false;
        }
        // The closest hit tells the medium that the ray was in.
        let hit = self.scene.intersector.closest_hit(from, direction, f32::INFINITY, medium.water, time);
        let hit = hit.filter(|hit| !self.is_behind_treeline(hit, direction));
        if let Some(hit) = &hit {
            match hit.material {
                // Far off, where the sea is lowered at its edge, a level ray in it hits it from above
                TraceMaterial::Water
                    if medium.water && self.scene.open_water.is_some() && direction.z.abs() < LEVEL => {}
                TraceMaterial::Water => path.ray.medium.water = !hit.is_outside,
                TraceMaterial::Glass => path.ray.medium.glass = !hit.is_outside,
                _ => {}
            }
        }
        // A ray without a hit within the liquid's extent has left it, through a gap at a wall
        let reach = self.scene.intersector.size();
        if self.scene.open_water.is_none() && hit.as_ref().is_none_or(|hit| hit.distance > reach) {
            path.ray.medium.water = false;
        }
        // Absorption and scattering up to the hit.
        if self.traverse_medium(path, hit.as_ref(), sampler, sample) {
            return true;
        }
        if path.throughput.max_element() < self.limits.min_throughput {
            return false;
        }
        // Escaped rays see the environment.
        let Some(hit) = hit else {
            self.record_albedo(path, None, Vec3::ONE, sample);
            let light = self.scene.environment.radiance(direction, path.ray.spread.max(1e-4), path.kind);
            self.add_radiance(path, light, sample);
            return false;
        };
        path.ray.width += path.ray.spread * hit.distance;
        path.length += hit.distance;
        // Lamps: sampled directly from diffuse surfaces, so that scattered rays must not count them again.
        if hit.material == TraceMaterial::Emitter {
            self.record_albedo(path, None, Vec3::ONE, sample);
            let light = hit.colour.filter(|_| path.kind != RayKind::Scattered).unwrap_or_default();
            self.add_radiance(path, light, sample);
            return false;
        }
        // Particles: mist lets most rays pass, droplets refract.
        if hit.material == TraceMaterial::Mist && sampler.get_1d() > MIST {
            path.bounces += 1;
            path.ray.from = hit.point + direction * self.scene.intersector.ray_offset(hit.point);
            return true;
        }
        if self.is_droplet(path, &hit) {
            return self.shade_droplet(path, &hit, pending, sampler, sample);
        }
        match hit.material {
            TraceMaterial::Water | TraceMaterial::Glass => {
                self.shade_dielectric(path, &hit, pending, sampler, sample)
            }
            TraceMaterial::Pane | TraceMaterial::Edge => {
                self.shade_thin_glass(path, &hit, pending, sampler, sample)
            }
            _ => self.shade_opaque(path, &hit, pending, sampler, sample),
        }
    }

    // The trees around a pond hide the end of the meadow.
    fn is_behind_treeline(&self, hit: &Hit, direction: Vec3) -> bool {
        self.scene.environment.trees.is_some() && hit.material == TraceMaterial::Bed && direction.z > -0.014
    }

    pub(super) fn add_radiance(&self, path: &PathState, light: Vec3, sample: &mut PathSample) {
        let light = path.throughput * light;
        sample.light +=
            if path.diffuse_bounces > 0 { light.min(Vec3::splat(self.limits.clamp)) } else { light };
    }

    // Records the albedo of the first diffuse surface along the specular part of a path.
    fn record_albedo(&self, path: &PathState, hit: Option<&Hit>, albedo: Vec3, sample: &mut PathSample) {
        if path.diffuse_bounces > 0 {
            return;
        }
        let features = &mut sample.features;
        features.albedo += path.throughput * albedo;
        if hit.is_some() {
            features.through += (path.length * path.throughput.y).min(1e6);
        }
    }

    pub(super) fn record_first_hit(
        &self,
        path: &PathState,
        hit: &Hit,
        normal: Vec3,
        sample: &mut PathSample,
    ) {
        if sample.features.depth == 0.0 && path.diffuse_bounces == 0 && path.bounces == 0 {
            sample.features.normal = normal;
            sample.features.depth = hit.distance;
            sample.features.velocity = hit.velocity;
        }
    }

    // Russian roulette for a path of less throughput than `enough`; survivors gain what the others lose.
    pub(super) fn survives_roulette(&self, path: &mut PathState, enough: f32, sampler: &mut Sampler) -> bool {
        let survival = path.throughput.max_element() / enough;
        if survival < 1.0 {
            path.throughput /= survival.max(1e-5);
            return sampler.get_1d() <= survival;
        }
        true
    }

    // Shades an opaque surface.
    pub(super) fn shade_opaque(
        &self,
        path: &mut PathState,
        hit: &Hit,
        pending: &mut PathStack,
        sampler: &mut Sampler,
        sample: &mut PathSample,
    ) -> bool {
        let in_water = path.ray.medium.water;
        let grazing = (-path.ray.direction.dot(hit.face)).clamp(0.03, 1.0);
        let footprint = path.ray.width / grazing.sqrt();
        let bsdf = self.scene.opaque_bsdf(hit, path.ray.direction, footprint, in_water);
        if bsdf.coat > 0.0 && self.reflect_off_coat(path, hit, &bsdf, pending, sampler, sample) {
            return true;
        }
        self.shade_diffuse(path, hit, &bsdf, sampler, sample)
    }

    // Reflection off the water film on an opaque surface; returns whether the whole path goes on with the reflection.
    fn reflect_off_coat(
        &self,
        path: &mut PathState,
        hit: &Hit,
        bsdf: &CoatedDiffuse,
        pending: &mut PathStack,
        sampler: &mut Sampler,
        sample: &mut PathSample,
    ) -> bool {
        // Reflectance of a sampled microfacet, and the sun's glint in closed form.
        let normal = sample_microfacet(bsdf.normal, bsdf.roughness, sampler.get_2d());
        let cosine = -path.ray.direction.dot(normal);
        let reflectance = fresnel(cosine.max(0.02), WATER_INDEX) * bsdf.coat;
        let sun = self.coat_glint(path, hit, bsdf.normal, bsdf.roughness) * bsdf.coat;
        self.add_radiance(path, sun, sample);
        self.record_first_hit(path, hit, bsdf.normal, sample);
        // Trace both parts while splitting is allowed, otherwise choose one at random.
        let reflected = PathState {
            ray: Ray {
                from: hit.point + hit.face * self.scene.intersector.ray_offset(hit.point),
                direction: hit.outwards(reflect(path.ray.direction, normal)),
                spread: path.ray.spread + 0.3,
                ..path.ray
            },
            kind: if path.kind == RayKind::Scattered { RayKind::Scattered } else { RayKind::Specular },
            bounces: path.bounces + 1,
            splits: path.splits + 1,
            ..*path
        };
        let is_near = reflected.splits <= self.limits.splits && path.diffuse_bounces == 0;
        if is_near && pending.push(PathState { throughput: path.throughput * reflectance, ..reflected }) {
            path.throughput *= 1.0 - reflectance;
            return false;
        }
        let is_mirrored = sampler.get_1d() < reflectance;
        if is_mirrored {
            *path = reflected;
        }
        is_mirrored
    }

    // Diffuse shading: direct light of sun and lamps, then a cosine-weighted bounce for all other light.
    pub(super) fn shade_diffuse(
        &self,
        path: &mut PathState,
        hit: &Hit,
        bsdf: &CoatedDiffuse,
        sampler: &mut Sampler,
        sample: &mut PathSample,
    ) -> bool {
        self.record_first_hit(path, hit, bsdf.normal, sample);
        self.record_albedo(path, Some(hit), (bsdf.albedo + bsdf.emission).min(Vec3::ONE), sample);
        self.add_radiance(path, bsdf.emission, sample);
        // Direct light of sun and lamps, reflected by the BRDF albedo / π.
        let in_water = path.ray.medium.water;
        let footprint = path.ray.width;
        let [straight, refracted] =
            self.scene.direct_sun(hit, bsdf.normal, in_water, footprint, sampler.get_2d(), path.ray.time);
        let brdf = bsdf.albedo * FRAC_1_PI;
        let lamps = self.scene.direct_lamps(hit, bsdf.normal, sampler, path.ray.time);
        self.add_radiance(path, brdf * (straight + refracted + lamps), sample);
        if path.diffuse_bounces == 0 {
            sample.features.caustics += path.throughput * brdf * refracted;
        }
        // One more diffuse bounce, unless a limit or Russian roulette ends the path.
        path.throughput *= bsdf.albedo;
        path.bounces += 1;
        path.diffuse_bounces += 1;
        // Under open water daylight is diffuse: further bounces would hardly differ from its mean.
        let is_even = in_water && self.scene.open_water.is_some() && self.limits.diffuse_bounces < 3;
        if path.diffuse_bounces > self.limits.diffuse_bounces || is_even {
            self.add_radiance(path, self.scene.ambient_at(hit.point, in_water), sample);
            return false;
        }
        if !self.survives_roulette(path, 50.0 * self.limits.min_throughput, sampler) {
            return false;
        }
        // Importance sampling of the cosine: the throughput needs no further factor.
        let direction = sample_cosine_hemisphere(bsdf.normal, sampler.get_2d());
        path.ray.from = hit.point + hit.face * self.scene.intersector.ray_offset(hit.point);
        path.ray.direction = hit.outwards(direction);
        path.ray.spread = 0.3;
        path.kind = RayKind::Scattered;
        true
    }
}
