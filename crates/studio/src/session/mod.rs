//! The water under the hand: a scene in motion, alone or beside another model, with everything that was done to it.
//!
//! A session knows nothing of windows. It takes [`Order`]s, goes on by slices of time, and tells [`News`].

mod coarsen;
mod open;
mod run;
mod show;
mod strokes;

use std::sync::Arc;

use undine::FrameRequest;
use undine::render::Picture;
use undine::scene::{Edit, Place, Scene, SceneErrors};
use undine::sim::{ActionError, ActionKind, Snapshot, Stopwatch, offered_fields};

use crate::news::{Message, MessageKind, News, Opened};
use crate::order::{CpuRender, Order, Source, Wanted};
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use open::read as read_scene;
use run::Run;
use strokes::Strokes;

/// Seconds that the clock may be ahead of the water before it waits for it: while one slow picture is drawn, the water
/// keeps up.
const LONGEST_LAG: f64 = 0.25;

/// A scene in motion, and the hand in it.
pub struct Session {
    source: Option<Source>,
    runs: Vec<Run>,
    compared_model: Option<&'static str>,
    strokes: Strokes,
    wanted: Wanted,
    is_playing: bool,
    speed: f64,
    /// Frames that the clock has made due.
    due: f64,
    clock: Stopwatch,
    /// Bytes of memory that waters may use.
    memory: Option<u64>,
    message: Option<Message>,
    messages: u64,
    opened: Option<Arc<Opened>>,
    /// The script as it was last told, and how much had been done then.
    script: (Arc<str>, usize),
    number: u64,
    is_changed: bool,
}

impl Session {
    /// A session without a scene. `memory` is what waters may use in bytes.
    pub fn new(memory: Option<u64>) -> Session {
        Session {
            source: None,
            runs: Vec::new(),
            compared_model: None,
            strokes: Strokes::default(),
            wanted: Wanted::surfaces(),
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

    /// Whether orders that act on the water can be done now, or must wait for the end of a frame.
    pub fn is_at_frame(&self) -> bool {
        self.runs.iter().all(|run| run.runner.is_at_frame())
    }

    /// Does what is asked.
    pub fn obey(&mut self, order: Order) {
        self.is_changed = true;
        match order {
            Order::Open(source) => self.open(source),
            Order::Play(is_playing) => self.play(is_playing),
            Order::Step => {
                self.play(false);
                self.finish_frame();
            }
            Order::Reset => self.restart(None, "begun again"),
            Order::Replay => self.replay(),
            Order::Speed(speed) => self.speed = if speed > 0.0 { speed } else { 1.0 },
            Order::Act(kind) => self.act(kind),
            Order::BeginStroke => self.strokes.lift(),
            Order::Change(edit) => self.change(std::slice::from_ref(&edit)),
            Order::ChangeAll(edits) => self.change(&edits),
            Order::Undo => self.travel(Strokes::undo, "there is nothing to take back"),
            Order::Redo => self.travel(Strokes::redo, "there is nothing to do again"),
            Order::Compare(model) => self.compare(model.as_deref()),
            Order::Want(wanted) => self.wanted = wanted,
            // Files are the worker's business
            Order::SaveScene(_) | Order::Export(_) | Order::StopExport => {}
        }
    }

    /// Whether a frame is due now. While none is, [`Session::seconds_until_due`] tells how long nothing will be.
    pub fn is_due(&mut self) -> bool {
        let elapsed = std::mem::replace(&mut self.clock, Stopwatch::start()).seconds();
        let Some(run) = self.runs.first().filter(|_| self.is_playing) else { return false };
        let rate = run.runner.scene().fps * self.speed;
        let most = (LONGEST_LAG * rate).max(2.0);
        // Water that goes as fast as it can is always behind
        self.due = if rate.is_finite() { (self.due + elapsed * rate).min(most) } else { 2.0 };
        self.due >= 1.0 || !self.is_at_frame()
    }

    /// Seconds until the next frame is due; `None` when the water stands still.
    pub fn seconds_until_due(&self) -> Option<f64> {
        let run = self.runs.first().filter(|_| self.is_playing)?;
        Some((1.0 - self.due).max(0.0) / (run.runner.scene().fps * self.speed))
    }

    /// Takes one step of every run on the way to the next frame; true when all have reached it.
    pub fn step(&mut self) -> bool {
        let measures_divergence = self.wanted.has_divergence;
        // A run that has reached the frame waits for the other
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
            self.say(MessageKind::Error, format!("{reason}. Take back the last change, or begin again."));
            return true;
        }
        let is_reached = self.runs.iter().all(|run| run.runner.frame() > frame) && self.is_at_frame();
        if is_reached {
            self.due = (self.due - 1.0).max(0.0);
            self.is_changed = true;
            self.pause_at_end();
        }
        // What a script does may bring fields and things that were not there
        if self.actions() != actions_before {
            self.look_again();
        }
        is_reached
    }

    /// What is around the session has changed, and the window should hear of it.
    pub fn touch(&mut self) {
        self.is_changed = true;
    }

    /// Whether there is news since it was last told.
    pub fn has_news(&self) -> bool {
        self.is_changed
    }

    /// Everything that the window should know.
    pub fn news(&mut self) -> News {
        self.is_changed = false;
        self.number += 1;
        let actions = self.actions();
        if self.script.1 != actions + 1 {
            let script = self.runs.first().map_or_else(String::new, |run| run.runner.script());
            self.script = (Arc::from(script), actions + 1);
        }
        let (undo, redo) = self.strokes.counts();
        News {
            number: self.number,
            open: self.opened.clone(),
            frames: self.runs.iter().map(|run| Arc::new(show::shown(run, &self.wanted.frame))).collect(),
            pictures: self.wanted.pictures.iter().map(|request| self.picture(request)).collect(),
            runs: self.runs.iter().map(Run::news).collect(),
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

    /// How many actions have been done to the water.
    fn actions(&self) -> usize {
        self.runs.first().map_or(0, |run| run.runner.actions_done())
    }

    /// A picture drawn by the processor, with the scene's own look.
    fn picture(&self, request: &CpuRender) -> Option<Arc<Picture>> {
        let run = self.runs.get(request.run)?;
        show::picture(run, request).map(Arc::new)
    }

    /// The scene file that does everything again, and the frame that has been reached.
    pub fn script(&self) -> Option<(String, u64)> {
        self.runs.first().map(|run| (run.runner.script(), run.runner.frame()))
    }

    /// Where the open scene came from.
    pub fn source(&self) -> Option<&Source> {
        self.source.as_ref()
    }

    /// Everything of the present frame, for pictures and files.
    pub fn frame(&self) -> Option<undine::Frame> {
        let run = self.runs.first()?;
        Some(undine::capture(&run.runner, &FrameRequest::ALL, &run.tessellation))
    }

    /// The scene as it is now.
    pub fn scene(&self) -> Option<&Scene> {
        self.runs.first().map(|run| run.runner.scene())
    }

    /// Says something to the person.
    pub fn say(&mut self, kind: MessageKind, text: impl Into<String>) {
        self.tell(kind, text.into(), Vec::new());
    }

    fn tell(&mut self, kind: MessageKind, text: String, places: Vec<(Place, String)>) {
        self.messages += 1;
        self.is_changed = true;
        self.message = Some(Message { number: self.messages, kind, text, places });
    }

    fn complain(&mut self, errors: &SceneErrors) {
        let placed = |problem: &undine::scene::Problem| {
            let text = if problem.remedy.is_empty() {
                problem.message.clone()
            } else {
                format!("{}; {}", problem.message, problem.remedy)
            };
            problem.place.clone().map(|place| (place, text))
        };
        let places = errors.iter().filter_map(placed).collect();
        self.tell(MessageKind::Error, errors.to_string(), places);
    }

    fn play(&mut self, is_playing: bool) {
        self.is_playing = is_playing;
        self.due = 0.0;
        self.clock = Stopwatch::start();
    }

    fn finish_frame(&mut self) {
        while !self.runs.is_empty() && !self.step() {}
    }

    /// A scene goes on for as long as it is watched; its own end is only where its film ends.
    fn pause_at_end(&mut self) {
        let Some(run) = self.runs.first() else { return };
        if run.runner.frame() + 1 == run.runner.frame_count() {
            self.say(MessageKind::Note, "the film of this scene ends here; the water goes on");
        }
    }

    fn open(&mut self, source: Source) {
        let made = open::read(&source).and_then(|scene| {
            let (scene, note) = coarsen::coarsened(scene);
            Ok((Run::new(&scene, self.memory)?, note))
        });
        match made {
            Ok((run, note)) => {
                self.source = Some(source);
                self.compared_model = None;
                self.strokes = Strokes::default();
                self.start(vec![run]);
                let remarks = note.into_iter().chain(self.warnings()).collect::<Vec<_>>().join("\n");
                match remarks.is_empty() {
                    true => self.message = None,
                    false => self.say(MessageKind::Warning, remarks),
                }
            }
            Err(errors) => self.complain(&errors),
        }
    }

    fn warnings(&self) -> Vec<String> {
        let waters = self.runs.iter().flat_map(|run| run.runner.waters());
        waters.flat_map(|water| water.warnings.iter().map(ToString::to_string)).collect()
    }

    /// Puts runs in place of the present ones.
    fn start(&mut self, runs: Vec<Run>) {
        self.runs = runs;
        self.due = 0.0;
        self.clock = Stopwatch::start();
        self.script.1 = 0;
        self.look_again();
    }

    /// Tells the scene and its fields anew.
    fn look_again(&mut self) {
        self.is_changed = true;
        self.script.1 = 0;
        let (Some(source), Some(run)) = (&self.source, self.runs.first()) else { return };
        let scene = run.runner.scene();
        self.opened = Some(Arc::new(Opened {
            source: source.clone(),
            scene: scene.clone(),
            readers: undine::models::section_readers(scene),
            fields: offered_fields(&run.runner),
            has_surface: show::has_surface(&run.runner),
            comparable_models: open::comparable_models(scene),
            compared_model: self.compared_model,
        }));
    }

    fn act(&mut self, kind: ActionKind) {
        let what = String::from("hand");
        let is_new = !self.strokes.goes_on(&what);
        if is_new && !self.keep_snapshot(what) {
            return;
        }
        let is_change = matches!(kind, ActionKind::Edit(_));
        match self.act_on_all(&kind) {
            Ok(()) if is_change => self.look_again(),
            Ok(()) => {}
            Err(ActionError::Wrong(errors)) => self.complain(&errors),
            Err(error) => {
                if is_new {
                    self.strokes.forget_last();
                }
                self.say(MessageKind::Warning, error.to_string());
            }
        }
    }

    /// Does the same to every run; one that has no answer is no hindrance while another has.
    fn act_on_all(&mut self, kind: &ActionKind) -> Result<(), ActionError> {
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

    fn keep_snapshot(&mut self, what: String) -> bool {
        match self.snapshots() {
            Ok(snapshots) => {
                self.strokes.begin(snapshots, Some(what));
                true
            }
            Err(error) => {
                self.say(MessageKind::Error, format!("the water cannot be kept: {error}"));
                false
            }
        }
    }

    fn snapshots(&self) -> std::io::Result<Vec<Snapshot>> {
        self.runs.iter().map(|run| run.runner.snapshot()).collect()
    }

    /// Changes the scene, while it runs if that can be.
    fn change(&mut self, edits: &[Edit]) {
        if self.runs.is_empty() {
            return;
        }
        let what = edits
            .iter()
            .flat_map(|edit| edit.paths())
            .map(|path| path.join("."))
            .collect::<Vec<_>>()
            .join(" ");
        let is_new = !self.strokes.goes_on(&what);
        if is_new && !self.keep_snapshot(what) {
            return;
        }
        for edit in edits {
            match self.act_on_all(&ActionKind::Edit(edit.clone())) {
                Ok(()) => {}
                Err(ActionError::NeedsRestart { what, reason }) => {
                    self.strokes.forget_last();
                    return self.restart(
                        Some(edits),
                        &format!("begun again: {what} cannot change while it runs, {reason}"),
                    );
                }
                Err(ActionError::Wrong(errors)) => {
                    self.strokes.forget_last();
                    return self.complain(&errors);
                }
                Err(error) => return self.say(MessageKind::Error, error.to_string()),
            }
        }
        self.look_again();
    }

    /// Begins the scene again as it is now, with some changes and without what was done to its water.
    fn restart(&mut self, edits: Option<&[Edit]>, why: &str) {
        let Some(scene) = self.scene().cloned() else { return };
        let mut changed = scene.edited(&Edit::remove("act")).unwrap_or(scene);
        for edit in edits.unwrap_or_default() {
            changed = match changed.edited(edit) {
                Ok(changed) => changed,
                Err(errors) => return self.complain(&errors),
            };
        }
        self.begin(&changed, why);
    }

    /// Begins the scene again as it was opened, and does everything again that was done to it.
    fn replay(&mut self) {
        let Some((script, _)) = self.script() else { return };
        let name = self.source.as_ref().map(Source::name).unwrap_or_default();
        let text = Source::Text { name, text: script, beside: self.source.clone().map(Box::new) };
        match open::read(&text) {
            Ok(scene) => self.begin(&scene, "everything is done again"),
            Err(errors) => self.complain(&errors),
        }
    }

    fn begin(&mut self, scene: &Scene, why: &str) {
        let compared_model = self.compared_model;
        let made = Run::new(scene, self.memory).and_then(|first| {
            let second = compared_model
                .map(|kind| open::with_model(scene, kind).and_then(|other| Run::new(&other, self.memory)));
            Ok(std::iter::once(first).chain(second.transpose()?).collect())
        });
        match made {
            Ok(runs) => {
                self.strokes = Strokes::default();
                self.start(runs);
                self.say(MessageKind::Note, why);
            }
            Err(errors) => self.complain(&errors),
        }
    }

    /// Takes back or does again.
    fn travel(&mut self, choose: fn(&mut Strokes, Vec<Snapshot>) -> Option<Vec<Snapshot>>, otherwise: &str) {
        let now = match self.snapshots() {
            Ok(now) => now,
            Err(error) => return self.say(MessageKind::Error, error.to_string()),
        };
        let Some(snapshots) = choose(&mut self.strokes, now) else {
            return self.say(MessageKind::Note, otherwise);
        };
        for (run, snapshot) in self.runs.iter_mut().zip(&snapshots) {
            if let Err(error) = run.runner.restore_snapshot(snapshot) {
                self.tell(MessageKind::Error, format!("the water cannot return: {error}"), Vec::new());
                break;
            }
            run.forget_later();
        }
        self.look_again();
    }

    /// Runs another model on the same scene from the start, beside the first; or no longer.
    fn compare(&mut self, model: Option<&str>) {
        let Some(scene) = self.scene().cloned() else { return };
        self.compared_model =
            model.and_then(|name| open::comparable_models(&scene).into_iter().find(|known| *known == name));
        match self.compared_model {
            Some(_) => self.restart(None, "both begin again, side by side"),
            None => {
                self.runs.truncate(1);
                self.strokes = Strokes::default();
                self.look_again();
            }
        }
    }
}

#[cfg(test)]
mod tests;
