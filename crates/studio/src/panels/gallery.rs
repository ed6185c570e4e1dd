//! The gallery of bundled scenes.

use egui::{
    Align, Button, Key, Label, Layout, Pos2, Rect, RichText, ScrollArea, Sense, StrokeKind, TextEdit, Ui,
    vec2,
};
use serde::{Deserialize, Serialize};
use undine::{BundledScene, SCENES};

use super::thumbnails::Thumbnails;
use super::{named, theme};
use crate::request::{Request, SceneSource};

/// Smallest width of a card in points.
const NARROWEST: f32 = 150.0;
/// Height of a card's picture per width.
const ASPECT: f32 = 9.0 / 16.0;

/// The gallery.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Gallery {
    /// Text of the search box.
    pub search: String,
    /// The model to show scenes of; empty for all.
    pub kind: String,
    /// The scene whose README is shown.
    #[serde(skip)]
    pub reading: Option<String>,
    #[serde(skip)]
    thumbnails: Thumbnails,
}

impl Gallery {
    /// Shows the cards. Returns whether a scene was opened, after which the gallery may close.
    pub fn show(&mut self, ui: &mut Ui, requests: &mut Vec<Request>) -> bool {
        if let Some(scene) = self.reading.as_deref().and_then(bundled) {
            return self.page(ui, scene, requests);
        }
        self.filters(ui);
        let before = requests.len();
        let scroll = ScrollArea::vertical().id_salt("gallery").auto_shrink([false, false]);
        scroll.show(ui, |ui| self.cards(ui, requests));
        requests.len() > before
    }

    fn filters(&mut self, ui: &mut Ui) {
        ui.horizontal_wrapped(|ui| {
            let edit =
                TextEdit::singleline(&mut self.search).hint_text("search the scenes").desired_width(160.0);
            let response = ui.add(edit);
            named(ui, response, "search scenes");
            let kinds = undine::MODELS.iter().map(|model| (model.name, model.summary));
            for (kind, summary) in [("", "all models")].into_iter().chain(kinds) {
                let text = if kind.is_empty() { "all" } else { kind };
                let response = ui.add(Button::selectable(self.kind == kind, text).frame_when_inactive(true));
                if named(ui, response.on_hover_text(summary), format!("kind:{text}")).clicked() {
                    self.kind = kind.to_owned();
                }
            }
        });
    }

    fn cards(&mut self, ui: &mut Ui, requests: &mut Vec<Request>) {
        let search = self.search.trim().to_lowercase();
        let found: Vec<&'static BundledScene> =
            SCENES.iter().filter(|scene| self.finds(scene, &search)).collect();
        if found.is_empty() {
            ui.weak("No scene matches.");
        }
        let gap = ui.spacing().item_spacing.x;
        let columns = ((ui.available_width() + gap) / (NARROWEST + gap)).floor().max(1.0);
        let width = ((ui.available_width() - (columns - 1.0) * gap) / columns).floor();
        for row in found.chunks(columns as usize) {
            ui.horizontal_top(|ui| {
                for scene in row {
                    self.card(ui, scene, width, requests);
                }
            });
        }
    }

    fn finds(&self, scene: &BundledScene, search: &str) -> bool {
        let is_kind = self.kind.is_empty() || kinds(scene.text).any(|kind| kind == self.kind);
        is_kind && (scene.name.contains(search) || summary(scene.text).to_lowercase().contains(search))
    }

    fn card(&mut self, ui: &mut Ui, scene: &'static BundledScene, width: f32, requests: &mut Vec<Request>) {
        let size = vec2(width, ASPECT * width + 26.0);
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        if ui.is_rect_visible(rect) {
            self.paint(ui, scene, rect, &response);
        }
        let is_entered = response.has_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        let response = response.on_hover_text(summary(scene.text));
        let response = named(ui, response, format!("scene:{}", scene.name));
        if response.clicked() || is_entered {
            requests.push(Request::Open(SceneSource::Bundled(scene.name.to_owned())));
        }
        let corner = Rect::from_min_max(rect.max - vec2(46.0, 24.0), rect.max - vec2(4.0, 3.0));
        let response = ui.place(corner, Button::new(RichText::new("read").small()).small());
        let response =
            named(ui, response.on_hover_text("read more about it"), format!("read:{}", scene.name));
        if response.clicked() {
            self.reading = Some(scene.name.to_owned());
        }
    }

    fn paint(&mut self, ui: &Ui, scene: &BundledScene, rect: Rect, response: &egui::Response) {
        let painter = ui.painter();
        let visuals = ui.style().interact(response);
        let picture = Rect::from_min_size(rect.min, vec2(rect.width(), ASPECT * rect.width()));
        painter.rect_filled(rect, visuals.corner_radius, ui.visuals().faint_bg_color);
        match self.thumbnails.get(ui.ctx(), scene.name) {
            Some(texture) => {
                let whole = Rect::from_min_max(Pos2::ZERO, Pos2::new(1.0, 1.0));
                painter.image(texture.id(), picture, whole, egui::Color32::WHITE);
            }
            None => {
                painter.rect_filled(picture, visuals.corner_radius, ui.visuals().extreme_bg_color);
            }
        }
        let at = Pos2::new(rect.left() + 8.0, 0.5 * (picture.bottom() + rect.bottom()));
        let font = egui::TextStyle::Body.resolve(ui.style());
        painter.text(at, egui::Align2::LEFT_CENTER, scene.name, font, visuals.text_color());
        painter.rect_stroke(rect, visuals.corner_radius, visuals.bg_stroke, StrokeKind::Inside);
    }

    /// The README of a scene, with its picture.
    fn page(&mut self, ui: &mut Ui, scene: &'static BundledScene, requests: &mut Vec<Request>) -> bool {
        let mut is_opened = false;
        ui.horizontal_wrapped(|ui| {
            let response = ui.button("← all scenes");
            if named(ui, response, "back to gallery").clicked() {
                self.reading = None;
            }
            let open =
                Button::new(RichText::new(format!("open {}", scene.name)).color(theme::accent(ui.visuals())));
            let response = ui.add(open);
            is_opened = named(ui, response, format!("open scene:{}", scene.name)).clicked();
        });
        if is_opened {
            requests.push(Request::Open(SceneSource::Bundled(scene.name.to_owned())));
            self.reading = None;
        }
        ScrollArea::vertical().id_salt("page").auto_shrink([false, false]).show(ui, |ui| {
            if let Some(texture) = self.thumbnails.get(ui.ctx(), scene.name) {
                let width = ui.available_width().min(320.0);
                ui.image((texture.id(), vec2(width, ASPECT * width)));
            }
            ui.with_layout(Layout::top_down(Align::LEFT), |ui| show_markdown(ui, scene.readme));
        });
        is_opened
    }
}

/// Shows the headings, code and paragraphs of a README. Pictures are left out.
fn show_markdown(ui: &mut Ui, readme: &str) {
    let mut is_code = false;
    let mut paragraph = String::new();
    for line in readme.lines().chain([""]) {
        let starts_anew =
            line.trim().is_empty() || line.starts_with(['#', '-', '|', '!']) || line.starts_with("```");
        if (starts_anew || is_code) && !paragraph.is_empty() {
            ui.add(Label::new(std::mem::take(&mut paragraph)).wrap());
            ui.add_space(4.0);
        }
        if line.starts_with("```") {
            is_code = !is_code;
        } else if is_code || line.starts_with("    ") {
            ui.add(Label::new(RichText::new(line).monospace()).wrap());
        } else if let Some(heading) = line.strip_prefix('#') {
            ui.label(RichText::new(heading.trim_start_matches('#').trim()).heading());
        } else if !line.starts_with("![") && !line.trim().is_empty() {
            paragraph.push_str(if paragraph.is_empty() { "" } else { " " });
            paragraph.push_str(line.trim());
        }
    }
}

fn bundled(name: &str) -> Option<&'static BundledScene> {
    SCENES.iter().find(|scene| scene.name == name)
}

/// The `summary` of a scene file, found without parsing the rest.
pub fn summary(text: &'static str) -> &'static str {
    text.lines().find_map(|line| quoted_value(line, "summary")).unwrap_or("")
}

/// The models that a scene file names.
fn kinds(text: &'static str) -> impl Iterator<Item = &'static str> {
    let known = |kind: &&str| undine::models::find(kind).is_some();
    text.lines().filter_map(|line| quoted_value(line, "kind")).filter(known)
}

/// The text between the quotes of a line `key = "…"`.
fn quoted_value(line: &'static str, key: &str) -> Option<&'static str> {
    let value = line.trim_start().strip_prefix(key)?.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| ['"', '\''].contains(quote))?;
    value[1..].split(quote).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_and_kinds_are_those_of_the_scenes_as_read() {
        for scene in SCENES {
            let read = undine::open(scene.name, &undine::LoadOptions::default()).unwrap();
            assert_eq!(summary(scene.text), read.summary, "{}", scene.name);
            let waters = read.sections("water");
            assert!(
                waters.iter().all(|water| kinds(scene.text).any(|kind| Some(kind) == water.text("kind")))
            );
        }
    }
}
