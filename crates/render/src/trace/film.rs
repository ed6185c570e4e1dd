//! The samples of a picture, gathered pixel by pixel.
//!
//! Every pixel gets a few samples, and more as long as they disagree by more than the eye would notice. Whether it does
//! depends on its own samples alone.

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::aux_features::AuxFeatures;
use super::integrator::PathIntegrator;
use super::lens::Lens;
use super::sampler::Sampler;
use crate::picture::RadianceImage;

/// How many samples are taken.
#[derive(Debug, Clone, Copy)]
pub struct AdaptiveSampling {
    /// Samples that every pixel gets, and the most that one gets.
    pub samples: [u32; 2],
    /// Standard error of a pixel's brightness, as the eye sees it, with which it is content.
    pub tolerance: f32,
    /// Light that looks half as bright as white, in thousands of candela per square metre.
    pub middle: f32,
    /// Number of the frame.
    pub frame: u64,
}

/// What the samples of a pixel tell together.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pixel {
    /// Mean radiance.
    pub light: Vec3,
    /// Variance of that mean, by its brightness.
    pub variance: f32,
    /// Mean guide.
    pub guide: AuxFeatures,
}

/// All pixels of a picture.
pub struct Film {
    /// Pixels along a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// The pixels, rows from the top.
    pub pixels: Vec<Pixel>,
}

impl Film {
    /// The light of the picture.
    pub fn light(&self) -> RadianceImage {
        let pixels = self.pixels.iter().map(|pixel| pixel.light.to_array()).collect();
        RadianceImage { width: self.width, height: self.height, pixels }
    }
}

/// Takes the samples of a picture.
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
        sum.add(sample.light, &sample.guide, sampling.middle);
    }
    sum.mean()
}

#[derive(Default)]
struct PixelAccumulator {
    light: Vec3,
    squares: f32,
    /// Brightness as the eye sees it, and its squares.
    tonemapped: [f32; 2],
    guide: AuxFeatures,
    count: u32,
}

impl PixelAccumulator {
    fn add(&mut self, light: Vec3, guide: &AuxFeatures, middle: f32) {
        let luminance = luminance(light);
        let tonemapped = luminance / (luminance + middle);
        self.light += light;
        self.squares += luminance * luminance;
        self.tonemapped = [self.tonemapped[0] + tonemapped, self.tonemapped[1] + tonemapped * tonemapped];
        self.guide = self.guide.plus(guide);
        self.count += 1;
    }

    // Standard error of the mean that is felt.
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
        Pixel { light, variance, guide: self.guide.times(scale) }
    }
}

/// How bright a colour is to the eye.
pub fn luminance(light: Vec3) -> f32 {
    light.dot(Vec3::new(0.2126, 0.7152, 0.0722))
}
