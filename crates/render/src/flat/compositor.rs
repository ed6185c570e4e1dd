//! Compositor: the page, the rectangle of the fluid in it, and blending of layers.

use rayon::prelude::*;

use super::layer::Blend;
use crate::colour::{encode, mix};
use crate::noise::hash;
use crate::picture::{Picture, RadianceImage};
use crate::plots::canvas::{Area, LinearRgb};
use crate::plots::layout::Window;

/// A rectangle of pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PixelRect {
    /// Its first column.
    pub left: usize,
    /// Its first row.
    pub top: usize,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

/// Opacity and blend mode of a layer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlendState {
    /// Opacity, 0 to 1.
    pub opacity: f32,
    /// Blend mode.
    pub blend: Blend,
}

/// A page onto which layers are composited.
#[derive(Debug)]
pub struct Compositor {
    /// The framebuffer.
    pub light: RadianceImage,
    /// The background, before the first layer.
    pub background: RadianceImage,
    /// The whole page.
    pub page: PixelRect,
    /// The rectangle of the fluid.
    pub inner: PixelRect,
    /// Transform from world to pixels of the inner rectangle.
    pub window: Window,
}

impl Compositor {
    /// A page with the world rectangle from `low` to `high` centred in it, at least `margin` pixels from its edges.
    pub fn new(background: RadianceImage, margin: usize, low: [f64; 2], high: [f64; 2]) -> Self {
        let page = PixelRect { left: 0, top: 0, width: background.width, height: background.height };
        let inner = page.around_fluid(margin, low, high);
        let area = Area { left: 0.0, top: 0.0, right: inner.width as f32, bottom: inner.height as f32 };
        Compositor { light: background.clone(), background, page, inner, window: Window { area, low, high } }
    }

    /// Composites colours over a rectangle: `ink(x, y, below)` gives colour and coverage of a pixel.
    pub fn paint(
        &mut self,
        region: PixelRect,
        blend_state: BlendState,
        ink: impl Fn(usize, usize, LinearRgb) -> (LinearRgb, f32) + Sync,
    ) {
        self.rows(region).for_each(|(y, row)| {
            for (x, pixel) in row.iter_mut().enumerate() {
                let (colour, cover) = ink(x, y, *pixel);
                *pixel = blend_state.composite(*pixel, colour, cover);
            }
        });
    }

    /// The rows of a rectangle with their indices, as a parallel iterator.
    pub fn rows(
        &mut self,
        region: PixelRect,
    ) -> impl IndexedParallelIterator<Item = (usize, &mut [LinearRgb])> {
        let width = self.light.width.max(1);
        let rows = self.light.pixels.par_chunks_mut(width).skip(region.top).take(region.height);
        rows.map(move |row| &mut row[region.left..region.left + region.width]).enumerate()
    }

    /// Encodes the page as sRGB with dither against banding.
    pub fn finish(&self) -> Picture {
        let table: Vec<f32> =
            (0..=STEPS).map(|step| 255.0 * encode((step as f32 / STEPS as f32).powi(2))).collect();
        self.light.encode(|x, y, colour| {
            let bits = hash(x as i32, y as i32, 0);
            std::array::from_fn(|channel| {
                let at = colour[channel].clamp(0.0, 1.0).sqrt() * STEPS as f32;
                let index = (at as usize).min(STEPS - 1);
                let level = table[index] + (table[index + 1] - table[index]) * (at - index as f32);
                let dither = (bits >> (10 * channel) & 0x3ff) as f32 / 1024.0 - 0.5;
                // No dither at integer levels, so that uniform colours are exact
                (level + 0.5 + 0.98 * dither * (4.0 * (level - level.round()).abs()).min(1.0)) as u8
            })
        })
    }
}

/// Entries of the sRGB encoding table.
const STEPS: usize = 2048;

impl PixelRect {
    /// The rectangle of a fluid between two corners: centred in this page, at least `margin` pixels from its edges.
    pub fn around_fluid(self, margin: usize, low: [f64; 2], high: [f64; 2]) -> Self {
        self.shrunk(margin).fitted((high[0] - low[0]) / (high[1] - low[1]))
    }

    /// The rectangle without `margin` pixels on each side; at least one pixel is left.
    pub fn shrunk(self, margin: usize) -> Self {
        let side = |start: usize, length: usize| {
            let margin = margin.min(length.saturating_sub(1) / 2);
            (start + margin, length - 2 * margin)
        };
        let ((left, width), (top, height)) = (side(self.left, self.width), side(self.top, self.height));
        PixelRect { left, top, width, height }
    }

    /// The largest centred rectangle with the aspect ratio `ratio` (width over height).
    pub fn fitted(self, ratio: f64) -> Self {
        let ratio = if ratio.is_finite() && ratio > 0.0 { ratio } else { 1.0 };
        let wide = (self.height as f64 * ratio).round().clamp(1.0, self.width.max(1) as f64) as usize;
        let tall = (self.width as f64 / ratio).round().clamp(1.0, self.height.max(1) as f64) as usize;
        let (left, top) = (self.left + (self.width - wide) / 2, self.top + (self.height - tall) / 2);
        PixelRect { left, top, width: wide, height: tall }
    }
}

impl BlendState {
    /// Composites a colour with coverage `cover` over a pixel.
    #[inline]
    pub fn composite(&self, below: LinearRgb, ink: LinearRgb, cover: f32) -> LinearRgb {
        let cover = self.opacity * cover;
        // NaN covers nothing
        if cover.is_nan() || cover <= 0.0 || !ink.iter().all(|channel| channel.is_finite()) {
            return below;
        }
        mix(below, self.blend.mixed(below, ink), cover.min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compositor(width: usize, height: usize, margin: usize) -> Compositor {
        Compositor::new(RadianceImage::filled(width, height, [0.25; 3]), margin, [0.0, 0.0], [2.0, 1.0])
    }

    #[test]
    fn the_box_keeps_its_shape_in_the_middle() {
        assert_eq!(compositor(400, 400, 20).inner, PixelRect { left: 20, top: 110, width: 360, height: 180 });
        assert_eq!(compositor(400, 100, 0).inner, PixelRect { left: 100, top: 0, width: 200, height: 100 });
        assert_eq!(compositor(1, 1, 50).inner, PixelRect { left: 0, top: 0, width: 1, height: 1 });
    }

    #[test]
    fn layers_mix_as_their_blend_says() {
        let composite = |blend, opacity| BlendState { opacity, blend }.composite([0.25; 3], [0.5; 3], 1.0)[0];
        assert_eq!(composite(Blend::Over, 1.0), 0.5);
        assert_eq!(composite(Blend::Over, 0.5), 0.375);
        assert_eq!(composite(Blend::Add, 1.0), 0.75);
        assert_eq!(composite(Blend::Multiply, 1.0), 0.125);
        assert_eq!(composite(Blend::Screen, 1.0), 0.625);
        assert_eq!(composite(Blend::Lighten, 1.0), 0.5);
        let blend_state = BlendState { opacity: 1.0, blend: Blend::Over };
        assert_eq!(blend_state.composite([0.25; 3], [f32::NAN; 3], 1.0), [0.25; 3]);
        assert_eq!(blend_state.composite([0.25; 3], [1.0; 3], f32::NAN), [0.25; 3]);
    }

    #[test]
    fn even_colours_come_out_as_they_were() {
        let mut page = compositor(40, 40, 0);
        let region = page.page;
        page.paint(region, BlendState { opacity: 1.0, blend: Blend::Over }, |x, _, _| {
            (crate::colour::from_hex(0x010101 * x as u32 * 6), 1.0)
        });
        let picture = page.finish();
        for x in 0..40 {
            assert!((0..40).all(|y| picture.pixel(x, y) == Some([6 * x as u8; 3])), "{x}");
        }
    }
}
