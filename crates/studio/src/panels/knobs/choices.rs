//! Knobs for flags, choices and colours.

use egui::{Button, Checkbox, Color32, ComboBox, Response, Rgba, Ui};

use super::context::KnobContext;
use super::row::KeyRow;
use crate::panels::{named, toml_values};

/// The words of a choice, each with a line of help.
type ChoiceList = &'static [(&'static str, &'static str)];

/// A checkbox.
pub fn flag(ui: &mut Ui, context: &mut KnobContext<'_>, row: &KeyRow<'_, '_>, typed: &str) {
    let mut flag = typed == "true";
    let response = ui.add(Checkbox::without_text(&mut flag)).on_hover_text(row.help());
    submit_change(ui, context, row, response, flag.to_string());
}

/// One word of a list, as a combo box.
pub fn choice(
    ui: &mut Ui,
    context: &mut KnobContext<'_>,
    row: &KeyRow<'_, '_>,
    typed: &str,
    choices: ChoiceList,
) {
    let chosen = toml_values::text(typed);
    let mut picked = None;
    let combo =
        ComboBox::from_id_salt("choice").width(ui.available_width() - 8.0).selected_text(&chosen).truncate();
    let shown = combo.show_ui(ui, |ui| {
        for (word, help) in choices {
            let response = ui.add(Button::selectable(chosen == *word, *word)).on_hover_text(*help);
            if named(ui, response, format!("choice:{}={word}", row.path())).clicked() {
                picked = Some(*word);
            }
        }
    });
    let help = choices.iter().find(|(word, _)| *word == chosen).map_or("", |(_, help)| help);
    let mut response = shown.response.on_hover_text(format!("{}\n{chosen}: {help}", row.help()));
    if picked.is_some_and(|picked| picked != chosen) {
        response.mark_changed();
    }
    submit_change(ui, context, row, response, toml_values::from_text(picked.unwrap_or_default()));
}

/// Any number of words of a list, as a menu of checkboxes.
pub fn choices(
    ui: &mut Ui,
    context: &mut KnobContext<'_>,
    row: &KeyRow<'_, '_>,
    typed: &str,
    choices: ChoiceList,
) {
    let mut chosen = toml_values::words(typed).unwrap_or_default();
    let shown =
        ui.menu_button(if chosen.is_empty() { String::from("none") } else { chosen.join(", ") }, |ui| {
            let mut is_changed = false;
            for (word, help) in choices {
                let mut is_in = chosen.iter().any(|known| known == word);
                let response = ui.checkbox(&mut is_in, *word).on_hover_text(*help);
                if named(ui, response, format!("choice:{}={word}", row.path())).changed() {
                    chosen.retain(|known| known != word);
                    chosen.extend(is_in.then(|| (*word).to_owned()));
                    is_changed = true;
                }
            }
            is_changed
        });
    let mut response = shown.response.on_hover_text(row.help());
    if shown.inner == Some(true) {
        response.mark_changed();
    }
    submit_change(ui, context, row, response, toml_values::from_words(chosen.iter().map(String::as_str)));
}

/// A colour, as a colour picker.
pub fn colour(ui: &mut Ui, context: &mut KnobContext<'_>, row: &KeyRow<'_, '_>, typed: &str) {
    let Some(mut rgb) = read_colour(typed) else { return };
    let response = ui.color_edit_button_srgb(&mut rgb).on_hover_text(row.help());
    let [red, green, blue] = rgb;
    submit_change(ui, context, row, response, format!("\"#{red:02x}{green:02x}{blue:02x}\""));
}

/// A colour of a scene file, `"#rrggbb"` or three linear numbers, as sRGB.
fn read_colour(typed: &str) -> Option<[u8; 3]> {
    if let Some(numbers) = toml_values::numbers(typed) {
        let [red, green, blue] = <[f64; 3]>::try_from(numbers).ok()?.map(|number| number as f32);
        let [red, green, blue, _] = Color32::from(Rgba::from_rgb(red, green, blue)).to_array();
        return Some([red, green, blue]);
    }
    let text = toml_values::text(typed);
    let code = u32::from_str_radix(text.strip_prefix('#')?, 16).ok()?;
    let [_, red, green, blue] = code.to_be_bytes();
    Some([red, green, blue])
}

fn submit_change(
    ui: &Ui,
    context: &mut KnobContext<'_>,
    row: &KeyRow<'_, '_>,
    response: Response,
    typed: String,
) {
    let response = named(ui, response, format!("knob:{}", row.path()));
    if response.changed() {
        context.change(ui, row.section, &row.local, typed, row.is_live, &response);
    }
}
