//! Clear surfaces: water, glass and thin panes, with Fresnel reflection and refraction.

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

/// Transmittance of an edge of the tank's glass.
const EDGE_TINT: Vec3 = Vec3::new(0.50, 0.68, 0.70);
/// A liquid with a greater scattering optical depth across the tank is shaded as an opaque diffuse surface,
const DENSE: f32 = 25.0;
/// and so is one with a greater extinction optical depth in every colour.
const DARK: f32 = 60.0;
/// Least sine of the angle at which reflected rays leave open water.
const GLANCE: f32 = 0.04;

impl PathIntegrator<'_> {
    // Shades a smooth or rough dielectric boundary; returns whether the path goes on.
    pub(super) fn shade_dielectric(
        &self,
        path: &mut PathState,
        hit: &Hit,
        pending: &mut PathStack,
        sampler: &mut Sampler,
        sample: &mut PathSample,
    ) -> bool {
        // The media on both sides; without a change of index the ray goes straight on.
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
        // Foam is diffuse and replaces the boundary.
        let direction = path.ray.direction;
        if let Some(foam) = self.scene.foam(hit, path.ray.width, sampler) {
            return self.shade_diffuse(path, hit, &foam, sampler, sample);
        }
        // Shading normal: a microfacet of the waves that are too small to be resolved.
        let (mean, variance) = self.scene.water_normal(hit, direction, path.ray.width);
        let normal = if variance > 0.0 {
            visible_microfacet(sample_microfacet(mean, variance, sampler.get_2d()), mean, variance, direction)
        } else {
            mean
        };
        self.record_first_hit(path, hit, mean, sample);
        // Sun glitter is added in closed form: reflected rays would hardly ever hit the sun's disc.
        if hit.material == TraceMaterial::Water && hit.is_outside && path.diffuse_bounces == 0 {
            let glitter = self.glitter(path, hit, mean, variance);
            self.add_radiance(path, glitter, sample);
        }
        // Fresnel reflectance, and the reflected path.
        let cosine = -direction.dot(normal);
        let reflectance =
            if hit.is_on_wall { pane_reflectance(cosine, ratio) } else { fresnel(cosine, ratio) };
        let spread = path.ray.spread + 1.5 * variance.sqrt();
        let kind = if path.kind == RayKind::Scattered { RayKind::Scattered } else { RayKind::Specular };
        let reflected = PathState {
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
        // Total internal reflection.
        let Some(refracted) = refract(direction, normal, ratio) else {
            *path = reflected;
            return true;
        };
        // A dense liquid is shaded at its surface, any other is entered by the refracted ray.
        if self.is_dense(hit, after) {
            return self.shade_dense_liquid(path, hit, reflected, reflectance, pending, sampler, sample);
        }
        let transmitted = PathState {
            ray: Ray {
                from: hit.point - hit.face * offset,
                direction: hit.inwards(refracted),
                medium: after,
                spread: path.ray.spread + 0.4 * variance.sqrt(),
                ..path.ray
            },
            colour: hit.colour,
            ..reflected
        };
        *path = split_or_choose(transmitted, reflected, reflectance, self.limits.splits, pending, sampler);
        true
    }

    // The triangles of smooth waves are flat: a ray that leaves one at grazing angle would hit the next.
    fn clamp_to_hemisphere(&self, hit: &Hit, direction: Vec3) -> Vec3 {
        let least = if self.scene.open_water.is_some() { GLANCE } else { 1e-3 };
        clamp_to_hemisphere(direction, hit.face, least)
    }

    // Shades the surface of a dense liquid: specular reflection, and a diffuse body below it.
    fn shade_dense_liquid(
        &self,
        path: &mut PathState,
        hit: &Hit,
        reflected: PathState,
        reflectance: f32,
        pending: &mut PathStack,
        sampler: &mut Sampler,
        sample: &mut PathSample,
    ) -> bool {
        let (absorption, scattering) = self.scene.media.coefficients(hit.colour);
        let albedo = dense_albedo(scattering / (absorption + scattering).max(Vec3::splat(1e-9)));
        if path.splits < self.limits.splits {
            pending.push(PathState { throughput: reflected.throughput * reflectance, ..reflected });
            path.throughput *= 1.0 - reflectance;
        } else {
            // Choose by contribution: in a dark liquid the reflection carries more than the body.
            let body = (1.0 - reflectance) * albedo.max_element();
            let chance = reflectance / (reflectance + body).max(1e-9);
            if sampler.get_1d() < chance {
                *path = PathState { throughput: reflected.throughput * (reflectance / chance), ..reflected };
                return true;
            }
            path.throughput *= (1.0 - reflectance) / (1.0 - chance).max(1e-6);
        }
        let bsdf = CoatedDiffuse::diffuse(albedo, hit.normal);
        self.shade_diffuse(path, hit, &bsdf, sampler, sample)
    }

    fn is_dense(&self, hit: &Hit, after: RayMedium) -> bool {
        let (absorption, scattering) = self.scene.media.coefficients(hit.colour);
        let size = self.scene.intersector.size();
        let is_opaque = scattering.element_sum() / 3.0 * size > DENSE
            || (absorption + scattering).min_element() * size > DARK;
        self.scene.open_water.is_none() && after.water && !after.glass && is_opaque
    }

    // A thin pane, or an edge of the tank: reflects, and transmits without refraction.
    pub(super) fn shade_thin_glass(
        &self,
        path: &mut PathState,
        hit: &Hit,
        pending: &mut PathStack,
        sampler: &mut Sampler,
        sample: &mut PathSample,
    ) -> bool {
        let direction = path.ray.direction;
        // Reflectance of one face, and of a pane of two.
        let once = fresnel(-direction.dot(hit.normal), GLASS_INDEX);
        let both = pane_reflectance(-direction.dot(hit.normal), 1.0);
        let (reflectance, tint) = match hit.material {
            TraceMaterial::Pane => (both, Vec3::ONE),
            _ => (once, if self.scene.is_lossless { Vec3::ONE } else { EDGE_TINT }),
        };
        if hit.material == TraceMaterial::Edge {
            self.record_first_hit(path, hit, hit.normal, sample);
        }
        // The reflected and the transmitted path.
        let offset = self.scene.intersector.ray_offset(hit.point);
        let kind = if path.kind == RayKind::Scattered { RayKind::Scattered } else { RayKind::Specular };
        let reflected = PathState {
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
        let transmitted = PathState {
            ray: Ray { from: hit.point - hit.face * offset, direction, ..path.ray },
            throughput: if hit.material == TraceMaterial::Edge { passed } else { path.throughput },
            kind: path.kind,
            splits: path.splits,
            ..reflected
        };
        // Inside a liquid the pane is part of its wall, which the liquid's own boundary stands for.
        if path.ray.medium.water {
            *path = transmitted;
            return true;
        }
        *path = split_or_choose(transmitted, reflected, reflectance, self.limits.splits, pending, sampler);
        true
    }

    // The medium behind a boundary. If that is air, a thin gap of it before a solid or glass is closed: surfaces in
    // contact were meshed independently of each other.
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
        // Coincident surfaces may come in either order.
        let before = 4.0 * self.scene.intersector.ray_offset(hit.point);
        let from = hit.point - direction * before;
        let solid = self.scene.intersector.closest_opaque_hit(from, direction, gap + before, time);
        // Droplets and bubbles at the surface are hit on their own.
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

/// What lies behind a boundary.
enum BehindBoundary {
    /// An opaque surface in contact with it.
    Stops(Hit),
    /// The boundary itself, and the medium behind it.
    Enters(Hit, RayMedium),
}

// Splits a path at a boundary while `splits` allows it: the reflected part is pushed onto the stack. Otherwise
// chooses one of the two parts with the probability of its reflectance or transmittance.
pub(super) fn split_or_choose(
    transmitted: PathState,
    reflected: PathState,
    reflectance: f32,
    splits: u32,
    pending: &mut PathStack,
    sampler: &mut Sampler,
) -> PathState {
    if reflectance <= 0.0 {
        return transmitted;
    }
    let split_off = PathState { throughput: reflected.throughput * reflectance, ..reflected };
    if reflected.splits <= splits && reflected.diffuse_bounces == 0 && pending.push(split_off) {
        return PathState { throughput: transmitted.throughput * (1.0 - reflectance), ..transmitted };
    }
    if sampler.get_1d() < reflectance { reflected } else { transmitted }
}

// Reflectance of a thin pane between media whose indices have this ratio: R = (R₁ + R₂ − 2 R₁ R₂) / (1 − R₁ R₂), with
// all orders of reflection between its faces.
fn pane_reflectance(cosine: f32, ratio: f32) -> f32 {
    let (outer, inner) = if ratio == 1.0 {
        let once = fresnel(cosine, GLASS_INDEX);
        (once, once)
    } else {
        // The outer face takes the angle in air, the inner face the one in the liquid.
        let refracted = (1.0 - (1.0 - cosine * cosine) / (ratio * ratio)).max(0.0).sqrt();
        let (air, liquid) = if ratio > 1.0 { (cosine, refracted) } else { (refracted, cosine) };
        (fresnel(air, GLASS_INDEX), fresnel(liquid, GLASS_INDEX / WATER_INDEX))
    };
    (outer + inner - 2.0 * outer * inner) / (1.0 - outer * inner).max(1e-6)
}

// A microfacet that faces away from the viewer is replaced by one that is just visible.
fn visible_microfacet(facet: Vec3, mean: Vec3, variance: f32, direction: Vec3) -> Vec3 {
    if -facet.dot(direction) > 0.02 {
        return facet;
    }
    let cosine = -mean.dot(direction);
    let least = (0.5 * (cosine + (cosine * cosine + 4.0 * FRAC_PI_2 * variance).sqrt())).max(0.02);
    (mean - direction * (least - cosine).max(0.0)).normalize_or(mean)
}

// Diffuse reflectance of a deep, dense liquid by its single-scattering albedo: van de Hulst's fit for diffuse light and
// isotropic scattering [vandehulst1980].
fn dense_albedo(single: Vec3) -> Vec3 {
    single.map(|reflectance| {
        let s = (1.0 - reflectance.clamp(0.0, 1.0)).sqrt();
        (1.0 - s) * (1.0 - 0.139 * s) / (1.0 + 1.17 * s)
    })
}
