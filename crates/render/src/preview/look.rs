//! Optical properties of water: absorption and backscattering coefficients.

use glam::Vec3;

/// Absorption and backscattering per metre, for red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WaterLook {
    /// Absorption coefficient a.
    pub absorption: Vec3,
    /// Backscattering coefficient b; b / (a + b) is the colour of deep water.
    pub scattering: Vec3,
}

/// The named waters: name, one line of help, look. Those from `pure` on are measured, at the wavelengths that stand for
/// red, green and blue in the sky (650, 550 and 455 nm): pure water by its absorption [pope1997] and half its scattering
/// [morel1974], the part that goes back; natural waters by the attenuation of daylight in Jerlov's types I, 3C and 9C
/// [jerlov1976], of which what is scattered back is an estimate.
pub static LOOKS: &[(&str, &str, WaterLook)] = &[
    (
        "clear-lake",
        "a clean mountain lake: green-blue depths, the bed visible for metres",
        WaterLook { absorption: Vec3::new(0.42, 0.115, 0.10), scattering: Vec3::new(0.003, 0.0095, 0.0105) },
    ),
    (
        "tropical",
        "turquoise over sand",
        WaterLook {
            absorption: Vec3::new(0.36, 0.062, 0.040),
            scattering: Vec3::new(0.0016, 0.0065, 0.0075),
        },
    ),
    (
        "storm-sea",
        "a dark, cold, open sea",
        WaterLook { absorption: Vec3::new(0.55, 0.21, 0.17), scattering: Vec3::new(0.005, 0.0145, 0.0175) },
    ),
    (
        "muddy-river",
        "brown with silt",
        WaterLook { absorption: Vec3::new(0.9, 1.3, 2.6), scattering: Vec3::new(0.34, 0.30, 0.22) },
    ),
    (
        "pool",
        "clean water with the blue of a pool, for tanks of a metre or two",
        WaterLook { absorption: Vec3::new(1.25, 0.34, 0.13), scattering: Vec3::new(0.006, 0.030, 0.050) },
    ),
    (
        "honey",
        "amber and cloudy, for a jar or a glass",
        WaterLook { absorption: Vec3::new(2.0, 26.0, 190.0), scattering: Vec3::new(17.0, 12.0, 5.0) },
    ),
    (
        "milk",
        "white and opaque, for a glass",
        WaterLook { absorption: Vec3::new(0.5, 1.2, 4.0), scattering: Vec3::splat(400.0) },
    ),
    (
        "coffee",
        "black coffee: a thin layer is amber, a cup nearly black",
        WaterLook { absorption: Vec3::new(80.0, 200.0, 480.0), scattering: Vec3::new(9.0, 8.0, 7.0) },
    ),
    (
        "soup",
        "a creamy soup of carrots or pumpkin, orange and opaque",
        WaterLook { absorption: Vec3::new(6.0, 130.0, 1000.0), scattering: Vec3::splat(700.0) },
    ),
    (
        "pure",
        "water and nothing else, as measured: blue from a few metres on",
        WaterLook {
            absorption: Vec3::new(0.340, 0.0565, 0.0096),
            scattering: Vec3::new(0.0005, 0.0010, 0.0022),
        },
    ),
    (
        "ocean",
        "the clearest ocean, as measured: Jerlov's type I",
        WaterLook {
            absorption: Vec3::new(0.3593, 0.0617, 0.0162),
            scattering: Vec3::new(0.0007, 0.0013, 0.0026),
        },
    ),
    (
        "coastal",
        "green water of a coast, as measured: Jerlov's type 3C",
        WaterLook { absorption: Vec3::new(0.449, 0.178, 0.358), scattering: Vec3::new(0.011, 0.012, 0.012) },
    ),
    (
        "turbid",
        "a turbid harbour, as measured: Jerlov's type 9C",
        WaterLook { absorption: Vec3::new(0.70, 0.57, 1.47), scattering: Vec3::new(0.060, 0.060, 0.056) },
    ),
];

impl WaterLook {
    /// The water of this name.
    ///
    /// ```
    /// let lake = undine_render::preview::WaterLook::named("clear-lake").unwrap();
    /// assert!(lake.absorption.x > lake.absorption.z, "water takes red first");
    /// ```
    pub fn named(name: &str) -> Option<WaterLook> {
        LOOKS.iter().find(|(known, ..)| *known == name).map(|(.., look)| *look)
    }

    /// The default water of a tank.
    pub fn in_tank() -> WaterLook {
        WaterLook::named("pool").unwrap_or_default()
    }

    /// Extinction coefficient a + b.
    pub fn extinction(&self) -> Vec3 {
        self.absorption + self.scattering
    }

    /// Albedo of infinitely deep water, b / (a + b).
    pub fn deep_albedo(&self) -> Vec3 {
        self.scattering / self.extinction().max(Vec3::splat(1e-6))
    }
}

impl Default for WaterLook {
    fn default() -> Self {
        LOOKS[0].2
    }
}
