//! Tables within a section, and lists of them.

use egui::{CollapsingHeader, Ui};
use undine::scene::Key;

use super::context::KnobContext;
use super::matches;
use super::row::{KeyRow, inline_table, restart_mark, rows};
use crate::panels::named;

/// A table: its keys below a collapsing header.
pub fn table(ui: &mut Ui, context: &mut KnobContext<'_>, row: &KeyRow<'_, '_>, keys: &'static [Key]) {
    let is_open = (!context.search.is_empty()).then_some(true);
    ui.horizontal_top(|ui| {
        if !row.is_live {
            restart_mark(ui, &row.path());
        }
        ui.vertical(|ui| {
            let header = CollapsingHeader::new(row.key.name).id_salt(&row.local).open(is_open);
            let shown = header.show(ui, |ui| {
                let keys: Vec<&'static Key> = keys.iter().collect();
                rows(ui, context, row.section, &keys, Some(row));
            });
            named(ui, shown.header_response, format!("open:{}", row.path())).on_hover_text(row.key.help);
        });
    });
}

/// A list of tables, with buttons to remove each and to add one.
pub fn tables(ui: &mut Ui, context: &mut KnobContext<'_>, row: &KeyRow<'_, '_>, keys: &'static [Key]) {
    let count = row.section.toml.count(&row.local);
    let title = format!("{} ({count})", row.key.name);
    let is_open = (!context.search.is_empty()).then_some(true);
    let header = CollapsingHeader::new(title).id_salt(&row.local).default_open(count <= 3).open(is_open);
    let shown = header.show(ui, |ui| {
        for index in 0..count {
            ui.push_id(index, |ui| element(ui, context, row, keys, index));
        }
        let response = ui.small_button(format!("add {}", row.key.name));
        if named(ui, response, format!("add:{}", row.path())).clicked() {
            let path = format!("{}.{count}", row.path());
            context.set(&path, &inline_table(keys.iter(), &[]));
        }
    });
    named(ui, shown.header_response, format!("open:{}", row.path())).on_hover_text(row.key.help);
}

fn element(
    ui: &mut Ui,
    context: &mut KnobContext<'_>,
    row: &KeyRow<'_, '_>,
    keys: &'static [Key],
    index: usize,
) {
    let inner = KeyRow {
        local: format!("{}.{index}", row.local),
        section: row.section,
        key: row.key,
        is_live: row.is_live,
    };
    ui.horizontal(|ui| {
        ui.weak(format!("{} {}", row.key.name, index + 1));
        let response = ui.small_button("remove");
        if named(ui, response, format!("remove:{}", inner.path())).clicked() {
            context.remove(&inner.path());
        }
    });
    let keys: Vec<&'static Key> =
        keys.iter().filter(|key| matches(context.search, key) || matches(context.search, row.key)).collect();
    rows(ui, context, row.section, &keys, Some(&inner));
}
