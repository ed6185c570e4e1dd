//! Light that spills over from what is bright below.

use super::sheet::Style;
use super::stage::Stage;
use crate::DrawError;
use crate::bloom::Bloom;

/// How a layer lets light spill over.
#[derive(Debug, Clone, PartialEq)]
pub struct Glow {
    /// How far, in heights of the box.
    pub radius: f32,
    /// The brightness from which on it does.
    pub threshold: f32,
    /// The share of the light beyond the threshold that is spread.
    pub strength: f32,
}

impl Default for Glow {
    fn default() -> Self {
        Glow { radius: 0.04, threshold: 0.2, strength: 0.6 }
    }
}

impl Glow {
    pub(super) fn draw(&self, stage: &mut Stage<'_>, style: Style) -> Result<(), DrawError> {
        // Four boxes, one after the other, spread as far as one of twice the radius; a cell is four pixels wide.
        let radius = (0.125 * self.radius * stage.sheet.inner.height as f32).round();
        let bloom = Bloom {
            threshold: self.threshold,
            radius: radius.clamp(1.0, 200.0) as usize,
            passes: 4,
            share: self.strength * style.opacity,
        };
        bloom.add(&mut stage.sheet.light);
        Ok(())
    }
}
