//! A layer of a flat picture: what it shows, how strongly, and how it meets what is below.

use undine_frame::FieldChoice;

use super::arrows::Arrows;
use super::dye::Dye;
use super::field::FieldLook;
use super::glow::Glow;
use super::grid::{CellsLook, GridLook};
use super::image::Placed;
use super::metaballs::Metaballs;
use super::particles::Dots;
use super::relief::Relief;
use super::sheet::Style;
use super::solid::SolidLook;
use super::stage::Stage;
use super::streamlines::Lines;
use super::water::{Outline, WaterLook};
use crate::DrawError;
use crate::plots::canvas::Ink;

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
    pub fn mixed(self, below: Ink, ink: Ink) -> Ink {
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
pub enum Show {
    /// A field in colours.
    Field(FieldLook),
    /// Coloured ink.
    Dye(Dye),
    /// A vector field as arrows.
    Vectors(Arrows),
    /// A vector field as lines along it.
    Streamlines(Lines),
    /// Particles as dots or streaks.
    Particles(Dots),
    /// Particles as one soft body.
    Metaballs(Metaballs),
    /// A field as a surface that a lamp shines on.
    Relief(Relief),
    /// Obstacles.
    Solid(SolidLook),
    /// A liquid, filled.
    Water(WaterLook),
    /// The surface of a liquid as a line.
    Outline(Outline),
    /// The borders of the cells.
    Grid(GridLook),
    /// Which cells are empty, at the surface, full or solid.
    Cells(CellsLook),
    /// A picture from a file.
    Picture(Placed),
    /// Light that spills over from the layers below.
    Glow(Glow),
}

/// One layer of a flat picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// What it shows.
    pub show: Show,
    /// How strongly it covers, 0 to 1.
    pub opacity: f32,
    /// How it meets what is below.
    pub blend: Blend,
}

impl Layer {
    /// A layer that hides what is below it.
    pub fn new(show: Show) -> Self {
        Layer { show, opacity: 1.0, blend: Blend::Over }
    }

    /// The same layer with another blend.
    pub fn blended(self, blend: Blend) -> Self {
        Layer { blend, ..self }
    }

    /// The field it reads, if it must be there.
    pub fn field(&self) -> Option<&FieldChoice> {
        match &self.show {
            Show::Field(field) => Some(&field.field),
            Show::Dye(dye) => Some(&dye.field),
            Show::Vectors(arrows) => Some(&arrows.field),
            Show::Streamlines(lines) => Some(&lines.field),
            Show::Relief(relief) => Some(&relief.field),
            Show::Water(water) => Some(&water.field),
            Show::Outline(outline) => Some(&outline.field),
            Show::Grid(grid) => grid.field.as_ref(),
            Show::Cells(cells) => Some(&cells.field),
            _ => None,
        }
    }

    /// Whether it reads particles.
    pub fn wants_points(&self) -> bool {
        matches!(self.show, Show::Particles(_) | Show::Metaballs(_) | Show::Water(_) | Show::Cells(_))
    }

    /// Lays it onto the sheet of a stage.
    pub(super) fn draw(&self, stage: &mut Stage<'_>) -> Result<(), DrawError> {
        let style = Style { opacity: self.opacity.clamp(0.0, 1.0), blend: self.blend };
        match &self.show {
            Show::Field(field) => field.draw(stage, style),
            Show::Dye(dye) => dye.draw(stage, style),
            Show::Vectors(arrows) => arrows.draw(stage, style),
            Show::Streamlines(lines) => lines.draw(stage, style),
            Show::Particles(dots) => dots.draw(stage, style),
            Show::Metaballs(balls) => balls.draw(stage, style),
            Show::Relief(relief) => relief.draw(stage, style),
            Show::Solid(solid) => solid.draw(stage, style),
            Show::Water(water) => water.draw(stage, style),
            Show::Outline(outline) => outline.draw(stage, style),
            Show::Grid(grid) => grid.draw(stage, style),
            Show::Cells(cells) => cells.draw(stage, style),
            Show::Picture(picture) => picture.draw(stage, style),
            Show::Glow(glow) => glow.draw(stage, style),
        }
    }
}
