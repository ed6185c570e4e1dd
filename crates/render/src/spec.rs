//! Specification of a picture, and the function that renders it.

use undine_frame::{FieldRequest, Frame, FrameRequest};
use undine_scene::{Problem, Timed};

use crate::classic::{self, ClassicSpec};
use crate::effort::trace_seconds;
use crate::flat::{self, FlatSpec};
use crate::plots::{self, PlotSpec};
use crate::preview::{self, PreviewSpec, Viewpoint};
use crate::props::{Props, with_props};
use crate::sky::{SkySpec, SunTime};
use crate::trace::{self, TraceSpec};
use crate::{AutoChoices, Camera, DrawError, Picture, PictureWithPasses};

/// A sky with an animated sun.
#[derive(Debug, Clone)]
pub struct Daylight {
    /// All but the direction of the sun.
    pub sky: SkySpec,
    /// Azimuth of the sun, in degrees from +x towards +y.
    pub sun_azimuth: Timed,
    /// Its elevation above the horizon in degrees.
    pub sun_elevation: Timed,
    /// Hour of the day with latitude and date, from which the sun's direction is computed instead.
    pub hours: Option<(Timed, SunTime)>,
}

impl Daylight {
    /// The sky at `time` seconds.
    pub fn at(&self, time: f64) -> Result<SkySpec, Problem> {
        let [sun_azimuth, sun_elevation] = match &self.hours {
            Some((hours, sun_time)) => SunTime { hours: hours.at(time)?, ..*sun_time }.sun(),
            None => [self.sun_azimuth.at(time)? as f32, self.sun_elevation.at(time)? as f32],
        };
        Ok(SkySpec { sun_azimuth, sun_elevation, ..self.sky.clone() })
    }
}

impl Default for Daylight {
    fn default() -> Self {
        let sky = SkySpec::default();
        let constant = |number: f32| Timed::constant(f64::from(number));
        Daylight {
            sun_azimuth: constant(sky.sun_azimuth),
            sun_elevation: constant(sky.sun_elevation),
            hours: None,
            sky,
        }
    }
}

/// What is drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum PictureKind {
    /// Water by the software rasteriser.
    Preview(PreviewSpec),
    /// Water by the path tracer.
    Trace(Box<TraceSpec>),
    /// Water by the methods of 1990 and 2007.
    Classic(ClassicSpec),
    /// A plot of a field.
    Plot(PlotSpec),
    /// A 2-D fluid composited from layers.
    Flat(FlatSpec),
}

/// A picture that can be drawn of every frame.
#[derive(Debug, Clone)]
pub struct PictureSpec {
    /// Its name, used in file names.
    pub name: String,
    /// Pixels along a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// What is drawn.
    pub kind: PictureKind,
    /// The camera.
    pub camera: Camera,
    /// Sky and sun.
    pub daylight: Daylight,
    /// Objects that only pictures show.
    pub props: Props,
    /// Settings that the scene leaves to the machine.
    pub auto_choices: AutoChoices,
}

impl PictureSpec {
    /// Which parts of a frame it reads.
    pub fn request(&self) -> FrameRequest {
        let in_space = |fields: FieldRequest| FrameRequest {
            surfaces: false,
            meshes: true,
            large_meshes: false,
            liquid_meshes: true,
            clouds: true,
            fields,
            counters: false,
        };
        let on_page =
            |clouds: bool| FrameRequest { clouds, fields: FieldRequest::All, ..FrameRequest::default() };
        let smoke = |preview: &PreviewSpec| FieldRequest::Chosen(vec![preview.smoke.choice()]);
        match &self.kind {
            PictureKind::Preview(preview) => in_space(smoke(preview)),
            PictureKind::Trace(trace) => in_space(smoke(&trace.scene)),
            PictureKind::Classic(_) => in_space(FieldRequest::None),
            PictureKind::Plot(plot) => {
                FrameRequest { counters: plot.counters.is_some(), ..on_page(plot.shows_particles) }
            }
            PictureKind::Flat(flat) => {
                FrameRequest { surfaces: flat.reads_outlines(), ..on_page(flat.reads_particles()) }
            }
        }
    }

    /// The settings of its 3-D scene, if it is a preview or traced.
    pub fn in_space(&self) -> Option<&PreviewSpec> {
        match &self.kind {
            PictureKind::Preview(preview) => Some(preview),
            PictureKind::Trace(trace) => Some(&trace.scene),
            PictureKind::Classic(_) | PictureKind::Plot(_) | PictureKind::Flat(_) => None,
        }
    }

    /// The viewpoint at `time` seconds.
    pub fn viewpoint(&self, time: f64) -> Result<Viewpoint, Problem> {
        let depth = self.in_space().map_or(0.0, |scene| scene.depth);
        Ok(Viewpoint { depth, ..self.camera.at(time)? })
    }

    /// Estimated memory for rendering, in bytes: the radiance image, its copies for bloom, and the picture.
    pub fn memory(&self) -> u64 {
        let per_pixel = match self.kind {
            // Background and up to four resampled numbers per pixel
            PictureKind::Flat(_) => 44,
            // Radiance, variance and the denoiser's guide images, before and after denoising
            PictureKind::Trace(_) => 160,
            _ => 18,
        };
        per_pixel * u64::from(self.width) * u64::from(self.height)
    }

    /// Estimated rendering time, in seconds on one thread.
    pub fn estimate(&self) -> f64 {
        let pixels = f64::from(self.width) * f64::from(self.height);
        match &self.kind {
            PictureKind::Preview(preview) => pixels * (preview.samples * preview.samples) as f64 * 4.5e-7,
            PictureKind::Trace(trace) => trace_seconds([self.width, self.height], trace),
            PictureKind::Classic(classic) => pixels * (classic.samples * classic.samples) as f64 * 2e-7,
            PictureKind::Plot(_) => pixels * 1e-7,
            PictureKind::Flat(flat) => pixels * (2e-8 + 4e-8 * flat.layers.len().max(2) as f64),
        }
    }
}

impl Default for PictureSpec {
    fn default() -> Self {
        PictureSpec {
            name: String::from("preview"),
            width: 1280,
            height: 720,
            kind: PictureKind::Preview(PreviewSpec::default()),
            camera: Camera::default(),
            daylight: Daylight::default(),
            props: Props::default(),
            auto_choices: AutoChoices::default(),
        }
    }
}

/// Draws a frame.
///
/// ```
/// use undine_frame::{Frame, Mesh};
/// use undine_render::{PictureSpec, draw};
///
/// let mut frame = Frame::new(0, 0.0);
/// frame.meshes.push(Mesh::flat_sheet("lake", [40.0, 40.0], [64, 64]));
/// let spec = PictureSpec { width: 64, height: 36, ..PictureSpec::default() };
/// let picture = draw(&spec, &frame)?;
/// assert_eq!(picture.rgb.len(), 64 * 36 * 3);
/// # Ok::<(), undine_render::DrawError>(())
/// ```
pub fn draw(spec: &PictureSpec, frame: &Frame) -> Result<Picture, DrawError> {
    draw_with_passes(spec, frame).map(|drawn| drawn.picture)
}

/// Draws a frame, and the render passes (depth, normals, …) that the picture requests.
pub fn draw_with_passes(spec: &PictureSpec, frame: &Frame) -> Result<PictureWithPasses, DrawError> {
    let size = [spec.width.max(1) as usize, spec.height.max(1) as usize];
    let (sky, view) = (spec.daylight.at(frame.time)?, spec.viewpoint(frame.time)?);
    let shown = || with_props(frame, &spec.props);
    match &spec.kind {
        PictureKind::Preview(preview) => {
            preview::draw(preview, &sky, &view, size, shown()?.as_ref()).map(PictureWithPasses::from)
        }
        PictureKind::Trace(trace) => trace::draw(trace, &sky, &view, size, shown()?.as_ref(), None),
        PictureKind::Classic(classic) => {
            classic::draw(classic, &sky, &view, size, shown()?.as_ref()).map(PictureWithPasses::from)
        }
        PictureKind::Plot(plot) => plots::draw(plot, size, frame).map(PictureWithPasses::from),
        PictureKind::Flat(flat) => flat::draw(flat, size, frame).map(PictureWithPasses::from),
    }
}
