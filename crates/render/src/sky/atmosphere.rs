//! Analytic daylight: scattering in a plane-parallel atmosphere.
//!
//! The air is a slab with the optical depths of Rayleigh scattering and of aerosols. Single scattering along a ray
//! through it has a closed form; multiple scattering is added as an isotropic term that saturates with optical depth.
//! The curvature of the Earth enters only through the air mass near the horizon [rozenberg1966], aerosols through the
//! turbidity [preetham1999]. Ozone and the shadow of the Earth are not modelled.

use std::f32::consts::PI;

use glam::Vec3;

/// Wavelengths of red, green and blue, in micrometres.
const WAVELENGTHS: Vec3 = Vec3::new(0.650, 0.550, 0.455);

/// Solar irradiance above the atmosphere, in klx; tinted so that the noon sun on the ground is white.
pub const SOLAR: Vec3 = Vec3::new(112.0, 128.0, 152.0);

/// Single-scattering albedo of aerosols.
const AEROSOL_ALBEDO: f32 = 0.92;

/// A clear atmosphere lit by the sun.
#[derive(Debug, Clone)]
pub struct Atmosphere {
    sun: Vec3,
    rayleigh: Vec3,
    aerosol: Vec3,
    sun_air_mass: f32,
    transmitted: Vec3,
    multiple_scattering: Vec3,
    /// Fraction of the aureole, the bright ring around the sun, that is visible.
    aureole: f32,
}

impl Atmosphere {
    /// The atmosphere of this turbidity under a sun above the horizon in direction `sun`.
    pub fn new(sun: Vec3, turbidity: f32) -> Self {
        let (rayleigh, aerosol) = (rayleigh_depth(), aerosol_depth(turbidity));
        let sun_air_mass = air_mass(sun.z);
        let transmitted = SOLAR * exp(-(rayleigh + aerosol) * sun_air_mass);
        // Multiple scattering: most of what the direct beam loses, and a little reflected by the ground.
        let lost = SOLAR * sun.z.max(0.03) - transmitted * sun.z.max(0.0);
        // It has been attenuated along a good part of the sun's path, and has lost its blue there.
        let lost =
            lost * exp(-(rayleigh + aerosol) * (0.2 * sun_air_mass + 0.02 * sun_air_mass * sun_air_mass));
        let multiple_scattering = (0.9 * lost + 0.05 * transmitted * sun.z.max(0.0)) / PI;
        Atmosphere { sun, rayleigh, aerosol, sun_air_mass, transmitted, multiple_scattering, aureole: 1.0 }
    }

    /// The same with only a fraction of the aureole.
    pub fn with_aureole(self, aureole: f32) -> Self {
        Atmosphere { aureole, ..self }
    }

    /// Irradiance of the sun on a surface that faces it.
    pub fn sunlight(&self) -> Vec3 {
        self.transmitted
    }

    /// Radiance of the atmosphere in a direction, without the sun's disc; below the horizon that of the horizon.
    pub fn radiance(&self, direction: Vec3) -> Vec3 {
        let view_air_mass = air_mass(direction.z);
        let depth = self.rayleigh + self.aerosol;
        let cosine = direction.dot(self.sun).clamp(-1.0, 1.0);
        let aerosol_phase =
            0.96 * henyey_greenstein(cosine, 0.72) + 0.04 * self.aureole * henyey_greenstein(cosine, 0.975);
        let rayleigh_phase = 0.75 * (1.0 + cosine * cosine);
        let scattering = self.rayleigh * rayleigh_phase + self.aerosol * (AEROSOL_ALBEDO * aerosol_phase);
        let single_scattering =
            SOLAR * scattering / depth * self.attenuation_integral(view_air_mass) / (4.0 * PI);
        single_scattering + self.multiple_scattering * (Vec3::ONE - exp(-depth * view_air_mass))
    }

    // ∫ of both attenuations along the view path: m (e^(−τ s) − e^(−τ m)) / (m − s), for air mass m of the view and s
    // of the sun.
    fn attenuation_integral(&self, view_air_mass: f32) -> Vec3 {
        let depth = self.rayleigh + self.aerosol;
        let gap = view_air_mass - self.sun_air_mass;
        if gap.abs() < 1e-3 {
            return depth * view_air_mass * exp(-depth * view_air_mass);
        }
        (exp(-depth * self.sun_air_mass) - exp(-depth * view_air_mass)) * (view_air_mass / gap)
    }
}

/// Vertical optical depth of Rayleigh scattering, per colour [preetham1999].
pub fn rayleigh_depth() -> Vec3 {
    0.008_735 * WAVELENGTHS.map(|wavelength| wavelength.powf(-4.08))
}

/// Vertical optical depth of aerosols, by turbidity [preetham1999].
pub fn aerosol_depth(turbidity: f32) -> Vec3 {
    (0.046_08 * turbidity - 0.045_86).max(0.0) * WAVELENGTHS.map(|wavelength| wavelength.powf(-1.3))
}

/// Relative air mass by the sine of the elevation.
fn air_mass(sine: f32) -> f32 {
    let sine = sine.max(0.0);
    1.0 / (sine + 0.025 * (-11.0 * sine).exp())
}

/// Phase function of [henyey1941], normalised to a mean of 1; `forward` is the asymmetry g.
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
        let (near, at) =
            (air.attenuation_integral(air.sun_air_mass + 2e-3), air.attenuation_integral(air.sun_air_mass));
        assert!((near - at).length() < 1e-3);
    }
}
