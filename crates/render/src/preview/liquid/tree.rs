//! Finds the first triangle that a ray meets, by a tree of boxes.
//!
//! The tree is built from the top: triangles are split where the expected work of a ray is least, estimated from the
//! surface areas of the boxes on both sides [wald2007]. Every node knows its place beforehand, so that both halves can be
//! built at the same time and come out the same for any number of threads.

use glam::{Vec3, Vec3A, Vec4};

/// Triangles below which a node is not split any more.
const LEAF: usize = 4;
/// Places along an axis where a split is tried.
const BINS: usize = 12;
/// From this depth on nodes are split in the middle of their triangles, so that no tree is deeper than the stack below.
const EVEN_FROM: usize = 36;
const STACK: usize = 256;
/// Halves smaller than this are built one after the other.
const TOGETHER: usize = 4096;

/// Triangles are wider than they are by this share, so that no ray slips through between two of them.
const OVERLAP: f32 = 2e-5;

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
    bounds: Bounds,
    /// The second child, or the first triangle.
    link: u32,
    /// Triangles; 0 for a node with children.
    count: u32,
}

impl Node {
    const UNUSED: Node = Node { bounds: Bounds::EMPTY, link: 0, count: 0 };
}

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
    triangles: [u32; 4],
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
        let triangles: Vec<(u32, [Vec3; 3])> = triangles.collect();
        let mut items: Vec<Item> = triangles.iter().enumerate().filter_map(item).collect();
        let mut nodes = vec![Node::UNUSED; (2 * items.len()).max(1)];
        let mut tree = Tree { boxes: Vec::new(), facets: Vec::new() };
        if !items.is_empty() {
            build(&mut nodes, 0, &mut items, 0, 0);
            let packed = Packed { nodes: &nodes, items: &items, triangles: &triangles };
            packed.widen(0, &mut tree);
        }
        tree
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
    items: &'a [Item],
    triangles: &'a [(u32, [Vec3; 3])],
}

impl Packed<'_> {
    // The boxes below a node, the widest of them opened until there are four.
    fn below(&self, node: usize) -> Vec<usize> {
        let mut open = vec![node];
        while open.len() < 4 {
            let area = |place: &usize| self.nodes[open[*place]].bounds.area();
            let inner = (0..open.len()).filter(|&place| self.nodes[open[place]].count == 0);
            let Some(widest) = inner.max_by(|a, b| area(a).total_cmp(&area(b))) else { break };
            let node = open.remove(widest);
            open.extend([node + 1, self.nodes[node].link as usize]);
        }
        open
    }

    fn widen(&self, node: usize, tree: &mut Tree) -> u32 {
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
                Link::Boxes(self.widen(child, tree))
            };
            let wide = &mut tree.boxes[own];
            wide.links[place] = target;
            for axis in 0..3 {
                wide.low[axis][place] = bounds.low[axis];
                wide.high[axis][place] = bounds.high[axis];
            }
        }
        own as u32
    }

    fn facets(&self, first: usize, count: usize) -> Facets {
        let none = [Vec4::ZERO; 3];
        let mut facets = Facets { corner: none, along: none, up: none, triangles: [u32::MAX; 4] };
        for (place, item) in self.items[first..first + count].iter().enumerate() {
            let (number, [a, b, c]) = self.triangles[item.triangle as usize];
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

fn item((triangle, (_, corners)): (usize, &(u32, [Vec3; 3]))) -> Option<Item> {
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
    nodes[0] = Node { bounds, link: first, count: 0 };
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
    let middles = items
        .iter()
        .fold(Bounds::EMPTY, |bounds, item| bounds.with(Bounds { low: item.middle, high: item.middle }));
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
        let tree = Tree::new((0..).zip(triangles.iter().copied()));
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
    }
}
