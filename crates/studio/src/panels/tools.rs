//! The tool palette: what the pointer does.
//!
//! Some tools belong to the studio: they navigate, disturb the water, or move and erase placed items. All others place a
//! section and come from its `SectionEntry`.

use egui::{Button, Slider, Ui, vec2};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use undine::scene::{KindEntry, Placing, Scene, ToolEntry, ToolSetting};
use undine::sim::{Answers, SectionReader};

use super::help::{UiCommand, keys_of};
use super::knobs::models;
use super::named;
use crate::update::OpenScene;

/// A tool of the palette.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Tool {
    /// Navigates: orbits the water.
    #[default]
    Look,
    /// Pushes the water along.
    Push,
    /// Adds a drop.
    Drop,
    /// Pours water in while held.
    Pour,
    /// Draws water off while held.
    DrawOff,
    /// Rains while held.
    Rain,
    /// Heaps up ground.
    Raise,
    /// Digs ground away.
    Dig,
    /// Builds a dam along a straight line.
    Dam,
    /// Moves a placed item; the wheel rotates it.
    Move,
    /// Removes a placed item.
    Erase,
    /// Places a section of the scene, by the tool of this name.
    Place(&'static str),
}

/// A tool as the palette shows it.
struct ToolCard {
    tool: Tool,
    name: &'static str,
    icon: &'static str,
    help: &'static str,
    order: u32,
    settings: Vec<SettingKind>,
}

/// A slider of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SettingKind {
    Force,
    Volume,
    Depth,
    Crest,
    Placed(ToolSetting),
}

use SettingKind::{Crest, Depth, Force, Placed, Volume};
use ToolSetting::{Height, Period, Radius, Rate};

/// All tools, in the order of the palette and of the keys 1 to 9.
fn palette() -> Vec<ToolCard> {
    let own = |tool, order, name, icon, help, settings: &[SettingKind]| ToolCard {
        tool,
        name,
        icon,
        help,
        order,
        settings: settings.to_vec(),
    };
    let of_section = |tool: &'static ToolEntry| ToolCard {
        tool: Tool::Place(tool.name),
        name: tool.name,
        icon: tool.icon,
        help: tool.help,
        order: tool.order,
        settings: tool.settings.iter().map(|setting| Placed(*setting)).collect(),
    };
    // The studio's own tools
    let mut cards = vec![
        own(Tool::Look, 0, "look", "◉", "Drag to orbit the water, or to pan the page.", &[]),
        own(Tool::Push, 10, "push", "➜", "Drag to push the water along.", &[Placed(Radius), Force]),
        own(Tool::Drop, 20, "drop", "●", "Click to add a drop.", &[Placed(Radius), Volume]),
        own(Tool::Pour, 30, "pour", "⇊", "Hold to pour water in.", &[Placed(Radius), Placed(Rate)]),
        own(Tool::DrawOff, 40, "draw off", "⇈", "Hold to draw water off.", &[Placed(Radius), Placed(Rate)]),
        own(Tool::Rain, 50, "rain", "┆┆", "Hold to rain on the whole water.", &[Depth]),
        own(Tool::Raise, 90, "raise", "▲", "Drag to heap up ground.", &[Placed(Radius), Placed(Height)]),
        own(Tool::Dig, 100, "dig", "▼", "Drag to dig ground away.", &[Placed(Radius), Placed(Height)]),
        own(Tool::Dam, 110, "dam", "◢", "Drag a line to build a dam along it.", &[Placed(Radius), Crest]),
        own(Tool::Move, 120, "move", "↔", "Drag an obstacle; the wheel rotates it.", &[]),
        own(Tool::Erase, 130, "erase", "×", "Click a placed item to remove it.", &[]),
    ];
    // One card per section tool, although several sections may have it
    for tool in section_tools() {
        if cards.iter().all(|card| card.name != tool.name) {
            cards.push(of_section(tool));
        }
    }
    cards.sort_by_key(|card| card.order);
    cards
}

/// The tools of all sections that any model reads.
fn section_tools() -> impl Iterator<Item = &'static ToolEntry> {
    let sections = undine::MODELS.iter().flat_map(|model| model.sections).map(|used| used.section);
    sections.flat_map(|section| section.kinds).flat_map(|kind| kind.tools)
}

/// The section tool of this name; where several sections have one, they differ only in what they write.
pub fn section_tool(name: &str) -> Option<&'static ToolEntry> {
    section_tools().find(|tool| tool.name == name)
}

/// A section tool that a water of the scene supports.
pub struct SectionToolMatch<'r> {
    /// The water that reads the section.
    pub reader: &'r SectionReader,
    /// The kind that is placed.
    pub kind: &'static KindEntry,
    /// The tool.
    pub tool: &'static ToolEntry,
}

/// The tool of this name of the first water whose sections may change while it runs.
pub fn find_section_tool<'r>(name: &str, readers: &'r [SectionReader]) -> Option<SectionToolMatch<'r>> {
    readers.iter().filter(|reader| reader.live).find_map(|reader| {
        let mut kinds = reader.section.kinds_in(reader.dimension);
        let (kind, tool) =
            kinds.find_map(|kind| Some((kind, kind.tools.iter().find(|tool| tool.name == name)?)))?;
        Some(SectionToolMatch { reader, kind, tool })
    })
}

/// Settings of the tools. Lengths are relative to the size of the water, so that one setting fits a cup and a bay.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolSettings {
    /// Radius per longer side of the water.
    pub radius: f64,
    /// Velocity of pushed water per velocity of the pointer.
    pub force: f64,
    /// Volume of a drop as the height of a cylinder, per radius.
    pub volume: f64,
    /// Depth that pouring adds below the tool in a second, per radius.
    pub rate: f64,
    /// Depth of rain in a second, in thousandths of the longer side of the water.
    pub rain: f64,
    /// Wave period in seconds.
    pub period: f64,
    /// Height of waves, or of ground raised or dug in a second, per radius.
    pub height: f64,
    /// Height of the crest of a dam above the surface where it begins, per radius.
    pub crest: f64,
}

impl Default for ToolSettings {
    fn default() -> Self {
        ToolSettings {
            radius: 0.05,
            force: 1.0,
            volume: 0.5,
            rate: 1.0,
            rain: 1.0,
            period: 1.0,
            height: 0.2,
            crest: 1.0,
        }
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

    /// Its name.
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
    /// Reads a tool by its name, regardless of case and spaces. An unknown one becomes the first.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Tool, D::Error> {
        let plain = |name: &str| name.replace(' ', "").to_lowercase();
        let wanted = plain(&String::deserialize(from)?);
        Ok(palette().iter().find(|card| plain(card.name) == wanted).map(|card| card.tool).unwrap_or_default())
    }
}

/// Whether a water of the scene supports a tool.
pub fn is_usable(tool: Tool, open: &OpenScene) -> bool {
    refusal(tool, &open.scene, &open.readers).is_none()
}

/// Why no water of the scene supports a tool; `None` if one does.
fn refusal(tool: Tool, scene: &Scene, readers: &[SectionReader]) -> Option<String> {
    let answers = |asked: fn(&Answers) -> bool| models(scene).iter().any(|model| asked(&model.answers));
    let offers = |fits: fn(Placing, usize) -> bool| {
        readers.iter().filter(|reader| reader.live).any(|reader| {
            let mut kinds = reader.section.kinds_in(reader.dimension);
            kinds.any(|kind| fits(kind.placing, reader.dimension))
        })
    };
    let (is_supported, reason) = match tool {
        Tool::Look => (true, ""),
        Tool::Push => (answers(|answers| answers.push), "this water follows a formula and cannot be pushed"),
        Tool::Drop => (answers(|answers| answers.drop), "this water follows a formula and takes no drops"),
        Tool::Pour => (answers(|answers| answers.source), "this water has no sources"),
        Tool::DrawOff => (answers(|answers| answers.draw_off), "this water has no sinks"),
        Tool::Rain => (answers(|answers| answers.rain), "this water takes no rain"),
        Tool::Raise | Tool::Dig => {
            let is_supported =
                answers(|answers| answers.ground) || find_section_tool(tool.name(), readers).is_some();
            (is_supported, "this water has no ground that can be changed while it runs")
        }
        Tool::Dam => {
            (answers(|answers| answers.ground), "this water has no ground that can be dammed while it runs")
        }
        Tool::Move => {
            let is_supported = offers(|placing, dimension| placing == Placing::Body && dimension == 2);
            (is_supported, "only obstacles in a plane can be moved, and this water takes none while it runs")
        }
        Tool::Erase => {
            (offers(|placing, _| placing != Placing::Nowhere), "nothing can be placed in this water")
        }
        Tool::Place(name) => {
            return find_section_tool(name, readers).is_none().then(|| section_refusal(name));
        }
    };
    (!is_supported).then(|| reason.to_owned())
}

/// Why a section tool is refused: no water of the scene reads a section that has it.
fn section_refusal(name: &str) -> String {
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

/// Shows the palette. Tools that the open scene does not support are disabled, with the reason as a tooltip.
pub fn show(ui: &mut Ui, chosen: &mut Tool, settings: &mut ToolSettings, open: Option<&OpenScene>) {
    let cards = palette();

    ui.horizontal_wrapped(|ui| {
        for (index, card) in cards.iter().enumerate() {
            let reason = match open {
                Some(open) => refusal(card.tool, &open.scene, &open.readers),
                None if card.tool == Tool::Look => None,
                None => Some(String::from("no scene is open")),
            };
            tool_button(ui, chosen, card, index, reason);
        }
    });
    if let Some(card) = cards.iter().find(|card| card.tool == *chosen) {
        setting_sliders(ui, &card.settings, settings);
    }
}

fn tool_button(ui: &mut Ui, chosen: &mut Tool, card: &ToolCard, index: usize, reason: Option<String>) {
    let keys = keys_of(ui.ctx(), UiCommand::Tool(index));
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

/// A slider for each setting of the active tool.
fn setting_sliders(ui: &mut Ui, shown: &[SettingKind], settings: &mut ToolSettings) {
    ui.horizontal_wrapped(|ui| {
        for setting in shown {
            match setting {
                Placed(Radius) => {
                    slide(ui, &mut settings.radius, "radius", 0.005..=0.5, "of the water's longer side")
                }
                Force => slide(ui, &mut settings.force, "force", 0.05..=5.0, "of the pointer's own speed"),
                Volume => slide(ui, &mut settings.volume, "volume", 0.02..=5.0, "as a height, in radii"),
                Placed(Rate) => {
                    slide(ui, &mut settings.rate, "rate", 0.02..=20.0, "depth per second, in radii")
                }
                Depth => slide(
                    ui,
                    &mut settings.rain,
                    "rain",
                    0.01..=100.0,
                    "depth per second, in thousandths of the longer side",
                ),
                Placed(Period) => {
                    slide(ui, &mut settings.period, "period", 0.05..=60.0, "wave period in seconds")
                }
                Crest => {
                    slide(ui, &mut settings.crest, "crest", 0.05..=10.0, "above where it begins, in radii")
                }
                Placed(Height) => slide(ui, &mut settings.height, "height", 0.01..=5.0, "in radii"),
            }
        }
    });
}

fn slide(ui: &mut Ui, value: &mut f64, name: &str, range: std::ops::RangeInclusive<f64>, meaning: &str) {
    ui.label(name).on_hover_text(meaning);
    ui.spacing_mut().slider_width = 90.0;
    let slider = Slider::new(value, range)
        .logarithmic(true)
        .custom_formatter(|number, _| super::format_number(number));
    let response = ui.add(slider).on_hover_text(meaning);
    named(ui, response, format!("setting:{name}"));
}
