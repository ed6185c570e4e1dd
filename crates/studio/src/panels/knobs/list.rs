//! Tables within a section, and lists of them.

use egui::{CollapsingHeader, Ui};
use undine::scene::Key;

use super::desk::Desk;
use super::key::{Row, inline_table, restart_mark, rows};
use super::matches;
use crate::panels::named;

/// A table: its keys below its name.
pub fn table(ui: &mut Ui, desk: &mut Desk<'_>, row: &Row<'_, '_>, keys: &'static [Key]) {
    let is_open = (!desk.search.is_empty()).then_some(true);
    ui.horizontal_top(|ui| {
        if !row.is_live {
            restart_mark(ui, &row.path());
        }
        ui.vertical(|ui| {
            let header = CollapsingHeader::new(row.key.name).id_salt(&row.local).open(is_open);
            let shown = header.show(ui, |ui| {
                let keys: Vec<&'static Key> = keys.iter().collect();
                rows(ui, desk, row.part, &keys, Some(row));
            });
            named(ui, shown.header_response, format!("open:{}", row.path())).on_hover_text(row.key.help);
        });
    });
}

/// A list of tables, each of which can be taken away, and a button for one more.
pub fn tables(ui: &mut Ui, desk: &mut Desk<'_>, row: &Row<'_, '_>, keys: &'static [Key]) {
    let count = row.part.section.count(&row.local);
    let title = format!("{} ({count})", row.key.name);
    let is_open = (!desk.search.is_empty()).then_some(true);
    let header = CollapsingHeader::new(title).id_salt(&row.local).default_open(count <= 3).open(is_open);
    let shown = header.show(ui, |ui| {
        for index in 0..count {
            ui.push_id(index, |ui| element(ui, desk, row, keys, index));
        }
        let response = ui.small_button(format!("add {}", row.key.name));
        if named(ui, response, format!("add:{}", row.path())).clicked() {
            let path = format!("{}.{count}", row.path());
            desk.set(&path, &inline_table(keys.iter(), &[]));
        }
    });
    named(ui, shown.header_response, format!("open:{}", row.path())).on_hover_text(row.key.help);
}

fn element(ui: &mut Ui, desk: &mut Desk<'_>, row: &Row<'_, '_>, keys: &'static [Key], index: usize) {
    let inner =
        Row { local: format!("{}.{index}", row.local), part: row.part, key: row.key, is_live: row.is_live };
    ui.horizontal(|ui| {
        ui.weak(format!("{} {}", row.key.name, index + 1));
        let response = ui.small_button("remove");
        if named(ui, response, format!("remove:{}", inner.path())).clicked() {
            desk.remove(&inner.path());
        }
    });
    let keys: Vec<&'static Key> =
        keys.iter().filter(|key| matches(desk.search, key) || matches(desk.search, row.key)).collect();
    rows(ui, desk, row.part, &keys, Some(&inner));
}
