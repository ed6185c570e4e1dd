//! The eight classes of a column beside a region: what lies beyond its boundary, figure 4.4 of [thompson2009].
//!
//! With the boundary column b of a region, the column p beyond it and their beds g:
//!
//! | class | condition |
//! |---|---|
//! | boundary | p lies outside the domain |
//! | pooling, flowing, waterfall region | p belongs to a region of that kind |
//! | flat | \|g_b − g_p\| ≤ C_tolerance |
//! | uphill | g_b + C_tolerance < g_p |
//! | downhill | g_b − C_sharpdrop < g_p < g_b − C_tolerance |
//! | sharp drop | g_p ≤ g_b − C_sharpdrop |
//!
//! tested in this order. As printed the classes overlap (flat ground is downhill too, since its bound is g_b + C_tolerance),
//! and a step of exactly C_tolerance has none.

/// What a region is, by how it treats its boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RegionKind {
    /// Water contained by a cup.
    Pooling,
    /// Water that flows down a hill.
    Flowing,
    /// The column from which a waterfall leaps.
    Waterfall,
}

impl RegionKind {
    /// Every kind, in the order of their codes.
    pub const ALL: [RegionKind; 3] = [RegionKind::Pooling, RegionKind::Flowing, RegionKind::Waterfall];

    /// Its number in saved state and in fields.
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// The class of a column beside a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColumnClass {
    /// Ground as high as that of the region's boundary.
    Flat,
    /// Higher ground.
    Uphill,
    /// Lower ground.
    Downhill,
    /// Ground so much lower that water leaps.
    SharpDrop,
    /// Outside the domain.
    Boundary,
    /// In a pooling region.
    PoolingRegion,
    /// In a flowing region.
    FlowingRegion,
    /// In a waterfall region.
    WaterfallRegion,
}

/// The thresholds of the classes in units of height.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassThresholds {
    /// C_tolerance: the step up or down that still counts as flat.
    pub tolerance: i64,
    /// C_sharpdrop: the drop from which water leaps.
    pub sharp_drop: i64,
}

/// The column beyond the boundary of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnBeyond {
    /// Its bed g_p.
    pub bed: i64,
    /// The kind of the region that it belongs to.
    pub region: Option<RegionKind>,
}

impl ClassThresholds {
    /// The class of the column beyond a boundary column with bed `bed`; `None` stands for the outside of the domain.
    pub fn classify(self, bed: i64, beyond: Option<ColumnBeyond>) -> ColumnClass {
        let Some(beyond) = beyond else { return ColumnClass::Boundary };
        let rise = beyond.bed - bed;
        match beyond.region {
            Some(RegionKind::Pooling) => ColumnClass::PoolingRegion,
            Some(RegionKind::Flowing) => ColumnClass::FlowingRegion,
            Some(RegionKind::Waterfall) => ColumnClass::WaterfallRegion,
            None if rise.abs() <= self.tolerance => ColumnClass::Flat,
            None if rise > 0 => ColumnClass::Uphill,
            None if -rise < self.sharp_drop => ColumnClass::Downhill,
            None => ColumnClass::SharpDrop,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THRESHOLDS: ClassThresholds = ClassThresholds { tolerance: 3, sharp_drop: 20 };

    fn bare(bed: i64) -> Option<ColumnBeyond> {
        Some(ColumnBeyond { bed, region: None })
    }

    #[test]
    fn bare_ground_has_exactly_one_class() {
        let class = |bed| THRESHOLDS.classify(100, bare(bed));
        assert_eq!([97, 100, 103].map(class), [ColumnClass::Flat; 3]);
        assert_eq!([104, 500].map(class), [ColumnClass::Uphill; 2]);
        assert_eq!([96, 81].map(class), [ColumnClass::Downhill; 2]);
        assert_eq!([80, -900].map(class), [ColumnClass::SharpDrop; 2]);
    }

    #[test]
    fn the_outside_and_regions_come_before_the_shape_of_the_ground() {
        assert_eq!(THRESHOLDS.classify(100, None), ColumnClass::Boundary);
        let classes = [ColumnClass::PoolingRegion, ColumnClass::FlowingRegion, ColumnClass::WaterfallRegion];
        for (kind, class) in RegionKind::ALL.into_iter().zip(classes) {
            for bed in [-900, 90, 100, 500] {
                let beyond = ColumnBeyond { bed, region: Some(kind) };
                assert_eq!(THRESHOLDS.classify(100, Some(beyond)), class);
            }
        }
    }

    #[test]
    fn a_tolerance_above_the_sharp_drop_leaves_no_downhill() {
        let odd = ClassThresholds { tolerance: 30, sharp_drop: 20 };
        assert_eq!(
            [75, 69].map(|bed| odd.classify(100, bare(bed))),
            [ColumnClass::Flat, ColumnClass::SharpDrop]
        );
    }
}
