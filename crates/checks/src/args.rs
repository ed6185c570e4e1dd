//! The arguments of `undine validate` and `undine bench`: `undine` reads them to help and to complete, the program behind
//! it to obey them.

/// Check the physics against exact solutions and published tables
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  undine validate                     everything
  undine validate gerstner            all cases below a name
  undine validate --quick --json")]
pub struct ValidateArgs {
    /// Cases, or beginnings of their names
    pub cases: Vec<String>,

    /// Leave out what takes long; stays below five minutes on two cores
    #[arg(long)]
    pub quick: bool,

    /// List the cases and do nothing
    #[arg(long)]
    pub list: bool,

    /// Print one JSON object per check
    #[arg(long)]
    pub json: bool,
}

/// Measure the speed against what this machine can do
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  undine bench
  undine bench grid              all benchmarks below a name
  undine bench grid/sweep --json")]
pub struct BenchArgs {
    /// Benchmarks, or beginnings of their names
    pub names: Vec<String>,

    /// List the benchmarks and do nothing
    #[arg(long)]
    pub list: bool,

    /// Threads to use; all when absent
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,

    /// Print one JSON object per figure
    #[arg(long)]
    pub json: bool,
}
