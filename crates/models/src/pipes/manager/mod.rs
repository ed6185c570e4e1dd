//! Managers: which tiles a step visits, and what becomes of the water that reaches the others.
//!
//! A step asks its manager before it begins, visits the tiles that are awake, and tells the manager what was moved. The
//! manager may change the columns of tiles that sleep; every unit that it holds itself is counted in [`Manager::held`].

mod exact;
mod pools;
mod seams;
mod window;

use std::io;

use undine_sim::{Reader, Writer};

pub(super) use exact::Exact;

use super::columns::Columns;
use super::pipe_set::PipeSet;
use super::tiling::TILES_PER_TASK;
use super::visits::Visits;
use super::volume_update::{SumsOfTiles, TileSums};

/// The parts of the water that a manager sees and may change.
pub(super) struct ManagedWater<'a> {
    pub columns: &'a mut Columns,
    pub sets: &'a mut [PipeSet],
    pub visits: &'a mut Visits,
    pub sums: &'a mut SumsOfTiles,
    /// Depth in units above which a column counts as wet.
    pub film: i32,
    /// Units of rain that each tile has still to be given.
    pub rain_owed: &'a dyn Fn(usize) -> i64,
}

/// A step as its manager sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ManagedStep {
    /// Time at its end, and its length.
    pub time: f64,
    pub dt: f64,
}

/// Decides which tiles a step visits.
pub(super) trait Manager: Send + Sync {
    /// After the pipes have moved their transfers: what sleeping tiles received is in their sums.
    fn conclude(&mut self, water: &mut ManagedWater<'_>, step: ManagedStep);

    /// At the end of a step: wakes the tiles that the next one must visit.
    fn prepare(&mut self, water: &mut ManagedWater<'_>);

    /// Adds units to a stored column of a sleeping tile, or takes them when negative; answers how many.
    fn book(&mut self, water: &mut ManagedWater<'_>, index: usize, units: i32) -> i32;

    /// Wakes a tile, because something beside pipes and sources changes it.
    fn wake(&mut self, water: &mut ManagedWater<'_>, tile: usize);

    /// How often a tile has fallen asleep and woken.
    #[cfg(any(test, feature = "checks"))]
    fn transitions(&self) -> [u64; 2];

    /// Bytes held.
    #[cfg(test)]
    fn bytes(&self) -> usize;

    /// Units that are in no column.
    fn held(&self) -> i128;

    /// Writes its state.
    fn save(&self, visits: &Visits, to: &mut Writer<'_>) -> io::Result<()>;

    /// Restores what it wrote, or what another manager did; the water's columns are restored already.
    fn restore(&mut self, water: &mut ManagedWater<'_>, from: &mut Reader<'_>) -> io::Result<()>;
}

impl ManagedWater<'_> {
    pub fn sums(&mut self, tile: usize) -> &mut TileSums {
        &mut self.sums[tile / TILES_PER_TASK][tile % TILES_PER_TASK]
    }

    /// Adds units to a stored column, or takes them when negative, by its manager where it sleeps; answers how many.
    pub fn exchange(&mut self, manager: &mut Option<Box<dyn Manager>>, index: usize, units: i32) -> i32 {
        match manager {
            Some(manager) if !self.visits.is_awake(index / self.columns.tiling.tile_len()) => {
                manager.book(self, index, units)
            }
            _ => self.add(index, units),
        }
    }

    /// Adds units to a stored column, within what it holds and its headroom; answers how many.
    pub fn add(&mut self, index: usize, units: i32) -> i32 {
        let units = units.clamp(-self.columns.volume[index], self.columns.headroom(index));
        self.columns.add(index, units, self.film, self.sums);
        units
    }
}
