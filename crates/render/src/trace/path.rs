//! Paths of light, followed backwards from the eye [kajiya1986].
//!
//! At every boundary of water or glass light is split by the exact Fresnel law and bent by Snell's. Near the eye both
//! parts are followed, later one of them is chosen at random. Matt surfaces are lit by the sun directly and by one more
//! ray for all other light. Paths that went through something matt never see the sun's disc: that light has its own
//! estimate ([`super::sun`]). A contribution after such a bounce is limited to [`Limits::clamp`], so that no single
//! sample outshines its pixel; a path that is cut off after its last bounce ends in the mean light around. Both make
//! pictures a little darker or brighter than endless paths would, and quiet.

use std::f32::consts::{FRAC_1_PI, FRAC_PI_2};

use glam::Vec3;

use super::light::Way;
use super::matter::Matter;
use super::numbers::Numbers;
use super::place::{Open, Place};
use super::spread::{any_direction, cosine_weighted, facet, lobe};
use super::world::{Stuff, Touch};
use crate::optics::{WATER_INDEX, fresnel, reflect, refract};
use crate::preview::liquid::media::Inside;
use crate::preview::liquid::tank::GLASS_INDEX;
use crate::sky::SUN_RADIUS;

/// How far paths are followed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Boundaries and bounces in all.
    pub bounces: u32,
    /// Bounces from something matt.
    pub scatters: u32,
    /// Boundaries at which both parts are followed.
    pub splits: u32,
    /// Greatest contribution after a matt bounce, in thousands of candela per square metre.
    pub clamp: f32,
}

/// Rays that wait to be followed.
const WAITING: usize = 8;
/// Glitter of the sun brighter than this cannot be told apart in a picture, but would outweigh its pixel.
const BRIGHTEST: f32 = 1500.0;
/// What is left of light that passes an edge of the tank.
const EDGE_TINT: Vec3 = Vec3::new(0.50, 0.68, 0.70);
/// Share of light that a particle of mist scatters.
const MIST: f32 = 0.2;
/// A path that carries less than this is given up.
const FAINTEST: f32 = 0.002;
/// Sine of the angle at which rays leave open water, at least.
const GLANCE: f32 = 0.04;
/// A liquid that scatters light more often than this on its way across the tank is followed only at its surface.
const DENSE: f32 = 25.0;
/// One that scatters it less often than this is followed without chance.
const THIN: f32 = 0.6;

/// What a path tells beside its light, for the denoiser and for passes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Guide {
    /// Share of light that is scattered by what is first seen, through water too.
    pub albedo: Vec3,
    /// Normal of the first surface.
    pub normal: Vec3,
    /// Distance of the first surface; 0 for none.
    pub depth: f32,
    /// Distance to what is seen through and in clear surfaces, by the weight of its light.
    pub through: f32,
    /// Velocity of the first surface.
    pub velocity: Vec3,
    /// Light that came from the sun through water.
    pub caustics: Vec3,
}

impl Guide {
    /// Both together.
    pub fn plus(&self, other: &Guide) -> Guide {
        Guide {
            albedo: self.albedo + other.albedo,
            normal: self.normal + other.normal,
            depth: self.depth + other.depth,
            through: self.through + other.through,
            velocity: self.velocity + other.velocity,
            caustics: self.caustics + other.caustics,
        }
    }

    /// A share of it.
    pub fn times(&self, share: f32) -> Guide {
        Guide {
            albedo: self.albedo * share,
            normal: self.normal * share,
            depth: self.depth * share,
            through: self.through * share,
            velocity: self.velocity * share,
            caustics: self.caustics * share,
        }
    }
}

/// The light of a path, and its guide.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Seen {
    /// Radiance in thousands of candela per square metre.
    pub light: Vec3,
    /// What else it tells.
    pub guide: Guide,
}

/// A ray of a path on its way.
#[derive(Debug, Clone, Copy)]
pub struct Ray {
    /// Where it starts.
    pub from: Vec3,
    /// Where it goes.
    pub direction: Vec3,
    /// What it is inside of.
    pub inside: Inside,
    /// The width of its beam at the start, and how much it widens per metre.
    pub width: f32,
    /// Radians over which it spreads.
    pub spread: f32,
    /// When it flies, in shutters from −½ to ½.
    pub time: f32,
}

#[derive(Debug, Clone, Copy)]
struct Step {
    ray: Ray,
    weight: Vec3,
    way: Way,
    bounces: u32,
    scatters: u32,
    splits: u32,
    /// The colour of the liquid where the ray came in.
    colour: Option<Vec3>,
    /// Length of the path so far.
    length: f32,
}

/// Follows paths.
pub struct Walker<'a> {
    /// Where they are.
    pub place: &'a Place<'a>,
    /// How far they go.
    pub limits: Limits,
}

/// Rays that part from a path.
struct Waiting {
    steps: [Option<Step>; WAITING],
    count: usize,
}

impl Waiting {
    fn push(&mut self, step: Step) -> bool {
        let Some(place) = self.steps.get_mut(self.count) else { return false };
        *place = Some(step);
        self.count += 1;
        true
    }

    fn pop(&mut self) -> Option<Step> {
        self.count = self.count.checked_sub(1)?;
        self.steps[self.count].take()
    }
}

impl Walker<'_> {
    /// The light that reaches the start of a ray against its direction.
    pub fn look(&self, ray: Ray, numbers: &mut Numbers) -> Seen {
        let mut seen = Seen::default();
        let mut waiting = Waiting { steps: [None; WAITING], count: 0 };
        let first = Step {
            ray,
            weight: Vec3::ONE,
            way: Way::Eye,
            bounces: 0,
            scatters: 0,
            splits: 0,
            colour: None,
            length: 0.0,
        };
        waiting.push(first);
        while let Some(mut step) = waiting.pop() {
            while self.advance(&mut step, &mut waiting, numbers, &mut seen) {}
        }
        if !seen.light.is_finite() {
            seen.light = Vec3::ZERO;
        }
        seen
    }

    // Follows a ray to the next surface; whether it goes on from there.
    fn advance(
        &self,
        step: &mut Step,
        waiting: &mut Waiting,
        numbers: &mut Numbers,
        seen: &mut Seen,
    ) -> bool {
        let Ray { from, direction, inside, time, .. } = step.ray;
        if step.bounces >= self.limits.bounces {
            let upward = direction.with_z(direction.z.abs());
            self.add(step, self.place.light.from(upward, 0.3, Way::Scattered), seen);
            return false;
        }
        let touch = self.place.world.first(from, direction, f32::INFINITY, inside.water, time);
        let touch = touch.filter(|touch| !self.is_behind_wood(touch, direction));
        if let Some(touch) = &touch {
            // A ray cannot leave what it was not in.
            match touch.stuff {
                Stuff::Water => step.ray.inside.water = !touch.outside,
                Stuff::Glass => step.ray.inside.glass = !touch.outside,
                _ => {}
            }
        }
        if self.fade(step, touch.as_ref(), numbers, seen) {
            return true;
        }
        if step.weight.max_element() < FAINTEST {
            return false;
        }
        let Some(touch) = touch else {
            self.first_of(step, None, Vec3::ONE, seen);
            let light = self.place.light.from(direction, step.ray.spread.max(1e-4), step.way);
            self.add(step, light, seen);
            return false;
        };
        step.ray.width += step.ray.spread * touch.distance;
        step.length += touch.distance;
        if touch.stuff == Stuff::Lamp {
            self.first_of(step, None, Vec3::ONE, seen);
            let light = touch.colour.filter(|_| step.way != Way::Scattered).unwrap_or_default();
            self.add(step, light, seen);
            return false;
        }
        if touch.stuff == Stuff::Mist && numbers.one() > MIST {
            step.bounces += 1;
            step.ray.from = touch.point + direction * self.place.world.step(touch.point);
            return true;
        }
        match touch.stuff {
            Stuff::Water | Stuff::Glass => self.boundary(step, &touch, waiting, numbers, seen),
            Stuff::Pane | Stuff::Edge => self.thin(step, &touch, waiting, numbers, seen),
            _ => self.matt(step, &touch, numbers, seen),
        }
    }

    // The wood around a pond hides where the meadow ends.
    fn is_behind_wood(&self, touch: &Touch, direction: Vec3) -> bool {
        self.place.light.wood.is_some() && touch.stuff == Stuff::Bed && direction.z > -0.014
    }

    fn add(&self, step: &Step, light: Vec3, seen: &mut Seen) {
        let light = step.weight * light;
        seen.light += if step.scatters > 0 { light.min(Vec3::splat(self.limits.clamp)) } else { light };
    }

    // Notes what is first seen along the mirrored and bent part of a path.
    fn first_of(&self, step: &Step, touch: Option<&Touch>, albedo: Vec3, seen: &mut Seen) {
        if step.scatters > 0 {
            return;
        }
        let guide = &mut seen.guide;
        guide.albedo += step.weight * albedo;
        if touch.is_some() {
            guide.through += (step.length * step.weight.y).min(1e6);
        }
    }

    fn note_surface(&self, step: &Step, touch: &Touch, normal: Vec3, seen: &mut Seen) {
        if seen.guide.depth == 0.0 && step.scatters == 0 && step.bounces == 0 {
            seen.guide.normal = normal;
            seen.guide.depth = touch.distance;
            seen.guide.velocity = touch.velocity;
        }
    }

    // What the medium takes from a ray up to a surface and adds to it; whether it sends the ray elsewhere.
    fn fade(&self, step: &mut Step, touch: Option<&Touch>, numbers: &mut Numbers, seen: &mut Seen) -> bool {
        let media = &self.place.media;
        let distance = touch.map_or(1e5, |touch| touch.distance);
        let Ray { from, direction, inside, .. } = step.ray;
        if inside.glass {
            step.weight *= (-media.glass * distance).map(f32::exp);
            return false;
        }
        if !inside.water {
            self.haze(step, touch, seen);
            return false;
        }
        let end = touch.filter(|touch| touch.stuff == Stuff::Water).and_then(|touch| touch.colour);
        let (absorbed, scattered) = media.losses(mean_colour(step.colour, end));
        let lost = absorbed + scattered;
        let often = scattered.element_sum() / 3.0;
        match &self.place.open {
            Some(open) => {
                let light = self.scattered_below(open, from, direction, distance, absorbed, scattered);
                self.add(step, light, seen);
            }
            None if often * self.place.world.size() < THIN => {
                let kept = (-lost * distance).map(f32::exp);
                let inner = self.place.light.ambient + self.place.light.sunlight * (0.25 * FRAC_1_PI);
                self.add(step, scattered / lost.max(Vec3::splat(1e-9)) * (1.0 - kept) * inner, seen);
            }
            None => {
                let way = -(1.0 - numbers.one()).max(1e-7).ln() / often;
                if way < distance {
                    // The weight makes up for colours that are scattered more or less often than their mean.
                    step.weight *= scattered / often * (-(lost - often) * way).map(f32::exp);
                    self.scatter(step, from + direction * way, numbers, seen);
                    return step.weight.max_element() > 0.0;
                }
                step.weight *= (-(lost - often) * distance).map(f32::exp);
                return false;
            }
        }
        step.weight *= (-lost * distance).map(f32::exp);
        false
    }

    // Light that open water scatters once along a ray. Daylight falls off with depth by absorption, so that both
    // attenuations have a closed integral.
    fn scattered_below(
        &self,
        open: &Open<'_>,
        from: Vec3,
        direction: Vec3,
        distance: f32,
        absorbed: Vec3,
        scattered: Vec3,
    ) -> Vec3 {
        let depth = (open.water.basin.level - from.z).max(0.0);
        let lost = (absorbed + scattered).max(Vec3::splat(1e-9));
        let fall = absorbed * 1.2;
        // Depth grows along the ray by −z per metre.
        let rate = (lost - fall * direction.z).max(Vec3::splat(1e-6));
        let seen = (Vec3::ONE - (-rate * distance).map(f32::exp)) / rate;
        scattered * seen * (-fall * depth).map(f32::exp) * open.entering * FRAC_1_PI
    }

    // Sends a path on in any direction from a point inside a cloudy liquid.
    fn scatter(&self, step: &mut Step, point: Vec3, numbers: &mut Numbers, seen: &mut Seen) {
        step.bounces += 1;
        step.scatters += 1;
        if step.scatters == 1 {
            seen.guide.albedo += step.weight;
        }
        let sun = self.place.sun_inside(point, numbers.pair(), step.ray.time);
        self.add(step, sun * (0.25 * FRAC_1_PI), seen);
        let strength = step.weight.max_element();
        if strength < 0.2 && numbers.one() > strength * 5.0 {
            step.weight = Vec3::ZERO;
            return;
        }
        if strength < 0.2 {
            step.weight /= (strength * 5.0).max(1e-6);
        }
        step.way = Way::Scattered;
        step.ray.from = point;
        step.ray.direction = any_direction(numbers.pair());
        step.ray.spread = 0.5;
    }

    fn haze(&self, step: &mut Step, touch: Option<&Touch>, seen: &mut Seen) {
        let Some(touch) = touch.filter(|_| self.place.light.is_open() && step.scatters == 0) else { return };
        let clear = self.place.light.sky.clearness(touch.distance);
        if clear < 0.998 {
            self.add(step, self.place.light.sky.horizon(step.ray.direction) * (1.0 - clear), seen);
            step.weight *= clear;
        }
    }

    // A surface of water or glass.
    fn boundary(
        &self,
        step: &mut Step,
        touch: &Touch,
        waiting: &mut Waiting,
        numbers: &mut Numbers,
        seen: &mut Seen,
    ) -> bool {
        let (touch, after) = match self.across(step, touch) {
            Across::Stops(touch) => return self.matt(step, &touch, numbers, seen),
            Across::Enters(touch, after) => (touch, after),
        };
        let touch = &touch;
        let inside = step.ray.inside;
        let ratio = after.index() / inside.index();
        let offset = self.place.world.step(touch.point);
        if ratio == 1.0 {
            step.bounces += 1;
            step.ray.from = touch.point + step.ray.direction * offset;
            step.ray.inside = after;
            return true;
        }
        let direction = step.ray.direction;
        if let Some(foam) = self.place.foam(touch, step.ray.width, numbers) {
            return self.lit(step, touch, &foam, numbers, seen);
        }
        let (mean, variance) = self.place.water_normal(touch, direction, step.ray.width);
        let normal = visible_facet(facet(mean, variance, numbers.pair()), mean, variance, direction);
        self.note_surface(step, touch, mean, seen);
        if touch.stuff == Stuff::Water && touch.outside && step.scatters == 0 {
            let glitter = self.glitter(step, touch, mean, variance);
            self.add(step, glitter, seen);
        }
        let cosine = -direction.dot(normal);
        let share = if touch.on_wall { pane_share(cosine, ratio) } else { fresnel(cosine, ratio) };
        let spread = step.ray.spread + 1.5 * variance.sqrt();
        let way = if step.way == Way::Scattered { Way::Scattered } else { Way::Mirror };
        let back = Step {
            ray: Ray {
                from: touch.point + touch.face * offset,
                direction: self.lifted(touch, reflect(direction, normal)),
                spread,
                ..step.ray
            },
            way,
            bounces: step.bounces + 1,
            splits: step.splits + 1,
            ..*step
        };
        let Some(bent) = refract(direction, normal, ratio) else {
            *step = back;
            return true;
        };
        if self.is_dense(touch, after) {
            return self.dense(step, touch, back, share, waiting, numbers, seen);
        }
        let on = Step {
            ray: Ray {
                from: touch.point - touch.face * offset,
                direction: touch.inwards(bent),
                inside: after,
                spread: step.ray.spread + 0.4 * variance.sqrt(),
                ..step.ray
            },
            colour: touch.colour,
            ..back
        };
        *step = part(on, back, share, self.limits.splits, waiting, numbers);
        true
    }

    // Waves are smooth, but their triangles are not: a ray that leaves one at a glance would meet the next.
    fn lifted(&self, touch: &Touch, direction: Vec3) -> Vec3 {
        let least = if self.place.open.is_some() { GLANCE } else { 1e-3 };
        let out = direction.dot(touch.face);
        if out > least {
            direction
        } else {
            (direction + touch.face * (least - out)).normalize_or(touch.face)
        }
    }

    // Both parts of a dense liquid's surface: the mirror, and the matt body below.
    fn dense(
        &self,
        step: &mut Step,
        touch: &Touch,
        back: Step,
        share: f32,
        waiting: &mut Waiting,
        numbers: &mut Numbers,
        seen: &mut Seen,
    ) -> bool {
        if step.splits < self.limits.splits {
            waiting.push(Step { weight: back.weight * share, ..back });
            step.weight *= 1.0 - share;
        } else if numbers.one() < share {
            *step = back;
            return true;
        }
        let (absorbed, scattered) = self.place.media.losses(touch.colour);
        let albedo = dense_albedo(scattered / (absorbed + scattered).max(Vec3::splat(1e-9)));
        let matter = Matter::plain(albedo, touch.normal);
        self.lit(step, touch, &matter, numbers, seen)
    }

    fn is_dense(&self, touch: &Touch, after: Inside) -> bool {
        let often = self.place.media.losses(touch.colour).1.element_sum() / 3.0;
        self.place.open.is_none() && after.water && !after.glass && often * self.place.world.size() > DENSE
    }

    // A thin pane, or an edge of the tank: light goes straight on.
    fn thin(
        &self,
        step: &mut Step,
        touch: &Touch,
        waiting: &mut Waiting,
        numbers: &mut Numbers,
        seen: &mut Seen,
    ) -> bool {
        let direction = step.ray.direction;
        let once = fresnel(-direction.dot(touch.normal), GLASS_INDEX);
        let both = pane_share(-direction.dot(touch.normal), 1.0);
        let (share, tint) = if touch.stuff == Stuff::Pane { (both, Vec3::ONE) } else { (once, EDGE_TINT) };
        if touch.stuff == Stuff::Edge {
            self.note_surface(step, touch, touch.normal, seen);
        }
        let offset = self.place.world.step(touch.point);
        let way = if step.way == Way::Scattered { Way::Scattered } else { Way::Mirror };
        let back = Step {
            ray: Ray {
                from: touch.point + touch.face * offset,
                direction: reflect(direction, touch.normal),
                ..step.ray
            },
            way,
            bounces: step.bounces + 1,
            splits: step.splits + 1,
            ..*step
        };
        let passed = if touch.outside { step.weight * tint } else { step.weight };
        let on = Step {
            ray: Ray { from: touch.point - touch.face * offset, direction, ..step.ray },
            weight: if touch.stuff == Stuff::Edge { passed } else { step.weight },
            way: step.way,
            splits: step.splits,
            ..back
        };
        // Inside a liquid a pane is part of its wall, where the liquid itself decides.
        if step.ray.inside.water {
            *step = on;
            return true;
        }
        *step = part(on, back, share, self.limits.splits, waiting, numbers);
        true
    }

    // Something that light does not pass.
    fn matt(&self, step: &mut Step, touch: &Touch, numbers: &mut Numbers, seen: &mut Seen) -> bool {
        let in_water = step.ray.inside.water;
        let grazing = (-step.ray.direction.dot(touch.face)).clamp(0.03, 1.0);
        let footprint = step.ray.width / grazing.sqrt();
        let matter = self.place.matter(touch, step.ray.direction, footprint, in_water);
        if matter.film > 0.0 {
            let normal = facet(matter.normal, matter.roughness, numbers.pair());
            let cosine = -step.ray.direction.dot(normal);
            let share = fresnel(cosine.max(0.02), WATER_INDEX) * matter.film;
            let sun = self.film_glint(step, touch, matter.normal, matter.roughness) * matter.film;
            self.add(step, sun, seen);
            if numbers.one() < share {
                step.ray.from = touch.point + touch.face * self.place.world.step(touch.point);
                step.ray.direction = touch.outwards(reflect(step.ray.direction, normal));
                step.ray.spread += 0.3;
                step.bounces += 1;
                step.way = if step.way == Way::Scattered { Way::Scattered } else { Way::Mirror };
                self.note_surface(step, touch, matter.normal, seen);
                return true;
            }
        }
        self.lit(step, touch, &matter, numbers, seen)
    }

    // Light from the sun, then on to where other light comes from.
    fn lit(
        &self,
        step: &mut Step,
        touch: &Touch,
        matter: &Matter,
        numbers: &mut Numbers,
        seen: &mut Seen,
    ) -> bool {
        self.note_surface(step, touch, matter.normal, seen);
        self.first_of(step, Some(touch), (matter.albedo + matter.glow).min(Vec3::ONE), seen);
        self.add(step, matter.glow, seen);
        let in_water = step.ray.inside.water;
        let footprint = step.ray.width;
        let [straight, bent] =
            self.place.sun_on(touch, matter.normal, in_water, footprint, numbers.pair(), step.ray.time);
        let reflected = matter.albedo * FRAC_1_PI;
        let lamps = self.place.lamps_on(touch, matter.normal, numbers, step.ray.time);
        self.add(step, reflected * (straight + bent + lamps), seen);
        if step.scatters == 0 {
            seen.guide.caustics += step.weight * reflected * bent;
        }
        step.weight *= matter.albedo;
        step.bounces += 1;
        step.scatters += 1;
        // Under open water daylight comes from all over the surface: few paths learn more than its mean.
        let is_even = in_water && self.place.open.is_some() && self.limits.scatters < 3;
        if step.scatters > self.limits.scatters || is_even {
            self.add(step, self.place.ambient_at(touch.point, in_water), seen);
            return false;
        }
        let strength = step.weight.max_element();
        if strength < 0.1 {
            if numbers.one() > strength * 10.0 {
                return false;
            }
            step.weight /= (strength * 10.0).max(1e-6);
        }
        let direction = cosine_weighted(matter.normal, numbers.pair());
        step.ray.from = touch.point + touch.face * self.place.world.step(touch.point);
        step.ray.direction = touch.outwards(direction);
        step.ray.spread = 0.3;
        step.way = Way::Scattered;
        true
    }

    // The sun in a surface of water: F D G / (4 cos), with the sun's own width added to the lobe's.
    fn glitter(&self, step: &Step, touch: &Touch, normal: Vec3, variance: f32) -> Vec3 {
        if !self.place.light.is_open() || step.ray.inside.water {
            return Vec3::ZERO;
        }
        let (sun, direction) = (self.place.light.sun, step.ray.direction);
        let half = (sun - direction).normalize_or(Vec3::Z);
        let cosine = half.dot(normal);
        let width = 2.0 * variance + 2.0 * SUN_RADIUS * SUN_RADIUS;
        let towards = normal.dot(sun).max(0.0);
        if cosine <= 0.0 || towards <= 0.0 {
            return Vec3::ZERO;
        }
        let seen = -direction.dot(normal);
        let seen = 0.5 * (seen + (seen * seen + 4.0 * FRAC_PI_2 * variance).sqrt());
        let strength =
            fresnel(-direction.dot(half), WATER_INDEX) * lobe(cosine, width) / (4.0 * seen.max(0.03));
        let shadowed = towards / (towards + 0.4 * width.sqrt()).max(1e-4);
        let light = self.place.light.sunlight * (strength * shadowed);
        let from = touch.point + touch.face * self.place.world.step(touch.point);
        if light.max_element() < 1e-3 || !self.place.sees_sun(from, step.ray.time) {
            return Vec3::ZERO;
        }
        light * (BRIGHTEST / (BRIGHTEST + light.max_element()))
    }

    // The sun in the rough film on wet ground.
    fn film_glint(&self, step: &Step, touch: &Touch, normal: Vec3, roughness: f32) -> Vec3 {
        let (sun, direction) = (self.place.light.sun, step.ray.direction);
        let half = (sun - direction).normalize_or(Vec3::Z);
        let towards = normal.dot(sun);
        if towards <= 0.0 || step.scatters > 0 {
            return Vec3::ZERO;
        }
        let cosine = (-direction.dot(normal)).max(0.05);
        let strength =
            fresnel(-direction.dot(half), WATER_INDEX) * lobe(half.dot(normal).max(0.0), 2.0 * roughness);
        let from = touch.point + touch.face * self.place.world.step(touch.point);
        let light =
            self.place.light.sunlight * (strength * towards / ((towards + 0.1) * 4.0 * cosine)).min(0.5);
        if light.max_element() < 1e-3 || !self.place.sees_sun(from, step.ray.time) {
            Vec3::ZERO
        } else {
            light
        }
    }

    // What lies behind a boundary. If that is air, a thin gap of it before something solid or glass is closed: surfaces
    // that touch were made apart from each other.
    fn across(&self, step: &Step, touch: &Touch) -> Across {
        let mut after = step.ray.inside;
        match touch.stuff {
            Stuff::Water => after.water = touch.outside,
            _ => after.glass = touch.outside,
        }
        let contact = self.place.media.contact;
        if after != Inside::default() || contact <= 0.0 {
            return Across::Enters(*touch, after);
        }
        let (direction, time) = (step.ray.direction, step.ray.time);
        let steepness = -direction.dot(touch.face);
        let gap = contact / steepness.max(0.08);
        // Two surfaces in one place may come in either order.
        let before = 4.0 * self.place.world.step(touch.point);
        let from = touch.point - direction * before;
        if let Some(solid) = self.place.world.first_solid(from, direction, gap + before, time) {
            return Across::Stops(solid);
        }
        let from = touch.point + direction * (0.05 * before);
        match self.place.world.first_near_glass(from, direction, gap, time) {
            // The farther surface takes over the normal of the nearer one: there is one boundary, not two.
            Some(next) if next.outside => {
                let joined = Touch { point: next.point, colour: next.colour.or(touch.colour), ..*touch };
                match next.stuff {
                    Stuff::Water => after.water = true,
                    Stuff::Glass => after.glass = true,
                    _ => {}
                }
                Across::Enters(joined, after)
            }
            _ => Across::Enters(*touch, after),
        }
    }
}

/// What a ray meets behind a boundary.
enum Across {
    /// Something that light does not pass.
    Stops(Touch),
    /// The boundary, and what is inside it.
    Enters(Touch, Inside),
}

// Follows both parts of a path where few have parted before, or else one of them, as often as its share tells.
fn part(on: Step, back: Step, share: f32, splits: u32, waiting: &mut Waiting, numbers: &mut Numbers) -> Step {
    if share <= 0.0 {
        return on;
    }
    let mirrored = Step { weight: back.weight * share, ..back };
    if back.splits <= splits && back.scatters == 0 && waiting.push(mirrored) {
        return Step { weight: on.weight * (1.0 - share), ..on };
    }
    if numbers.one() < share { back } else { on }
}

// The share of light that a thin pane mirrors between media whose indices have this ratio. Both of its faces mirror, and
// light that is mirrored to and fro between them adds some; a liquid behind it dims one of the faces.
fn pane_share(cosine: f32, ratio: f32) -> f32 {
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
fn visible_facet(facet: Vec3, mean: Vec3, variance: f32, direction: Vec3) -> Vec3 {
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
    single.map(|share| {
        let s = (1.0 - share.clamp(0.0, 1.0)).sqrt();
        (1.0 - s) * (1.0 - 0.139 * s) / (1.0 + 1.17 * s)
    })
}

fn mean_colour(one: Option<Vec3>, other: Option<Vec3>) -> Option<Vec3> {
    match (one, other) {
        (Some(one), Some(other)) => Some(0.5 * (one + other)),
        (one, other) => one.or(other),
    }
}
