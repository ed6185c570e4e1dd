//! Films of a session: runs its script from the first frame into a run folder, as `undine run` does.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

use undine::scene::Edit;
use undine::sim::Outcome;
use undine::{OutputPolicy, Plan, ProgressReporter, RunProgress, RunSettings, run_plan};

use super::thread::WorkerMessage;
use crate::export::replace_traced_by_preview;
use crate::request::SceneSource;
use crate::session::read_scene;
use crate::update::MessageKind;

/// A film in progress, on a thread of its own.
pub(super) struct FilmJob {
    is_stopped: Arc<AtomicBool>,
}

impl FilmJob {
    /// Starts a film of a scene into a folder, up to its end or to `frame`, whichever is later.
    pub fn start(
        scene: SceneSource,
        frame: u64,
        to: PathBuf,
        is_preview: bool,
        messages: Sender<WorkerMessage>,
    ) -> Option<FilmJob> {
        let is_stopped = Arc::new(AtomicBool::new(false));
        let mut progress = FilmProgress { messages: messages.clone(), is_stopped: is_stopped.clone() };
        let work = move || {
            let (kind, text) = match film(&scene, frame, to, is_preview, &mut progress) {
                Ok(text) => (MessageKind::Note, text),
                Err(text) => (MessageKind::Error, text),
            };
            progress.post(WorkerMessage::Note(kind, text));
            progress.post(WorkerMessage::Progress(None));
        };
        match std::thread::Builder::new().name(String::from("film")).spawn(work) {
            Ok(_) => Some(FilmJob { is_stopped }),
            Err(error) => {
                let _ = messages.send(WorkerMessage::Note(MessageKind::Error, error.to_string()));
                None
            }
        }
    }

    /// Stops it after the current frame.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }
}

fn film(
    source: &SceneSource,
    frame: u64,
    to: PathBuf,
    is_preview: bool,
    progress: &mut FilmProgress,
) -> Result<String, String> {
    let to_text = |errors: undine::SceneErrors| errors.to_string();
    let mut scene = read_scene(source).map_err(to_text)?;
    if frame + 1 > scene.frame_count() {
        let duration = frame as f64 / scene.fps;
        scene = scene.edited(&Edit::set(format!("scene.duration={duration:?}"))).map_err(to_text)?;
    }
    let mut plan = Plan::new(scene, undine::available_memory()).map_err(to_text)?;
    if is_preview {
        replace_traced_by_preview(&mut plan.pictures);
    } else {
        plan.trace_open_pictures();
    }
    let settings = RunSettings { policy: OutputPolicy::Overwrite, ..RunSettings::new(to) };
    let done = run_plan(plan, &settings, progress).map_err(|error| error.to_string())?;
    match (done.outcome, done.films.first()) {
        (Outcome::Stopped { frame }, _) => Ok(format!("the film was stopped after frame {frame}")),
        (_, Some(film)) => Ok(format!("the film is {}", film.display())),
        (_, None) => Ok(format!("everything is in {}", settings.out.display())),
    }
}

/// Reports the progress of a film to the worker.
struct FilmProgress {
    messages: Sender<WorkerMessage>,
    is_stopped: Arc<AtomicBool>,
}

impl FilmProgress {
    fn post(&self, message: WorkerMessage) {
        // Sending fails only when the window has been closed
        let _ = self.messages.send(message);
    }
}

impl ProgressReporter for FilmProgress {
    fn frame(&mut self, progress: &RunProgress) {
        let fraction = progress.frame as f32 / progress.frames.max(1) as f32;
        let text = format!("film: frame {} of {}", progress.frame, progress.frames);
        self.post(WorkerMessage::Progress(Some((text, fraction))));
    }

    fn film(&mut self, done: usize, total: usize) {
        let fraction = done as f32 / total.max(1) as f32;
        self.post(WorkerMessage::Progress(Some((String::from("film: encoding"), fraction))));
    }

    fn note(&mut self, text: &str) {
        self.post(WorkerMessage::Note(MessageKind::Note, text.to_owned()));
    }

    fn should_stop(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }
}
