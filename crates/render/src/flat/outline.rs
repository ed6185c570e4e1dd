//! Layer of the surface of a liquid as a line: of its outline where the frame has it, else of the zero contour of a signed
//! distance.

use glam::Vec2;
use undine_frame::{FieldChoice, Quantity};

use super::compositor::BlendState;
use super::layer_context::LayerContext;
use super::strokes::{self, StrokeOverlap, TaperedStroke};
use super::water::surface_distance;
use crate::DrawError;
use crate::plots::canvas::LinearRgb;

/// A layer of the liquid's surface as a line.
#[derive(Debug, Clone, PartialEq)]
pub struct OutlineLayer {
    /// The signed distance of its surface.
    pub field: FieldChoice,
    /// Thickness of the line in pixels.
    pub thickness: f32,
    /// Its colour, linear.
    pub colour: LinearRgb,
}

impl Default for OutlineLayer {
    fn default() -> Self {
        OutlineLayer { field: FieldChoice::Of(Quantity::SurfaceDistance), thickness: 1.5, colour: [1.0; 3] }
    }
}

impl OutlineLayer {
    pub(super) fn draw(
        &self,
        context: &mut LayerContext<'_>,
        blend_state: BlendState,
    ) -> Result<(), DrawError> {
        let named = context.slice(&self.field);
        let water = named.as_ref().ok().map(|(raster, _)| raster.water);
        let strokes = self.strokes(context, water);
        if !strokes.is_empty() {
            strokes::draw(&strokes, StrokeOverlap::Union, &mut context.compositor, blend_state);
            return Ok(());
        }
        let (_, slice) = named?;
        let away = surface_distance(context, &slice);
        let region = context.compositor.inner;
        let half = 0.5 * self.thickness.max(1.0);
        context.compositor.paint(region, blend_state, |x, y, _| {
            let distance = away.pixels[y * region.width + x][0];
            // Divide by the gradient, which is less than one where two surfaces meet, to keep the line's thickness
            let slope = Vec2::from(away.slope(x, y)).length().clamp(0.3, 1.0);
            let cover = (half + 0.5 - distance.abs() / slope).clamp(0.0, 1.0);
            (self.colour, cover * self.thickness.min(1.0))
        });
        Ok(())
    }

    // Strokes along the outlines of a water, or of all of them.
    fn strokes(&self, context: &LayerContext<'_>, water: Option<usize>) -> Vec<TaperedStroke> {
        let of_water =
            context.frame.curves().filter(|(surface, _)| water.is_none_or(|own| own == surface.water));
        let pixel = |[x, y]: [f32; 2]| context.pixel([x, y, 0.0]);
        let stroke = |[from, to]: [[f32; 2]; 2]| TaperedStroke {
            from: pixel(from),
            to: pixel(to),
            half: [0.5 * self.thickness; 2],
            edge: 1.0,
            ink: self.colour,
            cover: 1.0,
        };
        of_water.flat_map(|(_, curves)| curves.segments().map(stroke)).collect()
    }
}
