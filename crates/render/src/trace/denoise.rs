//! Edge-avoiding à-trous denoiser of a traced picture.
//!
//! The radiance of every pixel is divided by its albedo (demodulation), so that textures are kept; the rest is
//! filtered by sparse kernels of doubling width [dammertz2010] and multiplied back. A neighbour is weighted by how
//! well its normal, depth, albedo and the depth of what is seen through it agree, and by its difference in luminance
//! relative to the standard deviation estimated from the samples of both pixels [schied2017]. Pixels of zero variance
//! keep their value.

use glam::Vec3;
use rayon::prelude::*;

use super::film::{Film, Pixel, luminance};

/// Filter iterations; the stride of the kernel doubles with each.
const PASSES: u32 = 5;
/// Half of the one-dimensional B-spline kernel, from its centre.
const KERNEL: [f32; 3] = [3.0 / 8.0, 1.0 / 4.0, 1.0 / 16.0];
/// Differences in luminance are measured in units of this many standard deviations.
const DEVIATIONS: f32 = 2.0;
/// Normals at an angle of cosine c are weighted by c to this power.
const NORMALS: i32 = 48;
/// Relative difference in depth per pixel of distance that weighs 1/e.
const DEPTHS: f32 = 0.02;
/// Difference in albedo that weighs 1/e.
const ALBEDOS: f32 = 0.12;
/// Least albedo to divide by.
const DARKEST: f32 = 0.02;

/// A pixel while it is filtered.
#[derive(Debug, Clone, Copy)]
struct DemodulatedPixel {
    /// Radiance divided by albedo.
    light: Vec3,
    variance: f32,
}

/// Features that steer the filter.
#[derive(Debug, Clone, Copy)]
struct PixelFeatures {
    normal: Vec3,
    depth: f32,
    through: f32,
    albedo: Vec3,
}

/// Filters a picture in place.
pub fn denoise(film: &mut Film) {
    let (width, height) = (film.width, film.height);
    let features: Vec<PixelFeatures> = film.pixels.iter().map(features_of).collect();
    let divisor = |pixel: &Pixel| pixel.features.albedo.max(Vec3::splat(DARKEST));
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
        normal: pixel.features.normal,
        depth: pixel.features.depth,
        through: pixel.features.through,
        albedo: pixel.features.albedo,
    }
}

// The variance of a few samples is itself noisy: takes the mean over 3 × 3 pixels.
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

// One iteration of the à-trous filter for the pixel at (x, y): the mean over 5 × 5 pixels `stride` apart.
fn atrous_filter(
    pixels: &[DemodulatedPixel],
    features: &[PixelFeatures],
    [width, height]: [usize; 2],
    [x, y]: [usize; 2],
    stride: isize,
) -> DemodulatedPixel {
    // Features and luminance of the pixel itself.
    let own = y * width + x;
    let (here, own_features) = (pixels[own], features[own]);
    let own_luminance = luminance(here.light);
    let mut sum = Vec3::ZERO;
    let (mut weights, mut variance) = (0.0, 0.0);
    for dy in -2..=2_isize {
        for dx in -2..=2_isize {
            let (column, row) = (x as isize + dx * stride, y as isize + dy * stride);
            if column < 0 || row < 0 || column >= width as isize || row >= height as isize {
                continue;
            }
            // Weight: B-spline kernel × features × luminance within the noise.
            let index = row as usize * width + column as usize;
            let other = pixels[index];
            let kernel = KERNEL[dx.unsigned_abs()] * KERNEL[dy.unsigned_abs()];
            let noise = DEVIATIONS * (here.variance + other.variance).max(0.0).sqrt() + 1e-6;
            let differs = (luminance(other.light) - own_luminance).abs() / noise;
            let squared = (dx * dx + dy * dy) as f32;
            let reach = squared.sqrt() * stride as f32;
            let weight = kernel * edge_weight(&own_features, &features[index], reach) * (-differs).exp();
            let weight = if index == own { kernel } else { weight };
            sum += other.light * weight;
            variance += other.variance * weight * weight;
            weights += weight;
        }
    }
    DemodulatedPixel { light: sum / weights, variance: variance / (weights * weights) }
}

// Similarity of the surfaces under two pixels `reach` pixels apart, 0 to 1.
fn edge_weight(one: &PixelFeatures, other: &PixelFeatures, reach: f32) -> f32 {
    // Pixels without a surface have the normal zero, and are alike.
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
            let features =
                AuxFeatures { albedo: Vec3::splat(0.5), normal, depth: 3.0, ..AuxFeatures::default() };
            Pixel { light: Vec3::splat(light), variance: 0.03, features }
        };
        Film { width, height, pixels: (0..width * height).map(pixel).collect() }
    }

    #[test]
    fn noise_is_removed_and_edges_are_kept() {
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
