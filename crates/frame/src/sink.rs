//! Sinks: receivers of frames.

use std::path::PathBuf;

use crate::{Frame, FrameRequest};

/// Which frames a sink is given.
///
/// ```
/// use undine_frame::Schedule;
/// assert!(Schedule::Every(5).includes(10) && !Schedule::Every(5).includes(11));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schedule {
    /// Frames 0, n, 2n, …; 1 means every frame.
    Every(u64),
}

impl Schedule {
    /// Whether this frame is included.
    pub fn includes(self, frame: u64) -> bool {
        match self {
            Schedule::Every(n) => frame.is_multiple_of(n.max(1)),
        }
    }
}

/// Why a sink could not write a frame.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// A file could not be written or read.
    #[error("cannot write {path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The frame cannot be expressed in the format.
    #[error("{0}")]
    Unsuited(String),
}

impl SinkError {
    /// For `map_err`: attaches the path to an I/O error.
    pub fn at(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> SinkError {
        let path = path.into();
        move |source| SinkError::Io { path, source }
    }
}

/// Receives the frames of a run one after another: a picture sequence, mesh files, the cache, a table.
///
/// ```
/// use undine_frame::{Frame, Sink, SinkError, FrameRequest};
///
/// /// Counts the triangles that pass by.
/// struct Counter(usize);
///
/// impl Sink for Counter {
///     fn name(&self) -> &'static str {
///         "counter"
///     }
///     fn request(&self) -> FrameRequest {
///         FrameRequest { meshes: true, ..FrameRequest::default() }
///     }
///     fn write(&mut self, frame: &Frame) -> Result<(), SinkError> {
///         self.0 += frame.meshes.iter().map(|mesh| mesh.triangle_count()).sum::<usize>();
///         Ok(())
///     }
/// }
/// # Counter(0).write(&Frame::new(0, 0.0)).unwrap();
/// ```
pub trait Sink: Send {
    /// A short name for progress and timings.
    fn name(&self) -> &'static str;

    /// Which frames it is given.
    fn due(&self) -> Schedule {
        Schedule::Every(1)
    }

    /// Which parts of a frame it reads.
    fn request(&self) -> FrameRequest;

    /// Writes one frame. Writing the same frame again, as happens after a resume, must give the same bytes.
    fn write(&mut self, frame: &Frame) -> Result<(), SinkError>;

    /// Called once after the last frame, also when the run was interrupted.
    fn finish(self: Box<Self>) -> Result<(), SinkError> {
        Ok(())
    }
}
