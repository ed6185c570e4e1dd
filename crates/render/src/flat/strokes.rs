//! Antialiased strokes, rasterised in parallel: strokes are binned into bands of rows and drawn in order.

use glam::Vec2;
use rayon::prelude::*;

use super::compositor::{BlendState, Compositor, PixelRect};
use crate::colour::mix;
use crate::plots::canvas::LinearRgb;

/// Rows of a band.
const BAND: usize = 16;
/// Coordinate limit in pixels beyond which strokes are culled.
const FAR: f32 = 1e5;

/// A straight stroke with round caps and linearly varying thickness; a dot where both ends coincide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TaperedStroke {
    /// Its start in pixels.
    pub from: Vec2,
    /// Its end.
    pub to: Vec2,
    /// Half its thickness at both ends.
    pub half: [f32; 2],
    /// Pixels over which its edge fades: 1 for a crisp one.
    pub edge: f32,
    /// Its colour.
    pub ink: LinearRgb,
    /// Opacity.
    pub cover: f32,
}

impl TaperedStroke {
    fn margin(&self) -> f32 {
        self.half[0].max(self.half[1]).max(0.5) + 1.0
    }

    fn is_near(&self, region: PixelRect) -> bool {
        let (low, high) = (self.from.min(self.to) - self.margin(), self.from.max(self.to) + self.margin());
        let is_finite = self.from.abs().max_element() < FAR && self.to.abs().max_element() < FAR;
        let reaches = high.x >= 0.0 && high.y >= 0.0;
        is_finite && reaches && low.x < region.width as f32 && low.y < region.height as f32
    }

    fn cover_at(&self, at: Vec2) -> f32 {
        let axis = self.to - self.from;
        let fraction = ((at - self.from).dot(axis) / axis.length_squared().max(1e-12)).clamp(0.0, 1.0);
        let half = self.half[0] + (self.half[1] - self.half[0]) * fraction;
        let distance = (at - self.from - axis * fraction).length();
        // Strokes thinner than a pixel are drawn a pixel wide with reduced opacity
        let (drawn, strength) = (half.max(0.5), (2.0 * half).clamp(0.0, 1.0));
        let inside = ((drawn + 0.5 - distance) / self.edge.max(1.0)).clamp(0.0, 1.0);
        let eased = if self.edge > 1.0 { inside * inside * (3.0 - 2.0 * inside) } else { inside };
        self.cover * strength * eased
    }
}

/// How overlapping strokes of one layer combine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrokeOverlap {
    /// Maximum of the coverages, for segments of lines.
    Union,
    /// Alpha compositing.
    Over,
}

/// Draws strokes onto the inner rectangle as one layer.
pub fn draw(
    strokes: &[TaperedStroke],
    overlap: StrokeOverlap,
    compositor: &mut Compositor,
    blend_state: BlendState,
) {
    let region = compositor.inner;
    let bands = sorted(strokes, region);
    let width = compositor.light.width.max(1);
    let rows = &mut compositor.light.pixels[region.top * width..(region.top + region.height) * width];
    rows.par_chunks_mut(BAND * width).zip(&bands).enumerate().for_each(|(band, (pixels, chosen))| {
        let first_row = band * BAND;
        let mut layer = vec![([0.0; 3], 0.0); region.width * (pixels.len() / width)];
        for &stroke in chosen {
            rasterise(&strokes[stroke as usize], overlap, &mut layer, region.width, first_row);
        }
        for (row, inks) in pixels.chunks_mut(width).zip(layer.chunks(region.width.max(1))) {
            for (pixel, (ink, cover)) in row[region.left..].iter_mut().zip(inks) {
                *pixel = blend_state.composite(*pixel, *ink, *cover);
            }
        }
    });
}

// Bins the strokes by band.
fn sorted(strokes: &[TaperedStroke], region: PixelRect) -> Vec<Vec<u32>> {
    let mut bands = vec![Vec::new(); region.height.div_ceil(BAND)];
    let last = bands.len().saturating_sub(1);
    for (index, stroke) in strokes.iter().enumerate().filter(|(_, stroke)| stroke.is_near(region)) {
        let band = |y: f32| (y.max(0.0) as usize / BAND).min(last);
        let (top, bottom) = (stroke.from.y.min(stroke.to.y), stroke.from.y.max(stroke.to.y));
        for band in band(top - stroke.margin())..=band(bottom + stroke.margin()) {
            bands[band].push(index as u32);
        }
    }
    bands
}

fn rasterise(
    stroke: &TaperedStroke,
    overlap: StrokeOverlap,
    layer: &mut [(LinearRgb, f32)],
    width: usize,
    first_row: usize,
) {
    let span = |from: f32, to: f32, first: usize, count: usize| {
        let start = (from.min(to) - stroke.margin() - first as f32).max(0.0) as usize;
        let end = (from.max(to) + stroke.margin() - first as f32 + 1.0).max(0.0) as usize;
        start.min(count)..end.min(count)
    };
    let height = layer.len() / width.max(1);
    for y in span(stroke.from.y, stroke.to.y, first_row, height) {
        for x in span(stroke.from.x, stroke.to.x, 0, width) {
            let cover = stroke.cover_at(Vec2::new(x as f32 + 0.5, (first_row + y) as f32 + 0.5));
            if cover > 0.0 {
                let (ink, covered) = &mut layer[y * width + x];
                let coverage = match overlap {
                    StrokeOverlap::Union => covered.max(cover),
                    StrokeOverlap::Over => *covered + cover * (1.0 - *covered),
                };
                *ink = mix(*ink, stroke.ink, (cover / coverage).min(1.0));
                *covered = coverage;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flat::layer::Blend;
    use crate::picture::RadianceImage;

    const STYLE: BlendState = BlendState { opacity: 1.0, blend: Blend::Over };

    fn drawn(strokes: &[TaperedStroke], overlap: StrokeOverlap) -> RadianceImage {
        let mut compositor =
            Compositor::new(RadianceImage::filled(60, 40, [0.0; 3]), 0, [0.0; 2], [60.0, 40.0]);
        draw(strokes, overlap, &mut compositor, STYLE);
        compositor.light
    }

    fn light(radiance: &RadianceImage) -> f32 {
        radiance.pixels.iter().map(|pixel| pixel[0]).sum()
    }

    fn dot(x: f32, y: f32, half: f32) -> TaperedStroke {
        let at = Vec2::new(x, y);
        TaperedStroke { from: at, to: at, half: [half; 2], edge: 1.0, ink: [1.0; 3], cover: 1.0 }
    }

    #[test]
    fn strokes_cover_their_area() {
        assert!((light(&drawn(&[dot(30.2, 19.7, 8.0)], StrokeOverlap::Over)) - 201.1).abs() < 2.0);
        let wedge = TaperedStroke { to: Vec2::new(50.0, 20.0), half: [4.0, 0.0], ..dot(10.0, 20.0, 0.0) };
        let area = 40.0 * 4.0 + 0.5 * 50.3;
        assert!((light(&drawn(&[wedge], StrokeOverlap::Union)) - area).abs() < 6.0);
        let hair = TaperedStroke { to: Vec2::new(50.0, 20.5), half: [0.05; 2], ..dot(10.0, 20.5, 0.0) };
        assert!((light(&drawn(&[hair], StrokeOverlap::Union)) - 4.0).abs() < 0.5, "thin lines are pale");
    }

    #[test]
    fn joined_strokes_cover_once_and_piled_ones_add_up() {
        let pale = TaperedStroke { cover: 0.5, ..dot(30.0, 20.0, 6.0) };
        let middle = |overlap| drawn(&[pale, pale], overlap).pixels[20 * 60 + 30][0];
        assert_eq!((middle(StrokeOverlap::Union), middle(StrokeOverlap::Over)), (0.5, 0.75));
    }

    #[test]
    fn strokes_far_away_are_left_out() {
        let lost = [f32::NAN, f32::INFINITY, -1e30, 1e30, -50.0, 5000.0].map(|x| dot(x, 20.0, 3.0));
        assert_eq!(light(&drawn(&lost, StrokeOverlap::Over)), 0.0);
    }
}
