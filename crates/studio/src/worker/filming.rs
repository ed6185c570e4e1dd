//! Films of what was done by hand: the scene is run once more, from its first frame, as `undine run` does it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

use undine::scene::Edit;
use undine::sim::Outcome;
use undine::{OutputPolicy, Plan, Progress, RunSettings, Watcher, run_plan};

use super::thread::WorkerMessage;
use crate::export::leave_out_paths;
use crate::news::MessageKind;
use crate::order::Source;
use crate::session::read_scene;

/// A film in the making.
pub(super) struct Filming {
    is_stopped: Arc<AtomicBool>,
}

impl Filming {
    /// Starts to film a scene into a folder, up to its end or to `frame`, whichever is later.
    pub fn start(
        scene: Source,
        frame: u64,
        to: PathBuf,
        is_preview: bool,
        messages: Sender<WorkerMessage>,
    ) -> Option<Filming> {
        let is_stopped = Arc::new(AtomicBool::new(false));
        let mut progress = FilmProgress { messages: messages.clone(), is_stopped: is_stopped.clone() };
        let work = move || {
            let said = match film(&scene, frame, to, is_preview, &mut progress) {
                Ok(text) => (MessageKind::Note, text),
                Err(text) => (MessageKind::Error, text),
            };
            progress.post(WorkerMessage::Note(said.0, said.1));
            progress.post(WorkerMessage::Progress(None));
        };
        match std::thread::Builder::new().name(String::from("film")).spawn(work) {
            Ok(_) => Some(Filming { is_stopped }),
            Err(error) => {
                let _ = messages.send(WorkerMessage::Note(MessageKind::Error, error.to_string()));
                None
            }
        }
    }

    /// Asks it to stop after the present frame.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }
}

fn film(
    source: &Source,
    frame: u64,
    to: PathBuf,
    is_preview: bool,
    progress: &mut FilmProgress,
) -> Result<String, String> {
    let told = |errors: undine::SceneErrors| errors.to_string();
    let mut scene = read_scene(source).map_err(told)?;
    if frame + 1 > scene.frame_count() {
        let duration = frame as f64 / scene.fps;
        scene = scene.edited(&Edit::set(format!("scene.duration={duration:?}"))).map_err(told)?;
    }
    let mut plan = Plan::new(scene, undine::available_memory()).map_err(told)?;
    if is_preview {
        leave_out_paths(&mut plan.pictures);
    }
    let settings = RunSettings { policy: OutputPolicy::Overwrite, ..RunSettings::new(to) };
    let done = run_plan(plan, &settings, progress).map_err(|error| error.to_string())?;
    match (done.outcome, done.films.first()) {
        (Outcome::Stopped { frame }, _) => Ok(format!("the film was stopped after frame {frame}")),
        (_, Some(film)) => Ok(format!("the film is {}", film.display())),
        (_, None) => Ok(format!("everything is in {}", settings.out.display())),
    }
}

/// Tells the window how far the film is.
struct FilmProgress {
    messages: Sender<WorkerMessage>,
    is_stopped: Arc<AtomicBool>,
}

impl FilmProgress {
    fn post(&self, message: WorkerMessage) {
        // A window that has been closed needs no news
        let _ = self.messages.send(message);
    }
}

impl Watcher for FilmProgress {
    fn frame(&mut self, progress: &Progress) {
        let share = progress.frame as f32 / progress.frames.max(1) as f32;
        let text = format!("film: frame {} of {}", progress.frame, progress.frames);
        self.post(WorkerMessage::Progress(Some((text, share))));
    }

    fn film(&mut self, done: usize, total: usize) {
        let share = done as f32 / total.max(1) as f32;
        self.post(WorkerMessage::Progress(Some((String::from("film: encoding"), share))));
    }

    fn note(&mut self, text: &str) {
        self.post(WorkerMessage::Note(MessageKind::Note, text.to_owned()));
    }

    fn should_stop(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }
}
