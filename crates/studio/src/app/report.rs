//! The state of the window, reported to tests and other programs through the hook.

use eframe::egui_wgpu::RenderState;
use undine::sim::Stopwatch;

use super::StudioApp;
use crate::view::PaneContent;
use crate::web::StudioState;

impl StudioApp {
    /// Reports the present state.
    pub(super) fn report(&mut self, gpu: Option<&RenderState>) {
        // Frame rate over half a second
        let pictures = self.pictures();
        let elapsed = self.last_count.1.seconds();
        if elapsed > 0.5 {
            self.pictures_per_second = (pictures - self.last_count.0) as f64 / elapsed;
            self.last_count = (pictures, Stopwatch::start());
        }
        // Adapter, or the CPU
        let run = self.update.runs.first().cloned().unwrap_or_default();
        let painter = match gpu.filter(|_| !self.is_software) {
            Some(gpu) => {
                let info = gpu.adapter.get_info();
                format!("{} ({:?})", info.name, info.backend)
            }
            None => String::from("the processor"),
        };
        self.hook.report(StudioState {
            scene: self.update.open.as_ref().map(|opened| opened.scene.name.clone()).unwrap_or_default(),
            is_running: self.update.is_playing,
            speed: self.update.speed,
            frame: run.frame,
            time: run.time,
            volume: run.budget.volume.held,
            steps: run.steps,
            steps_per_second: run.steps_per_second,
            pictures,
            pictures_per_second: self.pictures_per_second,
            actions: self.update.actions,
            view: match &self.preferences.views[0].show {
                PaneContent::Best => String::from("best"),
                PaneContent::Surface => String::from("surface"),
                PaneContent::Section => String::from("section"),
                PaneContent::Particles => String::from("particles"),
                PaneContent::Field(field) => field.clone(),
                PaneContent::Draped(field) => format!("{field} on the surface"),
            },
            painter,
            problems: self.message.iter().map(|message| message.text.clone()).collect(),
        });
    }
}
