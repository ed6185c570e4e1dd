//! Shafts of light under water: the sun, bent and gathered by the waves, seen in what the water scatters of it.
//!
//! The beams that light the bed are stopped at a few levels on their way down. Between two levels light goes on straight, as
//! under a level surface, and its strength is mixed from both. Light is scattered once, as in the rest of open water; the
//! shafts only say where there is more or less of it than under a level surface, and where it goes, so that the sum is the
//! same.

use glam::{DVec2, Vec2, Vec3};
use undine_frame::Frame;

use super::sampler::Sampler;
use super::scene::{OpenWater, TraceScene};
use crate::caustics::{Caustics, CausticsKind, CausticsSpec, Floor};
use crate::optics::{WATER_INDEX, fresnel};
use crate::sky::henyey_greenstein;

/// Levels at which beams are stopped.
const LEVELS: usize = 7;
/// Most texels along the side of a level.
const FINEST: usize = 512;
/// Points of a ray at which the shafts are looked up.
const POINTS: usize = 3;
/// The share of scattered sunlight that goes on nearly as before, and how nearly: natural waters scatter forwards
/// [petzold1972]. The rest goes to all sides.
const FORWARD: f32 = 0.6;
const NARROW: f32 = 0.72;
/// No shaft is brighter than this against the light under a level surface.
const BRIGHTEST: f32 = 6.0;

/// Sunlight at several levels under water.
pub struct Shafts {
    surface: f32,
    /// How far the light moves aside per metre that it goes up.
    slant: Vec2,
    /// Light on a level surface under level water.
    even: f32,
    /// Depths and the light there, from the highest down.
    levels: Vec<(f32, Caustics)>,
}

impl Shafts {
    /// The shafts under the water of a frame, none of them where the surface is taken for level; `None` without a sun.
    pub fn new(scene: &TraceScene<'_>, open: &OpenWater<'_>, frame: &Frame) -> Option<Shafts> {
        let sun = scene.environment.sun;
        let wanted = &scene.spec.caustics;
        if sun.z <= 0.05 || !scene.environment.shows_sky() {
            return None;
        }
        let is_level = wanted.kind == CausticsKind::Nothing;
        let basin = &open.water.basin;
        let [low, high] = basin.sheet;
        let faint = 3.0 / scene.media.look.absorption.min_element().max(1e-4);
        let deepest = basin.depth.min(faint).min(0.6 * (high - low).max_element()).max(1e-3);
        let spec = CausticsSpec {
            kind: CausticsKind::Beams,
            resolution: Some(wanted.resolution.unwrap_or(FINEST).min(FINEST)),
            carries_on: true,
            ..wanted.clone()
        };
        let level = |number: usize| {
            // Light is gathered fastest near the surface.
            let depth = deepest * ((number + 1) as f32 / LEVELS as f32).powf(1.6);
            let floor = Floor::level([low.as_dvec2(), high.as_dvec2()], f64::from(basin.level - depth));
            (depth, Caustics::new(&spec, frame, floor, sun, Vec3::ZERO))
        };
        Some(Shafts {
            surface: basin.level,
            slant: open.sun_below.truncate() / open.sun_below.z.max(0.1),
            even: (1.0 - fresnel(sun.z, WATER_INDEX)) * sun.z,
            levels: (0..if is_level { 0 } else { LEVELS }).map(level).collect(),
        })
    }

    /// Sunlight at a point as a multiple of that under a level surface.
    pub fn at(&self, point: Vec3) -> f32 {
        let depth = self.surface - point.z;
        if !(depth > 0.0 && point.is_finite()) {
            return 1.0;
        }
        let below = self.levels.partition_point(|(level, _)| *level < depth);
        let light = |number: Option<usize>| match number.and_then(|number| self.levels.get(number)) {
            Some((level, caustics)) => {
                // The same ray of light, higher up or farther down.
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
        let share = ((depth - upper) / (lower - upper).max(1e-6)).clamp(0.0, 1.0);
        light(above) * (1.0 - share) + light(Some(below)) * share
    }

    // Towards its border a map fades into even light.
    fn strength(&self, caustics: &Caustics, at: DVec2) -> f32 {
        let Some((light, inside)) = caustics.level_light(at) else { return 1.0 };
        let gathered = (light.y / self.even.max(1e-6)).min(BRIGHTEST);
        1.0 + (gathered - 1.0) * (inside / 0.05).min(1.0)
    }
}

impl TraceScene<'_> {
    /// The mean strength of scattered sunlight along a ray under water, against that of light scattered evenly under a level
    /// surface, weighed by how much of it is seen: it fades by `rate` per metre.
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
        // The light comes down along −sun_below and goes on against the ray.
        let phase = 1.0 - FORWARD + FORWARD * henyey_greenstein(direction.dot(open.sun_below), NARROW);
        let rate = rate.max(1e-5);
        let seen = 1.0 - (-rate * distance).exp();
        let start = sampler.get_1d();
        let point = |number: usize| {
            let share = (number as f32 + start) / POINTS as f32;
            let way = (-(1.0 - share * seen).max(1e-7).ln() / rate).min(distance);
            let point = from + direction * way;
            if shafts.levels.is_empty() {
                return 1.0;
            }
            let depth = (shafts.surface - point.z).max(0.0);
            shafts.at(point) * self.ripple_focusing(open, point, depth, 0.004 * way)
        };
        phase * (0..POINTS).map(point).sum::<f32>() / POINTS as f32
    }
}
