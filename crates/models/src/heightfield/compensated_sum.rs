//! Compensated (Kahan–Babuška–Neumaier) summation.

/// A running sum with Neumaier's compensation: s ← s + x, and c collects the rounding error of each addition; the value
/// is s + c.
///
/// ```
/// use undine_models::heightfield::CompensatedSum;
/// let mut volume = CompensatedSum::default();
/// (0..10).for_each(|_| volume.add(0.1));
/// assert_eq!(volume.value(), 1.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CompensatedSum {
    sum: f64,
    compensation: f64,
}

impl CompensatedSum {
    /// A sum that begins at `value`.
    pub fn from_value(value: f64) -> CompensatedSum {
        CompensatedSum { sum: value, compensation: 0.0 }
    }

    /// Adds a number.
    pub fn add(&mut self, number: f64) {
        let sum = self.sum + number;
        self.compensation += if self.sum.abs() >= number.abs() {
            (self.sum - sum) + number
        } else {
            (number - sum) + self.sum
        };
        self.sum = sum;
    }

    /// Adds another sum, s and c separately.
    pub fn absorb(&mut self, other: CompensatedSum) {
        self.add(other.sum);
        self.add(other.compensation);
    }

    /// s + c.
    pub fn value(&self) -> f64 {
        self.sum + self.compensation
    }

    /// s and c, for a checkpoint.
    pub fn parts(&self) -> [f64; 2] {
        [self.sum, self.compensation]
    }

    /// The sum with these s and c.
    pub fn from_parts([sum, compensation]: [f64; 2]) -> CompensatedSum {
        CompensatedSum { sum, compensation }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_number_survives_beside_a_large_one() {
        let mut sum = CompensatedSum::from_value(1e16);
        sum.add(1.0);
        sum.add(-1e16);
        assert_eq!(sum.value(), 1.0);
        assert_eq!(CompensatedSum::from_parts(sum.parts()), sum);
    }
}
