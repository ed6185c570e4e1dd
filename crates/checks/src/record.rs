//! The committed results, `validation/results.csv`: what `SHORT.md`, `RESULTS.md` and `undine models` are made from.

use crate::outcome::Outcome;
use crate::{Check, Sense, TargetKind};

/// Columns of the file.
const HEADER: &str = "case,is_quick,metric,value,sense,bound,kind,outcome,seconds,source";

/// Results of cases, in the order of the cases.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Results {
    /// The version of the program that measured the newest of them.
    pub version: String,
    /// The day, as 2031-12-31.
    pub date: String,
    /// One per check.
    pub records: Vec<Record>,
}

/// One check of the committed results.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Name of the case.
    pub case: String,
    /// Whether the case is in the quick set.
    pub is_quick: bool,
    /// What was measured.
    pub metric: String,
    /// Its value; NaN if the case ended with an error.
    pub value: f64,
    /// Which values are better.
    pub sense: Sense,
    /// Bound and kind of the target.
    pub target: Option<(f64, TargetKind)>,
    /// Whether the target holds, is short, or the check is broken; kept without a target.
    pub outcome: Outcome,
    /// Duration of the whole case on one thread.
    pub seconds: f64,
    /// Source of the bound; the error of a case that ended with one.
    pub source: String,
}

/// How many targets of a model hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TargetCount {
    /// Those that hold.
    pub hold: usize,
    /// All of them.
    pub all: usize,
}

impl Record {
    /// The record of a check, without regard to its baseline.
    pub fn new(case: &crate::Case, check: &Check, seconds: f64) -> Record {
        Record {
            case: case.name.to_owned(),
            is_quick: case.is_quick,
            metric: check.metric.clone(),
            value: check.value,
            sense: check.sense,
            target: check.target.map(|target| (target.bound, target.kind)),
            outcome: match (check.value.is_finite(), check.holds()) {
                (false, _) => Outcome::Broken,
                (_, Some(true)) => Outcome::Holds,
                (_, Some(false)) => Outcome::Short,
                (_, None) => Outcome::Kept,
            },
            seconds,
            source: check.target.map_or_else(String::new, |target| target.source.to_owned()),
        }
    }

    /// The record of a case that ended with an error.
    pub fn of_error(case: &crate::Case, error: &str, seconds: f64) -> Record {
        Record {
            case: case.name.to_owned(),
            is_quick: case.is_quick,
            metric: "the case".to_owned(),
            value: f64::NAN,
            sense: Sense::AtMost,
            target: None,
            outcome: Outcome::Broken,
            seconds,
            source: error.replace('\n', " "),
        }
    }

    /// The model or part that its case belongs to.
    pub fn subject(&self) -> &str {
        self.case.split('/').next().unwrap_or(&self.case)
    }

    /// Whether it belongs on the list of short ones.
    pub fn is_short(&self) -> bool {
        matches!(self.outcome, Outcome::Short | Outcome::Broken)
    }

    fn to_row(&self) -> String {
        let sense = if self.sense == Sense::AtMost { "at most" } else { "at least" };
        let (bound, kind) =
            self.target.map_or_else(Default::default, |(bound, kind)| (format!("{bound}"), kind.name()));
        join_row([
            self.case.clone(),
            u8::from(self.is_quick).to_string(),
            self.metric.clone(),
            format!("{:.5e}", self.value),
            sense.to_owned(),
            bound,
            kind.to_owned(),
            self.outcome.name().to_owned(),
            format!("{:.1}", self.seconds),
            self.source.clone(),
        ])
    }

    fn from_row(row: &[String]) -> Option<Record> {
        let [case, is_quick, metric, value, sense, bound, kind, outcome, seconds, source] = row else {
            return None;
        };
        let target = match (bound.parse::<f64>(), TargetKind::by_name(kind)) {
            (Ok(bound), Some(kind)) => Some((bound, kind)),
            _ if bound.is_empty() && kind.is_empty() => None,
            _ => return None,
        };
        Some(Record {
            case: case.clone(),
            is_quick: is_quick == "1",
            metric: metric.clone(),
            value: value.parse().ok()?,
            sense: if sense == "at least" { Sense::AtLeast } else { Sense::AtMost },
            target,
            outcome: Outcome::ALL.into_iter().find(|known| known.name() == outcome)?,
            seconds: seconds.parse().ok()?,
            source: source.clone(),
        })
    }
}

impl Results {
    /// Reads the file.
    pub fn parse(text: &str) -> anyhow::Result<Results> {
        let mut results = Results::default();
        for (number, line) in text.lines().enumerate() {
            if let Some(made) = line.strip_prefix("# version ") {
                let (version, date) = made.split_once(", ").unwrap_or((made, ""));
                (results.version, results.date) = (version.to_owned(), date.to_owned());
            } else if line != HEADER {
                let record = Record::from_row(&split_row(line));
                results.records.push(record.ok_or_else(|| {
                    let remedy = "repeat `cargo xtask bless validation`";
                    anyhow::anyhow!("results.csv:{}: {line:?} is not a result; {remedy}", number + 1)
                })?);
            }
        }
        Ok(results)
    }

    /// The file.
    pub fn to_csv(&self) -> String {
        let mut text = format!("# version {}, {}\n{HEADER}\n", self.version, self.date);
        self.records.iter().for_each(|record| text += &record.to_row());
        text
    }

    /// The targets of a model or part.
    pub fn targets_of(&self, subject: &str) -> TargetCount {
        let mut count = TargetCount::default();
        for record in self.records.iter().filter(|record| record.subject() == subject) {
            // A case that ended with an error counts as a target that does not hold
            let is_target = record.target.is_some() || record.outcome == Outcome::Broken;
            count.all += usize::from(is_target);
            count.hold += usize::from(is_target && record.outcome == Outcome::Holds);
        }
        count
    }
}

/// A row of a CSV file with its line break; cells with commas or quotes are quoted.
pub(crate) fn join_row(cells: impl IntoIterator<Item = String>) -> String {
    let quoted = cells.into_iter().map(|cell| match cell.contains([',', '"']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    });
    quoted.collect::<Vec<_>>().join(",") + "\n"
}

/// The cells of a row.
pub(crate) fn split_row(line: &str) -> Vec<String> {
    let (mut cells, mut is_quoted) = (vec![String::new()], false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let Some(cell) = cells.last_mut() else { break };
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            other => cell.push(other),
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::{Record, Results, TargetCount};
    use crate::outcome::Outcome;
    use crate::{Case, Checks, Target};

    #[test]
    fn results_come_back_from_their_file_and_are_counted() {
        let case = Case { name: "bowl/one", is_quick: true, is_chaotic: false, run: |_| Ok(()) };
        let mut checks = Checks::default();
        checks.at_most("|u|, \"at\" 45°", 0.5, Target::exact(1.0, "rest, stays rest"));
        checks.at_least("order", 1.5, Target::order(1.9, "formal"));
        checks.baseline("L2", 0.125);
        checks.at_most("broken", f64::NAN, Target::ours(1.0, "here"));
        let records = checks.done().iter().map(|check| Record::new(&case, check, 0.5));
        let mut results = Results {
            version: "1.2.3".to_owned(),
            date: "2031-12-31".to_owned(),
            records: records.collect(),
        };
        let outcomes: Vec<_> = results.records.iter().map(|record| record.outcome).collect();
        assert_eq!(outcomes, [Outcome::Holds, Outcome::Short, Outcome::Kept, Outcome::Broken]);
        results.records.push(Record::of_error(&case, "it\nfailed", 1.0));
        assert_eq!(results.targets_of("bowl"), TargetCount { hold: 1, all: 4 });
        assert_eq!(results.targets_of("cup"), TargetCount::default());
        let text = results.to_csv();
        let back = Results::parse(&text).unwrap();
        assert_eq!(back.to_csv(), text);
        assert_eq!(
            (back.records[..3].to_vec(), back.version),
            (results.records[..3].to_vec(), results.version)
        );
        assert!(back.records[4].value.is_nan() && back.records[4].source == "it failed");
        assert!(Results::parse("what,is\n").unwrap_err().to_string().contains("results.csv:1"));
    }
}
