//! Software rasteriser for water with sun, sky, reflection and refraction.
//!
//! A picture is made in three passes. The `rasteriser` fills a visibility buffer (primitive and depth per sample), one band
//! of rows at a time; the `pixel_shader` computes the radiance of every pixel; `tone_mapping` converts radiance to bytes.
//! Bands are independent, so that the picture has the same bits for any number of threads.
//!
//! A frame whose water has a ground mesh, as height fields do, is rendered as `land`: with shadows, wetness, refraction of
//! the bed and reflection of the shores, and with extrapolated land or sea beyond, or cut out as a block. A frame whose
//! water is a closed surface is rendered as a `liquid` in a tank. `smoke` is ray-marched and composited in front; a frame
//! with smoke and no water is placed in a studio.

pub(crate) mod basin;
pub(crate) mod bed;
pub(crate) mod bed_caustics;
mod clip;
pub(crate) mod flow_ripples;
pub(crate) mod land;
pub(crate) mod liquid;
pub(crate) mod look;
mod opaque_buffer;
mod periodic_sheet;
pub(crate) mod pinhole_camera;
mod pixel_shader;
pub(crate) mod rasteriser;
pub(crate) mod ripples;
pub(crate) mod scene;
pub(crate) mod scene_geometry;
mod shadow_map;
pub(crate) mod slope_map;
pub(crate) mod smoke;
pub(crate) mod streaks;
mod sun_occlusion;
pub(crate) mod tone_mapping;
pub(crate) mod treeline;
pub(crate) mod viewpoint;
mod water_over_land;
pub(crate) mod water_shader;

use glam::{Vec2, Vec3};
use rayon::prelude::*;
use undine_frame::{Frame, Material};
use undine_surface::with_overviews;

pub use basin::Beyond;
pub use bed::BedKind;
pub use flow_ripples::{FlowPhase, FlowPhases};
pub(crate) use land::LandDetail;
pub use land::{GroundKind, StudioBackdrop};
pub use liquid::{LiquidSpec, TankKind};
pub use look::{LOOKS, WaterLook};
pub use pinhole_camera::PinholeCamera;
pub use ripples::RippleSpec;
pub use smoke::SmokeSpec;
pub use tone_mapping::{EXPOSURE_SCALE, filmic_curve};
pub use viewpoint::{Subject, ViewSide, Viewpoint};

pub(crate) use land::lattice;
pub(crate) use liquid::bvh;
pub(crate) use scene_geometry::world_mesh;

use crate::DrawError;
use crate::caustics::CausticsSpec;
use crate::picture::{Picture, RadianceImage};
use crate::sky::{Sky, SkySpec};
use land::Foam;
use opaque_buffer::OpaqueBuffer;
use pixel_shader::PixelShader;
use rasteriser::{NO_PRIMITIVE, Rasteriser, VisibilityBuffer};
use scene::PreviewScene;
use scene_geometry::{PrimitiveKind, SceneGeometry, WorldMesh};
use shadow_map::ShadowMap;
use smoke::{DensityGrid, Smoke};
use streaks::Streaks;
use sun_occlusion::SunOcclusion;
use water_shader::WaterShader;

/// Rows of pixels in a band.
const BAND: usize = 8;

/// The background.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BackdropKind {
    /// A studio for a block of land and for smoke alone, the sky for all else.
    #[default]
    Auto,
    /// The sky.
    Sky,
    /// A pale studio, for a block of land, or for objects without water around them.
    Studio,
    /// A dark studio.
    Dark,
}

/// Settings of a preview.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviewSpec {
    /// Samples along each side of a pixel.
    pub samples: usize,
    /// Multiplies the radiance; 1 suits daylight.
    pub exposure: f32,
    /// Fraction of the highlights added as bloom.
    pub bloom: f32,
    /// Optical properties of the water.
    pub look: WaterLook,
    /// Small ripples on top of the simulated waves.
    pub ripples: RippleSpec,
    /// Material of the bed.
    pub bed: BedKind,
    /// Depth of the water at rest, in metres.
    pub depth: f32,
    /// Height of the water at rest; `None` for the mean height of the frame's water.
    pub level: Option<f32>,
    /// What is drawn beyond the domain.
    pub beyond: Beyond,
    /// Surface material of land.
    pub ground: GroundKind,
    /// The background.
    pub backdrop: BackdropKind,
    /// Amount of foam on fast water.
    pub foam: f32,
    /// Linear colour of solid bodies.
    pub solid: [f32; 3],
    /// Smoke in space.
    pub smoke: SmokeSpec,
    /// Liquids in a tank.
    pub liquid: LiquidSpec,
    /// Caustics on the bed.
    pub caustics: CausticsSpec,
}

impl Default for PreviewSpec {
    fn default() -> Self {
        PreviewSpec {
            samples: 2,
            exposure: 1.0,
            bloom: 0.12,
            look: WaterLook::default(),
            ripples: RippleSpec::default(),
            bed: BedKind::default(),
            depth: 4.0,
            level: None,
            beyond: Beyond::default(),
            ground: GroundKind::default(),
            backdrop: BackdropKind::default(),
            foam: 0.6,
            solid: [0.55, 0.23, 0.12],
            smoke: SmokeSpec::default(),
            liquid: LiquidSpec::default(),
            caustics: CausticsSpec { extends_water: true, ..CausticsSpec::default() },
        }
    }
}

/// Draws a frame as seen from `view` under `sky`.
pub fn draw(
    spec: &PreviewSpec,
    sky: &SkySpec,
    view: &Viewpoint,
    size: [usize; 2],
    frame: &Frame,
) -> Result<Picture, DrawError> {
    let frame = &*with_overviews(frame);
    let visibility = sky.visibility.or_else(|| scene::default_visibility(frame));
    let sky = SkySpec { visibility, ..sky.clone() };
    let light = light(spec, &Sky::new(&sky, frame.time), sky.seed, view, size, frame)?;
    Ok(tone_mapping::tone_map(light, spec.exposure, spec.bloom))
}

/// The radiance of every pixel, before exposure, of a frame with overviews of its large waters.
pub(crate) fn light(
    spec: &PreviewSpec,
    sky: &Sky,
    seed: u32,
    view: &Viewpoint,
    [width, height]: [usize; 2],
    frame: &Frame,
) -> Result<RadianceImage, DrawError> {
    frame.meshes.iter().try_for_each(scene_geometry::check)?;
    if let Some(liquid) = liquid::find(spec, frame) {
        return liquid::render(&liquid, spec, sky, view, [width, height], frame);
    }
    let PreviewScene {
        geometry,
        eye,
        land,
        basin,
        sea_slopes,
        ripples,
        treeline,
        studio,
        smoke_field,
        crest,
    } = PreviewScene::new(spec, sky, seed, view, [width, height], frame)?;
    // Shadow maps, smoke lighting and caustics
    let occlusion = sun_occlusion(spec, &geometry, sky, studio.as_ref(), smoke_field);
    let caustics = bed_caustics::caustics(spec, sky, land.as_ref(), &basin, frame, Vec3::ZERO);
    let mut shader = PixelShader {
        eye: &eye,
        geometry: &geometry,
        sky,
        water: WaterShader::new(sky, ripples, basin, spec.bed, spec.look, crest, treeline),
        sea_slopes,
        opaque: None,
        samples: spec.samples.clamp(1, 8),
        solid: spec.solid.into(),
        land,
        foam: Foam { strength: spec.foam, time: frame.time },
        studio,
        occlusion,
        ripple_length: spec.ripples.scale.max(1e-3),
        caustics,
    };
    // Opaque pass for refraction, then the full picture
    if geometry.has_solids(shader.land.is_none()) {
        shader.opaque = Some(solids(&shader, [width, height]));
    }
    let clouds = frame.clouds.iter();
    let streaks = Streaks::new(&eye, sky, clouds, height.div_ceil(BAND), BAND);
    Ok(everything(&shader, &streaks, [width, height]))
}

// Shadows of bodies and smoke.
fn sun_occlusion(
    spec: &PreviewSpec,
    geometry: &SceneGeometry<'_>,
    sky: &Sky,
    studio: Option<&StudioBackdrop>,
    smoke_field: Option<DensityGrid>,
) -> SunOcclusion {
    // Over land, only the terrain casts shadows
    let bodies =
        (studio.is_some() || smoke_field.is_some()).then(|| ShadowMap::new(geometry, sky.sun)).flatten();
    let around = studio.map_or(0.5 * sky.skylight / std::f32::consts::PI, StudioBackdrop::glow);
    let smoke = smoke_field.map(|smoke_field| {
        let lit = |point: Vec3| bodies.as_ref().map_or(1.0, |map| map.sun_visibility(point));
        Smoke::new(&spec.smoke, smoke_field, sky, around, lit)
    });
    SunOcclusion { bodies, smoke }
}

fn everything(shader: &PixelShader<'_>, streaks: &Streaks, size: [usize; 2]) -> RadianceImage {
    let samples = shader.samples;
    let raster = Rasteriser::new(shader.eye, shader.geometry, size, samples, BAND, |_| true);
    let mut light = RadianceImage::filled(size[0], size[1], [0.0; 3]);
    light.pixels.par_chunks_mut((BAND * size[0]).max(1)).enumerate().for_each(|(index, pixels)| {
        let band = raster.rasterise_band(index);
        let (mut seen, mut hits) = (vec![NO_PRIMITIVE; samples * samples], Vec::new());
        for (index_in_band, pixel) in pixels.iter_mut().enumerate() {
            let (x, row) = (index_in_band % size[0], index_in_band / size[0]);
            for (sample, primitive) in seen.iter_mut().enumerate() {
                *primitive = band.primitive(x * samples + sample % samples, row * samples + sample / samples);
            }
            *pixel = shader.pixel(x, index * BAND + row, &seen, &mut hits).to_array();
        }
        streaks.draw(index, &band, samples, index * BAND, size[0], pixels);
        if shader.occlusion.smoke.is_some() {
            for (index_in_band, pixel) in pixels.iter_mut().enumerate() {
                let (x, row) = (index_in_band % size[0], index_in_band / size[0]);
                let (covered, limit) = covered(&band, shader.eye, [x, row, index * BAND], samples);
                let light = Vec3::from(*pixel);
                *pixel = shader.through_smoke([x, index * BAND + row], light, covered, limit).to_array();
            }
        }
    });
    light
}

// The fraction of a pixel's samples covered by geometry, and its mean distance.
fn covered(
    band: &VisibilityBuffer,
    eye: &PinholeCamera,
    [x, row, first]: [usize; 3],
    samples: usize,
) -> (f32, f32) {
    let inverse_depth =
        |sample: usize| band.inverse_depth(x * samples + sample % samples, row * samples + sample / samples);
    let seen = (0..samples * samples).map(inverse_depth).filter(|&inverse_depth| inverse_depth > 0.0);
    let (count, sum) =
        seen.fold((0.0, 0.0), |(count, sum), inverse_depth| (count + 1.0, sum + inverse_depth));
    let direction = eye.ray_direction(Vec2::new(x as f32, (first + row) as f32) + 0.5);
    let ahead = direction.dot(eye.forward).max(1e-3);
    (count / (samples * samples) as f32, if sum > 0.0 { count / (sum * ahead) } else { f32::INFINITY })
}

// Opaque pass: radiance and distance of solid geometry without water, one sample per pixel.
fn solids(shader: &PixelShader<'_>, size: [usize; 2]) -> OpaqueBuffer {
    // Land is intersected by rays instead
    let solid = |surface: &WorldMesh<'_>| match surface.mesh.material {
        Material::Water => false,
        Material::Ground => shader.land.is_none(),
        Material::Solid | Material::Glass => true,
    };
    let raster = Rasteriser::new(shader.eye, shader.geometry, size, 1, BAND, solid);
    let mut pixels = vec![(Vec3::ZERO, f32::INFINITY); size[0] * size[1]];
    pixels.par_chunks_mut((BAND * size[0]).max(1)).enumerate().for_each(|(index, pixels)| {
        let band = raster.rasterise_band(index);
        for (index_in_band, pixel) in pixels.iter_mut().enumerate() {
            let (x, row) = (index_in_band % size[0], index_in_band / size[0]);
            let direction = shader.eye.ray_direction(Vec2::new(x as f32, (index * BAND + row) as f32) + 0.5);
            let primitive = band.primitive(x, row);
            let hit = (primitive != NO_PRIMITIVE)
                .then(|| shader.geometry.hit(primitive, shader.eye.position, direction));
            if let Some(hit) = hit.flatten().filter(|hit| hit.kind != PrimitiveKind::Particle) {
                *pixel = (shader.bare(direction, &hit, shader.eye.pixel_angle()), hit.distance);
            }
        }
    });
    OpaqueBuffer { width: size[0], pixels }
}

#[cfg(test)]
mod tests {
    use undine_frame::Mesh;

    use super::*;
    use crate::optics::{WATER_INDEX, fresnel};

    // Under a white sky, black water shows its reflectance and nothing else.
    #[test]
    fn a_flat_lake_reflects_by_fresnel() {
        let mut frame = Frame::new(0, 0.0);
        frame.meshes.push(Mesh::flat_sheet("lake", [40.0, 40.0], [9, 9]));
        let look = WaterLook { absorption: Vec3::splat(1e6), scattering: Vec3::ZERO };
        let ripples = RippleSpec { strength: 0.0, ..RippleSpec::default() };
        let spec = PreviewSpec { look, ripples, beyond: Beyond::Nothing, ..PreviewSpec::default() };
        let view = Viewpoint {
            eye: Some(Vec3::new(20.0, 2.0, 6.0)),
            target: Some(Vec3::new(20.0, 20.0, 0.0)),
            ..Viewpoint::default()
        };
        let sky = Sky::uniform(Vec3::ONE);
        let picture = light(&spec, &sky, 1, &view, [65, 65], &frame).unwrap();
        let eye = view.eye(&Subject::Sheet(frame.bounds()), 65, 65);
        for (x, y) in [(32, 32), (10, 40), (60, 60)] {
            let cosine = -eye.ray_direction(Vec2::new(x as f32, y as f32) + 0.5).z;
            let expected = fresnel(cosine, WATER_INDEX);
            let seen = picture.pixels[y * 65 + x][1];
            assert!((seen - expected).abs() < 1e-5, "{seen} is not {expected} at {x}, {y}");
        }
    }
}
