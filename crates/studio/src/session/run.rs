//! One run of a scene: its waters, what is measured of them, and how fast they go.

use std::collections::VecDeque;
use std::sync::Arc;

use undine::frame::Quantity;
use undine::render::props::{Props, read_props};
use undine::scene::{Scene, SceneErrors};
use undine::sim::{Budget, FrameStats, Gauge, Runner, StepFailure, Stopwatch};
use undine::surface::Tessellation;

use crate::news::{Column, History, REMEMBERED, RunNews};

/// Frames over which rates are averaged.
const RECENT: usize = 30;

/// The waters of a scene in motion, with their history.
pub(super) struct Run {
    pub runner: Runner,
    pub gauges: Vec<Gauge>,
    pub tessellation: Tessellation,
    pub props: Props,
    history: Arc<History>,
    /// Seconds of computing and steps of the last frames, and the clock at their ends.
    recent: VecDeque<(f64, u64, f64)>,
    clock: Stopwatch,
    steps: u64,
    volume_error: f64,
    budget: Budget,
}

impl Run {
    /// Builds the waters of a scene within some bytes of memory.
    pub fn new(scene: &Scene, memory: Option<u64>) -> Result<Run, SceneErrors> {
        let runner = Runner::new(scene, undine::MODELS, memory)?;
        let mut errors = SceneErrors::default();
        let gauges = errors.keep(Gauge::read_all(scene, &runner)).unwrap_or_default();
        let tessellation = errors.keep(Tessellation::read(scene)).unwrap_or_default();
        errors.absorb(undine::check_surfaces(scene, &runner));
        let props = errors.keep(read_props(scene)).unwrap_or_default();
        errors.into_result()?;
        let mut run = Run {
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
        run.record(&FrameStats::default(), None);
        Ok(run)
    }

    /// Takes one step; true when a frame has been reached by it.
    pub fn step(&mut self, measures_divergence: bool) -> Result<bool, StepFailure> {
        let Some(stats) = self.runner.next_step()? else { return Ok(false) };
        self.recent.push_back((stats.seconds, stats.steps, self.clock.seconds()));
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
        self.steps += stats.steps;
        self.volume_error = stats.volume_error;
        self.budget = total(stats.budgets.iter().copied());
        let divergence = if measures_divergence { greatest_divergence(&self.runner) } else { None };
        self.record(&stats, divergence);
        Ok(true)
    }

    /// Measures what there is, when it has changed otherwise than by a step.
    pub fn measure(&mut self) {
        self.budget = total(self.runner.budgets().map(|(_, budget)| budget));
    }

    /// Forgets what was measured after the moment to which the waters have returned.
    pub fn forget_later(&mut self) {
        let time = self.runner.time();
        let history = Arc::make_mut(&mut self.history);
        let kept = history.times.iter().take_while(|past| **past <= time).count();
        history.times.truncate(kept);
        history.columns.iter_mut().for_each(|column| column.values.truncate(kept));
        history.phases.iter_mut().for_each(|(_, values)| values.truncate(kept));
        self.recent.clear();
        self.measure();
    }

    /// What the window is told.
    pub fn news(&self) -> RunNews {
        let models: Vec<&str> = self.runner.waters().iter().map(|water| water.model.name).collect();
        let seconds: f64 = self.recent.iter().map(|(seconds, ..)| seconds).sum();
        let steps: u64 = self.recent.iter().map(|(_, steps, _)| steps).sum();
        let span = match (self.recent.front(), self.recent.back()) {
            (Some((.., first)), Some((.., last))) if last > first => last - first,
            _ => f64::INFINITY,
        };
        RunNews {
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

    /// Adds the present frame to the history.
    fn record(&mut self, stats: &FrameStats, divergence: Option<f64>) {
        let budget = self.budget;
        let mut row = vec![
            (String::from("volume"), String::from("held"), "m³", budget.volume.held),
            (String::from("volume"), String::from("expected"), "m³", budget.volume.expected()),
            (String::from("energy"), String::from("kinetic"), "J", budget.kinetic_energy),
            (String::from("energy"), String::from("potential"), "J", budget.potential_energy),
            (String::from("divergence"), String::from("greatest"), "1/s", divergence.unwrap_or(f64::NAN)),
        ];
        for gauge in &self.gauges {
            let columns = gauge.columns().into_iter().zip(gauge.measure(&self.runner));
            row.extend(columns.map(|(name, value)| {
                let plot = name.split('.').next().unwrap_or_default().to_owned();
                (plot, name, "", value)
            }));
        }
        let history = Arc::make_mut(&mut self.history);
        history.times.push_back(self.runner.time());
        let length = history.times.len();
        for (plot, name, unit, value) in row {
            let column = find_or_add(&mut history.columns, plot, name, unit);
            push_at(&mut column.values, length, value);
        }
        for (name, seconds) in stats.phases.iter() {
            let known = history.phases.iter().position(|(known, _)| known == name);
            let index = known.unwrap_or_else(|| {
                history.phases.push((name.to_owned(), VecDeque::new()));
                history.phases.len() - 1
            });
            push_at(&mut history.phases[index].1, length, seconds);
        }
        history.phases.iter_mut().for_each(|(_, values)| push_at_least(values, length));
        if length > REMEMBERED {
            let columns = history.columns.iter_mut().map(|column| &mut column.values);
            let phases = history.phases.iter_mut().map(|(_, values)| values);
            for values in columns.chain(phases).chain([&mut history.times]) {
                values.pop_front();
            }
        }
    }
}

fn find_or_add<'h>(columns: &'h mut Vec<Column>, plot: String, name: String, unit: &str) -> &'h mut Column {
    let known = columns.iter().position(|column| column.plot == plot && column.name == name);
    let index = known.unwrap_or_else(|| {
        columns.push(Column { plot, name, unit: unit.to_owned(), values: VecDeque::new() });
        columns.len() - 1
    });
    &mut columns[index]
}

/// Puts a value at the end of a column that may have begun late.
fn push_at(values: &mut VecDeque<f64>, length: usize, value: f64) {
    values.resize(length.saturating_sub(1), f64::NAN);
    values.push_back(value);
}

/// A phase that this frame did not have took no time.
fn push_at_least(values: &mut VecDeque<f64>, length: usize) {
    values.resize(length, 0.0);
}

fn total(budgets: impl Iterator<Item = Budget>) -> Budget {
    budgets.fold(Budget::default(), |mut sum, one| {
        sum.volume.held += one.volume.held;
        sum.volume.initial += one.volume.initial;
        sum.volume.inflow += one.volume.inflow;
        sum.volume.outflow += one.volume.outflow;
        sum.volume.prescribed += one.volume.prescribed;
        (0..3).for_each(|axis| sum.momentum[axis] += one.momentum[axis]);
        sum.kinetic_energy += one.kinetic_energy;
        sum.potential_energy += one.potential_energy;
        sum
    })
}

/// The greatest divergence of all waters that show one.
fn greatest_divergence(runner: &Runner) -> Option<f64> {
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
