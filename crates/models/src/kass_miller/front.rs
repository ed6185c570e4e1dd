//! How far water may spread over bare ground in a step.
//!
//! In [kass1990] a front advances by one sample a step: the next one has no depth, so nothing passes beyond it. At long
//! steps water then piles up behind its front. With a guess of the depth ahead, halved from sample to sample and lowered
//! by rising ground, the implicit step spreads water over as many samples as it fills.

use undine_grid::Real;
use undine_grid::tridiagonal::Lines;

use super::law::{Law, greater, lesser};

/// Finds how deep fronts may come to stand over bare samples within the step, from either side; zero over water.
#[inline(always)]
pub fn spread<T: Real, const W: usize>(
    law: &Law<T>,
    bed: &Lines<'_, T, W>,
    depth: &Lines<'_, T, W>,
    reach: &mut [[T; W]],
) {
    let zero = T::default();
    let (mut front, mut front_bed) = ([zero; W], [zero; W]);
    for place in (0..depth.len()).rev() {
        let (depths, beds) = (*depth.get(place), *bed.get(place));
        for lane in 0..W {
            front[lane] = ahead(law, front[lane], beds[lane] - front_bed[lane], depths[lane]);
        }
        front_bed = beds;
        reach[place] = front;
    }
    front = [zero; W];
    for place in 0..depth.len() {
        let (depths, beds, mut deepest) = (*depth.get(place), *bed.get(place), reach[place]);
        for lane in 0..W {
            front[lane] = ahead(law, front[lane], beds[lane] - front_bed[lane], depths[lane]);
            deepest[lane] = greater(front[lane], deepest[lane]);
            deepest[lane] = if depths[lane] > law.film { zero } else { deepest[lane] };
        }
        front_bed = beds;
        reach[place] = deepest;
    }
}

/// Depth of a front that stands this deep over the sample before, when it has climbed a step of the ground; a sample
/// that is covered stands for itself.
#[inline(always)]
fn ahead<T: Real>(law: &Law<T>, front: T, step: T, depth: T) -> T {
    let ahead = lesser(T::from_f64(0.5) * (front - step), front);
    let ahead = if ahead > law.film { ahead } else { T::from_f64(0.0) };
    if depth > law.film { depth } else { ahead }
}

/// D of the shut face between two bare samples that fronts may reach, as a number below zero: their ground does not
/// push water, so Δh is not to be counted.
#[inline(always)]
pub fn passage<T: Real>(low: T, high: T) -> T {
    let (zero, half) = (T::from_f64(0.0), T::from_f64(0.5));
    if lesser(low, high) > zero { -half * (low + high) } else { zero }
}
