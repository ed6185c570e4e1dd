//! Direct light at a point: the sun, straight or through water, and lamps.
//!
//! A shadow ray cannot find the path that a wavy surface refracts. Sunlight through water is therefore taken from a
//! precomputed function ([`ThroughWater`](super::ThroughWater)), else from a map of the floor of a tank, else from
//! the caustics map, else along the ray that a level surface would refract, times the focusing by ripples that
//! previews use.

use glam::{Vec2, Vec3};

use super::hit::{Hit, TraceMaterial};
use super::sampler::Sampler;
use super::sampling::sample_cone;
use super::scene::{OpenWater, TraceScene};
use crate::noise::smoothstep;
use crate::optics::{WATER_INDEX, fresnel, reflect, refract};
use crate::preview::liquid::floor_sunlight::{SunRayEnd, with_event};
use crate::preview::liquid::media::RayMedium;

/// Surfaces after which a ray is given up.
const MAX_SURFACES: usize = 8;
/// Focusing factor of ripples under water too shallow to focus.
const UNFOCUSED: f32 = 1.05 / 1.16;

impl TraceScene<'_> {
    /// Irradiance due to the sun: `[directly, through water]`. `at` chooses a point on the sun's disc.
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
        // On the floor of a tank: the map of its sunlight, of which all above 1 came through water.
        if let Some(map) = self.floor_sunlight.as_ref().filter(|_| self.through_water.is_none() && lies_flat)
        {
            let open = self.environment.sunlight * self.environment.sun.z.max(0.0);
            // The map holds the light on the slab; the floor below may be shadowed by the slab.
            let is_shaded = hit.material == TraceMaterial::Floor
                && self.intersector.is_occluded(from, self.environment.sun, time);
            let fraction = if is_shaded { Vec3::ZERO } else { map.at(hit.point) };
            return [open * fraction.min(Vec3::ONE), open * (fraction - 1.0).max(Vec3::ZERO)];
        }
        // Precomputed sunlight through water, with a shadow ray for the rest.
        if let Some(known) = self.through_water {
            let refracted = self.environment.sunlight * known(hit.point, normal).max(Vec3::ZERO);
            let is_behind_water =
                in_water || self.intersector.is_behind_water(from, self.environment.sun, time);
            let straight = if is_behind_water { Vec3::ZERO } else { self.sun_in_air(from, normal, at, time) };
            return [straight, refracted];
        }
        // Open water: the caustics map where there is one. A tank: straight rays.
        match &self.open_water {
            Some(open) if in_water => {
                let known = self.caustic_sun(open, hit.point, normal, footprint);
                let refracted = known
                    .unwrap_or_else(|| self.sun_below_level_water(open, from, normal, footprint, at, time));
                [Vec3::ZERO, refracted]
            }
            Some(_) => [self.sun_in_air(from, normal, at, time), Vec3::ZERO],
            None => [self.sun_through_liquid(from, normal, at, time), Vec3::ZERO],
        }
    }

    /// Irradiance due to lamps and to the bright pixels of an environment map. Refraction by water is ignored.
    pub fn direct_lamps(&self, hit: &Hit, normal: Vec3, sampler: &mut Sampler, time: f32) -> Vec3 {
        let from = hit.point + hit.face * self.intersector.ray_offset(hit.point);
        let mut sum = Vec3::ZERO;
        for lamp in &self.intersector.lamps {
            let Some(light) = lamp.sample(from, sampler.get_2d()) else { continue };
            let cosine = normal.dot(light.direction);
            if cosine > 0.0
                && self.intersector.closest_opaque_hit(from, light.direction, light.distance, time).is_none()
            {
                sum += light.light * cosine;
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

    /// Whether a point in the air sees the sun.
    pub fn is_sunlit(&self, from: Vec3, time: f32) -> bool {
        self.environment.sun.z > -0.02 && !self.intersector.is_occluded(from, self.environment.sun, time)
    }

    // Irradiance due to the sun through air alone.
    fn sun_in_air(&self, from: Vec3, normal: Vec3, at: Vec2, time: f32) -> Vec3 {
        let sun = sample_cone(self.environment.sun, self.environment.sun_radius, at);
        let cosine = normal.dot(sun);
        if cosine <= 0.0 || sun.z < 0.0 || self.intersector.is_occluded(from, sun, time) {
            return Vec3::ZERO;
        }
        let clear = self.smoke.as_ref().map_or(1.0, |smoke| smoke.transmittance(from, sun));
        self.environment.sunlight * (cosine * clear)
    }

    // Irradiance due to the sun along a straight ray through a liquid and its tank.
    fn sun_through_liquid(&self, from: Vec3, normal: Vec3, at: Vec2, time: f32) -> Vec3 {
        let cosine = normal.dot(self.environment.sun);
        if cosine <= 0.0 { Vec3::ZERO } else { self.attenuated_sun(from, at, time) * cosine }
    }

    /// Sunlight at a point inside a liquid along a straight ray, attenuated by liquid and glass; on a surface facing
    /// the sun.
    pub fn attenuated_sun(&self, point: Vec3, at: Vec2, time: f32) -> Vec3 {
        let sun = sample_cone(self.environment.sun, self.environment.sun_radius, at);
        let (mut from, mut light) = (point, self.environment.sunlight);
        for _ in 0..MAX_SURFACES {
            let Some(hit) = self.intersector.closest_hit(from, sun, f32::INFINITY, false, time) else {
                return light;
            };
            match hit.material {
                TraceMaterial::Water if !hit.is_outside => {
                    light = 0.96 * self.media.attenuated(light, hit.colour, hit.distance);
                }
                TraceMaterial::Water => {}
                TraceMaterial::Glass | TraceMaterial::Edge | TraceMaterial::Pane => light *= 0.93,
                _ => return Vec3::ZERO,
            }
            from = hit.point + sun * self.intersector.ray_offset(hit.point);
        }
        Vec3::ZERO
    }

    // Irradiance under waves from the caustics map, times the focusing by ripples that exist only in pictures.
    fn caustic_sun(&self, open: &OpenWater<'_>, point: Vec3, normal: Vec3, footprint: f32) -> Option<Vec3> {
        let caustics = self.caustics.as_ref()?;
        let at = point.truncate();
        caustics.ground_light(at, footprint)?;
        let depth = (open.water.basin.level - point.z).max(0.0);
        let ripples = self.ripple_focusing(open, point, depth, footprint);
        Some(self.environment.sunlight * caustics.irradiance(point, normal) * ripples)
    }

    /// Focusing factor at a point `depth` below the surface due to ripples that exist only in pictures, as a mean over
    /// `footprint` metres.
    pub fn ripple_focusing(&self, open: &OpenWater<'_>, point: Vec3, depth: f32, footprint: f32) -> f32 {
        let strength = self.ripple_strength(open, depth);
        open.water.focus(open.water.entry(point, depth), depth, footprint, strength) / UNFOCUSED
    }

    // Irradiance under a level water surface: the sun's ray refracted once.
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
        // Nothing may lie between the point and the surface, nor between the surface and the sun.
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
        // E = T E₀ cos θ / cos θ′ · n·d, times Beer's law and the focusing by ripples.
        let depth = distance * up.z;
        let entry = out.truncate();
        let strength = self.ripple_strength(open, depth);
        let focusing = open.water.focus(entry, depth, footprint, strength) / UNFOCUSED;
        let entering = 1.0 - fresnel(self.environment.sun.z, WATER_INDEX);
        let attenuated = self.media.attenuated(self.environment.sunlight, None, distance);
        attenuated * (entering * self.environment.sun.z / up.z * cosine * focusing)
    }

    /// Amplitude factor of ripples by depth: they need depth, and over land a wide water.
    pub fn ripple_strength(&self, open: &OpenWater<'_>, depth: f32) -> f32 {
        let Some(land) = &open.land else { return 1.0 };
        let width_factor = smoothstep(8.0, 80.0, land.width() / open.ripple_length);
        width_factor * smoothstep(0.0, 0.7, depth / open.ripple_length)
    }

    /// Traces a sun ray down to the level `floor`; returns the light left and where it lands.
    pub fn trace_sun_ray(&self, floor: f32, from: Vec3, direction: Vec3) -> Option<SunRayEnd> {
        let (mut from, mut direction, mut light) = (from, direction, Vec3::ONE);
        let (mut medium, mut colour, mut history) = (RayMedium::default(), None, 0_u32);
        let attenuated = |light: Vec3, medium: RayMedium, colour: Option<Vec3>, distance: f32| {
            if medium.water { self.media.attenuated(light, colour, distance.max(0.0)) } else { light }
        };
        for _ in 0..MAX_SURFACES {
            // Up to the floor, unless something is hit before.
            let below = if direction.z < 0.0 { (floor - from.z) / direction.z } else { f32::INFINITY };
            let Some(hit) = self.intersector.closest_hit(from, direction, below.max(0.0), false, 0.0) else {
                let point = from + direction * below;
                let light = attenuated(light, medium, colour, below);
                return below.is_finite().then_some(SunRayEnd { light, at: point.truncate(), history });
            };
            let step = self.intersector.ray_offset(hit.point);
            match hit.material {
                TraceMaterial::Slab | TraceMaterial::Floor => {
                    let light = attenuated(light, medium, colour, hit.distance);
                    return Some(SunRayEnd { light, at: hit.point.truncate(), history });
                }
                // Refraction by thin glass is ignored.
                TraceMaterial::Glass | TraceMaterial::Edge | TraceMaterial::Pane => {
                    history = with_event(history, 1);
                    light = attenuated(light, medium, colour, hit.distance) * 0.95;
                    from = hit.point + direction * step;
                }
                // Refraction with its Fresnel transmittance, or total internal reflection.
                TraceMaterial::Water => {
                    medium.water = !hit.is_outside;
                    light = attenuated(light, medium, hit.colour.or(colour), hit.distance);
                    let after = RayMedium { water: hit.is_outside, ..medium };
                    let ratio = after.index() / medium.index();
                    match refract(direction, hit.normal, ratio) {
                        Some(refracted) => {
                            history = with_event(history, 2 + u32::from(hit.is_outside));
                            light *= 1.0 - fresnel(-direction.dot(hit.normal), ratio);
                            from = hit.point - hit.face * step;
                            direction = hit.inwards(refracted);
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

/// Number of directions that sample a lamp's disc, whose penumbra is visible, and the sun's disc.
const SUNS: [usize; 2] = [12, 5];

/// Directions evenly spread over the disc of a sun in direction `sun`: Vogel's spiral [vogel1979].
pub fn over_disc(sun: Vec3, radius: f32) -> Vec<Vec3> {
    let count = if radius > 0.01 { SUNS[0] } else { SUNS[1] };
    let golden = 0.5 * (3.0 - 5.0_f32.sqrt());
    let seed = |index: usize| Vec2::new(golden * index as f32, (index as f32 + 0.5) / count as f32);
    (0..count).map(|index| sample_cone(sun, radius, seed(index))).collect()
}
