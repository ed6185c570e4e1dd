//! The pipes between two sleeping tiles: they pass on the flow that they had, and what has gathered on the accounts.
//!
//! A seam from tile i to tile j carries f_ij, the mean flow over the window before the tiles fell asleep. Frozen flows of
//! different windows do not balance to the unit, and what comes to a tile may change a little; the difference gathers on
//! its account a_i. Each sleeping tile is therefore a linear reservoir as well, which gives its account to the seams that
//! lead out of it, in proportion to their flows, within a time τ_i:
//!
//! ```text
//! F_ij = f_ij + (a_i/τ_i) f_ij/Σ_k f_ik ≥ 0
//! ```
//!
//! τ_i is the window of the tile, or what its water would take by itself if that is less: by Manning, Q ∝ V^(5/3), so that
//! dV/dQ = 3V/(5Q). A steady surplus ΔQ then leaves a_i = τ_i ΔQ standing and runs on downstream. A tile wakes when its
//! account leaves the band, which is where ΔQ would have kept it from falling asleep.

use std::io;

use undine_sim::{Reader, Writer};

use super::super::pipe_set::PipeSet;
use super::super::tiling::{TILES_PER_TASK, Tiling};
use super::ManagedWater;

/// All pipes between two tiles that sleep.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Seam {
    from: usize,
    to: usize,
    /// f in units per second, greater than 0.
    flow: f64,
    /// What rounding has left over.
    remainder: f64,
}

/// The seams through which water flows.
#[derive(Debug, Clone, Default)]
pub(super) struct Seams {
    flowing: Vec<Seam>,
    /// The least window of each tile in seconds, and the volume with which it fell asleep in units.
    times: Vec<f64>,
    volumes: Vec<f64>,
    /// Σ_k f_ik of each tile, while `is_summed`.
    outflow: Vec<f64>,
    is_summed: bool,
}

impl Seams {
    pub fn new(tiling: &Tiling) -> Seams {
        Seams {
            times: vec![f64::INFINITY; tiling.count()],
            volumes: vec![0.0; tiling.count()],
            outflow: vec![0.0; tiling.count()],
            ..Seams::default()
        }
    }

    /// Keeps the mean flows between a tile that has fallen asleep and those beside it that sleep. The mean is that of the
    /// tile's window: what sways to and fro carries nothing. `time` is its least window.
    pub fn freeze(&mut self, water: &ManagedWater<'_>, means: &SeamMeans, tile: usize, time: f64) {
        let tiling = water.columns.tiling;
        self.times[tile] = time;
        self.volumes[tile] = water.sums[tile / TILES_PER_TASK][tile % TILES_PER_TASK].total as f64;
        for index in 0..9 {
            let beside = tiling.neighbour(tile, place(index));
            let Some(beside) = beside.filter(|&beside| beside != tile && !water.visits.is_awake(beside))
            else {
                continue;
            };
            let flow = means.sums[tile][index] / f64::from(means.samples[tile].max(1));
            let [from, to] = if flow > 0.0 { [beside, tile] } else { [tile, beside] };
            if flow != 0.0 {
                self.flowing.push(Seam { from, to, flow: flow.abs(), remainder: 0.0 });
                self.is_summed = false;
            }
        }
    }

    /// Forgets the flows of a tile that wakes, after they have flowed for the time `due`.
    pub fn thaw(&mut self, tile: usize, due: f64, before: &[i64], raised: &[i64], accounts: &mut [i64]) {
        if due > 0.0 {
            self.pass_on_where(|seam| seam.from == tile || seam.to == tile, due, before, raised, accounts);
        }
        self.retain(|seam| seam.from != tile && seam.to != tile);
    }

    /// Stops the flows between tiles of a pool.
    pub fn still(&mut self, is_in_pool: impl Fn(usize) -> bool) {
        self.retain(|seam| !(is_in_pool(seam.from) && is_in_pool(seam.to)));
    }

    /// The tiles of a pool from which water flows to others, in order.
    pub fn outlets(&self, is_in_pool: impl Fn(usize) -> bool) -> Vec<usize> {
        let flows_out = |seam: &&Seam| is_in_pool(seam.from) && !is_in_pool(seam.to);
        let mut tiles: Vec<usize> = self.flowing.iter().filter(flows_out).map(|seam| seam.from).collect();
        tiles.sort_unstable();
        tiles.dedup();
        tiles
    }

    fn retain(&mut self, keep: impl Fn(&Seam) -> bool) {
        let before = self.flowing.len();
        self.flowing.retain(keep);
        self.is_summed &= self.flowing.len() == before;
    }

    /// Moves what flows in `dt` from account to account. `before` are the accounts at the beginning of the step, when what
    /// sources have added since has not run on yet.
    pub fn pass_on(&mut self, dt: f64, before: &[i64], raised: &[i64], accounts: &mut [i64]) {
        self.pass_on_where(|_| true, dt, before, raised, accounts);
    }

    /// The least window of a tile in seconds.
    pub fn time(&self, tile: usize) -> f64 {
        self.times[tile]
    }

    fn pass_on_where(
        &mut self,
        is_due: impl Fn(&Seam) -> bool,
        dt: f64,
        before: &[i64],
        raised: &[i64],
        accounts: &mut [i64],
    ) {
        if !self.is_summed {
            self.outflow.fill(0.0);
            self.flowing.iter().for_each(|seam| self.outflow[seam.from] += seam.flow);
            self.is_summed = true;
        }
        for seam in self.flowing.iter_mut().filter(|seam| is_due(seam)) {
            let gathered = (before[seam.from] + raised[seam.from]) as f64;
            let outflow = self.outflow[seam.from];
            let time = self.times[seam.from].min(0.6 * self.volumes[seam.from] / outflow).max(dt);
            let flow = seam.flow * (1.0 + gathered / (time * outflow)).max(0.0);
            let wanted = flow * dt + seam.remainder;
            let whole = wanted.round_ties_even();
            seam.remainder = wanted - whole;
            accounts[seam.from] -= whole as i64;
            accounts[seam.to] += whole as i64;
        }
    }

    /// Bytes held.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.flowing.capacity() * size_of::<Seam>()
            + 8 * (self.times.len() + self.volumes.len() + self.outflow.len())
    }

    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        let bits =
            |seam: &Seam| [seam.from as u64, seam.to as u64, seam.flow.to_bits(), seam.remainder.to_bits()];
        to.records("seams", self.flowing.iter().map(bits))?;
        to.values("seam times", &self.times)?;
        to.values("seam volumes", &self.volumes)
    }

    pub fn restore(&mut self, tiling: &Tiling, from: &mut Reader<'_>) -> io::Result<()> {
        self.flowing.clear();
        self.is_summed = false;
        let mut is_sound = true;
        from.records("seams", |[from, to, flow, remainder]: [u64; 4]| {
            let (flow, remainder) = (f64::from_bits(flow), f64::from_bits(remainder));
            is_sound &= from.max(to) < tiling.count() as u64 && flow > 0.0 && flow.is_finite();
            self.flowing.push(Seam { from: from as usize, to: to as usize, flow, remainder });
        })?;
        if !is_sound {
            self.flowing.clear();
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the saved seams are of other tiles"));
        }
        from.values_into("seam times", &mut self.times)?;
        from.values_into("seam volumes", &mut self.volumes)
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
    /// Sums of the squares of all nine.
    squares: Vec<f64>,
    samples: Vec<u32>,
}

impl SeamMeans {
    pub fn new(tiling: &Tiling) -> SeamMeans {
        SeamMeans {
            sums: vec![[0.0; 9]; tiling.count()],
            squares: vec![0.0; tiling.count()],
            samples: vec![0; tiling.count()],
        }
    }

    /// Adds the flows of now to those of a tile's window, or to a new one.
    pub fn sample(&mut self, water: &ManagedWater<'_>, tile: usize, is_new: bool) {
        let tiling = water.columns.tiling;
        if is_new {
            (self.sums[tile], self.squares[tile], self.samples[tile]) = ([0.0; 9], 0.0, 0);
        }
        self.samples[tile] += 1;
        for (index, sum) in self.sums[tile].iter_mut().enumerate() {
            if let Some(beside) = tiling.neighbour(tile, place(index)).filter(|&beside| beside != tile) {
                let flow = flow_between(water.sets, &tiling, beside, tile);
                *sum += flow;
                self.squares[tile] += flow * flow;
            }
        }
    }

    /// Half of the mean flows over all seams of a tile, in units per second: what passes through it.
    pub fn passing(&self, tile: usize) -> f64 {
        let sum: f64 = self.sums[tile].iter().map(|sum| sum.abs()).sum();
        0.5 * sum / f64::from(self.samples[tile].max(1))
    }

    /// Standard deviation of the flows to a tile over its window, in units per second.
    pub fn deviation(&self, tile: usize) -> f64 {
        let samples = f64::from(self.samples[tile].max(1));
        let means = self.sums[tile].iter().map(|sum| (sum / samples).powi(2)).sum::<f64>();
        (self.squares[tile] / samples - means).max(0.0).sqrt()
    }

    /// Bytes held.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.sums.len() * (9 * 8 + 8 + 4)
    }

    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.values("seam samples", &self.samples)?;
        to.values("seam sums", self.sums.as_flattened())?;
        to.values("seam squares", &self.squares)
    }

    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        from.values_into("seam samples", &mut self.samples)?;
        from.values_into("seam sums", self.sums.as_flattened_mut())?;
        from.values_into("seam squares", &mut self.squares)
    }
}

/// The offset of one of the nine tiles around a tile.
fn place(index: usize) -> [isize; 2] {
    [index as isize % 3 - 1, index as isize / 3 - 1]
}
