//! 8-bit RGB PNG files (W3C PNG, third edition), sRGB.
//!
//! Written with the fast deflate setting of the `png` crate: 1280 × 720 pixels take some milliseconds, and the same pixels
//! always give the same bytes.

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use undine_frame::{AtomicFile, SinkError};

/// An 8-bit sRGB image: rows from the top, three bytes (red, green, blue) per pixel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RgbImage {
    /// Pixels per row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The pixels, `3 × width × height` bytes.
    pub pixels: Vec<u8>,
}

/// Why a picture could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// The file could not be written.
    #[error("cannot write {path}: {source}", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file could not be opened.
    #[error("cannot read {path}: {source}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file is not a complete PNG picture.
    #[error("{path} is not a complete PNG picture ({what}); delete it, and it is rendered again", path = path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
}

impl From<PngError> for SinkError {
    fn from(error: PngError) -> Self {
        match error {
            PngError::Write { path, source } | PngError::Read { path, source } => {
                SinkError::Io { path, source }
            }
            broken @ PngError::Broken { .. } => SinkError::Unsuited(broken.to_string()),
        }
    }
}

/// Writes a picture of `3 × width × height` bytes atomically: the file appears complete or not at all.
pub fn write_rgb8(path: &Path, width: u32, height: u32, pixels: &[u8]) -> Result<(), PngError> {
    let write = || {
        let mut file = AtomicFile::create(path)?;
        encode_rgb8(&mut file, width, height, pixels)?;
        file.commit()
    };
    write().map_err(|source| PngError::Write { path: path.to_owned(), source })
}

/// Encodes a picture as PNG to any writer.
pub fn encode_rgb8(writer: impl Write, width: u32, height: u32, pixels: &[u8]) -> io::Result<()> {
    let mut encoder = ::png::Encoder::new(writer, width, height);
    encoder.set_color(::png::ColorType::Rgb);
    encoder.set_depth(::png::BitDepth::Eight);
    encoder.set_source_srgb(::png::SrgbRenderingIntent::Perceptual);
    encoder.set_compression(::png::Compression::Fast);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    Ok(writer.finish()?)
}

/// Reads a PNG picture of any colour type as 8-bit RGB; transparency is ignored.
pub fn read_rgb8(path: &Path) -> Result<RgbImage, PngError> {
    let file = File::open(path).map_err(|source| PngError::Read { path: path.to_owned(), source })?;
    decode_rgb8(file).map_err(|what| PngError::Broken { path: path.to_owned(), what })
}

fn decode_rgb8(file: File) -> Result<RgbImage, String> {
    let mut decoder = ::png::Decoder::new(BufReader::with_capacity(1 << 16, file));
    decoder.set_transformations(::png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let size = reader.output_buffer_size().ok_or("it is too large for memory")?;
    let mut pixels = vec![0; size];
    let info = reader.next_frame(&mut pixels).map_err(|error| error.to_string())?;
    pixels.truncate(info.buffer_size());
    let pixels = rgb_from(info.color_type, pixels);
    Ok(RgbImage { width: info.width, height: info.height, pixels })
}

fn rgb_from(colour: ::png::ColorType, samples: Vec<u8>) -> Vec<u8> {
    use ::png::ColorType;
    match colour {
        ColorType::Rgb | ColorType::Indexed => samples,
        ColorType::Rgba => samples.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect(),
        ColorType::Grayscale => samples.iter().flat_map(|&grey| [grey; 3]).collect(),
        ColorType::GrayscaleAlpha => samples.chunks_exact(2).flat_map(|p| [p[0]; 3]).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(width: u32, height: u32) -> Vec<u8> {
        (0..width * height)
            .flat_map(|i| [(i % 251) as u8, (i / 7 % 256) as u8, (i * i % 256) as u8])
            .collect()
    }

    #[test]
    fn a_picture_comes_back_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames/000000.png");
        write_rgb8(&path, 33, 17, &ramp(33, 17)).unwrap();
        let first = std::fs::read(&path).unwrap();
        assert_eq!(read_rgb8(&path).unwrap(), RgbImage { width: 33, height: 17, pixels: ramp(33, 17) });
        write_rgb8(&path, 33, 17, &ramp(33, 17)).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), first);
    }

    #[test]
    fn too_few_pixels_and_no_pixels_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        assert!(matches!(write_rgb8(&path, 4, 4, &[0; 47]), Err(PngError::Write { .. })));
        assert!(write_rgb8(&path, 0, 4, &[]).is_err());
        assert!(!path.exists());
    }

    #[test]
    fn a_torn_picture_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("torn.png");
        write_rgb8(&path, 64, 64, &ramp(64, 64)).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        let message = read_rgb8(&path).unwrap_err().to_string();
        assert!(message.contains("torn.png") && message.contains("delete it"), "{message}");
    }

    #[test]
    fn grey_pictures_are_read_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("grey.png");
        let mut encoder = ::png::Encoder::new(File::create(&path).unwrap(), 2, 1);
        encoder.set_color(::png::ColorType::Grayscale);
        encoder.write_header().unwrap().write_image_data(&[7, 200]).unwrap();
        assert_eq!(read_rgb8(&path).unwrap().pixels, [7, 7, 7, 200, 200, 200]);
    }
}
