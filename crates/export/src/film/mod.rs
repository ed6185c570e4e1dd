//! Films: PNG frames to H.264 in MP4.
//!
//! The frames are divided into closed groups of pictures (GOPs) of `GOP` frames, each starting with a key frame. GOPs are
//! encoded in parallel, each by its own encoder, and concatenated in order: the film has the same bytes for any number of
//! threads, and only a few GOPs are in memory at a time. The quantiser is constant, so quality does not depend on the
//! scene; size does.
//!
//! The encoder is a C library that reads frames from disk; a web page has only [`can_hold`].

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
