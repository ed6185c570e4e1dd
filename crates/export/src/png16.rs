//! Height maps and other 2-D scalar fields as 16-bit greyscale PNG, for terrain tools and game engines.
//!
//! Grey is linear in the value: `value = low + grey/65535 · (high − low)`. Values outside are clamped, NaN becomes 0. The
//! range is given once for all frames, or taken from each frame. It is stored in the text chunks `undine:low`,
//! `undine:high`, `undine:unit`, `undine:spacing` and `undine:origin` (metres), and `undine:time` (seconds). Row 0 is the
//! greatest y (north up).

use std::io::{self, Write};

use undine_frame::Raster;

use crate::number::Shortest;
use crate::raster_image::{RasterImage, space_separated};

/// Whether a raster can be written: it must have a single layer and a single number per sample.
pub fn accepts(raster: &Raster) -> bool {
    raster.components == 1 && RasterImage::of(raster).is_some()
}

/// Writes a scalar raster of one layer as it was at `time` seconds, black at `range[0]` and white at `range[1]`;
/// without `range`, from its least to its greatest value.
pub fn write_raster(
    raster: &Raster,
    time: f64,
    range: Option<[f32; 2]>,
    writer: impl Write,
) -> io::Result<()> {
    let refused =
        || io::Error::new(io::ErrorKind::InvalidInput, "a grey map needs a scalar raster of one layer");
    let map = RasterImage::of(raster).filter(|_| raster.components == 1).ok_or_else(refused)?;
    let [low, high] = range.or_else(|| raster.range().map(|(low, high)| [low, high])).unwrap_or([0.0, 1.0]);
    let grey: Vec<u8> = map.component(0).flat_map(|value| grey_of(value, low, high).to_be_bytes()).collect();

    let mut encoder = ::png::Encoder::new(writer, map.width, map.height);
    encoder.set_color(::png::ColorType::Grayscale);
    encoder.set_depth(::png::BitDepth::Sixteen);
    encoder.set_compression(::png::Compression::Fast);
    for (key, text) in notes(raster, time, [low, high]) {
        add_text(&mut encoder, key, text)?;
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&grey)?;
    Ok(writer.finish()?)
}

fn grey_of(value: f32, low: f32, high: f32) -> u16 {
    let fraction = (f64::from(value) - f64::from(low)) / (f64::from(high) - f64::from(low));
    // The cast saturates and maps NaN (also from an empty range) to zero.
    (fraction * 65535.0).round() as u16
}

fn notes(raster: &Raster, time: f64, [low, high]: [f32; 2]) -> [(&'static str, String); 6] {
    [
        ("undine:low", Shortest(low).to_string()),
        ("undine:high", Shortest(high).to_string()),
        ("undine:unit", raster.unit.clone()),
        ("undine:spacing", space_separated(raster.spacing)),
        ("undine:origin", space_separated(raster.origin)),
        ("undine:time", Shortest(time).to_string()),
    ]
}

/// `tEXt` chunks hold Latin-1 only; other text goes into an `iTXt` chunk.
fn add_text<W: Write>(encoder: &mut ::png::Encoder<'_, W>, key: &str, text: String) -> io::Result<()> {
    let latin = text.chars().all(|c| u32::from(c) < 256);
    let added = if latin {
        encoder.add_text_chunk(key.to_owned(), text)
    } else {
        encoder.add_itxt_chunk(key.to_owned(), text)
    };
    Ok(added?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn surface(values: Vec<f32>) -> Raster {
        Raster {
            name: "height".into(),
            unit: "m".into(),
            size: [2, 2, 1],
            components: 1,
            spacing: [0.5, 0.5, 1.0],
            values: values.into(),
            ..Raster::default()
        }
    }

    fn read(raster: &Raster, range: Option<[f32; 2]>) -> (Vec<u16>, Vec<(String, String)>) {
        let mut file = Vec::new();
        write_raster(raster, 2.0, range, &mut file).unwrap();
        let mut reader = ::png::Decoder::new(Cursor::new(file)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        let grey = bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
        let texts = &reader.info().uncompressed_latin1_text;
        (grey, texts.iter().map(|chunk| (chunk.keyword.clone(), chunk.text.clone())).collect())
    }

    #[test]
    fn the_range_of_the_frame_spans_black_to_white_north_up() {
        let (grey, notes) = read(&surface(vec![-1.0, 0.0, 0.5, 1.0]), None);
        assert_eq!(grey, [49151, 65535, 0, 32768]);
        let note = |key: &str| notes.iter().find(|note| note.0 == key).unwrap().1.clone();
        assert_eq!([note("undine:low"), note("undine:high")], ["-1", "1"]);
        assert_eq!([note("undine:unit"), note("undine:spacing")], ["m", "0.5 0.5 1"]);
    }

    #[test]
    fn a_given_range_clamps_and_nothing_breaks_the_scale() {
        let raster = surface(vec![f32::NAN, f32::INFINITY, -9.0, 0.25]);
        assert_eq!(read(&raster, Some([0.0, 0.5])).0, [0, 32768, 0, 65535]);
        assert_eq!(read(&surface(vec![3.0; 4]), None).0, [0; 4]);
        assert_eq!(read(&surface(vec![f32::NAN; 4]), None).0, [0; 4]);
    }

    #[test]
    fn units_beyond_latin_are_kept() {
        let mut raster = surface(vec![0.0; 4]);
        raster.unit = "Ω".into();
        let mut file = Vec::new();
        write_raster(&raster, 0.0, None, &mut file).unwrap();
        assert!(file.windows(2).any(|pair| pair == "Ω".as_bytes()));
    }

    #[test]
    fn vectors_are_refused() {
        let flow = Raster { components: 2, size: [1, 2, 1], ..surface(vec![0.0; 4]) };
        assert!(!accepts(&flow) && write_raster(&flow, 0.0, None, io::sink()).is_err());
    }
}
