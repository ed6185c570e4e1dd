//! Height maps and other 2-D fields as OpenEXR: 32-bit floats, lossless.
//!
//! A scalar is one channel named after the raster; a vector is one channel per component (`velocity.x`, …). Row 0 is
//! the greatest y (north up). The `comments` attribute holds one `key=value` per line: `unit`, `time`, `origin` and
//! `spacing` in metres. They share one attribute because the `exr` crate writes further ones in random order, and output
//! must be deterministic.

use std::io::{self, Cursor, Seek, Write};
use std::path::Path;

use ::exr::prelude::{
    AnyChannel, AnyChannels, Compression, Encoding, FlatSamples, Image, Layer, LayerAttributes, Text,
    WritableImage,
};
use undine_frame::{AtomicFile, Raster};

use crate::number::Shortest;
use crate::raster_image::{RasterImage, component_names, space_separated};

/// Whether a raster can be written: it must have a single layer in z.
pub fn accepts(raster: &Raster) -> bool {
    RasterImage::of(raster).is_some()
}

/// Writes a raster of one layer as it was at `time` seconds.
pub fn write_raster(raster: &Raster, time: f64, writer: impl Write + Seek) -> io::Result<()> {
    write_channels(std::slice::from_ref(raster), time, writer)
}

/// Writes rasters of one size, such as the passes of a picture, as the channels of one file.
pub fn write_passes(path: &Path, passes: &[Raster], time: f64) -> io::Result<()> {
    let mut bytes = Cursor::new(Vec::new());
    write_channels(passes, time, &mut bytes)?;
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes.get_ref())?;
    file.commit()
}

fn write_channels(rasters: &[Raster], time: f64, writer: impl Write + Seek) -> io::Result<()> {
    let refused =
        || io::Error::new(io::ErrorKind::InvalidInput, "an EXR map needs rasters of one layer and size");
    let first = rasters.first().ok_or_else(refused)?;
    let mut channels = Vec::new();
    for raster in rasters {
        let map = RasterImage::of(raster).filter(|_| raster.size == first.size).ok_or_else(refused)?;
        for (component, name) in component_names(raster).into_iter().enumerate() {
            channels
                .push(AnyChannel::new(latin(&name), FlatSamples::F32(map.component(component).collect())));
        }
    }
    let mut attributes = LayerAttributes::named(latin(&first.name));
    attributes.comments = Some(latin(&comments(first, time)));
    attributes.software_name = Some(latin("undine"));
    let encoding = Encoding { compression: Compression::ZIP16, ..Encoding::FAST_LOSSLESS };
    let size = (first.size[0] as usize, first.size[1] as usize);
    let layer = Layer::new(size, attributes, encoding, AnyChannels::sort(channels.into_iter().collect()));
    Image::from_layer(layer).write().non_parallel().to_buffered(writer).map_err(io::Error::other)
}

fn comments(raster: &Raster, time: f64) -> String {
    let Raster { unit, origin, spacing, .. } = raster;
    let (origin, spacing) = (space_separated(*origin), space_separated(*spacing));
    format!("unit={unit}\ntime={}\norigin={origin}\nspacing={spacing}", Shortest(time))
}

/// Latin-1 text, as the format stores it; other characters become `?`.
fn latin(text: &str) -> Text {
    let plain: String = text.chars().map(|c| if u32::from(c) < 256 && c != '\0' { c } else { '?' }).collect();
    Text::new_or_none(plain).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::exr::prelude::{ReadChannels, ReadLayers, read};
    use undine_frame::Quantity;

    fn bytes(raster: &Raster) -> Vec<u8> {
        let mut file = Cursor::new(Vec::new());
        write_raster(raster, 1.5, &mut file).unwrap();
        file.into_inner()
    }

    fn surface() -> Raster {
        Raster {
            name: "height".into(),
            unit: "m".into(),
            water: 0,
            quantity: Quantity::Height,
            size: [5, 3, 1],
            components: 1,
            origin: [0.5, 0.5, 0.0],
            spacing: [0.1, 0.2, 1.0],
            values: (0..15).map(|value| value as f32 / 3.0).collect(),
        }
    }

    #[test]
    fn values_and_notes_come_back() {
        let file = Cursor::new(bytes(&surface()));
        let reader = read().no_deep_data().largest_resolution_level().all_channels().first_valid_layer();
        let image = reader.all_attributes().from_buffered(file).unwrap();
        let layer = &image.layer_data;
        assert_eq!(layer.channel_data.list[0].name.to_string(), "height");
        let FlatSamples::F32(values) = &layer.channel_data.list[0].sample_data else { panic!("not f32") };
        assert_eq!(values[..5], surface().values[10..]);
        let comments = layer.attributes.comments.as_ref().unwrap().to_string();
        assert_eq!(comments, "unit=m\ntime=1.5\norigin=0.5 0.5 0\nspacing=0.1 0.2 1");
    }

    #[test]
    fn the_same_raster_gives_the_same_bytes() {
        let mut flow = surface();
        flow.components = 3;
        flow.quantity = Quantity::Velocity;
        flow.values = (0..45).map(|value| value as f32).collect();
        assert_eq!(bytes(&flow), bytes(&flow));
        assert_eq!(bytes(&flow)[..4], [0x76, 0x2f, 0x31, 0x01]);
    }

    #[test]
    fn passes_share_a_file_and_must_be_of_one_size() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("000001.exr");
        let depth = Raster { name: "depth".into(), ..surface() };
        let normal =
            Raster { name: "normal".into(), components: 3, values: vec![0.5; 45].into(), ..surface() };
        write_passes(&file, &[depth.clone(), normal], 0.0).unwrap();
        let reader = read().no_deep_data().largest_resolution_level().all_channels().first_valid_layer();
        let image = reader.all_attributes().from_file(&file).unwrap();
        let names: Vec<String> =
            image.layer_data.channel_data.list.iter().map(|channel| channel.name.to_string()).collect();
        assert_eq!(names, ["depth", "normal.x", "normal.y", "normal.z"]);
        let other = Raster { size: [3, 5, 1], ..surface() };
        assert!(write_passes(&file, &[depth, other], 0.0).is_err());
    }

    #[test]
    fn odd_names_and_solids_do_no_harm() {
        let odd = Raster { name: "高さ\0".into(), ..surface() };
        assert!(bytes(&odd).len() > 100);
        let solid = Raster { size: [5, 1, 3], ..surface() };
        assert!(write_raster(&solid, 0.0, Cursor::new(Vec::new())).is_err());
    }
}
