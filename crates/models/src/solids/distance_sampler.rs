//! The distance from solids for particles: single precision, lengths in cells, multilinear between nodes.
//!
//! Interpolation misses a wall thinner than a cell, so collisions are found with the shapes themselves
//! (`Solids::crossing`). This tells when that is needed, by a Lipschitz bound: a solid is never nearer than the
//! distance at any node minus the distance to that node.

use undine_grid::{Field, par};

/// Distance from the surface, in cells, to which a point inside a solid is pushed.
const MARGIN: f32 = 0.05;

/// Largest number of steps along the gradient to push a point out.
const MAX_PUSHES: u32 = 8;

/// Distances at nodes, in cells.
#[derive(Debug, Clone)]
pub struct DistanceSampler<const D: usize> {
    values: Vec<f32>,
    /// Nodes along each axis.
    size: [usize; D],
    strides: [usize; D],
    /// Greatest coordinates within the nodes.
    last: [f32; D],
}

impl<const D: usize> DistanceSampler<D> {
    /// Zero distances at the nodes of a field.
    pub(super) fn new(nodes: &Field<f64, D>) -> DistanceSampler<D> {
        let size = nodes.size();
        let mut strides = [1; D];
        (1..D).for_each(|axis| strides[axis] = strides[axis - 1] * size[axis - 1]);
        DistanceSampler {
            values: vec![0.0; nodes.len()],
            size,
            strides,
            last: size.map(|nodes| (nodes - 1) as f32),
        }
    }

    /// Copies distances in metres, converted to cells.
    pub(super) fn update(&mut self, nodes: &Field<f64, D>) {
        let per_cell = 1.0 / nodes.grid().spacing()[0];
        let size = self.size;
        par::for_each_chunk(&mut self.values, size[0], |first, row| {
            let mut at = [0; D];
            let mut rest = first / size[0];
            for axis in 1..D {
                at[axis] = (rest % size[axis]) as isize;
                rest /= size[axis];
            }
            row.iter_mut().zip(nodes.row(at)).for_each(|(value, metres)| *value = (metres * per_cell) as f32);
        });
    }

    /// Signed distance in cells at a point in cells from the low corner, negative in solid. Points outside the box are
    /// clamped to it.
    #[inline]
    pub fn distance(&self, point: [f32; D]) -> f32 {
        let (first, fraction) = self.locate(point);
        self.sum(first, |axis| [1.0 - fraction[axis], fraction[axis]])
    }

    /// Gradient of the distance, per cell: of length one where it is smooth.
    #[inline]
    pub fn gradient(&self, point: [f32; D]) -> [f32; D] {
        let (first, fraction) = self.locate(point);
        std::array::from_fn(|along| {
            self.sum(
                first,
                |axis| if axis == along { [-1.0, 1.0] } else { [1.0 - fraction[axis], fraction[axis]] },
            )
        })
    }

    /// Pushes a point out of solids along the gradient, to a small distance off the surface; returns the point itself
    /// when it is outside, `None` when it is too deep inside.
    pub fn push_outside(&self, point: [f32; D]) -> Option<[f32; D]> {
        let mut position = point;
        for _ in 0..MAX_PUSHES {
            let depth = MARGIN - self.distance(position);
            if depth <= 0.0 {
                return Some(position);
            }
            let slope = self.gradient(position);
            let length = slope.iter().map(|x| x * x).sum::<f32>().sqrt();
            if length < 1e-3 {
                return None;
            }
            // Slightly more, or rounding would require another step
            let by = (depth + 0.1 * MARGIN) / length;
            position = std::array::from_fn(|axis| position[axis] + by * slope[axis]);
        }
        None
    }

    /// Whether a ball around a point is certainly free of solids, thin ones included.
    #[inline]
    pub(super) fn is_clear(&self, point: [f32; D], radius: f32) -> bool {
        let (first, fraction) = self.locate(point);
        let free_from = |corner: usize| {
            let (mut node, mut square) = (first, 0.0);
            for axis in 0..D {
                let is_high = corner >> axis & 1 == 1;
                node += if is_high { self.strides[axis] } else { 0 };
                let away = fraction[axis] - f32::from(u8::from(is_high));
                square += away * away;
            }
            let free = self.values[node] - radius;
            // Margin for rounding
            free > 0.0 && free * free > square * 1.0001
        };
        let nearest = (0..D).map(|axis| usize::from(fraction[axis] > 0.5) << axis).sum::<usize>();
        free_from(nearest) || (0..1 << D).any(free_from)
    }

    /// The index of the low node of the cell that contains a point, and the fractional position in the cell.
    #[inline]
    fn locate(&self, point: [f32; D]) -> (usize, [f32; D]) {
        let (mut first, mut fraction) = (0, [0.0; D]);
        for axis in 0..D {
            // `min` first, so that NaN becomes a valid index
            let along = point[axis].min(self.last[axis]).max(0.0);
            let below = (along as usize).min(self.size[axis] - 2);
            first += below * self.strides[axis];
            fraction[axis] = along - below as f32;
        }
        (first, fraction)
    }

    /// The sum over the nodes around a point with these low and high weights along each axis.
    #[inline]
    fn sum(&self, first: usize, weights: impl Fn(usize) -> [f32; 2]) -> f32 {
        let weights: [[f32; 2]; D] = std::array::from_fn(weights);
        let mut sum = 0.0;
        for corner in 0..1 << D {
            let (mut node, mut weight) = (first, 1.0);
            for axis in 0..D {
                let high = corner >> axis & 1;
                node += high * self.strides[axis];
                weight *= weights[axis][high];
            }
            sum += weight * self.values[node];
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use undine_grid::{Condition, Grid, Location};

    fn distance_sampler() -> DistanceSampler<3> {
        let grid = Grid::new([12, 8, 10], [0.5; 3], [-1.0, 0.0, 2.0]).unwrap();
        let mut nodes = Field::new(grid, Location::Node, Condition::Open, 1).unwrap();
        // A slope: 0.6 x + 0.8 z, zero at [3, ·, 4] cells
        nodes.set_by_position(|[x, _, z]| 0.6 * (x - 0.5) + 0.8 * (z - 4.0));
        let mut distance_sampler = DistanceSampler::new(&nodes);
        distance_sampler.update(&nodes);
        distance_sampler
    }

    #[test]
    fn a_slope_is_read_as_it_is() {
        let distance_sampler = distance_sampler();
        assert!(distance_sampler.distance([3.0, 2.2, 4.0]).abs() < 1e-5);
        assert!((distance_sampler.distance([4.0, 7.9, 4.5]) - 1.0).abs() < 1e-5);
        let slope = distance_sampler.gradient([5.3, 1.2, 3.3]);
        assert!((0..3).all(|axis| (slope[axis] - [0.6, 0.0, 0.8][axis]).abs() < 1e-5), "{slope:?}");
        assert_eq!(distance_sampler.distance([-5.0, 0.0, -7.0]), distance_sampler.distance([0.0; 3]));
        assert!(
            distance_sampler.distance([f32::NAN; 3]).is_finite()
                && distance_sampler.distance([f32::MAX; 3]).is_finite()
        );
    }

    #[test]
    fn pushing_out_follows_the_gradient() {
        let distance_sampler = distance_sampler();
        let out = distance_sampler.push_outside([2.4, 1.0, 3.2]).unwrap();
        assert!((0.05..0.06).contains(&distance_sampler.distance(out)), "{out:?}");
        assert!((out[0] - 2.4 - 0.75 * (out[2] - 3.2)).abs() < 1e-4);
        assert_eq!(distance_sampler.push_outside([6.0, 1.0, 6.0]), Some([6.0, 1.0, 6.0]));
    }

    #[test]
    fn what_is_called_free_is_free() {
        let distance_sampler = distance_sampler();
        let mut free = 0;
        for number in 0..500 {
            let along = |step: f32, most: f32| (number as f32 * step).fract() * most;
            let point = [along(0.618, 12.0), along(0.414, 8.0), along(0.732, 10.0)];
            let (distance, radius) = (distance_sampler.distance(point), along(0.291, 1.5));
            if distance_sampler.is_clear(point, radius) {
                free += 1;
                assert!(distance > radius, "{point:?}");
            } else {
                assert!(distance < radius + 0.9, "{point:?}: {distance} of {radius}");
            }
        }
        assert!(free > 100);
    }
}
