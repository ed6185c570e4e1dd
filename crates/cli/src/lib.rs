//! Undine: water simulation.
//!
//! This crate is the facade of the whole system. A [`Scene`] is opened by name or path, its waters run in a [`Runner`],
//! and heights, normals and velocities can be sampled at any point:
//!
//! ```
//! use undine::glam::DVec2;
//! use undine::{LoadOptions, MODELS, Runner, Sample};
//!
//! let scene = undine::open("pond", &LoadOptions { scale: 0.1, ..LoadOptions::default() })?;
//! let mut pond = Runner::new(&scene, MODELS, None)?;
//! pond.next_frame()?;
//! let level = pond.height(DVec2::new(0.5, 0.0));
//! assert!(level.is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`run_plan`] does what `undine run` does: it simulates a [`Plan`] and writes a film, meshes, fields and a report into
//! a folder (not on wasm32, which has no folders). The underlying crates are re-exported.

pub mod bundled;
mod outputs;
mod plan;
mod sections;

// The output folder of a run
#[cfg(not(target_arch = "wasm32"))]
mod contact_sheet;
#[cfg(not(target_arch = "wasm32"))]
mod efforts;
#[cfg(not(target_arch = "wasm32"))]
mod estimate;
#[cfg(not(target_arch = "wasm32"))]
mod folder;
#[cfg(not(target_arch = "wasm32"))]
mod report;
#[cfg(not(target_arch = "wasm32"))]
mod resume;
#[cfg(not(target_arch = "wasm32"))]
mod run_plan;
#[cfg(not(target_arch = "wasm32"))]
mod seen_volume;
#[cfg(not(target_arch = "wasm32"))]
mod sinks;
#[cfg(not(target_arch = "wasm32"))]
mod tables;

pub use bundled::{BundledScene, OpenError, SCENES, open};
pub use outputs::{OUTPUT, Outputs};
pub use plan::{Plan, available_memory, check_surfaces, fit_to_machine};
pub use sections::{check_sections, section_names, sections};

#[cfg(not(target_arch = "wasm32"))]
pub use contact_sheet::make_contact_sheet;
#[cfg(not(target_arch = "wasm32"))]
pub use estimate::{TimeEstimate, drawing_seconds, estimate_time};
#[cfg(not(target_arch = "wasm32"))]
pub use folder::{FolderError, OutputPolicy, RunFolder};
#[cfg(not(target_arch = "wasm32"))]
pub use run_plan::{
    ProgressReporter, RunPlanError, RunProgress, RunSettings, RunSummary, VolumeSummary, make_film, run_plan,
};
#[cfg(not(target_arch = "wasm32"))]
pub use sinks::PictureSink;

pub use glam;
pub use undine_export as export;
pub use undine_frame as frame;
pub use undine_frame::{Frame, FrameRequest};
pub use undine_grid as grid;
pub use undine_models as models;
pub use undine_models::MODELS;
pub use undine_render as render;
pub use undine_scene as scene;
pub use undine_scene::{LoadOptions, Scene, SceneErrors};
pub use undine_sim as sim;
pub use undine_sim::{Disturbance, Runner, Sample, Simulation};
pub use undine_surface as surface;
pub use undine_surface::Tessellation;
pub use undine_terrain as terrain;

/// Captures the requested parts of all waters and tessellates their surfaces: the frame that sinks receive.
///
/// ```
/// use undine::frame::FrameRequest;
/// let scene = undine::open("pond", &undine::LoadOptions::default())?;
/// let plan = undine::Plan::new(scene, None)?;
/// let frame = undine::capture(&plan.runner, &FrameRequest::ALL, &plan.tessellation);
/// assert!(!frame.meshes.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn capture(runner: &Runner, request: &FrameRequest, tessellation: &Tessellation) -> Frame {
    let mut frame = undine_sim::capture(runner, request);
    undine_surface::tessellate(&mut frame, request, tessellation);
    frame
}

/// The version of Undine.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
