//! What keys and buttons do.

use egui::{Context, Theme};

use super::{SidePanel, Studio};
use crate::order::Order;
use crate::pane::Pane;
use crate::panels::help::Command;
use crate::panels::tools::{Tool, suits};
use crate::panels::transport::next_speed;

impl Studio {
    /// Does what a command says.
    pub(super) fn obey(&mut self, command: Command, context: &Context) {
        match command {
            Command::PlayPause => self.send(Order::Play(!self.news.is_playing)),
            Command::Step => self.send(Order::Step),
            Command::Reset => self.send(Order::Reset),
            Command::Replay => self.send(Order::Replay),
            Command::Faster => self.send(Order::Speed(next_speed(self.news.speed, true))),
            Command::Slower => self.send(Order::Speed(next_speed(self.news.speed, false))),
            Command::Undo => self.send(Order::Undo),
            Command::Redo => self.send(Order::Redo),
            Command::Tool(number) => self.take_up(number),
            Command::Gallery => self.dialogs.has_gallery = !self.dialogs.has_gallery,
            Command::Knobs => self.toggle(SidePanel::Knobs),
            Command::Views => self.toggle(SidePanel::Views),
            Command::Plots => self.toggle(SidePanel::Plots),
            Command::Editor => self.toggle(SidePanel::Editor),
            Command::Open => self.ask_for_file(context),
            Command::Save => self.ask_where_to_save(),
            Command::Export => self.dialogs.has_export = !self.dialogs.has_export,
            Command::FitView => self.panes.iter_mut().for_each(Pane::fit),
            Command::SplitView => self.kept.is_split = !self.kept.is_split,
            Command::Help => self.dialogs.has_help = !self.dialogs.has_help,
            Command::Close => self.close_topmost(),
            Command::Bare => self.kept.is_bare = !self.kept.is_bare,
            Command::Theme => {
                context.set_theme(if context.theme() == Theme::Dark { Theme::Light } else { Theme::Dark });
            }
        }
    }

    fn take_up(&mut self, number: usize) {
        let Some((opened, _)) = &self.default_view else { return };
        if let Some(tool) = Tool::numbered(number).filter(|tool| suits(*tool, opened)) {
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
