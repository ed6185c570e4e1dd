//! Positivity limiter: scales outgoing fluxes so that depth stays ≥ 0.
//!
//! Where a sample's depth would become −e after an outflow of O, its outgoing fluxes are scaled by max((O − e)/O, 0),
//! and its depth is zero. That reduces the inflow of its neighbours, which may then violate the bound themselves, so
//! the lines are passed up and down until none does. Fluxes only ever decrease, so the iteration ends.

use undine_grid::Real;
use undine_grid::tridiagonal::StridedLines;

/// The most passes up and down. What is still negative then is set to zero: it is water that the fluxes do not account for,
/// and so stands in the ledger as its error.
const PASSES: usize = 8;

/// Limits the fluxes of all lines. `fluxes` holds F through the low face of each sample, positive upwards, and `last` F
/// through the last face.
#[inline(never)]
pub fn limit_fluxes<T: Real, const W: usize>(
    depth: &mut StridedLines<'_, T, W>,
    velocity: &mut StridedLines<'_, T, W>,
    fluxes: &mut [[T; W]],
    last: &mut [T; W],
) {
    let samples = depth.len();
    for _ in 0..PASSES {
        let mut limited = 0;
        for i in (0..samples).chain((0..samples).rev()) {
            let depths = *depth.get(i);
            if depths.iter().all(|&depth| depth >= T::default()) {
                continue;
            }
            for lane in (0..W).filter(|&lane| depths[lane] < T::default()) {
                limit_sample(depth, velocity, fluxes, last, i, lane);
                limited += 1;
            }
        }
        if limited == 0 {
            return;
        }
    }
    for i in 0..samples {
        depth
            .get_mut(i)
            .iter_mut()
            .for_each(|depth| *depth = super::face_flux::greater(*depth, T::default()));
    }
}

/// Scales the outgoing fluxes of one sample so that its depth is zero.
fn limit_sample<T: Real, const W: usize>(
    depth: &mut StridedLines<'_, T, W>,
    velocity: &mut StridedLines<'_, T, W>,
    fluxes: &mut [[T; W]],
    last: &mut [T; W],
    i: usize,
    lane: usize,
) {
    // The factor by which the outgoing fluxes are scaled
    let zero = T::default();
    let is_last = i + 1 == depth.len();
    let flux_below = fluxes[i][lane];
    let flux_above = if is_last { last[lane] } else { fluxes[i + 1][lane] };
    let outflow = super::face_flux::greater(flux_above, zero) - super::face_flux::lesser(flux_below, zero);
    let deficit = -depth.get(i)[lane];
    let factor = if outflow > deficit { (outflow - deficit) / outflow } else { zero };
    depth.get_mut(i)[lane] = zero;
    // What the neighbours do not receive, they lose again
    if flux_below < zero {
        let scaled = flux_below * factor;
        fluxes[i][lane] = scaled;
        if i > 0 {
            let below = depth.get_mut(i - 1);
            below[lane] = below[lane] - (scaled - flux_below);
            let at_face = velocity.get_mut(i);
            at_face[lane] = at_face[lane] * factor;
        }
    }
    if flux_above > zero {
        let scaled = flux_above * factor;
        if is_last {
            last[lane] = scaled;
        } else {
            fluxes[i + 1][lane] = scaled;
            let above = depth.get_mut(i + 1);
            above[lane] = above[lane] + (scaled - flux_above);
            let at_face = velocity.get_mut(i + 1);
            at_face[lane] = at_face[lane] * factor;
        }
    }
}
