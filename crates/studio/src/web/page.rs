//! The JavaScript interface of the page.

use std::cell::RefCell;
use std::rc::Rc;

use eframe::egui_wgpu::{WgpuConfiguration, WgpuSetup, WgpuSetupCreateNew};
use eframe::{CreationContext, WebOptions, WebRunner, wgpu};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::HtmlCanvasElement;

use super::Hook;
use crate::worker::Worker;

/// What the application of a page starts with.
#[derive(Default)]
pub struct PageStart {
    /// The scene to open first.
    pub scene: Option<String>,
    /// A session to continue, and why the device before was lost.
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
        // Warnings of libraries go to the browser's console; after a restart the logger is installed already
        let _ = eframe::WebLogger::init(log::LevelFilter::Warn);
        Studio::begin(canvas, PageStart { scene, handover: None }, backend).await
    }

    /// Continues the session on another canvas, after the graphics device of this one was lost.
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

    /// The state, as JSON.
    pub fn state(&self) -> Result<String, JsValue> {
        json(&self.hook.state())
    }

    /// The widgets on the screen, as JSON: labels with their rectangles in points.
    pub fn widgets(&self) -> Result<String, JsValue> {
        json(&self.hook.widgets(&self.context))
    }

    /// Why the graphics device was lost, if it was.
    pub fn lost(&self) -> Option<String> {
        self.runner.app_mut::<crate::app::StudioApp>()?.loss()
    }

    /// Reports that the canvas has lost its context.
    pub fn lose(&self, why: String) {
        if let Some(mut app) = self.runner.app_mut::<crate::app::StudioApp>() {
            app.lose_device(why);
        }
    }

    /// The message of a panic, if there was one.
    pub fn panic(&self) -> Option<String> {
        self.runner.panic_summary().map(|summary| summary.message())
    }

    /// Requests a screenshot of the next frame.
    #[wasm_bindgen(js_name = requestScreenshot)]
    pub fn request_screenshot(&self) {
        self.hook.request_screenshot(&self.context);
    }

    /// Takes the screenshot, once it is there.
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

/// A screenshot.
#[wasm_bindgen]
pub struct Screenshot {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    rgba: Vec<u8>,
}

#[wasm_bindgen]
impl Screenshot {
    /// RGBA bytes, row by row from the top left.
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
