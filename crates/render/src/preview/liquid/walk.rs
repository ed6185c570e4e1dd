//! Light followed backwards from the eye through liquids, glass and air [whitted1980].
//!
//! At every boundary light is split by the exact Fresnel law and bent by Snell's. The bent ray is followed; the
//! mirrored one too where it carries enough, and otherwise it sees the room as if nothing stood in it. In the liquid
//! light fades by Beer's law per colour, and what the liquid scatters is added. Where glass and liquid overlap there is
//! glass. Where a liquid touches something solid no film of air is left between them, however the two surfaces were
//! made: a gap thinner than the contact length is closed. Light that is gathered on anything but the floor is not
//! modelled.

use glam::Vec3;

use super::media::{Inside, Media};
use super::room::Room;
use super::scenery::{Scenery, TankMaterial, Touch};
use super::tank::GLASS_INDEX;
use crate::optics::{fresnel, reflect, refract};

/// Boundaries after which a ray is given up, and those of a ray towards the sun.
const LONGEST: usize = 12;
const LONGEST_OF_SUN: usize = 8;
/// Mirrored rays that wait to be followed.
const WAITING: usize = 4;
/// A mirrored ray is followed if it carries more than this share of the light, and less than that it is dropped.
const WORTH_FOLLOWING: f32 = 0.09;
const WORTH_NOTHING: f32 = 0.003;
/// What is left of light that passes an edge of the tank.
const EDGE_TINT: Vec3 = Vec3::new(0.50, 0.68, 0.70);

/// Follows light.
pub struct Walk<'a> {
    /// What it meets.
    pub scenery: &'a Scenery<'a>,
    /// Where it comes from.
    pub room: &'a Room<'a>,
    /// What it goes through.
    pub media: Media,
}

/// A ray on its way.
#[derive(Debug, Clone, Copy)]
struct Ray {
    from: Vec3,
    direction: Vec3,
    inside: Inside,
    /// The share of its light that reaches the eye.
    weight: Vec3,
    /// The colour of the liquid where it came in, and the normal there.
    colour: Option<Vec3>,
    entry: Vec3,
    is_direct: bool,
}

impl Walk<'_> {
    /// The light that reaches `eye` against `direction`, of which the first surface is known.
    pub fn light(&self, eye: Vec3, direction: Vec3, first: Option<Touch>) -> Vec3 {
        let weight = Vec3::ONE;
        let inside = Inside::default();
        let ray = Ray { from: eye, direction, inside, weight, colour: None, entry: Vec3::Z, is_direct: true };
        let mut waiting = [ray; WAITING];
        let mut count = 0;
        let mut sum = self.follow(ray, Some(first), &mut waiting, &mut count);
        let mut follows = 0;
        while count > 0 && follows < WAITING {
            count -= 1;
            follows += 1;
            let next = waiting[count];
            sum += self.follow(next, None, &mut waiting, &mut count);
        }
        sum
    }

    // Follows one ray to its end; rays that part from it wait.
    fn follow(
        &self,
        mut ray: Ray,
        mut known: Option<Option<Touch>>,
        waiting: &mut [Ray; WAITING],
        count: &mut usize,
    ) -> Vec3 {
        let mut sum = Vec3::ZERO;
        for _ in 0..LONGEST {
            let next = known.take();
            let next = next.unwrap_or_else(|| self.scenery.first(ray.from, ray.direction, f32::INFINITY));
            let Some(touch) = next else {
                return sum + ray.weight * self.room.beyond(ray.from, ray.direction, ray.is_direct);
            };
            ray.inside = ray.inside.before(&touch);
            sum += self.fade(&mut ray, &touch);
            if let Some(light) = self.stopped(&touch) {
                return sum + ray.weight * light;
            }
            if touch.material == TankMaterial::Edge {
                sum += self.through_edge(&mut ray, &touch);
                continue;
            }
            let (touch, after) = match self.across(&ray, &touch) {
                Across::Stops(light) => return sum + ray.weight * light,
                Across::Enters(touch, after) => (touch, after),
            };
            let ratio = after.index() / ray.inside.index();
            if ratio == 1.0 {
                ray = Ray { from: touch.point + ray.direction * self.media.step, inside: after, ..ray };
                continue;
            }
            sum += self.part(&mut ray, &touch, after, ratio, waiting, count);
            if ray.weight.max_element() < WORTH_NOTHING {
                return sum;
            }
        }
        sum + ray.weight * self.room.mirrored(ray.direction.with_z(ray.direction.z.abs()))
    }

    // An edge of the tank is too thin to show how it bends light: it dims and mirrors it.
    fn through_edge(&self, ray: &mut Ray, touch: &Touch) -> Vec3 {
        ray.from = touch.point + ray.direction * self.media.step;
        if !touch.outside {
            return Vec3::ZERO;
        }
        let share = 0.1 + 0.9 * fresnel(-ray.direction.dot(touch.normal), GLASS_INDEX);
        let mirrored = self.seen_in_mirror(touch.point, reflect(ray.direction, touch.normal));
        let light = ray.weight * share * mirrored;
        ray.weight *= EDGE_TINT * (1.0 - share);
        light
    }

    // Splits a ray at a boundary: it goes on bent, and what is mirrored waits or is added at once.
    fn part(
        &self,
        ray: &mut Ray,
        touch: &Touch,
        after: Inside,
        ratio: f32,
        waiting: &mut [Ray; WAITING],
        count: &mut usize,
    ) -> Vec3 {
        let (direction, normal) = (ray.direction, touch.normal);
        let mirrored = touch.outwards(reflect(direction, normal));
        let back = Ray {
            from: touch.point + touch.face * self.media.step,
            direction: mirrored,
            is_direct: false,
            ..*ray
        };
        let Some(bent) = refract(direction, normal, ratio) else {
            *ray = back;
            return Vec3::ZERO;
        };
        // Of a liquid behind a pane the pane is what mirrors.
        let share = if touch.on_wall { 0.0 } else { fresnel(-direction.dot(normal), ratio) };
        let carried = ray.weight * share;
        let mut sum = Vec3::ZERO;
        if carried.max_element() > WORTH_FOLLOWING && *count < WAITING {
            waiting[*count] = Ray { weight: carried, ..back };
            *count += 1;
        } else if carried.max_element() > WORTH_NOTHING {
            sum = carried * self.seen_in_mirror(touch.point, mirrored);
        }
        *ray = Ray {
            from: touch.point - touch.face * self.media.step,
            direction: touch.inwards(bent),
            inside: after,
            weight: ray.weight * (1.0 - share),
            colour: touch.colour,
            entry: touch.normal,
            is_direct: ray.is_direct && touch.material == TankMaterial::Glass,
        };
        sum
    }

    fn seen_in_mirror(&self, point: Vec3, direction: Vec3) -> Vec3 {
        if direction.z < 0.0 {
            self.room.beyond(point, direction, false)
        } else {
            self.room.mirrored(direction)
        }
    }

    // What the medium takes from a ray up to a surface, and the light that it adds.
    fn fade(&self, ray: &mut Ray, touch: &Touch) -> Vec3 {
        if ray.inside.glass {
            ray.weight *= (-self.media.glass * touch.distance).exp();
            return Vec3::ZERO;
        }
        if !ray.inside.water {
            return Vec3::ZERO;
        }
        let end = if touch.material == TankMaterial::Water { touch.colour } else { None };
        let (absorbed, scattered) = self.media.losses(mean_colour(ray.colour, end));
        let lost = absorbed + scattered;
        let kept = (-lost * touch.distance).exp();
        let added = scattered / lost.max(Vec3::splat(1e-9)) * (1.0 - kept) * self.room.inside(ray.entry);
        let light = ray.weight * added;
        ray.weight *= kept;
        light
    }

    fn stopped(&self, touch: &Touch) -> Option<Vec3> {
        match touch.material {
            TankMaterial::Solid => Some(self.solid(touch)),
            TankMaterial::Slab => Some(self.room.slab(touch.point, touch.normal)),
            TankMaterial::Water | TankMaterial::Glass | TankMaterial::Edge => None,
        }
    }

    // What lies behind a boundary. If that is air, a thin gap of it is closed.
    fn across(&self, ray: &Ray, touch: &Touch) -> Across {
        let after = ray.inside.after(touch);
        if after != Inside::default() {
            return Across::Enters(*touch, after);
        }
        let steepness = -ray.direction.dot(touch.face);
        let gap = self.media.contact / steepness.max(0.08);
        // Two surfaces in one place may come in either order.
        let before = 4.0 * self.media.step;
        let solid =
            self.scenery.first_solid(touch.point - ray.direction * before, ray.direction, gap + before);
        if let Some(light) = solid.and_then(|solid| self.stopped(&solid)) {
            return Across::Stops(light);
        }
        let start = 0.05 * self.media.step;
        let from = touch.point + ray.direction * start;
        let Some(next) = self.scenery.first_near_glass(from, ray.direction, gap) else {
            return Across::Enters(*touch, after);
        };
        // The farther surface takes over the normal of the nearer one: there is one boundary, not two.
        let joined = Touch { point: next.point, colour: next.colour.or(touch.colour), ..*touch };
        if next.outside { Across::Enters(joined, after.after(&next)) } else { Across::Enters(*touch, after) }
    }

    fn solid(&self, touch: &Touch) -> Vec3 {
        let albedo = touch.colour.unwrap_or(self.media.solid);
        let faces_sun = touch.normal.dot(self.room.sky.sun) > 0.0;
        let lit = if faces_sun { self.sun_at(touch.point, touch.face) } else { Vec3::ZERO };
        self.room.solid(touch.normal, albedo, lit)
    }

    // The sun at a point of a solid body, straight through the liquid.
    fn sun_at(&self, point: Vec3, face: Vec3) -> Vec3 {
        let sun = self.room.sky.sun;
        let mut from = point + face * (2.0 * self.media.step);
        let mut light = Vec3::ONE;
        for _ in 0..LONGEST_OF_SUN {
            let Some(touch) = self.scenery.first(from, sun, f32::INFINITY) else { return light };
            match touch.material {
                TankMaterial::Solid | TankMaterial::Slab => return Vec3::ZERO,
                TankMaterial::Water if !touch.outside => {
                    let (absorbed, scattered) = self.media.losses(touch.colour);
                    light *= 0.96 * (-(absorbed + scattered) * touch.distance).exp();
                }
                TankMaterial::Water => {}
                TankMaterial::Glass | TankMaterial::Edge => light *= 0.95,
            }
            from = touch.point + sun * self.media.step;
        }
        light
    }
}

/// What a ray meets behind a boundary.
enum Across {
    /// Something solid, of this light.
    Stops(Vec3),
    /// The boundary, and what is inside it.
    Enters(Touch, Inside),
}

fn mean_colour(one: Option<Vec3>, other: Option<Vec3>) -> Option<Vec3> {
    match (one, other) {
        (Some(one), Some(other)) => Some(0.5 * (one + other)),
        (one, other) => one.or(other),
    }
}
