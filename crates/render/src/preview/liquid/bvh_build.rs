//! Triangles halved again and again, where the expected work of a ray is least.
//!
//! That work is estimated from the surface areas of the boxes on both sides [wald2007]: triangles are counted in bins along
//! the longest side, and the best border between two bins is taken. The boxes of both halves are known from the bins, and
//! those of their triangles' middles from the pass that sorts them, so that a triangle is touched twice per halving.

use glam::{Vec3, Vec4};
use rayon::prelude::*;

/// Triangles up to which a part is not split any more.
pub const LEAF: usize = 4;
/// Places along an axis where a split is tried, at most.
const BINS: usize = 12;
/// From this depth on parts are split in the middle of their triangles, so that no tree is deeper than about 60.
const MEDIAN_FROM: usize = 36;

/// A box. What is in the fourth place of its corners means nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Lowest corner.
    pub low: Vec4,
    /// Highest corner.
    pub high: Vec4,
}

impl Bounds {
    const EMPTY: Bounds = Bounds { low: Vec4::INFINITY, high: Vec4::NEG_INFINITY };

    #[inline]
    fn union(self, other: Bounds) -> Bounds {
        Bounds { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    #[inline]
    fn union_point(self, point: Vec4) -> Bounds {
        Bounds { low: self.low.min(point), high: self.high.max(point) }
    }

    /// Half its surface.
    #[inline]
    pub fn half_area(self) -> f32 {
        let size = (self.high - self.low).max(Vec4::ZERO);
        size.x * size.y + size.y * size.z + size.z * size.x
    }

    fn longest_axis(self) -> usize {
        let size = self.high - self.low;
        (0..3).fold(0, |best, axis| if size[axis] > size[best] { axis } else { best })
    }
}

/// A triangle that is being sorted: its box, with the bits of its number in the fourth place of the lowest corner. So it
/// fits into half a line of the cache.
#[derive(Debug, Clone, Copy)]
pub struct BuildPrimitive {
    bounds: Bounds,
}

impl BuildPrimitive {
    fn new(number: usize, corners: &[Vec3; 3]) -> Option<BuildPrimitive> {
        let [a, b, c] = corners;
        let is_sound = a.is_finite() && b.is_finite() && c.is_finite();
        let low = a.min(*b).min(*c).extend(f32::from_bits(number as u32));
        let high = a.max(*b).max(*c).extend(0.0);
        is_sound.then_some(BuildPrimitive { bounds: Bounds { low, high } })
    }

    /// The place of the triangle in its list.
    pub fn number(&self) -> u32 {
        self.bounds.low.w.to_bits()
    }

    // Twice its middle.
    #[inline]
    fn doubled_centroid(&self) -> Vec4 {
        self.bounds.low + self.bounds.high
    }
}

/// The items of some triangles; those that are no numbers are left out.
pub fn primitives(triangles: &[(u32, [Vec3; 3])]) -> Vec<BuildPrimitive> {
    triangles
        .par_iter()
        .enumerate()
        .filter_map(|(place, (_, corners))| BuildPrimitive::new(place, corners))
        .collect()
}

/// Some triangles that belong together.
pub struct BuildRange<'a> {
    /// The triangles.
    pub primitives: &'a mut [BuildPrimitive],
    /// Their box.
    pub bounds: Bounds,
    /// The box of their middles, doubled.
    centroids: Bounds,
    /// How often the whole was halved to come here.
    depth: usize,
}

impl<'a> BuildRange<'a> {
    /// All triangles.
    pub fn all(primitives: &'a mut [BuildPrimitive]) -> Self {
        let boxes = |primitives: &[BuildPrimitive]| {
            primitives.iter().fold([Bounds::EMPTY; 2], |[bounds, centroids], primitive| {
                [bounds.union(primitive.bounds), centroids.union_point(primitive.doubled_centroid())]
            })
        };
        // The least of numbers is the same in any order.
        let both = |[a, b]: [Bounds; 2], [c, d]: [Bounds; 2]| [a.union(c), b.union(d)];
        let [bounds, centroids] = primitives.par_chunks(8192).map(boxes).reduce(|| [Bounds::EMPTY; 2], both);
        BuildRange { primitives, bounds, centroids, depth: 0 }
    }

    /// Whether it is too small to be halved.
    pub fn is_leaf(&self) -> bool {
        self.primitives.len() <= LEAF
    }

    /// Its two halves, for one that is no leaf.
    pub fn split(self) -> [BuildRange<'a>; 2] {
        match if self.depth < MEDIAN_FROM { self.best_sah_split() } else { None } {
            Some(split) => self.partition(&split),
            None => self.median_split(),
        }
    }

    // The border where the boxes of both sides promise the least work.
    fn best_sah_split(&self) -> Option<BinSplit> {
        let axis = self.centroids.longest_axis();
        let size = self.centroids.high[axis] - self.centroids.low[axis];
        // Few triangles do not need many bins.
        let bins = (3 + self.primitives.len() / 4).min(BINS);
        let split =
            BinSplit { axis, start: self.centroids.low[axis], scale: bins as f32 * 0.9999 / size, bin: 0 };
        if size <= 0.0 || !split.scale.is_finite() {
            return None;
        }
        let mut bin_counts = [(Bounds::EMPTY, 0_u32); BINS];
        for primitive in self.primitives.iter() {
            let (bounds, count) = &mut bin_counts[split.bin_of(primitive).min(BINS - 1)];
            *bounds = bounds.union(primitive.bounds);
            *count += 1;
        }
        let mut above = [(Bounds::EMPTY, 0.0); BINS];
        let (mut bounds, mut count) = (Bounds::EMPTY, 0);
        for bin in (1..bins).rev() {
            (bounds, count) = (bounds.union(bin_counts[bin].0), count + bin_counts[bin].1);
            above[bin] = (bounds, bounds.half_area() * count as f32);
        }
        let (mut bounds, mut count) = (Bounds::EMPTY, 0);
        let (mut least, mut best) = (f32::INFINITY, None);
        for bin in 1..bins {
            (bounds, count) = (bounds.union(bin_counts[bin - 1].0), count + bin_counts[bin - 1].1);
            let cost = bounds.half_area() * count as f32 + above[bin].1;
            if count > 0 && (count as usize) < self.primitives.len() && cost < least {
                (least, best) = (cost, Some(BinSplit { bin, ..split }));
            }
        }
        best
    }

    // Sorts the items to both sides of a border that leaves none of them empty.
    fn partition(self, split: &BinSplit) -> [BuildRange<'a>; 2] {
        let mut boxes = [[Bounds::EMPTY; 2]; 2];
        let mut note = |side: usize, primitive: &BuildPrimitive| {
            let [bounds, centroids] = boxes[side];
            boxes[side] =
                [bounds.union(primitive.bounds), centroids.union_point(primitive.doubled_centroid())];
        };
        let (mut end, mut last) = (0, self.primitives.len());
        while end < last {
            let primitive = self.primitives[end];
            if split.bin_of(&primitive) < split.bin {
                note(0, &primitive);
                end += 1;
            } else {
                note(1, &primitive);
                last -= 1;
                self.primitives.swap(end, last);
            }
        }
        let depth = self.depth + 1;
        let (low, high) = self.primitives.split_at_mut(end);
        let [one, other] = boxes;
        [(low, one), (high, other)].map(|(primitives, [bounds, centroids])| BuildRange {
            primitives,
            bounds,
            centroids,
            depth,
        })
    }

    fn median_split(self) -> [BuildRange<'a>; 2] {
        let (half, axis) = (self.primitives.len() / 2, self.bounds.longest_axis());
        let key = |primitive: &BuildPrimitive| primitive.doubled_centroid()[axis];
        self.primitives
            .select_nth_unstable_by(half, |a, b| key(a).total_cmp(&key(b)).then(a.number().cmp(&b.number())));
        let depth = self.depth + 1;
        let (low, high) = self.primitives.split_at_mut(half);
        [low, high].map(|primitives| BuildRange { depth, ..BuildRange::all(primitives) })
    }
}

/// A plane between two bins.
#[derive(Clone, Copy)]
struct BinSplit {
    axis: usize,
    start: f32,
    scale: f32,
    bin: usize,
}

impl BinSplit {
    #[inline]
    fn bin_of(&self, primitive: &BuildPrimitive) -> usize {
        ((primitive.doubled_centroid()[self.axis] - self.start) * self.scale) as usize
    }
}
