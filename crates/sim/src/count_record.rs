//! The counts of all frames so far, for plots beside pictures. They belong to the state of a runner, so that a run that
//! is resumed, or taken back, draws the same pictures.

use std::io;

use undine_frame::{CounterHistory, Shared};

use crate::{Counters, Reader, Water, Writer, next_stamp};

/// The history of every counter of every water, in the order of the file.
#[derive(Debug, Clone)]
pub(crate) struct CountRecord {
    pub histories: Vec<CounterHistory>,
    /// The stamps of the last changes of the blocks of each history.
    stamps: Vec<Vec<u64>>,
}

impl CountRecord {
    /// The record of the first frame.
    pub fn new(waters: &[Water], fps: f64) -> CountRecord {
        let mut histories = Vec::new();
        for water in waters {
            let prefix = if waters.len() > 1 { format!("{}.", water.name) } else { String::new() };
            for counter in water.simulation.counters().at_start().iter() {
                let name = format!("{prefix}{}", counter.name);
                let mut history = CounterHistory::new(name, counter.unit.to_owned(), 1.0 / fps);
                history.push(counter.count);
                histories.push(history);
            }
        }
        let mut record = CountRecord { stamps: vec![Vec::new(); histories.len()], histories };
        record.stamp();
        record
    }

    /// Adds a frame.
    pub fn add(&mut self, counters: &[Counters]) {
        let counts = counters.iter().flat_map(Counters::iter).map(|counter| counter.count);
        for ((history, stamps), count) in self.histories.iter_mut().zip(&mut self.stamps).zip(counts) {
            history.push(count);
            // Blocks before the last one are full
            stamps.truncate(history.blocks.len().saturating_sub(1));
            stamps.resize_with(history.blocks.len(), next_stamp);
        }
    }

    /// Stamps all blocks.
    fn stamp(&mut self) {
        for (history, stamps) in self.histories.iter().zip(&mut self.stamps) {
            stamps.clear();
            stamps.resize_with(history.blocks.len(), next_stamp);
        }
    }

    /// Writes the full blocks of all histories, which stay where they are, and then the last blocks, which grow.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.integer("counters", self.histories.len() as u64)?;
        for (history, stamps) in self.histories.iter().zip(&self.stamps) {
            let full = history.blocks.len().saturating_sub(1);
            to.integer("blocks", full as u64)?;
            for (block, stamp) in history.blocks[..full].iter().zip(stamps) {
                to.tiles("counts", block, std::slice::from_ref(stamp))?;
            }
        }
        let last = |history: &CounterHistory| history.blocks.last().cloned().unwrap_or_default();
        self.histories.iter().try_for_each(|history| to.values("last counts", &last(history)))
    }

    /// Restores what was saved. Counters of which nothing was saved begin anew.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        let mut saved = Vec::new();
        for _ in 0..from.integer("counters")? {
            let mut blocks: Vec<Shared<f32>> = Vec::new();
            for _ in 0..from.integer("blocks")? {
                let mut block = Vec::new();
                from.list_into("counts", &mut block)?;
                blocks.push(block.into());
            }
            saved.push(blocks);
        }
        for blocks in &mut saved {
            let mut block = Vec::new();
            from.list_into("last counts", &mut block)?;
            blocks.push(block.into());
        }
        for (history, blocks) in self.histories.iter_mut().zip(saved) {
            history.blocks = blocks;
        }
        self.stamp();
        Ok(())
    }
}
