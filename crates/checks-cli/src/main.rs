//! The program behind `undine validate` and `undine bench`.
//!
//! A program of its own, so that the command line builds without the checks: it alone enables the feature `checks`
//! of the crates that have some, and finds their suites in `MODELS` and in the lists `SUITES`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "printing is what a command line is for")]

mod bench;
mod committed;
mod pages;
mod report;
mod side_by_side;
mod terminal;
mod validate;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use undine_checks::args::{BenchArgs, ValidateArgs};
use undine_checks::{Bench, Case, Suite};
use undine_models::MODELS;

use terminal::CheckFailure;

/// Validation cases and benchmarks of Undine.
#[derive(Parser)]
#[command(name = "undine-checks", version, propagate_version = true)]
struct ChecksCli {
    #[command(subcommand)]
    command: ChecksCommand,
}

#[derive(Subcommand)]
enum ChecksCommand {
    Validate(ValidateArgs),
    Bench(BenchArgs),
}

fn main() -> ExitCode {
    let result = match ChecksCli::parse().command {
        ChecksCommand::Validate(args) => validate::run(&args),
        ChecksCommand::Bench(args) => bench::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(exit) => exit.report(),
    }
}

/// Every suite: grid, then the models in the order of their list, then surface, render and the bundled scenes.
fn suites() -> impl Iterator<Item = &'static Suite> {
    let waters = MODELS.iter().map(|model| &model.suite);
    let solvers = undine_grid::SUITES.iter().chain(waters);
    solvers.chain(undine_surface::SUITES).chain(undine_render::SUITES).chain(undine_scenes::SUITES)
}

fn cases() -> Vec<&'static Case> {
    suites().flat_map(|suite| suite.cases).collect()
}

fn benches() -> Vec<&'static Bench> {
    suites().flat_map(|suite| suite.benches).collect()
}

/// The items of `all` whose names equal a wanted one or lie below it, as `grid/sweep` below `grid`; all if none is wanted.
fn choose<T>(
    all: Vec<&'static T>,
    wanted: &[String],
    what: &str,
    name: fn(&T) -> &'static str,
) -> Result<Vec<&'static T>, CheckFailure> {
    if let Some(unknown) = wanted.iter().find(|wanted| !all.iter().any(|&one| is_below(name(one), wanted))) {
        let known = undine_scene::known_words(unknown, all.iter().map(|&one| name(one)));
        return Err(CheckFailure::Wrong(format!("there is no {what} {unknown:?}; {known}")));
    }
    let is_chosen = |one: &&T| wanted.is_empty() || wanted.iter().any(|wanted| is_below(name(one), wanted));
    Ok(all.into_iter().filter(is_chosen).collect())
}

fn is_below(name: &str, wanted: &str) -> bool {
    name == wanted
        || name.strip_prefix(wanted.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{benches, cases, is_below};

    #[test]
    fn every_name_is_there_once() {
        let lists = [
            cases().iter().map(|case| case.name).collect::<Vec<_>>(),
            benches().iter().map(|bench| bench.name).collect(),
        ];
        for names in lists {
            assert!(names.len() > 20, "{names:?}");
            assert!(names.iter().all(|name| name.split('/').count() == 2), "{names:?}");
            assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
        }
    }

    #[test]
    fn every_water_is_checked_and_measured() {
        for model in undine_models::MODELS {
            assert!(!model.suite.cases.is_empty(), "{} has no case", model.name);
            assert!(!model.suite.benches.is_empty(), "{} has no benchmark", model.name);
        }
    }

    #[test]
    fn a_folder_of_names_is_whole_words() {
        assert!(is_below("grid/sweep", "grid") && is_below("grid/sweep", "grid/"));
        assert!(is_below("grid/sweep", "grid/sweep"));
        assert!(!is_below("grid/sweep", "gri") && !is_below("grid/sweep", "grid/sw"));
    }
}
