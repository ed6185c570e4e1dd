//! Finds the first triangle that a ray meets, by a tree of boxes.
//!
//! A node holds four boxes, a leaf up to four triangles, each side by side: one look tests all four.

use glam::{Vec3, Vec4};

use super::clusters::clustered;
use super::halving::{LEAF, Node, halved};

/// Boxes that wait to be looked at: three for every level of the deepest tree.
const STACK: usize = 256;

/// Triangles are wider than they are by this share, so that no ray slips through between two of them.
const OVERLAP: f32 = 2e-5;

/// Four boxes side by side, so that one look tests them all.
#[derive(Debug, Clone, Copy)]
struct Wide {
    low: [Vec4; 3],
    high: [Vec4; 3],
    links: [Link; 4],
}

/// What is in a box.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Link {
    Nothing,
    Boxes(u32),
    Triangles(u32),
}

/// Four triangles side by side, as a ray wants them: a corner and two edges of each.
#[derive(Debug, Clone, Copy)]
struct Facets {
    corner: [Vec4; 3],
    along: [Vec4; 3],
    up: [Vec4; 3],
    triangles: [u32; LEAF],
}

/// Where a ray meets a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meeting {
    /// Distance along the ray.
    pub distance: f32,
    /// The triangle.
    pub triangle: u32,
    /// Shares of its second and third corner.
    pub shares: [f32; 2],
}

/// Triangles that rays can meet.
#[derive(Debug)]
pub struct Tree {
    boxes: Vec<Wide>,
    facets: Vec<Facets>,
}

impl Tree {
    /// The tree of some triangles with their numbers; those that are no numbers are left out.
    pub fn new(triangles: impl Iterator<Item = (u32, [Vec3; 3])>) -> Tree {
        Tree::halved(&triangles.collect::<Vec<_>>())
    }

    /// The same, built a few times faster from neighbours upwards [meister2018]; rays find their way through it a little
    /// more slowly.
    pub fn quick(triangles: &[(u32, [Vec3; 3])]) -> Tree {
        let (nodes, order) = clustered(triangles);
        let packed = Packed { nodes: &nodes, order: &order, triangles, are_pairs: true };
        // Clusters of triangles in one place can become a chain, which is too deep to be walked.
        packed.tree().unwrap_or_else(|| Tree::halved(triangles))
    }

    fn halved(triangles: &[(u32, [Vec3; 3])]) -> Tree {
        let (nodes, items) = halved(triangles);
        let order: Vec<u32> = items.iter().map(|item| item.triangle).collect();
        let packed = Packed { nodes: &nodes, order: &order, triangles, are_pairs: false };
        packed.tree().unwrap_or(Tree { boxes: Vec::new(), facets: Vec::new() })
    }

    /// The first triangle along a ray, nearer than `limit`.
    pub fn first(&self, from: Vec3, direction: Vec3, limit: f32) -> Option<Meeting> {
        let ray = Ray::new(from, direction);
        let mut found = Meeting { distance: limit, triangle: u32::MAX, shares: [0.0; 2] };
        let mut stack = [(0.0f32, Link::Nothing); STACK];
        let mut depth = usize::from(!self.boxes.is_empty());
        stack[0] = (0.0, Link::Boxes(0));
        while depth > 0 {
            depth -= 1;
            let (enters, link) = stack[depth];
            if enters >= found.distance {
                continue;
            }
            match link {
                Link::Nothing => {}
                Link::Triangles(first) => self.facets[first as usize].offer(&ray, &mut found),
                Link::Boxes(at) => {
                    let wide = &self.boxes[at as usize];
                    let (enters, leaves) = ray.enters(wide);
                    let start = depth;
                    for child in 0..4 {
                        let is_met = enters[child] <= leaves[child] && enters[child] < found.distance;
                        if is_met && wide.links[child] != Link::Nothing {
                            // The nearest comes last, to be taken first.
                            let mut place = depth;
                            while place > start && stack[place - 1].0 < enters[child] {
                                stack[place] = stack[place - 1];
                                place -= 1;
                            }
                            stack[place] = (enters[child], wide.links[child]);
                            depth += 1;
                        }
                    }
                }
            }
        }
        (found.triangle != u32::MAX).then_some(found)
    }
}

/// A tree of pairs that is made into one of fours.
struct Packed<'a> {
    nodes: &'a [Node],
    order: &'a [u32],
    triangles: &'a [(u32, [Vec3; 3])],
    /// Whether both children of a node lie side by side; else the first follows the node itself.
    are_pairs: bool,
}

/// Levels of boxes up to which no ray runs out of room for boxes that wait.
const DEEPEST: usize = (STACK - 1) / 3;

impl Packed<'_> {
    fn tree(&self) -> Option<Tree> {
        let mut tree = Tree { boxes: Vec::new(), facets: Vec::new() };
        if !self.order.is_empty() {
            tree.boxes.reserve(self.nodes.len() / 4);
            tree.facets.reserve(self.order.len() / 2);
            self.widen(0, 0, &mut tree)?;
        }
        Some(tree)
    }

    // The boxes below a node, the widest of them opened until there are four.
    fn below(&self, node: usize) -> Vec<usize> {
        let mut open = vec![node];
        while open.len() < 4 {
            let area = |place: &usize| self.nodes[open[*place]].bounds.area();
            let inner = (0..open.len()).filter(|&place| self.nodes[open[place]].count == 0);
            let Some(widest) = inner.max_by(|a, b| area(a).total_cmp(&area(b))) else { break };
            let node = open.remove(widest);
            let link = self.nodes[node].link as usize;
            open.extend(if self.are_pairs { [link, link + 1] } else { [node + 1, link] });
        }
        open
    }

    fn widen(&self, node: usize, depth: usize, tree: &mut Tree) -> Option<u32> {
        if depth >= DEEPEST {
            return None;
        }
        let own = tree.boxes.len();
        let nothing =
            Wide { low: [Vec4::INFINITY; 3], high: [Vec4::NEG_INFINITY; 3], links: [Link::Nothing; 4] };
        tree.boxes.push(nothing);
        for (place, child) in self.below(node).into_iter().enumerate() {
            let Node { bounds, count, link } = self.nodes[child];
            let target = if count > 0 {
                tree.facets.push(self.facets(link as usize, count as usize));
                Link::Triangles(tree.facets.len() as u32 - 1)
            } else {
                Link::Boxes(self.widen(child, depth + 1, tree)?)
            };
            let wide = &mut tree.boxes[own];
            wide.links[place] = target;
            for axis in 0..3 {
                wide.low[axis][place] = bounds.low[axis];
                wide.high[axis][place] = bounds.high[axis];
            }
        }
        Some(own as u32)
    }

    fn facets(&self, first: usize, count: usize) -> Facets {
        let none = [Vec4::ZERO; 3];
        let mut facets = Facets { corner: none, along: none, up: none, triangles: [u32::MAX; LEAF] };
        for (place, &triangle) in self.order[first..first + count].iter().enumerate() {
            let (number, [a, b, c]) = self.triangles[triangle as usize];
            facets.triangles[place] = number;
            for axis in 0..3 {
                facets.corner[axis][place] = a[axis];
                facets.along[axis][place] = (b - a)[axis];
                facets.up[axis][place] = (c - a)[axis];
            }
        }
        facets
    }
}

struct Ray {
    from: [Vec4; 3],
    direction: [Vec4; 3],
    inverse: [Vec4; 3],
}

impl Ray {
    fn new(from: Vec3, direction: Vec3) -> Ray {
        // No component is nothing, so that no product below is undefined.
        let safe = |along: f32| if along.abs() < 1e-12 { 1e-12f32.copysign(along) } else { along };
        Ray {
            from: from.to_array().map(Vec4::splat),
            direction: direction.to_array().map(Vec4::splat),
            inverse: direction.to_array().map(|along| Vec4::splat(1.0 / safe(along))),
        }
    }

    // Where the ray enters and leaves four boxes.
    #[inline]
    fn enters(&self, wide: &Wide) -> ([f32; 4], [f32; 4]) {
        let (mut enters, mut leaves) = (Vec4::ZERO, Vec4::INFINITY);
        for axis in 0..3 {
            let one = (wide.low[axis] - self.from[axis]) * self.inverse[axis];
            let other = (wide.high[axis] - self.from[axis]) * self.inverse[axis];
            enters = enters.max(one.min(other));
            leaves = leaves.min(one.max(other));
        }
        // The last bits of a flat box must not hide it.
        (enters.to_array(), (leaves * 1.000_001).to_array())
    }
}

fn cross(a: &[Vec4; 3], b: &[Vec4; 3]) -> [Vec4; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: &[Vec4; 3], b: &[Vec4; 3]) -> Vec4 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl Facets {
    // Meets all four by Cramer's rule [moller1997].
    #[inline]
    fn offer(&self, ray: &Ray, found: &mut Meeting) {
        let across = cross(&ray.direction, &self.up);
        let inverse = dot(&self.along, &across).recip();
        let from = [0, 1, 2].map(|axis| ray.from[axis] - self.corner[axis]);
        let second = dot(&from, &across) * inverse;
        let turned = cross(&from, &self.along);
        let third = dot(&ray.direction, &turned) * inverse;
        let distance = dot(&self.up, &turned) * inverse;
        let low = Vec4::splat(-OVERLAP);
        let inside =
            second.cmpge(low) & third.cmpge(low) & (second + third).cmple(Vec4::splat(1.0 + OVERLAP));
        let ahead = distance.cmpgt(Vec4::ZERO) & distance.cmplt(Vec4::splat(found.distance));
        let met = (inside & ahead).bitmask();
        if met == 0 {
            return;
        }
        for place in (0..4).filter(|place| met >> place & 1 == 1) {
            if distance[place] < found.distance && self.triangles[place] != u32::MAX {
                *found = Meeting {
                    distance: distance[place],
                    triangle: self.triangles[place],
                    shares: [second[place], third[place]],
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
        let place = |index: i32, seed: u32| {
            Vec3::new(unit(index, 0, seed), unit(index, 1, seed), unit(index, 2, seed))
        };
        let triangle = |index: i32| {
            let middle = place(index, 1);
            [2, 3, 4].map(|seed| middle + 0.1 * (place(index, seed) - 0.5))
        };
        (0..count).map(triangle).collect()
    }

    #[test]
    fn the_tree_finds_what_a_search_of_all_finds() {
        let triangles = scattered(3000);
        let numbered: Vec<(u32, [Vec3; 3])> = (0..).zip(triangles.iter().copied()).collect();
        for tree in [Tree::new(numbered.iter().copied()), Tree::quick(&numbered)] {
            agrees_with_all(&tree, &triangles);
        }
    }

    fn agrees_with_all(tree: &Tree, triangles: &[[Vec3; 3]]) {
        for index in 0..400 {
            let from = Vec3::new(unit(index, 5, 9), unit(index, 6, 9), -1.0);
            let towards = Vec3::new(unit(index, 7, 9), unit(index, 8, 9), 1.0);
            let direction = (towards - from).normalize();
            let each = triangles.iter().enumerate().filter_map(|(number, &[a, b, c])| {
                let (along, up, offset) = (b - a, c - a, from - a);
                let (across, turned) = (direction.cross(up), offset.cross(along));
                let scale = 1.0 / along.dot(across);
                let [second, third] = [offset.dot(across) * scale, direction.dot(turned) * scale];
                let is_inside = second.min(third) >= -OVERLAP && second + third <= 1.0 + OVERLAP;
                is_inside.then(|| (up.dot(turned) * scale, number as u32))
            });
            let nearest = each.filter(|(distance, _)| *distance > 0.0).min_by(|a, b| a.0.total_cmp(&b.0));
            let found = tree.first(from, direction, 9.0);
            assert_eq!(found.map(|found| found.triangle), nearest.map(|(_, number)| number));
            let distances = found.zip(nearest).map(|(found, nearest)| (found.distance - nearest.0).abs());
            assert!(distances.is_none_or(|error| error < 1e-5));
        }
    }

    #[test]
    fn strange_triangles_do_no_harm() {
        let broken = [Vec3::splat(f32::NAN), Vec3::ZERO, Vec3::X];
        let flat = [Vec3::ZERO; 3];
        assert_eq!(Tree::new([(0, broken)].into_iter()).first(Vec3::Z, -Vec3::Z, 9.0), None);
        let many = Tree::new((0..).zip(std::iter::repeat_n(flat, 10_000)));
        assert_eq!(many.first(Vec3::Z, -Vec3::Z, 9.0), None);
        assert_eq!(Tree::new(std::iter::empty()).first(Vec3::Z, -Vec3::Z, 9.0), None);
        let numbered: Vec<(u32, [Vec3; 3])> = (0..).zip(std::iter::repeat_n(flat, 10_000)).collect();
        assert_eq!(Tree::quick(&numbered).first(Vec3::Z, -Vec3::Z, 9.0), None);
        for few in [vec![], vec![(0, broken)], vec![(0, flat)]] {
            assert_eq!(Tree::quick(&few).first(Vec3::Z, -Vec3::Z, 9.0), None);
        }
    }
}
