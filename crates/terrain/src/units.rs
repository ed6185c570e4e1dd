//! Units of length and angle in height files, and how long a degree is.

use std::f64::consts::PI;

/// Metres to an international foot.
const FOOT: f64 = 0.3048;
/// Metres to a foot of the United States' survey.
const SURVEY_FOOT: f64 = 1200.0 / 3937.0;

/// Horizontal unit of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Unit {
    /// This number of metres.
    Length(f64),
    /// This number of degrees of longitude and latitude.
    Angle(f64),
}

impl Unit {
    /// Metres.
    pub const METRE: Unit = Unit::Length(1.0);
    /// International feet.
    pub const FOOT: Unit = Unit::Length(FOOT);
    /// Feet of the United States' survey.
    pub const SURVEY_FOOT: Unit = Unit::Length(SURVEY_FOOT);
    /// Degrees.
    pub const DEGREE: Unit = Unit::Angle(1.0);

    /// The linear or angular unit with this number in the EPSG registry, as GeoTIFF keys name it [ogc2019].
    pub(crate) fn from_epsg(code: u16) -> Option<Unit> {
        match code {
            9001 => Some(Unit::METRE),
            9002 => Some(Unit::FOOT),
            9003 => Some(Unit::SURVEY_FOOT),
            9036 => Some(Unit::Length(1000.0)),
            9101 => Some(Unit::Angle(180.0 / PI)),
            9102 => Some(Unit::DEGREE),
            9103 => Some(Unit::Angle(1.0 / 60.0)),
            9104 => Some(Unit::Angle(1.0 / 3600.0)),
            9105 => Some(Unit::Angle(0.9)),
            _ => None,
        }
    }
}

/// Metres to a degree of longitude and of latitude at a latitude in degrees, on the WGS 84 spheroid [snyder1987].
///
/// ```
/// let [east, north] = undine_terrain::metres_per_degree(0.0);
/// assert!((east - 111_319.5).abs() < 0.1 && (north - 110_574.3).abs() < 0.1);
/// ```
pub fn metres_per_degree(latitude: f64) -> [f64; 2] {
    const EQUATORIAL_RADIUS: f64 = 6_378_137.0;
    const FLATTENING: f64 = 1.0 / 298.257_223_563;
    let eccentricity_squared = FLATTENING * (2.0 - FLATTENING);
    let (sin, cos) = latitude.to_radians().sin_cos();
    let w = (1.0 - eccentricity_squared * sin * sin).sqrt();
    let across = EQUATORIAL_RADIUS / w;
    let along = across * (1.0 - eccentricity_squared) / (w * w);
    [across * cos * PI / 180.0, along * PI / 180.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_shrink_towards_the_pole() {
        // Table of Snyder's manual: at 45° a degree is 78 847 m of longitude and 111 132 m of latitude.
        let [east, north] = metres_per_degree(45.0);
        assert!((east - 78_846.8).abs() < 0.1, "{east}");
        assert!((north - 111_131.7).abs() < 0.1, "{north}");
        assert!(metres_per_degree(90.0)[0].abs() < 1e-6);
    }

    #[test]
    fn epsg_numbers_are_known() {
        assert_eq!(Unit::from_epsg(9001), Some(Unit::METRE));
        assert_eq!(Unit::from_epsg(9003), Some(Unit::Length(1200.0 / 3937.0)));
        assert_eq!(Unit::from_epsg(9102), Some(Unit::DEGREE));
        assert_eq!(Unit::from_epsg(1), None);
    }
}
