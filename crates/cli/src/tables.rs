//! The tables of a run: `metrics.csv` has physics only and is reproducible, `timings.csv` has wall-clock times.

use std::path::Path;

use undine_export::csv::{CsvCell, CsvError, CsvLog};
use undine_sim::{Budget, FrameStats, Gauge, Phases, Runner};

use crate::seen_volume::WaterVolumes;

/// Columns of a water beside its budget: the volume inside its drawn surface, and seen/held − 1.
const SEEN_NAMES: [&str; 2] = ["seen_m3", "seen_drift"];

/// Both tables of a run.
pub(crate) struct RunTables {
    gauges: Vec<Gauge>,
    metrics: CsvLog,
    timings: CsvLog,
}

impl RunTables {
    /// Starts the tables, or continues them after frame `resumed`.
    pub fn open(
        root: &Path,
        runner: &Runner,
        gauges: Vec<Gauge>,
        resumed: Option<u64>,
    ) -> Result<RunTables, CsvError> {
        let columns = metric_columns(runner, &gauges);
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let open = |name: &str, header: &[&str]| match resumed {
            Some(last) => CsvLog::resume(&root.join(name), header, last),
            None => CsvLog::create(&root.join(name), header),
        };
        Ok(RunTables {
            gauges,
            metrics: open("metrics.csv", &columns)?,
            timings: open("timings.csv", &["frame", "phase", "seconds"])?,
        })
    }

    /// Adds the rows of a frame.
    pub fn add(
        &mut self,
        runner: &Runner,
        stats: &FrameStats,
        outputs: &Phases,
        volumes: &[WaterVolumes],
    ) -> Result<(), CsvError> {
        let mut row: Vec<CsvCell<'_>> = vec![
            runner.frame().into(),
            runner.time().into(),
            stats.steps.into(),
            stats.retries.into(),
            stats.retakes.into(),
        ];
        for ((_, budget), volumes) in runner.budgets().zip(volumes) {
            row.extend(budget.values().map(CsvCell::from));
            row.extend([volumes.seen, volumes.drift()].map(CsvCell::from));
        }
        row.extend(self.gauges.iter().flat_map(|gauge| gauge.measure(runner)).map(CsvCell::from));
        self.metrics.row(&row)?;
        for (phase, seconds) in stats.phases.iter().chain(outputs.iter()) {
            self.timings.row(&[runner.frame().into(), phase.into(), seconds.into()])?;
        }
        Ok(())
    }
}

/// Columns of `metrics.csv`: frame, time, steps, retries and retakes; the budget and the seen volume of every water,
/// prefixed by its name where there are several; the gauges. A cell is empty where a water has no such quantity.
fn metric_columns(runner: &Runner, gauges: &[Gauge]) -> Vec<String> {
    let are_several = runner.waters().len() > 1;
    let budgets = runner.waters().iter().flat_map(|water| {
        let prefix = if are_several { format!("{}.", water.name) } else { String::new() };
        Budget::NAMES.iter().chain(&SEEN_NAMES).map(move |name| format!("{prefix}{name}"))
    });
    ["frame", "time_s", "steps", "retries", "retakes"]
        .map(str::to_owned)
        .into_iter()
        .chain(budgets)
        .chain(gauges.iter().flat_map(Gauge::columns))
        .collect()
}
