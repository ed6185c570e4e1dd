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

use undine_grid::tridiagonal::{Bundle, Lines, Reduced, Row};
use undine_grid::{Real, simd};

use super::front;
use super::law::{Column, Face, Law, Passage, lesser, settled};
use super::limit::limit;
use super::rim::{End, Rim};

/// A step along one axis.
pub struct Stage<'a, T> {
    /// Its constants.
    pub law: Law<T>,
    /// Whether there is bare ground for water to spread over.
    pub has_bare_ground: bool,
    /// Whether it is the last half of a step, after which the water is measured.
    pub is_last: bool,
    /// The open ones of its low and its high side.
    pub rims: [Option<Rim<'a, T>>; 2],
}

/// What a step did to some lines.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Outcome {
    /// Sum of the depths of all samples after the step, in metres.
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
    simd::dispatch(
        #[inline(always)]
        || on_any_machine(stage, strands),
    )
}

/// Where all is under water, there is less to look at.
#[inline(always)]
pub(super) fn on_any_machine<T: Real, const W: usize>(
    stage: &Stage<'_, T>,
    strands: Strands<'_, T, W>,
) -> Outcome {
    match stage.has_bare_ground {
        true => compute::<T, W, true>(stage, strands),
        false => compute::<T, W, false>(stage, strands),
    }
}

#[inline(always)]
fn compute<T: Real, const W: usize, const BARE: bool>(
    stage: &Stage<'_, T>,
    strands: Strands<'_, T, W>,
) -> Outcome {
    let Bundle { first, count, fixed: [bed], moving: [mut depth, mut flow], room } = strands;
    let [weights, rights, roots, implicits] = room;
    let mut solving = Solving { law: &stage.law, bed, weights, rights, roots, implicits };
    let ends = [(0, 0), (1, depth.len() - 1)].map(|(end, place)| {
        let rim = stage.rims[end].as_ref();
        rim.map(|rim| rim.meet(&stage.law, depth.get(place), first, count)).unwrap_or_default()
    });
    if BARE {
        front::spread(&stage.law, &solving.bed, &depth, solving.roots);
    }
    solving.eliminate::<BARE>(&ends, &depth, &flow);
    let (mut last, lowest) = solving.substitute::<BARE>(&ends, &mut depth, &mut flow);
    let passed = solving.weights;
    if lowest < T::default() {
        limit(&mut depth, &mut flow, passed, &mut last);
    }
    let (held, bare) = if stage.is_last { measure(&depth, count, stage.law.film) } else { (0.0, 0) };
    let [inflow, outflow] = passed_ends(&passed[0], &last, count);
    Outcome { held, inflow, outflow, bare }
}

/// The ground below some lines, and what is found out about them on the way up for the way down.
struct Solving<'a, T, const W: usize> {
    law: &'a Law<T>,
    bed: Lines<'a, T, W>,
    /// The reduced rows.
    weights: &'a mut [[T; W]],
    rights: &'a mut [[T; W]],
    /// √D of the face before each sample; below zero for [`front::passage`]. At first, the reach of fronts.
    roots: &'a mut [[T; W]],
    /// p of the face before each sample.
    implicits: &'a mut [[T; W]],
}

impl<T: Real, const W: usize> Solving<'_, T, W> {
    /// D and Δh between the samples at a place and at the next one; zero at the end.
    #[inline(always)]
    fn look_ahead<const BARE: bool>(&self, depth: &Lines<'_, T, W>, low: usize) -> [[T; W]; 2] {
        let mut ahead = [[T::default(); W]; 2];
        let high = low + 1;
        if high >= depth.len() {
            return ahead;
        }
        let (beds, beds_above) = (*self.bed.get(low), *self.bed.get(high));
        let (depths, depths_above) = (*depth.get(low), *depth.get(high));
        for lane in 0..W {
            let passage = self.law.passage(
                Column { depth: depths[lane], bed: beds[lane] },
                Column { depth: depths_above[lane], bed: beds_above[lane] },
            );
            (ahead[0][lane], ahead[1][lane]) = (passage.depth, passage.rise);
        }
        if BARE {
            let (reaches, reaches_above) = (self.roots[low], self.roots[high]);
            for lane in 0..W {
                let reach = front::passage(reaches[lane], reaches_above[lane]);
                ahead[0][lane] = if ahead[0][lane] > T::default() { ahead[0][lane] } else { reach };
            }
        }
        ahead
    }

    /// Reduces the rows of all lines from the low end to the high one.
    #[inline(always)]
    fn eliminate<const BARE: bool>(
        &mut self,
        ends: &[End<T, W>; 2],
        depth: &Lines<'_, T, W>,
        flow: &Lines<'_, T, W>,
    ) {
        let (zero, one) = (T::from_f64(0.0), T::from_f64(1.0));
        let (law, places) = (self.law, depth.len());
        // E and B of the face below the sample, and B of a rim there, which holds back no other sample.
        let (mut below, mut held_below) = (ends[0].explicit.map(|leaves| -leaves), [zero; W]);
        let mut rim = ends[0].conductance;
        let (mut weight, mut right, mut rise_before) = ([zero; W], [zero; W], [zero; W]);
        let [mut passages, mut rises] = self.look_ahead::<BARE>(depth, 0);
        let (mut flows_before, mut flows) = ([zero; W], if places > 1 { *flow.get(1) } else { [zero; W] });
        for place in 0..places {
            let (mut above, mut held_above) = ([zero; W], [zero; W]);
            if place + 1 < places {
                let [next_passages, next_rises] = self.look_ahead::<BARE>(depth, place + 1);
                let flows_after = if place + 2 < places { *flow.get(place + 2) } else { [zero; W] };
                let (mut roots, mut implicits) = ([zero; W], [zero; W]);
                for lane in 0..W {
                    let depth = if BARE { passages[lane].abs() } else { passages[lane] };
                    let (passage, root) = (Passage { depth, rise: rises[lane] }, depth.sqrt());
                    let rises_beside = [rise_before[lane], next_rises[lane]];
                    let flows_around = [flows_before[lane], flows[lane], flows_after[lane]];
                    let implicit = law.implicit(passage, root, rises_beside, flows_around);
                    let face = Face { root, rise: rises[lane], implicit, flow: flows[lane] };
                    roots[lane] = if BARE && passages[lane] < zero { -root } else { root };
                    implicits[lane] = implicit;
                    above[lane] = law.explicit(&face);
                    held_above[lane] = law.conductance(&face);
                }
                (self.roots[place + 1], self.implicits[place + 1]) = (roots, implicits);
                (rise_before, passages, rises) = (rises, next_passages, next_rises);
                (flows_before, flows) = (flows, flows_after);
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
                (weight[lane], right[lane]) = (reduced.weight, settled(reduced.right));
            }
            (self.weights[place], self.rights[place]) = (weight, right);
            (below, held_below, rim) = (above, held_above, [zero; W]);
        }
    }

    /// Finds the rises from the high end to the low one, and moves the water. Leaves what passed the face before each
    /// sample in `weights`, and returns what passed the last face and the least depth.
    #[inline(always)]
    fn substitute<const BARE: bool>(
        &mut self,
        ends: &[End<T, W>; 2],
        depth: &mut Lines<'_, T, W>,
        flow: &mut Lines<'_, T, W>,
    ) -> ([T; W], T) {
        let zero = T::from_f64(0.0);
        let (law, places) = (self.law, depth.len());
        let mut rise_above = self.rights[places - 1];
        let last: [T; W] =
            std::array::from_fn(|lane| ends[1].explicit[lane] + ends[1].conductance[lane] * rise_above[lane]);
        let (mut passed_above, mut lowest) = (last, [zero; W]);
        let (mut depth_above, mut bed_above) = (*depth.get(places - 1), *self.bed.get(places - 1));
        for place in (1..places).rev() {
            let (low, low_bed, mut flows) =
                (*depth.get(place - 1), *self.bed.get(place - 1), *flow.get(place));
            let (weight, right) = (self.weights[place - 1], self.rights[place - 1]);
            let (roots, implicits) = (self.roots[place], self.implicits[place]);
            let (mut passed, mut after) = ([zero; W], [zero; W]);
            for lane in 0..W {
                let rise = Reduced { weight: weight[lane], right: right[lane] }.substitute(rise_above[lane]);
                let difference = rise_above[lane] - rise;
                let slope = (depth_above[lane] - low[lane]) + (bed_above[lane] - low_bed[lane]);
                let face = Face {
                    root: if BARE { roots[lane].abs() } else { roots[lane] },
                    rise: if roots[lane] > zero { slope } else { zero },
                    implicit: implicits[lane],
                    flow: flows[lane],
                };
                (passed[lane], flows[lane]) = law.pass(&face, difference);
                after[lane] = depth_above[lane] + (passed[lane] - passed_above[lane]);
                lowest[lane] = lesser(lowest[lane], after[lane]);
                rise_above[lane] = rise;
            }
            (depth_above, bed_above, passed_above) = (low, low_bed, passed);
            (*depth.get_mut(place), *flow.get_mut(place), self.weights[place]) = (after, flows, passed);
        }
        let entered: [T; W] = std::array::from_fn(|lane| {
            -(ends[0].explicit[lane] + ends[0].conductance[lane] * rise_above[lane])
        });
        let after: [T; W] =
            std::array::from_fn(|lane| depth_above[lane] + (entered[lane] - passed_above[lane]));
        (*depth.get_mut(0), self.weights[0]) = (after, entered);
        (last, lowest.into_iter().chain(after).fold(zero, lesser))
    }
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
