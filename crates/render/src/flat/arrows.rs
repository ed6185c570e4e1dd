//! Layer of a vector field as arrows on a regular lattice.

use glam::Vec2;

use undine_frame::{FieldChoice, Quantity};

use super::compositor::BlendState;
use super::layer_context::LayerContext;
use super::strokes::{self, StrokeOverlap, TaperedStroke};
use crate::DrawError;
use crate::plots::canvas::LinearRgb;

/// A layer of arrows.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrowLayer {
    /// Name of the field.
    pub field: FieldChoice,
    /// Pixels between arrows.
    pub spacing: f32,
    /// Thickness of the longest arrows in pixels.
    pub thickness: f32,
    /// Their colour, linear.
    pub colour: LinearRgb,
    /// Magnitude drawn with the length of the spacing; `None` for the greatest one.
    pub longest: Option<f32>,
}

impl Default for ArrowLayer {
    fn default() -> Self {
        ArrowLayer {
            field: FieldChoice::Of(Quantity::Velocity),
            spacing: 24.0,
            thickness: 1.6,
            colour: [1.0; 3],
            longest: None,
        }
    }
}

impl ArrowLayer {
    pub(super) fn draw(
        &self,
        context: &mut LayerContext<'_>,
        blend_state: BlendState,
    ) -> Result<(), DrawError> {
        let (_, slice) = context.slice(&self.field)?;
        let longest = self.longest.or_else(|| slice.range().map(|(_, high)| high));
        let Some(longest) = longest.filter(|longest| *longest > 0.0) else { return Ok(()) };
        let spacing = self.spacing.clamp(4.0, 1e4);
        let (region, window) = (context.compositor.inner, context.compositor.window);
        let counts = [region.width, region.height].map(|room| ((room as f32 / spacing) as usize).max(1));
        let mut strokes = Vec::new();
        for index in 0..counts[0] * counts[1] {
            let fraction = [
                ((index % counts[0]) as f32 + 0.5) / counts[0] as f32,
                ((index / counts[0]) as f32 + 0.5) / counts[1] as f32,
            ];
            let at = Vec2::new(fraction[0] * region.width as f32, fraction[1] * region.height as f32);
            let [right, up] = slice.interpolate_vector(window.world_at(at));
            let reach = Vec2::new(right, -up) * (0.95 * spacing / longest);
            if reach.is_finite() && reach.length() > 0.5 {
                let reach = reach.clamp_length_max(1.5 * spacing);
                strokes.extend(self.arrow(at - 0.5 * reach, at + 0.5 * reach));
            }
        }
        strokes::draw(&strokes, StrokeOverlap::Union, &mut context.compositor, blend_state);
        Ok(())
    }

    // A shaft and a tapered head.
    fn arrow(&self, from: Vec2, to: Vec2) -> [TaperedStroke; 2] {
        let length = (to - from).length();
        let ahead = (to - from) / length.max(1e-6);
        let head = (0.38 * length).min(5.0 * self.thickness);
        let neck = to - ahead * head;
        let half = 0.5 * self.thickness * (length / self.spacing.max(1.0)).clamp(0.3, 1.0);
        let stroke =
            TaperedStroke { from, to: neck, half: [half; 2], edge: 1.0, ink: self.colour, cover: 1.0 };
        [stroke, TaperedStroke { from: neck, to, half: [0.36 * head, 0.0], ..stroke }]
    }
}
