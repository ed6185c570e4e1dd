//! Preferences, stored between sessions.

use serde::{Deserialize, Serialize};

use crate::panels::gallery::Gallery;
use crate::panels::knobs::Knobs;
use crate::panels::plots::Plots;
use crate::panels::tools::{Tool, ToolSettings};
use crate::view::PaneView;

/// The key under which they are stored.
pub const STORAGE_KEY: &str = "undine studio";

/// The side panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
pub enum SidePanel {
    /// None.
    Nothing,
    /// The knobs.
    #[default]
    Knobs,
    /// View settings.
    Views,
    /// Time series.
    Plots,
    /// The scene file.
    Editor,
}

/// Everything that is stored.
#[derive(Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct Preferences {
    /// The bundled scene that was open last.
    pub scene: String,
    /// View settings of the panes.
    pub views: [PaneView; 2],
    /// Whether there are two panes.
    pub is_split: bool,
    /// The active tool.
    pub tool: Tool,
    /// Settings of the tools.
    pub tools: ToolSettings,
    /// The side panel.
    pub side: SidePanel,
    /// Whether all panels are hidden.
    #[serde(rename = "is_bare")]
    pub hides_panels: bool,
    /// Rendered pixels per screen pixel.
    #[serde(rename = "fineness")]
    pub resolution_scale: f32,
    /// Whether the resolution is lowered while the water moves and the GPU is too slow.
    #[serde(rename = "is_paced")]
    pub adapts_resolution: bool,
    /// Filters of the gallery.
    pub gallery: Gallery,
    /// Search in the knobs.
    pub knobs: Knobs,
    /// Selected plots.
    pub plots: Plots,
    /// The folder of the last file dialog.
    pub folder: String,
}

impl Default for Preferences {
    fn default() -> Self {
        Preferences {
            scene: String::new(),
            views: Default::default(),
            is_split: false,
            tool: Tool::Push,
            tools: ToolSettings::default(),
            side: SidePanel::Knobs,
            hides_panels: false,
            resolution_scale: 1.0,
            adapts_resolution: true,
            gallery: Gallery::default(),
            knobs: Knobs::default(),
            plots: Plots::default(),
            folder: String::new(),
        }
    }
}
