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
const EVEN_FROM: usize = 36;

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
    fn with(self, other: Bounds) -> Bounds {
        Bounds { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    #[inline]
    fn with_point(self, point: Vec4) -> Bounds {
        Bounds { low: self.low.min(point), high: self.high.max(point) }
    }

    /// Half its surface.
    #[inline]
    pub fn area(self) -> f32 {
        let size = (self.high - self.low).max(Vec4::ZERO);
        size.x * size.y + size.y * size.z + size.z * size.x
    }

    fn longest(self) -> usize {
        let size = self.high - self.low;
        (0..3).fold(0, |best, axis| if size[axis] > size[best] { axis } else { best })
    }
}

/// A triangle that is being sorted: its box, with the bits of its number in the fourth place of the lowest corner. So it
/// fits into half a line of the cache.
#[derive(Debug, Clone, Copy)]
pub struct Item {
    bounds: Bounds,
}

impl Item {
    fn new(number: usize, corners: &[Vec3; 3]) -> Option<Item> {
        let [a, b, c] = corners;
        let is_sound = a.is_finite() && b.is_finite() && c.is_finite();
        let low = a.min(*b).min(*c).extend(f32::from_bits(number as u32));
        let high = a.max(*b).max(*c).extend(0.0);
        is_sound.then_some(Item { bounds: Bounds { low, high } })
    }

    /// The place of the triangle in its list.
    pub fn number(&self) -> u32 {
        self.bounds.low.w.to_bits()
    }

    // Twice its middle.
    #[inline]
    fn middle(&self) -> Vec4 {
        self.bounds.low + self.bounds.high
    }
}

/// The items of some triangles; those that are no numbers are left out.
pub fn items(triangles: &[(u32, [Vec3; 3])]) -> Vec<Item> {
    triangles.par_iter().enumerate().filter_map(|(place, (_, corners))| Item::new(place, corners)).collect()
}

/// Some triangles that belong together.
pub struct Part<'a> {
    /// The triangles.
    pub items: &'a mut [Item],
    /// Their box.
    pub bounds: Bounds,
    /// The box of their middles, doubled.
    middles: Bounds,
    /// How often the whole was halved to come here.
    depth: usize,
}

impl<'a> Part<'a> {
    /// All triangles.
    pub fn whole(items: &'a mut [Item]) -> Self {
        let boxes = |items: &[Item]| {
            items.iter().fold([Bounds::EMPTY; 2], |[bounds, middles], item| {
                [bounds.with(item.bounds), middles.with_point(item.middle())]
            })
        };
        // The least of numbers is the same in any order.
        let both = |[a, b]: [Bounds; 2], [c, d]: [Bounds; 2]| [a.with(c), b.with(d)];
        let [bounds, middles] = items.par_chunks(8192).map(boxes).reduce(|| [Bounds::EMPTY; 2], both);
        Part { items, bounds, middles, depth: 0 }
    }

    /// Whether it is too small to be halved.
    pub fn is_leaf(&self) -> bool {
        self.items.len() <= LEAF
    }

    /// Its two halves, for one that is no leaf.
    pub fn halve(self) -> [Part<'a>; 2] {
        match if self.depth < EVEN_FROM { self.best_border() } else { None } {
            Some(border) => self.sorted(&border),
            None => self.even(),
        }
    }

    // The border where the boxes of both sides promise the least work.
    fn best_border(&self) -> Option<Border> {
        let axis = self.middles.longest();
        let size = self.middles.high[axis] - self.middles.low[axis];
        // Few triangles do not need many bins.
        let bins = (3 + self.items.len() / 4).min(BINS);
        let border =
            Border { axis, start: self.middles.low[axis], scale: bins as f32 * 0.9999 / size, bin: 0 };
        if size <= 0.0 || !border.scale.is_finite() {
            return None;
        }
        let mut counted = [(Bounds::EMPTY, 0_u32); BINS];
        for item in self.items.iter() {
            let (bounds, count) = &mut counted[border.bin_of(item).min(BINS - 1)];
            *bounds = bounds.with(item.bounds);
            *count += 1;
        }
        let mut above = [(Bounds::EMPTY, 0.0); BINS];
        let (mut bounds, mut count) = (Bounds::EMPTY, 0);
        for bin in (1..bins).rev() {
            (bounds, count) = (bounds.with(counted[bin].0), count + counted[bin].1);
            above[bin] = (bounds, bounds.area() * count as f32);
        }
        let (mut bounds, mut count) = (Bounds::EMPTY, 0);
        let (mut least, mut best) = (f32::INFINITY, None);
        for bin in 1..bins {
            (bounds, count) = (bounds.with(counted[bin - 1].0), count + counted[bin - 1].1);
            let cost = bounds.area() * count as f32 + above[bin].1;
            if count > 0 && (count as usize) < self.items.len() && cost < least {
                (least, best) = (cost, Some(Border { bin, ..border }));
            }
        }
        best
    }

    // Sorts the items to both sides of a border that leaves none of them empty.
    fn sorted(self, border: &Border) -> [Part<'a>; 2] {
        let mut boxes = [[Bounds::EMPTY; 2]; 2];
        let mut note = |side: usize, item: &Item| {
            let [bounds, middles] = boxes[side];
            boxes[side] = [bounds.with(item.bounds), middles.with_point(item.middle())];
        };
        let (mut end, mut last) = (0, self.items.len());
        while end < last {
            let item = self.items[end];
            if border.bin_of(&item) < border.bin {
                note(0, &item);
                end += 1;
            } else {
                note(1, &item);
                last -= 1;
                self.items.swap(end, last);
            }
        }
        let depth = self.depth + 1;
        let (low, high) = self.items.split_at_mut(end);
        let [one, other] = boxes;
        [(low, one), (high, other)].map(|(items, [bounds, middles])| Part { items, bounds, middles, depth })
    }

    fn even(self) -> [Part<'a>; 2] {
        let (half, axis) = (self.items.len() / 2, self.bounds.longest());
        let key = |item: &Item| item.middle()[axis];
        self.items
            .select_nth_unstable_by(half, |a, b| key(a).total_cmp(&key(b)).then(a.number().cmp(&b.number())));
        let depth = self.depth + 1;
        let (low, high) = self.items.split_at_mut(half);
        [low, high].map(|items| Part { depth, ..Part::whole(items) })
    }
}

/// A plane between two bins.
#[derive(Clone, Copy)]
struct Border {
    axis: usize,
    start: f32,
    scale: f32,
    bin: usize,
}

impl Border {
    #[inline]
    fn bin_of(&self, item: &Item) -> usize {
        ((item.middle()[self.axis] - self.start) * self.scale) as usize
    }
}
