//! Knobs for numbers: a drag value with a slider beside it.

use egui::{Checkbox, DragValue, Response, Slider, SliderClamping, Ui};
use undine::scene::{Absent, Range};

use super::context::KnobContext;
use super::row::KeyRow;
use crate::panels::{format_number, named, toml_values};

/// Keys with a checkbox that sets them to zero and back.
const SWITCHABLE: &[&str] = &["viscosity"];
/// Value of such a key when it is first switched on.
const FIRST_ON: f64 = 1e-3;
/// Ratio of a range above which its slider is logarithmic.
const WIDE_RANGE: f64 = 1e3;

/// A real number.
pub fn number(ui: &mut Ui, context: &mut KnobContext<'_>, row: &KeyRow<'_, '_>, typed: &str) {
    let Some(mut value) = toml_values::number(typed) else { return };
    let path = row.path();
    if SWITCHABLE.contains(&row.key.name) {
        switch(ui, context, row, value);
        if value == 0.0 {
            ui.weak("off");
            return;
        }
    }
    let limits = limits(context, &path, row, value, ui.input(|input| input.pointer.any_down()));
    let field = field(ui, &mut value, row, limits);
    let slider = slider(ui, &mut value, row, limits, false);
    for response in [Some(field), slider].into_iter().flatten() {
        context.change(ui, row.section, &row.local, toml_values::from_number(value), row.is_live, &response);
    }
}

/// A whole number.
pub fn integer(ui: &mut Ui, context: &mut KnobContext<'_>, row: &KeyRow<'_, '_>, typed: &str) {
    let Some(mut value) = toml_values::number(typed) else { return };
    let limits = limits(context, &row.path(), row, value, ui.input(|input| input.pointer.any_down()));
    let drag = DragValue::new(&mut value).range(row.key.range.low..=row.key.range.high).max_decimals(0);
    let drag = drag.suffix(suffix(row)).speed(((limits[1] - limits[0]) / 400.0).clamp(0.05, 50.0));
    let field = ui.add(drag.update_while_editing(false));
    let field = named(ui, field, format!("knob:{}", row.path())).on_hover_text(row.help());
    let slider = slider(ui, &mut value, row, limits, true);
    for response in [Some(field), slider].into_iter().flatten() {
        context.change(ui, row.section, &row.local, format!("{value:.0}"), row.is_live, &response);
    }
}

/// Several numbers.
pub fn vector(
    ui: &mut Ui,
    context: &mut KnobContext<'_>,
    row: &KeyRow<'_, '_>,
    typed: &str,
    are_integers: bool,
) {
    // One narrow drag value per component
    let Some(mut values) = toml_values::numbers(typed) else { return };
    let max_abs = values.iter().fold(1e-3_f64, |most, value| most.max(value.abs()));
    ui.spacing_mut().interact_size.x = 30.0;
    ui.spacing_mut().item_spacing.x = 3.0;
    let mut responses = Vec::with_capacity(values.len());
    for (index, value) in values.iter_mut().enumerate() {
        let drag = DragValue::new(value).range(row.key.range.low..=row.key.range.high).speed(0.01 * max_abs);
        let drag = if are_integers {
            drag.max_decimals(0)
        } else {
            drag.custom_formatter(|number, _| format_number(number))
        };
        let response = ui.add(drag.update_while_editing(false));
        responses.push(named(ui, response, format!("knob:{}.{index}", row.path())).on_hover_text(row.help()));
    }
    if !row.key.unit.is_empty() {
        ui.weak(row.key.unit);
    }
    // A change of one component requests the whole vector
    for response in responses {
        context.change(
            ui,
            row.section,
            &row.local,
            toml_values::from_numbers(&values, are_integers),
            row.is_live,
            &response,
        );
    }
}

/// The checkbox of a key that can be switched off.
fn switch(ui: &mut Ui, context: &mut KnobContext<'_>, row: &KeyRow<'_, '_>, value: f64) {
    let path = row.path();
    let mut is_on = value != 0.0;
    if is_on {
        context.memory.last_on.insert(path.clone(), value);
    }
    let response = ui.add(Checkbox::without_text(&mut is_on)).on_hover_text("on or off");
    let response = named(ui, response, format!("switch:{path}"));
    if response.changed() {
        let value = if is_on { context.memory.last_on.get(&path).copied().unwrap_or(FIRST_ON) } else { 0.0 };
        context.change(ui, row.section, &row.local, toml_values::from_number(value), row.is_live, &response);
    }
}

fn field(ui: &mut Ui, value: &mut f64, row: &KeyRow<'_, '_>, limits: [f64; 2]) -> Response {
    let speed = if is_log_scale(&row.key.range) {
        (0.01 * value.abs()).max(1e-5 * limits[1].abs())
    } else {
        (limits[1] - limits[0]) / 300.0
    };
    let drag = DragValue::new(value).range(row.key.range.low..=row.key.range.high).speed(speed.max(1e-12));
    let drag = drag.custom_formatter(|number, _| format_number(number)).custom_parser(toml_values::number);
    let response = ui.add(drag.suffix(suffix(row)).max_decimals(12).update_while_editing(false));
    named(ui, response, format!("knob:{}", row.path())).on_hover_text(row.help())
}

/// A slider over the remaining width; `None` if that is too narrow.
fn slider(
    ui: &mut Ui,
    value: &mut f64,
    row: &KeyRow<'_, '_>,
    limits: [f64; 2],
    is_integer: bool,
) -> Option<Response> {
    let width = ui.available_width();
    if width < 40.0 {
        return None;
    }
    ui.spacing_mut().slider_width = width - 4.0;
    let is_log = is_log_scale(&row.key.range);
    let low = if is_log && row.key.range.above_low { limits[0].max(1e-6 * limits[1]) } else { limits[0] };
    let slider = Slider::new(value, low..=limits[1]).show_value(false).logarithmic(is_log);
    let slider = slider.smallest_positive(1e-6 * limits[1]).clamping(SliderClamping::Edits);
    let response = ui.add(if is_integer { slider.integer() } else { slider });
    Some(named(ui, response, format!("slide:{}", row.path())).on_hover_text(row.help()))
}

fn suffix(row: &KeyRow<'_, '_>) -> String {
    if row.key.unit.is_empty() { String::new() } else { format!(" {}", row.key.unit) }
}

/// Whether the slider of a range is logarithmic.
fn is_log_scale(range: &Range) -> bool {
    match range.low {
        low if low < 0.0 => false,
        low if low > 0.0 => range.high / low > WIDE_RANGE,
        _ => range.high > WIDE_RANGE,
    }
}

/// The limits of a slider. Ranges of keys are often far wider than useful, so the limits are within a decade of the value
/// or default; they do not change while something is dragged.
fn limits(
    context: &mut KnobContext<'_>,
    path: &str,
    row: &KeyRow<'_, '_>,
    value: f64,
    is_held: bool,
) -> [f64; 2] {
    let known = context.memory.slider_limits.get(path).copied();
    if let Some(limits) = known.filter(|limits| is_held || (limits[0]..=limits[1]).contains(&value)) {
        return limits;
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
    let near = |end: f64, otherwise: f64| if end.abs() <= WIDE_RANGE * size { end } else { otherwise };
    let limits = [near(low, -decade), near(high, decade)];
    context.memory.slider_limits.insert(path.to_owned(), limits);
    limits
}
