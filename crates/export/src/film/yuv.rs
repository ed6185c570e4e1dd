//! Pictures as video samples: sRGB to Y′CbCr of BT.709 [bt709], limited range, 4:2:0.
//!
//! Luma is taken at every pixel. Chroma is taken at every second one, where H.264 expects it: level with the even
//! columns and half-way between two rows, so it is filtered (1 2 1)/4 along the row and (1 1)/2 across rows. All in
//! whole numbers, so that every machine gives the same samples.

use openh264::formats::YUVSource;

use crate::png::Picture;

/// The encoder takes no picture smaller than this.
const SMALLEST: usize = 16;

/// One picture as luma and two quarter-size chroma planes. Width and height are even.
pub(super) struct Planes {
    width: usize,
    height: usize,
    luma: Vec<u8>,
    blue: Vec<u8>,
    red: Vec<u8>,
}

/// The even size at which a picture is filmed: one column or row is repeated where it is odd.
pub(super) fn film_size(width: u32, height: u32) -> [u32; 2] {
    [width, height].map(|pixels| pixels.next_multiple_of(2).max(SMALLEST as u32))
}

impl Planes {
    /// Converts a picture; its last row and column are repeated up to the film's size.
    pub fn from_picture(picture: &Picture) -> Planes {
        let [width, height] = film_size(picture.width, picture.height).map(|pixels| pixels as usize);
        let rows = Rows { picture, last: [picture.width as usize - 1, picture.height as usize - 1] };
        let chroma = (0..height / 2).flat_map(|row| (0..width / 2).map(move |column| (column, row)));
        let (blue, red) = chroma.map(|(column, row)| chroma_at(&rows, column, row)).unzip();
        let luma = (0..height).flat_map(|row| (0..width).map(move |column| (column, row)));
        let luma = luma.map(|(column, row)| luma_of(rows.pixel(column, row))).collect();
        Planes { width, height, luma, blue, red }
    }
}

/// A picture that goes on beyond its right and lower edges.
struct Rows<'a> {
    picture: &'a Picture,
    last: [usize; 2],
}

impl Rows<'_> {
    fn pixel(&self, column: usize, row: usize) -> [i32; 3] {
        let (column, row) = (column.min(self.last[0]), row.min(self.last[1]));
        let first = 3 * (row * self.picture.width as usize + column);
        let pixel = &self.picture.pixels[first..first + 3];
        [i32::from(pixel[0]), i32::from(pixel[1]), i32::from(pixel[2])]
    }
}

/// Luma in 16-bit fixed point: 16 + 219 (0.2126 R + 0.7152 G + 0.0722 B)/255.
fn luma_of([r, g, b]: [i32; 3]) -> u8 {
    ((11_966 * r + 40_254 * g + 4_064 * b + (16 << 16) + (1 << 15)) >> 16) as u8
}

/// Chroma of the 2 × 2 block, from 128 + 224 (B − Y)/(1.8556·255) and 128 + 224 (R − Y)/(1.5748·255).
fn chroma_at(rows: &Rows<'_>, column: usize, row: usize) -> (u8, u8) {
    let [mut r, mut g, mut b] = [0; 3];
    let centre = 2 * column;
    for row in [2 * row, 2 * row + 1] {
        for (column, weight) in [(centre.saturating_sub(1), 1), (centre, 2), (centre + 1, 1)] {
            let pixel = rows.pixel(column, row);
            r += weight * pixel[0];
            g += weight * pixel[1];
            b += weight * pixel[2];
        }
    }
    // The weights add up to 8, hence three more bits.
    let rounded = |sum: i32| ((sum + (128 << 19) + (1 << 18)) >> 19) as u8;
    (rounded(-6_596 * r - 22_189 * g + 28_785 * b), rounded(28_784 * r - 26_145 * g - 2_639 * b))
}

impl YUVSource for Planes {
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

    fn uniform(width: u32, height: u32, colour: [u8; 3]) -> Planes {
        let pixels = colour.repeat(width as usize * height as usize);
        Planes::from_picture(&Picture { width, height, pixels })
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
