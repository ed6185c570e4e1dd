//! Water as the eye sees it: a fast rasteriser with sun, sky, reflection and depth.
//!
//! A picture is made in three passes. The rasteriser finds which triangle every sample sees, band of rows by band; the
//! painter turns samples into light; a filmic curve develops the light. Nothing in a band depends on another, so the
//! picture has the same bits for any number of threads.
//!
//! A frame whose water stands on a ground, as height fields do, is drawn as land: with shadows, wetness, the bed seen
//! through the water and the shores mirrored in it, and with more land or sea beyond, or cut out as a block.
//!
//! A frame whose water is a closed surface is drawn as a liquid in a tank.
//!
//! Smoke in space is drawn before everything behind it. A frame with smoke and no water stands in a studio.

mod backdrop;
pub(crate) mod basin;
pub(crate) mod bed;
pub(crate) mod camera;
mod clip;
pub(crate) mod land;
pub(crate) mod liquid;
pub(crate) mod look;
mod paint;
pub(crate) mod raster;
pub(crate) mod ripples;
pub(crate) mod setting;
mod shade;
mod shallows;
pub(crate) mod slopes;
pub(crate) mod smoke;
pub(crate) mod stage;
pub(crate) mod streaks;
pub(crate) mod sunbed;
mod sunmap;
mod swell;
pub(crate) mod tone;
pub(crate) mod treeline;
pub(crate) mod viewpoint;
pub(crate) mod water;

use glam::{Vec2, Vec3};
use rayon::prelude::*;
use undine_frame::{Frame, Material};

pub use basin::Beyond;
pub use bed::BedKind;
pub use camera::Eye;
pub use land::{GroundKind, Studio};
pub use liquid::{LiquidSpec, TankKind};
pub use look::{LOOKS, WaterLook};
pub use ripples::RippleSpec;
pub use smoke::SmokeSpec;
pub use tone::{MIDDLE, film};
pub use viewpoint::{Side, Subject, Viewpoint};

pub(crate) use land::lattice;
pub(crate) use liquid::bvh;
pub(crate) use stage::in_the_world;

use crate::DrawError;
use crate::caustics::CausticsSpec;
use crate::picture::{Picture, Radiance};
use crate::sky::{Sky, SkySpec};
use backdrop::Backdrop;
use land::Foam;
use paint::Painter;
use raster::{Band, NOTHING, Raster};
use setting::Setting;
use shade::Shade;
use smoke::{Smoke, Volume};
use stage::{Part, Stage, Surface};
use streaks::Streaks;
use sunmap::SunMap;
use water::Water;

/// Rows of pixels in a band.
const BAND: usize = 8;

/// What is seen behind everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BackdropKind {
    /// A studio for a block of land and for smoke alone, the sky for all else.
    #[default]
    Auto,
    /// The sky.
    Sky,
    /// A pale studio, for a block of land, or for things without water around them.
    Studio,
    /// A dark studio.
    Dark,
}

/// How a preview is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviewSpec {
    /// Samples along each side of a pixel.
    pub samples: usize,
    /// Multiplies the light; 1 suits daylight.
    pub exposure: f32,
    /// Share of the highlights that spills over their surroundings.
    pub bloom: f32,
    /// The inner look of the water.
    pub look: WaterLook,
    /// Small ripples on top of the simulated waves.
    pub ripples: RippleSpec,
    /// What the bed is made of.
    pub bed: BedKind,
    /// Depth of the water at rest, in metres.
    pub depth: f32,
    /// Height of the water at rest; `None` for the mean height of the frame's water.
    pub level: Option<f32>,
    /// What lies beyond the sheet.
    pub beyond: Beyond,
    /// What land is covered with.
    pub ground: GroundKind,
    /// What is seen behind everything.
    pub backdrop: BackdropKind,
    /// How much foam there is on fast water.
    pub foam: f32,
    /// Linear colour of solid bodies.
    pub solid: [f32; 3],
    /// Smoke in space.
    pub smoke: SmokeSpec,
    /// Liquids in a tank.
    pub liquid: LiquidSpec,
    /// How sunlight is gathered on the bed.
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
            caustics: CausticsSpec { carries_on: true, ..CausticsSpec::default() },
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
    let visibility = sky.visibility.or_else(|| setting::clear_air(frame));
    let sky = SkySpec { visibility, ..sky.clone() };
    let light = light(spec, &Sky::new(&sky, frame.time), sky.seed, view, size, frame)?;
    Ok(tone::develop(light, spec.exposure, spec.bloom))
}

/// The light that reaches the picture, before exposure.
pub(crate) fn light(
    spec: &PreviewSpec,
    sky: &Sky,
    seed: u32,
    view: &Viewpoint,
    [width, height]: [usize; 2],
    frame: &Frame,
) -> Result<Radiance, DrawError> {
    frame.meshes.iter().try_for_each(stage::check)?;
    if let Some(liquid) = liquid::find(spec, frame) {
        return liquid::render(&liquid, spec, sky, view, [width, height], frame);
    }
    let Setting { stage, eye, land, basin, swell, ripples, wood, studio, fog, crest } =
        Setting::new(spec, sky, seed, view, [width, height], frame)?;
    let shade = shade(spec, &stage, sky, studio.as_ref(), fog);
    let caustics = sunbed::caustics(spec, sky, land.as_ref(), &basin, frame, Vec3::ZERO);
    let mut painter = Painter {
        eye: &eye,
        stage: &stage,
        sky,
        water: Water::new(sky, ripples, basin, spec.bed, spec.look, crest, wood),
        swell,
        backdrop: None,
        samples: spec.samples.clamp(1, 8),
        solid: spec.solid.into(),
        land,
        foam: Foam { strength: spec.foam, time: frame.time },
        studio,
        shade,
        ripple_length: spec.ripples.scale.max(1e-3),
        caustics,
    };
    if stage.has_solids(painter.land.is_none()) {
        painter.backdrop = Some(solids(&painter, [width, height]));
    }
    let clouds = frame.clouds.iter();
    let streaks = Streaks::new(&eye, sky, clouds, height.div_ceil(BAND), BAND);
    Ok(everything(&painter, &streaks, [width, height]))
}

// What keeps the sun off: bodies and smoke.
fn shade(
    spec: &PreviewSpec,
    stage: &Stage<'_>,
    sky: &Sky,
    studio: Option<&Studio>,
    fog: Option<Volume>,
) -> Shade {
    // Over land bodies get the shadows of the land.
    let bodies = (studio.is_some() || fog.is_some()).then(|| SunMap::new(stage, sky.sun)).flatten();
    let around = studio.map_or(0.5 * sky.skylight / std::f32::consts::PI, Studio::glow);
    let smoke = fog.map(|fog| {
        let lit = |point: Vec3| bodies.as_ref().map_or(1.0, |map| map.lit(point));
        Smoke::new(&spec.smoke, fog, sky, around, lit)
    });
    Shade { bodies, smoke }
}

fn everything(painter: &Painter<'_>, streaks: &Streaks, size: [usize; 2]) -> Radiance {
    let samples = painter.samples;
    let raster = Raster::new(painter.eye, painter.stage, size, samples, BAND, |_| true);
    let mut light = Radiance::filled(size[0], size[1], [0.0; 3]);
    light.pixels.par_chunks_mut((BAND * size[0]).max(1)).enumerate().for_each(|(index, pixels)| {
        let band = raster.fill(index);
        let (mut seen, mut hits) = (vec![NOTHING; samples * samples], Vec::new());
        for (place, pixel) in pixels.iter_mut().enumerate() {
            let (x, row) = (place % size[0], place / size[0]);
            for (sample, primitive) in seen.iter_mut().enumerate() {
                *primitive = band.primitive(x * samples + sample % samples, row * samples + sample / samples);
            }
            *pixel = painter.pixel(x, index * BAND + row, &seen, &mut hits).to_array();
        }
        streaks.draw(index, &band, samples, index * BAND, size[0], pixels);
        if painter.shade.smoke.is_some() {
            for (place, pixel) in pixels.iter_mut().enumerate() {
                let (x, row) = (place % size[0], place / size[0]);
                let (covered, limit) = covered(&band, painter.eye, [x, row, index * BAND], samples);
                let light = Vec3::from(*pixel);
                *pixel = painter.through_smoke([x, index * BAND + row], light, covered, limit).to_array();
            }
        }
    });
    light
}

// The share of a pixel's samples that see something, and how far that is away.
fn covered(band: &Band, eye: &Eye, [x, row, first]: [usize; 3], samples: usize) -> (f32, f32) {
    let nearness =
        |sample: usize| band.nearness(x * samples + sample % samples, row * samples + sample / samples);
    let seen = (0..samples * samples).map(nearness).filter(|&nearness| nearness > 0.0);
    let (count, sum) = seen.fold((0.0, 0.0), |(count, sum), nearness| (count + 1.0, sum + nearness));
    let direction = eye.through(Vec2::new(x as f32, (first + row) as f32) + 0.5);
    let ahead = direction.dot(eye.ahead).max(1e-3);
    (count / (samples * samples) as f32, if sum > 0.0 { count / (sum * ahead) } else { f32::INFINITY })
}

// The solid part of the picture, one sample per pixel.
fn solids(painter: &Painter<'_>, size: [usize; 2]) -> Backdrop {
    // Rays meet the land by themselves.
    let solid = |surface: &Surface<'_>| match surface.mesh.material {
        Material::Water => false,
        Material::Ground => painter.land.is_none(),
        Material::Solid | Material::Glass => true,
    };
    let raster = Raster::new(painter.eye, painter.stage, size, 1, BAND, solid);
    let mut pixels = vec![(Vec3::ZERO, f32::INFINITY); size[0] * size[1]];
    pixels.par_chunks_mut((BAND * size[0]).max(1)).enumerate().for_each(|(index, pixels)| {
        let band = raster.fill(index);
        for (place, pixel) in pixels.iter_mut().enumerate() {
            let (x, row) = (place % size[0], place / size[0]);
            let direction = painter.eye.through(Vec2::new(x as f32, (index * BAND + row) as f32) + 0.5);
            let primitive = band.primitive(x, row);
            let hit =
                (primitive != NOTHING).then(|| painter.stage.hit(primitive, painter.eye.position, direction));
            if let Some(hit) = hit.flatten().filter(|hit| hit.part != Part::Particle) {
                *pixel = (painter.bare(direction, &hit, painter.eye.pixel_angle()), hit.distance);
            }
        }
    });
    Backdrop { width: size[0], pixels }
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
            let cosine = -eye.through(Vec2::new(x as f32, y as f32) + 0.5).z;
            let expected = fresnel(cosine, WATER_INDEX);
            let seen = picture.pixels[y * 65 + x][1];
            assert!((seen - expected).abs() < 1e-5, "{seen} is not {expected} at {x}, {y}");
        }
    }
}
