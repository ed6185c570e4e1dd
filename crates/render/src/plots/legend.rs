//! Legends: colour bar of a scale, and list of cell types.

use glam::Vec2;

use undine_frame::{CellKind, Quantity, RegionState};

use super::canvas::{Area, LinearRgb, PlotCanvas};
use super::colour_maps::kind_colour;
use super::field::FieldPalette;
use super::layout::{PlotLayout, outline, text_colour};
use super::profile::region_colour;
use super::scale::Scale;
use super::text::Anchor;

/// Margin for a colour bar or legend on the right, in lines of text.
pub const ROOM: f32 = 7.4;

/// The same for the kinds of regions, whose names are longer.
pub const REGION_ROOM: f32 = 10.2;

/// Draws the colour bar of a scale to the right of `plot_area`, with its unit above.
pub fn colour_bar(
    canvas: &mut PlotCanvas,
    layout: &PlotLayout,
    plot_area: Area,
    palette: &FieldPalette,
    scale: &Scale,
    unit: &str,
) {
    if !layout.has_words {
        return;
    }
    let em = layout.face.size();
    let left = (plot_area.right + 1.1 * em).round();
    let bar = Area { left, right: (left + em).round(), ..plot_area };
    for row in bar.top as i32..bar.bottom as i32 {
        let fraction = (bar.bottom - row as f32 - 0.5) / bar.height().max(1.0);
        let ink = palette.colour(scale.value(fraction), scale);
        canvas.rectangle(Area { top: row as f32, bottom: row as f32 + 1.0, ..bar }, ink);
    }
    outline(canvas, bar, 1.0);
    let room = ((bar.height() / (3.0 * em)) as usize).clamp(1, 8);
    for tick in scale.ticks(room) {
        let y = bar.bottom - scale.fraction(tick.value as f32) * bar.height();
        if (bar.top - 0.5..=bar.bottom + 0.5).contains(&y) {
            layout.mark(canvas, Vec2::new(bar.right + 1.0, y), Vec2::X, &tick);
        }
    }
    layout.face.write(canvas, Vec2::new(bar.left, bar.top - 1.2 * em), Anchor::Left, unit, text_colour());
}

/// Lists the categories of a quantity up to `highest` to the right of `plot_area`, and all types of a liquid's cells.
pub fn kinds(
    canvas: &mut PlotCanvas,
    layout: &PlotLayout,
    plot_area: Area,
    quantity: Quantity,
    highest: usize,
) {
    if !layout.has_words {
        return;
    }
    let em = layout.face.size();
    let left = (plot_area.right + 1.1 * em).round();
    let usual = match quantity {
        Quantity::CellKind => usize::from(CellKind::Solid.code()),
        Quantity::Region => RegionState::ALL.len() - 1,
        _ => 1,
    };
    for kind in 0..=highest.clamp(usual, 15) {
        let name = quantity.kind_name(kind).map_or_else(|| format!("kind {kind}"), str::to_owned);
        entry(canvas, layout, [left, plot_area.top], kind, kind_colour(quantity, kind), &name);
    }
}

/// Lists the kinds of regions that colour a profile to the right of `plot_area`.
pub fn regions(canvas: &mut PlotCanvas, layout: &PlotLayout, plot_area: Area) {
    if !layout.has_words {
        return;
    }
    let left = (plot_area.right + 1.1 * layout.face.size()).round();
    let coloured = RegionState::ALL
        .into_iter()
        .filter_map(|state| region_colour(usize::from(state.code())).map(|colour| (state.name(), colour)));
    for (line, (name, colour)) in coloured.enumerate() {
        entry(canvas, layout, [left, plot_area.top], line, colour, name);
    }
}

// A swatch and its name, on a line of a legend.
fn entry(
    canvas: &mut PlotCanvas,
    layout: &PlotLayout,
    [left, first]: [f32; 2],
    line: usize,
    colour: LinearRgb,
    name: &str,
) {
    let em = layout.face.size();
    let top = (first + line as f32 * 1.7 * em).round();
    let swatch = Area { left, top, right: left + em, bottom: top + em };
    canvas.rectangle(swatch, colour);
    outline(canvas, swatch, 1.0);
    layout.face.write(canvas, Vec2::new(left + 1.5 * em, top + 0.5 * em), Anchor::Left, name, text_colour());
}
