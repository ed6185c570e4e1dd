//! One time step, in the order of Algorithm 1 of the thesis [thompson2009].
//!
//! ```text
//! update_drops      drops fly, land and are given off; waterfalls land                  `spray`, `drops`, `falls`
//! update_flows      q from heads, friction, Froude cap; transfers t = q Δt + remainder   `flow_update`
//! update_volumes    V ← V + Σ in − Σ out                                                `volume_update`
//! limit             t ← floor(t V/Σ_out) where a column gave more than it has, anew      `limiter`
//! conclude          what ran over sharp drops goes into the air                         `falls`
//!                   the manager books what sleepers received, and puts tiles to sleep   `manager`
//! exchange          open sides                                                          `border`
//! sources           springs, drains, rain, drops that fall                              `receiver`, `rain`
//! prepare           the manager wakes what the next step must visit                     `manager`
//! ```
//!
//! Flows see the volumes at the beginning of the step and volumes the flows at its end, which is stable for Δt ≤ Δx/√(2 g d)
//! with four neighbours and Δt ≤ 0.86 Δx/√(g d) with eight.

use undine_scene::Problem;
use undine_sim::{Phases, Step, StepError, World};

use super::border::SideConditions;
use super::flow_update::update_flows;
use super::manager::{ManagedStep, ManagedWater};
use super::receiver::ColumnReceiver;
use super::settings::PipeArea;
use super::thesis::StepCounts;
use super::tiling::TILES_PER_TASK;
use super::volume_update::update_volumes;
use super::water::{FILM, Pipes};
use crate::heightfield::StepInterval;

impl Pipes {
    /// The longest step that is stable: α Δx/√(2 g d) with the greatest depth of a column that is awake.
    pub(super) fn longest_step(&self) -> f64 {
        let depths =
            self.visits.touched().map(|tile| self.sums[tile / TILES_PER_TASK][tile % TILES_PER_TASK].deepest);
        let deepest = depths.max().unwrap_or(0);
        if deepest == 0 {
            return f64::INFINITY;
        }
        let depth = match self.settings.area {
            PipeArea::Wet => f64::from(deepest) * self.units.unit(),
            PipeArea::Constant(depth) => depth,
        };
        let [dx, dy] = self.grid.spacing();
        // A single row has no pipes along y
        let shortest = if self.grid.cells()[1] == 1 { dx } else { dx.min(dy) };
        let speed = (2.0 * self.settings.gravity * depth).sqrt();
        if speed > 0.0 { self.settings.courant * shortest / speed } else { f64::INFINITY }
    }

    /// Advances by `dt`, or returns a retry with a shorter step.
    pub(super) fn advance(&mut self, dt: f64, world: &World<'_>) -> Result<Step, StepError> {
        let longest = self.longest_step();
        if dt > longest * (1.0 + 1e-9) {
            return Ok(Step::Retry { dt: longest });
        }
        let mut phases = Phases::default();
        self.counts = StepCounts::default();
        self.visits.take_changes();
        phases.time("drops", || self.update_drops(dt));
        if self.has_regions() {
            phases.time("regions", || self.advance_regions(dt));
        } else if longest.is_finite() {
            phases.time("flows", || self.update_flows(dt));
            phases.time("volumes", || self.update_volumes());
            phases.time("limiter", || self.limit(dt));
            self.count_unmanaged();
        }
        let step = ManagedStep { time: world.time + dt, dt };
        phases.time("manager", || self.conclude(step));
        let interval = StepInterval { time: world.time, dt, seed: world.seed };
        phases.time("sources", || -> Result<(), Problem> {
            self.exchange_sides(interval)?;
            self.add_sources(interval)?;
            self.add_rain(interval)
        })?;
        self.finish_regions(dt);
        self.counts.sleep_transitions += self.visits.take_changes();
        self.time = world.time + dt;
        phases.time("wetness", || self.note_changes());
        Ok(Step::Done(phases))
    }

    fn update_flows(&mut self, dt: f64) {
        if self.has_cells() {
            return self.update_stacked_flows(dt);
        }
        let area = self.grid.cell_measure();
        let (columns, visits) = (&self.columns, &self.visits);
        update_flows(&mut self.sets, columns, visits, &self.settings, &self.units, area, dt);
    }

    fn update_volumes(&mut self) {
        let film = self.units.depth(FILM);
        update_volumes(&mut self.columns, &self.sets, &self.visits, &mut self.sums, film);
    }

    fn limit(&mut self, dt: f64) {
        let (columns, film) = (&mut self.columns, self.units.depth(FILM));
        self.limiter.limit(&mut self.sets, columns, &self.visits, &mut self.sums, film, dt);
    }

    /// Lets water through the open sides.
    fn exchange_sides(&mut self, interval: StepInterval) -> Result<(), Problem> {
        let conditions = SideConditions {
            settings: &self.settings,
            units: &self.units,
            grid: &self.grid,
            waves: self.sources.waves(),
            time: interval.time + 0.5 * interval.dt,
            dt: interval.dt,
        };
        let mut water = ManagedWater {
            columns: &mut self.columns,
            sets: &mut self.sets,
            visits: &mut self.visits,
            sums: &mut self.sums,
            film: self.units.depth(FILM),
            rain_owed: &|_| 0,
        };
        let ends = [0, self.grid.cells()[0] - 1];
        let before = ends.map(|column| water.columns.volume[column]);
        for side in &mut self.sides {
            side.exchange(&mut water, &mut self.manager, &mut self.ledger, &conditions)?;
        }
        if let Some(regions) = self.curve.as_mut().and_then(|curve| curve.manager.as_mut()) {
            for (column, before) in ends.into_iter().zip(before) {
                regions.record_side(column, i64::from(self.columns.volume[column]) - i64::from(before));
            }
        }
        Ok(())
    }

    /// Springs, drains, drops of rain and disturbances.
    fn add_sources(&mut self, interval: StepInterval) -> Result<(), Problem> {
        if self.sources.is_idle() {
            return Ok(());
        }
        let mut receiver = ColumnReceiver {
            water: ManagedWater {
                columns: &mut self.columns,
                sets: &mut self.sets,
                visits: &mut self.visits,
                sums: &mut self.sums,
                film: self.units.depth(FILM),
                rain_owed: &|_| 0,
            },
            manager: &mut self.manager,
            ledger: &mut self.ledger,
            units: &self.units,
            remainder: &mut self.source_remainder,
            regions: self.curve.as_mut().and_then(|curve| curve.manager.as_mut()),
        };
        self.sources.apply_local(interval, &mut receiver)
    }

    /// Lets it rain, wakes the tiles that the next step must visit, and gives those that are awake their rain.
    fn add_rain(&mut self, interval: StepInterval) -> Result<(), Problem> {
        for rain in 0..self.rain.count() {
            let depth = self.sources.rain_depth(rain, interval)?;
            self.rain.fall(rain, depth / self.units.unit());
        }
        self.managed_without_falls(interval.time + interval.dt, |water, manager| manager.prepare(water));
        let film = self.units.depth(FILM);
        self.rain.settle(&mut self.columns, &self.visits, &mut self.sums, &mut self.ledger, film);
        Ok(())
    }
}
