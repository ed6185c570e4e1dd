//! The commands of keys and buttons.

use egui::{Context, Theme};

use super::{SidePanel, StudioApp};
use crate::pane::Pane;
use crate::panels::help::UiCommand;
use crate::panels::tools::{Tool, is_usable};
use crate::panels::transport::next_speed;
use crate::request::Request;

impl StudioApp {
    /// Executes a command.
    pub(super) fn execute(&mut self, command: UiCommand, context: &Context) {
        match command {
            UiCommand::PlayPause => self.send(Request::Play(!self.update.is_playing)),
            UiCommand::Step => self.send(Request::Step),
            UiCommand::Reset => self.send(Request::Reset),
            UiCommand::Replay => self.send(Request::Replay),
            UiCommand::Faster => self.send(Request::Speed(next_speed(self.update.speed, true))),
            UiCommand::Slower => self.send(Request::Speed(next_speed(self.update.speed, false))),
            UiCommand::Undo => self.send(Request::Undo),
            UiCommand::Redo => self.send(Request::Redo),
            UiCommand::Tool(number) => self.select_tool(number),
            UiCommand::Gallery => self.dialogs.has_gallery = !self.dialogs.has_gallery,
            UiCommand::Knobs => self.toggle(SidePanel::Knobs),
            UiCommand::Views => self.toggle(SidePanel::Views),
            UiCommand::Plots => self.toggle(SidePanel::Plots),
            UiCommand::Editor => self.toggle(SidePanel::Editor),
            UiCommand::Open => self.choose_file(context),
            UiCommand::Save => self.choose_save_path(),
            UiCommand::Export => self.dialogs.has_export = !self.dialogs.has_export,
            UiCommand::FitView => self.panes.iter_mut().for_each(Pane::fit),
            UiCommand::SplitView => self.preferences.is_split = !self.preferences.is_split,
            UiCommand::Help => self.dialogs.has_help = !self.dialogs.has_help,
            UiCommand::Close => self.close_topmost(),
            UiCommand::HidePanels => self.preferences.hides_panels = !self.preferences.hides_panels,
            UiCommand::Theme => {
                context.set_theme(if context.theme() == Theme::Dark { Theme::Light } else { Theme::Dark });
            }
        }
    }

    fn select_tool(&mut self, number: usize) {
        let Some((opened, _)) = &self.default_view else { return };
        if let Some(tool) = Tool::numbered(number).filter(|tool| is_usable(*tool, opened)) {
            self.preferences.tool = tool;
        }
    }

    fn toggle(&mut self, side: SidePanel) {
        self.preferences.side = if self.preferences.side == side { SidePanel::Nothing } else { side };
    }

    fn close_topmost(&mut self) {
        if self.dialogs.close() {
            return;
        }
        if self.message.take().is_none() {
            self.preferences.hides_panels = false;
        }
    }
}
