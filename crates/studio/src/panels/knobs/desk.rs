//! What stands between a knob and the water: values on their way, texts half typed, and the orders that come of them.

use std::collections::HashMap;
use std::time::Duration;

use egui::{Id, Response, Ui};
use undine::scene::{Edit, Scene};

use super::parts::Part;
use crate::order::Order;

/// Seconds after which a value that the water did not take is no longer shown.
const PATIENCE: f64 = 1.0;

/// What the knobs remember from one frame of the window to the next.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// Values that were asked for and have not come back with the scene yet, by path.
    pending: HashMap<String, Pending>,
    /// Texts that are being typed, by path.
    pub drafts: HashMap<String, String>,
    /// The ends of sliders, by path.
    pub spans: HashMap<String, [f64; 2]>,
    /// The last values of what can be switched off, by path.
    pub last: HashMap<String, f64>,
    /// The widget that is being dragged: its changes are taken back together.
    stroke: Option<Id>,
}

#[derive(Debug, Clone)]
struct Pending {
    typed: String,
    written_before: Option<String>,
    at: f64,
    is_sent: bool,
}

/// Where knobs hand in what they want.
pub struct Desk<'a> {
    /// The scene as the water has it.
    pub scene: &'a Scene,
    /// What is remembered.
    pub memory: &'a mut Memory,
    /// What the knobs ask for.
    pub orders: &'a mut Vec<Order>,
    /// Words that keys must contain; empty for all.
    pub search: &'a str,
}

impl Desk<'_> {
    /// The value of a key as it is typed: what was last asked for, or else what is written.
    pub fn value(&mut self, ui: &Ui, part: &Part<'_>, local: &str) -> Option<String> {
        let written = part.section.written(local);
        let path = format!("{}.{local}", part.path());
        let Some(pending) = self.memory.pending.get(&path) else { return written };
        let (now, is_held) = ui.input(|input| (input.time, input.pointer.any_down()));
        let is_answered = written != pending.written_before || now - pending.at > PATIENCE;
        if is_answered && !is_held {
            self.memory.pending.remove(&path);
            return written;
        }
        Some(pending.typed.clone())
    }

    /// Asks for a value because a widget changed. While a slider is dragged a live key follows it; any other is
    /// changed when the slider is let go, since each change starts the water anew.
    pub fn turn(
        &mut self,
        ui: &Ui,
        part: &Part<'_>,
        local: &str,
        typed: String,
        is_live: bool,
        by: &Response,
    ) {
        if by.changed() {
            let (path, written_before) = (format!("{}.{local}", part.path()), part.section.written(local));
            let at = ui.input(|input| input.time);
            ui.ctx().request_repaint_after(Duration::from_secs_f64(PATIENCE + 0.1));
            let is_sent = is_live || !by.dragged();
            self.memory
                .pending
                .insert(path.clone(), Pending { typed: typed.clone(), written_before, at, is_sent });
            if is_sent {
                self.begin_stroke(by);
                self.orders.push(Order::Change(Edit::set(format!("{path}={typed}"))));
            }
        }
        if by.drag_stopped() {
            self.hand_in(&format!("{}.{local}", part.path()));
            self.memory.stroke = None;
        }
    }

    /// Asks for a value at once.
    pub fn set(&mut self, path: &str, typed: &str) {
        self.ask(Edit::set(format!("{path}={typed}")));
    }

    /// Takes a key or a section away.
    pub fn remove(&mut self, path: &str) {
        self.ask(Edit::remove(path));
    }

    fn ask(&mut self, edit: Edit) {
        self.orders.extend([Order::BeginStroke, Order::Change(edit)]);
    }

    fn begin_stroke(&mut self, by: &Response) {
        if !by.dragged() || self.memory.stroke != Some(by.id) {
            self.orders.push(Order::BeginStroke);
        }
        self.memory.stroke = by.dragged().then_some(by.id);
    }

    /// Asks for a value that waited for the slider to be let go.
    fn hand_in(&mut self, path: &str) {
        let waiting = self.memory.pending.get_mut(path).filter(|pending| !pending.is_sent);
        if let Some(pending) = waiting {
            pending.is_sent = true;
            let typed = pending.typed.clone();
            self.set(path, &typed);
        }
    }
}
