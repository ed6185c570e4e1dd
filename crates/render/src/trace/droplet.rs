//! Drops of spray and bubbles of air: little balls that bend light.
//!
//! A ball is small against all else, so that light is followed through it in one go: it enters, is mirrored inside as often
//! as Fresnel's law has it, and leaves where that ends. On a sphere every chord meets the surface at the same angle, from
//! within and without, so that one share of mirrored light holds for all of them. A drop that is smaller than the beam that
//! meets it is a white speck instead: what it bends goes everywhere.

use glam::Vec3;

use super::dielectric::split_or_choose;
use super::environment::RayKind;
use super::hit::{Hit, TraceMaterial};
use super::integrator::{PathIntegrator, PathSample, PathStack, PathState, Ray};
use super::sampler::Sampler;
use crate::optics::{WATER_INDEX, fresnel, reflect, refract};

/// A ball whose radius is smaller than this share of the beam's width is a speck.
const SPECK: f32 = 0.6;
/// Mirrored this often inside, light leaves: less than a millionth is left to be mirrored by then.
const LONGEST: usize = 32;

impl PathIntegrator<'_> {
    /// Whether what is met is a ball that bends light, seen large enough.
    pub(super) fn is_droplet(&self, path: &PathState, hit: &Hit) -> bool {
        let is_seen = hit.radius > SPECK * path.ray.width;
        // Under water a drop is more water, and what cannot be told apart is not there.
        hit.material == TraceMaterial::Bubble
            || hit.material == TraceMaterial::Spray && (is_seen || path.ray.medium.water)
    }

    // A ball of water in the air, or of air in water.
    pub(super) fn shade_droplet(
        &self,
        path: &mut PathState,
        hit: &Hit,
        pending: &mut PathStack,
        sampler: &mut Sampler,
        sample: &mut PathSample,
    ) -> bool {
        let direction = path.ray.direction;
        let inner = if hit.material == TraceMaterial::Spray { WATER_INDEX } else { 1.0 };
        let ratio = inner / path.ray.medium.index();
        let offset = self.scene.intersector.ray_offset(hit.point).max(1e-4 * hit.radius);
        let cosine = -direction.dot(hit.normal);
        // A bubble that floats in the air is a thin film around it: both sides mirror, to and fro.
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
        if hit.material == TraceMaterial::Spray && path.diffuse_bounces == 0 {
            let across = path.ray.width / hit.radius.max(1e-9);
            let sun = self.glitter(path, hit, hit.normal, 0.02 * across * across);
            self.add_radiance(path, sun, sample);
        }
        let back = PathState {
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
            Some(bent) => Some(self.internal_reflections(hit, bent, ratio, reflectance, sampler)),
            None => None,
        };
        let Some(DropletExit { leaves, direction, length }) = through else {
            *path = back;
            return true;
        };
        let (absorbed, _) = self.scene.media.losses(path.colour);
        let lost = if hit.material == TraceMaterial::Spray { absorbed * length } else { Vec3::ZERO };
        let on = PathState {
            ray: Ray { from: leaves + direction * offset, direction, ..back.ray },
            throughput: path.throughput * (-lost).map(f32::exp),
            ..back
        };
        *path = split_or_choose(on, back, reflectance, self.limits.splits, pending, sampler);
        true
    }

    // Light inside a ball, which it entered towards `bent`.
    fn internal_reflections(
        &self,
        hit: &Hit,
        bent: Vec3,
        ratio: f32,
        reflectance: f32,
        sampler: &mut Sampler,
    ) -> DropletExit {
        let centre = hit.point - hit.normal * hit.radius;
        let (mut at, mut along, mut length) = (hit.point, bent, 0.0);
        for _ in 0..LONGEST {
            let chord = 2.0 * (centre - at).dot(along).max(0.0);
            at += along * chord;
            length += chord;
            let outward = (at - centre).normalize_or(along);
            let out = refract(along, -outward, 1.0 / ratio);
            if let Some(direction) = out.filter(|_| sampler.get_1d() >= reflectance) {
                return DropletExit { leaves: at, direction, length };
            }
            along = reflect(along, -outward);
        }
        DropletExit { leaves: at, direction: along, length }
    }
}

/// Light that went through a ball: where it leaves, to where, and how far it went inside.
struct DropletExit {
    leaves: Vec3,
    direction: Vec3,
    length: f32,
}

fn straight(hit: &Hit, direction: Vec3) -> DropletExit {
    let chord = 2.0 * hit.radius * -direction.dot(hit.normal);
    DropletExit { leaves: hit.point + direction * chord.max(0.0), direction, length: 0.0 }
}
