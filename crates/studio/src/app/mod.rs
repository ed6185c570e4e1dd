//! The window: panels around the water, and one or two panes of it.

mod adaptive_resolution;
mod bar;
mod commands;
mod dialogs;
#[cfg(target_arch = "wasm32")]
mod filming;
mod preferences;
mod report;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use eframe::egui_wgpu::RenderState;
use eframe::wgpu;
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
use dialogs::Dialogs;
pub use preferences::{Preferences, STORAGE_KEY, SidePanel};

/// The scene that a window opens when nothing else is asked for.
pub const FIRST_SCENE: &str = "km-pool";

/// How a window is opened.
#[derive(Debug, Clone, Default)]
pub struct LaunchOptions {
    /// The scene to open; `None` for the one that was last open.
    pub scene: Option<SceneSource>,
    /// Whether pictures are drawn by the processor, whatever graphics there are.
    pub is_software: bool,
    /// Whether what was remembered is left alone.
    pub is_forgetful: bool,
    /// Pictures after which the graphics device is thrown away, to see that the water goes on.
    pub loses_device_after: Option<u64>,
}

/// What is heard of the graphics device.
#[derive(Default)]
struct DeviceStatus {
    /// Why it is gone.
    loss: Option<String>,
    /// What it refused.
    error: Option<String>,
    /// Whether it was thrown away on purpose.
    is_destroyed: bool,
}

fn lock(device: &Mutex<DeviceStatus>) -> MutexGuard<'_, DeviceStatus> {
    device.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The window.
pub struct StudioApp {
    worker: Worker,
    update: SessionUpdate,
    preferences: Preferences,
    panes: [Pane; 2],
    default_view: Option<(Arc<OpenScene>, Arc<DefaultView>)>,
    /// The scene for which the panes were placed.
    framed_scene: String,
    wanted: DisplayRequest,
    dialogs: Dialogs,
    editor: Editor,
    export: ExportPanel,
    /// The message that is shown, until it is closed or another comes.
    message: Option<Message>,
    is_software: bool,
    device: Arc<Mutex<DeviceStatus>>,
    loses_device_after: Option<u64>,
    requests: Vec<Request>,
    hook: Hook,
    /// Pictures up to the last count, and the clock since then.
    last_count: (u64, Stopwatch),
    pictures_per_second: f64,
    resolution: AdaptiveResolution,
    #[cfg(target_arch = "wasm32")]
    filming: Option<filming::PageFilm>,
    /// The frame of the water that the last picture showed, and when that was.
    last_picture: (u64, f64),
}

impl StudioApp {
    /// The window on a context that eframe has made.
    pub fn new(
        creation: &eframe::CreationContext<'_>,
        worker: Worker,
        options: &LaunchOptions,
        hook: Hook,
    ) -> StudioApp {
        theme::install(&creation.egui_ctx);
        let remembered = creation.storage.filter(|_| !options.is_forgetful);
        let preferences: Preferences =
            remembered.and_then(|storage| eframe::get_value(storage, STORAGE_KEY)).unwrap_or_default();
        let mut studio = StudioApp {
            worker,
            update: SessionUpdate::default(),
            panes: Default::default(),
            default_view: None,
            framed_scene: String::new(),
            wanted: DisplayRequest::default(),
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
            filming: None,
            last_picture: (0, 0.0),
            preferences,
        };
        if remembered.is_none() && theme::is_small(&creation.egui_ctx) {
            studio.preferences.side = SidePanel::Nothing;
        }
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

    /// Goes on with a session that another window has left, and says why.
    pub fn resume_after_loss(&mut self, why: &str) {
        self.requests = vec![Request::Display(DisplayRequest::default())];
        self.warn(format!("the graphics device was lost ({why}); the water goes on with a new one"));
    }

    fn warn(&mut self, text: String) {
        self.message = Some(Message { number: 0, kind: MessageKind::Warning, text, places: Vec::new() });
    }

    /// Hears of a device that is lost, or that complains, instead of dying of it.
    fn watch_device(&self, state: &RenderState, context: &Context) {
        let (device, again) = (self.device.clone(), context.clone());
        state.device.set_device_lost_callback(move |reason, message| {
            // A window lets go of its device at the end, which is no loss; in a page only the browser does that
            let mut device = lock(&device);
            let is_gone = reason != wgpu::DeviceLostReason::Destroyed || cfg!(target_arch = "wasm32");
            if is_gone || device.is_destroyed {
                device.loss = Some(format!("{reason:?} {message}").trim().to_owned());
                again.request_repaint();
            }
        });
        let (device, again) = (self.device.clone(), context.clone());
        state.device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let mut device = lock(&device);
            match error {
                wgpu::Error::OutOfMemory { .. } => device.loss = Some(String::from("its memory is full")),
                other => device.error = Some(other.to_string()),
            }
            again.request_repaint();
        }));
    }

    /// A device that refuses what is asked of it no longer paints; the processor does.
    fn check_device(&mut self) {
        let error = lock(&self.device).error.take();
        if let Some(error) = error.filter(|_| !self.is_software) {
            self.is_software = true;
            let words: Vec<&str> = error.split_whitespace().collect();
            let said: String = words.join(" ").chars().take(300).collect();
            self.warn(format!("the graphics card refuses, so pictures are drawn by the processor: {said}"));
        }
    }

    /// Why the graphics device is gone, if it is.
    pub fn loss(&self) -> Option<String> {
        lock(&self.device).loss.clone()
    }

    /// Gives the session back when the window closes.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn into_worker(self) -> Worker {
        self.worker
    }

    /// Gives the session to the window that comes after this one.
    #[cfg(target_arch = "wasm32")]
    pub fn take_worker(&mut self) -> Worker {
        std::mem::replace(&mut self.worker, Worker::new(None, || {}))
    }

    /// Hears from the page that its canvas shows nothing any more.
    #[cfg(target_arch = "wasm32")]
    pub fn lose_device(&mut self, why: String) {
        lock(&self.device).loss = Some(why);
    }

    fn send(&mut self, request: Request) {
        self.requests.push(request);
    }

    /// Takes the updates, and gives the requests of the last picture.
    fn exchange(&mut self) {
        for request in std::mem::take(&mut self.requests) {
            match request {
                // In a page the window itself films what it shows
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

    /// A new scene is looked at afresh; one that was only changed keeps its view.
    fn reset_views(&mut self) {
        let Some((opened, _)) = &self.default_view else { return };
        let name = opened.source.name();
        if name == self.framed_scene {
            return;
        }
        self.panes.iter_mut().for_each(Pane::fit);
        let has = |field: &str| opened.fields.iter().any(|known| known.name == field);
        for view in &mut self.preferences.views {
            let is_gone = match &view.show {
                crate::view::PaneContent::Field(field) | crate::view::PaneContent::Draped(field) => {
                    !has(field)
                }
                _ => false,
            };
            if is_gone {
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

    /// Tells the water what is looked at.
    fn request_frame_contents(&mut self) {
        let Some((_, default_view)) = &self.default_view else { return };
        let mut wanted = DisplayRequest::default();
        for (pane, view) in self.panes.iter().zip(&self.preferences.views).take(self.pane_count()) {
            wanted = wanted.or(pane.wanted(default_view, view));
        }
        wanted.has_divergence = self.preferences.side == SidePanel::Plots;
        if wanted != self.wanted {
            self.wanted = wanted.clone();
            self.send(Request::Display(wanted));
        }
    }

    /// Pictures of water so far.
    fn pictures(&self) -> u64 {
        self.panes.iter().map(Pane::pictures).sum()
    }

    fn pane_count(&self) -> usize {
        if self.preferences.is_split || self.update.runs.len() > 1 { 2 } else { 1 }
    }

    /// The panels around, then the panes in what is left.
    fn lay_out(&mut self, ui: &mut Ui, gpu: Option<&RenderState>) {
        if !self.preferences.is_bare {
            let is_small = theme::is_small(ui.ctx());
            // On a telephone the water needs the room: rows that do not fit are pushed aside, not wrapped
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

    /// The panel at the side.
    fn side(&mut self, ui: &mut Ui) {
        ui.add_space(4.0);
        match self.preferences.side {
            SidePanel::Nothing => {}
            SidePanel::Knobs => self.preferences.knobs.show(ui, &self.update, &mut self.requests),
            SidePanel::Plots => self.preferences.plots.show(ui, &self.update),
            SidePanel::Editor => self.editor.show(ui, &self.update, &mut self.requests),
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
                    let response = ui
                        .add(egui::Slider::new(&mut self.preferences.fineness, 0.25..=2.0).text("fineness"));
                    let response = response
                        .on_hover_text("pixels of the picture per pixel of the screen: less is faster");
                    panels::named(ui, response, "fineness");
                    let response = ui.checkbox(&mut self.preferences.is_paced, "coarser while it moves");
                    let response = response.on_hover_text(
                        "fewer pixels where the graphics card cannot keep up; all of them at rest",
                    );
                    panels::named(ui, response, "coarser while it moves");
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
        let count = self.pane_count();
        let fineness = self.preferences.fineness * self.resolution_fraction(ui, rect);
        for number in 0..count {
            let run = if self.update.runs.len() > 1 { number } else { 0 };
            let setting = PaneContext {
                gpu: gpu.filter(|_| !self.is_software),
                update: &self.update,
                opened: &opened,
                default_view: &default_view,
                run,
                view: &self.preferences.views[number],
                tool: self.preferences.tool,
                tools: &self.preferences.tools,
                fineness,
            };
            let part = pane_rect(rect, number, count);
            let response = self.panes[number].show(ui, part, &setting, &mut self.requests);
            panels::named(ui, response, format!("water:{number}"));
        }
        if count > 1 {
            let line = ui.visuals().widgets.noninteractive.bg_stroke;
            match rect.width() > rect.height() {
                true => drop(ui.painter().vline(rect.center().x, rect.y_range(), line)),
                false => drop(ui.painter().hline(rect.x_range(), rect.center().y, line)),
            }
        }
        let gpu_error = self.panes.iter().find_map(Pane::gpu_error).map(str::to_owned);
        if let (Some(gpu_error), None) = (gpu_error, &self.message) {
            self.warn(format!("{gpu_error}; pictures are drawn by the processor"));
        }
    }

    /// What the water has to say, on top of it.
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

/// The window of a page, as its script starts it.
#[cfg(target_arch = "wasm32")]
pub fn create(
    creation: &eframe::CreationContext<'_>,
    start: crate::web::PageStart,
    hook: Hook,
) -> Result<Box<dyn eframe::App>, Box<dyn std::error::Error + Send + Sync>> {
    // Whoever shows the window is told of updates: another window after a loss, too
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

/// The part of a rectangle that a pane has: side by side, or one above the other where that leaves more room.
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
        // While the view flies, letter keys move it
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
        self.request_frame_contents();
        if !self.requests.is_empty() {
            self.exchange();
            ui.ctx().request_repaint();
        }
        self.report(gpu.as_ref());
        if let (Some(gpu), true) =
            (&gpu, self.loses_device_after.is_some_and(|after| self.pictures() >= after))
        {
            self.loses_device_after = None;
            lock(&self.device).is_destroyed = true;
            gpu.device.destroy();
        }
        // A page is begun again by its script
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
