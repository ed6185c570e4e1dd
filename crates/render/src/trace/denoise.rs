//! Takes the noise out of a traced picture and leaves its edges.
//!
//! The light of every pixel is divided by the share that its surface scatters, so that patterns stay out of the way;
//! what is left is smoothed by ever wider sparse kernels [dammertz2010] and multiplied back. A neighbour counts by how
//! well its first surface, its depth and what is seen through it agree, and by whether it is as bright within the noise
//! that the samples of both tell [schied2017]. A pixel without noise is left as it is.

use glam::Vec3;
use rayon::prelude::*;

use super::film::{Film, Pixel, luminance};

/// Passes; the kernel of each is twice as wide as the one before.
const PASSES: u32 = 5;
/// Weights of the kernel from its middle on, in one dimension: that of a cubic spline.
const KERNEL: [f32; 3] = [3.0 / 8.0, 1.0 / 4.0, 1.0 / 16.0];
/// Differences in brightness count in units of this many standard deviations.
const DEVIATIONS: f32 = 2.0;
/// Normals that agree by a cosine c count by c to this power.
const NORMALS: i32 = 48;
/// Depths may differ by this share per pixel of distance.
const DEPTHS: f32 = 0.02;
/// Colours of surfaces count in units of this.
const ALBEDOS: f32 = 0.12;
/// Albedos below this are taken as this when they are divided by.
const DARKEST: f32 = 0.02;

/// A pixel while it is smoothed.
#[derive(Debug, Clone, Copy)]
struct DemodulatedPixel {
    /// Light per share that is scattered.
    light: Vec3,
    variance: f32,
}

/// What is known about the surface under a pixel.
#[derive(Debug, Clone, Copy)]
struct PixelFeatures {
    normal: Vec3,
    depth: f32,
    through: f32,
    albedo: Vec3,
}

/// Smooths a picture.
pub fn denoise(film: &mut Film) {
    let (width, height) = (film.width, film.height);
    let features: Vec<PixelFeatures> = film.pixels.iter().map(features_of).collect();
    let divisor = |pixel: &Pixel| pixel.guide.albedo.max(Vec3::splat(DARKEST));
    let mut pixels: Vec<DemodulatedPixel> = film
        .pixels
        .iter()
        .map(|pixel| {
            let by = divisor(pixel);
            DemodulatedPixel { light: pixel.light / by, variance: pixel.variance / luminance(by).powi(2) }
        })
        .collect();
    blur_variance(&mut pixels, width, height);
    for pass in 0..PASSES {
        let stride = 1_isize << pass;
        let before = pixels.clone();
        pixels.par_chunks_mut(width.max(1)).enumerate().for_each(|(y, row)| {
            for (x, pixel) in row.iter_mut().enumerate() {
                *pixel = atrous_filter(&before, &features, [width, height], [x, y], stride);
            }
        });
    }
    for (pixel, filtered) in film.pixels.iter_mut().zip(&pixels) {
        pixel.light = filtered.light * divisor(pixel);
    }
}

fn features_of(pixel: &Pixel) -> PixelFeatures {
    PixelFeatures {
        normal: pixel.guide.normal,
        depth: pixel.guide.depth,
        through: pixel.guide.through,
        albedo: pixel.guide.albedo,
    }
}

// The variance of a few samples is itself noisy: it becomes the mean over three by three pixels.
fn blur_variance(pixels: &mut [DemodulatedPixel], width: usize, height: usize) {
    let variances: Vec<f32> = pixels.iter().map(|pixel| pixel.variance).collect();
    pixels.par_chunks_mut(width.max(1)).enumerate().for_each(|(y, row)| {
        for (x, pixel) in row.iter_mut().enumerate() {
            let (mut sum, mut count) = (0.0, 0.0);
            for near_y in y.saturating_sub(1)..(y + 2).min(height) {
                for near_x in x.saturating_sub(1)..(x + 2).min(width) {
                    sum += variances[near_y * width + near_x];
                    count += 1.0;
                }
            }
            pixel.variance = sum / count;
        }
    });
}

fn atrous_filter(
    pixels: &[DemodulatedPixel],
    features: &[PixelFeatures],
    [width, height]: [usize; 2],
    [x, y]: [usize; 2],
    stride: isize,
) -> DemodulatedPixel {
    let own = y * width + x;
    let (here, own_features) = (pixels[own], features[own]);
    let own_brightness = luminance(here.light);
    let mut sum = Vec3::ZERO;
    let (mut weights, mut variance) = (0.0, 0.0);
    for dy in -2..=2_isize {
        for dx in -2..=2_isize {
            let (column, row) = (x as isize + dx * stride, y as isize + dy * stride);
            if column < 0 || row < 0 || column >= width as isize || row >= height as isize {
                continue;
            }
            let place = row as usize * width + column as usize;
            let other = pixels[place];
            let kernel = KERNEL[dx.unsigned_abs()] * KERNEL[dy.unsigned_abs()];
            let noise = DEVIATIONS * (here.variance + other.variance).max(0.0).sqrt() + 1e-6;
            let differs = (luminance(other.light) - own_brightness).abs() / noise;
            let far = (dx * dx + dy * dy) as f32;
            let reach = far.sqrt() * stride as f32;
            let weight = kernel * edge_weight(&own_features, &features[place], reach) * (-differs).exp();
            let weight = if place == own { kernel } else { weight };
            sum += other.light * weight;
            variance += other.variance * weight * weight;
            weights += weight;
        }
    }
    DemodulatedPixel { light: sum / weights, variance: variance / (weights * weights) }
}

// How much two pixels seem to show the same surface, 0 to 1.
fn edge_weight(one: &PixelFeatures, other: &PixelFeatures, reach: f32) -> f32 {
    // Normals of nothing are zero, and alike.
    let (length, other_length) = (one.normal.length(), other.normal.length());
    let normals = match (length < 1e-3, other_length < 1e-3) {
        (true, true) => 1.0,
        (false, false) => (one.normal.dot(other.normal) / (length * other_length)).max(0.0).powi(NORMALS),
        _ => return 0.0,
    };
    let gap = |a: f32, b: f32| (a - b).abs() / (DEPTHS * reach.max(1.0) * a.min(b).max(1e-6));
    let depths = gap(one.depth, other.depth) + 0.5 * gap(one.through, other.through).min(20.0);
    let albedos = (one.albedo - other.albedo).length() / ALBEDOS;
    normals * (-depths - albedos * albedos).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::unit;
    use crate::trace::aux_features::AuxFeatures;

    // Two walls, one twice as bright as the other, with noise.
    fn noisy() -> Film {
        let (width, height) = (64, 48);
        let pixel = |index: usize| {
            let (x, y) = (index % width, index / width);
            let is_left = x < 32;
            let light = if is_left { 1.0 } else { 2.0 } + 0.6 * (unit(x as i32, y as i32, 5) - 0.5);
            let normal = if is_left { Vec3::X } else { Vec3::Y };
            let guide =
                AuxFeatures { albedo: Vec3::splat(0.5), normal, depth: 3.0, ..AuxFeatures::default() };
            Pixel { light: Vec3::splat(light), variance: 0.03, guide }
        };
        Film { width, height, pixels: (0..width * height).map(pixel).collect() }
    }

    #[test]
    fn noise_goes_and_edges_stay() {
        let mut film = noisy();
        denoise(&mut film);
        for (index, pixel) in film.pixels.iter().enumerate() {
            let wanted = if index % 64 < 32 { 1.0 } else { 2.0 };
            assert!((pixel.light.x - wanted).abs() < 0.12, "{index}: {}", pixel.light);
        }
    }

    #[test]
    fn pixels_without_noise_are_left_alone() {
        let mut film = noisy();
        film.pixels.iter_mut().for_each(|pixel| pixel.variance = 0.0);
        let before: Vec<Vec3> = film.pixels.iter().map(|pixel| pixel.light).collect();
        denoise(&mut film);
        for (pixel, before) in film.pixels.iter().zip(before) {
            assert!((pixel.light - before).length() < 1e-4);
        }
    }
}
