//! Paths of light, followed backwards from the eye [kajiya1986].
//!
//! At every boundary of water or glass light is split by the exact Fresnel law and bent by Snell's. Near the eye both
//! parts are followed, later one of them is chosen at random. Matt surfaces are lit by the sun directly and by one more
//! ray for all other light. Paths that went through something matt never see the sun's disc: that light has its own
//! estimate ([`super::sun`]). A contribution after such a bounce is limited to [`Limits::clamp`], so that no single
//! sample outshines its pixel; a path that is cut off after its last bounce ends in the mean light around. Both make
//! pictures a little darker or brighter than endless paths would, and quiet.

use std::f32::consts::FRAC_1_PI;

use glam::Vec3;

use super::guide::Guide;
use super::light::Way;
use super::matter::Matter;
use super::numbers::Numbers;
use super::place::Place;
use super::spread::{cosine_weighted, facet};
use super::touch::{Stuff, Touch};
use crate::optics::{WATER_INDEX, fresnel, reflect};
use crate::preview::liquid::media::Inside;

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
    /// A path that carries less than this share of its light is given up.
    pub faintest: f32,
}

/// Rays that wait to be followed.
const WAITING: usize = 8;
/// Rises of rays below which they are level.
const LEVEL: f32 = 0.02;
/// Share of light that a particle of mist scatters.
const MIST: f32 = 0.2;

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

/// A ray of a path with what it carries.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub ray: Ray,
    pub weight: Vec3,
    pub way: Way,
    pub bounces: u32,
    pub scatters: u32,
    pub splits: u32,
    /// The colour of the liquid where the ray came in.
    pub colour: Option<Vec3>,
    /// Length of the path so far.
    pub length: f32,
}

/// Follows paths.
pub struct Walker<'a> {
    /// Where they are.
    pub place: &'a Place<'a>,
    /// How far they go.
    pub limits: Limits,
}

/// Rays that part from a path.
pub(super) struct Waiting {
    steps: [Option<Step>; WAITING],
    count: usize,
}

impl Waiting {
    pub fn push(&mut self, step: Step) -> bool {
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
                // Far off, where the sea is let down at its edge, a level ray in it meets it from above
                Stuff::Water if inside.water && self.place.open.is_some() && direction.z.abs() < LEVEL => {}
                Stuff::Water => step.ray.inside.water = !touch.outside,
                Stuff::Glass => step.ray.inside.glass = !touch.outside,
                _ => {}
            }
        }
        // What touches nothing for longer than the liquid is wide has left it, through a gap at a wall
        let reach = self.place.world.size();
        if self.place.open.is_none() && touch.as_ref().is_none_or(|touch| touch.distance > reach) {
            step.ray.inside.water = false;
        }
        if self.fade(step, touch.as_ref(), numbers, seen) {
            return true;
        }
        if step.weight.max_element() < self.limits.faintest {
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
        if self.is_ball(step, &touch) {
            return self.ball(step, &touch, waiting, numbers, seen);
        }
        match touch.stuff {
            Stuff::Water | Stuff::Glass => self.boundary(step, &touch, waiting, numbers, seen),
            Stuff::Pane | Stuff::Edge => self.thin(step, &touch, waiting, numbers, seen),
            _ => self.matt(step, &touch, waiting, numbers, seen),
        }
    }

    // The wood around a pond hides where the meadow ends.
    fn is_behind_wood(&self, touch: &Touch, direction: Vec3) -> bool {
        self.place.light.wood.is_some() && touch.stuff == Stuff::Bed && direction.z > -0.014
    }

    pub(super) fn add(&self, step: &Step, light: Vec3, seen: &mut Seen) {
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

    pub(super) fn note_surface(&self, step: &Step, touch: &Touch, normal: Vec3, seen: &mut Seen) {
        if seen.guide.depth == 0.0 && step.scatters == 0 && step.bounces == 0 {
            seen.guide.normal = normal;
            seen.guide.depth = touch.distance;
            seen.guide.velocity = touch.velocity;
        }
    }

    // Whether a path that carries less than `enough` goes on: as often as that is worth it, and then it carries more.
    pub(super) fn goes_on(&self, step: &mut Step, enough: f32, numbers: &mut Numbers) -> bool {
        let share = step.weight.max_element() / enough;
        if share < 1.0 {
            step.weight /= share.max(1e-5);
            return numbers.one() <= share;
        }
        true
    }

    // Something that light does not pass.
    pub(super) fn matt(
        &self,
        step: &mut Step,
        touch: &Touch,
        waiting: &mut Waiting,
        numbers: &mut Numbers,
        seen: &mut Seen,
    ) -> bool {
        let in_water = step.ray.inside.water;
        let grazing = (-step.ray.direction.dot(touch.face)).clamp(0.03, 1.0);
        let footprint = step.ray.width / grazing.sqrt();
        let matter = self.place.matter(touch, step.ray.direction, footprint, in_water);
        if matter.film > 0.0 && self.film(step, touch, &matter, waiting, numbers, seen) {
            return true;
        }
        self.lit(step, touch, &matter, numbers, seen)
    }

    // A film of water on something matt; whether the whole path goes on with what it mirrors.
    fn film(
        &self,
        step: &mut Step,
        touch: &Touch,
        matter: &Matter,
        waiting: &mut Waiting,
        numbers: &mut Numbers,
        seen: &mut Seen,
    ) -> bool {
        let normal = facet(matter.normal, matter.roughness, numbers.pair());
        let cosine = -step.ray.direction.dot(normal);
        let share = fresnel(cosine.max(0.02), WATER_INDEX) * matter.film;
        let sun = self.film_glint(step, touch, matter.normal, matter.roughness) * matter.film;
        self.add(step, sun, seen);
        self.note_surface(step, touch, matter.normal, seen);
        let back = Step {
            ray: Ray {
                from: touch.point + touch.face * self.place.world.step(touch.point),
                direction: touch.outwards(reflect(step.ray.direction, normal)),
                spread: step.ray.spread + 0.3,
                ..step.ray
            },
            way: if step.way == Way::Scattered { Way::Scattered } else { Way::Mirror },
            bounces: step.bounces + 1,
            splits: step.splits + 1,
            ..*step
        };
        let is_near = back.splits <= self.limits.splits && step.scatters == 0;
        if is_near && waiting.push(Step { weight: step.weight * share, ..back }) {
            step.weight *= 1.0 - share;
            return false;
        }
        let is_mirrored = numbers.one() < share;
        if is_mirrored {
            *step = back;
        }
        is_mirrored
    }

    // Light from the sun, then on to where other light comes from.
    pub(super) fn lit(
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
        if !self.goes_on(step, 50.0 * self.limits.faintest, numbers) {
            return false;
        }
        let direction = cosine_weighted(matter.normal, numbers.pair());
        step.ray.from = touch.point + touch.face * self.place.world.step(touch.point);
        step.ray.direction = touch.outwards(direction);
        step.ray.spread = 0.3;
        step.way = Way::Scattered;
        true
    }
}
