//! What the water counted in every frame so far, as curves over time below a plot.

use glam::Vec2;

use undine_frame::{CounterHistory, Frame};

use super::CounterChoice;
use super::canvas::{LinearRgb, PlotCanvas};
use super::layout::{PlotLayout, Window, text_colour};
use super::text::Anchor;
use crate::DrawError;
use crate::colour::from_hex;

/// Part of the height of the picture that the curves take up, with their axes.
pub const PART: f32 = 0.4;

/// Inks of the curves.
const INKS: [u32; 6] = [0x1f6fb5, 0xc8502f, 0x2f8f5b, 0x8a5fb0, 0xb58a1f, 0x4d4d4d];

/// The curves of the counters of one unit.
pub struct CounterPlot<'f> {
    histories: Vec<&'f CounterHistory>,
    unit: &'f str,
    /// Where the axis of time ends, in seconds.
    end: f64,
}

impl<'f> CounterPlot<'f> {
    /// The counters of a frame. The axis of time ends with the scene, or at the frame where that is later.
    pub fn of(
        frame: &'f Frame,
        CounterChoice { unit, duration }: &CounterChoice,
    ) -> Result<CounterPlot<'f>, DrawError> {
        let histories: Vec<_> = frame.counters.iter().filter(|history| history.unit == *unit).collect();
        let Some(first) = histories.first() else {
            let mut known: Vec<String> = frame.counters.iter().map(|history| history.unit.clone()).collect();
            known.dedup();
            return Err(DrawError::NoCounters { wanted: unit.clone(), known });
        };
        Ok(CounterPlot { unit: &first.unit, end: duration.max(frame.time).max(1e-9), histories })
    }

    /// Draws the curves with their axes and names.
    pub fn draw(&self, canvas: &mut PlotCanvas, layout: &PlotLayout) {
        let window = layout.stretched([0.0, 0.0], [self.end, self.top()]);
        canvas.rectangle(window.area, from_hex(0xf1f5f8));
        let thickness = (window.area.height() / 90.0).clamp(1.0, 6.0);
        canvas.within(window.area, |canvas| {
            // Curves that lie on each other are told apart by their width
            for (index, (history, ink)) in self.histories.iter().zip(inks()).enumerate() {
                let wider = 1.0 + 0.9 * (self.histories.len() - 1 - index).min(3) as f32;
                draw_curve(canvas, &window, history, wider * thickness, ink);
            }
        });
        layout.axes(canvas, &window, ["t (s)", ""]);
        self.write_names(canvas, layout, &window);
    }

    /// The end of the axis of counts: the next of 1, 2, 5, 10, … above all counts so far, so that it seldom moves in a film.
    fn top(&self) -> f64 {
        let counts = self.histories.iter().flat_map(|history| history.points()).map(|(_, count)| count);
        let most = f64::from(counts.filter(|count| count.is_finite()).fold(1.0, f32::max));
        let decade = 10_f64.powf(most.log10().floor());
        [1.0, 2.0, 5.0, 10.0].map(|step| step * decade).into_iter().find(|top| *top >= most).unwrap_or(most)
    }

    /// The names of the curves in their inks, above the plot.
    fn write_names(&self, canvas: &mut PlotCanvas, layout: &PlotLayout, window: &Window) {
        if !layout.has_words {
            return;
        }
        let em = layout.face.size();
        let mut at = Vec2::new(window.area.left, window.area.top - 0.9 * em);
        for (history, ink) in self.histories.iter().zip(inks()) {
            canvas.line(at, at + Vec2::X * em, 0.2 * em, ink);
            at.x += 1.4 * em;
            layout.face.write(canvas, at, Anchor::Left, &history.name, text_colour());
            at.x += layout.face.width(&history.name) + 1.6 * em;
        }
        let each = format!("{} a frame", self.unit);
        if at.x + layout.face.width(&each) < window.area.right {
            let right = Vec2::new(window.area.right, at.y);
            layout.face.write(canvas, right, Anchor::Right, &each, text_colour());
        }
    }
}

fn inks() -> impl Iterator<Item = LinearRgb> {
    INKS.into_iter().cycle().map(from_hex)
}

/// A curve with one point a frame.
fn draw_curve(
    canvas: &mut PlotCanvas,
    window: &Window,
    history: &CounterHistory,
    thickness: f32,
    ink: LinearRgb,
) {
    let mut last: Option<Vec2> = None;
    for (time, count) in history.points() {
        let at = window.pixel_of([time, f64::from(count)]);
        if let Some(last) = last {
            canvas.line(last, at, thickness, ink);
        }
        last = Some(at);
    }
}
