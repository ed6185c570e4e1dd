//! How the page starts the studio, and what its script can ask of it.

use std::cell::RefCell;
use std::rc::Rc;

use eframe::egui_wgpu::{WgpuConfiguration, WgpuSetup, WgpuSetupCreateNew};
use eframe::{CreationContext, WebOptions, WebRunner, wgpu};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::HtmlCanvasElement;

use super::Hook;
use crate::worker::Worker;

/// What the page begins with.
#[derive(Default)]
pub struct PageStart {
    /// The scene to open first.
    pub scene: Option<String>,
    /// A session that goes on, and why it has to.
    pub handover: Option<(Worker, String)>,
}

/// The studio on a canvas of a page.
#[wasm_bindgen]
pub struct Studio {
    runner: WebRunner,
    context: egui::Context,
    hook: Hook,
}

#[wasm_bindgen]
impl Studio {
    /// Starts on a canvas. `backend` is `webgpu`, `webgl`, or absent for the best that the browser has.
    pub async fn start(
        canvas: HtmlCanvasElement,
        scene: Option<String>,
        backend: Option<String>,
    ) -> Result<Studio, JsValue> {
        // What libraries complain about is read on the browser's console; a second start finds the logger there already
        let _ = eframe::WebLogger::init(log::LevelFilter::Warn);
        Studio::begin(canvas, PageStart { scene, handover: None }, backend).await
    }

    /// Goes on with the same water on another canvas, after the graphics device of this one was lost.
    pub async fn restart(
        &self,
        canvas: HtmlCanvasElement,
        backend: Option<String>,
    ) -> Result<Studio, JsValue> {
        let why = self.lost().unwrap_or_default();
        let handover = self.runner.app_mut::<crate::app::StudioApp>().map(|mut app| (app.take_worker(), why));
        self.runner.destroy();
        Studio::begin(canvas, PageStart { scene: None, handover }, backend).await
    }

    async fn begin(
        canvas: HtmlCanvasElement,
        start: PageStart,
        backend: Option<String>,
    ) -> Result<Studio, JsValue> {
        let wgpu_options = graphics(backend.as_deref())?;
        let runner = WebRunner::new();
        let started = Rc::new(RefCell::new(None));
        let begin = Rc::clone(&started);
        let create = move |creation: &CreationContext<'_>| {
            let hook = Hook::install(&creation.egui_ctx);
            begin.replace(Some((creation.egui_ctx.clone(), hook.clone())));
            crate::app::create(creation, start, hook)
        };
        runner.start(canvas, WebOptions { wgpu_options, ..WebOptions::default() }, Box::new(create)).await?;
        let (context, hook) = started.take().ok_or("the studio did not start")?;
        Ok(Studio { runner, context, hook })
    }

    /// What is shown now, as JSON.
    pub fn state(&self) -> Result<String, JsValue> {
        json(&self.hook.state())
    }

    /// What is on the screen, as JSON: a list of labels with their rectangles in points.
    pub fn widgets(&self) -> Result<String, JsValue> {
        json(&self.hook.widgets(&self.context))
    }

    /// Why the graphics device is gone, if it is.
    pub fn lost(&self) -> Option<String> {
        self.runner.app_mut::<crate::app::StudioApp>()?.loss()
    }

    /// Tells the studio that its canvas shows nothing any more.
    pub fn lose(&self, why: String) {
        if let Some(mut app) = self.runner.app_mut::<crate::app::StudioApp>() {
            app.lose_device(why);
        }
    }

    /// What went wrong for good, if anything did.
    pub fn panic(&self) -> Option<String> {
        self.runner.panic_summary().map(|summary| summary.message())
    }

    /// Has the next frame taken down.
    #[wasm_bindgen(js_name = requestScreenshot)]
    pub fn request_screenshot(&self) {
        self.hook.request_screenshot(&self.context);
    }

    /// The frame that was taken down, once it is there.
    #[wasm_bindgen(js_name = takeScreenshot)]
    pub fn take_screenshot(&self) -> Option<Screenshot> {
        let image = self.hook.take_screenshot()?;
        let [width, height] = image.size.map(|side| side as u32);
        Some(Screenshot {
            width,
            height,
            rgba: image.pixels.iter().flat_map(|pixel| pixel.to_array()).collect(),
        })
    }
}

/// A frame, pixel by pixel.
#[wasm_bindgen]
pub struct Screenshot {
    /// Pixels per row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    rgba: Vec<u8>,
}

#[wasm_bindgen]
impl Screenshot {
    /// Red, green, blue and opacity of every pixel, from the top left.
    #[wasm_bindgen(getter)]
    pub fn rgba(&self) -> Vec<u8> {
        self.rgba.clone()
    }
}

fn graphics(backend: Option<&str>) -> Result<WgpuConfiguration, JsValue> {
    let backends = match backend {
        None => wgpu::Backends::BROWSER_WEBGPU | wgpu::Backends::GL,
        Some("webgpu") => wgpu::Backends::BROWSER_WEBGPU,
        Some("webgl") => wgpu::Backends::GL,
        Some(other) => {
            return Err(JsValue::from_str(&format!("there is no backend {other:?}; one of webgpu, webgl")));
        }
    };
    let mut setup = WgpuSetupCreateNew::without_display_handle();
    setup.instance_descriptor.backends = backends;
    Ok(WgpuConfiguration { wgpu_setup: WgpuSetup::CreateNew(setup), ..WgpuConfiguration::default() })
}

fn json(value: &impl serde::Serialize) -> Result<String, JsValue> {
    serde_json::to_string(value).map_err(|error| JsValue::from_str(&error.to_string()))
}
