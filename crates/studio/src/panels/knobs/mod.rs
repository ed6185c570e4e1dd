//! The knobs: one for every key of the open scene that can be turned, made from the schemas of whoever reads them.
//!
//! A key that may change while the water runs changes it at once; any other is marked, and starts the water anew.

mod desk;
mod key;
mod list;
mod numeric;
mod parts;
mod words;
mod written;

use egui::{CollapsingHeader, RichText, ScrollArea, TextEdit, Ui};
use serde::{Deserialize, Serialize};
use undine::scene::{Key, Kind, Scene};
use undine::sim::SectionReader;

use crate::news::{News, Opened};
use crate::order::Order;
use crate::panels::{named, theme, typed};
use desk::{Desk, Memory};
use key::{Row, inline_table, restart_mark, rows};
use parts::{Part, is_live_list};

pub use parts::models;

/// The panel of knobs.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Knobs {
    /// What the search box holds.
    pub search: String,
    #[serde(skip)]
    memory: Memory,
}

impl Knobs {
    /// Shows the knobs of the open scene.
    pub fn show(&mut self, ui: &mut Ui, news: &News, orders: &mut Vec<Order>) {
        let Some(open) = &news.open else {
            ui.weak("No scene is open.");
            return;
        };
        let search =
            TextEdit::singleline(&mut self.search).hint_text("search the knobs").desired_width(f32::INFINITY);
        let response = ui.add(search);
        named(ui, response, "search knobs");
        let search = self.search.trim().to_lowercase();
        let desk = &mut Desk { scene: &open.scene, memory: &mut self.memory, orders, search: &search };
        ScrollArea::vertical()
            .id_salt("knobs")
            .auto_shrink([false, false])
            .show(ui, |ui| all(ui, desk, open));
    }
}

fn all(ui: &mut Ui, desk: &mut Desk<'_>, open: &Opened) {
    let waters = Part::waters(&open.scene);
    for part in &waters {
        resolution(ui, desk, part);
    }
    for part in waters.iter().chain([&Part::header(&open.scene)]) {
        part_of(ui, desk, part, true);
    }
    part_of(ui, desk, &Part::sky(&open.scene), false);
    for name in parts::lists(&open.readers) {
        section_list(ui, desk, &open.scene, &open.readers, name);
    }
}

/// How fine a water is, which matters more than any other key.
fn resolution(ui: &mut Ui, desk: &mut Desk<'_>, part: &Part<'_>) {
    let Some(key) = part.groups.iter().copied().flatten().find(|key| is_resolution(key)) else { return };
    if matches(desk.search, key) {
        let row = Row { part, key, local: key.name.to_owned(), is_live: part.is_live(key) };
        ui.push_id(part.path(), |ui| key::show(ui, desk, &row));
    }
}

fn is_resolution(key: &Key) -> bool {
    key.name == "resolution"
}

/// A section with all its keys.
fn part_of(ui: &mut Ui, desk: &mut Desk<'_>, part: &Part<'_>, is_open_at_first: bool) {
    let keys = keys(desk, part);
    if keys.is_empty() {
        return;
    }
    let is_open = (!desk.search.is_empty()).then_some(true);
    let title = RichText::new(&part.title).color(theme::accent(ui.visuals()));
    let header =
        CollapsingHeader::new(title).id_salt(part.path()).default_open(is_open_at_first).open(is_open);
    let shown = header.show(ui, |ui| rows(ui, desk, part, &keys, None));
    named(ui, shown.header_response, format!("open:{}", part.path())).on_hover_text(part.summary);
}

/// The keys of a section that are shown: those that the search finds, each once.
fn keys(desk: &Desk<'_>, part: &Part<'_>) -> Vec<&'static Key> {
    let mut keys: Vec<&'static Key> = Vec::new();
    for key in part.groups.iter().copied().flatten() {
        let is_plain = key.name != "kind" && !(part.name == "water" && is_resolution(key));
        if is_plain && matches(desk.search, key) && keys.iter().all(|known| known.name != key.name) {
            keys.push(key);
        }
    }
    keys
}

/// Whether a key, or one below it, has what is looked for in its name or its help.
fn matches(search: &str, key: &Key) -> bool {
    let has = |text: &str| text.to_lowercase().contains(search);
    let below = match key.kind {
        Kind::Table(keys) | Kind::Tables(keys) => keys,
        _ => &[],
    };
    search.is_empty() || has(key.name) || has(key.help) || below.iter().any(|key| matches(search, key))
}

/// The sections of a list, such as all sources, and a menu to add one more.
fn section_list(
    ui: &mut Ui,
    desk: &mut Desk<'_>,
    scene: &Scene,
    readers: &[SectionReader],
    name: &'static str,
) {
    let parts = Part::of_list(scene, readers, name);
    let parts: Vec<&Part<'_>> = parts.iter().filter(|part| !keys(desk, part).is_empty()).collect();
    if parts.is_empty() && !desk.search.is_empty() {
        return;
    }
    ui.separator();
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(format!("{name}s")).strong());
        if !is_live_list(readers, name) {
            restart_mark(ui, name);
        }
        add_menu(ui, desk, scene, readers, name);
    });
    for part in parts {
        ui.horizontal_top(|ui| {
            let response = ui.small_button("×").on_hover_text("take it away");
            if named(ui, response, format!("remove:{}", part.path())).clicked() {
                desk.remove(&part.path());
            }
            ui.vertical(|ui| part_of(ui, desk, part, false));
        });
    }
}

fn add_menu(ui: &mut Ui, desk: &mut Desk<'_>, scene: &Scene, readers: &[SectionReader], name: &'static str) {
    let count = scene.sections(name).len();
    let shown = ui.menu_button("add", |ui| {
        for addition in parts::additions(readers, name) {
            let response = ui.button(addition.name).on_hover_text(addition.summary);
            if named(ui, response, format!("add:{name}={}", addition.name)).clicked() {
                let given = addition.has_kind.then(|| ("kind", typed::from_text(addition.name)));
                let keys = addition.groups.into_iter().flatten();
                desk.set(&format!("{name}.{count}"), &inline_table(keys, given.as_slice()));
                ui.close();
            }
        }
    });
    named(ui, shown.response, format!("add:{name}"));
}
