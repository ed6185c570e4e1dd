//! What picture is wanted, and the one function that draws it.

use undine_frame::{FieldRequest, Frame, FrameRequest};
use undine_scene::Timed;

use crate::classic::{self, ClassicSpec};
use crate::effort::trace_seconds;
use crate::flat::{self, FlatSpec};
use crate::plots::{self, PlotSpec};
use crate::preview::{self, PreviewSpec, Viewpoint};
use crate::props::{Props, with_props};
use crate::sky::{SkySpec, SunTime};
use crate::trace::{self, TraceSpec};
use crate::{AutoChoices, Camera, DrawError, Picture, PictureWithPasses};

/// A sky whose sun may move.
#[derive(Debug, Clone)]
pub struct Daylight {
    /// All but the place of the sun.
    pub sky: SkySpec,
    /// Where the sun stands, in degrees from +x towards +y.
    pub sun_azimuth: Timed,
    /// Its height above the horizon in degrees.
    pub sun_elevation: Timed,
    /// The hour of the day, and the place and day that belong to it: the sun then stands where it does on Earth.
    pub hours: Option<(Timed, SunTime)>,
}

impl Daylight {
    /// The sky at `time` seconds.
    pub fn at(&self, time: f64) -> SkySpec {
        let [sun_azimuth, sun_elevation] = match &self.hours {
            Some((hours, sun_time)) => SunTime { hours: hours.at(time), ..*sun_time }.sun(),
            None => [self.sun_azimuth.at(time) as f32, self.sun_elevation.at(time) as f32],
        };
        SkySpec { sun_azimuth, sun_elevation, ..self.sky.clone() }
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
    /// Water as the eye sees it.
    Preview(PreviewSpec),
    /// Water as light finds it, path by path.
    Trace(Box<TraceSpec>),
    /// Water as it was drawn in 1990 and 2007.
    Classic(ClassicSpec),
    /// A field as a flat picture.
    Plot(PlotSpec),
    /// A fluid that fills the page.
    Flat(FlatSpec),
}

/// A picture that can be drawn of every frame.
#[derive(Debug, Clone)]
pub struct PictureSpec {
    /// Its name, fit for a file name.
    pub name: String,
    /// Pixels along a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// What is drawn.
    pub kind: PictureKind,
    /// From where.
    pub camera: Camera,
    /// In what light.
    pub daylight: Daylight,
    /// What else is in it.
    pub props: Props,
    /// What is left to the machine on which it is drawn.
    pub auto_choices: AutoChoices,
}

impl PictureSpec {
    /// Which parts of a frame it reads.
    pub fn request(&self) -> FrameRequest {
        let in_space = |fields: FieldRequest| FrameRequest {
            surfaces: false,
            meshes: true,
            liquid_meshes: true,
            clouds: true,
            fields,
        };
        let on_page =
            |clouds: bool| FrameRequest { clouds, fields: FieldRequest::All, ..FrameRequest::default() };
        let smoke = |preview: &PreviewSpec| FieldRequest::Chosen(vec![preview.smoke.choice()]);
        match &self.kind {
            PictureKind::Preview(preview) => in_space(smoke(preview)),
            PictureKind::Trace(trace) => in_space(smoke(&trace.scene)),
            PictureKind::Classic(_) => in_space(FieldRequest::None),
            PictureKind::Plot(plot) => on_page(plot.shows_particles),
            PictureKind::Flat(flat) => on_page(flat.reads_particles()),
        }
    }

    /// What it shows, if it is a preview or traced.
    pub fn in_space(&self) -> Option<&PreviewSpec> {
        match &self.kind {
            PictureKind::Preview(preview) => Some(preview),
            PictureKind::Trace(trace) => Some(&trace.scene),
            PictureKind::Classic(_) | PictureKind::Plot(_) | PictureKind::Flat(_) => None,
        }
    }

    /// From where it is seen at `time` seconds.
    pub fn viewpoint(&self, time: f64) -> Viewpoint {
        let depth = self.in_space().map_or(0.0, |scene| scene.depth);
        Viewpoint { depth, ..self.camera.at(time) }
    }

    /// About how much memory it takes to draw, in bytes: light, its copies for the bloom, and the picture.
    pub fn memory(&self) -> u64 {
        let per_pixel = match self.kind {
            // It keeps its background, and brings up to four numbers to every pixel.
            PictureKind::Flat(_) => 44,
            // Every pixel has its light, its variance and what guides the filter, before and after it.
            PictureKind::Trace(_) => 160,
            _ => 18,
        };
        per_pixel * u64::from(self.width) * u64::from(self.height)
    }

    /// About how long it takes to draw, in seconds on one thread.
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

/// Draws a frame, and the fields that the picture asks for beside its colours.
pub fn draw_with_passes(spec: &PictureSpec, frame: &Frame) -> Result<PictureWithPasses, DrawError> {
    let size = [spec.width.max(1) as usize, spec.height.max(1) as usize];
    let (sky, view) = (spec.daylight.at(frame.time), spec.viewpoint(frame.time));
    let shown = || with_props(frame, &spec.props);
    match &spec.kind {
        PictureKind::Preview(preview) => {
            preview::draw(preview, &sky, &view, size, &shown()).map(PictureWithPasses::from)
        }
        PictureKind::Trace(trace) => trace::draw(trace, &sky, &view, size, &shown(), None),
        PictureKind::Classic(classic) => {
            classic::draw(classic, &sky, &view, size, &shown()).map(PictureWithPasses::from)
        }
        PictureKind::Plot(plot) => plots::draw(plot, size, frame).map(PictureWithPasses::from),
        PictureKind::Flat(flat) => flat::draw(flat, size, frame).map(PictureWithPasses::from),
    }
}
