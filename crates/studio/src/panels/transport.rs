//! Transport controls below the panes: run, pause, step, restart, speed, and the statistics of the runs.

use egui::{Button, ComboBox, Label, RichText, TextWrapMode, Ui};

use super::help::{UiCommand, keys_of};
use super::{format_number, named};
use crate::request::Request;
use crate::update::{RunStatus, SessionUpdate};

/// The speeds that can be chosen, slowest first.
pub static SPEEDS: &[f64] = &[0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 4.0, f64::INFINITY];

/// Shows the row; it wraps where the window is narrow.
pub fn show(ui: &mut Ui, update: &SessionUpdate, requests: &mut Vec<Request>) {
    ui.horizontal_wrapped(|ui| {
        buttons(ui, update, requests);
        speed(ui, update, requests);
        ui.separator();
        for (index, run) in update.runs.iter().enumerate() {
            statistics(ui, run, update.runs.len() > 1, index);
        }
        if update.runs.is_empty() {
            ui.weak("no scene is open");
        }
    });
}

fn buttons(ui: &mut Ui, update: &SessionUpdate, requests: &mut Vec<Request>) {
    let is_open = update.open.is_some();
    let (sign, what) = if update.is_playing { ("▮▮", "pause") } else { ("▶", "run") };
    if press(ui, is_open, "play", sign, what, UiCommand::PlayPause) {
        requests.push(Request::Play(!update.is_playing));
    }
    if press(ui, is_open, "step", "▶▏", "advance by one frame", UiCommand::Step) {
        requests.push(Request::Step);
    }
    if press(ui, is_open, "reset", "◀◀", "restart without the actions", UiCommand::Reset) {
        requests.push(Request::Reset);
    }
    let can_replay = is_open && update.actions > 0;
    if press(ui, can_replay, "replay", "↻", "restart and repeat all actions", UiCommand::Replay) {
        requests.push(Request::Replay);
    }
    if press(ui, update.undo > 0, "undo", "↶", "undo the last actions", UiCommand::Undo) {
        requests.push(Request::Undo);
    }
    if press(ui, update.redo > 0, "redo", "↷", "redo", UiCommand::Redo) {
        requests.push(Request::Redo);
    }
}

fn press(ui: &mut Ui, is_enabled: bool, name: &str, sign: &str, what: &str, command: UiCommand) -> bool {
    let button = Button::new(RichText::new(sign).monospace()).min_size(egui::vec2(34.0, 28.0));
    let response = ui.add_enabled(is_enabled, button);
    let response = response.on_hover_text(format!("{what} ({})", keys_of(ui.ctx(), command)));
    named(ui, response, name).clicked()
}

fn speed(ui: &mut Ui, update: &SessionUpdate, requests: &mut Vec<Request>) {
    let now = if update.speed > 0.0 { update.speed } else { 1.0 };
    let combo = ComboBox::from_id_salt("speed").width(64.0).height(360.0).selected_text(speed_name(now));
    let shown = combo.show_ui(ui, |ui| {
        for &speed in SPEEDS {
            let response = ui.add(Button::selectable(speed == now, speed_name(speed)));
            if named(ui, response, format!("speed:{}", speed_name(speed))).clicked() {
                requests.push(Request::Speed(speed));
            }
        }
    });
    named(ui, shown.response.on_hover_text("simulated seconds per second"), "speed");
}

/// The label of a speed.
pub fn speed_name(speed: f64) -> String {
    if speed.is_finite() { format!("{}×", format_number(speed)) } else { String::from("unlimited") }
}

/// The next higher or lower speed of the list.
pub fn next_speed(speed: f64, is_up: bool) -> f64 {
    let mut others =
        SPEEDS.iter().copied().filter(|other| if is_up { *other > speed } else { *other < speed });
    let next = if is_up { others.next() } else { others.next_back() };
    next.unwrap_or(speed)
}

/// The statistics of a run, each a label with a tooltip.
fn statistics(ui: &mut Ui, run: &RunStatus, is_one_of_two: bool, index: usize) {
    // Name, text and meaning of each
    let last = run.frame_count.saturating_sub(1);
    let mut parts = vec![
        ("frame", format!("frame {}/{last}", run.frame), "the current frame and the last one of the film"),
        ("time", format!("{:.2} s", run.time), "its time"),
        (
            "cost",
            format!("{} ms/frame", format_number(1e3 * run.compute_seconds)),
            "computing time of the last frame",
        ),
        (
            "fps",
            format!("{} frames/s", format_number(run.frames_per_second)),
            "frames per second of wall-clock time",
        ),
        (
            "steps",
            format!("{} steps/s", format_number(run.steps_per_second)),
            "time steps per second of computing time",
        ),
        ("cells", format!("{} cells", grouped(run.count.cells)), "grid cells, or samples of the surface"),
    ];
    if run.count.particles > 0 {
        parts.push(("particles", format!("{} particles", grouped(run.count.particles)), "particles"));
    }
    let volume = format!("volume ±{}", error(run.volume_error));
    parts.push(("volume", volume, "relative error of the volume ledger: held − (initial + in − out)"));
    // Two runs are told apart by the name of the model
    if is_one_of_two {
        let colour = super::theme::line_colour(ui.visuals(), index);
        ui.label(RichText::new(&run.model).color(colour).strong());
    }
    for (name, text, meaning) in parts {
        let label = Label::new(RichText::new(text).small()).wrap_mode(TextWrapMode::Extend);
        let response = ui.add(label).on_hover_text(meaning);
        named(ui, response, format!("{name}:{index}"));
    }
}

/// A relative error as a number or in per cent.
fn error(relative: f64) -> String {
    let size = relative.abs();
    match size {
        size if size < 1e-12 => String::from("0"),
        size if size < 1e-4 => format_number(size),
        size => format!("{} %", format_number(100.0 * size)),
    }
}

/// A count with groups of three digits.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{a0}');
        }
        text.push(digit);
    }
    text
}
