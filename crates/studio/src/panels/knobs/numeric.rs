//! Knobs for numbers: a field to type or drag in, and a slider beside it.

use egui::{Checkbox, DragValue, Response, Slider, SliderClamping, Ui};
use undine::scene::{Absent, Range};

use super::desk::Desk;
use super::key::Row;
use crate::panels::{brief, named, typed};

/// Keys that can be switched off, which makes them zero, and on again.
const SWITCHED: &[&str] = &["viscosity"];
/// What a switched key is when it is first switched on.
const FIRST: f64 = 1e-3;
/// A range wider than this ratio is walked by ratios.
const WIDE: f64 = 1e3;

/// A real number.
pub fn number(ui: &mut Ui, desk: &mut Desk<'_>, row: &Row<'_, '_>, typed: &str) {
    let Some(mut value) = typed::number(typed) else { return };
    let path = row.path();
    if SWITCHED.contains(&row.key.name) {
        switch(ui, desk, row, value);
        if value == 0.0 {
            ui.weak("off");
            return;
        }
    }
    let span = span(desk, &path, row, value, ui.input(|input| input.pointer.any_down()));
    let field = field(ui, &mut value, row, span);
    let slider = slider(ui, &mut value, row, span, false);
    for response in [Some(field), slider].into_iter().flatten() {
        desk.turn(ui, row.part, &row.local, typed::from_number(value), row.is_live, &response);
    }
}

/// A whole number.
pub fn integer(ui: &mut Ui, desk: &mut Desk<'_>, row: &Row<'_, '_>, typed: &str) {
    let Some(mut value) = typed::number(typed) else { return };
    let span = span(desk, &row.path(), row, value, ui.input(|input| input.pointer.any_down()));
    let drag = DragValue::new(&mut value).range(row.key.range.low..=row.key.range.high).max_decimals(0);
    let drag = drag.suffix(suffix(row)).speed(((span[1] - span[0]) / 400.0).clamp(0.05, 50.0));
    let field = ui.add(drag.update_while_editing(false));
    let field = named(ui, field, format!("knob:{}", row.path())).on_hover_text(row.help());
    let slider = slider(ui, &mut value, row, span, true);
    for response in [Some(field), slider].into_iter().flatten() {
        desk.turn(ui, row.part, &row.local, format!("{value:.0}"), row.is_live, &response);
    }
}

/// Several numbers.
pub fn vector(ui: &mut Ui, desk: &mut Desk<'_>, row: &Row<'_, '_>, typed: &str, are_whole: bool) {
    let Some(mut values) = typed::numbers(typed) else { return };
    let reach = values.iter().fold(1e-3_f64, |reach, value| reach.max(value.abs()));
    ui.spacing_mut().interact_size.x = 30.0;
    ui.spacing_mut().item_spacing.x = 3.0;
    let mut responses = Vec::with_capacity(values.len());
    for (index, value) in values.iter_mut().enumerate() {
        let drag = DragValue::new(value).range(row.key.range.low..=row.key.range.high).speed(0.01 * reach);
        let drag =
            if are_whole { drag.max_decimals(0) } else { drag.custom_formatter(|number, _| brief(number)) };
        let response = ui.add(drag.update_while_editing(false));
        responses.push(named(ui, response, format!("knob:{}.{index}", row.path())).on_hover_text(row.help()));
    }
    if !row.key.unit.is_empty() {
        ui.weak(row.key.unit);
    }
    for response in responses {
        desk.turn(ui, row.part, &row.local, typed::from_numbers(&values, are_whole), row.is_live, &response);
    }
}

/// The checkbox of a key that can be switched off.
fn switch(ui: &mut Ui, desk: &mut Desk<'_>, row: &Row<'_, '_>, value: f64) {
    let path = row.path();
    let mut is_on = value != 0.0;
    if is_on {
        desk.memory.last.insert(path.clone(), value);
    }
    let response = ui.add(Checkbox::without_text(&mut is_on)).on_hover_text("on or off");
    let response = named(ui, response, format!("switch:{path}"));
    if response.changed() {
        let value = if is_on { desk.memory.last.get(&path).copied().unwrap_or(FIRST) } else { 0.0 };
        desk.turn(ui, row.part, &row.local, typed::from_number(value), row.is_live, &response);
    }
}

fn field(ui: &mut Ui, value: &mut f64, row: &Row<'_, '_>, span: [f64; 2]) -> Response {
    let speed = if is_wide(&row.key.range) {
        (0.01 * value.abs()).max(1e-5 * span[1].abs())
    } else {
        (span[1] - span[0]) / 300.0
    };
    let drag = DragValue::new(value).range(row.key.range.low..=row.key.range.high).speed(speed.max(1e-12));
    let drag = drag.custom_formatter(|number, _| brief(number)).custom_parser(typed::number);
    let response = ui.add(drag.suffix(suffix(row)).max_decimals(12).update_while_editing(false));
    named(ui, response, format!("knob:{}", row.path())).on_hover_text(row.help())
}

/// A slider over what is left of the width; none where there is no room for it.
fn slider(
    ui: &mut Ui,
    value: &mut f64,
    row: &Row<'_, '_>,
    span: [f64; 2],
    is_whole: bool,
) -> Option<Response> {
    let width = ui.available_width();
    if width < 40.0 {
        return None;
    }
    ui.spacing_mut().slider_width = width - 4.0;
    let is_log = is_wide(&row.key.range);
    let low = if is_log && row.key.range.above_low { span[0].max(1e-6 * span[1]) } else { span[0] };
    let slider = Slider::new(value, low..=span[1]).show_value(false).logarithmic(is_log);
    let slider = slider.smallest_positive(1e-6 * span[1]).clamping(SliderClamping::Edits);
    let response = ui.add(if is_whole { slider.integer() } else { slider });
    Some(named(ui, response, format!("slide:{}", row.path())).on_hover_text(row.help()))
}

fn suffix(row: &Row<'_, '_>) -> String {
    if row.key.unit.is_empty() { String::new() } else { format!(" {}", row.key.unit) }
}

/// Whether equal ratios should be equally far apart on the slider.
fn is_wide(range: &Range) -> bool {
    match range.low {
        low if low < 0.0 => false,
        low if low > 0.0 => range.high / low > WIDE,
        _ => range.high > WIDE,
    }
}

/// The ends of a slider. Many keys accept far more than anybody wants, so they lie around what the key is by itself;
/// while something is dragged they stay.
fn span(desk: &mut Desk<'_>, path: &str, row: &Row<'_, '_>, value: f64, is_held: bool) -> [f64; 2] {
    let known = desk.memory.spans.get(path).copied();
    if let Some(span) = known.filter(|span| is_held || (span[0]..=span[1]).contains(&value)) {
        return span;
    }
    let default = match row.key.default {
        Absent::Number(number) => number,
        Absent::Integer(number) => number as f64,
        _ => 0.0,
    };
    let size = value.abs().max(default.abs());
    let size = if size > 0.0 { size } else { 1.0 };
    let decade = 10.0 * 10.0_f64.powf(size.log10().ceil());
    let Range { low, high, .. } = row.key.range;
    let near = |end: f64, otherwise: f64| if end.abs() <= WIDE * size { end } else { otherwise };
    let span = [near(low, -decade), near(high, decade)];
    desk.memory.spans.insert(path.to_owned(), span);
    span
}
