//! Algorithm 5 of [thompson2009]: flows, volumes and stability of regions.

use std::io;

use undine_sim::{Reader, Writer};

use super::column_class::{ClassThresholds, RegionKind};
use super::falls::Fall;
use super::lattice::Lattice;
use super::operations::RegionOperation;
use super::regions::Regions;

/// The constants of the thesis, in units of height where they are whole numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThesisConstants {
    /// C_tolerance and C_sharpdrop.
    pub thresholds: ClassThresholds,
    /// C_stable in m³/s.
    pub stable: f64,
    /// n_samples of the moving average.
    pub samples: usize,
    /// C_xsply, the spread of a waterfall's speed.
    pub spread: f64,
    /// f_drag of the traced drops in 1/s.
    pub drag: f64,
    /// Columns with this volume or less do not extend a region.
    pub film: i32,
}

/// The columns in the order of the lattice.
#[derive(Debug, Clone, Copy)]
pub struct Water<'a> {
    /// Bed in units.
    pub bed: &'a [i32],
    /// Volume in units.
    pub volume: &'a [i32],
}

impl Water<'_> {
    /// Level of the surface of a column in units.
    pub fn level(&self, column: usize) -> i64 {
        i64::from(self.bed[column]) + i64::from(self.volume[column])
    }
}

/// The pipes of faces: how a flow follows from the levels at both ends.
pub trait FacePipes {
    /// Advances the pipes between two columns by a step; returns their flow in m³/s, positive from the column of the
    /// lower to that of the higher index.
    fn advance(&mut self, face: usize, columns: [usize; 2], level: [i64; 2]) -> f64;

    /// Brings the water in the pipes of a face to rest.
    fn stop(&mut self, face: usize);
}

/// A step and the sizes of columns.
#[derive(Debug, Clone, Copy)]
pub struct StepPhysics {
    /// Length of the step in seconds.
    pub dt: f64,
    /// Gravity in m/s².
    pub gravity: f64,
    /// Metres per unit of height.
    pub delta: f64,
    /// Distance of columns along x and y in metres.
    pub spacing: [f64; 2],
    /// The highest level that a column may have, in units.
    pub ceiling: i64,
}

impl StepPhysics {
    /// m³ per unit of volume.
    pub fn unit_volume(&self) -> f64 {
        self.delta * self.spacing[0] * self.spacing[1]
    }
}

/// What was done during a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StepCounts {
    /// Faces whose flow was updated.
    pub flow_updates: u64,
    /// Columns whose volume was updated.
    pub volume_updates: u64,
    /// Drops that were moved, and drops that were traced to where they land.
    pub drop_updates: u64,
    /// Operations on regions.
    pub region_operations: u64,
    /// Regions that became stable or woke.
    pub sleep_transitions: u64,
}

/// Regions over the columns of a domain, and the flows between columns.
#[derive(Debug, Clone)]
pub struct ThesisManager {
    pub(super) lattice: Lattice,
    pub(super) constants: ThesisConstants,
    /// East, west, north, south: whether water leaves there.
    pub(super) is_side_open: [bool; 4],
    pub(super) regions: Regions,
    /// Whether water may pass a face between two regions.
    pub(super) is_connected: Vec<bool>,
    /// Whether a face carries the frozen outflow of a stable region.
    pub(super) is_frozen: Vec<bool>,
    /// Flow of a face in m³/s, to the east or north.
    pub(super) rate: Vec<f64>,
    /// What a face still owes of it, in units.
    pub(super) remainder: Vec<f64>,
    /// Units that pass a face during the step.
    flux: Vec<i64>,
    /// Units that leave a column during the step.
    outflow: Vec<i64>,
    /// The last step in which a source or waterfall poured into a column.
    held: Vec<u32>,
    step: u32,
    pub(super) last_dt: f64,
    /// Volume that stable regions gave away without losing it, less what they took in without gaining it, in units.
    withheld: i128,
    pub(super) counts: StepCounts,
    #[cfg(test)]
    operations: [u64; RegionOperation::ALL.len()],
    live_columns: Vec<u32>,
    live_faces: Vec<u32>,
    pub(super) falls: Vec<Fall>,
}

impl ThesisManager {
    /// A manager without regions; `is_side_open` in the order east, west, north, south.
    pub fn new(lattice: Lattice, constants: ThesisConstants, is_side_open: [bool; 4]) -> ThesisManager {
        let (columns, faces) = (lattice.count(), lattice.faces());
        ThesisManager {
            lattice,
            constants,
            is_side_open,
            regions: Regions::new(columns, constants.samples),
            is_connected: vec![false; faces],
            is_frozen: vec![false; faces],
            rate: vec![0.0; faces],
            remainder: vec![0.0; faces],
            flux: vec![0; faces],
            outflow: vec![0; columns],
            held: vec![0; columns],
            step: 1,
            last_dt: 0.0,
            withheld: 0,
            counts: StepCounts::default(),
            #[cfg(test)]
            operations: [0; RegionOperation::ALL.len()],
            live_columns: Vec::with_capacity(columns),
            live_faces: Vec::with_capacity(faces),
            falls: Vec::with_capacity(4 * columns.min(4096)),
        }
    }

    /// The kind of the region of a column and whether it is stable; `None` outside all regions.
    pub fn region_at(&self, column: usize) -> Option<(RegionKind, bool)> {
        let region = self.regions.get(self.regions.of(column)?);
        Some((region.kind, region.is_stable))
    }

    /// What was done since the last step began.
    pub fn counts(&self) -> StepCounts {
        self.counts
    }

    /// How often an operation was done since the start.
    #[cfg(test)]
    pub(super) fn operations(&self, operation: RegionOperation) -> u64 {
        self.operations[operation as usize]
    }

    /// Volume that stable regions made, in units; negative if they lost it.
    pub fn withheld(&self) -> i128 {
        self.withheld
    }

    /// Flow of a face in m³/s, to the east or north.
    pub fn rate(&self, face: usize) -> f64 {
        self.rate[face]
    }

    /// Counts an operation on regions.
    pub(super) fn count(&mut self, operation: RegionOperation) {
        #[cfg(test)]
        {
            self.operations[operation as usize] += 1;
        }
        let _ = operation;
        self.counts.region_operations += 1;
    }

    /// Something pours into a column during this step.
    pub(super) fn hold(&mut self, column: usize) {
        self.held[column] = self.step;
    }

    /// Whether something poured into a column during this step or the one before.
    pub(super) fn is_held(&self, column: usize) -> bool {
        self.held[column] > 0 && self.held[column] + 1 >= self.step
    }

    /// Updates all regions, then the flows and volumes of those that are awake. Sources come after it, by
    /// [`pour`](Self::pour), and [`finish`](Self::finish) ends the step.
    pub fn advance(
        &mut self,
        bed: &[i32],
        volume: &mut [i32],
        pipes: &mut impl FacePipes,
        physics: &StepPhysics,
    ) {
        self.counts = StepCounts::default();
        self.step += 1;
        let water = Water { bed, volume };
        self.update_landings(water, physics);
        for region in 0..self.regions.slots() {
            self.regions.get_mut(region).net_units = 0;
        }
        self.update_regions(water);
        self.gather(water, pipes);
        self.update_flow_rates(water, pipes, physics);
        self.limit_outflow(volume);
        self.update_volumes(bed, volume, physics);
    }

    /// Lists the columns of awake regions and the faces through which they exchange water. Water in closed pipes comes
    /// to rest.
    fn gather(&mut self, water: Water<'_>, pipes: &mut impl FacePipes) {
        self.live_columns.clear();
        self.live_faces.clear();
        self.falls.clear();
        for region in 0..self.regions.slots() {
            let slot = self.regions.get(region);
            if slot.count == 0 {
                continue;
            }
            if slot.kind == RegionKind::Waterfall {
                self.gather_falls(region, water);
            }
            if self.regions.get(region).is_stable {
                continue;
            }
            let mut cursor = self.regions.first(region);
            while let Some(column) = cursor {
                cursor = self.regions.after(column);
                self.live_columns.push(column as u32);
                self.gather_faces(region, column, water, pipes);
            }
        }
    }

    /// A face is listed by its column of the lower index, or by the other one where only that is awake.
    fn gather_faces(&mut self, region: usize, column: usize, water: Water<'_>, pipes: &mut impl FacePipes) {
        let lattice = self.lattice;
        for (direction, neighbour, face) in lattice.neighbours(column) {
            if !direction.is_forward() && self.regions.is_awake(neighbour) {
                continue;
            }
            let is_open = self.regions.of(neighbour) == Some(region)
                || (self.is_connected[face] && self.regions.of(neighbour).is_some());
            if self.is_falling([column, neighbour], water) {
                continue;
            } else if is_open {
                self.live_faces.push(face as u32);
            } else if self.rate[face] != 0.0 {
                pipes.stop(face);
                (self.rate[face], self.remainder[face]) = (0.0, 0.0);
            }
        }
    }

    /// UpdateFlowRates: eq. (4.6) for faces that are not frozen, and the whole units that pass.
    fn update_flow_rates(&mut self, water: Water<'_>, pipes: &mut impl FacePipes, physics: &StepPhysics) {
        for index in 0..self.live_faces.len() {
            let face = self.live_faces[index] as usize;
            let ends = self.lattice.ends(face);
            if !self.is_frozen[face] {
                self.rate[face] = pipes.advance(face, ends, ends.map(|column| water.level(column)));
                self.counts.flow_updates += 1;
            }
            self.quantise(face, ends, physics);
        }
        for index in 0..self.falls.len() {
            let Fall { face, column, is_forward, .. } = self.falls[index];
            let ends = self.lattice.ends(face);
            if self.regions.is_awake(column) {
                let rate = pipes.advance(face, ends, ends.map(|column| water.level(column)));
                // Nothing falls upwards
                self.rate[face] = if is_forward { rate.max(0.0) } else { rate.min(0.0) };
                self.counts.flow_updates += 1;
            }
            self.quantise(face, ends, physics);
        }
    }

    /// Whole units that pass a face, and the remainder that is left for the next step.
    fn quantise(&mut self, face: usize, ends: [usize; 2], physics: &StepPhysics) {
        let exact = self.rate[face] * physics.dt / physics.unit_volume() + self.remainder[face];
        let whole = exact.round();
        self.remainder[face] = exact - whole;
        // Far beyond what a column can hold, so that nothing overflows
        let units = whole.clamp(-1e12, 1e12) as i64;
        self.flux[face] = units;
        let donor = if units > 0 { ends[0] } else { ends[1] };
        self.outflow[donor] += units.abs();
    }

    /// Positivity limiter: what leaves an awake column through its faces is at most what it holds, shared by the faces
    /// in proportion. Stable columns give what is frozen.
    fn limit_outflow(&mut self, volume: &[i32]) {
        let faces = self.live_faces.iter().map(|face| *face as usize);
        for face in faces.chain(self.falls.iter().map(|fall| fall.face)) {
            let units = self.flux[face];
            let [low, high] = self.lattice.ends(face);
            let donor = if units > 0 { low } else { high };
            let held = i64::from(volume[donor].max(0));
            if self.outflow[donor] > held && self.regions.is_awake(donor) {
                let limited = i128::from(units) * i128::from(held) / i128::from(self.outflow[donor]);
                self.flux[face] = limited as i64;
                self.remainder[face] = 0.0;
            }
        }
    }

    /// UpdateVolumes: eqs. (4.8), (4.9) in whole units, and the net flow of regions, eq. (4.13).
    fn update_volumes(&mut self, bed: &[i32], volume: &mut [i32], physics: &StepPhysics) {
        let mut exchange = Exchange { bed, volume, ceiling: physics.ceiling };
        for index in 0..self.live_faces.len() {
            let face = self.live_faces[index] as usize;
            let [low, high] = self.lattice.ends(face);
            (self.outflow[low], self.outflow[high]) = (0, 0);
            let units = std::mem::take(&mut self.flux[face]);
            let is_seam = self.regions.of(low) != self.regions.of(high);
            self.give(&mut exchange, low, -units, is_seam);
            self.give(&mut exchange, high, units, is_seam);
        }
        for index in 0..self.falls.len() {
            self.pour_fall(index, &mut exchange);
        }
        self.counts.volume_updates += self.live_columns.len() as u64;
    }

    /// Units that a fall carries over its lip, outwards.
    pub(super) fn take_fall_flux(&mut self, fall: Fall) -> i64 {
        self.outflow[fall.column] = 0;
        let units = std::mem::take(&mut self.flux[fall.face]);
        if fall.is_forward { units } else { -units }
    }

    /// Changes the volume of an awake column; a stable one stays as it is, and the units are withheld.
    pub(super) fn give(&mut self, exchange: &mut Exchange<'_>, column: usize, units: i64, is_seam: bool) {
        if let Some(region) = self.regions.of(column).filter(|_| is_seam) {
            self.regions.get_mut(region).net_units += units;
        }
        let is_stable = self.regions.of(column).is_some() && !self.regions.is_awake(column);
        let given = if is_stable { 0 } else { exchange.add(column, units) };
        self.withheld += i128::from(given - units);
    }

    /// UpdateSources: a source or sink of a column during a step, in units. True if the region takes part, so that the
    /// caller is to add the units to the column; a stable one withholds them and counts them in its net flow. A source on
    /// bare ground gets a pooling region.
    pub fn pour(&mut self, column: usize, units: i64) -> bool {
        if units > 0 && self.regions.of(column).is_none() {
            self.found_pool(column);
        }
        if units > 0 {
            self.hold(column);
        }
        let Some(region) = self.regions.of(column) else { return true };
        let slot = self.regions.get_mut(region);
        slot.net_units += units;
        if slot.is_stable {
            self.withheld -= i128::from(units);
        }
        !slot.is_stable
    }

    /// Water that came in through the side of the domain beside a column, in units; negative if it left.
    pub fn record_side(&mut self, column: usize, units: i64) {
        if let Some(region) = self.regions.of(column) {
            self.regions.get_mut(region).net_units += units;
        }
    }

    /// Ends a step: samples of the net flow, and the regions that become stable or wake.
    pub fn finish(&mut self, physics: &StepPhysics) {
        self.last_dt = physics.dt;
        let unit = physics.unit_volume();
        for region in 0..self.regions.slots() {
            if self.regions.get(region).count > 0 {
                let idle = (self.idle_rate(region) * physics.dt / unit).clamp(-1e12, 1e12).round() as i64;
                let net = self.regions.get(region).net_units + idle;
                self.regions.net_flow.record(region, net, physics.dt);
            }
        }
        for region in 0..self.regions.slots() {
            let slot = self.regions.get(region);
            if slot.count == 0 {
                continue;
            }
            let average = self.regions.net_flow.average(region);
            let is_stable = average.is_some_and(|units| (units * unit).abs() < self.constants.stable);
            if is_stable != slot.is_stable {
                if is_stable { self.freeze(region) } else { self.thaw(region) }
            }
        }
    }

    /// Makes a region stable, with what flows out of it frozen.
    fn freeze(&mut self, region: usize) {
        self.regions.get_mut(region).is_stable = true;
        self.counts.sleep_transitions += 1;
        self.set_frozen(region, true);
        self.touch_region(region);
    }

    /// Wakes a region: its columns and its outflow are updated again.
    pub(super) fn thaw(&mut self, region: usize) {
        if self.regions.get(region).is_stable {
            self.regions.get_mut(region).is_stable = false;
            self.counts.sleep_transitions += 1;
            self.set_frozen(region, false);
            self.touch_region(region);
        }
    }

    fn set_frozen(&mut self, region: usize, is_frozen: bool) {
        let mut cursor = self.regions.first(region);
        while let Some(column) = cursor {
            cursor = self.regions.after(column);
            for (direction, neighbour, face) in self.lattice.neighbours(column) {
                let outward = if direction.is_forward() { self.rate[face] } else { -self.rate[face] };
                if outward > 0.0 && self.regions.of(neighbour) != Some(region) {
                    self.is_frozen[face] = is_frozen;
                }
            }
        }
    }

    /// The rate in m³/s at which water comes into a stable region over seams with other stable regions, which are not
    /// visited; summed when regions around it change.
    fn idle_rate(&mut self, region: usize) -> f64 {
        let slot = *self.regions.get(region);
        if !slot.is_stable {
            return 0.0;
        }
        if slot.is_idle_rate_stale {
            let mut sum = 0.0;
            for column in self.regions.columns(region) {
                for (direction, neighbour, face) in self.lattice.neighbours(column) {
                    let is_idle = self.is_connected[face]
                        && self.regions.of(neighbour).is_some_and(|other| other != region)
                        && !self.regions.is_awake(neighbour)
                        && !self.falls.iter().any(|fall| fall.face == face);
                    if is_idle {
                        sum += if direction.is_forward() { -self.rate[face] } else { self.rate[face] };
                    }
                }
            }
            let slot = self.regions.get_mut(region);
            (slot.idle_rate, slot.is_idle_rate_stale) = (sum, false);
        }
        self.regions.get(region).idle_rate
    }

    /// The bed has changed: all boundaries are looked at again.
    pub fn touch_all(&mut self) {
        for region in 0..self.regions.slots() {
            self.regions.get_mut(region).is_touched = true;
        }
    }

    /// Writes regions, flows and remainders.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        self.regions.save(to)?;
        let flags = self.is_connected.iter().zip(&self.is_frozen);
        to.records(
            "seams",
            flags.map(|(connected, frozen)| [u8::from(*connected) | u8::from(*frozen) << 1]),
        )?;
        to.values("flow of faces", &self.rate)?;
        to.values("remainder of faces", &self.remainder)?;
        to.values("last pour into columns", &self.held)?;
        to.number("last step", self.last_dt)?;
        to.integer("manager steps", u64::from(self.step))?;
        let [low, high] = [self.withheld as u64, (self.withheld >> 64) as u64];
        to.values("withheld", &[low, high])
    }

    /// Reads what [`save`](Self::save) wrote, for the same lattice and number of samples.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.regions.restore(from)?;
        let (connected, frozen) = (&mut self.is_connected, &mut self.is_frozen);
        let mut face = 0;
        from.records("seams", |[flags]: [u8; 1]| {
            if face < connected.len() {
                (connected[face], frozen[face]) = (flags & 1 != 0, flags & 2 != 0);
            }
            face += 1;
        })?;
        from.values_into("flow of faces", &mut self.rate)?;
        from.values_into("remainder of faces", &mut self.remainder)?;
        from.values_into("last pour into columns", &mut self.held)?;
        self.last_dt = from.number("last step")?;
        self.step = from.integer("manager steps")? as u32;
        let [low, high] = from.array::<u64, 2>("withheld")?;
        self.withheld = i128::from(high as i64) << 64 | i128::from(low);
        self.falls.clear();
        self.counts = StepCounts::default();
        Ok(())
    }
}

/// Columns whose volumes change.
pub(super) struct Exchange<'a> {
    bed: &'a [i32],
    volume: &'a mut [i32],
    ceiling: i64,
}

impl Exchange<'_> {
    /// Adds units to a column, at most up to the ceiling and down to nothing; returns what was added.
    fn add(&mut self, column: usize, units: i64) -> i64 {
        let held = i64::from(self.volume[column]);
        let room = (self.ceiling - i64::from(self.bed[column])).clamp(0, i64::from(i32::MAX)).max(held);
        let after = (held + units).clamp(0, room);
        self.volume[column] = after as i32;
        after - held
    }
}
