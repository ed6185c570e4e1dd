//! The desktop window. When its graphics device is lost, it is replaced by a new window with the same session.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use egui::ViewportBuilder;
use undine::{OutputPolicy, Plan, RunSettings, run_plan};

use super::arguments::Arguments;
use crate::app::{FIRST_SCENE, LaunchOptions, StudioApp};
use crate::request::SceneSource;
use crate::session::read_scene;
use crate::web::Hook;
use crate::worker::Worker;

/// Number of device losses after which the program gives up.
const MAX_LOSSES: usize = 5;

/// What a window hands over to its replacement.
#[derive(Default)]
struct Handover {
    worker: Option<Worker>,
    loss: Option<String>,
}

/// Opens the window and returns when it is closed.
pub fn open(arguments: &Arguments) -> Result<(), String> {
    let mut options = LaunchOptions {
        scene: arguments.source(),
        is_software: arguments.is_software,
        ignores_preferences: arguments.is_fresh,
        loses_device_after: arguments.loses_device_after,
    };
    // Updates repaint the present window, which after a device loss is a new one
    let shown: Arc<Mutex<Option<egui::Context>>> = Arc::default();
    let wake = shown.clone();
    let worker = Worker::new(undine::available_memory(), move || {
        if let Some(context) = &*wake.lock().unwrap_or_else(PoisonError::into_inner) {
            context.request_repaint();
        }
    });
    let handover = Rc::new(RefCell::new(Handover { worker: Some(worker), loss: None }));
    for _ in 0..MAX_LOSSES {
        let shown = shown.clone();
        let result = run_window(&options, &handover, arguments.report.clone(), shown);
        let is_lost = handover.borrow().loss.is_some();
        match result {
            Ok(()) if !is_lost => return Ok(()),
            Ok(()) => options.loses_device_after = None,
            Err(error) => return film_without_window(&options, &error.to_string()),
        }
    }
    Err(String::from("the graphics device was lost repeatedly; try --software"))
}

fn run_window(
    launch: &LaunchOptions,
    handover: &Rc<RefCell<Handover>>,
    report: Option<PathBuf>,
    shown: Arc<Mutex<Option<egui::Context>>>,
) -> eframe::Result {
    let options = eframe::NativeOptions {
        viewport: ViewportBuilder::default()
            .with_title("Undine")
            .with_app_id("undine-studio")
            .with_inner_size([1280.0, 800.0])
            .with_min_inner_size([240.0, 240.0]),
        persist_window: !launch.ignores_preferences,
        ..eframe::NativeOptions::default()
    };
    let (launch, handover) = (launch.clone(), handover.clone());
    let create = move |creation: &eframe::CreationContext<'_>| {
        *shown.lock().unwrap_or_else(PoisonError::into_inner) = Some(creation.egui_ctx.clone());
        let hook = Hook::install(&creation.egui_ctx);
        let Handover { worker, loss } = handover.take();
        let worker = worker.ok_or("the session is missing")?;
        let mut studio = StudioApp::new(creation, worker, &launch, hook.clone());
        if let Some(why) = loss {
            studio.resume_after_loss(&why);
        }
        Ok(Box::new(ReportingApp { studio: Some(studio), handover, hook, report }) as Box<dyn eframe::App>)
    };
    // Libraries may panic when they use a device that was just lost; the session is safe on its own thread
    let shown = AssertUnwindSafe(|| eframe::run_native("undine-studio", options, Box::new(create)));
    catch_unwind(shown).unwrap_or(Ok(()))
}

/// The application, which hands over its session when its window closes, and writes its state to a report file.
struct ReportingApp {
    studio: Option<StudioApp>,
    handover: Rc<RefCell<Handover>>,
    hook: Hook,
    report: Option<PathBuf>,
}

impl ReportingApp {
    fn write_report(&self, context: &egui::Context) {
        let Some(path) = &self.report else { return };
        let report = serde_json::json!({ "state": self.hook.state(), "widgets": self.hook.widgets(context) });
        // A failed write leaves the old report
        let _ = undine::frame::AtomicFile::write_all_to(path, report.to_string().as_bytes());
    }
}

impl eframe::App for ReportingApp {
    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        if let Some(studio) = &mut self.studio {
            eframe::App::ui(studio, ui, frame);
        }
        self.write_report(ui.ctx());
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        if let Some(studio) = &mut self.studio {
            studio.save(storage);
        }
    }
}

impl Drop for ReportingApp {
    fn drop(&mut self) {
        if let Some(studio) = self.studio.take() {
            let broken = || std::thread::panicking().then(|| String::from("panic while rendering"));
            let loss = studio.loss().or_else(broken);
            *self.handover.borrow_mut() = Handover { worker: Some(studio.into_worker()), loss };
        }
    }
}

/// Without an adapter there is no window: films the scene with the software preview instead.
fn film_without_window(options: &LaunchOptions, why: &str) -> Result<(), String> {
    let source = options.scene.clone().unwrap_or(SceneSource::Bundled(FIRST_SCENE.to_owned()));
    eprintln!("there is no window: {why}");
    let scene = read_scene(&source).map_err(|errors| errors.to_string())?;
    let out = PathBuf::from("out").join(&scene.name);
    eprintln!("the software preview films {} into {} instead", scene.name, out.display());
    let mut plan = Plan::new(scene, undine::available_memory()).map_err(|errors| errors.to_string())?;
    crate::export::replace_traced_by_preview(&mut plan.pictures);
    let settings = RunSettings { policy: OutputPolicy::Overwrite, ..RunSettings::new(out) };
    let done = run_plan(plan, &settings, &mut ()).map_err(|error| error.to_string())?;
    done.films.iter().for_each(|film| println!("{}", film.display()));
    Ok(())
}
