//! A look over the studio's shoulder, for programs that drive it: the tests of the page do what a person does, with a real
//! mouse, and read here what a person would see.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use egui::accesskit::Node;
use egui::{Context, FullOutput};
use serde::Serialize;

/// What the studio shows at a moment.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct StudioState {
    /// The scene's name; empty while none is open.
    pub scene: String,
    /// Whether time goes on.
    pub is_running: bool,
    /// Times as fast as the scene's own clock that it should go; infinite for as fast as it can, which JSON has no word for
    /// but null.
    pub speed: f64,
    /// The frame of the scene that is shown.
    pub frame: u64,
    /// Its time in seconds.
    pub time: f64,
    /// The water that there is, in cubic metres, or square metres in the plane.
    pub volume: f64,
    /// Steps taken since the scene was opened.
    pub steps: u64,
    /// Steps taken in the last second of the clock.
    pub steps_per_second: f64,
    /// Pictures of water painted since the page was opened.
    pub pictures: u64,
    /// Pictures painted in the last second of the clock.
    pub pictures_per_second: f64,
    /// What the hand did and has not taken back.
    pub actions: usize,
    /// What is shown of the water.
    pub view: String,
    /// What paints: the name of the adapter and its kind.
    pub painter: String,
    /// What the studio has to complain about, as the person reads it.
    pub problems: Vec<String>,
}

/// Something on the screen that can be read or clicked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Widget {
    /// What it says.
    pub label: String,
    /// What it is, such as `Button`.
    pub role: String,
    /// Left, top, right and bottom, in points of the window.
    pub rect: [f64; 4],
    /// Whether it answers to a click.
    pub is_enabled: bool,
}

/// What the studio tells of itself. Clones tell and are told the same.
#[derive(Clone, Default)]
pub struct Hook(Arc<Mutex<HookData>>);

#[derive(Default)]
struct HookData {
    state: StudioState,
    widgets: Vec<Widget>,
    screenshot: Option<Arc<egui::ColorImage>>,
}

impl Hook {
    /// A hook that sees what a window shows.
    pub fn install(context: &Context) -> Hook {
        let hook = Hook::default();
        context.add_plugin(HookPlugin(hook.clone()));
        hook
    }

    /// Tells what is shown now; the app calls it in every frame.
    pub fn report(&self, state: StudioState) {
        self.data().state = state;
    }

    /// What is shown now.
    pub fn state(&self) -> StudioState {
        self.data().state.clone()
    }

    /// What was on the screen in the last frame. Nobody takes that down until it is first asked for, and the first answer
    /// is empty.
    pub fn widgets(&self, context: &Context) -> Vec<Widget> {
        context.enable_accesskit();
        context.request_repaint();
        self.data().widgets.clone()
    }

    /// Has the next frame taken down, pixel by pixel.
    pub fn request_screenshot(&self, context: &Context) {
        let hook = self.clone();
        context.request_screenshot(move |image| hook.data().screenshot = Some(image));
        context.request_repaint();
    }

    /// The frame that was taken down, once it is there.
    pub fn take_screenshot(&self) -> Option<Arc<egui::ColorImage>> {
        self.data().screenshot.take()
    }

    fn data(&self) -> MutexGuard<'_, HookData> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What egui calls after every frame.
struct HookPlugin(Hook);

impl egui::Plugin for HookPlugin {
    fn debug_name(&self) -> &'static str {
        "undine hook"
    }

    fn output_hook(&mut self, _: &Context, output: &mut FullOutput) {
        if let Some(tree) = &output.platform_output.accesskit_update {
            self.0.data().widgets = tree.nodes.iter().filter_map(|(_, node)| widget(node)).collect();
        }
    }
}

fn widget(node: &Node) -> Option<Widget> {
    let label = node.label().or(node.value()).filter(|label| !label.is_empty())?;
    let bounds = node.bounds()?;
    Some(Widget {
        label: label.to_owned(),
        role: format!("{:?}", node.role()),
        rect: [bounds.x0, bounds.y0, bounds.x1, bounds.y1],
        is_enabled: !node.is_disabled(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(context: &Context) {
        let mut output = context.run_ui(egui::RawInput::default(), |ui| {
            let _ = ui.button("pour");
            ui.add_enabled(false, egui::Button::new("undo"));
        });
        output.textures_delta.clear();
    }

    #[test]
    fn widgets_are_seen_where_they_are_once_somebody_asks() {
        let context = Context::default();
        let hook = Hook::install(&context);
        frame(&context);
        assert!(hook.widgets(&context).is_empty());
        frame(&context);
        let widgets = hook.widgets(&context);
        let pour = widgets.iter().find(|widget| widget.label == "pour").unwrap();
        let undo = widgets.iter().find(|widget| widget.label == "undo").unwrap();
        assert_eq!((pour.role.as_str(), pour.is_enabled, undo.is_enabled), ("Button", true, false));
        assert!(pour.rect[0] < pour.rect[2] && pour.rect[3] <= undo.rect[1], "{pour:?} {undo:?}");
    }

    #[test]
    fn what_was_reported_is_what_is_told() {
        let hook = Hook::default();
        let state = StudioState { scene: "pond".into(), actions: 2, ..StudioState::default() };
        hook.clone().report(state.clone());
        assert_eq!(hook.state(), state);
    }
}
