//! Cube-map shading of water by the formulae of [li2007] §2.2.4, in display-encoded colours.
//!
//! With N the normal, I the direction to the camera and β the angle between them:
//!
//! - R = 2 N (N·I) − I is looked up in the cube map: C_sky;
//! - Fresnel = 1 − cos β;
//! - C_diffuse = (Fresnel C_sky S_sky + (1 − Fresnel) C_underwater S_underwater) max(N·I, 0);
//! - C_specular = C_waterhighcolor (C_skygreen)⁸ max(N·I, 0) S_specular, the eighth power being the gloss map;
//! - C_ambient = C_sky S_ambient;
//! - C_water = C_diffuse + C_specular + C_ambient.
//!
//! The paper calls C_underwater green and the highlight white, and gives no values of the coefficients. The defaults make
//! grazing reflections as bright as the sky, which max(N·I, 0) would otherwise darken.

use glam::Vec3;

use super::cube_map::CubeMap;
use crate::colour::encode;

/// The coefficients of the formulae.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CubeMapShading {
    /// S_sky.
    pub sky: f32,
    /// S_underwater.
    pub underwater: f32,
    /// S_specular.
    pub specular: f32,
    /// S_ambient.
    pub ambient: f32,
    /// C_underwater, in linear light.
    pub underwater_colour: Vec3,
    /// C_waterhighcolor, in linear light.
    pub highlight: Vec3,
}

impl Default for CubeMapShading {
    fn default() -> Self {
        CubeMapShading {
            sky: 1.4,
            underwater: 1.0,
            specular: 0.8,
            ambient: 0.5,
            underwater_colour: Vec3::new(0.0015, 0.1065, 0.089),
            highlight: Vec3::ONE,
        }
    }
}

impl CubeMapShading {
    /// The same with sRGB-encoded colours, as the formulae need them.
    pub fn on_screen(&self) -> CubeMapShading {
        let shown = |colour: Vec3| colour.map(|channel| encode(channel.clamp(0.0, 1.0)));
        CubeMapShading {
            underwater_colour: shown(self.underwater_colour),
            highlight: shown(self.highlight),
            ..*self
        }
    }

    /// C_water for the normal `normal` and the direction `back` to the camera.
    pub fn water(&self, cube: &CubeMap, normal: Vec3, back: Vec3) -> Vec3 {
        let facing = normal.dot(back).clamp(0.0, 1.0);
        let mirrored = 2.0 * normal * normal.dot(back) - back;
        let sky = cube.at(mirrored);
        let fresnel = 1.0 - facing;
        let diffuse =
            (fresnel * sky * self.sky + (1.0 - fresnel) * self.underwater_colour * self.underwater) * facing;
        let gloss = sky.y.powi(8);
        let specular = self.highlight * (gloss * facing * self.specular);
        diffuse + specular + sky * self.ambient
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formulae_are_those_of_the_document() {
        let cube = CubeMap::new(8, |_| Vec3::new(0.5, 0.8, 0.9));
        let shine = CubeMapShading {
            sky: 0.7,
            underwater: 0.6,
            specular: 0.5,
            ambient: 0.1,
            underwater_colour: Vec3::new(0.0, 0.5, 0.2),
            highlight: Vec3::new(1.0, 0.9, 0.8),
        };
        let back = Vec3::new(0.6, 0.0, 0.8);
        let found = shine.water(&cube, Vec3::Z, back);
        let green = (0.2 * 0.8 * 0.7 + 0.8 * 0.5 * 0.6) * 0.8 + 0.9 * 0.8_f32.powi(8) * 0.8 * 0.5 + 0.8 * 0.1;
        assert!((found.y - green).abs() < 1e-6, "{} for {green}", found.y);
        // Seen from behind there is only the light around.
        assert!((shine.water(&cube, Vec3::Z, -Vec3::Z).y - 0.08).abs() < 1e-6);
    }

    #[test]
    fn the_mirrored_ray_finds_the_sun() {
        let sun = Vec3::new(0.0, 0.8, 0.6);
        let cube =
            CubeMap::new(128, |direction| Vec3::splat(if direction.dot(sun) > 0.99 { 1.0 } else { 0.2 }));
        let shine = CubeMapShading::default();
        let bright = shine.water(&cube, Vec3::Z, Vec3::new(0.0, -0.8, 0.6)).x;
        let aside = shine.water(&cube, Vec3::Z, Vec3::new(0.8, 0.0, 0.6)).x;
        assert!(bright > aside + 0.5, "{bright} over {aside}");
    }
}
