//! Layer of dye: additive light, or ink on paper.
//!
//! *Glow*: additive colour c with exponential saturation, 1 − exp(−s c). *Paper*: subtractive colour by the Beer–Lambert
//! law, exp(−s a). Dye of colour c absorbs the complement, a = ‖c‖₄ − c; the 4-norm is about the strongest channel, and
//! greater where two are equally strong, as where two inks mix. Where all three channels are present, inks have mixed to
//! grey, and their harmonic mean is absorbed as well. So mixed inks darken, smoothly in all channels.

use undine_frame::{FieldChoice, Quantity};

use super::compositor::BlendState;
use super::layer_context::LayerContext;
use super::resample::FilterKernel;
use crate::DrawError;
use crate::plots::canvas::LinearRgb;

/// Colour model of dye.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InkKind {
    /// Additive: emits light on black.
    #[default]
    Glow,
    /// Subtractive: absorbs light on paper.
    Paper,
}

/// A layer of dye.
#[derive(Debug, Clone, PartialEq)]
pub struct DyeLayer {
    /// Name of a field with three components.
    pub field: FieldChoice,
    /// Colour model.
    pub ink: InkKind,
    /// Strength s.
    pub strength: f32,
    /// The colour of the paper, linear.
    pub paper: LinearRgb,
}

impl Default for DyeLayer {
    fn default() -> Self {
        DyeLayer {
            field: FieldChoice::Of(Quantity::Dye),
            ink: InkKind::Glow,
            strength: 2.5,
            paper: crate::colour::from_hex(0xf8f5ee),
        }
    }
}

impl DyeLayer {
    pub(super) fn draw(
        &self,
        context: &mut LayerContext<'_>,
        blend_state: BlendState,
    ) -> Result<(), DrawError> {
        let (_, slice) = context.slice(&self.field)?;
        let colours = context.colours(&slice, FilterKernel::Crisp);
        let region = context.compositor.inner;
        context.compositor.paint(region, blend_state, |x, y, _| {
            let dye = colours.pixels[y * region.width + x].map(|channel| channel.max(0.0));
            (self.colour(dye), 1.0)
        });
        Ok(())
    }

    /// The colour of an amount of dye.
    pub fn colour(&self, dye: LinearRgb) -> LinearRgb {
        let strength = self.strength;
        match self.ink {
            InkKind::Glow => dye.map(|light| 1.0 - f32::exp(-strength * light)),
            InkKind::Paper => {
                let [red, green, blue] = dye;
                let fourth = |channel: f32| (channel * channel) * (channel * channel);
                let norm = (fourth(red) + fourth(green) + fourth(blue)).sqrt().sqrt();
                let pairs = (red * green + green * blue + blue * red).max(f32::MIN_POSITIVE);
                let grey = 3.0 * red * green * blue / pairs;
                let left = |channel: usize| f32::exp(-strength * (norm - dye[channel] + grey));
                std::array::from_fn(|channel| self.paper[channel] * left(channel))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paper() -> DyeLayer {
        DyeLayer { ink: InkKind::Paper, paper: [1.0; 3], ..DyeLayer::default() }
    }

    #[test]
    fn no_dye_is_black_or_paper() {
        assert_eq!(DyeLayer::default().colour([0.0; 3]), [0.0; 3]);
        assert_eq!(paper().colour([0.0; 3]), [1.0; 3]);
    }

    #[test]
    fn ink_on_paper_looks_like_its_colour_and_deepens() {
        let [red, green, blue] = paper().colour([0.0, 0.2, 0.9]);
        assert!(blue > green && green > red);
        let deep = paper().colour([0.0, 0.4, 1.8]);
        // Twice the ink lets the square of the light through.
        for (once, twice) in [red, green, blue].into_iter().zip(deep) {
            assert!((twice - once * once).abs() < 1e-6);
        }
    }

    #[test]
    fn blue_and_yellow_make_a_dark_mixture_on_paper_and_a_pale_one_in_the_dark() {
        let (blue, yellow) = ([0.0, 0.0, 1.0], [1.0, 1.0, 0.0]);
        let both = [0, 1, 2].map(|channel| blue[channel] + yellow[channel]);
        let light = |dye: LinearRgb| paper().colour(dye).iter().sum::<f32>();
        assert!(light(both) < 0.5 * light(blue).min(light(yellow)));
        let pale = DyeLayer::default().colour(both);
        assert!(pale.iter().all(|&channel| channel > 0.8));
    }
}
