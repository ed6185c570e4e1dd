//! The toolbar at the top.

use egui::{Button, ComboBox, Ui};

use super::{SidePanel, StudioApp};
use crate::panels::help::{UiCommand, keys_of};
use crate::panels::named;
use crate::request::Request;

impl StudioApp {
    pub(super) fn bar(&mut self, ui: &mut Ui) {
        ui.add_space(3.0);
        // Files, undo, panels, views
        ui.horizontal_wrapped(|ui| {
            self.button(ui, "gallery", "bundled scenes", UiCommand::Gallery, self.dialogs.has_gallery);
            self.button(ui, "open", "open a scene file", UiCommand::Open, false);
            self.button(ui, "save", "save the scene file including all actions", UiCommand::Save, false);
            self.button(
                ui,
                "export",
                "export a still, a film, meshes or maps",
                UiCommand::Export,
                self.dialogs.has_export,
            );
            ui.separator();
            let (undo, redo) = (self.update.undo, self.update.redo);
            ui.add_enabled_ui(undo > 0, |ui| {
                self.button(ui, "undo", "undo the last action", UiCommand::Undo, false);
            });
            ui.add_enabled_ui(redo > 0, |ui| {
                self.button(ui, "redo", "redo the last action", UiCommand::Redo, false);
            });
            ui.separator();
            for (side, name, help, command) in [
                (SidePanel::Knobs, "knobs", "all keys of the scene", UiCommand::Knobs),
                (SidePanel::Views, "views", "what the panes show", UiCommand::Views),
                (SidePanel::Plots, "plots", "time series", UiCommand::Plots),
                (SidePanel::Editor, "editor", "the scene file", UiCommand::Editor),
            ] {
                self.button(ui, name, help, command, self.preferences.side == side);
            }
            ui.separator();
            self.button(ui, "split", "one pane or two", UiCommand::SplitView, self.preferences.is_split);
            self.compare_menu(ui);
            self.button(ui, "fit", "fit the view to the water", UiCommand::FitView, false);
            self.button(ui, "theme", "light or dark theme", UiCommand::Theme, false);
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
