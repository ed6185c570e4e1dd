//! A sum that keeps its last digits.

/// A running sum with Neumaier's compensation: what an addition rounds away is kept and given back at the end.
///
/// ```
/// use undine_models::heightfield::Tally;
/// let mut volume = Tally::default();
/// (0..10).for_each(|_| volume.add(0.1));
/// assert_eq!(volume.value(), 1.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tally {
    sum: f64,
    lost: f64,
}

impl Tally {
    /// A sum that begins at `value`.
    pub fn from_value(value: f64) -> Tally {
        Tally { sum: value, lost: 0.0 }
    }

    /// Adds a number.
    pub fn add(&mut self, number: f64) {
        let sum = self.sum + number;
        self.lost += if self.sum.abs() >= number.abs() {
            (self.sum - sum) + number
        } else {
            (number - sum) + self.sum
        };
        self.sum = sum;
    }

    /// Adds another sum with all its digits.
    pub fn absorb(&mut self, other: Tally) {
        self.add(other.sum);
        self.add(other.lost);
    }

    /// The sum.
    pub fn value(&self) -> f64 {
        self.sum + self.lost
    }

    /// Its two parts, for a checkpoint.
    pub fn parts(&self) -> [f64; 2] {
        [self.sum, self.lost]
    }

    /// The sum with these parts.
    pub fn from_parts([sum, lost]: [f64; 2]) -> Tally {
        Tally { sum, lost }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_number_survives_beside_a_large_one() {
        let mut tally = Tally::from_value(1e16);
        tally.add(1.0);
        tally.add(-1e16);
        assert_eq!(tally.value(), 1.0);
        assert_eq!(Tally::from_parts(tally.parts()), tally);
    }
}
