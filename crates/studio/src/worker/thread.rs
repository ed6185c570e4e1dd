//! The session on a thread of its own, so that the window never waits for a time step.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use undine::export::ExportedFile;
use undine::frame::AtomicFile;

use super::film_job::FilmJob;
use crate::export;
use crate::request::{Export, Request, SceneSource};
use crate::session::Session;
use crate::update::{MessageKind, SessionUpdate};

/// Interval at which the thread checks whether the window has taken the last update.
const POLL_INTERVAL: Duration = Duration::from_millis(4);

/// A message to the worker thread.
pub(super) enum WorkerMessage {
    Request(Request),
    /// A message to the user, from a background thread.
    Note(MessageKind, String),
    /// Label and fraction done of a film; `None` when it is finished.
    Progress(Option<(String, f32)>),
}

/// Handle of the worker thread, held by the window.
pub struct Worker {
    messages: Sender<WorkerMessage>,
    latest: Arc<Mutex<Option<SessionUpdate>>>,
}

impl Worker {
    /// Starts a session; `wake` is called after every update.
    pub fn new(memory: Option<u64>, wake: impl Fn() + Send + 'static) -> Worker {
        let (messages, inbox) = channel();
        let latest = Arc::new(Mutex::new(None));
        let thread = WorkerThread {
            session: Session::new(memory),
            inbox,
            outbox: messages.clone(),
            latest: latest.clone(),
            wake: Box::new(wake),
            film_job: None,
            progress: None,
        };
        let started = std::thread::Builder::new().name(String::from("water")).spawn(move || thread.run());
        if let Err(error) = started {
            let text = format!("cannot start the simulation thread: {error}");
            let message =
                crate::update::Message { number: 1, kind: MessageKind::Error, text, places: Vec::new() };
            *lock(&latest) = Some(SessionUpdate { message: Some(message), ..SessionUpdate::default() });
        }
        Worker { messages, latest }
    }

    /// Sends a request.
    pub fn send(&mut self, request: Request) {
        // Sending fails only if the thread did not start, which has been reported
        let _ = self.messages.send(WorkerMessage::Request(request));
    }

    /// Takes the latest update, if there is a new one.
    pub fn take_update(&mut self) -> Option<SessionUpdate> {
        lock(&self.latest).take()
    }

    /// Does nothing: only the worker of a page needs time slices.
    pub fn tick(&mut self) {}
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The state of the worker thread.
struct WorkerThread {
    session: Session,
    inbox: Receiver<WorkerMessage>,
    outbox: Sender<WorkerMessage>,
    latest: Arc<Mutex<Option<SessionUpdate>>>,
    wake: Box<dyn Fn() + Send>,
    film_job: Option<FilmJob>,
    progress: Option<(String, f32)>,
}

impl WorkerThread {
    fn run(mut self) {
        while self.receive() {
            if self.session.is_due() {
                while !self.session.step() {}
            }
            self.publish();
        }
    }

    /// Handles all pending messages, waiting for one if no frame is due; false when the window has been closed.
    fn receive(&mut self) -> bool {
        let first = match self.max_wait() {
            None => self.inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(wait) => self.inbox.recv_timeout(wait),
        };
        match first {
            Ok(message) => self.handle(message),
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
        while let Ok(message) = self.inbox.try_recv() {
            self.handle(message);
        }
        true
    }

    /// How long to wait for a message: until the next frame is due, or one poll interval if an update is pending.
    fn max_wait(&self) -> Option<Duration> {
        let due = self.session.seconds_until_due().map(|seconds| Duration::from_secs_f64(seconds.min(1.0)));
        match (due, self.session.has_update()) {
            (Some(due), true) => Some(due.min(POLL_INTERVAL)),
            (Some(due), false) => Some(due),
            (None, true) => Some(POLL_INTERVAL),
            (None, false) => None,
        }
    }

    fn handle(&mut self, message: WorkerMessage) {
        match message {
            WorkerMessage::Request(Request::SaveScene(path)) => self.save_scene(&path),
            WorkerMessage::Request(Request::Export(export)) => self.export(export),
            WorkerMessage::Request(Request::StopExport) => self.film_job.iter().for_each(FilmJob::stop),
            WorkerMessage::Request(request) => self.session.handle(request),
            WorkerMessage::Note(kind, text) => self.session.notify(kind, text),
            WorkerMessage::Progress(progress) => {
                if progress.is_none() {
                    self.film_job = None;
                }
                self.progress = progress;
                self.session.mark_changed();
            }
        }
    }

    /// Publishes an update, replacing one that the window has not taken. While the simulation lags behind the wall clock,
    /// an untaken update is left alone: capturing another would cost time.
    fn publish(&mut self) {
        let is_behind = self.session.seconds_until_due().is_some_and(|seconds| seconds <= 0.0);
        if !self.session.has_update() || (is_behind && lock(&self.latest).is_some()) {
            return;
        }
        let update = SessionUpdate { export: self.progress.clone(), ..self.session.update() };
        *lock(&self.latest) = Some(update);
        (self.wake)();
    }

    fn save_scene(&mut self, path: &Path) {
        let Some((script, _)) = self.session.script() else { return };
        let (kind, text) =
            match AtomicFile::write_all_to(path, script.as_bytes()).and_then(|()| self.copy_files(path)) {
                Ok(()) => (MessageKind::Note, format!("saved as {}", path.display())),
                Err(error) => (MessageKind::Error, format!("cannot save {}: {error}", path.display())),
            };
        self.session.notify(kind, text);
    }

    /// Copies the files that a bundled scene refers to into the folder of the saved scene file.
    fn copy_files(&self, path: &Path) -> std::io::Result<()> {
        let mut source = self.session.source();
        while let Some(SceneSource::Text { relative_to: Some(origin), .. }) = source {
            source = Some(origin);
        }
        let Some(SceneSource::Bundled(name)) = source else { return Ok(()) };
        let bundled = undine::SCENES.iter().find(|bundled| bundled.name == name);
        let folder = path.parent().unwrap_or(Path::new(""));
        for (file, bytes) in bundled.into_iter().flat_map(|bundled| bundled.files) {
            let target = folder.join(file);
            if !target.exists() {
                AtomicFile::write_all_to(target, bytes)?;
            }
        }
        Ok(())
    }

    fn export(&mut self, export: Export) {
        let (Some(scene), Some(frame)) = (self.session.scene().cloned(), self.session.frame()) else {
            return;
        };
        match export {
            Export::Film { to, is_preview } => self.film(to, is_preview),
            Export::Still { to } => self.in_background(move || {
                export::still(&scene, &frame).and_then(|file| write(&to, &file)).map(|path| vec![path])
            }),
            Export::Frame { format, to } => self.in_background(move || {
                let files = export::frame_files(&scene, &frame, &format)?;
                files.iter().map(|file| write(&to.join(&file.name), file)).collect()
            }),
        }
    }

    /// Runs an export on a thread of its own and posts its result.
    fn in_background(&self, work: impl FnOnce() -> Result<Vec<PathBuf>, String> + Send + 'static) {
        let outbox = self.outbox.clone();
        let spawned = std::thread::Builder::new().spawn(move || {
            let result = match work() {
                Ok(paths) => {
                    let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
                    WorkerMessage::Note(MessageKind::Note, format!("written: {}", shown.join(", ")))
                }
                Err(error) => WorkerMessage::Note(MessageKind::Error, error),
            };
            let _ = outbox.send(result);
        });
        if let Err(error) = spawned {
            let _ = self.outbox.send(WorkerMessage::Note(MessageKind::Error, error.to_string()));
        }
    }

    fn film(&mut self, to: PathBuf, is_preview: bool) {
        if self.film_job.is_some() {
            return self.session.notify(MessageKind::Warning, "a film is already in progress");
        }
        let (Some((script, frame)), Some(source)) = (self.session.script(), self.session.source()) else {
            return;
        };
        let text = SceneSource::Text {
            name: source.name(),
            text: script,
            relative_to: Some(Box::new(source.clone())),
        };
        self.film_job = FilmJob::start(text, frame, to, is_preview, self.outbox.clone());
    }
}

/// Writes a file to a path; if that is a folder, into it under its own name.
fn write(path: &Path, file: &ExportedFile) -> Result<PathBuf, String> {
    let path = if path.is_dir() { path.join(&file.name) } else { path.to_owned() };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    }
    AtomicFile::write_all_to(&path, &file.bytes)
        .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    Ok(path)
}
