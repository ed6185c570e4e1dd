//! CPU renderers; no graphics driver needed.
//!
//! [`preview`] is a software rasteriser for water with sun, sky, reflection and refraction. [`trace`] is a path tracer of
//! the same scenes. [`classic`] renders water by the methods of 1990 and 2007. [`plots`] draws fields as plots with a
//! scale; [`flat`] composites 2-D fluids from layers: dye, smoke, flames. All take a [`Frame`](undine_frame::Frame), use
//! all threads and give the same bits for any number of them. The keys of scene files are in [`SECTIONS`];
//! [`Pictures::read`] turns them into [`PictureSpec`]s and [`draw`] renders one.
//!
//! ```
//! use undine_frame::{Frame, Mesh};
//! use undine_render::{PictureSpec, draw};
//!
//! let mut frame = Frame::new(0, 0.0);
//! frame.meshes.push(Mesh::flat_sheet("lake", [40.0, 40.0], [64, 64]));
//! let spec = PictureSpec { width: 64, height: 36, ..PictureSpec::default() };
//! let picture = draw(&spec, &frame)?;
//! // The sky above is brighter than the water below.
//! assert!(picture.pixel(32, 0) > picture.pixel(32, 35));
//! # Ok::<(), undine_render::DrawError>(())
//! ```

#[cfg(feature = "checks")]
mod bench;
mod bloom;
mod camera;
pub mod caustics;
pub mod classic;
pub mod colour;
mod compare;
pub mod contact_sheet;
mod effort;
pub mod flat;
mod keys;
mod mipmap;
mod noise;
pub mod optics;
mod picture;
pub mod plots;
pub mod preview;
pub mod props;
mod sections;
mod settings;
pub mod sky;
mod spec;
mod streamlines;
pub mod trace;
#[cfg(feature = "checks")]
mod validation;

use undine_scene::Problem;

pub use camera::{Camera, CameraPath, Waypoint};
pub use compare::difference;
pub use effort::{AutoChoices, Effort};
pub use picture::{Picture, PictureWithPasses, RadianceImage};
pub use sections::{CAMERA, PICTURE, PROP, SECTIONS, SKY};
pub use settings::Pictures;
pub use spec::{Daylight, PictureKind, PictureSpec, draw, draw_with_passes};

/// The validation cases and benchmarks of this crate.
#[cfg(feature = "checks")]
pub static SUITES: &[undine_checks::Suite] =
    &[undine_checks::Suite { cases: validation::CASES, benches: bench::BENCHES }];

/// Why a picture could not be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DrawError {
    /// A mesh is inconsistent, such as normals that do not match its vertices in number.
    #[error("mesh \"{name}\" is broken: {fault}")]
    Mesh {
        /// Name of the mesh.
        name: String,
        /// What is wrong with it.
        fault: String,
    },
    /// The frame does not have the requested field.
    #[error("{}", no_field(wanted, known))]
    NoField {
        /// The requested field; empty for any.
        wanted: String,
        /// The fields of the frame.
        known: Vec<String>,
    },
    /// The frame has no counters of the requested unit.
    #[error("{}", no_counters(wanted, known))]
    NoCounters {
        /// The requested unit.
        wanted: String,
        /// The units of the counters of the frame.
        known: Vec<String>,
    },
    /// A field has the wrong number of values.
    #[error("field \"{name}\" is broken: {fault}")]
    Raster {
        /// Name of the field.
        name: String,
        /// What is wrong with it.
        fault: String,
    },
    /// The frame holds more than 2³² − 2 triangles and particles.
    #[error("the frame holds too many triangles and particles to draw")]
    TooMuch,
    /// A value of the scene file that cannot be used at the time of the frame, with its place.
    #[error("{0}")]
    Scene(Box<Problem>),
}

impl From<Problem> for DrawError {
    fn from(problem: Problem) -> DrawError {
        DrawError::Scene(Box::new(problem))
    }
}

fn no_counters(wanted: &str, known: &[String]) -> String {
    match known {
        [] => format!("there are no counters of \"{wanted}\": this water counts nothing"),
        known => format!("there are no counters of \"{wanted}\"; one of {}", known.join(", ")),
    }
}

fn no_field(wanted: &str, known: &[String]) -> String {
    match known {
        [] => String::from("there is nothing to plot: the frame has no fields"),
        known => format!("there is no field \"{wanted}\"; one of {}", known.join(", ")),
    }
}
