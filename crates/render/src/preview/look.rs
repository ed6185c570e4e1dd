//! What water is like inside: how fast each colour fades in it and what it scatters back.

use glam::Vec3;

/// The inner look of a water. Coefficients are per metre, for red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WaterLook {
    /// Light absorbed per metre.
    pub absorption: Vec3,
    /// Light scattered back per metre; its hue against the absorption is the colour of deep water.
    pub scattering: Vec3,
}

/// The named waters: name, one line of help, look.
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
        "honey",
        "amber and cloudy, for a jar or a glass",
        WaterLook { absorption: Vec3::new(2.0, 14.0, 90.0), scattering: Vec3::new(16.0, 14.0, 7.0) },
    ),
    (
        "milk",
        "white and opaque, for a glass",
        WaterLook { absorption: Vec3::new(0.5, 1.2, 4.0), scattering: Vec3::splat(400.0) },
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

    /// Light lost per metre, by either way.
    pub fn extinction(&self) -> Vec3 {
        self.absorption + self.scattering
    }

    /// Share of light that endless depth sends back.
    pub fn deep_albedo(&self) -> Vec3 {
        self.scattering / self.extinction().max(Vec3::splat(1e-6))
    }
}

impl Default for WaterLook {
    fn default() -> Self {
        LOOKS[0].2
    }
}
