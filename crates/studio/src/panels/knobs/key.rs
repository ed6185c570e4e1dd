//! One row of the panel: a key, what it is called, what it means, and its widget.

use egui::{Align, Button, Layout, RichText, Ui, vec2};
use undine::scene::{Absent, Key, Kind};

use super::desk::Desk;
use super::parts::Part;
use super::{list, numeric, words, written};
use crate::panels::{brief, named, theme, typed};

/// A key in its place.
pub struct Row<'r, 's> {
    /// The section it belongs to.
    pub part: &'r Part<'s>,
    /// The key.
    pub key: &'static Key,
    /// Its path below the section: `damping`, or `west.level`.
    pub local: String,
    /// Whether it can be changed while the water runs.
    pub is_live: bool,
}

impl Row<'_, '_> {
    /// Its path in the scene: `water.0.damping`.
    pub fn path(&self) -> String {
        format!("{}.{}", self.part.path(), self.local)
    }

    /// Whether it holds something other than what it holds by itself.
    pub fn is_changed(&self, typed_now: Option<&str>) -> bool {
        typed_now.is_some_and(|now| match default(self.key) {
            Some(default) => !is_same(now, &default),
            None => true,
        })
    }

    /// Everything there is to know about it.
    pub fn help(&self) -> String {
        let Key { help, unit, range, .. } = self.key;
        let mut text = (*help).to_owned();
        match &self.key.default {
            Absent::Required => text.push_str("\nmust be given"),
            Absent::Optional(meaning) => text.push_str(&format!("\nwithout it: {meaning}")),
            _ => text.push_str(&format!("\ndefault: {} {unit}", default(self.key).unwrap_or_default())),
        }
        if range.low.is_finite() || range.high.is_finite() {
            let low = if range.above_low { "above " } else { "" };
            text.push_str(&format!("\nfrom {low}{} to {} {unit}", brief(range.low), brief(range.high)));
        }
        text
    }
}

/// The keys of a section, or of a table within one.
pub fn rows<'s>(
    ui: &mut Ui,
    desk: &mut Desk<'_>,
    part: &Part<'s>,
    keys: &[&'static Key],
    above: Option<&Row<'_, 's>>,
) {
    for key in keys {
        let local =
            above.map_or_else(|| key.name.to_owned(), |above| format!("{}.{}", above.local, key.name));
        // What is below a key changes when that key may
        let is_live = above.map_or_else(|| part.is_live(key), |above| above.is_live);
        let row = Row { part, key, local, is_live };
        ui.push_id(key.name, |ui| show(ui, desk, &row));
    }
}

/// One key.
pub fn show(ui: &mut Ui, desk: &mut Desk<'_>, row: &Row<'_, '_>) {
    match row.key.kind {
        Kind::Table(keys) => list::table(ui, desk, row, keys),
        Kind::Tables(keys) => list::tables(ui, desk, row, keys),
        _ => plain(ui, desk, row),
    }
}

/// A key with a value of its own: its name at the left, its widget at the right.
fn plain(ui: &mut Ui, desk: &mut Desk<'_>, row: &Row<'_, '_>) {
    let now = desk.value(ui, row.part, &row.local);
    let is_changed = row.is_changed(now.as_deref());
    let whole = ui.available_width();
    ui.horizontal(|ui| {
        label(ui, row, is_changed, (0.4 * whole).min(150.0));
        let rest = ui.available_width();
        ui.allocate_ui_with_layout(
            vec2(rest, ui.spacing().interact_size.y),
            Layout::right_to_left(Align::Center),
            |ui| {
                // Its place is kept where it is not needed, so that nothing moves below a hand that drags
                reset(ui, desk, row, is_changed && row.key.default != Absent::Required);
                let width = ui.available_width();
                ui.allocate_ui_with_layout(
                    vec2(width, ui.available_height()),
                    Layout::left_to_right(Align::Center),
                    |ui| {
                        widget(ui, desk, row, now);
                    },
                );
            },
        );
    });
    written::complaint(ui, desk, row);
}

fn label(ui: &mut Ui, row: &Row<'_, '_>, is_changed: bool, width: f32) {
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

/// The sign of a key that takes effect with a new start.
pub fn restart_mark(ui: &mut Ui, path: &str) {
    let mark = RichText::new("↺").small().color(theme::accent(ui.visuals()));
    let response = ui.label(mark).on_hover_text("takes effect with a new start");
    named(ui, response, format!("restart:{path}"));
}

fn reset(ui: &mut Ui, desk: &mut Desk<'_>, row: &Row<'_, '_>, is_needed: bool) {
    let response = ui.add_visible(is_needed, Button::new("↩").small()).on_hover_text("back to the default");
    if !is_needed {
        return;
    }
    if named(ui, response, format!("default:{}", row.path())).clicked() {
        desk.memory.drafts.remove(&row.path());
        desk.remove(&row.path());
    }
}

fn widget(ui: &mut Ui, desk: &mut Desk<'_>, row: &Row<'_, '_>, now: Option<String>) {
    let Some(value) = now.or_else(|| default(row.key)) else { return absent(ui, desk, row) };
    match row.key.kind {
        Kind::Number => numeric::number(ui, desk, row, &value),
        Kind::Integer => numeric::integer(ui, desk, row, &value),
        Kind::Vector(_) => numeric::vector(ui, desk, row, &value, false),
        Kind::Integers(_) => numeric::vector(ui, desk, row, &value, true),
        Kind::Flag => words::flag(ui, desk, row, &value),
        Kind::Choice(choices) => words::choice(ui, desk, row, &value, choices),
        Kind::Choices(choices) => words::choices(ui, desk, row, &value, choices),
        Kind::Colour => words::colour(ui, desk, row, &value),
        Kind::Timed => written::timed(ui, desk, row, &value),
        Kind::Text | Kind::File => written::text(ui, desk, row, &value),
        Kind::Table(_) | Kind::Tables(_) => {}
    }
}

/// A key that is not there and has no value by itself: what that means, and a button that gives it one.
fn absent(ui: &mut Ui, desk: &mut Desk<'_>, row: &Row<'_, '_>) {
    let response = ui.small_button("set").on_hover_text("give it a value");
    if named(ui, response, format!("set:{}", row.path())).clicked() {
        desk.set(&row.path(), &beginning(row.key));
    }
    if let Absent::Optional(meaning) = row.key.default {
        ui.add(egui::Label::new(RichText::new(meaning).weak()).truncate()).on_hover_text(meaning);
    }
}

/// The value that a key has by itself, as it would be typed.
pub fn default(key: &Key) -> Option<String> {
    match key.default {
        Absent::Required | Absent::Optional(_) => None,
        Absent::Number(number) => Some(typed::from_number(number)),
        Absent::Integer(number) => Some(number.to_string()),
        Absent::Flag(flag) => Some(flag.to_string()),
        Absent::Text(text) => Some(typed::from_text(text)),
        Absent::Vector(numbers) => Some(typed::from_numbers(numbers, false)),
        Absent::Integers(numbers) => {
            Some(typed::from_numbers(&numbers.iter().map(|number| *number as f64).collect::<Vec<_>>(), true))
        }
        Absent::Words(words) => Some(typed::from_words(words.iter().copied())),
    }
}

/// A value to begin with, for a key that must be given one.
pub fn beginning(key: &Key) -> String {
    let within = |number: f64| {
        let low = if key.range.above_low { key.range.low + f64::MIN_POSITIVE } else { key.range.low };
        number.clamp(low, key.range.high.max(low))
    };
    if let Some(default) = default(key) {
        return default;
    }
    match key.kind {
        Kind::Number => typed::from_number(within(1.0)),
        Kind::Timed => typed::from_number(within(0.1)),
        Kind::Integer => format!("{:.0}", within(1.0)),
        Kind::Flag => String::from("true"),
        Kind::Text | Kind::File => String::from("\"\""),
        Kind::Choice(choices) => choices.first().map_or_else(String::new, |(word, _)| typed::from_text(word)),
        Kind::Choices(_) | Kind::Tables(_) => String::from("[]"),
        Kind::Vector(count) => typed::from_numbers(&vec![within(0.0); count], false),
        Kind::Integers(count) => typed::from_numbers(&vec![within(0.0); count], true),
        Kind::Colour => String::from("\"#3a8fc0\""),
        Kind::Table(keys) => inline_table(keys.iter(), &[]),
    }
}

/// A table with all that must be in it, as it is typed in one line.
pub fn inline_table<'k>(keys: impl Iterator<Item = &'k Key>, given: &[(&str, String)]) -> String {
    let is_given = |key: &Key| given.iter().any(|(name, _)| *name == key.name);
    let required = keys.filter(|key| key.default == Absent::Required && !is_given(key));
    let begun = required.map(|key| format!("{} = {}", key.name, beginning(key)));
    let given = given.iter().map(|(name, value)| format!("{name} = {value}"));
    format!("{{ {} }}", given.chain(begun).collect::<Vec<_>>().join(", "))
}

/// Whether two typed values are the same, however they are spelled.
fn is_same(one: &str, other: &str) -> bool {
    match (typed::number(one), typed::number(other)) {
        (Some(one), Some(other)) => one == other,
        _ => match (typed::numbers(one), typed::numbers(other)) {
            (Some(one), Some(other)) => one == other,
            _ => typed::text(one) == typed::text(other),
        },
    }
}
