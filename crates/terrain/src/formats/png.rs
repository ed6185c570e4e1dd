//! PNG: integers from black to white; their heights are given by keys.
//!
//! Greys of 1 to 16 bits, colours by their luminance or one channel, palettes. Where a picture is transparent it holds
//! no data. Text chunks `undine:low`, `undine:high`, `undine:origin` and `undine:spacing` are read and written.

use png::{BitDepth, ColorType, Decoder, DecodingError, Encoder, Limits, Transformations};

use super::notes::{self, Notes};
use super::tracked::{Mark, Tracked};
use super::{Decoded, checked_count, heights_with_capacity};
use crate::error::{Fault, FileLocation, TerrainError};
use crate::height_map::HeightMap;

/// Deflate cannot make more than this out of a byte.
const MAX_EXPANSION: u64 = 1100;
/// Shares of red, green and blue in the luminance of linear light [itu2015].
const LUMINANCE: [f64; 3] = [0.2126, 0.7152, 0.0722];
const CHANNELS: [&str; 5] = ["luminance", "red", "green", "blue", "alpha"];

/// Reads a picture.
pub(crate) fn decode(bytes: &[u8], channel: Option<&str>, most: usize) -> Result<Decoded, TerrainError> {
    // Read the header, and refuse a size that the bytes cannot hold
    let (tracked, mark) = Tracked::new(bytes);
    let mut decoder = Decoder::new_with_limits(tracked, Limits { bytes: 1 << 30 });
    decoder.set_transformations(Transformations::EXPAND);
    let header = decoder.read_header_info().map_err(|error| read_error(error, &mark))?;
    let (columns, rows) = (u64::from(header.width), u64::from(header.height));
    let count = checked_count(columns, rows, most)?;
    check_length(bytes, count, header.bits_per_pixel())?;
    let mut reader = decoder.read_info().map_err(|error| read_error(error, &mark))?;

    // Decode all samples, with palettes and bits below 8 expanded
    let (colour, depth) = reader.output_color_type();
    let weights = Weights::of(colour, channel)?;
    let size = reader.output_buffer_size().unwrap_or(usize::MAX);
    let mut samples = Vec::new();
    let no_memory = |_| TerrainError::of_file(Fault::Memory(count as u64), "crop or thin the map first");
    samples.try_reserve_exact(size).map_err(no_memory)?;
    samples.resize(size, 0);
    reader.next_frame(&mut samples).map_err(|error| read_error(error, &mark))?;

    // Weigh the channels of each pixel into one height between black and white
    let mut heights = heights_with_capacity(count)?;
    let white = match depth {
        BitDepth::Sixteen => {
            let pairs = samples.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
            weights.apply(pairs.map(f64::from), &mut heights);
            f64::from(u16::MAX)
        }
        _ => {
            weights.apply(samples.iter().map(|sample| f64::from(*sample)), &mut heights);
            f64::from(u8::MAX)
        }
    };

    // Take the span of heights and the lattice from the notes that our own writer leaves
    let notes = read_notes(reader.info());
    let span = [notes.low.unwrap_or(0.0), notes.high.unwrap_or(1.0)];
    let (lattice, levels) = (notes.lattice(rows as usize), Some([0.0, white]));
    let placed = Decoded::unplaced(columns as usize, rows as usize, heights);
    Ok(Decoded { lattice, levels, span: Some(span), ..placed })
}

/// A few bytes cannot hold a vast picture, whatever their header says.
fn check_length(bytes: &[u8], count: usize, bits_per_sample: usize) -> Result<(), TerrainError> {
    let wanted = count as u64 / 8 * bits_per_sample as u64 / MAX_EXPANSION;
    if wanted <= bytes.len() as u64 {
        return Ok(());
    }
    let what = format!("{count} samples cannot come out of {} bytes", bytes.len());
    Err(TerrainError::of_file(Fault::Truncated(what), "copy the file again"))
}

fn read_error(error: DecodingError, mark: &Mark) -> TerrainError {
    let remedy = "copy the file again, or save it anew as PNG";
    match error {
        DecodingError::IoError(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            TerrainError::new(mark.place(), Fault::Truncated("the picture does not end".into()), remedy)
        }
        DecodingError::LimitsExceeded => {
            let fault = Fault::Unsupported("the picture takes too much memory".into());
            TerrainError::new(mark.place(), fault, "save it without text and colour profile")
        }
        error => {
            let fault = Fault::Malformed(format!("the picture is damaged: {error}"));
            TerrainError::new(mark.place(), fault, remedy)
        }
    }
}

fn read_notes(info: &png::Info<'_>) -> Notes {
    let mut notes = Notes::default();
    for chunk in &info.uncompressed_latin1_text {
        if let Some(key) = chunk.keyword.strip_prefix("undine:") {
            notes.take(key, &chunk.text);
        }
    }
    notes
}

/// Conversion of the samples of a pixel to a height.
struct Weights {
    /// One factor to each sample of a pixel.
    factors: Vec<f64>,
    /// Which sample says that the pixel is not there.
    opacity: Option<usize>,
}

impl Weights {
    fn of(colour: ColorType, channel: Option<&str>) -> Result<Weights, TerrainError> {
        let unit = |count: usize, at: usize| (0..count).map(|n| if n == at { 1.0 } else { 0.0 }).collect();
        let count = colour.samples();
        let opacity = matches!(colour, ColorType::GrayscaleAlpha | ColorType::Rgba).then(|| count - 1);
        let colours = if count >= 3 { 3 } else { 1 };
        let channel = channel.unwrap_or("luminance");
        let Some(number) = CHANNELS.iter().position(|known| known.eq_ignore_ascii_case(channel)) else {
            let fault = Fault::Request(format!("a picture has no channel {channel:?}"));
            return Err(TerrainError::of_file(fault, format!("one of {}", CHANNELS.join(", "))));
        };
        match (number, opacity) {
            (4, Some(alpha)) => Ok(Weights { factors: unit(count, alpha), opacity: None }),
            (4, None) => {
                let fault = Fault::Request("the picture is opaque: it has no alpha".into());
                Err(TerrainError::of_file(fault, "choose another channel"))
            }
            (0, _) if colours == 3 => {
                let mut factors = LUMINANCE.to_vec();
                factors.resize(count, 0.0);
                Ok(Weights { factors, opacity })
            }
            // A grey is every colour at once.
            (0, _) => Ok(Weights { factors: unit(count, 0), opacity }),
            (number, _) => Ok(Weights { factors: unit(count, (number - 1).min(colours - 1)), opacity }),
        }
    }

    fn apply(&self, samples: impl Iterator<Item = f64>, heights: &mut Vec<f64>) {
        let last = self.factors.len() - 1;
        let (mut sum, mut is_there) = (0.0, true);
        for (sample, channel) in samples.zip((0..=last).cycle()) {
            sum += self.factors[channel] * sample;
            is_there &= self.opacity != Some(channel) || sample > 0.0;
            if channel == last {
                heights.push(if is_there { sum } else { f64::NAN });
                (sum, is_there) = (0.0, true);
            }
        }
    }
}

/// Writes a height map as a grey picture, black at `span[0]` and white at `span[1]`, transparent where it has no data.
pub(crate) fn encode(
    map: &HeightMap,
    span: [f64; 2],
    is_eight_bits: bool,
) -> Result<Vec<u8>, png::EncodingError> {
    let has_holes = map.no_data_count() > 0;
    let (columns, rows) = (map.columns() as u32, map.rows() as u32);
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, columns, rows);
    encoder.set_color(if has_holes { ColorType::GrayscaleAlpha } else { ColorType::Grayscale });
    encoder.set_depth(if is_eight_bits { BitDepth::Eight } else { BitDepth::Sixteen });
    for (key, text) in notes::of(map) {
        encoder.add_text_chunk(format!("undine:{key}"), text)?;
    }
    encoder.add_text_chunk("undine:low".into(), span[0].to_string())?;
    encoder.add_text_chunk("undine:high".into(), span[1].to_string())?;
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels(map, span, is_eight_bits, has_holes))?;
    writer.finish()?;
    Ok(bytes)
}

fn pixels(map: &HeightMap, [low, high]: [f64; 2], is_eight_bits: bool, has_holes: bool) -> Vec<u8> {
    let white = if is_eight_bits { f64::from(u8::MAX) } else { f64::from(u16::MAX) };
    // The cast saturates, and makes zero of no data and of a span without height.
    let grey = |height: f64| ((height - low) / (high - low) * white).round() as u16;
    let mut bytes = Vec::new();
    let mut put = |sample: u16| match is_eight_bits {
        true => bytes.push(sample.min(255) as u8),
        false => bytes.extend_from_slice(&sample.to_be_bytes()),
    };
    for height in map.heights().chunks_exact(map.columns()).rev().flatten() {
        put(grey(*height));
        if has_holes {
            put(if height.is_nan() { 0 } else { u16::MAX });
        }
    }
    bytes
}

/// The error of writing an image.
pub(crate) fn write_error(error: &png::EncodingError) -> TerrainError {
    let fault = Fault::Unsupported(format!("the picture cannot be written: {error}"));
    TerrainError::new(FileLocation::Whole, fault, "thin the map first")
}
