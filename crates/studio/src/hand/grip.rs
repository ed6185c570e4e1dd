//! From a tool of the palette, in shares of the water's size, to a grip in metres.

use std::f64::consts::PI;

use glam::DVec2;

use super::Grip;
use crate::panels::tools::{Tool, ToolSettings};

/// Waves that one click starts at a side.
const WAVES: f64 = 4.0;

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
        Tool::Spring => Grip::Spring { radius, rate, is_drain: false },
        Tool::Drain => Grip::Spring { radius, rate, is_drain: true },
        Tool::Wobble => Grip::Wobble { radius, rate, period: settings.period },
        Tool::Raise => Grip::Ground { radius, speed: settings.height * radius },
        Tool::Dig => Grip::Ground { radius, speed: -settings.height * radius },
        Tool::Obstacle => Grip::Obstacle,
        Tool::Move => Grip::Move,
        Tool::Erase => Grip::Erase,
        Tool::Waves => {
            Grip::Waves { height: settings.height * radius, period: settings.period, count: WAVES }
        }
    }
}

/// How far a grip reaches; none for one without a radius.
pub fn reach(grip: Grip) -> Option<f64> {
    match grip {
        Grip::Push { radius, .. }
        | Grip::Drop { radius, .. }
        | Grip::Pour { radius, .. }
        | Grip::Spring { radius, .. }
        | Grip::Wobble { radius, .. }
        | Grip::Ground { radius, .. } => Some(radius),
        _ => None,
    }
}
