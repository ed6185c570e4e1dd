//! The editor of the scene file, with diagnostics at their lines.

mod highlight;

use std::hash::{DefaultHasher, Hash, Hasher};

use egui::text::LayoutJob;
use egui::{Align2, Key, Label, Modifiers, Pos2, RichText, ScrollArea, Sense, TextEdit, TextStyle, Ui, vec2};
use serde::{Deserialize, Serialize};

use super::named;
use crate::request::{Request, SceneSource};
use crate::update::{OpenScene, SessionUpdate};

/// Width of the line numbers in points.
const GUTTER: f32 = 36.0;

/// The editor.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Editor {
    /// The text.
    pub text: String,
    /// Whether it was changed since it was loaded.
    pub is_changed: bool,
    /// Where it came from.
    #[serde(skip)]
    source: Option<SceneSource>,
    /// The text that was applied and is not open yet.
    #[serde(skip)]
    submitted: Option<SceneSource>,
    #[serde(skip)]
    diagnostics: Vec<Diagnostic>,
    /// Number of the last message that was read.
    #[serde(skip)]
    last_message: Option<u64>,
    #[serde(skip)]
    highlighted: Option<(HighlightKey, LayoutJob)>,
}

/// A problem at a place of the text.
#[derive(Debug, Clone, PartialEq)]
struct Diagnostic {
    /// Counted from 1.
    line: usize,
    column: usize,
    what: String,
}

/// Cache key of the highlighted text.
#[derive(Debug, Clone, PartialEq)]
struct HighlightKey {
    text: u64,
    is_dark: bool,
    marked: Vec<usize>,
}

impl Editor {
    /// Shows the editor.
    pub fn show(&mut self, ui: &mut Ui, update: &SessionUpdate, requests: &mut Vec<Request>) {
        self.sync(update);
        let is_asked = ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::Enter));
        ui.horizontal_wrapped(|ui| {
            let response = ui.button("apply").on_hover_text("open this text as the scene (Ctrl+Enter)");
            if named(ui, response, "apply").clicked() || is_asked {
                self.apply(update, requests);
            }
            let response = ui.button("as it is now");
            let response = response.on_hover_text("insert the scene file including all actions so far");
            if named(ui, response, "script").clicked() {
                self.set_text(update.script.to_string());
            }
            if self.is_changed && update.open.is_some() {
                let response = ui.button("revert").on_hover_text("back to the scene that is open");
                if named(ui, response, "revert").clicked() {
                    (self.is_changed, self.source) = (false, None);
                }
            }
            if self.is_changed {
                ui.weak("changed");
            }
        });
        self.diagnostic_list(ui);
        ScrollArea::both()
            .id_salt("scene text")
            .auto_shrink([false, false])
            .show(ui, |ui| self.text_area(ui));
    }

    /// Loads a scene that was opened elsewhere, and reads the diagnostics of the last message.
    fn sync(&mut self, update: &SessionUpdate) {
        if let Some(open) = &update.open {
            if self.submitted.as_ref() == Some(&open.source) {
                // The applied text is open now; text typed since then is not
                self.is_changed =
                    !matches!(&open.source, SceneSource::Text { text, .. } if *text == self.text);
                self.source = self.submitted.take();
            } else if self.source.as_ref() != Some(&open.source) && !self.is_changed {
                self.text = text_of(open, update);
                self.source = Some(open.source.clone());
                self.diagnostics.clear();
            }
        }
        let Some(message) =
            update.message.as_ref().filter(|message| self.last_message != Some(message.number))
        else {
            return;
        };
        self.last_message = Some(message.number);
        let places = message.places.iter().filter(|(place, _)| is_of_file(&place.source));
        let diagnostic = |(place, what): &(undine::scene::SourceLocation, String)| Diagnostic {
            line: place.line as usize,
            column: place.column as usize,
            what: what.clone(),
        };
        self.diagnostics = places.map(diagnostic).collect();
    }

    fn set_text(&mut self, text: String) {
        (self.text, self.is_changed) = (text, true);
        self.diagnostics.clear();
    }

    /// Requests to open the text. Files that it names are resolved relative to the open scene.
    fn apply(&mut self, update: &SessionUpdate, requests: &mut Vec<Request>) {
        let open = update.open.as_deref();
        let relative_to = match open.map(|open| &open.source).or(self.source.as_ref()) {
            Some(SceneSource::Text { relative_to, .. }) => relative_to.clone(),
            Some(source) => Some(Box::new(source.clone())),
            None => None,
        };
        let name = open.map_or_else(|| String::from("untitled"), |open| open.scene.name.clone());
        let source = SceneSource::Text { name, text: self.text.clone(), relative_to };
        self.submitted = Some(source.clone());
        requests.push(Request::Open(source));
    }

    /// The first diagnostics as a list, since a line of the text has little room.
    fn diagnostic_list(&self, ui: &mut Ui) {
        for (index, diagnostic) in self.diagnostics.iter().enumerate().take(8) {
            let text = format!("line {}, column {}: {}", diagnostic.line, diagnostic.column, diagnostic.what);
            let shown = ui.add(Label::new(RichText::new(text).color(ui.visuals().error_fg_color)).wrap());
            named(ui, shown, format!("error:{index}"));
        }
    }

    fn text_area(&mut self, ui: &mut Ui) {
        let Editor { text, highlighted, diagnostics, .. } = self;
        let mut marked: Vec<usize> = diagnostics.iter().map(|diagnostic| diagnostic.line).collect();
        marked.dedup();
        let mut layouter = |ui: &Ui, text: &dyn egui::TextBuffer, _: f32| {
            let text = text.as_str();
            let version =
                HighlightKey { text: hash_of(text), is_dark: ui.visuals().dark_mode, marked: marked.clone() };
            if highlighted.as_ref().is_none_or(|(known, _)| *known != version) {
                *highlighted = Some((version, highlight::highlight(ui, text, &marked)));
            }
            let job = highlighted.as_ref().map(|(_, job)| job.clone()).unwrap_or_default();
            ui.fonts_mut(|fonts| fonts.layout_job(job))
        };
        let shown = ui.horizontal_top(|ui| {
            ui.allocate_exact_size(vec2(GUTTER, 1.0), Sense::hover());
            let edit = TextEdit::multiline(text).code_editor().layouter(&mut layouter);
            edit.desired_width(f32::INFINITY).desired_rows(16).show(ui)
        });
        let output = shown.inner;
        if output.response.response.changed() {
            self.is_changed = true;
        }
        named(ui, output.response.response.clone(), "scene text");
        self.gutter(ui, output.galley_pos, &output.galley);
    }

    /// Line numbers beside the text, and diagnostics behind their lines.
    fn gutter(&self, ui: &Ui, at: Pos2, galley: &egui::Galley) {
        let font = TextStyle::Monospace.resolve(ui.style());
        let small = TextStyle::Small.resolve(ui.style());
        let (weak, error) = (ui.visuals().weak_text_color(), ui.visuals().error_fg_color);
        for (index, row) in galley.rows.iter().enumerate() {
            let rect = row.rect().translate(at.to_vec2());
            if !ui.clip_rect().y_range().intersects(rect.y_range()) {
                continue;
            }
            let diagnostic = self.diagnostics.iter().find(|diagnostic| diagnostic.line == index + 1);
            let colour = if diagnostic.is_some() { error } else { weak };
            let place = Pos2::new(at.x - 10.0, rect.top());
            ui.painter().text(place, Align2::RIGHT_TOP, index + 1, font.clone(), colour);
            if let Some(diagnostic) = diagnostic {
                let behind = Pos2::new(rect.right() + 14.0, rect.center().y);
                let text = format!("← {}", diagnostic.what.replace('\n', " "));
                ui.painter().text(behind, Align2::LEFT_CENTER, text, small.clone(), error);
            }
        }
    }
}

fn hash_of(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Whether a problem is in the scene file, and not in an override or an interactive edit.
fn is_of_file(source: &str) -> bool {
    source != "change" && !source.starts_with("--set")
}

/// The text of the open scene as it was written, or else as it was resolved.
fn text_of(open: &OpenScene, update: &SessionUpdate) -> String {
    let written = match &open.source {
        SceneSource::Bundled(name) => {
            undine::SCENES.iter().find(|scene| scene.name == *name).map(|scene| scene.text.to_owned())
        }
        SceneSource::Text { text, .. } => Some(text.clone()),
        SceneSource::File(path) => from_disk(path),
    };
    written.unwrap_or_else(|| {
        if update.script.is_empty() { open.scene.resolved().to_owned() } else { update.script.to_string() }
    })
}

#[cfg(not(target_arch = "wasm32"))]
fn from_disk(path: &std::path::Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

#[cfg(target_arch = "wasm32")]
fn from_disk(_: &std::path::Path) -> Option<String> {
    None
}
