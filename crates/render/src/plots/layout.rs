//! Layout of a plot: margins, axes, ticks and title.

use glam::Vec2;

use super::canvas::{Area, LinearRgb, PlotCanvas};
use super::scale::{Scale, Tick};
use super::text::{Anchor, Typeface};
use crate::colour::from_hex;

/// Background colour of plots.
pub fn paper() -> LinearRgb {
    from_hex(0xfbfaf7)
}

/// Colour of text and axes.
pub fn text_colour() -> LinearRgb {
    from_hex(0x2a2f36)
}

/// Colour of missing values.
pub fn missing_colour() -> LinearRgb {
    from_hex(0xdcdad4)
}

/// Window–viewport transform between a world rectangle and an area of the picture: x to the right, y up.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    /// The area of the picture.
    pub area: Area,
    /// Values at the lower left corner.
    pub low: [f64; 2],
    /// Values at the upper right corner.
    pub high: [f64; 2],
}

impl Window {
    /// World to pixels.
    pub fn pixel_of(&self, position: [f64; 2]) -> Vec2 {
        let fraction =
            |axis: usize| ((position[axis] - self.low[axis]) / (self.high[axis] - self.low[axis])) as f32;
        Vec2::new(
            self.area.left + fraction(0) * self.area.width(),
            self.area.bottom - fraction(1) * self.area.height(),
        )
    }

    /// Pixels to world.
    pub fn world_at(&self, pixel: Vec2) -> [f64; 2] {
        let u = f64::from((pixel.x - self.area.left) / self.area.width().max(1e-6));
        let v = f64::from((self.area.bottom - pixel.y) / self.area.height().max(1e-6));
        [self.low[0] + u * (self.high[0] - self.low[0]), self.low[1] + v * (self.high[1] - self.low[1])]
    }

    /// Pixels per metre along both axes.
    pub fn density(&self) -> [f64; 2] {
        let span = [f64::from(self.area.width()), f64::from(self.area.height())];
        [0, 1].map(|axis| span[axis] / (self.high[axis] - self.low[axis]))
    }
}

/// Plot layout with margins for text, or without when the picture is too small.
#[derive(Debug)]
pub struct PlotLayout {
    /// The typeface of all text but the title.
    pub face: Typeface,
    title: Typeface,
    /// Whether there is room for text.
    pub has_words: bool,
    inner: Area,
    page: Area,
}

impl PlotLayout {
    /// The layout of a canvas; `right` is the margin on the right for a colour bar or legend, in lines of text.
    pub fn new(canvas: &PlotCanvas, right: f32) -> Self {
        let page = canvas.area();
        let em = (page.height().min(page.width()) / 38.0).clamp(10.0, 96.0).round();
        let has_words = page.width() > 18.0 * em && page.height() > 11.0 * em;
        let inner = Area {
            left: 4.6 * em,
            top: 2.6 * em,
            right: page.right - right.max(1.2) * em,
            bottom: page.bottom - 3.2 * em,
        };
        let inner = if has_words { inner } else { page };
        let title = Typeface::new((1.2 * em).round());
        PlotLayout { face: Typeface::new(em), title, has_words, inner, page }
    }

    /// The same without this lower part of the page.
    pub fn above(mut self, part: f32) -> Self {
        self.inner.bottom -= (part * self.page.height()).round();
        self
    }

    /// The same in this lower part of the page only.
    pub fn below(mut self, part: f32) -> Self {
        let em = if self.has_words { self.face.size() } else { 1.0 };
        self.inner.top = (self.page.bottom - part * self.page.height() + 1.8 * em).round();
        self.inner.bottom = self.page.bottom - if self.has_words { 3.2 * em } else { 0.0 };
        self
    }

    /// The window of a world rectangle, with equal scales on both axes unless its aspect ratio exceeds 8.
    pub fn window(&self, low: [f64; 2], high: [f64; 2]) -> Window {
        let size = [0, 1].map(|axis| (high[axis] - low[axis]).max(1e-12));
        let (wide, tall) = (self.inner.width(), self.inner.height());
        let ratio = (size[0] / size[1]) as f32;
        if !(0.125..=8.0).contains(&ratio) {
            return Window { area: self.inner, low, high };
        }
        let (width, height) =
            if wide / ratio.max(1e-6) <= tall { (wide, wide / ratio) } else { (tall * ratio, tall) };
        let middle = self.inner.middle();
        let left = (middle.x - 0.5 * width).round();
        let top = (middle.y - 0.5 * height).round();
        let area = Area { left, top, right: left + width.round(), bottom: top + height.round() };
        Window { area, low, high }
    }

    /// A window that fills the plot area, for axes of different units.
    pub fn stretched(&self, low: [f64; 2], high: [f64; 2]) -> Window {
        Window { area: self.inner, low, high }
    }

    /// Writes the title on the left and the time on the right above the plot.
    pub fn head(&self, canvas: &mut PlotCanvas, window: &Window, title: &str, time: f64) {
        if !self.has_words {
            return;
        }
        let y = window.area.top - 1.2 * self.face.size();
        self.title.write(canvas, Vec2::new(window.area.left, y), Anchor::Left, title, text_colour());
        let time = format!("t = {time:.2} s");
        let fits = self.title.width(title) + self.face.width(&time) + self.face.size() < window.area.width();
        if fits {
            self.face.write(canvas, Vec2::new(window.area.right, y), Anchor::Right, &time, text_colour());
        }
    }

    /// Draws the frame of a window with ticks, labels and names of both axes.
    pub fn axes(&self, canvas: &mut PlotCanvas, window: &Window, names: [&str; 2]) {
        if !self.has_words {
            return;
        }
        let em = self.face.size();
        outline(canvas, window.area, 1.0);
        let ticks = |axis: usize, room: f32| {
            let scale = Scale::new(window.low[axis] as f32, window.high[axis] as f32, false);
            scale.ticks(((room / em) as usize).clamp(1, 10))
        };
        for tick in ticks(0, window.area.width() / 6.0) {
            let x = window.pixel_of([tick.value, window.low[1]]).x.round() + 0.5;
            self.mark(canvas, Vec2::new(x, window.area.bottom), Vec2::Y, &tick);
        }
        for tick in ticks(1, window.area.height() / 3.0) {
            let y = window.pixel_of([window.low[0], tick.value]).y.round() + 0.5;
            self.mark(canvas, Vec2::new(window.area.left, y), -Vec2::X, &tick);
        }
        let below = Vec2::new(window.area.middle().x, window.area.bottom + 2.35 * em);
        self.face.write(canvas, below, Anchor::Middle, names[0], text_colour());
        let label_position = Vec2::new(window.area.left - 0.55 * em, window.area.top - 0.1 * em);
        self.face.write(canvas, label_position - Vec2::Y * 1.1 * em, Anchor::Right, names[1], text_colour());
    }

    /// Draws a tick at an edge and its label outside.
    pub fn mark(&self, canvas: &mut PlotCanvas, at: Vec2, outwards: Vec2, tick: &Tick) {
        let em = self.face.size();
        canvas.line(at, at + outwards * 0.35 * em, 1.0, text_colour());
        let (anchor, gap) = match outwards {
            Vec2::X => (Anchor::Left, 0.6 * em),
            Vec2::NEG_X => (Anchor::Right, 0.6 * em),
            _ => (Anchor::Middle, 1.05 * em),
        };
        self.face.write(canvas, at + outwards * gap, anchor, &tick.label, text_colour());
    }
}

/// Draws the border of an area, just outside it.
pub fn outline(canvas: &mut PlotCanvas, area: Area, thickness: f32) {
    let Area { left, top, right, bottom } = area;
    let bars = [
        Area { left: left - thickness, top: top - thickness, right: right + thickness, bottom: top },
        Area { left: left - thickness, top: bottom, right: right + thickness, bottom: bottom + thickness },
        Area { left: left - thickness, top, right: left, bottom },
        Area { left: right, top, right: right + thickness, bottom },
    ];
    for bar in bars {
        canvas.rectangle(bar, text_colour());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_round_trip_and_keep_the_aspect_ratio() {
        let canvas = PlotCanvas::new(640, 360, paper());
        let window = PlotLayout::new(&canvas, 7.0).window([0.0, 0.0], [4.0, 2.0]);
        assert!((window.area.width() / window.area.height() - 2.0).abs() < 0.02);
        let position = window.world_at(window.pixel_of([1.25, 0.5]));
        assert!((position[0] - 1.25).abs() < 1e-3 && (position[1] - 0.5).abs() < 1e-3);
        assert!(window.area.left >= 0.0 && window.area.right <= 640.0);
    }

    #[test]
    fn small_pages_are_bare() {
        let canvas = PlotCanvas::new(64, 48, paper());
        assert!(!PlotLayout::new(&canvas, 7.0).has_words);
    }
}
