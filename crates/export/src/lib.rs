//! Output file formats, one module per format.
//!
//! | module | what |
//! |---|---|
//! | [`png`] | pictures |
//! | [`film`] | films: H.264 in MP4, from pictures |
//! | [`ply`], [`obj`] | meshes, particles and outlines |
//! | [`exr`], [`png16`] | height maps and other flat fields |
//! | [`csv`] | tables that survive a killed run; fields sample by sample, outlines point by point |
//! | [`cache`] | frames, to be rendered later |
//! | [`report`] | one page of HTML about a run |
//!
//! All of them write atomically (a file appears complete or not at all) and deterministically (the same content gives the
//! same bytes on any number of threads). [`FORMATS`] lists what a frame can be exported to; [`FormatSink`] and
//! [`CacheSink`] write during a run. A web page has no disk: [`ExportFormat::to_memory`] returns the same files as bytes,
//! and films and the cache are not available.

#[cfg(not(target_arch = "wasm32"))]
pub mod cache;
pub mod csv;
pub mod exr;
pub mod film;
mod formats;
mod names;
mod number;
pub mod obj;
pub mod ply;
pub mod png;
pub mod png16;
mod raster_image;
pub mod report;
mod sink;
mod world_mesh;

#[cfg(not(target_arch = "wasm32"))]
pub use cache::CacheSink;
pub use formats::{ExportFormat, ExportedFile, FORMATS, Options, format};
pub use names::file_name;
pub use sink::FormatSink;
