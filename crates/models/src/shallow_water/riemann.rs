//! The flux through a face between two states of the water.
//!
//! The two beds are first brought to one level z* at the face, after [chen2017]: the higher of the two, but never above
//! either surface. Over it stand the depths h*, of which no more than is there. For a lake at rest both are equal and
//! nothing flows; a thin film above a step feels the fall of the whole step, which the older choice of [audusse2004]
//! keeps from it. What the bed beside the face pushes back is (h + h*)/2 times the step, for each side its own.
//!
//! Between the depths at z* works the approximate solver of Harten, Lax and van Leer with the contact restored
//! [toro2001]: momentum along the face goes with the water. Wave speeds are those of two rarefactions, and of a dry
//! front where one side is dry.
//!
//! All terms are written as differences between the sides, with the still pressure of each side taken out. So equal
//! states give exactly nothing, and a mirrored problem gives the mirrored bits.

use super::tile::{Faces, Run, greater, lesser};

/// What passes through one face; see [`Faces`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Flux {
    pub mass: f64,
    pub low: f64,
    pub high: f64,
    pub shear: f64,
}

/// The water on one side of a face.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Side {
    pub depth: f64,
    pub level: f64,
    pub across: f64,
    pub along: f64,
}

/// Below any wave speed that matters; keeps a face between dry cells from dividing by zero.
const STILL: f64 = 1e-200;

/// The flux between the water on the low and on the high side of a face.
#[inline(always)]
pub(super) fn flux(low: Side, high: Side, gravity: f64) -> Flux {
    // One bed for both, and the depths over it
    let (low_bed, high_bed) = (low.level - low.depth, high.level - high.depth);
    let bed = lesser(greater(low_bed, high_bed), lesser(low.level, high.level));
    // All of a side's water where its own bed is higher. Elsewhere by the same expression on both sides, so that equal
    // levels give equal depths
    let low_depth = if bed < low_bed { low.depth } else { low.level - bed };
    let high_depth = if bed < high_bed { high.depth } else { high.level - bed };

    let [slowest, fastest] = speeds(low_depth, low.across, high_depth, high.across, gravity);
    let over_width = 1.0 / greater(fastest - slowest, STILL);
    let skew = 0.5 * (fastest + slowest) * over_width;
    let damping = slowest * fastest * over_width;

    let (low_flow, high_flow) = (low_depth * low.across, high_depth * high.across);
    let (low_thrust, high_thrust) = (low_flow * low.across, high_flow * high.across);
    let deeper = high_depth - low_depth;
    let gain = high_flow - low_flow;
    let pressure = 0.5 * gravity * (high_depth + low_depth) * deeper;
    let mass = 0.5 * (low_flow + high_flow) - skew * gain + damping * deeper;
    let thrust =
        0.5 * (low_thrust + high_thrust) - skew * ((high_thrust - low_thrust) + pressure) + damping * gain;

    // A film above a step falls: its bed at the face lies below its own
    let low_fall = 0.5 * gravity * (low.depth + low_depth) * lesser(bed - low_bed, 0.0);
    let high_fall = 0.5 * gravity * (high.depth + high_depth) * lesser(bed - high_bed, 0.0);
    Flux {
        mass,
        low: thrust + 0.5 * pressure + low_fall,
        high: thrust - 0.5 * pressure + high_fall,
        shear: mass * if mass > 0.0 { low.along } else { high.along },
    }
}

/// The slowest and the fastest wave from a face, not above and not below zero.
#[inline(always)]
fn speeds(low_depth: f64, low_u: f64, high_depth: f64, high_u: f64, gravity: f64) -> [f64; 2] {
    let (low_c, high_c) = ((gravity * low_depth).sqrt(), (gravity * high_depth).sqrt());
    let between = 0.5 * (low_u + high_u) + (low_c - high_c);
    let between_c = 0.5 * (low_c + high_c) + 0.25 * (low_u - high_u);
    let (is_low_dry, is_high_dry) = (low_depth <= 0.0, high_depth <= 0.0);

    let slowest = lesser(low_u - low_c, between - between_c);
    let slowest = if is_high_dry { low_u - low_c } else { slowest };
    let slowest = if is_low_dry { high_u - 2.0 * high_c } else { slowest };
    let fastest = greater(high_u + high_c, between + between_c);
    let fastest = if is_low_dry { high_u + high_c } else { fastest };
    let fastest = if is_high_dry { low_u + 2.0 * low_c } else { fastest };
    let is_dry = is_low_dry & is_high_dry;
    [if is_dry { 0.0 } else { lesser(slowest, 0.0) }, if is_dry { 0.0 } else { greater(fastest, 0.0) }]
}

/// The fluxes through a row of faces between `low` and `high`, written from `place` on.
#[inline(always)]
pub(super) fn solve(low: Run<'_>, high: Run<'_>, gravity: f64, place: usize, faces: &mut Faces) {
    let count = low.depth.len();
    let sized = |run: Run<'_>| (run.depth.len(), run.level.len(), run.across.len(), run.along.len());
    assert!(sized(low) == (count, count, count, count) && sized(high) == (count, count, count, count));
    let mass = &mut faces.mass[place..place + count];
    let low_side = &mut faces.low[place..place + count];
    let high_side = &mut faces.high[place..place + count];
    let shear = &mut faces.shear[place..place + count];
    for i in 0..count {
        let side = |run: Run<'_>| Side {
            depth: run.depth[i],
            level: run.level[i],
            across: run.across[i],
            along: run.along[i],
        };
        let flux = flux(side(low), side(high), gravity);
        mass[i] = flux.mass;
        low_side[i] = flux.low;
        high_side[i] = flux.high;
        shear[i] = flux.shear;
    }
}
