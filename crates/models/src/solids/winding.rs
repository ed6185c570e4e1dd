//! The nodes of a box that lie inside a closed mesh, by winding numbers.
//!
//! Rays run along the rows of nodes of each axis in turn; every triangle that a ray hits adds ±1, by its orientation,
//! to the winding numbers of all nodes beyond it. A node with a winding number other than zero is inside, for any
//! orientation and overlap of the parts. The majority of the three axes decides, so that a ray which grazes an edge is
//! outvoted. Rays are offset slightly from the nodes, so that hardly any does.

use super::triangle::{self, Triangle};
use super::triangle_grid::axis_crossing;

/// Offset of the rays from the nodes, in cells.
const RAY_OFFSET: [f64; 2] = [3.1e-7, 7.7e-7];

/// A box of nodes in 3-D, x fastest.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeBox {
    /// Position of its first node.
    pub low: [f64; 3],
    /// Distance between adjacent nodes.
    pub spacing: [f64; 3],
    /// Nodes along each axis.
    pub size: [usize; 3],
}

impl NodeBox {
    pub fn count(&self) -> usize {
        self.size.iter().product()
    }

    pub fn point(&self, at: [usize; 3]) -> [f64; 3] {
        std::array::from_fn(|axis| self.low[axis] + at[axis] as f64 * self.spacing[axis])
    }

    /// The nodes along an axis between two coordinates.
    pub fn between(&self, axis: usize, low: f64, high: f64) -> std::ops::Range<usize> {
        let index = |x: f64| (x - self.low[axis]) / self.spacing[axis];
        let most = self.size[axis] as f64;
        let first = index(low).ceil().clamp(0.0, most) as usize;
        let end = (index(high).floor() + 1.0).clamp(0.0, most) as usize;
        first..end.max(first)
    }
}

/// Arrays of the scan, reused from one to the next.
#[derive(Debug, Clone, Default)]
pub(super) struct WindingScan {
    winding_numbers: Vec<i16>,
    votes: Vec<u8>,
}

impl WindingScan {
    /// Computes which nodes are inside, for [`WindingScan::is_inside`].
    pub fn scan(&mut self, nodes: &NodeBox, triangles: &[Triangle]) {
        self.votes.clear();
        self.votes.resize(nodes.count(), 0);
        for axis in 0..3 {
            self.winding_numbers.clear();
            self.winding_numbers.resize(nodes.count(), 0);
            triangles.iter().for_each(|triangle| self.mark_crossings(nodes, triangle, axis));
            self.accumulate(nodes, axis);
            self.votes
                .iter_mut()
                .zip(&self.winding_numbers)
                .for_each(|(vote, &winding_numbers)| *vote += u8::from(winding_numbers != 0));
        }
    }

    /// Whether a node lies inside.
    pub fn is_inside(&self, number: usize) -> bool {
        self.votes[number] >= 2
    }

    /// Adds the sign of every crossing of a triangle with a ray along an axis to the first node beyond it.
    fn mark_crossings(&mut self, nodes: &NodeBox, triangle: &Triangle, axis: usize) {
        let [low, high] = triangle::bounds(std::slice::from_ref(triangle));
        let (one, other) = ((axis + 1) % 3, (axis + 2) % 3);
        let tolerance = |axis: usize| 1e-6 * nodes.spacing[axis];
        let range =
            |axis: usize| nodes.between(axis, low[axis] - tolerance(axis), high[axis] + tolerance(axis));
        for second in range(other) {
            for first in range(one) {
                let mut at = [0; 3];
                (at[one], at[other]) = (first, second);
                let mut point = nodes.point(at);
                point[one] += RAY_OFFSET[0] * nodes.spacing[one];
                point[other] += RAY_OFFSET[1] * nodes.spacing[other];
                let Some((along, sense)) = axis_crossing(triangle, axis, point) else { continue };
                let beyond = ((along - nodes.low[axis]) / nodes.spacing[axis]).ceil().max(0.0);
                if beyond < nodes.size[axis] as f64 {
                    at[axis] = beyond as usize;
                    let number = at[0] + nodes.size[0] * (at[1] + nodes.size[1] * at[2]);
                    self.winding_numbers[number] = self.winding_numbers[number].wrapping_add(sense as i16);
                }
            }
        }
    }

    /// Prefix sums along an axis.
    fn accumulate(&mut self, nodes: &NodeBox, axis: usize) {
        let [across, up, _] = nodes.size;
        let (stride, block) = match axis {
            0 => (1, across),
            1 => (across, across * up),
            _ => (across * up, nodes.count()),
        };
        for block in self.winding_numbers.chunks_mut(block.max(1)) {
            for index in stride..block.len() {
                block[index] = block[index].wrapping_add(block[index - stride]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::triangle::samples::ball;
    use super::*;

    fn cube_of_nodes(low: f64, count: usize, spacing: f64) -> NodeBox {
        NodeBox { low: [low; 3], spacing: [spacing; 3], size: [count; 3] }
    }

    /// Counts the nodes that are inside, and compares each with `is_inside`.
    fn check(triangles: &[Triangle], is_inside: impl Fn([f64; 3]) -> bool) -> usize {
        let nodes = cube_of_nodes(-2.0, 41, 0.1);
        let mut winding = WindingScan::default();
        winding.scan(&nodes, triangles);
        let index = |number: usize| [number % 41, number / 41 % 41, number / 1681];
        (0..nodes.count())
            .filter(|&number| {
                assert_eq!(winding.is_inside(number), is_inside(nodes.point(index(number))), "{number}");
                winding.is_inside(number)
            })
            .count()
    }

    fn moved(triangles: Vec<Triangle>, by: [f64; 3]) -> Vec<Triangle> {
        let shift = |corner: [f64; 3]| std::array::from_fn(|axis| corner[axis] + by[axis]);
        triangles.into_iter().map(|triangle| triangle.map(shift)).collect()
    }

    #[test]
    fn cubes_that_overlap_are_one_solid_and_a_hollow_is_open() {
        let cube = |half: f64| {
            let text = super::super::formats::CUBE;
            let triangles = super::super::formats::read_obj(text).unwrap();
            triangles.into_iter().map(|one| one.map(|corner| corner.map(|x| half * x))).collect::<Vec<_>>()
        };
        let within =
            |point: [f64; 3], middle: f64, half: f64| point.iter().all(|x| (x - middle).abs() < half);
        let mut two = moved(cube(0.55), [0.3; 3]);
        two.extend(moved(cube(0.55), [-0.2; 3]));
        assert!(check(&two, |point| within(point, 0.3, 0.55) || within(point, -0.2, 0.55)) > 1331);
        let mut hollow = cube(1.05);
        hollow.extend(cube(0.45).into_iter().map(|[a, b, c]| [b, a, c]));
        assert!(check(&hollow, |point| within(point, 0.0, 1.05) && !within(point, 0.0, 0.45)) > 7000);
    }

    #[test]
    fn a_ball_with_a_hole_of_one_triangle_is_still_filled() {
        let mut triangles = ball(1.0, 40);
        triangles.remove(1500);
        let nodes = cube_of_nodes(-1.2, 25, 0.1);
        let mut winding = WindingScan::default();
        winding.scan(&nodes, &triangles);
        let wrong = (0..nodes.count()).filter(|&number| {
            let point = nodes.point([number % 25, number / 25 % 25, number / 625]);
            let away = point.iter().map(|x| x * x).sum::<f64>().sqrt();
            (away - 1.0).abs() > 0.02 && winding.is_inside(number) != (away < 1.0)
        });
        assert_eq!(wrong.count(), 0);
    }
}
