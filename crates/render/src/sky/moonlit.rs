//! A clear night under a full moon, as a long exposure shows it: the moon stands where the sun would, its light is dim and
//! bluish, the sky is dark blue and has stars.

use glam::{Vec2, Vec3};

use super::clear_sky::NIGHT;
use crate::noise::unit;

/// Irradiance of the full moon at the zenith on a surface that faces it. It is to the light of the sky as by day.
const MOONLIGHT: Vec3 = Vec3::new(3.6, 4.2, 5.2);
/// Optical depth of the air at the zenith.
const AIR: Vec3 = Vec3::new(0.08, 0.14, 0.28);
/// Cells of stars along the side of a face of the cube of directions, and the seed of their places.
const STAR_CELLS: f32 = 80.0;
const STAR_SEED: u32 = 0x57a2;
/// Fraction of the cells that hold a star.
const STARS: f32 = 0.16;
/// Radiance times solid angle of the brightest stars, and the least angular radius of one in radians.
const STAR_FLUX: f32 = 8e-6;
const STAR_RADIUS: f32 = 6e-4;

/// The sky under a moon in some direction.
#[derive(Debug, Clone, Copy)]
pub struct MoonlitSky {
    moon: Vec3,
}

impl MoonlitSky {
    /// The sky under this moon.
    pub fn new(moon: Vec3) -> Self {
        MoonlitSky { moon }
    }

    /// Irradiance of the moon on a surface that faces it.
    pub fn moonlight(&self) -> Vec3 {
        let mass = 1.0 / self.moon.z.max(0.03);
        MOONLIGHT * Vec3::from((AIR * (1.0 - mass)).to_array().map(f32::exp))
    }

    /// Radiance of the sky without moon and stars: paler towards the horizon and around the moon.
    pub fn radiance(&self, direction: Vec3) -> Vec3 {
        let haze = (-5.0 * direction.z.max(0.0)).exp();
        let towards = direction.dot(self.moon).max(0.0);
        let glow = 0.12 * towards.powi(6) + 0.9 * towards.powi(80) + 2.5 * towards.powi(1200);
        let pale = Vec3::new(0.30, 0.38, 0.50);
        (NIGHT * 0.45).lerp(pale * 0.9, 0.7 * haze) + MOONLIGHT * (0.1 * glow)
    }
}

/// Radiance of the stars in a direction for a pixel `footprint` radians wide; none at the horizon.
pub fn stars(direction: Vec3, footprint: f32) -> Vec3 {
    // The face of the cube around the sphere, and the cell on it
    let size = direction.abs();
    let (axis, face) = match size {
        _ if size.z >= size.x && size.z >= size.y => (size.z, Vec2::new(direction.x, direction.y)),
        _ if size.x >= size.y => (size.x, Vec2::new(direction.y, direction.z)),
        _ => (size.y, Vec2::new(direction.x, direction.z)),
    };
    let number = match () {
        () if axis == size.z => 0,
        () if axis == size.x => {
            if direction.x > 0.0 {
                1
            } else {
                2
            }
        }
        () => {
            if direction.y > 0.0 {
                3
            } else {
                4
            }
        }
    };
    let at = face / axis.max(1e-6) * STAR_CELLS;
    let cell = at.floor();
    let [x, y] = [cell.x as i32, cell.y as i32];
    let random = |what: u32| unit(x, y, STAR_SEED.wrapping_add(16 * number + what));
    if random(0) >= STARS {
        return Vec3::ZERO;
    }
    // A soft spot; its flux does not depend on the size of a pixel. Faint stars are the most
    let place = cell + 0.2 + 0.6 * Vec2::new(random(1), random(2));
    let distance = (at - place).length() / STAR_CELLS;
    let radius = STAR_RADIUS.max(0.7 * footprint).min(0.1 / STAR_CELLS);
    let spot = (-(distance / radius).powi(2)).exp() / (std::f32::consts::PI * radius * radius);
    let flux = STAR_FLUX * random(3).powi(5);
    let hue = Vec3::new(1.0, 0.92, 0.85).lerp(Vec3::new(0.8, 0.9, 1.1), random(4));
    hue * (flux * spot * (8.0 * direction.z).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moonlight_is_dim_and_bluish_and_redder_when_low() {
        let light =
            |height: f32| MoonlitSky::new(Vec3::new((1.0 - height * height).sqrt(), 0.0, height)).moonlight();
        let (high, low) = (light(0.9), light(0.1));
        assert!(high.z > high.x && high.max_element() < 6.0, "{high}");
        assert!(low.x / low.z > 1.5 * high.x / high.z && low.length() < high.length(), "{low}");
    }

    #[test]
    fn the_flux_of_stars_does_not_depend_on_the_pixel() {
        let mean = |footprint: f32| {
            let spots = 800;
            let patch = (0..spots * spots).map(|index| {
                let [x, y] = [index % spots, index / spots].map(|i| 0.3 * i as f32 / spots as f32);
                stars(Vec3::new(x, y, 1.0).normalize(), footprint).y
            });
            patch.sum::<f32>() / (spots * spots) as f32
        };
        let (sharp, wide) = (mean(1e-4), mean(1.5e-3));
        assert!(sharp > 0.0 && (sharp / wide - 1.0).abs() < 0.2, "{sharp} {wide}");
        assert_eq!(stars(Vec3::X, 1e-3), Vec3::ZERO);
        assert!(stars(Vec3::ZERO, 0.0).is_finite());
    }
}
