//! What light goes through: air, glass, and the liquid with its dyes.

use glam::Vec3;

use super::tank::GLASS_INDEX;
use super::tank_intersector::{TankHit, TankMaterial};
use crate::optics::WATER_INDEX;
use crate::preview::look::WaterLook;

/// What is inside the surfaces.
#[derive(Debug, Clone, Copy)]
pub struct Media {
    /// The liquid.
    pub look: WaterLook,
    /// Light that glass absorbs per metre.
    pub glass: Vec3,
    /// Light that a colour of one half takes away per metre.
    pub dye: f32,
    /// Share of the light taken away by dye that it scatters.
    pub dye_scatters: f32,
    /// Colour of solid bodies.
    pub solid: Vec3,
    /// Rays start this far from a surface.
    pub step: f32,
    /// Gaps thinner than this are closed.
    pub contact: f32,
}

impl Media {
    /// Light that the liquid absorbs and scatters per metre where it has a colour of its own.
    pub fn losses(&self, colour: Option<Vec3>) -> (Vec3, Vec3) {
        let WaterLook { absorption, scattering } = self.look;
        let Some(colour) = colour.filter(|colour| colour.is_finite()) else {
            return (absorption, scattering);
        };
        let colour = colour.clamp(Vec3::splat(0.004), Vec3::ONE);
        let taken = Vec3::from(colour.to_array().map(|share| -share.log2())) * self.dye;
        // A dye scatters the colours that it does not absorb.
        let strength = taken.max_element() * self.dye_scatters;
        (absorption + taken, scattering + colour * strength)
    }

    /// What is left of sunlight after a way through a liquid of this colour.
    pub fn faded(&self, light: Vec3, colour: Option<Vec3>, distance: f32) -> Vec3 {
        let (absorbed, scattered) = self.losses(colour);
        // Half of what is scattered goes on downwards.
        light * (-(absorbed + 0.5 * scattered) * distance).exp()
    }
}

/// What a ray is inside of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RayMedium {
    /// The liquid.
    pub water: bool,
    /// Glass.
    pub glass: bool,
}

impl RayMedium {
    /// The refractive index; where glass and liquid overlap there is glass.
    pub fn index(self) -> f32 {
        match (self.glass, self.water) {
            (true, _) => GLASS_INDEX,
            (false, true) => WATER_INDEX,
            (false, false) => 1.0,
        }
    }

    /// What the ray was inside of before it met a surface: it cannot leave what it was not in.
    pub fn before(mut self, hit: &TankHit) -> RayMedium {
        match hit.material {
            TankMaterial::Water => self.water = !hit.is_outside,
            TankMaterial::Glass => self.glass = !hit.is_outside,
            _ => {}
        }
        self
    }

    /// What it is inside of behind the surface.
    pub fn after(mut self, hit: &TankHit) -> RayMedium {
        match hit.material {
            TankMaterial::Water => self.water = hit.is_outside,
            TankMaterial::Glass => self.glass = hit.is_outside,
            _ => {}
        }
        self
    }
}
