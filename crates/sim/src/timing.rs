//! Wall-clock timings of the phases of a step. They are reported and never affect a result.

#[cfg(not(target_arch = "wasm32"))]
use std::time::Instant;
#[cfg(target_arch = "wasm32")]
use web_time::Instant;

/// The most phases that one step may name.
const MOST: usize = 16;

/// Seconds spent per named phase; of fixed size, so that a step need not allocate.
///
/// ```
/// let mut phases = undine_sim::Phases::default();
/// let sum: u64 = phases.time("add", || (0..1000).sum());
/// phases.add("rest", 0.5);
/// assert_eq!(sum, 499_500);
/// assert_eq!(phases.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["add", "rest"]);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Phases {
    entries: [(&'static str, f64); MOST],
    count: usize,
}

impl Phases {
    /// Does `work` and adds its time to the phase `name`.
    pub fn time<R>(&mut self, name: &'static str, work: impl FnOnce() -> R) -> R {
        let watch = Stopwatch::start();
        let result = work();
        self.add(name, watch.seconds());
        result
    }

    /// Adds seconds to a phase. A seventeenth name is counted to the last phase.
    pub fn add(&mut self, name: &'static str, seconds: f64) {
        let known = self.entries[..self.count].iter().position(|entry| entry.0 == name);
        let index = known.unwrap_or_else(|| {
            self.count = (self.count + 1).min(MOST);
            self.count - 1
        });
        let entry = &mut self.entries[index];
        *entry = (if entry.0.is_empty() { name } else { entry.0 }, entry.1 + seconds);
    }

    /// Adds all phases of another step.
    pub fn absorb(&mut self, other: &Phases) {
        for (name, seconds) in other.iter() {
            self.add(name, seconds);
        }
    }

    /// The phases in the order in which they first came.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        self.entries[..self.count].iter().copied()
    }

    /// All seconds together.
    pub fn total(&self) -> f64 {
        self.iter().map(|(_, seconds)| seconds).sum()
    }
}

/// A clock that counts from its start.
///
/// ```
/// let watch = undine_sim::Stopwatch::start();
/// assert!(watch.seconds() >= 0.0);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Self {
        Stopwatch(Instant::now())
    }

    /// Seconds since the start.
    pub fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_add_up_by_name_and_never_overflow() {
        let names: Vec<&'static str> = (0..20).map(|n| &*n.to_string().leak()).collect();
        let mut phases = Phases::default();
        for name in names.iter().chain(&names) {
            phases.add(name, 1.0);
        }
        assert_eq!(phases.total(), 40.0);
        assert_eq!(phases.iter().next(), Some((names[0], 2.0)));
        assert_eq!(phases.iter().count(), MOST);
    }
}
