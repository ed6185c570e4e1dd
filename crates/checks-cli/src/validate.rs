//! `undine validate`: physics against exact solutions and published tables.

use undine_checks::args::ValidateArgs;
use undine_checks::outcome::{Outcome, exit_code};
use undine_checks::record::{Record, Results};
use undine_checks::terminal::{print_error, print_line};
use undine_checks::{Case, Check, Curve, Sense};

use crate::committed::{Committed, today};
use crate::side_by_side::{self, FinishedCase};
use crate::terminal::{CaseProgress, CheckFailure, print_names};
use crate::{cases, choose, pages, report};

/// Runs the chosen cases.
pub fn run(args: &ValidateArgs) -> Result<(), CheckFailure> {
    let mut chosen = choose(cases(), &args.cases, "case", |case| case.name)?;
    chosen.retain(|case| case.is_quick || !args.quick);
    if args.list {
        print_names(&chosen.iter().map(|case| case.name).collect::<Vec<_>>(), args.json);
        return Ok(());
    }
    if args.jobs == Some(0) {
        return Err(CheckFailure::Wrong("--jobs must be at least 1".to_owned()));
    }
    let committed = match args.committed.as_ref().or(args.bless.as_ref()) {
        Some(folder) => Committed::read(folder)?,
        None => Committed::compiled_in()?,
    };

    // Run all cases, the long ones first, and print each when it and all before it have ended
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let order = longest_first(&chosen, &committed.results);
    let mut session = Session::new(args, &chosen, committed);
    side_by_side::run(&chosen, &order, args.jobs.unwrap_or(processors), args.perturb, |finished| {
        session.take(finished);
    })?;
    session.finish()
}

/// The order in which to start cases: by the time they took before, those of unknown time first.
fn longest_first(cases: &[&Case], results: &Results) -> Vec<usize> {
    let seconds = |case: &Case| {
        let known = results.records.iter().find(|record| record.case == case.name);
        known.map_or(f64::INFINITY, |record| record.seconds)
    };
    let mut order: Vec<usize> = (0..cases.len()).collect();
    order.sort_by(|&a, &b| seconds(cases[b]).total_cmp(&seconds(cases[a])).then(a.cmp(&b)));
    order
}

/// What has been found so far.
struct Session<'a> {
    args: &'a ValidateArgs,
    cases: &'a [&'static Case],
    committed: Committed,
    bar: CaseProgress,
    /// Cases that have ended but whose turn to be printed has not come.
    waiting: Vec<Option<FinishedCase>>,
    printed: usize,
    done: usize,
    records: Vec<Record>,
    outcomes: Vec<Outcome>,
    curves: Vec<(&'static str, Vec<Curve>)>,
    /// Checks that did not notice a perturbation.
    unmoved: Vec<String>,
}

impl<'a> Session<'a> {
    fn new(args: &'a ValidateArgs, cases: &'a [&'static Case], committed: Committed) -> Session<'a> {
        Session {
            args,
            cases,
            committed,
            bar: CaseProgress::new(),
            waiting: cases.iter().map(|_| None).collect(),
            printed: 0,
            done: 0,
            records: Vec::new(),
            outcomes: Vec::new(),
            curves: Vec::new(),
            unmoved: Vec::new(),
        }
    }

    /// Takes a case that has ended, and prints all whose turn has come.
    fn take(&mut self, finished: FinishedCase) {
        self.done += 1;
        let index = finished.index;
        self.waiting[index] = Some(finished);
        while let Some(finished) = self.waiting.get_mut(self.printed).and_then(Option::take) {
            self.record(&finished);
            self.printed += 1;
        }
        self.bar.step("case", self.done, self.cases.len());
    }

    /// Records and prints the checks of a case.
    fn record(&mut self, finished: &FinishedCase) {
        let case = self.cases[finished.index];
        for check in finished.checks.done() {
            let baseline = self.committed.baselines.get(case.name, &check.metric);
            let outcome = Outcome::of(check, baseline, case.is_chaotic);
            if self.args.perturb && check.holds() != Some(false) && !is_moved(outcome, baseline) {
                self.unmoved.push(format!("{}: {}", case.name, check.metric));
            }
            self.outcomes.push(outcome);
            self.records.push(Record::new(case, check, finished.seconds));
            self.bar.suspend(|| print(case, check, baseline, outcome, self.args.json));
        }
        // A case that records nothing has checked nothing
        let nothing = finished.checks.done().is_empty().then(|| "it records no check".to_owned());
        if let Some(error) = finished.error.clone().or(nothing) {
            self.outcomes.push(Outcome::Broken);
            self.records.push(Record::of_error(case, &error, finished.seconds));
            self.bar.suspend(|| print_broken(case, &error, self.args.json));
        }
        self.curves.push((case.name, finished.checks.curves().to_vec()));
    }

    /// Prints the sums, writes what was asked for, and answers with the exit code.
    fn finish(mut self) -> Result<(), CheckFailure> {
        self.bar.finish();
        if self.args.perturb {
            return self.finish_perturbed();
        }
        if !self.args.json {
            print_line(summary(&self.outcomes));
        }
        let mut code = exit_code(self.outcomes.iter().copied(), self.args.allow_short);
        let gained = self.outcomes.contains(&Outcome::Gained) || self.outcomes.contains(&Outcome::New);
        if gained && self.args.bless.is_none() {
            print_error("some gained or are new: accept them with `cargo xtask bless validation`");
        }

        // What the committed list says
        if self.args.committed.is_some() {
            let differences = self.committed.differences(&self.records);
            for difference in &differences {
                print_error(format_args!(
                    "{difference}; repeat `cargo xtask bless validation` if it is right"
                ));
            }
            code = if differences.is_empty() { code } else { 3 };
        }
        if let Some(path) = &self.args.report {
            let version = env!("CARGO_PKG_VERSION").to_owned();
            let results = Results { version, date: today(), records: self.records.clone() };
            report::write(path, &results, &self.curves)?;
        }
        if let Some(folder) = &self.args.bless {
            let names: Vec<&str> = cases().iter().map(|case| case.name).collect();
            for path in self.committed.accept(folder, &names, self.records)? {
                print_error(format_args!("wrote {}", path.display()));
            }
            let is_broken = self.outcomes.contains(&Outcome::Broken);
            return if is_broken { Err(CheckFailure::ChecksFailed(3)) } else { Ok(()) };
        }
        if code == 0 { Ok(()) } else { Err(CheckFailure::ChecksFailed(code)) }
    }

    fn finish_perturbed(&self) -> Result<(), CheckFailure> {
        for name in &self.unmoved {
            print_error(format_args!(
                "{name}: does not notice a perturbation; pass what it measures through `measured`"
            ));
        }
        print_line(format!(
            "{} of {} checks noticed",
            self.outcomes.len() - self.unmoved.len(),
            self.outcomes.len()
        ));
        if self.unmoved.is_empty() { Ok(()) } else { Err(CheckFailure::ChecksFailed(3)) }
    }
}

/// Whether a perturbed value without a target differs from its baseline, if it has one.
fn is_moved(outcome: Outcome, baseline: Option<f64>) -> bool {
    baseline.is_none() && outcome == Outcome::New || matches!(outcome, Outcome::Slipped | Outcome::Broken)
}

/// How many have each outcome.
fn summary(outcomes: &[Outcome]) -> String {
    let count = |outcome: Outcome| outcomes.iter().filter(|found| **found == outcome).count();
    let counts = Outcome::ALL.map(|outcome| (outcome, count(outcome)));
    let shown = counts.iter().filter(|(outcome, count)| *count > 0 || *outcome == Outcome::Holds);
    shown.map(|(outcome, count)| format!("{count} {}", outcome.name())).collect::<Vec<_>>().join(", ")
}

fn print(case: &Case, check: &Check, baseline: Option<f64>, outcome: Outcome, json: bool) {
    let target = check.target;
    if json {
        return print_line(serde_json::json!({
            "case": case.name,
            "metric": check.metric,
            "value": check.value,
            "bound": target.map(|target| target.bound),
            "ok": check.holds(),
            "source": target.map(|target| target.source),
            "outcome": outcome.name(),
            "kind": target.map(|target| target.kind.name()),
            "baseline": baseline,
        }));
    }
    let sign = if check.sense == Sense::AtMost { '≤' } else { '≥' };
    let target = target.map_or_else(String::new, |target| {
        format!("{sign} {} {}", pages::number(target.bound), target.kind.name())
    });
    let was = match (outcome, baseline) {
        (Outcome::Slipped | Outcome::Gained, Some(was)) => format!("  was {}", pages::number(was)),
        _ => String::new(),
    };
    let value = pages::number(check.value);
    print_line(format!(
        "{:<7} {:<28} {:<44} {value:>9} {target}{was}",
        outcome.name(),
        case.name,
        check.metric
    ));
}

fn print_broken(case: &Case, error: &str, json: bool) {
    if json {
        return print_line(serde_json::json!({
            "case": case.name,
            "metric": "the case",
            "value": null,
            "bound": null,
            "ok": null,
            "source": error,
            "outcome": Outcome::Broken.name(),
            "kind": null,
            "baseline": null,
        }));
    }
    print_line(format!("{:<7} {:<28} {error}", Outcome::Broken.name(), case.name));
}
