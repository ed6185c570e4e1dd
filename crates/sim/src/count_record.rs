//! The counts of all frames so far, for plots beside pictures. They belong to the state of a runner, so that a run that
//! is resumed, or taken back, draws the same pictures.

use std::io;

use undine_frame::{CounterHistory, Shared};

use crate::{Counters, Reader, Water, Writer};

/// The history of every counter of every water, in the order of the file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CountRecord {
    pub histories: Vec<CounterHistory>,
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
        CountRecord { histories }
    }

    /// Adds a frame.
    pub fn add(&mut self, counters: &[Counters]) {
        let counts = counters.iter().flat_map(Counters::iter).map(|counter| counter.count);
        self.histories.iter_mut().zip(counts).for_each(|(history, count)| history.push(count));
    }

    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.integer("counters", self.histories.len() as u64)?;
        for history in &self.histories {
            to.integer("blocks", history.blocks.len() as u64)?;
            history.blocks.iter().try_for_each(|block| to.values("counts", block))?;
        }
        Ok(())
    }

    /// Restores what was saved. Counters of which nothing was saved begin anew.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        let count = from.integer("counters")?;
        let mut histories = self.histories.iter_mut();
        for _ in 0..count {
            let mut blocks: Vec<Shared<f32>> = Vec::new();
            for _ in 0..from.integer("blocks")? {
                let mut block = Vec::new();
                from.list_into("counts", &mut block)?;
                blocks.push(block.into());
            }
            if let Some(history) = histories.next() {
                history.blocks = blocks;
            }
        }
        Ok(())
    }
}
