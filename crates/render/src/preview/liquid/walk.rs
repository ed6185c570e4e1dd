//! Light followed backwards from the eye through liquids, glass and air [whitted1980].
//!
//! At every boundary light is split by the exact Fresnel law and bent by Snell's. The bent ray is followed; the mirrored
//! one too where it carries enough, and otherwise it sees the room as if nothing stood in it. In the liquid light fades by
//! Beer's law per colour, and what the liquid scatters is added. Where glass and liquid overlap there is glass. Where a
//! liquid touches something solid no film of air is left between them, however the two surfaces were made: a gap
//! thinner than the contact length is closed. Light that a boundary gathers on other things than the floor is not modelled.

use glam::{Vec2, Vec3};

use super::room::Room;
use super::scenery::{Material, Scenery, Touch};
use super::tank::GLASS_INDEX;
use crate::optics::{WATER_INDEX, fresnel, reflect, refract};
use crate::preview::look::WaterLook;

/// Boundaries after which a ray is given up, and those of a ray of the sun.
const LONGEST: usize = 12;
const LONGEST_OF_SUN: usize = 8;
/// Mirrored rays that wait to be followed.
const WAITING: usize = 4;
/// A mirrored ray is followed if it carries more than this share of the light, and less than that it is dropped.
const WORTH_FOLLOWING: f32 = 0.09;
const WORTH_NOTHING: f32 = 0.003;
/// What is left of light that passes an edge of the tank.
const EDGE_TINT: Vec3 = Vec3::new(0.50, 0.68, 0.70);

/// What is inside the surfaces.
#[derive(Debug, Clone, Copy)]
pub struct Media {
    /// The liquid.
    pub look: WaterLook,
    /// Light that glass absorbs per metre.
    pub glass: Vec3,
    /// Light that a colour of one half takes away per metre.
    pub dye: f32,
    /// Share of the light taken away by dye that it scatters.
    pub dye_scatters: f32,
    /// Colour of solid bodies.
    pub solid: Vec3,
    /// Rays start this far from a surface.
    pub step: f32,
    /// Gaps thinner than this are closed.
    pub contact: f32,
}

/// Follows light.
pub struct Walk<'a> {
    /// What it meets.
    pub scenery: &'a Scenery<'a>,
    /// Where it comes from.
    pub room: &'a Room<'a>,
    /// What it goes through.
    pub media: Media,
}

/// What a ray is inside of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Inside {
    water: bool,
    glass: bool,
}

impl Inside {
    fn index(self) -> f32 {
        match (self.glass, self.water) {
            (true, _) => GLASS_INDEX,
            (false, true) => WATER_INDEX,
            (false, false) => 1.0,
        }
    }

    // What the ray was inside of before it met a surface: it cannot leave what it was not in.
    fn before(mut self, touch: &Touch) -> Inside {
        match touch.material {
            Material::Water => self.water = !touch.outside,
            Material::Glass => self.glass = !touch.outside,
            _ => {}
        }
        self
    }

    fn after(mut self, touch: &Touch) -> Inside {
        match touch.material {
            Material::Water => self.water = touch.outside,
            Material::Glass => self.glass = touch.outside,
            _ => {}
        }
        self
    }
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
            if touch.material == Material::Edge {
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
        let mirrored = outwards(reflect(direction, normal), touch.face);
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
            direction: -outwards(-bent, touch.face),
            inside: after,
            weight: ray.weight * (1.0 - share),
            colour: touch.colour,
            entry: touch.normal,
            is_direct: ray.is_direct && touch.material == Material::Glass,
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
        let end = if touch.material == Material::Water { touch.colour } else { None };
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
            Material::Solid => Some(self.solid(touch)),
            Material::Slab => Some(self.room.slab(touch.point, touch.normal)),
            Material::Water | Material::Glass | Material::Edge => None,
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
                Material::Solid | Material::Slab => return Vec3::ZERO,
                Material::Water if !touch.outside => {
                    let (absorbed, scattered) = self.media.losses(touch.colour);
                    light *= 0.96 * (-(absorbed + scattered) * touch.distance).exp();
                }
                Material::Water => {}
                Material::Glass | Material::Edge => light *= 0.95,
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

impl Media {
    /// Light that the liquid absorbs and scatters per metre where it has a colour of its own.
    fn losses(&self, colour: Option<Vec3>) -> (Vec3, Vec3) {
        let WaterLook { absorption, scattering } = self.look;
        let Some(colour) = colour.filter(|colour| colour.is_finite()) else {
            return (absorption, scattering);
        };
        let colour = colour.clamp(Vec3::splat(0.004), Vec3::ONE);
        let taken = Vec3::from(colour.to_array().map(|share| -share.log2())) * self.dye;
        // A dye scatters the colours that it does not absorb.
        let strength = taken.max_element() * self.dye_scatters;
        (absorption + taken, scattering + colour * strength)
    }
}

/// Follows a ray of the sun through a scenery to the level `floor`: the light that is left of it, and where it lands.
pub fn sunbeam(
    scenery: &Scenery<'_>,
    media: &Media,
    floor: f32,
    from: Vec3,
    along: Vec3,
) -> Option<(Vec3, Vec2)> {
    let (mut from, mut direction, mut light) = (from, along, Vec3::ONE);
    let mut inside = Inside::default();
    for _ in 0..LONGEST_OF_SUN {
        let below = if direction.z < 0.0 { (floor - from.z) / direction.z } else { f32::INFINITY };
        let Some(touch) = scenery.first(from, direction, below.max(0.0)) else {
            let point = from + direction * below;
            return below.is_finite().then(|| (media.faded(light, inside, below.max(0.0)), point.truncate()));
        };
        inside = inside.before(&touch);
        light = media.faded(light, inside, touch.distance);
        match touch.material {
            Material::Solid => return None,
            Material::Slab => return Some((light, touch.point.truncate())),
            // Thin glass lets the sun pass straight.
            Material::Glass | Material::Edge => {
                light *= 0.93;
                from = touch.point + direction * media.step;
            }
            Material::Water => {
                let after = inside.after(&touch);
                let ratio = after.index() / inside.index();
                match refract(direction, touch.normal, ratio) {
                    Some(bent) => {
                        light *= 1.0 - fresnel(-direction.dot(touch.normal), ratio);
                        from = touch.point - touch.face * media.step;
                        direction = -outwards(-bent, touch.face);
                        inside = after;
                    }
                    None => {
                        direction = outwards(reflect(direction, touch.normal), touch.face);
                        from = touch.point + touch.face * media.step;
                    }
                }
            }
        }
    }
    None
}

impl Media {
    fn faded(&self, light: Vec3, inside: Inside, distance: f32) -> Vec3 {
        // Half of what is scattered goes on downwards.
        let lost = self.look.absorption + 0.5 * self.look.scattering;
        if inside.water { light * (-lost * distance).exp() } else { light }
    }
}

fn mean_colour(one: Option<Vec3>, other: Option<Vec3>) -> Option<Vec3> {
    match (one, other) {
        (Some(one), Some(other)) => Some(0.5 * (one + other)),
        (one, other) => one.or(other),
    }
}

// A direction on the side of a surface to which `face` points: smooth normals may send rays to the wrong one.
fn outwards(direction: Vec3, face: Vec3) -> Vec3 {
    let out = direction.dot(face);
    if out > 1e-3 { direction } else { (direction + face * (1e-3 - out)).normalize_or(face) }
}
