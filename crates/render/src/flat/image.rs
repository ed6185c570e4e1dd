//! Images from PNG files as background or layer.

use std::sync::Arc;

use png::{BitDepth, Decoder, Limits, Transformations};
use undine_scene::SceneFile;

use super::compositor::{BlendState, PixelRect};
use super::layer_context::LayerContext;
use super::resample::{AxisMapping, FilterKernel, PixelBuffer};
use crate::DrawError;
use crate::colour::decode;
use crate::picture::RadianceImage;

/// Largest file in bytes.
const LARGEST: u64 = 64 << 20;
/// Most pixels of an image.
const MOST: u64 = 1 << 26;

/// Why an image could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// The file could not be read.
    #[error("the picture cannot be read: {0}")]
    Unreadable(#[from] std::io::Error),
    /// It is no PNG, or a damaged one.
    #[error("the picture is not a valid PNG: {0}")]
    Broken(#[from] png::DecodingError),
    /// It exceeds the size limits.
    #[error("the picture is too large: at most 64 MiB and 67 million pixels are read")]
    TooLarge,
}

/// An image in linear light with premultiplied alpha.
#[derive(Debug, Clone, PartialEq)]
pub struct RgbaImage {
    width: usize,
    pixels: Arc<[[f32; 4]]>,
}

impl RgbaImage {
    /// Reads a PNG file; downsamples it while it has at least twice as many pixels along both axes as `wanted`.
    pub fn read(file: &SceneFile, wanted: [usize; 2]) -> Result<Self, ImageError> {
        let mut image = RgbaImage::decode(&file.read(LARGEST)?)?;
        while image.width >= 2 * wanted[0].max(1) && image.height() >= 2 * wanted[1].max(1) {
            image = image.halved();
        }
        Ok(image)
    }

    /// Decodes a PNG of any colour type.
    pub fn decode(bytes: &[u8]) -> Result<Self, ImageError> {
        let mut decoder = Decoder::new_with_limits(std::io::Cursor::new(bytes), Limits { bytes: 1 << 30 });
        decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
        let header = decoder.read_header_info()?;
        if u64::from(header.width) * u64::from(header.height) > MOST {
            return Err(ImageError::TooLarge);
        }
        let mut reader = decoder.read_info()?;
        let size = reader.output_buffer_size().ok_or(ImageError::TooLarge)?;
        let mut samples = vec![0; size];
        let info = reader.next_frame(&mut samples)?;
        debug_assert_eq!(info.bit_depth, BitDepth::Eight);
        let light: Vec<f32> = (0..=255_u8).map(|byte| decode(f32::from(byte) / 255.0)).collect();
        let pixels =
            samples.chunks_exact(info.color_type.samples()).map(|sample| linear(sample, &light)).collect();
        Ok(RgbaImage { width: info.width as usize, pixels })
    }

    /// An image of pixels in linear light with straight alpha; rows of `width` from the top.
    pub fn from_pixels(width: usize, pixels: impl Iterator<Item = [f32; 4]>) -> Self {
        let premultiplied =
            pixels.map(|[red, green, blue, alpha]| [red * alpha, green * alpha, blue * alpha, alpha]);
        RgbaImage { width: width.max(1), pixels: premultiplied.collect() }
    }

    /// Pixels along a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Linear red, green and blue, premultiplied by the last, the alpha; rows from the top.
    pub fn pixels(&self) -> &[[f32; 4]] {
        &self.pixels
    }

    fn height(&self) -> usize {
        self.pixels.len() / self.width.max(1)
    }

    fn halved(&self) -> Self {
        let (width, height) = (self.width / 2, self.height() / 2);
        let mean = |index: usize| {
            let corner = index / width * 2 * self.width + index % width * 2;
            let four = [corner, corner + 1, corner + self.width, corner + self.width + 1];
            std::array::from_fn(|channel| four.iter().map(|&at| 0.25 * self.pixels[at][channel]).sum())
        };
        RgbaImage { width, pixels: (0..width * height).map(mean).collect() }
    }

    /// Composites it over a page, centred and scaled to cover all of it.
    pub(super) fn cover(&self, page: &mut RadianceImage) {
        let size = [page.width, page.height];
        let plane = self.plane(size, self.covering(size));
        for (pixel, [red, green, blue, alpha]) in page.pixels.iter_mut().zip(plane.pixels) {
            let kept = (1.0 - alpha).clamp(0.0, 1.0);
            *pixel = [kept * pixel[0] + red, kept * pixel[1] + green, kept * pixel[2] + blue];
        }
    }

    fn plane(&self, size: [usize; 2], axis_mappings: [AxisMapping; 2]) -> PixelBuffer<4> {
        PixelBuffer::new(&self.pixels, self.width, axis_mappings, size, FilterKernel::Crisp)
    }

    // Uniform scale at which the image covers the rectangle.
    fn covering(&self, [width, height]: [usize; 2]) -> [AxisMapping; 2] {
        let own = [self.width as f64, self.height() as f64];
        let step = (own[0] / width.max(1) as f64).min(own[1] / height.max(1) as f64);
        [0, 1].map(|axis| {
            let pixels = [width, height][axis] as f64;
            AxisMapping { first: 0.5 * (own[axis] - 1.0) - 0.5 * step * (pixels - 1.0), step }
        })
    }

    fn stretched(&self, [width, height]: [usize; 2]) -> [AxisMapping; 2] {
        [(self.width, width), (self.height(), height)].map(|(own, pixels)| {
            let step = own as f64 / pixels.max(1) as f64;
            AxisMapping { first: 0.5 * step - 0.5, step }
        })
    }
}

fn linear(sample: &[u8], light: &[f32]) -> [f32; 4] {
    let [red, green, blue, alpha] = match *sample {
        [grey] => [grey, grey, grey, 255],
        [grey, alpha] => [grey, grey, grey, alpha],
        [red, green, blue] => [red, green, blue, 255],
        [red, green, blue, alpha, ..] => [red, green, blue, alpha],
        [] => [0; 4],
    };
    let alpha = f32::from(alpha) / 255.0;
    let premultiplied = |byte: u8| alpha * light.get(usize::from(byte)).copied().unwrap_or(0.0);
    [premultiplied(red), premultiplied(green), premultiplied(blue), alpha]
}

/// What an image covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImageExtent {
    /// The box of the fluid, stretched over it.
    #[default]
    Inner,
    /// The whole page, with its aspect ratio kept, cropped.
    Page,
}

/// A layer of an image.
#[derive(Debug, Clone, PartialEq)]
pub struct ImageLayer {
    /// The image.
    pub image: RgbaImage,
    /// What it covers.
    pub over: ImageExtent,
}

impl ImageLayer {
    pub(super) fn draw(
        &self,
        context: &mut LayerContext<'_>,
        blend_state: BlendState,
    ) -> Result<(), DrawError> {
        let region: PixelRect = match self.over {
            ImageExtent::Inner => context.compositor.inner,
            ImageExtent::Page => context.compositor.page,
        };
        let size = [region.width, region.height];
        let axis_mappings = match self.over {
            ImageExtent::Inner => self.image.stretched(size),
            ImageExtent::Page => self.image.covering(size),
        };
        let plane = self.image.plane(size, axis_mappings);
        context.compositor.paint(region, blend_state, |x, y, _| {
            let [red, green, blue, alpha] = plane.pixels[y * region.width + x];
            let divisor = alpha.max(1e-6);
            ([red, green, blue].map(|channel| (channel / divisor).max(0.0)), alpha)
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png_of(width: u32, height: u32, colour: png::ColorType, bytes: &[u8]) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, width, height);
        encoder.set_color(colour);
        encoder.set_depth(BitDepth::Eight);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(bytes).unwrap();
        writer.finish().unwrap();
        file
    }

    #[test]
    fn greys_colours_and_alpha_are_read() {
        let grey = RgbaImage::decode(&png_of(2, 1, png::ColorType::Grayscale, &[0, 255])).unwrap();
        assert_eq!(*grey.pixels, [[0.0, 0.0, 0.0, 1.0], [1.0; 4]]);
        let clear = RgbaImage::decode(&png_of(1, 1, png::ColorType::Rgba, &[255, 0, 0, 0])).unwrap();
        assert_eq!(*clear.pixels, [[0.0; 4]]);
    }

    #[test]
    fn damaged_files_are_refused() {
        let sound = png_of(4, 4, png::ColorType::Rgb, &[7; 48]);
        for length in 0..sound.len() - 12 {
            assert!(RgbaImage::decode(&sound[..length]).is_err(), "{length}");
        }
        assert!(RgbaImage::decode(b"GIF89a").is_err());
    }

    #[test]
    fn a_covering_picture_keeps_its_shape() {
        let stripes = (0..64).map(|index| if index % 16 < 8 { [0.0, 0.0, 0.0, 1.0] } else { [1.0; 4] });
        let image = RgbaImage::from_pixels(16, stripes);
        // Four rows of sixteen on a square page: the sides are cropped, and the border stays in the middle.
        let mut page = RadianceImage::filled(40, 40, [0.5; 3]);
        image.cover(&mut page);
        assert!(page.pixels[20 * 40 + 10][0] < 0.01 && page.pixels[20 * 40 + 30][0] > 0.99);
        assert!((page.pixels[20 * 40 + 19][0] + page.pixels[20 * 40 + 20][0] - 1.0).abs() < 1e-3);
    }
}
