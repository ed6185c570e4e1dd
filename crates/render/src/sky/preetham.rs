//! The analytic sky model of Preetham, Shirley and Smits, fitted to a simulated atmosphere [preetham1999].
//!
//! Luminance Y and chromaticity x, y of the sky are those of the zenith times a ratio of Perez' function [perez1993]
//!
//! ```text
//! F(θ, γ) = (1 + A e^(B / cos θ)) (1 + C e^(D γ) + E cos² γ)
//! ```
//!
//! where θ is the angle from the zenith and γ that from the sun; A to E and the zenith depend on the turbidity and on
//! the sun's position. The fit holds for suns above the horizon and turbidities from 2 to 10. Ozone, water vapour and
//! mixed gases, which the paper's sunlight also passes, are left out: they change its colour little.

use glam::{Mat3, Vec2, Vec3};

use super::atmosphere::{SOLAR, aerosol_depth, rayleigh_depth};

/// The fitted sky.
#[derive(Debug, Clone)]
pub struct Preetham {
    sun: Vec3,
    /// Perez' A to E for Y, x and y.
    shape: [[f32; 5]; 3],
    /// Y, x and y of the zenith, each over F(0, θ) of the sun.
    zenith: Vec3,
    transmitted: Vec3,
}

/// Perez' coefficients for Y, x and y as lines over the turbidity: slope and value at zero (appendix A.2).
const SHAPE: [[[f32; 2]; 5]; 3] = [
    [[0.1787, -1.4630], [-0.3554, 0.4275], [-0.0227, 5.3251], [0.1206, -2.5771], [-0.0670, 0.3703]],
    [[-0.0193, -0.2592], [-0.0665, 0.0008], [-0.0004, 0.2125], [-0.0641, -0.8989], [-0.0033, 0.0452]],
    [[-0.0167, -0.2608], [-0.0950, 0.0092], [-0.0079, 0.2102], [-0.0441, -1.6537], [-0.0109, 0.0529]],
];

/// The zenith's x and y: rows for T², T and 1, columns for θ³, θ², θ and 1 of the sun (appendix A.2).
const CHROMATICITY: [[[f32; 4]; 3]; 2] = [
    [
        [0.00166, -0.00375, 0.00209, 0.0],
        [-0.02903, 0.06377, -0.03202, 0.00394],
        [0.11693, -0.21196, 0.06052, 0.25886],
    ],
    [
        [0.00275, -0.00610, 0.00317, 0.0],
        [-0.04214, 0.08970, -0.04153, 0.00516],
        [0.15346, -0.26756, 0.06670, 0.26688],
    ],
];

/// From CIE XYZ to linear light with the primaries of sRGB, column by column [iec1999].
const TO_RGB: Mat3 = Mat3::from_cols(
    Vec3::new(3.2406, -0.9689, 0.0557),
    Vec3::new(-1.5372, 1.8758, -0.2040),
    Vec3::new(-0.4986, 0.0415, 1.0570),
);

impl Preetham {
    /// The sky of this turbidity under a sun above the horizon in direction `sun`.
    pub fn new(sun: Vec3, turbidity: f32) -> Self {
        let t = turbidity.clamp(2.0, 10.0);
        let angle = sun.z.clamp(0.0, 1.0).acos();
        let shape = SHAPE.map(|lines| lines.map(|[slope, start]| slope * t + start));
        let chi = (4.0 / 9.0 - t / 120.0) * (std::f32::consts::PI - 2.0 * angle);
        let luminance = (4.0453 * t - 4.9710) * chi.tan() - 0.2155 * t + 2.4192;
        let [x, y] = CHROMATICITY.map(|rows| {
            let powers = [t * t, t, 1.0];
            let cubic = |[cube, square, line, constant]: [f32; 4]| {
                ((cube * angle + square) * angle + line) * angle + constant
            };
            rows.iter().zip(powers).map(|(row, power)| cubic(*row) * power).sum::<f32>()
        });
        let above = shape.map(|coefficients| perez(&coefficients, 1.0, angle));
        let depth = rayleigh_depth() + aerosol_depth(t);
        let transmitted = SOLAR * (-depth * optical_mass(angle)).map(f32::exp);
        Preetham { sun, shape, zenith: Vec3::new(luminance.max(0.0), x, y) / Vec3::from(above), transmitted }
    }

    /// Irradiance of the sun on a surface that faces it.
    pub fn sunlight(&self) -> Vec3 {
        self.transmitted
    }

    /// Radiance of the sky in a direction, without the sun's disc; below the horizon that of the horizon.
    pub fn radiance(&self, direction: Vec3) -> Vec3 {
        let gamma = direction.dot(self.sun).clamp(-1.0, 1.0).acos();
        let cosine = direction.z.max(0.01);
        let ratio = Vec3::from([0, 1, 2].map(|number| perez(&self.shape[number], cosine, gamma)));
        let seen = self.zenith * ratio;
        rgb(seen.x, Vec2::new(seen.y, seen.z))
    }
}

// Perez' function, by the cosine of the angle from the zenith and the angle from the sun.
fn perez([a, b, c, d, e]: &[f32; 5], cosine: f32, gamma: f32) -> f32 {
    let near = gamma.cos();
    (1.0 + a * (b / cosine).exp()) * (1.0 + c * (d * gamma).exp() + e * near * near)
}

// Linear RGB of a luminance and a chromaticity, clipped to the gamut.
fn rgb(luminance: f32, at: Vec2) -> Vec3 {
    let y = at.y.max(1e-3);
    let colour = TO_RGB * Vec3::new(at.x / y, 1.0, (1.0 - at.x - at.y) / y);
    colour.max(Vec3::ZERO) * luminance.max(0.0)
}

// Relative air mass by the angle from the zenith (appendix A.1).
fn optical_mass(angle: f32) -> f32 {
    let degrees = angle.to_degrees();
    1.0 / (angle.cos().max(0.0) + 0.15 * (93.885 - degrees).max(1e-3).powf(-1.253))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(elevation: f32) -> Vec3 {
        let angle = elevation.to_radians();
        Vec3::new(angle.cos(), 0.0, angle.sin())
    }

    #[test]
    fn the_zenith_is_as_bright_as_the_paper_says() {
        // Its own formula for a sun 60° high in air of turbidity 3: χ = 0.41944 · 2.0944, Yz = 7.1649 tan χ + 1.7727.
        let sky = Preetham::new(at(60.0), 3.0);
        let light = sky.radiance(Vec3::Z);
        let luminance = light.dot(Vec3::new(0.2126, 0.7152, 0.0722));
        let wanted = 7.1649 * (0.419_444 * 2.094_395_f32).tan() + 1.7727;
        assert!((luminance / wanted - 1.0).abs() < 5e-3, "{luminance} {wanted}");
        assert!(light.z > 1.5 * light.x, "{light}");
    }

    #[test]
    fn every_sky_is_sound() {
        for elevation in [0.0, 1.0, 20.0, 90.0] {
            for turbidity in [0.0, 2.0, 5.0, 10.0, 50.0] {
                let sky = Preetham::new(at(elevation), turbidity);
                assert!(sky.sunlight().is_finite() && sky.sunlight().min_element() > 0.0);
                for step in 0..=40 {
                    let light = sky.radiance(at(step as f32 * 4.5));
                    assert!(
                        light.is_finite() && light.min_element() >= 0.0,
                        "{elevation} {turbidity} {light}"
                    );
                    assert!(light.y > 0.01, "{elevation} {turbidity} {step}: {light}");
                }
            }
        }
    }

    #[test]
    fn the_sky_is_brightest_by_the_sun_and_the_sun_red_by_the_horizon() {
        let sky = Preetham::new(at(30.0), 2.5);
        assert!(sky.radiance(at(30.0)).y > 4.0 * sky.radiance(at(110.0)).y);
        let (low, high) = (Preetham::new(at(2.0), 2.5).sunlight(), Preetham::new(at(60.0), 2.5).sunlight());
        assert!(low.x / low.z > 3.0 * high.x / high.z);
    }
}
