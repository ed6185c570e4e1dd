//! Knobs with a text field: texts, files, and numbers that may be an expression of t.

use egui::{RichText, TextEdit, Ui};
use undine::scene::Edit;

use super::context::KnobContext;
use super::row::KeyRow;
use crate::panels::{named, toml_values};

/// A number, or an expression of `t`.
pub fn timed(ui: &mut Ui, context: &mut KnobContext<'_>, row: &KeyRow<'_, '_>, typed: &str) {
    let is_wordy = row.key.unit.len() > 8;
    let unit = if row.key.unit.is_empty() || is_wordy { 0.0 } else { 40.0 };
    line(ui, context, row, typed, ui.available_width() - unit);
    if unit > 0.0 {
        ui.weak(row.key.unit);
    }
}

/// A text.
pub fn text(ui: &mut Ui, context: &mut KnobContext<'_>, row: &KeyRow<'_, '_>, typed: &str) {
    line(ui, context, row, typed, ui.available_width());
}

/// A text field. Its draft is requested on Enter or when it loses the focus, if it is valid.
fn line(ui: &mut Ui, context: &mut KnobContext<'_>, row: &KeyRow<'_, '_>, typed: &str, width: f32) {
    let path = row.path();
    let held = toml_values::text(typed);
    let mut draft = context.memory.drafts.get(&path).cloned().unwrap_or_else(|| held.clone());
    // The kind of a section decides on its keys; it is chosen when the section is added
    let is_fixed = row.local == "kind";
    let edit = TextEdit::singleline(&mut draft).desired_width(width - 8.0).interactive(!is_fixed);
    let response = ui.add(edit).on_hover_text(row.help());
    let response = named(ui, response, format!("knob:{path}"));
    if response.changed() {
        context.memory.drafts.insert(path.clone(), draft.clone());
    }
    if response.lost_focus() && draft != held && draft_problem(context, row, &draft).is_none() {
        let typed = as_typed(row, &draft);
        context.set(&path, &typed);
        context.memory.drafts.remove(&path);
    }
    if !response.has_focus() && draft == held {
        context.memory.drafts.remove(&path);
    }
}

/// The problem with the draft of a key, below its field.
pub fn problem_line(ui: &mut Ui, context: &mut KnobContext<'_>, row: &KeyRow<'_, '_>) {
    let Some(draft) = context.memory.drafts.get(&row.path()).cloned() else { return };
    if let Some(problem) = draft_problem(context, row, &draft) {
        let response = ui.label(RichText::new(problem).small().color(ui.visuals().error_fg_color));
        named(ui, response, format!("error:{}", row.path()));
    }
}

fn draft_problem(context: &KnobContext<'_>, row: &KeyRow<'_, '_>, draft: &str) -> Option<String> {
    let edit = Edit::set(format!("{}={}", row.path(), as_typed(row, draft)));
    row.section.new_problem(context.scene, &edit)
}

fn as_typed(row: &KeyRow<'_, '_>, draft: &str) -> String {
    let is_timed = matches!(row.key.kind, undine::scene::Kind::Timed);
    match toml_values::number(draft) {
        Some(number) if is_timed => toml_values::from_number(number),
        _ => toml_values::from_text(draft),
    }
}
