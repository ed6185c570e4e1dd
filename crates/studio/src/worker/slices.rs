//! The session in slices of time, between two pictures of the page: a browser gives us one thread.

use std::collections::VecDeque;

use undine::sim::Stopwatch;

use crate::export;
use crate::news::{MessageKind, News};
use crate::order::{Export, Order};
use crate::session::Session;
use crate::web;

/// Seconds of a slice at least: with the drawing it must fit between two pictures.
const SHORTEST: f64 = 0.012;
/// Seconds of a slice at most, where drawing is so slow that the water would else stand still.
const LONGEST: f64 = 0.1;

/// The session, and what is still to be obeyed.
pub struct Worker {
    session: Session,
    orders: VecDeque<Order>,
    wake: Box<dyn Fn()>,
    /// Since the last slice: the time that drawing took.
    since: Stopwatch,
}

impl Worker {
    /// Starts a session; `wake` is called whenever there is more to do.
    pub fn new(memory: Option<u64>, wake: impl Fn() + 'static) -> Worker {
        let (session, since) = (Session::new(memory), Stopwatch::start());
        Worker { session, orders: VecDeque::new(), wake: Box::new(wake), since }
    }

    /// Gives an order.
    pub fn send(&mut self, order: Order) {
        self.orders.push_back(order);
    }

    /// The latest news, once.
    pub fn take_news(&mut self) -> Option<News> {
        self.session.has_news().then(|| self.session.news())
    }

    /// Goes on for a slice of time: orders first, where the water stands at a frame, then steps.
    pub fn tick(&mut self) {
        let watch = Stopwatch::start();
        let slice = (0.5 * self.since.seconds()).clamp(SHORTEST, LONGEST);
        loop {
            while self.session.is_at_frame() {
                let Some(order) = self.orders.pop_front() else { break };
                self.obey(order);
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
            || !self.orders.is_empty()
        {
            (self.wake)();
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::SaveScene(_) => self.save_scene(),
            Order::Export(export) => self.export(&export),
            order => self.session.obey(order),
        }
    }

    fn save_scene(&mut self) {
        let (Some((script, _)), Some(scene)) = (self.session.script(), self.session.scene()) else { return };
        let piece = export::scene_piece(scene, script);
        self.deliver(Ok(vec![piece]));
    }

    fn export(&mut self, export: &Export) {
        let (Some(scene), Some(frame)) = (self.session.scene(), self.session.frame()) else { return };
        let made = match export {
            Export::Frame { format, .. } => export::frame_pieces(scene, &frame, format),
            Export::Still { .. } => export::still(scene, &frame).map(|piece| vec![piece]),
            Export::Film { .. } => Err(String::from("films are made by the window")),
        };
        self.deliver(made);
    }

    fn deliver(&mut self, made: Result<Vec<export::Piece>, String>) {
        let delivered = made.and_then(|pieces| {
            pieces.iter().try_for_each(|piece| web::download(&piece.name, &piece.bytes))?;
            Ok(pieces.iter().map(|piece| piece.name.clone()).collect::<Vec<_>>().join(", "))
        });
        match delivered {
            Ok(names) => self.session.say(MessageKind::Note, format!("downloaded: {names}")),
            Err(error) => self.session.say(MessageKind::Error, error),
        }
    }
}
