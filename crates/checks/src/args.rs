//! The arguments of `undine validate` and `undine bench`: `undine` uses them for help and completion, `undine-checks` to
//! run the checks.

/// Check the physics against exact solutions and published tables
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  undine validate                     all cases
  undine validate gerstner            the cases whose names begin so
  undine validate --quick --json")]
pub struct ValidateArgs {
    /// Cases, or beginnings of their names
    pub cases: Vec<String>,

    /// Only the quick cases: less than five minutes on two cores
    #[arg(long)]
    pub quick: bool,

    /// List the cases without running them
    #[arg(long)]
    pub list: bool,

    /// Print one JSON object per check
    #[arg(long)]
    pub json: bool,
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
