//! One row of the panel: the label of a key, its help and its widget.

use egui::{Align, Button, Layout, RichText, Ui, vec2};
use undine::scene::{Absent, Key, Kind};

use super::context::KnobContext;
use super::sections::KnobSection;
use super::{choices, list, numeric, text};
use crate::panels::{format_number, named, theme, toml_values};

/// A key of a section of the scene.
pub struct KeyRow<'r, 's> {
    /// The section it belongs to.
    pub section: &'r KnobSection<'s>,
    /// The key.
    pub key: &'static Key,
    /// Its path below the section: `damping`, or `west.level`.
    pub local: String,
    /// Whether it can change while the simulation runs.
    pub is_live: bool,
}

impl KeyRow<'_, '_> {
    /// Its path in the scene: `water.0.damping`.
    pub fn path(&self) -> String {
        format!("{}.{}", self.section.path(), self.local)
    }

    /// Whether its value differs from the default.
    pub fn is_changed(&self, typed_now: Option<&str>) -> bool {
        typed_now.is_some_and(|now| match default(self.key) {
            Some(default) => !is_same_value(now, &default),
            None => true,
        })
    }

    /// Its help with default and range.
    pub fn help(&self) -> String {
        let Key { help, unit, range, .. } = self.key;
        let mut text = (*help).to_owned();
        match &self.key.default {
            Absent::Required => text.push_str("\nrequired"),
            Absent::Optional(meaning) => text.push_str(&format!("\nwithout it: {meaning}")),
            _ => text.push_str(&format!("\ndefault: {} {unit}", default(self.key).unwrap_or_default())),
        }
        if range.low.is_finite() || range.high.is_finite() {
            let low = if range.above_low { "above " } else { "" };
            text.push_str(&format!(
                "\nfrom {low}{} to {} {unit}",
                format_number(range.low),
                format_number(range.high)
            ));
        }
        text
    }
}

/// The keys of a section, or of a table within one.
pub fn rows<'s>(
    ui: &mut Ui,
    context: &mut KnobContext<'_>,
    section: &KnobSection<'s>,
    keys: &[&'static Key],
    above: Option<&KeyRow<'_, 's>>,
) {
    for key in keys {
        let local =
            above.map_or_else(|| key.name.to_owned(), |above| format!("{}.{}", above.local, key.name));
        // A key of a table is live if the table is
        let is_live = above.map_or_else(|| section.is_live(key), |above| above.is_live);
        let row = KeyRow { section, key, local, is_live };
        ui.push_id(key.name, |ui| show(ui, context, &row));
    }
}

/// Shows one key.
pub fn show(ui: &mut Ui, context: &mut KnobContext<'_>, row: &KeyRow<'_, '_>) {
    match row.key.kind {
        Kind::Table(keys) => list::table(ui, context, row, keys),
        Kind::Tables(keys) => list::tables(ui, context, row, keys),
        _ => plain(ui, context, row),
    }
}

/// A key with a value: its label at the left, its widget at the right.
fn plain(ui: &mut Ui, context: &mut KnobContext<'_>, row: &KeyRow<'_, '_>) {
    let now = context.value(ui, row.section, &row.local);
    let is_changed = row.is_changed(now.as_deref());
    let total = ui.available_width();
    ui.horizontal(|ui| {
        label(ui, row, is_changed, (0.4 * total).min(150.0));
        let rest = ui.available_width();
        ui.allocate_ui_with_layout(
            vec2(rest, ui.spacing().interact_size.y),
            Layout::right_to_left(Align::Center),
            |ui| {
                // An invisible button keeps its space, so that the widget does not move while it is dragged
                reset(ui, context, row, is_changed && row.key.default != Absent::Required);
                let width = ui.available_width();
                ui.allocate_ui_with_layout(
                    vec2(width, ui.available_height()),
                    Layout::left_to_right(Align::Center),
                    |ui| {
                        widget(ui, context, row, now);
                    },
                );
            },
        );
    });
    text::problem_line(ui, context, row);
}

fn label(ui: &mut Ui, row: &KeyRow<'_, '_>, is_changed: bool, width: f32) {
    let size = vec2(width, ui.spacing().interact_size.y);
    ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
        ui.set_min_width(width);
        let text = RichText::new(row.key.name);
        let text = if is_changed { text.strong() } else { text };
        let shown = ui.add(egui::Label::new(text).truncate());
        shown.on_hover_text(row.help());
        if !row.is_live {
            restart_mark(ui, &row.path());
        }
    });
}

/// The mark of a key that takes effect with a restart.
pub fn restart_mark(ui: &mut Ui, path: &str) {
    let mark = RichText::new("↺").small().color(theme::accent(ui.visuals()));
    let response = ui.label(mark).on_hover_text("takes effect with a restart");
    named(ui, response, format!("restart:{path}"));
}

fn reset(ui: &mut Ui, context: &mut KnobContext<'_>, row: &KeyRow<'_, '_>, is_needed: bool) {
    let response = ui.add_visible(is_needed, Button::new("↩").small()).on_hover_text("back to the default");
    if !is_needed {
        return;
    }
    if named(ui, response, format!("default:{}", row.path())).clicked() {
        context.memory.drafts.remove(&row.path());
        context.remove(&row.path());
    }
}

fn widget(ui: &mut Ui, context: &mut KnobContext<'_>, row: &KeyRow<'_, '_>, now: Option<String>) {
    let Some(value) = now.or_else(|| default(row.key)) else { return absent(ui, context, row) };
    match row.key.kind {
        Kind::Number => numeric::number(ui, context, row, &value),
        Kind::Integer => numeric::integer(ui, context, row, &value),
        Kind::Vector(_) => numeric::vector(ui, context, row, &value, false),
        Kind::Integers(_) => numeric::vector(ui, context, row, &value, true),
        Kind::Flag => choices::flag(ui, context, row, &value),
        Kind::Choice(choices) => choices::choice(ui, context, row, &value, choices),
        Kind::Choices(choices) => choices::choices(ui, context, row, &value, choices),
        Kind::Colour => choices::colour(ui, context, row, &value),
        Kind::Timed => text::timed(ui, context, row, &value),
        Kind::Text | Kind::File => text::text(ui, context, row, &value),
        Kind::Table(_) | Kind::Tables(_) => {}
    }
}

/// A key without a value and without a default: what its absence means, and a button that sets it.
fn absent(ui: &mut Ui, context: &mut KnobContext<'_>, row: &KeyRow<'_, '_>) {
    let response = ui.small_button("set").on_hover_text("give it a value");
    if named(ui, response, format!("set:{}", row.path())).clicked() {
        context.set(&row.path(), &initial_value(row.key));
    }
    if let Absent::Optional(meaning) = row.key.default {
        ui.add(egui::Label::new(RichText::new(meaning).weak()).truncate()).on_hover_text(meaning);
    }
}

/// The default of a key in TOML.
pub fn default(key: &Key) -> Option<String> {
    match key.default {
        Absent::Required | Absent::Optional(_) => None,
        Absent::Number(number) => Some(toml_values::from_number(number)),
        Absent::Integer(number) => Some(number.to_string()),
        Absent::Flag(flag) => Some(flag.to_string()),
        Absent::Text(text) => Some(toml_values::from_text(text)),
        Absent::Vector(numbers) => Some(toml_values::from_numbers(numbers, false)),
        Absent::Integers(numbers) => Some(toml_values::from_numbers(
            &numbers.iter().map(|number| *number as f64).collect::<Vec<_>>(),
            true,
        )),
        Absent::Words(words) => Some(toml_values::from_words(words.iter().copied())),
    }
}

/// The default of a key, or else a value within its range, in TOML.
pub fn initial_value(key: &Key) -> String {
    let within = |number: f64| {
        let low = if key.range.above_low { key.range.low + f64::MIN_POSITIVE } else { key.range.low };
        number.clamp(low, key.range.high.max(low))
    };
    if let Some(default) = default(key) {
        return default;
    }
    match key.kind {
        Kind::Number => toml_values::from_number(within(1.0)),
        Kind::Timed => toml_values::from_number(within(0.1)),
        Kind::Integer => format!("{:.0}", within(1.0)),
        Kind::Flag => String::from("true"),
        Kind::Text | Kind::File => String::from("\"\""),
        Kind::Choice(choices) => {
            choices.first().map_or_else(String::new, |(word, _)| toml_values::from_text(word))
        }
        Kind::Choices(_) | Kind::Tables(_) => String::from("[]"),
        Kind::Vector(count) => toml_values::from_numbers(&vec![within(0.0); count], false),
        Kind::Integers(count) => toml_values::from_numbers(&vec![within(0.0); count], true),
        Kind::Colour => String::from("\"#3a8fc0\""),
        Kind::Table(keys) => inline_table(keys.iter(), &[]),
    }
}

/// An inline table with the given values and initial values of the other required keys.
pub fn inline_table<'k>(keys: impl Iterator<Item = &'k Key>, given: &[(&str, String)]) -> String {
    let is_given = |key: &Key| given.iter().any(|(name, _)| *name == key.name);
    let required = keys.filter(|key| key.default == Absent::Required && !is_given(key));
    let initial = required.map(|key| format!("{} = {}", key.name, initial_value(key)));
    let given = given.iter().map(|(name, value)| format!("{name} = {value}"));
    format!("{{ {} }}", given.chain(initial).collect::<Vec<_>>().join(", "))
}

/// Whether two TOML values are equal, however they are spelled.
fn is_same_value(one: &str, other: &str) -> bool {
    match (toml_values::number(one), toml_values::number(other)) {
        (Some(one), Some(other)) => one == other,
        _ => match (toml_values::numbers(one), toml_values::numbers(other)) {
            (Some(one), Some(other)) => one == other,
            _ => toml_values::text(one) == toml_values::text(other),
        },
    }
}
