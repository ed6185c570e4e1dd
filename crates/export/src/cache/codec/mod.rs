//! The cache's stream format of a frame: little endian, fields in the order of [`Frame`](undine_frame::Frame).
//!
//! A list is its length (u64) and its items; text is a list of UTF-8 bytes. Large arrays are delta-coded and byte-shuffled
//! ([`byte_planes`](super::byte_planes)); those of particles and fields are stored as fixed-point numbers where that is
//! lossless ([`fixed_point`](super::fixed_point)). Meshes of surfaces are not stored: they are tessellated again from their
//! shapes. An array that occurs twice in a frame is stored once and referred to by its index; large arrays over a lattice are
//! stored by [`tiles`](super::tiles), those that changed; what else seldom changes, such as the meshes of bodies, is
//! stored in a file of its own that frames refer to by a content hash. The reader
//! trusts no length: memory grows only as bytes arrive, and inconsistent geometry is refused.

mod reader;
mod writer;

use std::fs::File;
use std::io::{self, Read};

use undine_frame::{FieldScale, Material, SurfaceRole};

pub(super) use reader::FrameReader;
pub(super) use writer::FrameWriter;

use super::tiles::SIDE;

/// Longest name or unit, in bytes, that is written and accepted.
const LONGEST_TEXT: u64 = 1 << 16;
/// Shorter arrays are never stored in a file of their own.
const MIN_SHARED_LENGTH: usize = 256;

const MATERIALS: [Material; 4] = [Material::Water, Material::Ground, Material::Solid, Material::Glass];
const SURFACE_ROLES: [SurfaceRole; 2] = [SurfaceRole::Water, SurfaceRole::Bed];

const SCALES: [FieldScale; 4] =
    [FieldScale::Plain, FieldScale::Signed, FieldScale::Vector, FieldScale::Kinds];
/// First code of custom quantities, one per scale; lower codes index `Quantity::KNOWN`.
const CUSTOM: u8 = 128;

// Tags of unions
const LATTICE: u8 = 0;
const LIST: u8 = 1;

const FLOATS: u8 = 0;
const FIXED_POINT: u8 = 1;

const HEIGHTS: u8 = 0;
const SHEET: u8 = 1;
const MESH: u8 = 2;
const IMPLICIT: u8 = 3;
const CURVE: u8 = 4;

// Where a shared array is stored: inline, earlier in this frame, in a part of its own, in tiles
const INLINE: u8 = 0;
const EARLIER: u8 = 1;
const IN_PART: u8 = 2;
const IN_TILES: u8 = 3;

/// Fewest samples of an array that is stored in tiles.
const MIN_TILED_SAMPLES: usize = SIDE * SIDE;

/// Content-addressed store of the parts that several frames share.
pub(super) trait PartStore {
    /// Stores a part under its content hash.
    fn store(&self, hash: u64, bytes: &[u8]) -> io::Result<()>;
    /// Opens the part with this content hash.
    fn open(&self, hash: u64) -> io::Result<Box<dyn Read>>;
    /// Opens the tiles that a frame stored.
    fn open_tiles(&self, frame: u64) -> io::Result<File>;
}

/// The part if it is consistent.
fn consistent<T>(inconsistency: Option<String>, part: T) -> io::Result<T> {
    inconsistency.map_or(Ok(part), |what| Err(broken(&what)))
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}
