//! Sunlight at a point, straight or through water.
//!
//! A ray towards the sun cannot find the way that a wavy surface bends. Light that arrives through water therefore
//! comes from whoever computed it beforehand ([`ThroughWater`](super::ThroughWater)), or else from a map of the floor of
//! a tank, or else along the ray that a level surface would bend, times the gathering of light by the waves above as a
//! preview has it.

use glam::{Vec2, Vec3};

use super::numbers::Numbers;
use super::place::{Open, Place};
use super::spread::in_cone;
use super::touch::{Stuff, Touch};
use crate::noise::smoothstep;
use crate::optics::{WATER_INDEX, fresnel, reflect, refract};
use crate::preview::liquid::media::Inside;
use crate::preview::liquid::sunlight::{Landed, on};

/// Boundaries after which a ray is given up.
const LONGEST: usize = 8;
/// What ripples make of the sun under water so shallow that they cannot gather it.
const UNGATHERED: f32 = 1.05 / 1.16;

impl Place<'_> {
    /// Light of the sun on a surface: what comes straight, and what has come through water. `at` chooses a point of the
    /// sun's disc.
    pub fn sun_on(
        &self,
        touch: &Touch,
        normal: Vec3,
        in_water: bool,
        footprint: f32,
        at: Vec2,
        time: f32,
    ) -> [Vec3; 2] {
        let from = touch.point + touch.face * self.world.step(touch.point);
        let lies_flat = matches!(touch.stuff, Stuff::Floor | Stuff::Slab) && touch.normal.z > 0.5;
        if let Some(map) = self.on_floor.as_ref().filter(|_| self.through_water.is_none() && lies_flat) {
            let open = self.light.sunlight * self.light.sun.z.max(0.0);
            // The map knows the light on the slab; below it the slab stands in the way.
            let is_shaded = touch.stuff == Stuff::Floor && self.world.is_blocked(from, self.light.sun, time);
            let share = if is_shaded { Vec3::ZERO } else { map.at(touch.point) };
            return [open * share.min(Vec3::ONE), open * (share - 1.0).max(Vec3::ZERO)];
        }
        if let Some(known) = self.through_water {
            let bent = self.light.sunlight * known(touch.point, normal).max(Vec3::ZERO);
            let is_behind_water = in_water || self.world.is_behind_water(from, self.light.sun, time);
            let straight = if is_behind_water { Vec3::ZERO } else { self.straight(from, normal, at, time) };
            return [straight, bent];
        }
        match &self.open {
            Some(open) if in_water => {
                let known = self.gathered(open, touch.point, normal, footprint);
                let bent = known.unwrap_or_else(|| self.bent(open, from, normal, footprint, at, time));
                [Vec3::ZERO, bent]
            }
            Some(_) => [self.straight(from, normal, at, time), Vec3::ZERO],
            None => [self.faded(from, normal, at, time), Vec3::ZERO],
        }
    }

    /// Light of lamps, and of what is bright in a panorama, on a surface. Water in between bends no ray of it.
    pub fn lamps_on(&self, touch: &Touch, normal: Vec3, numbers: &mut Numbers, time: f32) -> Vec3 {
        let from = touch.point + touch.face * self.world.step(touch.point);
        let mut sum = Vec3::ZERO;
        for lamp in &self.world.lamps {
            let Some(beam) = lamp.beam(from, numbers.pair()) else { continue };
            let cosine = normal.dot(beam.direction);
            if cosine > 0.0 && self.world.first_solid(from, beam.direction, beam.distance, time).is_none() {
                sum += beam.light * cosine;
            }
        }
        if !self.light.has_bright() {
            return sum;
        }
        if let Some((direction, light)) = self.light.bright(numbers.pair()) {
            let cosine = normal.dot(direction);
            if cosine > 0.0 && !self.world.is_blocked(from, direction, time) {
                sum += light * cosine;
            }
        }
        sum
    }

    /// Whether the sun is seen from a point in the air.
    pub fn sees_sun(&self, from: Vec3, time: f32) -> bool {
        self.light.sun.z > -0.02 && !self.world.is_blocked(from, self.light.sun, time)
    }

    // The sun where nothing, not even water, is in between.
    fn straight(&self, from: Vec3, normal: Vec3, at: Vec2, time: f32) -> Vec3 {
        let sun = in_cone(self.light.sun, self.light.sun_radius, at);
        let cosine = normal.dot(sun);
        if cosine <= 0.0 || sun.z < 0.0 || self.world.is_blocked(from, sun, time) {
            return Vec3::ZERO;
        }
        let clear = self.smoke.as_ref().map_or(1.0, |smoke| smoke.lets_through(from, sun));
        self.light.sunlight * (cosine * clear)
    }

    // The sun straight through a liquid and its tank onto a surface.
    fn faded(&self, from: Vec3, normal: Vec3, at: Vec2, time: f32) -> Vec3 {
        let cosine = normal.dot(self.light.sun);
        if cosine <= 0.0 { Vec3::ZERO } else { self.sun_inside(from, at, time) * cosine }
    }

    /// The sun at a point straight through a liquid and its tank, fainter by what they take away.
    pub fn sun_inside(&self, point: Vec3, at: Vec2, time: f32) -> Vec3 {
        let sun = in_cone(self.light.sun, self.light.sun_radius, at);
        let (mut from, mut light) = (point, self.light.sunlight);
        for _ in 0..LONGEST {
            let Some(touch) = self.world.first(from, sun, f32::INFINITY, false, time) else { return light };
            match touch.stuff {
                Stuff::Water if !touch.outside => {
                    light = 0.96 * self.media.faded(light, touch.colour, touch.distance);
                }
                Stuff::Water => {}
                Stuff::Glass | Stuff::Edge | Stuff::Pane => light *= 0.93,
                _ => return Vec3::ZERO,
            }
            from = touch.point + sun * self.world.step(touch.point);
        }
        Vec3::ZERO
    }

    // The sun below waves, where it is known; ripples that are only drawn gather it once more.
    fn gathered(&self, open: &Open<'_>, point: Vec3, normal: Vec3, footprint: f32) -> Option<Vec3> {
        let caustics = self.caustics.as_ref()?;
        let at = point.truncate();
        caustics.ground_light(at, footprint)?;
        let depth = (open.water.basin.level - point.z).max(0.0);
        let ripples = self.ripples_gather(open, point, depth, footprint);
        Some(self.light.sunlight * caustics.irradiance(point, normal) * ripples)
    }

    /// What ripples that are only drawn make of the sun at a point of some depth, over a spot of `footprint` metres.
    pub fn ripples_gather(&self, open: &Open<'_>, point: Vec3, depth: f32, footprint: f32) -> f32 {
        let rippled = self.rippled(open, depth);
        open.water.focus(open.water.entry(point, depth), depth, footprint, rippled) / UNGATHERED
    }

    // The sun below a level surface.
    fn bent(&self, open: &Open<'_>, from: Vec3, normal: Vec3, footprint: f32, at: Vec2, time: f32) -> Vec3 {
        let up = open.sun_below;
        let cosine = normal.dot(up);
        if cosine <= 0.0 || self.light.sun.z <= 0.0 {
            return Vec3::ZERO;
        }
        let surface = self.world.first_clear(from, up, f32::INFINITY, time);
        let way = surface.map_or(0.0, |touch| touch.distance);
        if self.world.first_solid(from, up, way, time).is_some() {
            return Vec3::ZERO;
        }
        let out = from + up * way;
        let sun = in_cone(self.light.sun, self.light.sun_radius, at);
        if self.world.is_blocked(out + Vec3::Z * self.world.step(out), sun, time) {
            return Vec3::ZERO;
        }
        let depth = way * up.z;
        let entry = out.truncate();
        let rippled = self.rippled(open, depth);
        let gathered = open.water.focus(entry, depth, footprint, rippled) / UNGATHERED;
        let entering = 1.0 - fresnel(self.light.sun.z, WATER_INDEX);
        let kept = self.media.faded(self.light.sunlight, None, way);
        kept * (entering * self.light.sun.z / up.z * cosine * gathered)
    }

    /// Share of the small ripples that water of a depth has: they need depth, and over land room to grow in.
    pub fn rippled(&self, open: &Open<'_>, depth: f32) -> f32 {
        let Some(land) = &open.land else { return 1.0 };
        let room = smoothstep(8.0, 80.0, land.width() / open.ripple_length);
        room * smoothstep(0.0, 0.7, depth / open.ripple_length)
    }

    /// Follows a ray of the sun down to the level `floor`: the light that is left of it, and where it lands.
    pub fn sunbeam(&self, floor: f32, from: Vec3, along: Vec3) -> Option<Landed> {
        let (mut from, mut direction, mut light) = (from, along, Vec3::ONE);
        let (mut inside, mut colour, mut way) = (Inside::default(), None, 0_u32);
        let faded = |light: Vec3, inside: Inside, colour: Option<Vec3>, distance: f32| {
            if inside.water { self.media.faded(light, colour, distance.max(0.0)) } else { light }
        };
        for _ in 0..LONGEST {
            let below = if direction.z < 0.0 { (floor - from.z) / direction.z } else { f32::INFINITY };
            let Some(touch) = self.world.first(from, direction, below.max(0.0), false, 0.0) else {
                let point = from + direction * below;
                let light = faded(light, inside, colour, below);
                return below.is_finite().then_some(Landed { light, at: point.truncate(), way });
            };
            let step = self.world.step(touch.point);
            match touch.stuff {
                Stuff::Slab | Stuff::Floor => {
                    let light = faded(light, inside, colour, touch.distance);
                    return Some(Landed { light, at: touch.point.truncate(), way });
                }
                // Thin glass lets the sun pass straight.
                Stuff::Glass | Stuff::Edge | Stuff::Pane => {
                    way = on(way, 1);
                    light = faded(light, inside, colour, touch.distance) * 0.95;
                    from = touch.point + direction * step;
                }
                Stuff::Water => {
                    inside.water = !touch.outside;
                    light = faded(light, inside, touch.colour.or(colour), touch.distance);
                    let after = Inside { water: touch.outside, ..inside };
                    let ratio = after.index() / inside.index();
                    match refract(direction, touch.normal, ratio) {
                        Some(bent) => {
                            way = on(way, 2 + u32::from(touch.outside));
                            light *= 1.0 - fresnel(-direction.dot(touch.normal), ratio);
                            from = touch.point - touch.face * step;
                            direction = touch.inwards(bent);
                            (inside, colour) = (after, touch.colour);
                        }
                        None => {
                            way = on(way, 4);
                            direction = touch.outwards(reflect(direction, touch.normal));
                            from = touch.point + touch.face * step;
                        }
                    }
                }
                _ => return None,
            }
        }
        None
    }
}

/// Suns of a lamp, whose width is seen in every shadow, and of the sun itself.
const SUNS: [usize; 2] = [24, 5];

/// Directions, evenly spread over the disc of a sun in direction `sun`: those of a sunflower's seeds [vogel1979].
pub fn over_disc(sun: Vec3, radius: f32) -> Vec<Vec3> {
    let count = if radius > 0.01 { SUNS[0] } else { SUNS[1] };
    let golden = 0.5 * (3.0 - 5.0_f32.sqrt());
    let seed = |index: usize| Vec2::new(golden * index as f32, (index as f32 + 0.5) / count as f32);
    (0..count).map(|index| in_cone(sun, radius, seed(index))).collect()
}
