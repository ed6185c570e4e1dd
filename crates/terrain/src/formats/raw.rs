//! Raw samples, row after row, whose layout is given by keys.

use super::{Decoded, checked_count, heights_with_capacity};
use crate::error::{Fault, TerrainError};
use crate::height_map::HeightMap;

/// The type of bare samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SampleType {
    /// Whole numbers of 8 bits without sign.
    U8,
    /// Whole numbers of 8 bits.
    I8,
    /// Whole numbers of 16 bits without sign.
    U16,
    /// Whole numbers of 16 bits.
    I16,
    /// Whole numbers of 32 bits without sign.
    U32,
    /// Whole numbers of 32 bits.
    I32,
    /// Floating point of 32 bits.
    #[default]
    F32,
    /// Floating point of 64 bits.
    F64,
}

/// Layout of raw samples in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawLayout {
    /// Samples from west to east.
    pub columns: u64,
    /// Samples from north to south.
    pub rows: u64,
    /// Their type.
    pub sample: SampleType,
    /// Whether the highest byte of a sample comes first.
    pub is_big_endian: bool,
    /// Bytes before the first sample.
    pub header: u64,
    /// Whether the first row is the southernmost.
    pub is_bottom_up: bool,
}

impl SampleType {
    /// Every type with its name in a scene.
    pub const ALL: [(&str, SampleType); 8] = [
        ("u8", SampleType::U8),
        ("i8", SampleType::I8),
        ("u16", SampleType::U16),
        ("i16", SampleType::I16),
        ("u32", SampleType::U32),
        ("i32", SampleType::I32),
        ("f32", SampleType::F32),
        ("f64", SampleType::F64),
    ];

    /// Bytes to a sample.
    pub fn bytes(self) -> usize {
        match self {
            SampleType::U8 | SampleType::I8 => 1,
            SampleType::U16 | SampleType::I16 => 2,
            SampleType::U32 | SampleType::I32 | SampleType::F32 => 4,
            SampleType::F64 => 8,
        }
    }

    /// The type with this name.
    pub fn from_name(name: &str) -> Option<SampleType> {
        SampleType::ALL.iter().find(|(known, _)| *known == name).map(|(_, sample)| *sample)
    }

    /// The least and greatest whole number; none for floating point.
    pub(crate) fn levels(self) -> Option<[f64; 2]> {
        match self {
            SampleType::U8 => Some([0.0, f64::from(u8::MAX)]),
            SampleType::I8 => Some([f64::from(i8::MIN), f64::from(i8::MAX)]),
            SampleType::U16 => Some([0.0, f64::from(u16::MAX)]),
            SampleType::I16 => Some([f64::from(i16::MIN), f64::from(i16::MAX)]),
            SampleType::U32 => Some([0.0, f64::from(u32::MAX)]),
            SampleType::I32 => Some([f64::from(i32::MIN), f64::from(i32::MAX)]),
            SampleType::F32 | SampleType::F64 => None,
        }
    }

    /// A sample from its bytes, lowest first.
    fn read(self, little: [u8; 8]) -> f64 {
        let [a, b, c, d, ..] = little;
        match self {
            SampleType::U8 => f64::from(a),
            SampleType::I8 => f64::from(a as i8),
            SampleType::U16 => f64::from(u16::from_le_bytes([a, b])),
            SampleType::I16 => f64::from(i16::from_le_bytes([a, b])),
            SampleType::U32 => f64::from(u32::from_le_bytes([a, b, c, d])),
            SampleType::I32 => f64::from(i32::from_le_bytes([a, b, c, d])),
            SampleType::F32 => f64::from(f32::from_le_bytes([a, b, c, d])),
            SampleType::F64 => f64::from_le_bytes(little),
        }
    }

    /// The bytes of a sample, lowest first; whole numbers are rounded and held in range.
    fn write(self, height: f64) -> [u8; 8] {
        let whole = height.round();
        let mut little = [0; 8];
        let mut put = |bytes: &[u8]| little[..bytes.len()].copy_from_slice(bytes);
        // Casts of floating point saturate.
        match self {
            SampleType::U8 => put(&(whole as u8).to_le_bytes()),
            SampleType::I8 => put(&(whole as i8).to_le_bytes()),
            SampleType::U16 => put(&(whole as u16).to_le_bytes()),
            SampleType::I16 => put(&(whole as i16).to_le_bytes()),
            SampleType::U32 => put(&(whole as u32).to_le_bytes()),
            SampleType::I32 => put(&(whole as i32).to_le_bytes()),
            SampleType::F32 => put(&(height as f32).to_le_bytes()),
            SampleType::F64 => put(&height.to_le_bytes()),
        }
        little
    }
}

/// Reads bare samples.
pub(crate) fn decode(bytes: &[u8], layout: &RawLayout, most: usize) -> Result<Decoded, TerrainError> {
    let count = checked_count(layout.columns, layout.rows, most)?;
    let size = layout.sample.bytes();
    let samples = usize::try_from(layout.header).ok().and_then(|header| bytes.get(header..));
    let found = samples.map_or(0, <[u8]>::len);
    if found / size < count || found != count * size {
        return Err(wrong_length(bytes.len(), layout));
    }
    let mut heights = heights_with_capacity(count)?;
    heights.extend(samples.unwrap_or_default().chunks_exact(size).map(|sample| {
        let mut little = [0; 8];
        little[..size].copy_from_slice(sample);
        if layout.is_big_endian {
            little[..size].reverse();
        }
        layout.sample.read(little)
    }));
    let (columns, rows) = (layout.columns as usize, layout.rows as usize);
    Ok(Decoded {
        is_bottom_up: layout.is_bottom_up,
        levels: layout.sample.levels(),
        ..Decoded::unplaced(columns, rows, heights)
    })
}

fn wrong_length(found: usize, layout: &RawLayout) -> TerrainError {
    let RawLayout { columns, rows, header, .. } = *layout;
    let size = layout.sample.bytes() as u128;
    let wanted = u128::from(header) + u128::from(columns) * u128::from(rows) * size;
    let what =
        format!("{columns} × {rows} samples of {size} bytes after {header} make {wanted}, not {found}");
    let remedy = "correct samples, sample or header, or copy the file again";
    let fault = if wanted > found as u128 { Fault::Truncated(what) } else { Fault::Malformed(what) };
    TerrainError::of_file(fault, remedy)
}

/// Writes bare samples from the north, without a header; samples without a height become `no_data`.
pub(crate) fn encode(map: &HeightMap, sample: SampleType, is_big_endian: bool, no_data: f64) -> Vec<u8> {
    let size = sample.bytes();
    let rows = map.heights().chunks_exact(map.columns()).rev();
    let mut bytes = Vec::with_capacity(size * map.heights().len());
    for height in rows.flatten() {
        let mut little = sample.write(if height.is_nan() { no_data } else { *height });
        if is_big_endian {
            little[..size].reverse();
        }
        bytes.extend_from_slice(&little[..size]);
    }
    bytes
}
