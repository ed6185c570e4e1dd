//! UpdateRegion of Algorithm 5 of [thompson2009]: what regions do where their water reaches beyond their boundary.

use super::ThesisManager;
use super::column_class::{ColumnBeyond, ColumnClass, RegionKind};
use super::lattice::{DIRECTIONS, Direction};
use super::manager::Water;
use super::operations::{RegionOperation, operation};
use super::regions::NONE;

/// What is left of a region after an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    /// The region still has the column that was looked at.
    Same,
    /// The column has left the region.
    ColumnLeft,
    /// The region has been taken over by another one.
    RegionGone,
}

/// A boundary: column b of a region and what lies beyond it.
#[derive(Debug, Clone, Copy)]
struct Boundary {
    region: usize,
    column: usize,
    /// The column beyond and the face before it; `None` at the rim.
    beyond: Option<(usize, usize)>,
    class: ColumnClass,
    /// Whether the ground falls by more than C_tolerance, whatever the class.
    is_downhill: bool,
}

impl ThesisManager {
    /// Updates the boundary of every region whose water or neighbours may have changed: awake ones and touched ones.
    pub(super) fn update_regions(&mut self, water: Water<'_>) {
        for region in 0..self.regions.slots() {
            let slot = self.regions.get_mut(region);
            if slot.count == 0 || (slot.is_stable && !slot.is_touched) {
                continue;
            }
            slot.is_touched = false;
            self.update_region(region, water);
        }
    }

    fn update_region(&mut self, region: usize, water: Water<'_>) {
        let mut cursor = self.regions.first(region);
        while let Some(column) = cursor {
            // Operations on this column leave the columns after it in the list
            cursor = self.regions.after(column);
            if self.is_dried_boundary(region, column, water) {
                self.leave(column);
                self.close(column);
            } else if self.update_column(region, column, water) == After::RegionGone {
                return;
            }
        }
    }

    /// Applies the tables at every side of a column beyond which its region ends, if its water reaches further.
    fn update_column(&mut self, region: usize, column: usize, water: Water<'_>) -> After {
        if !self.is_wet(column, water) {
            return After::Same;
        }
        for direction in DIRECTIONS {
            let Some(boundary) = self.boundary(region, column, direction, water) else { continue };
            let reaches = boundary.beyond.is_none_or(|(p, _)| water.level(column) > i64::from(water.bed[p]));
            let kind = self.regions.get(region).kind;
            let Some(operation) = operation(kind, boundary.class) else { continue };
            // A flowing region that meets a hill ends in a pool before its water is as high as the hill
            let is_foot = kind == RegionKind::Flowing && operation == RegionOperation::CreatePooling;
            if !reaches && !is_foot {
                continue;
            }
            let after = self.apply(operation, boundary);
            if after != After::Same {
                return after;
            }
        }
        After::Same
    }

    /// The boundary of a region beside one of its columns; `None` where the region goes on, and at the rim where water
    /// leaves or across a single row.
    fn boundary(
        &self,
        region: usize,
        column: usize,
        direction: Direction,
        water: Water<'_>,
    ) -> Option<Boundary> {
        let beyond = self.lattice.neighbour(column, direction);
        if beyond.is_none() && !self.is_walled(direction) {
            return None;
        }
        if beyond.is_some_and(|(p, _)| self.regions.of(p) == Some(region)) {
            return None;
        }
        let seen = beyond
            .map(|(p, _)| ColumnBeyond { bed: i64::from(water.bed[p]), region: self.regions.kind_of(p) });
        let bed = i64::from(water.bed[column]);
        let class = self.constants.thresholds.classify(bed, seen);
        let is_downhill = seen.is_some_and(|p| p.bed < bed - self.constants.thresholds.tolerance);
        Some(Boundary { region, column, beyond, class, is_downhill })
    }

    /// Whether the rim in a direction is the wall of a basin: across a single row there is nothing, and water leaves by
    /// an open side.
    fn is_walled(&self, direction: Direction) -> bool {
        let extent = match direction {
            Direction::East | Direction::West => self.lattice.columns,
            Direction::North | Direction::South => self.lattice.rows,
        };
        extent > 1 && !self.is_side_open[direction as usize]
    }

    fn apply(&mut self, operation: RegionOperation, boundary: Boundary) -> After {
        let Boundary { region, column, beyond, class, is_downhill } = boundary;
        match (operation, beyond) {
            // A pool rises over the foot of a flowing region, and does not follow one that runs down from it
            (RegionOperation::Extend, Some((_, face)))
                if class == ColumnClass::FlowingRegion && is_downhill =>
            {
                self.connect(face);
            }
            (RegionOperation::Extend, Some((p, _))) => self.extend(region, p),
            (RegionOperation::Merge, Some((p, _))) => return self.merge_with(region, p),
            (RegionOperation::Connect, Some((_, face))) => self.connect(face),
            // New regions beyond the boundary: where water starts to run down, or runs on from a waterfall's column
            (RegionOperation::CreateFlowing, Some((p, face))) => {
                if self.create(RegionKind::Flowing, p) {
                    self.is_connected[face] = true;
                } else {
                    self.extend(region, p);
                }
            }
            (RegionOperation::CreatePooling, Some((p, face)))
                if self.regions.get(region).kind == RegionKind::Waterfall =>
            {
                self.is_connected[face] |= self.create(RegionKind::Pooling, p);
            }
            // New regions at the boundary: the pool at the foot of a hill, the column from which a waterfall leaps
            (RegionOperation::CreatePooling, _) => return self.split_off(RegionKind::Pooling, column),
            (RegionOperation::CreateWaterfall, _) => return self.split_off(RegionKind::Waterfall, column),
            _ => debug_assert!(false, "{operation:?} beside {class:?}"),
        }
        After::Same
    }

    /// "Extend region": takes a column in, out of a flowing region if it belongs to one.
    pub(super) fn extend(&mut self, region: usize, column: usize) {
        self.leave(column);
        self.regions.add(region, column);
        self.count(RegionOperation::Extend);
        self.touch_around(column);
    }

    /// "Merge two regions": the one of column p and this one.
    fn merge_with(&mut self, region: usize, p: usize) -> After {
        let Some(other) = self.regions.of(p) else { return After::Same };
        match self.merge(region, other) {
            kept if kept == region => After::Same,
            _ => After::RegionGone,
        }
    }

    /// Joins two regions; returns the one that stays.
    pub(super) fn merge(&mut self, a: usize, b: usize) -> usize {
        self.thaw(a);
        self.thaw(b);
        let kept = self.regions.merge(a, b);
        self.count(RegionOperation::Merge);
        self.touch_region(kept);
        kept
    }

    /// "Connect regions": lets water pass a face between two of them.
    fn connect(&mut self, face: usize) {
        if !self.is_connected[face] {
            self.is_connected[face] = true;
            self.count(RegionOperation::Connect);
        }
    }

    /// "Create a … region" of one column that belongs to none; false where no more regions can be made.
    pub(super) fn create(&mut self, kind: RegionKind, column: usize) -> bool {
        let Some(region) = self.regions.create(kind) else { return false };
        self.regions.add(region, column);
        self.count(match kind {
            RegionKind::Pooling => RegionOperation::CreatePooling,
            RegionKind::Flowing => RegionOperation::CreateFlowing,
            RegionKind::Waterfall => RegionOperation::CreateWaterfall,
        });
        self.touch_around(column);
        true
    }

    /// Makes a region of a column that leaves its own one, to which it stays connected.
    fn split_off(&mut self, kind: RegionKind, column: usize) -> After {
        // A region's only column frees the slot that the new one takes
        let is_possible = self.regions.live().count() < self.regions.slots()
            || self.regions.of(column).is_some_and(|region| self.regions.get(region).count == 1);
        if !is_possible {
            return After::Same;
        }
        self.leave(column);
        self.create(kind, column);
        After::ColumnLeft
    }

    /// "Shrink a region": takes a column out of its region, to whose columns it stays connected; "destroy region" with
    /// its last one.
    fn leave(&mut self, column: usize) {
        let Some(region) = self.regions.of(column) else { return };
        for (_, neighbour, face) in self.lattice.neighbours(column) {
            self.is_connected[face] |= self.regions.of(neighbour) == Some(region);
        }
        self.touch_around(column);
        self.regions.remove(column);
        self.count(RegionOperation::Shrink);
        if self.regions.get(region).count == 0 {
            self.count(RegionOperation::Destroy);
        }
    }

    /// Closes the faces of a column that belongs to no region any more.
    fn close(&mut self, column: usize) {
        for (_, _, face) in self.lattice.neighbours(column) {
            (self.is_connected[face], self.is_frozen[face]) = (false, false);
            (self.rate[face], self.remainder[face]) = (0.0, 0.0);
        }
    }

    /// Whether a column at the boundary of an awake region is dry and stays so: nothing pours into it and no water beside
    /// it stands higher than its bed.
    fn is_dried_boundary(&self, region: usize, column: usize, water: Water<'_>) -> bool {
        if water.volume[column] != 0 || self.regions.get(region).is_stable || self.is_held(column) {
            return false;
        }
        let mut neighbours = self.lattice.neighbours(column);
        let is_at_rim = self.lattice.neighbours(column).count() < self.full_neighbours();
        let is_boundary = is_at_rim || neighbours.any(|(_, n, _)| self.regions.of(n) != Some(region));
        let is_fed = |(_, n, _): (Direction, usize, usize)| {
            self.regions.of(n).is_some()
                && self.is_wet(n, water)
                && water.level(n) > i64::from(water.bed[column])
        };
        is_boundary && !self.lattice.neighbours(column).any(is_fed)
    }

    /// Neighbours of a column that is not at the rim.
    fn full_neighbours(&self) -> usize {
        2 * (usize::from(self.lattice.columns > 1) + usize::from(self.lattice.rows > 1))
    }

    /// Has the boundaries of the regions at and around a column looked at again.
    pub(super) fn touch_around(&mut self, column: usize) {
        self.touch(column);
        for (_, neighbour, _) in self.lattice.neighbours(column) {
            self.touch(neighbour);
        }
    }

    /// Has the boundaries of a region and of those around it looked at again.
    pub(super) fn touch_region(&mut self, region: usize) {
        let mut cursor = self.regions.first(region);
        while let Some(column) = cursor {
            cursor = self.regions.after(column);
            self.touch_around(column);
        }
    }

    fn touch(&mut self, column: usize) {
        if let Some(region) = self.regions.of(column) {
            let slot = self.regions.get_mut(region);
            (slot.is_touched, slot.is_idle_rate_stale) = (true, true);
        }
    }

    /// Whether a column holds enough water to count as wet at a boundary.
    pub(super) fn is_wet(&self, column: usize, water: Water<'_>) -> bool {
        water.volume[column] > self.constants.film
    }

    /// Puts all water that no region holds into pooling regions of connected columns; `column` order decides the slots.
    pub fn cover(&mut self, water: Water<'_>) {
        for column in 0..self.lattice.count() {
            if water.volume[column] <= 0 || self.regions.of(column).is_some() {
                continue;
            }
            self.found_pool(column);
        }
    }

    /// A pooling region around a column: that of a neighbour with which it then merges, else a new one.
    pub(super) fn found_pool(&mut self, column: usize) {
        let mut joined = NONE as usize;
        for direction in [Direction::West, Direction::South] {
            let Some((neighbour, _)) = self.lattice.neighbour(column, direction) else { continue };
            let Some(region) = self.regions.of(neighbour) else { continue };
            if self.regions.get(region).kind != RegionKind::Pooling || region == joined {
                continue;
            }
            if joined == NONE as usize {
                joined = region;
                self.extend(region, column);
            } else {
                joined = self.merge(joined, region);
            }
        }
        if joined == NONE as usize {
            self.create(RegionKind::Pooling, column);
        }
    }
}
