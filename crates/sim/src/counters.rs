//! Counters of a water: how much work its steps take, and how much of it is at work.

use std::fmt;

/// The most counters that a water may have.
const MOST: usize = 32;

/// What a counter counts over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CounterKind {
    /// What a step did, such as the iterations of a solver. The counts of all steps of a frame are added.
    #[default]
    Sum,
    /// How many there are after a step, such as wet cells. The count of the last step of a frame is that of the frame.
    State,
}

/// A named count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counter {
    /// Its name in words, unique among the counters of its model: "pressure iterations".
    pub name: &'static str,
    /// What is counted, in the plural: "iterations". Counters of one unit and kind share a plot.
    pub unit: &'static str,
    /// Whether it is summed over the steps of a frame.
    pub kind: CounterKind,
    /// The count.
    pub count: u64,
}

impl Counter {
    /// What a step did.
    pub const fn sum(name: &'static str, unit: &'static str, count: u64) -> Counter {
        Counter { name, unit, kind: CounterKind::Sum, count }
    }

    /// How many there are after a step.
    pub const fn state(name: &'static str, unit: &'static str, count: u64) -> Counter {
        Counter { name, unit, kind: CounterKind::State, count }
    }

    /// Its column in `metrics.csv`, for a water that is not alone with the name of the water in front.
    ///
    /// ```
    /// let counter = undine_sim::Counter::sum("pressure iterations", "iterations", 7);
    /// assert_eq!(counter.column(None), "pressure_iterations");
    /// assert_eq!(counter.column(Some("pool")), "pool.pressure_iterations");
    /// ```
    pub fn column(&self, water: Option<&str>) -> String {
        let name = self.name.replace(' ', "_");
        water.map_or(name.clone(), |water| format!("{water}.{name}"))
    }
}

/// The counters of a water, in a fixed order; of fixed size, so that a step need not allocate.
///
/// ```
/// use undine_sim::{Counter, Counters};
///
/// let step = |iterations, wet| {
///     Counters::new([Counter::sum("iterations", "iterations", iterations), Counter::state("wet", "cells", wet)])
/// };
/// let mut frame = step(9, 40).at_start();
/// frame.add_step(&step(5, 41));
/// frame.add_step(&step(7, 42));
/// assert_eq!((frame.get("iterations"), frame.get("wet"), frame.get("dry")), (Some(12), Some(42), None));
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    entries: [Counter; MOST],
    count: usize,
}

impl Counters {
    /// No counters.
    pub const NONE: Counters = Counters {
        entries: [Counter { name: "", unit: "", kind: CounterKind::Sum, count: 0 }; MOST],
        count: 0,
    };

    /// These, in this order; which ones must not depend on the state of the water. More than 32 do not compile.
    pub fn new<const N: usize>(counters: [Counter; N]) -> Counters {
        const { assert!(N <= MOST, "a water has at most 32 counters") };
        let mut entries = [Counter::default(); MOST];
        entries[..N].copy_from_slice(&counters);
        Counters { entries, count: N }
    }

    /// All of them, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &Counter> {
        self.entries[..self.count].iter()
    }

    /// The count of this name.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.iter().find(|counter| counter.name == name).map(|counter| counter.count)
    }

    /// The counters of a frame before its first step: sums are zero, states as they are.
    #[must_use]
    pub fn at_start(mut self) -> Counters {
        for counter in &mut self.entries[..self.count] {
            if counter.kind == CounterKind::Sum {
                counter.count = 0;
            }
        }
        self
    }

    /// Adds a step to the counters of its frame: sums are added, states replaced.
    pub fn add_step(&mut self, step: &Counters) {
        for (counter, new) in self.entries[..self.count].iter_mut().zip(step.iter()) {
            counter.count = match counter.kind {
                CounterKind::Sum => counter.count.saturating_add(new.count),
                CounterKind::State => new.count,
            };
        }
    }

    /// Whether these are the same counters, whatever they have counted.
    pub fn are_alike(&self, other: &Counters) -> bool {
        let blank = |counter: &Counter| Counter { count: 0, ..*counter };
        self.iter().map(blank).eq(other.iter().map(blank))
    }
}

impl fmt::Debug for Counters {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_map().entries(self.iter().map(|counter| (counter.name, counter.count))).finish()
    }
}
