//! The formats of height files: one file each, listed in [`FORMATS`].
//!
//! A decoder turns bytes into a [`Decoded`] lattice as the file orders it. What all formats share happens after that,
//! in [`crate::HeightMap::decode`]: north goes up, units become metres, marks become no data.

pub(crate) mod asc;
pub(crate) mod exr;
mod geo_keys;
pub(crate) mod notes;
pub(crate) mod png;
pub(crate) mod raw;
pub(crate) mod tiff;
mod tiff_directory;
pub(crate) mod tiff_out;
mod tracked;

use crate::error::{Fault, TerrainError};
use crate::units::Unit;

/// A format of height files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Grey or coloured pictures of 8 or 16 bits.
    Png,
    /// OpenEXR, floating point.
    Exr,
    /// The ASCII grid of ESRI.
    Asc,
    /// TIFF, with the place on earth if it is a GeoTIFF.
    Tiff,
    /// Bare samples.
    Raw,
}

/// One line of [`FORMATS`].
#[derive(Debug, Clone, Copy)]
pub struct FormatEntry {
    /// The name in a scene.
    pub name: &'static str,
    /// The format.
    pub format: Format,
    /// Extensions of such files.
    pub endings: &'static [&'static str],
    /// One line that says what it is.
    pub summary: &'static str,
}

/// Every format that is read and written.
pub static FORMATS: &[FormatEntry] = &[
    FormatEntry {
        name: "png",
        format: Format::Png,
        endings: &["png"],
        summary: "PNG of 8 or 16 bits; black is `low`, white is `high`, transparent is no data",
    },
    FormatEntry {
        name: "exr",
        format: Format::Exr,
        endings: &["exr"],
        summary: "OpenEXR, floating point or whole numbers, heights as they are",
    },
    FormatEntry {
        name: "asc",
        format: Format::Asc,
        endings: &["asc", "agr", "grd"],
        summary: "ESRI ASCII grid, with its place",
    },
    FormatEntry {
        name: "tiff",
        format: Format::Tiff,
        endings: &["tif", "tiff", "gtiff"],
        summary: "TIFF and GeoTIFF, whole numbers or floating point, strips or tiles, with its place",
    },
    FormatEntry {
        name: "raw",
        format: Format::Raw,
        endings: &["raw", "bin", "r16", "r32"],
        summary: "bare samples, row after row",
    },
];

impl Format {
    /// The format of some bytes: by what they begin with, else by the ending of the file's name.
    pub fn detect(bytes: &[u8], name: &str) -> Option<Format> {
        by_content(bytes).or_else(|| Format::of_name(name))
    }

    /// The format that the ending of a file's name stands for.
    pub fn of_name(name: &str) -> Option<Format> {
        let (_, ending) = name.rsplit_once('.')?;
        let is_meant = |entry: &&FormatEntry| entry.endings.iter().any(|e| e.eq_ignore_ascii_case(ending));
        FORMATS.iter().find(is_meant).map(|entry| entry.format)
    }

    /// Its name in a scene.
    pub fn name(self) -> &'static str {
        FORMATS.iter().find(|entry| entry.format == self).map_or("", |entry| entry.name)
    }

    pub(crate) fn from_name(name: &str) -> Option<Format> {
        FORMATS.iter().find(|entry| entry.name == name).map(|entry| entry.format)
    }
}

fn by_content(bytes: &[u8]) -> Option<Format> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some(Format::Png),
        [0x76, 0x2f, 0x31, 0x01, ..] => Some(Format::Exr),
        [b'I', b'I', 42 | 43, 0, ..] | [b'M', b'M', 0, 42 | 43, ..] => Some(Format::Tiff),
        _ => asc::is_likely(bytes).then_some(Format::Asc),
    }
}

/// Result of a decoder: samples in the order of the file, and their metadata.
#[derive(Debug, Clone)]
pub(crate) struct Decoded {
    pub columns: usize,
    pub rows: usize,
    /// Row after row as in the file; NaN where the file holds no height.
    pub heights: Vec<f64>,
    /// Where the samples are; none when the file does not say.
    pub lattice: Option<SampleLattice>,
    /// The sample that stands for no data.
    pub no_data: Option<f64>,
    /// Metres to a unit of height, if the file says so.
    pub vertical: Option<f64>,
    /// Whether the first row is the southernmost when no lattice says so.
    pub is_bottom_up: bool,
    /// The least and greatest sample that the format can hold, for whole numbers.
    pub levels: Option<[f64; 2]>,
    /// The heights of those two, if the file says so, or if its samples are no heights by themselves.
    pub span: Option<[f64; 2]>,
}

/// Where samples are: sample (column, row) is centred at `first + step * [column, row]`, in `unit`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SampleLattice {
    pub first: [f64; 2],
    /// From column to column and from row to row; a file whose first row is in the north steps down.
    pub step: [f64; 2],
    /// Unit of the file; none when it is not given.
    pub unit: Option<Unit>,
}

impl Decoded {
    /// Heights without a place.
    pub fn unplaced(columns: usize, rows: usize, heights: Vec<f64>) -> Decoded {
        Decoded {
            columns,
            rows,
            heights,
            lattice: None,
            no_data: None,
            vertical: None,
            is_bottom_up: false,
            levels: None,
            span: None,
        }
    }
}

/// The number of samples, refused when it is absurd, before anything is allocated.
pub(crate) fn checked_count(columns: u64, rows: u64, most: usize) -> Result<usize, TerrainError> {
    if columns == 0 || rows == 0 {
        let fault = Fault::Malformed(format!("it says that it has {columns} × {rows} samples"));
        return Err(TerrainError::of_file(fault, "a height map has at least one sample each way"));
    }
    let count = columns.checked_mul(rows).and_then(|count| usize::try_from(count).ok());
    count.filter(|&count| count <= most).ok_or_else(|| {
        let fault = Fault::TooLarge { columns, rows, most: most as u64 };
        TerrainError::of_file(fault, "the header may be damaged; otherwise cut or thin the map first")
    })
}

/// A list with capacity for `count` heights, or an error instead of an abort.
pub(crate) fn heights_with_capacity(count: usize) -> Result<Vec<f64>, TerrainError> {
    let mut heights = Vec::new();
    match heights.try_reserve_exact(count) {
        Ok(()) => Ok(heights),
        Err(_) => Err(TerrainError::of_file(Fault::Memory(count as u64), "crop or thin the map first")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_goes_before_the_ending() {
        assert_eq!(Format::detect(b"II*\0....", "relief.png"), Some(Format::Tiff));
        assert_eq!(Format::detect(b"MM\0+....", ""), Some(Format::Tiff));
        assert_eq!(Format::detect(b"\xef\xbb\xbf NCOLS 4\r\n", "relief"), Some(Format::Asc));
        assert_eq!(Format::detect(b"whatever", "Relief.TIF"), Some(Format::Tiff));
        assert_eq!(Format::detect(b"whatever", "relief"), None);
        assert_eq!(Format::detect(b"", ""), None);
    }

    #[test]
    fn names_lead_back_to_their_formats() {
        for entry in FORMATS {
            assert_eq!(Format::from_name(entry.name), Some(entry.format));
            assert_eq!(entry.format.name(), entry.name);
        }
    }

    #[test]
    fn absurd_sizes_are_refused() {
        assert_eq!(checked_count(30, 20, 600).unwrap(), 600);
        assert!(matches!(checked_count(30, 20, 599).unwrap_err().fault, Fault::TooLarge { .. }));
        assert!(matches!(
            checked_count(1 << 63, 4, usize::MAX).unwrap_err().fault,
            Fault::TooLarge { columns, .. } if columns == 1 << 63
        ));
        assert!(matches!(checked_count(0, 4, 100).unwrap_err().fault, Fault::Malformed(_)));
    }
}
