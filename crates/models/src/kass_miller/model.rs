//! The water of a scene: the basin, what flows in from above and from the sides, and the ledger.

use std::io;

use glam::{DVec2, DVec3};
use undine_grid::{Real, Side};
use undine_scene::{Scene, SceneErrors, Values};
use undine_sim::{
    Budget, Built, Disturbance, Phases, Reader, Sample, Seconds, Simulation, Step, StepError, View, Volume,
    World, Writer,
};

use super::basin::{Basin, Weights};
use super::paper::Paper;
use super::stage::Outcome;
use super::{pour, push, state, view};
use crate::heightfield::{CompensatedSum, HeightFieldSetup, HeightFieldSources, StepInterval, Wetness};

/// Water over land by [kass1990]; see [the module](super). `W` values fill a cache line.
pub struct KassMiller<T, const W: usize> {
    pub(super) basin: Basin<T, W>,
    /// The two levels of the paper's own algorithm, when that is asked for.
    pub(super) paper: Option<Box<Paper>>,
    pub(super) sources: HeightFieldSources,
    pub(super) wetness: Wetness,
    weights: Weights,
    /// The longest step: a frame's time, divided by the iterations per frame.
    pub(super) longest: Seconds,
    pub(super) gravity: f64,
    pub(super) ledger: Ledger,
}

/// What the basin holds, and what has passed its open sides.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Ledger {
    /// Volumes in m³.
    pub initial: f64,
    pub held: f64,
    pub inflow: CompensatedSum,
    pub outflow: CompensatedSum,
    /// Metres of depth that rounding has kept back from the next cell that is poured on.
    pub kept_back: f64,
}

/// Reads and builds the water in the precision that the scene asks for.
pub(super) fn build(scene: &Scene, values: &Values) -> Result<Built, SceneErrors> {
    match values.word("precision") {
        "double" => KassMiller::<f64, 8>::build(scene, values),
        _ => KassMiller::<f32, 16>::build(scene, values),
    }
}

impl<T: Real, const W: usize> KassMiller<T, W> {
    fn build(scene: &Scene, values: &Values) -> Result<Built, SceneErrors> {
        let mut land = HeightFieldSetup::read(scene, values)?;
        let warnings = std::mem::take(&mut land.warnings);
        let sources = HeightFieldSources::read(scene, values, &land)?;
        let water = KassMiller::<T, W>::new(scene, values, &land, sources)?;
        Ok(Built { simulation: Box::new(water), warnings })
    }

    pub(super) fn new(
        scene: &Scene,
        values: &Values,
        land: &HeightFieldSetup,
        sources: HeightFieldSources,
    ) -> Result<Self, SceneErrors> {
        let no_memory = |error: undine_grid::FieldError| {
            SceneErrors::from(values.problem("resolution", error.to_string(), "choose a smaller resolution"))
        };
        let mut basin = Basin::new(land, values.number("film")).map_err(no_memory)?;
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
                basin.open(side);
            }
        }
        let longest = 1.0 / (scene.fps * values.integer("iterations").max(1) as f64);
        let mut water = KassMiller {
            wetness: Wetness::new(&land.grid, values.number("drying")).map_err(no_memory)?,
            weights: Weights {
                implicit: if values.word("scheme") == "first-order" { 1.0 } else { super::SECOND_ORDER },
                damping: values.number("damping"),
            },
            paper: is_paper.then(|| Box::new(Paper::new(&basin, longest))),
            longest,
            gravity: scene.gravity,
            ledger: Ledger::default(),
            basin,
            sources,
        };
        let depths = undine_grid::par::sum(&water.basin.depth, T::to_f64);
        water.ledger.initial = depths * land.grid.cell_measure();
        water.ledger.held = water.ledger.initial;
        water.wet(0.0);
        Ok(water)
    }

    /// Springs, drains, rain and pokes, added to the water as it is: its velocities stay.
    fn pour(&mut self, span: StepInterval) {
        let mut receiver = pour::Poured { basin: &mut self.basin, kept_back: &mut self.ledger.kept_back };
        self.sources.apply(span, &mut receiver);
    }

    /// Sets what waves bring in through the sides, averaged over the step with the weights of its ends.
    fn send_in(&mut self, span: StepInterval) {
        let (gravity, grid) = (self.gravity, *self.basin.grid());
        for &side in &Side::ALL[..4] {
            let waves = self.sources.waves().iter().filter(|waves| waves.side == side);
            if waves.clone().next().is_none() {
                continue;
            }
            let p = self.weights.implicit;
            self.basin.send_in(side, |line, rest| {
                let along = grid.centre([line as isize; 2])[1 - side.axis()];
                let speed = (gravity * rest).sqrt();
                let at = |time| waves.clone().map(|wave| wave.level(along, time, speed)).sum::<f64>();
                p * at(span.time + span.dt) + (1.0 - p) * at(span.time)
            });
        }
    }

    /// Enters a step into the ledger.
    fn record(&mut self, outcome: Outcome) {
        let area = self.basin.grid().cell_measure();
        self.ledger.held = outcome.held * area;
        self.ledger.inflow.add(outcome.inflow * area);
        self.ledger.outflow.add(outcome.outflow * area);
    }

    /// Brings the wetness map to the present.
    fn wet(&mut self, dt: Seconds) {
        let (depth, film) = (&self.basin.depth, T::from_f64(self.basin.film));
        self.wetness.update(dt, |cell| depth[cell] > film);
    }
}

impl<T: Real, const W: usize> Sample for KassMiller<T, W> {
    fn height(&self, xy: DVec2) -> Option<f64> {
        view::between(self.basin.grid(), xy, |cell| self.basin.level(cell))
    }

    fn velocity(&self, at: DVec3) -> DVec3 {
        let along = |axis| {
            view::between(self.basin.grid(), at.truncate(), |cell| self.basin.speed(axis, cell))
                .unwrap_or(0.0)
        };
        DVec3::new(along(0), along(1), 0.0)
    }

    fn depth(&self, xy: DVec2) -> Option<f64> {
        view::between(self.basin.grid(), xy, |cell| self.basin.depth[cell].to_f64())
    }
}

impl<T: Real, const W: usize> Simulation for KassMiller<T, W> {
    fn max_dt(&self) -> Seconds {
        self.longest
    }

    fn step(&mut self, dt: Seconds, world: &mut World<'_>) -> Result<Step, StepError> {
        let mut phases = Phases::default();
        let span = StepInterval { time: world.time, dt, seed: world.seed };
        if !self.sources.is_idle() {
            phases.time("sources", || self.pour(span));
        }
        self.send_in(span);
        let had_bare_ground = self.basin.has_bare_ground;
        let outcome = phases.time("sweeps", || match &mut self.paper {
            Some(paper) => paper.step(&mut self.basin, dt, self.gravity, self.weights),
            None => self.basin.step(dt, self.gravity, self.weights),
        });
        if !outcome.held.is_finite() {
            return Err(StepError::Failed("the water has left the range of its numbers".into()));
        }
        self.record(outcome);
        // While all is under water, all is wet already.
        if had_bare_ground || self.basin.has_bare_ground {
            phases.time("wetness", || self.wet(dt));
        }
        Ok(Step::Done(phases))
    }

    fn disturb(&mut self, poke: &Disturbance) -> bool {
        match *poke {
            // Two levels have no velocity that could be pushed.
            Disturbance::Push { .. } if self.paper.is_some() => false,
            Disturbance::Push { at, radius, velocity } => {
                push::push(&mut self.basin, at.truncate(), radius, velocity.truncate(), self.longest)
            }
            _ => self.sources.disturb(poke),
        }
    }

    fn view(&self) -> View<'_> {
        view::view(self)
    }

    fn budget(&self) -> Budget {
        Budget { volume: self.volume(), ..super::energy::energy(&self.basin, self.gravity) }
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

    fn cells(&self) -> u64 {
        self.basin.depth.len() as u64
    }

    fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        state::save(self, to)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        state::restore(self, from)
    }
}
