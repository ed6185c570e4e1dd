//! What a counter counted in every frame so far.

use crate::Shared;

/// Counts in a block of a history: full ones do not change any more, so that a cache stores them once.
const BLOCK: usize = 256;

/// The counts of one counter of a water, from the first frame of a scene up to this one.
///
/// ```
/// let mut steps = undine_frame::CounterHistory::new("steps".into(), "steps".into(), 0.5);
/// [0, 7, 9].into_iter().for_each(|count| steps.push(count));
/// assert_eq!(steps.points().last(), Some((1.0, 9.0)));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CounterHistory {
    /// Its name, after that of its water where there are several.
    pub name: String,
    /// What is counted, in the plural.
    pub unit: String,
    /// Seconds from frame to frame.
    pub interval: f64,
    /// The counts in blocks of one length but the last, in single precision: they are there to be plotted.
    pub blocks: Vec<Shared<f32>>,
}

impl CounterHistory {
    /// A history of no frames.
    pub fn new(name: String, unit: String, interval: f64) -> CounterHistory {
        CounterHistory { name, unit, interval, blocks: Vec::new() }
    }

    /// Adds the count of the next frame.
    pub fn push(&mut self, count: u64) {
        if self.blocks.last().is_none_or(|block| block.len() >= BLOCK) {
            self.blocks.push(Vec::with_capacity(BLOCK).into());
        }
        if let Some(block) = self.blocks.last_mut() {
            block.push(count as f32);
        }
    }

    /// Time in seconds and count of every frame.
    pub fn points(&self) -> impl Iterator<Item = (f64, f32)> + '_ {
        let counts = self.blocks.iter().flat_map(|block| block.iter().copied());
        counts.enumerate().map(|(frame, count)| (frame as f64 * self.interval, count))
    }
}
