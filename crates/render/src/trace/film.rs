//! The samples of a picture, gathered pixel by pixel.

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::numbers::Numbers;
use super::path::{Guide, Ray, Walker};
use crate::picture::Radiance;
use crate::preview::camera::Eye;
use crate::preview::liquid::media::Inside;

/// How many samples are taken.
#[derive(Debug, Clone, Copy)]
pub struct Exposure {
    /// Samples that every pixel gets, and the most that one gets.
    pub samples: [u32; 2],
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
    /// Samples taken.
    pub count: u32,
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
pub fn expose(walker: &Walker<'_>, eye: &Eye, exposure: &Exposure, [width, height]: [usize; 2]) -> Film {
    let inside = Inside { water: walker.place.world.is_in_water(eye.position, 0.0), glass: false };
    let mut pixels = vec![Pixel::default(); width * height];
    pixels.par_chunks_mut(width.max(1)).enumerate().for_each(|(y, row)| {
        for (x, pixel) in row.iter_mut().enumerate() {
            *pixel = sampled(walker, eye, exposure, inside, [x, y]);
        }
    });
    Film { width, height, pixels }
}

fn sampled(walker: &Walker<'_>, eye: &Eye, exposure: &Exposure, inside: Inside, [x, y]: [usize; 2]) -> Pixel {
    let mut sum = Sum::default();
    for sample in 0..exposure.samples[0].max(1) {
        let mut numbers = Numbers::new(x, y, exposure.frame, sample);
        let at = Vec2::new(x as f32, y as f32) + numbers.pair();
        let ray = Ray {
            from: eye.position,
            direction: eye.through(at),
            inside,
            width: 0.0,
            spread: eye.pixel_angle(),
            time: 0.0,
        };
        let seen = walker.look(ray, &mut numbers);
        sum.add(seen.light, &seen.guide);
    }
    sum.mean()
}

#[derive(Default)]
struct Sum {
    light: Vec3,
    squares: f32,
    guide: Guide,
    count: u32,
}

impl Sum {
    fn add(&mut self, light: Vec3, guide: &Guide) {
        let brightness = brightness(light);
        self.light += light;
        self.squares += brightness * brightness;
        self.guide.albedo += guide.albedo;
        self.guide.normal += guide.normal;
        self.guide.depth += guide.depth;
        self.guide.through += guide.through;
        self.guide.velocity += guide.velocity;
        self.guide.caustics += guide.caustics;
        self.count += 1;
    }

    fn mean(&self) -> Pixel {
        let share = 1.0 / self.count.max(1) as f32;
        let light = self.light * share;
        let mean = brightness(light);
        let variance = (self.squares * share - mean * mean).max(0.0) * share;
        let guide = Guide {
            albedo: self.guide.albedo * share,
            normal: self.guide.normal * share,
            depth: self.guide.depth * share,
            through: self.guide.through * share,
            velocity: self.guide.velocity * share,
            caustics: self.guide.caustics * share,
        };
        Pixel { light, variance, guide, count: self.count }
    }
}

/// How bright a colour is to the eye.
pub fn brightness(light: Vec3) -> f32 {
    light.dot(Vec3::new(0.2126, 0.7152, 0.0722))
}
