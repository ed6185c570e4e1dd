//! Layer of bloom from the layers below.

use super::compositor::BlendState;
use super::layer_context::LayerContext;
use crate::DrawError;
use crate::bloom::Bloom;

/// A layer of bloom.
#[derive(Debug, Clone, PartialEq)]
pub struct GlowLayer {
    /// Blur radius, in heights of the box.
    pub radius: f32,
    /// Brightness above which pixels bloom.
    pub threshold: f32,
    /// Fraction of the excess that is added.
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
        // Four box passes have the spread of one of twice the radius; a bloom cell is four pixels wide
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
