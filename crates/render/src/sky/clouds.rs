//! A layer of clouds: fractal noise on a horizontal plane above the camera.
//!
//! The layer has no thickness; its shading compares the density at a point with that a step towards the sun. Far off,
//! where a pixel covers much of the layer, the noise fades to its mean.

use glam::{Vec2, Vec3};

use super::{ClearSky, SkySpec};
use crate::noise::{fractal, smoothstep};

/// Height of the layer above the camera, and the size of its largest features, in metres.
const ALTITUDE: f32 = 1500.0;
const FEATURE: f32 = 1300.0;
/// Sines of the elevations at which clouds have faded into the air before them, and above which they are opaque.
const FADE: [f32; 2] = [0.015, 0.16];

/// The clouds of a sky at one time.
#[derive(Debug, Clone)]
pub struct Clouds {
    cover: f32,
    shift: Vec2,
    sun: Vec3,
    lit: Vec3,
    shaded: Vec3,
    seed: u32,
}

impl Clouds {
    /// The clouds of `spec` at `time`, lit by the sun through a clear sky.
    pub fn new(spec: &SkySpec, time: f64, sun: Vec3, air: &ClearSky) -> Self {
        let above = air.radiance(Vec3::Z);
        let sunlight = air.sunlight();
        Clouds {
            cover: spec.clouds.clamp(0.0, 1.0),
            shift: Vec2::new((f64::from(spec.cloud_drift) * time / f64::from(FEATURE)) as f32, 0.0),
            sun,
            lit: sunlight * 0.20 + above * 0.8,
            shaded: sunlight * 0.055 + above * 1.3,
            seed: spec.seed,
        }
    }

    /// The clouds composited over `behind`, in `direction` for a pixel `footprint` radians wide.
    pub fn over(&self, direction: Vec3, footprint: f32, behind: Vec3) -> Vec3 {
        if self.cover <= 0.0 || direction.z <= FADE[0] {
            return behind;
        }
        let reach = ALTITUDE / (FEATURE * direction.z);
        let at = Vec2::new(direction.x, direction.y) * reach - self.shift;
        let width = footprint * reach / direction.z.sqrt();
        let density = self.density(at, width);
        if density <= 0.0 {
            return behind;
        }
        let towards_sun = Vec2::new(self.sun.x, self.sun.y) * 0.22;
        let shadow = (self.density(at + towards_sun, width) * 0.75 + density * 0.35).min(1.0);
        // Thin cloud scatters forwards: near the sun its edges transmit the glare behind them and are bright
        // themselves.
        let towards = direction.dot(self.sun).max(0.0);
        let rim = (self.lit * (1.4 * towards.powi(12)) + behind * towards.powi(3)) * (1.0 - density);
        let colour = self.lit.lerp(self.shaded, shadow) + rim;
        // Clouds near the horizon fade into the air before them.
        let opacity = density * smoothstep(FADE[0], FADE[1], direction.z);
        behind.lerp(colour, opacity)
    }

    fn density(&self, at: Vec2, width: f32) -> f32 {
        let broad = fractal(at * 0.37, 2, width * 0.37, self.seed ^ 0x51ed);
        let noise = fractal(at, 6, width, self.seed) * 0.72 + broad * 0.28;
        // The noise is nearly Gaussian about ½; this threshold leaves about the fraction `cover` above it.
        let threshold = 0.5 + 0.28 * (0.5 - self.cover) * 2.0_f32.min(1.0 + 4.0 * (self.cover - 0.5).abs());
        0.9 * smoothstep(threshold - 0.05, threshold + 0.22, noise)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sky::SkyKind;

    fn covered(cover: f32) -> f32 {
        let spec = SkySpec { clouds: cover, ..SkySpec::default() };
        let sun = Vec3::new(0.6, 0.0, 0.8);
        let clouds = Clouds::new(&spec, 0.0, sun, &ClearSky::new(SkyKind::default(), sun, 2.5));
        let at = |index: i32| Vec2::new((index % 60) as f32 * 0.61, (index / 60) as f32 * 0.59);
        (0..3600).filter(|&index| clouds.density(at(index), 0.0) > 0.3).count() as f32 / 3600.0
    }

    #[test]
    fn cloud_cover_is_as_set() {
        assert_eq!(covered(0.0).max(0.12), 0.12);
        assert!((0.15..0.55).contains(&covered(0.4)), "{}", covered(0.4));
        assert!(covered(0.95) > 0.85, "{}", covered(0.95));
    }

    #[test]
    fn no_clouds_change_nothing() {
        let spec = SkySpec { clouds: 0.0, ..SkySpec::default() };
        let clouds = Clouds::new(&spec, 9.0, Vec3::Z, &ClearSky::new(SkyKind::default(), Vec3::Z, 2.5));
        assert_eq!(clouds.over(Vec3::Z, 1e-3, Vec3::ONE), Vec3::ONE);
    }
}
