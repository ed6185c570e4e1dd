//! Bloom: a bright pass at quarter resolution, blurred by repeated box filters and added back.

use rayon::prelude::*;

use crate::picture::RadianceImage;

/// Greatest excess over the threshold that a pixel contributes.
const MAX_EXCESS: f32 = 12.0;

/// Parameters of bloom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bloom {
    /// Radiance above which a pixel blooms.
    pub threshold: f32,
    /// Radius of the box filter, in units of four pixels.
    pub radius: usize,
    /// Number of box filter passes; more passes approach a Gaussian.
    pub passes: usize,
    /// Fraction of the blurred light that is added.
    pub fraction: f32,
}

impl Bloom {
    /// Adds bloom to an image.
    pub fn add(&self, light: &mut RadianceImage) {
        let (width, height) = (light.width.div_ceil(4), light.height.div_ceil(4));
        let mut blurred = vec![[0.0; 3]; width * height];
        blurred.par_chunks_mut(width.max(1)).enumerate().for_each(|(row, cells)| {
            for (column, cell) in cells.iter_mut().enumerate() {
                *cell = bright_pass(light, self.threshold, column, row);
            }
        });
        for _ in 0..self.passes {
            blurred = transposed(&blurred_rows(&blurred, width, self.radius), width);
            blurred = transposed(&blurred_rows(&blurred, height, self.radius), height);
        }
        let source = RadianceImage { width, height, pixels: blurred };
        light.pixels.par_chunks_mut(light.width.max(1)).enumerate().for_each(|(y, row)| {
            for (x, pixel) in row.iter_mut().enumerate() {
                let blurred = bilinear(&source, x, y);
                *pixel = std::array::from_fn(|channel| pixel[channel] + self.fraction * blurred[channel]);
            }
        });
    }
}

fn bright_pass(light: &RadianceImage, threshold: f32, column: usize, row: usize) -> [f32; 3] {
    let mut sum = [0.0; 3];
    let mut count = 0.0;
    for y in 4 * row..(4 * row + 4).min(light.height) {
        for x in 4 * column..(4 * column + 4).min(light.width) {
            let pixel = light.pixels[y * light.width + x];
            sum = std::array::from_fn(|channel| {
                sum[channel] + (pixel[channel] - threshold).clamp(0.0, MAX_EXCESS)
            });
            count += 1.0;
        }
    }
    sum.map(|channel| channel / f32::max(count, 1.0))
}

fn blurred_rows(cells: &[[f32; 3]], width: usize, radius: usize) -> Vec<[f32; 3]> {
    let mut blurred = vec![[0.0; 3]; cells.len()];
    let scale = 1.0 / (2 * radius + 1) as f32;
    let width = width.max(1);
    blurred.par_chunks_mut(width).zip(cells.par_chunks(width)).for_each(|(to, from)| {
        for (column, cell) in to.iter_mut().enumerate() {
            let near = &from[column.saturating_sub(radius)..(column + radius + 1).min(width)];
            let sum = near.iter().fold([0.0; 3], |sum, cell| std::array::from_fn(|c| sum[c] + cell[c]));
            *cell = sum.map(|channel| channel * scale);
        }
    });
    blurred
}

fn transposed(cells: &[[f32; 3]], width: usize) -> Vec<[f32; 3]> {
    let height = cells.len() / width.max(1);
    (0..cells.len()).map(|index| cells[(index % height) * width + index / height]).collect()
}

fn bilinear(blurred: &RadianceImage, x: usize, y: usize) -> [f32; 3] {
    let split = |pixel: usize, cells: usize| {
        let at = ((pixel as f32 + 0.5) / 4.0 - 0.5).clamp(0.0, (cells - 1) as f32);
        (at as usize, (at as usize + 1).min(cells - 1), at - (at as usize) as f32)
    };
    let ((left, right, u), (top, bottom, v)) = (split(x, blurred.width), split(y, blurred.height));
    let cell = |column: usize, row: usize| blurred.pixels[row * blurred.width + column];
    let upper = crate::colour::mix(cell(left, top), cell(right, top), u);
    crate::colour::mix(upper, crate::colour::mix(cell(left, bottom), cell(right, bottom), u), v)
}
