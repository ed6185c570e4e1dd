//! Tools that the sections of several waters share: one name, sign and settings, and each section writes itself.

use undine_scene::{Gesture, Placement, ToolEntry, ToolSetting};

type Write = fn(&Placement<'_>) -> String;

/// Places what gives water.
pub(crate) const fn spring(write: Write) -> ToolEntry {
    ToolEntry {
        name: "spring",
        icon: "↟",
        help: "Click to place a spring; drag it to where it should be.",
        order: 60,
        settings: &[ToolSetting::Radius, ToolSetting::Rate],
        gesture: Gesture::Click,
        write,
    }
}

/// Places what takes water away.
pub(crate) const fn drain(write: Write) -> ToolEntry {
    ToolEntry {
        name: "drain",
        icon: "↡",
        help: "Click to place a drain; drag it to where it should be.",
        order: 70,
        settings: &[ToolSetting::Radius, ToolSetting::Rate],
        gesture: Gesture::Click,
        write,
    }
}

/// Places what gives and takes, or pushes to and fro, in turn.
pub(crate) const fn wobble(write: Write) -> ToolEntry {
    ToolEntry {
        name: "wobble",
        icon: "∼",
        help: "Click to place a source that comes and goes.",
        order: 80,
        settings: &[ToolSetting::Radius, ToolSetting::Rate, ToolSetting::Period],
        gesture: Gesture::Click,
        write,
    }
}
