//! The application window: panels, and one or two panes that show the water.

mod adaptive_resolution;
mod bar;
mod commands;
mod device;
mod dialogs;
#[cfg(target_arch = "wasm32")]
mod page_film;
mod preferences;
mod report;

use std::sync::{Arc, Mutex};

use eframe::egui_wgpu::RenderState;
use egui::{CentralPanel, Context, Frame, Panel, Rect, ScrollArea, Ui};
use undine::sim::Stopwatch;

use crate::pane::{DefaultView, Pane, PaneContext};
use crate::panels::editor::Editor;
use crate::panels::export::ExportPanel;
use crate::panels::{self, theme, tools, transport, views};
use crate::request::{DisplayRequest, Request, SceneSource};
use crate::update::{Message, MessageKind, OpenScene, SessionUpdate};
use crate::web::Hook;
use crate::worker::Worker;
use adaptive_resolution::AdaptiveResolution;
use device::{DeviceStatus, lock};
use dialogs::Dialogs;
pub use preferences::{Preferences, STORAGE_KEY, SidePanel};

/// The scene that is opened by default.
pub const FIRST_SCENE: &str = "km-pool";

/// Options of a new window.
#[derive(Debug, Clone, Default)]
pub struct LaunchOptions {
    /// The scene to open; `None` for the one that was open last.
    pub scene: Option<SceneSource>,
    /// Whether pictures are rendered on the CPU, even if there is a GPU.
    pub is_software: bool,
    /// Whether the stored preferences are ignored.
    pub ignores_preferences: bool,
    /// Number of pictures after which the graphics device is destroyed, to test the recovery.
    pub loses_device_after: Option<u64>,
}

/// The application.
pub struct StudioApp {
    worker: Worker,
    update: SessionUpdate,
    preferences: Preferences,
    panes: [Pane; 2],
    default_view: Option<(Arc<OpenScene>, Arc<DefaultView>)>,
    /// The scene to which the cameras were fitted.
    framed_scene: String,
    display_request: DisplayRequest,
    dialogs: Dialogs,
    editor: Editor,
    export: ExportPanel,
    /// The message that is shown, until it is closed or replaced.
    message: Option<Message>,
    is_software: bool,
    device: Arc<Mutex<DeviceStatus>>,
    loses_device_after: Option<u64>,
    requests: Vec<Request>,
    hook: Hook,
    /// Number of pictures at the last count, and a stopwatch since then.
    last_count: (u64, Stopwatch),
    pictures_per_second: f64,
    resolution: AdaptiveResolution,
    #[cfg(target_arch = "wasm32")]
    page_film: Option<page_film::PageFilm>,
    /// Simulation frame of the last picture, and its time on the clock.
    last_picture: (u64, f64),
}

impl StudioApp {
    /// Creates the application on a context of eframe and opens its first scene.
    pub fn new(
        creation: &eframe::CreationContext<'_>,
        worker: Worker,
        options: &LaunchOptions,
        hook: Hook,
    ) -> StudioApp {
        // Stored preferences
        theme::install(&creation.egui_ctx);
        let storage = creation.storage.filter(|_| !options.ignores_preferences);
        let preferences: Preferences =
            storage.and_then(|storage| eframe::get_value(storage, STORAGE_KEY)).unwrap_or_default();
        let mut studio = StudioApp {
            worker,
            update: SessionUpdate::default(),
            panes: Default::default(),
            default_view: None,
            framed_scene: String::new(),
            display_request: DisplayRequest::default(),
            dialogs: Dialogs::default(),
            editor: Editor::default(),
            export: ExportPanel::default(),
            message: None,
            is_software: options.is_software,
            device: Arc::default(),
            loses_device_after: options.loses_device_after,
            requests: Vec::new(),
            hook,
            last_count: (0, Stopwatch::start()),
            pictures_per_second: 0.0,
            resolution: AdaptiveResolution::default(),
            #[cfg(target_arch = "wasm32")]
            page_film: None,
            last_picture: (0, 0.0),
            preferences,
        };
        // A small window starts without a side panel
        if storage.is_none() && theme::is_small(&creation.egui_ctx) {
            studio.preferences.side = SidePanel::Nothing;
        }
        // The scene to open: as requested, or the last bundled one
        let known = |name: &str| undine::SCENES.iter().any(|scene| scene.name == name);
        let last = match studio.preferences.scene.as_str() {
            name if known(name) => name.to_owned(),
            _ => FIRST_SCENE.to_owned(),
        };
        studio.send(Request::Open(options.scene.clone().unwrap_or(SceneSource::Bundled(last))));
        if let Some(state) = creation.wgpu_render_state.as_ref() {
            studio.watch_device(state, &creation.egui_ctx);
        }
        studio
    }

    fn warn(&mut self, text: String) {
        self.message = Some(Message { number: 0, kind: MessageKind::Warning, text, places: Vec::new() });
    }

    /// Returns the session when the window closes.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn into_worker(self) -> Worker {
        self.worker
    }

    /// Takes the session, for the window that replaces this one.
    #[cfg(target_arch = "wasm32")]
    pub fn take_worker(&mut self) -> Worker {
        std::mem::replace(&mut self.worker, Worker::new(None, || {}))
    }

    fn send(&mut self, request: Request) {
        self.requests.push(request);
    }

    /// Sends pending requests to the session and receives its latest update.
    fn exchange(&mut self) {
        for request in std::mem::take(&mut self.requests) {
            match request {
                // In a page, films are recorded from the pane
                #[cfg(target_arch = "wasm32")]
                Request::Export(crate::request::Export::Film { to, .. }) => {
                    self.begin_film(to.display().to_string());
                }
                #[cfg(target_arch = "wasm32")]
                Request::StopExport => self.stop_film(),
                request => self.worker.send(request),
            }
        }
        self.worker.tick();
        while let Some(update) = self.worker.take_update() {
            let is_new = update.message.as_ref().map(|message| message.number)
                != self.update.message.as_ref().map(|message| message.number);
            if is_new {
                self.message.clone_from(&update.message);
            }
            self.update = update;
        }
        let opened = self.update.open.clone();
        let is_known =
            |(known, _): &(Arc<OpenScene>, _)| opened.as_ref().is_some_and(|new| Arc::ptr_eq(known, new));
        if !self.default_view.as_ref().is_some_and(is_known) {
            self.default_view = opened.map(|opened| (opened.clone(), Arc::new(DefaultView::new(&opened))));
            self.reset_views();
        }
    }

    /// Resets cameras and missing fields for a new scene; an edited scene keeps its views.
    fn reset_views(&mut self) {
        let Some((opened, _)) = &self.default_view else { return };
        let name = opened.source.name();
        if name == self.framed_scene {
            return;
        }
        self.panes.iter_mut().for_each(Pane::fit);
        let has = |field: &str| opened.fields.iter().any(|known| known.name == field);
        for view in &mut self.preferences.views {
            let is_missing = match &view.show {
                crate::view::PaneContent::Field(field) | crate::view::PaneContent::Draped(field) => {
                    !has(field)
                }
                _ => false,
            };
            if is_missing {
                view.show = crate::view::PaneContent::Best;
            }
            if !has(&view.vectors) {
                view.vectors.clear();
            }
        }
        if let SceneSource::Bundled(bundled) = &opened.source {
            self.preferences.scene.clone_from(bundled);
        }
        self.framed_scene = name;
    }

    /// Requests what the panes show, if that has changed.
    fn update_display_request(&mut self) {
        let Some((_, default_view)) = &self.default_view else { return };
        let mut display_request = DisplayRequest::default();
        for (pane, view) in self.panes.iter().zip(&self.preferences.views).take(self.pane_count()) {
            display_request = display_request.or(pane.display_request(default_view, view));
        }
        display_request.has_divergence = self.preferences.side == SidePanel::Plots;
        if display_request != self.display_request {
            self.display_request = display_request.clone();
            self.send(Request::Display(display_request));
        }
    }

    /// Number of pictures of water so far.
    fn pictures(&self) -> u64 {
        self.panes.iter().map(Pane::pictures).sum()
    }

    fn pane_count(&self) -> usize {
        if self.preferences.is_split || self.update.runs.len() > 1 { 2 } else { 1 }
    }

    /// Lays out the panels, then the panes in the remaining space.
    fn lay_out(&mut self, ui: &mut Ui, gpu: Option<&RenderState>) {
        if !self.preferences.hides_panels {
            let is_small = theme::is_small(ui.ctx());
            // On a phone, rows that do not fit are scrolled instead of wrapped, to leave space for the water
            Panel::top("bar").show(ui, |ui| match is_small {
                true => drop(ScrollArea::horizontal().id_salt("bar").show(ui, |ui| self.bar(ui))),
                false => self.bar(ui),
            });
            Panel::bottom("transport").show(ui, |ui| transport::show(ui, &self.update, &mut self.requests));
            Panel::top("tools").show(ui, |ui| match is_small {
                true => drop(ScrollArea::horizontal().id_salt("tools").show(ui, |ui| self.tools(ui))),
                false => self.tools(ui),
            });
            if self.preferences.side != SidePanel::Nothing {
                match is_small {
                    true => drop(
                        Panel::bottom("sheet")
                            .resizable(true)
                            .default_size(300.0)
                            .show(ui, |ui| self.side(ui)),
                    ),
                    false => drop(
                        Panel::right("side")
                            .resizable(true)
                            .min_size(290.0)
                            .default_size(320.0)
                            .show(ui, |ui| self.side(ui)),
                    ),
                }
            }
        }
        CentralPanel::no_frame().show(ui, |ui| self.show_panes(ui, gpu));
        self.show_message(ui.ctx());
    }

    fn tools(&mut self, ui: &mut Ui) {
        let open = self.default_view.as_ref().map(|(opened, _)| &**opened);
        tools::show(ui, &mut self.preferences.tool, &mut self.preferences.tools, open);
    }

    /// The contents of the side panel.
    fn side(&mut self, ui: &mut Ui) {
        ui.add_space(4.0);
        match self.preferences.side {
            SidePanel::Nothing => {}
            SidePanel::Knobs => self.preferences.knobs.show(ui, &self.update, &mut self.requests),
            SidePanel::Plots => self.preferences.plots.show(ui, &self.update),
            SidePanel::Editor => self.editor.show(ui, &self.update, &mut self.requests),
            // The view of each pane, then the resolution
            SidePanel::Views => {
                let open = self.default_view.as_ref().map(|(opened, _)| opened.clone());
                let count = self.pane_count();
                let scroll = ScrollArea::vertical().id_salt("views").auto_shrink([false, false]);
                scroll.show(ui, |ui| {
                    for (number, view) in self.preferences.views.iter_mut().enumerate().take(count) {
                        if count > 1 {
                            ui.heading(if number == 0 { "left" } else { "right" });
                        }
                        views::show(ui, view, open.as_deref(), if number == 0 { "left" } else { "right" });
                        ui.separator();
                    }
                    let response = ui.add(
                        egui::Slider::new(&mut self.preferences.resolution_scale, 0.25..=2.0)
                            .text("resolution scale"),
                    );
                    let response =
                        response.on_hover_text("rendered pixels per screen pixel: lower is faster");
                    panels::named(ui, response, "resolution scale");
                    let response =
                        ui.checkbox(&mut self.preferences.adapts_resolution, "adaptive resolution");
                    let response = response
                        .on_hover_text("lower the resolution while the water moves if the GPU is too slow");
                    panels::named(ui, response, "adaptive resolution");
                });
            }
        }
    }

    fn show_panes(&mut self, ui: &mut Ui, gpu: Option<&RenderState>) {
        let rect = ui.available_rect_before_wrap();
        let Some((opened, default_view)) = self.default_view.clone() else {
            ui.painter().rect_filled(rect, 0.0, ui.visuals().extreme_bg_color);
            return;
        };
        // With two runs, each pane shows one of them
        let count = self.pane_count();
        let resolution_scale = self.preferences.resolution_scale * self.resolution_fraction(ui, rect);
        for number in 0..count {
            let run = if self.update.runs.len() > 1 { number } else { 0 };
            let pane_context = PaneContext {
                gpu: gpu.filter(|_| !self.is_software),
                update: &self.update,
                opened: &opened,
                default_view: &default_view,
                run,
                view: &self.preferences.views[number],
                tool: self.preferences.tool,
                tools: &self.preferences.tools,
                resolution_scale,
            };
            let pane = pane_rect(rect, number, count);
            let response = self.panes[number].show(ui, pane, &pane_context, &mut self.requests);
            panels::named(ui, response, format!("water:{number}"));
        }
        // A line between two panes
        if count > 1 {
            let line = ui.visuals().widgets.noninteractive.bg_stroke;
            match rect.width() > rect.height() {
                true => drop(ui.painter().vline(rect.center().x, rect.y_range(), line)),
                false => drop(ui.painter().hline(rect.x_range(), rect.center().y, line)),
            }
        }
        // A pane that cannot use the GPU falls back to the CPU
        let gpu_error = self.panes.iter().find_map(Pane::gpu_error).map(str::to_owned);
        if let (Some(gpu_error), None) = (gpu_error, &self.message) {
            self.warn(format!("{gpu_error}; pictures are rendered on the CPU"));
        }
    }

    /// The message of the session, over the panes.
    fn show_message(&mut self, context: &Context) {
        let Some(message) = self.message.clone() else { return };
        let colour = |ui: &Ui| match message.kind {
            MessageKind::Note => ui.visuals().text_color(),
            MessageKind::Warning => ui.visuals().warn_fg_color,
            MessageKind::Error => ui.visuals().error_fg_color,
        };
        let area =
            egui::Area::new(egui::Id::unique("message")).anchor(egui::Align2::CENTER_BOTTOM, [0.0, -64.0]);
        area.show(context, |ui| {
            Frame::popup(ui.style()).show(ui, |ui| {
                ui.set_max_width((context.content_rect().width() - 40.0).clamp(160.0, 560.0));
                ScrollArea::vertical().max_height(160.0).show(ui, |ui| {
                    let text = egui::RichText::new(message.text.trim()).color(colour(ui));
                    let response = ui.add(egui::Label::new(text).wrap());
                    panels::named(ui, response, "message");
                });
                let response = ui.small_button("close");
                if panels::named(ui, response, "close message").clicked() {
                    self.message = None;
                }
            });
        });
    }
}

/// Creates the application of a page, as its script starts it.
#[cfg(target_arch = "wasm32")]
pub fn create(
    creation: &eframe::CreationContext<'_>,
    start: crate::web::PageStart,
    hook: Hook,
) -> Result<Box<dyn eframe::App>, Box<dyn std::error::Error + Send + Sync>> {
    // Updates repaint the present window, which after a device loss is a new one
    thread_local! {
        static SHOWN: std::cell::RefCell<Option<Context>> = const { std::cell::RefCell::new(None) };
    }
    SHOWN.set(Some(creation.egui_ctx.clone()));
    let wake = || SHOWN.with_borrow(|shown| shown.iter().for_each(Context::request_repaint));
    let options = LaunchOptions { scene: start.scene.map(SceneSource::Bundled), ..LaunchOptions::default() };
    Ok(Box::new(match start.handover {
        Some((worker, why)) => {
            let mut studio = StudioApp::new(creation, worker, &options, hook);
            studio.resume_after_loss(&why);
            studio
        }
        None => StudioApp::new(creation, Worker::new(undine::available_memory(), wake), &options, hook),
    }))
}

/// The rectangle of a pane: side by side in a wide window, one above the other in a tall one.
fn pane_rect(rect: Rect, number: usize, count: usize) -> Rect {
    if count < 2 {
        return rect;
    }
    match (rect.width() > rect.height(), number) {
        (true, 0) => rect.split_left_right_at_fraction(0.5).0,
        (true, _) => rect.split_left_right_at_fraction(0.5).1,
        (false, 0) => rect.split_top_bottom_at_fraction(0.5).0,
        (false, _) => rect.split_top_bottom_at_fraction(0.5).1,
    }
}

impl eframe::App for StudioApp {
    fn ui(&mut self, ui: &mut Ui, frame: &mut eframe::Frame) {
        let gpu = frame.wgpu_render_state().cloned();
        self.exchange();
        self.check_device();
        // While the right button is held, letter keys fly the camera
        if !ui.input(|input| input.pointer.secondary_down()) {
            for command in panels::help::pressed(ui.ctx()) {
                self.execute(command, ui.ctx());
            }
        }
        self.take_dropped_files(ui.ctx());
        let pictures = self.pictures();
        self.lay_out(ui, gpu.as_ref());
        self.adapt_resolution(ui, pictures);
        #[cfg(target_arch = "wasm32")]
        self.continue_film(ui.ctx(), gpu.as_ref());
        self.show_dialogs(ui.ctx(), gpu.as_ref());
        self.update_display_request();
        if !self.requests.is_empty() {
            self.exchange();
            ui.ctx().request_repaint();
        }
        self.report(gpu.as_ref());
        // Test of the recovery from a lost device
        if let (Some(gpu), true) =
            (&gpu, self.loses_device_after.is_some_and(|after| self.pictures() >= after))
        {
            self.loses_device_after = None;
            lock(&self.device).is_destroyed = true;
            gpu.device.destroy();
        }
        // A page is restarted by its script
        if self.loss().is_some() && cfg!(not(target_arch = "wasm32")) {
            ui.ctx().send_viewport_cmd(egui::ViewportCommand::Close);
        }
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        eframe::set_value(storage, STORAGE_KEY, &self.preferences);
    }

    #[cfg(target_arch = "wasm32")]
    fn as_any_mut(&mut self) -> Option<&mut dyn std::any::Any> {
        Some(&mut *self)
    }
}
