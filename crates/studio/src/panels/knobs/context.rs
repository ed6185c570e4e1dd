//! State shared by the knobs: pending edits, drafts of text fields, and the requests to send.

use std::collections::HashMap;
use std::time::Duration;

use egui::{Id, Response, Ui};
use undine::scene::{Edit, Scene};

use super::sections::KnobSection;
use crate::request::Request;

/// Seconds after which a pending value that the session did not take over is dropped.
const PENDING_TIMEOUT: f64 = 1.0;

/// State of the knobs between two frames of the window.
#[derive(Debug, Clone, Default)]
pub struct KnobMemory {
    /// Values that were requested and are not in the scene yet, by path.
    pending: HashMap<String, Pending>,
    /// Drafts of text fields, by path.
    pub drafts: HashMap<String, String>,
    /// Limits of sliders, by path.
    pub slider_limits: HashMap<String, [f64; 2]>,
    /// The last nonzero values of keys that can be switched off, by path.
    pub last_on: HashMap<String, f64>,
    /// The widget that is being dragged: its edits form one undo group.
    dragged: Option<Id>,
}

/// A value that was requested and is not in the scene yet.
#[derive(Debug, Clone)]
struct Pending {
    typed: String,
    written_before: Option<String>,
    at: f64,
    is_sent: bool,
}

/// What a knob reads and writes.
pub struct KnobContext<'a> {
    /// The scene of the session.
    pub scene: &'a Scene,
    /// State between frames.
    pub memory: &'a mut KnobMemory,
    /// The requests to send.
    pub requests: &'a mut Vec<Request>,
    /// Text that keys must contain; empty for all.
    pub search: &'a str,
}

impl KnobContext<'_> {
    /// The value of a key in TOML: the pending one, or else that of the scene.
    pub fn value(&mut self, ui: &Ui, section: &KnobSection<'_>, local: &str) -> Option<String> {
        let written = section.toml.written(local);
        let path = format!("{}.{local}", section.path());
        let Some(pending) = self.memory.pending.get(&path) else { return written };
        let (now, is_held) = ui.input(|input| (input.time, input.pointer.any_down()));
        let is_answered = written != pending.written_before || now - pending.at > PENDING_TIMEOUT;
        if is_answered && !is_held {
            self.memory.pending.remove(&path);
            return written;
        }
        Some(pending.typed.clone())
    }

    /// Requests the value of a changed widget. A live key follows a slider while it is dragged; any other is requested
    /// on release, since each edit restarts the simulation.
    pub fn change(
        &mut self,
        ui: &Ui,
        section: &KnobSection<'_>,
        local: &str,
        typed: String,
        is_live: bool,
        by: &Response,
    ) {
        if by.changed() {
            let (path, written_before) = (format!("{}.{local}", section.path()), section.toml.written(local));
            let at = ui.input(|input| input.time);
            ui.ctx().request_repaint_after(Duration::from_secs_f64(PENDING_TIMEOUT + 0.1));
            let is_sent = is_live || !by.dragged();
            self.memory
                .pending
                .insert(path.clone(), Pending { typed: typed.clone(), written_before, at, is_sent });
            if is_sent {
                self.begin_undo_group(by);
                self.requests.push(Request::Edit(Edit::set(format!("{path}={typed}"))));
            }
        }
        if by.drag_stopped() {
            self.submit(&format!("{}.{local}", section.path()));
            self.memory.dragged = None;
        }
    }

    /// Requests a value at once.
    pub fn set(&mut self, path: &str, typed: &str) {
        self.request_edit(Edit::set(format!("{path}={typed}")));
    }

    /// Requests the removal of a key or a section.
    pub fn remove(&mut self, path: &str) {
        self.request_edit(Edit::remove(path));
    }

    fn request_edit(&mut self, edit: Edit) {
        self.requests.extend([Request::BeginUndoGroup, Request::Edit(edit)]);
    }

    fn begin_undo_group(&mut self, by: &Response) {
        if !by.dragged() || self.memory.dragged != Some(by.id) {
            self.requests.push(Request::BeginUndoGroup);
        }
        self.memory.dragged = by.dragged().then_some(by.id);
    }

    /// Requests a value that waited for the release of its slider.
    fn submit(&mut self, path: &str) {
        let waiting = self.memory.pending.get_mut(path).filter(|pending| !pending.is_sent);
        if let Some(pending) = waiting {
            pending.is_sent = true;
            let typed = pending.typed.clone();
            self.set(path, &typed);
        }
    }
}
