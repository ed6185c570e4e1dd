//! The columns as a receiver of sources: depths become whole units.

use super::columns::Columns;
use super::ledger::Ledger;
use super::thesis::ThesisManager;
use super::units::Units;
use super::volume_update::SumsOfTiles;
use crate::heightfield::Receiver;

/// Adds sources to the volumes. Water that is added has no momentum.
pub(super) struct ColumnReceiver<'a> {
    pub columns: &'a mut Columns,
    pub sums: &'a mut SumsOfTiles,
    pub ledger: &'a mut Ledger,
    pub units: &'a Units,
    /// Depth in units below which a column counts as dry.
    pub film: i32,
    /// What rounding has left over, in units: it is carried to the next column.
    pub remainder: &'a mut f64,
    /// The regions of the thesis' manager, whose stable ones take no part.
    pub regions: Option<&'a mut ThesisManager>,
}

impl Receiver for ColumnReceiver<'_> {
    fn level(&self, cell: [usize; 2]) -> f64 {
        self.units.metres(self.columns.level(self.columns.tiling.index(cell)))
    }

    fn add(&mut self, cell: [usize; 2], depth: f64) -> f64 {
        let (index, unit) = (self.columns.tiling.index(cell), self.units.unit());
        let wanted = depth / unit + *self.remainder;
        if !wanted.is_finite() {
            return 0.0;
        }
        let whole = wanted.round_ties_even();
        let [held, headroom] = [self.columns.volume[index], self.columns.headroom(index)].map(f64::from);
        let takes_part = match &mut self.regions {
            Some(regions) => regions.pour(index, whole.clamp(-1e12, 1e12) as i64),
            None => true,
        };
        let whole = whole.clamp(-1e12, 1e12);
        if !takes_part {
            // The ledger has what the source gave, and the manager what the region withheld of it
            *self.remainder = wanted - wanted.round_ties_even();
            self.ledger.record(whole as i64);
            return whole * unit;
        }
        let added = whole.clamp(-held, headroom);
        // What there is no room for, or what is not there, is not owed
        *self.remainder = wanted - whole;
        self.columns.add(index, added as i32, self.film, self.sums);
        self.ledger.record(added as i64);
        added * unit
    }
}
