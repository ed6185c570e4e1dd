//! Daylight from the scattering of sunlight in clear and hazy air.
//!
//! The air is a flat slab with the optical depth of molecules and of haze. Light scattered once has a closed form
//! along a ray through such a slab; what is scattered more often is added as an even glow that fills thick paths.
//! The curve of the Earth enters only through the air mass near the horizon [rozenberg1966], the haze through its
//! turbidity [preetham1999]. Ozone and the shadow of the Earth are not modelled.

use std::f32::consts::PI;

use glam::Vec3;

/// Wavelengths, in micrometres, that stand for red, green and blue.
const WAVELENGTHS: Vec3 = Vec3::new(0.650, 0.550, 0.455);

/// Sunlight above the air, in thousands of lux; tinted so that the noon sun on the ground is white.
pub const SOLAR: Vec3 = Vec3::new(112.0, 128.0, 152.0);

/// Share of the light that haze scatters rather than absorbs.
const HAZE_ALBEDO: f32 = 0.92;

/// Clear air lit by the sun.
#[derive(Debug, Clone)]
pub struct Atmosphere {
    sun: Vec3,
    molecules: Vec3,
    haze: Vec3,
    sun_path: f32,
    transmitted: Vec3,
    glow: Vec3,
    /// Share of the bright ring around the sun that is seen.
    aureole: f32,
}

impl Atmosphere {
    /// Air of this turbidity under a sun above the horizon in direction `sun`.
    pub fn new(sun: Vec3, turbidity: f32) -> Self {
        let (molecules, haze) = (rayleigh_depth(), aerosol_depth(turbidity));
        let sun_path = air_mass(sun.z);
        let transmitted = SOLAR * exp(-(molecules + haze) * sun_path);
        // Most of the light that the direct beam loses goes on as a glow, to which the ground adds a little.
        let lost = SOLAR * sun.z.max(0.03) - transmitted * sun.z.max(0.0);
        // What is scattered again has gone a good part of the sun's path, and has lost its blue there.
        let lost = lost * exp(-(molecules + haze) * (0.2 * sun_path + 0.02 * sun_path * sun_path));
        let glow = (0.9 * lost + 0.05 * transmitted * sun.z.max(0.0)) / PI;
        Atmosphere { sun, molecules, haze, sun_path, transmitted, glow, aureole: 1.0 }
    }

    /// The same with only a share of the bright ring around the sun.
    pub fn with_aureole(self, aureole: f32) -> Self {
        Atmosphere { aureole, ..self }
    }

    /// Light of the sun on a surface that faces it.
    pub fn sunlight(&self) -> Vec3 {
        self.transmitted
    }

    /// Radiance of the air in a direction, without the sun's disc; below the horizon that of the horizon.
    pub fn radiance(&self, direction: Vec3) -> Vec3 {
        let path = air_mass(direction.z);
        let depth = self.molecules + self.haze;
        let cosine = direction.dot(self.sun).clamp(-1.0, 1.0);
        let haze_phase =
            0.96 * henyey_greenstein(cosine, 0.72) + 0.04 * self.aureole * henyey_greenstein(cosine, 0.975);
        let molecule_phase = 0.75 * (1.0 + cosine * cosine);
        let scattering = self.molecules * molecule_phase + self.haze * (HAZE_ALBEDO * haze_phase);
        let once = SOLAR * scattering / depth * self.slab(path) / (4.0 * PI);
        once + self.glow * (Vec3::ONE - exp(-depth * path))
    }

    // The integral of both attenuations along the view path: m (e^(-τ s) − e^(-τ m)) / (m − s), for view path m and
    // sun path s.
    fn slab(&self, path: f32) -> Vec3 {
        let depth = self.molecules + self.haze;
        let gap = path - self.sun_path;
        if gap.abs() < 1e-3 {
            return depth * path * exp(-depth * path);
        }
        (exp(-depth * self.sun_path) - exp(-depth * path)) * (path / gap)
    }
}

/// Optical depth of all molecules straight up, for red, green and blue [preetham1999].
pub fn rayleigh_depth() -> Vec3 {
    0.008_735 * WAVELENGTHS.map(|wavelength| wavelength.powf(-4.08))
}

/// Optical depth of the haze straight up, by its turbidity [preetham1999].
pub fn aerosol_depth(turbidity: f32) -> Vec3 {
    (0.046_08 * turbidity - 0.045_86).max(0.0) * WAVELENGTHS.map(|wavelength| wavelength.powf(-1.3))
}

/// Air passed by a ray, as a multiple of that straight up, by the sine of its elevation.
fn air_mass(sine: f32) -> f32 {
    let sine = sine.max(0.0);
    1.0 / (sine + 0.025 * (-11.0 * sine).exp())
}

/// The phase function of Henyey and Greenstein, one on average [henyey1941].
pub fn henyey_greenstein(cosine: f32, forward: f32) -> f32 {
    let base = 1.0 + forward * forward - 2.0 * forward * cosine;
    (1.0 - forward * forward) / (base * base.sqrt())
}

fn exp(exponent: Vec3) -> Vec3 {
    exponent.map(f32::exp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn air_mass_is_one_above_and_about_forty_along_the_ground() {
        assert!((air_mass(1.0) - 1.0).abs() < 1e-5);
        assert!((air_mass(0.5) - 2.0).abs() < 0.01);
        assert!((air_mass(0.0) - 40.0).abs() < 1e-3);
    }

    #[test]
    fn phase_functions_are_one_on_average() {
        let steps = 20_000;
        let mean = |forward: f32| {
            let cosine = |step: i32| (step as f32 + 0.5) / steps as f32 * 2.0 - 1.0;
            (0..steps).map(|step| f64::from(henyey_greenstein(cosine(step), forward))).sum::<f64>()
                / f64::from(steps)
        };
        assert!((mean(0.0) - 1.0).abs() < 1e-6);
        assert!((mean(0.72) - 1.0).abs() < 1e-3);
    }

    #[test]
    fn the_slab_is_continuous_where_both_paths_are_equal() {
        let air = Atmosphere::new(Vec3::new(0.8, 0.0, 0.6), 3.0);
        let (near, at) = (air.slab(air.sun_path + 2e-3), air.slab(air.sun_path));
        assert!((near - at).length() < 1e-3);
    }
}
