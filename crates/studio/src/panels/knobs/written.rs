//! Knobs for what is written out: texts, files, and numbers that may be an expression of the time.

use egui::{RichText, TextEdit, Ui};
use undine::scene::Edit;

use super::desk::Desk;
use super::key::Row;
use crate::panels::{named, typed};

/// A number, or an expression of `t`.
pub fn timed(ui: &mut Ui, desk: &mut Desk<'_>, row: &Row<'_, '_>, typed: &str) {
    let is_wordy = row.key.unit.len() > 8;
    let unit = if row.key.unit.is_empty() || is_wordy { 0.0 } else { 40.0 };
    line(ui, desk, row, typed, ui.available_width() - unit);
    if unit > 0.0 {
        ui.weak(row.key.unit);
    }
}

/// A text.
pub fn text(ui: &mut Ui, desk: &mut Desk<'_>, row: &Row<'_, '_>, typed: &str) {
    line(ui, desk, row, typed, ui.available_width());
}

/// A line to type in. What is typed is handed in with Enter or when the line is left, if nothing is wrong with it.
fn line(ui: &mut Ui, desk: &mut Desk<'_>, row: &Row<'_, '_>, typed: &str, width: f32) {
    let path = row.path();
    let held = typed::text(typed);
    let mut draft = desk.memory.drafts.get(&path).cloned().unwrap_or_else(|| held.clone());
    // The kind of a section decides on its keys: it is chosen when the section is made
    let is_fixed = row.local == "kind";
    let edit = TextEdit::singleline(&mut draft).desired_width(width - 8.0).interactive(!is_fixed);
    let response = ui.add(edit).on_hover_text(row.help());
    let response = named(ui, response, format!("knob:{path}"));
    if response.changed() {
        desk.memory.drafts.insert(path.clone(), draft.clone());
    }
    if response.lost_focus() && draft != held && trouble(desk, row, &draft).is_none() {
        let typed = as_typed(row, &draft);
        desk.set(&path, &typed);
        desk.memory.drafts.remove(&path);
    }
    if !response.has_focus() && draft == held {
        desk.memory.drafts.remove(&path);
    }
}

/// What is wrong with the text that is being typed for a key, below its line.
pub fn complaint(ui: &mut Ui, desk: &mut Desk<'_>, row: &Row<'_, '_>) {
    let Some(draft) = desk.memory.drafts.get(&row.path()).cloned() else { return };
    if let Some(trouble) = trouble(desk, row, &draft) {
        let response = ui.label(RichText::new(trouble).small().color(ui.visuals().error_fg_color));
        named(ui, response, format!("error:{}", row.path()));
    }
}

fn trouble(desk: &Desk<'_>, row: &Row<'_, '_>, draft: &str) -> Option<String> {
    let edit = Edit::set(format!("{}={}", row.path(), as_typed(row, draft)));
    row.part.trouble(desk.scene, &edit)
}

fn as_typed(row: &Row<'_, '_>, draft: &str) -> String {
    let is_timed = matches!(row.key.kind, undine::scene::Kind::Timed);
    match typed::number(draft) {
        Some(number) if is_timed => typed::from_number(number),
        _ => typed::from_text(draft),
    }
}
