//! Regions: disjoint sets of columns, each with its kind, its stability and the samples of its net flow.
//!
//! The thesis writes them as sets of heights, in which equal heights vanish; here they are lists of columns. A column
//! knows its region, and the lists run through the columns themselves, so that joining two regions moves none. Slots for
//! regions are reserved in advance; where they run out, no region is made.

use std::io;

use undine_sim::{Reader, Writer};

use super::column_class::RegionKind;
use super::net_flow::NetFlow;

/// The region of a column that belongs to none, and the end of a list.
pub const NONE: u32 = u32::MAX;

/// Slots of regions at most.
const MAX_SLOTS: usize = 4096;

/// A region.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Region {
    /// Its kind.
    pub kind: RegionKind,
    /// Whether its simulation is stopped.
    pub is_stable: bool,
    /// Whether something beside it has changed since its boundary was looked at.
    pub is_touched: bool,
    /// Number of its columns; 0 in a free slot.
    pub count: u32,
    first: u32,
    last: u32,
    /// Volume that came in during this step, in units, sources counted.
    pub net_units: i64,
    /// Rate of the seams with other stable regions, m³/s inwards: they are not visited.
    pub idle_rate: f64,
    /// Whether `idle_rate` is to be summed anew.
    pub is_idle_rate_stale: bool,
    /// For a waterfall: the columns on which it lands in each direction, counted from its own.
    pub landing: [[u32; 2]; 4],
}

const FREE: Region = Region {
    kind: RegionKind::Pooling,
    is_stable: false,
    is_touched: true,
    count: 0,
    first: NONE,
    last: NONE,
    net_units: 0,
    idle_rate: 0.0,
    is_idle_rate_stale: true,
    landing: [[0; 2]; 4],
};

/// All regions, and the region of each column.
#[derive(Debug, Clone)]
pub struct Regions {
    owner: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    slots: Vec<Region>,
    /// The moving averages of the slots.
    pub net_flow: NetFlow,
}

impl Regions {
    /// No region over a number of columns; averages are taken over `samples` steps.
    pub fn new(columns: usize, samples: usize) -> Regions {
        let slots = columns.min(MAX_SLOTS);
        Regions {
            owner: vec![NONE; columns],
            next: vec![NONE; columns],
            previous: vec![NONE; columns],
            slots: vec![FREE; slots],
            net_flow: NetFlow::new(slots, samples),
        }
    }

    /// The region of a column.
    pub fn of(&self, column: usize) -> Option<usize> {
        (self.owner[column] != NONE).then_some(self.owner[column] as usize)
    }

    /// The kind of the region of a column.
    pub fn kind_of(&self, column: usize) -> Option<RegionKind> {
        self.of(column).map(|region| self.slots[region].kind)
    }

    /// Whether a column is simulated: it belongs to a region that is not stable.
    pub fn is_awake(&self, column: usize) -> bool {
        self.of(column).is_some_and(|region| !self.slots[region].is_stable)
    }

    /// A region by its slot.
    pub fn get(&self, region: usize) -> &Region {
        &self.slots[region]
    }

    /// A region by its slot, to be changed.
    pub fn get_mut(&mut self, region: usize) -> &mut Region {
        &mut self.slots[region]
    }

    /// The number of slots.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    /// The slots in use, in their order.
    pub fn live(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.slots.len()).filter(|slot| self.slots[*slot].count > 0)
    }

    /// The columns of a region, in the order of its list.
    pub fn columns(&self, region: usize) -> impl Iterator<Item = usize> + '_ {
        let first = self.first(region);
        std::iter::successors(first, |column| self.after(*column))
    }

    /// The first column of a region's list.
    pub fn first(&self, region: usize) -> Option<usize> {
        (self.slots[region].first != NONE).then_some(self.slots[region].first as usize)
    }

    /// The column after another one in the list of its region.
    pub fn after(&self, column: usize) -> Option<usize> {
        (self.next[column] != NONE).then_some(self.next[column] as usize)
    }

    /// A new region without columns; `None` where every slot is in use.
    pub fn create(&mut self, kind: RegionKind) -> Option<usize> {
        let slot = self.slots.iter().position(|region| region.count == 0)?;
        self.slots[slot] = Region { kind, ..FREE };
        self.net_flow.clear(slot);
        Some(slot)
    }

    /// Adds a column that belongs to no region at the end of a region's list.
    pub fn add(&mut self, region: usize, column: usize) {
        let last = self.slots[region].last;
        self.owner[column] = region as u32;
        (self.previous[column], self.next[column]) = (last, NONE);
        match last {
            NONE => self.slots[region].first = column as u32,
            last => self.next[last as usize] = column as u32,
        }
        let slot = &mut self.slots[region];
        slot.last = column as u32;
        slot.count += 1;
    }

    /// Takes a column out of its region, which is gone with its last column. Returns the region.
    pub fn remove(&mut self, column: usize) -> Option<usize> {
        let region = self.of(column)?;
        let (previous, next) = (self.previous[column], self.next[column]);
        match previous {
            NONE => self.slots[region].first = next,
            previous => self.next[previous as usize] = next,
        }
        match next {
            NONE => self.slots[region].last = previous,
            next => self.previous[next as usize] = previous,
        }
        self.slots[region].count -= 1;
        (self.owner[column], self.next[column], self.previous[column]) = (NONE, NONE, NONE);
        Some(region)
    }

    /// Joins two regions: the larger one, or that of the lower slot, takes over the columns of the other and stays as it
    /// is but awake, with no samples yet. Returns which one stayed.
    pub fn merge(&mut self, a: usize, b: usize) -> usize {
        let is_first_kept = (self.slots[a].count, b) >= (self.slots[b].count, a);
        let (kept, gone) = if is_first_kept { (a, b) } else { (b, a) };
        let mut cursor = self.first(gone);
        while let Some(column) = cursor {
            cursor = self.after(column);
            self.owner[column] = kept as u32;
        }
        let Region { first, count, last: end, .. } = self.slots[gone];
        let last = self.slots[kept].last;
        self.next[last as usize] = first;
        self.previous[first as usize] = last;
        let net_units = self.slots[gone].net_units;
        let slot = &mut self.slots[kept];
        slot.last = end;
        slot.count += count;
        slot.net_units += net_units;
        (slot.is_stable, slot.is_touched, slot.is_idle_rate_stale) = (false, true, true);
        self.slots[gone] = FREE;
        self.net_flow.clear(kept);
        kept
    }

    /// Writes every region.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.values("region of columns", &self.owner)?;
        to.values("next column of a region", &self.next)?;
        to.values("previous column of a region", &self.previous)?;
        to.records("regions", self.slots.iter().map(Region::numbers))?;
        to.records("idle rates of regions", self.slots.iter().map(|region| [region.idle_rate]))?;
        self.net_flow.save(to)
    }

    /// Reads what [`save`](Regions::save) wrote, for as many columns.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        from.values_into("region of columns", &mut self.owner)?;
        from.values_into("next column of a region", &mut self.next)?;
        from.values_into("previous column of a region", &mut self.previous)?;
        let slots = &mut self.slots;
        let mut index = 0;
        from.records("regions", |numbers: [u64; 15]| {
            if let Some(slot) = slots.get_mut(index) {
                *slot = Region::from_numbers(numbers);
            }
            index += 1;
        })?;
        index = 0;
        from.records("idle rates of regions", |[rate]: [f64; 1]| {
            if let Some(slot) = slots.get_mut(index) {
                slot.idle_rate = rate;
            }
            index += 1;
        })?;
        let columns = self.owner.len() as u32;
        let links = self.next.iter().chain(&self.previous).all(|link| *link == NONE || *link < columns);
        let owners = self.owner.iter().all(|owner| *owner == NONE || (*owner as usize) < self.slots.len());
        if !links || !owners {
            let message = "the regions of the columns are damaged";
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        self.net_flow.restore(from)
    }
}

impl Region {
    fn numbers(&self) -> [u64; 15] {
        let flags = u64::from(self.is_stable)
            | u64::from(self.is_touched) << 1
            | u64::from(self.is_idle_rate_stale) << 2;
        let mut numbers = [0; 15];
        numbers[..7].copy_from_slice(&[
            u64::from(self.kind.code()),
            flags,
            u64::from(self.count),
            u64::from(self.first),
            u64::from(self.last),
            self.net_units as u64,
            0,
        ]);
        for (place, value) in numbers[7..].iter_mut().zip(self.landing.as_flattened()) {
            *place = u64::from(*value);
        }
        numbers
    }

    fn from_numbers(numbers: [u64; 15]) -> Region {
        let kind = RegionKind::ALL.get(numbers[0] as usize).copied().unwrap_or(RegionKind::Pooling);
        let landing = std::array::from_fn(|lip| [numbers[7 + 2 * lip] as u32, numbers[8 + 2 * lip] as u32]);
        Region {
            kind,
            is_stable: numbers[1] & 1 != 0,
            is_touched: numbers[1] & 2 != 0,
            is_idle_rate_stale: numbers[1] & 4 != 0,
            count: numbers[2] as u32,
            first: numbers[3] as u32,
            last: numbers[4] as u32,
            net_units: numbers[5] as i64,
            idle_rate: 0.0,
            landing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(regions: &Regions, region: usize) -> Vec<usize> {
        regions.columns(region).collect()
    }

    #[test]
    fn columns_come_and_go_in_the_order_of_the_list() {
        let mut regions = Regions::new(6, 4);
        let pool = regions.create(RegionKind::Pooling).unwrap();
        for column in [3, 1, 4, 0] {
            regions.add(pool, column);
        }
        assert_eq!(list(&regions, pool), [3, 1, 4, 0]);
        assert_eq!(regions.remove(1), Some(pool));
        assert_eq!(regions.remove(3), Some(pool));
        assert_eq!(regions.remove(3), None);
        assert_eq!((list(&regions, pool), regions.get(pool).count), (vec![4, 0], 2));
        regions.remove(0);
        regions.remove(4);
        assert_eq!(regions.live().count(), 0);
    }

    #[test]
    fn the_larger_region_takes_over_and_forgets_its_samples() {
        let mut regions = Regions::new(6, 1);
        let [small, large] = [RegionKind::Flowing, RegionKind::Pooling].map(|kind| {
            let region = regions.create(kind).unwrap();
            let columns: &[usize] = if kind == RegionKind::Flowing { &[0] } else { &[1, 2] };
            columns.iter().for_each(|column| regions.add(region, *column));
            region
        });
        regions.net_flow.record(large, 7, 0.5);
        regions.get_mut(large).is_stable = true;
        assert_eq!(regions.merge(small, large), large);
        assert_eq!(list(&regions, large), [1, 2, 0]);
        assert!(!regions.get(large).is_stable && regions.net_flow.average(large).is_none());
        assert_eq!(regions.live().collect::<Vec<_>>(), [large]);
        assert!((0..3).all(|column| regions.of(column) == Some(large)));
        // The other way round the same one stays
        let single = regions.create(RegionKind::Pooling).unwrap();
        regions.add(single, 5);
        assert_eq!(regions.merge(large, single), large);
        assert_eq!(list(&regions, large), [1, 2, 0, 5]);
    }

    #[test]
    fn no_region_is_made_without_a_free_slot() {
        let mut regions = Regions::new(2, 4);
        for column in 0..2 {
            let region = regions.create(RegionKind::Pooling).unwrap();
            regions.add(region, column);
        }
        assert_eq!(regions.create(RegionKind::Pooling), None);
    }

    #[test]
    fn saved_regions_come_back() {
        let mut regions = Regions::new(5, 2);
        let fall = regions.create(RegionKind::Waterfall).unwrap();
        regions.add(fall, 4);
        *regions.get_mut(fall) = Region {
            landing: [[1, 2], [3, 4], [5, 6], [7, 8]],
            idle_rate: -0.25,
            net_units: -3,
            ..*regions.get(fall)
        };
        regions.net_flow.record(fall, -5, 0.1);
        let mut bytes = Vec::new();
        regions.save(&mut Writer::new(&mut bytes)).unwrap();
        let mut restored = Regions::new(5, 2);
        restored.restore(&mut Reader::new(&bytes)).unwrap();
        assert_eq!((restored.slots, restored.owner), (regions.slots, regions.owner));
        assert_eq!(restored.net_flow, regions.net_flow);
    }
}
