//! Which nodes of a box lie inside a closed mesh.
//!
//! Rows of nodes run along each axis in turn; every triangle that a row meets adds or takes away one turn for all that
//! lies beyond it, by the side that it shows. Where the turns do not cancel is inside, whichever way the mesh faces and
//! however often its parts overlap. The three axes vote, so that a row that grazes an edge is outvoted. Rows are looked
//! at a hair beside the nodes, so that hardly one does.

use super::facets::crossing;
use super::mesh::{self, Triangle};

/// How far beside the nodes rows are looked at, in cells.
const ASIDE: [f64; 2] = [3.1e-7, 7.7e-7];

/// A box of nodes in space, x fastest.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeBox {
    /// Position of its first node.
    pub low: [f64; 3],
    /// Way from node to node.
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
        let place = |along: f64| (along - self.low[axis]) / self.spacing[axis];
        let most = self.size[axis] as f64;
        let first = place(low).ceil().clamp(0.0, most) as usize;
        let end = (place(high).floor() + 1.0).clamp(0.0, most) as usize;
        first..end.max(first)
    }
}

/// Memory of the scan, kept from one to the next.
#[derive(Debug, Clone, Default)]
pub(super) struct Winding {
    turns: Vec<i16>,
    votes: Vec<u8>,
}

impl Winding {
    /// Finds what is inside; ask [`Winding::is_inside`] then.
    pub fn scan(&mut self, nodes: &NodeBox, triangles: &[Triangle]) {
        self.votes.clear();
        self.votes.resize(nodes.count(), 0);
        for axis in 0..3 {
            self.turns.clear();
            self.turns.resize(nodes.count(), 0);
            triangles.iter().for_each(|triangle| self.turn_beyond(nodes, triangle, axis));
            self.carry_on(nodes, axis);
            self.votes.iter_mut().zip(&self.turns).for_each(|(vote, &turns)| *vote += u8::from(turns != 0));
        }
    }

    /// Whether the node with this number lies inside.
    pub fn is_inside(&self, number: usize) -> bool {
        self.votes[number] >= 2
    }

    /// Notes, in every row along an axis that a triangle meets, its sense at the first node beyond it.
    fn turn_beyond(&mut self, nodes: &NodeBox, triangle: &Triangle, axis: usize) {
        let [low, high] = mesh::bounds(std::slice::from_ref(triangle));
        let (one, other) = ((axis + 1) % 3, (axis + 2) % 3);
        let hair = |axis: usize| 1e-6 * nodes.spacing[axis];
        let range = |axis: usize| nodes.between(axis, low[axis] - hair(axis), high[axis] + hair(axis));
        for second in range(other) {
            for first in range(one) {
                let mut at = [0; 3];
                (at[one], at[other]) = (first, second);
                let mut point = nodes.point(at);
                point[one] += ASIDE[0] * nodes.spacing[one];
                point[other] += ASIDE[1] * nodes.spacing[other];
                let Some((along, sense)) = crossing(triangle, axis, point) else { continue };
                let beyond = ((along - nodes.low[axis]) / nodes.spacing[axis]).ceil().max(0.0);
                if beyond < nodes.size[axis] as f64 {
                    at[axis] = beyond as usize;
                    let number = at[0] + nodes.size[0] * (at[1] + nodes.size[1] * at[2]);
                    self.turns[number] = self.turns[number].wrapping_add(sense as i16);
                }
            }
        }
    }

    /// Adds to every node the turns of those before it along an axis.
    fn carry_on(&mut self, nodes: &NodeBox, axis: usize) {
        let [across, up, _] = nodes.size;
        let (stride, block) = match axis {
            0 => (1, across),
            1 => (across, across * up),
            _ => (across * up, nodes.count()),
        };
        for block in self.turns.chunks_mut(block.max(1)) {
            for place in stride..block.len() {
                block[place] = block[place].wrapping_add(block[place - stride]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::mesh::samples::ball;
    use super::*;

    fn cube_of_nodes(low: f64, count: usize, spacing: f64) -> NodeBox {
        NodeBox { low: [low; 3], spacing: [spacing; 3], size: [count; 3] }
    }

    /// Counts the nodes that are inside, and compares each with `is_inside`.
    fn check(triangles: &[Triangle], is_inside: impl Fn([f64; 3]) -> bool) -> usize {
        let nodes = cube_of_nodes(-2.0, 41, 0.1);
        let mut winding = Winding::default();
        winding.scan(&nodes, triangles);
        let place = |number: usize| [number % 41, number / 41 % 41, number / 1681];
        (0..nodes.count())
            .filter(|&number| {
                assert_eq!(winding.is_inside(number), is_inside(nodes.point(place(number))), "{number}");
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
            |point: [f64; 3], middle: f64, half: f64| point.iter().all(|along| (along - middle).abs() < half);
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
        let mut winding = Winding::default();
        winding.scan(&nodes, &triangles);
        let wrong = (0..nodes.count()).filter(|&number| {
            let point = nodes.point([number % 25, number / 25 % 25, number / 625]);
            let away = point.iter().map(|along| along * along).sum::<f64>().sqrt();
            (away - 1.0).abs() > 0.02 && winding.is_inside(number) != (away < 1.0)
        });
        assert_eq!(wrong.count(), 0);
    }
}
