//! What keys and buttons do.

use egui::{Context, Theme};

use super::{SidePanel, Studio};
use crate::pane::Pane;
use crate::panels::help::UiCommand;
use crate::panels::tools::{Tool, is_usable};
use crate::panels::transport::next_speed;
use crate::request::Request;

impl Studio {
    /// Does what a command says.
    pub(super) fn obey(&mut self, command: UiCommand, context: &Context) {
        match command {
            UiCommand::PlayPause => self.send(Request::Play(!self.update.is_playing)),
            UiCommand::Step => self.send(Request::Step),
            UiCommand::Reset => self.send(Request::Reset),
            UiCommand::Replay => self.send(Request::Replay),
            UiCommand::Faster => self.send(Request::Speed(next_speed(self.update.speed, true))),
            UiCommand::Slower => self.send(Request::Speed(next_speed(self.update.speed, false))),
            UiCommand::Undo => self.send(Request::Undo),
            UiCommand::Redo => self.send(Request::Redo),
            UiCommand::Tool(number) => self.take_up(number),
            UiCommand::Gallery => self.dialogs.has_gallery = !self.dialogs.has_gallery,
            UiCommand::Knobs => self.toggle(SidePanel::Knobs),
            UiCommand::Views => self.toggle(SidePanel::Views),
            UiCommand::Plots => self.toggle(SidePanel::Plots),
            UiCommand::Editor => self.toggle(SidePanel::Editor),
            UiCommand::Open => self.ask_for_file(context),
            UiCommand::Save => self.ask_where_to_save(),
            UiCommand::Export => self.dialogs.has_export = !self.dialogs.has_export,
            UiCommand::FitView => self.panes.iter_mut().for_each(Pane::fit),
            UiCommand::SplitView => self.kept.is_split = !self.kept.is_split,
            UiCommand::Help => self.dialogs.has_help = !self.dialogs.has_help,
            UiCommand::Close => self.close_topmost(),
            UiCommand::HidePanels => self.kept.is_bare = !self.kept.is_bare,
            UiCommand::Theme => {
                context.set_theme(if context.theme() == Theme::Dark { Theme::Light } else { Theme::Dark });
            }
        }
    }

    fn take_up(&mut self, number: usize) {
        let Some((opened, _)) = &self.default_view else { return };
        if let Some(tool) = Tool::numbered(number).filter(|tool| is_usable(*tool, opened)) {
            self.kept.tool = tool;
        }
    }

    fn toggle(&mut self, side: SidePanel) {
        self.kept.side = if self.kept.side == side { SidePanel::Nothing } else { side };
    }

    fn close_topmost(&mut self) {
        if self.dialogs.close() {
            return;
        }
        if self.message.take().is_none() {
            self.kept.is_bare = false;
        }
    }
}
