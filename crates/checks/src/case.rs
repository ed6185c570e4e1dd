//! Validation cases and what they record.

use crate::{Curve, Target, perturbation};

/// A validation case: a group of checks. `validation/<name>/README.md` states the exact solution, its source and the
/// bounds.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// `<model or part>/<what>`, also its folder below `validation/`.
    pub name: &'static str,
    /// Whether `--quick` runs it.
    pub is_quick: bool,
    /// Whether the flow is chaotic, so that its values scatter: the slack of its baselines is 25 % instead of 5 %.
    pub is_chaotic: bool,
    /// Runs the case and records its checks.
    pub run: fn(&mut Checks) -> anyhow::Result<()>,
}

impl Case {
    /// The model or part that it belongs to.
    pub fn subject(&self) -> &'static str {
        self.name.split('/').next().unwrap_or(self.name)
    }
}

/// The side of a bound on which a value holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// Smaller is better.
    AtMost,
    /// Greater is better, as for an order of convergence.
    AtLeast,
}

/// Records the checks of a case.
#[derive(Debug, Default)]
pub struct Checks {
    done: Vec<Check>,
    curves: Vec<Curve>,
}

/// A measured value, and its target if it has one.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// What was measured; unique within its case.
    pub metric: String,
    /// The measured value.
    pub value: f64,
    /// Which values are better.
    pub sense: Sense,
    /// The bound that it should keep; a value without one has a baseline only.
    pub target: Option<Target>,
}

impl Check {
    /// Whether the target holds; `None` without one. A value that is not finite never holds.
    pub fn holds(&self) -> Option<bool> {
        let target = self.target?;
        let is_within = match self.sense {
            Sense::AtMost => self.value <= target.bound,
            Sense::AtLeast => self.value >= target.bound,
        };
        Some(is_within && self.value.is_finite())
    }
}

impl Checks {
    /// Records an error, or another value of which less is better, with the greatest one that holds.
    pub fn at_most(&mut self, metric: impl Into<String>, value: f64, target: Target) {
        self.record(metric.into(), value, Sense::AtMost, Some(target));
    }

    /// Records a value of which more is better, such as an order, with the least one that holds.
    pub fn at_least(&mut self, metric: impl Into<String>, value: f64, target: Target) {
        self.record(metric.into(), value, Sense::AtLeast, Some(target));
    }

    /// Records an error, or another value of which less is better, that has no target.
    pub fn baseline(&mut self, metric: impl Into<String>, value: f64) {
        self.record(metric.into(), value, Sense::AtMost, None);
    }

    /// Records the order of convergence p of errors e ∝ N^(−p) on at least three grids of N cells along an edge,
    /// between the first and the last, and keeps the line for the report.
    pub fn order(&mut self, metric: impl Into<String>, errors: &[(usize, f64)], target: Target) {
        let metric = metric.into();
        self.curves.push(Curve::convergence(&metric, errors, target.bound));
        let order = order_of_convergence(errors);
        self.at_least(metric, order, target);
    }

    /// Keeps a measured curve beside its table for the report.
    pub fn curve(&mut self, curve: Curve) {
        self.curves.push(curve);
    }

    /// Everything recorded, in order.
    pub fn done(&self) -> &[Check] {
        &self.done
    }

    /// The curves for the report.
    pub fn curves(&self) -> &[Curve] {
        &self.curves
    }

    fn record(&mut self, metric: String, value: f64, sense: Sense, target: Option<Target>) {
        debug_assert!(self.done.iter().all(|check| check.metric != metric), "{metric} is recorded twice");
        self.done.push(Check { metric, value, sense, target });
    }
}

/// p of e ∝ N^(−p) between the first and the last of at least three grids. NaN with fewer grids, or with an error that is
/// not a positive number.
pub fn order_of_convergence(errors: &[(usize, f64)]) -> f64 {
    let is_error = |&(_, error): &(usize, f64)| error > 0.0 && error.is_finite();
    match errors {
        [(coarse, first), _, .., (fine, last)] if errors.iter().all(is_error) => {
            (first / last).ln() / (*fine as f64 / *coarse as f64).ln()
        }
        _ => f64::NAN,
    }
}

/// A number that a case has measured: passes it on, or a perturbed one during a test of the checks themselves, in which
/// every check must fail (see [`perturbation`]).
pub fn measured(value: f64) -> f64 {
    perturbation::apply(value)
}

#[cfg(test)]
mod tests {
    use super::{Checks, order_of_convergence};
    use crate::Target;

    #[test]
    fn a_value_at_its_bound_holds_and_nan_does_not() {
        let mut checks = Checks::default();
        for (index, value) in [1.0, 1.5, f64::NAN, f64::NEG_INFINITY].into_iter().enumerate() {
            checks.at_most(format!("most {index}"), value, Target::exact(1.0, "here"));
            checks.at_least(format!("least {index}"), value, Target::exact(1.0, "here"));
            checks.baseline(format!("alone {index}"), value);
        }
        let holds: Vec<_> = checks.done().iter().map(|check| check.holds()).collect();
        let (yes, no) = (Some(true), Some(false));
        assert_eq!(holds, [yes, yes, None, no, yes, None, no, no, None, no, no, None]);
    }

    #[test]
    fn the_order_needs_three_grids_and_positive_errors() {
        let squares = [(10, 1e-2), (20, 2.5e-3), (40, 6.25e-4)];
        assert!((order_of_convergence(&squares) - 2.0).abs() < 1e-12);
        assert!(order_of_convergence(&squares[1..]).is_nan());
        assert!(order_of_convergence(&[(10, 1.0), (20, f64::NAN), (40, 1.0)]).is_nan());
        assert!(order_of_convergence(&[(10, 1.0), (20, 0.5), (40, 0.0)]).is_nan());
        let mut checks = Checks::default();
        checks.order("order of L1", &squares, Target::order(1.9, "second order"));
        assert_eq!(checks.done()[0].holds(), Some(true));
        assert_eq!(checks.curves().len(), 1);
    }
}
