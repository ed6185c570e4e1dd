//! Waterfall regions, section 4.2.2 of [thompson2009]: their column gives its water not to the neighbour but to the
//! columns where two traced drops land, which become a source of the region there.

use super::ThesisManager;
use super::column_class::RegionKind;
use super::lattice::{DIRECTIONS, Direction};
use super::manager::{Exchange, StepPhysics, Water};
use super::regions::NONE;
use super::waterfall::{FallPhysics, TracedDrop};

/// A lip over which water falls during a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fall {
    /// The column of the waterfall region.
    pub column: usize,
    /// The face between it and the lower column.
    pub face: usize,
    /// Whether the fall goes to the east or north.
    pub is_forward: bool,
    /// How the index of a column changes along the fall.
    direction: Direction,
    /// The columns on which it lands, counted from its own.
    landing: [u32; 2],
}

impl ThesisManager {
    /// Whether water falls from the one to the other of two neighbours: one is the column of a waterfall, the other a
    /// sharp drop lower and its surface not above the first one's bed. Higher water below drowns the fall, and the face
    /// is like any other.
    pub(super) fn is_falling(&self, pair: [usize; 2], water: Water<'_>) -> bool {
        let falls = |[from, to]: [usize; 2]| {
            let lip = i64::from(water.bed[from]);
            self.regions.kind_of(from) == Some(RegionKind::Waterfall)
                && i64::from(water.bed[to]) <= lip - self.constants.thresholds.sharp_drop
                && water.level(to) <= lip
        };
        falls(pair) || falls([pair[1], pair[0]])
    }

    /// Lists the lips of a waterfall region.
    pub(super) fn gather_falls(&mut self, region: usize, water: Water<'_>) {
        let Some(column) = self.regions.first(region) else { return };
        let landings = self.regions.get(region).landing;
        for (direction, neighbour, face) in self.lattice.neighbours(column) {
            let landing = landings[direction as usize];
            // Water may face a waterfall of its neighbour, which then lists it
            let is_own = water.bed[neighbour] < water.bed[column];
            if is_own && landing[1] > 0 && self.is_falling([column, neighbour], water) {
                let is_forward = direction.is_forward();
                self.falls.push(Fall { column, face, is_forward, direction, landing });
            }
        }
    }

    /// Algorithm 6 for every awake waterfall: traces the two drops, and makes sure of a region where they land.
    pub(super) fn update_landings(&mut self, water: Water<'_>, physics: &StepPhysics) {
        for region in 0..self.regions.slots() {
            let slot = self.regions.get(region);
            if slot.count == 0 || slot.kind != RegionKind::Waterfall || slot.is_stable {
                continue;
            }
            let Some(column) = self.regions.first(region) else { continue };
            for direction in DIRECTIONS {
                let Some((neighbour, face)) = self.lattice.neighbour(column, direction) else { continue };
                let is_own = water.bed[neighbour] < water.bed[column];
                if is_own && self.is_falling([column, neighbour], water) && self.is_wet(column, water) {
                    let landing = self.trace(region, column, direction, face, water, physics);
                    self.counts.drop_updates += 2;
                    self.regions.get_mut(region).landing[direction as usize] = landing;
                    self.receive_fall(column, direction, landing);
                }
            }
        }
    }

    /// The columns between the landings of p_min and p_max, counted from the waterfall's own.
    fn trace(
        &self,
        region: usize,
        column: usize,
        direction: Direction,
        face: usize,
        water: Water<'_>,
        physics: &StepPhysics,
    ) -> [u32; 2] {
        let is_along_x = matches!(direction, Direction::East | Direction::West);
        let [spacing, width] =
            if is_along_x { physics.spacing } else { [physics.spacing[1], physics.spacing[0]] };
        // u = Q/(depth d), and dh/dt from what the column gained in the step before
        let depth = f64::from(water.volume[column]) * physics.delta;
        let outward = if direction.is_forward() { self.rate[face] } else { -self.rate[face] };
        let speed = outward.max(0.0) / (depth * width);
        let gained = self.regions.get(region).net_units as f64 * physics.delta;
        let rise = if self.last_dt > 0.0 { gained / self.last_dt } else { 0.0 };
        let height = water.level(column) as f64 * physics.delta;
        let fall = FallPhysics { gravity: physics.gravity, drag: self.constants.drag, spacing };
        let surface = |steps: usize| {
            let below = self.lattice.along(column, direction, steps)?;
            Some(water.level(below) as f64 * physics.delta)
        };
        let spread = self.constants.spread;
        let drop = |factor: f64| TracedDrop { speed: factor * speed, rise, height };
        let [least, most] = [1.0 - spread, 1.0 + spread].map(|factor| drop(factor).landing(fall, surface));
        [least.min(most) as u32, least.max(most) as u32]
    }

    /// Joins the regions where a waterfall lands, or makes a pooling region, and extends it over all columns in between.
    fn receive_fall(&mut self, column: usize, direction: Direction, [least, most]: [u32; 2]) {
        let lattice = self.lattice;
        let columns =
            || (least..=most).filter_map(move |steps| lattice.along(column, direction, steps as usize));
        // Join
        let mut target = NONE as usize;
        for below in columns() {
            self.hold(below);
            let Some(region) = self.regions.of(below) else { continue };
            let kind = self.regions.get(region).kind;
            if kind == RegionKind::Waterfall || region == target {
                continue;
            }
            if target == NONE as usize {
                target = region;
                continue;
            }
            let kinds = [kind, self.regions.get(target).kind];
            target = self.merge(target, region);
            if kinds.contains(&RegionKind::Pooling) {
                self.regions.get_mut(target).kind = RegionKind::Pooling;
            }
        }
        // Extend
        for below in columns() {
            if self.regions.of(below).is_some() {
                continue;
            }
            if target != NONE as usize {
                self.extend(target, below);
            } else if self.create(RegionKind::Pooling, below) {
                target = self.regions.of(below).unwrap_or(NONE as usize);
            }
        }
    }

    /// Carries the water of a fall from its column to those where it lands, in equal parts; the first ones get the rest.
    pub(super) fn pour_fall(&mut self, index: usize, exchange: &mut Exchange<'_>) {
        let fall = self.falls[index];
        let units = self.take_fall_flux(fall);
        self.give(exchange, fall.column, -units, true);
        let [least, most] = fall.landing;
        let count = i64::from(most - least) + 1;
        for steps in least..=most {
            let rest = i64::from(i64::from(steps - least) < units.rem_euclid(count));
            let part = units.div_euclid(count) + rest;
            // Landings lie in the domain; should one not, the lip's neighbour takes its part
            let below = self.lattice.along(fall.column, fall.direction, steps as usize);
            let below = below.or_else(|| self.lattice.along(fall.column, fall.direction, 1));
            self.give(exchange, below.unwrap_or(fall.column), part, true);
        }
    }
}
