//! Decodes the bytes of a file to heights in metres, north up.

use crate::error::{Fault, TerrainError};
use crate::formats::{Decoded, Format, SampleLattice, asc, exr, png, raw, tiff};
use crate::height_map::{HeightMap, MOST_SAMPLES};
use crate::units::{Unit, metres_per_degree};

pub use crate::formats::raw::{RawLayout, SampleType};

/// Heights beyond this, in metres, are no heights: files mark samples that are missing with such numbers.
const HIGHEST: f64 = 1e9;

/// Options of decoding: metadata that the file lacks, or that override it.
#[derive(Debug, Clone, PartialEq)]
pub struct DecodeOptions {
    /// Name of the file, for messages and, by its ending, for the format.
    pub name: String,
    /// The format; found out when absent.
    pub format: Option<Format>,
    /// Which channel: a colour in PNG, a name in EXR, the number of a band in TIFF.
    pub channel: Option<String>,
    /// The height of the least whole number that a sample can be: black.
    pub low: Option<f64>,
    /// The height of the greatest: white.
    pub high: Option<f64>,
    /// Horizontal unit; by default that of the file, else metres.
    pub unit: Option<Unit>,
    /// Metres to a unit of height; what the file says when absent, else 1.
    pub vertical: Option<f64>,
    /// The sample that stands for no data; what the file says when absent.
    pub no_data: Option<f64>,
    /// Layout of the samples of a raw file.
    pub raw: Option<RawLayout>,
    /// Most samples that are accepted.
    pub most_samples: usize,
}

impl Default for DecodeOptions {
    fn default() -> DecodeOptions {
        DecodeOptions {
            name: String::new(),
            format: None,
            channel: None,
            low: None,
            high: None,
            unit: None,
            vertical: None,
            no_data: None,
            raw: None,
            most_samples: MOST_SAMPLES,
        }
    }
}

impl HeightMap {
    /// Reads a height map from the bytes of a file.
    pub fn decode(bytes: &[u8], options: &DecodeOptions) -> Result<HeightMap, TerrainError> {
        decode(bytes, options).map_err(|error| error.named(&options.name))
    }
}

fn decode(bytes: &[u8], options: &DecodeOptions) -> Result<HeightMap, TerrainError> {
    let detected = options.format.or_else(|| Format::detect(bytes, &options.name));
    let format = detected.or(options.raw.map(|_| Format::Raw)).ok_or_else(|| {
        let remedy =
            "PNG, EXR, ESRI ASCII grid and TIFF are known by their content; give the format of raw samples";
        TerrainError::of_file(Fault::UnknownFormat, remedy)
    })?;
    let (channel, most) = (options.channel.as_deref(), options.most_samples);
    let decoded = match format {
        Format::Png => png::decode(bytes, channel, most)?,
        Format::Exr => exr::decode(bytes, channel, most)?,
        Format::Asc => asc::decode(bytes, most)?,
        Format::Tiff => tiff::decode(bytes, channel, most)?,
        Format::Raw => raw::decode(bytes, &raw_layout(options)?, most)?,
    };
    finish(decoded, options)
}

fn raw_layout(options: &DecodeOptions) -> Result<RawLayout, TerrainError> {
    options.raw.ok_or_else(|| {
        let fault = Fault::Request("raw samples do not say how many they are".into());
        TerrainError::of_file(fault, "give samples = [columns, rows] and the type of sample")
    })
}

/// Conversions shared by all formats: no data, heights in metres, north up, position in metres.
fn finish(decoded: Decoded, options: &DecodeOptions) -> Result<HeightMap, TerrainError> {
    let (factor, offset) = heights_of_samples(&decoded, options)?;
    let no_data = options.no_data.or(decoded.no_data);
    let Decoded { columns, rows, mut heights, lattice, is_bottom_up, .. } = decoded;
    for height in &mut heights {
        let is_missing = no_data.is_some_and(|mark| is_same(*height, mark));
        let metres = factor * *height + offset;
        *height = if is_missing || metres.is_nan() || metres.abs() > HIGHEST { f64::NAN } else { metres };
    }
    let mut map = HeightMap::new(columns, rows, heights)?;
    if lattice.map_or(!is_bottom_up, |lattice| lattice.step[1] < 0.0) {
        map = map.flip_rows();
    }
    let Some(lattice) = lattice else { return Ok(map) };
    if lattice.step[0] < 0.0 {
        map = map.flip_columns();
    }
    let unit = options.unit.or(lattice.unit).unwrap_or(Unit::METRE);
    let [low, spacing] = in_metres(&lattice, unit, [columns, rows])?;
    map.placed(low, spacing)
}

/// The line that takes samples to metres, as factor and offset.
fn heights_of_samples(decoded: &Decoded, options: &DecodeOptions) -> Result<(f64, f64), TerrainError> {
    let vertical = options.vertical.or(decoded.vertical).unwrap_or(1.0);
    let is_asked = options.low.is_some() || options.high.is_some();
    let span = decoded.span.or(is_asked.then_some([0.0, 1.0]));
    match (decoded.levels, span) {
        (Some([black, white]), Some([low, high])) => {
            let (low, high) = (options.low.unwrap_or(low), options.high.unwrap_or(high));
            let factor = (high - low) / (white - black);
            Ok((vertical * factor, vertical * (low - black * factor)))
        }
        (None, _) if is_asked => {
            let fault =
                Fault::Request("low and high are for whole numbers, but its samples are heights".into());
            Err(TerrainError::of_file(fault, "leave them out; scale and offset change heights"))
        }
        _ => Ok((vertical, 0.0)),
    }
}

/// Files of 32-bit samples write their mark with more digits than a sample has.
fn is_same(sample: f64, mark: f64) -> bool {
    sample == mark || sample as f32 == mark as f32
}

/// The low corner and the spacing in metres.
fn in_metres(lattice: &SampleLattice, unit: Unit, size: [usize; 2]) -> Result<[[f64; 2]; 2], TerrainError> {
    let spacing = lattice.step.map(f64::abs);
    let corner = |axis: usize| {
        let last = lattice.first[axis] + (size[axis] - 1) as f64 * lattice.step[axis];
        lattice.first[axis].min(last) - 0.5 * spacing[axis]
    };
    let low = [corner(0), corner(1)];
    let metres = match unit {
        Unit::Length(metres) => [metres; 2],
        Unit::Angle(degrees) => {
            let middle = degrees * (low[1] + 0.5 * size[1] as f64 * spacing[1]);
            if !(-90.0..=90.0).contains(&middle) {
                let fault = Fault::Malformed(format!("its middle would be at latitude {middle}°"));
                return Err(TerrainError::of_file(
                    fault,
                    "set units = \"metres\" if the file is not in degrees",
                ));
            }
            metres_per_degree(middle).map(|metres| metres * degrees)
        }
    };
    Ok([low, spacing].map(|pair| [pair[0] * metres[0], pair[1] * metres[1]]))
}
