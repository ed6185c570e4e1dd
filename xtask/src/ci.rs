//! Every check in order, each timed, up to the first that fails.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::invocation::Invocation;
use crate::{fuzz, licences, needs, tidy};

/// One check.
pub struct CiStep {
    /// Its name on the command line and in the table.
    pub name: &'static str,
    work: CiWork,
}

enum CiWork {
    /// A check of xtask itself, which is also a command of its name.
    Own(fn(&Path) -> Result<()>),
    /// A call of cargo.
    Cargo(&'static [&'static str]),
    /// A call of cargo with a variable of the environment.
    CargoWith((&'static str, &'static str), &'static [&'static str]),
}

/// Every check, the quick and telling ones first.
pub static STEPS: &[CiStep] = &[
    CiStep { name: "needs", work: CiWork::Own(needs::run) },
    CiStep { name: "fmt", work: CiWork::Cargo(&["fmt", "--all", "--check"]) },
    CiStep {
        name: "clippy",
        work: CiWork::Cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    },
    CiStep { name: "tidy", work: CiWork::Own(tidy::run) },
    CiStep { name: "licences", work: CiWork::Own(licences::run) },
    // Clippy has compiled the examples; linking them would tell nothing more
    CiStep { name: "test", work: CiWork::Cargo(&["test", "--workspace", "--lib", "--bins", "--tests"]) },
    CiStep { name: "doctest", work: CiWork::Cargo(&["test", "--workspace", "--doc"]) },
    CiStep { name: "validate", work: CiWork::Own(validate) },
    CiStep {
        name: "docs",
        work: CiWork::CargoWith(("RUSTDOCFLAGS", "-D warnings"), &["doc", "--workspace", "--no-deps"]),
    },
    CiStep {
        name: "no-cli",
        work: CiWork::Cargo(&["check", "-p", "undine", "--no-default-features", "--example", "embed"]),
    },
    CiStep { name: "fuzz", work: CiWork::Own(|root| fuzz::run(root, &[])) },
];

/// Runs the quick validation cases by the program that the tests have just built: solvers are optimised there too, and
/// `cargo run` would compile them once more, for a smaller set of features. Targets may be short, but only those that
/// `validation/SHORT.md` lists.
pub fn validate(root: &Path) -> Result<()> {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder));
    let program = target.join("debug/undine-checks").with_extension(std::env::consts::EXE_EXTENSION);
    if !program.is_file() {
        Invocation::cargo(&["build", "--package", "undine-checks-cli"]).run(root)?;
    }
    let arguments = ["validate", "--quick", "--allow-short", "--committed", "validation"];
    Invocation::new(program.display().to_string(), &arguments).run(root)
}

/// Runs validation cases, all or some, and accepts their results: rewrites `baselines.csv`, `results.csv`, `SHORT.md` and
/// `RESULTS.md` in `validation/`.
pub fn bless_validation(root: &Path, arguments: &[String]) -> Result<()> {
    let run =
        ["run", "--release", "--package", "undine-checks-cli", "--", "validate", "--bless", "validation"];
    Invocation::cargo(&run).and(arguments).run(root)
}

/// Settings that make a build from scratch faster: no incremental compilation.
static BUILT_ONCE: &[(&str, &str)] = &[("CARGO_INCREMENTAL", "0")];

impl CiStep {
    fn run(&self, root: &Path) -> Result<()> {
        match self.work {
            CiWork::Own(check) => check(root),
            _ => {
                let once =
                    |command: Invocation, &(variable, value): &(&str, &str)| command.with(variable, value);
                let is_ci = std::env::var_os("CI").is_some();
                let settings = if is_ci { BUILT_ONCE } else { &[] };
                settings.iter().fold(self.command(), once).run(root)
            }
        }
    }

    /// The command to repeat it.
    fn command(&self) -> Invocation {
        match self.work {
            CiWork::Own(_) => Invocation::cargo(&["xtask", self.name]),
            CiWork::Cargo(arguments) => Invocation::cargo(arguments),
            CiWork::CargoWith((variable, value), arguments) => {
                Invocation::cargo(arguments).with(variable, value)
            }
        }
    }
}

/// Result of a step.
enum StepOutcome {
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

fn chosen<'a>(steps: &'a [CiStep], names: &[String]) -> Result<Vec<&'a CiStep>> {
    if let Some(unknown) = names.iter().find(|name| steps.iter().all(|step| step.name != **name)) {
        let known: Vec<_> = steps.iter().map(|step| step.name).collect();
        bail!("there is no step {unknown:?}; one of {}", known.join(", "));
    }
    let is_chosen = |step: &&CiStep| names.is_empty() || names.iter().any(|name| name == step.name);
    Ok(steps.iter().filter(is_chosen).collect())
}

/// The table of what happened, and the step that failed.
fn run_in_order<'a>(steps: &[&'a CiStep], root: &Path) -> (String, Option<&'a CiStep>) {
    let mut table = format!("{:<10} {:>9}  result\n", "step", "time");
    let mut failed = None;
    for &step in steps {
        let outcome = if failed.is_some() { StepOutcome::NotRun } else { timed(step, root) };
        if let StepOutcome::Failed(_) = outcome {
            failed = Some(step);
        }
        add_row(&mut table, step.name, &outcome);
    }
    (table, failed)
}

fn timed(step: &CiStep, root: &Path) -> StepOutcome {
    println!("\n── {}: {}", step.name, step.command());
    let start = Instant::now();
    match step.run(root) {
        Ok(()) => StepOutcome::Passed(start.elapsed()),
        Err(error) => {
            eprintln!("{}: {error:#}", step.name);
            StepOutcome::Failed(start.elapsed())
        }
    }
}

fn add_row(table: &mut String, name: &str, outcome: &StepOutcome) {
    let (time, result) = match outcome {
        StepOutcome::Passed(time) => (format!("{:.1} s", time.as_secs_f64()), "passed"),
        StepOutcome::Failed(time) => (format!("{:.1} s", time.as_secs_f64()), "FAILED"),
        StepOutcome::NotRun => ("-".to_owned(), "not run"),
    };
    writeln!(table, "{name:<10} {time:>9}  {result}").expect("a string takes any text");
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: CiStep = CiStep { name: "good", work: CiWork::Own(|_| Ok(())) };
    const BAD: CiStep = CiStep { name: "bad", work: CiWork::Own(|_| bail!("leaks")) };
    const LAST: CiStep = CiStep { name: "last", work: CiWork::Own(|_| Ok(())) };

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
