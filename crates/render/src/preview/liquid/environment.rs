//! Surroundings of a tank: a studio or the open air, the floor, and the light from them.

use std::f32::consts::{FRAC_1_PI, PI};

use glam::{Vec2, Vec3};

use super::floor_sunlight::FloorSunlight;
use super::tank::LiquidTank;
use crate::noise::smoothstep;
use crate::preview::land::{StudioBackdrop, carded};
use crate::sky::Sky;

/// Albedo of a stone floor.
const STONE: Vec3 = Vec3::new(0.36, 0.35, 0.33);
/// Albedo of the slab in the open air.
const SLAB: Vec3 = Vec3::new(0.74, 0.74, 0.72);

/// All light on a tank and its surroundings.
pub struct TankEnvironment<'a> {
    /// Sun and sky.
    pub sky: &'a Sky,
    /// The studio; `None` in the open air.
    pub studio: Option<StudioBackdrop>,
    /// Sunlight on the floor, shadowed and focused by the liquid.
    pub sunlight: FloorSunlight,
    /// The tank.
    pub tank: LiquidTank,
    /// Viewing direction seen from above; zero for a camera that looks straight down.
    pub heading: Vec2,
}

impl TankEnvironment<'_> {
    /// Radiance along a ray that misses tank and liquid; `is_direct` for a camera ray.
    pub fn background(&self, from: Vec3, direction: Vec3, is_direct: bool) -> Vec3 {
        let lit = |point: Vec3| self.sunlight.at(point);
        match &self.studio {
            Some(studio) if is_direct || direction.z < 0.0 => {
                studio.seen(self.sky, from, direction, lit) * carded(self.heading, direction)
            }
            Some(_) => self.reflected_radiance(direction),
            None if direction.z < 0.0 => self.terrace(from, direction),
            None => self.sky.radiance(direction, 2e-3).min(Vec3::splat(150.0)),
        }
    }

    /// Radiance of the surroundings in a specular reflection: walls, a darker ceiling, and two lamps.
    pub fn reflected_radiance(&self, direction: Vec3) -> Vec3 {
        let Some(studio) = &self.studio else {
            return self.sky.blurred_radiance(direction, 0.03) + self.reflected_sun(direction);
        };
        studio.walls(self.heading, direction)
            + studio.lamps(self.sky.sun, direction)
            + self.reflected_sun(direction)
    }

    // The sun's disc, dimmed and widened to what a picture can show.
    fn reflected_sun(&self, direction: Vec3) -> Vec3 {
        self.sky.sunlight * (1.6 * smoothstep(0.9990, 0.9997, direction.dot(self.sky.sun)))
    }

    /// Radiance of a point of the slab.
    pub fn slab(&self, point: Vec3, normal: Vec3) -> Vec3 {
        let lit = if normal.z > 0.5 { self.sunlight.at(point) } else { Vec3::ONE };
        match &self.studio {
            Some(studio) => {
                let facing = 0.62 + 0.38 * normal.z + 0.25 * normal.dot(self.sky.sun).min(0.0);
                studio.surface(lit) * facing
            }
            None => {
                SLAB * (self.sky.partial_irradiance(normal, 0.0, 1.0) + self.sun_on(normal) * lit) * FRAC_1_PI
            }
        }
    }

    /// Radiance of a diffuse solid of this albedo that receives the fraction `lit` of the sun.
    pub fn solid(&self, normal: Vec3, albedo: Vec3, lit: Vec3) -> Vec3 {
        let around = match &self.studio {
            Some(studio) => studio.glow() * PI * (0.72 + 0.28 * normal.z),
            None => self.sky.partial_irradiance(normal, 0.0, 1.0),
        };
        albedo * (around + self.sun_on(normal) * lit) * FRAC_1_PI
    }

    /// Source term of scattering inside a cloudy liquid, for rays that entered through a surface with this normal.
    pub fn in_scattered_radiance(&self, normal: Vec3) -> Vec3 {
        let around = self.studio.as_ref().map_or(self.sky.skylight * FRAC_1_PI, StudioBackdrop::glow);
        // Wrapped diffuse term: light that enters on one side leaves on others too.
        let wrapped = (0.55 + 0.45 * normal.dot(self.sky.sun)).max(0.0);
        around * (0.7 + 0.3 * normal.z) + self.sky.sunlight * (0.75 * wrapped * FRAC_1_PI)
    }

    fn sun_on(&self, normal: Vec3) -> Vec3 {
        self.sky.sunlight * normal.dot(self.sky.sun).max(0.0)
    }

    // A stone floor in the open air, which fades into haze.
    fn terrace(&self, from: Vec3, direction: Vec3) -> Vec3 {
        let distance = (self.tank.ground() - from.z) / direction.z.min(-1e-4);
        let point = from + direction * distance.max(0.0);
        let daylight = self.sky.skylight + self.sun_on(Vec3::Z) * self.sunlight.at(point);
        let middle = 0.5 * (self.tank.low + self.tank.high);
        let away = (point - middle).truncate().length() / self.tank.size();
        let stone = STONE * daylight * FRAC_1_PI;
        stone.lerp(self.sky.horizon(direction), smoothstep(2.0, 40.0, away))
    }
}
