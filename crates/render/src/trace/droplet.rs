//! Spray droplets and air bubbles: refracting spheres.
//!
//! Spheres are small, so that a path is traced through one at once: it enters, is reflected inside a random number of
//! times by the Fresnel law, and leaves. All chords of a ray in a sphere meet the surface at the same angle, so that
//! one reflectance holds for all of them. A droplet smaller than the ray's footprint is a diffuse white particle
//! instead.

use glam::Vec3;

use super::dielectric::split_or_choose;
use super::environment::RayKind;
use super::hit::{Hit, TraceMaterial};
use super::integrator::{PathIntegrator, PathSample, PathStack, PathState, Ray};
use super::sampler::Sampler;
use crate::optics::{WATER_INDEX, fresnel, reflect, refract};

/// A droplet whose radius is below this fraction of the ray's footprint is shaded as diffuse.
const SPECK: f32 = 0.6;
/// Greatest number of internal reflections; less than a millionth of the light is left by then.
const MAX_REFLECTIONS: usize = 32;

impl PathIntegrator<'_> {
    /// Whether the hit is a refracting sphere that is large enough to be resolved.
    pub(super) fn is_droplet(&self, path: &PathState, hit: &Hit) -> bool {
        let is_seen = hit.radius > SPECK * path.ray.width;
        // Under water a water droplet is invisible.
        hit.material == TraceMaterial::Bubble
            || hit.material == TraceMaterial::Spray && (is_seen || path.ray.medium.water)
    }

    // Shades a sphere of water in air, or of air in water; returns whether the path goes on.
    pub(super) fn shade_droplet(
        &self,
        path: &mut PathState,
        hit: &Hit,
        pending: &mut PathStack,
        sampler: &mut Sampler,
        sample: &mut PathSample,
    ) -> bool {
        let direction = path.ray.direction;
        // Relative index of refraction, and Fresnel reflectance.
        let inner = if hit.material == TraceMaterial::Spray { WATER_INDEX } else { 1.0 };
        let ratio = inner / path.ray.medium.index();
        let offset = self.scene.intersector.ray_offset(hit.point).max(1e-4 * hit.radius);
        let cosine = -direction.dot(hit.normal);
        // A bubble floating in air is a thin film: both of its sides reflect, R = 2 R₁ / (1 + R₁).
        let is_film = ratio == 1.0 && hit.material == TraceMaterial::Bubble;
        let reflectance = match is_film {
            true => {
                let once = fresnel(cosine, WATER_INDEX);
                2.0 * once / (1.0 + once)
            }
            false => fresnel(cosine, ratio),
        };
        if reflectance > 0.0 {
            self.record_first_hit(path, hit, hit.normal, sample);
        }
        // The sun reflected by the sphere, in closed form.
        if hit.material == TraceMaterial::Spray && path.diffuse_bounces == 0 {
            let across = path.ray.width / hit.radius.max(1e-9);
            let sun = self.glitter(path, hit, hit.normal, 0.02 * across * across);
            self.add_radiance(path, sun, sample);
        }
        // The reflected path, and the one through the sphere.
        let reflected = PathState {
            ray: Ray {
                from: hit.point + hit.normal * offset,
                direction: reflect(direction, hit.normal),
                spread: path.ray.spread + 2.0 * path.ray.width / hit.radius.max(1e-9),
                ..path.ray
            },
            kind: if path.kind == RayKind::Scattered { RayKind::Scattered } else { RayKind::Specular },
            bounces: path.bounces + 1,
            splits: path.splits + 1,
            ..*path
        };
        let through = match refract(direction, hit.normal, ratio) {
            _ if ratio == 1.0 => Some(straight(hit, direction)),
            Some(refracted) => Some(self.internal_reflections(hit, refracted, ratio, reflectance, sampler)),
            None => None,
        };
        let Some(DropletExit { leaves, direction, length }) = through else {
            *path = reflected;
            return true;
        };
        // Absorption inside a water droplet.
        let (absorption, _) = self.scene.media.coefficients(path.colour);
        let lost = if hit.material == TraceMaterial::Spray { absorption * length } else { Vec3::ZERO };
        let transmitted = PathState {
            ray: Ray { from: leaves + direction * offset, direction, ..reflected.ray },
            throughput: path.throughput * (-lost).map(f32::exp),
            ..reflected
        };
        *path = split_or_choose(transmitted, reflected, reflectance, self.limits.splits, pending, sampler);
        true
    }

    // Traces light inside a sphere that it entered in direction `refracted`.
    fn internal_reflections(
        &self,
        hit: &Hit,
        refracted: Vec3,
        ratio: f32,
        reflectance: f32,
        sampler: &mut Sampler,
    ) -> DropletExit {
        let centre = hit.point - hit.normal * hit.radius;
        let (mut at, mut direction, mut length) = (hit.point, refracted, 0.0);
        for _ in 0..MAX_REFLECTIONS {
            let chord = 2.0 * (centre - at).dot(direction).max(0.0);
            at += direction * chord;
            length += chord;
            let outward = (at - centre).normalize_or(direction);
            let exit = refract(direction, -outward, 1.0 / ratio);
            if let Some(direction) = exit.filter(|_| sampler.get_1d() >= reflectance) {
                return DropletExit { leaves: at, direction, length };
            }
            direction = reflect(direction, -outward);
        }
        DropletExit { leaves: at, direction, length }
    }
}

/// Where a path leaves a sphere, in which direction, and its length inside.
struct DropletExit {
    leaves: Vec3,
    direction: Vec3,
    length: f32,
}

fn straight(hit: &Hit, direction: Vec3) -> DropletExit {
    let chord = 2.0 * hit.radius * -direction.dot(hit.normal);
    DropletExit { leaves: hit.point + direction * chord.max(0.0), direction, length: 0.0 }
}
