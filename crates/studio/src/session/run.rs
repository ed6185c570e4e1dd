//! One run of a scene: its waters, the history of measurements, and the frame rate.

use std::collections::VecDeque;
use std::sync::Arc;

use undine::frame::Quantity;
use undine::render::props::{Props, read_props};
use undine::scene::{Scene, SceneErrors};
use undine::sim::{Budget, CounterKind, FrameStats, Gauge, Runner, StepFailure, Stopwatch};
use undine::surface::Tessellation;

use crate::update::{HISTORY_FRAMES, History, HistoryColumn, RunStatus};

/// Frames over which rates are averaged.
const RECENT: usize = 30;

/// The running waters of a scene, with their history.
pub(super) struct SceneRun {
    pub runner: Runner,
    pub gauges: Vec<Gauge>,
    pub tessellation: Tessellation,
    pub props: Props,
    history: Arc<History>,
    /// Of each recent frame: seconds of computing, time steps, and the wall clock at its end.
    recent: VecDeque<(f64, u64, f64)>,
    clock: Stopwatch,
    steps: u64,
    volume_error: f64,
    budget: Budget,
}

impl SceneRun {
    /// Builds the waters of a scene within a memory limit in bytes.
    pub fn new(scene: &Scene, memory: Option<u64>) -> Result<SceneRun, SceneErrors> {
        let runner = Runner::new(scene, undine::MODELS, memory)?;
        let mut errors = SceneErrors::default();
        let gauges = errors.keep(Gauge::read_all(scene, &runner)).unwrap_or_default();
        let tessellation = errors.keep(Tessellation::read(scene)).unwrap_or_default();
        errors.absorb(undine::check_surfaces(scene, &runner));
        let props = errors.keep(read_props(scene)).unwrap_or_default();
        errors.into_result()?;
        let mut run = SceneRun {
            runner,
            gauges,
            tessellation,
            props,
            history: Arc::default(),
            recent: VecDeque::new(),
            clock: Stopwatch::start(),
            steps: 0,
            volume_error: 0.0,
            budget: Budget::default(),
        };
        run.measure();
        let stats = run.runner.empty_stats();
        run.record(&stats, None);
        Ok(run)
    }

    /// Takes one time step; true when it reaches a frame.
    pub fn step(&mut self, measures_divergence: bool) -> Result<bool, StepFailure> {
        let Some(stats) = self.runner.next_step()? else { return Ok(false) };
        self.recent.push_back((stats.seconds, stats.steps, self.clock.seconds()));
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
        self.steps += stats.steps;
        self.volume_error = stats.volume_error;
        self.budget = Budget::total(stats.budgets.iter().copied());
        let divergence = if measures_divergence { max_divergence(&self.runner) } else { None };
        self.record(&stats, divergence);
        Ok(true)
    }

    /// Measures the budget after a change that was not a step.
    pub fn measure(&mut self) {
        self.budget = Budget::total(self.runner.budgets().map(|(_, budget)| budget));
    }

    /// Drops the history after the current time, when an earlier snapshot has been restored.
    pub fn truncate_history(&mut self) {
        let time = self.runner.time();
        let history = Arc::make_mut(&mut self.history);
        let kept = history.times.iter().take_while(|past| **past <= time).count();
        history.times.truncate(kept);
        history.columns.iter_mut().for_each(|column| column.values.truncate(kept));
        history.phases.iter_mut().for_each(|(_, values)| values.truncate(kept));
        self.recent.clear();
        self.measure();
    }

    /// The statistics for the window.
    pub fn status(&self) -> RunStatus {
        let models: Vec<&str> = self.runner.waters().iter().map(|water| water.model.name).collect();
        let seconds: f64 = self.recent.iter().map(|(seconds, ..)| seconds).sum();
        let steps: u64 = self.recent.iter().map(|(_, steps, _)| steps).sum();
        let span = match (self.recent.front(), self.recent.back()) {
            (Some((.., first)), Some((.., last))) if last > first => last - first,
            _ => f64::INFINITY,
        };
        RunStatus {
            model: models.join(", "),
            frame: self.runner.frame(),
            time: self.runner.time(),
            frame_count: self.runner.frame_count(),
            count: self.runner.count(),
            steps: self.steps,
            compute_seconds: self.recent.back().map_or(0.0, |(seconds, ..)| *seconds),
            frames_per_second: (self.recent.len().saturating_sub(1)) as f64 / span,
            steps_per_second: if seconds > 0.0 { steps as f64 / seconds } else { 0.0 },
            budget: self.budget,
            volume_error: self.volume_error,
            history: self.history.clone(),
        }
    }

    /// Adds the current frame to the history, which keeps [`HISTORY_FRAMES`].
    fn record(&mut self, stats: &FrameStats, divergence: Option<f64>) {
        // The row of this frame: budget, divergence, gauges
        let budget = self.budget;
        let mut row = vec![
            (String::from("volume"), String::from("held"), "m³", budget.volume.held),
            (String::from("volume"), String::from("expected"), "m³", budget.volume.expected()),
            (String::from("energy"), String::from("kinetic"), "J", budget.kinetic_energy),
            (String::from("energy"), String::from("potential"), "J", budget.potential_energy),
            (String::from("divergence"), String::from("greatest"), "1/s", divergence.unwrap_or(f64::NAN)),
        ];
        if let Some(drift) = budget.volume_drift {
            row.push((String::from("volume drift"), String::from("enclosed/held − 1"), "", drift));
        }
        let waters = self.runner.waters();
        for (water, counters) in waters.iter().zip(&stats.counters) {
            let prefix = (waters.len() > 1).then_some(water.name.as_str());
            row.extend(counters.iter().map(|counter| {
                let plot = match counter.kind {
                    CounterKind::Sum => format!("{} per frame", counter.unit),
                    CounterKind::State => counter.unit.to_owned(),
                };
                let name =
                    prefix.map_or(counter.name.to_owned(), |water| format!("{water}.{}", counter.name));
                (plot, name, "", counter.count as f64)
            }));
        }
        for gauge in &self.gauges {
            let columns = gauge.columns().into_iter().zip(gauge.measure(&self.runner));
            row.extend(columns.map(|(name, value)| {
                let plot = name.split('.').next().unwrap_or_default().to_owned();
                (plot, name, "", value)
            }));
        }
        // A column or a phase that begins late is padded to the length of the others
        let history = Arc::make_mut(&mut self.history);
        history.times.push_back(self.runner.time());
        let length = history.times.len();
        for (plot, name, unit, value) in row {
            let column = find_or_add(&mut history.columns, plot, name, unit);
            push_padded(&mut column.values, length, value);
        }
        for (name, seconds) in stats.phases.iter() {
            let known = history.phases.iter().position(|(known, _)| known == name);
            let index = known.unwrap_or_else(|| {
                history.phases.push((name.to_owned(), VecDeque::new()));
                history.phases.len() - 1
            });
            push_padded(&mut history.phases[index].1, length, seconds);
        }
        // A phase that this frame did not have took no time
        history.phases.iter_mut().for_each(|(_, values)| values.resize(length, 0.0));
        if length > HISTORY_FRAMES {
            let columns = history.columns.iter_mut().map(|column| &mut column.values);
            let phases = history.phases.iter_mut().map(|(_, values)| values);
            for values in columns.chain(phases).chain([&mut history.times]) {
                values.pop_front();
            }
        }
    }
}

fn find_or_add<'h>(
    columns: &'h mut Vec<HistoryColumn>,
    plot: String,
    name: String,
    unit: &str,
) -> &'h mut HistoryColumn {
    let known = columns.iter().position(|column| column.plot == plot && column.name == name);
    let index = known.unwrap_or_else(|| {
        columns.push(HistoryColumn { plot, name, unit: unit.to_owned(), values: VecDeque::new() });
        columns.len() - 1
    });
    &mut columns[index]
}

/// Appends the value of frame `length − 1` to a column that may have begun late: earlier gaps are NaN.
fn push_padded(values: &mut VecDeque<f64>, length: usize, value: f64) {
    values.resize(length.saturating_sub(1), f64::NAN);
    values.push_back(value);
}

/// max |∇·u| over the cells of all waters that offer this field.
fn max_divergence(runner: &Runner) -> Option<f64> {
    let mut greatest: Option<f64> = None;
    for water in runner.waters() {
        let view = water.simulation.view();
        for field in view.fields.iter().filter(|field| field.quantity == Quantity::Divergence) {
            let most = field.samples.values().iter().fold(0.0_f32, |most, value| most.max(value.abs()));
            greatest = Some(greatest.unwrap_or(0.0).max(f64::from(most)));
        }
    }
    greatest
}
