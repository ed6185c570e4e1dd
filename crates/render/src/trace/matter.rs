//! What things that light does not pass are like where a path meets them.

use glam::{Vec2, Vec3};

use super::place::Place;
use super::touch::{Stuff, Touch};
use crate::noise::smoothstep;
use crate::preview::basin::Basin;
use crate::preview::bed;
use crate::preview::land::ground::{FILM, WET_BUMPS, WET_LOSS};

/// How much of the daylight a floor of stone reflects.
const STONE: Vec3 = Vec3::new(0.36, 0.35, 0.33);
/// The slab under a tank in the open air.
const SLAB: Vec3 = Vec3::new(0.74, 0.74, 0.72);
/// Foam and spray.
pub const WHITE: Vec3 = Vec3::new(0.82, 0.86, 0.88);

/// A spot of something matt.
#[derive(Debug, Clone, Copy)]
pub struct Matter {
    /// Share of light that it scatters.
    pub albedo: Vec3,
    /// Unit normal with its small bumps.
    pub normal: Vec3,
    /// Light of its own.
    pub glow: Vec3,
    /// Share of it that a film of water covers.
    pub film: f32,
    /// Roughness of that film, as a variance of slopes.
    pub roughness: f32,
}

impl Matter {
    /// Something dry and matt.
    pub fn plain(albedo: Vec3, normal: Vec3) -> Self {
        Matter { albedo, normal, glow: Vec3::ZERO, film: 0.0, roughness: FILM }
    }
}

impl Place<'_> {
    /// What is met, over a spot of `footprint` metres.
    pub fn matter(&self, touch: &Touch, direction: Vec3, footprint: f32, in_water: bool) -> Matter {
        let matter = self.stuff(touch, direction, footprint, in_water);
        if self.is_white { Matter { albedo: Vec3::ONE, glow: Vec3::ZERO, ..matter } } else { matter }
    }

    fn stuff(&self, touch: &Touch, direction: Vec3, footprint: f32, in_water: bool) -> Matter {
        let plain = |albedo: Vec3| Matter::plain(albedo, touch.normal);
        match touch.stuff {
            Stuff::Floor => self.floor(touch, direction),
            Stuff::Slab => {
                plain(self.light.studio.as_ref().map_or(SLAB, |studio| studio.colour().max(Vec3::splat(0.2))))
            }
            Stuff::Drop | Stuff::Spray | Stuff::Bubble | Stuff::Mist => plain(WHITE),
            Stuff::Ground => self.ground(touch, footprint, in_water),
            Stuff::Earth => {
                let land = self.open.as_ref().and_then(|open| open.land.as_ref());
                plain(land.map_or(STONE, |land| land.earth(touch.point, footprint)))
            }
            Stuff::Bed => self.bed(touch, footprint, in_water),
            _ => plain(touch.colour.unwrap_or(self.media.solid)),
        }
    }

    // The floor of a studio bends up into its wall; a terrace is lost in haze.
    fn floor(&self, touch: &Touch, direction: Vec3) -> Matter {
        let at = touch.point.truncate();
        match &self.light.studio {
            Some(studio) => {
                let bend = studio.bend(at);
                let glow = studio.backdrop(direction) * bend;
                Matter { glow, ..Matter::plain(studio.colour() * (1.0 - bend), touch.normal) }
            }
            None => Matter::plain(STONE, touch.normal),
        }
    }

    fn ground(&self, touch: &Touch, footprint: f32, in_water: bool) -> Matter {
        let at = touch.point.truncate();
        let Some(land) = self.open.as_ref().and_then(|open| open.land.as_ref()) else {
            return Matter::plain(bed::rock_and_sand(at, touch.normal, footprint), touch.normal);
        };
        let wetness = if in_water { 1.0 } else { land.wetness(at) };
        let patch = land.soil.patch(touch.point, touch.face, footprint);
        let bumps = patch.bumps * (1.0 + (WET_BUMPS - 1.0) * wetness);
        let normal = (touch.normal - bumps.extend(0.0)).normalize_or(touch.normal);
        Matter {
            albedo: patch.albedo * (1.0 - WET_LOSS * wetness),
            normal: if normal.dot(touch.face) > 0.05 { normal } else { touch.normal },
            film: if in_water { 0.0 } else { wetness * wetness },
            ..Matter::plain(Vec3::ZERO, touch.normal)
        }
    }

    // The bed under a sheet, which becomes the bank of a pond where it is dry.
    fn bed(&self, touch: &Touch, footprint: f32, in_water: bool) -> Matter {
        let at = touch.point.truncate();
        let Some(basin) = self.basin() else { return Matter::plain(STONE, touch.normal) };
        let height = touch.point.z - basin.level;
        let bank = basin.bank();
        let is_dry = smoothstep(-0.25 * bank, -0.05 * bank, height);
        let floor = self.spec.bed.albedo(at, footprint);
        if in_water && is_dry <= 0.0 {
            return Matter::plain(floor, touch.normal);
        }
        let shore = bed::land(at, height.max(0.0), bank, footprint);
        let wetness = if in_water { 0.0 } else { 1.0 - smoothstep(0.01 * bank, 0.08 * bank, height) };
        let normal = self.bank_normal(touch, at, footprint);
        Matter { film: 0.5 * wetness, ..Matter::plain(floor.lerp(shore, is_dry), normal) }
    }

    fn basin(&self) -> Option<&Basin> {
        self.open.as_ref().map(|open| &open.water.basin)
    }

    fn bank_normal(&self, touch: &Touch, at: Vec2, footprint: f32) -> Vec3 {
        let Some(basin) = self.basin() else { return touch.normal };
        let normal = basin.ground_normal(at, footprint);
        if normal.dot(touch.face) > 0.05 { normal } else { touch.normal }
    }
}
