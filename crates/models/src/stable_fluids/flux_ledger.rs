//! The volume ledger of a fluid that fills its box: its volume is constant, so inflow equals outflow.
//!
//! A 2-D fluid is a layer of one metre.

use std::io;

use undine_grid::{MacVelocity, Side};
use undine_sim::{Reader, Volume, Writer};

use super::sides::{BoundaryType, Sides};
use crate::heightfield::CompensatedSum;
use crate::solids::Solids;

/// Volumes through the sides since the start.
#[derive(Debug, Clone, Copy)]
pub(super) struct FluxLedger {
    held: f64,
    inflow: CompensatedSum,
    outflow: CompensatedSum,
}

impl FluxLedger {
    /// A box of this volume in m³.
    pub fn new(held: f64) -> Self {
        FluxLedger { held, inflow: CompensatedSum::default(), outflow: CompensatedSum::default() }
    }

    /// The ledger.
    pub fn volume(&self) -> Volume {
        Volume {
            held: self.held,
            initial: self.held,
            inflow: self.inflow.value(),
            outflow: self.outflow.value(),
            prescribed: 0.0,
        }
    }

    /// Adds the volumes through the open sides in `dt` seconds.
    pub fn record_fluxes<const D: usize>(
        &mut self,
        velocity: &MacVelocity<f64, D>,
        sides: &Sides<D>,
        solids: Option<&Solids<D>>,
        dt: f64,
    ) {
        let is_open =
            |side: &&Side| matches!(sides.kind(**side), BoundaryType::Inflow | BoundaryType::Outflow);
        for side in Side::of_dimension(D).iter().filter(is_open) {
            let axis = side.axis();
            let face = velocity.grid().cell_measure() / velocity.grid().spacing()[axis];
            let inwards = if side.is_high() { -1.0 } else { 1.0 };
            for_each_face(velocity, *side, |at, through| {
                let open = solids.map_or(1.0, |solids| solids.open()[axis][at]);
                let volume = inwards * open * through * face * dt;
                if volume > 0.0 { self.inflow.add(volume) } else { self.outflow.add(-volume) }
            });
        }
    }

    /// Writes the sums.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.values("inflow", &self.inflow.parts())?;
        to.values("outflow", &self.outflow.parts())
    }

    /// Restores saved sums.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.inflow = CompensatedSum::from_parts(from.array("inflow")?);
        self.outflow = CompensatedSum::from_parts(from.array("outflow")?);
        Ok(())
    }
}

/// Calls `work` with every face on a side and its normal velocity.
pub(super) fn for_each_face<const D: usize>(
    velocity: &MacVelocity<f64, D>,
    side: Side,
    mut work: impl FnMut([usize; D], f64),
) {
    let field = &velocity[side.axis()];
    let size = field.size();
    let count: usize = (0..D).filter(|&axis| axis != side.axis()).map(|axis| size[axis]).product();
    for number in 0..count {
        let mut at = [0; D];
        let mut rest = number;
        for axis in (0..D).filter(|&axis| axis != side.axis()) {
            at[axis] = rest % size[axis];
            rest /= size[axis];
        }
        at[side.axis()] = if side.is_high() { size[side.axis()] - 1 } else { 0 };
        work(at, field[at]);
    }
}
