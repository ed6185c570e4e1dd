//! Layer of a vector field as streamlines.

use glam::Vec2;

use undine_frame::{FieldChoice, Quantity};

use super::compositor::BlendState;
use super::layer_context::LayerContext;
use super::signed_distance;
use super::strokes::{self, StrokeOverlap, TaperedStroke};
use crate::DrawError;
use crate::plots::canvas::LinearRgb;
use crate::plots::field::FieldPalette;
use crate::plots::{MapChoice, Scale};
use crate::streamlines::{Streamline, StreamlineTracer};

/// Seeding of streamlines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Seeding {
    /// Evenly spaced lines.
    #[default]
    Even,
    /// Fixed lattice of seeds, which is temporally coherent: for films.
    Lattice,
}

/// A layer of streamlines.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamlineLayer {
    /// Name of the field.
    pub field: FieldChoice,
    /// Pixels between lines.
    pub spacing: f32,
    /// Their thickness in pixels.
    pub thickness: f32,
    /// Their greatest length in pixels; `None` for unlimited, or six spacings on a lattice.
    pub longest: Option<f32>,
    /// Seeding.
    pub seeding: Seeding,
    /// Their colour, linear; `None` to colour them by magnitude.
    pub colour: Option<LinearRgb>,
    /// The colour map of the magnitude.
    pub map: MapChoice,
    /// Ends of its scale; `None` to fit the values.
    pub limits: Option<[f32; 2]>,
}

impl Default for StreamlineLayer {
    fn default() -> Self {
        StreamlineLayer {
            field: FieldChoice::Of(Quantity::Velocity),
            spacing: 14.0,
            thickness: 1.5,
            longest: None,
            seeding: Seeding::Even,
            colour: Some([1.0; 3]),
            map: MapChoice::Auto,
            limits: None,
        }
    }
}

impl StreamlineLayer {
    pub(super) fn draw(
        &self,
        context: &mut LayerContext<'_>,
        blend_state: BlendState,
    ) -> Result<(), DrawError> {
        let (_, slice) = context.slice(&self.field)?;
        let (_, greatest) = slice.range().unwrap_or((0.0, 0.0));
        let [low, high] = self.limits.unwrap_or([0.0, greatest]);
        let scale = Scale::new(low, high, false);
        let palette = FieldPalette::choose(&self.map, undine_frame::FieldScale::Plain);
        let solids = signed_distance::obstacle_distance(context)?;
        let (region, window) = (context.compositor.inner, context.compositor.window);
        let vector = |at: Vec2| {
            let [right, up] = slice.interpolate_vector(window.world_at(at));
            Vec2::new(right, -up)
        };
        let is_open = |at: Vec2| {
            let pixel =
                |coordinate: f32, count: usize| (coordinate.max(0.0) as usize).min(count.saturating_sub(1));
            let index = pixel(at.y, region.height) * region.width + pixel(at.x, region.width);
            solids.as_ref().is_none_or(|solids| solids.pixels[index][0] > 0.5 * self.thickness)
        };
        // Lines end where the fluid is nearly at rest
        let still = (1e-3 * greatest).max(1e-12);
        let velocity =
            |at: Vec2| Some(vector(at)).filter(|velocity| velocity.length() > still && is_open(at));
        let tracer =
            StreamlineTracer { size: Vec2::new(region.width as f32, region.height as f32), velocity };
        let lines = match self.seeding {
            Seeding::Even => tracer.evenly_spaced(self.spacing, self.longest.unwrap_or(1e5)),
            Seeding::Lattice => {
                tracer.lattice_seeded(self.spacing, self.longest.unwrap_or(6.0 * self.spacing))
            }
        };
        let ink = |at: Vec2| self.colour.unwrap_or_else(|| palette.colour(vector(at).length(), &scale));
        let strokes: Vec<TaperedStroke> = lines.iter().flat_map(|line| self.strokes(line, &ink)).collect();
        strokes::draw(&strokes, StrokeOverlap::Union, &mut context.compositor, blend_state);
        Ok(())
    }

    // Every second point suffices for a smooth curve.
    fn strokes(&self, line: &Streamline, ink: &impl Fn(Vec2) -> LinearRgb) -> Vec<TaperedStroke> {
        let corners: Vec<usize> = (0..line.len()).step_by(2).chain([line.len().saturating_sub(1)]).collect();
        let half = |index: usize| 0.5 * self.thickness * self.taper(index, line.len());
        let stroke = |pair: &[usize]| {
            let (from, to) = (line[pair[0]], line[pair[1]]);
            TaperedStroke {
                from,
                to,
                half: [half(pair[0]), half(pair[1])],
                edge: 1.0,
                ink: ink(from),
                cover: 1.0,
            }
        };
        corners.windows(2).map(stroke).collect()
    }

    // Tapered ends. Lattice lines grow thicker along the flow, to show its direction.
    fn taper(&self, index: usize, count: usize) -> f32 {
        let (behind, ahead) = (index as f32, (count - 1).saturating_sub(index) as f32);
        match self.seeding {
            Seeding::Even => (behind.min(ahead) / (1.5 * self.spacing)).clamp(0.0, 1.0),
            Seeding::Lattice => (behind / (count.max(2) - 1) as f32).min(ahead / 2.0).clamp(0.0, 1.0),
        }
    }
}
