//! Coloured ink: light on black, or colour on paper.
//!
//! *Glow*: the dye shines with the colour c that it has, and the film saturates: 1 − exp(−s c). *Paper*: light passes
//! through the ink and is absorbed by the law of Beer and Lambert, exp(−s a). Dye of colour c absorbs what it does not
//! show, a = max(c) − c. What it shows in two channels may be a mixture of two inks, which absorbs a little of everything,
//! and what it shows in all three is one that leaves grey. Inks that meet thus darken each other, as they do on paper.

use super::resample::Kernel;
use super::sheet::Style;
use super::stage::Stage;
use crate::DrawError;
use crate::plots::canvas::Ink;

/// How much of the second strongest channel is taken for another ink.
const MIXED: f32 = 0.15;

/// What dye is to the light.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InkKind {
    /// It shines in the dark.
    #[default]
    Glow,
    /// It absorbs light on paper.
    Paper,
}

/// How a layer shows dye.
#[derive(Debug, Clone, PartialEq)]
pub struct Dye {
    /// Name of a field with three components.
    pub field: String,
    /// What it is to the light.
    pub ink: InkKind,
    /// How strong it is.
    pub strength: f32,
    /// The colour of the paper, linear.
    pub paper: Ink,
}

impl Default for Dye {
    fn default() -> Self {
        Dye {
            field: String::from("dye"),
            ink: InkKind::Glow,
            strength: 2.0,
            paper: crate::colour::from_hex(0xf8f5ee),
        }
    }
}

impl Dye {
    pub(super) fn draw(&self, stage: &mut Stage<'_>, style: Style) -> Result<(), DrawError> {
        let (_, slice) = stage.slice(&self.field)?;
        let colours = stage.colours(&slice, Kernel::Smooth);
        let region = stage.sheet.inner;
        stage.sheet.paint(region, style, |x, y, _| {
            let dye = colours.pixels[y * region.width + x].map(|channel| channel.max(0.0));
            (self.colour(dye), 1.0)
        });
        Ok(())
    }

    /// The colour that an amount of dye shows.
    pub fn colour(&self, dye: Ink) -> Ink {
        let strength = self.strength;
        match self.ink {
            InkKind::Glow => dye.map(|light| 1.0 - f32::exp(-strength * light)),
            InkKind::Paper => {
                let most = dye[0].max(dye[1]).max(dye[2]);
                let grey = dye[0].min(dye[1]).min(dye[2]);
                let second = dye[0] + dye[1] + dye[2] - most - grey;
                let all = most + MIXED * (second - grey) + grey;
                let left = |channel: usize| f32::exp(-strength * (all - dye[channel]));
                std::array::from_fn(|channel| self.paper[channel] * left(channel))
            }
        }
    }
}


#[cfg(test)]
mod tests {
    use super::*;

    fn paper() -> Dye {
        Dye { ink: InkKind::Paper, paper: [1.0; 3], ..Dye::default() }
    }

    #[test]
    fn no_dye_is_black_or_paper() {
        assert_eq!(Dye::default().colour([0.0; 3]), [0.0; 3]);
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
        let light = |dye: Ink| paper().colour(dye).iter().sum::<f32>();
        assert!(light(both) < 0.5 * light(blue).min(light(yellow)));
        let pale = Dye::default().colour(both);
        assert!(pale.iter().all(|&channel| channel > 0.8));
    }
}
