//! Sunlight at a point, straight or through water.
//!
//! A ray towards the sun cannot find the way that a wavy surface bends. Light that arrives through water therefore
//! comes from whoever computed it beforehand ([`ThroughWater`](super::ThroughWater)), or else from a map of the floor of
//! a tank, or else along the ray that a level surface would bend, times the gathering of light by the waves above as a
//! preview has it.

use glam::{Vec2, Vec3};

use super::hit::{Hit, TraceMaterial};
use super::sampler::Sampler;
use super::sampling::sample_cone;
use super::scene::{OpenWater, TraceScene};
use crate::noise::smoothstep;
use crate::optics::{WATER_INDEX, fresnel, reflect, refract};
use crate::preview::liquid::floor_sunlight::{SunRayEnd, with_event};
use crate::preview::liquid::media::RayMedium;

/// Boundaries after which a ray is given up.
const LONGEST: usize = 8;
/// What ripples make of the sun under water so shallow that they cannot gather it.
const UNFOCUSED: f32 = 1.05 / 1.16;

impl TraceScene<'_> {
    /// Light of the sun on a surface: what comes straight, and what has come through water. `at` chooses a point of the
    /// sun's disc.
    pub fn direct_sun(
        &self,
        hit: &Hit,
        normal: Vec3,
        in_water: bool,
        footprint: f32,
        at: Vec2,
        time: f32,
    ) -> [Vec3; 2] {
        let from = hit.point + hit.face * self.intersector.ray_offset(hit.point);
        let lies_flat =
            matches!(hit.material, TraceMaterial::Floor | TraceMaterial::Slab) && hit.normal.z > 0.5;
        if let Some(map) = self.on_floor.as_ref().filter(|_| self.through_water.is_none() && lies_flat) {
            let open = self.environment.sunlight * self.environment.sun.z.max(0.0);
            // The map knows the light on the slab; below it the slab stands in the way.
            let is_shaded = hit.material == TraceMaterial::Floor
                && self.intersector.is_occluded(from, self.environment.sun, time);
            let share = if is_shaded { Vec3::ZERO } else { map.at(hit.point) };
            return [open * share.min(Vec3::ONE), open * (share - 1.0).max(Vec3::ZERO)];
        }
        if let Some(known) = self.through_water {
            let bent = self.environment.sunlight * known(hit.point, normal).max(Vec3::ZERO);
            let is_behind_water =
                in_water || self.intersector.is_behind_water(from, self.environment.sun, time);
            let straight = if is_behind_water { Vec3::ZERO } else { self.sun_in_air(from, normal, at, time) };
            return [straight, bent];
        }
        match &self.open_water {
            Some(open) if in_water => {
                let known = self.caustic_sun(open, hit.point, normal, footprint);
                let bent = known
                    .unwrap_or_else(|| self.sun_below_level_water(open, from, normal, footprint, at, time));
                [Vec3::ZERO, bent]
            }
            Some(_) => [self.sun_in_air(from, normal, at, time), Vec3::ZERO],
            None => [self.sun_through_liquid(from, normal, at, time), Vec3::ZERO],
        }
    }

    /// Light of lamps, and of what is bright in a panorama, on a surface. Water in between bends no ray of it.
    pub fn direct_lamps(&self, hit: &Hit, normal: Vec3, sampler: &mut Sampler, time: f32) -> Vec3 {
        let from = hit.point + hit.face * self.intersector.ray_offset(hit.point);
        let mut sum = Vec3::ZERO;
        for lamp in &self.intersector.lamps {
            let Some(beam) = lamp.beam(from, sampler.get_2d()) else { continue };
            let cosine = normal.dot(beam.direction);
            if cosine > 0.0
                && self.intersector.closest_opaque_hit(from, beam.direction, beam.distance, time).is_none()
            {
                sum += beam.light * cosine;
            }
        }
        if !self.environment.has_bright() {
            return sum;
        }
        if let Some((direction, light)) = self.environment.sample_bright(sampler.get_2d()) {
            let cosine = normal.dot(direction);
            if cosine > 0.0 && !self.intersector.is_occluded(from, direction, time) {
                sum += light * cosine;
            }
        }
        sum
    }

    /// Whether the sun is seen from a point in the air.
    pub fn is_sunlit(&self, from: Vec3, time: f32) -> bool {
        self.environment.sun.z > -0.02 && !self.intersector.is_occluded(from, self.environment.sun, time)
    }

    // The sun where nothing, not even water, is in between.
    fn sun_in_air(&self, from: Vec3, normal: Vec3, at: Vec2, time: f32) -> Vec3 {
        let sun = sample_cone(self.environment.sun, self.environment.sun_radius, at);
        let cosine = normal.dot(sun);
        if cosine <= 0.0 || sun.z < 0.0 || self.intersector.is_occluded(from, sun, time) {
            return Vec3::ZERO;
        }
        let clear = self.smoke.as_ref().map_or(1.0, |smoke| smoke.transmittance(from, sun));
        self.environment.sunlight * (cosine * clear)
    }

    // The sun straight through a liquid and its tank onto a surface.
    fn sun_through_liquid(&self, from: Vec3, normal: Vec3, at: Vec2, time: f32) -> Vec3 {
        let cosine = normal.dot(self.environment.sun);
        if cosine <= 0.0 { Vec3::ZERO } else { self.attenuated_sun(from, at, time) * cosine }
    }

    /// The sun at a point straight through a liquid and its tank, fainter by what they take away.
    pub fn attenuated_sun(&self, point: Vec3, at: Vec2, time: f32) -> Vec3 {
        let sun = sample_cone(self.environment.sun, self.environment.sun_radius, at);
        let (mut from, mut light) = (point, self.environment.sunlight);
        for _ in 0..LONGEST {
            let Some(hit) = self.intersector.closest_hit(from, sun, f32::INFINITY, false, time) else {
                return light;
            };
            match hit.material {
                TraceMaterial::Water if !hit.is_outside => {
                    light = 0.96 * self.media.faded(light, hit.colour, hit.distance);
                }
                TraceMaterial::Water => {}
                TraceMaterial::Glass | TraceMaterial::Edge | TraceMaterial::Pane => light *= 0.93,
                _ => return Vec3::ZERO,
            }
            from = hit.point + sun * self.intersector.ray_offset(hit.point);
        }
        Vec3::ZERO
    }

    // The sun below waves, where it is known; ripples that are only drawn gather it once more.
    fn caustic_sun(&self, open: &OpenWater<'_>, point: Vec3, normal: Vec3, footprint: f32) -> Option<Vec3> {
        let caustics = self.caustics.as_ref()?;
        let at = point.truncate();
        caustics.ground_light(at, footprint)?;
        let depth = (open.water.basin.level - point.z).max(0.0);
        let ripples = self.ripple_focusing(open, point, depth, footprint);
        Some(self.environment.sunlight * caustics.irradiance(point, normal) * ripples)
    }

    /// What ripples that are only drawn make of the sun at a point of some depth, over a spot of `footprint` metres.
    pub fn ripple_focusing(&self, open: &OpenWater<'_>, point: Vec3, depth: f32, footprint: f32) -> f32 {
        let rippled = self.ripple_strength(open, depth);
        open.water.focus(open.water.entry(point, depth), depth, footprint, rippled) / UNFOCUSED
    }

    // The sun below a level surface.
    fn sun_below_level_water(
        &self,
        open: &OpenWater<'_>,
        from: Vec3,
        normal: Vec3,
        footprint: f32,
        at: Vec2,
        time: f32,
    ) -> Vec3 {
        let up = open.sun_below;
        let cosine = normal.dot(up);
        if cosine <= 0.0 || self.environment.sun.z <= 0.0 {
            return Vec3::ZERO;
        }
        let surface = self.intersector.closest_clear_hit(from, up, f32::INFINITY, time);
        let distance = surface.map_or(0.0, |hit| hit.distance);
        if self.intersector.closest_opaque_hit(from, up, distance, time).is_some() {
            return Vec3::ZERO;
        }
        let out = from + up * distance;
        let sun = sample_cone(self.environment.sun, self.environment.sun_radius, at);
        if self.intersector.is_occluded(out + Vec3::Z * self.intersector.ray_offset(out), sun, time) {
            return Vec3::ZERO;
        }
        let depth = distance * up.z;
        let entry = out.truncate();
        let rippled = self.ripple_strength(open, depth);
        let gathered = open.water.focus(entry, depth, footprint, rippled) / UNFOCUSED;
        let entering = 1.0 - fresnel(self.environment.sun.z, WATER_INDEX);
        let kept = self.media.faded(self.environment.sunlight, None, distance);
        kept * (entering * self.environment.sun.z / up.z * cosine * gathered)
    }

    /// Share of the small ripples that water of a depth has: they need depth, and over land room to grow in.
    pub fn ripple_strength(&self, open: &OpenWater<'_>, depth: f32) -> f32 {
        let Some(land) = &open.land else { return 1.0 };
        let room = smoothstep(8.0, 80.0, land.width() / open.ripple_length);
        room * smoothstep(0.0, 0.7, depth / open.ripple_length)
    }

    /// Follows a ray of the sun down to the level `floor`: the light that is left of it, and where it lands.
    pub fn trace_sun_ray(&self, floor: f32, from: Vec3, along: Vec3) -> Option<SunRayEnd> {
        let (mut from, mut direction, mut light) = (from, along, Vec3::ONE);
        let (mut medium, mut colour, mut history) = (RayMedium::default(), None, 0_u32);
        let faded = |light: Vec3, medium: RayMedium, colour: Option<Vec3>, distance: f32| {
            if medium.water { self.media.faded(light, colour, distance.max(0.0)) } else { light }
        };
        for _ in 0..LONGEST {
            let below = if direction.z < 0.0 { (floor - from.z) / direction.z } else { f32::INFINITY };
            let Some(hit) = self.intersector.closest_hit(from, direction, below.max(0.0), false, 0.0) else {
                let point = from + direction * below;
                let light = faded(light, medium, colour, below);
                return below.is_finite().then_some(SunRayEnd { light, at: point.truncate(), history });
            };
            let step = self.intersector.ray_offset(hit.point);
            match hit.material {
                TraceMaterial::Slab | TraceMaterial::Floor => {
                    let light = faded(light, medium, colour, hit.distance);
                    return Some(SunRayEnd { light, at: hit.point.truncate(), history });
                }
                // Thin glass lets the sun pass straight.
                TraceMaterial::Glass | TraceMaterial::Edge | TraceMaterial::Pane => {
                    history = with_event(history, 1);
                    light = faded(light, medium, colour, hit.distance) * 0.95;
                    from = hit.point + direction * step;
                }
                TraceMaterial::Water => {
                    medium.water = !hit.is_outside;
                    light = faded(light, medium, hit.colour.or(colour), hit.distance);
                    let after = RayMedium { water: hit.is_outside, ..medium };
                    let ratio = after.index() / medium.index();
                    match refract(direction, hit.normal, ratio) {
                        Some(bent) => {
                            history = with_event(history, 2 + u32::from(hit.is_outside));
                            light *= 1.0 - fresnel(-direction.dot(hit.normal), ratio);
                            from = hit.point - hit.face * step;
                            direction = hit.inwards(bent);
                            (medium, colour) = (after, hit.colour);
                        }
                        None => {
                            history = with_event(history, 4);
                            direction = hit.outwards(reflect(direction, hit.normal));
                            from = hit.point + hit.face * step;
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
    (0..count).map(|index| sample_cone(sun, radius, seed(index))).collect()
}
