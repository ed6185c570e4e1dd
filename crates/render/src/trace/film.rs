//! The film: adaptive sampling, pixel by pixel.
//!
//! Every pixel gets a minimum of samples, and more while the standard error of its tone-mapped luminance is above a
//! tolerance. The decision depends on the pixel's own samples alone.

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::aux_features::AuxFeatures;
use super::integrator::PathIntegrator;
use super::lens::Lens;
use super::sampler::Sampler;
use crate::picture::RadianceImage;

/// Settings of adaptive sampling.
#[derive(Debug, Clone, Copy)]
pub struct AdaptiveSampling {
    /// Minimum and maximum of samples per pixel.
    pub samples: [u32; 2],
    /// Greatest standard error of a pixel's tone-mapped luminance, in units of white.
    pub tolerance: f32,
    /// Luminance that is shown half as bright as white, in kcd/m².
    pub mid_luminance: f32,
    /// Number of the frame; it seeds the sampler.
    pub frame: u64,
}

/// The mean of a pixel's samples.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pixel {
    /// Mean radiance.
    pub light: Vec3,
    /// Variance of that mean, of its luminance.
    pub variance: f32,
    /// Mean auxiliary features.
    pub features: AuxFeatures,
}

/// All pixels of a picture with their features.
pub struct Film {
    /// Pixels along a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// The pixels, rows from the top.
    pub pixels: Vec<Pixel>,
}

impl Film {
    /// The radiance of the picture.
    pub fn light(&self) -> RadianceImage {
        let pixels = self.pixels.iter().map(|pixel| pixel.light.to_array()).collect();
        RadianceImage { width: self.width, height: self.height, pixels }
    }
}

/// Renders all pixels of a picture.
pub fn render_film(
    integrator: &PathIntegrator<'_>,
    lens: &Lens<'_>,
    sampling: &AdaptiveSampling,
    [width, height]: [usize; 2],
) -> Film {
    let mut pixels = vec![Pixel::default(); width * height];
    pixels.par_chunks_mut(width.max(1)).enumerate().for_each(|(y, row)| {
        for (x, pixel) in row.iter_mut().enumerate() {
            *pixel = sample_pixel(integrator, lens, sampling, [x, y]);
        }
    });
    Film { width, height, pixels }
}

fn sample_pixel(
    integrator: &PathIntegrator<'_>,
    lens: &Lens<'_>,
    sampling: &AdaptiveSampling,
    [x, y]: [usize; 2],
) -> Pixel {
    let [least, most] = sampling.samples.map(|count| count.max(1));
    let corner = Vec2::new(x as f32, y as f32);
    let mut sum = PixelAccumulator::default();
    while sum.count < most.max(least) {
        if sum.count >= least && sum.count.is_multiple_of(4) && sum.error() < sampling.tolerance {
            break;
        }
        let mut sampler = Sampler::new(x, y, sampling.frame, sum.count);
        let ray = lens.ray(integrator.scene, corner, &mut sampler);
        let sample = integrator.radiance(ray, &mut sampler);
        sum.add(sample.light, &sample.features, sampling.mid_luminance);
    }
    sum.mean()
}

#[derive(Default)]
struct PixelAccumulator {
    light: Vec3,
    squares: f32,
    /// Sums of the tone-mapped luminance L / (L + middle) and of its square.
    tonemapped: [f32; 2],
    features: AuxFeatures,
    count: u32,
}

impl PixelAccumulator {
    fn add(&mut self, light: Vec3, features: &AuxFeatures, mid_luminance: f32) {
        let luminance = luminance(light);
        let tonemapped = luminance / (luminance + mid_luminance);
        self.light += light;
        self.squares += luminance * luminance;
        self.tonemapped = [self.tonemapped[0] + tonemapped, self.tonemapped[1] + tonemapped * tonemapped];
        self.features = self.features.plus(features);
        self.count += 1;
    }

    // Standard error of the mean tone-mapped luminance.
    fn error(&self) -> f32 {
        let scale = 1.0 / self.count.max(1) as f32;
        let mean = self.tonemapped[0] * scale;
        ((self.tonemapped[1] * scale - mean * mean).max(0.0) * scale).sqrt()
    }

    fn mean(&self) -> Pixel {
        let scale = 1.0 / self.count.max(1) as f32;
        let light = self.light * scale;
        let mean = luminance(light);
        let variance = (self.squares * scale - mean * mean).max(0.0) * scale;
        Pixel { light, variance, features: self.features.times(scale) }
    }
}

/// Luminance of linear sRGB.
pub fn luminance(light: Vec3) -> f32 {
    light.dot(Vec3::new(0.2126, 0.7152, 0.0722))
}
