//! The sky: daylight, the sun, clouds, and a dome of it all for reflections.

mod atmosphere;
mod clear_sky;
mod clouds;
mod dome;
mod environment_map;
mod exr;
pub(crate) mod keys;
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

/// Angle from the middle of the sun to its rim, in radians.
pub const SUN_RADIUS: f32 = 0.004_65;

/// Distance in metres at which things are usually lost in haze.
pub const VISIBILITY: f32 = 15_000.0;

/// How far one sees where nobody says, before land so many metres wide: it is seen from some way off, and all of it.
pub fn visibility_over(width: f32) -> f32 {
    (40.0 * width).max(VISIBILITY)
}

/// What the sky of a picture looks like. Angles are in degrees, as they are in a scene file.
#[derive(Debug, Clone, PartialEq)]
pub struct SkySpec {
    /// How the light of the clear sky is found.
    pub kind: SkyKind,
    /// Where the sun stands, in degrees from +x towards +y.
    pub sun_azimuth: f32,
    /// Height of the sun above the horizon in degrees.
    pub sun_elevation: f32,
    /// How hazy the air is: 2 for very clear, 6 for milky.
    pub turbidity: f32,
    /// Share of the sky that clouds cover, 0 to 1.
    pub clouds: f32,
    /// Speed at which the clouds drift, in metres per second along +x.
    pub cloud_drift: f32,
    /// Distance in metres at which things are lost in haze; `None` for [`VISIBILITY`], or more for a wide land.
    pub visibility: Option<f32>,
    /// Which clouds and ripples there are, out of many.
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

/// A sky at one moment, ready to be looked at. Radiances are in thousands of candela per square metre, so that a white
/// sheet in full sun is about 35.
#[derive(Debug, Clone)]
pub struct Sky {
    /// Direction towards the sun.
    pub sun: Vec3,
    /// Light of the sun on a surface that faces it.
    pub sunlight: Vec3,
    /// Light of the whole sky on a level surface, without the sun.
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
        // Contrast falls to a fiftieth at the visibility (Koschmieder's law).
        let extinction = 3.912 / spec.visibility.unwrap_or(VISIBILITY).max(1.0);
        Sky { sun, sunlight, skylight, air, clouds, dome, extinction, ground }
    }

    /// A sky of the same radiance everywhere and no sun: for measuring what a surface does to light.
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

    /// What an eye sees in a direction: air, clouds, the sun's disc; below the horizon, hazy distant ground.
    /// `footprint` is the angle of a pixel in radians.
    pub fn radiance(&self, direction: Vec3, footprint: f32) -> Vec3 {
        if direction.z < 0.0 {
            let depression = (-direction.z * 14.0).min(1.0);
            return self.horizon(direction).lerp(self.ground, depression * (2.0 - depression));
        }
        let air = self.air.radiance(direction) + self.disc(direction, footprint);
        self.clouds.over(direction, footprint, air)
    }

    /// What a slightly rough mirror sees: the sky without the sun's disc, blurred over `spread` radians.
    pub fn blurred_radiance(&self, direction: Vec3, spread: f32) -> Vec3 {
        self.dome.radiance(direction, spread)
    }

    /// The colour that everything takes on far away in this direction.
    pub fn horizon(&self, direction: Vec3) -> Vec3 {
        self.dome.horizon(direction)
    }

    /// What is left of `radiance` after `distance` metres of air, and the haze added on the way.
    pub fn haze(&self, radiance: Vec3, direction: Vec3, distance: f32) -> Vec3 {
        let clear = self.transmittance(distance);
        if clear > 0.998 { radiance } else { self.horizon(direction).lerp(radiance, clear) }
    }

    /// Share of the light that `distance` metres of air let through.
    pub fn transmittance(&self, distance: f32) -> f32 {
        (-self.extinction * distance).exp()
    }

    /// The light on a surface with this normal: sun and sky, without shadows.
    pub fn irradiance(&self, normal: Vec3) -> Vec3 {
        self.partial_irradiance(normal, 1.0, 1.0)
    }

    /// The same where only a share of the sun and a share of the sky are seen.
    pub fn partial_irradiance(&self, normal: Vec3, sun: f32, sky: f32) -> Vec3 {
        let open = 0.5 + 0.5 * normal.z;
        self.sunlight * (normal.dot(self.sun).max(0.0) * sun)
            + (self.skylight * open + self.ground * 3.0 * (1.0 - open)) * sky
    }

    // The disc is drawn with a rim one pixel soft. It is dimmer than the real one, which no picture could hold.
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
