//! Water as the eye sees it: a fast rasteriser with sun, sky, reflection and depth.
//!
//! A picture is made in three passes. The rasteriser finds which triangle every sample sees, band of rows by band; the
//! painter turns samples into light; a filmic curve develops the light. Nothing in a band depends on another, so the picture
//! has the same bits for any number of threads.

mod backdrop;
mod basin;
mod bed;
mod camera;
mod clip;
mod look;
mod paint;
mod raster;
mod ripples;
mod slopes;
mod stage;
mod swell;
mod tone;
mod treeline;
mod viewpoint;
mod water;

use glam::{Vec2, Vec3};
use rayon::prelude::*;
use undine_frame::{Frame, Substance};

pub use basin::Beyond;
pub use bed::BedKind;
pub use camera::Eye;
pub use look::{LOOKS, WaterLook};
pub use ripples::RippleSpec;
pub use viewpoint::Viewpoint;

use crate::DrawError;
use crate::picture::{Picture, Radiance};
use crate::sky::{Sky, SkySpec};
use backdrop::Backdrop;
use basin::Basin;
use paint::Painter;
use raster::{NOTHING, Raster};
use ripples::Ripples;
use stage::{Extent, Part, Stage, Surface};
use treeline::Treeline;
use water::Water;

/// Rows of pixels in a band.
const BAND: usize = 8;

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
    /// Linear colour of solid bodies.
    pub solid: [f32; 3],
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
            solid: [0.55, 0.23, 0.12],
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
    let light = light(spec, &Sky::new(sky, frame.time), sky.seed, view, size, frame)?;
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
    let mut stage = Stage::new(frame, spec.beyond == Beyond::Sea)?;
    let eye = view.eye(frame.bounds(), width, height);
    let extent = Extent::of(frame.meshes.iter().filter(|mesh| mesh.substance == Substance::Water));
    let (swell, drawn) =
        stage.sea.take().map_or((None, extent.sheet), |(slopes, drawn)| (Some(slopes), drawn));
    let basin = Basin::new(spec.level.unwrap_or(extent.mean), spec.depth, spec.beyond, drawn, seed);
    let crest = extent.highest - basin.level;
    let ripples = Ripples::new(&spec.ripples, frame.time, seed);
    let wood = (spec.beyond == Beyond::Shore).then(|| Treeline::new(sky, seed));
    let mut painter = Painter {
        eye: &eye,
        stage: &stage,
        sky,
        water: Water::new(sky, ripples, basin, spec.bed, spec.look, crest, wood),
        swell,
        backdrop: None,
        samples: spec.samples.clamp(1, 8),
        solid: spec.solid.into(),
    };
    if stage.has_solids() {
        painter.backdrop = Some(solids(&painter, [width, height]));
    }
    Ok(everything(&painter, [width, height]))
}

fn everything(painter: &Painter<'_>, size: [usize; 2]) -> Radiance {
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
    });
    light
}

// The solid part of the picture, one sample per pixel.
fn solids(painter: &Painter<'_>, size: [usize; 2]) -> Backdrop {
    let solid = |surface: &Surface<'_>| surface.mesh.substance != Substance::Water;
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
                *pixel = (painter.bare(&hit, painter.eye.pixel_angle()), hit.distance);
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
        let eye = view.eye(frame.bounds(), 65, 65);
        for (x, y) in [(32, 32), (10, 40), (60, 60)] {
            let cosine = -eye.through(Vec2::new(x as f32, y as f32) + 0.5).z;
            let expected = fresnel(cosine, WATER_INDEX);
            let seen = picture.pixels[y * 65 + x][1];
            assert!((seen - expected).abs() < 1e-5, "{seen} is not {expected} at {x}, {y}");
        }
    }
}
