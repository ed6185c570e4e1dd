//! Where light comes from: the sky or a studio all around, and the sun.

use std::f32::consts::PI;

use glam::{Vec2, Vec3};

use super::sampling::sample_cosine_hemisphere;
use crate::preview::land::{StudioBackdrop, carded};
use crate::preview::treeline::Treeline;
use crate::sky::{EnvironmentMap, SUN_RADIUS, Sky};

/// What brought a ray to where it leaves the scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RayKind {
    /// It comes straight from the eye.
    Camera,
    /// It was mirrored or bent.
    Specular,
    /// It was scattered by something matt or cloudy.
    Scattered,
}

/// In a studio the lamp that stands for the sun is this wide, as an angle from its middle to its rim.
const LAMP_RADIUS: f32 = 0.03;
/// Share of a studio's light on the floor that comes from that lamp, at least.
const LEAST_FROM_LAMP: f32 = 0.5;
/// Directions by which the light of a studio is measured.
const DIRECTIONS: usize = 16;

/// All light that comes from outside.
pub struct EnvironmentLight<'a> {
    /// The sky; in a studio it tells how bright daylight is and where the sun stands.
    pub sky: &'a Sky,
    /// The studio, unless the scene is in the open.
    pub studio: Option<StudioBackdrop>,
    /// The wood around a pond.
    pub wood: Option<Treeline>,
    /// Direction towards the sun, or the lamp that stands for it.
    pub sun: Vec3,
    /// Its light on a surface that faces it.
    pub sunlight: Vec3,
    /// Angle from its middle to its rim.
    pub sun_radius: f32,
    /// The mean radiance of all directions above.
    pub ambient: Vec3,
    /// Light all around in place of sky and studio, with its scale.
    panorama: Option<(&'a EnvironmentMap, f32)>,
    heading: Vec2,
}

impl<'a> EnvironmentLight<'a> {
    /// The light of a sky, or of a studio, for an eye that looks towards `heading` as seen from above.
    pub fn new(sky: &'a Sky, studio: Option<StudioBackdrop>, wood: Option<Treeline>, heading: Vec2) -> Self {
        let mut light = EnvironmentLight {
            sky,
            studio,
            wood,
            sun: sky.sun,
            sunlight: sky.sunlight,
            sun_radius: SUN_RADIUS,
            ambient: sky.skylight / PI,
            panorama: None,
            heading,
        };
        if light.studio.is_some() {
            light.set_lamp();
        }
        light
    }

    // Chooses the lamp so that lamp and walls together light the floor as brightly as the studio is.
    fn set_lamp(&mut self) {
        let Some(studio) = &self.studio else { return };
        let wanted = studio.lamp() * 0.94;
        let place = |index: usize| {
            Vec2::new((index % DIRECTIONS) as f32 + 0.5, (index / DIRECTIONS) as f32 + 0.5)
                / DIRECTIONS as f32
        };
        let directions =
            (0..DIRECTIONS * DIRECTIONS).map(|index| sample_cosine_hemisphere(Vec3::Z, place(index)));
        let sum: Vec3 = directions.map(|direction| self.radiance(direction, 0.3, RayKind::Scattered)).sum();
        let walls = sum / (DIRECTIONS * DIRECTIONS) as f32;
        let lamp = (wanted - walls).max(wanted * LEAST_FROM_LAMP);
        self.sun = self.sun.with_z(self.sun.z.max(0.35)).normalize_or(Vec3::Z);
        self.sunlight = lamp * PI / self.sun.z;
        self.sun_radius = LAMP_RADIUS;
        self.ambient = walls;
    }

    /// Takes all light from a panorama, whose numbers are multiplied by `scale`.
    pub fn set_environment_map(&mut self, panorama: &'a EnvironmentMap, scale: f32) {
        self.panorama = Some((panorama, scale));
        self.studio = None;
        self.wood = None;
        // Its sun is part of it.
        self.sunlight = Vec3::ZERO;
        self.ambient = panorama.mean() * scale;
    }

    /// Whether the sky is seen, with its sun and the haze in the distance.
    pub fn shows_sky(&self) -> bool {
        self.studio.is_none() && self.panorama.is_none()
    }

    /// Whether some light is too bright to be met by chance.
    pub fn has_bright(&self) -> bool {
        self.panorama.is_some()
    }

    /// A direction of bright light that scattered rays do not see, and the light divided by how often it is drawn.
    pub fn sample_bright(&self, at: Vec2) -> Option<(Vec3, Vec3)> {
        let (panorama, scale) = self.panorama?;
        panorama.sample_bright(at).map(|(direction, light)| (direction, light * scale))
    }

    /// The light from outside against a direction, over an angle of about `spread` radians.
    pub fn radiance(&self, direction: Vec3, spread: f32, way: RayKind) -> Vec3 {
        if let Some((panorama, scale)) = self.panorama {
            let is_scattered = way == RayKind::Scattered;
            return scale
                * if is_scattered {
                    panorama.radiance_without_bright(direction)
                } else {
                    panorama.radiance(direction)
                };
        }
        let Some(studio) = &self.studio else { return self.open_air(direction, spread, way) };
        match way {
            RayKind::Camera => studio.backdrop(direction) * carded(self.heading, direction),
            RayKind::Specular => studio.walls(self.heading, direction) + studio.lamps(self.sun, direction),
            // Photographers brighten a dark studio by lamps that no mirror shows.
            RayKind::Scattered => studio.walls(self.heading, direction).max(0.14 * studio.lamp()),
        }
    }

    fn open_air(&self, direction: Vec3, spread: f32, way: RayKind) -> Vec3 {
        let sky = match way {
            _ if direction.z < 0.0 => self.sky.radiance(direction, spread),
            RayKind::Camera => self.sky.radiance(direction, spread),
            RayKind::Specular => self.sky.blurred_radiance(direction, spread),
            RayKind::Scattered => self.sky.blurred_radiance(direction, spread.max(0.05)),
        };
        self.wood.as_ref().map_or(sky, |wood| wood.over(direction, spread, sky))
    }
}
