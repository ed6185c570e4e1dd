//! What the window tells programs that look over its shoulder.

use eframe::egui_wgpu::RenderState;
use undine::sim::Stopwatch;

use super::Studio;
use crate::view::Show;
use crate::web::State;

impl Studio {
    /// Tells what is shown now.
    pub(super) fn report(&mut self, gpu: Option<&RenderState>) {
        let pictures = self.pictures();
        let elapsed = self.counted.1.seconds();
        if elapsed > 0.5 {
            self.pictures_per_second = (pictures - self.counted.0) as f64 / elapsed;
            self.counted = (pictures, Stopwatch::start());
        }
        let run = self.news.runs.first().cloned().unwrap_or_default();
        let painter = match gpu.filter(|_| !self.is_software) {
            Some(gpu) => {
                let info = gpu.adapter.get_info();
                format!("{} ({:?})", info.name, info.backend)
            }
            None => String::from("the processor"),
        };
        self.hook.report(State {
            scene: self.news.open.as_ref().map(|opened| opened.scene.name.clone()).unwrap_or_default(),
            is_running: self.news.is_playing,
            speed: self.news.speed,
            frame: run.frame,
            time: run.time,
            volume: run.budget.volume.held,
            steps: run.steps,
            steps_per_second: run.steps_per_second,
            pictures,
            pictures_per_second: self.pictures_per_second,
            actions: self.news.actions,
            view: match &self.kept.views[0].show {
                Show::Best => String::from("best"),
                Show::Surface => String::from("surface"),
                Show::Particles => String::from("particles"),
                Show::Field(field) => field.clone(),
                Show::Draped(field) => format!("{field} on the surface"),
            },
            painter,
            problems: self.message.iter().map(|message| message.text.clone()).collect(),
        });
    }
}
