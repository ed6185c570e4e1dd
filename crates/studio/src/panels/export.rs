//! What can be taken out of the window: a still, a film, meshes, maps, and the scene itself.

use std::path::PathBuf;

use egui::{Button, Label, ProgressBar, RichText, TextEdit, Ui};
use serde::{Deserialize, Serialize};
use undine::export::FORMATS;

use super::named;
use crate::news::News;
use crate::order::{Export, Order};
#[cfg(not(target_arch = "wasm32"))]
use crate::panels::files::{Choice, FileChooser, Purpose};

/// What is exported.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum What {
    /// The picture that the scene asks for, of this frame.
    #[default]
    Still,
    /// A film of the whole scene, with everything done by hand.
    Film,
    /// Meshes, particles or maps of this frame, in the format of this name.
    Frame(String),
    /// A scene file that does everything again.
    Scene,
}

/// The panel from which things are exported.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ExportPanel {
    /// What is exported.
    pub what: What,
    /// Where to, as it is typed; empty for the proposed place.
    #[serde(skip)]
    pub to: String,
    /// Whether paths of light are left out of a film, for speed.
    pub is_preview: bool,
    #[cfg(not(target_arch = "wasm32"))]
    #[serde(skip)]
    chooser: Option<FileChooser>,
}

impl ExportPanel {
    /// Shows the panel. A web page has no folders: it gives files to download, and films what it shows.
    pub fn show(&mut self, ui: &mut Ui, news: &News, is_web: bool, orders: &mut Vec<Order>) {
        #[cfg(not(target_arch = "wasm32"))]
        if self.choose(ui) {
            return;
        }
        self.choices(ui);
        if self.what == What::Film && !is_web {
            let response = ui.checkbox(&mut self.is_preview, "preview");
            let response =
                response.on_hover_text("without paths of light: less beautiful, and much sooner done");
            named(ui, response, "preview");
        }
        let proposed = self.proposed(news, is_web);
        if !is_web {
            self.place(ui, &proposed);
        }
        let typed = self.to.trim();
        let to = PathBuf::from(if typed.is_empty() || is_web { &proposed } else { typed });
        let response = ui.add_enabled(news.open.is_some() && news.export.is_none(), Button::new("export"));
        if named(ui, response.on_hover_text(to.display().to_string()), "export now").clicked() {
            orders.push(self.order(to));
        }
        progress(ui, news, orders);
    }

    fn choices(&mut self, ui: &mut Ui) {
        let fixed = [
            (What::Still, "still", "the picture of this frame"),
            (What::Film, "film", "the whole scene from its first frame, with everything done by hand"),
        ];
        let formats =
            FORMATS.iter().map(|format| (What::Frame(format.name.to_owned()), format.name, format.summary));
        let scene = [(What::Scene, "scene", "a scene file that does everything again")];
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

    /// The line for the file or folder.
    fn place(&mut self, ui: &mut Ui, proposed: &str) {
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
                        What::Still => Purpose::SaveFile("png"),
                        What::Scene => Purpose::SaveFile("toml"),
                        What::Film | What::Frame(_) => Purpose::Folder,
                    };
                    self.chooser = Some(FileChooser::new(purpose, std::path::Path::new("."), proposed));
                }
            }
        });
    }

    /// Shows the chooser of files if it is open, in place of everything else.
    #[cfg(not(target_arch = "wasm32"))]
    fn choose(&mut self, ui: &mut Ui) -> bool {
        let Some(chooser) = &mut self.chooser else { return false };
        match chooser.show(ui) {
            Choice::Open => return true,
            Choice::Chosen(path) => self.to = path.display().to_string(),
            Choice::GivenUp => {}
        }
        self.chooser = None;
        true
    }

    /// Where it would go if nobody says otherwise.
    fn proposed(&self, news: &News, is_web: bool) -> String {
        let name = news.open.as_ref().map_or("scene", |open| open.scene.name.as_str());
        let frame = news.runs.first().map_or(0, |run| run.frame);
        match &self.what {
            What::Still => format!("{name}-{frame:06}.png"),
            What::Film if is_web => format!("{name}.webm"),
            What::Film => format!("{name}-film"),
            What::Frame(format) => format!("{name}-{frame:06}-{format}"),
            What::Scene => format!("{name}-by-hand.toml"),
        }
    }

    fn order(&self, to: PathBuf) -> Order {
        match &self.what {
            What::Still => Order::Export(Export::Still { to }),
            What::Film => Order::Export(Export::Film { to, is_preview: self.is_preview }),
            What::Frame(format) => Order::Export(Export::Frame { format: format.clone(), to }),
            What::Scene => Order::SaveScene(to),
        }
    }
}

fn progress(ui: &mut Ui, news: &News, orders: &mut Vec<Order>) {
    let Some((what, share)) = &news.export else { return };
    ui.add(Label::new(RichText::new(what)).wrap());
    ui.horizontal(|ui| {
        let response = ui.button("stop");
        if named(ui, response, "stop export").clicked() {
            orders.push(Order::StopExport);
        }
        let response = ui.add(ProgressBar::new(*share).show_percentage());
        named(ui, response, "export progress");
    });
}
