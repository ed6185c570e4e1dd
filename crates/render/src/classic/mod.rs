//! Water rendering by the methods of 1990 and 2007: z-buffer, cube map, illumination and wetness maps.
//!
//! Two shadings. [`Shading::CubeMap`] is that of [li2007] §2.2: sine or bump normals, cube-map reflection, gloss map.
//! [`Shading::Caustic`] is that of [kass1990]: the height field is scan-converted into a z-buffer with 2 × 2 samples per
//! pixel, water is shaded by a refracted ray to a flat bottom with its illumination map, ground by its wetness map. Both
//! shade every sample separately, as in the originals; the result does not depend on the number of threads.

mod bump_map;
mod caustic_shading;
mod cube_map;
mod cube_map_shading;
mod settings;

use glam::{Vec2, Vec3};
use rayon::prelude::*;
use undine_frame::{Frame, Material};
use undine_surface::with_overviews;

pub use bump_map::{BumpMap, BumpSpec};
pub use cube_map::{CubeMap, FACES};
pub use cube_map_shading::CubeMapShading;
pub(crate) use settings::read_classic;

use crate::DrawError;
use crate::caustics::{Caustics, CausticsKind, CausticsSpec};
use crate::colour::encode;
use crate::picture::{Picture, RadianceImage};
use crate::preview::land::{BlockSides, Land, LandSpec, SurroundingTerrain};
use crate::preview::rasteriser::{NO_PRIMITIVE, Rasteriser, VisibilityBuffer};
use crate::preview::scene_geometry::{self, PrimaryHit, PrimitiveKind, SceneGeometry, SheetExtent};
use crate::preview::slope_map::SlopeMap;
use crate::preview::streaks::Streaks;
use crate::preview::{Beyond, GroundKind, PinholeCamera, Subject, Viewpoint, WaterLook, tone_mapping};
use crate::sky::{Sky, SkySpec};
use bump_map::Bumps;
use caustic_shading::{CausticShading, GroundCache};

/// Rows of pixels in a band.
const BAND: usize = 8;

/// How water is shaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shading {
    /// Caustic where the water stands on land, by the cube map elsewhere.
    #[default]
    Auto,
    /// By the formulae of Li and Wu.
    CubeMap,
    /// By the shading of Kass and Miller.
    Caustic,
}

/// Settings of a classic picture.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassicSpec {
    /// Samples along each side of a pixel.
    pub samples: usize,
    /// Multiplies the radiance.
    pub exposure: f32,
    /// How water is shaded.
    pub shading: Shading,
    /// Coefficients of cube-map shading.
    pub shine: CubeMapShading,
    /// Bump mapping.
    pub bumps: BumpSpec,
    /// Environment, in linear light with white at one; `None` for the sky.
    pub cube: Option<CubeMap>,
    /// Optical properties of water over land.
    pub look: WaterLook,
    /// Surface material of land.
    pub ground: GroundKind,
    /// What is drawn beyond the land.
    pub beyond: Beyond,
    /// Height of the water at rest, if it is known.
    pub level: Option<f32>,
    /// Caustics on the bed.
    pub caustics: CausticsSpec,
    /// Linear colour of solid bodies.
    pub solid: [f32; 3],
}

impl Default for ClassicSpec {
    fn default() -> Self {
        ClassicSpec {
            samples: 2,
            exposure: 1.0,
            shading: Shading::default(),
            shine: CubeMapShading::default(),
            bumps: BumpSpec::default(),
            cube: None,
            look: WaterLook::default(),
            ground: GroundKind::default(),
            beyond: Beyond::default(),
            level: None,
            caustics: CausticsSpec {
                kind: CausticsKind::IlluminationMap,
                extends_water: true,
                ..CausticsSpec::default()
            },
            solid: [0.55, 0.23, 0.12],
        }
    }
}

/// Draws a frame as seen from `view` under `sky`.
pub fn draw(
    spec: &ClassicSpec,
    sky: &SkySpec,
    view: &Viewpoint,
    size: [usize; 2],
    frame: &Frame,
) -> Result<Picture, DrawError> {
    let frame = &*with_overviews(frame);
    frame.meshes.iter().try_for_each(scene_geometry::check)?;
    let seed = sky.seed;
    let sky = Sky::new(sky, frame.time);
    let land = (spec.shading != Shading::CubeMap)
        .then(|| {
            let land = LandSpec { kind: spec.ground, beyond: spec.beyond, level: spec.level, seed };
            Land::find(&frame.meshes, land, sky.sun)
        })
        .flatten();
    match land {
        Some(land) => over_land(spec, &sky, land, view, size, frame),
        None => open_water(spec, &sky, seed, view, size, frame),
    }
}

fn over_land(
    spec: &ClassicSpec,
    sky: &Sky,
    land: Land,
    view: &Viewpoint,
    size: [usize; 2],
    frame: &Frame,
) -> Result<Picture, DrawError> {
    let is_block = spec.beyond == Beyond::Nothing || land.is_ribbon();
    let land = if is_block { land.into_studio(sky) } else { land };
    let around = if is_block {
        let block = BlockSides::new(&land);
        vec![(block.earth, PrimitiveKind::Cut), (block.water, PrimitiveKind::Cut)]
    } else {
        let surrounding_terrain = SurroundingTerrain::new(&land);
        surrounding_terrain
            .into_iter()
            .flat_map(|more| std::iter::once(more.ground).chain(more.water))
            .map(|mesh| (mesh, PrimitiveKind::Mesh))
            .collect()
    };
    let geometry = SceneGeometry::new(frame, Vec::new(), false, around)?;
    let [mut low, mut high] = land.bounds();
    high.z = land.ceiling();
    low.z = if is_block { land.base() } else { low.z };
    let subject = if land.is_ribbon() { Subject::Ribbon([low, high]) } else { Subject::Land([low, high]) };
    let eye = view.eye(&subject, size[0], size[1]);
    let caustics = (spec.caustics.kind != CausticsKind::Nothing && sky.sun.z > 0.02)
        .then(|| Caustics::on_ground(&spec.caustics, frame, sky.sun, Vec3::ZERO))
        .flatten()
        .map(|caustics| caustics.for_pictures(frame, |point| land.daylight(point).0));
    let cube = spec.cube.as_ref().map(|cube| cube.map(|colour| colour * WHITE));
    // In a studio, reflections come from the studio
    let cube = cube.or_else(|| (!is_block).then(|| CubeMap::of(sky)));
    let shading = CausticShading {
        land: &land,
        caustics: caustics.as_ref(),
        sky,
        cube: cube.as_ref(),
        look: spec.look,
    };
    let seen = |hit: &PrimaryHit, direction: Vec3, ground_cache: &mut GroundCache| {
        let footprint =
            eye.pixel_angle() * hit.distance / (-direction.dot(hit.face)).abs().clamp(0.05, 1.0).sqrt();
        match hit.material {
            _ if hit.kind == PrimitiveKind::Particle => sky.skylight * 0.3,
            Material::Ground if hit.kind == PrimitiveKind::Cut => {
                shading.cut(hit.point, hit.normal, footprint, ground_cache)
            }
            Material::Ground => shading.ground(hit.point, hit.normal, direction, footprint, ground_cache),
            Material::Water => shading.water(hit.point, hit.normal, direction, footprint, ground_cache),
            Material::Solid | Material::Glass => {
                Vec3::from(spec.solid) * sky.irradiance(hit.normal) * std::f32::consts::FRAC_1_PI
            }
        }
    };
    let beyond = |direction: Vec3| match (land.studio(), &cube) {
        (Some(studio), _) => studio.seen(sky, eye.position, direction, |_| Vec3::ONE),
        (None, Some(cube)) => cube.at(direction),
        (None, None) => sky.radiance(direction, eye.pixel_angle()),
    };
    let streaks = Streaks::new(&eye, sky, frame.clouds.iter(), size[1].div_ceil(BAND), BAND);
    let light = scan_convert(spec, &eye, &geometry, size, seen, beyond, Some(&streaks));
    Ok(tone_mapping::tone_map(light, spec.exposure, 0.0))
}

/// Radiance of sunlit white, in units of the sky.
const WHITE: f32 = 30.0;

fn open_water(
    spec: &ClassicSpec,
    sky: &Sky,
    seed: u32,
    view: &Viewpoint,
    size: [usize; 2],
    frame: &Frame,
) -> Result<Picture, DrawError> {
    // The formulae work on display-encoded colours, 0 to 1
    let screen = |colour: Vec3| colour.map(|channel| encode(channel.clamp(0.0, 1.0)));
    let cube = match &spec.cube {
        Some(cube) => cube.map(screen),
        None => CubeMap::of(sky).map(|light| {
            screen(
                light.map(|channel| tone_mapping::filmic_curve(0.6 * channel * tone_mapping::EXPOSURE_SCALE)),
            )
        }),
    };
    let mut geometry = SceneGeometry::new(frame, Vec::new(), true, Vec::new())?;
    let sea_slopes = geometry.sea.take().map(|(slopes, _)| slopes);
    let eye = view.eye(&Subject::Sheet(frame.bounds()), size[0], size[1]);
    let extent = SheetExtent::of(frame.meshes.iter().filter(|mesh| mesh.material == Material::Water));
    let bumps = Bumps::new(&spec.bumps, frame.time, seed);
    let shine = spec.shine.on_screen();
    let has_water = extent.sheet[0] != extent.sheet[1];
    let water = |point: Vec3, normal: Vec3, direction: Vec3, footprint: f32| {
        let bent = bumps
            .as_ref()
            .map_or(normal, |bumps| bumps.perturbed_normal(normal, point.truncate(), footprint));
        shine.water(&cube, bent, -direction)
    };
    let footprint_at = |direction: Vec3, distance: f32| {
        eye.pixel_angle() * distance / (-direction.z).clamp(0.02, 1.0).sqrt()
    };
    let seen = |hit: &PrimaryHit, direction: Vec3, _: &mut GroundCache| match hit.material {
        Material::Water => water(hit.point, hit.normal, direction, footprint_at(direction, hit.distance)),
        _ => screen(Vec3::from(spec.solid)) * (0.35 + 0.65 * hit.normal.dot(sky.sun).max(0.0)),
    };
    let beyond = |direction: Vec3| {
        let above = eye.position.z - extent.mean;
        if direction.z >= -1e-4 || above <= 0.0 || !has_water {
            return cube.at(direction.with_z(direction.z.max(1e-3)));
        }
        // The waves continue to the horizon as a normal map
        let distance = above / -direction.z;
        let (point, footprint) = (eye.position + direction * distance, footprint_at(direction, distance));
        let far =
            water(point, around(sea_slopes.as_ref(), point.truncate(), footprint), direction, footprint);
        let horizon = cube.at(direction.with_z(0.01));
        horizon.lerp(far, (-2.0 * distance / eye.position.z.max(1.0) / HORIZON).exp())
    };
    let picture = scan_convert(spec, &eye, &geometry, size, seen, beyond, None);
    Ok(picture.encode(|_, _, colour| {
        colour.map(|channel| (channel * spec.exposure * 255.0 + 0.5).clamp(0.0, 255.0) as u8)
    }))
}

/// Distance, in camera heights, at which the sea fades into haze.
const HORIZON: f32 = 400.0;

fn around(sea_slopes: Option<&SlopeMap>, at: Vec2, footprint: f32) -> Vec3 {
    let slopes = sea_slopes.map(|sea_slopes| sea_slopes.sample(at, footprint)).unwrap_or_default().mean;
    Vec3::new(-slopes.x, -slopes.y, 1.0).normalize()
}

// Scan conversion: every sample is shaded separately, and a pixel is the mean of its samples.
fn scan_convert(
    spec: &ClassicSpec,
    eye: &PinholeCamera,
    geometry: &SceneGeometry<'_>,
    [width, height]: [usize; 2],
    seen: impl Fn(&PrimaryHit, Vec3, &mut GroundCache) -> Vec3 + Sync,
    beyond: impl Fn(Vec3) -> Vec3 + Sync,
    streaks: Option<&Streaks>,
) -> RadianceImage {
    // Bin the geometry
    let samples = spec.samples.clamp(1, 8);
    let raster = Rasteriser::new(eye, geometry, [width, height], samples, BAND, |_| true);
    let mut light = RadianceImage::filled(width, height, [0.0; 3]);
    let sample =
        |band: &VisibilityBuffer, at: [usize; 2], first_row: usize, ground_cache: &mut GroundCache| {
            let sample_position = Vec2::new(at[0] as f32, (first_row * samples + at[1]) as f32) + 0.5;
            let direction = eye.ray_direction(sample_position / samples as f32);
            let primitive = band.primitive(at[0], at[1]);
            let hit = (primitive != NO_PRIMITIVE)
                .then(|| geometry.hit(primitive, eye.position, direction))
                .flatten();
            hit.map(|hit| seen(&hit, direction, ground_cache))
        };
    // Rasterise and shade each band
    light.pixels.par_chunks_mut((BAND * width).max(1)).enumerate().for_each(|(index, pixels)| {
        let band = raster.rasterise_band(index);
        for (index_in_band, pixel) in pixels.iter_mut().enumerate() {
            let (x, row) = (index_in_band % width, index_in_band / width);
            let mut ground_cache = GroundCache::default();
            let (mut sum, mut open) = (Vec3::ZERO, 0.0);
            for number in 0..samples * samples {
                let at = [x * samples + number % samples, row * samples + number / samples];
                match sample(&band, at, index * BAND, &mut ground_cache) {
                    Some(light) => sum += light,
                    None => open += 1.0,
                }
            }
            // Samples without geometry share one lookup of the background
            if open > 0.0 {
                let middle = Vec2::new(x as f32, (index * BAND + row) as f32) + 0.5;
                sum += open * beyond(eye.ray_direction(middle));
            }
            *pixel = (sum / (samples * samples) as f32).to_array();
        }
        if let Some(streaks) = streaks {
            streaks.draw(index, &band, samples, index * BAND, width, pixels);
        }
    });
    light
}
