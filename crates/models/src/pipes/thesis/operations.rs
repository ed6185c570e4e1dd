//! Tables 4.1 and 4.2 of [thompson2009]: what a region does about the column beyond its boundary.
//!
//! Table 4.1 prints no row for flat ground; without one a pool on level ground could never grow, so it extends. Where a
//! pooling region extends into a flowing region, that one shrinks by the column; it does so where the ground does not
//! fall, and is connected with a flowing region that runs down from it, which it would swallow as soon as it is made by
//! the table as printed. The thesis has no table for waterfall
//! regions; the third one here lets water that a waterfall's column sends elsewhere than over its lip go on.

use super::column_class::{ColumnClass, RegionKind};

/// The operations on regions, section 4.2.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RegionOperation {
    /// Adds the column beyond the boundary to the region.
    Extend,
    /// Takes the column at the boundary out of the region.
    Shrink,
    /// Joins the columns and sources of two regions.
    Merge,
    /// A new pooling region.
    CreatePooling,
    /// A new flowing region.
    CreateFlowing,
    /// A new waterfall region.
    CreateWaterfall,
    /// Lets water pass between two regions.
    Connect,
    /// Removes a region that has no columns left.
    Destroy,
}

impl RegionOperation {
    /// Every operation.
    #[cfg(test)]
    pub const ALL: [RegionOperation; 8] = [
        RegionOperation::Extend,
        RegionOperation::Shrink,
        RegionOperation::Merge,
        RegionOperation::CreatePooling,
        RegionOperation::CreateFlowing,
        RegionOperation::CreateWaterfall,
        RegionOperation::Connect,
        RegionOperation::Destroy,
    ];
}

/// What a region of this kind does when its water reaches a column of this class.
pub fn operation(kind: RegionKind, class: ColumnClass) -> Option<RegionOperation> {
    match kind {
        RegionKind::Pooling => pooling_operation(class),
        RegionKind::Flowing => Some(flowing_operation(class)),
        RegionKind::Waterfall => waterfall_operation(class),
    }
}

/// Table 4.1, with the row "flat".
fn pooling_operation(class: ColumnClass) -> Option<RegionOperation> {
    match class {
        ColumnClass::Flat | ColumnClass::Uphill | ColumnClass::FlowingRegion => Some(RegionOperation::Extend),
        ColumnClass::Downhill => Some(RegionOperation::CreateFlowing),
        ColumnClass::SharpDrop => Some(RegionOperation::CreateWaterfall),
        ColumnClass::Boundary => None,
        ColumnClass::PoolingRegion => Some(RegionOperation::Merge),
        ColumnClass::WaterfallRegion => Some(RegionOperation::Connect),
    }
}

/// Table 4.2.
fn flowing_operation(class: ColumnClass) -> RegionOperation {
    match class {
        ColumnClass::Flat | ColumnClass::Downhill => RegionOperation::Extend,
        ColumnClass::Uphill | ColumnClass::Boundary => RegionOperation::CreatePooling,
        ColumnClass::SharpDrop => RegionOperation::CreateWaterfall,
        ColumnClass::PoolingRegion | ColumnClass::FlowingRegion | ColumnClass::WaterfallRegion => {
            RegionOperation::Connect
        }
    }
}

/// Ours. A further sharp drop is a further lip of the same waterfall, whose landings see to the columns below.
fn waterfall_operation(class: ColumnClass) -> Option<RegionOperation> {
    match class {
        ColumnClass::Flat | ColumnClass::Uphill => Some(RegionOperation::CreatePooling),
        ColumnClass::Downhill => Some(RegionOperation::CreateFlowing),
        ColumnClass::SharpDrop | ColumnClass::Boundary => None,
        ColumnClass::PoolingRegion | ColumnClass::FlowingRegion | ColumnClass::WaterfallRegion => {
            Some(RegionOperation::Connect)
        }
    }
}
