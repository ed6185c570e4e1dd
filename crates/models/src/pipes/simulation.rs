//! The model behind the traits `Simulation` and `Sample`.

use std::io;

use glam::{DVec2, DVec3};
use undine_sim::{
    Budget, Counter, Counters, Disturbance, Reader, Sample, Seconds, Simulation, Step, StepError, View,
    Volume, World, Writer,
};

use super::thesis::StepCounts;
use super::water::Pipes;
use super::{push, state, view};
use crate::heightfield::{DENSITY, interpolation};

impl Sample for Pipes {
    fn height(&self, xy: DVec2) -> Option<f64> {
        interpolation::between(&self.grid, xy, |cell| self.level_in(cell))
    }

    fn velocity(&self, at: DVec3) -> DVec3 {
        let component = |axis: usize| {
            interpolation::between(&self.grid, at.truncate(), |cell| self.velocity_in(cell)[axis])
                .unwrap_or(0.0)
        };
        DVec3::new(component(0), component(1), 0.0)
    }

    fn depth(&self, xy: DVec2) -> Option<f64> {
        interpolation::between(&self.grid, xy, |cell| self.depth_in(cell))
    }
}

impl Simulation for Pipes {
    fn max_dt(&self) -> Seconds {
        self.longest_step()
    }

    fn step(&mut self, dt: Seconds, world: &mut World<'_>) -> Result<Step, StepError> {
        self.advance(dt, world)
    }

    fn disturb(&mut self, disturbance: &Disturbance) -> bool {
        let is_answered = match *disturbance {
            Disturbance::Push { at, radius, velocity } => {
                push::push(self, at.truncate(), radius, velocity.truncate())
            }
            Disturbance::Ground { .. } | Disturbance::Dam { .. } => self.change_ground(disturbance),
            _ => return self.sources.disturb(disturbance),
        };
        self.changes.note(&mut self.columns, &mut self.visits);
        is_answered
    }

    fn view(&self) -> View<'_> {
        view::view(self)
    }

    fn budget(&self) -> Budget {
        let [x, y, kinetic, potential] = self.budget_sums();
        let mass = DENSITY * self.grid.cell_measure();
        Budget {
            volume: self.volume(),
            momentum: [mass * x, mass * y, 0.0],
            kinetic_energy: 0.5 * mass * kinetic,
            potential_energy: 0.5 * mass * self.settings.gravity * potential,
            ..Budget::default()
        }
    }

    fn volume(&self) -> Volume {
        let unit = self.unit_volume();
        Volume {
            held: self.held() as f64 * unit,
            initial: self.ledger.initial as f64 * unit,
            inflow: self.ledger.inflow as f64 * unit,
            outflow: self.ledger.outflow as f64 * unit,
            prescribed: self.withheld() as f64 * unit,
        }
    }

    fn counters(&self) -> Counters {
        let StepCounts { flow_updates, volume_updates, drop_updates, region_operations, sleep_transitions } =
            self.counts;
        Counters::new([
            Counter::sum("flow updates", "updates", flow_updates),
            Counter::sum("volume updates", "updates", volume_updates),
            Counter::sum("drop updates", "updates", drop_updates),
            Counter::sum("region operations", "operations", region_operations),
            Counter::sum("sleep transitions", "transitions", sleep_transitions),
            Counter::state("awake tiles", "tiles", self.visits.awake_count() as u64),
            Counter::state("wet columns", "columns", self.changes.wet_columns()),
        ])
    }

    fn cells(&self) -> u64 {
        self.grid.cells().into_iter().product::<usize>() as u64
    }

    fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        state::save(self, to)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        state::restore(self, from)
    }
}

impl Pipes {
    /// All units of the water: in the columns, in the air, and with the manager.
    pub(super) fn held(&self) -> i128 {
        let tiles = self.sums.as_flattened().iter().take(self.columns.tiling.count());
        let in_columns: i128 = tiles.map(|sums| i128::from(sums.total)).sum();
        in_columns
            + self.drops.held()
            + self.falls.held()
            + self.manager.as_ref().map_or(0, |manager| manager.held())
    }

    pub(super) fn bed_in(&self, cell: [usize; 2]) -> f64 {
        self.units.metres(self.columns.bed[self.columns.tiling.index(cell)])
    }

    pub(super) fn depth_in(&self, cell: [usize; 2]) -> f64 {
        f64::from(self.columns.volume[self.columns.tiling.index(cell)]) * self.units.unit()
    }

    pub(super) fn level_in(&self, cell: [usize; 2]) -> f64 {
        self.units.metres(self.columns.level(self.columns.tiling.index(cell)))
    }

    /// Velocity of a column: the mean of the velocities in its pipes on either side of each direction, weighted by their
    /// part in the flow of the continuum.
    pub(super) fn velocity_in(&self, cell: [usize; 2]) -> DVec2 {
        let tiling = &self.columns.tiling;
        let mut velocity = DVec2::ZERO;
        for set in 0..self.sets.len() {
            let direction = &self.sets[set].direction;
            let behind = tiling.beside(cell, direction.opposite());
            let behind = behind.map_or(0.0, |behind| self.pipe_velocity(set, behind));
            let mean = 0.5 * (self.pipe_velocity(set, cell) + behind);
            // κ L² / A: these parts of the pipes add up to one along every axis
            let length = direction.width / direction.conductance;
            let part = direction.conductance * length * length / self.grid.cell_measure();
            velocity += DVec2::from(direction.along) * (part * mean);
        }
        velocity
    }
}
