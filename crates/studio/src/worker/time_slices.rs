//! The session in time slices between two repaints of the page: a browser runs it on one thread.

use std::collections::VecDeque;

use undine::sim::Stopwatch;

use crate::export;
use crate::request::{Export, Request};
use crate::session::Session;
use crate::update::{MessageKind, SessionUpdate};
use crate::web;

/// Shortest slice in seconds: together with the drawing it fits between two repaints.
const MIN_SLICE: f64 = 0.012;
/// Longest slice in seconds, where drawing is slow.
const MAX_SLICE: f64 = 0.1;

/// The session and its pending requests.
pub struct Worker {
    session: Session,
    requests: VecDeque<Request>,
    wake: Box<dyn Fn()>,
    /// Time since the last slice, which the drawing took.
    since: Stopwatch,
}

impl Worker {
    /// Starts a session; `wake` is called whenever there is more to do.
    pub fn new(memory: Option<u64>, wake: impl Fn() + 'static) -> Worker {
        let (session, since) = (Session::new(memory), Stopwatch::start());
        Worker { session, requests: VecDeque::new(), wake: Box::new(wake), since }
    }

    /// Sends a request.
    pub fn send(&mut self, request: Request) {
        self.requests.push_back(request);
    }

    /// The latest update, if anything has changed.
    pub fn take_update(&mut self) -> Option<SessionUpdate> {
        self.session.has_update().then(|| self.session.update())
    }

    /// Runs for one time slice: handles requests whenever all runs stand at a frame, and takes steps.
    pub fn tick(&mut self) {
        let watch = Stopwatch::start();
        let slice = (0.5 * self.since.seconds()).clamp(MIN_SLICE, MAX_SLICE);
        loop {
            while self.session.is_at_frame() {
                let Some(request) = self.requests.pop_front() else { break };
                self.handle(request);
            }
            let goes_on = self.session.is_due() || !self.session.is_at_frame();
            if !goes_on {
                break;
            }
            self.session.step();
            if watch.seconds() > slice {
                break;
            }
        }
        self.since = Stopwatch::start();
        if self.session.seconds_until_due().is_some()
            || !self.session.is_at_frame()
            || !self.requests.is_empty()
        {
            (self.wake)();
        }
    }

    fn handle(&mut self, request: Request) {
        match request {
            Request::SaveScene(_) => self.save_scene(),
            Request::Export(export) => self.export(&export),
            request => self.session.handle(request),
        }
    }

    fn save_scene(&mut self) {
        let (Some((script, _)), Some(scene)) = (self.session.script(), self.session.scene()) else { return };
        let file = export::scene_file(scene, script);
        self.deliver(Ok(vec![file]));
    }

    fn export(&mut self, export: &Export) {
        let (Some(scene), Some(frame)) = (self.session.scene(), self.session.frame()) else { return };
        let made = match export {
            Export::Frame { format, .. } => export::frame_files(scene, &frame, format),
            Export::Still { .. } => export::still(scene, &frame).map(|file| vec![file]),
            Export::Film { .. } => Err(String::from("in a page the window makes the film")),
        };
        self.deliver(made);
    }

    fn deliver(&mut self, made: Result<Vec<undine::export::ExportedFile>, String>) {
        let delivered = made.and_then(|files| {
            files.iter().try_for_each(|file| web::download(&file.name, &file.bytes))?;
            Ok(files.iter().map(|file| file.name.clone()).collect::<Vec<_>>().join(", "))
        });
        match delivered {
            Ok(names) => self.session.notify(MessageKind::Note, format!("downloaded: {names}")),
            Err(error) => self.session.notify(MessageKind::Error, error),
        }
    }
}
