//! Wetting front: the depth to which water may flood bare samples within one step.
//!
//! In [kass1990] a front advances by one sample per step: the next sample has no depth, so the face beyond it is
//! closed, and at long steps water piles up behind the front. Here the depth ahead of the front is extrapolated over
//! bare samples, halved from sample to sample and reduced by rising ground, and opens the faces between them, so that
//! the implicit step floods as many samples as it fills.

use undine_grid::Real;
use undine_grid::tridiagonal::StridedLines;

use super::face_flux::{FaceFlux, greater, lesser};

/// Extrapolates the depth over bare samples from both directions and keeps the greater; zero on wet samples.
#[inline(always)]
pub fn extrapolate<T: Real, const W: usize>(
    face_flux: &FaceFlux<T>,
    bed: &StridedLines<'_, T, W>,
    depth: &StridedLines<'_, T, W>,
    depths_ahead: &mut [[T; W]],
) {
    let zero = T::default();
    // From the high end, then from the low end
    let (mut front, mut front_bed) = ([zero; W], [zero; W]);
    for i in (0..depth.len()).rev() {
        let (depths, beds) = (*depth.get(i), *bed.get(i));
        for lane in 0..W {
            front[lane] = front_depth(face_flux, front[lane], beds[lane] - front_bed[lane], depths[lane]);
        }
        front_bed = beds;
        depths_ahead[i] = front;
    }
    front = [zero; W];
    for i in 0..depth.len() {
        let (depths, beds, mut deepest) = (*depth.get(i), *bed.get(i), depths_ahead[i]);
        for lane in 0..W {
            front[lane] = front_depth(face_flux, front[lane], beds[lane] - front_bed[lane], depths[lane]);
            deepest[lane] = greater(front[lane], deepest[lane]);
            deepest[lane] = if depths[lane] > face_flux.film { zero } else { deepest[lane] };
        }
        front_bed = beds;
        depths_ahead[i] = deepest;
    }
}

/// Depth at a sample when it is `front` at the one before and the bed rises by `step`: min(½ (front − step), front), or
/// its own depth where it is wet.
#[inline(always)]
fn front_depth<T: Real>(face_flux: &FaceFlux<T>, front: T, step: T, depth: T) -> T {
    let ahead = lesser(T::from_f64(0.5) * (front - step), front);
    let ahead = if ahead > face_flux.film { ahead } else { T::from_f64(0.0) };
    if depth > face_flux.film { depth } else { ahead }
}

/// D of the closed face between two bare samples that the front may reach, with a negative sign: their beds do not act on
/// the water, so Δh is not counted.
#[inline(always)]
pub fn face_depth<T: Real>(low: T, high: T) -> T {
    let (zero, half) = (T::from_f64(0.0), T::from_f64(0.5));
    if lesser(low, high) > zero { -half * (low + high) } else { zero }
}
