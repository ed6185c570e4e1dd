//! The distance from solids as particles ask for it: in single precision, lengths in cells, linear between nodes.
//!
//! Between nodes on both sides of a thin wall nothing tells of it. What no particle may pass is asked of the shapes
//! themselves (`Solids::crossing`); this says when that is needed: a solid is never nearer than the distance at any node
//! less the way to that node.

use undine_grid::{Field, par};

/// How far off a solid something is put that was in it, in cells.
const MARGIN: f32 = 0.05;

/// How often a way out is tried.
const TRIES: u32 = 8;

/// Distances at nodes, in cells.
#[derive(Debug, Clone)]
pub struct Probe<const D: usize> {
    values: Vec<f32>,
    /// Nodes along each axis.
    size: [usize; D],
    strides: [usize; D],
    /// Greatest coordinates that have a node on either side.
    last: [f32; D],
}

impl<const D: usize> Probe<D> {
    /// Nothing but open space around the nodes of a field.
    pub(super) fn new(nodes: &Field<f64, D>) -> Probe<D> {
        let size = nodes.size();
        let mut strides = [1; D];
        (1..D).for_each(|axis| strides[axis] = strides[axis - 1] * size[axis - 1]);
        Probe { values: vec![0.0; nodes.len()], size, strides, last: size.map(|nodes| (nodes - 1) as f32) }
    }

    /// Takes over distances in metres.
    pub(super) fn copy(&mut self, nodes: &Field<f64, D>) {
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

    /// Signed distance in cells at a point in cells from the low corner, negative in solid. Points beyond the box count
    /// as the nearest in it.
    #[inline]
    pub fn distance(&self, point: [f32; D]) -> f32 {
        let (first, share) = self.place(point);
        self.sum(first, |axis| [1.0 - share[axis], share[axis]])
    }

    /// How the distance rises along each axis, per cell: of length one where it is smooth.
    #[inline]
    pub fn gradient(&self, point: [f32; D]) -> [f32; D] {
        let (first, share) = self.place(point);
        std::array::from_fn(|along| {
            self.sum(first, |axis| if axis == along { [-1.0, 1.0] } else { [1.0 - share[axis], share[axis]] })
        })
    }

    /// The nearest point a little off the surface of solids; the point itself when it is, `None` from too deep inside.
    pub fn way_out(&self, point: [f32; D]) -> Option<[f32; D]> {
        let mut place = point;
        for _ in 0..TRIES {
            let depth = MARGIN - self.distance(place);
            if depth <= 0.0 {
                return Some(place);
            }
            let slope = self.gradient(place);
            let length = slope.iter().map(|along| along * along).sum::<f32>().sqrt();
            if length < 1e-3 {
                return None;
            }
            // A hair more, or rounding would ask for another try
            let by = (depth + 0.1 * MARGIN) / length;
            place = std::array::from_fn(|axis| place[axis] + by * slope[axis]);
        }
        None
    }

    /// Whether a ball around a point is surely free of solids, thin ones too.
    #[inline]
    pub(super) fn is_free(&self, point: [f32; D], radius: f32) -> bool {
        let (first, share) = self.place(point);
        let free_from = |corner: usize| {
            let (mut node, mut square) = (first, 0.0);
            for axis in 0..D {
                let is_high = corner >> axis & 1 == 1;
                node += if is_high { self.strides[axis] } else { 0 };
                let away = share[axis] - f32::from(u8::from(is_high));
                square += away * away;
            }
            let free = self.values[node] - radius;
            // Rounding aside
            free > 0.0 && free * free > square * 1.0001
        };
        let nearest = (0..D).map(|axis| usize::from(share[axis] > 0.5) << axis).sum::<usize>();
        free_from(nearest) || (0..1 << D).any(free_from)
    }

    /// The node below a point, and how far beyond it the point lies.
    #[inline]
    fn place(&self, point: [f32; D]) -> (usize, [f32; D]) {
        let (mut first, mut share) = (0, [0.0; D]);
        for axis in 0..D {
            // The lowest first, so that what is no number becomes a place
            let along = point[axis].min(self.last[axis]).max(0.0);
            let below = (along as usize).min(self.size[axis] - 2);
            first += below * self.strides[axis];
            share[axis] = along - below as f32;
        }
        (first, share)
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

    fn probe() -> Probe<3> {
        let grid = Grid::new([12, 8, 10], [0.5; 3], [-1.0, 0.0, 2.0]).unwrap();
        let mut nodes = Field::new(grid, Location::Node, Condition::Open, 1).unwrap();
        // A slope: 0.6 x + 0.8 z, zero at [3, ·, 4] cells
        nodes.set_by_position(|[x, _, z]| 0.6 * (x - 0.5) + 0.8 * (z - 4.0));
        let mut probe = Probe::new(&nodes);
        probe.copy(&nodes);
        probe
    }

    #[test]
    fn a_slope_is_read_as_it_is() {
        let probe = probe();
        assert!(probe.distance([3.0, 2.2, 4.0]).abs() < 1e-5);
        assert!((probe.distance([4.0, 7.9, 4.5]) - 1.0).abs() < 1e-5);
        let slope = probe.gradient([5.3, 1.2, 3.3]);
        assert!((0..3).all(|axis| (slope[axis] - [0.6, 0.0, 0.8][axis]).abs() < 1e-5), "{slope:?}");
        assert_eq!(probe.distance([-5.0, 0.0, -7.0]), probe.distance([0.0; 3]));
        assert!(probe.distance([f32::NAN; 3]).is_finite() && probe.distance([f32::MAX; 3]).is_finite());
    }

    #[test]
    fn the_way_out_leads_across_the_surface() {
        let probe = probe();
        let out = probe.way_out([2.4, 1.0, 3.2]).unwrap();
        assert!((0.05..0.06).contains(&probe.distance(out)), "{out:?}");
        assert!((out[0] - 2.4 - 0.75 * (out[2] - 3.2)).abs() < 1e-4);
        assert_eq!(probe.way_out([6.0, 1.0, 6.0]), Some([6.0, 1.0, 6.0]));
    }

    #[test]
    fn what_is_called_free_is_free() {
        let probe = probe();
        let mut free = 0;
        for number in 0..500 {
            let along = |step: f32, most: f32| (number as f32 * step).fract() * most;
            let point = [along(0.618, 12.0), along(0.414, 8.0), along(0.732, 10.0)];
            let (distance, radius) = (probe.distance(point), along(0.291, 1.5));
            if probe.is_free(point, radius) {
                free += 1;
                assert!(distance > radius, "{point:?}");
            } else {
                assert!(distance < radius + 0.9, "{point:?}: {distance} of {radius}");
            }
        }
        assert!(free > 100);
    }
}
