//! What happens to a path between surfaces: haze, smoke, and the light that water takes away and scatters.
//!
//! Light fades by Beer's law per colour. Open water scatters once, in closed form, in shafts for an eye in it. A hazy liquid in a tank does so evenly;
//! a cloudy one sends paths on in any direction, as often as it scatters.

use std::f32::consts::FRAC_1_PI;

use glam::Vec3;

use super::light::Way;
use super::numbers::Numbers;
use super::path::{Ray, Seen, Step, Walker};
use super::place::Open;
use super::spread::any_direction;
use super::touch::{Stuff, Touch};

/// One that scatters it less often than this is followed without chance.
const THIN: f32 = 0.6;

impl Walker<'_> {
    // What the medium takes from a ray up to a surface and adds to it; whether it sends the ray elsewhere.
    pub(super) fn fade(
        &self,
        step: &mut Step,
        touch: Option<&Touch>,
        numbers: &mut Numbers,
        seen: &mut Seen,
    ) -> bool {
        let media = &self.place.media;
        let distance = touch.map_or(1e5, |touch| touch.distance);
        let Ray { from, direction, inside, .. } = step.ray;
        if inside.glass {
            let absorbed = if self.place.is_white { Vec3::ZERO } else { media.glass };
            step.weight *= (-absorbed * distance).map(f32::exp);
            return false;
        }
        if !inside.water {
            self.smoke(step, distance, numbers, seen);
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
                // Once light is scattered elsewhere too, only its mean is seen.
                let sun = match step.scatters {
                    0 => {
                        let rate = (lost - 1.2 * absorbed * direction.z).y;
                        self.place.shafts_along(open, from, direction, distance, rate, numbers)
                    }
                    _ => 1.0,
                };
                self.add(step, light * (1.0 + open.sunny * (sun - 1.0)), seen);
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
        if !self.goes_on(step, 100.0 * self.limits.faintest, numbers) {
            step.weight = Vec3::ZERO;
            return;
        }
        step.way = Way::Scattered;
        step.ray.from = point;
        step.ray.direction = any_direction(numbers.pair());
        step.ray.spread = 0.5;
    }

    fn smoke(&self, step: &mut Step, distance: f32, numbers: &mut Numbers, seen: &mut Seen) {
        let Some(smoke) = self.place.smoke.as_ref().filter(|_| step.scatters == 0) else { return };
        let (light, clear) = smoke.along(step.ray.from, step.ray.direction, distance, numbers.one());
        self.add(step, light, seen);
        step.weight *= clear;
    }

    fn haze(&self, step: &mut Step, touch: Option<&Touch>, seen: &mut Seen) {
        let Some(touch) = touch.filter(|_| self.place.light.is_open() && step.scatters == 0) else { return };
        let clear = self.place.light.sky.clearness(touch.distance);
        if clear < 0.998 {
            self.add(step, self.place.light.sky.horizon(step.ray.direction) * (1.0 - clear), seen);
            step.weight *= clear;
        }
    }
}

fn mean_colour(one: Option<Vec3>, other: Option<Vec3>) -> Option<Vec3> {
    match (one, other) {
        (Some(one), Some(other)) => Some(0.5 * (one + other)),
        (one, other) => one.or(other),
    }
}
