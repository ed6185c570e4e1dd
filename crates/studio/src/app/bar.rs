//! The bar at the top: everything that has a place in the window, a press away.

use egui::{Button, ComboBox, Ui};

use super::{SidePanel, StudioApp};
use crate::panels::help::{UiCommand, keys_of};
use crate::panels::named;
use crate::request::Request;

impl StudioApp {
    pub(super) fn bar(&mut self, ui: &mut Ui) {
        ui.add_space(3.0);
        ui.horizontal_wrapped(|ui| {
            self.button(
                ui,
                "gallery",
                "scenes that come with Undine",
                UiCommand::Gallery,
                self.dialogs.has_gallery,
            );
            self.button(ui, "open", "a scene file", UiCommand::Open, false);
            self.button(ui, "save", "a scene file that does everything again", UiCommand::Save, false);
            self.button(
                ui,
                "export",
                "a still, a film, meshes or maps",
                UiCommand::Export,
                self.dialogs.has_export,
            );
            ui.separator();
            let (undo, redo) = (self.update.undo, self.update.redo);
            ui.add_enabled_ui(undo > 0, |ui| {
                self.button(ui, "undo", "take back the last stroke", UiCommand::Undo, false);
            });
            ui.add_enabled_ui(redo > 0, |ui| {
                self.button(ui, "redo", "do it again", UiCommand::Redo, false);
            });
            ui.separator();
            for (side, name, help, command) in [
                (SidePanel::Knobs, "knobs", "every key of the scene", UiCommand::Knobs),
                (SidePanel::Views, "views", "what is shown, and how", UiCommand::Views),
                (SidePanel::Plots, "plots", "numbers over time", UiCommand::Plots),
                (SidePanel::Editor, "editor", "the scene file", UiCommand::Editor),
            ] {
                self.button(ui, name, help, command, self.preferences.side == side);
            }
            ui.separator();
            self.button(ui, "split", "one pane or two", UiCommand::SplitView, self.preferences.is_split);
            self.compare_menu(ui);
            self.button(ui, "fit", "show all of the water", UiCommand::FitView, false);
            self.button(ui, "theme", "day or night", UiCommand::Theme, false);
            self.button(ui, "help", "keys and gestures", UiCommand::Help, self.dialogs.has_help);
        });
        ui.add_space(3.0);
    }

    fn button(&mut self, ui: &mut Ui, name: &str, help: &str, command: UiCommand, is_on: bool) {
        let keys = keys_of(ui.ctx(), command);
        let help = if keys.is_empty() { help.to_owned() } else { format!("{help} ({keys})") };
        let response = ui.add(Button::selectable(is_on, name).frame_when_inactive(true)).on_hover_text(help);
        if named(ui, response, name).clicked() {
            self.execute(command, ui.ctx());
        }
    }

    /// Menu that runs another model on the same scene, in a second pane.
    fn compare_menu(&mut self, ui: &mut Ui) {
        let Some((opened, _)) = self.default_view.clone() else { return };
        if opened.comparable_models.is_empty() {
            return;
        }
        let shown = opened.compared_model.unwrap_or("compare");
        let combo = ComboBox::from_id_salt("compare").selected_text(shown).show_ui(ui, |ui| {
            let mut chosen = None;
            for model in std::iter::once(None).chain(opened.comparable_models.iter().copied().map(Some)) {
                let text = model.unwrap_or("alone");
                let response = ui.selectable_label(opened.compared_model == model, text);
                if named(ui, response, format!("compare:{text}")).clicked() {
                    chosen = Some(model);
                }
            }
            chosen
        });
        let help = "run another model on the same scene, side by side";
        named(ui, combo.response.on_hover_text(help), "compare");
        if let Some(Some(model)) = combo.inner {
            self.send(Request::Compare(model.map(str::to_owned)));
        }
    }
}
