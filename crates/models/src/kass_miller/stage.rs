//! One implicit step along one axis: eqs. (13) to (17) of [kass1990] on every line.
//!
//! With F = E − B Δy at the faces ([`law`](super::law)) the rises y = h' − h of a line solve
//!
//! ```text
//!     −B₋ y₋ + (1 + B₋ + B₊) y − B₊ y₊ = E₋ − E₊
//! ```
//!
//! which for p = 1 is the system of eq. (16), written for the rise instead of the level: a level 2000 m up has few
//! digits left for a ripple, a rise has all of them. Sums of columns are one, so volume is kept.
//!
//! The paper then sets samples below the ground to the ground, and gives back what that created to each connected
//! piece of fluid. Here the depths change by the faces' F, what leaves one sample enters the next, and the F that would
//! take more than a sample has are cut down ([`limit`](super::limit)). No sample goes below the ground, so every
//! connected piece keeps its volume to rounding and there is nothing to give back.
//!
//! The loops over lanes are written so that the compiler makes them wide: from copies, without branches.

use undine_grid::Real;
use undine_grid::tridiagonal::{Bundle, Lines, Reduced, Row};

use super::front;
use super::law::{Column, Law, Passage, lesser, settled};
use super::limit::limit;
use super::rim::{End, Rim};

/// A step along one axis.
pub struct Stage<'a, T> {
    /// Its constants.
    pub law: Law<T>,
    /// Whether there is bare ground for water to spread over.
    pub has_bare_ground: bool,
    /// The open ones of its low and its high side.
    pub rims: [Option<Rim<'a, T>>; 2],
}

/// What a step did to some lines.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Outcome {
    /// Sum of the depths of all samples, in metres.
    pub held: f64,
    /// Sum of what came in through open sides, in metres of depth.
    pub inflow: f64,
    /// Sum of what left through them.
    pub outflow: f64,
    /// Samples that are not covered by more than a film.
    pub bare: usize,
}

impl Outcome {
    /// Both together.
    pub fn and(self, other: Outcome) -> Outcome {
        Outcome {
            held: self.held + other.held,
            inflow: self.inflow + other.inflow,
            outflow: self.outflow + other.outflow,
            bare: self.bare + other.bare,
        }
    }
}

/// Lines side by side: their bed, their depths, and the flow m through the face before each sample.
pub type Strands<'a, T, const W: usize> = Bundle<'a, T, W, 1, 2>;

/// Does one step on a bundle of lines with the fastest kernel this machine can run.
pub fn advance<T: Real, const W: usize>(stage: &Stage<'_, T>, strands: Strands<'_, T, W>) -> Outcome {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has AVX2, which is all that `on_avx2` asks for.
        return unsafe { on_avx2(stage, strands) };
    }
    compute(stage, strands)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn on_avx2<T: Real, const W: usize>(stage: &Stage<'_, T>, strands: Strands<'_, T, W>) -> Outcome {
    compute(stage, strands)
}

#[inline(always)]
fn compute<T: Real, const W: usize>(stage: &Stage<'_, T>, strands: Strands<'_, T, W>) -> Outcome {
    let Bundle { first, count, fixed: [bed], moving: [mut depth, mut flow], room } = strands;
    let [weights, rights, reach] = room;
    let law = &stage.law;
    let ends = [(0, 0), (1, depth.len() - 1)].map(|(end, place)| {
        let rim = stage.rims[end].as_ref();
        rim.map(|rim| rim.meet(law, depth.get(place), first, count)).unwrap_or_default()
    });
    let reach: &[[T; W]] = if stage.has_bare_ground { front::spread(law, &bed, &depth, reach) } else { &[] };
    eliminate(law, &ends, &Ground { bed: &bed, reach }, &depth, &flow, weights, rights);
    let ground = Ground { bed: &bed, reach };
    let (mut last, lowest) = substitute(law, &ends, &ground, &mut depth, &mut flow, weights, rights);
    if lowest < T::default() {
        limit(&mut depth, &mut flow, weights, &mut last);
    }
    let (held, bare) = measure(&depth, count, law.film);
    let [inflow, outflow] = passed_ends(&weights[0], &last, count);
    Outcome { held, inflow, outflow, bare }
}

/// The ground, and how far fronts may reach over it; nowhere when that is empty.
struct Ground<'a, T, const W: usize> {
    bed: &'a Lines<'a, T, W>,
    reach: &'a [[T; W]],
}

/// The ways between the samples at two places, lane by lane.
#[derive(Clone, Copy)]
struct Passages<T, const W: usize> {
    depth: [T; W],
    rise: [T; W],
}

impl<T: Real, const W: usize> Passages<T, W> {
    #[inline(always)]
    fn lane(&self, lane: usize) -> Passage<T> {
        Passage { depth: self.depth[lane], rise: self.rise[lane] }
    }
}

impl<T: Real, const W: usize> Ground<'_, T, W> {
    /// The ways between the samples at a place and at the next one; shut at the end.
    #[inline(always)]
    fn passages(&self, law: &Law<T>, depth: &Lines<'_, T, W>, low: usize) -> Passages<T, W> {
        let mut passages = Passages { depth: [T::default(); W], rise: [T::default(); W] };
        let high = low + 1;
        if high < depth.len() {
            let (beds, beds_above) = (*self.bed.get(low), *self.bed.get(high));
            let (depths, depths_above) = (*depth.get(low), *depth.get(high));
            let [reaches, reaches_above] =
                [low, high].map(|place| self.reach.get(place).copied().unwrap_or([T::default(); W]));
            for lane in 0..W {
                let passage = law.passage(
                    Column { depth: depths[lane], bed: beds[lane], reach: reaches[lane] },
                    Column { depth: depths_above[lane], bed: beds_above[lane], reach: reaches_above[lane] },
                );
                (passages.depth[lane], passages.rise[lane]) = (passage.depth, passage.rise);
            }
        }
        passages
    }
}

/// Reduces the rows of all lines from the low end to the high one.
#[inline(always)]
fn eliminate<T: Real, const W: usize>(
    law: &Law<T>,
    ends: &[End<T, W>; 2],
    ground: &Ground<'_, T, W>,
    depth: &Lines<'_, T, W>,
    flow: &Lines<'_, T, W>,
    weights: &mut [[T; W]],
    rights: &mut [[T; W]],
) {
    let (zero, one) = (T::from_f64(0.0), T::from_f64(1.0));
    let places = depth.len();
    // E and B of the face below the sample, and B of a rim there, which holds back no other sample.
    let (mut below, mut held_below) = (ends[0].explicit.map(|leaves| -leaves), [zero; W]);
    let mut rim = ends[0].conductance;
    let (mut weight, mut right, mut rise_before) = ([zero; W], [zero; W], [zero; W]);
    let mut passages = ground.passages(law, depth, 0);
    for place in 0..places {
        let (mut above, mut held_above) = ([zero; W], [zero; W]);
        if place + 1 < places {
            let next = ground.passages(law, depth, place + 1);
            let flows = *flow.get(place + 1);
            for lane in 0..W {
                let face = law.face(passages.lane(lane), rise_before[lane], next.rise[lane], flows[lane]);
                above[lane] = law.explicit(&face);
                held_above[lane] = law.conductance(&face);
                rise_before[lane] = passages.rise[lane];
            }
            passages = next;
        } else {
            above = ends[1].explicit;
            rim = std::array::from_fn(|lane| rim[lane] + ends[1].conductance[lane]);
        }
        for lane in 0..W {
            let row = Row {
                lower: -held_below[lane],
                diagonal: one + held_below[lane] + held_above[lane] + rim[lane],
                upper: -held_above[lane],
                right: below[lane] - above[lane],
            };
            let reduced = Reduced { weight: weight[lane], right: right[lane] }.eliminate(row);
            weight[lane] = reduced.weight;
            right[lane] = settled(reduced.right);
        }
        (weights[place], rights[place]) = (weight, right);
        (below, held_below, rim) = (above, held_above, [zero; W]);
    }
}

/// Finds the rises from the high end to the low one, and moves the water. Leaves what passed the face before each sample
/// in `weights`, and returns what passed the last face and the least depth.
#[inline(always)]
fn substitute<T: Real, const W: usize>(
    law: &Law<T>,
    ends: &[End<T, W>; 2],
    ground: &Ground<'_, T, W>,
    depth: &mut Lines<'_, T, W>,
    flow: &mut Lines<'_, T, W>,
    weights: &mut [[T; W]],
    rights: &mut [[T; W]],
) -> ([T; W], T) {
    let zero = T::from_f64(0.0);
    let places = depth.len();
    let mut rise_above = rights[places - 1];
    let last: [T; W] =
        std::array::from_fn(|lane| ends[1].explicit[lane] + ends[1].conductance[lane] * rise_above[lane]);
    let (mut passed_above, mut depth_above) = (last, *depth.get(places - 1));
    let (mut slope_after, mut lowest) = ([zero; W], [zero; W]);
    let mut passages = ground.passages(law, depth, if places > 1 { places - 2 } else { places });
    for place in (1..places).rev() {
        let before = ground.passages(law, depth, if place > 1 { place - 2 } else { places });
        let (weight, right, mut flows) = (weights[place - 1], rights[place - 1], *flow.get(place));
        let (mut passed, mut after) = ([zero; W], [zero; W]);
        for lane in 0..W {
            let rise = Reduced { weight: weight[lane], right: right[lane] }.substitute(rise_above[lane]);
            let face = law.face(passages.lane(lane), before.rise[lane], slope_after[lane], flows[lane]);
            let difference = rise_above[lane] - rise;
            flows[lane] = law.flow(&face, difference);
            passed[lane] = law.explicit(&face) - law.conductance(&face) * difference;
            after[lane] = depth_above[lane] + (passed[lane] - passed_above[lane]);
            lowest[lane] = lesser(lowest[lane], after[lane]);
            rise_above[lane] = rise;
            slope_after[lane] = passages.rise[lane];
        }
        depth_above = *depth.get(place - 1);
        *depth.get_mut(place) = after;
        *flow.get_mut(place) = flows;
        weights[place] = passed;
        (passed_above, passages) = (passed, before);
    }
    let entered: [T; W] =
        std::array::from_fn(|lane| -(ends[0].explicit[lane] + ends[0].conductance[lane] * rise_above[lane]));
    let after: [T; W] =
        std::array::from_fn(|lane| depth_above[lane] + (entered[lane] - passed_above[lane]));
    weights[0] = entered;
    *depth.get_mut(0) = after;
    (last, lowest.into_iter().chain(after).fold(zero, lesser))
}

/// The sum of the depths, and how many samples are bare.
#[inline(always)]
fn measure<T: Real, const W: usize>(depth: &Lines<'_, T, W>, count: usize, film: T) -> (f64, usize) {
    let mut sums = [0.0; W];
    let mut bare = [0u32; W];
    for place in 0..depth.len() {
        let depths = *depth.get(place);
        for lane in 0..W {
            sums[lane] += depths[lane].to_f64();
            bare[lane] += u32::from(depths[lane] <= film);
        }
    }
    (sums[..count].iter().sum(), bare[..count].iter().map(|&bare| bare as usize).sum())
}

/// What came in and what left through both ends, from what passed the first face and the last one upwards.
fn passed_ends<T: Real, const W: usize>(first: &[T; W], last: &[T; W], count: usize) -> [f64; 2] {
    let mut sums = [0.0; 2];
    let inwards = first[..count].iter().map(|passed| passed.to_f64());
    for amount in inwards.chain(last[..count].iter().map(|passed| -passed.to_f64())) {
        sums[usize::from(amount < 0.0)] += amount.abs();
    }
    sums
}
