//! From a tool of the palette, in shares of the water's size, to a grip in metres.

use std::f64::consts::PI;

use glam::DVec2;
use undine::scene::ToolSetting;

use super::{Grip, Size};
use crate::panels::tools::{Tool, ToolSettings, section_tool};

/// What a hand with this tool holds, in water between two corners.
pub fn grip(tool: Tool, settings: &ToolSettings, [low, high]: [DVec2; 2]) -> Grip {
    let long = (high - low).max_element().max(1e-9);
    let radius = settings.radius * long;
    let disc = PI * radius * radius;
    let rate = settings.rate * radius * disc;
    match tool {
        Tool::Look => Grip::Nothing,
        Tool::Push => Grip::Push { radius, strength: settings.force },
        Tool::Drop => Grip::Drop { radius, volume: settings.volume * radius * disc },
        Tool::Pour => Grip::Pour { radius, rate },
        Tool::DrawOff => Grip::Pour { radius, rate: -rate },
        Tool::Rain => Grip::Rain { rate: 1e-3 * settings.rain * long },
        Tool::Move => Grip::Move,
        Tool::Erase => Grip::Erase,
        Tool::Place(tool) => {
            let height = settings.height * radius;
            Grip::Place { tool, size: Size { radius, rate, period: settings.period, height } }
        }
    }
}

/// How far a grip reaches; none for one without a radius.
pub fn reach(grip: Grip) -> Option<f64> {
    match grip {
        Grip::Push { radius, .. } | Grip::Drop { radius, .. } | Grip::Pour { radius, .. } => Some(radius),
        Grip::Place { tool, size } => {
            let settings = section_tool(tool)?.settings;
            settings.contains(&ToolSetting::Radius).then_some(size.radius)
        }
        _ => None,
    }
}
