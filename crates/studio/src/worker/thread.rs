//! The session on a thread of its own: the window never waits for the water.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use undine::frame::AtomicFile;

use super::filming::Filming;
use crate::export::{self, Piece};
use crate::news::{MessageKind, News};
use crate::order::{Export, Order, Source};
use crate::session::Session;

/// How long the thread waits for the window to take the last news before it looks again.
const PATIENCE: Duration = Duration::from_millis(4);

/// What the thread is told.
pub(super) enum WorkerMessage {
    Order(Order),
    /// Something that another thread wants said.
    Note(MessageKind, String),
    /// How far a film is; `None` when it is done.
    Progress(Option<(String, f32)>),
}

/// The window's end of the session.
pub struct Worker {
    messages: Sender<WorkerMessage>,
    latest: Arc<Mutex<Option<News>>>,
}

impl Worker {
    /// Starts a session; `wake` is called whenever there is news.
    pub fn new(memory: Option<u64>, wake: impl Fn() + Send + 'static) -> Worker {
        let (messages, inbox) = channel();
        let latest = Arc::new(Mutex::new(None));
        let desk = Desk {
            session: Session::new(memory),
            inbox,
            outbox: messages.clone(),
            latest: latest.clone(),
            wake: Box::new(wake),
            filming: None,
            progress: None,
        };
        let started = std::thread::Builder::new().name(String::from("water")).spawn(move || desk.work());
        if let Err(error) = started {
            let text = format!("there is no thread for the water: {error}");
            let message =
                crate::news::Message { number: 1, kind: MessageKind::Error, text, places: Vec::new() };
            *lock(&latest) = Some(News { message: Some(message), ..News::default() });
        }
        Worker { messages, latest }
    }

    /// Gives an order.
    pub fn send(&mut self, order: Order) {
        // Without a thread there is nobody to obey; the window has been told.
        let _ = self.messages.send(WorkerMessage::Order(order));
    }

    /// The latest news, once.
    pub fn take_news(&mut self) -> Option<News> {
        lock(&self.latest).take()
    }

    /// A thread needs no slices.
    pub fn tick(&mut self) {}
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread's end.
struct Desk {
    session: Session,
    inbox: Receiver<WorkerMessage>,
    outbox: Sender<WorkerMessage>,
    latest: Arc<Mutex<Option<News>>>,
    wake: Box<dyn Fn() + Send>,
    filming: Option<Filming>,
    progress: Option<(String, f32)>,
}

impl Desk {
    fn work(mut self) {
        while self.read_messages() {
            if self.session.is_due() {
                while !self.session.step() {}
            }
            self.publish();
        }
    }

    /// Obeys what has come, waiting while nothing else is to be done; false when the window is gone.
    fn read_messages(&mut self) -> bool {
        let first = match self.longest_wait() {
            None => self.inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(wait) => self.inbox.recv_timeout(wait),
        };
        match first {
            Ok(message) => self.read(message),
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
        while let Ok(message) = self.inbox.try_recv() {
            self.read(message);
        }
        true
    }

    /// Until the next frame is due, or until the window should have taken the last news.
    fn longest_wait(&self) -> Option<Duration> {
        let due = self.session.seconds_until_due().map(|seconds| Duration::from_secs_f64(seconds.min(1.0)));
        match (due, self.session.has_news()) {
            (Some(due), true) => Some(due.min(PATIENCE)),
            (Some(due), false) => Some(due),
            (None, true) => Some(PATIENCE),
            (None, false) => None,
        }
    }

    fn read(&mut self, message: WorkerMessage) {
        match message {
            WorkerMessage::Order(Order::SaveScene(path)) => self.save_scene(&path),
            WorkerMessage::Order(Order::Export(export)) => self.export(export),
            WorkerMessage::Order(Order::StopExport) => self.filming.iter().for_each(Filming::stop),
            WorkerMessage::Order(order) => self.session.obey(order),
            WorkerMessage::Note(kind, text) => self.session.say(kind, text),
            WorkerMessage::Progress(progress) => {
                if progress.is_none() {
                    self.filming = None;
                }
                self.progress = progress;
                self.session.touch();
            }
        }
    }

    /// Tells the news, in place of any that the window has not yet taken; while the water is behind its clock, computing
    /// goes first.
    fn publish(&mut self) {
        let is_behind = self.session.seconds_until_due().is_some_and(|seconds| seconds <= 0.0);
        if !self.session.has_news() || (is_behind && lock(&self.latest).is_some()) {
            return;
        }
        let news = News { export: self.progress.clone(), ..self.session.news() };
        *lock(&self.latest) = Some(news);
        (self.wake)();
    }

    fn save_scene(&mut self, path: &Path) {
        let Some((script, _)) = self.session.script() else { return };
        let said =
            match AtomicFile::write_all_to(path, script.as_bytes()).and_then(|()| self.copy_files(path)) {
                Ok(()) => (MessageKind::Note, format!("saved as {}", path.display())),
                Err(error) => (MessageKind::Error, format!("cannot save {}: {error}", path.display())),
            };
        self.session.say(said.0, said.1);
    }

    /// Puts the files that a bundled scene names beside the scene file that was saved.
    fn copy_files(&self, path: &Path) -> std::io::Result<()> {
        let mut source = self.session.source();
        while let Some(Source::Text { beside: Some(origin), .. }) = source {
            source = Some(origin);
        }
        let Some(Source::Bundled(name)) = source else { return Ok(()) };
        let bundled = undine::SCENES.iter().find(|bundled| bundled.name == name);
        let folder = path.parent().unwrap_or(Path::new(""));
        for (file, bytes) in bundled.into_iter().flat_map(|bundled| bundled.files) {
            let there = folder.join(file);
            if !there.exists() {
                AtomicFile::write_all_to(there, bytes)?;
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
                export::still(&scene, &frame).and_then(|piece| write(&to, &piece)).map(|path| vec![path])
            }),
            Export::Frame { format, to } => self.in_background(move || {
                let pieces = export::frame_pieces(&scene, &frame, &format)?;
                pieces.iter().map(|piece| write(&to.join(&piece.name), piece)).collect()
            }),
        }
    }

    /// Does work that takes a while and says how it went.
    fn in_background(&self, work: impl FnOnce() -> Result<Vec<PathBuf>, String> + Send + 'static) {
        let outbox = self.outbox.clone();
        let spawned = std::thread::Builder::new().spawn(move || {
            let said = match work() {
                Ok(paths) => {
                    let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
                    WorkerMessage::Note(MessageKind::Note, format!("written: {}", shown.join(", ")))
                }
                Err(error) => WorkerMessage::Note(MessageKind::Error, error),
            };
            let _ = outbox.send(said);
        });
        if let Err(error) = spawned {
            let _ = self.outbox.send(WorkerMessage::Note(MessageKind::Error, error.to_string()));
        }
    }

    fn film(&mut self, to: PathBuf, is_preview: bool) {
        if self.filming.is_some() {
            return self.session.say(MessageKind::Warning, "a film is being made already");
        }
        let (Some((script, frame)), Some(source)) = (self.session.script(), self.session.source()) else {
            return;
        };
        let text = Source::Text { name: source.name(), text: script, beside: Some(Box::new(source.clone())) };
        self.filming = Filming::start(text, frame, to, is_preview, self.outbox.clone());
    }
}

/// Writes a piece under a path; a picture whose path is a folder keeps its own name.
fn write(path: &Path, piece: &Piece) -> Result<PathBuf, String> {
    let path = if path.is_dir() { path.join(&piece.name) } else { path.to_owned() };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    }
    AtomicFile::write_all_to(&path, &piece.bytes)
        .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    Ok(path)
}
