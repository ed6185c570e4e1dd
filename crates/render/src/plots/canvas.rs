//! Canvas for plots: antialiased rectangles, lines, discs and polygons.

use glam::Vec2;

use crate::colour::mix;
use crate::picture::RadianceImage;

/// A linear colour.
pub type LinearRgb = [f32; 3];

/// A rectangle of the picture, in pixels from the top left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// Left edge.
    pub left: f32,
    /// Upper edge.
    pub top: f32,
    /// Right edge.
    pub right: f32,
    /// Lower edge.
    pub bottom: f32,
}

impl Area {
    /// Its width, never negative.
    pub fn width(&self) -> f32 {
        (self.right - self.left).max(0.0)
    }

    /// Its height, never negative.
    pub fn height(&self) -> f32 {
        (self.bottom - self.top).max(0.0)
    }

    /// Its middle.
    pub fn middle(&self) -> Vec2 {
        Vec2::new(0.5 * (self.left + self.right), 0.5 * (self.top + self.bottom))
    }
}

/// A picture to draw on.
#[derive(Debug)]
pub struct PlotCanvas {
    /// The framebuffer.
    pub light: RadianceImage,
    clip: Area,
}

impl PlotCanvas {
    /// An empty canvas of this colour.
    pub fn new(width: usize, height: usize, paper: LinearRgb) -> Self {
        let clip = Area { left: 0.0, top: 0.0, right: width as f32, bottom: height as f32 };
        PlotCanvas { light: RadianceImage::filled(width, height, paper), clip }
    }

    /// The area of the canvas.
    pub fn area(&self) -> Area {
        Area { left: 0.0, top: 0.0, right: self.light.width as f32, bottom: self.light.height as f32 }
    }

    /// Draws clipped to `area`.
    pub fn within(&mut self, area: Area, draw: impl FnOnce(&mut PlotCanvas)) {
        let previous_clip = std::mem::replace(&mut self.clip, area);
        draw(self);
        self.clip = previous_clip;
    }

    /// Blends a colour over one pixel with coverage `cover`.
    pub fn blend(&mut self, x: i32, y: i32, ink: LinearRgb, cover: f32) {
        let inside = x >= 0 && y >= 0 && (x as usize) < self.light.width && (y as usize) < self.light.height;
        if inside && cover > 0.0 {
            let pixel = &mut self.light.pixels[y as usize * self.light.width + x as usize];
            *pixel = mix(*pixel, ink, cover.min(1.0));
        }
    }

    /// Fills a rectangle.
    pub fn rectangle(&mut self, area: Area, ink: LinearRgb) {
        let fraction = |low: f32, high: f32, at: i32| {
            ((at as f32 + 1.0).min(high) - (at as f32).max(low)).clamp(0.0, 1.0)
        };
        self.each_pixel(area, 0.0, |x, y, _| {
            let cover = fraction(area.left, area.right, x) * fraction(area.top, area.bottom, y);
            (ink, cover)
        });
    }

    /// Draws a straight line with round caps.
    pub fn line(&mut self, from: Vec2, to: Vec2, thickness: f32, ink: LinearRgb) {
        let (axis, length_squared) = (to - from, (to - from).length_squared());
        let box_around = Area {
            left: from.x.min(to.x),
            top: from.y.min(to.y),
            right: from.x.max(to.x),
            bottom: from.y.max(to.y),
        };
        // Lines thinner than a pixel are drawn a pixel wide with reduced opacity
        let (radius, strength) = (0.5 * thickness.max(1.0), thickness.min(1.0));
        self.each_pixel(box_around, radius + 1.0, |_, _, at| {
            let fraction = if length_squared > 0.0 {
                ((at - from).dot(axis) / length_squared).clamp(0.0, 1.0)
            } else {
                0.0
            };
            let distance = (at - from - axis * fraction).length();
            (ink, strength * (radius + 0.5 - distance).clamp(0.0, 1.0))
        });
    }

    /// Draws a filled circle.
    pub fn disc(&mut self, centre: Vec2, radius: f32, ink: LinearRgb, opacity: f32) {
        let point = Area { left: centre.x, top: centre.y, right: centre.x, bottom: centre.y };
        self.each_pixel(point, radius + 1.0, |_, _, at| {
            (ink, opacity * (radius + 0.5 - (at - centre).length()).clamp(0.0, 1.0))
        });
    }

    /// Fills a convex polygon.
    pub fn polygon(&mut self, corners: &[Vec2], ink: LinearRgb) {
        let [first, ..] = corners else { return };
        let (low, high) = corners.iter().fold((*first, *first), |(low, high), c| (low.min(*c), high.max(*c)));
        let doubled: f32 = edges(corners).map(|(from, to)| from.perp_dot(to)).sum();
        let sign = doubled.signum();
        let box_around = Area { left: low.x, top: low.y, right: high.x, bottom: high.y };
        self.each_pixel(box_around, 1.0, |_, _, at| {
            let inside = edges(corners)
                .map(|(from, to)| sign * (to - from).normalize_or_zero().perp_dot(at - from))
                .fold(f32::INFINITY, f32::min);
            (ink, (inside + 0.5).clamp(0.0, 1.0))
        });
    }

    // Visits the pixels within `margin` of an area, clipped; `paint` gets the pixel and its centre.
    fn each_pixel(&mut self, area: Area, margin: f32, paint: impl Fn(i32, i32, Vec2) -> (LinearRgb, f32)) {
        let limits = self.area();
        let left = (area.left - margin).max(self.clip.left).max(0.0).floor() as i32;
        let right = (area.right + margin).min(self.clip.right).min(limits.right).ceil() as i32;
        let top = (area.top - margin).max(self.clip.top).max(0.0).floor() as i32;
        let bottom = (area.bottom + margin).min(self.clip.bottom).min(limits.bottom).ceil() as i32;
        for y in top..bottom {
            for x in left..right {
                let (ink, cover) = paint(x, y, Vec2::new(x as f32 + 0.5, y as f32 + 0.5));
                self.blend(x, y, ink, cover);
            }
        }
    }
}

fn edges(corners: &[Vec2]) -> impl Iterator<Item = (Vec2, Vec2)> + '_ {
    corners.iter().enumerate().map(|(index, &from)| (from, corners[(index + 1) % corners.len()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ink_on(canvas: &PlotCanvas) -> f32 {
        canvas.light.pixels.iter().map(|pixel| pixel[0]).sum()
    }

    #[test]
    fn shapes_cover_their_area() {
        let mut canvas = PlotCanvas::new(40, 40, [0.0; 3]);
        canvas.rectangle(Area { left: 3.25, top: 4.5, right: 13.75, bottom: 9.0 }, [1.0; 3]);
        assert!((ink_on(&canvas) - 10.5 * 4.5).abs() < 1e-3);
        let mut canvas = PlotCanvas::new(40, 40, [0.0; 3]);
        canvas.disc(Vec2::new(20.3, 19.8), 9.0, [1.0; 3], 1.0);
        assert!((ink_on(&canvas) - 254.5).abs() < 2.0);
        let mut canvas = PlotCanvas::new(40, 40, [0.0; 3]);
        canvas.polygon(&[Vec2::new(5.0, 5.0), Vec2::new(5.0, 35.0), Vec2::new(35.0, 5.0)], [1.0; 3]);
        assert!((ink_on(&canvas) - 450.0).abs() < 5.0);
    }

    #[test]
    fn nothing_leaves_the_sheet_or_the_clip() {
        let mut canvas = PlotCanvas::new(10, 10, [0.0; 3]);
        canvas.line(Vec2::new(-1e9, 3.0), Vec2::new(f32::INFINITY, f32::NAN), 2.0, [1.0; 3]);
        canvas.disc(Vec2::splat(f32::NAN), 3.0, [1.0; 3], 1.0);
        canvas.polygon(&[], [1.0; 3]);
        let corner = Area { left: 0.0, top: 0.0, right: 2.0, bottom: 2.0 };
        let mut canvas = PlotCanvas::new(10, 10, [0.0; 3]);
        canvas.within(corner, |canvas| canvas.rectangle(canvas.area(), [1.0; 3]));
        assert_eq!(ink_on(&canvas), 4.0);
    }
}
