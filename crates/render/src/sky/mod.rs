//! The sky: clear sky models, the sun, clouds, and a prefiltered map for reflections.

mod atmosphere;
mod clear_sky;
mod clouds;
mod dome;
mod environment_map;
mod exr;
pub(crate) mod keys;
mod moonlit;
mod preetham;
mod rgbe;
mod sun;

use glam::Vec3;

pub(crate) use atmosphere::henyey_greenstein;
pub use clear_sky::{ClearSky, SkyKind};
pub use clouds::Clouds;
pub use dome::Dome;
pub use environment_map::{EnvironmentMap, EnvironmentMapError};
pub use sun::SunTime;

/// Angular radius of the sun, in radians.
pub const SUN_RADIUS: f32 = 0.004_65;

/// Default visibility in metres.
pub const VISIBILITY: f32 = 15_000.0;

/// Default visibility for land so many metres wide, all of which should be visible from some distance.
pub fn visibility_over(width: f32) -> f32 {
    (40.0 * width).max(VISIBILITY)
}

/// Settings of the sky. Angles are in degrees, as in a scene file.
#[derive(Debug, Clone, PartialEq)]
pub struct SkySpec {
    /// Model of the clear sky.
    pub kind: SkyKind,
    /// Azimuth of the sun, in degrees from +x towards +y.
    pub sun_azimuth: f32,
    /// Elevation of the sun in degrees.
    pub sun_elevation: f32,
    /// Turbidity of the air: 2 for very clear, 6 for milky.
    pub turbidity: f32,
    /// Cloud cover, 0 to 1.
    pub clouds: f32,
    /// Velocity of the clouds along +x, in m/s.
    pub cloud_drift: f32,
    /// Visibility (meteorological optical range) in metres; `None` for [`VISIBILITY`], or more for a wide land.
    pub visibility: Option<f32>,
    /// Seed of clouds and ripples.
    pub seed: u32,
}

impl Default for SkySpec {
    fn default() -> Self {
        SkySpec {
            kind: SkyKind::default(),
            sun_azimuth: 60.0,
            sun_elevation: 28.0,
            turbidity: 2.1,
            clouds: 0.35,
            cloud_drift: 8.0,
            visibility: None,
            seed: 1,
        }
    }
}

/// The sky at one time. Radiances are in kcd/m², so that a white sheet in full sun is about 35.
#[derive(Debug, Clone)]
pub struct Sky {
    /// Direction towards the sun.
    pub sun: Vec3,
    /// Irradiance of the sun on a surface that faces it.
    pub sunlight: Vec3,
    /// Irradiance of the sky on a level surface, without the sun.
    pub skylight: Vec3,
    air: ClearSky,
    clouds: Clouds,
    dome: Dome,
    extinction: f32,
    ground: Vec3,
}

impl Sky {
    /// The sky at `time` seconds.
    pub fn new(spec: &SkySpec, time: f64) -> Self {
        let sun = sun::towards(spec.sun_azimuth, spec.sun_elevation);
        let air = ClearSky::new(spec.kind, sun, spec.turbidity);
        let clouds = Clouds::new(spec, time, sun, &air);
        let dome = Dome::new(|direction| clouds.over(direction, 0.01, air.radiance(direction)));
        let skylight = dome.irradiance();
        let sunlight = air.sunlight();
        let ground =
            0.14 * Vec3::new(1.0, 0.97, 0.9) * (skylight + sunlight * sun.z.max(0.0)) / std::f32::consts::PI;
        // Koschmieder's law: contrast falls to 2 % at the visibility.
        let extinction = 3.912 / spec.visibility.unwrap_or(VISIBILITY).max(1.0);
        Sky { sun, sunlight, skylight, air, clouds, dome, extinction, ground }
    }

    /// A sky of uniform radiance without a sun, for the white furnace test.
    pub fn uniform(radiance: Vec3) -> Self {
        let spec = SkySpec { clouds: 0.0, ..SkySpec::default() };
        let air = ClearSky::new(SkyKind::default(), Vec3::Z, 2.0);
        Sky {
            sun: Vec3::Z,
            sunlight: Vec3::ZERO,
            skylight: radiance * std::f32::consts::PI,
            clouds: Clouds::new(&spec, 0.0, Vec3::Z, &air),
            air,
            dome: Dome::new(|_| radiance),
            extinction: 0.0,
            ground: radiance,
        }
    }

    /// Radiance in a direction: sky, clouds, the sun's disc; below the horizon, hazy distant ground. `footprint` is
    /// the angle of a pixel in radians.
    pub fn radiance(&self, direction: Vec3, footprint: f32) -> Vec3 {
        if direction.z < 0.0 {
            let depression = (-direction.z * 14.0).min(1.0);
            return self.horizon(direction).lerp(self.ground, depression * (2.0 - depression));
        }
        let air = self.air.radiance(direction)
            + self.air.stars(direction, footprint)
            + self.disc(direction, footprint);
        self.clouds.over(direction, footprint, air)
    }

    /// Radiance without the sun's disc, blurred over `spread` radians, for reflections.
    pub fn blurred_radiance(&self, direction: Vec3, spread: f32) -> Vec3 {
        self.dome.radiance(direction, spread)
    }

    /// Radiance of the horizon in a direction, into which distant things fade.
    pub fn horizon(&self, direction: Vec3) -> Vec3 {
        self.dome.horizon(direction)
    }

    /// `radiance` after `distance` metres of air, with the in-scattered haze.
    pub fn haze(&self, radiance: Vec3, direction: Vec3, distance: f32) -> Vec3 {
        let clear = self.transmittance(distance);
        if clear > 0.998 { radiance } else { self.horizon(direction).lerp(radiance, clear) }
    }

    /// Transmittance of `distance` metres of air.
    pub fn transmittance(&self, distance: f32) -> f32 {
        (-self.extinction * distance).exp()
    }

    /// Irradiance of sun and sky on a surface with this normal, without shadows.
    pub fn irradiance(&self, normal: Vec3) -> Vec3 {
        self.partial_irradiance(normal, 1.0, 1.0)
    }

    /// The same where only fractions of the sun and of the sky are visible.
    pub fn partial_irradiance(&self, normal: Vec3, sun: f32, sky: f32) -> Vec3 {
        let open = 0.5 + 0.5 * normal.z;
        self.sunlight * (normal.dot(self.sun).max(0.0) * sun)
            + (self.skylight * open + self.ground * 3.0 * (1.0 - open)) * sky
    }

    // The disc has a soft edge of one pixel, and is dimmed to what a picture can show.
    fn disc(&self, direction: Vec3, footprint: f32) -> Vec3 {
        let angle = (direction - self.sun).length();
        let rim = (1.6 * SUN_RADIUS - angle) / footprint.max(5e-4) + 0.5;
        self.sunlight * 12.0 * rim.clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clear(elevation: f32) -> Sky {
        Sky::new(&SkySpec { clouds: 0.0, sun_elevation: elevation, ..SkySpec::default() }, 0.0)
    }

    #[test]
    fn daylight_is_blue_above_and_pale_at_the_horizon() {
        let sky = clear(40.0);
        let away = Vec3::new(-sky.sun.x, -sky.sun.y, 0.0).normalize();
        let (zenith, horizon) =
            (sky.radiance(Vec3::Z, 1e-3), sky.radiance((away + Vec3::Z * 0.03).normalize(), 1e-3));
        assert!(zenith.z > 1.5 * zenith.x, "{zenith}");
        assert!(horizon.z / horizon.x < 0.75 * zenith.z / zenith.x, "{horizon}");
        assert!(horizon.y > zenith.y);
    }

    #[test]
    fn a_low_sun_is_red() {
        let (low, high) = (clear(2.0).sunlight, clear(60.0).sunlight);
        assert!(low.x / low.z > 3.0 * high.x / high.z);
    }

    #[test]
    fn daylight_has_plausible_strength() {
        // Clear sky near noon: some 10 to 30 thousand lux from the sky, 70 to 120 from the sun.
        let sky = clear(60.0);
        assert!((8.0..35.0).contains(&sky.skylight.y), "{}", sky.skylight);
        assert!((70.0..120.0).contains(&sky.sunlight.y), "{}", sky.sunlight);
    }

    #[test]
    fn a_uniform_sky_is_uniform_in_every_mirror() {
        let sky = Sky::uniform(Vec3::ONE);
        for spread in [0.0, 0.05, 0.7] {
            for direction in [Vec3::Z, Vec3::new(0.8, 0.0, 0.6), Vec3::X, Vec3::new(0.9, 0.0, -0.43)] {
                assert!((sky.blurred_radiance(direction, spread) - Vec3::ONE).length() < 1e-5);
            }
        }
    }
}
