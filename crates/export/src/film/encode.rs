//! Encodes PNG frames to a film: a few GOPs at a time, on all threads.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use undine_frame::AtomicFile;

use super::gop::{Gop, GopEncoder};
use super::mp4::{Mp4Writer, Track};
use super::rate::Rate;
use super::{can_hold, yuv};
use crate::png::{PngError, read_rgb8};

/// Frames from one key frame to the next.
pub const GOP: usize = 48;

/// Quality of a film: the H.264 quantiser (QP); smaller is better and gives larger files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilmQuality(u8);

impl FilmQuality {
    /// For previews.
    pub const DRAFT: FilmQuality = FilmQuality(30);
    /// Visually close to lossless at normal speed.
    pub const GOOD: FilmQuality = FilmQuality(22);
    /// For inspecting single frames.
    pub const FINE: FilmQuality = FilmQuality(16);

    /// A quantiser, clamped to 12 … 51.
    pub fn from_quantiser(quantiser: u8) -> FilmQuality {
        FilmQuality(quantiser.clamp(12, 51))
    }

    /// The quantiser.
    pub fn quantiser(self) -> u8 {
        self.0
    }
}

impl Default for FilmQuality {
    fn default() -> Self {
        FilmQuality::GOOD
    }
}

/// Summary of an encoded film.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FilmSummary {
    /// Number of frames.
    pub frames: usize,
    /// Pixels per row, even.
    pub width: u32,
    /// Rows, even.
    pub height: u32,
    /// Duration.
    pub seconds: f64,
    /// Size of the file.
    pub bytes: u64,
}

/// Why a film could not be made.
#[derive(Debug, thiserror::Error)]
pub enum FilmError {
    /// There are no frames.
    #[error("a film needs at least one frame")]
    Empty,
    /// The frame rate is out of range.
    #[error("a film cannot have {0} frames per second; choose 0.01 to 1000")]
    Rate(f64),
    /// The duration overflows the MP4 time fields.
    #[error("{0} frames are too many for one film; make several")]
    TooLong(usize),
    /// The encoder does not support this picture size.
    #[error("{path} has {width} × {height} pixels; a film has at most 3840 × 2160", path = path.display())]
    TooLarge {
        /// The first frame.
        path: PathBuf,
        /// Its pixels per row.
        width: u32,
        /// Its rows.
        height: u32,
    },
    /// A frame differs in size from the first.
    #[error("{path} has {found:?} pixels, the frames before it {expected:?}; render it again", path = path.display())]
    Size {
        /// The frame.
        path: PathBuf,
        /// Its width and height.
        found: [u32; 2],
        /// Width and height of the first frame.
        expected: [u32; 2],
    },
    /// A frame could not be read.
    #[error(transparent)]
    Frame(#[from] PngError),
    /// The encoder failed.
    #[error("the H.264 encoder failed with its error {0}")]
    Encoder(i64),
    /// The encoder dropped a frame.
    #[error("the H.264 encoder dropped {path}", path = path.display())]
    Dropped {
        /// The frame.
        path: PathBuf,
    },
    /// The GOPs have different parameter sets.
    #[error(
        "the H.264 encoder gave groups of pictures with different parameter sets, which cannot be joined"
    )]
    ParameterSets,
    /// The film could not be written.
    #[error("cannot write {path}: {source}", path = path.display())]
    Write {
        /// The film.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

impl From<openh264::Error> for FilmError {
    fn from(error: openh264::Error) -> Self {
        FilmError::Encoder(error.native_code())
    }
}

/// Encodes PNG frames to a film. `progress` is given the frames done and their total; it may be called from any thread,
/// one at a time. Pictures of odd width or height are padded by repeating the last column or row.
///
/// ```no_run
/// use undine_export::film::{FilmQuality, encode_film};
/// let frames = vec!["frames/000000.png".into(), "frames/000001.png".into()];
/// let film = encode_film(&frames, 30.0, "film.mp4".as_ref(), FilmQuality::GOOD, |_, _| {})?;
/// assert_eq!(film.frames, 2);
/// # Ok::<(), undine_export::film::FilmError>(())
/// ```
pub fn encode_film(
    frames: &[PathBuf],
    fps: f64,
    out: &Path,
    quality: FilmQuality,
    progress: impl FnMut(usize, usize) + Send,
) -> Result<FilmSummary, FilmError> {
    let first = frames.first().ok_or(FilmError::Empty)?;
    let rate = Rate::from_fps(fps).ok_or(FilmError::Rate(fps))?;
    let count = count_frames(frames, rate)?;
    let gop_encoder = GopEncoder { quality, fps, size: picture_size(first)? };
    let [width, height] = yuv::film_size(gop_encoder.size[0], gop_encoder.size[1]);
    // The index precedes the pictures and needs the parameter sets: encode the first frame alone to learn them
    let parameters = gop_encoder.encode(&frames[..1], || {})?.parameters;
    let size = [width as u16, height as u16];
    let track = Track { size, rate, parameters, frames: count, chunk: GOP as u32 };
    let bytes = stream(&gop_encoder, frames, out, track, progress)?;
    Ok(FilmSummary { frames: frames.len(), width, height, seconds: rate.seconds(count), bytes })
}

fn count_frames(frames: &[PathBuf], rate: Rate) -> Result<u32, FilmError> {
    let count = u32::try_from(frames.len()).ok().filter(|count| count.checked_mul(rate.ticks).is_some());
    count.ok_or(FilmError::TooLong(frames.len()))
}

fn picture_size(path: &Path) -> Result<[u32; 2], FilmError> {
    let picture = read_rgb8(path)?;
    let (width, height) = (picture.width, picture.height);
    if !can_hold(width, height) {
        return Err(FilmError::TooLarge { path: path.to_owned(), width, height });
    }
    Ok([width, height])
}

/// Encodes batches of GOPs on all threads and writes them in order.
fn stream(
    gop_encoder: &GopEncoder,
    frames: &[PathBuf],
    out: &Path,
    track: Track,
    progress: impl FnMut(usize, usize) + Send,
) -> Result<u64, FilmError> {
    let at_out = |source| FilmError::Write { path: out.to_owned(), source };
    let parameters = track.parameters.clone();
    let counter = Mutex::new(ProgressCounter { done: 0, total: frames.len(), progress });
    let tick = || counter.lock().unwrap_or_else(PoisonError::into_inner).tick();
    let file = AtomicFile::create(out).map_err(at_out)?;
    let mut writer = Mp4Writer::new(file, track).map_err(at_out)?;
    let gops: Vec<&[PathBuf]> = frames.chunks(GOP).collect();
    for batch in gops.chunks(2 * rayon::current_num_threads()) {
        let encoded: Vec<Result<Gop, FilmError>> =
            batch.par_iter().map(|frames| gop_encoder.encode(frames, tick)).collect();
        for gop in encoded {
            let gop = gop?;
            if gop.parameters != parameters {
                return Err(FilmError::ParameterSets);
            }
            writer.write_chunk(&gop.samples).map_err(at_out)?;
        }
    }
    let (file, bytes) = writer.finish().map_err(at_out)?;
    file.commit().map_err(at_out)?;
    Ok(bytes)
}

/// Counts encoded frames for the progress callback.
struct ProgressCounter<F> {
    done: usize,
    total: usize,
    progress: F,
}

impl<F: FnMut(usize, usize)> ProgressCounter<F> {
    fn tick(&mut self) {
        self.done += 1;
        (self.progress)(self.done, self.total);
    }
}
