//! Outcomes of checks: targets hold or are short; baselines are kept, slipped or gained; and what is not a number is
//! broken.

use std::collections::BTreeMap;

use crate::record::{join_row, split_row};
use crate::{Check, Sense};

/// Relative change of a value that is still its baseline.
pub const SLACK: f64 = 0.05;

/// The same where the flow is chaotic.
pub const CHAOTIC_SLACK: f64 = 0.25;

/// Change that is rounding, relative to the greater of one and the baseline.
pub const FLOOR: f64 = 1e-14;

/// Outcome of one check, the worse of those of its target and of its baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// The target holds, and the baseline is kept or unknown.
    Holds,
    /// There is no target, and the baseline is kept.
    Kept,
    /// There is neither a target nor a baseline yet.
    New,
    /// Better than its baseline: to be made the baseline.
    Gained,
    /// Outside its target.
    Short,
    /// Worse than its baseline, even if the target holds.
    Slipped,
    /// Not a finite number, or the case ended with an error.
    Broken,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Outcome; 7] = [
        Outcome::Holds,
        Outcome::Kept,
        Outcome::New,
        Outcome::Gained,
        Outcome::Short,
        Outcome::Slipped,
        Outcome::Broken,
    ];

    /// Its name in tables and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Holds => "holds",
            Outcome::Kept => "kept",
            Outcome::New => "new",
            Outcome::Gained => "gained",
            Outcome::Short => "short",
            Outcome::Slipped => "slipped",
            Outcome::Broken => "broken",
        }
    }

    /// The outcome of a check. `baseline` is its value when it was last accepted.
    pub fn of(check: &Check, baseline: Option<f64>, is_chaotic: bool) -> Outcome {
        if !check.value.is_finite() {
            return Outcome::Broken;
        }
        let change = baseline.map_or(BaselineChange::Unknown, |baseline| {
            BaselineChange::of(check, baseline, if is_chaotic { CHAOTIC_SLACK } else { SLACK })
        });
        match (change, check.holds()) {
            (BaselineChange::Slipped, _) => Outcome::Slipped,
            (_, Some(false)) => Outcome::Short,
            (BaselineChange::Gained, _) => Outcome::Gained,
            (_, Some(true)) => Outcome::Holds,
            (BaselineChange::Kept, None) => Outcome::Kept,
            (BaselineChange::Unknown, None) => Outcome::New,
        }
    }
}

/// A value compared with its baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BaselineChange {
    Unknown,
    Kept,
    Slipped,
    Gained,
}

impl BaselineChange {
    fn of(check: &Check, baseline: f64, slack: f64) -> BaselineChange {
        let room = slack * baseline.abs() + FLOOR * baseline.abs().max(1.0);
        let worse = match check.sense {
            Sense::AtMost => check.value - baseline,
            Sense::AtLeast => baseline - check.value,
        };
        match worse {
            worse if worse > room => BaselineChange::Slipped,
            worse if worse < -room => BaselineChange::Gained,
            _ => BaselineChange::Kept,
        }
    }
}

/// Exit code of a run with these outcomes: 3 if one slipped or is broken, else 4 if one is short and that is not
/// allowed, else 0.
pub fn exit_code(outcomes: impl IntoIterator<Item = Outcome>, allow_short: bool) -> u8 {
    match outcomes.into_iter().max() {
        Some(Outcome::Slipped | Outcome::Broken) => 3,
        Some(Outcome::Short) if !allow_short => 4,
        _ => 0,
    }
}

/// The accepted values, `validation/baselines.csv`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Baselines {
    values: BTreeMap<(String, String), f64>,
}

impl Baselines {
    /// Reads `case,metric,value`.
    pub fn parse(text: &str) -> anyhow::Result<Baselines> {
        let mut values = BTreeMap::new();
        for (number, line) in text.lines().enumerate().skip(1) {
            let row = split_row(line);
            let value = row.get(2).and_then(|value| value.parse::<f64>().ok());
            let ([case, metric, _], Some(value)) = (&row[..], value) else {
                anyhow::bail!(
                    "baselines.csv:{}: {line:?} is not case,metric,value; repeat `cargo xtask bless validation`",
                    number + 1
                );
            };
            values.insert((case.clone(), metric.clone()), value);
        }
        Ok(Baselines { values })
    }

    /// The baseline of a metric.
    pub fn get(&self, case: &str, metric: &str) -> Option<f64> {
        self.values.get(&(case.to_owned(), metric.to_owned())).copied()
    }

    /// Replaces everything that is known of a case.
    pub fn replace_case<'a>(&mut self, case: &str, values: impl IntoIterator<Item = (&'a str, f64)>) {
        self.values.retain(|(known, _), _| known != case);
        for (metric, value) in values {
            self.values.insert((case.to_owned(), metric.to_owned()), value);
        }
    }

    /// Forgets the cases that do not satisfy `is_kept`.
    pub fn retain_cases(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.values.retain(|(case, _), _| is_kept(case));
    }

    /// The metrics of a case that have a baseline.
    pub fn metrics_of<'a>(&'a self, case: &'a str) -> impl Iterator<Item = &'a str> {
        self.values.keys().filter(move |(known, _)| known == case).map(|(_, metric)| metric.as_str())
    }

    /// The file: sorted by case and metric, six digits each.
    pub fn to_csv(&self) -> String {
        let mut text = String::from("case,metric,value\n");
        for ((case, metric), value) in &self.values {
            text += &join_row([case.clone(), metric.clone(), format!("{value:.5e}")]);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{Baselines, Outcome, exit_code};
    use crate::{Check, Sense, Target};

    fn check(value: f64, bound: Option<f64>, sense: Sense) -> Check {
        let target = bound.map(|bound| Target::exact(bound, "here"));
        Check { metric: "m".to_owned(), value, sense, target }
    }

    #[test]
    fn the_worse_of_target_and_baseline_counts() {
        let cases = [
            (1.0, Some(2.0), Some(1.0), Outcome::Holds),
            (1.04, Some(2.0), Some(1.0), Outcome::Holds),
            (1.06, Some(2.0), Some(1.0), Outcome::Slipped),
            (0.9, Some(2.0), Some(1.0), Outcome::Gained),
            (3.0, Some(2.0), Some(3.0), Outcome::Short),
            (2.5, Some(2.0), Some(3.0), Outcome::Short),
            (3.3, Some(2.0), Some(3.0), Outcome::Slipped),
            (1.0, Some(2.0), None, Outcome::Holds),
            (3.0, Some(2.0), None, Outcome::Short),
            (1.0, None, Some(1.0), Outcome::Kept),
            (1.0, None, None, Outcome::New),
            (f64::NAN, Some(2.0), Some(1.0), Outcome::Broken),
            (f64::INFINITY, None, None, Outcome::Broken),
            (9e-15, Some(1e-13), Some(0.0), Outcome::Holds),
            (2e-14, Some(1e-13), Some(0.0), Outcome::Slipped),
        ];
        for (value, bound, baseline, expected) in cases {
            let found = Outcome::of(&check(value, bound, Sense::AtMost), baseline, false);
            assert_eq!(found, expected, "{value} {bound:?} {baseline:?}");
        }
    }

    #[test]
    fn orders_slip_downward_and_chaos_has_more_room() {
        let order = |value| check(value, Some(1.5), Sense::AtLeast);
        assert_eq!(Outcome::of(&order(1.8), Some(2.0), false), Outcome::Slipped);
        assert_eq!(Outcome::of(&order(2.2), Some(2.0), false), Outcome::Gained);
        assert_eq!(Outcome::of(&order(1.4), Some(1.4), false), Outcome::Short);
        assert_eq!(Outcome::of(&order(1.8), Some(2.0), true), Outcome::Holds);
    }

    #[test]
    fn the_exit_code_is_that_of_the_worst() {
        use Outcome::{Broken, Gained, Holds, Kept, New, Short, Slipped};
        assert_eq!(exit_code([Holds, Kept, Gained, New], false), 0);
        assert_eq!(exit_code([Holds, Short], false), 4);
        assert_eq!(exit_code([Holds, Short], true), 0);
        assert_eq!(exit_code([Short, Slipped], true), 3);
        assert_eq!(exit_code([Broken, Holds], true), 3);
        assert_eq!(exit_code([], false), 0);
    }

    #[test]
    fn baselines_come_back_from_their_file() {
        let mut baselines = Baselines::default();
        baselines.replace_case("b/one", [("|u|, \"at\" 45°", 1.25e-3), ("order", 2.0)]);
        baselines.replace_case("a/two", [("L1", 0.0)]);
        let text = baselines.to_csv();
        assert_eq!(Baselines::parse(&text).unwrap(), baselines);
        assert_eq!(baselines.get("b/one", "order"), Some(2.0));
        assert_eq!(baselines.metrics_of("b/one").count(), 2);
        baselines.replace_case("b/one", [("order", 3.0)]);
        baselines.retain_cases(|case| case != "a/two");
        assert_eq!(baselines.to_csv(), "case,metric,value\nb/one,order,3.00000e0\n");
        assert!(Baselines::parse("case,metric,value\na,b\n").unwrap_err().to_string().contains("csv:2"));
    }
}
