//! `undine bench`: speed relative to a limit of the machine measured in the same run. Timings are printed; there is no
//! pass or fail.

use undine_checks::args::BenchArgs;
use undine_checks::{Figure, FigureTable, Figures};

use crate::terminal::{CheckFailure, print_names};
use crate::{benches, choose};
use undine_checks::terminal::print_line;

/// Runs the chosen benchmarks.
pub fn run(args: &BenchArgs) -> Result<(), CheckFailure> {
    use_threads(args.threads)?;
    let chosen = choose(benches(), &args.names, "benchmark", |bench| bench.name)?;
    if args.list {
        print_names(&chosen.iter().map(|bench| bench.name).collect::<Vec<_>>(), args.json);
        return Ok(());
    }
    for bench in chosen {
        let mut figures = Figures::default();
        (bench.run)(&mut figures).map_err(|error| error.context(bench.name))?;
        figures.done().iter().for_each(|figure| print(bench.name, figure, args.json));
        figures.table().into_iter().for_each(|table| print_table(bench.name, table, args.json));
    }
    Ok(())
}

/// Uses this many threads from here on.
fn use_threads(threads: Option<usize>) -> Result<(), CheckFailure> {
    let Some(threads) = threads else { return Ok(()) };
    if !(1..=4096).contains(&threads) {
        return Err(CheckFailure::Wrong(format!("--threads must be from 1 to 4096, not {threads}")));
    }
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().map_err(CheckFailure::from)
}

fn print_table(bench: &str, table: &FigureTable, json: bool) {
    if !json {
        return table.lines().into_iter().for_each(print_line);
    }
    for row in &table.rows {
        let cells =
            table.columns.iter().zip(row).map(|(column, cell)| ((*column).to_owned(), cell.as_str().into()));
        let cells: serde_json::Map<String, serde_json::Value> = cells.collect();
        print_line(serde_json::json!({ "bench": bench, "row": cells }));
    }
}

fn print(bench: &str, figure: &Figure, json: bool) {
    let Figure { metric, value, unit, limit, limit_is } = figure;
    let ratio = value / limit;
    if json {
        return print_line(serde_json::json!({
            "bench": bench,
            "metric": metric,
            "value": value,
            "unit": unit,
            "limit": limit,
            "limit_is": limit_is,
            "ratio": ratio,
        }));
    }
    print_line(format!(
        "{bench:<20} {metric:<32} {value:>10.3} {unit:<16} {:>6.1} % of {limit:.3}, {limit_is}",
        100.0 * ratio
    ));
}
