//! Makes the thumbnails of the gallery from the golden pictures of the bundled scenes.

use std::error::Error;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

/// Width and height of a thumbnail in pixels.
const SIZE: [usize; 2] = [192, 108];
/// Bits per channel that are kept: the rest is noise, which does not compress.
const KEPT_BITS: u32 = 6;

/// An RGB picture of three bytes per pixel.
struct Picture {
    size: [usize; 2],
    bytes: Vec<u8>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let scenes = Path::new("../../scenes");
    let out = std::env::var("OUT_DIR")?;
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", scenes.display());

    let mut list = String::from("&[\n");
    let mut folders: Vec<_> = fs::read_dir(scenes)?.collect::<Result<_, _>>()?;
    folders.sort_by_key(fs::DirEntry::file_name);
    for folder in folders {
        let golden = folder.path().join("golden.png");
        if !golden.is_file() {
            continue;
        }
        println!("cargo::rerun-if-changed={}", golden.display());
        let name = folder.file_name().to_string_lossy().into_owned();
        let file = Path::new(&out).join(format!("{name}.png"));
        write_png(&posterised(shrunk(&read_png(&golden)?)), &file)?;
        writeln!(list, "    ({name:?}, include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.png\"))),")?;
    }
    list.push(']');
    fs::write(Path::new(&out).join("thumbnails.rs"), list)?;
    Ok(())
}

fn read_png(path: &Path) -> Result<Picture, Box<dyn Error>> {
    let mut decoder = png::Decoder::new(BufReader::new(File::open(path)?));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info()?;
    let mut bytes = vec![0; reader.output_buffer_size().ok_or("a picture too large for memory")?];
    let frame = reader.next_frame(&mut bytes)?;
    bytes.truncate(frame.buffer_size());
    let channels = frame.color_type.samples();
    let rgb = bytes.chunks(channels).flat_map(|pixel| match channels {
        3 | 4 => [pixel[0], pixel[1], pixel[2]],
        _ => [pixel[0]; 3],
    });
    Ok(Picture { size: [frame.width as usize, frame.height as usize], bytes: rgb.collect() })
}

/// The picture downscaled by a box filter.
fn shrunk(from: &Picture) -> Picture {
    let mut bytes = Vec::with_capacity(3 * SIZE[0] * SIZE[1]);
    for y in 0..SIZE[1] {
        for x in 0..SIZE[0] {
            bytes.extend(mean(from, [x, y]));
        }
    }
    Picture { size: SIZE, bytes }
}

/// The mean over the pixels that a pixel of the thumbnail covers, weighted by area.
fn mean(from: &Picture, at: [usize; 2]) -> [u8; 3] {
    let span = |axis: usize| {
        let scale = from.size[axis] as f64 / SIZE[axis] as f64;
        (at[axis] as f64 * scale, (at[axis] + 1) as f64 * scale)
    };
    let ([left, top], [right, bottom]) = ([span(0).0, span(1).0], [span(0).1, span(1).1]);
    let (mut sum, mut weight) = ([0.0; 3], 0.0);
    for row in top as usize..(bottom.ceil() as usize).min(from.size[1]) {
        for column in left as usize..(right.ceil() as usize).min(from.size[0]) {
            let width = right.min(column as f64 + 1.0) - left.max(column as f64);
            let height = bottom.min(row as f64 + 1.0) - top.max(row as f64);
            let first = 3 * (row * from.size[0] + column);
            for channel in 0..3 {
                sum[channel] += width * height * f64::from(from.bytes[first + channel]);
            }
            weight += width * height;
        }
    }
    sum.map(|sum| (sum / weight).round() as u8)
}

/// The picture quantised to [`KEPT_BITS`] per channel.
fn posterised(mut picture: Picture) -> Picture {
    let steps = f64::from((1u32 << KEPT_BITS) - 1);
    for byte in &mut picture.bytes {
        *byte = ((f64::from(*byte) / 255.0 * steps).round() / steps * 255.0).round() as u8;
    }
    picture
}

fn write_png(picture: &Picture, path: &Path) -> Result<(), Box<dyn Error>> {
    let mut encoder = png::Encoder::new(File::create(path)?, picture.size[0] as u32, picture.size[1] as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    encoder.write_header()?.write_image_data(&picture.bytes)?;
    Ok(())
}
