//! Files in a page: downloads, and files chosen by the user.

use std::sync::{Arc, Mutex, PoisonError};

use js_sys::{Array, Uint8Array};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, BlobPropertyBag, Document, Event, HtmlAnchorElement, HtmlInputElement, Url};

/// Saves a file as a download of the browser.
pub fn download(name: &str, bytes: &[u8]) -> Result<(), String> {
    try_download(name, bytes)
        .map_err(|error| format!("the browser could not save {name}: {}", error_text(&error)))
}

fn try_download(name: &str, bytes: &[u8]) -> Result<(), JsValue> {
    let kind = BlobPropertyBag::new();
    kind.set_type("application/octet-stream");
    let parts = Array::of1(&Uint8Array::from(bytes));
    let blob = Blob::new_with_u8_array_sequence_and_options(&parts, &kind)?;
    let address = Url::create_object_url_with_blob(&blob)?;
    let link: HtmlAnchorElement = document()?.create_element("a")?.dyn_into()?;
    link.set_href(&address);
    link.set_download(name);
    link.click();
    // The running download keeps the blob alive
    Url::revoke_object_url(&address)
}

/// A file that the user chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// Its name, without a folder, which browsers do not reveal.
    pub name: String,
    /// Its contents, or why it could not be read.
    pub bytes: Result<Vec<u8>, String>,
}

/// The browser's file dialog, and the chosen file once it has been read.
#[derive(Clone, Default)]
pub struct Chooser(Arc<Mutex<Option<Chosen>>>);

impl Chooser {
    /// Opens the file dialog; `accept` lists extensions such as `.toml`. Browsers allow this only in response to a
    /// click or key.
    pub fn open(&self, accept: &str, context: &egui::Context) -> Result<(), String> {
        self.try_open(accept, context)
            .map_err(|error| format!("the browser could not open a file: {}", error_text(&error)))
    }

    /// Reads a file that was dropped onto the page, as if it had been chosen.
    pub fn read_dropped(&self, file: Arc<dyn egui::DroppedFile + Send + Sync>, context: &egui::Context) {
        let (chooser, context) = (self.clone(), context.clone());
        spawn_local(async move {
            let name = file.path().display().to_string();
            let chosen = Chosen { name, bytes: file.bytes_async().await };
            *chooser.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(chosen);
            context.request_repaint();
        });
    }

    /// Takes the chosen file.
    pub fn take(&self) -> Option<Chosen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn try_open(&self, accept: &str, context: &egui::Context) -> Result<(), JsValue> {
        let input: HtmlInputElement = document()?.create_element("input")?.dyn_into()?;
        input.set_type("file");
        input.set_accept(accept);
        let (chooser, context) = (self.clone(), context.clone());
        let chosen = Closure::once_into_js(move |event: Event| {
            let input = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
            let Some(file) = input.and_then(|input| input.files()).and_then(|files| files.get(0)) else {
                return;
            };
            spawn_local(async move {
                let bytes = JsFuture::from(file.array_buffer()).await;
                let bytes =
                    bytes.map(|buffer| Uint8Array::new(&buffer).to_vec()).map_err(|error| error_text(&error));
                let chosen = Chosen { name: file.name(), bytes };
                *chooser.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(chosen);
                context.request_repaint();
            });
        });
        input.set_onchange(Some(chosen.unchecked_ref()));
        input.click();
        Ok(())
    }
}

fn document() -> Result<Document, JsValue> {
    web_sys::window()
        .and_then(|window| window.document())
        .ok_or_else(|| JsValue::from_str("there is no document"))
}

/// The message of a JavaScript error.
pub(super) fn error_text(error: &JsValue) -> String {
    let message = error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message()));
    message.or_else(|| error.as_string()).unwrap_or_else(|| format!("{error:?}"))
}
