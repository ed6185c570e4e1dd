//! What the window remembers from one day to the next.

use serde::{Deserialize, Serialize};

use crate::panels::gallery::Gallery;
use crate::panels::knobs::Knobs;
use crate::panels::plots::Plots;
use crate::panels::tools::{Tool, ToolSettings};
use crate::view::PaneView;

/// Under which name it is kept.
pub const STORAGE_KEY: &str = "undine studio";

/// The panel at the side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
pub enum SidePanel {
    /// None: the water has all of the window.
    Nothing,
    /// The knobs.
    #[default]
    Knobs,
    /// What is shown, and how.
    Views,
    /// Numbers over time.
    Plots,
    /// The scene file.
    Editor,
}

/// Everything that is remembered.
#[derive(Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct Preferences {
    /// The scene that was last open, if it came with Undine or from a file.
    pub scene: String,
    /// How the panes show their water.
    pub views: [PaneView; 2],
    /// Whether there are two panes.
    pub is_split: bool,
    /// The tool in hand.
    pub tool: Tool,
    /// How the tools are set.
    pub tools: ToolSettings,
    /// The panel at the side.
    pub side: SidePanel,
    /// Whether only the water is shown.
    pub is_bare: bool,
    /// Pixels of pictures per pixel of the screen.
    pub fineness: f32,
    /// Whether moving pictures are coarser where the graphics card is slow.
    pub is_paced: bool,
    /// The gallery's filters.
    pub gallery: Gallery,
    /// The knobs' search.
    pub knobs: Knobs,
    /// Which plots are shown.
    pub plots: Plots,
    /// The folder of files that were opened or saved.
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
            is_bare: false,
            fineness: 1.0,
            is_paced: true,
            gallery: Gallery::default(),
            knobs: Knobs::default(),
            plots: Plots::default(),
            folder: String::new(),
        }
    }
}
