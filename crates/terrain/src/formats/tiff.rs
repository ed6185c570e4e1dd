//! TIFF and GeoTIFF: whole numbers and floating point in strips or tiles, classic and BigTIFF.
//!
//! The first picture of the file is read, chunk by chunk. A chunk of no bytes is one that GDAL left out: no data.

use std::io::ErrorKind;

use tiff::decoder::{ChunkType, Decoder, DecodingResult, Limits};
use tiff::tags::{CompressionMethod, Tag};
use tiff::{ColorType, TiffError, TiffResult};

use super::geo_keys::GeoKeys;
use super::tiff_directory::{self, DirectorySize};
use super::tracked::{Mark, Tracked};
use super::{Decoded, checked_count, heights_with_capacity};
use crate::error::{Fault, FileLocation, TerrainError};

/// Largest number of bytes that any of the compressions makes of one.
const MAX_EXPANSION: u64 = 4096;

type TiffReader<'b> = Decoder<Tracked<'b>>;

/// Reads one band of the first picture; `channel` is its number from 1.
pub(crate) fn decode(bytes: &[u8], channel: Option<&str>, most: usize) -> Result<Decoded, TerrainError> {
    check_size(&tiff_directory::check(bytes)?, most)?;
    let (tracked, mark) = Tracked::new(bytes);
    let fail = |error| read_error(error, mark.place());
    let mut decoder = Decoder::new(tracked).map_err(fail)?;
    let (columns, rows) = decoder.dimensions().map_err(fail)?;
    let count = checked_count(columns.into(), rows.into(), most)?;
    let colour = decoder.colortype().map_err(fail)?;
    check_colour(colour)?;
    let band = band_of(channel, colour)?;
    let chunks = Chunks::of(&mut decoder, colour, band).map_err(fail)?;
    chunks.check_lengths()?;
    decoder = decoder.with_limits(limits(count, colour));

    let keys = GeoKeys::read(&mut decoder);
    let lattice = keys.lattice(&mut decoder)?;
    let no_data = read_no_data(&mut decoder);
    let mut heights = heights_with_capacity(count)?;
    heights.resize(count, f64::NAN);
    let mut picture = TiffImage { columns: columns as usize, heights, levels: None };
    chunks.read_all(&mut decoder, &mark, &mut picture)?;
    Ok(Decoded {
        lattice,
        no_data,
        vertical: keys.vertical(),
        levels: picture.levels,
        ..Decoded::unplaced(columns as usize, rows as usize, picture.heights)
    })
}

/// Checks that the sizes which the decoder multiplies do not overflow. It reports missing sizes itself.
fn check_size(size: &DirectorySize, most: usize) -> Result<(), TerrainError> {
    checked_count(size.columns.max(1), size.rows.max(1), most)?;
    if size.rows.saturating_mul(size.bands) > u32::MAX.into() {
        let fault = Fault::Unsupported(format!("it has {} bands of {} rows", size.bands, size.rows));
        return Err(TerrainError::of_file(fault, "save one band by itself"));
    }
    Ok(())
}

fn limits(count: usize, colour: ColorType) -> Limits {
    let bytes = count.saturating_mul(8).saturating_mul(colour.num_samples().into()).saturating_add(1 << 20);
    let mut limits = Limits::default();
    limits.decoding_buffer_size = bytes;
    limits.intermediate_buffer_size = bytes;
    limits
}

fn check_colour(colour: ColorType) -> Result<(), TerrainError> {
    let is_plain = matches!(
        colour,
        ColorType::Gray(_)
            | ColorType::GrayA(_)
            | ColorType::RGB(_)
            | ColorType::RGBA(_)
            | ColorType::Multiband { .. }
    );
    if is_plain && matches!(colour.bit_depth(), 8 | 16 | 32 | 64) {
        return Ok(());
    }
    let fault = Fault::Unsupported(format!("its samples are {colour:?}, which are no heights"));
    Err(TerrainError::of_file(fault, "save it as grey of 8, 16, 32 or 64 bits"))
}

/// The number of a band from 0.
fn band_of(channel: Option<&str>, colour: ColorType) -> Result<u16, TerrainError> {
    let bands = colour.num_samples();
    let Some(name) = channel else { return Ok(0) };
    let band = name.parse::<u16>().ok().filter(|band| (1..=bands).contains(band));
    band.map(|band| band - 1).ok_or_else(|| {
        let fault = Fault::Request(format!("the file has no channel {name:?}"));
        TerrainError::of_file(fault, format!("name a band by its number, 1 to {bands}"))
    })
}

fn read_no_data(decoder: &mut TiffReader<'_>) -> Option<f64> {
    let text = decoder.find_tag(Tag::GdalNodata).ok().flatten()?.into_string().ok()?;
    text.trim_matches(|c: char| c.is_whitespace() || c == '\0').parse().ok()
}

/// The decoded image, in the order of the file.
struct TiffImage {
    columns: usize,
    heights: Vec<f64>,
    levels: Option<[f64; 2]>,
}

/// Layout of the strips or tiles of one band.
struct Chunks {
    offsets: Vec<u64>,
    lengths: Vec<u64>,
    /// Number of the band's first chunk.
    first: usize,
    /// Chunks of the band.
    count: usize,
    across: usize,
    columns: usize,
    rows: usize,
    /// Columns and rows of a chunk.
    size: [usize; 2],
    /// Samples of a pixel in a chunk, and which of them is wanted.
    stride: usize,
    band: usize,
}

impl Chunks {
    fn of(decoder: &mut TiffReader<'_>, colour: ColorType, band: u16) -> TiffResult<Chunks> {
        let [offsets, lengths] = match decoder.get_chunk_type() {
            ChunkType::Strip => [Tag::StripOffsets, Tag::StripByteCounts],
            ChunkType::Tile => [Tag::TileOffsets, Tag::TileByteCounts],
        };
        let offsets = decoder.find_tag_unsigned_vec(offsets)?.unwrap_or_default();
        let lengths = decoder.find_tag_unsigned_vec(lengths)?.unwrap_or_default();
        let (columns, rows) = decoder.dimensions()?;
        let (width, height) = decoder.chunk_dimensions();
        let (across, down) = (columns.div_ceil(width.max(1)) as usize, rows.div_ceil(height.max(1)) as usize);
        // Bands lie side by side in every chunk, or one after the other in chunks of their own.
        let count = across.saturating_mul(down);
        let is_planar = offsets.len() > count;
        let first = if is_planar { count.saturating_mul(band.into()) } else { 0 };
        let stride = if is_planar { 1 } else { usize::from(colour.num_samples()) };
        let band = if is_planar { 0 } else { usize::from(band) };
        let size = [width as usize, height as usize];
        let (columns, rows) = (columns as usize, rows as usize);
        Ok(Chunks { offsets, lengths, first, count, across, columns, rows, size, stride, band })
    }

    fn read_all(
        &self,
        decoder: &mut TiffReader<'_>,
        mark: &Mark,
        picture: &mut TiffImage,
    ) -> Result<(), TerrainError> {
        for number in 0..self.count {
            let Some((chunk, offset, _)) = self.chunk(number) else { continue };
            let samples = decoder.read_chunk(chunk).map_err(|error| {
                let is_io = matches!(error, TiffError::IoError(_));
                read_error(error, if is_io { mark.place() } else { FileLocation::Byte(offset) })
            })?;
            let (width, _) = decoder.chunk_data_dimensions(chunk);
            picture.levels = levels_of(&samples);
            self.place(number, width as usize, &samples, picture);
        }
        Ok(())
    }

    /// A few bytes cannot hold a vast chunk, whatever the header says.
    fn check_lengths(&self) -> Result<(), TerrainError> {
        let samples = self.size[0].min(self.columns) as u64 * self.size[1].min(self.rows) as u64;
        for number in 0..self.count {
            let Some((_, offset, length)) = self.chunk(number) else { continue };
            if samples / MAX_EXPANSION > length {
                let what = format!("{samples} samples cannot come out of {length} bytes");
                return Err(TerrainError::new(
                    FileLocation::Byte(offset),
                    Fault::Truncated(what),
                    "copy the file again",
                ));
            }
        }
        if (0..self.count).all(|number| self.chunk(number).is_none()) {
            return Err(TerrainError::of_file(Fault::NoData, "choose another file"));
        }
        Ok(())
    }

    /// The number, place and length in the file of a chunk of the band; none for one that was left out.
    fn chunk(&self, number: usize) -> Option<(u32, u64, u64)> {
        let at = self.first + number;
        let (offset, length) = (*self.offsets.get(at)?, *self.lengths.get(at)?);
        (length > 0).then_some((u32::try_from(at).ok()?, offset, length))
    }

    /// Puts the samples of a chunk where they belong.
    fn place(&self, number: usize, width: usize, samples: &DecodingResult, picture: &mut TiffImage) {
        // Samples run along the rows of a chunk, which may overhang the picture on the right and below
        let [left, top] = [number % self.across * self.size[0], number / self.across * self.size[1]];
        let mut put = |at: usize, height: f64| {
            let (column, row) = (left + at % width.max(1), top + at / width.max(1));
            let place = row * picture.columns + column;
            if let Some(place) = picture.heights.get_mut(place).filter(|_| column < picture.columns) {
                *place = height;
            }
        };
        // Of each pixel only the sample of the wanted band
        macro_rules! put_all {
            ($samples:expr, $height:expr) => {
                $samples
                    .iter()
                    .skip(self.band)
                    .step_by(self.stride)
                    .enumerate()
                    .for_each(|(at, sample)| put(at, $height(*sample)))
            };
        }
        // One arm for each type of samples that the decoder gives
        match samples {
            DecodingResult::U8(samples) => put_all!(samples, f64::from),
            DecodingResult::U16(samples) => put_all!(samples, f64::from),
            DecodingResult::U32(samples) => put_all!(samples, f64::from),
            DecodingResult::U64(samples) => put_all!(samples, |sample: u64| sample as f64),
            DecodingResult::I8(samples) => put_all!(samples, f64::from),
            DecodingResult::I16(samples) => put_all!(samples, f64::from),
            DecodingResult::I32(samples) => put_all!(samples, f64::from),
            DecodingResult::I64(samples) => put_all!(samples, |sample: i64| sample as f64),
            DecodingResult::F16(samples) => put_all!(samples, f64::from),
            DecodingResult::F32(samples) => put_all!(samples, f64::from),
            DecodingResult::F64(samples) => put_all!(samples, |sample: f64| sample),
        }
    }
}

/// The least and greatest whole number of a type of samples without sign.
fn levels_of(samples: &DecodingResult) -> Option<[f64; 2]> {
    match samples {
        DecodingResult::U8(_) => Some([0.0, f64::from(u8::MAX)]),
        DecodingResult::U16(_) => Some([0.0, f64::from(u16::MAX)]),
        DecodingResult::U32(_) => Some([0.0, f64::from(u32::MAX)]),
        _ => None,
    }
}

fn read_error(error: TiffError, place: FileLocation) -> TerrainError {
    let again = "copy the file again";
    match error {
        TiffError::UnsupportedError(tiff::TiffUnsupportedError::UnsupportedCompressionMethod(method)) => {
            let fault = Fault::Unsupported(format!("it is compressed by {}", method_name(method)));
            TerrainError::new(place, fault, "save it with deflate, LZW, PackBits or no compression")
        }
        TiffError::UnsupportedError(error) => {
            let fault = Fault::Unsupported(format!("it is a TIFF of a kind that is not read: {error}"));
            TerrainError::new(place, fault, "save it as one band of plain numbers")
        }
        TiffError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
            TerrainError::new(place, Fault::Truncated("the picture does not end".into()), again)
        }
        TiffError::LimitsExceeded | TiffError::IntSizeError => {
            let fault = Fault::Malformed("it says that a part of it is larger than the whole".into());
            TerrainError::new(place, fault, again)
        }
        TiffError::FormatError(error) => {
            TerrainError::new(place, Fault::Malformed(format!("the TIFF is damaged: {error}")), again)
        }
        error => TerrainError::new(place, Fault::Malformed(format!("the TIFF is damaged: {error}")), again),
    }
}

fn method_name(method: CompressionMethod) -> String {
    match method {
        CompressionMethod::Unknown(34887) => "LERC".to_owned(),
        CompressionMethod::Unknown(number) => format!("method {number}"),
        method => format!("{method:?}"),
    }
}
