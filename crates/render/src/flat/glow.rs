//! Light that spills over from what is bright below.

use super::compositor::BlendState;
use super::layer_context::LayerContext;
use crate::DrawError;
use crate::bloom::Bloom;

/// How a layer lets light spill over.
#[derive(Debug, Clone, PartialEq)]
pub struct GlowLayer {
    /// How far, in heights of the box.
    pub radius: f32,
    /// The brightness from which on it does.
    pub threshold: f32,
    /// The fraction of the light beyond the threshold that is spread.
    pub strength: f32,
}

impl Default for GlowLayer {
    fn default() -> Self {
        GlowLayer { radius: 0.04, threshold: 0.2, strength: 0.6 }
    }
}

impl GlowLayer {
    pub(super) fn draw(
        &self,
        context: &mut LayerContext<'_>,
        blend_state: BlendState,
    ) -> Result<(), DrawError> {
        // Four boxes, one after the other, spread as far as one of twice the radius; a cell is four pixels wide.
        let radius = (0.125 * self.radius * context.compositor.inner.height as f32).round();
        let bloom = Bloom {
            threshold: self.threshold,
            radius: radius.clamp(1.0, 200.0) as usize,
            passes: 4,
            fraction: self.strength * blend_state.opacity,
        };
        bloom.add(&mut context.compositor.light);
        Ok(())
    }
}
