//! The knobs: a widget for every key of the open scene, generated from the schemas of its sections.
//!
//! A live key changes the running simulation at once; any other is marked and restarts it.

mod choices;
mod context;
mod list;
mod numeric;
mod row;
mod sections;
mod text;

use egui::{CollapsingHeader, RichText, ScrollArea, TextEdit, Ui};
use serde::{Deserialize, Serialize};

use undine::scene::{Key, Kind, Scene};
use undine::sim::SectionReader;

use crate::panels::{named, theme, toml_values};
use crate::request::Request;
use crate::update::{OpenScene, SessionUpdate};
use context::{KnobContext, KnobMemory};
use row::{KeyRow, inline_table, restart_mark, rows};
use sections::{KnobSection, is_live_list};

pub use sections::models;

/// The panel of knobs.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Knobs {
    /// Text of the search box.
    pub search: String,
    #[serde(skip)]
    memory: KnobMemory,
}

impl Knobs {
    /// Shows the knobs of the open scene.
    pub fn show(&mut self, ui: &mut Ui, update: &SessionUpdate, requests: &mut Vec<Request>) {
        let Some(open) = &update.open else {
            ui.weak("No scene is open.");
            return;
        };
        let search =
            TextEdit::singleline(&mut self.search).hint_text("search the knobs").desired_width(f32::INFINITY);
        let response = ui.add(search);
        named(ui, response, "search knobs");
        let search = self.search.trim().to_lowercase();
        let context =
            &mut KnobContext { scene: &open.scene, memory: &mut self.memory, requests, search: &search };
        ScrollArea::vertical()
            .id_salt("knobs")
            .auto_shrink([false, false])
            .show(ui, |ui| all(ui, context, open));
    }
}

fn all(ui: &mut Ui, context: &mut KnobContext<'_>, open: &OpenScene) {
    let waters = KnobSection::waters(&open.scene);
    for section in &waters {
        resolution(ui, context, section);
    }
    for section in waters.iter().chain([&KnobSection::header(&open.scene)]) {
        section_panel(ui, context, section, true);
    }
    section_panel(ui, context, &KnobSection::sky(&open.scene), false);
    for name in sections::lists(&open.readers) {
        section_list(ui, context, &open.scene, &open.readers, name);
    }
}

/// The resolution of a water, shown above all other keys.
fn resolution(ui: &mut Ui, context: &mut KnobContext<'_>, section: &KnobSection<'_>) {
    let Some(key) = section.groups.iter().copied().flatten().find(|key| is_resolution(key)) else { return };
    if matches(context.search, key) {
        let row = KeyRow { section, key, local: key.name.to_owned(), is_live: section.is_live(key) };
        ui.push_id(section.path(), |ui| row::show(ui, context, &row));
    }
}

fn is_resolution(key: &Key) -> bool {
    key.name == "resolution"
}

/// A section with all its keys.
fn section_panel(
    ui: &mut Ui,
    context: &mut KnobContext<'_>,
    section: &KnobSection<'_>,
    is_open_at_first: bool,
) {
    let keys = keys(context, section);
    if keys.is_empty() {
        return;
    }
    let is_open = (!context.search.is_empty()).then_some(true);
    let title = RichText::new(&section.title).color(theme::accent(ui.visuals()));
    let header =
        CollapsingHeader::new(title).id_salt(section.path()).default_open(is_open_at_first).open(is_open);
    let shown = header.show(ui, |ui| rows(ui, context, section, &keys, None));
    named(ui, shown.header_response, format!("open:{}", section.path())).on_hover_text(section.summary);
}

/// The keys of a section that match the search, each once.
fn keys(context: &KnobContext<'_>, section: &KnobSection<'_>) -> Vec<&'static Key> {
    let mut keys: Vec<&'static Key> = Vec::new();
    for key in section.groups.iter().copied().flatten() {
        let is_plain = key.name != "kind" && !(section.name == "water" && is_resolution(key));
        if is_plain && matches(context.search, key) && keys.iter().all(|known| known.name != key.name) {
            keys.push(key);
        }
    }
    keys
}

/// Whether the name or help of a key, or of one below it, contains the search text.
fn matches(search: &str, key: &Key) -> bool {
    let has = |text: &str| text.to_lowercase().contains(search);
    let below = match key.kind {
        Kind::Table(keys) | Kind::Tables(keys) => keys,
        _ => &[],
    };
    search.is_empty() || has(key.name) || has(key.help) || below.iter().any(|key| matches(search, key))
}

/// The sections of one name, such as all sources, with a menu to add one.
fn section_list(
    ui: &mut Ui,
    context: &mut KnobContext<'_>,
    scene: &Scene,
    readers: &[SectionReader],
    name: &'static str,
) {
    // The sections that match the search
    let all = KnobSection::of_list(scene, readers, name);
    let sections: Vec<&KnobSection<'_>> =
        all.iter().filter(|section| !keys(context, section).is_empty()).collect();
    if sections.is_empty() && !context.search.is_empty() {
        return;
    }
    // Heading with the restart mark and the menu
    ui.separator();
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(format!("{name}s")).strong());
        if !is_live_list(readers, name) {
            restart_mark(ui, name);
        }
        add_menu(ui, context, scene, readers, name);
    });
    // Each section with a button that removes it
    for section in sections {
        ui.horizontal_top(|ui| {
            let response = ui.small_button("×").on_hover_text("remove");
            if named(ui, response, format!("remove:{}", section.path())).clicked() {
                context.remove(&section.path());
            }
            ui.vertical(|ui| section_panel(ui, context, section, false));
        });
    }
}

fn add_menu(
    ui: &mut Ui,
    context: &mut KnobContext<'_>,
    scene: &Scene,
    readers: &[SectionReader],
    name: &'static str,
) {
    let count = scene.sections(name).len();
    let shown = ui.menu_button("add", |ui| {
        for template in sections::section_templates(readers, name) {
            let response = ui.button(template.name).on_hover_text(template.summary);
            if named(ui, response, format!("add:{name}={}", template.name)).clicked() {
                let given = template.has_kind.then(|| ("kind", toml_values::from_text(template.name)));
                let keys = template.groups.into_iter().flatten();
                context.set(&format!("{name}.{count}"), &inline_table(keys, given.as_slice()));
                ui.close();
            }
        }
    });
    named(ui, shown.response, format!("add:{name}"));
}
