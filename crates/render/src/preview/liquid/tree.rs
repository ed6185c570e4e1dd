//! Finds the first triangle that a ray meets, by a tree of boxes.
//!
//! The tree is built from the top: triangles are split where the expected work of a ray is least, estimated from the
//! surface areas of the boxes on both sides [wald2007]. Every node knows its place beforehand, so that both halves can be
//! built at the same time and come out the same for any number of threads.

use glam::{Vec3, Vec3A};

/// Triangles below which a node is not split any more.
const LEAF: usize = 4;
/// Places along an axis where a split is tried.
const BINS: usize = 12;
/// From this depth on nodes are split in the middle of their triangles, so that no tree is deeper than the stack below.
const EVEN_FROM: usize = 36;
const STACK: usize = 64;
/// Halves smaller than this are built one after the other.
const TOGETHER: usize = 4096;

/// A box.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bounds {
    low: Vec3A,
    high: Vec3A,
}

impl Bounds {
    const EMPTY: Bounds = Bounds { low: Vec3A::INFINITY, high: Vec3A::NEG_INFINITY };

    fn with(self, other: Bounds) -> Bounds {
        Bounds { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    fn area(self) -> f32 {
        let size = (self.high - self.low).max(Vec3A::ZERO);
        size.x * size.y + size.y * size.z + size.z * size.x
    }
}

/// A triangle that is being sorted into the tree.
#[derive(Debug, Clone, Copy)]
struct Item {
    bounds: Bounds,
    middle: Vec3A,
    triangle: u32,
}

/// A box with two children, the first of which follows it, or with some triangles.
#[derive(Debug, Clone, Copy)]
struct Node {
    low: [f32; 3],
    /// The second child, or the first triangle.
    link: u32,
    high: [f32; 3],
    /// Triangles; 0 for a node with children.
    count: u32,
}

impl Node {
    const UNUSED: Node = Node { low: [0.0; 3], link: 0, high: [0.0; 3], count: 0 };
}

/// A triangle as a ray wants it: a corner and two edges.
#[derive(Debug, Clone, Copy)]
struct Facet {
    corner: Vec3,
    edges: [Vec3; 2],
    triangle: u32,
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
    nodes: Vec<Node>,
    facets: Vec<Facet>,
}

impl Tree {
    /// The tree of some triangles, numbered in their order; those that are no numbers are left out.
    pub fn new(triangles: impl Iterator<Item = [Vec3; 3]>) -> Tree {
        let corners: Vec<[Vec3; 3]> = triangles.collect();
        let mut items: Vec<Item> = corners.iter().enumerate().filter_map(item).collect();
        let mut nodes = vec![Node::UNUSED; (2 * items.len()).max(1)];
        if !items.is_empty() {
            build(&mut nodes, 0, &mut items, 0, 0);
        }
        let facet = |item: &Item| {
            let [a, b, c] = corners[item.triangle as usize];
            Facet { corner: a, edges: [b - a, c - a], triangle: item.triangle }
        };
        Tree { nodes, facets: items.iter().map(facet).collect() }
    }

    /// The first triangle along a ray, nearer than `limit`.
    pub fn first(&self, from: Vec3, direction: Vec3, limit: f32) -> Option<Meeting> {
        let ray = Ray::new(from, direction);
        let mut found = Meeting { distance: limit, triangle: u32::MAX, shares: [0.0; 2] };
        let mut stack = [0u32; STACK];
        let mut depth = 0;
        let mut at = 0u32;
        if self.facets.is_empty() || ray.enters(&self.nodes[0], limit).is_none() {
            return None;
        }
        loop {
            let node = &self.nodes[at as usize];
            if node.count > 0 {
                for facet in &self.facets[node.link as usize..(node.link + node.count) as usize] {
                    facet.offer(&ray, &mut found);
                }
            } else {
                let children = [at + 1, node.link];
                let enters =
                    children.map(|child| ray.enters(&self.nodes[child as usize], found.distance));
                match enters {
                    [Some(one), Some(other)] => {
                        let nearer = usize::from(other < one);
                        stack[depth] = children[1 - nearer];
                        depth += 1;
                        at = children[nearer];
                        continue;
                    }
                    [Some(_), None] => {
                        at = children[0];
                        continue;
                    }
                    [None, Some(_)] => {
                        at = children[1];
                        continue;
                    }
                    [None, None] => {}
                }
            }
            if depth == 0 {
                return (found.triangle != u32::MAX).then_some(found);
            }
            depth -= 1;
            at = stack[depth];
        }
    }
}

fn item((triangle, corners): (usize, &[Vec3; 3])) -> Option<Item> {
    let [a, b, c] = corners.map(Vec3A::from);
    let bounds = Bounds { low: a.min(b).min(c), high: a.max(b).max(c) };
    let middle = 0.5 * (bounds.low + bounds.high);
    let is_sound = a.is_finite() && b.is_finite() && c.is_finite();
    is_sound.then_some(Item { bounds, middle, triangle: triangle as u32 })
}

// Builds the node at the start of `nodes`, which is number `own`, over items that begin at number `first`. A node over n
// items and all below it have room in 2 n − 1 places: the first child takes those that follow, the second the rest.
fn build(nodes: &mut [Node], own: u32, items: &mut [Item], first: u32, depth: usize) {
    let bounds = items.iter().fold(Bounds::EMPTY, |bounds, item| bounds.with(item.bounds));
    nodes[0] = Node { low: bounds.low.to_array(), link: first, high: bounds.high.to_array(), count: 0 };
    if items.len() <= LEAF {
        nodes[0].count = items.len() as u32;
        return;
    }
    let split = if depth < EVEN_FROM { best_split(items) } else { None };
    let half = split.unwrap_or_else(|| even_split(items, bounds));
    let count = items.len();
    let (low, high) = items.split_at_mut(half);
    let second = own + 2 * half as u32;
    nodes[0].link = second;
    let (left, right) = nodes[1..].split_at_mut(2 * half - 1);
    let mut build_left = || build(left, own + 1, low, first, depth + 1);
    let mut build_right = || build(right, second, high, first + half as u32, depth + 1);
    if count < TOGETHER {
        build_left();
        build_right();
    } else {
        rayon::join(build_left, build_right);
    }
}

// Splits where the boxes of both sides promise the least work; gives the number of items before the split.
fn best_split(items: &mut [Item]) -> Option<usize> {
    let middles = items.iter().fold(Bounds::EMPTY, |bounds, item| {
        bounds.with(Bounds { low: item.middle, high: item.middle })
    });
    let size = middles.high - middles.low;
    let axis = longest(size);
    if size[axis] <= 0.0 {
        return None;
    }
    let (start, scale) = (middles.low[axis], BINS as f32 * 0.9999 / size[axis]);
    let bin = |item: &Item| (((item.middle[axis] - start) * scale) as usize).min(BINS - 1);
    let mut bins = [(Bounds::EMPTY, 0usize); BINS];
    for item in items.iter() {
        let (bounds, count) = &mut bins[bin(item)];
        *bounds = bounds.with(item.bounds);
        *count += 1;
    }
    let mut above = [0.0; BINS];
    let mut sum = (Bounds::EMPTY, 0);
    for index in (1..BINS).rev() {
        sum = (sum.0.with(bins[index].0), sum.1 + bins[index].1);
        above[index] = sum.0.area() * sum.1 as f32;
    }
    let mut sum = (Bounds::EMPTY, 0);
    let mut best = (f32::INFINITY, 0);
    for index in 1..BINS {
        sum = (sum.0.with(bins[index - 1].0), sum.1 + bins[index - 1].1);
        let cost = sum.0.area() * sum.1 as f32 + above[index];
        if sum.1 > 0 && sum.1 < items.len() && cost < best.0 {
            best = (cost, index);
        }
    }
    (best.1 > 0).then(|| partition(items, |item| bin(item) < best.1))
}

fn even_split(items: &mut [Item], bounds: Bounds) -> usize {
    let (half, axis) = (items.len() / 2, longest(bounds.high - bounds.low));
    let key = |item: &Item| item.middle[axis];
    items.select_nth_unstable_by(half, |a, b| key(a).total_cmp(&key(b)).then(a.triangle.cmp(&b.triangle)));
    half
}

fn longest(size: Vec3A) -> usize {
    (0..3).fold(0, |best, axis| if size[axis] > size[best] { axis } else { best })
}

fn partition(items: &mut [Item], is_low: impl Fn(&Item) -> bool) -> usize {
    let mut end = 0;
    for index in 0..items.len() {
        if is_low(&items[index]) {
            items.swap(index, end);
            end += 1;
        }
    }
    end
}

struct Ray {
    from: Vec3,
    direction: Vec3,
    start: Vec3A,
    inverse: Vec3A,
}

impl Ray {
    fn new(from: Vec3, direction: Vec3) -> Ray {
        // No component is nothing, so that no product below is undefined.
        let safe = |along: f32| if along.abs() < 1e-12 { 1e-12f32.copysign(along) } else { along };
        let inverse = Vec3A::new(safe(direction.x), safe(direction.y), safe(direction.z)).recip();
        Ray { from, direction, start: from.into(), inverse }
    }

    // Where the ray enters a box, if it does so before `limit`.
    #[inline]
    fn enters(&self, node: &Node, limit: f32) -> Option<f32> {
        let one = (Vec3A::from_array(node.low) - self.start) * self.inverse;
        let other = (Vec3A::from_array(node.high) - self.start) * self.inverse;
        let enters = one.min(other).max_element().max(0.0);
        // The last bits of a flat box must not hide it.
        let leaves = one.max(other).min_element() * 1.000_001;
        (enters <= leaves && enters < limit).then_some(enters)
    }
}

impl Facet {
    #[inline]
    fn offer(&self, ray: &Ray, found: &mut Meeting) {
        let [along, up] = self.edges;
        let across = ray.direction.cross(up);
        let volume = along.dot(across);
        let inverse = 1.0 / volume;
        let from = ray.from - self.corner;
        let second = from.dot(across) * inverse;
        let turned = from.cross(along);
        let third = ray.direction.dot(turned) * inverse;
        let distance = up.dot(turned) * inverse;
        let is_inside = second >= 0.0 && third >= 0.0 && second + third <= 1.0;
        if is_inside && distance > 0.0 && distance < found.distance {
            *found = Meeting { distance, triangle: self.triangle, shares: [second, third] };
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
        let tree = Tree::new(triangles.iter().copied());
        for index in 0..400 {
            let from = Vec3::new(unit(index, 5, 9), unit(index, 6, 9), -1.0);
            let towards = Vec3::new(unit(index, 7, 9), unit(index, 8, 9), 1.0);
            let direction = (towards - from).normalize();
            let ray = Ray::new(from, direction);
            let mut nearest = Meeting { distance: 9.0, triangle: u32::MAX, shares: [0.0; 2] };
            for (triangle, &[a, b, c]) in triangles.iter().enumerate() {
                let facet = Facet { corner: a, edges: [b - a, c - a], triangle: triangle as u32 };
                facet.offer(&ray, &mut nearest);
            }
            let expected = (nearest.triangle != u32::MAX).then_some(nearest);
            assert_eq!(tree.first(from, direction, 9.0), expected);
        }
    }

    #[test]
    fn strange_triangles_do_no_harm() {
        let broken = [Vec3::splat(f32::NAN), Vec3::ZERO, Vec3::X];
        let flat = [Vec3::ZERO; 3];
        assert_eq!(Tree::new([broken].into_iter()).first(Vec3::Z, -Vec3::Z, 9.0), None);
        let many = Tree::new(std::iter::repeat_n(flat, 10_000));
        assert_eq!(many.first(Vec3::Z, -Vec3::Z, 9.0), None);
        assert_eq!(Tree::new(std::iter::empty()).first(Vec3::Z, -Vec3::Z, 9.0), None);
    }
}
