//! Position of the sun by the time of day, and the brightness of twilight.

use glam::{Vec2, Vec3};

/// A latitude and a solar time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SunTime {
    /// Solar time in hours; the sun culminates at 12.
    pub hours: f64,
    /// Latitude in degrees north.
    pub latitude: f64,
    /// Day of the year, from 1.
    pub day: f64,
    /// Azimuth of north, in degrees from +x towards +y.
    pub north: f64,
}

impl SunTime {
    /// Azimuth, from +x towards +y, and elevation of the sun in degrees: the formulae of [preetham1999] (appendix
    /// A.6), as components towards the north, the east and the zenith.
    pub fn sun(&self) -> [f32; 2] {
        use std::f64::consts::{PI, TAU};
        let declination = 0.4093 * (TAU * (self.day - 81.0) / 368.0).sin();
        let latitude = self.latitude.to_radians();
        let hour = PI * (self.hours - 12.0) / 12.0;
        let east = -declination.cos() * hour.sin();
        let north = latitude.cos() * declination.sin() - latitude.sin() * declination.cos() * hour.cos();
        let up = latitude.sin() * declination.sin() + latitude.cos() * declination.cos() * hour.cos();
        // East is 90° clockwise from north.
        let azimuth = self.north + north.atan2(east).to_degrees() - 90.0;
        [azimuth as f32, up.clamp(-1.0, 1.0).asin().to_degrees() as f32]
    }
}

/// Direction towards a sun by its azimuth and elevation in degrees.
pub fn towards(azimuth: f32, elevation: f32) -> Vec3 {
    let (azimuth, elevation) = (azimuth.to_radians(), elevation.to_radians());
    Vec2::from_angle(azimuth).extend(0.0) * elevation.cos() + Vec3::Z * elevation.sin()
}

/// Decimal logarithm of the illuminance on level ground, in lux, as a polynomial of the sun's elevation over 90°: least
/// elevation in degrees, and the coefficients [seidelmann1992].
const TWILIGHT: [(f32, [f32; 4]); 4] = [
    (-0.8, [2.88, 22.26, -207.64, 1034.30]),
    (-5.0, [2.88, 21.81, -258.11, -858.36]),
    (-12.0, [2.70, 12.17, -431.69, -1899.83]),
    (-18.0, [13.84, 262.72, 1447.42, 2797.93]),
];
/// Exponent of the adaptation of an eye or a camera to the dark.
const ADAPTATION: f32 = 0.2;

/// Luminance of the sky relative to sunset for a sun at this elevation in degrees, compressed as by a camera with
/// automatic exposure; 1 while the sun is up.
pub fn twilight(elevation: f32) -> f32 {
    if elevation >= 0.0 {
        return 1.0;
    }
    let height = elevation.max(-18.0);
    let part = TWILIGHT.iter().find(|(from, _)| height >= *from).unwrap_or(&TWILIGHT[3]);
    let [constant, line, square, cube] = part.1;
    let x = height / 90.0;
    let steps = ((cube * x + square) * x + line) * x + constant - TWILIGHT[0].1[0];
    10.0_f32.powf(ADAPTATION * steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sun_is_where_almanacs_have_it() {
        let sun = |hours: f64, latitude: f64, day: f64| SunTime { hours, latitude, day, north: 90.0 }.sun();
        // Noon: 90° − latitude + declination, which is ±23.45° at the solstices and none at the equinox.
        for (latitude, day, wanted) in [(45.0, 173.0, 68.45), (45.0, 81.0, 45.0), (60.0, 355.0, 6.55)] {
            let [azimuth, elevation] = sun(12.0, latitude, day);
            assert!((elevation - wanted).abs() < 0.1, "{latitude}° on day {day}: {elevation}");
            assert!((azimuth + 90.0).abs() < 1e-3, "due south: {azimuth}");
        }
        // At the equinox it rises due east at six and sets due west at eighteen.
        let [rise, set] = [sun(6.0, 45.0, 81.0), sun(18.0, 45.0, 81.0)];
        assert!(rise[0].abs() < 1e-3 && rise[1].abs() < 0.01, "{rise:?}");
        assert!((set[0].abs() - 180.0).abs() < 1e-3 && set[1].abs() < 0.01, "{set:?}");
        assert!(sun(0.0, 45.0, 81.0)[1] < -40.0, "midnight");
    }

    #[test]
    fn north_may_lie_anywhere() {
        let sun = |north: f64| SunTime { hours: 9.0, latitude: 50.0, day: 120.0, north }.sun();
        let turned = (sun(0.0)[0] - sun(90.0)[0]).rem_euclid(360.0);
        assert!((turned - 270.0).abs() < 1e-3 && sun(0.0)[1] == sun(90.0)[1], "{turned}");
    }

    #[test]
    fn twilight_falls_evenly_and_never_to_nothing() {
        let mut before = 1.01;
        for step in 0..=900 {
            let light = twilight(-0.1 * step as f32);
            assert!(light <= before + 0.01 && light > 0.02, "{}°: {light}", -0.1 * step as f32);
            before = light;
        }
        assert_eq!(twilight(10.0), 1.0);
    }
}
