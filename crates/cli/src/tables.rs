//! The tables of a run: `metrics.csv` has physics only and is reproducible, `timings.csv` has wall-clock times.

use std::path::Path;

use undine_export::csv::{CsvCell, CsvError, CsvLog};
use undine_sim::{Budget, Counter, FrameStats, Gauge, Phases, Runner, Water};

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
        for (((_, budget), volumes), counters) in runner.budgets().zip(volumes).zip(&stats.counters) {
            row.extend(budget.values().map(CsvCell::from));
            row.extend([volumes.seen, volumes.drift()].map(CsvCell::from));
            row.extend(counters.iter().map(|counter| CsvCell::from(counter.count)));
        }
        row.extend(self.gauges.iter().flat_map(|gauge| gauge.measure(runner)).map(CsvCell::from));
        self.metrics.row(&row)?;
        for (phase, seconds) in stats.phases.iter().chain(outputs.iter()) {
            self.timings.row(&[runner.frame().into(), phase.into(), seconds.into()])?;
        }
        Ok(())
    }
}

/// The counters of all waters with their columns in `metrics.csv`, in order.
pub(crate) fn counter_columns(runner: &Runner) -> Vec<(String, Counter)> {
    runner.waters().iter().flat_map(|water| counters_of(runner, water)).collect()
}

fn counters_of(runner: &Runner, water: &Water) -> Vec<(String, Counter)> {
    let prefix = (runner.waters().len() > 1).then_some(water.name.as_str());
    let counters = water.simulation.counters();
    counters.iter().map(|counter| (counter.column(prefix), *counter)).collect()
}

/// Columns of `metrics.csv`: frame, time, steps, retries and retakes; the budget, the seen volume and the counters of
/// every water, prefixed by its name where there are several; the gauges. A cell is empty where a water has no such
/// quantity.
fn metric_columns(runner: &Runner, gauges: &[Gauge]) -> Vec<String> {
    let are_several = runner.waters().len() > 1;
    let of_water = |water: &Water| {
        let prefix = if are_several { format!("{}.", water.name) } else { String::new() };
        let fixed = Budget::NAMES.iter().chain(&SEEN_NAMES).map(move |name| format!("{prefix}{name}"));
        fixed.chain(counters_of(runner, water).into_iter().map(|(column, _)| column))
    };
    ["frame", "time_s", "steps", "retries", "retakes"]
        .map(str::to_owned)
        .into_iter()
        .chain(runner.waters().iter().flat_map(of_water))
        .chain(gauges.iter().flat_map(Gauge::columns))
        .collect()
}

#[cfg(test)]
mod tests {
    use undine_scene::{LoadOptions, Scene};

    use super::*;

    const POOL: &str = "[[water]]\nkind = 'kass-miller'\nsize = [4, 4]\nresolution = 16\nlevel = 1\n";

    fn table(folder: &Path, waters: &str, frames: u64) -> Vec<Vec<String>> {
        let text = format!("[scene]\nduration = 1\nfps = 10\n{waters}");
        let scene = Scene::parse("pools", &text, &LoadOptions::default()).unwrap();
        let mut runner = Runner::new(&scene, undine_models::MODELS, None).unwrap();
        let mut tables = RunTables::open(folder, &runner, Vec::new(), None).unwrap();
        let volumes = vec![WaterVolumes { held: 0.0, seen: None }; runner.waters().len()];
        let mut stats = runner.empty_stats();
        for frame in 0..=frames {
            tables.add(&runner, &stats, &Phases::default(), &volumes).unwrap();
            if frame < frames {
                stats = runner.next_frame().unwrap();
            }
        }
        drop(tables);
        let text = std::fs::read_to_string(folder.join("metrics.csv")).unwrap();
        text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
    }

    fn column<'t>(rows: &'t [Vec<String>], name: &str) -> Vec<&'t str> {
        let index = rows[0].iter().position(|column| column == name).unwrap();
        rows[1..].iter().map(|row| row[index].as_str()).collect()
    }

    #[test]
    fn counters_are_columns_and_a_frame_has_the_sum_of_its_steps() {
        let folder = tempfile::tempdir().unwrap();
        let rows = table(folder.path(), &format!("{POOL}iterations = 3\n"), 2);
        assert_eq!(column(&rows, "wet_cells"), ["256"; 3]);
        assert_eq!(column(&rows, "cell_updates"), ["0", "768", "768"]);
    }

    #[test]
    fn two_waters_of_one_model_have_columns_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let rows =
            table(folder.path(), &format!("{POOL}name = 'high'\niterations = 2\n{POOL}name = 'low'\n"), 1);
        let mut names = rows[0].clone();
        names.sort();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        assert_eq!(column(&rows, "high.cell_updates"), ["0", "512"]);
        assert_eq!(column(&rows, "low.cell_updates"), ["0", "256"]);
    }
}
