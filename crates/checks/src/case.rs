//! Validation cases.

/// A validation case: a group of checks. `validation/<name>/README.md` states the exact solution, its source and the
/// bounds.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// `<model or part>/<what>`, also its folder below `validation/`.
    pub name: &'static str,
    /// Whether `--quick` runs it.
    pub is_quick: bool,
    /// Runs the case and records its checks.
    pub run: fn(&mut Checks) -> anyhow::Result<()>,
}

/// Records the checks of a case.
#[derive(Debug, Default)]
pub struct Checks {
    done: Vec<Check>,
}

/// A measured value and its upper bound.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// What was measured.
    pub metric: String,
    /// The measured value.
    pub value: f64,
    /// The greatest value that passes.
    pub bound: f64,
    /// Source of the expected value.
    pub source: &'static str,
}

impl Check {
    /// Whether the value is within its bound; NaN never is.
    pub fn is_ok(&self) -> bool {
        self.value <= self.bound
    }
}

impl Checks {
    /// Records an error, or another value, with its upper bound; `source` is that of the expected value.
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
