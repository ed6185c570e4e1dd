//! Pictures on the CPU, no driver needed.

pub mod colour;
mod noise;
pub mod optics;
pub mod picture;
pub mod preview;
pub mod sky;

pub use picture::{Picture, Radiance};

/// Why a picture could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum DrawError {
    /// The parts of a mesh do not fit together.
    #[error("mesh \"{name}\" is broken: {fault}")]
    Mesh {
        /// Name of the mesh.
        name: String,
        /// What is wrong with it.
        fault: String,
    },
    /// The frame holds more than four thousand million triangles and particles.
    #[error("the frame holds too many triangles and particles to draw")]
    TooMuch,
}
