//! The HTML report of a run: film, facts, plots of the budget and gauges, time per phase.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use undine_export::report::{Plot, PlotSeries, PlotStyle, Report};
use undine_frame::SinkError;
use undine_render::{PictureKind, PictureSpec};
use undine_scene::Scene;
use undine_sim::{Counter, CounterKind, Runner};

use crate::tables::counter_columns;
use crate::{RunSummary, VERSION, VolumeSummary};

/// Writes `report.html` from the tables of the run and returns its path.
pub(crate) fn write(
    root: &Path,
    scene: &Scene,
    runner: &Runner,
    first: u64,
    pictures: &[PictureSpec],
    done: &RunSummary,
) -> Result<PathBuf, SinkError> {
    // Read the tables
    let (metrics, timings) = (root.join("metrics.csv"), root.join("timings.csv"));
    let metrics = CsvColumns::read(&metrics).map_err(SinkError::at(&metrics))?;
    let relative = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let waters: Vec<&str> = runner.waters().iter().map(|water| water.model.name).collect();
    let report = Report {
        title: scene.name.clone(),
        summary: scene.summary.clone(),
        // Films and pictures are linked relative to the report
        film: done.films.first().and_then(relative),
        sheet: done.sheets.first().and_then(relative),
        poster: done.films.first().map(|_| format!("frames/{first:06}.png")),
        facts: vec![
            ("water".into(), waters.join(", ")),
            ("length".into(), format!("{} s, {} frames", scene.duration, runner.frame_count())),
            ("size".into(), runner.count().to_string()),
            ("volume error".into(), ledger_fact(done)),
            ("cache".into(), format!("{:.1} MB", done.cache_bytes as f64 / 1e6)),
        ]
        .into_iter()
        .chain(done.volumes.iter().filter_map(seen_fact))
        .chain(pictures.iter().map(|picture| ("picture".into(), described(picture))))
        .collect(),
        // Budget, gauges and timings over time
        plots: [
            metrics.plot(
                "Volume",
                "volume [m³]",
                &["volume_m3", "seen_m3"],
                "Volume that the water holds, and for a liquid the volume inside the surface that is drawn.",
            ),
            metrics.plot(
                "Volume flow",
                "volume [m³]",
                &["inflow_m3", "outflow_m3", "prescribed_m3", "refused_m3"],
                "Cumulative inflow and outflow, volume prescribed by a closed form, and inflow that found no room.",
            ),
            metrics.plot(
                "Volume error",
                "relative to the water",
                &["volume_error_relative"],
                "Held − (initial + in − out + prescribed): zero up to rounding. Exactly zero where particles are counted.",
            ),
            metrics.plot(
                "Seen volume",
                "relative to the volume held",
                &["seen_drift", "volume_drift"],
                "Volume inside a surface of a liquid / volume held − 1: of the surface that is drawn (seen), and of the \
                 one that the solver uses.",
            ),
            metrics.plot("Energy", "energy [J]", &["kinetic_energy_J", "potential_energy_J"], ""),
        ]
        .into_iter()
        .chain(counter_plots(&metrics, &counter_columns(runner)))
        .chain(gauge_plots(&metrics))
        .chain([timings_plot(&timings).map_err(SinkError::at(&timings))?])
        .collect(),
        // Warnings, the scene, and versions for reproduction
        tables: Vec::new(),
        notes: runner
            .waters()
            .iter()
            .flat_map(|water| &water.warnings)
            .map(|note| note.message.clone())
            .chain(runner.waters().iter().flat_map(|water| water.simulation.notices()).map(|notice| notice.text))
            .collect(),
        scene: scene.resolved().to_owned(),
        versions: vec![
            ("undine".into(), VERSION.into()),
            ("system".into(), format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
            ("threads".into(), undine_grid::par::threads().to_string()),
        ],
    };
    let path = root.join("report.html");
    report.write(&path)?;
    Ok(path)
}

/// Size and renderer of a picture.
fn described(picture: &PictureSpec) -> String {
    let (width, height) = (picture.width, picture.height);
    let how = match &picture.kind {
        PictureKind::Preview(_) => "preview".to_owned(),
        PictureKind::Trace(trace) => format!("traced, up to {} paths", trace.samples()[1]),
        PictureKind::Classic(_) => "classic".to_owned(),
        PictureKind::Plot(_) => "plot".to_owned(),
        PictureKind::Flat(_) => "flat".to_owned(),
    };
    format!("{width} × {height}, {how}")
}

/// The error of the volume ledgers, or that they cannot fail.
fn ledger_fact(done: &RunSummary) -> String {
    match done.volumes.iter().all(|water| water.counts_particles) {
        true => "particles counted".to_owned(),
        false => format!("{:.1e} relative to the water", done.volume_error),
    }
}

/// The seen volume of a liquid.
fn seen_fact(water: &VolumeSummary) -> Option<(String, String)> {
    let (seen, drift, worst) = (water.seen?, 100.0 * water.drift()?, 100.0 * water.worst_drift?);
    let text = format!("{seen:.4} m³ of {:.4} m³ held ({drift:+.1} %, at worst {worst:+.1} %)", water.held);
    Some((format!("seen volume of {}", water.water), text))
}

/// The volumes of the waters in the last row of the metrics of a run, and the worst drift of all rows.
pub(crate) fn final_volumes(root: &Path, runner: &Runner) -> Result<Vec<VolumeSummary>, SinkError> {
    let path = root.join("metrics.csv");
    let metrics = CsvColumns::read(&path).map_err(SinkError::at(&path))?;
    let are_several = runner.waters().len() > 1;
    let column = |water: &str, name: &str| {
        let name = if are_several { format!("{water}.{name}") } else { name.to_owned() };
        let index = metrics.names.iter().position(|known| *known == name);
        let value = move |row: &Vec<f64>| index.and_then(|index| row.get(index)).copied().unwrap_or(f64::NAN);
        metrics.rows.iter().map(value)
    };
    let last = |water: &str, name: &str| column(water, name).next_back().filter(|value| value.is_finite());
    let summary = |water: &undine_sim::Water| VolumeSummary {
        water: water.name.clone(),
        held: last(&water.name, "volume_m3").unwrap_or_else(|| water.simulation.volume().held),
        seen: last(&water.name, "seen_m3"),
        worst_drift: column(&water.name, "seen_drift")
            .filter(|drift| drift.is_finite())
            .max_by(|a, b| a.abs().total_cmp(&b.abs())),
        refused: last(&water.name, "refused_m3"),
        counts_particles: water.simulation.counts_particles(),
    };
    Ok(runner.waters().iter().map(summary).collect())
}

/// The largest relative error of a volume ledger in the metrics of a run, including its resumed parts.
pub(crate) fn worst_volume_error(root: &Path) -> Result<f64, SinkError> {
    let path = root.join("metrics.csv");
    let metrics = CsvColumns::read(&path).map_err(SinkError::at(&path))?;
    let is_error = |name: &str| name.ends_with("volume_error_relative");
    let columns =
        metrics.names.iter().enumerate().filter(|(_, name)| is_error(name)).map(|(column, _)| column);
    let errors = columns.flat_map(|column| metrics.rows.iter().filter_map(move |row| row.get(column)));
    Ok(errors.fold(0.0, |worst, error| worst.max(error.abs())))
}

/// The frames that have a complete row in the metrics of a run.
pub(crate) fn measured_frames(root: &Path) -> HashSet<u64> {
    let Ok(text) = fs::read_to_string(root.join("metrics.csv")) else { return HashSet::new() };
    // The last line may be cut off; a cell is empty where a water has no such quantity
    let mut lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
    let width = lines.next().unwrap_or_default().split(',').count();
    let is_sound = |cell: &str| cell.is_empty() || cell.parse().is_ok_and(f64::is_finite);
    let is_complete = |line: &&str| line.split(',').count() == width && line.split(',').all(is_sound);
    lines.filter(is_complete).filter_map(|line| line.split(',').next()?.parse().ok()).collect()
}

/// A CSV table of numbers.
struct CsvColumns {
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl CsvColumns {
    fn read(path: &Path) -> io::Result<CsvColumns> {
        let text = fs::read_to_string(path)?;
        let mut lines = text.lines();
        let names = lines.next().unwrap_or_default().split(',').map(str::to_owned).collect();
        let rows = lines
            .map(|line| line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect())
            .collect();
        Ok(CsvColumns { names, rows })
    }

    /// The finite values of a column over time.
    fn points_of(&self, column: usize) -> Vec<[f64; 2]> {
        let point = |row: &Vec<f64>| Some([*row.get(1)?, *row.get(column)?]);
        self.rows.iter().filter_map(point).filter(|[_, value]| value.is_finite()).collect()
    }

    /// The finite values of the column of exactly this name.
    fn points(&self, name: &str) -> Vec<[f64; 2]> {
        self.names.iter().position(|known| known == name).map_or(Vec::new(), |column| self.points_of(column))
    }

    /// A plot of the columns of these names over time, for every water.
    fn plot(&self, title: &str, y: &str, wanted: &[&str], caption: &str) -> Plot {
        let is_wanted = |name: &str| wanted.contains(&name.rsplit('.').next().unwrap_or(name));
        let chosen = self.names.iter().enumerate().filter(|(_, name)| is_wanted(name));
        let series = chosen.map(|(column, name)| PlotSeries {
            name: name.rsplit_once('_').map_or(name.as_str(), |(name, _)| name).replace('_', " "),
            points: self.points_of(column),
        });
        // A quantity that no water has
        let series = series.filter(|series: &PlotSeries| !series.points.is_empty());
        Plot {
            title: title.to_owned(),
            x: "time [s]".to_owned(),
            y: y.to_owned(),
            style: PlotStyle::Lines,
            series: series.collect(),
            caption: caption.to_owned(),
        }
    }
}

/// The counters, one plot for each unit and kind; those that have never counted anything are left out.
fn counter_plots(metrics: &CsvColumns, counters: &[(String, Counter)]) -> Vec<Plot> {
    let mut plots: Vec<Plot> = Vec::new();
    for (column, counter) in counters {
        let (y, caption) = match counter.kind {
            CounterKind::Sum => {
                (format!("{} per frame", counter.unit), "Counted in every step, summed per frame.")
            }
            CounterKind::State => (counter.unit.to_owned(), "Counted after the last step of a frame."),
        };
        let points = metrics.points(column);
        if points.iter().all(|[_, count]| *count == 0.0) {
            continue;
        }
        let series = PlotSeries { name: column.replace('_', " "), points };
        match plots.iter_mut().find(|plot| plot.y == y) {
            Some(plot) => plot.series.push(series),
            None => plots.push(Plot {
                title: y[..1].to_uppercase() + &y[1..],
                x: "time [s]".to_owned(),
                y,
                style: PlotStyle::Lines,
                series: vec![series],
                caption: caption.to_owned(),
            }),
        }
    }
    plots
}

/// The gauges, one plot per measured quantity.
fn gauge_plots(metrics: &CsvColumns) -> Vec<Plot> {
    let plots = [
        ("Water level at the gauges", "level [m]", "level_m"),
        ("Depth at the gauges", "depth [m]", "depth_m"),
        ("Speed at the gauges", "speed [m/s]", "speed_m/s"),
        ("Discharge across lines", "discharge [m³/s]", "discharge_m³/s"),
    ]
    .map(|(title, y, quantity)| metrics.plot(title, y, &[quantity], ""));
    plots.into_iter().filter(|plot| !plot.series.is_empty()).map(named_after_gauges).collect()
}

/// Names the lines of a plot of one quantity by their gauges.
fn named_after_gauges(mut plot: Plot) -> Plot {
    for series in &mut plot.series {
        if let Some((gauge, _)) = series.name.rsplit_once('.') {
            series.name = gauge.to_owned();
        }
    }
    plot
}

/// Wall-clock seconds per frame and phase, stacked.
fn timings_plot(path: &Path) -> io::Result<Plot> {
    // Sum the seconds by frame and phase; phases in the order of their first row
    let text = fs::read_to_string(path)?;
    let mut order: Vec<&str> = Vec::new();
    let mut seconds: BTreeMap<u64, BTreeMap<&str, f64>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let mut cells = line.split(',');
        let (Some(Ok(frame)), Some(phase), Some(Ok(spent))) =
            (cells.next().map(str::parse), cells.next(), cells.next().map(str::parse::<f64>))
        else {
            continue;
        };
        if !order.contains(&phase) {
            order.push(phase);
        }
        *seconds.entry(frame).or_default().entry(phase).or_default() += spent;
    }
    // One stacked area per phase
    let series = order.iter().map(|&phase| PlotSeries {
        name: phase.to_owned(),
        points: seconds
            .iter()
            .map(|(&frame, phases)| [frame as f64, phases.get(phase).copied().unwrap_or(0.0)])
            .collect(),
    });
    Ok(Plot {
        title: "Time per phase".to_owned(),
        x: "frame".to_owned(),
        y: "wall-clock time [s]".to_owned(),
        style: PlotStyle::StackedAreas,
        series: series.collect(),
        caption: String::new(),
    })
}
