//! Flat pictures: a 2-D fluid, or a slice of a 3-D one, fills the page, without axes.
//!
//! A picture is a stack of [`PictureLayer`]s, composited from the bottom up in linear light. Without layers it shows the
//! water of a liquid, the dye, or else speed, vorticity and arrows, as the interactive solver of [demeulenaere2008] does.

mod arrows;
mod compositor;
mod dye;
mod field;
mod glow;
mod grid;
mod image;
mod keys;
mod layer;
mod layer_context;
mod metaballs;
mod outline;
mod particles;
mod relief;
mod resample;
mod settings;
mod signed_distance;
mod solid;
mod streamlines;
mod strokes;
mod water;

use std::borrow::Cow;

use undine_frame::{Cloud, CloudRole, FieldChoice, Frame, Quantity};

pub use arrows::ArrowLayer;
pub use dye::{DyeLayer, InkKind};
pub use field::FieldLayer;
pub use glow::GlowLayer;
pub use grid::{CellsLayer, GridLayer};
pub use image::{ImageError, ImageExtent, ImageLayer, RgbaImage};
pub use keys::LAYER_KEYS;
pub use layer::{Blend, LayerContent, PictureLayer};
pub use metaballs::MetaballLayer;
pub use outline::OutlineLayer;
pub use particles::{ColourBy, ParticleLayer};
pub use relief::{PointLight, ReliefLayer};
pub(crate) use settings::{read_flat, read_image, read_layers};
pub use solid::SolidLayer;
pub use streamlines::{Seeding, StreamlineLayer};
pub use water::WaterLayer;

use crate::DrawError;
use crate::picture::{Picture, RadianceImage};
use crate::plots::canvas::LinearRgb;
use crate::plots::slice::{Slice, axes_across};
use crate::plots::{HslRamp, MapChoice};
use compositor::{Compositor, PixelRect};
use layer_context::LayerContext;

/// Settings of a flat picture.
#[derive(Debug, Clone, PartialEq)]
pub struct FlatSpec {
    /// The layers from the bottom up; empty for a default that depends on the frame.
    pub layers: Vec<PictureLayer>,
    /// Margin around the fluid, as a fraction of the picture's height.
    pub margin: f32,
    /// Background colour, linear.
    pub background: LinearRgb,
    /// Background picture.
    pub background_image: Option<RgbaImage>,
    /// Axis normal to the slice of a 3-D field: 0 for x, 1 for y, 2 for z.
    pub across: Option<usize>,
    /// Position of the slice, in metres; `None` for the middle.
    pub position: Option<f64>,
}

impl Default for FlatSpec {
    fn default() -> Self {
        FlatSpec {
            layers: Vec::new(),
            margin: 0.0,
            background: [0.003, 0.004, 0.006],
            background_image: None,
            across: None,
            position: None,
        }
    }
}

impl FlatSpec {
    /// Whether it may read particles; without layers it does, for the colours of a liquid.
    pub fn reads_particles(&self) -> bool {
        self.layers.is_empty() || self.layers.iter().any(PictureLayer::reads_particles)
    }

    /// Whether it may read outlines.
    pub fn reads_outlines(&self) -> bool {
        self.layers.iter().any(|layer| matches!(layer.show, LayerContent::Outline(_)))
    }

    /// Its layers, or those that suit a frame where it has none.
    fn layers_for(&self, frame: &Frame) -> Cow<'_, [PictureLayer]> {
        if self.layers.is_empty() { default_layers(frame).into() } else { self.layers.as_slice().into() }
    }

    /// The margin of a picture of this height, in pixels.
    fn margin_pixels(&self, height: usize) -> usize {
        (self.margin.clamp(0.0, 0.5) * height as f32).round() as usize
    }

    /// The fields that its layers require.
    pub fn fields(&self) -> impl Iterator<Item = &FieldChoice> {
        self.layers.iter().filter_map(PictureLayer::field)
    }
}

/// Draws a flat picture of a frame.
pub fn draw(spec: &FlatSpec, [width, height]: [usize; 2], frame: &Frame) -> Result<Picture, DrawError> {
    let layers = spec.layers_for(frame);
    let PageExtent { axes, layer, low, high } = extent(spec, &layers, frame)?;
    let mut background = RadianceImage::filled(width, height, spec.background);
    if let Some(image) = &spec.background_image {
        image.cover(&mut background);
    }
    let compositor = Compositor::new(background, spec.margin_pixels(height), low, high);
    let mut context =
        LayerContext { frame, across: spec.across, position: spec.position, axes, layer, compositor };
    layers.iter().try_for_each(|layer| layer.draw(&mut context))?;
    Ok(context.compositor.finish())
}

/// Lowest and highest corner, in metres along the axes of the page, of what a whole picture of this size shows: the fluid
/// and the margin around it.
pub fn page_window(
    spec: &FlatSpec,
    [width, height]: [usize; 2],
    frame: &Frame,
) -> Result<[[f64; 2]; 2], DrawError> {
    let layers = spec.layers_for(frame);
    let PageExtent { low, high, .. } = extent(spec, &layers, frame)?;
    let page = PixelRect { left: 0, top: 0, width: width.max(1), height: height.max(1) };
    let inner = page.around_fluid(spec.margin_pixels(height), low, high);
    // Metres per pixel, and the pixels left of, right of, below and above the fluid
    let pixel = (high[0] - low[0]) / inner.width as f64;
    let right = page.width - inner.left - inner.width;
    let below = page.height - inner.top - inner.height;
    let metres = |pixels: usize| pixel * pixels as f64;
    Ok([
        [low[0] - metres(inner.left), low[1] - metres(below)],
        [high[0] + metres(right), high[1] + metres(inner.top)],
    ])
}

// Default layers: water, markers in their cells, dye, or speed, vorticity and arrows; and obstacles if there are any.
fn default_layers(frame: &Frame) -> Vec<PictureLayer> {
    let has = |quantity: Quantity| frame.field_of(quantity).is_some();
    let mut layers = Vec::new();
    if has(Quantity::SurfaceDistance) {
        layers.push(PictureLayer::new(LayerContent::Water(WaterLayer::default())));
    } else if frame.clouds.iter().any(|cloud| cloud.role == CloudRole::Marker) {
        let cells = has(Quantity::CellKind).then(|| LayerContent::Cells(CellsLayer::default()));
        layers.extend(cells.map(PictureLayer::new));
        layers.push(PictureLayer::new(LayerContent::Particles(ParticleLayer::default())));
    } else if has(Quantity::Dye) {
        layers.push(PictureLayer::new(LayerContent::Dye(DyeLayer::default())));
    } else if has(Quantity::Speed) && has(Quantity::Vorticity) {
        layers.extend(speed_vorticity_layers(has(Quantity::Velocity)));
    } else if let Some(raster) = frame.fields.first() {
        layers.push(PictureLayer::new(LayerContent::Field(FieldLayer::of(raster.name.as_str()))));
    }
    if has(Quantity::SolidDistance) || has(Quantity::SolidMask) {
        layers.push(PictureLayer::new(LayerContent::Solid(SolidLayer::default())));
    }
    layers
}

fn speed_vorticity_layers(has_vectors: bool) -> Vec<PictureLayer> {
    let speed = FieldLayer { map: MapChoice::Named(String::from("ice")), ..FieldLayer::of(Quantity::Speed) };
    let hues = MapChoice::Hsl(HslRamp::default());
    let vortices = FieldLayer { map: hues, is_relative: true, ..FieldLayer::of(Quantity::Vorticity) };
    let mut layers = vec![
        PictureLayer { opacity: 0.7, ..PictureLayer::new(LayerContent::Field(speed)) },
        PictureLayer::new(LayerContent::Field(vortices)).blended(Blend::Screen),
    ];
    if has_vectors {
        layers.push(PictureLayer {
            opacity: 0.45,
            ..PictureLayer::new(LayerContent::Vectors(ArrowLayer::default()))
        });
    }
    layers
}

/// The axes of the page, the slab of the world that it shows, and its bounds.
struct PageExtent {
    axes: [usize; 2],
    layer: (usize, [f64; 2]),
    low: [f64; 2],
    high: [f64; 2],
}

// The extent of the first field that is drawn, or of any field, or of the particles.
fn extent(spec: &FlatSpec, layers: &[PictureLayer], frame: &Frame) -> Result<PageExtent, DrawError> {
    // Cells are shown of a liquid's distance field, if it has one
    let distance = FieldChoice::Of(Quantity::SurfaceDistance);
    let shows_cells = layers.iter().any(|layer| matches!(layer.show, LayerContent::Cells(_)));
    let cells = (shows_cells && distance.find(&frame.fields).is_some()).then_some(&distance);
    let named = layers.iter().find_map(PictureLayer::field).or(cells);
    if named.is_none() && frame.fields.is_empty() && !frame.clouds.is_empty() {
        let across = spec.across.unwrap_or(2).min(2);
        let axes = axes_across(across);
        let (low, high) = particle_bounds(&frame.clouds, axes);
        return Ok(PageExtent { axes, layer: (across, [f64::NEG_INFINITY, f64::INFINITY]), low, high });
    }
    let raster = crate::plots::find(frame, named)?;
    let slice = Slice::new(raster, spec.across, spec.position);
    let (low, high) = slice.bounds();
    Ok(PageExtent { axes: slice.axes, layer: slice.layer, low, high })
}

fn particle_bounds(clouds: &[Cloud], axes: [usize; 2]) -> ([f64; 2], [f64; 2]) {
    let positions =
        clouds.iter().flat_map(|cloud| &cloud.positions).map(|at| axes.map(|axis| f64::from(at[axis])));
    let finite = positions.filter(|position| position.iter().all(|number| number.is_finite()));
    let bounds = finite.fold(None, |bounds: Option<([f64; 2], [f64; 2])>, position| {
        let (low, high) = bounds.unwrap_or((position, position));
        Some((
            [0, 1].map(|axis| low[axis].min(position[axis])),
            [0, 1].map(|axis| high[axis].max(position[axis])),
        ))
    });
    let (low, high) = bounds.unwrap_or(([0.0; 2], [1.0; 2]));
    // A margin, also where all particles coincide
    let room = 0.03 * (high[0] - low[0]).max(high[1] - low[1]) + 1e-3;
    (low.map(|number| number - room), high.map(|number| number + room))
}
