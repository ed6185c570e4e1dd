//! Mip-mapped slope map with variance (LEAN mapping [olano2010], isotropic).
//!
//! Every level stores the mean slopes and their mean square, so that bumps smaller than a pixel are not lost by filtering:
//! the slope variance of a texel becomes roughness in shading. The variance of both axes is stored together, without
//! anisotropy.

use glam::{Vec2, Vec4};

use crate::mipmap::downsample;
use crate::noise::floor;

/// Filtered slopes under a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Slopes {
    /// Mean slopes ∂z/∂x and ∂z/∂y.
    pub mean: Vec2,
    /// Their variance, per axis.
    pub variance: f32,
    /// Laplacian ∇²z, in 1/m.
    pub curvature: f32,
}

impl Slopes {
    /// Sum of two independent height fields.
    pub fn plus(self, other: Slopes) -> Slopes {
        Slopes {
            mean: self.mean + other.mean,
            variance: self.variance + other.variance,
            curvature: self.curvature + other.curvature,
        }
    }

    /// The height field scaled by `factor`.
    pub fn times(self, factor: f32) -> Slopes {
        Slopes {
            mean: self.mean * factor,
            variance: self.variance * factor * factor,
            curvature: self.curvature * factor,
        }
    }
}

/// Mip-mapped slopes over a rectangle of the horizontal plane, repeated periodically. A texel is (∂z/∂x, ∂z/∂y, mean square
/// slope, ∇²z).
#[derive(Debug, Clone)]
pub struct SlopeMap {
    levels: Vec<Vec<Vec4>>,
    side: usize,
    origin: Vec2,
    size: Vec2,
    turn: Vec2,
}

impl SlopeMap {
    /// Builds the mip levels of `side` × `side` texels (a power of two) of (∂z/∂x, ∂z/∂y, _, ∇²z) that cover `size` metres
    /// from `origin`, row by row. `turn` is the direction of the table's first axis.
    pub fn new(mut finest: Vec<Vec4>, side: usize, origin: Vec2, size: Vec2, turn: Vec2) -> Self {
        debug_assert!(side.is_power_of_two() && finest.len() == side * side);
        for texel in &mut finest {
            texel.z = texel.x * texel.x + texel.y * texel.y;
        }
        let mut levels = vec![finest];
        let mut finer_side = side;
        while finer_side > 1 {
            levels.push(downsample(&levels[levels.len() - 1], finer_side));
            finer_side /= 2;
        }
        SlopeMap { levels, side, origin, size, turn }
    }

    /// Trilinearly filtered slopes over a footprint of `footprint` metres.
    pub fn sample(&self, at: Vec2, footprint: f32) -> Slopes {
        let texel = self.size.max_element() / self.side as f32;
        let last = self.levels.len() - 1;
        let level = (footprint / texel).max(1.0).log2().min(last as f32);
        let finer = (level as usize).min(last);
        let blend = level - finer as f32;
        if finer == last {
            return from_texel(self.levels[last][0], self.turn);
        }
        let local = Vec2::new(self.turn.x, -self.turn.y).rotate(at - self.origin) / self.size;
        let mut slopes = self.bilinear(finer, local);
        if blend > 0.0 {
            slopes = slopes.lerp(self.bilinear(finer + 1, local), blend);
        }
        from_texel(slopes, self.turn)
    }

    fn bilinear(&self, level: usize, local: Vec2) -> Vec4 {
        let side = self.side >> level;
        let scaled = local * side as f32 - 0.5;
        let (column, row) = (floor(scaled.x), floor(scaled.y));
        let (u, v) = (scaled.x - column as f32, scaled.y - row as f32);
        let south = self.texel(level, column, row).lerp(self.texel(level, column.wrapping_add(1), row), u);
        let row = row.wrapping_add(1);
        south.lerp(self.texel(level, column, row).lerp(self.texel(level, column.wrapping_add(1), row), u), v)
    }

    fn texel(&self, level: usize, column: i32, row: i32) -> Vec4 {
        let side = self.side >> level;
        let mask = side - 1;
        self.levels[level][(row as usize & mask) * side + (column as usize & mask)]
    }
}

fn from_texel(texel: Vec4, turn: Vec2) -> Slopes {
    let mean = Vec2::new(texel.x, texel.y);
    let variance = 0.5 * (texel.z - mean.length_squared()).max(0.0);
    Slopes { mean: turn.rotate(mean), variance, curvature: texel.w }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corrugated() -> SlopeMap {
        let texels =
            (0..64).map(|index| Vec4::new(if index % 2 == 0 { 0.1 } else { -0.1 }, 0.02, 0.0, 0.0)).collect();
        SlopeMap::new(texels, 8, Vec2::ZERO, Vec2::splat(8.0), Vec2::X)
    }

    #[test]
    fn filtered_slopes_become_variance() {
        let map = corrugated();
        let near = map.sample(Vec2::new(0.5, 0.5), 0.1);
        assert!((near.mean - Vec2::new(0.1, 0.02)).length() < 1e-6 && near.variance < 1e-7);
        let far = map.sample(Vec2::new(0.5, 0.5), 1000.0);
        assert!((far.mean - Vec2::new(0.0, 0.02)).length() < 1e-6);
        assert!((far.variance - 0.5 * 0.01).abs() < 1e-6);
    }

    #[test]
    fn tables_repeat() {
        let map = corrugated();
        let at = Vec2::new(2.3, 3.9);
        let (here, there) = (map.sample(at, 0.5), map.sample(at + Vec2::new(-16.0, 8.0), 0.5));
        assert!((here.mean - there.mean).length() < 1e-5);
    }

    #[test]
    fn non_finite_positions_do_not_panic() {
        let map = corrugated();
        for at in [Vec2::splat(f32::NAN), Vec2::splat(1e30), Vec2::new(f32::INFINITY, 0.0)] {
            map.sample(at, 1.0);
        }
    }
}
