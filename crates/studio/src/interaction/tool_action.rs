//! From a tool of the palette, whose settings are relative to the size of the water, to a [`ToolAction`] in metres.

use std::f64::consts::PI;

use glam::DVec2;
use undine::scene::ToolSetting;

use super::{PlacementSize, ToolAction};
use crate::panels::tools::{Tool, ToolSettings, section_tool};

/// The action of a tool on water with this bounding box.
pub fn tool_action(tool: Tool, settings: &ToolSettings, [low, high]: [DVec2; 2]) -> ToolAction {
    let long = (high - low).max_element().max(1e-9);
    let radius = settings.radius * long;
    let disc = PI * radius * radius;
    let rate = settings.rate * radius * disc;
    let size = PlacementSize { radius, rate, period: settings.period, height: settings.height * radius };
    match tool {
        Tool::Look => ToolAction::None,
        Tool::Push => ToolAction::Push { radius, strength: settings.force },
        Tool::Drop => ToolAction::Drop { radius, volume: settings.volume * radius * disc },
        Tool::Pour => ToolAction::Pour { radius, rate },
        Tool::DrawOff => ToolAction::Pour { radius, rate: -rate },
        Tool::Rain => ToolAction::Rain { rate: 1e-3 * settings.rain * long },
        Tool::Move => ToolAction::Move,
        Tool::Erase => ToolAction::Erase,
        Tool::Raise => ToolAction::Ground { is_raised: true, size },
        Tool::Dig => ToolAction::Ground { is_raised: false, size },
        Tool::Dam => ToolAction::Dam { radius, crest: settings.crest * radius },
        Tool::Place(tool) => ToolAction::Place { tool, size },
    }
}

/// The radius of an action, for the overlay; `None` for one without a radius.
pub fn tool_radius(action: ToolAction) -> Option<f64> {
    match action {
        ToolAction::Push { radius, .. }
        | ToolAction::Drop { radius, .. }
        | ToolAction::Pour { radius, .. }
        | ToolAction::Dam { radius, .. }
        | ToolAction::Ground { size: PlacementSize { radius, .. }, .. } => Some(radius),
        ToolAction::Place { tool, size } => {
            let settings = section_tool(tool)?.settings;
            settings.contains(&ToolSetting::Radius).then_some(size.radius)
        }
        _ => None,
    }
}
