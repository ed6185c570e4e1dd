//! Bounding volume hierarchy of triangles: closest hits of rays.
//!
//! A node holds the boxes of four children, a leaf up to four triangles; one pass of SIMD tests all four.

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use super::bvh_build::{BuildPrimitive, BuildRange, LEAF, primitives};

/// Nodes on the traversal stack: three for every level of the deepest hierarchy.
const STACK: usize = 192;

/// Relative overlap of neighbouring triangles, so that no ray passes between them.
const OVERLAP: f32 = 2e-5;

/// The boxes of four children, in structure-of-arrays order.
#[derive(Debug, Clone, Copy)]
struct BvhNode {
    low: [Vec4; 3],
    high: [Vec4; 3],
    children: [Link; 4],
}

/// A child: the number of a node, of a leaf with the highest bit set, or none.
type Link = u32;
const EMPTY: Link = u32::MAX;
const IS_LEAF: Link = 1 << 31;

/// Four triangles in structure-of-arrays order: a corner and two edges of each.
#[derive(Debug, Clone, Copy)]
struct LeafTriangles {
    corner: [Vec4; 3],
    edge1: [Vec4; 3],
    edge2: [Vec4; 3],
    triangles: [u32; LEAF],
}

/// Ranges of fewer triangles than this, or than this part of all, are built sequentially.
const SEQUENTIAL_BELOW: usize = 4096;
const PARALLEL_PARTS: usize = 16;

/// The intersection of a ray and a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TriangleHit {
    /// Distance along the ray.
    pub distance: f32,
    /// Number of the triangle.
    pub triangle: u32,
    /// Barycentric coordinates of its second and third corner.
    pub barycentric: [f32; 2],
}

/// A bounding volume hierarchy of triangles.
#[derive(Debug)]
pub struct Bvh {
    nodes: Vec<BvhNode>,
    leaves: Vec<LeafTriangles>,
}

impl Bvh {
    /// Builds the hierarchy of numbered triangles; those with coordinates that are not finite are left out.
    pub fn new(triangles: impl Iterator<Item = (u32, [Vec3; 3])>) -> Bvh {
        let triangles: Vec<(u32, [Vec3; 3])> = triangles.collect();
        let mut primitives = primitives(&triangles);
        let mut bvh = Bvh::with_capacity_for(primitives.len());
        let large = SEQUENTIAL_BELOW.max(primitives.len() / PARALLEL_PARTS);
        if !primitives.is_empty() {
            bvh.add_node(BuildRange::all(&mut primitives), &triangles, large);
        }
        bvh
    }

    // An empty hierarchy with capacity for about so many triangles: a leaf holds between two and three.
    fn with_capacity_for(triangles: usize) -> Bvh {
        Bvh { nodes: Vec::with_capacity(triangles / 6), leaves: Vec::with_capacity(triangles / 2) }
    }

    // Adds the node of a range and all below it; returns its number. The children of ranges with at least `large`
    // triangles are built in parallel as hierarchies of their own, in the same order for any number of threads.
    fn add_node(&mut self, range: BuildRange<'_>, triangles: &[(u32, [Vec3; 3])], large: usize) -> Link {
        // The node, with the bounds of up to four children.
        let own = self.nodes.len();
        self.nodes.push(BvhNode {
            low: [Vec4::INFINITY; 3],
            high: [Vec4::NEG_INFINITY; 3],
            children: [EMPTY; 4],
        });
        let is_large = range.primitives.len() >= large;
        let children = split_in_four(range);
        for (lane, child) in children.iter().flatten().enumerate() {
            let node = &mut self.nodes[own];
            for axis in 0..3 {
                node.low[axis][lane] = child.bounds.low[axis];
                node.high[axis][lane] = child.bounds.high[axis];
            }
        }
        // The children: in parallel below large ranges, otherwise in place.
        let links = if is_large {
            let built = |child: BuildRange<'_>| {
                let mut bvh = Bvh::with_capacity_for(child.primitives.len());
                let link = bvh.add_range(child, triangles, large);
                (bvh, link)
            };
            let built: Vec<Option<(Bvh, Link)>> =
                children.into_par_iter().map(|child| child.map(built)).collect();
            let links: Vec<Link> =
                built.into_iter().flatten().map(|(bvh, link)| self.append(bvh, link)).collect();
            std::array::from_fn(|lane| links.get(lane).copied().unwrap_or(EMPTY))
        } else {
            children.map(|child| child.map_or(EMPTY, |child| self.add_range(child, triangles, large)))
        };
        self.nodes[own].children = links;
        own as Link
    }

    fn add_range(&mut self, range: BuildRange<'_>, triangles: &[(u32, [Vec3; 3])], large: usize) -> Link {
        if range.is_leaf() {
            self.leaves.push(LeafTriangles::new(range.primitives, triangles));
            return (self.leaves.len() as Link - 1) | IS_LEAF;
        }
        self.add_node(range, triangles, large)
    }

    // Appends a hierarchy that was built elsewhere; returns its root's number in this one.
    fn append(&mut self, other: Bvh, link: Link) -> Link {
        let (nodes, leaves) = (self.nodes.len() as Link, self.leaves.len() as Link);
        let moved = |link: Link| match link {
            EMPTY => EMPTY,
            leaf if leaf & IS_LEAF != 0 => leaf + leaves,
            node => node + nodes,
        };
        self.nodes.extend(
            other.nodes.into_iter().map(|node| BvhNode { children: node.children.map(moved), ..node }),
        );
        self.leaves.extend(other.leaves);
        moved(link)
    }

    /// The closest triangle along a ray, nearer than `limit`.
    pub fn closest_hit(&self, from: Vec3, direction: Vec3, limit: f32) -> Option<TriangleHit> {
        if self.nodes.is_empty() {
            return None;
        }
        let ray = RayLanes::new(from, direction);
        let mut found = TriangleHit { distance: limit, triangle: u32::MAX, barycentric: [0.0; 2] };
        // Depth-first traversal, nearest child first; farther nodes than the closest hit are skipped.
        let mut stack = [(0.0f32, 0 as Link); STACK];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let (enters, link) = stack[depth];
            if enters >= found.distance {
                continue;
            }
            if link & IS_LEAF != 0 {
                self.leaves[(link ^ IS_LEAF) as usize].intersect(&ray, &mut found);
                continue;
            }
            let node = &self.nodes[link as usize];
            // Push the children that the ray passes.
            let (enters, leaves) = ray.slab_test(node);
            let start = depth;
            for child in 0..4 {
                let is_hit = enters[child] <= leaves[child] && enters[child] < found.distance;
                if is_hit && node.children[child] != EMPTY {
                    // Insertion by distance: the nearest child ends on top of the stack.
                    let mut lane = depth;
                    while lane > start && stack[lane - 1].0 < enters[child] {
                        stack[lane] = stack[lane - 1];
                        lane -= 1;
                    }
                    stack[lane] = (enters[child], node.children[child]);
                    depth += 1;
                }
            }
        }
        (found.triangle != u32::MAX).then_some(found)
    }
}

// Splits a range into up to four, always the one of the greatest surface area. A leaf stays alone.
fn split_in_four(range: BuildRange<'_>) -> [Option<BuildRange<'_>>; 4] {
    let mut ranges = [Some(range), None, None, None];
    for count in 1..4 {
        let area = |lane: usize| {
            ranges[lane].as_ref().filter(|range| !range.is_leaf()).map(|range| range.bounds.half_area())
        };
        let inner = (0..count).filter_map(|lane| area(lane).map(|area| (lane, area)));
        let Some((widest, _)) = inner.max_by(|a, b| a.1.total_cmp(&b.1)) else { break };
        let Some([one, other]) = ranges[widest].take().map(BuildRange::split) else { break };
        (ranges[widest], ranges[count]) = (Some(one), Some(other));
    }
    ranges
}

struct RayLanes {
    from: [Vec4; 3],
    direction: [Vec4; 3],
    inverse: [Vec4; 3],
}

impl RayLanes {
    fn new(from: Vec3, direction: Vec3) -> RayLanes {
        // No component is zero, so that no product below is undefined.
        let safe = |x: f32| if x.abs() < 1e-12 { 1e-12f32.copysign(x) } else { x };
        RayLanes {
            from: from.to_array().map(Vec4::splat),
            direction: direction.to_array().map(Vec4::splat),
            inverse: direction.to_array().map(|x| Vec4::splat(1.0 / safe(x))),
        }
    }

    // Slab test: distances at which the ray enters and leaves four boxes.
    #[inline]
    fn slab_test(&self, node: &BvhNode) -> ([f32; 4], [f32; 4]) {
        let (mut enters, mut leaves) = (Vec4::ZERO, Vec4::INFINITY);
        for axis in 0..3 {
            let one = (node.low[axis] - self.from[axis]) * self.inverse[axis];
            let other = (node.high[axis] - self.from[axis]) * self.inverse[axis];
            enters = enters.max(one.min(other));
            leaves = leaves.min(one.max(other));
        }
        // Rounding must not hide a flat box.
        (enters.to_array(), (leaves * 1.000_001).to_array())
    }
}

fn cross(a: &[Vec4; 3], b: &[Vec4; 3]) -> [Vec4; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: &[Vec4; 3], b: &[Vec4; 3]) -> Vec4 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl LeafTriangles {
    fn new(primitives: &[BuildPrimitive], triangles: &[(u32, [Vec3; 3])]) -> LeafTriangles {
        let none = [Vec4::ZERO; 3];
        let mut leaves =
            LeafTriangles { corner: none, edge1: none, edge2: none, triangles: [u32::MAX; LEAF] };
        for (lane, primitive) in primitives.iter().enumerate().take(LEAF) {
            let (number, [a, b, c]) = triangles[primitive.number() as usize];
            leaves.triangles[lane] = number;
            for axis in 0..3 {
                leaves.corner[axis][lane] = a[axis];
                leaves.edge1[axis][lane] = (b - a)[axis];
                leaves.edge2[axis][lane] = (c - a)[axis];
            }
        }
        leaves
    }

    // Möller–Trumbore intersection of all four triangles [moller1997].
    #[inline]
    fn intersect(&self, ray: &RayLanes, found: &mut TriangleHit) {
        let p = cross(&ray.direction, &self.edge2);
        let inverse = dot(&self.edge1, &p).recip();
        let from = [0, 1, 2].map(|axis| ray.from[axis] - self.corner[axis]);
        let second = dot(&from, &p) * inverse;
        let q = cross(&from, &self.edge1);
        let third = dot(&ray.direction, &q) * inverse;
        let distance = dot(&self.edge2, &q) * inverse;
        let low = Vec4::splat(-OVERLAP);
        let inside =
            second.cmpge(low) & third.cmpge(low) & (second + third).cmple(Vec4::splat(1.0 + OVERLAP));
        let ahead = distance.cmpgt(Vec4::ZERO) & distance.cmplt(Vec4::splat(found.distance));
        let hits = (inside & ahead).bitmask();
        if hits == 0 {
            return;
        }
        for lane in (0..4).filter(|lane| hits >> lane & 1 == 1) {
            if distance[lane] < found.distance && self.triangles[lane] != u32::MAX {
                *found = TriangleHit {
                    distance: distance[lane],
                    triangle: self.triangles[lane],
                    barycentric: [second[lane], third[lane]],
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::unit;

    fn scattered(count: i32) -> Vec<[Vec3; 3]> {
        let lane = |index: i32, seed: u32| {
            Vec3::new(unit(index, 0, seed), unit(index, 1, seed), unit(index, 2, seed))
        };
        let triangle = |index: i32| {
            let middle = lane(index, 1);
            [2, 3, 4].map(|seed| middle + 0.1 * (lane(index, seed) - 0.5))
        };
        (0..count).map(triangle).collect()
    }

    #[test]
    fn the_bvh_finds_what_a_brute_force_search_finds() {
        let triangles = scattered(3000);
        let bvh = Bvh::new((0..).zip(triangles.iter().copied()));
        for index in 0..400 {
            let from = Vec3::new(unit(index, 5, 9), unit(index, 6, 9), -1.0);
            let towards = Vec3::new(unit(index, 7, 9), unit(index, 8, 9), 1.0);
            let direction = (towards - from).normalize();
            let each = triangles.iter().enumerate().filter_map(|(number, &[a, b, c])| {
                let (edge1, edge2, offset) = (b - a, c - a, from - a);
                let (p, q) = (direction.cross(edge2), offset.cross(edge1));
                let scale = 1.0 / edge1.dot(p);
                let [second, third] = [offset.dot(p) * scale, direction.dot(q) * scale];
                let is_inside = second.min(third) >= -OVERLAP && second + third <= 1.0 + OVERLAP;
                is_inside.then(|| (edge2.dot(q) * scale, number as u32))
            });
            let nearest = each.filter(|(distance, _)| *distance > 0.0).min_by(|a, b| a.0.total_cmp(&b.0));
            let found = bvh.closest_hit(from, direction, 9.0);
            assert_eq!(found.map(|found| found.triangle), nearest.map(|(_, number)| number));
            let distances = found.zip(nearest).map(|(found, nearest)| (found.distance - nearest.0).abs());
            assert!(distances.is_none_or(|error| error < 1e-5));
        }
    }

    #[test]
    fn strange_triangles_do_no_harm() {
        let broken = [Vec3::splat(f32::NAN), Vec3::ZERO, Vec3::X];
        let flat = [Vec3::ZERO; 3];
        assert_eq!(Bvh::new([(0, broken)].into_iter()).closest_hit(Vec3::Z, -Vec3::Z, 9.0), None);
        let many = Bvh::new((0..).zip(std::iter::repeat_n(flat, 10_000)));
        assert_eq!(many.closest_hit(Vec3::Z, -Vec3::Z, 9.0), None);
        assert_eq!(Bvh::new(std::iter::empty()).closest_hit(Vec3::Z, -Vec3::Z, 9.0), None);
    }
}
