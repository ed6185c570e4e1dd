//! Mipmap of the floor's irradiance, for pixels that cover many texels.

use glam::Vec2;

use super::map::TexelGrid;

/// Values on texels, and their means over squares of 2, 4, 8, … texels.
#[derive(Debug, Clone)]
pub struct Mipmap {
    levels: Vec<([usize; 2], Vec<f32>)>,
    low: Vec2,
    high: Vec2,
    texel: f32,
}

impl Mipmap {
    /// The mipmap of one value per texel.
    pub fn new(texels: &TexelGrid, values: Vec<f32>) -> Self {
        let [low, high] = texels.corners().map(|corner| corner.as_vec2());
        let mut levels = vec![(texels.size(), values)];
        while let Some((size, finer)) = levels.last().filter(|(size, _)| size[0].min(size[1]) >= 4) {
            let coarser = downsampled(*size, finer);
            levels.push(coarser);
        }
        Mipmap { levels, low, high, texel: texels.step().max_element() as f32 }
    }

    /// Trilinear lookup: the mean over about `footprint` metres around a point; `None` outside the texels.
    pub fn at(&self, at: Vec2, footprint: f32) -> Option<f32> {
        let is_inside = at.cmpge(self.low).all() && at.cmple(self.high).all();
        is_inside.then(|| self.mean((at - self.low) / (self.high - self.low), footprint / self.texel))
    }

    fn mean(&self, fraction: Vec2, wide: f32) -> f32 {
        if wide <= 1.0 {
            return self.bilinear(0, fraction);
        }
        let level = wide.log2().min((self.levels.len() - 1) as f32);
        let first = level as usize;
        let near = self.bilinear(first, fraction);
        let blend = level - first as f32;
        if blend <= 0.0 { near } else { near + (self.bilinear(first + 1, fraction) - near) * blend }
    }

    fn bilinear(&self, level: usize, fraction: Vec2) -> f32 {
        let (size, values) = &self.levels[level.min(self.levels.len() - 1)];
        let last = Vec2::new((size[0] - 1) as f32, (size[1] - 1) as f32);
        let at_texel = (fraction * (last + 1.0) - 0.5).max(Vec2::ZERO).min(last);
        let cell = [at_texel.x, at_texel.y].map(|x| x as usize);
        let next = [0, 1].map(|axis| (cell[axis] + 1).min(size[axis] - 1));
        let within = at_texel - Vec2::new(cell[0] as f32, cell[1] as f32);
        let value = |column: usize, row: usize| values[row * size[0] + column];
        let south = value(cell[0], cell[1]) * (1.0 - within.x) + value(next[0], cell[1]) * within.x;
        let north = value(cell[0], next[1]) * (1.0 - within.x) + value(next[0], next[1]) * within.x;
        south + (north - south) * within.y
    }
}

// The mean of 2 × 2 values; a last odd row or column is left out.
fn downsampled(size: [usize; 2], finer: &[f32]) -> ([usize; 2], Vec<f32>) {
    let half = size.map(|count| count / 2);
    let mean = |index: usize| {
        let first = index / half[0] * 2 * size[0] + index % half[0] * 2;
        0.25 * (finer[first] + finer[first + 1] + finer[first + size[0]] + finer[first + size[0] + 1])
    };
    (half, (0..half[0] * half[1]).map(mean).collect())
}

#[cfg(test)]
mod tests {
    use glam::DVec2;

    use super::*;

    #[test]
    fn far_off_a_chequerboard_is_grey() {
        let texels = TexelGrid::new([DVec2::ZERO, DVec2::new(4.0, 3.0)], 64);
        let [columns, rows] = texels.size();
        let tiles = (0..columns * rows).map(|index| ((index % columns + index / columns) % 2) as f32);
        let map = Mipmap::new(&texels, tiles.collect());
        let (middle, corner) = (texels.centre(columns * 20 + 31).as_vec2(), Vec2::new(4.0, 3.0));
        assert!((map.at(middle, 0.0).unwrap() - 1.0).abs() < 1e-5);
        assert!((map.at(middle, 0.5).unwrap() - 0.5).abs() < 1e-6);
        assert!((map.at(corner, 1e9).unwrap() - 0.5).abs() < 1e-6);
        assert_eq!(map.at(Vec2::splat(f32::NAN), f32::NAN), None);
        assert!(map.at(middle, f32::NAN).unwrap().is_finite());
    }
}
