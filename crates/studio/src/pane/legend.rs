//! The colour bar of a pane, and other text on it.

use egui::{Align2, Color32, Rect, TextStyle, Ui, pos2, vec2};
use undine::Frame;
use undine::render::colour::to_bytes;
use undine::render::plots::ColourMap;
use undine_gpu::ColourMapping;

use super::PaneContext;
use crate::panels::format_number;
use crate::view::PaneContent;

/// Size of the colour bar in points.
const BAR: [f32; 2] = [150.0, 8.0];
/// Colour steps of the bar.
const STEPS: usize = 50;

/// The colour bar of the field that is shown, and the name of the run.
pub fn show(ui: &Ui, rect: Rect, context: &PaneContext<'_>, frame: &Frame, label: Option<&str>) {
    if let Some(label) = label {
        draw_text(ui, rect.left_top() + vec2(10.0, 8.0), Align2::LEFT_TOP, label);
    }
    let (PaneContent::Field(field) | PaneContent::Draped(field)) = &context.view.show else { return };
    let Some(raster) = frame.fields.iter().find(|raster| raster.name == *field) else { return };
    let Some(colours) = context.default_view.colours(field, &context.view.colours, frame) else { return };
    let unit = if raster.unit.is_empty() { String::new() } else { format!(" [{}]", raster.unit) };
    let corner = rect.left_bottom() + vec2(12.0, -16.0);
    let [low, high] = limits(&colours);
    bar(ui, Rect::from_min_size(corner - vec2(0.0, BAR[1]), BAR.into()), &colours, [low, high]);
    draw_text(ui, corner - vec2(0.0, BAR[1] + 3.0), Align2::LEFT_BOTTOM, &format!("{field}{unit}"));
    draw_text(ui, corner + vec2(0.0, 1.0), Align2::LEFT_TOP, &format_number(f64::from(low)));
    draw_text(ui, corner + vec2(BAR[0], 1.0), Align2::RIGHT_TOP, &format_number(f64::from(high)));
}

/// A text in the corner of a pane.
pub fn note(ui: &Ui, rect: Rect, text: &str) {
    draw_text(ui, rect.right_top() + vec2(-10.0, 8.0), Align2::RIGHT_TOP, text);
}

fn limits(colours: &ColourMapping) -> [f32; 2] {
    match colours {
        ColourMapping::Map { limits, .. } => *limits,
        ColourMapping::Hsl { unit, .. } => [-2.0 * unit, 2.0 * unit],
    }
}

fn bar(ui: &Ui, bar: Rect, colours: &ColourMapping, [low, high]: [f32; 2]) {
    let map = match colours {
        ColourMapping::Map { map, .. } => ColourMap::named(map),
        ColourMapping::Hsl { .. } => None,
    };
    let painter = ui.painter();
    let width = bar.width() / STEPS as f32;
    for step in 0..STEPS {
        let fraction = (step as f32 + 0.5) / STEPS as f32;
        let ink = match (colours, &map) {
            (ColourMapping::Hsl { ramp, unit }, _) => ramp.colour((low + fraction * (high - low)) / unit),
            (_, Some(map)) => map.colour(fraction),
            _ => [fraction; 3],
        };
        let [red, green, blue] = to_bytes(ink);
        let left = bar.left() + step as f32 * width;
        let part = Rect::from_min_max(pos2(left, bar.top()), pos2(left + width + 0.5, bar.bottom()));
        painter.rect_filled(part, 0.0, Color32::from_rgb(red, green, blue));
    }
}

/// Text with a shadow, readable on any picture.
fn draw_text(ui: &Ui, at: egui::Pos2, anchor: Align2, text: &str) {
    let font = TextStyle::Small.resolve(ui.style());
    let painter = ui.painter();
    painter.text(at + vec2(1.0, 1.0), anchor, text, font.clone(), Color32::from_black_alpha(200));
    painter.text(at, anchor, text, font, Color32::WHITE);
}
