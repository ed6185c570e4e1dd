//! Dialogs: gallery, file chooser, export, help.

use eframe::egui_wgpu::RenderState;
use egui::{Context, Window};

use super::StudioApp;
#[cfg(not(target_arch = "wasm32"))]
use crate::panels::files::{FileChoice, FileChooser, Purpose};
use crate::panels::{self, theme};
use crate::request::{Request, SceneSource};

/// Which dialogs are open.
#[derive(Default)]
pub struct Dialogs {
    /// The gallery.
    pub has_gallery: bool,
    /// The exports.
    pub has_export: bool,
    /// The help sheet.
    pub has_help: bool,
    #[cfg(not(target_arch = "wasm32"))]
    chooser: Option<(FileChooser, FilePurpose)>,
    #[cfg(target_arch = "wasm32")]
    chooser: crate::web::Chooser,
}

/// What a file is chosen for.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FilePurpose {
    Open,
    Save,
}

impl Dialogs {
    /// Closes the topmost dialog; false if none is open.
    pub fn close(&mut self) -> bool {
        #[cfg(not(target_arch = "wasm32"))]
        if self.chooser.take().is_some() {
            return true;
        }
        let open = [&mut self.has_help, &mut self.has_export, &mut self.has_gallery];
        match open.into_iter().find(|open| **open) {
            Some(open) => {
                *open = false;
                true
            }
            None => false,
        }
    }
}

impl StudioApp {
    pub(super) fn show_dialogs(&mut self, context: &Context, gpu: Option<&RenderState>) {
        self.show_gallery(context);
        let mut has_export = self.dialogs.has_export;
        window(context, "export", &mut has_export, [380.0, 340.0], |ui| {
            self.export.show(ui, &self.update, cfg!(target_arch = "wasm32"), &mut self.requests);
            ui.separator();
            let response = ui.button("picture as seen");
            let response = response.on_hover_text("the pane as shown on the screen, as PNG");
            if panels::named(ui, response, "picture as seen").clicked() {
                self.save_picture(gpu);
            }
        });
        self.dialogs.has_export = has_export;
        window(context, "help", &mut self.dialogs.has_help, [420.0, 480.0], panels::help::show);
        self.show_files(context);
    }

    fn show_gallery(&mut self, context: &Context) {
        let mut is_open = self.dialogs.has_gallery;
        let mut is_chosen = false;
        let size = context.content_rect().size() - egui::vec2(60.0, 80.0);
        window(context, "gallery", &mut is_open, [size.x.min(1000.0), size.y.min(680.0)], |ui| {
            is_chosen = self.preferences.gallery.show(ui, &mut self.requests);
        });
        self.dialogs.has_gallery = is_open && !is_chosen;
    }

    /// Saves the picture of the first pane as shown on the screen.
    fn save_picture(&mut self, gpu: Option<&RenderState>) {
        let name = format!(
            "{}-{:06}.png",
            self.framed_scene.replace(['/', '\\'], "-"),
            self.update.runs.first().map_or(0, |run| run.frame)
        );
        #[cfg(not(target_arch = "wasm32"))]
        let name = std::path::Path::new(&self.preferences.folder).join(name).display().to_string();
        self.panes[0].read_back(gpu, move |[width, height], rgba| {
            let rgb: Vec<u8> =
                rgba.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
            let Ok(bytes) = crate::export::png(width, height, &rgb) else { return };
            #[cfg(not(target_arch = "wasm32"))]
            // This callback cannot show an error; the file is missing then
            let _ = undine::frame::AtomicFile::write_all_to(&name, &bytes);
            #[cfg(target_arch = "wasm32")]
            let _ = crate::web::download(&name, &bytes);
        });
    }

    /// Opens scene files that were dropped onto the window.
    pub(super) fn take_dropped_files(&mut self, context: &Context) {
        let dropped = context.input(|input| input.raw.dropped_files.clone());
        for file in dropped {
            #[cfg(not(target_arch = "wasm32"))]
            self.send(Request::Open(SceneSource::File(file.path().to_owned())));
            #[cfg(target_arch = "wasm32")]
            self.dialogs.chooser.read_dropped(file, context);
        }
    }

    #[cfg(target_arch = "wasm32")]
    fn open_bytes(&mut self, name: String, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let relative_to = self.update.open.as_ref().map(|opened| Box::new(opened.source.clone()));
        self.send(Request::Open(SceneSource::Text { name, text, relative_to }));
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl StudioApp {
    pub(super) fn choose_file(&mut self, _: &Context) {
        let folder = self.folder();
        self.dialogs.chooser =
            Some((FileChooser::new(Purpose::OpenFile("toml"), &folder, ""), FilePurpose::Open));
    }

    pub(super) fn choose_save_path(&mut self) {
        let Some(opened) = &self.update.open else { return };
        let (folder, name) = (self.folder(), format!("{}.toml", opened.scene.name));
        self.dialogs.chooser =
            Some((FileChooser::new(Purpose::SaveFile("toml"), &folder, &name), FilePurpose::Save));
    }

    fn folder(&self) -> std::path::PathBuf {
        let folder = std::path::PathBuf::from(&self.preferences.folder);
        if folder.is_dir() { folder } else { std::env::current_dir().unwrap_or_default() }
    }

    fn show_files(&mut self, context: &Context) {
        let Some((mut chooser, purpose)) = self.dialogs.chooser.take() else { return };
        let (mut is_open, mut choice) = (true, FileChoice::Pending);
        let title = if purpose == FilePurpose::Open { "open a scene" } else { "save the scene" };
        window(context, title, &mut is_open, [460.0, 400.0], |ui| choice = chooser.show(ui));
        self.preferences.folder = chooser.folder().display().to_string();
        match (choice, purpose) {
            (FileChoice::Pending, _) if is_open => self.dialogs.chooser = Some((chooser, purpose)),
            (FileChoice::Chosen(path), FilePurpose::Open) => {
                self.send(Request::Open(SceneSource::File(path)))
            }
            (FileChoice::Chosen(path), FilePurpose::Save) => self.send(Request::SaveScene(path)),
            _ => {}
        }
    }
}

#[cfg(target_arch = "wasm32")]
impl StudioApp {
    pub(super) fn choose_file(&mut self, context: &Context) {
        if let Err(text) = self.dialogs.chooser.open(".toml", context) {
            self.warn(text);
        }
    }

    pub(super) fn choose_save_path(&mut self) {
        self.send(Request::SaveScene(std::path::PathBuf::new()));
    }

    fn show_files(&mut self, _: &Context) {
        match self.dialogs.chooser.take().map(|chosen| (chosen.name, chosen.bytes)) {
            Some((name, Ok(bytes))) => self.open_bytes(name, &bytes),
            Some((_, Err(text))) => self.warn(text),
            None => {}
        }
    }
}

/// A dialog window, limited to the size of the screen.
fn window(
    context: &Context,
    title: &str,
    is_open: &mut bool,
    size: [f32; 2],
    content: impl FnOnce(&mut egui::Ui),
) {
    if !*is_open {
        return;
    }
    let available = context.content_rect().size() - egui::vec2(24.0, 40.0);
    let size = egui::vec2(size[0].min(available.x), size[1].min(available.y)).max(egui::vec2(120.0, 80.0));
    let mut dialog =
        Window::new(title).open(is_open).default_size(size).max_size(available.max(size)).collapsible(false);
    if theme::is_small(context) {
        dialog = dialog.fixed_pos([4.0, 8.0]).fixed_size(size);
    }
    dialog.show(context, content);
}
