//! The samples of a picture, gathered pixel by pixel.
//!
//! Every pixel gets a few samples, and more as long as they disagree by more than the eye would notice. Whether it does
//! depends on its own samples alone.

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::guide::Guide;
use super::lens::Lens;
use super::numbers::Numbers;
use super::path::Walker;
use crate::picture::Radiance;

/// How many samples are taken.
#[derive(Debug, Clone, Copy)]
pub struct Exposure {
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
    pub guide: Guide,
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
    pub fn light(&self) -> Radiance {
        let pixels = self.pixels.iter().map(|pixel| pixel.light.to_array()).collect();
        Radiance { width: self.width, height: self.height, pixels }
    }
}

/// Takes the samples of a picture.
pub fn expose(
    walker: &Walker<'_>,
    lens: &Lens<'_>,
    exposure: &Exposure,
    [width, height]: [usize; 2],
) -> Film {
    let mut pixels = vec![Pixel::default(); width * height];
    pixels.par_chunks_mut(width.max(1)).enumerate().for_each(|(y, row)| {
        for (x, pixel) in row.iter_mut().enumerate() {
            *pixel = sampled(walker, lens, exposure, [x, y]);
        }
    });
    Film { width, height, pixels }
}

fn sampled(walker: &Walker<'_>, lens: &Lens<'_>, exposure: &Exposure, [x, y]: [usize; 2]) -> Pixel {
    let [least, most] = exposure.samples.map(|count| count.max(1));
    let corner = Vec2::new(x as f32, y as f32);
    let mut sum = Sum::default();
    while sum.count < most.max(least) {
        if sum.count >= least && sum.count.is_multiple_of(4) && sum.error() < exposure.tolerance {
            break;
        }
        let mut numbers = Numbers::new(x, y, exposure.frame, sum.count);
        let ray = lens.ray(walker.place, corner, &mut numbers);
        let seen = walker.look(ray, &mut numbers);
        sum.add(seen.light, &seen.guide, exposure.middle);
    }
    sum.mean()
}

#[derive(Default)]
struct Sum {
    light: Vec3,
    squares: f32,
    /// Brightness as the eye sees it, and its squares.
    felt: [f32; 2],
    guide: Guide,
    count: u32,
}

impl Sum {
    fn add(&mut self, light: Vec3, guide: &Guide, middle: f32) {
        let brightness = brightness(light);
        let felt = brightness / (brightness + middle);
        self.light += light;
        self.squares += brightness * brightness;
        self.felt = [self.felt[0] + felt, self.felt[1] + felt * felt];
        self.guide = self.guide.plus(guide);
        self.count += 1;
    }

    // Standard error of the mean that is felt.
    fn error(&self) -> f32 {
        let share = 1.0 / self.count.max(1) as f32;
        let mean = self.felt[0] * share;
        ((self.felt[1] * share - mean * mean).max(0.0) * share).sqrt()
    }

    fn mean(&self) -> Pixel {
        let share = 1.0 / self.count.max(1) as f32;
        let light = self.light * share;
        let mean = brightness(light);
        let variance = (self.squares * share - mean * mean).max(0.0) * share;
        Pixel { light, variance, guide: self.guide.times(share) }
    }
}

/// How bright a colour is to the eye.
pub fn brightness(light: Vec3) -> f32 {
    light.dot(Vec3::new(0.2126, 0.7152, 0.0722))
}
