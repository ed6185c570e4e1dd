//! Optical coefficients of glass and of the liquid with its dyes.

use glam::Vec3;

use super::tank::GLASS_INDEX;
use super::tank_intersector::{TankHit, TankMaterial};
use crate::optics::WATER_INDEX;
use crate::preview::look::WaterLook;

/// Optical coefficients of all media, and the tolerances of their boundaries.
#[derive(Debug, Clone, Copy)]
pub struct Media {
    /// Absorption and scattering of the liquid.
    pub look: WaterLook,
    /// Absorption coefficient of glass, per metre.
    pub glass: Vec3,
    /// Absorption coefficient of a dye of transmittance ½, per metre.
    pub dye: f32,
    /// Ratio of scattering to absorption of dye.
    pub dye_scatters: f32,
    /// Albedo of solid bodies.
    pub solid: Vec3,
    /// Offset of ray origins from surfaces, in metres.
    pub step: f32,
    /// Gaps thinner than this, in metres, are closed.
    pub contact: f32,
}

impl Media {
    /// Absorption and scattering coefficients of the liquid, per metre, where it has a dye of this colour.
    pub fn coefficients(&self, colour: Option<Vec3>) -> (Vec3, Vec3) {
        let WaterLook { absorption, scattering } = self.look;
        let Some(colour) = colour.filter(|colour| colour.is_finite()) else {
            return (absorption, scattering);
        };
        let colour = colour.clamp(Vec3::splat(0.004), Vec3::ONE);
        let absorption_of_dye =
            Vec3::from(colour.to_array().map(|transmittance| -transmittance.log2())) * self.dye;
        // A dye scatters the colours that it does not absorb.
        let strength = absorption_of_dye.max_element() * self.dye_scatters;
        (absorption + absorption_of_dye, scattering + colour * strength)
    }

    /// Sunlight after a distance in a liquid of this colour.
    pub fn attenuated(&self, light: Vec3, colour: Option<Vec3>, distance: f32) -> Vec3 {
        let (absorption, scattering) = self.coefficients(colour);
        // Half of the scattered light goes on downwards.
        light * (-(absorption + 0.5 * scattering) * distance).exp()
    }
}

/// The medium that a ray is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RayMedium {
    /// The liquid.
    pub water: bool,
    /// Glass.
    pub glass: bool,
}

impl RayMedium {
    /// Refractive index; where glass and liquid overlap there is glass.
    pub fn index(self) -> f32 {
        match (self.glass, self.water) {
            (true, _) => GLASS_INDEX,
            (false, true) => WATER_INDEX,
            (false, false) => 1.0,
        }
    }

    /// The medium on the ray's side of a surface, as the hit tells.
    pub fn before(mut self, hit: &TankHit) -> RayMedium {
        match hit.material {
            TankMaterial::Water => self.water = !hit.is_outside,
            TankMaterial::Glass => self.glass = !hit.is_outside,
            _ => {}
        }
        self
    }

    /// The medium behind the surface.
    pub fn after(mut self, hit: &TankHit) -> RayMedium {
        match hit.material {
            TankMaterial::Water => self.water = hit.is_outside,
            TankMaterial::Glass => self.glass = hit.is_outside,
            _ => {}
        }
        self
    }
}
