//! Colour conversion: sRGB to Y′CbCr of BT.709 [itu2015], limited range, 4:2:0.
//!
//! Luma is sampled at every pixel, chroma at every second one, sited as H.264 expects: at the even columns and half-way
//! between two rows, so it is filtered (1 2 1)/4 along the row and (1 1)/2 across rows. Integer arithmetic, so that every
//! machine gives the same samples.

use openh264::formats::YUVSource;

use crate::png::RgbImage;

/// Smallest picture side that the encoder accepts.
const MIN_SIDE: usize = 16;

/// One frame in YUV 4:2:0: luma and two quarter-size chroma planes. Width and height are even.
pub(super) struct YuvFrame {
    width: usize,
    height: usize,
    luma: Vec<u8>,
    blue: Vec<u8>,
    red: Vec<u8>,
}

/// The encoded size of a picture: padded to even numbers.
pub(super) fn film_size(width: u32, height: u32) -> [u32; 2] {
    [width, height].map(|pixels| pixels.next_multiple_of(2).max(MIN_SIDE as u32))
}

impl YuvFrame {
    /// Converts a picture; its last row and column are repeated up to the film's size.
    pub fn from_picture(picture: &RgbImage) -> YuvFrame {
        let [width, height] = film_size(picture.width, picture.height).map(|pixels| pixels as usize);
        let quarter = width * height / 4;
        let (mut luma, mut blue, mut red) =
            (Vec::with_capacity(4 * quarter), Vec::with_capacity(quarter), Vec::with_capacity(quarter));
        let mut pair = [vec![0; 3 * width], vec![0; 3 * width]];
        for row in (0..height).step_by(2) {
            for (offset, pixels) in pair.iter_mut().enumerate() {
                copy_row(picture, row + offset, pixels);
                luma.extend(pixels.chunks_exact(3).map(|pixel| luma_of([pixel[0], pixel[1], pixel[2]])));
            }
            for column in (0..width).step_by(2) {
                let [b, r] = chroma_of(filtered(&pair, column));
                blue.push(b);
                red.push(r);
            }
        }
        YuvFrame { width, height, luma, blue, red }
    }
}

/// Copies a row of a picture (the last one beyond the end) and pads it by repeating its last pixel.
fn copy_row(picture: &RgbImage, row: usize, pixels: &mut [u8]) {
    let length = 3 * picture.width as usize;
    let start = length * row.min(picture.height as usize - 1);
    let source = &picture.pixels[start..start + length];
    let (inside, beyond) = pixels.split_at_mut(length);
    inside.copy_from_slice(source);
    beyond.chunks_exact_mut(3).for_each(|pixel| pixel.copy_from_slice(&source[length - 3..]));
}

/// Luma in 16-bit fixed point: 16 + 219 (0.2126 R + 0.7152 G + 0.0722 B)/255.
fn luma_of(colour: [u8; 3]) -> u8 {
    let [r, g, b] = colour.map(i32::from);
    ((11_966 * r + 40_254 * g + 4_064 * b + (16 << 16) + (1 << 15)) >> 16) as u8
}

/// Eight times the colour around an even column of two rows.
fn filtered(pair: &[Vec<u8>; 2], column: usize) -> [i32; 3] {
    let [left, centre, right] = [column.saturating_sub(1), column, column + 1].map(|column| 3 * column);
    std::array::from_fn(|channel| {
        let at = |row: &Vec<u8>, pixel: usize| i32::from(row[pixel + channel]);
        let row_sum = |row: &Vec<u8>| at(row, left) + 2 * at(row, centre) + at(row, right);
        row_sum(&pair[0]) + row_sum(&pair[1])
    })
}

/// Chroma of eight times a colour: 128 + 224 (B − Y)/(1.8556·255) and 128 + 224 (R − Y)/(1.5748·255).
fn chroma_of([r, g, b]: [i32; 3]) -> [u8; 2] {
    let rounded = |sum: i32| ((sum + (128 << 19) + (1 << 18)) >> 19) as u8;
    [rounded(-6_596 * r - 22_189 * g + 28_785 * b), rounded(28_784 * r - 26_145 * g - 2_639 * b)]
}

impl YUVSource for YuvFrame {
    fn dimensions(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    fn strides(&self) -> (usize, usize, usize) {
        (self.width, self.width / 2, self.width / 2)
    }

    fn y(&self) -> &[u8] {
        &self.luma
    }

    fn u(&self) -> &[u8] {
        &self.blue
    }

    fn v(&self) -> &[u8] {
        &self.red
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uniform(width: u32, height: u32, colour: [u8; 3]) -> YuvFrame {
        let pixels = colour.repeat(width as usize * height as usize);
        YuvFrame::from_picture(&RgbImage { width, height, pixels })
    }

    #[test]
    fn primaries_match_the_standard() {
        // Rounded from the formulae of BT.709 for 8 bits.
        let expected = [
            ([0, 0, 0], [16, 128, 128]),
            ([255, 255, 255], [235, 128, 128]),
            ([255, 0, 0], [63, 102, 240]),
            ([0, 255, 0], [173, 42, 26]),
            ([0, 0, 255], [32, 240, 118]),
        ];
        for (colour, samples) in expected {
            let planes = uniform(32, 32, colour);
            assert_eq!([planes.luma[40], planes.blue[40], planes.red[40]], samples, "{colour:?}");
        }
    }

    #[test]
    fn odd_and_tiny_pictures_are_extended() {
        let planes = uniform(33, 7, [90, 120, 30]);
        assert_eq!(planes.dimensions(), (34, 16));
        assert_eq!((planes.luma.len(), planes.blue.len()), (34 * 16, 17 * 8));
        assert!(planes.luma.iter().all(|&luma| luma == planes.luma[0]));
        assert!(planes.red.iter().all(|&red| red == planes.red[0]));
    }
}
