//! Films: PNG frames to H.264 in MP4.
//!
//! The frames are cut into runs of `GOP` frames that start with a key frame. Runs are encoded in parallel, each by
//! its own encoder, and joined in order: the film is the same bytes for any number of threads, and only a few runs are
//! in memory at a time. The quantiser is constant, so quality does not depend on the scene; size does.
//!
//! The encoder is C and reads frames from disk: a web page has neither, and knows of films only which pictures would fit.

#[cfg(not(target_arch = "wasm32"))]
mod encode;
#[cfg(not(target_arch = "wasm32"))]
mod gop;
#[cfg(not(target_arch = "wasm32"))]
mod mp4;
#[cfg(not(target_arch = "wasm32"))]
mod rate;
mod size;
#[cfg(not(target_arch = "wasm32"))]
mod yuv;

#[cfg(not(target_arch = "wasm32"))]
pub use encode::{FilmError, FilmQuality, FilmSummary, GOP, encode_film};
pub use size::can_hold;
