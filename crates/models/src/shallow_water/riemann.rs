//! Numerical flux through a face: hydrostatic reconstruction and the HLLC Riemann solver.
//!
//! With the states (h, η, u, v)_L and (h, η, u, v)_R on the low and the high side of the face and z = η − h, the bed
//! at the face is that of [chen2017],
//!
//! ```text
//! z* = min(max(z_L, z_R), min(η_L, η_R))        h*_K = min(η_K − z*, h_K),  K = L, R
//! ```
//!
//! For a lake at rest h*_L = h*_R and the mass flux is zero. On a thin film above a step the whole step acts as bed
//! slope, which the older choice z* = max(z_L, z_R) of [audusse2004] limits to the depth of the film. The bed-slope
//! term of the step at the face is ½ g (h_K + h*_K)(z* − z_K) for side K.
//!
//! The Riemann problem between h*_L and h*_R is solved by HLLC [toro2001]: HLL for mass and normal momentum, upwind
//! tangential momentum. Wave speeds s_L, s_R are the two-rarefaction estimates, with u ± 2c where one side is dry.
//!
//! All terms are written as differences between the sides, with the hydrostatic pressure ½ g h² of each side subtracted.
//! So equal states give exactly zero, and a mirrored problem gives mirrored results to the bit.

use super::tile::{FluxRow, RowSlice, greater, lesser};

/// Numerical flux through one face; see [`FluxRow`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Flux {
    pub mass: f64,
    pub low: f64,
    pub high: f64,
    pub shear: f64,
}

/// The state on one side of a face: h, η, normal and tangential velocity.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct RiemannState {
    pub depth: f64,
    pub level: f64,
    pub across: f64,
    pub along: f64,
}

/// Lower bound of s_R − s_L; avoids a division by zero between dry cells.
const MIN_WIDTH: f64 = 1e-200;

/// HLLC flux between the states on the low and the high side of a face; HLL in the form
/// F = ½ (F_L + F_R) − ½ (s_R + s_L)/(s_R − s_L) (F_R − F_L) + s_L s_R/(s_R − s_L) (U_R − U_L).
#[inline(always)]
pub(super) fn hllc_flux(low: RiemannState, high: RiemannState, gravity: f64) -> Flux {
    // Hydrostatic reconstruction: z*, h*_L, h*_R. Where z* lies below the side's own bed, all of its water counts;
    // elsewhere both sides use the same expression, so that equal levels give equal depths
    let (low_bed, high_bed) = (low.level - low.depth, high.level - high.depth);
    let bed = lesser(greater(low_bed, high_bed), lesser(low.level, high.level));
    let low_depth = if bed < low_bed { low.depth } else { low.level - bed };
    let high_depth = if bed < high_bed { high.depth } else { high.level - bed };

    // Wave speeds and the weights of HLL
    let [s_low, s_high] = wave_speeds(low_depth, low.across, high_depth, high.across, gravity);
    let inverse_width = 1.0 / greater(s_high - s_low, MIN_WIDTH);
    let skew = 0.5 * (s_high + s_low) * inverse_width;
    let damping = s_low * s_high * inverse_width;

    // Mass and normal momentum by HLL
    let (low_flow, high_flow) = (low_depth * low.across, high_depth * high.across);
    let (low_momentum, high_momentum) = (low_flow * low.across, high_flow * high.across);
    let depth_jump = high_depth - low_depth;
    let flow_jump = high_flow - low_flow;
    let pressure = 0.5 * gravity * (high_depth + low_depth) * depth_jump;
    let mass = 0.5 * (low_flow + high_flow) - skew * flow_jump + damping * depth_jump;
    let momentum = 0.5 * (low_momentum + high_momentum) - skew * ((high_momentum - low_momentum) + pressure)
        + damping * flow_jump;

    // Bed-slope term of the step between the side's bed and z*
    let low_step = 0.5 * gravity * (low.depth + low_depth) * lesser(bed - low_bed, 0.0);
    let high_step = 0.5 * gravity * (high.depth + high_depth) * lesser(bed - high_bed, 0.0);
    Flux {
        mass,
        low: momentum + 0.5 * pressure + low_step,
        high: momentum - 0.5 * pressure + high_step,
        shear: mass * if mass > 0.0 { low.along } else { high.along },
    }
}

/// s_L ≤ 0 and s_R ≥ 0: min(u_L − c_L, u* − c*) and max(u_R + c_R, u* + c*) with the two-rarefaction state
/// u* = ½ (u_L + u_R) + c_L − c_R, c* = ½ (c_L + c_R) + ¼ (u_L − u_R); dry fronts run at u ± 2c.
#[inline(always)]
fn wave_speeds(low_depth: f64, low_u: f64, high_depth: f64, high_u: f64, gravity: f64) -> [f64; 2] {
    let (low_c, high_c) = ((gravity * low_depth).sqrt(), (gravity * high_depth).sqrt());
    let middle_u = 0.5 * (low_u + high_u) + (low_c - high_c);
    let middle_c = 0.5 * (low_c + high_c) + 0.25 * (low_u - high_u);
    let (is_low_dry, is_high_dry) = (low_depth <= 0.0, high_depth <= 0.0);

    // Wet on both sides, then the dry fronts
    let s_low = lesser(low_u - low_c, middle_u - middle_c);
    let s_low = if is_high_dry { low_u - low_c } else { s_low };
    let s_low = if is_low_dry { high_u - 2.0 * high_c } else { s_low };
    let s_high = greater(high_u + high_c, middle_u + middle_c);
    let s_high = if is_low_dry { high_u + high_c } else { s_high };
    let s_high = if is_high_dry { low_u + 2.0 * low_c } else { s_high };
    let is_dry = is_low_dry & is_high_dry;
    [if is_dry { 0.0 } else { lesser(s_low, 0.0) }, if is_dry { 0.0 } else { greater(s_high, 0.0) }]
}

/// HLLC fluxes through a row of faces between the edges `low` and `high`, written from index `start` on.
#[inline(always)]
pub(super) fn solve_riemann(
    low: RowSlice<'_>,
    high: RowSlice<'_>,
    gravity: f64,
    start: usize,
    fluxes: &mut FluxRow,
) {
    let count = low.depth.len();
    let sized =
        |slice: RowSlice<'_>| (slice.depth.len(), slice.level.len(), slice.across.len(), slice.along.len());
    assert!(sized(low) == (count, count, count, count) && sized(high) == (count, count, count, count));
    let mass = &mut fluxes.mass[start..start + count];
    let low_side = &mut fluxes.low[start..start + count];
    let high_side = &mut fluxes.high[start..start + count];
    let shear = &mut fluxes.shear[start..start + count];
    for i in 0..count {
        let side = |slice: RowSlice<'_>| RiemannState {
            depth: slice.depth[i],
            level: slice.level[i],
            across: slice.across[i],
            along: slice.along[i],
        };
        let flux = hllc_flux(side(low), side(high), gravity);
        mass[i] = flux.mass;
        low_side[i] = flux.low;
        high_side[i] = flux.high;
        shear[i] = flux.shear;
    }
}
