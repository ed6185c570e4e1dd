//! Accumulators of errors. Unlike a fold with `f64::max`, they keep NaN, and nothing measured is not an error of zero.

use crate::measured;

/// The greatest of many errors. NaN if any was NaN, or if there was none.
#[derive(Debug, Clone, Copy, Default)]
pub struct Worst {
    /// `None` until something was added.
    greatest: Option<f64>,
}

impl Worst {
    /// The greatest of some errors.
    pub fn of(errors: impl IntoIterator<Item = f64>) -> Worst {
        let mut worst = Worst::default();
        errors.into_iter().for_each(|error| worst.add(error));
        worst
    }

    /// Adds an error.
    pub fn add(&mut self, error: f64) {
        self.greatest = Some(match self.greatest {
            Some(greatest) if greatest.is_nan() || error <= greatest => greatest,
            _ => error,
        });
    }

    /// Adds the absolute difference of a measured and an expected value.
    pub fn compare(&mut self, found: f64, exact: f64) {
        self.add((measured(found) - exact).abs());
    }

    /// The greatest error; NaN if any was NaN, or if there was none.
    pub fn value(self) -> f64 {
        self.greatest.unwrap_or(f64::NAN)
    }
}

/// Mean, root mean square and greatest error, relative to the same norms of the expected values.
#[derive(Debug, Clone, Copy)]
pub struct Norms {
    /// L1: Σ|e| / Σ|h|.
    pub mean: f64,
    /// L2: √(Σe² / Σh²).
    pub square: f64,
    /// L∞: max|e| / max|h|.
    pub most: f64,
}

impl Norms {
    /// The norms of pairs of measured and expected values, NaN if there are none.
    pub fn of(pairs: impl IntoIterator<Item = [f64; 2]>) -> Norms {
        let mut sums = ErrorSums::default();
        pairs.into_iter().for_each(|[found, exact]| sums.compare(found, exact));
        sums.relative()
    }
}

/// Sums of errors and of expected values.
#[derive(Debug, Clone, Copy, Default)]
pub struct ErrorSums {
    count: f64,
    /// Σ|e|, Σe² of the errors and of the expected values.
    error: [f64; 2],
    size: [f64; 2],
    worst: [Worst; 2],
}

impl ErrorSums {
    /// Adds a measured and an expected value.
    pub fn compare(&mut self, found: f64, exact: f64) {
        let (error, size) = ((measured(found) - exact).abs(), exact.abs());
        self.count += 1.0;
        self.error = [self.error[0] + error, self.error[1] + error * error];
        self.size = [self.size[0] + size, self.size[1] + size * size];
        self.worst[0].add(error);
        self.worst[1].add(size);
    }

    /// The norms relative to those of the expected values; NaN if nothing was added.
    pub fn relative(&self) -> Norms {
        Norms {
            mean: self.error[0] / self.size[0],
            square: (self.error[1] / self.size[1]).sqrt(),
            most: self.worst[0].value() / self.worst[1].value(),
        }
    }

    /// Mean, root mean square and greatest error, in units of `scale`; NaN if nothing was added.
    pub fn absolute(&self, scale: f64) -> Norms {
        Norms {
            mean: self.error[0] / self.count / scale,
            square: (self.error[1] / self.count).sqrt() / scale,
            most: self.worst[0].value() / scale,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ErrorSums, Norms, Worst};
    use crate::{Checks, Target};

    #[test]
    fn nan_stays_wherever_it_comes_and_nothing_is_not_zero() {
        assert_eq!(Worst::of([1.0, 3.0, 2.0]).value(), 3.0);
        assert!(Worst::of([]).value().is_nan());
        for errors in [[f64::NAN, 1.0, 2.0], [1.0, f64::NAN, 2.0], [1.0, 2.0, f64::NAN]] {
            assert!(Worst::of(errors).value().is_nan(), "{errors:?}");
            let norms = Norms::of(errors.map(|found| [found, 1.0]));
            assert!([norms.mean, norms.square, norms.most].iter().all(|norm| norm.is_nan()), "{norms:?}");
        }
        let empty = Norms::of([]);
        assert!([empty.mean, empty.square, empty.most].iter().all(|norm| norm.is_nan()));
        assert!(ErrorSums::default().absolute(1.0).mean.is_nan());
    }

    #[test]
    fn a_check_without_samples_or_with_nan_does_not_hold() {
        let mut checks = Checks::default();
        for (index, worst) in [Worst::default(), Worst::of([0.0, f64::NAN])].into_iter().enumerate() {
            checks.at_most(index.to_string(), worst.value(), Target::exact(f64::MAX, "anything"));
        }
        assert!(checks.done().iter().all(|check| check.holds() == Some(false)));
    }

    #[test]
    fn norms_are_relative_to_what_is_expected() {
        let norms = Norms::of([[1.1, 1.0], [1.0, 1.0], [2.0, 2.0]]);
        assert!((norms.mean - 0.1 / 4.0).abs() < 1e-15);
        assert!((norms.square - 0.1 / 6.0f64.sqrt()).abs() < 1e-15);
        assert!((norms.most - 0.05).abs() < 1e-15);
        let mut sums = ErrorSums::default();
        sums.compare(3.0, 1.0);
        sums.compare(1.0, 1.0);
        let norms = sums.absolute(2.0);
        assert_eq!([norms.mean, norms.most], [0.5, 1.0]);
    }
}
