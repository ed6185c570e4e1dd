//! Straight lines through the cells: from averages to the water at both edges of every cell.
//!
//! Surface, bed and velocity vary linearly in a cell, and the depth is what lies between surface and bed. Where the depth
//! changes by more than a fifth from cell to cell, as at shores, that could fall below zero: there surface and depth vary
//! linearly, and the bed is what lies between [audusse2004]. Either way a flat surface gives flat lines, to the last bit.
//! A bed that does not move with the water is worth its switch: with the second rule everywhere, fast flow down a
//! channel never comes to rest.
//!
//! Slopes are those of the monotonised central limiter. Two exceptions keep the noise of shores out of the water: beside
//! a dry cell, whose surface is its ground, the surface is no steeper than the flatter difference, and so is the velocity
//! where the depth is uneven. With steep velocities everywhere, the damped parabola of [sampson2006] is wrong by 40 % more;
//! with flat ones everywhere, a vortex of ten cells decays twice as fast.

use super::tile::{Edge, Row, Run, greater, lesser};

/// How much steeper than the flatter of the two differences a slope may be: 1 is minmod, 2 the most that does not pass
/// a neighbour's value. With 2 itself, steady flow would never quite settle.
const FLAT: f64 = 1.0;
const STEEP: f64 = 1.7;

/// Depths of neighbours whose ratio is nearer to one than this are even.
const EVEN: f64 = 0.8;

/// The limited slope from the differences to the two neighbours.
#[inline(always)]
fn limited(low: f64, high: f64, steepest: f64) -> f64 {
    let central = 0.5 * (low + high);
    let slope = lesser(steepest * lesser(low.abs(), high.abs()), central.abs()).copysign(central);
    if low * high > 0.0 { slope } else { 0.0 }
}

/// Lines through `here` between the cells `before` and `after` it. Writes the water at the low and the high edge, and
/// the push of the water's own slope: g h̄ Δη between the two edges, in m³/s².
#[inline(always)]
pub(super) fn reconstruct(
    [before, here, after]: [Run<'_>; 3],
    gravity: f64,
    dry: f64,
    place: usize,
    low: &mut Edge,
    high: &mut Edge,
    push: &mut Row,
) {
    let count = here.depth.len();
    let low = [
        &mut low.depth[place..place + count],
        &mut low.level[place..place + count],
        &mut low.across[place..place + count],
        &mut low.along[place..place + count],
    ];
    let high = [
        &mut high.depth[place..place + count],
        &mut high.level[place..place + count],
        &mut high.across[place..place + count],
        &mut high.along[place..place + count],
    ];
    let push = &mut push[place..place + count];
    let sized = |run: Run<'_>| (run.depth.len(), run.level.len(), run.across.len(), run.along.len());
    assert!([before, here, after].iter().all(|&run| sized(run) == (count, count, count, count)));

    for i in 0..count {
        let (depth, level) = (here.depth[i], here.level[i]);
        let (depth_before, depth_after) = (before.depth[i], after.depth[i]);
        let shallowest = lesser(lesser(depth_before, depth_after), depth);
        let deepest = greater(greater(depth_before, depth_after), depth);
        let is_even = shallowest >= EVEN * deepest;
        let on_surface = if shallowest <= dry { FLAT } else { STEEP };
        let on_velocity = if is_even { STEEP } else { FLAT };

        let level_slope = limited(level - before.level[i], after.level[i] - level, on_surface);
        let bed = level - depth;
        let (bed_before, bed_after) = (before.level[i] - depth_before, after.level[i] - depth_after);
        let bed_slope = limited(bed - bed_before, bed_after - bed, STEEP);
        let over_bed = lesser(greater(level_slope - bed_slope, -depth), depth);
        let depth_slope =
            if is_even { over_bed } else { limited(depth - depth_before, depth_after - depth, STEEP) };
        let (across, along) = (here.across[i], here.along[i]);
        let across_slope = limited(across - before.across[i], after.across[i] - across, on_velocity);
        let along_slope = limited(along - before.along[i], after.along[i] - along, on_velocity);

        let half = if depth > dry { 0.5 } else { 0.0 };
        let halves = [half * depth_slope, half * level_slope, half * across_slope, half * along_slope];
        low[0][i] = depth - halves[0];
        high[0][i] = depth + halves[0];
        low[1][i] = level - halves[1];
        high[1][i] = level + halves[1];
        low[2][i] = across - halves[2];
        high[2][i] = across + halves[2];
        low[3][i] = along - halves[3];
        high[3][i] = along + halves[3];
        push[i] = gravity * depth * (2.0 * halves[1]);
    }
}
