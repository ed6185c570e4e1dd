//! The palette of hands: what the pointer does to the water.

use egui::{Button, Slider, Ui, vec2};
use serde::{Deserialize, Serialize};
use undine::scene::Scene;

use super::help::{Command, keys_of};
use super::knobs::{is_in_space, is_live_list, is_read, models};
use super::named;
use crate::news::Opened;

/// What the pointer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Tool {
    /// Turns around the water.
    #[default]
    Look,
    /// Pushes the water along.
    Push,
    /// Lets something fall in.
    Drop,
    /// Pours water in while held.
    Pour,
    /// Draws water off while held.
    DrawOff,
    /// Lets it rain while held.
    Rain,
    /// Places a spring.
    Spring,
    /// Places a drain.
    Drain,
    /// Places a source that comes and goes like a sine.
    Wobble,
    /// Heaps up ground.
    Raise,
    /// Digs ground away.
    Dig,
    /// Draws a polygon that stands in the way.
    Obstacle,
    /// Moves an obstacle; the wheel turns it.
    Move,
    /// Takes away what was placed.
    Erase,
    /// Sends waves from a side.
    Waves,
}

/// What a tool is made of.
struct Card {
    tool: Tool,
    name: &'static str,
    sign: &'static str,
    help: &'static str,
    settings: &'static [Setting],
}

/// A setting of the hands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Setting {
    Radius,
    Force,
    Volume,
    Rate,
    Depth,
    Period,
    Height,
}

use Setting::{Depth, Force, Height, Period, Radius, Rate, Volume};

static CARDS: &[Card] = &[
    card(Tool::Look, "look", "◉", "Drag to turn around the water, or to move the page.", &[]),
    card(Tool::Push, "push", "➜", "Drag to push the water along.", &[Radius, Force]),
    card(Tool::Drop, "drop", "●", "Click to let something fall in.", &[Radius, Volume]),
    card(Tool::Pour, "pour", "⇊", "Hold to pour water in.", &[Radius, Rate]),
    card(Tool::DrawOff, "draw off", "⇈", "Hold to draw water off.", &[Radius, Rate]),
    card(Tool::Rain, "rain", "┆┆", "Hold to let it rain on everything.", &[Depth]),
    card(
        Tool::Spring,
        "spring",
        "↟",
        "Click to place a spring; drag it to where it should be.",
        &[Radius, Rate],
    ),
    card(
        Tool::Drain,
        "drain",
        "↡",
        "Click to place a drain; drag it to where it should be.",
        &[Radius, Rate],
    ),
    card(
        Tool::Wobble,
        "wobble",
        "∼",
        "Click to place a source that comes and goes.",
        &[Radius, Rate, Period],
    ),
    card(Tool::Raise, "raise", "▲", "Drag to heap up ground.", &[Radius, Height]),
    card(Tool::Dig, "dig", "▼", "Drag to dig ground away.", &[Radius, Height]),
    card(
        Tool::Obstacle,
        "obstacle",
        "◇",
        "Draw around it, or click corner after corner; a click on the first closes the polygon.",
        &[],
    ),
    card(Tool::Move, "move", "↔", "Drag an obstacle; the wheel turns it.", &[]),
    card(Tool::Erase, "erase", "×", "Click what was placed to take it away.", &[]),
    card(Tool::Waves, "waves", "≋", "Click near a side to send waves from it.", &[Height, Period]),
];

const fn card(
    tool: Tool,
    name: &'static str,
    sign: &'static str,
    help: &'static str,
    settings: &'static [Setting],
) -> Card {
    Card { tool, name, sign, help, settings }
}

/// What the hands are set to. Lengths are shares of the water's size, so that one setting suits a cup and a bay.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolSettings {
    /// How far a hand reaches, as a share of the water's longer side.
    pub radius: f64,
    /// How fast pushed water goes, as a share of the pointer's own speed.
    pub force: f64,
    /// How high what falls in stands above the water, as a share of the hand's radius.
    pub volume: f64,
    /// How much is poured: the depth that a second adds below the hand, as a share of its radius.
    pub rate: f64,
    /// Rain in metres per second, as a share of the water's longer side, in thousandths.
    pub rain: f64,
    /// Seconds between crests.
    pub period: f64,
    /// Height of ground that is heaped up or dug per second, and of waves, as a share of the hand's radius.
    pub height: f64,
}

impl Default for ToolSettings {
    fn default() -> Self {
        ToolSettings { radius: 0.05, force: 1.0, volume: 0.5, rate: 1.0, rain: 1.0, period: 1.0, height: 0.2 }
    }
}

impl Tool {
    /// Every tool, in the order of the palette and of the keys 1 to 9.
    pub const ALL: [Tool; 15] = [
        Tool::Look,
        Tool::Push,
        Tool::Drop,
        Tool::Pour,
        Tool::DrawOff,
        Tool::Rain,
        Tool::Spring,
        Tool::Drain,
        Tool::Wobble,
        Tool::Raise,
        Tool::Dig,
        Tool::Obstacle,
        Tool::Move,
        Tool::Erase,
        Tool::Waves,
    ];

    fn card(self) -> &'static Card {
        CARDS.iter().find(|card| card.tool == self).unwrap_or(&CARDS[0])
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        self.card().name
    }

    /// What it does, in a sentence.
    pub fn help(self) -> &'static str {
        self.card().help
    }
}

/// Whether the waters of a scene understand a tool.
pub fn suits(tool: Tool, open: &Opened) -> bool {
    unsuited(tool, &open.scene).is_none()
}

/// Why the waters of a scene do not understand a tool; `None` when they do.
fn unsuited(tool: Tool, scene: &Scene) -> Option<&'static str> {
    let is_live = |name| is_read(scene, name) && is_live_list(scene, name);
    let moves = models(scene).iter().any(|model| !model.sections.is_empty());
    let (is_understood, reason) = match tool {
        Tool::Look => (true, ""),
        Tool::Push => (moves, "this water follows a formula and cannot be pushed"),
        Tool::Drop => {
            let takes_stones = models(scene).iter().any(|model| model.name == "sine-waves");
            (moves || takes_stones, "this water follows a formula and nothing can fall in")
        }
        Tool::Pour => (is_live("source") || is_live("emitter"), "nothing can be poured into this water"),
        Tool::DrawOff | Tool::Rain | Tool::Waves => (is_live("source"), "only water over land does that"),
        Tool::Spring | Tool::Wobble => {
            (is_live("source") || is_live("emitter"), "this water takes no sources while it runs")
        }
        Tool::Drain => (is_live("source") || is_live("drain"), "this water takes no drains while it runs"),
        Tool::Raise | Tool::Dig => {
            (is_live("terrain"), "this water has no ground that could change while it runs")
        }
        Tool::Obstacle | Tool::Move if is_in_space(scene) => {
            (false, "polygons stand only in fluids on a page")
        }
        Tool::Obstacle | Tool::Move => (is_live("obstacle"), "this water takes no obstacles while it runs"),
        Tool::Erase => {
            let lists = ["source", "emitter", "drain", "obstacle"];
            (lists.into_iter().any(is_live), "nothing can be placed in this water")
        }
    };
    (!is_understood).then_some(reason)
}

/// Shows the palette. Tools that the open scene does not understand are grey and say why.
pub fn show(ui: &mut Ui, chosen: &mut Tool, settings: &mut ToolSettings, open: Option<&Opened>) {
    ui.horizontal_wrapped(|ui| {
        for (index, card) in CARDS.iter().enumerate() {
            tool_button(ui, chosen, card, index, open);
        }
    });
    settings_of(ui, chosen.card().settings, settings);
}

fn tool_button(ui: &mut Ui, chosen: &mut Tool, card: &Card, index: usize, open: Option<&Opened>) {
    let reason = match open {
        Some(open) => unsuited(card.tool, &open.scene),
        None if card.tool == Tool::Look => None,
        None => Some("no scene is open"),
    };
    let keys = keys_of(ui.ctx(), Command::Tool(index));
    let keys = if keys.is_empty() { keys } else { format!(" ({keys})") };
    let button = Button::selectable(*chosen == card.tool, format!("{} {}", card.sign, card.name));
    let response =
        ui.add_enabled(reason.is_none(), button.frame_when_inactive(true).min_size(vec2(0.0, 28.0)));
    let response = response.on_hover_text(format!("{}{keys}", card.help));
    let response = response.on_disabled_hover_text(reason.unwrap_or_default());
    if named(ui, response, format!("tool:{}", card.name)).clicked() {
        *chosen = card.tool;
    }
}

fn settings_of(ui: &mut Ui, shown: &[Setting], settings: &mut ToolSettings) {
    ui.horizontal_wrapped(|ui| {
        for setting in shown {
            match setting {
                Radius => {
                    slide(ui, &mut settings.radius, "radius", 0.005..=0.5, "of the water's longer side")
                }
                Force => slide(ui, &mut settings.force, "force", 0.05..=5.0, "of the pointer's own speed"),
                Volume => {
                    slide(ui, &mut settings.volume, "volume", 0.02..=5.0, "as a height, in radii of the hand")
                }
                Rate => slide(
                    ui,
                    &mut settings.rate,
                    "rate",
                    0.02..=20.0,
                    "depth per second, in radii of the hand",
                ),
                Depth => slide(
                    ui,
                    &mut settings.rain,
                    "rain",
                    0.01..=100.0,
                    "depth per second, in thousandths of the longer side",
                ),
                Period => slide(ui, &mut settings.period, "period", 0.05..=60.0, "seconds between crests"),
                Height => slide(ui, &mut settings.height, "height", 0.01..=5.0, "in radii of the hand"),
            }
        }
    });
}

fn slide(ui: &mut Ui, value: &mut f64, name: &str, range: std::ops::RangeInclusive<f64>, meaning: &str) {
    ui.label(name).on_hover_text(meaning);
    ui.spacing_mut().slider_width = 90.0;
    let slider =
        Slider::new(value, range).logarithmic(true).custom_formatter(|number, _| super::brief(number));
    let response = ui.add(slider).on_hover_text(meaning);
    named(ui, response, format!("setting:{name}"));
}
