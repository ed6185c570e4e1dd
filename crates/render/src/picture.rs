//! Image types: 8-bit sRGB pictures, and radiance images in linear light.

use rayon::prelude::*;
use undine_frame::Raster;

/// An 8-bit sRGB picture, rows from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Pixels along a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green, blue of every pixel; `3 * width * height` bytes.
    pub rgb: Vec<u8>,
}

impl Picture {
    /// The colour of a pixel, or `None` outside the picture.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 3]> {
        let inside = x < self.width && y < self.height;
        let first = 3 * (y as usize * self.width as usize + x as usize);
        let bytes = self.rgb.get(first..first + 3).filter(|_| inside)?;
        bytes.try_into().ok()
    }
}

/// A picture with its render passes.
#[derive(Debug, Clone, PartialEq)]
pub struct PictureWithPasses {
    /// The picture.
    pub picture: Picture,
    /// Rasters of the same size, first row at the bottom: depth, normals, …
    pub passes: Vec<Raster>,
}

impl From<Picture> for PictureWithPasses {
    fn from(picture: Picture) -> Self {
        PictureWithPasses { picture, passes: Vec::new() }
    }
}

/// A framebuffer in linear light, before exposure and tone mapping.
#[derive(Debug, Clone, PartialEq)]
pub struct RadianceImage {
    /// Pixels along a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Linear red, green and blue, rows from the top.
    pub pixels: Vec<[f32; 3]>,
}

impl RadianceImage {
    /// An image of one colour.
    pub fn filled(width: usize, height: usize, colour: [f32; 3]) -> Self {
        RadianceImage { width, height, pixels: vec![colour; width * height] }
    }

    /// Encodes every pixel by `encode(x, y, colour)`, rows in parallel.
    pub fn encode(&self, encode: impl Fn(usize, usize, [f32; 3]) -> [u8; 3] + Sync) -> Picture {
        let mut rgb = vec![0; 3 * self.pixels.len()];
        let rows = rgb.par_chunks_mut((3 * self.width).max(1)).zip(self.pixels.par_chunks(self.width.max(1)));
        rows.enumerate().for_each(|(y, (bytes, pixels))| {
            for (x, (bytes, &pixel)) in bytes.chunks_exact_mut(3).zip(pixels).enumerate() {
                bytes.copy_from_slice(&encode(x, y, pixel));
            }
        });
        Picture { width: self.width as u32, height: self.height as u32, rgb }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_found_and_outside_is_none() {
        let picture = RadianceImage::filled(3, 2, [0.0; 3]).encode(|x, y, _| [x as u8, y as u8, 9]);
        assert_eq!(picture.pixel(2, 1), Some([2, 1, 9]));
        assert_eq!(picture.pixel(3, 0), None);
        assert_eq!(picture.pixel(0, 2), None);
    }
}
