//! Light followed backwards from the eye through liquids, glass and air [whitted1980].
//!
//! At every boundary light is split by the exact Fresnel law and bent by Snell's. The bent ray is followed; the
//! mirrored one too where it carries enough, and otherwise it sees the room as if nothing stood in it. In the liquid
//! light fades by Beer's law per colour, and what the liquid scatters is added. Where glass and liquid overlap there is
//! glass. Where a liquid touches something solid no film of air is left between them, however the two surfaces were
//! made: a gap thinner than the contact length is closed. Light that is gathered on anything but the floor is not
//! modelled.

use glam::Vec3;

use super::environment::TankEnvironment;
use super::media::{Media, RayMedium};
use super::tank::GLASS_INDEX;
use super::tank_intersector::{TankHit, TankIntersector, TankMaterial};
use crate::optics::{fresnel, reflect, refract};

/// Boundaries after which a ray is given up, and those of a ray towards the sun.
const MAX_SURFACES: usize = 12;
const MAX_SHADOW_SURFACES: usize = 8;
/// Mirrored rays that wait to be followed.
const MAX_PENDING: usize = 4;
/// A mirrored ray is followed if it carries more than this share of the light, and less than that it is dropped.
const MIN_TRACED_THROUGHPUT: f32 = 0.09;
const MIN_THROUGHPUT: f32 = 0.003;
/// What is left of light that passes an edge of the tank.
const EDGE_TINT: Vec3 = Vec3::new(0.50, 0.68, 0.70);

/// Follows light.
pub struct WhittedTracer<'a> {
    /// What it meets.
    pub intersector: &'a TankIntersector<'a>,
    /// Where it comes from.
    pub environment: &'a TankEnvironment<'a>,
    /// What it goes through.
    pub media: Media,
}

/// A ray on its way.
#[derive(Debug, Clone, Copy)]
struct WhittedRay {
    from: Vec3,
    direction: Vec3,
    medium: RayMedium,
    /// The share of its light that reaches the eye.
    throughput: Vec3,
    /// The colour of the liquid where it came in, and the normal there.
    colour: Option<Vec3>,
    entry: Vec3,
    is_direct: bool,
}

impl WhittedTracer<'_> {
    /// The light that reaches `eye` against `direction`, of which the first surface is known.
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

    // Follows one ray to its end; rays that part from it wait.
    fn trace(
        &self,
        mut ray: WhittedRay,
        mut known: Option<Option<TankHit>>,
        pending: &mut [WhittedRay; MAX_PENDING],
        count: &mut usize,
    ) -> Vec3 {
        let mut sum = Vec3::ZERO;
        for _ in 0..MAX_SURFACES {
            let next = known.take();
            let next =
                next.unwrap_or_else(|| self.intersector.closest_hit(ray.from, ray.direction, f32::INFINITY));
            let Some(hit) = next else {
                return sum
                    + ray.throughput * self.environment.beyond(ray.from, ray.direction, ray.is_direct);
            };
            ray.medium = ray.medium.before(&hit);
            sum += self.attenuate(&mut ray, &hit);
            if let Some(light) = self.opaque_radiance(&hit) {
                return sum + ray.throughput * light;
            }
            if hit.material == TankMaterial::Edge {
                sum += self.through_edge(&mut ray, &hit);
                continue;
            }
            let (hit, after) = match self.behind_boundary(&ray, &hit) {
                BehindBoundary::Stops(light) => return sum + ray.throughput * light,
                BehindBoundary::Enters(hit, after) => (hit, after),
            };
            let ratio = after.index() / ray.medium.index();
            if ratio == 1.0 {
                ray = WhittedRay { from: hit.point + ray.direction * self.media.step, medium: after, ..ray };
                continue;
            }
            sum += self.split(&mut ray, &hit, after, ratio, pending, count);
            if ray.throughput.max_element() < MIN_THROUGHPUT {
                return sum;
            }
        }
        sum + ray.throughput * self.environment.mirrored(ray.direction.with_z(ray.direction.z.abs()))
    }

    // An edge of the tank is too thin to show how it bends light: it dims and mirrors it.
    fn through_edge(&self, ray: &mut WhittedRay, hit: &TankHit) -> Vec3 {
        ray.from = hit.point + ray.direction * self.media.step;
        if !hit.is_outside {
            return Vec3::ZERO;
        }
        let reflectance = 0.1 + 0.9 * fresnel(-ray.direction.dot(hit.normal), GLASS_INDEX);
        let mirrored = self.seen_in_mirror(hit.point, reflect(ray.direction, hit.normal));
        let light = ray.throughput * reflectance * mirrored;
        ray.throughput *= EDGE_TINT * (1.0 - reflectance);
        light
    }

    // Splits a ray at a boundary: it goes on bent, and what is mirrored waits or is added at once.
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
        let mirrored = hit.outwards(reflect(direction, normal));
        let back = WhittedRay {
            from: hit.point + hit.face * self.media.step,
            direction: mirrored,
            is_direct: false,
            ..*ray
        };
        let Some(bent) = refract(direction, normal, ratio) else {
            *ray = back;
            return Vec3::ZERO;
        };
        // Of a liquid behind a pane the pane is what mirrors.
        let reflectance = if hit.is_on_wall { 0.0 } else { fresnel(-direction.dot(normal), ratio) };
        let carried = ray.throughput * reflectance;
        let mut sum = Vec3::ZERO;
        if carried.max_element() > MIN_TRACED_THROUGHPUT && *count < MAX_PENDING {
            pending[*count] = WhittedRay { throughput: carried, ..back };
            *count += 1;
        } else if carried.max_element() > MIN_THROUGHPUT {
            sum = carried * self.seen_in_mirror(hit.point, mirrored);
        }
        *ray = WhittedRay {
            from: hit.point - hit.face * self.media.step,
            direction: hit.inwards(bent),
            medium: after,
            throughput: ray.throughput * (1.0 - reflectance),
            colour: hit.colour,
            entry: hit.normal,
            is_direct: ray.is_direct && hit.material == TankMaterial::Glass,
        };
        sum
    }

    fn seen_in_mirror(&self, point: Vec3, direction: Vec3) -> Vec3 {
        if direction.z < 0.0 {
            self.environment.beyond(point, direction, false)
        } else {
            self.environment.mirrored(direction)
        }
    }

    // What the medium takes from a ray up to a surface, and the light that it adds.
    fn attenuate(&self, ray: &mut WhittedRay, hit: &TankHit) -> Vec3 {
        if ray.medium.glass {
            ray.throughput *= (-self.media.glass * hit.distance).exp();
            return Vec3::ZERO;
        }
        if !ray.medium.water {
            return Vec3::ZERO;
        }
        let end = if hit.material == TankMaterial::Water { hit.colour } else { None };
        let (absorbed, scattered) = self.media.losses(mean_colour(ray.colour, end));
        let lost = absorbed + scattered;
        let kept = (-lost * hit.distance).exp();
        let added = scattered / lost.max(Vec3::splat(1e-9))
            * (1.0 - kept)
            * self.environment.in_scattered_radiance(ray.entry);
        let light = ray.throughput * added;
        ray.throughput *= kept;
        light
    }

    fn opaque_radiance(&self, hit: &TankHit) -> Option<Vec3> {
        match hit.material {
            TankMaterial::Solid => Some(self.solid(hit)),
            TankMaterial::Slab => Some(self.environment.slab(hit.point, hit.normal)),
            TankMaterial::Water | TankMaterial::Glass | TankMaterial::Edge => None,
        }
    }

    // What lies behind a boundary. If that is air, a thin gap of it is closed.
    fn behind_boundary(&self, ray: &WhittedRay, hit: &TankHit) -> BehindBoundary {
        let after = ray.medium.after(hit);
        if after != RayMedium::default() {
            return BehindBoundary::Enters(*hit, after);
        }
        let steepness = -ray.direction.dot(hit.face);
        let gap = self.media.contact / steepness.max(0.08);
        // Two surfaces in one place may come in either order.
        let before = 4.0 * self.media.step;
        let solid = self.intersector.closest_opaque_hit(
            hit.point - ray.direction * before,
            ray.direction,
            gap + before,
        );
        if let Some(light) = solid.and_then(|solid| self.opaque_radiance(&solid)) {
            return BehindBoundary::Stops(light);
        }
        let start = 0.05 * self.media.step;
        let from = hit.point + ray.direction * start;
        let Some(next) = self.intersector.closest_hit_near_glass(from, ray.direction, gap) else {
            return BehindBoundary::Enters(*hit, after);
        };
        // The farther surface takes over the normal of the nearer one: there is one boundary, not two.
        let joined = TankHit { point: next.point, colour: next.colour.or(hit.colour), ..*hit };
        if next.is_outside {
            BehindBoundary::Enters(joined, after.after(&next))
        } else {
            BehindBoundary::Enters(*hit, after)
        }
    }

    fn solid(&self, hit: &TankHit) -> Vec3 {
        let albedo = hit.colour.unwrap_or(self.media.solid);
        let faces_sun = hit.normal.dot(self.environment.sky.sun) > 0.0;
        let lit = if faces_sun { self.sun_at(hit.point, hit.face) } else { Vec3::ZERO };
        self.environment.solid(hit.normal, albedo, lit)
    }

    // The sun at a point of a solid body, straight through the liquid.
    fn sun_at(&self, point: Vec3, face: Vec3) -> Vec3 {
        let sun = self.environment.sky.sun;
        let mut from = point + face * (2.0 * self.media.step);
        let mut light = Vec3::ONE;
        for _ in 0..MAX_SHADOW_SURFACES {
            let Some(hit) = self.intersector.closest_hit(from, sun, f32::INFINITY) else { return light };
            match hit.material {
                TankMaterial::Solid | TankMaterial::Slab => return Vec3::ZERO,
                TankMaterial::Water if !hit.is_outside => {
                    let (absorbed, scattered) = self.media.losses(hit.colour);
                    light *= 0.96 * (-(absorbed + scattered) * hit.distance).exp();
                }
                TankMaterial::Water => {}
                TankMaterial::Glass | TankMaterial::Edge => light *= 0.95,
            }
            from = hit.point + sun * self.media.step;
        }
        light
    }
}

/// What a ray meets behind a boundary.
enum BehindBoundary {
    /// Something solid, of this light.
    Stops(Vec3),
    /// The boundary, and what is inside it.
    Enters(TankHit, RayMedium),
}

fn mean_colour(one: Option<Vec3>, other: Option<Vec3>) -> Option<Vec3> {
    match (one, other) {
        (Some(one), Some(other)) => Some(0.5 * (one + other)),
        (one, other) => one.or(other),
    }
}
