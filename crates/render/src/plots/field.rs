//! Colour plot of a slice, with contour lines.

use glam::Vec2;
use rayon::prelude::*;
use undine_frame::{FieldScale, Quantity, Raster};

use super::MapChoice;
use super::canvas::{Area, LinearRgb, PlotCanvas};
use super::colour_maps::{ColourMap, HslRamp, kind_colour};
use super::layout::{Window, missing_colour};
use super::scale::Scale;
use super::slice::Slice;
use crate::colour::mix;

/// Mapping from values to colours.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldPalette {
    /// By a colour map over the scale.
    Map(ColourMap),
    /// By sign and magnitude.
    Hsl(HslRamp),
    /// Categorical, by integer value of a quantity.
    Kinds(Quantity),
    /// One colour.
    One(LinearRgb),
}

impl FieldPalette {
    /// The palette of a choice for a field.
    pub fn choose(choice: &MapChoice, kind: FieldScale) -> Self {
        let named =
            |name: &str| ColourMap::named(name).or_else(|| ColourMap::named("lagoon")).map(FieldPalette::Map);
        let palette = match (choice, kind) {
            (MapChoice::Hsl(ramp), _) => Some(FieldPalette::Hsl(*ramp)),
            (MapChoice::Named(name), _) => named(name),
            (MapChoice::Ramp(colours), _) => Some(FieldPalette::Map(ColourMap::through(colours))),
            (MapChoice::One(colour), _) => Some(FieldPalette::One(*colour)),
            (MapChoice::Auto | MapChoice::Rgb, FieldScale::Kinds) => None,
            (MapChoice::Auto | MapChoice::Rgb, FieldScale::Signed) => named("balance"),
            (MapChoice::Auto | MapChoice::Rgb, _) => named("lagoon"),
        };
        palette.unwrap_or(FieldPalette::Kinds(Quantity::CellKind))
    }

    /// The palette of a choice for a raster, whose quantity has colours of its own.
    pub fn of_raster(choice: &MapChoice, raster: &Raster) -> Self {
        match FieldPalette::choose(choice, raster.scale()) {
            FieldPalette::Kinds(_) => FieldPalette::Kinds(raster.quantity),
            palette => palette,
        }
    }

    /// The colour of a value; that of missing values for NaN.
    pub fn colour(&self, value: f32, scale: &Scale) -> LinearRgb {
        if value.is_nan() {
            return missing_colour();
        }
        match self {
            FieldPalette::Map(map) => map.colour(scale.fraction(value)),
            FieldPalette::Hsl(ramp) => ramp.colour(value),
            FieldPalette::Kinds(quantity) => kind_colour(*quantity, value.max(0.0) as usize),
            FieldPalette::One(ink) => *ink,
        }
    }
}

/// Paints a slice.
pub struct FieldPaint<'a> {
    /// The values.
    pub slice: &'a Slice,
    /// World to pixels.
    pub window: &'a Window,
    /// The scale.
    pub scale: &'a Scale,
    /// The palette.
    pub palette: &'a FieldPalette,
    /// Whether to interpolate linearly between samples, or use the nearest sample.
    pub is_smooth: bool,
    /// Approximate number of contour lines.
    pub contours: usize,
}

impl FieldPaint<'_> {
    /// Paints the window.
    pub fn paint(&self, canvas: &mut PlotCanvas) {
        let levels: Vec<f32> = match self.contours {
            0 => Vec::new(),
            count => self.scale.ticks(count).iter().map(|tick| tick.value as f32).collect(),
        };
        let samples_per_axis = self.samples_per_axis();
        self.each_pixel(canvas, |pixel| {
            let ink =
                self.palette.colour(self.mean(pixel, samples_per_axis, |at| self.value(at)), self.scale);
            mix(ink, [0.02; 3], 0.75 * self.contour(pixel + 0.5, &levels))
        });
    }

    /// Paints the window by the first three components of the field as linear RGB.
    pub fn paint_colours(&self, canvas: &mut PlotCanvas) {
        let samples_per_axis = self.samples_per_axis();
        self.each_pixel(canvas, |pixel| {
            let channel = |component: usize| {
                self.mean(pixel, samples_per_axis, |at| {
                    self.slice.interpolate_component(self.window.world_at(at), component)
                })
            };
            let light = [channel(0), channel(1), channel(2)];
            if light.iter().any(|channel| channel.is_nan()) { missing_colour() } else { light }
        });
    }

    fn each_pixel(&self, canvas: &mut PlotCanvas, ink: impl Fn(Vec2) -> LinearRgb + Sync) {
        let width = canvas.light.width.max(1);
        let Area { left, top, right, bottom } = self.window.area;
        let columns = (left.max(0.0) as usize)..(right.max(0.0) as usize).min(width);
        let rows = (top.max(0.0) as usize)..(bottom.max(0.0) as usize).min(canvas.light.height);
        canvas
            .light
            .pixels
            .par_chunks_mut(width)
            .enumerate()
            .filter(|(y, _)| rows.contains(y))
            .for_each(|(y, row)| columns.clone().for_each(|x| row[x] = ink(Vec2::new(x as f32, y as f32))));
    }

    // Supersampling factor per axis: more than one where a pixel covers several samples.
    fn samples_per_axis(&self) -> usize {
        let density = self.window.density();
        let per_pixel =
            (0..2).map(|axis| 1.0 / (density[axis] * self.slice.spacing[axis])).fold(0.0, f64::max);
        if matches!(self.palette, FieldPalette::Kinds(_)) {
            1
        } else {
            (per_pixel.ceil() as usize).clamp(1, 6)
        }
    }

    fn mean(&self, corner: Vec2, samples_per_axis: usize, value: impl Fn(Vec2) -> f32) -> f32 {
        let (mut sum, mut count) = (0.0, 0.0);
        for sample in 0..samples_per_axis * samples_per_axis {
            let offset =
                Vec2::new((sample % samples_per_axis) as f32 + 0.5, (sample / samples_per_axis) as f32 + 0.5)
                    / samples_per_axis as f32;
            let value = value(corner + offset);
            if !value.is_nan() {
                sum += value;
                count += 1.0;
            }
        }
        if count > 0.0 { sum / count } else { f32::NAN }
    }

    fn value(&self, pixel: Vec2) -> f32 {
        let position = self.window.world_at(pixel);
        if self.is_smooth && !matches!(self.palette, FieldPalette::Kinds(_)) {
            return self.slice.interpolate(position);
        }
        self.slice.cell(position).map_or(f32::NAN, |at| self.slice.value(at))
    }

    // Coverage of a pixel by contour lines: distance to the nearest level over the gradient.
    fn contour(&self, centre: Vec2, levels: &[f32]) -> f32 {
        if levels.is_empty() {
            return 0.0;
        }
        let at = |dx: f32, dy: f32| self.slice.interpolate(self.window.world_at(centre + Vec2::new(dx, dy)));
        let steepness = Vec2::new(at(0.5, 0.0) - at(-0.5, 0.0), at(0.0, 0.5) - at(0.0, -0.5)).length();
        let here = at(0.0, 0.0);
        let nearest = levels.iter().map(|level| (here - level).abs()).fold(f32::INFINITY, f32::min);
        if steepness > 0.0 { (1.1 - nearest / steepness).clamp(0.0, 1.0) } else { 0.0 }
    }
}
