//! Every check in order, each timed, up to the first that fails.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::invocation::Invocation;
use crate::{fuzz, licences, needs, tidy};

/// One check.
pub struct Step {
    /// What it is called on the command line and in the table.
    pub name: &'static str,
    work: Work,
}

enum Work {
    /// A check of xtask itself, which is also a command of its name.
    Own(fn(&Path) -> Result<()>),
    /// A call of cargo.
    Cargo(&'static [&'static str]),
    /// A call of cargo with a variable of the environment.
    CargoWith((&'static str, &'static str), &'static [&'static str]),
}

/// The package behind `undine validate`, which alone compiles validation cases and benchmarks.
const CHECKS: &str = "undine-checks-cli";

/// Every check, the quick and telling ones first.
pub static STEPS: &[Step] = &[
    Step { name: "needs", work: Work::Own(needs::run) },
    Step { name: "fmt", work: Work::Cargo(&["fmt", "--all", "--check"]) },
    Step {
        name: "clippy",
        work: Work::Cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    },
    Step { name: "tidy", work: Work::Own(tidy::run) },
    Step { name: "licences", work: Work::Own(licences::run) },
    // Clippy has compiled the examples; linking them would tell nothing more. The program of checks would compile its checks
    // into the solvers of every test: it has a step of its own
    Step {
        name: "test",
        work: Work::Cargo(&["test", "--workspace", "--exclude", CHECKS, "--lib", "--bins", "--tests"]),
    },
    Step { name: "doctest", work: Work::Cargo(&["test", "--workspace", "--exclude", CHECKS, "--doc"]) },
    Step {
        name: "docs",
        work: Work::CargoWith(("RUSTDOCFLAGS", "-D warnings"), &["doc", "--workspace", "--no-deps"]),
    },
    Step {
        name: "no-cli",
        work: Work::Cargo(&["check", "-p", "undine", "--no-default-features", "--example", "embed"]),
    },
    Step { name: "checks", work: Work::Cargo(&["test", "--release", "-p", CHECKS]) },
    Step {
        name: "validate",
        work: Work::Cargo(&["run", "--release", "-p", CHECKS, "--", "validate", "--quick"]),
    },
    Step { name: "fuzz", work: Work::Own(|root| fuzz::run(root, &[])) },
];

/// What makes a build from nothing quicker: nobody will build on it, and nobody will step through it.
static BUILT_ONCE: &[(&str, &str)] = &[("CARGO_INCREMENTAL", "0")];

impl Step {
    fn run(&self, root: &Path) -> Result<()> {
        match self.work {
            Work::Own(check) => check(root),
            _ => {
                let once =
                    |command: Invocation, &(variable, value): &(&str, &str)| command.with(variable, value);
                let is_ci = std::env::var_os("CI").is_some();
                let settings = if is_ci { BUILT_ONCE } else { &[] };
                settings.iter().fold(self.command(), once).run(root)
            }
        }
    }

    /// What a person types to repeat it.
    fn command(&self) -> Invocation {
        match self.work {
            Work::Own(_) => Invocation::cargo(&["xtask", self.name]),
            Work::Cargo(arguments) => Invocation::cargo(arguments),
            Work::CargoWith((variable, value), arguments) => {
                Invocation::cargo(arguments).with(variable, value)
            }
        }
    }
}

/// What became of a step.
enum Outcome {
    Passed(Duration),
    Failed(Duration),
    NotRun,
}

/// Runs all steps, or those named, in the order of the list.
pub fn run(root: &Path, names: &[String]) -> Result<()> {
    let steps = chosen(STEPS, names)?;
    let (table, failed) = run_in_order(&steps, root);
    println!("\n{table}");
    match failed {
        None => Ok(()),
        Some(step) => bail!("{} failed; repeat it with `{}`", step.name, step.command()),
    }
}

fn chosen<'a>(steps: &'a [Step], names: &[String]) -> Result<Vec<&'a Step>> {
    if let Some(unknown) = names.iter().find(|name| steps.iter().all(|step| step.name != **name)) {
        let known: Vec<_> = steps.iter().map(|step| step.name).collect();
        bail!("there is no step {unknown:?}; one of {}", known.join(", "));
    }
    let is_chosen = |step: &&Step| names.is_empty() || names.iter().any(|name| name == step.name);
    Ok(steps.iter().filter(is_chosen).collect())
}

/// The table of what happened, and the step that failed.
fn run_in_order<'a>(steps: &[&'a Step], root: &Path) -> (String, Option<&'a Step>) {
    let mut table = format!("{:<10} {:>9}  result\n", "step", "time");
    let mut failed = None;
    for &step in steps {
        let outcome = if failed.is_some() { Outcome::NotRun } else { timed(step, root) };
        if let Outcome::Failed(_) = outcome {
            failed = Some(step);
        }
        add_row(&mut table, step.name, &outcome);
    }
    (table, failed)
}

fn timed(step: &Step, root: &Path) -> Outcome {
    println!("\n── {}: {}", step.name, step.command());
    let start = Instant::now();
    match step.run(root) {
        Ok(()) => Outcome::Passed(start.elapsed()),
        Err(error) => {
            eprintln!("{}: {error:#}", step.name);
            Outcome::Failed(start.elapsed())
        }
    }
}

fn add_row(table: &mut String, name: &str, outcome: &Outcome) {
    let (time, result) = match outcome {
        Outcome::Passed(time) => (format!("{:.1} s", time.as_secs_f64()), "passed"),
        Outcome::Failed(time) => (format!("{:.1} s", time.as_secs_f64()), "FAILED"),
        Outcome::NotRun => ("-".to_owned(), "not run"),
    };
    writeln!(table, "{name:<10} {time:>9}  {result}").expect("a string takes any text");
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: Step = Step { name: "good", work: Work::Own(|_| Ok(())) };
    const BAD: Step = Step { name: "bad", work: Work::Own(|_| bail!("leaks")) };
    const LAST: Step = Step { name: "last", work: Work::Own(|_| Ok(())) };

    fn rows(table: &str) -> Vec<Vec<&str>> {
        table.lines().skip(1).map(|row| row.split_whitespace().collect()).collect()
    }

    #[test]
    fn the_first_failure_stops_the_rest() {
        let (table, failed) = run_in_order(&[&GOOD, &BAD, &LAST], Path::new("."));
        assert_eq!(failed.map(|step| step.name), Some("bad"));
        let rows = rows(&table);
        assert_eq!(rows[0].last(), Some(&"passed"));
        assert_eq!(rows[1].last(), Some(&"FAILED"));
        assert_eq!(rows[2], ["last", "-", "not", "run"]);
    }

    #[test]
    fn without_failure_every_step_has_passed() {
        let (table, failed) = run_in_order(&[&GOOD, &LAST], Path::new("."));
        assert!(failed.is_none());
        assert!(rows(&table).iter().all(|row| row.last() == Some(&"passed")));
    }

    #[test]
    fn steps_are_chosen_by_name_in_the_order_of_the_list() {
        let names: Vec<_> = ["tidy", "fmt"].map(str::to_owned).into();
        let steps = chosen(STEPS, &names).unwrap();
        assert_eq!(steps.iter().map(|step| step.name).collect::<Vec<_>>(), ["fmt", "tidy"]);
        assert_eq!(chosen(STEPS, &[]).unwrap().len(), STEPS.len());
        let error = chosen(STEPS, &["clipy".to_owned()]).err().unwrap().to_string();
        assert!(error.contains("clipy") && error.contains("clippy"), "{error}");
    }

    #[test]
    fn a_check_of_our_own_is_repeated_by_a_command_that_exists() {
        for step in STEPS {
            let typed = step.command().to_string();
            if let Some(name) = typed.strip_prefix("cargo xtask ") {
                assert!(crate::find(name).is_ok(), "{typed}");
            }
        }
    }
}
