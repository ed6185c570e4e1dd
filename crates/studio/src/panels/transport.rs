//! The row below the water: run, stand still, go on by a frame, begin again; how fast, and what it costs.

use egui::{Button, ComboBox, Label, RichText, TextWrapMode, Ui};

use super::help::{Command, keys_of};
use super::{brief, named};
use crate::news::{News, RunNews};
use crate::order::Order;

/// The speeds that can be chosen, slowest first.
pub static SPEEDS: &[f64] = &[0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 4.0, f64::INFINITY];

/// Shows the row; it wraps where the window is narrow.
pub fn show(ui: &mut Ui, news: &News, orders: &mut Vec<Order>) {
    ui.horizontal_wrapped(|ui| {
        buttons(ui, news, orders);
        speed(ui, news, orders);
        ui.separator();
        for (index, run) in news.runs.iter().enumerate() {
            numbers(ui, run, news.runs.len() > 1, index);
        }
        if news.runs.is_empty() {
            ui.weak("no water yet");
        }
    });
}

fn buttons(ui: &mut Ui, news: &News, orders: &mut Vec<Order>) {
    let is_open = news.open.is_some();
    let (sign, what) = if news.is_playing { ("▮▮", "stand still") } else { ("▶", "run") };
    if press(ui, is_open, "play", sign, what, Command::PlayPause) {
        orders.push(Order::Play(!news.is_playing));
    }
    if press(ui, is_open, "step", "▶▏", "one frame", Command::Step) {
        orders.push(Order::Step);
    }
    if press(ui, is_open, "reset", "◀◀", "begin again, without what was done by hand", Command::Reset) {
        orders.push(Order::Reset);
    }
    let can_replay = is_open && news.actions > 0;
    if press(ui, can_replay, "replay", "↻", "begin again and do everything again", Command::Replay) {
        orders.push(Order::Replay);
    }
    if press(ui, news.undo > 0, "undo", "↶", "take back what was done by hand", Command::Undo) {
        orders.push(Order::Undo);
    }
    if press(ui, news.redo > 0, "redo", "↷", "do it again", Command::Redo) {
        orders.push(Order::Redo);
    }
}

fn press(ui: &mut Ui, is_enabled: bool, name: &str, sign: &str, what: &str, command: Command) -> bool {
    let button = Button::new(RichText::new(sign).monospace()).min_size(egui::vec2(34.0, 28.0));
    let response = ui.add_enabled(is_enabled, button);
    let response = response.on_hover_text(format!("{what} ({})", keys_of(ui.ctx(), command)));
    named(ui, response, name).clicked()
}

fn speed(ui: &mut Ui, news: &News, orders: &mut Vec<Order>) {
    let now = if news.speed > 0.0 { news.speed } else { 1.0 };
    let combo = ComboBox::from_id_salt("speed").width(64.0).height(360.0).selected_text(speed_name(now));
    let shown = combo.show_ui(ui, |ui| {
        for &speed in SPEEDS {
            let response = ui.add(Button::selectable(speed == now, speed_name(speed)));
            if named(ui, response, format!("speed:{}", speed_name(speed))).clicked() {
                orders.push(Order::Speed(speed));
            }
        }
    });
    named(ui, shown.response.on_hover_text("times as fast as the scene's own clock"), "speed");
}

/// A speed in words.
pub fn speed_name(speed: f64) -> String {
    if speed.is_finite() { format!("{}×", brief(speed)) } else { String::from("as fast as it can") }
}

/// The speed above or below another in the list.
pub fn next_speed(speed: f64, is_up: bool) -> f64 {
    let mut others =
        SPEEDS.iter().copied().filter(|other| if is_up { *other > speed } else { *other < speed });
    let next = if is_up { others.next() } else { others.next_back() };
    next.unwrap_or(speed)
}

fn numbers(ui: &mut Ui, run: &RunNews, is_one_of_two: bool, index: usize) {
    let last = run.frame_count.saturating_sub(1);
    let mut parts = vec![
        ("frame", format!("frame {}/{last}", run.frame), "the frame that has been reached, and the last"),
        ("time", format!("{:.2} s", run.time), "its time"),
        (
            "cost",
            format!("{} ms/frame", brief(1e3 * run.compute_seconds)),
            "what the last frame took to compute",
        ),
        (
            "fps",
            format!("{} frames/s", brief(run.frames_per_second)),
            "frames computed per second on the clock",
        ),
        ("steps", format!("{} steps/s", brief(run.steps_per_second)), "steps per second of computing"),
        (
            "cells",
            format!("{} cells", grouped(run.count.cells)),
            "cells of the grid, or samples of the surface",
        ),
    ];
    if run.count.particles > 0 {
        parts.push((
            "particles",
            format!("{} particles", grouped(run.count.particles)),
            "particles in motion",
        ));
    }
    let volume = format!("volume ±{}", error(run.volume_error));
    parts.push(("volume", volume, "water that is there without having come in, or gone without having left"));
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

/// A share as people say it.
fn error(share: f64) -> String {
    let size = share.abs();
    match size {
        size if size < 1e-12 => String::from("0"),
        size if size < 1e-4 => brief(size),
        size => format!("{} %", brief(100.0 * size)),
    }
}

/// A count with a gap after every three digits.
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
