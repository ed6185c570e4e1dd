//! How far water may spread over bare ground in a step.

use undine_grid::Real;
use undine_grid::tridiagonal::Lines;

use super::law::{Law, greater};

/// Finds how deep fronts may come to stand over bare samples within the step, from either side; zero over water.
///
/// In [kass1990] a front advances by one sample a step: the next one has no depth, so nothing passes beyond it. At long
/// steps water then piles up behind its front. With a guess of the depth ahead, halved from sample to sample and lowered
/// by rising ground, the implicit step spreads it over as many samples as it fills.
#[inline(always)]
pub fn spread<'a, T: Real, const W: usize>(
    law: &Law<T>,
    bed: &Lines<'_, T, W>,
    depth: &Lines<'_, T, W>,
    reach: &'a mut [[T; W]],
) -> &'a [[T; W]] {
    let zero = T::default();
    let (mut front, mut front_bed) = ([zero; W], [zero; W]);
    for place in (0..depth.len()).rev() {
        let (depths, beds) = (*depth.get(place), *bed.get(place));
        for lane in 0..W {
            front[lane] = law.reach(front[lane], front_bed[lane], depths[lane], beds[lane]);
        }
        front_bed = beds;
        reach[place] = front;
    }
    front = [zero; W];
    for place in 0..depth.len() {
        let (depths, beds, mut deepest) = (*depth.get(place), *bed.get(place), reach[place]);
        for lane in 0..W {
            front[lane] = law.reach(front[lane], front_bed[lane], depths[lane], beds[lane]);
            deepest[lane] = greater(front[lane], deepest[lane]);
            deepest[lane] = if depths[lane] > law.film { zero } else { deepest[lane] };
        }
        front_bed = beds;
        reach[place] = deepest;
    }
    reach
}
