//! The arguments of `undine validate` and `undine bench`: `undine` uses them for help and completion, `undine-checks` to
//! run the checks.

use std::path::PathBuf;

/// Check the physics against exact solutions and published tables
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  undine validate                     all cases
  undine validate gerstner            the cases whose names begin so
  undine validate --quick --json
  undine validate --report page.html  with plots of curves and convergence

Targets hold or are short; baselines are kept, slipped or gained; what is not a number is broken.
Exit code 0: all hold and are kept; 4: some are short; 3: some slipped or are broken.")]
pub struct ValidateArgs {
    /// Cases, or beginnings of their names
    pub cases: Vec<String>,

    /// Only the quick cases, which CI runs
    #[arg(long)]
    pub quick: bool,

    /// List the cases without running them
    #[arg(long)]
    pub list: bool,

    /// Print one JSON object per check
    #[arg(long)]
    pub json: bool,

    /// Exit with 0 if targets are short and nothing else is wrong
    #[arg(long)]
    pub allow_short: bool,

    /// Number of cases that run side by side, one thread each; all processors when absent
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,

    /// Write a page with all results and plots
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Compare with baselines.csv, results.csv and SHORT.md in this folder: short ones that are not listed there, or are
    /// listed and hold, and values without a baseline fail too
    #[arg(long, value_name = "FOLDER")]
    pub committed: Option<PathBuf>,

    /// Accept the results: rewrite baselines.csv, results.csv, SHORT.md and RESULTS.md in this folder for the cases that
    /// were run
    #[arg(long, value_name = "FOLDER", hide = true, conflicts_with_all = ["committed", "perturb"])]
    pub bless: Option<PathBuf>,

    /// Test the checks: perturb every measured number, and fail if a check does not notice
    #[arg(long, hide = true)]
    pub perturb: bool,
}

/// Measure the speed against the limits of this machine
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  undine bench
  undine bench grid              the benchmarks whose names begin so
  undine bench grid/sweep --json")]
pub struct BenchArgs {
    /// Benchmarks, or beginnings of their names
    pub names: Vec<String>,

    /// List the benchmarks without running them
    #[arg(long)]
    pub list: bool,

    /// Number of threads; all processors when absent
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,

    /// Print one JSON object per figure
    #[arg(long)]
    pub json: bool,
}
