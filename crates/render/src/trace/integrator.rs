//! Paths of light, followed backwards from the eye [kajiya1986].
//!
//! At every boundary of water or glass light is split by the exact Fresnel law and bent by Snell's. Near the eye both
//! parts are followed, later one of them is chosen at random. Matt surfaces are lit by the sun directly and by one more
//! ray for all other light. Paths that went through something matt never see the sun's disc: that light has its own
//! estimate ([`super::direct_light`]). A contribution after such a bounce is limited to [`Limits::clamp`], so that no single
//! sample outshines its pixel; a path that is cut off after its last bounce ends in the mean light around. Both make
//! pictures a little darker or brighter than endless paths would, and quiet.

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

/// How far paths are followed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathLimits {
    /// Boundaries and bounces in all.
    pub bounces: u32,
    /// Bounces from something matt.
    pub diffuse_bounces: u32,
    /// Boundaries at which both parts are followed.
    pub splits: u32,
    /// Greatest contribution after a matt bounce, in thousands of candela per square metre.
    pub clamp: f32,
    /// A path that carries less than this share of its light is given up.
    pub min_throughput: f32,
}

/// Rays that wait to be followed.
const MAX_PENDING: usize = 8;
/// Rises of rays below which they are level.
const LEVEL: f32 = 0.02;
/// Share of light that a particle of mist scatters.
const MIST: f32 = 0.2;

/// The light of a path, and its guide.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PathSample {
    /// Radiance in thousands of candela per square metre.
    pub light: Vec3,
    /// What else it tells.
    pub guide: AuxFeatures,
}

/// A ray of a path on its way.
#[derive(Debug, Clone, Copy)]
pub struct Ray {
    /// Where it starts.
    pub from: Vec3,
    /// Where it goes.
    pub direction: Vec3,
    /// What it is inside of.
    pub medium: RayMedium,
    /// The width of its beam at the start, and how much it widens per metre.
    pub width: f32,
    /// Radians over which it spreads.
    pub spread: f32,
    /// When it flies, in shutters from −½ to ½.
    pub time: f32,
}

/// A ray of a path with what it carries.
#[derive(Debug, Clone, Copy)]
pub(super) struct PathState {
    pub ray: Ray,
    pub throughput: Vec3,
    pub kind: RayKind,
    pub bounces: u32,
    pub diffuse_bounces: u32,
    pub splits: u32,
    /// The colour of the liquid where the ray came in.
    pub colour: Option<Vec3>,
    /// Length of the path so far.
    pub length: f32,
}

/// Follows paths.
pub struct PathIntegrator<'a> {
    /// Where they are.
    pub scene: &'a TraceScene<'a>,
    /// How far they go.
    pub limits: PathLimits,
}

/// Rays that part from a path.
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
    /// The light that reaches the start of a ray against its direction.
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

    // Follows a ray to the next surface; whether it goes on from there.
    fn extend(
        &self,
        path: &mut PathState,
        pending: &mut PathStack,
        sampler: &mut Sampler,
        sample: &mut PathSample,
    ) -> bool {
        let Ray { from, direction, medium, time, .. } = path.ray;
        if path.bounces >= self.limits.bounces {
            let upward = direction.with_z(direction.z.abs());
            self.add_radiance(path, self.scene.environment.radiance(upward, 0.3, RayKind::Scattered), sample);
            return false;
        }
        let hit = self.scene.intersector.closest_hit(from, direction, f32::INFINITY, medium.water, time);
        let hit = hit.filter(|hit| !self.is_behind_treeline(hit, direction));
        if let Some(hit) = &hit {
            // A ray cannot leave what it was not in.
            match hit.material {
                // Far off, where the sea is let down at its edge, a level ray in it meets it from above
                TraceMaterial::Water
                    if medium.water && self.scene.open_water.is_some() && direction.z.abs() < LEVEL => {}
                TraceMaterial::Water => path.ray.medium.water = !hit.is_outside,
                TraceMaterial::Glass => path.ray.medium.glass = !hit.is_outside,
                _ => {}
            }
        }
        // What touches nothing for longer than the liquid is wide has left it, through a gap at a wall
        let reach = self.scene.intersector.size();
        if self.scene.open_water.is_none() && hit.as_ref().is_none_or(|hit| hit.distance > reach) {
            path.ray.medium.water = false;
        }
        if self.traverse_medium(path, hit.as_ref(), sampler, sample) {
            return true;
        }
        if path.throughput.max_element() < self.limits.min_throughput {
            return false;
        }
        let Some(hit) = hit else {
            self.record_albedo(path, None, Vec3::ONE, sample);
            let light = self.scene.environment.radiance(direction, path.ray.spread.max(1e-4), path.kind);
            self.add_radiance(path, light, sample);
            return false;
        };
        path.ray.width += path.ray.spread * hit.distance;
        path.length += hit.distance;
        if hit.material == TraceMaterial::Emitter {
            self.record_albedo(path, None, Vec3::ONE, sample);
            let light = hit.colour.filter(|_| path.kind != RayKind::Scattered).unwrap_or_default();
            self.add_radiance(path, light, sample);
            return false;
        }
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

    // The wood around a pond hides where the meadow ends.
    fn is_behind_treeline(&self, hit: &Hit, direction: Vec3) -> bool {
        self.scene.environment.wood.is_some() && hit.material == TraceMaterial::Bed && direction.z > -0.014
    }

    pub(super) fn add_radiance(&self, path: &PathState, light: Vec3, sample: &mut PathSample) {
        let light = path.throughput * light;
        sample.light +=
            if path.diffuse_bounces > 0 { light.min(Vec3::splat(self.limits.clamp)) } else { light };
    }

    // Notes what is first seen along the mirrored and bent part of a path.
    fn record_albedo(&self, path: &PathState, hit: Option<&Hit>, albedo: Vec3, sample: &mut PathSample) {
        if path.diffuse_bounces > 0 {
            return;
        }
        let guide = &mut sample.guide;
        guide.albedo += path.throughput * albedo;
        if hit.is_some() {
            guide.through += (path.length * path.throughput.y).min(1e6);
        }
    }

    pub(super) fn record_first_hit(
        &self,
        path: &PathState,
        hit: &Hit,
        normal: Vec3,
        sample: &mut PathSample,
    ) {
        if sample.guide.depth == 0.0 && path.diffuse_bounces == 0 && path.bounces == 0 {
            sample.guide.normal = normal;
            sample.guide.depth = hit.distance;
            sample.guide.velocity = hit.velocity;
        }
    }

    // Whether a path that carries less than `enough` goes on: as often as that is worth it, and then it carries more.
    pub(super) fn survives_roulette(&self, path: &mut PathState, enough: f32, sampler: &mut Sampler) -> bool {
        let reflectance = path.throughput.max_element() / enough;
        if reflectance < 1.0 {
            path.throughput /= reflectance.max(1e-5);
            return sampler.get_1d() <= reflectance;
        }
        true
    }

    // Something that light does not pass.
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

    // A film of water on something matt; whether the whole path goes on with what it mirrors.
    fn reflect_off_coat(
        &self,
        path: &mut PathState,
        hit: &Hit,
        bsdf: &CoatedDiffuse,
        pending: &mut PathStack,
        sampler: &mut Sampler,
        sample: &mut PathSample,
    ) -> bool {
        let normal = sample_microfacet(bsdf.normal, bsdf.roughness, sampler.get_2d());
        let cosine = -path.ray.direction.dot(normal);
        let reflectance = fresnel(cosine.max(0.02), WATER_INDEX) * bsdf.coat;
        let sun = self.coat_glint(path, hit, bsdf.normal, bsdf.roughness) * bsdf.coat;
        self.add_radiance(path, sun, sample);
        self.record_first_hit(path, hit, bsdf.normal, sample);
        let back = PathState {
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
        let is_near = back.splits <= self.limits.splits && path.diffuse_bounces == 0;
        if is_near && pending.push(PathState { throughput: path.throughput * reflectance, ..back }) {
            path.throughput *= 1.0 - reflectance;
            return false;
        }
        let is_mirrored = sampler.get_1d() < reflectance;
        if is_mirrored {
            *path = back;
        }
        is_mirrored
    }

    // Light from the sun, then on to where other light comes from.
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
        let in_water = path.ray.medium.water;
        let footprint = path.ray.width;
        let [straight, bent] =
            self.scene.direct_sun(hit, bsdf.normal, in_water, footprint, sampler.get_2d(), path.ray.time);
        let reflected = bsdf.albedo * FRAC_1_PI;
        let lamps = self.scene.direct_lamps(hit, bsdf.normal, sampler, path.ray.time);
        self.add_radiance(path, reflected * (straight + bent + lamps), sample);
        if path.diffuse_bounces == 0 {
            sample.guide.caustics += path.throughput * reflected * bent;
        }
        path.throughput *= bsdf.albedo;
        path.bounces += 1;
        path.diffuse_bounces += 1;
        // Under open water daylight comes from all over the surface: few paths learn more than its mean.
        let is_even = in_water && self.scene.open_water.is_some() && self.limits.diffuse_bounces < 3;
        if path.diffuse_bounces > self.limits.diffuse_bounces || is_even {
            self.add_radiance(path, self.scene.ambient_at(hit.point, in_water), sample);
            return false;
        }
        if !self.survives_roulette(path, 50.0 * self.limits.min_throughput, sampler) {
            return false;
        }
        let direction = sample_cosine_hemisphere(bsdf.normal, sampler.get_2d());
        path.ray.from = hit.point + hit.face * self.scene.intersector.ray_offset(hit.point);
        path.ray.direction = hit.outwards(direction);
        path.ray.spread = 0.3;
        path.kind = RayKind::Scattered;
        true
    }
}
