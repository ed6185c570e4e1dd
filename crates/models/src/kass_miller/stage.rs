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

use undine_grid::Real;
use undine_grid::tridiagonal::{Bundle, Lines, Reduced, Row};

use super::law::{Column, Law, Passage, lesser, settled};
use super::limit::limit;
use super::rim::Rim;

/// A step along one axis.
pub struct Stage<'a, T> {
    /// Its constants.
    pub law: Law<T>,
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

/// Lines of a field side by side, with the bed below, and the depth and the velocity through the face below each sample.
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
pub(super) fn compute<T: Real, const W: usize>(stage: &Stage<'_, T>, strands: Strands<'_, T, W>) -> Outcome {
    let Bundle { first, count, fixed: [bed], moving: [mut depth, mut velocity], room: [weights, rights] } = strands;
    let rims = [0, 1].map(|end| {
        let place = if end == 0 { 0 } else { depth.len() - 1 };
        let rim = stage.rims[end].as_ref();
        rim.map(|rim| rim.meet(&stage.law, depth.get(place), first, count)).unwrap_or_default()
    });
    eliminate(&stage.law, &rims, &bed, &depth, &velocity, weights, rights);
    let (mut last, lowest) = substitute(&stage.law, &rims, &bed, &mut depth, &mut velocity, weights, rights);
    if lowest < T::from_f64(0.0) {
        limit(&mut depth, &mut velocity, weights, &mut last);
    }
    let (held, bare) = measure(&depth, count, stage.law.film);
    let [inflow, outflow] = passed(&weights[0], &last, count);
    Outcome { held, inflow, outflow, bare }
}

/// What stands at the open ends of the lines: E and p c Δt/Δx there, zero at walls.
#[derive(Debug, Clone, Copy)]
pub struct End<T, const W: usize> {
    /// What leaves in the step while the level stays as it is.
    pub explicit: [T; W],
    /// How much more leaves for each metre by which the sample rises.
    pub conductance: [T; W],
}

impl<T: Real, const W: usize> Default for End<T, W> {
    fn default() -> Self {
        End { explicit: [T::default(); W], conductance: [T::default(); W] }
    }
}

/// The ways between the samples at a place and at the next one; all shut beyond the end.
#[inline(always)]
fn passages<T: Real, const W: usize>(
    law: &Law<T>,
    bed: &Lines<'_, T, W>,
    depth: &Lines<'_, T, W>,
    low: usize,
) -> [Passage<T>; W] {
    let mut passages = [Passage { depth: T::default(), rise: T::default() }; W];
    if low + 1 < depth.len() {
        let (depths, beds) = (*depth.get(low), *bed.get(low));
        let (depths_above, beds_above) = (*depth.get(low + 1), *bed.get(low + 1));
        for lane in 0..W {
            passages[lane] = law.passage(
                Column { depth: depths[lane], bed: beds[lane] },
                Column { depth: depths_above[lane], bed: beds_above[lane] },
            );
        }
    }
    passages
}

/// Reduces the rows of all lines from the low end to the high one.
#[inline(always)]
fn eliminate<T: Real, const W: usize>(
    law: &Law<T>,
    rims: &[End<T, W>; 2],
    bed: &Lines<'_, T, W>,
    depth: &Lines<'_, T, W>,
    flow: &Lines<'_, T, W>,
    weights: &mut [[T; W]],
    rights: &mut [[T; W]],
) {
    let (zero, one) = (T::from_f64(0.0), T::from_f64(1.0));
    let places = depth.len();
    let (mut below, mut held_below) = (rims[0].explicit.map(|leaves| -leaves), [zero; W]);
    let mut own = rims[0].conductance;
    let (mut weight, mut right) = ([zero; W], [zero; W]);
    let mut rise_before = [zero; W];
    let mut way = passages(law, bed, depth, 0);
    for place in 0..places {
        let (mut above, mut held_above) = ([zero; W], [zero; W]);
        if place + 1 < places {
            let next = passages(law, bed, depth, place + 1);
            let flows = *flow.get(place + 1);
            for lane in 0..W {
                let face = law.face(way[lane], rise_before[lane], next[lane].rise, flows[lane]);
                above[lane] = law.explicit(&face);
                held_above[lane] = law.conductance(&face);
                rise_before[lane] = way[lane].rise;
            }
            way = next;
        } else {
            above = rims[1].explicit;
            for lane in 0..W {
                own[lane] = own[lane] + rims[1].conductance[lane];
            }
        }
        for lane in 0..W {
            let row = Row {
                lower: -held_below[lane],
                diagonal: one + held_below[lane] + held_above[lane] + own[lane],
                upper: -held_above[lane],
                right: below[lane] - above[lane],
            };
            let reduced = Reduced { weight: weight[lane], right: right[lane] }.eliminate(row);
            weight[lane] = reduced.weight;
            right[lane] = settled(reduced.right);
        }
        weights[place] = weight;
        rights[place] = right;
        (below, held_below, own) = (above, held_above, [zero; W]);
    }
}

/// Finds the rises from the high end to the low one, and moves the water. Leaves what passed the low face of each
/// sample in `weights`, and returns what passed the last face and the least depth.
#[inline(always)]
fn substitute<T: Real, const W: usize>(
    law: &Law<T>,
    rims: &[End<T, W>; 2],
    bed: &Lines<'_, T, W>,
    depth: &mut Lines<'_, T, W>,
    flow: &mut Lines<'_, T, W>,
    weights: &mut [[T; W]],
    rights: &mut [[T; W]],
) -> ([T; W], T) {
    let zero = T::from_f64(0.0);
    let places = depth.len();
    let mut lowest = [zero; W];
    let mut rise_above = rights[places - 1];
    let last: [T; W] = std::array::from_fn(|lane| {
        rims[1].explicit[lane] + rims[1].conductance[lane] * rise_above[lane]
    });
    let mut passed_above = last;
    let mut depth_above = *depth.get(places - 1);
    let mut slope_after = [zero; W];
    let mut way = passages(law, bed, depth, places.saturating_sub(2));
    for place in (1..places).rev() {
        let low = *depth.get(place - 1);
        let before = if place > 1 { passages(law, bed, depth, place - 2) } else { passages(law, bed, depth, places) };
        // Copies: the compiler must see that nothing here overlaps, or it goes lane by lane.
        let (weight, right) = (weights[place - 1], rights[place - 1]);
        let mut flows = *flow.get(place);
        let mut after = [zero; W];
        let mut passed = [zero; W];
        for lane in 0..W {
            let reduced = Reduced { weight: weight[lane], right: right[lane] };
            let rise = reduced.substitute(rise_above[lane]);
            let face = law.face(way[lane], before[lane].rise, slope_after[lane], flows[lane]);
            let difference = rise_above[lane] - rise;
            flows[lane] = law.flow(&face, difference);
            passed[lane] = law.explicit(&face) - law.conductance(&face) * difference;
            after[lane] = depth_above[lane] + (passed[lane] - passed_above[lane]);
            lowest[lane] = lesser(lowest[lane], after[lane]);
            rise_above[lane] = rise;
            slope_after[lane] = way[lane].rise;
        }
        way = before;
        *depth.get_mut(place) = after;
        *flow.get_mut(place) = flows;
        weights[place] = passed;
        passed_above = passed;
        depth_above = low;
    }
    let mut after = [zero; W];
    for lane in 0..W {
        let entered = -(rims[0].explicit[lane] + rims[0].conductance[lane] * rise_above[lane]);
        weights[0][lane] = entered;
        after[lane] = depth_above[lane] + (entered - passed_above[lane]);
        lowest[lane] = lesser(lowest[lane], after[lane]);
    }
    *depth.get_mut(0) = after;
    (last, lowest.into_iter().fold(zero, lesser))
}

/// The sum of the depths, and how many samples are bare.
#[inline(always)]
fn measure<T: Real, const W: usize>(depth: &Lines<'_, T, W>, count: usize, film: T) -> (f64, usize) {
    let mut sums = [0.0; W];
    let mut bare = [0u32; W];
    for place in 0..depth.len() {
        let depths = depth.get(place);
        for lane in 0..W {
            sums[lane] += depths[lane].to_f64();
            bare[lane] += u32::from(depths[lane] <= film);
        }
    }
    (sums[..count].iter().sum(), bare[..count].iter().map(|&bare| bare as usize).sum())
}

/// What came in and what left through both ends, by what passed the first face and the last one upwards.
fn passed<T: Real, const W: usize>(first: &[T; W], last: &[T; W], count: usize) -> [f64; 2] {
    let mut sums = [0.0; 2];
    let inwards = first[..count].iter().map(|passed| passed.to_f64());
    for amount in inwards.chain(last[..count].iter().map(|passed| -passed.to_f64())) {
        sums[usize::from(amount < 0.0)] += amount.abs();
    }
    sums
}
