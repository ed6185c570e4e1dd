//! What the water of a column does, for the field `regions`: with the thesis' manager the region that holds it, else by its
//! own state.
//!
//! | kind | condition |
//! |---|---|
//! | dry | no more than a film of water |
//! | waterfall | water falls over one of its faces, see `falls` |
//! | flowing | Froude number \|u\|/√(g d) ≥ 0.1 |
//! | pooling | slower water |
//!
//! A column is asleep with its tile. Nothing is stored; the value is found when it is asked for.

use undine_frame::RegionState;

use super::water::{FILM, Pipes};

/// The Froude number from which water counts as flowing.
const FLOWING: f64 = 0.1;

impl Pipes {
    /// The state of the water of a cell.
    pub(super) fn region_state(&self, cell: [usize; 2]) -> RegionState {
        if self.has_regions() {
            return self.region_of(cell[0]);
        }
        let tiling = &self.columns.tiling;
        if self.columns.volume[tiling.index(cell)] <= self.units.depth(FILM) {
            return RegionState::None;
        }
        let is_awake = self.visits.is_awake(tiling.tile_of(cell));
        let celerity = (self.settings.gravity * self.depth_in(cell)).sqrt();
        match (self.is_waterfall(cell), self.velocity_in(cell).length() >= FLOWING * celerity) {
            (true, _) if is_awake => RegionState::Waterfall,
            (true, _) => RegionState::WaterfallAsleep,
            (_, true) if is_awake => RegionState::Flowing,
            (_, true) => RegionState::FlowingAsleep,
            _ if is_awake => RegionState::Pooling,
            _ => RegionState::PoolingAsleep,
        }
    }
}
