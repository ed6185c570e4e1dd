//! The volume ledger in whole units.

/// Units at the start, and those that came and went since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Ledger {
    pub initial: i128,
    pub inflow: i128,
    pub outflow: i128,
}

impl Ledger {
    /// Records units that came in, or went out when negative.
    pub fn record(&mut self, units: i64) {
        if units >= 0 {
            self.inflow += i128::from(units);
        } else {
            self.outflow -= i128::from(units);
        }
    }

    /// What must be held.
    #[cfg(any(test, feature = "checks"))]
    pub fn expected(&self) -> i128 {
        self.initial + self.inflow - self.outflow
    }

    /// Six numbers for a checkpoint: low and high half of each.
    pub fn parts(&self) -> [u64; 6] {
        let [a, b, c] = [self.initial, self.inflow, self.outflow].map(halves);
        [a[0], a[1], b[0], b[1], c[0], c[1]]
    }

    /// The ledger with these parts.
    pub fn from_parts([a, b, c, d, e, f]: [u64; 6]) -> Ledger {
        Ledger { initial: whole([a, b]), inflow: whole([c, d]), outflow: whole([e, f]) }
    }
}

fn halves(number: i128) -> [u64; 2] {
    [number as u64, (number >> 64) as u64]
}

fn whole([low, high]: [u64; 2]) -> i128 {
    (i128::from(high as i64) << 64) | i128::from(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_back_and_both_ways_are_kept_apart() {
        let mut ledger = Ledger { initial: -5, ..Ledger::default() };
        ledger.record(i64::MAX);
        ledger.record(i64::MAX);
        ledger.record(-7);
        assert_eq!(Ledger::from_parts(ledger.parts()), ledger);
        assert_eq!(ledger.expected(), 2 * i128::from(i64::MAX) - 12);
    }
}
