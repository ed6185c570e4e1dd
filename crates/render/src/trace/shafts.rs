//! Light shafts under water: single scattering of sunlight that waves have refracted and focused.
//!
//! The beams that light the bed are intersected with a few horizontal planes on their way down. Between two planes
//! light goes on straight, as under a level surface, and its strength is interpolated. The shafts modulate the single
//! scattering of open water by the ratio to a level surface, so that the total is kept.

use glam::{DVec2, Vec2, Vec3};
use undine_frame::Frame;

use super::sampler::Sampler;
use super::scene::{OpenWater, TraceScene};
use crate::caustics::{Caustics, CausticsKind, CausticsSpec, Floor};
use crate::optics::{WATER_INDEX, fresnel};
use crate::sky::henyey_greenstein;

/// Planes at which irradiance is computed.
const LEVELS: usize = 7;
/// Most texels along the side of a plane.
const FINEST: usize = 512;
/// Points of a ray at which shafts are looked up.
const POINTS: usize = 3;
/// Fraction of sunlight in the forward lobe of the phase function and its asymmetry g [petzold1972]; the rest is
/// scattered isotropically.
const FORWARD_FRACTION: f32 = 0.6;
const ASYMMETRY: f32 = 0.72;
/// Upper limit of the strength relative to a level surface.
const MAX_STRENGTH: f32 = 6.0;

/// Irradiance of the sun on several horizontal planes under water.
pub struct Shafts {
    surface: f32,
    /// Horizontal offset of a sun ray per metre upwards.
    slant: Vec2,
    /// Irradiance under level water.
    level_irradiance: f32,
    /// Depth and caustics of each plane, from the highest down.
    levels: Vec<(f32, Caustics)>,
}

impl Shafts {
    /// The shafts under the water of a frame, without planes if caustics are switched off; `None` without a sun.
    pub fn new(scene: &TraceScene<'_>, open: &OpenWater<'_>, frame: &Frame) -> Option<Shafts> {
        let sun = scene.environment.sun;
        let settings = &scene.spec.caustics;
        if sun.z <= 0.05 || !scene.environment.shows_sky() {
            return None;
        }
        let is_level = settings.kind == CausticsKind::Nothing;
        let basin = &open.water.basin;
        let [low, high] = basin.sheet;
        let faint = 3.0 / scene.media.look.absorption.min_element().max(1e-4);
        let deepest = basin.depth.min(faint).min(0.6 * (high - low).max_element()).max(1e-3);
        let spec = CausticsSpec {
            kind: CausticsKind::Beams,
            resolution: Some(settings.resolution.unwrap_or(FINEST).min(FINEST)),
            extends_water: true,
            ..settings.clone()
        };
        let level = |number: usize| {
            // Planes are denser near the surface, where light is focused fastest.
            let depth = deepest * ((number + 1) as f32 / LEVELS as f32).powf(1.6);
            let floor = Floor::level([low.as_dvec2(), high.as_dvec2()], f64::from(basin.level - depth));
            (depth, Caustics::new(&spec, frame, floor, sun, Vec3::ZERO))
        };
        Some(Shafts {
            surface: basin.level,
            slant: open.sun_below.truncate() / open.sun_below.z.max(0.1),
            level_irradiance: (1.0 - fresnel(sun.z, WATER_INDEX)) * sun.z,
            levels: (0..if is_level { 0 } else { LEVELS }).map(level).collect(),
        })
    }

    /// Irradiance of the sun at a point relative to that under a level surface.
    pub fn at(&self, point: Vec3) -> f32 {
        let depth = self.surface - point.z;
        if !(depth > 0.0 && point.is_finite()) {
            return 1.0;
        }
        let below = self.levels.partition_point(|(level, _)| *level < depth);
        let light = |number: Option<usize>| match number.and_then(|number| self.levels.get(number)) {
            Some((level, caustics)) => {
                // Follow the refracted sun ray up or down to the plane.
                let at = point.truncate() + self.slant * (depth - level);
                self.strength(caustics, at.as_dvec2())
            }
            None => 1.0,
        };
        let depth_of = |number: Option<usize>| {
            number.and_then(|number| self.levels.get(number)).map_or(0.0, |level| level.0)
        };
        let above = below.checked_sub(1);
        let Some((lower, _)) = self.levels.get(below) else { return light(above) };
        let upper = depth_of(above);
        let fraction = ((depth - upper) / (lower - upper).max(1e-6)).clamp(0.0, 1.0);
        light(above) * (1.0 - fraction) + light(Some(below)) * fraction
    }

    // Towards the border of the map the strength fades to 1.
    fn strength(&self, caustics: &Caustics, at: DVec2) -> f32 {
        let Some((light, inside)) = caustics.level_light(at) else { return 1.0 };
        let focusing = (light.y / self.level_irradiance.max(1e-6)).min(MAX_STRENGTH);
        1.0 + (focusing - 1.0) * (inside / 0.05).min(1.0)
    }
}

impl TraceScene<'_> {
    /// Mean strength of in-scattered sunlight along a ray under water relative to isotropic scattering under a level
    /// surface, weighted by the attenuation e^(−rate · s).
    pub fn mean_shaft_strength(
        &self,
        open: &OpenWater<'_>,
        from: Vec3,
        direction: Vec3,
        distance: f32,
        rate: f32,
        sampler: &mut Sampler,
    ) -> f32 {
        let Some(shafts) = &self.shafts else { return 1.0 };
        // Sunlight travels along −sun_below and is scattered against the ray.
        let phase = 1.0 - FORWARD_FRACTION
            + FORWARD_FRACTION * henyey_greenstein(direction.dot(open.sun_below), ASYMMETRY);
        let rate = rate.max(1e-5);
        let opacity = 1.0 - (-rate * distance).exp();
        let start = sampler.get_1d();
        let point = |number: usize| {
            let fraction = (number as f32 + start) / POINTS as f32;
            let s = (-(1.0 - fraction * opacity).max(1e-7).ln() / rate).min(distance);
            let point = from + direction * s;
            if shafts.levels.is_empty() {
                return 1.0;
            }
            let depth = (shafts.surface - point.z).max(0.0);
            shafts.at(point) * self.ripple_focusing(open, point, depth, 0.004 * s)
        };
        phase * (0..POINTS).map(point).sum::<f32>() / POINTS as f32
    }
}
