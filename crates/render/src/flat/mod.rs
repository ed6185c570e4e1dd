//! Flat pictures of fluids: the box of a 2-D fluid, or a cut through a 3-D one, fills the page, without axes.
//!
//! A picture is a stack of [`Layer`]s, laid over each other from the bottom up in linear light. Without layers it shows
//! the water of a liquid, the dye, or else speed, vortices and arrows together, as the interactive solver of [demeulenaere2008] does.

mod arrows;
mod brush;
mod dye;
mod field;
mod glow;
mod grid;
mod image;
mod keys;
mod layer;
mod metaballs;
mod obstacles;
mod particles;
mod relief;
mod resample;
mod settings;
mod sheet;
mod solid;
mod stage;
mod streamlines;
mod water;

use undine_frame::{Cloud, FieldChoice, Frame, Quantity};

pub use arrows::Arrows;
pub use dye::{Dye, InkKind};
pub use field::FieldLook;
pub use glow::Glow;
pub use grid::{CellsLook, GridLook};
pub use image::{Extent, Image, ImageError, Placed};
pub use keys::LAYER_KEYS;
pub use layer::{Blend, Layer, Show};
pub use metaballs::Metaballs;
pub use particles::{Dots, Measure};
pub use relief::{Lamp, Relief};
pub(crate) use settings::{read_flat, read_image, read_layers};
pub use solid::SolidLook;
pub use streamlines::{Lines, Seeding};
pub use water::{Outline, WaterLook};

use crate::DrawError;
use crate::picture::{Picture, Radiance};
use crate::plots::canvas::Ink;
use crate::plots::slice::{Slice, axes_across};
use crate::plots::{HslRamp, MapChoice};
use sheet::Sheet;
use stage::Stage;

/// How a flat picture is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct FlatSpec {
    /// The layers from the bottom up; none for a choice that suits the frame.
    pub layers: Vec<Layer>,
    /// Distance of the fluid from the rims of the picture, as a share of its height.
    pub margin: f32,
    /// The colour of the page, linear.
    pub background: Ink,
    /// A picture that covers the page.
    pub background_image: Option<Image>,
    /// The axis across which a 3-D field is cut: 0 for x, 1 for y, 2 for z.
    pub across: Option<usize>,
    /// Where it is cut, in metres; `None` for the middle.
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
    /// Whether it may read particles: without layers it does for the colours of a liquid.
    pub fn wants_points(&self) -> bool {
        self.layers.is_empty() || self.layers.iter().any(Layer::wants_points)
    }

    /// The fields that must be there, layer by layer.
    pub fn fields(&self) -> impl Iterator<Item = &FieldChoice> {
        self.layers.iter().filter_map(Layer::field)
    }
}

/// Draws a flat picture of a frame.
pub fn draw(spec: &FlatSpec, [width, height]: [usize; 2], frame: &Frame) -> Result<Picture, DrawError> {
    let suited;
    let layers = if spec.layers.is_empty() {
        suited = suited_to(frame);
        &suited
    } else {
        &spec.layers
    };
    let Extents { axes, layer, low, high } = extent(spec, layers, frame)?;
    let mut background = Radiance::filled(width, height, spec.background);
    if let Some(image) = &spec.background_image {
        image.cover(&mut background);
    }
    let margin = (spec.margin.clamp(0.0, 0.5) * background.height as f32).round() as usize;
    let sheet = Sheet::new(background, margin, low, high);
    let mut stage = Stage { frame, across: spec.across, position: spec.position, axes, layer, sheet };
    layers.iter().try_for_each(|layer| layer.draw(&mut stage))?;
    Ok(stage.sheet.finish())
}

// Water, dye alone, or a mix of speed, vorticity and arrows; and obstacles where there are some.
fn suited_to(frame: &Frame) -> Vec<Layer> {
    let has = |quantity: Quantity| frame.field_of(quantity).is_some();
    let mut layers = Vec::new();
    if has(Quantity::SurfaceDistance) {
        layers.push(Layer::new(Show::Water(WaterLook::default())));
    } else if has(Quantity::Dye) {
        layers.push(Layer::new(Show::Dye(Dye::default())));
    } else if has(Quantity::Speed) && has(Quantity::Vorticity) {
        layers.extend(mix_of_three(has(Quantity::Velocity)));
    } else if let Some(raster) = frame.fields.first() {
        layers.push(Layer::new(Show::Field(FieldLook::of(raster.name.as_str()))));
    }
    if has(Quantity::SolidDistance) || has(Quantity::SolidMask) {
        layers.push(Layer::new(Show::Solid(SolidLook::default())));
    }
    layers
}

fn mix_of_three(has_vectors: bool) -> Vec<Layer> {
    let speed = FieldLook { map: MapChoice::Named(String::from("ice")), ..FieldLook::of(Quantity::Speed) };
    let hues = MapChoice::Hsl(HslRamp::default());
    let vortices = FieldLook { map: hues, is_relative: true, ..FieldLook::of(Quantity::Vorticity) };
    let mut layers = vec![
        Layer { opacity: 0.7, ..Layer::new(Show::Field(speed)) },
        Layer::new(Show::Field(vortices)).blended(Blend::Screen),
    ];
    if has_vectors {
        layers.push(Layer { opacity: 0.45, ..Layer::new(Show::Vectors(Arrows::default())) });
    }
    layers
}

/// The axes of the page, the layer of the world that it shows, and the box that fills it.
struct Extents {
    axes: [usize; 2],
    layer: (usize, [f64; 2]),
    low: [f64; 2],
    high: [f64; 2],
}

// The box is that of the first field that is drawn, or of any, or that of the particles.
fn extent(spec: &FlatSpec, layers: &[Layer], frame: &Frame) -> Result<Extents, DrawError> {
    let named = layers.iter().find_map(Layer::field);
    if named.is_none() && frame.fields.is_empty() && !frame.clouds.is_empty() {
        let across = spec.across.unwrap_or(2).min(2);
        let axes = axes_across(across);
        let (low, high) = around(&frame.clouds, axes);
        return Ok(Extents { axes, layer: (across, [f64::NEG_INFINITY, f64::INFINITY]), low, high });
    }
    let raster = crate::plots::find(frame, named)?;
    let slice = Slice::new(raster, spec.across, spec.position);
    let (low, high) = slice.bounds();
    Ok(Extents { axes: slice.axes, layer: slice.layer, low, high })
}

fn around(clouds: &[Cloud], axes: [usize; 2]) -> ([f64; 2], [f64; 2]) {
    let places =
        clouds.iter().flat_map(|cloud| &cloud.positions).map(|at| axes.map(|axis| f64::from(at[axis])));
    let finite = places.filter(|place| place.iter().all(|number| number.is_finite()));
    let bounds = finite.fold(None, |bounds: Option<([f64; 2], [f64; 2])>, place| {
        let (low, high) = bounds.unwrap_or((place, place));
        Some(([0, 1].map(|axis| low[axis].min(place[axis])), [0, 1].map(|axis| high[axis].max(place[axis]))))
    });
    let (low, high) = bounds.unwrap_or(([0.0; 2], [1.0; 2]));
    // Room around them, and some even where all are in one place.
    let room = 0.03 * (high[0] - low[0]).max(high[1] - low[1]) + 1e-3;
    (low.map(|number| number - room), high.map(|number| number + room))
}
