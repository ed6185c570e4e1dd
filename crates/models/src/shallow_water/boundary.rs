//! The faces of a tile on a side with exterior states: the cells beyond them, by extrapolation, and the fluxes through
//! them.

use super::exterior_state::ExteriorState;
use super::riemann::RiemannState;
use super::tile::{BLANK, CellRow, EdgeRow, FluxRow, greater};

/// Linear extrapolation of W to the cell beyond a side, from the outer two cells. Where the inflow is supercritical no
/// characteristic leaves through the side, and an error of the extrapolation would grow: there only the bed is
/// extrapolated.
#[inline(always)]
fn extrapolate(outermost: [f64; 4], next: [f64; 4], inwards: f64, gravity: f64) -> [f64; 4] {
    let [depth, level, across, along] = outermost;
    let is_supercritical = (inwards * across > 0.0) & (across * across > gravity * depth);
    let slope: [f64; 4] = std::array::from_fn(|index| outermost[index] - next[index]);
    let on = |slope: f64| if is_supercritical { 0.0 } else { slope };
    [
        greater(depth + on(slope[0]), 0.0),
        level + if is_supercritical { slope[1] - slope[0] } else { slope[1] },
        across + on(slope[2]),
        along + on(slope[3]),
    ]
}

/// Extrapolates to cell `i` beyond the west or east side; `inwards` is 1 or −1.
#[inline(always)]
pub(super) fn extrapolate_cell(
    cells: &mut CellRow,
    i: usize,
    [outermost, next]: [usize; 2],
    inwards: f64,
    gravity: f64,
) {
    let at = |i: usize| [cells.depth[i], cells.level[i], cells.u[i], cells.v[i]];
    let [depth, level, u, v] = extrapolate(at(outermost), at(next), inwards, gravity);
    (cells.depth[i], cells.level[i], cells.u[i], cells.v[i]) = (depth, level, u, v);
}

/// Extrapolates to a row beyond the south or north side.
#[inline(always)]
pub(super) fn extrapolate_row(
    [outermost, next]: &[CellRow; 2],
    cells: &mut CellRow,
    inwards: f64,
    gravity: f64,
) {
    for i in 0..BLANK.len() {
        let at = |cells: &CellRow| [cells.depth[i], cells.level[i], cells.v[i], cells.u[i]];
        let [depth, level, v, u] = extrapolate(at(outermost), at(next), inwards, gravity);
        (cells.depth[i], cells.level[i], cells.u[i], cells.v[i]) = (depth, level, u, v);
    }
}

/// Sets the flux through face `i` on a low side, west or south, from the exterior state and the inner edge.
pub(super) fn set_low_side_flux(
    exterior: ExteriorState,
    edge: &EdgeRow,
    i: usize,
    gravity: f64,
    fluxes: &mut FluxRow,
) {
    let flux = exterior.inward_flux(inner_state(edge, i, 1.0), gravity);
    fluxes.mass[i] = flux.mass;
    fluxes.high[i] = flux.momentum;
    fluxes.shear[i] = flux.shear;
}

/// Sets the flux through face `i` on a high side, east or north; the inner cell has the index `i − back`.
pub(super) fn set_high_side_flux(
    exterior: ExteriorState,
    edge: &EdgeRow,
    i: usize,
    back: usize,
    gravity: f64,
    fluxes: &mut FluxRow,
) {
    let flux = exterior.inward_flux(inner_state(edge, i - back, -1.0), gravity);
    fluxes.mass[i] = -flux.mass;
    fluxes.low[i] = flux.momentum;
    fluxes.shear[i] = -flux.shear;
}

/// The state at an inner edge, with the normal velocity counted inwards.
fn inner_state(edge: &EdgeRow, i: usize, inwards: f64) -> RiemannState {
    RiemannState {
        depth: edge.depth[i],
        level: edge.level[i],
        across: inwards * edge.across[i],
        along: edge.along[i],
    }
}
