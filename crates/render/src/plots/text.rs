//! Text on the canvas.

use ab_glyph::{Font, FontRef, Glyph, PxScale, ScaleFont, point};
use glam::Vec2;

use super::canvas::{LinearRgb, PlotCanvas};

/// Horizontal alignment of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The left end.
    Left,
    /// The middle.
    Middle,
    /// The right end.
    Right,
}

/// A typeface at one size.
#[derive(Debug)]
pub struct Typeface {
    font: Option<FontRef<'static>>,
    size: f32,
}

impl Typeface {
    /// The plots' typeface with lines `size` pixels high.
    pub fn new(size: f32) -> Self {
        // The font is part of the program; if it failed to load, plots would lack text
        Typeface { font: FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT).ok(), size }
    }

    /// Height of a line in pixels.
    pub fn size(&self) -> f32 {
        self.size
    }

    /// Width of a text in pixels.
    pub fn width(&self, text: &str) -> f32 {
        let Some(font) = &self.font else { return 0.0 };
        let font = font.as_scaled(PxScale::from(self.size));
        text.chars().map(|letter| font.h_advance(font.glyph_id(letter))).sum()
    }

    /// Writes a text whose vertical middle is at `at.y`.
    pub fn write(&self, canvas: &mut PlotCanvas, at: Vec2, anchor: Anchor, text: &str, ink: LinearRgb) {
        for glyph in self.layout(at, anchor, text) {
            let Some(outline) = self.font.as_ref().and_then(|font| font.outline_glyph(glyph)) else {
                continue;
            };
            let corner = outline.px_bounds().min;
            let (left, top) = (corner.x as i32, corner.y as i32);
            outline.draw(|x, y, cover| {
                // Gamma on the coverage: a light face blended in linear light looks too thin
                let weight = cover.clamp(0.0, 1.0).powf(0.62);
                canvas.blend(left.saturating_add(x as i32), top.saturating_add(y as i32), ink, weight);
            });
        }
    }

    fn layout(&self, at: Vec2, anchor: Anchor, text: &str) -> Vec<Glyph> {
        let Some(font) = &self.font else { return Vec::new() };
        if !at.is_finite() {
            return Vec::new();
        }
        let scaled = font.as_scaled(PxScale::from(self.size));
        let start = match anchor {
            Anchor::Left => at.x,
            Anchor::Middle => at.x - 0.5 * self.width(text),
            Anchor::Right => at.x - self.width(text),
        };
        // Digit height is about 0.7 of the size
        let baseline = (at.y + 0.26 * self.size).round();
        let mut pen = start.round();
        text.chars()
            .map(|letter| {
                let mut glyph = scaled.scaled_glyph(letter);
                glyph.position = point(pen, baseline);
                pen += scaled.h_advance(glyph.id);
                glyph
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_leave_ink_where_they_should() {
        let face = Typeface::new(20.0);
        let mut canvas = PlotCanvas::new(100, 40, [0.0; 3]);
        face.write(&mut canvas, Vec2::new(95.0, 20.0), Anchor::Right, "42", [1.0; 3]);
        let inked = |x: std::ops::Range<usize>| {
            x.flat_map(|x| (0..40).map(move |y| (x, y)))
                .map(|(x, y)| canvas.light.pixels[y * 100 + x][0])
                .sum::<f32>()
        };
        assert_eq!(inked(0..60), 0.0);
        assert!(inked(60..97) > 20.0);
    }

    #[test]
    fn width_grows_with_the_text() {
        let face = Typeface::new(16.0);
        assert_eq!(face.width(""), 0.0);
        assert!((face.width("aaaa") - 4.0 * face.width("a")).abs() < 1e-3);
    }

    #[test]
    fn text_outside_the_canvas_is_clipped() {
        let mut canvas = PlotCanvas::new(4, 4, [0.0; 3]);
        for at in [Vec2::splat(f32::NAN), Vec2::splat(1e20), Vec2::splat(-50.0)] {
            Typeface::new(12.0).write(&mut canvas, at, Anchor::Middle, "long word \u{1F30A}", [1.0; 3]);
        }
    }
}
