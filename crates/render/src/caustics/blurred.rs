//! The light of the floor at many sharpnesses, for pixels that cover many texels.

use glam::{DVec2, Vec2};

use super::map::Texels;

/// Numbers on texels, and their means over more and more texels.
#[derive(Debug, Clone)]
pub struct Blurred {
    levels: Vec<([usize; 2], Vec<f32>)>,
}

impl Blurred {
    /// All sharpnesses of some values.
    pub fn new(size: [usize; 2], values: Vec<f32>) -> Self {
        let mut levels = vec![(size, values)];
        while let Some((size, finer)) = levels.last().filter(|(size, _)| size[0].min(size[1]) >= 4) {
            let coarser = halved(*size, finer);
            levels.push(coarser);
        }
        Blurred { levels }
    }

    /// The mean over about `footprint` metres around a place, or around the nearest place of the border.
    pub fn at(&self, texels: &Texels, at: DVec2, footprint: f32) -> f32 {
        let share = texels.place(at) / texels.place(texels.corner());
        let wide = footprint / texels.step().max_element() as f32;
        if wide <= 1.0 {
            return self.between(0, share.as_vec2());
        }
        let level = wide.log2().min((self.levels.len() - 1) as f32);
        let first = level as usize;
        let near = self.between(first, share.as_vec2());
        let blend = level - first as f32;
        if blend <= 0.0 { near } else { near + (self.between(first + 1, share.as_vec2()) - near) * blend }
    }

    fn between(&self, level: usize, share: Vec2) -> f32 {
        let (size, values) = &self.levels[level.min(self.levels.len() - 1)];
        let last = Vec2::new((size[0] - 1) as f32, (size[1] - 1) as f32);
        let place = (share * (last + 1.0) - 0.5).max(Vec2::ZERO).min(last);
        let cell = [place.x, place.y].map(|along| along as usize);
        let next = [0, 1].map(|axis| (cell[axis] + 1).min(size[axis] - 1));
        let within = place - Vec2::new(cell[0] as f32, cell[1] as f32);
        let value = |column: usize, row: usize| values[row * size[0] + column];
        let south = value(cell[0], cell[1]) * (1.0 - within.x) + value(next[0], cell[1]) * within.x;
        let north = value(cell[0], next[1]) * (1.0 - within.x) + value(next[0], next[1]) * within.x;
        south + (north - south) * within.y
    }
}

// Each value the mean of four; a last odd row or column is left out.
fn halved(size: [usize; 2], finer: &[f32]) -> ([usize; 2], Vec<f32>) {
    let half = size.map(|count| count / 2);
    let mean = |index: usize| {
        let first = index / half[0] * 2 * size[0] + index % half[0] * 2;
        0.25 * (finer[first] + finer[first + 1] + finer[first + size[0]] + finer[first + size[0] + 1])
    };
    (half, (0..half[0] * half[1]).map(mean).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_off_a_chequerboard_is_grey() {
        let texels = Texels::new([DVec2::ZERO, DVec2::new(4.0, 3.0)], 64);
        let [columns, rows] = texels.size();
        let tiles = (0..columns * rows).map(|index| ((index % columns + index / columns) % 2) as f32);
        let map = Blurred::new(texels.size(), tiles.collect());
        let (middle, corner) = (texels.middle(columns * 20 + 31), DVec2::new(4.0, 3.0));
        assert_eq!(map.at(&texels, middle, 0.0), 1.0);
        assert!((map.at(&texels, middle, 0.5) - 0.5).abs() < 1e-6);
        assert!((map.at(&texels, corner, 1e9) - 0.5).abs() < 1e-6);
        map.at(&texels, DVec2::splat(f64::NAN), f32::NAN);
    }
}
