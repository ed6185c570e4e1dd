//! Nobody gives more than he has.

use undine_grid::Real;
use undine_grid::tridiagonal::Lines;

/// Walks up and down the lines after which the few cuts that still call for others are left to rounding.
const WALKS: usize = 8;

/// Cuts down what leaves samples that would go below the ground until none does. `passed` is what passes the low face
/// of each sample upwards, and `last` what passes the last face.
///
/// A cut takes water from the sample that would have got it, which may then itself give too much: so the lines are
/// walked up and down, along the flow in either direction. Cuts only ever lessen what passes, so this ends.
#[inline(never)]
pub fn limit<T: Real, const W: usize>(
    depth: &mut Lines<'_, T, W>,
    velocity: &mut Lines<'_, T, W>,
    passed: &mut [[T; W]],
    last: &mut [T; W],
) {
    let places = depth.len();
    for _ in 0..WALKS {
        let mut cuts = 0;
        for place in (0..places).chain((0..places).rev()) {
            let depths = *depth.get(place);
            if depths.iter().all(|&depth| depth >= T::default()) {
                continue;
            }
            for lane in (0..W).filter(|&lane| depths[lane] < T::default()) {
                cut(depth, velocity, passed, last, place, lane);
                cuts += 1;
            }
        }
        if cuts == 0 {
            return;
        }
    }
    for place in 0..places {
        depth.get_mut(place).iter_mut().for_each(|depth| *depth = super::law::greater(*depth, T::default()));
    }
}

/// Cuts what leaves one sample so that nothing stays there.
fn cut<T: Real, const W: usize>(
    depth: &mut Lines<'_, T, W>,
    velocity: &mut Lines<'_, T, W>,
    passed: &mut [[T; W]],
    last: &mut [T; W],
    place: usize,
    lane: usize,
) {
    let zero = T::default();
    let is_last = place + 1 == depth.len();
    let down = passed[place][lane];
    let up = if is_last { last[lane] } else { passed[place + 1][lane] };
    let leaving = super::law::greater(up, zero) - super::law::lesser(down, zero);
    let missing = -depth.get(place)[lane];
    let share = if leaving > missing { (leaving - missing) / leaving } else { zero };
    depth.get_mut(place)[lane] = zero;
    if down < zero {
        let kept = down * share;
        passed[place][lane] = kept;
        if place > 0 {
            let below = depth.get_mut(place - 1);
            below[lane] = below[lane] - (kept - down);
            let through = velocity.get_mut(place);
            through[lane] = through[lane] * share;
        }
    }
    if up > zero {
        let kept = up * share;
        if is_last {
            last[lane] = kept;
        } else {
            passed[place + 1][lane] = kept;
            let above = depth.get_mut(place + 1);
            above[lane] = above[lane] + (kept - up);
            let through = velocity.get_mut(place + 1);
            through[lane] = through[lane] * share;
        }
    }
}
