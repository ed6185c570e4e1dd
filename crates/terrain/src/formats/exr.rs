//! OpenEXR: heights as they are, in floating point of 16 or 32 bits or whole numbers of 32.
//!
//! One channel is read. Lines `origin=…` and `spacing=…` of the `comments` attribute are read and written.

use std::io::Cursor;

use exr::meta::header::Header;
use exr::meta::{BlockDescription, MetaData};
use exr::prelude::{
    AnyChannel, AnyChannels, Compression, Encoding, FlatSamples, Image, Layer, LayerAttributes, ReadChannels,
    ReadLayers, ReadSpecificChannel, SampleType, Text, Vec2, WritableImage, read,
};

use super::notes::{self, Notes};
use super::tracked::{Mark, Tracked};
use super::{Decoded, checked_count, heights_with_capacity};
use crate::error::{Fault, TerrainError};
use crate::height_map::HeightMap;

/// The channel that is read by default when there are several: the first of these that exists.
const PREFERRED: [&str; 6] = ["height", "elevation", "Y", "Z", "R", "depth"];
/// Largest number of bytes that any of the compressions makes of one.
const MAX_EXPANSION: usize = 4096;
/// A tile may be larger than a small image; up to this size it is harmless.
const SMALL_TILE: usize = 16 << 10;

/// Reads one channel of a picture.
pub(crate) fn decode(bytes: &[u8], channel: Option<&str>, most: usize) -> Result<Decoded, TerrainError> {
    let (tracked, mark) = Tracked::new(bytes);
    let meta = MetaData::read_from_buffered(tracked, false).map_err(|error| read_error(&error, &mark))?;
    let (header, name) = find_channel(&meta, channel)?;
    let Vec2(columns, rows) = header.layer_size;
    let count = checked_count(columns as u64, rows as u64, most)?;
    check_sampling(header, &name)?;
    check_lengths(bytes, &meta)?;

    let is_whole = header.channels.list.iter().any(|c| c.name == name && c.sample_type == SampleType::U32);
    let heights = if is_whole {
        read_channel(bytes, &name, count, f64::from as fn(u32) -> f64)?
    } else {
        read_channel(bytes, &name, count, f64::from as fn(f32) -> f64)?
    };
    let mut notes = Notes::default();
    let comments = header.own_attributes.comments.as_ref().map(ToString::to_string).unwrap_or_default();
    for (key, text) in comments.lines().filter_map(|line| line.split_once('=')) {
        notes.take(key, text);
    }
    Ok(Decoded { lattice: notes.lattice(rows), ..Decoded::unplaced(columns, rows, heights) })
}

/// The first layer that has the channel, and the channel's name.
fn find_channel<'m>(meta: &'m MetaData, wanted: Option<&str>) -> Result<(&'m Header, Text), TerrainError> {
    let flat = || meta.headers.iter().filter(|header| !header.deep);
    let channels = || flat().flat_map(|header| header.channels.list.iter().map(move |c| (header, &c.name)));
    let named = |name: &str| {
        let name = Text::new_or_none(name)?;
        channels().find(|(_, known)| **known == name)
    };
    let found = match wanted {
        Some(name) => named(name),
        None => PREFERRED.iter().find_map(|name| named(name)).or_else(|| channels().next()),
    };
    if let Some((header, name)) = found {
        return Ok((header, name.clone()));
    }
    let known: Vec<String> = channels().map(|(_, name)| name.to_string()).collect();
    match wanted.filter(|_| !known.is_empty()) {
        Some(name) => {
            let fault = Fault::Request(format!("the picture has no channel {name:?}"));
            Err(TerrainError::of_file(fault, format!("one of {}", known.join(", "))))
        }
        None => {
            let fault = Fault::Unsupported("the picture has no flat layer with a channel".into());
            Err(TerrainError::of_file(fault, "save it without deep data"))
        }
    }
}

fn check_sampling(header: &Header, name: &Text) -> Result<(), TerrainError> {
    if header.channels.list.iter().all(|channel| channel.name != *name || channel.sampling == Vec2(1, 1)) {
        return Ok(());
    }
    let fault = Fault::Unsupported("the channel has fewer samples than the picture".into());
    Err(TerrainError::of_file(fault, "save it without subsampling"))
}

/// A few bytes cannot hold a vast layer or tile, whatever the headers say.
fn check_lengths(bytes: &[u8], meta: &MetaData) -> Result<(), TerrainError> {
    for header in &meta.headers {
        let Vec2(columns, rows) = header.layer_size;
        let tile = match header.blocks {
            BlockDescription::Tiles(tiles) => tiles.tile_size,
            BlockDescription::ScanLines => Vec2(1, 1),
        };
        let samples = columns.saturating_mul(rows).max(tile.0.saturating_mul(tile.1));
        let wanted = samples.saturating_mul(header.channels.bytes_per_pixel) / MAX_EXPANSION;
        if wanted > bytes.len().max(SMALL_TILE) {
            let what = format!("{samples} samples cannot come out of {} bytes", bytes.len());
            return Err(TerrainError::of_file(Fault::Truncated(what), "copy the file again"));
        }
    }
    Ok(())
}

fn read_channel<S>(
    bytes: &[u8],
    name: &Text,
    count: usize,
    height: fn(S) -> f64,
) -> Result<Vec<f64>, TerrainError>
where
    S: exr::block::samples::FromNativeSample + Default,
{
    // Refuse before decoding what would not fit into memory
    let (tracked, mark) = Tracked::new(bytes);
    drop(heights_with_capacity(count)?);

    // Decode the one channel at full resolution, row by row
    let image = read()
        .no_deep_data()
        .largest_resolution_level()
        .specific_channels()
        .required(name.clone())
        .collect_pixels(
            |size: Vec2<usize>, _| (size.width(), vec![f64::NAN; size.area()]),
            move |(width, heights): &mut (usize, Vec<f64>), at, (sample,): (S,)| {
                if let Some(place) = heights.get_mut(at.y() * *width + at.x()) {
                    *place = height(sample);
                }
            },
        )
        .first_valid_layer()
        .all_attributes()
        .non_parallel()
        .from_buffered(tracked)
        .map_err(|error| read_error(&error, &mark))?;

    // The layer that was decoded must be the one that the header was read for
    let (_, heights) = image.layer_data.channel_data.pixels;
    if heights.len() != count {
        let fault = Fault::Malformed("layers of different sizes share the channel".into());
        return Err(TerrainError::of_file(fault, "save it as a single layer"));
    }
    Ok(heights)
}

fn read_error(error: &exr::error::Error, mark: &Mark) -> TerrainError {
    let remedy = "copy the file again, or save it anew as OpenEXR";
    let fault = match error {
        exr::error::Error::NotSupported(what) => {
            Fault::Unsupported(format!("it is of a kind that is not read: {what}"))
        }
        exr::error::Error::Invalid(what) if what.contains("missing bytes") => {
            Fault::Truncated("the picture does not end".into())
        }
        error => Fault::Malformed(format!("the picture is damaged: {error}")),
    };
    TerrainError::new(mark.place(), fault, remedy)
}

/// Writes a height map as a channel `height` of 32-bit floating point; where it has no data, NaN.
pub(crate) fn encode(map: &HeightMap) -> Result<Vec<u8>, TerrainError> {
    let rows = map.heights().chunks_exact(map.columns()).rev();
    let samples = FlatSamples::F32(rows.flatten().map(|height| *height as f32).collect());
    let channel = AnyChannel::new(Text::from("height"), samples);
    let mut attributes = LayerAttributes::named(Text::from("height"));
    let lines = notes::of(map).map(|(key, text)| format!("{key}={text}"));
    attributes.comments = Text::new_or_none(lines.join("\n"));
    attributes.software_name = Some(Text::from("undine"));
    let encoding = Encoding { compression: Compression::ZIP16, ..Encoding::FAST_LOSSLESS };
    let size = (map.columns(), map.rows());
    let layer = Layer::new(size, attributes, encoding, AnyChannels::sort([channel].into_iter().collect()));
    let mut file = Cursor::new(Vec::new());
    Image::from_layer(layer).write().non_parallel().to_buffered(&mut file).map_err(|error| {
        let fault = Fault::Unsupported(format!("the picture cannot be written: {error}"));
        TerrainError::of_file(fault, "thin the map first")
    })?;
    Ok(file.into_inner())
}
