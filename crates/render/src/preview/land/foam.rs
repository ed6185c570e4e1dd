//! Foam on supercritical and converging flow: noise advected by the water.
//!
//! Noise advected by a sheared flow stretches without limit. So two copies are advected with periodic reset, half a period
//! apart, and cross-faded (flow maps).

use std::f32::consts::FRAC_1_PI;

use glam::{Vec2, Vec3};

use super::Land;
use crate::noise::{fractal, smoothstep};
use crate::sky::Sky;

/// Parameters of foam.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Foam {
    /// Amount; 0 for none, 1 for the estimate from the flow.
    pub strength: f32,
    /// Time in seconds.
    pub time: f64,
}

impl Land {
    /// Foam coverage at a point, 0 to 1.
    pub fn foam(&self, foam: Foam, at: Vec2, footprint: f32) -> f32 {
        let Some(water) = self.water.as_ref().filter(|water| !water.foam.is_empty() && foam.strength > 0.0)
        else {
            return 0.0;
        };
        let weights = self.lattice.weights(at);
        let amount = (weights.interpolate(&water.foam) * foam.strength * self.nearness(at)).clamp(0.0, 1.0);
        if amount < 0.02 {
            return 0.0;
        }
        let drift = weights.interpolate(&water.velocities);
        let size = (4.0 * self.lattice.step()).clamp(0.15, 25.0);
        // Reset period: a few noise cells of drift
        let turn = f64::from(3.0 * size / drift.length().max(0.5));
        let stretch = drift.normalize_or_zero() * (0.45 * size);
        let noise = |shift: f64, seed: u32| {
            let phase = (foam.time / turn + shift).rem_euclid(1.0) as f32;
            let moved = at - drift * (phase * turn as f32);
            // Averages along the flow stretch the noise into streaks
            let streak = [-1.5, -0.5, 0.5, 1.5]
                .map(|offset| fractal((moved + stretch * offset) / size, 5, footprint / size, seed));
            (0.25 * streak.iter().sum::<f32>(), 1.0 - (2.0 * phase - 1.0).abs())
        };
        let ((one, one_share), (two, two_share)) = (noise(0.0, 81), noise(0.5, 82));
        let pattern = 0.5 + ((one - 0.5) * one_share + (two - 0.5) * two_share) * 1.5;
        let edge = 0.74 - 0.46 * amount;
        let torn = smoothstep(edge - 0.10, edge + 0.16, pattern);
        amount * (0.25 + 0.65 * torn)
    }

    /// The radiance of foam at a point.
    pub fn foam_light(&self, sky: &Sky, point: Vec3, normal: Vec3) -> Vec3 {
        let (sun, open) = self.daylight(point);
        Vec3::new(0.72, 0.74, 0.75) * sky.partial_irradiance(normal, sun, open) * FRAC_1_PI
    }
}
