//! BVH construction by the surface area heuristic (SAH).
//!
//! The cost of a split is Σ area · count of both sides [wald2007]: triangles are counted in bins along the longest
//! axis of their centroids, and the best plane between two bins is taken. Bounds of the halves come from the bins,
//! bounds of their centroids from the partition, so that a triangle is visited twice per split.

use glam::{Vec3, Vec4};
use rayon::prelude::*;

/// Most triangles of a leaf.
pub const LEAF: usize = 4;
/// Most bins along an axis.
const BINS: usize = 12;
/// From this depth on ranges are split at the median, so that no hierarchy is deeper than about 60.
const MEDIAN_FROM: usize = 36;

/// An axis-aligned box. The fourth component of its corners has no meaning.
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

    /// Half of its surface area.
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

/// A triangle being sorted: its bounds, with the bits of its index in the fourth component of the lowest corner, so
/// that it fits into half a cache line.
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

    /// Index of the triangle in its list.
    pub fn number(&self) -> u32 {
        self.bounds.low.w.to_bits()
    }

    // Twice the centroid of its bounds.
    #[inline]
    fn doubled_centroid(&self) -> Vec4 {
        self.bounds.low + self.bounds.high
    }
}

/// The build primitives of some triangles; those with coordinates that are not finite are left out.
pub fn primitives(triangles: &[(u32, [Vec3; 3])]) -> Vec<BuildPrimitive> {
    triangles
        .par_iter()
        .enumerate()
        .filter_map(|(index, (_, corners))| BuildPrimitive::new(index, corners))
        .collect()
}

/// A range of triangles below one node.
pub struct BuildRange<'a> {
    /// The triangles.
    pub primitives: &'a mut [BuildPrimitive],
    /// Their bounds.
    pub bounds: Bounds,
    /// Bounds of their doubled centroids.
    centroids: Bounds,
    /// Depth below the root.
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
        // Minima and maxima are the same in any order.
        let both = |[a, b]: [Bounds; 2], [c, d]: [Bounds; 2]| [a.union(c), b.union(d)];
        let [bounds, centroids] = primitives.par_chunks(8192).map(boxes).reduce(|| [Bounds::EMPTY; 2], both);
        BuildRange { primitives, bounds, centroids, depth: 0 }
    }

    /// Whether it fits into a leaf.
    pub fn is_leaf(&self) -> bool {
        self.primitives.len() <= LEAF
    }

    /// Splits a range that is too large for a leaf.
    pub fn split(self) -> [BuildRange<'a>; 2] {
        match if self.depth < MEDIAN_FROM { self.best_sah_split() } else { None } {
            Some(split) => self.partition(&split),
            None => self.median_split(),
        }
    }

    // The plane between bins of the least SAH cost.
    fn best_sah_split(&self) -> Option<BinSplit> {
        let axis = self.centroids.longest_axis();
        let size = self.centroids.high[axis] - self.centroids.low[axis];
        // Few triangles need few bins.
        let bins = (3 + self.primitives.len() / 4).min(BINS);
        let split =
            BinSplit { axis, start: self.centroids.low[axis], scale: bins as f32 * 0.9999 / size, bin: 0 };
        if size <= 0.0 || !split.scale.is_finite() {
            return None;
        }
        // Bounds and counts of the bins.
        let mut bin_counts = [(Bounds::EMPTY, 0_u32); BINS];
        for primitive in self.primitives.iter() {
            let (bounds, count) = &mut bin_counts[split.bin_of(primitive).min(BINS - 1)];
            *bounds = bounds.union(primitive.bounds);
            *count += 1;
        }
        // Cost of everything above each plane, then the least sum with everything below it.
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

    // Partitions the primitives by a plane that leaves neither side empty.
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

/// A plane between two bins along an axis.
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
