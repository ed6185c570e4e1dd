//! Recursive ray tracing through liquid, glass and air [whitted1980].
//!
//! At every boundary light is split by the exact Fresnel law and refracted by Snell's. The refracted ray is traced
//! on; the reflected one too if its throughput is large enough, otherwise it sees the surroundings without the tank.
//! In the liquid light is attenuated by Beer's law per colour, and a scattering source term is added. Where glass and
//! liquid overlap there is glass. Gaps thinner than the contact length between liquid and solid are closed, because
//! their surfaces were meshed independently. Caustics on anything but the floor are not modelled.

use glam::Vec3;

use super::environment::TankEnvironment;
use super::media::{Media, RayMedium};
use super::tank::GLASS_INDEX;
use super::tank_intersector::{TankHit, TankIntersector, TankMaterial};
use crate::optics::{fresnel, reflect, refract};

/// Surfaces after which a ray is given up, and those of a shadow ray.
const MAX_SURFACES: usize = 12;
const MAX_SHADOW_SURFACES: usize = 8;
/// Greatest number of reflected rays on the stack.
const MAX_PENDING: usize = 4;
/// A reflected ray of more throughput is traced, and one of less than the second value is dropped.
const MIN_TRACED_THROUGHPUT: f32 = 0.09;
const MIN_THROUGHPUT: f32 = 0.003;
/// Transmittance of an edge of the tank's glass.
const EDGE_TINT: Vec3 = Vec3::new(0.50, 0.68, 0.70);

/// The ray tracer.
pub struct WhittedTracer<'a> {
    /// Ray intersection.
    pub intersector: &'a TankIntersector<'a>,
    /// Light of the surroundings.
    pub environment: &'a TankEnvironment<'a>,
    /// Optical coefficients.
    pub media: Media,
}

/// A ray being traced.
#[derive(Debug, Clone, Copy)]
struct WhittedRay {
    from: Vec3,
    direction: Vec3,
    medium: RayMedium,
    /// The factor by which its radiance contributes to the pixel.
    throughput: Vec3,
    /// The colour of the liquid where it entered, and the normal there.
    colour: Option<Vec3>,
    entry: Vec3,
    is_direct: bool,
}

impl WhittedTracer<'_> {
    /// Radiance along a camera ray whose first hit is known.
    pub fn radiance(&self, eye: Vec3, direction: Vec3, first: Option<TankHit>) -> Vec3 {
        let throughput = Vec3::ONE;
        let medium = RayMedium::default();
        let ray = WhittedRay {
            from: eye,
            direction,
            medium,
            throughput,
            colour: None,
            entry: Vec3::Z,
            is_direct: true,
        };
        let mut pending = [ray; MAX_PENDING];
        let mut count = 0;
        let mut sum = self.trace(ray, Some(first), &mut pending, &mut count);
        let mut follows = 0;
        while count > 0 && follows < MAX_PENDING {
            count -= 1;
            follows += 1;
            let next = pending[count];
            sum += self.trace(next, None, &mut pending, &mut count);
        }
        sum
    }

    // Traces one ray to its end; reflected rays are put on the stack.
    fn trace(
        &self,
        mut ray: WhittedRay,
        mut known: Option<Option<TankHit>>,
        pending: &mut [WhittedRay; MAX_PENDING],
        count: &mut usize,
    ) -> Vec3 {
        let mut sum = Vec3::ZERO;
        for _ in 0..MAX_SURFACES {
            // The closest hit; rays without one see the surroundings.
            let next = known.take();
            let next =
                next.unwrap_or_else(|| self.intersector.closest_hit(ray.from, ray.direction, f32::INFINITY));
            let Some(hit) = next else {
                return sum
                    + ray.throughput * self.environment.background(ray.from, ray.direction, ray.is_direct);
            };
            // Attenuation in the medium; opaque surfaces end the ray.
            ray.medium = ray.medium.before(&hit);
            sum += self.attenuate(&mut ray, &hit);
            if let Some(light) = self.opaque_radiance(&hit) {
                return sum + ray.throughput * light;
            }
            if hit.material == TankMaterial::Edge {
                sum += self.through_edge(&mut ray, &hit);
                continue;
            }
            // The medium behind the boundary; without a change of index the ray goes straight on.
            let (hit, after) = match self.behind_surface(&ray, &hit) {
                BehindSurface::Stops(light) => return sum + ray.throughput * light,
                BehindSurface::Enters(hit, after) => (hit, after),
            };
            let ratio = after.index() / ray.medium.index();
            if ratio == 1.0 {
                ray = WhittedRay { from: hit.point + ray.direction * self.media.step, medium: after, ..ray };
                continue;
            }
            // Fresnel reflection and refraction.
            sum += self.split(&mut ray, &hit, after, ratio, pending, count);
            if ray.throughput.max_element() < MIN_THROUGHPUT {
                return sum;
            }
        }
        sum + ray.throughput
            * self.environment.reflected_radiance(ray.direction.with_z(ray.direction.z.abs()))
    }

    // An edge of the tank is too thin for visible refraction: it attenuates and reflects.
    fn through_edge(&self, ray: &mut WhittedRay, hit: &TankHit) -> Vec3 {
        ray.from = hit.point + ray.direction * self.media.step;
        if !hit.is_outside {
            return Vec3::ZERO;
        }
        let reflectance = 0.1 + 0.9 * fresnel(-ray.direction.dot(hit.normal), GLASS_INDEX);
        let background = self.background_reflection(hit.point, reflect(ray.direction, hit.normal));
        let light = ray.throughput * reflectance * background;
        ray.throughput *= EDGE_TINT * (1.0 - reflectance);
        light
    }

    // Splits a ray at a boundary: the refracted ray goes on; the reflected one is put on the stack, or added at once.
    fn split(
        &self,
        ray: &mut WhittedRay,
        hit: &TankHit,
        after: RayMedium,
        ratio: f32,
        pending: &mut [WhittedRay; MAX_PENDING],
        count: &mut usize,
    ) -> Vec3 {
        let (direction, normal) = (ray.direction, hit.normal);
        // The reflected ray; it is the only one in total internal reflection.
        let mirror_direction = hit.outwards(reflect(direction, normal));
        let reflected = WhittedRay {
            from: hit.point + hit.face * self.media.step,
            direction: mirror_direction,
            is_direct: false,
            ..*ray
        };
        let Some(refracted) = refract(direction, normal, ratio) else {
            *ray = reflected;
            return Vec3::ZERO;
        };
        // Reflection off a pane in contact with the liquid is added by the pane.
        let reflectance = if hit.is_on_wall { 0.0 } else { fresnel(-direction.dot(normal), ratio) };
        // Trace the reflection later, add it at once without the tank, or drop it.
        let reflected_throughput = ray.throughput * reflectance;
        let mut sum = Vec3::ZERO;
        if reflected_throughput.max_element() > MIN_TRACED_THROUGHPUT && *count < MAX_PENDING {
            pending[*count] = WhittedRay { throughput: reflected_throughput, ..reflected };
            *count += 1;
        } else if reflected_throughput.max_element() > MIN_THROUGHPUT {
            sum = reflected_throughput * self.background_reflection(hit.point, mirror_direction);
        }
        // Go on with the refracted ray.
        *ray = WhittedRay {
            from: hit.point - hit.face * self.media.step,
            direction: hit.inwards(refracted),
            medium: after,
            throughput: ray.throughput * (1.0 - reflectance),
            colour: hit.colour,
            entry: hit.normal,
            is_direct: ray.is_direct && hit.material == TankMaterial::Glass,
        };
        sum
    }

    fn background_reflection(&self, point: Vec3, direction: Vec3) -> Vec3 {
        if direction.z < 0.0 {
            self.environment.background(point, direction, false)
        } else {
            self.environment.reflected_radiance(direction)
        }
    }

    // Attenuates a ray up to a surface; returns the in-scattered radiance.
    fn attenuate(&self, ray: &mut WhittedRay, hit: &TankHit) -> Vec3 {
        if ray.medium.glass {
            ray.throughput *= (-self.media.glass * hit.distance).exp();
            return Vec3::ZERO;
        }
        if !ray.medium.water {
            return Vec3::ZERO;
        }
        let end = if hit.material == TankMaterial::Water { hit.colour } else { None };
        let (absorption, scattering) = self.media.coefficients(mean_colour(ray.colour, end));
        let extinction = absorption + scattering;
        let transmittance = (-extinction * hit.distance).exp();
        let added = scattering / extinction.max(Vec3::splat(1e-9))
            * (1.0 - transmittance)
            * self.environment.in_scattered_radiance(ray.entry);
        let light = ray.throughput * added;
        ray.throughput *= transmittance;
        light
    }

    fn opaque_radiance(&self, hit: &TankHit) -> Option<Vec3> {
        match hit.material {
            TankMaterial::Solid => Some(self.solid(hit)),
            TankMaterial::Slab => Some(self.environment.slab(hit.point, hit.normal)),
            TankMaterial::Water | TankMaterial::Glass | TankMaterial::Edge => None,
        }
    }

    // The medium behind a boundary. A thin gap of air is closed.
    fn behind_surface(&self, ray: &WhittedRay, hit: &TankHit) -> BehindSurface {
        let after = ray.medium.after(hit);
        if after != RayMedium::default() {
            return BehindSurface::Enters(*hit, after);
        }
        let steepness = -ray.direction.dot(hit.face);
        let gap = self.media.contact / steepness.max(0.08);
        // Coincident surfaces may come in either order.
        let before = 4.0 * self.media.step;
        let solid = self.intersector.closest_opaque_hit(
            hit.point - ray.direction * before,
            ray.direction,
            gap + before,
        );
        if let Some(light) = solid.and_then(|solid| self.opaque_radiance(&solid)) {
            return BehindSurface::Stops(light);
        }
        let start = 0.05 * self.media.step;
        let from = hit.point + ray.direction * start;
        let Some(next) = self.intersector.closest_hit_near_glass(from, ray.direction, gap) else {
            return BehindSurface::Enters(*hit, after);
        };
        // The farther surface takes over the normal of the nearer one: there is one boundary, not two.
        let joined = TankHit { point: next.point, colour: next.colour.or(hit.colour), ..*hit };
        if next.is_outside {
            BehindSurface::Enters(joined, after.after(&next))
        } else {
            BehindSurface::Enters(*hit, after)
        }
    }

    fn solid(&self, hit: &TankHit) -> Vec3 {
        let albedo = hit.colour.unwrap_or(self.media.solid);
        let faces_sun = hit.normal.dot(self.environment.sky.sun) > 0.0;
        let lit = if faces_sun { self.sun_at(hit.point, hit.face) } else { Vec3::ZERO };
        self.environment.solid(hit.normal, albedo, lit)
    }

    // Fraction of the sun at a point of a solid body, along a straight ray through the liquid.
    fn sun_at(&self, point: Vec3, face: Vec3) -> Vec3 {
        let sun = self.environment.sky.sun;
        let mut from = point + face * (2.0 * self.media.step);
        let mut light = Vec3::ONE;
        for _ in 0..MAX_SHADOW_SURFACES {
            let Some(hit) = self.intersector.closest_hit(from, sun, f32::INFINITY) else { return light };
            match hit.material {
                TankMaterial::Solid | TankMaterial::Slab => return Vec3::ZERO,
                TankMaterial::Water if !hit.is_outside => {
                    let (absorption, scattering) = self.media.coefficients(hit.colour);
                    light *= 0.96 * (-(absorption + scattering) * hit.distance).exp();
                }
                TankMaterial::Water => {}
                TankMaterial::Glass | TankMaterial::Edge => light *= 0.95,
            }
            from = hit.point + sun * self.media.step;
        }
        light
    }
}

/// What lies behind a boundary.
enum BehindSurface {
    /// Something opaque, of this radiance.
    Stops(Vec3),
    /// The boundary itself, and the medium behind it.
    Enters(TankHit, RayMedium),
}

fn mean_colour(one: Option<Vec3>, other: Option<Vec3>) -> Option<Vec3> {
    match (one, other) {
        (Some(one), Some(other)) => Some(0.5 * (one + other)),
        (one, other) => one.or(other),
    }
}
