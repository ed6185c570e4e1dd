//! Density on a regular 3-D grid, with trilinear interpolation and empty-space skipping.

use glam::Vec3;
use undine_frame::Raster;

/// Samples along the edge of an occupancy block.
const BLOCK: usize = 4;

/// A density field on a box; zero outside.
#[derive(Debug, Clone)]
pub struct DensityGrid {
    first: Vec3,
    step: Vec3,
    size: [usize; 3],
    values: Vec<f32>,
}

impl DensityGrid {
    /// A grid of these samples, x fastest; NaN and negative values count as zero.
    pub fn new(first: Vec3, step: Vec3, size: [usize; 3], mut values: Vec<f32>) -> Option<DensityGrid> {
        let count = size.iter().try_fold(1usize, |count, &samples| count.checked_mul(samples))?;
        let is_sound = first.is_finite() && step.is_finite() && step.min_element() > 0.0;
        if count == 0 || count != values.len() || !is_sound {
            return None;
        }
        values.iter_mut().for_each(|value| *value = if *value > 0.0 { value.min(1e9) } else { 0.0 });
        Some(DensityGrid { first, step, size, values })
    }

    /// The grid of a scalar raster with more than one sample along every axis.
    pub fn of(raster: &Raster) -> Option<DensityGrid> {
        let is_solid = raster.components == 1 && raster.size.iter().all(|&samples| samples > 1);
        let vector = |at: [f64; 3]| Vec3::from(at.map(|coordinate| coordinate as f32));
        let size = raster.size.map(|samples| samples as usize);
        is_solid.then(|| {
            DensityGrid::new(vector(raster.origin), vector(raster.spacing), size, raster.values.to_vec())
        })?
    }

    /// The corners of its box, half a step beyond the outermost samples.
    pub fn corners(&self) -> [Vec3; 2] {
        let size = Vec3::from(self.size.map(|samples| samples as f32));
        let low = self.first - 0.5 * self.step;
        [low, low + size * self.step]
    }

    /// Least spacing of the samples.
    pub fn spacing(&self) -> f32 {
        self.step.min_element()
    }

    /// Origin, spacing and size of a grid coarser by a factor along each axis.
    pub fn coarsened(&self, times: usize) -> (Vec3, Vec3, [usize; 3]) {
        let [low, high] = self.corners();
        let size = self.size.map(|samples| samples.div_ceil(times.max(1)).max(1));
        let step = (high - low) / Vec3::from(size.map(|samples| samples as f32));
        (low + 0.5 * step, step, size)
    }

    /// Samples along its axes.
    pub fn size(&self) -> [usize; 3] {
        self.size
    }

    /// Trilinear interpolation at a point; zero outside the box.
    pub fn at(&self, point: Vec3) -> f32 {
        let cell_position = (point - self.first) / self.step;
        let last = Vec3::from(self.size.map(|samples| (samples - 1) as f32));
        if cell_position.cmplt(Vec3::splat(-0.5)).any()
            || cell_position.cmpgt(last + 0.5).any()
            || !cell_position.is_finite()
        {
            return 0.0;
        }
        let cell_position = cell_position.clamp(Vec3::ZERO, last);
        let (base, fraction) = (cell_position.floor(), cell_position - cell_position.floor());
        let [x, y, z] = base.to_array().map(|coordinate| coordinate as usize);
        let next = |at: usize, axis: usize| (at + 1).min(self.size[axis] - 1);
        let row = |y: usize, z: usize| {
            let start = (z * self.size[1] + y) * self.size[0];
            let (here, there) = (self.values[start + x], self.values[start + next(x, 0)]);
            here + (there - here) * fraction.x
        };
        let plane = |z: usize| {
            let (here, there) = (row(y, z), row(next(y, 1), z));
            here + (there - here) * fraction.y
        };
        let (here, there) = (plane(z), plane(next(z, 2)));
        here + (there - here) * fraction.z
    }

    /// The interval of a ray inside the box, as distances (slab test); `None` when it misses.
    pub fn ray_interval(&self, from: Vec3, direction: Vec3) -> Option<[f32; 2]> {
        let [low, high] = self.corners();
        let (one, other) = ((low - from) / direction, (high - from) / direction);
        let (enters, leaves) = (one.min(other).max_element(), one.max(other).min_element());
        (leaves > enters.max(0.0)).then_some([enters.max(0.0), leaves])
    }
}

/// Occupancy of blocks of a grid, for empty-space skipping.
#[derive(Debug, Clone)]
pub struct Occupancy {
    size: [usize; 3],
    is_near: Vec<bool>,
}

impl Occupancy {
    /// Marks the blocks that are non-empty or adjacent to a non-empty one.
    pub fn new(volume: &DensityGrid) -> Occupancy {
        let size = volume.size.map(|samples| samples.div_ceil(BLOCK));
        let index = |[x, y, z]: [usize; 3]| (z * size[1] + y) * size[0] + x;
        let mut is_near = vec![false; size.iter().product()];
        for (sample, _) in volume.values.iter().enumerate().filter(|(_, value)| **value > 1e-4) {
            let (x, y) = (sample % volume.size[0], sample / volume.size[0] % volume.size[1]);
            let block =
                [x, y, sample / (volume.size[0] * volume.size[1])].map(|coordinate| coordinate / BLOCK);
            is_near[index(block)] = true;
        }
        for axis in 0..3 {
            let filled = is_near.clone();
            for (block, is_near) in is_near.iter_mut().enumerate() {
                let at = [block % size[0], block / size[0] % size[1], block / (size[0] * size[1])];
                let is_filled = |coordinate: usize| {
                    let mut other = at;
                    other[axis] = coordinate.min(size[axis] - 1);
                    filled[index(other)]
                };
                *is_near =
                    is_filled(at[axis].saturating_sub(1)) || is_filled(at[axis]) || is_filled(at[axis] + 1);
            }
        }
        Occupancy { size, is_near }
    }

    /// Number of grid steps that a ray may skip from a point; 0 where the block is marked.
    pub fn empty_steps(&self, volume: &DensityGrid, point: Vec3) -> f32 {
        let cell_position = ((point - volume.first) / volume.step + 0.5) / BLOCK as f32;
        let last = Vec3::from(self.size.map(|blocks| (blocks - 1) as f32));
        let [x, y, z] =
            cell_position.clamp(Vec3::ZERO, last).to_array().map(|coordinate| coordinate as usize);
        let is_near = self.is_near[(z * self.size[1] + y) * self.size[0] + x];
        if is_near { 0.0 } else { (BLOCK - 1) as f32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp() -> DensityGrid {
        let values = (0..4 * 3 * 2).map(|sample| (sample % 4) as f32 + 1.0).collect();
        DensityGrid::new(Vec3::splat(0.5), Vec3::ONE, [4, 3, 2], values).unwrap()
    }

    #[test]
    fn values_are_linear_inside_and_nothing_outside() {
        let ramp = ramp();
        assert!((ramp.at(Vec3::new(1.75, 1.2, 0.9)) - 2.25).abs() < 1e-6);
        assert_eq!(ramp.at(Vec3::new(0.1, 1.0, 1.0)), 1.0);
        assert_eq!(ramp.at(Vec3::new(-0.1, 1.0, 1.0)), 0.0);
        assert_eq!(ramp.at(Vec3::splat(f32::NAN)), 0.0);
    }

    #[test]
    fn rays_are_cut_to_the_box() {
        let fraction = ramp().ray_interval(Vec3::new(-2.0, 1.0, 1.0), Vec3::X).unwrap();
        assert_eq!(fraction, [2.0, 6.0]);
        assert_eq!(ramp().ray_interval(Vec3::new(-2.0, 9.0, 1.0), Vec3::X), None);
        assert_eq!(ramp().ray_interval(Vec3::new(-2.0, 1.0, 1.0), -Vec3::X), None);
    }

    #[test]
    fn empty_blocks_are_skipped() {
        let mut values = vec![0.0; 32 * 32 * 32];
        values[0] = 1.0;
        let volume = DensityGrid::new(Vec3::ZERO, Vec3::ONE, [32; 3], values).unwrap();
        let occupancy = Occupancy::new(&volume);
        assert_eq!(occupancy.empty_steps(&volume, Vec3::splat(5.0)), 0.0);
        assert_eq!(occupancy.empty_steps(&volume, Vec3::splat(20.0)), 3.0);
    }
}
