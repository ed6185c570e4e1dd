//! The net flow of regions and its moving average, eqs. (4.13) and (4.16) of [thompson2009].
//!
//! A sample is the volume that came in during a step, in units, and the length of that step. The average over the last
//! n_samples steps j = 0 … n − 1 is Σ volume / Σ Δt, eq. (4.16) with each sample weighted by its step; there is none
//! before so many samples exist. As printed, eq. (4.16) sums n + 1 terms over n.

use std::io;

use undine_sim::{Reader, Writer};

/// Rings of samples, one per slot of a region.
#[derive(Debug, Clone, PartialEq)]
pub struct NetFlow {
    samples: usize,
    units: Vec<u64>,
    durations: Vec<f64>,
    /// Samples of each slot so far; the ring is full from `samples` on.
    counts: Vec<u64>,
}

impl NetFlow {
    /// Rings of `samples` samples.
    pub fn new(slots: usize, samples: usize) -> NetFlow {
        let samples = samples.max(1);
        NetFlow {
            samples,
            units: vec![0; slots * samples],
            durations: vec![0.0; slots * samples],
            counts: vec![0; slots],
        }
    }

    /// Forgets the samples of a slot.
    pub fn clear(&mut self, slot: usize) {
        self.counts[slot] = 0;
    }

    /// Records the volume that came in during a step of length `dt`.
    pub fn record(&mut self, slot: usize, units: i64, dt: f64) {
        let place = slot * self.samples + (self.counts[slot] % self.samples as u64) as usize;
        self.units[place] = units as u64;
        self.durations[place] = dt;
        self.counts[slot] += 1;
    }

    /// The average in units per second; `None` before there are enough samples.
    pub fn average(&self, slot: usize) -> Option<f64> {
        if self.counts[slot] < self.samples as u64 {
            return None;
        }
        let ring = slot * self.samples..(slot + 1) * self.samples;
        let units: i128 = self.units[ring.clone()].iter().map(|units| i128::from(*units as i64)).sum();
        let duration: f64 = self.durations[ring].iter().sum();
        Some(if duration > 0.0 { units as f64 / duration } else { 0.0 })
    }

    /// Writes all samples.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.values("net flow of regions", &self.units)?;
        to.values("durations of net flows", &self.durations)?;
        to.values("numbers of net flows", &self.counts)
    }

    /// Reads as many samples.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        from.values_into("net flow of regions", &mut self.units)?;
        from.values_into("durations of net flows", &mut self.durations)?;
        from.values_into("numbers of net flows", &mut self.counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_average_needs_all_samples_and_then_moves() {
        let mut net_flow = NetFlow::new(2, 3);
        for (units, expected) in [(3, None), (6, None), (0, Some(30.0)), (-9, Some(-10.0))] {
            net_flow.record(1, units, 0.1);
            let average = net_flow.average(1);
            assert_eq!(average.is_some(), expected.is_some());
            assert!((average.unwrap_or(0.0) - expected.unwrap_or(0.0)).abs() < 1e-9);
        }
        assert_eq!(net_flow.average(0), None);
        net_flow.clear(1);
        assert_eq!(net_flow.average(1), None);
    }

    #[test]
    fn long_steps_weigh_more() {
        let mut net_flow = NetFlow::new(1, 2);
        net_flow.record(0, 10, 1.0);
        net_flow.record(0, 0, 3.0);
        assert_eq!(net_flow.average(0), Some(2.5));
    }
}
