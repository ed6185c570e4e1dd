//! Interactive tools shared by the sections of several models: name, icon and settings; each section writes its own TOML.

use undine_scene::{Gesture, Placement, ToolEntry, ToolSetting};

type Write = fn(&Placement<'_>) -> String;

/// Places a source of water.
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

/// Places a sink of water.
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

/// Places a source or a force that oscillates.
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
