//! The pipes between two sleeping tiles: they pass on the flow that they had.

use std::io;

use undine_sim::{Reader, Writer};

use super::super::pipe_set::PipeSet;
use super::super::tiling::Tiling;
use super::ManagedWater;

/// All pipes between two tiles that sleep.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Seam {
    from: usize,
    to: usize,
    /// Units per second.
    flow: f64,
    /// What rounding has left over.
    remainder: f64,
}

/// The seams through which water flows.
#[derive(Debug, Clone, Default)]
pub(super) struct Seams {
    flowing: Vec<Seam>,
}

impl Seams {
    /// Keeps the mean flows between a tile that has fallen asleep and those beside it that sleep. The mean is that of the
    /// tile's window: what sways to and fro carries nothing.
    pub fn freeze(&mut self, water: &ManagedWater<'_>, means: &SeamMeans, tile: usize) {
        let tiling = water.columns.tiling;
        for index in 0..9 {
            let beside = tiling.neighbour(tile, place(index));
            let Some(beside) = beside.filter(|&beside| beside != tile && !water.visits.is_awake(beside))
            else {
                continue;
            };
            let flow = means.sums[tile][index] / f64::from(means.samples[tile].max(1));
            if flow != 0.0 {
                self.flowing.push(Seam { from: beside, to: tile, flow, remainder: 0.0 });
            }
        }
    }

    /// Forgets the flows of a tile that wakes.
    pub fn thaw(&mut self, tile: usize) {
        self.flowing.retain(|seam| seam.from != tile && seam.to != tile);
    }

    /// Stops the flows between tiles of a pool.
    pub fn still(&mut self, is_in_pool: impl Fn(usize) -> bool) {
        self.flowing.retain(|seam| !(is_in_pool(seam.from) && is_in_pool(seam.to)));
    }

    /// Moves what flows in `dt` from account to account.
    pub fn pass_on(&mut self, dt: f64, accounts: &mut [i64]) {
        for seam in &mut self.flowing {
            let wanted = seam.flow * dt + seam.remainder;
            let whole = wanted.round_ties_even();
            seam.remainder = wanted - whole;
            accounts[seam.from] -= whole as i64;
            accounts[seam.to] += whole as i64;
        }
    }

    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        let bits =
            |seam: &Seam| [seam.from as u64, seam.to as u64, seam.flow.to_bits(), seam.remainder.to_bits()];
        to.records("seams", self.flowing.iter().map(bits))
    }

    pub fn restore(&mut self, tiling: &Tiling, from: &mut Reader<'_>) -> io::Result<()> {
        self.flowing.clear();
        let mut is_sound = true;
        from.records("seams", |[from, to, flow, remainder]: [u64; 4]| {
            is_sound &= from.max(to) < tiling.count() as u64;
            let (flow, remainder) = (f64::from_bits(flow), f64::from_bits(remainder));
            self.flowing.push(Seam { from: from as usize, to: to as usize, flow, remainder });
        })?;
        if is_sound {
            return Ok(());
        }
        self.flowing.clear();
        Err(io::Error::new(io::ErrorKind::InvalidData, "the saved seams are of other tiles"))
    }
}

/// Sum of the flows of all pipes from one tile to another beside it, in units per second.
fn flow_between(sets: &[PipeSet], tiling: &Tiling, from: usize, to: usize) -> f64 {
    // The pipes of one tile's columns whose neighbours lie in the other: they are on the side that faces it
    let one_way = |set: &PipeSet, of: usize, beside: usize| -> f64 {
        let is_in = |cell: [usize; 2]| {
            tiling.beside(cell, set.direction.offset).is_some_and(|cell| tiling.tile_of(cell) == beside)
        };
        let flow = |cell| f64::from(set.values[PipeSet::flow_index(tiling, tiling.index(cell))]);
        tiling.facing(of, beside).filter(|&cell| is_in(cell)).map(flow).sum()
    };
    sets.iter().map(|set| one_way(set, to, from) - one_way(set, from, to)).sum()
}

/// The flows from the eight tiles around each tile that is awake, summed over the samples of its window.
#[derive(Debug, Clone, Default)]
pub(super) struct SeamMeans {
    sums: Vec<[f64; 9]>,
    samples: Vec<u32>,
}

impl SeamMeans {
    pub fn new(tiling: &Tiling) -> SeamMeans {
        SeamMeans { sums: vec![[0.0; 9]; tiling.count()], samples: vec![0; tiling.count()] }
    }

    /// Adds the flows of now to those of a tile's window, or to a new one.
    pub fn sample(&mut self, water: &ManagedWater<'_>, tile: usize, is_new: bool) {
        let tiling = water.columns.tiling;
        if is_new {
            (self.sums[tile], self.samples[tile]) = ([0.0; 9], 0);
        }
        self.samples[tile] += 1;
        for (index, sum) in self.sums[tile].iter_mut().enumerate() {
            if let Some(beside) = tiling.neighbour(tile, place(index)).filter(|&beside| beside != tile) {
                *sum += flow_between(water.sets, &tiling, beside, tile);
            }
        }
    }

    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.values("seam samples", &self.samples)?;
        to.values("seam sums", self.sums.as_flattened())
    }

    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        from.values_into("seam samples", &mut self.samples)?;
        from.values_into("seam sums", self.sums.as_flattened_mut())
    }
}

/// The offset of one of the nine tiles around a tile.
fn place(index: usize) -> [isize; 2] {
    [index as isize % 3 - 1, index as isize / 3 - 1]
}
