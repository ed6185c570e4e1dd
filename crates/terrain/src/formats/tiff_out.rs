//! Writing GeoTIFF: one band of 32-bit floating point, deflated, with its place in metres.

use std::io::Cursor;

use tiff::TiffResult;
use tiff::encoder::colortype::Gray32Float;
use tiff::encoder::compression::DeflateLevel;
use tiff::encoder::{Compression, TiffEncoder};
use tiff::tags::Tag;

use crate::error::{Fault, TerrainError};
use crate::height_map::HeightMap;

/// GeoKeys of a map in metres of a user-defined projection, pixel is area: version, then key, tag, count and value.
const KEYS: [u16; 24] = [
    1, 1, 0, 5, // version 1.1.0 with five keys
    1024, 0, 1, 1, // the model is projected
    1025, 0, 1, 1, // a sample is an area
    3072, 0, 1, 32767, // by a projection of the user's own
    3076, 0, 1, 9001, // in metres
    4099, 0, 1, 9001, // and so are the heights
];

/// Writes a height map; where it has no data, NaN.
pub(crate) fn encode(map: &HeightMap) -> Result<Vec<u8>, TerrainError> {
    write(map).map_err(|error| {
        let fault = Fault::Unsupported(format!("the TIFF cannot be written: {error}"));
        TerrainError::of_file(fault, "thin the map first")
    })
}

fn write(map: &HeightMap) -> TiffResult<Vec<u8>> {
    let mut file = Cursor::new(Vec::new());
    let rows = map.heights().chunks_exact(map.columns()).rev();
    let samples: Vec<f32> = rows.flatten().map(|height| *height as f32).collect();
    let compression = Compression::Deflate(DeflateLevel::Balanced);
    let mut encoder = TiffEncoder::new(&mut file)?.with_compression(compression);
    let mut image = encoder.new_image::<Gray32Float>(map.columns() as u32, map.rows() as u32)?;

    let ([dx, dy], [x, y]) = (map.spacing(), map.origin());
    let north = y + map.rows() as f64 * dy;
    let tags = image.encoder();
    tags.write_tag(Tag::ModelPixelScaleTag, [dx, dy, 0.0].as_slice())?;
    tags.write_tag(Tag::ModelTiepointTag, [0.0, 0.0, 0.0, x, north, 0.0].as_slice())?;
    tags.write_tag(Tag::GeoKeyDirectoryTag, KEYS.as_slice())?;
    tags.write_tag(Tag::GdalNodata, "nan")?;
    tags.write_tag(Tag::Software, "undine")?;
    image.write_data(&samples)?;
    Ok(file.into_inner())
}
