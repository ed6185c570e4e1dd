//! Light from outside the scene: sky, studio or environment map, and the sun.

use std::f32::consts::PI;

use glam::{Vec2, Vec3};

use super::sampling::sample_cosine_hemisphere;
use crate::preview::land::{StudioBackdrop, carded};
use crate::preview::treeline::Treeline;
use crate::sky::{EnvironmentMap, SUN_RADIUS, Sky};

/// The kind of a ray, by its last interaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RayKind {
    /// From the camera, or through thin glass.
    Camera,
    /// Reflected or refracted.
    Specular,
    /// Scattered by a diffuse surface or a medium.
    Scattered,
}

/// Angular radius of the studio lamp that stands for the sun, in radians.
const LAMP_RADIUS: f32 = 0.03;
/// Least fraction of the irradiance on a studio's floor that is due to that lamp.
const MIN_LAMP_FRACTION: f32 = 0.5;
/// Strata along each axis by which the irradiance due to a studio's walls is integrated.
const STRATA: usize = 16;

/// All light from outside the scene.
pub struct EnvironmentLight<'a> {
    /// The sky; in a studio it gives the brightness of daylight and the direction of the sun.
    pub sky: &'a Sky,
    /// The studio, unless the scene is in the open air.
    pub studio: Option<StudioBackdrop>,
    /// The trees around a pond.
    pub trees: Option<Treeline>,
    /// Direction towards the sun, or the studio lamp that stands for it.
    pub sun: Vec3,
    /// Its irradiance on a surface that faces it.
    pub sunlight: Vec3,
    /// Its angular radius in radians.
    pub sun_radius: f32,
    /// Mean radiance of the upper hemisphere.
    pub ambient: Vec3,
    /// Environment map in place of sky and studio, with the scale of its values.
    panorama: Option<(&'a EnvironmentMap, f32)>,
    heading: Vec2,
}

impl<'a> EnvironmentLight<'a> {
    /// The light of a sky or a studio for a camera that looks towards `heading` seen from above.
    pub fn new(sky: &'a Sky, studio: Option<StudioBackdrop>, trees: Option<Treeline>, heading: Vec2) -> Self {
        let mut light = EnvironmentLight {
            sky,
            studio,
            trees,
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

    // Chooses the lamp so that lamp and walls together give the studio's irradiance on the floor.
    fn set_lamp(&mut self) {
        let Some(studio) = &self.studio else { return };
        let wanted = studio.lamp() * 0.94;
        let stratum = |index: usize| {
            Vec2::new((index % STRATA) as f32 + 0.5, (index / STRATA) as f32 + 0.5) / STRATA as f32
        };
        let directions = (0..STRATA * STRATA).map(|index| sample_cosine_hemisphere(Vec3::Z, stratum(index)));
        let sum: Vec3 = directions.map(|direction| self.radiance(direction, 0.3, RayKind::Scattered)).sum();
        let walls = sum / (STRATA * STRATA) as f32;
        let lamp = (wanted - walls).max(wanted * MIN_LAMP_FRACTION);
        self.sun = self.sun.with_z(self.sun.z.max(0.35)).normalize_or(Vec3::Z);
        self.sunlight = lamp * PI / self.sun.z;
        self.sun_radius = LAMP_RADIUS;
        self.ambient = walls;
    }

    /// Takes all light from an environment map, whose values are multiplied by `scale`.
    pub fn set_environment_map(&mut self, panorama: &'a EnvironmentMap, scale: f32) {
        self.panorama = Some((panorama, scale));
        self.studio = None;
        self.trees = None;
        // The map contains its own sun.
        self.sunlight = Vec3::ZERO;
        self.ambient = panorama.mean() * scale;
    }

    /// Whether the sky is visible, with its sun and distant haze.
    pub fn shows_sky(&self) -> bool {
        self.studio.is_none() && self.panorama.is_none()
    }

    /// Whether some light is sampled explicitly because it is too bright to be hit by chance.
    pub fn has_bright(&self) -> bool {
        self.panorama.is_some()
    }

    /// Samples a direction of bright light, which scattered rays do not see; returns it with radiance over
    /// probability density.
    pub fn sample_bright(&self, at: Vec2) -> Option<(Vec3, Vec3)> {
        let (panorama, scale) = self.panorama?;
        panorama.sample_bright(at).map(|(direction, light)| (direction, light * scale))
    }

    /// Radiance from a direction, over an angle of about `spread` radians.
    pub fn radiance(&self, direction: Vec3, spread: f32, kind: RayKind) -> Vec3 {
        if let Some((panorama, scale)) = self.panorama {
            let is_scattered = kind == RayKind::Scattered;
            return scale
                * if is_scattered {
                    panorama.radiance_without_bright(direction)
                } else {
                    panorama.radiance(direction)
                };
        }
        let Some(studio) = &self.studio else { return self.sky_radiance(direction, spread, kind) };
        match kind {
            RayKind::Camera => studio.backdrop(direction) * carded(self.heading, direction),
            RayKind::Specular => studio.walls(self.heading, direction) + studio.lamps(self.sun, direction),
            // Fill light of a dark studio, which is not visible in reflections.
            RayKind::Scattered => studio.walls(self.heading, direction).max(0.14 * studio.lamp()),
        }
    }

    fn sky_radiance(&self, direction: Vec3, spread: f32, kind: RayKind) -> Vec3 {
        let sky = match kind {
            _ if direction.z < 0.0 => self.sky.radiance(direction, spread),
            RayKind::Camera => self.sky.radiance(direction, spread),
            RayKind::Specular => self.sky.blurred_radiance(direction, spread),
            RayKind::Scattered => self.sky.blurred_radiance(direction, spread.max(0.05)),
        };
        self.trees.as_ref().map_or(sky, |trees| trees.over(direction, spread, sky))
    }
}
