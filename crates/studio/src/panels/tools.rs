//! The palette of hands: what the pointer does to the water.
//!
//! Some tools are the studio's own: they look, disturb the water, or take hold of what stands in the scene. All others
//! come with the sections that they place, from whoever reads them.

use egui::{Button, Slider, Ui, vec2};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use undine::scene::{KindEntry, Placing, Scene, ToolEntry, ToolSetting};
use undine::sim::{Answers, SectionReader};

use super::help::{Command, keys_of};
use super::knobs::models;
use super::named;
use crate::news::Opened;

/// What the pointer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
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
    /// Moves what stands in the scene; the wheel turns it.
    Move,
    /// Takes away what was placed.
    Erase,
    /// Places a section of the scene, by the tool of this name.
    Place(&'static str),
}

/// A tool as the palette shows it.
struct Card {
    tool: Tool,
    name: &'static str,
    icon: &'static str,
    help: &'static str,
    order: u32,
    settings: Vec<Setting>,
}

/// A setting of the hands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Setting {
    Force,
    Volume,
    Depth,
    Placed(ToolSetting),
}

use Setting::{Depth, Force, Placed, Volume};
use ToolSetting::{Height, Period, Radius, Rate};

/// Every tool, in the order of the palette and of the keys 1 to 9.
fn palette() -> Vec<Card> {
    let own = |tool, order, name, icon, help, settings: &[Setting]| Card {
        tool,
        name,
        icon,
        help,
        order,
        settings: settings.to_vec(),
    };
    let of_section = |tool: &'static ToolEntry| Card {
        tool: Tool::Place(tool.name),
        name: tool.name,
        icon: tool.icon,
        help: tool.help,
        order: tool.order,
        settings: tool.settings.iter().map(|setting| Placed(*setting)).collect(),
    };
    let mut cards = vec![
        own(Tool::Look, 0, "look", "◉", "Drag to turn around the water, or to move the page.", &[]),
        own(Tool::Push, 10, "push", "➜", "Drag to push the water along.", &[Placed(Radius), Force]),
        own(Tool::Drop, 20, "drop", "●", "Click to let something fall in.", &[Placed(Radius), Volume]),
        own(Tool::Pour, 30, "pour", "⇊", "Hold to pour water in.", &[Placed(Radius), Placed(Rate)]),
        own(Tool::DrawOff, 40, "draw off", "⇈", "Hold to draw water off.", &[Placed(Radius), Placed(Rate)]),
        own(Tool::Rain, 50, "rain", "┆┆", "Hold to let it rain on everything.", &[Depth]),
        own(Tool::Move, 120, "move", "↔", "Drag an obstacle; the wheel turns it.", &[]),
        own(Tool::Erase, 130, "erase", "×", "Click what was placed to take it away.", &[]),
    ];
    for tool in section_tools() {
        if cards.iter().all(|card| card.name != tool.name) {
            cards.push(of_section(tool));
        }
    }
    cards.sort_by_key(|card| card.order);
    cards
}

/// The tools of all sections that any water reads.
fn section_tools() -> impl Iterator<Item = &'static ToolEntry> {
    let sections = undine::MODELS.iter().flat_map(|model| model.sections).map(|used| used.section);
    sections.flat_map(|section| section.kinds).flat_map(|kind| kind.tools)
}

/// The tool of a section with this name; where several sections have one, they differ only in what they write.
pub fn section_tool(name: &str) -> Option<&'static ToolEntry> {
    section_tools().find(|tool| tool.name == name)
}

/// A tool of a section in a scene: who reads the section, the kind that it places, and the tool itself.
pub struct Suited<'r> {
    /// The water that reads the section.
    pub reader: &'r SectionReader,
    /// What is placed.
    pub kind: &'static KindEntry,
    /// The tool.
    pub tool: &'static ToolEntry,
}

/// The tool of this name that places something in the first water that takes it while it runs.
pub fn suited<'r>(name: &str, readers: &'r [SectionReader]) -> Option<Suited<'r>> {
    readers.iter().filter(|reader| reader.live).find_map(|reader| {
        let mut kinds = reader.section.kinds_in(reader.dimension);
        let (kind, tool) =
            kinds.find_map(|kind| Some((kind, kind.tools.iter().find(|tool| tool.name == name)?)))?;
        Some(Suited { reader, kind, tool })
    })
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
    /// The tool with a number in the palette, from 0.
    pub fn numbered(number: usize) -> Option<Tool> {
        palette().get(number).map(|card| card.tool)
    }

    /// The tool with this name.
    pub fn named(name: &str) -> Option<Tool> {
        palette().iter().find(|card| card.name == name).map(|card| card.tool)
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        palette().iter().find(|card| card.tool == self).map_or("look", |card| card.name)
    }
}

impl Serialize for Tool {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.name().serialize(to)
    }
}

impl<'de> Deserialize<'de> for Tool {
    /// Reads a tool by its name, however it is spelled. One that is no longer there becomes the first.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Tool, D::Error> {
        let plain = |name: &str| name.replace(' ', "").to_lowercase();
        let wanted = plain(&String::deserialize(from)?);
        Ok(palette().iter().find(|card| plain(card.name) == wanted).map(|card| card.tool).unwrap_or_default())
    }
}

/// Whether the waters of a scene understand a tool.
pub fn suits(tool: Tool, open: &Opened) -> bool {
    unsuited(tool, &open.scene, &open.readers).is_none()
}

/// Why the waters of a scene do not understand a tool; `None` when they do.
fn unsuited(tool: Tool, scene: &Scene, readers: &[SectionReader]) -> Option<String> {
    let answers = |asked: fn(&Answers) -> bool| models(scene).iter().any(|model| asked(&model.answers));
    let stands = |is_meant: fn(Placing, usize) -> bool| {
        readers.iter().filter(|reader| reader.live).any(|reader| {
            let mut kinds = reader.section.kinds_in(reader.dimension);
            kinds.any(|kind| is_meant(kind.placing, reader.dimension))
        })
    };
    let (is_understood, reason) = match tool {
        Tool::Look => (true, ""),
        Tool::Push => (answers(|answers| answers.push), "this water follows a formula and cannot be pushed"),
        Tool::Drop => {
            (answers(|answers| answers.drop), "this water follows a formula and nothing can fall in")
        }
        Tool::Pour => (answers(|answers| answers.source), "nothing can be poured into this water"),
        Tool::DrawOff => (answers(|answers| answers.draw_off), "nothing can be drawn off from this water"),
        Tool::Rain => (answers(|answers| answers.rain), "rain has no meaning for this water"),
        Tool::Move => {
            let is_understood = stands(|placing, dimension| placing == Placing::Body && dimension == 2);
            (is_understood, "only obstacles in a plane can be moved, and this water takes none while it runs")
        }
        Tool::Erase => {
            (stands(|placing, _| placing != Placing::Nowhere), "nothing can be placed in this water")
        }
        Tool::Place(name) => return suited(name, readers).is_none().then(|| refusal(name)),
    };
    (!is_understood).then(|| reason.to_owned())
}

/// What is said of a tool whose section no water at hand takes.
fn refusal(name: &str) -> String {
    let has_tool = |kind: &KindEntry| kind.tools.iter().any(|tool| tool.name == name);
    let mut sections: Vec<&str> = Vec::new();
    let mut is_flat = true;
    for section in undine::MODELS.iter().flat_map(|model| model.sections).map(|used| used.section) {
        for kind in section.kinds.iter().filter(|kind| has_tool(kind)) {
            is_flat &= !kind.fits(3);
            if !sections.contains(&section.name) {
                sections.push(section.name);
            }
        }
    }
    let place = if is_flat { " in a plane" } else { "" };
    format!("this water takes no {}{place} while it runs", sections.join(" or "))
}

/// Shows the palette. Tools that the open scene does not understand are grey and say why.
pub fn show(ui: &mut Ui, chosen: &mut Tool, settings: &mut ToolSettings, open: Option<&Opened>) {
    let cards = palette();
    ui.horizontal_wrapped(|ui| {
        for (index, card) in cards.iter().enumerate() {
            let reason = match open {
                Some(open) => unsuited(card.tool, &open.scene, &open.readers),
                None if card.tool == Tool::Look => None,
                None => Some(String::from("no scene is open")),
            };
            tool_button(ui, chosen, card, index, reason);
        }
    });
    if let Some(card) = cards.iter().find(|card| card.tool == *chosen) {
        settings_of(ui, &card.settings, settings);
    }
}

fn tool_button(ui: &mut Ui, chosen: &mut Tool, card: &Card, index: usize, reason: Option<String>) {
    let keys = keys_of(ui.ctx(), Command::Tool(index));
    let keys = if keys.is_empty() { keys } else { format!(" ({keys})") };
    let button = Button::selectable(*chosen == card.tool, format!("{} {}", card.icon, card.name));
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
                Placed(Radius) => {
                    slide(ui, &mut settings.radius, "radius", 0.005..=0.5, "of the water's longer side")
                }
                Force => slide(ui, &mut settings.force, "force", 0.05..=5.0, "of the pointer's own speed"),
                Volume => {
                    slide(ui, &mut settings.volume, "volume", 0.02..=5.0, "as a height, in radii of the hand")
                }
                Placed(Rate) => slide(
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
                Placed(Period) => {
                    slide(ui, &mut settings.period, "period", 0.05..=60.0, "seconds between crests")
                }
                Placed(Height) => {
                    slide(ui, &mut settings.height, "height", 0.01..=5.0, "in radii of the hand")
                }
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
