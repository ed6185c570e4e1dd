//! Surfaces that light passes: water, glass, thin panes.

use std::f32::consts::FRAC_PI_2;

use glam::Vec3;

use super::coated_diffuse::CoatedDiffuse;
use super::environment::RayKind;
use super::hit::{Hit, TraceMaterial};
use super::integrator::{PathIntegrator, PathSample, PathStack, PathState, Ray};
use super::sampler::Sampler;
use super::sampling::sample_microfacet;
use crate::optics::{WATER_INDEX, clamp_to_hemisphere, fresnel, reflect, refract};
use crate::preview::liquid::media::RayMedium;
use crate::preview::liquid::tank::GLASS_INDEX;

/// What is left of light that passes an edge of the tank.
const EDGE_TINT: Vec3 = Vec3::new(0.50, 0.68, 0.70);
/// A liquid that scatters light more often than this on its way across the tank is followed only at its surface,
const DENSE: f32 = 25.0;
/// and so is one in which no colour gets farther than this part of the way.
const DARK: f32 = 60.0;
/// Sine of the angle at which rays leave open water, at least.
const GLANCE: f32 = 0.04;

impl PathIntegrator<'_> {
    // A surface of water or glass.
    pub(super) fn shade_dielectric(
        &self,
        path: &mut PathState,
        hit: &Hit,
        pending: &mut PathStack,
        sampler: &mut Sampler,
        sample: &mut PathSample,
    ) -> bool {
        let (hit, after) = match self.behind_boundary(path, hit) {
            BehindBoundary::Stops(hit) => return self.shade_opaque(path, &hit, pending, sampler, sample),
            BehindBoundary::Enters(hit, after) => (hit, after),
        };
        let hit = &hit;
        let medium = path.ray.medium;
        let ratio = after.index() / medium.index();
        let offset = self.scene.intersector.ray_offset(hit.point);
        if ratio == 1.0 {
            path.bounces += 1;
            path.ray.from = hit.point + path.ray.direction * offset;
            path.ray.medium = after;
            return true;
        }
        let direction = path.ray.direction;
        if let Some(foam) = self.scene.foam(hit, path.ray.width, sampler) {
            return self.shade_diffuse(path, hit, &foam, sampler, sample);
        }
        let (mean, variance) = self.scene.water_normal(hit, direction, path.ray.width);
        let normal = if variance > 0.0 {
            visible_microfacet(sample_microfacet(mean, variance, sampler.get_2d()), mean, variance, direction)
        } else {
            mean
        };
        self.record_first_hit(path, hit, mean, sample);
        if hit.material == TraceMaterial::Water && hit.is_outside && path.diffuse_bounces == 0 {
            let glitter = self.glitter(path, hit, mean, variance);
            self.add_radiance(path, glitter, sample);
        }
        let cosine = -direction.dot(normal);
        let reflectance =
            if hit.is_on_wall { pane_reflectance(cosine, ratio) } else { fresnel(cosine, ratio) };
        let spread = path.ray.spread + 1.5 * variance.sqrt();
        let kind = if path.kind == RayKind::Scattered { RayKind::Scattered } else { RayKind::Specular };
        let back = PathState {
            ray: Ray {
                from: hit.point + hit.face * offset,
                direction: self.clamp_to_hemisphere(hit, reflect(direction, normal)),
                spread,
                ..path.ray
            },
            kind,
            bounces: path.bounces + 1,
            splits: path.splits + 1,
            ..*path
        };
        let Some(bent) = refract(direction, normal, ratio) else {
            *path = back;
            return true;
        };
        if self.is_dense(hit, after) {
            return self.shade_dense_liquid(path, hit, back, reflectance, pending, sampler, sample);
        }
        let on = PathState {
            ray: Ray {
                from: hit.point - hit.face * offset,
                direction: hit.inwards(bent),
                medium: after,
                spread: path.ray.spread + 0.4 * variance.sqrt(),
                ..path.ray
            },
            colour: hit.colour,
            ..back
        };
        *path = split_or_choose(on, back, reflectance, self.limits.splits, pending, sampler);
        true
    }

    // Waves are smooth, but their triangles are not: a ray that leaves one at a glance would meet the next.
    fn clamp_to_hemisphere(&self, hit: &Hit, direction: Vec3) -> Vec3 {
        let least = if self.scene.open_water.is_some() { GLANCE } else { 1e-3 };
        clamp_to_hemisphere(direction, hit.face, least)
    }

    // Both parts of a dense liquid's surface: the mirror, and the matt body below.
    fn shade_dense_liquid(
        &self,
        path: &mut PathState,
        hit: &Hit,
        back: PathState,
        reflectance: f32,
        pending: &mut PathStack,
        sampler: &mut Sampler,
        sample: &mut PathSample,
    ) -> bool {
        let (absorbed, scattered) = self.scene.media.losses(hit.colour);
        let albedo = dense_albedo(scattered / (absorbed + scattered).max(Vec3::splat(1e-9)));
        if path.splits < self.limits.splits {
            pending.push(PathState { throughput: back.throughput * reflectance, ..back });
            path.throughput *= 1.0 - reflectance;
        } else {
            // Each is followed as often as it is worth: in a dark liquid the mirror shows more than the body.
            let body = (1.0 - reflectance) * albedo.max_element();
            let chance = reflectance / (reflectance + body).max(1e-9);
            if sampler.get_1d() < chance {
                *path = PathState { throughput: back.throughput * (reflectance / chance), ..back };
                return true;
            }
            path.throughput *= (1.0 - reflectance) / (1.0 - chance).max(1e-6);
        }
        let bsdf = CoatedDiffuse::diffuse(albedo, hit.normal);
        self.shade_diffuse(path, hit, &bsdf, sampler, sample)
    }

    fn is_dense(&self, hit: &Hit, after: RayMedium) -> bool {
        let (absorbed, scattered) = self.scene.media.losses(hit.colour);
        let size = self.scene.intersector.size();
        let is_opaque = scattered.element_sum() / 3.0 * size > DENSE
            || (absorbed + scattered).min_element() * size > DARK;
        self.scene.open_water.is_none() && after.water && !after.glass && is_opaque
    }

    // A thin pane, or an edge of the tank: light goes straight on.
    pub(super) fn shade_thin_glass(
        &self,
        path: &mut PathState,
        hit: &Hit,
        pending: &mut PathStack,
        sampler: &mut Sampler,
        sample: &mut PathSample,
    ) -> bool {
        let direction = path.ray.direction;
        let once = fresnel(-direction.dot(hit.normal), GLASS_INDEX);
        let both = pane_reflectance(-direction.dot(hit.normal), 1.0);
        let (reflectance, tint) = match hit.material {
            TraceMaterial::Pane => (both, Vec3::ONE),
            _ => (once, if self.scene.is_lossless { Vec3::ONE } else { EDGE_TINT }),
        };
        if hit.material == TraceMaterial::Edge {
            self.record_first_hit(path, hit, hit.normal, sample);
        }
        let offset = self.scene.intersector.ray_offset(hit.point);
        let kind = if path.kind == RayKind::Scattered { RayKind::Scattered } else { RayKind::Specular };
        let back = PathState {
            ray: Ray {
                from: hit.point + hit.face * offset,
                direction: reflect(direction, hit.normal),
                ..path.ray
            },
            kind,
            bounces: path.bounces + 1,
            splits: path.splits + 1,
            ..*path
        };
        let passed = if hit.is_outside { path.throughput * tint } else { path.throughput };
        let on = PathState {
            ray: Ray { from: hit.point - hit.face * offset, direction, ..path.ray },
            throughput: if hit.material == TraceMaterial::Edge { passed } else { path.throughput },
            kind: path.kind,
            splits: path.splits,
            ..back
        };
        // Inside a liquid a pane is part of its wall, where the liquid itself decides.
        if path.ray.medium.water {
            *path = on;
            return true;
        }
        *path = split_or_choose(on, back, reflectance, self.limits.splits, pending, sampler);
        true
    }

    // What lies behind a boundary. If that is air, a thin gap of it before something solid or glass is closed: surfaces
    // that touch were made apart from each other.
    fn behind_boundary(&self, path: &PathState, hit: &Hit) -> BehindBoundary {
        let mut after = path.ray.medium;
        match hit.material {
            TraceMaterial::Water => after.water = hit.is_outside,
            _ => after.glass = hit.is_outside,
        }
        let contact = self.scene.media.contact;
        if after != RayMedium::default() || contact <= 0.0 {
            return BehindBoundary::Enters(*hit, after);
        }
        let (direction, time) = (path.ray.direction, path.ray.time);
        let steepness = -direction.dot(hit.face);
        let gap = contact / steepness.max(0.08);
        // Two surfaces in one place may come in either order.
        let before = 4.0 * self.scene.intersector.ray_offset(hit.point);
        let from = hit.point - direction * before;
        let solid = self.scene.intersector.closest_opaque_hit(from, direction, gap + before, time);
        // A drop or a bubble by the surface is met next.
        if let Some(solid) =
            solid.filter(|solid| !matches!(solid.material, TraceMaterial::Spray | TraceMaterial::Bubble))
        {
            return BehindBoundary::Stops(solid);
        }
        let from = hit.point + direction * (0.05 * before);
        match self.scene.intersector.closest_hit_near_glass(from, direction, gap, time) {
            // The farther surface takes over the normal of the nearer one: there is one boundary, not two.
            Some(next) if next.is_outside => {
                let joined = Hit { point: next.point, colour: next.colour.or(hit.colour), ..*hit };
                match next.material {
                    TraceMaterial::Water => after.water = true,
                    TraceMaterial::Glass => after.glass = true,
                    _ => {}
                }
                BehindBoundary::Enters(joined, after)
            }
            _ => BehindBoundary::Enters(*hit, after),
        }
    }
}

/// What a ray meets behind a boundary.
enum BehindBoundary {
    /// Something that light does not pass.
    Stops(Hit),
    /// The boundary, and what is inside it.
    Enters(Hit, RayMedium),
}

// Follows both parts of a path where few have parted before, or else one of them, as often as its share tells.
pub(super) fn split_or_choose(
    on: PathState,
    back: PathState,
    reflectance: f32,
    splits: u32,
    pending: &mut PathStack,
    sampler: &mut Sampler,
) -> PathState {
    if reflectance <= 0.0 {
        return on;
    }
    let mirrored = PathState { throughput: back.throughput * reflectance, ..back };
    if back.splits <= splits && back.diffuse_bounces == 0 && pending.push(mirrored) {
        return PathState { throughput: on.throughput * (1.0 - reflectance), ..on };
    }
    if sampler.get_1d() < reflectance { back } else { on }
}

// The share of light that a thin pane mirrors between media whose indices have this ratio. Both of its faces mirror, and
// light that is mirrored to and fro between them adds some; a liquid behind it dims one of the faces.
fn pane_reflectance(cosine: f32, ratio: f32) -> f32 {
    let (outer, inner) = if ratio == 1.0 {
        let once = fresnel(cosine, GLASS_INDEX);
        (once, once)
    } else {
        // The angle in the air counts for the outer face, the one in the liquid for the inner.
        let bent = (1.0 - (1.0 - cosine * cosine) / (ratio * ratio)).max(0.0).sqrt();
        let (air, liquid) = if ratio > 1.0 { (cosine, bent) } else { (bent, cosine) };
        (fresnel(air, GLASS_INDEX), fresnel(liquid, GLASS_INDEX / WATER_INDEX))
    };
    (outer + inner - 2.0 * outer * inner) / (1.0 - outer * inner).max(1e-6)
}

// A facet that faces away from the eye cannot be seen: one that does takes its place.
fn visible_microfacet(facet: Vec3, mean: Vec3, variance: f32, direction: Vec3) -> Vec3 {
    if -facet.dot(direction) > 0.02 {
        return facet;
    }
    let cosine = -mean.dot(direction);
    let least = (0.5 * (cosine + (cosine * cosine + 4.0 * FRAC_PI_2 * variance).sqrt())).max(0.02);
    (mean - direction * (least - cosine).max(0.0)).normalize_or(mean)
}

// The share of light that a deep, dense liquid sends back, by the share that a single event scatters: van de Hulst's
// fit for light from all around and scattering to all sides [vandehulst1980].
fn dense_albedo(single: Vec3) -> Vec3 {
    single.map(|reflectance| {
        let s = (1.0 - reflectance.clamp(0.0, 1.0)).sqrt();
        (1.0 - s) * (1.0 - 0.139 * s) / (1.0 + 1.17 * s)
    })
}
