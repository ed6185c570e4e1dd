//! Decoder of OpenEXR: the channels R, G and B of the first flat layer that has them [kainz2004].

use std::io::Cursor;

use exr::meta::{BlockDescription, MetaData};
use exr::prelude::{ReadChannels, ReadLayers, ReadSpecificChannel, Vec2, read as reader};
use glam::Vec3;

use super::EnvironmentMapError;
use super::environment_map::{MOST, Pixels};

/// Magic number of the format.
pub const MAGIC: [u8; 4] = [0x76, 0x2f, 0x31, 0x01];
/// Upper bound of the compression ratio; tiles up to the small size are exempt.
const MOST_FROM_A_BYTE: usize = 4096;
const SMALL: usize = 16 << 10;

/// Decodes the pixels of an image.
pub fn read(bytes: &[u8]) -> Result<Pixels, EnvironmentMapError> {
    let meta = MetaData::read_from_buffered(Cursor::new(bytes), false).map_err(|error| refused(&error))?;
    check_sizes(bytes, &meta)?;
    let image = reader()
        .no_deep_data()
        .largest_resolution_level()
        .specific_channels()
        .required("R")
        .required("G")
        .required("B")
        .collect_pixels(
            |size: Vec2<usize>, _| (size.width(), vec![Vec3::ZERO; size.area()]),
            |(width, pixels): &mut (usize, Vec<Vec3>), at, (red, green, blue): (f32, f32, f32)| {
                if let Some(pixel) = pixels.get_mut(at.y() * *width + at.x()) {
                    *pixel = Vec3::new(red, green, blue);
                }
            },
        )
        .first_valid_layer()
        .all_attributes()
        .non_parallel()
        .from_buffered(Cursor::new(bytes))
        .map_err(|error| refused(&error))?;
    let Vec2(width, height) = image.layer_data.size;
    Ok((width, height, image.layer_data.channel_data.pixels.1))
}

// A short file cannot hold a vast layer or tile, whatever its headers say.
fn check_sizes(bytes: &[u8], meta: &MetaData) -> Result<(), EnvironmentMapError> {
    for header in &meta.headers {
        let Vec2(width, height) = header.layer_size;
        let tile = match header.blocks {
            BlockDescription::Tiles(tiles) => tiles.tile_size,
            BlockDescription::ScanLines => Vec2(1, 1),
        };
        let samples = width.saturating_mul(height).max(tile.0.saturating_mul(tile.1));
        if samples > MOST {
            return Err(EnvironmentMapError::TooLarge);
        }
        let least = samples.saturating_mul(header.channels.bytes_per_pixel) / MOST_FROM_A_BYTE;
        if least > bytes.len().max(SMALL) {
            return Err(EnvironmentMapError::Short);
        }
    }
    Ok(())
}

fn refused(error: &exr::error::Error) -> EnvironmentMapError {
    match error {
        exr::error::Error::Invalid(what) if what.contains("missing bytes") => EnvironmentMapError::Short,
        error => EnvironmentMapError::Exr(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use exr::prelude::{
        AnyChannel, AnyChannels, Encoding, FlatSamples, Image, Layer, LayerAttributes, SpecificChannels,
        Text, WritableImage,
    };

    use super::*;
    use crate::sky::EnvironmentMap;

    fn file(size: [usize; 2], light: impl Fn(Vec2<usize>) -> (f32, f32, f32) + Sync) -> Vec<u8> {
        let mut file = Cursor::new(Vec::new());
        let channels = SpecificChannels::rgb(light);
        let layer =
            Layer::new((size[0], size[1]), LayerAttributes::default(), Encoding::FAST_LOSSLESS, channels);
        Image::from_layer(layer).write().non_parallel().to_buffered(&mut file).unwrap();
        file.into_inner()
    }

    #[test]
    fn directions_and_light_come_back() {
        // Bright above, red towards +x, which is the middle of the picture.
        let bytes = file([64, 32], |at| {
            let is_ahead = (24..40).contains(&at.x());
            if at.y() < 4 { (900.0, 900.0, 900.0) } else { (if is_ahead { 2.0 } else { 0.0 }, 0.5, 0.25) }
        });
        let map = EnvironmentMap::decode(&bytes).unwrap();
        assert_eq!(map.radiance(Vec3::X), Vec3::new(2.0, 0.5, 0.25));
        assert_eq!(map.radiance(-Vec3::X), Vec3::new(0.0, 0.5, 0.25));
        assert_eq!(map.radiance(Vec3::Z), Vec3::splat(900.0));
    }

    #[test]
    fn what_is_no_panorama_is_refused_with_a_reason() {
        let whole = file([64, 32], |_| (1.0, 1.0, 1.0));
        for length in [4, 40, whole.len() / 2, whole.len() - 7] {
            assert!(EnvironmentMap::decode(&whole[..length]).is_err(), "{length} bytes");
        }
        assert_eq!(
            EnvironmentMap::decode(&file([50, 32], |_| (1.0, 1.0, 1.0))).unwrap_err(),
            EnvironmentMapError::Shape(50, 32)
        );
        let height = AnyChannel::new(Text::from("height"), FlatSamples::F32(vec![1.0; 64 * 32]));
        let only = AnyChannels::sort([height].into_iter().collect());
        let layer = Layer::new((64, 32), LayerAttributes::default(), Encoding::FAST_LOSSLESS, only);
        let mut bytes = Cursor::new(Vec::new());
        Image::from_layer(layer).write().non_parallel().to_buffered(&mut bytes).unwrap();
        let refusal = EnvironmentMap::decode(&bytes.into_inner()).unwrap_err();
        assert!(refusal.to_string().contains("cannot be read"), "{refusal}");
    }
}
