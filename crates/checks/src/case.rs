//! Validation cases.

/// A case: some checks that belong together. What it claims, and from where the numbers come, stands in
/// `validation/<name>/README.md`.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// `<model or part>/<what>`, also its folder below `validation/`.
    pub name: &'static str,
    /// Whether `--quick` runs it.
    pub is_quick: bool,
    /// Makes the measurements.
    pub run: fn(&mut Checks) -> anyhow::Result<()>,
}

/// Records the checks of a case.
#[derive(Debug, Default)]
pub struct Checks {
    done: Vec<Check>,
}

/// A measured value beside the bound that it must not exceed.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// What was measured.
    pub metric: String,
    /// The measured value.
    pub value: f64,
    /// The greatest value that passes.
    pub bound: f64,
    /// Where the truth comes from.
    pub source: &'static str,
}

impl Check {
    /// Whether the value is within its bound. NaN is within none.
    pub fn is_ok(&self) -> bool {
        self.value <= self.bound
    }
}

impl Checks {
    /// An error, or anything else that must not exceed a bound. `source` says where the truth comes from.
    pub fn at_most(&mut self, metric: impl Into<String>, value: f64, bound: f64, source: &'static str) {
        self.done.push(Check { metric: metric.into(), value, bound, source });
    }

    /// Everything recorded, in order.
    pub fn done(&self) -> &[Check] {
        &self.done
    }
}

#[cfg(test)]
mod tests {
    use super::Checks;

    #[test]
    fn a_value_at_its_bound_passes_and_nan_does_not() {
        let mut checks = Checks::default();
        for value in [1.0, 1.5, f64::NAN] {
            checks.at_most("value", value, 1.0, "here");
        }
        assert_eq!(checks.done().iter().map(|check| check.is_ok()).collect::<Vec<_>>(), [true, false, false]);
    }
}
