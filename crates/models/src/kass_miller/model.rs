//! The model of a scene: the height field, its sources and incoming waves, and the volume ledger.

use std::io;

use glam::{DVec2, DVec3};
use undine_grid::{Real, Side};
use undine_scene::{Problem, Scene, SceneErrors, Values};
use undine_sim::{
    Budget, Built, Counters, Disturbance, Phases, Reader, Sample, Seconds, Simulation, Step, StepError, View,
    Volume, World, Writer,
};

use super::adi_sweep::SweepSums;
use super::height_field::{HeightField, TimeWeights};
use super::paper::Paper;
use super::{push, receiver, state, view};
use crate::heightfield::{
    CompensatedSum, HeightFieldSetup, HeightFieldSources, StepInterval, Wetness, interpolation,
};

/// Implicit shallow water by [kass1990]; see [the module](super). `W` values fill a cache line.
pub struct KassMiller<T, const W: usize> {
    pub(super) height_field: HeightField<T, W>,
    /// State of the paper's own algorithm, with the scheme `paper`.
    pub(super) paper: Option<Box<Paper>>,
    pub(super) sources: HeightFieldSources,
    pub(super) wetness: Wetness,
    weights: TimeWeights,
    /// Longest step: the duration of a frame, divided by the iterations per frame.
    pub(super) longest: Seconds,
    pub(super) gravity: f64,
    pub(super) ledger: VolumeLedger,
}

/// Volume held, and volumes that have passed the open sides.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct VolumeLedger {
    /// Volumes in m³.
    pub initial: f64,
    pub held: f64,
    pub inflow: CompensatedSum,
    pub outflow: CompensatedSum,
    /// Rounding error of the last addition by a source, in metres of depth.
    pub rounding: f64,
}

/// Reads and builds the model in the precision of the scene.
pub(super) fn build(scene: &Scene, values: &Values) -> Result<Built, SceneErrors> {
    match values.word("precision") {
        "double" => KassMiller::<f64, 8>::build(scene, values),
        _ => KassMiller::<f32, 16>::build(scene, values),
    }
}

impl<T: Real, const W: usize> KassMiller<T, W> {
    fn build(scene: &Scene, values: &Values) -> Result<Built, SceneErrors> {
        let mut setup = HeightFieldSetup::read(scene, values)?;
        let warnings = std::mem::take(&mut setup.warnings);
        let sources = HeightFieldSources::read(scene, values, &setup)?;
        let water = KassMiller::<T, W>::new(scene, values, &setup, sources)?;
        Ok(Built { simulation: Box::new(water), warnings })
    }

    pub(super) fn new(
        scene: &Scene,
        values: &Values,
        setup: &HeightFieldSetup,
        sources: HeightFieldSources,
    ) -> Result<Self, SceneErrors> {
        let no_memory = |error: undine_grid::FieldError| {
            SceneErrors::from(values.problem("resolution", error.to_string(), "choose a smaller resolution"))
        };
        let mut height_field = HeightField::new(setup, values.number("film")).map_err(no_memory)?;
        let is_paper = values.word("scheme") == "paper";
        for &side in &Side::ALL[..4] {
            let has_waves = sources.waves().iter().any(|waves| waves.side == side);
            if has_waves || values.word(&side.to_string()) == "open" {
                if is_paper {
                    let message =
                        format!("the paper's algorithm has walls only, but the {side} side is open");
                    return Err(values
                        .problem("scheme", message, "choose first-order or second-order")
                        .into());
                }
                height_field.open(side);
            }
        }
        // State, weights and ledger at t = 0
        let longest = 1.0 / (scene.fps * values.integer("iterations").max(1) as f64);
        let mut water = KassMiller {
            wetness: Wetness::new(&setup.grid, values.number("drying")).map_err(no_memory)?,
            weights: TimeWeights {
                implicit: if values.word("scheme") == "first-order" { 1.0 } else { super::SECOND_ORDER },
                damping: values.number("damping"),
            },
            paper: is_paper.then(|| Box::new(Paper::new(&height_field, longest))),
            longest,
            gravity: scene.gravity,
            ledger: VolumeLedger::default(),
            height_field,
            sources,
        };
        let depths = undine_grid::par::sum(&water.height_field.depth, T::to_f64);
        water.ledger.initial = depths * setup.grid.cell_measure();
        water.ledger.held = water.ledger.initial;
        water.update_wetness(0.0);
        Ok(water)
    }

    /// Springs, drains, rain and disturbances, added to the depth; velocities are unchanged.
    fn add_sources(&mut self, interval: StepInterval) -> Result<(), Problem> {
        let mut receiver = receiver::HeightFieldReceiver {
            height_field: &mut self.height_field,
            rounding: &mut self.ledger.rounding,
        };
        self.sources.apply(interval, &mut receiver)
    }

    /// Sets η_in = p η_in(t + dt) + (1 − p) η_in(t) at the open sides.
    fn set_incoming(&mut self, interval: StepInterval) -> Result<(), Problem> {
        let (gravity, grid) = (self.gravity, *self.height_field.grid());
        for &side in &Side::ALL[..4] {
            let waves = self.sources.waves().iter().filter(|waves| waves.side == side);
            if waves.clone().next().is_none() {
                continue;
            }
            let p = self.weights.implicit;
            self.height_field.set_incoming(side, |line, rest| {
                let s = grid.centre([line as isize; 2])[1 - side.axis()];
                let speed = (gravity * rest).sqrt();
                let at = |time| waves.clone().map(|wave| wave.level(s, time, speed)).sum::<Result<f64, _>>();
                Ok(p * at(interval.time + interval.dt)? + (1.0 - p) * at(interval.time)?)
            })?;
        }
        Ok(())
    }

    /// Records a step in the ledger.
    fn record(&mut self, sums: SweepSums) {
        let area = self.height_field.grid().cell_measure();
        self.ledger.held = sums.held * area;
        self.ledger.inflow.add(sums.inflow * area);
        self.ledger.outflow.add(sums.outflow * area);
    }

    /// Updates the wetness map.
    fn update_wetness(&mut self, dt: Seconds) {
        let (depth, film) = (&self.height_field.depth, T::from_f64(self.height_field.film));
        self.wetness.update_by_depth(dt, depth, film);
    }
}

impl<T: Real, const W: usize> Sample for KassMiller<T, W> {
    fn height(&self, xy: DVec2) -> Option<f64> {
        interpolation::between(self.height_field.grid(), xy, |cell| self.height_field.level(cell))
    }

    fn velocity(&self, at: DVec3) -> DVec3 {
        let component = |axis| {
            interpolation::between(self.height_field.grid(), at.truncate(), |cell| {
                self.height_field.speed(axis, cell)
            })
            .unwrap_or(0.0)
        };
        DVec3::new(component(0), component(1), 0.0)
    }

    fn depth(&self, xy: DVec2) -> Option<f64> {
        interpolation::between(self.height_field.grid(), xy, |cell| self.height_field.depth[cell].to_f64())
    }
}

impl<T: Real, const W: usize> Simulation for KassMiller<T, W> {
    fn max_dt(&self) -> Seconds {
        self.longest
    }

    fn step(&mut self, dt: Seconds, world: &mut World<'_>) -> Result<Step, StepError> {
        let mut phases = Phases::default();
        let interval = StepInterval { time: world.time, dt, seed: world.seed };
        if !self.sources.is_idle() {
            phases.time("sources", || self.add_sources(interval))?;
        }
        self.set_incoming(interval)?;
        let had_bare_ground = self.height_field.has_bare_ground;
        let sums = phases.time("sweeps", || match &mut self.paper {
            Some(paper) => paper.step(&mut self.height_field, dt, self.gravity, self.weights),
            None => self.height_field.step(dt, self.gravity, self.weights),
        });
        if !sums.held.is_finite() {
            return Err(StepError::Failed("the water has left the range of its numbers".into()));
        }
        self.record(sums);
        // Without bare ground all is wet already
        if had_bare_ground || self.height_field.has_bare_ground {
            phases.time("wetness", || self.update_wetness(dt));
        }
        Ok(Step::Done(phases))
    }

    fn disturb(&mut self, disturbance: &Disturbance) -> bool {
        match *disturbance {
            // The paper's state has levels and no velocity
            Disturbance::Push { .. } if self.paper.is_some() => false,
            Disturbance::Push { at, radius, velocity } => {
                push::push(&mut self.height_field, at.truncate(), radius, velocity.truncate(), self.longest)
            }
            _ => self.sources.disturb(disturbance),
        }
    }

    fn view(&self) -> View<'_> {
        view::view(self)
    }

    fn budget(&self) -> Budget {
        Budget { volume: self.volume(), ..super::energy::energy(&self.height_field, self.gravity) }
    }

    fn volume(&self) -> Volume {
        Volume {
            held: self.ledger.held,
            initial: self.ledger.initial,
            inflow: self.sources.inflow() + self.ledger.inflow.value(),
            outflow: self.sources.outflow() + self.ledger.outflow.value(),
            prescribed: 0.0,
        }
    }

    fn counters(&self) -> Counters {
        Counters::new(self.wetness.counters())
    }

    fn cells(&self) -> u64 {
        self.height_field.depth.len() as u64
    }

    fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        state::save(self, to)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        state::restore(self, from)
    }
}
