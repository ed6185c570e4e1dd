//! Tiles of arrays over a lattice, so that only those that changed are stored again.
//!
//! An array is cut into tiles of [`SIDE`] × [`SIDE`] samples. A tile that the frame before refers to, or that occurred in
//! this frame, such as dry ground in the level of a water, is not stored again but referred to by frame and offset. New
//! tiles of a frame are in a file of its own, `000012.tiles`, each compressed alone, so that any can be read alone. What a
//! frame may refer to depends on the frame before it alone, so that a resumed run writes the same bytes.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use undine_frame::{AtomicFile, Shared};

use super::{CACHE_VERSION, LEVEL};

/// Samples along the side of a tile.
pub const SIDE: usize = 64;
/// Longest tile in bytes, before or after compression, that is accepted: above three numbers for every sample.
const LONGEST: u32 = 1 << 17;

const MAGIC: &[u8; 8] = b"UNDTILES";

/// Where a tile is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TilePlace {
    /// Hash of its values.
    pub hash: u64,
    /// The frame that stored it.
    pub frame: u64,
    /// Offset in the file of that frame's tiles.
    pub offset: u64,
}

/// The places of tiles by their hashes.
pub type TilePlaces = HashMap<u64, TilePlace>;

/// Collects the tiles of a frame while it is written.
#[derive(Debug, Default)]
pub struct TileWriter {
    frame: u64,
    before: TilePlaces,
    places: TilePlaces,
    bytes: Vec<u8>,
}

impl TileWriter {
    /// Tiles of a frame that may refer to those of the frame `before` it.
    pub fn new(frame: u64, before: TilePlaces) -> Self {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(CACHE_VERSION.to_le_bytes());
        TileWriter { frame, before, places: TilePlaces::new(), bytes }
    }

    /// The place of a tile with this hash; if it is new, of what `encode` gives.
    pub fn place(
        &mut self,
        hash: u64,
        encode: impl FnOnce() -> io::Result<Vec<u8>>,
    ) -> io::Result<TilePlace> {
        if let Some(place) = self.places.get(&hash) {
            return Ok(*place);
        }
        let place = match self.before.get(&hash) {
            Some(place) => *place,
            None => {
                let offset = self.bytes.len() as u64;
                let packed = zstd::bulk::compress(&encode()?, LEVEL)?;
                let length = u32::try_from(packed.len()).ok().filter(|length| *length <= LONGEST);
                self.bytes.extend(length.ok_or(io::ErrorKind::InvalidInput)?.to_le_bytes());
                self.bytes.extend(packed);
                TilePlace { hash, frame: self.frame, offset }
            }
        };
        self.places.insert(hash, place);
        Ok(place)
    }

    /// Writes the new tiles, if there are any; returns their length in bytes, and the places of all tiles of the frame.
    pub fn finish(self, path: &Path) -> io::Result<(u64, TilePlaces)> {
        let is_new = |place: &TilePlace| place.frame == self.frame;
        if !self.places.values().any(is_new) {
            return Ok((0, self.places));
        }
        AtomicFile::write_all_to(path, &self.bytes)?;
        Ok((self.bytes.len() as u64, self.places))
    }
}

/// Reads the tile at an offset of a file; `None` for a file of another version.
pub fn read_tile(file: &mut File, offset: u64) -> io::Result<Option<Vec<u8>>> {
    let (mut head, mut length) = ([0; 12], [0; 4]);
    file.seek(SeekFrom::Start(0))?;
    file.read_exact(&mut head)?;
    if head[..8] != *MAGIC || head[8..] != CACHE_VERSION.to_le_bytes() {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut packed = vec![0; length as usize];
    file.read_exact(&mut packed)?;
    zstd::bulk::decompress(&packed, LONGEST as usize).map(Some)
}

/// The tiles of a lattice of `columns` × `rows` samples in order: first column and row, and size.
pub fn tiles(columns: usize, rows: usize) -> impl Iterator<Item = [[usize; 2]; 2]> {
    (0..rows).step_by(SIDE).flat_map(move |row| {
        (0..columns)
            .step_by(SIDE)
            .map(move |column| [[column, row], [SIDE.min(columns - column), SIDE.min(rows - row)]])
    })
}

/// The values of a tile of an array with `components` values per sample, row by row.
pub fn cut(values: &[f32], columns: usize, components: usize, [first, size]: [[usize; 2]; 2]) -> Shared<f32> {
    let row = |row: usize| {
        let start = ((first[1] + row) * columns + first[0]) * components;
        &values[start..start + size[0] * components]
    };
    (0..size[1]).flat_map(row).copied().collect()
}

/// Puts the values of a tile into an array; the inverse of [`cut`]. False if there are not as many as it has.
pub fn paste(
    values: &mut [f32],
    columns: usize,
    components: usize,
    [first, size]: [[usize; 2]; 2],
    tile: &[f32],
) -> bool {
    let width = size[0] * components;
    if tile.len() != width * size[1] {
        return false;
    }
    for (row, line) in tile.chunks_exact(width.max(1)).enumerate() {
        let start = ((first[1] + row) * columns + first[0]) * components;
        values[start..start + width].copy_from_slice(line);
    }
    true
}
