//! The scene file of Undine: read and checked, every problem reported with its location in the text.
//!
//! A scene is TOML. This crate knows its frame (includes, overrides, the `[scene]` section) but no model by name:
//! the code that reads a section supplies its [`Key`]s, and gets [`Values`] or all problems at once.
//!
//! ```
//! use undine_scene::{Key, LoadOptions, Scene};
//!
//! static POOL: &[Key] = &[Key::number("depth").unit("m").positive_to(12000.0), Key::timed("level").or(0.0)];
//!
//! let text = "[scene]\nduration = 2\n[pool]\ndepth = 3\nlevel = '0.1*sin(t)'\n";
//! let scene = Scene::parse("pool", text, &LoadOptions::default())?;
//! let pool = scene.section("pool").read(&[POOL])?;
//! assert_eq!(pool.number("depth"), 3.0);
//! assert_eq!(pool.timed("level").at(0.0)?, 0.0);
//!
//! let errors = Scene::parse("pool", "[scene]\nduration = -1\n", &LoadOptions::default()).unwrap_err();
//! assert!(errors.to_string().starts_with("pool:2:12: duration must be above 0 s"));
//! # Ok::<(), undine_scene::SceneErrors>(())
//! ```

mod check;
mod colour;
mod defaults;
mod depth;
mod edit;
mod entry;
mod expression;
mod fence;
mod file;
mod formula;
mod functions;
mod include;
mod interval;
mod name;
mod numbers;
mod overrides;
mod phrase;
mod problem;
mod program;
mod quadrature;
mod resolved;
mod scene;
mod schema;
mod section;
mod source_location;
mod suggest;
mod timed;
mod tool;
mod tree;
mod values;

pub use edit::Edit;
pub use entry::{KindEntry, Placing, SectionEntry};
pub use file::SceneFile;
pub use formula::Formula;
pub use problem::{Problem, SceneErrors};
pub use scene::{LoadOptions, SCENE, SCENE_KEYS, Scene};
pub use schema::{Absent, Key, Kind, Range};
pub use section::Section;
pub use source_location::SourceLocation;
pub use suggest::remedy as known_words;
pub use timed::{Timed, active_fraction};
pub use tool::{Gesture, Placement, ToolEntry, ToolSetting};
pub use values::Values;
