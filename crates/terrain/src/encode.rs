//! Encodes heights as the bytes of a file.

use crate::error::{Fault, TerrainError};
use crate::formats::raw::SampleType;
use crate::formats::{Format, asc, exr, png, raw, tiff_out};
use crate::height_map::HeightMap;

/// Options of writing a height map.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EncodeOptions {
    /// PNG: the height of black; the lowest when absent.
    pub low: Option<f64>,
    /// PNG: the height of white; the highest when absent.
    pub high: Option<f64>,
    /// PNG: 8 bits to a sample instead of 16.
    pub is_eight_bits: bool,
    /// Raw: the type of samples.
    pub sample: SampleType,
    /// Raw: whether the highest byte of a sample comes first.
    pub is_big_endian: bool,
    /// ASC and raw: the sample that stands for no data; -9999, or what no height is, when absent.
    pub no_data: Option<f64>,
}

impl HeightMap {
    /// The bytes of a file. PNG and EXR store the position in metadata of Undine, ASC and TIFF in standard fields; raw
    /// has none.
    pub fn encode(&self, format: Format, options: &EncodeOptions) -> Result<Vec<u8>, TerrainError> {
        match format {
            Format::Png => {
                let span = self.span(options)?;
                png::encode(self, span, options.is_eight_bits).map_err(|error| png::write_error(&error))
            }
            Format::Exr => exr::encode(self),
            Format::Asc => Ok(asc::encode(self, self.mark(options))),
            Format::Tiff => tiff_out::encode(self),
            Format::Raw => Ok(raw::encode(self, options.sample, options.is_big_endian, self.mark(options))),
        }
    }

    /// The heights of black and white.
    fn span(&self, options: &EncodeOptions) -> Result<[f64; 2], TerrainError> {
        let [low, high] = self.range().unwrap_or([0.0, 1.0]);
        let (low, high) = (options.low.unwrap_or(low), options.high.unwrap_or(high));
        if low > high {
            let fault = Fault::Request(format!("low ({low} m) is above high ({high} m)"));
            return Err(TerrainError::of_file(fault, "exchange them"));
        }
        // A plane would leave no grey between its black and its white.
        Ok([low, if high > low { high } else { low + 1.0 }])
    }

    /// A number that is no height of this map.
    fn mark(&self, options: &EncodeOptions) -> f64 {
        let is_free = |mark: &f64| !self.heights().contains(mark);
        let candidates = [-9999.0, -99_999.0, -999_999.0];
        options.no_data.unwrap_or_else(|| candidates.into_iter().find(is_free).unwrap_or(-9_999_999.0))
    }
}
