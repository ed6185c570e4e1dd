//! Procedural treeline around a pond: a silhouette over the horizon, also visible in reflections.
//!
//! The trees are at infinity: only directions matter. The top is fractal noise over the azimuth; crowns are textured by
//! noise, lit by the sun and fade to haze near the ground.

use std::f32::consts::FRAC_1_PI;

use glam::{Vec2, Vec3};

use crate::noise::{fractal, smoothstep};
use crate::sky::Sky;

/// Greatest height of the trees, as the tangent of the elevation angle.
pub const HIGHEST: f32 = 0.13;

/// Foot of the trees below the horizon, likewise, which hides the end of the meadow.
const FOOT: f32 = 0.014;

/// A treeline over the full horizon.
#[derive(Debug, Clone)]
pub struct Treeline {
    seed: u32,
    lit: Vec3,
    shaded: Vec3,
    haze: Vec3,
    sun: Vec2,
}

impl Treeline {
    /// A treeline lit by a sky.
    pub fn new(sky: &Sky, seed: u32) -> Self {
        let leaves = Vec3::new(0.052, 0.085, 0.022);
        let ambient = sky.skylight * 0.45;
        Treeline {
            seed,
            lit: leaves * (ambient + sky.sunlight * 0.55) * FRAC_1_PI,
            shaded: leaves * 0.8 * ambient * FRAC_1_PI,
            haze: sky.horizon(Vec3::X),
            sun: Vec2::new(sky.sun.x, sky.sun.y).normalize_or_zero(),
        }
    }

    /// The treeline composited over `behind` in a direction, filtered over about `spread` radians.
    pub fn over(&self, direction: Vec3, spread: f32, behind: Vec3) -> Vec3 {
        let level = Vec2::new(direction.x, direction.y);
        let rise = direction.z / level.length().max(1e-6);
        if !(-0.2..=HIGHEST + 2.0 * spread).contains(&rise) {
            return behind;
        }
        let around = level.normalize_or(Vec2::X);
        let soft = spread.max(0.001);
        let foot = smoothstep(-soft, soft, rise + FOOT);
        let cover = foot * smoothstep(soft, -soft, rise - self.top(around, spread));
        if cover > 0.0 { behind.lerp(self.colour(around, rise, spread), cover) } else { behind }
    }

    // Tangent of the top's elevation; noise on the unit circle, so that it is periodic in azimuth.
    fn top(&self, around: Vec2, spread: f32) -> f32 {
        let noise = |frequency: f32, octaves: u32, which: u32| {
            fractal(around * frequency, octaves, spread * frequency, self.seed ^ which) - 0.5
        };
        // Billow noise |n| has round tops and sharp clefts, like tree crowns
        let crowns = |frequency: f32, which: u32| (2.0 * noise(frequency, 1, which)).abs();
        let top =
            0.034 + 0.045 * noise(3.0, 2, 0x11) + 0.030 * crowns(19.0, 0x12) + 0.014 * crowns(57.0, 0x13);
        let top = top + 0.006 * noise(230.0, 2, 0x14);
        top.clamp(0.012, HIGHEST)
    }

    fn colour(&self, around: Vec2, rise: f32, spread: f32) -> Vec3 {
        let crown = Vec2::new(around.y.atan2(around.x), rise) * 60.0;
        let mottle = fractal(crown, 4, spread * 60.0, self.seed ^ 0x21);
        // Crowns are dark against the sun and lit opposite to it
        let facing = 0.5 - 0.5 * around.dot(self.sun);
        let light = (0.25 + 0.75 * facing) * smoothstep(0.30, 0.75, mottle + 1.5 * rise);
        let crowns = self.shaded.lerp(self.lit, light);
        crowns.lerp(self.haze, 0.16 + 0.10 * smoothstep(0.05, 0.0, rise))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sky::SkySpec;

    #[test]
    fn the_wood_stands_on_the_horizon_and_ends_below_the_sky() {
        let treeline = Treeline::new(&Sky::new(&SkySpec::default(), 0.0), 3);
        for degrees in 0..360 {
            let around = Vec2::from_angle((degrees as f32).to_radians());
            let seen = |rise: f32| treeline.over(around.extend(rise).normalize(), 0.001, Vec3::splat(1e3));
            assert!(seen(0.0).max_element() < 500.0, "a gap at {degrees}");
            assert_eq!(seen(0.3), Vec3::splat(1e3));
        }
        assert_eq!(treeline.over(Vec3::Z, 0.01, Vec3::ONE), Vec3::ONE);
        assert_eq!(treeline.over(Vec3::splat(f32::NAN), 0.01, Vec3::ONE), Vec3::ONE);
    }
}
