//! Films in a page: the scene is replayed frame by frame, and the pictures of the first pane are encoded.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use eframe::egui_wgpu::RenderState;
use egui::Context;

use super::StudioApp;
use crate::request::Request;
use crate::update::{Message, MessageKind};
use crate::web::{WebFilm, download};

/// A picture that is being read back from the GPU.
type PendingReadback = Arc<Mutex<Option<([u32; 2], Vec<u8>)>>>;

/// A film in progress.
pub(super) struct PageFilm {
    name: String,
    film: Option<WebFilm>,
    /// The next frame to record, and the last one.
    next: u64,
    last: u64,
    /// Number of pictures of the pane when the frame was requested: it is drawn when there is one more.
    pictures: u64,
    readback: Option<PendingReadback>,
    is_stopped: bool,
    finished: Option<Finished>,
}

/// The encoded file, once it is finished.
type Finished = Rc<RefCell<Option<Result<Vec<u8>, String>>>>;

impl StudioApp {
    /// Starts a film from the first frame of the scene, with all actions.
    pub(super) fn begin_film(&mut self, name: String) {
        let Some(run) = self.update.runs.first().filter(|_| self.page_film.is_none()) else { return };
        self.page_film = Some(PageFilm {
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

    /// Stops recording; the film has the frames so far.
    pub(super) fn stop_film(&mut self) {
        if let Some(page_film) = &mut self.page_film {
            page_film.is_stopped = true;
        }
    }

    /// Continues a film in progress, once per repaint.
    pub(super) fn continue_film(&mut self, context: &Context, gpu: Option<&RenderState>) {
        let Some(mut page_film) = self.page_film.take() else { return };
        context.request_repaint();
        match self.advance_film(&mut page_film, gpu) {
            Ok(false) => {
                let fraction = page_film.next as f32 / (page_film.last + 1) as f32;
                let text = format!("film: frame {} of {}", page_film.next, page_film.last + 1);
                self.update.export = Some((text, fraction));
                self.page_film = Some(page_film);
            }
            Ok(true) => self.end_film(MessageKind::Note, format!("downloaded: {}", page_film.name)),
            Err(error) => self.end_film(MessageKind::Error, format!("the film could not be made: {error}")),
        }
    }

    fn end_film(&mut self, kind: MessageKind, text: String) {
        self.update.export = None;
        self.message = Some(Message { number: 0, kind, text, places: Vec::new() });
    }

    /// Polls the film; true when its file has been downloaded.
    fn advance_film(&mut self, page_film: &mut PageFilm, gpu: Option<&RenderState>) -> Result<bool, String> {
        // Encoded: hand the file to the browser
        if let Some(finished) = &page_film.finished {
            let Some(file) = finished.borrow_mut().take() else { return Ok(false) };
            return download(&page_film.name, &file?).map(|()| true);
        }
        // Read back: encode the picture and request the next frame
        if let Some(readback) = &page_film.readback {
            let Some((size, rgba)) = readback.lock().unwrap_or_else(PoisonError::into_inner).take() else {
                return Ok(false);
            };
            page_film.readback = None;
            let fps = self.default_view.as_ref().map_or(24.0, |(opened, _)| opened.scene.fps);
            let film = match &mut page_film.film {
                Some(film) => film,
                empty => empty.insert(WebFilm::new(size, fps)?),
            };
            film.add(size, &rgba)?;
            page_film.next += 1;
            page_film.pictures = self.panes[0].pictures();
            if page_film.next <= page_film.last && !page_film.is_stopped {
                self.requests.push(Request::Step);
            }
        }
        // After the last frame: finish the encoder
        if page_film.next > page_film.last || page_film.is_stopped {
            let film = page_film.film.take().ok_or("it was stopped before the first frame")?;
            let finished: Finished = Rc::default();
            let slot = finished.clone();
            wasm_bindgen_futures::spawn_local(async move {
                let file = film.finish().await;
                slot.replace(Some(file));
            });
            page_film.finished = Some(finished);
            return Ok(false);
        }
        // The requested frame is drawn: read it back
        let is_reached = self.update.runs.first().is_some_and(|run| run.frame == page_film.next);
        if is_reached && page_film.readback.is_none() && self.panes[0].pictures() > page_film.pictures {
            let readback = PendingReadback::default();
            let slot = readback.clone();
            self.panes[0].read_back(gpu, move |size, rgba| {
                *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some((size, rgba));
            });
            page_film.readback = Some(readback);
        }
        Ok(false)
    }
}
