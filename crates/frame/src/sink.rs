//! Who takes frames.

use std::path::PathBuf;

use crate::Frame;

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
    /// Whether this frame is asked for.
    pub fn includes(self, frame: u64) -> bool {
        match self {
            Schedule::Every(n) => frame.is_multiple_of(n.max(1)),
        }
    }
}

/// Which parts of a frame a sink reads, so that nobody makes what nobody wants.
///
/// ```
/// use undine_frame::Wants;
/// let meshes = Wants { meshes: true, ..Wants::default() };
/// assert_eq!(meshes.or(Wants::ALL), Wants::ALL);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wants {
    /// Meshes of surfaces.
    pub meshes: bool,
    /// Particles.
    pub points: bool,
    /// Named fields.
    pub rasters: bool,
    /// Of the named fields only smoke in space, which pictures show.
    pub smoke: bool,
    /// Beside other meshes those of liquids, which are made from particles: the dearest part of a frame.
    pub liquid_meshes: bool,
}

impl Wants {
    /// Everything there is.
    pub const ALL: Wants =
        Wants { meshes: true, points: true, rasters: true, smoke: true, liquid_meshes: true };

    /// What either of two sinks wants.
    pub fn or(self, other: Wants) -> Wants {
        Wants {
            meshes: self.meshes || other.meshes,
            points: self.points || other.points,
            rasters: self.rasters || other.rasters,
            smoke: self.smoke || other.smoke,
            liquid_meshes: self.liquid_meshes || other.liquid_meshes,
        }
    }
}

/// Why a sink could not take a frame.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// A file could not be written or read.
    #[error("cannot write {path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
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

/// Takes the frames of a run one after another: a picture sequence, mesh files, the cache, a table.
///
/// ```
/// use undine_frame::{Frame, Sink, SinkError, Wants};
///
/// /// Counts the triangles that pass by.
/// struct Counter(usize);
///
/// impl Sink for Counter {
///     fn name(&self) -> &'static str {
///         "counter"
///     }
///     fn wants(&self) -> Wants {
///         Wants { meshes: true, ..Wants::default() }
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
    fn wants(&self) -> Wants;

    /// Takes one frame. Writing the same frame again, as happens after a resume, must give the same bytes.
    fn write(&mut self, frame: &Frame) -> Result<(), SinkError>;

    /// Called once after the last frame, also when the run was interrupted.
    fn finish(self: Box<Self>) -> Result<(), SinkError> {
        Ok(())
    }
}
