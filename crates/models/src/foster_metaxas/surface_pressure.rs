//! The pressure of Surface cells: the applied pressure, at the surface or at the centre of the cell.
//!
//! In [foster1996] a Surface cell has the applied pressure at its centre (p. 8), so that a wave lower than a cell never moves.
//! With `interface` the applied pressure lies at the tracked surface: the pressure of the Surface cell is extrapolated from the
//! Full cell behind it, at a distance δ, and the surface, at a signed distance s from its centre [nichols1973]:
//!
//!   p_s = (1 − η) p_f + η p_applied,   η = δ/(δ + s).
//!
//! The axis of the greatest body force is tried first. Without a Full cell behind it, but with an open side above, the fluid in
//! the cell is hydrostatic: p_s = p_applied + |g| s. The pressure iteration knows the dependence on p_f (the share η); other
//! faces of the Surface cell keep p_s for the step, which bounds it to √(δ/g).

use undine_frame::CellKind;

use super::cells::Cells;
use super::flow::Flow;
use super::surface::TrackedSurface;
use super::surface_cells::{SurfaceCell, SurfaceCells};

/// Where the applied pressure holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PressureLocation {
    /// At the tracked surface.
    Interface,
    /// At the centres of Surface cells: the paper.
    Cell,
}

/// No Full cell behind.
const NO_PARTNER: u32 = u32::MAX;

/// How the pressure of Surface cells depends on that of Full cells.
#[derive(Debug, Clone)]
pub(super) struct SurfacePressure<const D: usize> {
    location: PressureLocation,
    /// The Full cell behind each Surface cell.
    partner: Vec<u32>,
    /// η.
    share: Vec<f64>,
}

impl<const D: usize> SurfacePressure<D> {
    /// For the cells of a flow.
    pub fn new(location: PressureLocation, flow: &Flow<D>) -> Self {
        let length = flow.index.length();
        SurfacePressure { location, partner: vec![NO_PARTNER; length], share: vec![1.0; length] }
    }

    /// The part of ψ of a Full cell by which it differs from that of a Surface cell beside it.
    #[inline]
    pub fn share(&self, surface_cell: usize, full_cell: usize) -> f64 {
        if self.partner[surface_cell] as usize == full_cell { self.share[surface_cell] } else { 1.0 }
    }

    /// Sets the pressure of all Surface cells from what is applied to each.
    pub fn apply(
        &mut self,
        flow: &mut Flow<D>,
        cells: &Cells<D>,
        surface: &TrackedSurface<D>,
        list: &SurfaceCells<D>,
        body_force: [f64; D],
        mut applied: impl FnMut(usize) -> f64,
    ) {
        let axes = axes_by_force(body_force);
        for (number, cell) in list.iter().enumerate() {
            let applied = applied(number);
            self.partner[cell.at] = NO_PARTNER;
            flow.pressure[cell.at] = match self.location {
                PressureLocation::Cell => applied,
                PressureLocation::Interface => {
                    self.extrapolate(flow, cells, surface, cell, axes, body_force, applied)
                }
            };
        }
    }

    fn extrapolate(
        &mut self,
        flow: &Flow<D>,
        cells: &Cells<D>,
        surface: &TrackedSurface<D>,
        cell: &SurfaceCell<D>,
        axes: [usize; D],
        body_force: [f64; D],
        applied: f64,
    ) -> f64 {
        let (strides, spacing) = (flow.index.strides(), flow.grid.spacing());
        let position = flow.index.cell(cell.at).map(|i| i as usize);
        // From a Full cell behind, across from an open side
        for a in axes {
            let is_high = cell.open[a][1];
            if cell.open[a][0] == is_high {
                continue;
            }
            let behind = if is_high { cell.at - strides[a] } else { cell.at + strides[a] };
            if flow.kinds[behind] == CellKind::Full {
                let offset = surface.interface(cells, position, a, is_high);
                let share = spacing[a] / (spacing[a] + offset);
                self.partner[cell.at] = behind as u32;
                self.share[cell.at] = share;
                return (1.0 - share) * flow.pressure[behind] + share * applied;
            }
        }
        // Hydrostatic in a film; what falls freely has the pressure of the air
        let a = axes[0];
        let is_high = body_force[a] < 0.0;
        let [above, below] = [cell.open[a][usize::from(is_high)], cell.open[a][usize::from(!is_high)]];
        if above && !below {
            applied + body_force[a].abs() * surface.interface(cells, position, a, is_high)
        } else {
            applied
        }
    }
}

/// The axes in the order of the body force along them, the greatest first; the last axis before others of the same force.
pub(super) fn axes_by_force<const D: usize>(body_force: [f64; D]) -> [usize; D] {
    let mut axes: [usize; D] = std::array::from_fn(|number| D - 1 - number);
    axes.sort_by(|&a, &b| body_force[b].abs().total_cmp(&body_force[a].abs()));
    axes
}
