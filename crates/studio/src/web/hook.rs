//! State and widgets of the studio for tests and other programs: they drive it by real mouse and keyboard input, and
//! read here what it shows.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use egui::accesskit::Node;
use egui::{Context, FullOutput};
use serde::Serialize;

/// The state of the studio.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct StudioState {
    /// The scene's name; empty while none is open.
    pub scene: String,
    /// Whether the simulation is running.
    pub is_running: bool,
    /// Speed relative to the scene's clock; infinite for as fast as possible, which is null in
    /// JSON.
    pub speed: f64,
    /// The frame of the scene that is shown.
    pub frame: u64,
    /// Its time in seconds.
    pub time: f64,
    /// Volume of water in cubic metres, or square metres in 2-D.
    pub volume: f64,
    /// Time steps since the scene was opened.
    pub steps: u64,
    /// Time steps per second, recently.
    pub steps_per_second: f64,
    /// Pictures rendered since the window was opened.
    pub pictures: u64,
    /// Pictures per second, recently.
    pub pictures_per_second: f64,
    /// Number of actions, without undone ones.
    pub actions: usize,
    /// What the first pane shows.
    pub view: String,
    /// The renderer: the name of the adapter and its backend, or the CPU.
    pub painter: String,
    /// Messages that are shown.
    pub problems: Vec<String>,
}

/// A widget on the screen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Widget {
    /// Its label.
    pub label: String,
    /// Its accessibility role, such as `Button`.
    pub role: String,
    /// Left, top, right and bottom, in points of the window.
    pub rect: [f64; 4],
    /// Whether it is enabled.
    pub is_enabled: bool,
}

/// Access to state, widgets and screenshots. Clones share the same data.
#[derive(Clone, Default)]
pub struct Hook(Arc<Mutex<HookData>>);

#[derive(Default)]
struct HookData {
    state: StudioState,
    widgets: Vec<Widget>,
    screenshot: Option<Arc<egui::ColorImage>>,
}

impl Hook {
    /// Installs a hook in a window.
    pub fn install(context: &Context) -> Hook {
        let hook = Hook::default();
        context.add_plugin(HookPlugin(hook.clone()));
        hook
    }

    /// Sets the state; called in every frame.
    pub fn report(&self, state: StudioState) {
        self.data().state = state;
    }

    /// The present state.
    pub fn state(&self) -> StudioState {
        self.data().state.clone()
    }

    /// The widgets of the last frame. They are collected from the first call on, which itself returns an empty
    /// list.
    pub fn widgets(&self, context: &Context) -> Vec<Widget> {
        context.enable_accesskit();
        context.request_repaint();
        self.data().widgets.clone()
    }

    /// Requests a screenshot of the next frame.
    pub fn request_screenshot(&self, context: &Context) {
        let hook = self.clone();
        context.request_screenshot(move |image| hook.data().screenshot = Some(image));
        context.request_repaint();
    }

    /// Takes the screenshot, once it is there.
    pub fn take_screenshot(&self) -> Option<Arc<egui::ColorImage>> {
        self.data().screenshot.take()
    }

    fn data(&self) -> MutexGuard<'_, HookData> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The egui plugin that collects widgets after every frame.
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
    fn widgets_are_collected_after_the_first_request() {
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
    fn clones_share_the_state() {
        let hook = Hook::default();
        let state = StudioState { scene: "pond".into(), actions: 2, ..StudioState::default() };
        hook.clone().report(state.clone());
        assert_eq!(hook.state(), state);
    }
}
