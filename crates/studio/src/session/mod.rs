//! A session: the runs of the open scene, one or two models side by side, with undo and redo of interactive actions.
//!
//! It does not depend on a window: it handles [`Request`]s, advances by steps, and reports a [`SessionUpdate`].

mod capture;
mod coarsen;
mod open;
mod run;
mod undo;

use std::sync::Arc;

use undine::FrameRequest;
use undine::scene::{Edit, Scene, SceneErrors, SourceLocation};
use undine::sim::{ActionError, ActionKind, Snapshot, Stopwatch, offered_fields};

use crate::request::{CpuRender, DisplayRequest, Request, SceneSource};
use crate::update::{CpuPicture, Message, MessageKind, OpenScene, SessionUpdate};
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use open::read as read_scene;
use run::SceneRun;
use undo::UndoStack;

/// Seconds by which the simulation may lag behind the wall clock and still catch up, as after one slow picture.
const MAX_LAG: f64 = 0.25;

/// The open scene, its runs, and the state of playback and undo.
pub struct Session {
    source: Option<SceneSource>,
    runs: Vec<SceneRun>,
    compared_model: Option<&'static str>,
    undo_stack: UndoStack,
    display: DisplayRequest,
    is_playing: bool,
    speed: f64,
    /// Frames that are due by the wall clock and not yet computed.
    due: f64,
    clock: Stopwatch,
    /// Memory limit of the waters in bytes.
    memory: Option<u64>,
    message: Option<Message>,
    messages: u64,
    opened: Option<Arc<OpenScene>>,
    /// The last script that was reported, and one more than the number of actions in it; 0 if it is out of date.
    script: (Arc<str>, usize),
    number: u64,
    is_changed: bool,
}

impl Session {
    /// A session without a scene. `memory` is the limit of the waters in bytes.
    pub fn new(memory: Option<u64>) -> Session {
        Session {
            source: None,
            runs: Vec::new(),
            compared_model: None,
            undo_stack: UndoStack::default(),
            display: DisplayRequest::surfaces(),
            is_playing: true,
            speed: 1.0,
            due: 0.0,
            clock: Stopwatch::start(),
            memory,
            message: None,
            messages: 0,
            opened: None,
            script: (Arc::from(""), 0),
            number: 0,
            is_changed: true,
        }
    }

    /// Whether all runs stand at a frame; actions are applied only then.
    pub fn is_at_frame(&self) -> bool {
        self.runs.iter().all(|run| run.runner.is_at_frame())
    }

    /// Carries out a request.
    pub fn handle(&mut self, request: Request) {
        self.is_changed = true;
        match request {
            Request::Open(source) => self.open(source),
            Request::Play(is_playing) => self.play(is_playing),
            Request::Step => {
                self.play(false);
                self.finish_frame();
            }
            Request::Reset => self.restart(None, "restarted"),
            Request::Replay => self.replay(),
            Request::Speed(speed) => self.speed = if speed > 0.0 { speed } else { 1.0 },
            Request::Apply(kind) => self.apply(kind),
            Request::BeginUndoGroup => self.undo_stack.close_group(),
            Request::Edit(edit) => self.edit(std::slice::from_ref(&edit)),
            Request::EditAll(edits) => self.edit(&edits),
            Request::Undo => self.undo_or_redo(UndoStack::undo, "nothing to undo"),
            Request::Redo => self.undo_or_redo(UndoStack::redo, "nothing to redo"),
            Request::Compare(compared_model) => self.compare(compared_model.as_deref()),
            Request::Display(display) => self.display = display,
            // The worker writes files
            Request::SaveScene(_) | Request::Export(_) | Request::StopExport => {}
        }
    }

    /// Whether a frame is due by the wall clock; see [`Session::seconds_until_due`].
    pub fn is_due(&mut self) -> bool {
        let elapsed = std::mem::replace(&mut self.clock, Stopwatch::start()).seconds();
        let Some(run) = self.runs.first().filter(|_| self.is_playing) else { return false };
        let rate = run.runner.scene().fps * self.speed;
        let most = (MAX_LAG * rate).max(2.0);
        // Without a speed limit a frame is always due
        self.due = if rate.is_finite() { (self.due + elapsed * rate).min(most) } else { 2.0 };
        self.due >= 1.0 || !self.is_at_frame()
    }

    /// Seconds until the next frame is due; `None` while paused.
    pub fn seconds_until_due(&self) -> Option<f64> {
        let run = self.runs.first().filter(|_| self.is_playing)?;
        Some((1.0 - self.due).max(0.0) / (run.runner.scene().fps * self.speed))
    }

    /// Takes one time step of every run towards the next frame; true when all have reached it.
    pub fn step(&mut self) -> bool {
        let measures_divergence = self.display.has_divergence;
        // A run that has reached the frame waits for the other one
        let frame = self.runs.iter().map(|run| run.runner.frame()).min().unwrap_or(0);
        let actions_before = self.actions();
        let mut failure = None;
        for run in self.runs.iter_mut().filter(|run| run.runner.frame() == frame) {
            if let Err(error) = run.step(measures_divergence) {
                failure = Some(error.to_string());
            }
        }
        if let Some(reason) = failure {
            self.play(false);
            self.notify(MessageKind::Error, format!("{reason}. Undo the last change, or restart."));
            return true;
        }
        let is_reached = self.runs.iter().all(|run| run.runner.frame() > frame) && self.is_at_frame();
        if is_reached {
            self.due = (self.due - 1.0).max(0.0);
            self.is_changed = true;
            self.note_end();
        }
        // An [[act]] of the scene may add fields and items
        if self.actions() != actions_before {
            self.refresh_open_scene();
        }
        is_reached
    }

    /// Makes the worker send an update although the session itself has not changed.
    pub fn mark_changed(&mut self) {
        self.is_changed = true;
    }

    /// Whether anything has changed since the last update.
    pub fn has_update(&self) -> bool {
        self.is_changed
    }

    /// Captures and renders what the panes show, and collects the statistics of the runs.
    pub fn update(&mut self) -> SessionUpdate {
        self.is_changed = false;
        self.number += 1;
        let actions = self.actions();
        if self.script.1 != actions + 1 {
            let script = self.runs.first().map_or_else(String::new, |run| run.runner.script());
            self.script = (Arc::from(script), actions + 1);
        }
        let (undo, redo) = self.undo_stack.counts();
        SessionUpdate {
            number: self.number,
            open: self.opened.clone(),
            frames: self
                .runs
                .iter()
                .map(|run| Arc::new(capture::capture_frame(run, &self.display.frame)))
                .collect(),
            pictures: self.display.pictures.iter().filter_map(|request| self.picture(request)).collect(),
            runs: self.runs.iter().map(SceneRun::status).collect(),
            is_playing: self.is_playing,
            speed: self.speed,
            actions,
            undo,
            redo,
            message: self.message.clone(),
            export: None,
            script: self.script.0.clone(),
        }
    }

    /// Actions applied so far, by the user or by the scene file.
    fn actions(&self) -> usize {
        self.runs.first().map_or(0, |run| run.runner.actions_done())
    }

    /// A picture rendered on the CPU, as the scene describes it.
    fn picture(&self, cpu_render: &CpuRender) -> Option<CpuPicture> {
        capture::render_picture(self.runs.get(cpu_render.run)?, cpu_render)
    }

    /// The scene file including all actions so far, and the current frame.
    pub fn script(&self) -> Option<(String, u64)> {
        self.runs.first().map(|run| (run.runner.script(), run.runner.frame()))
    }

    /// Where the open scene came from.
    pub fn source(&self) -> Option<&SceneSource> {
        self.source.as_ref()
    }

    /// The current frame with all its parts, for exports.
    pub fn frame(&self) -> Option<undine::Frame> {
        let run = self.runs.first()?;
        Some(undine::capture(&run.runner, &FrameRequest::ALL, &run.tessellation))
    }

    /// The scene including all edits.
    pub fn scene(&self) -> Option<&Scene> {
        self.runs.first().map(|run| run.runner.scene())
    }

    /// Posts a message to the user.
    pub fn notify(&mut self, kind: MessageKind, text: impl Into<String>) {
        self.post(kind, text.into(), Vec::new());
    }

    fn post(&mut self, kind: MessageKind, text: String, places: Vec<(SourceLocation, String)>) {
        self.messages += 1;
        self.is_changed = true;
        self.message = Some(Message { number: self.messages, kind, text, places });
    }

    fn report_errors(&mut self, errors: &SceneErrors) {
        let placed = |problem: &undine::scene::Problem| {
            let text = if problem.remedy.is_empty() {
                problem.message.clone()
            } else {
                format!("{}; {}", problem.message, problem.remedy)
            };
            problem.place.clone().map(|place| (place, text))
        };
        let places = errors.iter().filter_map(placed).collect();
        self.post(MessageKind::Error, errors.to_string(), places);
    }

    fn play(&mut self, is_playing: bool) {
        self.is_playing = is_playing;
        self.due = 0.0;
        self.clock = Stopwatch::start();
    }

    fn finish_frame(&mut self) {
        while !self.runs.is_empty() && !self.step() {}
    }

    /// Playback continues past the duration of the scene, at which its film ends; a message says so.
    fn note_end(&mut self) {
        let Some(run) = self.runs.first() else { return };
        if run.runner.frame() + 1 == run.runner.frame_count() {
            self.notify(MessageKind::Note, "the film of this scene ends here; the simulation continues");
        }
    }

    fn open(&mut self, source: SceneSource) {
        let made = open::read(&source).and_then(|scene| {
            let (scene, note) = coarsen::coarsened(scene);
            Ok((SceneRun::new(&scene, self.memory)?, note))
        });
        match made {
            Ok((run, note)) => {
                self.source = Some(source);
                self.compared_model = None;
                self.undo_stack = UndoStack::default();
                self.replace_runs(vec![run]);
                let remarks = note.into_iter().chain(self.warnings()).collect::<Vec<_>>().join("\n");
                match remarks.is_empty() {
                    true => self.message = None,
                    false => self.notify(MessageKind::Warning, remarks),
                }
            }
            Err(errors) => self.report_errors(&errors),
        }
    }

    fn warnings(&self) -> Vec<String> {
        let waters = self.runs.iter().flat_map(|run| run.runner.waters());
        waters.flat_map(|water| water.warnings.iter().map(ToString::to_string)).collect()
    }

    /// Replaces the runs.
    fn replace_runs(&mut self, runs: Vec<SceneRun>) {
        self.runs = runs;
        self.due = 0.0;
        self.clock = Stopwatch::start();
        self.script.1 = 0;
        self.refresh_open_scene();
    }

    /// Updates the description of the open scene: its text, fields and comparable models.
    fn refresh_open_scene(&mut self) {
        self.is_changed = true;
        self.script.1 = 0;
        let (Some(source), Some(run)) = (&self.source, self.runs.first()) else { return };
        let scene = run.runner.scene();
        self.opened = Some(Arc::new(OpenScene {
            source: source.clone(),
            scene: scene.clone(),
            readers: undine::models::section_readers(scene),
            fields: offered_fields(&run.runner),
            has_surface: capture::has_surface(&run.runner),
            comparable_models: open::comparable_models(scene),
            compared_model: self.compared_model,
        }));
    }

    fn apply(&mut self, kind: ActionKind) {
        let key = String::from("tool");
        let is_new = !self.undo_stack.joins(&key);
        if is_new && !self.keep_snapshot(key) {
            return;
        }
        let is_edit = matches!(kind, ActionKind::Edit(_));
        match self.apply_to_all(&kind) {
            Ok(()) if is_edit => self.refresh_open_scene(),
            Ok(()) => {}
            Err(ActionError::Wrong(errors)) => self.report_errors(&errors),
            Err(error) => {
                if is_new {
                    self.undo_stack.discard_last();
                }
                self.notify(MessageKind::Warning, error.to_string());
            }
        }
    }

    /// Applies an action to every run; it succeeds if at least one of them answers it.
    fn apply_to_all(&mut self, kind: &ActionKind) -> Result<(), ActionError> {
        let mut answered = Err(ActionError::NoAnswer);
        for run in &mut self.runs {
            match run.runner.apply_action(kind.clone()) {
                Ok(()) => {
                    run.measure();
                    answered = Ok(());
                }
                Err(ActionError::NoAnswer) => {}
                Err(error) => return Err(error),
            }
        }
        answered
    }

    /// Begins an undo group with a snapshot of all runs.
    fn keep_snapshot(&mut self, key: String) -> bool {
        match self.snapshots() {
            Ok(snapshots) => {
                self.undo_stack.begin(snapshots, Some(key));
                true
            }
            Err(error) => {
                self.notify(MessageKind::Error, format!("cannot take a snapshot for undo: {error}"));
                false
            }
        }
    }

    fn snapshots(&self) -> std::io::Result<Vec<Snapshot>> {
        self.runs.iter().map(|run| run.runner.snapshot()).collect()
    }

    /// Edits the scene while it runs; restarts it if a key is not live.
    fn edit(&mut self, edits: &[Edit]) {
        if self.runs.is_empty() {
            return;
        }
        // Edits of the same keys join one undo group
        let key = edits
            .iter()
            .flat_map(|edit| edit.paths())
            .map(|path| path.join("."))
            .collect::<Vec<_>>()
            .join(" ");
        let is_new = !self.undo_stack.joins(&key);
        if is_new && !self.keep_snapshot(key) {
            return;
        }
        // The first edit that needs a restart restarts the scene with all of them
        for edit in edits {
            match self.apply_to_all(&ActionKind::Edit(edit.clone())) {
                Ok(()) => {}
                Err(ActionError::NeedsRestart { what, reason }) => {
                    self.undo_stack.discard_last();
                    return self.restart(
                        Some(edits),
                        &format!("restarted: {what} cannot change while it runs, {reason}"),
                    );
                }
                Err(ActionError::Wrong(errors)) => {
                    self.undo_stack.discard_last();
                    return self.report_errors(&errors);
                }
                Err(error) => return self.notify(MessageKind::Error, error.to_string()),
            }
        }
        self.refresh_open_scene();
    }

    /// Restarts the scene with its edits and some more, without its actions.
    fn restart(&mut self, edits: Option<&[Edit]>, why: &str) {
        let Some(scene) = self.scene().cloned() else { return };
        let mut edited = scene.edited(&Edit::remove("act")).unwrap_or(scene);
        for edit in edits.unwrap_or_default() {
            edited = match edited.edited(edit) {
                Ok(edited) => edited,
                Err(errors) => return self.report_errors(&errors),
            };
        }
        self.restart_with(&edited, why);
    }

    /// Restarts the scene as it was opened and repeats all actions at their times.
    fn replay(&mut self) {
        let Some((script, _)) = self.script() else { return };
        let name = self.source.as_ref().map(SceneSource::name).unwrap_or_default();
        let text = SceneSource::Text { name, text: script, relative_to: self.source.clone().map(Box::new) };
        match open::read(&text) {
            Ok(scene) => self.restart_with(&scene, "restarted; all actions are repeated"),
            Err(errors) => self.report_errors(&errors),
        }
    }

    /// Builds the runs of a scene anew, with the compared model if there is one.
    fn restart_with(&mut self, scene: &Scene, why: &str) {
        let compared_model = self.compared_model;
        let made = SceneRun::new(scene, self.memory).and_then(|first| {
            let second = compared_model.map(|kind| {
                open::with_model(scene, kind).and_then(|other| SceneRun::new(&other, self.memory))
            });
            Ok(std::iter::once(first).chain(second.transpose()?).collect())
        });
        match made {
            Ok(runs) => {
                self.undo_stack = UndoStack::default();
                self.replace_runs(runs);
                self.notify(MessageKind::Note, why);
            }
            Err(errors) => self.report_errors(&errors),
        }
    }

    /// Restores the snapshot that `choose` pops from the undo or redo stack.
    fn undo_or_redo(
        &mut self,
        choose: fn(&mut UndoStack, Vec<Snapshot>) -> Option<Vec<Snapshot>>,
        otherwise: &str,
    ) {
        let now = match self.snapshots() {
            Ok(now) => now,
            Err(error) => return self.notify(MessageKind::Error, error.to_string()),
        };
        let Some(snapshots) = choose(&mut self.undo_stack, now) else {
            return self.notify(MessageKind::Note, otherwise);
        };
        for (run, snapshot) in self.runs.iter_mut().zip(&snapshots) {
            if let Err(error) = run.runner.restore_snapshot(snapshot) {
                self.post(MessageKind::Error, format!("cannot restore the snapshot: {error}"), Vec::new());
                break;
            }
            run.truncate_history();
        }
        self.refresh_open_scene();
    }

    /// Restarts the scene with another model beside the first, or drops that one.
    fn compare(&mut self, compared_model: Option<&str>) {
        let Some(scene) = self.scene().cloned() else { return };
        self.compared_model = compared_model
            .and_then(|name| open::comparable_models(&scene).into_iter().find(|known| *known == name));
        match self.compared_model {
            Some(_) => self.restart(None, "restarted with both models side by side"),
            None => {
                self.runs.truncate(1);
                self.undo_stack = UndoStack::default();
                self.refresh_open_scene();
            }
        }
    }
}

#[cfg(test)]
mod tests;
