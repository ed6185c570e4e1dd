//! A file and folder chooser, the same on every system.

use std::path::{Path, PathBuf};

use egui::{Button, Key, Label, RichText, ScrollArea, TextEdit, Ui};

use super::named;

/// Limit on the entries of a folder that are listed.
const MAX_ENTRIES: usize = 2000;

/// What is being chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// A file to open, with this extension.
    OpenFile(&'static str),
    /// A file to write, with this extension.
    SaveFile(&'static str),
    /// A folder to write into, which need not exist.
    Folder,
}

/// The answer of the chooser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChoice {
    /// None yet.
    Pending,
    /// This file or folder.
    Chosen(PathBuf),
    /// The chooser was cancelled.
    Cancelled,
}

/// A chooser that is open.
#[derive(Debug, Clone)]
pub struct FileChooser {
    purpose: Purpose,
    folder: PathBuf,
    /// The folder as it is typed.
    typed: String,
    /// The name of the file.
    name: String,
    listed: Result<Vec<FolderEntry>, String>,
}

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct FolderEntry {
    is_file: bool,
    name: String,
}

impl FileChooser {
    /// A chooser that starts in a folder, with a proposed name.
    pub fn new(purpose: Purpose, folder: &Path, name: &str) -> FileChooser {
        let mut chooser = FileChooser {
            purpose,
            folder: PathBuf::new(),
            typed: String::new(),
            name: name.to_owned(),
            listed: Ok(Vec::new()),
        };
        chooser.enter(std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf()));
        chooser
    }

    /// The folder that is shown, to start there the next time.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Changes to a folder. One that cannot be read is shown with the reason.
    fn enter(&mut self, folder: PathBuf) {
        self.listed = list_folder(&folder, &self.purpose);
        self.typed = folder.display().to_string();
        self.folder = folder;
    }

    /// Shows the chooser.
    pub fn show(&mut self, ui: &mut Ui) -> FileChoice {
        self.path_line(ui);
        let height = (ui.available_height() - 80.0).clamp(80.0, 320.0);
        let scroll = ScrollArea::vertical().id_salt("files").max_height(height).auto_shrink([false, true]);
        let picked = scroll.show(ui, |ui| self.entries(ui)).inner;
        let is_entered = self.name_line(ui);
        let answer = self.buttons(ui, picked || is_entered);
        if ui.input(|input| input.key_pressed(Key::Escape)) { FileChoice::Cancelled } else { answer }
    }

    fn path_line(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            let response = ui.button("↑").on_hover_text("the folder above");
            if named(ui, response, "folder up").clicked() {
                let above = self.folder.parent().map(Path::to_path_buf);
                above.into_iter().for_each(|above| self.enter(above));
            }
            let response = ui.add(TextEdit::singleline(&mut self.typed).desired_width(f32::INFINITY));
            let response = named(ui, response, "folder");
            if response.lost_focus() && Path::new(&self.typed) != self.folder {
                self.go_to_typed();
            }
        });
    }

    /// A path that was typed may be a folder, or a file.
    fn go_to_typed(&mut self) {
        let path = PathBuf::from(self.typed.trim());
        if let (true, Some(folder), Some(name)) = (path.is_file(), path.parent(), path.file_name()) {
            self.name = name.to_string_lossy().into_owned();
            self.enter(folder.to_path_buf());
        } else {
            self.enter(path);
        }
    }

    /// The list; returns whether a file was double-clicked.
    fn entries(&mut self, ui: &mut Ui) -> bool {
        let entries = match self.listed.clone() {
            Ok(entries) => entries,
            Err(reason) => {
                let shown =
                    ui.add(Label::new(RichText::new(reason).color(ui.visuals().error_fg_color)).wrap());
                named(ui, shown, "folder error");
                return false;
            }
        };
        if entries.is_empty() {
            ui.weak("empty");
        }
        let mut is_picked = false;
        for entry in entries {
            let text = if entry.is_file { entry.name.clone() } else { format!("▸ {}", entry.name) };
            let response =
                ui.add(Button::selectable(entry.is_file && self.name == entry.name, text).truncate());
            let response = named(ui, response, format!("file:{}", entry.name));
            if response.clicked() && !entry.is_file {
                self.enter(self.folder.join(&entry.name));
                break;
            }
            if response.clicked() {
                self.name = entry.name;
                is_picked |= response.double_clicked();
            }
        }
        is_picked
    }

    /// The input line of the name; returns whether Enter was pressed in it.
    fn name_line(&mut self, ui: &mut Ui) -> bool {
        let hint = if self.purpose == Purpose::Folder {
            "name of a new folder (optional)"
        } else {
            "name of the file"
        };
        let edit = TextEdit::singleline(&mut self.name).hint_text(hint).desired_width(f32::INFINITY);
        let response = ui.add(edit);
        let response = named(ui, response, "file name");
        response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter))
    }

    fn buttons(&self, ui: &mut Ui, is_picked: bool) -> FileChoice {
        let path = self.path();
        let (word, is_ready) = match self.purpose {
            Purpose::OpenFile(_) => ("open", path.is_file()),
            Purpose::SaveFile(_) => ("save", !self.name.trim().is_empty() && self.folder.is_dir()),
            Purpose::Folder => ("choose", self.folder.is_dir()),
        };
        let mut choice = FileChoice::Pending;
        ui.horizontal_wrapped(|ui| {
            let response = ui.add_enabled(is_ready, Button::new(word));
            if named(ui, response, "choose file").clicked() || (is_picked && is_ready) {
                choice = FileChoice::Chosen(path.clone());
            }
            let response = ui.button("cancel");
            if named(ui, response, "cancel").clicked() {
                choice = FileChoice::Cancelled;
            }
            if matches!(self.purpose, Purpose::SaveFile(_)) && path.is_file() {
                ui.colored_label(ui.visuals().warn_fg_color, "this file exists and will be replaced");
            }
        });
        choice
    }

    /// The chosen path, with its extension.
    fn path(&self) -> PathBuf {
        let path = self.folder.join(self.name.trim());
        match self.purpose {
            Purpose::SaveFile(extension) if path.extension().is_none() && !self.name.trim().is_empty() => {
                path.with_extension(extension)
            }
            _ => path,
        }
    }
}

/// The entries of a folder, folders first, without hidden ones and files of other extensions.
fn list_folder(folder: &Path, purpose: &Purpose) -> Result<Vec<FolderEntry>, String> {
    let extension = match purpose {
        Purpose::OpenFile(extension) | Purpose::SaveFile(extension) => Some(*extension),
        Purpose::Folder => None,
    };
    let is_wanted = |entry: &FolderEntry| {
        let name = entry.name.to_lowercase();
        let fits = extension.is_some_and(|extension| name.ends_with(&format!(".{extension}")));
        !entry.name.starts_with('.') && (!entry.is_file || fits)
    };
    let read = std::fs::read_dir(folder).map_err(|error| format!("this folder cannot be read: {error}"))?;
    let entries = read.flatten().map(|entry| FolderEntry {
        is_file: entry.path().is_file(),
        name: entry.file_name().to_string_lossy().into_owned(),
    });
    let mut entries: Vec<FolderEntry> = entries.filter(is_wanted).take(MAX_ENTRIES).collect();
    entries.sort();
    Ok(entries)
}
