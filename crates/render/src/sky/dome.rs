//! Prefiltered environment map of the sky, for reflections sharp or blurred.
//!
//! Directions are mapped to a disc by stereographic projection from the nadir, which is conformal, costs one division
//! and reaches a little below the horizon. A mipmap holds the blurred skies.

use glam::{Vec2, Vec3, Vec3A};
use rayon::prelude::*;

use crate::mipmap::downsample;

/// Texels along the side of the finest level.
const SIDE: usize = 512;
/// The square is wider than the disc of the horizon by this factor, to hold some of the sky below it.
const REACH: f32 = 1.12;
/// Levels; the coarsest has 8 × 8 texels.
const LEVELS: usize = 7;

/// A mipmapped map of the sky.
#[derive(Debug, Clone)]
pub struct Dome {
    levels: Vec<Vec<Vec3A>>,
}

impl Dome {
    /// Tabulates `radiance`, which is evaluated above the horizon only.
    pub fn new(radiance: impl Fn(Vec3) -> Vec3 + Sync) -> Self {
        let mut finest = vec![Vec3A::ZERO; SIDE * SIDE];
        finest.par_chunks_mut(SIDE).enumerate().for_each(|(row, texels)| {
            for (column, texel) in texels.iter_mut().enumerate() {
                *texel = radiance(above_horizon(direction(column, row, SIDE))).into();
            }
        });
        let mut levels = vec![finest];
        for level in 1..LEVELS {
            let halved = downsample(&levels[level - 1], SIDE >> (level - 1));
            levels.push(halved);
        }
        Dome { levels }
    }

    /// Radiance in a direction, blurred over about `spread` radians. Directions below the horizon see the horizon.
    pub fn radiance(&self, direction: Vec3, spread: f32) -> Vec3 {
        let at = Vec2::new(direction.x, direction.y) / (1.0 + direction.z).max(0.05);
        let at = at.clamp_length_max(1.06);
        // One texel spans 2 du / (1 + r²) radians.
        let texel = 4.0 * REACH / (SIDE as f32 * (1.0 + at.length_squared()));
        let level = (spread / texel).max(1.0).log2().min((LEVELS - 1) as f32);
        let finer = (level as usize).min(LEVELS - 2);
        let blend = level - finer as f32;
        let sharp = self.bilinear(finer, at);
        if blend <= 0.0 {
            return sharp.into();
        }
        sharp.lerp(self.bilinear(finer + 1, at), blend).into()
    }

    /// Radiance just above the horizon towards a direction, a little blurred.
    pub fn horizon(&self, direction: Vec3) -> Vec3 {
        let level = Vec2::new(direction.x, direction.y).normalize_or(Vec2::X);
        self.bilinear(2, level * 0.985).into()
    }

    /// Irradiance of the sky on a level surface.
    pub fn irradiance(&self) -> Vec3 {
        let level = 3;
        let side = SIDE >> level;
        let step = 2.0 * REACH / side as f32;
        let mut sum = Vec3A::ZERO;
        for (index, &texel) in self.levels[level].iter().enumerate() {
            let towards = direction(index % side, index / side, side);
            let stretch = 1.0 + towards.z;
            if towards.z > 0.0 {
                sum += texel * (towards.z * step * step * stretch * stretch);
            }
        }
        sum.into()
    }

    fn bilinear(&self, level: usize, at: Vec2) -> Vec3A {
        let side = SIDE >> level;
        let scaled = ((at / REACH) * 0.5 + 0.5) * side as f32 - 0.5;
        let limit = (side - 2) as f32;
        let (x, y) = (scaled.x.clamp(0.0, limit + 0.999), scaled.y.clamp(0.0, limit + 0.999));
        let (column, row) = (x as usize, y as usize);
        let (u, v) = (x - column as f32, y - row as f32);
        let first = row * side + column;
        let table = &self.levels[level];
        let south = table[first].lerp(table[first + 1], u);
        south.lerp(table[first + side].lerp(table[first + side + 1], u), v)
    }
}

fn direction(column: usize, row: usize, side: usize) -> Vec3 {
    let unit = |index: usize| ((index as f32 + 0.5) / side as f32 * 2.0 - 1.0) * REACH;
    let (u, v) = (unit(column), unit(row));
    let squared = u * u + v * v;
    Vec3::new(2.0 * u, 2.0 * v, 1.0 - squared) / (1.0 + squared)
}

fn above_horizon(direction: Vec3) -> Vec3 {
    if direction.z > 0.012 { direction } else { direction.with_z(0.012).normalize() }
}

#[cfg(test)]
mod tests {
    use std::f32::consts::PI;

    use super::*;

    #[test]
    fn a_white_sky_gives_pi() {
        let light = Dome::new(|_| Vec3::ONE).irradiance();
        assert!((light.x - PI).abs() < 0.02, "{light}");
    }

    #[test]
    fn directions_come_back() {
        let dome = Dome::new(|direction| direction);
        for direction in [Vec3::Z, Vec3::new(0.36, -0.48, 0.8), Vec3::new(0.0, 0.995, 0.0999)] {
            assert!((dome.radiance(direction, 0.0) - direction).length() < 0.01);
        }
    }

    #[test]
    fn any_direction_is_answered() {
        let dome = Dome::new(|_| Vec3::ONE);
        for direction in [-Vec3::Z, Vec3::ZERO, Vec3::new(1.0, 0.0, -0.9), Vec3::splat(f32::NAN)] {
            dome.radiance(direction, 0.3);
            dome.radiance(direction, f32::NAN);
        }
    }
}
