//! Triangles sorted into a tree of boxes, halved again and again.
//!
//! Triangles are split where the expected work of a ray is least, estimated from the surface areas of the boxes on both
//! sides [wald2007]. Every node knows its place beforehand, so that both halves can be built at the same time and come
//! out the same for any number of threads.

use glam::{Vec3, Vec3A};

/// Triangles up to which a node is not split any more.
pub const LEAF: usize = 4;
/// Places along an axis where a split is tried.
const BINS: usize = 12;
/// From this depth on nodes are split in the middle of their triangles, so that no tree is deeper than about 60.
const EVEN_FROM: usize = 36;
/// Halves smaller than this are built one after the other.
const TOGETHER: usize = 4096;

/// A box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Lowest corner.
    pub low: Vec3A,
    /// Highest corner.
    pub high: Vec3A,
}

impl Bounds {
    const EMPTY: Bounds = Bounds { low: Vec3A::INFINITY, high: Vec3A::NEG_INFINITY };

    fn with(self, other: Bounds) -> Bounds {
        Bounds { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Half its surface.
    pub fn area(self) -> f32 {
        let size = (self.high - self.low).max(Vec3A::ZERO);
        size.x * size.y + size.y * size.z + size.z * size.x
    }
}

/// A triangle that is being sorted into the tree.
#[derive(Debug, Clone, Copy)]
pub struct Item {
    bounds: Bounds,
    middle: Vec3A,
    /// Its place in the list.
    pub triangle: u32,
}

/// A box with two children, the first of which follows it, or with some triangles.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    /// Its box.
    pub bounds: Bounds,
    /// The second child, or the first item.
    pub link: u32,
    /// Items; 0 for a node with children.
    pub count: u32,
}

impl Node {
    const UNUSED: Node = Node { bounds: Bounds::EMPTY, link: 0, count: 0 };
}

/// The tree of some triangles with their numbers, as its nodes and the items in their order; those triangles that are no
/// numbers are left out.
pub fn halved(triangles: &[(u32, [Vec3; 3])]) -> (Vec<Node>, Vec<Item>) {
    let mut items: Vec<Item> = triangles.iter().enumerate().filter_map(item).collect();
    let mut nodes = vec![Node::UNUSED; 2 * items.len()];
    if !items.is_empty() {
        build(&mut nodes, 0, &mut items, 0, 0);
    }
    (nodes, items)
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
