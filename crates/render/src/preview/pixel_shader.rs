//! Pixel shader: from the visibility buffer to the radiance of every pixel.

use std::f32::consts::FRAC_1_PI;

use glam::{Vec2, Vec3};
use undine_frame::Material;

use super::basin::Beyond;
use super::bed;
use super::flow_ripples::Flow;
use super::land::ground::GroundShadingPoint;
use super::land::{Foam, Land, StudioBackdrop};
use super::opaque_buffer::OpaqueBuffer;
use super::pinhole_camera::PinholeCamera;
use super::rasteriser::NO_PRIMITIVE;
use super::scene_geometry::{PrimaryHit, PrimitiveKind, SceneGeometry};
use super::slope_map::SlopeMap;
use super::sun_occlusion::SunOcclusion;
use super::water_shader::{NoEnvironment, RefractedHit, ShadingPoint, WaterEnvironment, WaterShader};
use crate::caustics::Caustics;
use crate::noise::hash;
use crate::sky::Sky;

/// Slope variance below which a water pixel is shaded once; the variance then counts as roughness.
const SMOOTH: f32 = 1e-3;
/// The same for ground.
const SMOOTH_GROUND: f32 = 0.03;
/// Relative depth difference above which the samples of a pixel are shaded separately.
const NEAR: f32 = 0.05;

/// Upper limit of caustics, relative to the sun under still water.
pub const BRIGHTEST: f32 = 8.0;

/// Inputs of the pixel shader.
pub struct PixelShader<'a> {
    /// The camera.
    pub eye: &'a PinholeCamera,
    /// The scene geometry.
    pub geometry: &'a SceneGeometry<'a>,
    /// The sky.
    pub sky: &'a Sky,
    /// The water.
    pub water: WaterShader<'a>,
    /// Slopes of the waves, continued over the sea around the sheet.
    pub sea_slopes: Option<SlopeMap>,
    /// Opaque geometry without water, for refraction.
    pub opaque: Option<OpaqueBuffer>,
    /// Samples along the side of a pixel.
    pub samples: usize,
    /// Colour of solid bodies.
    pub solid: Vec3,
    /// The land, if the frame has any.
    pub land: Option<Land>,
    /// The foam on the water.
    pub foam: Foam,
    /// The studio around objects without land.
    pub studio: Option<StudioBackdrop>,
    /// The shadows of bodies and smoke.
    pub occlusion: SunOcclusion,
    /// Wavelength of the strongest ripples in metres.
    pub ripple_length: f32,
    /// Caustics on the bed.
    pub caustics: Option<Caustics>,
}

/// Open water: refraction from the opaque buffer, no reflections of geometry.
struct OpenWaterEnvironment<'a> {
    shader: &'a PixelShader<'a>,
    shading_point: ShadingPoint,
    direction: Vec3,
}

impl WaterEnvironment for OpenWaterEnvironment<'_> {
    fn refracted(&self, ray: Vec3) -> Option<RefractedHit> {
        let opaque = self.shader.opaque.as_ref()?;
        opaque.refract(self.shader.eye, &self.shading_point, self.direction, ray)
    }

    fn reflected(&self, _: Vec3, _: f32) -> Option<(Vec3, f32)> {
        None
    }

    fn caustic_factor(&self, end: Vec3, footprint: f32) -> f32 {
        let caustics = self.shader.caustics.as_ref();
        let light = caustics.and_then(|caustics| caustics.ground_light(Vec2::new(end.x, end.y), footprint));
        light.map_or(1.0, |light| (light / self.shader.water.sun_arriving()).min(BRIGHTEST))
    }
}

impl PixelShader<'_> {
    /// The radiance of the pixel at (x, y) whose samples see `primitives`, row by row. `hits` is scratch memory.
    pub fn pixel(&self, x: usize, y: usize, primitives: &[u32], hits: &mut Vec<(Vec3, PrimaryHit)>) -> Vec3 {
        let corner = Vec2::new(x as f32, y as f32);
        if self.geometry.is_one_surface(primitives) {
            // Try to shade once, judged by two opposite samples
            self.find(corner, primitives, |sample| sample == 0 || sample + 1 == primitives.len(), hits);
            if let Some(light) = self.shade_once(hits) {
                return light;
            }
        }
        self.find(corner, primitives, |_| true, hits);
        let open = (primitives.len() - hits.len()) as f32;
        let beyond =
            if open > 0.0 { self.beyond(self.eye.ray_direction(corner + 0.5)) * open } else { Vec3::ZERO };
        (beyond + self.sum(hits)) / primitives.len().max(1) as f32
    }

    // Intersections of the wanted samples of a pixel.
    fn find(
        &self,
        corner: Vec2,
        primitives: &[u32],
        wanted: impl Fn(usize) -> bool,
        hits: &mut Vec<(Vec3, PrimaryHit)>,
    ) {
        hits.clear();
        for (sample, &primitive) in primitives.iter().enumerate() {
            if primitive != NO_PRIMITIVE && wanted(sample) {
                let offset = Vec2::new((sample % self.samples) as f32, (sample / self.samples) as f32) + 0.5;
                let direction = self.eye.ray_direction(corner + offset / self.samples as f32);
                let hit = self.geometry.hit(primitive, self.eye.position, direction);
                hits.extend(hit.map(|hit| (direction, self.with_detail(hit, direction))));
            }
        }
    }

    // The normal of a large water or its ground, over the footprint of a pixel, whatever the size of the triangle.
    fn with_detail(&self, hit: PrimaryHit, direction: Vec3) -> PrimaryHit {
        let land = self.land.as_ref().filter(|_| hit.kind == PrimitiveKind::Mesh);
        let Some((land, detail)) = land.and_then(|land| Some((land, land.detail()?))) else { return hit };
        let at = hit.point.truncate();
        let is_inside = detail.holds(at);
        let grazing = (-direction.dot(hit.normal)).clamp(0.04, 1.0);
        let footprint = self.eye.pixel_angle() * hit.distance / grazing.sqrt();
        let normal = match hit.material {
            Material::Water if is_inside => detail.water_normal(at, footprint),
            Material::Ground if is_inside => Some(land.normal(at, footprint)),
            Material::Water | Material::Ground | Material::Solid | Material::Glass => None,
        };
        PrimaryHit { normal: normal.unwrap_or(hit.normal), ..hit }
    }

    // Shades a pixel once, if its samples are nearly the same surface.
    fn shade_once(&self, hits: &[(Vec3, PrimaryHit)]) -> Option<Vec3> {
        let variance = normal_variance(hits);
        let is_ground = hits.first().is_some_and(|(_, hit)| hit.material == Material::Ground);
        let smooth = if is_ground && self.land.is_some() { SMOOTH_GROUND } else { SMOOTH };
        if variance > smooth || !self.is_one_surface(hits) {
            return None;
        }
        let width = self.eye.pixel_angle();
        let (direction, hit) = self.mean(hits);
        let is_shore = self.water.basin.is_shore(hit.point, 2.0 * width * hit.distance);
        (!is_shore).then(|| self.seen(direction, &hit, variance, width))
    }

    // Whether all hits are on the same surface at about the same depth.
    fn is_one_surface(&self, hits: &[(Vec3, PrimaryHit)]) -> bool {
        let Some((_, first)) = hits.first() else { return false };
        let is_even = match first.material {
            Material::Water => true,
            Material::Ground => self.land.is_some(),
            Material::Solid | Material::Glass => false,
        };
        first.kind != PrimitiveKind::Particle
            && is_even
            && hits.iter().all(|(_, hit)| {
                let same =
                    hit.material == first.material && hit.kind == first.kind && hit.outside == first.outside;
                // A crease of the ground separates materials
                let is_bent = hit.material == Material::Ground && hit.face.dot(first.face) < 0.85;
                same && !is_bent && (hit.distance - first.distance).abs() < NEAR * first.distance
            })
    }

    // Supersampling: sum of the radiance of all hits, each shaded separately.
    fn sum(&self, hits: &[(Vec3, PrimaryHit)]) -> Vec3 {
        let variance = normal_variance(hits);
        let width = self.eye.pixel_angle() / self.samples as f32;
        hits.iter().map(|(direction, hit)| self.seen(*direction, hit, variance, width)).sum()
    }

    // The mean of all hits.
    fn mean(&self, hits: &[(Vec3, PrimaryHit)]) -> (Vec3, PrimaryHit) {
        let first = hits[0].1;
        let direction = hits.iter().map(|(direction, _)| *direction).sum::<Vec3>().normalize_or(Vec3::X);
        let normal = hits.iter().map(|(_, hit)| hit.normal).sum::<Vec3>().normalize_or(first.normal);
        let distance = hits.iter().map(|(_, hit)| hit.distance).sum::<f32>() / hits.len().max(1) as f32;
        (direction, PrimaryHit { normal, distance, point: self.eye.position + direction * distance, ..first })
    }

    /// The radiance of one hit, with aerial perspective; `width` is the angle that the sample spans.
    pub fn seen(&self, direction: Vec3, hit: &PrimaryHit, variance: f32, width: f32) -> Vec3 {
        if let Some(light) = self.sea_before(direction, hit.distance, width) {
            return light;
        }
        let light = match hit.material {
            _ if hit.kind == PrimitiveKind::Particle => self.spray(hit),
            _ if hit.kind == PrimitiveKind::Skirt => {
                self.open_water(hit.point, direction, hit.distance, width)
            }
            _ if hit.kind == PrimitiveKind::Cut => self.cut(direction, hit, width),
            Material::Water if self.water.is_dry(hit.point) => self.bank(direction, width),
            Material::Water => self.wet(direction, hit, variance, width),
            Material::Ground | Material::Solid | Material::Glass => self.bare(direction, hit, width),
        };
        if self.is_indoors() { light } else { self.sky.haze(light, direction, hit.distance) }
    }

    fn is_indoors(&self) -> bool {
        self.studio().is_some()
    }

    fn studio(&self) -> Option<&StudioBackdrop> {
        self.land.as_ref().and_then(Land::studio).or(self.studio.as_ref())
    }

    /// The radiance of opaque geometry, without aerial perspective.
    pub fn bare(&self, direction: Vec3, hit: &PrimaryHit, width: f32) -> Vec3 {
        let (normal, face) = if hit.outside { (hit.normal, hit.face) } else { (-hit.normal, -hit.face) };
        match (&self.land, hit.material) {
            (Some(land), Material::Ground) => {
                let grazing = (-direction.dot(face)).clamp(0.03, 1.0);
                let footprint = width * hit.distance / grazing.sqrt();
                land.bare(
                    self.sky,
                    &GroundShadingPoint { point: hit.point, normal, face, footprint },
                    direction,
                )
            }
            (None, Material::Ground) => self.ground(hit.point, normal, width * hit.distance),
            (land, _) => {
                let colour = hit.colour.unwrap_or(self.solid);
                let (sun, open) = land.as_ref().map_or((1.0, 1.0), |land| land.daylight(hit.point));
                let sun = sun * self.occlusion.sun_visibility(hit.point, self.sky.sun);
                if let Some(below) = self.sun_below(hit.point, normal) {
                    let light = self.sky.partial_irradiance(normal, 0.0, open) + self.sky.sunlight * below;
                    return colour * light * FRAC_1_PI;
                }
                colour * self.sky.partial_irradiance(normal, sun, open) * FRAC_1_PI
            }
        }
    }

    // Caustics: irradiance of the sun on a body under water.
    fn sun_below(&self, point: Vec3, normal: Vec3) -> Option<Vec3> {
        let at = Vec2::new(point.x, point.y);
        let level = match &self.land {
            Some(land) => land.surface(at)?,
            None => self.water.basin.level,
        };
        self.caustics.as_ref().filter(|_| point.z < level).map(|caustics| caustics.irradiance(point, normal))
    }

    // The radiance of the side of a block of land.
    fn cut(&self, direction: Vec3, hit: &PrimaryHit, width: f32) -> Vec3 {
        let Some(land) = &self.land else { return Vec3::ZERO };
        let footprint = width * hit.distance;
        match hit.material {
            Material::Water => {
                let behind = self.beyond(direction);
                self.water.section(land, hit.point, hit.normal, direction, footprint, behind)
            }
            _ => land.cut_earth(self.sky, hit.point, hit.normal, footprint),
        }
    }

    fn wet(&self, direction: Vec3, hit: &PrimaryHit, variance: f32, width: f32) -> Vec3 {
        let normal = if hit.normal.z < -0.2 && !hit.outside { -hit.normal } else { hit.normal };
        let shading_point = ShadingPoint {
            point: hit.point,
            normal,
            variance,
            distance: hit.distance,
            width: width * hit.distance,
            rippled: 1.0,
            flow: Flow::default(),
            sunlit: 1.0,
        };
        match &self.land {
            _ if !hit.outside => self.water.shade_from_below(&shading_point, direction),
            Some(land) => self.shallow(land, shading_point, direction),
            None => self.water.shade(
                &shading_point,
                direction,
                &OpenWaterEnvironment { shader: self, shading_point, direction },
            ),
        }
    }

    // Spray: drops refract the light from all around; approximated by a wrapped diffuse term.
    fn spray(&self, hit: &PrimaryHit) -> Vec3 {
        let lit =
            self.sky.sunlight * (0.35 + 0.65 * hit.normal.dot(self.sky.sun)).max(0.0) + self.sky.skylight;
        lit * Vec3::new(0.72, 0.78, 0.82) * FRAC_1_PI
    }

    fn ground(&self, point: Vec3, normal: Vec3, width: f32) -> Vec3 {
        bed::rock_and_sand(Vec2::new(point.x, point.y), normal, width)
            * self.sky.irradiance(normal)
            * FRAC_1_PI
    }

    fn bank(&self, direction: Vec3, width: f32) -> Vec3 {
        let basin = &self.water.basin;
        let distance = basin.distance_to_land(self.eye.position, direction);
        let point = self.eye.position + direction * distance;
        // Geometric mean of the axes of the pixel footprint on the ground
        let across = width * distance / (-direction.z).clamp(0.01, 1.0).sqrt();
        let at = Vec2::new(point.x, point.y);
        let albedo = bed::land(at, basin.ground(at) - basin.level, basin.bank(), across);
        albedo * self.sky.irradiance(basin.ground_normal(at, across)) * FRAC_1_PI
    }

    /// The background radiance, where a ray meets no primitive.
    pub fn beyond(&self, direction: Vec3) -> Vec3 {
        if let Some(studio) = self.studio() {
            let lit = |point: Vec3| Vec3::splat(self.occlusion.sun_visibility(point, self.sky.sun));
            return studio.seen(self.sky, self.eye.position, direction, lit);
        }
        let width = self.eye.pixel_angle();
        let basin = &self.water.basin;
        let above = self.eye.position.z - basin.level;
        if matches!(basin.beyond, Beyond::Nothing | Beyond::Land) || direction.z >= 0.0 || above <= 0.0 {
            let sky = self.sky.radiance(direction, width);
            return self.water.treeline.as_ref().map_or(sky, |treeline| treeline.over(direction, width, sky));
        }
        let distance = above / -direction.z;
        let point = self.eye.position + direction * distance;
        let open = basin.beyond == Beyond::Sea
            || (basin.in_sheet(Vec2::new(point.x, point.y)) && !self.water.is_dry(point));
        let light = if open {
            self.open_water(point, direction, distance, width)
        } else {
            self.bank(direction, width)
        };
        let hazy = self.sky.haze(light, direction, distance);
        self.water.treeline.as_ref().map_or(hazy, |treeline| treeline.over(direction, width, hazy))
    }

    /// Composites smoke over a pixel: a fraction `covered` of it has geometry at the distance `limit`.
    pub fn through_smoke(&self, [x, y]: [usize; 2], light: Vec3, covered: f32, limit: f32) -> Vec3 {
        let Some(smoke) = &self.occlusion.smoke else { return light };
        let direction = self.eye.ray_direction(Vec2::new(x as f32, y as f32) + 0.5);
        let start = (hash(x as i32, y as i32, 7) & 0xff) as f32 / 256.0;
        let part = |fraction: f32, limit: f32| {
            if fraction <= 0.0 {
                return (Vec3::ZERO, 0.0);
            }
            let (scattered, clear) = smoke.march(self.eye.position, direction, limit, start);
            (scattered * fraction, clear * fraction)
        };
        let (near, far) = (part(covered, limit), part(1.0 - covered, f32::INFINITY));
        near.0 + far.0 + light * (near.1 + far.1)
    }

    fn open_water(&self, point: Vec3, direction: Vec3, distance: f32, width: f32) -> Vec3 {
        let across = width * distance;
        let at = Vec2::new(point.x, point.y);
        let footprint = across / (-direction.z).max(1e-4).sqrt();
        let sea_slopes =
            self.sea_slopes.as_ref().map(|sea_slopes| sea_slopes.sample(at, footprint)).unwrap_or_default();
        let normal = Vec3::new(-sea_slopes.mean.x, -sea_slopes.mean.y, 1.0).normalize();
        let variance = sea_slopes.variance;
        let shading_point = ShadingPoint {
            point,
            normal,
            variance,
            distance,
            width: across,
            rippled: 1.0,
            flow: Flow::default(),
            sunlit: 1.0,
        };
        self.water.shade(&shading_point, direction, &NoEnvironment)
    }

    // The level sea outside the sheet, where it is nearer than the geometry, such as before a trough at the sheet's edge.
    fn sea_before(&self, direction: Vec3, limit: f32, width: f32) -> Option<Vec3> {
        let basin = &self.water.basin;
        let above = self.eye.position.z - basin.level;
        if basin.beyond != Beyond::Sea || self.land.is_some() || direction.z >= 0.0 || above <= 0.0 {
            return None;
        }
        let distance = above / -direction.z;
        let point = self.eye.position + direction * distance;
        let hides = distance < limit && !basin.in_sheet(Vec2::new(point.x, point.y));
        hides.then(|| self.sky.haze(self.open_water(point, direction, distance, width), direction, distance))
    }
}

// Variance of the normals of a pixel's hits, as slope variance per axis.
fn normal_variance(hits: &[(Vec3, PrimaryHit)]) -> f32 {
    let count = hits.len().max(1) as f32;
    let mean = hits.iter().map(|(_, hit)| hit.normal).sum::<Vec3>() / count;
    let spread: f32 = hits.iter().map(|(_, hit)| (hit.normal - mean).length_squared()).sum();
    (0.5 * spread / count).min(0.05)
}
