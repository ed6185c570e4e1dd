//! The columns as a receiver of sources: depths become whole units.

use super::ledger::Ledger;
use super::manager::{ManagedWater, Manager};
use super::thesis::ThesisManager;
use super::units::Units;
use crate::heightfield::Receiver;

/// Adds sources to the volumes. Water that is added has no momentum.
pub(super) struct ColumnReceiver<'a> {
    pub water: ManagedWater<'a>,
    pub manager: &'a mut Option<Box<dyn Manager>>,
    pub ledger: &'a mut Ledger,
    pub units: &'a Units,
    /// What rounding has left over, in units: it is carried to the next column.
    pub remainder: &'a mut f64,
    /// The regions of the thesis' manager, whose stable ones take no part.
    pub regions: Option<&'a mut ThesisManager>,
}

impl Receiver for ColumnReceiver<'_> {
    fn level(&self, cell: [usize; 2]) -> f64 {
        let columns = &*self.water.columns;
        self.units.metres(columns.level(columns.tiling.index(cell)))
    }

    fn add(&mut self, cell: [usize; 2], depth: f64) -> f64 {
        let wanted = depth / self.units.unit() + *self.remainder;
        if !wanted.is_finite() {
            return 0.0;
        }
        // What there is no room for, or what is not there, is not owed
        let whole = wanted.round_ties_even();
        *self.remainder = wanted - whole;
        let index = self.water.columns.tiling.index(cell);
        let units = whole.clamp(-1e12, 1e12) as i64;
        if self.regions.as_mut().is_some_and(|regions| !regions.pour(index, units)) {
            // The ledger has what the source gave, and the manager what the region withheld of it
            self.ledger.record(units);
            return units as f64 * self.units.unit();
        }
        let added = self.water.exchange(self.manager, index, whole as i32);
        self.ledger.record(i64::from(added));
        f64::from(added) * self.units.unit()
    }

    /// What falls in wakes its tile.
    fn splash(&mut self, cell: [usize; 2], depth: f64) -> f64 {
        let tile = self.water.columns.tiling.tile_of(cell);
        if let Some(manager) = self.manager
            && depth != 0.0
        {
            manager.wake(&mut self.water, tile);
        }
        self.add(cell, depth)
    }
}
