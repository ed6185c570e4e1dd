//! Opaque surfaces: a diffuse base under a partial, rough coat of water.

use glam::{Vec2, Vec3};

use super::hit::{Hit, TraceMaterial};
use super::scene::TraceScene;
use crate::noise::smoothstep;
use crate::preview::basin::Basin;
use crate::preview::bed;
use crate::preview::land::ground::{FILM, WET_BUMPS, WET_LOSS};

/// Albedo of a stone floor.
const STONE: Vec3 = Vec3::new(0.36, 0.35, 0.33);
/// Albedo of the slab under a tank in the open air.
const SLAB: Vec3 = Vec3::new(0.74, 0.74, 0.72);
/// Albedo of foam and spray.
pub const WHITE: Vec3 = Vec3::new(0.82, 0.86, 0.88);

/// Roughness of the clear coat of a glossy body, as a variance of slopes.
const GLAZE: f32 = 1e-4;

/// The BSDF at a hit on an opaque surface: a diffuse base, partly coated by a rough film of water.
#[derive(Debug, Clone, Copy)]
pub struct CoatedDiffuse {
    /// Diffuse reflectance.
    pub albedo: Vec3,
    /// Unit shading normal with its bumps.
    pub normal: Vec3,
    /// Emitted radiance.
    pub emission: Vec3,
    /// Fraction of the surface that the water film covers.
    pub coat: f32,
    /// Roughness of the film, as a variance of slopes.
    pub roughness: f32,
}

impl CoatedDiffuse {
    /// A dry diffuse surface.
    pub fn diffuse(albedo: Vec3, normal: Vec3) -> Self {
        CoatedDiffuse { albedo, normal, emission: Vec3::ZERO, coat: 0.0, roughness: FILM }
    }
}

impl TraceScene<'_> {
    /// The BSDF at a hit on something opaque, averaged over a footprint of `footprint` metres.
    pub fn opaque_bsdf(&self, hit: &Hit, direction: Vec3, footprint: f32, in_water: bool) -> CoatedDiffuse {
        let bsdf = self.material_bsdf(hit, direction, footprint, in_water);
        if self.is_lossless {
            CoatedDiffuse { albedo: Vec3::ONE, emission: Vec3::ZERO, ..bsdf }
        } else {
            bsdf
        }
    }

    fn material_bsdf(&self, hit: &Hit, direction: Vec3, footprint: f32, in_water: bool) -> CoatedDiffuse {
        let diffuse = |albedo: Vec3| CoatedDiffuse::diffuse(albedo, hit.normal);
        match hit.material {
            TraceMaterial::Floor => self.floor_bsdf(hit, direction),
            TraceMaterial::Slab => diffuse(
                self.environment.studio.as_ref().map_or(SLAB, |studio| studio.colour().max(Vec3::splat(0.2))),
            ),
            TraceMaterial::Drop | TraceMaterial::Spray | TraceMaterial::Bubble | TraceMaterial::Mist => {
                diffuse(WHITE)
            }
            TraceMaterial::Ground => self.ground_bsdf(hit, footprint, in_water),
            TraceMaterial::Earth => {
                let land = self.open_water.as_ref().and_then(|open| open.land.as_ref());
                diffuse(land.map_or(STONE, |land| land.earth(hit.point, footprint)))
            }
            TraceMaterial::Bed => self.bed_bsdf(hit, footprint, in_water),
            _ => {
                let coat = if in_water { 0.0 } else { hit.gloss.clamp(0.0, 1.0) };
                CoatedDiffuse { coat, roughness: GLAZE, ..diffuse(hit.colour.unwrap_or(self.media.solid)) }
            }
        }
    }

    // The floor of a studio curves up into the backdrop; a terrace fades into haze.
    fn floor_bsdf(&self, hit: &Hit, direction: Vec3) -> CoatedDiffuse {
        let at = hit.point.truncate();
        match &self.environment.studio {
            Some(studio) => {
                let bend = studio.bend(at);
                let emission = studio.backdrop(direction) * bend;
                CoatedDiffuse {
                    emission,
                    ..CoatedDiffuse::diffuse(studio.colour() * (1.0 - bend), hit.normal)
                }
            }
            None => CoatedDiffuse::diffuse(STONE, hit.normal),
        }
    }

    fn ground_bsdf(&self, hit: &Hit, footprint: f32, in_water: bool) -> CoatedDiffuse {
        let at = hit.point.truncate();
        let Some(land) = self.open_water.as_ref().and_then(|open| open.land.as_ref()) else {
            return CoatedDiffuse::diffuse(bed::rock_and_sand(at, hit.normal, footprint), hit.normal);
        };
        let wetness = if in_water { 1.0 } else { land.wetness(at) };
        let patch = land.texture.sample(hit.point, hit.face, footprint);
        let bumps = patch.bumps * (1.0 + (WET_BUMPS - 1.0) * wetness);
        let normal = (hit.normal - bumps.extend(0.0)).normalize_or(hit.normal);
        CoatedDiffuse {
            albedo: patch.albedo * (1.0 - WET_LOSS * wetness),
            normal: if normal.dot(hit.face) > 0.05 { normal } else { hit.normal },
            coat: if in_water { 0.0 } else { wetness * wetness },
            ..CoatedDiffuse::diffuse(Vec3::ZERO, hit.normal)
        }
    }

    // The bed under a water sheet, blended into the bank of a pond where it is dry.
    fn bed_bsdf(&self, hit: &Hit, footprint: f32, in_water: bool) -> CoatedDiffuse {
        let at = hit.point.truncate();
        let Some(basin) = self.basin() else { return CoatedDiffuse::diffuse(STONE, hit.normal) };
        let height = hit.point.z - basin.level;
        let bank = basin.bank();
        let is_dry = smoothstep(-0.25 * bank, -0.05 * bank, height);
        let floor = self.spec.bed.albedo(at, footprint);
        if in_water && is_dry <= 0.0 {
            return CoatedDiffuse::diffuse(floor, hit.normal);
        }
        let shore = bed::land(at, height.max(0.0), bank, footprint);
        let wetness = if in_water { 0.0 } else { 1.0 - smoothstep(0.01 * bank, 0.08 * bank, height) };
        let normal = self.bank_normal(hit, at, footprint);
        CoatedDiffuse { coat: 0.5 * wetness, ..CoatedDiffuse::diffuse(floor.lerp(shore, is_dry), normal) }
    }

    fn basin(&self) -> Option<&Basin> {
        self.open_water.as_ref().map(|open| &open.water.basin)
    }

    fn bank_normal(&self, hit: &Hit, at: Vec2, footprint: f32) -> Vec3 {
        let Some(basin) = self.basin() else { return hit.normal };
        let normal = basin.ground_normal(at, footprint);
        if normal.dot(hit.face) > 0.05 { normal } else { hit.normal }
    }
}
