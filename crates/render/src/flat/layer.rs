//! A layer of a flat picture: content, opacity and blend mode.

use undine_frame::FieldChoice;

use super::arrows::ArrowLayer;
use super::compositor::BlendState;
use super::dye::DyeLayer;
use super::field::FieldLayer;
use super::glow::GlowLayer;
use super::grid::{CellsLayer, GridLayer};
use super::image::ImageLayer;
use super::layer_context::LayerContext;
use super::metaballs::MetaballLayer;
use super::outline::OutlineLayer;
use super::particles::ParticleLayer;
use super::relief::ReliefLayer;
use super::solid::SolidLayer;
use super::streamlines::StreamlineLayer;
use super::water::WaterLayer;
use crate::DrawError;
use crate::plots::canvas::LinearRgb;

/// Blend mode, in linear light.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Blend {
    /// Normal: replaces what is below.
    #[default]
    Over,
    /// Sum.
    Add,
    /// Product.
    Multiply,
    /// a + b (1 − a): adds up to white at most.
    Screen,
    /// Maximum per channel.
    Lighten,
}

impl Blend {
    /// The blended colour at full coverage.
    #[inline]
    pub fn mixed(self, below: LinearRgb, ink: LinearRgb) -> LinearRgb {
        let each =
            |mixed: fn(f32, f32) -> f32| std::array::from_fn(|channel| mixed(below[channel], ink[channel]));
        match self {
            Blend::Over => ink,
            Blend::Add => each(|below, ink| below + ink),
            Blend::Multiply => each(|below, ink| below * ink),
            Blend::Screen => each(|below, ink| below + ink * (1.0 - below.min(1.0))),
            Blend::Lighten => each(f32::max),
        }
    }
}

/// Content of a layer.
#[derive(Debug, Clone, PartialEq)]
pub enum LayerContent {
    /// A field by a colour map.
    Field(FieldLayer),
    /// Dye.
    Dye(DyeLayer),
    /// A vector field as arrows.
    Vectors(ArrowLayer),
    /// A vector field as streamlines.
    Streamlines(StreamlineLayer),
    /// Particles as dots or streaks.
    Particles(ParticleLayer),
    /// Particles as metaballs.
    Metaballs(MetaballLayer),
    /// A field as a bump-mapped surface.
    Relief(ReliefLayer),
    /// Obstacles.
    Solid(SolidLayer),
    /// A liquid, filled.
    Water(WaterLayer),
    /// The surface of a liquid as a line.
    Outline(OutlineLayer),
    /// Cell borders.
    Grid(GridLayer),
    /// Cell types: empty, surface, full, solid, inflow or outflow.
    Cells(CellsLayer),
    /// An image from a file.
    Picture(ImageLayer),
    /// Bloom of the layers below.
    Glow(GlowLayer),
}

/// One layer of a flat picture.
#[derive(Debug, Clone, PartialEq)]
pub struct PictureLayer {
    /// Content.
    pub show: LayerContent,
    /// Opacity, 0 to 1.
    pub opacity: f32,
    /// Blend mode.
    pub blend: Blend,
}

impl PictureLayer {
    /// An opaque layer with normal blending.
    pub fn new(show: LayerContent) -> Self {
        PictureLayer { show, opacity: 1.0, blend: Blend::Over }
    }

    /// The same layer with another blend mode.
    pub fn blended(self, blend: Blend) -> Self {
        PictureLayer { blend, ..self }
    }

    /// The field it requires, if any.
    pub fn field(&self) -> Option<&FieldChoice> {
        match &self.show {
            LayerContent::Field(field) => Some(&field.field),
            LayerContent::Dye(dye) => Some(&dye.field),
            LayerContent::Vectors(arrows) => Some(&arrows.field),
            LayerContent::Streamlines(lines) => Some(&lines.field),
            LayerContent::Relief(relief) => Some(&relief.field),
            LayerContent::Water(water) => Some(&water.field),
            LayerContent::Outline(outline) => Some(&outline.field),
            LayerContent::Grid(grid) => grid.field.as_ref(),
            LayerContent::Cells(cells) => cells.field.as_ref(),
            _ => None,
        }
    }

    /// Whether it reads particles.
    pub fn reads_particles(&self) -> bool {
        matches!(
            self.show,
            LayerContent::Particles(_)
                | LayerContent::Metaballs(_)
                | LayerContent::Water(_)
                | LayerContent::Cells(_)
        )
    }

    /// Composites it onto the page.
    pub(super) fn draw(&self, context: &mut LayerContext<'_>) -> Result<(), DrawError> {
        let blend_state = BlendState { opacity: self.opacity.clamp(0.0, 1.0), blend: self.blend };
        match &self.show {
            LayerContent::Field(field) => field.draw(context, blend_state),
            LayerContent::Dye(dye) => dye.draw(context, blend_state),
            LayerContent::Vectors(arrows) => arrows.draw(context, blend_state),
            LayerContent::Streamlines(lines) => lines.draw(context, blend_state),
            LayerContent::Particles(dots) => dots.draw(context, blend_state),
            LayerContent::Metaballs(balls) => balls.draw(context, blend_state),
            LayerContent::Relief(relief) => relief.draw(context, blend_state),
            LayerContent::Solid(solid) => solid.draw(context, blend_state),
            LayerContent::Water(water) => water.draw(context, blend_state),
            LayerContent::Outline(outline) => outline.draw(context, blend_state),
            LayerContent::Grid(grid) => grid.draw(context, blend_state),
            LayerContent::Cells(cells) => cells.draw(context, blend_state),
            LayerContent::Picture(picture) => picture.draw(context, blend_state),
            LayerContent::Glow(glow) => glow.draw(context, blend_state),
        }
    }
}
