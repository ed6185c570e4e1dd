//! Motion-blurred spray drops.
//!
//! A fast drop is drawn as a streak over its path during the exposure time, alpha-blended by the fraction of time and pixel
//! that it covers.

use std::f32::consts::FRAC_1_PI;

use glam::{Vec2, Vec3};
use undine_frame::Cloud;

use super::pinhole_camera::PinholeCamera;
use super::rasteriser::VisibilityBuffer;
use crate::sky::Sky;

/// Exposure time in seconds.
const SHUTTER: f32 = 1.0 / 50.0;
/// Drops with at least this radius in pixels are drawn as spheres, unless they move by more than their diameter.
const ROUND: f32 = 1.5;

/// A streak in the picture, in pixels from its top left corner.
#[derive(Debug, Clone, Copy)]
struct Streak {
    from: Vec2,
    to: Vec2,
    /// Half its drawn width, and its opacity.
    half: f32,
    cover: f32,
    inverse_depth: f32,
}

/// All streaks of a picture, binned into bands of rows.
pub struct Streaks {
    streaks: Vec<Streak>,
    bands: Vec<Vec<u32>>,
    light: Vec3,
}

/// Whether a drop is drawn as a streak rather than as a sphere.
pub fn is_streak(eye: &PinholeCamera, points: &Cloud, index: usize) -> bool {
    let Some(velocity) = points.velocities.get(index) else { return false };
    let ahead = eye.to_view_space(points.positions[index].into()).z;
    let radius = eye.focal_length() * points.radius / ahead.max(1e-3);
    let moved = Vec3::from(*velocity).length() * SHUTTER;
    moved > 2.0 * points.radius || radius < ROUND
}

impl Streaks {
    /// The streaks of some clouds in a picture with `bands` bands of `rows` rows.
    pub fn new<'p>(
        eye: &PinholeCamera,
        sky: &Sky,
        clouds: impl Iterator<Item = &'p Cloud>,
        bands: usize,
        rows: usize,
    ) -> Self {
        // A drop refracts most of the sky and a highlight of the sun
        let light = (sky.skylight * 0.9 + sky.sunlight * 0.28) * FRAC_1_PI;
        let mut all = Streaks { streaks: Vec::new(), bands: vec![Vec::new(); bands], light };
        for points in clouds {
            let drops = (0..points.positions.len()).filter(|&index| is_streak(eye, points, index));
            for streak in drops.filter_map(|index| streak(eye, points, index)) {
                all.add(streak, rows);
            }
        }
        all
    }

    fn add(&mut self, streak: Streak, rows: usize) {
        let top = streak.from.y.min(streak.to.y) - streak.half - 1.0;
        let bottom = streak.from.y.max(streak.to.y) + streak.half + 1.0;
        let last = self.bands.len() as f32 * rows as f32;
        if bottom < 0.0 || top >= last || self.bands.is_empty() {
            return;
        }
        let band = |y: f32| (y.clamp(0.0, last - 1.0) as usize / rows.max(1)).min(self.bands.len() - 1);
        for index in band(top)..=band(bottom) {
            self.bands[index].push(self.streaks.len() as u32);
        }
        self.streaks.push(streak);
    }

    /// Blends the streaks of a band over its pixels, with depth test.
    pub fn draw(
        &self,
        index: usize,
        band: &VisibilityBuffer,
        samples: usize,
        first_row: usize,
        width: usize,
        pixels: &mut [[f32; 3]],
    ) {
        let rows = pixels.len() / width.max(1);
        for &streak in &self.bands[index] {
            let streak = &self.streaks[streak as usize];
            let reach = streak.half + 1.0;
            let span = |low: f32, high: f32, first: usize, count: usize| {
                let start = (low.min(high) - reach - first as f32).max(0.0) as usize;
                let end = (low.max(high) + reach - first as f32 + 1.0).max(0.0) as usize;
                start.min(count)..end.min(count)
            };
            for row in span(streak.from.y, streak.to.y, first_row, rows) {
                for x in span(streak.from.x, streak.to.x, 0, width) {
                    let at = Vec2::new(x as f32 + 0.5, (first_row + row) as f32 + 0.5);
                    let cover = streak.cover_at(at);
                    if cover > 0.0 && band.inverse_depth(x * samples, row * samples) <= streak.inverse_depth {
                        let pixel = &mut pixels[row * width + x];
                        *pixel = Vec3::from(*pixel).lerp(self.light, cover).to_array();
                    }
                }
            }
        }
    }
}

impl Streak {
    fn cover_at(&self, at: Vec2) -> f32 {
        let axis = self.to - self.from;
        let fraction = ((at - self.from).dot(axis) / axis.length_squared().max(1e-12)).clamp(0.0, 1.0);
        let aside = (at - self.from - axis * fraction).length();
        self.cover * (self.half + 0.5 - aside).clamp(0.0, 1.0)
    }
}

fn streak(eye: &PinholeCamera, points: &Cloud, index: usize) -> Option<Streak> {
    let (position, velocity) =
        (Vec3::from(*points.positions.get(index)?), Vec3::from(*points.velocities.get(index)?));
    let half_way = velocity * (0.5 * SHUTTER);
    let (from, to) = (eye.to_view_space(position - half_way), eye.to_view_space(position + half_way));
    let nearest = from.z.min(to.z);
    if !(nearest > 1e-2 + points.radius && from.is_finite() && to.is_finite() && points.radius > 0.0) {
        return None;
    }
    let (from, to) = (eye.project(from), eye.project(to));
    let radius = eye.focal_length() * points.radius / nearest;
    // Streaks thinner than a pixel are drawn a pixel wide with reduced opacity
    let half = radius.max(0.5);
    let length = (to - from).length().min(1e4);
    let time = 2.0 * radius / (length + 2.0 * radius);
    let cover = ((radius / half) * time.sqrt()).clamp(0.0, 0.9);
    (length < 1e4).then_some(Streak { from, to, half, cover, inverse_depth: 1.0 / nearest })
}
