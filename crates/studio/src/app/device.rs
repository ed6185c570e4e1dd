//! Loss and errors of the graphics device.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use eframe::egui_wgpu::RenderState;
use eframe::wgpu;
use egui::Context;

use super::StudioApp;
use crate::request::{DisplayRequest, Request};

/// Events of the graphics device.
#[derive(Default)]
pub(super) struct DeviceStatus {
    /// Why it was lost.
    loss: Option<String>,
    /// A validation error.
    error: Option<String>,
    /// Whether it was destroyed on purpose.
    pub is_destroyed: bool,
}

pub(super) fn lock(device: &Mutex<DeviceStatus>) -> MutexGuard<'_, DeviceStatus> {
    device.lock().unwrap_or_else(PoisonError::into_inner)
}

impl StudioApp {
    /// Continues the session of a window whose graphics device was lost.
    pub fn resume_after_loss(&mut self, why: &str) {
        self.requests = vec![Request::Display(DisplayRequest::default())];
        self.warn(format!("the graphics device was lost ({why}); the session continues with a new one"));
    }

    /// Installs handlers for device loss and uncaptured errors, which would otherwise panic.
    pub(super) fn watch_device(&self, state: &RenderState, context: &Context) {
        let (device, again) = (self.device.clone(), context.clone());
        state.device.set_device_lost_callback(move |reason, message| {
            // A window destroys its device on closing, which is not a loss; in a page only the browser does
            let mut device = lock(&device);
            let is_lost = reason != wgpu::DeviceLostReason::Destroyed || cfg!(target_arch = "wasm32");
            if is_lost || device.is_destroyed {
                device.loss = Some(format!("{reason:?} {message}").trim().to_owned());
                again.request_repaint();
            }
        });
        let (device, again) = (self.device.clone(), context.clone());
        state.device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let mut device = lock(&device);
            match error {
                wgpu::Error::OutOfMemory { .. } => device.loss = Some(String::from("out of memory")),
                other => device.error = Some(other.to_string()),
            }
            again.request_repaint();
        }));
    }

    /// Switches to rendering on the CPU after an error of the device.
    pub(super) fn check_device(&mut self) {
        let error = lock(&self.device).error.take();
        if let Some(error) = error.filter(|_| !self.is_software) {
            self.is_software = true;
            let words: Vec<&str> = error.split_whitespace().collect();
            let text: String = words.join(" ").chars().take(300).collect();
            self.warn(format!(
                "the graphics device reported an error, so pictures are rendered on the CPU: {text}"
            ));
        }
    }

    /// Why the graphics device was lost, if it was.
    pub fn loss(&self) -> Option<String> {
        lock(&self.device).loss.clone()
    }

    /// Reports that the canvas of the page has lost its context.
    #[cfg(target_arch = "wasm32")]
    pub fn lose_device(&mut self, why: String) {
        lock(&self.device).loss = Some(why);
    }
}
