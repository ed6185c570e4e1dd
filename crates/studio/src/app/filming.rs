//! A film in a page: the scene begins again, goes on frame by frame, and every picture of the first pane is kept.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use eframe::egui_wgpu::RenderState;
use egui::Context;

use super::StudioApp;
use crate::request::Request;
use crate::update::{Message, MessageKind};
use crate::web::{WebFilm, download};

/// A picture on its way back from the graphics card.
type PendingReadback = Arc<Mutex<Option<([u32; 2], Vec<u8>)>>>;

/// A film that is being made.
pub(super) struct PageFilm {
    name: String,
    film: Option<WebFilm>,
    /// The frame that is filmed next, and the last one.
    next: u64,
    last: u64,
    /// Pictures of the pane when the frame was asked for: it is shown when there is one more.
    pictures: u64,
    readback: Option<PendingReadback>,
    is_stopped: bool,
    finished: Option<Finished>,
}

/// The file, once the encoder is done.
type Finished = Rc<RefCell<Option<Result<Vec<u8>, String>>>>;

impl StudioApp {
    /// Begins a film from the first frame of the scene, with everything done by hand.
    pub(super) fn begin_film(&mut self, name: String) {
        let Some(run) = self.update.runs.first().filter(|_| self.filming.is_none()) else { return };
        self.filming = Some(PageFilm {
            name,
            film: None,
            next: 0,
            last: run.frame_count.saturating_sub(1).max(run.frame),
            pictures: self.panes[0].pictures(),
            readback: None,
            is_stopped: false,
            finished: None,
        });
        self.requests.extend([Request::Replay, Request::Play(false)]);
    }

    /// Ends a film with what there is of it.
    pub(super) fn stop_film(&mut self) {
        if let Some(filming) = &mut self.filming {
            filming.is_stopped = true;
        }
    }

    /// Goes on with a film, if one is being made.
    pub(super) fn continue_film(&mut self, context: &Context, gpu: Option<&RenderState>) {
        let Some(mut filming) = self.filming.take() else { return };
        context.request_repaint();
        match self.advance_film(&mut filming, gpu) {
            Ok(false) => {
                let fraction = filming.next as f32 / (filming.last + 1) as f32;
                let text = format!("film: frame {} of {}", filming.next, filming.last + 1);
                self.update.export = Some((text, fraction));
                self.filming = Some(filming);
            }
            Ok(true) => self.end_film(MessageKind::Note, format!("downloaded: {}", filming.name)),
            Err(error) => self.end_film(MessageKind::Error, format!("there is no film: {error}")),
        }
    }

    fn end_film(&mut self, kind: MessageKind, text: String) {
        self.update.export = None;
        self.message = Some(Message { number: 0, kind, text, places: Vec::new() });
    }

    /// One look at the film; true when it has been handed over.
    fn advance_film(&mut self, filming: &mut PageFilm, gpu: Option<&RenderState>) -> Result<bool, String> {
        if let Some(finished) = &filming.finished {
            let Some(file) = finished.borrow_mut().take() else { return Ok(false) };
            return download(&filming.name, &file?).map(|()| true);
        }
        if let Some(readback) = &filming.readback {
            let Some((size, rgba)) = readback.lock().unwrap_or_else(PoisonError::into_inner).take() else {
                return Ok(false);
            };
            filming.readback = None;
            let fps = self.default_view.as_ref().map_or(24.0, |(opened, _)| opened.scene.fps);
            let film = match &mut filming.film {
                Some(film) => film,
                empty => empty.insert(WebFilm::new(size, fps)?),
            };
            film.add(size, &rgba)?;
            filming.next += 1;
            filming.pictures = self.panes[0].pictures();
            if filming.next <= filming.last && !filming.is_stopped {
                self.requests.push(Request::Step);
            }
        }
        if filming.next > filming.last || filming.is_stopped {
            let film = filming.film.take().ok_or("it was stopped before the first frame")?;
            let finished: Finished = Rc::default();
            let told = finished.clone();
            wasm_bindgen_futures::spawn_local(async move {
                let file = film.finish().await;
                told.replace(Some(file));
            });
            filming.finished = Some(finished);
            return Ok(false);
        }
        let is_there = self.update.runs.first().is_some_and(|run| run.frame == filming.next);
        if is_there && filming.readback.is_none() && self.panes[0].pictures() > filming.pictures {
            let readback = PendingReadback::default();
            let slot = readback.clone();
            self.panes[0].read_back(gpu, move |size, rgba| {
                *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some((size, rgba));
            });
            filming.readback = Some(readback);
        }
        Ok(false)
    }
}
