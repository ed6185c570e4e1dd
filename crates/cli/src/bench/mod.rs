//! `undine bench`: speed as a share of what the machine can do, measured in the same run.
//!
//! A benchmark is a function and a line in [`BENCHES`]. Its figure stands beside a limit: the copy bandwidth of the
//! memory, the bare work without the care, a peer. Timings are printed and decide nothing.

mod drawing;
mod fourier;
mod kass_miller;
mod lattice;
mod liquid;
mod liquid_surface;
mod memory;
mod poisson;
mod shallow_water;
mod stable_fluids;
mod waters;

use std::time::Instant;

use crate::style::{Exit, say, say_json, say_list};

/// Measure the speed against what this machine can do
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  undine bench
  undine bench grid              all benchmarks below a name
  undine bench grid/sweep --json")]
pub struct Args {
    /// Benchmarks, or beginnings of their names
    names: Vec<String>,

    /// List the benchmarks and do nothing
    #[arg(long)]
    list: bool,

    /// Threads to use; all when absent
    #[arg(long, value_name = "N")]
    threads: Option<usize>,

    /// Print one JSON object per figure
    #[arg(long)]
    json: bool,
}

/// A benchmark.
pub struct Bench {
    /// `<model or room>/<what>`.
    pub name: &'static str,
    /// Measures.
    pub run: fn(&mut Figures) -> anyhow::Result<()>,
}

/// Every benchmark.
static BENCHES: &[Bench] = &[
    Bench { name: "grid/copy", run: memory::copy },
    Bench { name: "grid/sweep", run: lattice::sweep },
    Bench { name: "grid/interpolation", run: lattice::interpolation },
    Bench { name: "grid/fft", run: fourier::fft },
    Bench { name: "poisson/plane", run: poisson::plane },
    Bench { name: "poisson/space", run: poisson::space },
    Bench { name: "poisson/cost", run: poisson::cost },
    Bench { name: "poisson/liquids", run: poisson::liquids },
    Bench { name: "poisson/pressure", run: poisson::pressure },
    Bench { name: "sine-waves/step", run: waters::sine_waves },
    Bench { name: "gerstner/step", run: waters::gerstner },
    Bench { name: "kass-miller/step", run: kass_miller::step },
    Bench { name: "shallow-water/step", run: shallow_water::step },
    Bench { name: "stable-fluids/step", run: stable_fluids::step },
    Bench { name: "stable-fluids/space", run: stable_fluids::space },
    Bench { name: "liquid/step", run: liquid::step },
    Bench { name: "liquid/growth", run: liquid::growth },
    Bench { name: "surface/liquid", run: liquid_surface::mesh },
    Bench { name: "render/preview", run: drawing::preview },
    Bench { name: "render/classic", run: drawing::classic },
    Bench { name: "render/caustics", run: drawing::caustics },
    Bench { name: "render/trace", run: drawing::trace },
];

/// Collects the figures of a benchmark.
#[derive(Default)]
pub struct Figures {
    done: Vec<Figure>,
}

struct Figure {
    metric: String,
    value: f64,
    unit: &'static str,
    limit: f64,
    limit_is: &'static str,
}

impl Figures {
    /// A rate, beside the rate that the machine can do; `limit_is` says what that is.
    pub fn rate(
        &mut self,
        metric: impl Into<String>,
        value: f64,
        unit: &'static str,
        limit: f64,
        limit_is: &'static str,
    ) {
        self.done.push(Figure { metric: metric.into(), value, unit, limit, limit_is });
    }
}

/// The best of several runs, in seconds: the one that was disturbed least.
pub fn best_of(runs: u32, mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..runs {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best
}

/// Runs the chosen benchmarks.
pub fn run(args: &Args) -> Result<(), Exit> {
    crate::commands::use_threads(args.threads)?;
    let is_below = |bench: &Bench, wanted: &String| crate::commands::is_below(bench.name, wanted);
    if let Some(stranger) =
        args.names.iter().find(|wanted| !BENCHES.iter().any(|bench| is_below(bench, wanted)))
    {
        let known = undine::scene::known_words(stranger, BENCHES.iter().map(|bench| bench.name));
        return Err(Exit::Wrong(format!("there is no benchmark {stranger:?}; {known}")));
    }
    let is_chosen =
        |bench: &&Bench| args.names.is_empty() || args.names.iter().any(|wanted| is_below(bench, wanted));
    let chosen: Vec<&Bench> = BENCHES.iter().filter(is_chosen).collect();
    if args.list {
        say_list(&chosen.iter().map(|bench| bench.name).collect::<Vec<_>>(), args.json);
        return Ok(());
    }
    for bench in chosen {
        let mut figures = Figures::default();
        (bench.run)(&mut figures).map_err(|error| error.context(bench.name))?;
        figures.done.iter().for_each(|figure| print(bench.name, figure, args.json));
    }
    Ok(())
}

fn print(bench: &str, figure: &Figure, json: bool) {
    let Figure { metric, value, unit, limit, limit_is } = figure;
    let ratio = value / limit;
    if json {
        return say_json(&serde_json::json!({
            "bench": bench,
            "metric": metric,
            "value": value,
            "unit": unit,
            "limit": limit,
            "limit_is": limit_is,
            "ratio": ratio,
        }));
    }
    say(format!(
        "{bench:<20} {metric:<32} {value:>10.3} {unit:<16} {:>6.1} % of {limit:.3}, {limit_is}",
        100.0 * ratio
    ));
}
