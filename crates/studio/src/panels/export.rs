//! The export panel: a still, a film, meshes, maps, or the scene file.

use std::path::PathBuf;

use egui::{Button, Label, ProgressBar, RichText, TextEdit, Ui};
use serde::{Deserialize, Serialize};
use undine::export::FORMATS;

use super::named;
#[cfg(not(target_arch = "wasm32"))]
use crate::panels::files::{FileChoice, FileChooser, Purpose};
use crate::request::{Export, Request};
use crate::update::SessionUpdate;

/// What is exported.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ExportKind {
    /// The first picture of the scene, of the current frame.
    #[default]
    Still,
    /// A film of the whole scene, with all actions.
    Film,
    /// Meshes, particles or maps of the current frame, in the format of this name.
    Frame(String),
    /// The scene file including all actions.
    Scene,
}

/// The export panel.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ExportPanel {
    /// What is exported.
    pub what: ExportKind,
    /// The path as typed; empty for the proposed one.
    #[serde(skip)]
    pub to: String,
    /// Whether a film is drawn by the preview rasteriser instead of the path tracer.
    pub is_preview: bool,
    #[cfg(not(target_arch = "wasm32"))]
    #[serde(skip)]
    chooser: Option<FileChooser>,
}

impl ExportPanel {
    /// Shows the panel. A web page has no folders: it downloads files, and records the first pane as its film.
    pub fn show(&mut self, ui: &mut Ui, update: &SessionUpdate, is_web: bool, requests: &mut Vec<Request>) {
        #[cfg(not(target_arch = "wasm32"))]
        if self.choose(ui) {
            return;
        }
        self.choices(ui);
        if self.what == ExportKind::Film && !is_web {
            let response = ui.checkbox(&mut self.is_preview, "preview");
            let response =
                response.on_hover_text("the rasteriser instead of the path tracer: many times faster");
            named(ui, response, "preview");
        }
        let proposed = self.proposed(update, is_web);
        if !is_web {
            self.path_line(ui, &proposed);
        }
        let typed = self.to.trim();
        let to = PathBuf::from(if typed.is_empty() || is_web { &proposed } else { typed });
        let response =
            ui.add_enabled(update.open.is_some() && update.export.is_none(), Button::new("export"));
        if named(ui, response.on_hover_text(to.display().to_string()), "export now").clicked() {
            requests.push(self.request(to));
        }
        progress(ui, update, requests);
    }

    fn choices(&mut self, ui: &mut Ui) {
        let fixed = [
            (ExportKind::Still, "still", "the picture of this frame"),
            (ExportKind::Film, "film", "the whole scene from its first frame, with all actions"),
        ];
        let formats = FORMATS
            .iter()
            .map(|format| (ExportKind::Frame(format.name.to_owned()), format.name, format.summary));
        let scene = [(ExportKind::Scene, "scene", "the scene file including all actions")];
        ui.horizontal_wrapped(|ui| {
            for (what, name, help) in fixed.into_iter().chain(formats).chain(scene) {
                let button = Button::selectable(self.what == what, name).frame_when_inactive(true);
                let response = ui.add(button).on_hover_text(help);
                if named(ui, response, format!("export:{name}")).clicked() {
                    self.what = what;
                    self.to.clear();
                }
            }
        });
    }

    /// The input line of the file or folder.
    fn path_line(&mut self, ui: &mut Ui, proposed: &str) {
        ui.horizontal(|ui| {
            let width = (ui.available_width() - 90.0).max(80.0);
            let edit = TextEdit::singleline(&mut self.to).hint_text(proposed.to_owned()).desired_width(width);
            let response = ui.add(edit).on_hover_text("the file or folder that is written");
            named(ui, response, "export to");
            #[cfg(not(target_arch = "wasm32"))]
            {
                let response = ui.button("choose …");
                if named(ui, response, "choose place").clicked() {
                    let purpose = match self.what {
                        ExportKind::Still => Purpose::SaveFile("png"),
                        ExportKind::Scene => Purpose::SaveFile("toml"),
                        ExportKind::Film | ExportKind::Frame(_) => Purpose::Folder,
                    };
                    self.chooser = Some(FileChooser::new(purpose, std::path::Path::new("."), proposed));
                }
            }
        });
    }

    /// Shows the file chooser in place of the panel, if it is open.
    #[cfg(not(target_arch = "wasm32"))]
    fn choose(&mut self, ui: &mut Ui) -> bool {
        let Some(chooser) = &mut self.chooser else { return false };
        match chooser.show(ui) {
            FileChoice::Pending => return true,
            FileChoice::Chosen(path) => self.to = path.display().to_string(),
            FileChoice::Cancelled => {}
        }
        self.chooser = None;
        true
    }

    /// The default path.
    fn proposed(&self, update: &SessionUpdate, is_web: bool) -> String {
        let name = update.open.as_ref().map_or("scene", |open| open.scene.name.as_str());
        let frame = update.runs.first().map_or(0, |run| run.frame);
        match &self.what {
            ExportKind::Still => format!("{name}-{frame:06}.png"),
            ExportKind::Film if is_web => format!("{name}.webm"),
            ExportKind::Film => format!("{name}-film"),
            ExportKind::Frame(format) => format!("{name}-{frame:06}-{format}"),
            ExportKind::Scene => format!("{name}-by-hand.toml"),
        }
    }

    fn request(&self, to: PathBuf) -> Request {
        match &self.what {
            ExportKind::Still => Request::Export(Export::Still { to }),
            ExportKind::Film => Request::Export(Export::Film { to, is_preview: self.is_preview }),
            ExportKind::Frame(format) => Request::Export(Export::Frame { format: format.clone(), to }),
            ExportKind::Scene => Request::SaveScene(to),
        }
    }
}

fn progress(ui: &mut Ui, update: &SessionUpdate, requests: &mut Vec<Request>) {
    let Some((what, fraction)) = &update.export else { return };
    ui.add(Label::new(RichText::new(what)).wrap());
    ui.horizontal(|ui| {
        let response = ui.button("stop");
        if named(ui, response, "stop export").clicked() {
            requests.push(Request::StopExport);
        }
        let response = ui.add(ProgressBar::new(*fraction).show_percentage());
        named(ui, response, "export progress");
    });
}
