//! The scene file as text, with what is wrong shown where it is.

mod highlight;

use std::hash::{DefaultHasher, Hash, Hasher};

use egui::text::LayoutJob;
use egui::{Align2, Key, Label, Modifiers, Pos2, RichText, ScrollArea, Sense, TextEdit, TextStyle, Ui, vec2};
use serde::{Deserialize, Serialize};

use super::named;
use crate::news::{News, Opened};
use crate::order::{Order, Source};

/// Width of the line numbers in points.
const GUTTER: f32 = 36.0;

/// The editor.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Editor {
    /// What is being edited.
    pub text: String,
    /// Whether it was changed since it was loaded.
    pub is_changed: bool,
    /// Where it came from.
    #[serde(skip)]
    source: Option<Source>,
    /// What was asked to be opened and is not open yet.
    #[serde(skip)]
    handed_in: Option<Source>,
    #[serde(skip)]
    troubles: Vec<Trouble>,
    /// The last message that was looked at.
    #[serde(skip)]
    heard: Option<u64>,
    #[serde(skip)]
    coloured: Option<(Version, LayoutJob)>,
}

/// Something wrong with a line.
#[derive(Debug, Clone, PartialEq)]
struct Trouble {
    /// Counted from 1.
    line: usize,
    column: usize,
    what: String,
}

/// What a coloured text was made from.
#[derive(Debug, Clone, PartialEq)]
struct Version {
    text: u64,
    is_dark: bool,
    troubled: Vec<usize>,
}

impl Editor {
    /// Shows the editor.
    pub fn show(&mut self, ui: &mut Ui, news: &News, orders: &mut Vec<Order>) {
        self.keep_up(news);
        let is_asked = ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::Enter));
        ui.horizontal_wrapped(|ui| {
            let response = ui.button("apply").on_hover_text("open what is written here (Ctrl+Enter)");
            if named(ui, response, "apply").clicked() || is_asked {
                self.apply(news, orders);
            }
            let response = ui.button("as it is now");
            let response = response.on_hover_text("write the scene with everything done by hand so far");
            if named(ui, response, "script").clicked() {
                self.set_text(news.script.to_string());
            }
            if self.is_changed && news.open.is_some() {
                let response = ui.button("revert").on_hover_text("back to the scene that is open");
                if named(ui, response, "revert").clicked() {
                    (self.is_changed, self.source) = (false, None);
                }
            }
            if self.is_changed {
                ui.weak("changed");
            }
        });
        self.list(ui);
        ScrollArea::both().id_salt("scene text").auto_shrink([false, false]).show(ui, |ui| self.page(ui));
    }

    /// Takes up a scene that was opened elsewhere, and what was said about this one.
    fn keep_up(&mut self, news: &News) {
        if let Some(open) = &news.open {
            if self.handed_in.as_ref() == Some(&open.source) {
                // It is open now; what was typed meanwhile is not
                self.is_changed = !matches!(&open.source, Source::Text { text, .. } if *text == self.text);
                self.source = self.handed_in.take();
            } else if self.source.as_ref() != Some(&open.source) && !self.is_changed {
                self.text = text_of(open, news);
                self.source = Some(open.source.clone());
                self.troubles.clear();
            }
        }
        let Some(message) = news.message.as_ref().filter(|message| self.heard != Some(message.number)) else {
            return;
        };
        self.heard = Some(message.number);
        let places = message.places.iter().filter(|(place, _)| is_of_file(&place.source));
        let trouble = |(place, what): &(undine::scene::Place, String)| Trouble {
            line: place.line as usize,
            column: place.column as usize,
            what: what.clone(),
        };
        self.troubles = places.map(trouble).collect();
    }

    fn set_text(&mut self, text: String) {
        (self.text, self.is_changed) = (text, true);
        self.troubles.clear();
    }

    /// Asks for what is written to be opened. Files that it names are looked for where the open scene has them.
    fn apply(&mut self, news: &News, orders: &mut Vec<Order>) {
        let open = news.open.as_deref();
        let beside = match open.map(|open| &open.source).or(self.source.as_ref()) {
            Some(Source::Text { beside, .. }) => beside.clone(),
            Some(source) => Some(Box::new(source.clone())),
            None => None,
        };
        let name = open.map_or_else(|| String::from("untitled"), |open| open.scene.name.clone());
        let source = Source::Text { name, text: self.text.clone(), beside };
        self.handed_in = Some(source.clone());
        orders.push(Order::Open(source));
    }

    /// All that is wrong, in words; the lines themselves have room for only a few.
    fn list(&self, ui: &mut Ui) {
        for (index, trouble) in self.troubles.iter().enumerate().take(8) {
            let text = format!("line {}, column {}: {}", trouble.line, trouble.column, trouble.what);
            let shown = ui.add(Label::new(RichText::new(text).color(ui.visuals().error_fg_color)).wrap());
            named(ui, shown, format!("error:{index}"));
        }
    }

    fn page(&mut self, ui: &mut Ui) {
        let Editor { text, coloured, troubles, .. } = self;
        let mut troubled: Vec<usize> = troubles.iter().map(|trouble| trouble.line).collect();
        troubled.dedup();
        let mut layouter = |ui: &Ui, text: &dyn egui::TextBuffer, _: f32| {
            let text = text.as_str();
            let version =
                Version { text: hash_of(text), is_dark: ui.visuals().dark_mode, troubled: troubled.clone() };
            if coloured.as_ref().is_none_or(|(known, _)| *known != version) {
                *coloured = Some((version, highlight::highlight(ui, text, &troubled)));
            }
            let job = coloured.as_ref().map(|(_, job)| job.clone()).unwrap_or_default();
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

    /// Line numbers beside the text, and what is wrong behind its line.
    fn gutter(&self, ui: &Ui, at: Pos2, galley: &egui::Galley) {
        let font = TextStyle::Monospace.resolve(ui.style());
        let small = TextStyle::Small.resolve(ui.style());
        let (weak, error) = (ui.visuals().weak_text_color(), ui.visuals().error_fg_color);
        for (index, row) in galley.rows.iter().enumerate() {
            let rect = row.rect().translate(at.to_vec2());
            if !ui.clip_rect().y_range().intersects(rect.y_range()) {
                continue;
            }
            let trouble = self.troubles.iter().find(|trouble| trouble.line == index + 1);
            let colour = if trouble.is_some() { error } else { weak };
            let place = Pos2::new(at.x - 10.0, rect.top());
            ui.painter().text(place, Align2::RIGHT_TOP, index + 1, font.clone(), colour);
            if let Some(trouble) = trouble {
                let behind = Pos2::new(rect.right() + 14.0, rect.center().y);
                let text = format!("← {}", trouble.what.replace('\n', " "));
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

/// Whether a problem stands in a scene file, and not in an override or a change by hand.
fn is_of_file(source: &str) -> bool {
    source != "change" && !source.starts_with("--set")
}

/// The text of the open scene as somebody wrote it, or else as it is meant.
fn text_of(open: &Opened, news: &News) -> String {
    let written = match &open.source {
        Source::Bundled(name) => {
            undine::SCENES.iter().find(|scene| scene.name == *name).map(|scene| scene.text.to_owned())
        }
        Source::Text { text, .. } => Some(text.clone()),
        Source::File(path) => from_disk(path),
    };
    written.unwrap_or_else(|| {
        if news.script.is_empty() { open.scene.resolved().to_owned() } else { news.script.to_string() }
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
