//! A layer of a flat picture: what it shows, how strongly, and how it meets what is below.

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
use super::particles::ParticleLayer;
use super::relief::ReliefLayer;
use super::solid::SolidLayer;
use super::streamlines::StreamlineLayer;
use super::water::{OutlineLayer, WaterLayer};
use crate::DrawError;
use crate::plots::canvas::LinearRgb;

/// How the colours of a layer meet those below, in linear light.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Blend {
    /// It hides what is below.
    #[default]
    Over,
    /// Its light is added.
    Add,
    /// It is a filter: what is below shines through.
    Multiply,
    /// Its light is added, but never beyond white.
    Screen,
    /// The brighter of both is seen.
    Lighten,
}

impl Blend {
    /// What is seen where the layer covers all of a pixel.
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

/// What a layer shows.
#[derive(Debug, Clone, PartialEq)]
pub enum LayerContent {
    /// A field in colours.
    Field(FieldLayer),
    /// Coloured ink.
    Dye(DyeLayer),
    /// A vector field as arrows.
    Vectors(ArrowLayer),
    /// A vector field as lines along it.
    Streamlines(StreamlineLayer),
    /// Particles as dots or streaks.
    Particles(ParticleLayer),
    /// Particles as one soft body.
    Metaballs(MetaballLayer),
    /// A field as a surface that a lamp shines on.
    Relief(ReliefLayer),
    /// Obstacles.
    Solid(SolidLayer),
    /// A liquid, filled.
    Water(WaterLayer),
    /// The surface of a liquid as a line.
    Outline(OutlineLayer),
    /// The borders of the cells.
    Grid(GridLayer),
    /// Which cells are empty, at the surface, full or solid.
    Cells(CellsLayer),
    /// A picture from a file.
    Picture(ImageLayer),
    /// Light that spills over from the layers below.
    Glow(GlowLayer),
}

/// One layer of a flat picture.
#[derive(Debug, Clone, PartialEq)]
pub struct PictureLayer {
    /// What it shows.
    pub show: LayerContent,
    /// How strongly it covers, 0 to 1.
    pub opacity: f32,
    /// How it meets what is below.
    pub blend: Blend,
}

impl PictureLayer {
    /// A layer that hides what is below it.
    pub fn new(show: LayerContent) -> Self {
        PictureLayer { show, opacity: 1.0, blend: Blend::Over }
    }

    /// The same layer with another blend.
    pub fn blended(self, blend: Blend) -> Self {
        PictureLayer { blend, ..self }
    }

    /// The field it reads, if it must be there.
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
            LayerContent::Cells(cells) => Some(&cells.field),
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

    /// Lays it onto the sheet of a stage.
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
