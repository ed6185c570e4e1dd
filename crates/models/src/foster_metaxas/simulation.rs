//! The water as a simulation: its parts, its answers and its limits.

use std::io;
use std::sync::OnceLock;

use glam::{DVec2, DVec3};
use undine_grid::{Grid, MacVelocity};
use undine_scene::{Problem, Timed, Values};
use undine_sim::{
    Budget, Counter, Counters, Disturbance, Notice, Reader, Sample, Seconds, Simulation, Step, StepError,
    View, Volume, World, Writer,
};

use super::applied_pressure::AppliedPressure;
use super::cells::{Cells, is_fluid};
use super::column_levels::{self, ColumnLevels};
use super::extension::VelocityExtension;
use super::flow::Flow;
use super::ledger::FluxTotals;
use super::ports::Port;
use super::pressure::PressureStep;
use super::relaxation::RelaxationSettings;
use super::sealed::SealedWater;
use super::step_limits::{FlowSpeeds, LimitTerms, StepLimits};
use super::surface::TrackedSurface;
use super::surface_cells::SurfaceCells;
use super::surface_pressure::SurfacePressure;
use super::view;
use crate::solids::Solids;
use undine_frame::CellKind;

/// What happens at the limits of the explicit step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LimitPolicy {
    Substep,
    Refuse,
    /// Eq. (3) alone.
    Paper,
    Ignore,
}

/// Parameters of a step.
#[derive(Debug, Clone)]
pub(super) struct FlowSettings<const D: usize> {
    /// The keys, for problems.
    pub values: Values,
    /// Body force per axis, where it is given.
    pub gravity: [Option<Timed>; D],
    /// Gravity of the scene in m/s², downwards.
    pub scene_gravity: f64,
    pub viscosity: Timed,
    pub density: f64,
    pub upwind: f64,
    pub relaxation: RelaxationSettings,
    pub courant: f64,
    pub time_step: Option<f64>,
    pub limits: LimitPolicy,
}

/// Counts of the last step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct StepCounts {
    pub sweeps: usize,
    pub steps: usize,
    pub full_cells: usize,
    pub surface_cells: usize,
    pub refilled: usize,
    pub removed: usize,
}

/// A water of cells with a tracked surface.
pub(super) struct CellWater<const D: usize> {
    pub grid: Grid<D>,
    pub settings: FlowSettings<D>,
    pub cells: Cells<D>,
    pub flow: Flow<D>,
    pub surface: TrackedSurface<D>,
    pub surface_cells: SurfaceCells<D>,
    pub surface_pressure: SurfacePressure<D>,
    pub pressure: PressureStep<D>,
    pub extension: VelocityExtension<D>,
    pub ports: Vec<Port<D>>,
    pub applied: AppliedPressure,
    pub levels: ColumnLevels,
    pub sealed: SealedWater,
    /// Whether some water was sealed in the last step.
    pub has_sealed: bool,
    /// The velocity as the tracked surface takes it.
    pub carrier: MacVelocity<f64, D>,
    pub totals: FluxTotals,
    pub speeds: FlowSpeeds,
    pub solids: Option<Solids<D>>,
    pub time: f64,
    pub counts: StepCounts,
    /// Positions of markers for views, made on demand.
    pub marker_positions: OnceLock<Vec<[f32; 3]>>,
}

impl<const D: usize> FlowSettings<D> {
    /// Mean body force over a step, in m/s².
    pub fn body_force(&self, from: f64, to: f64) -> Result<[f64; D], Problem> {
        let mut force = [0.0; D];
        for (axis, force) in force.iter_mut().enumerate() {
            let usual = if axis == D - 1 { -self.scene_gravity } else { 0.0 };
            *force = self.gravity[axis].as_ref().map_or(Ok(usual), |gravity| gravity.mean(from, to))?;
        }
        Ok(force)
    }
}

impl<const D: usize> CellWater<D> {
    /// The limits of a step from a time on.
    pub fn limits(&self, body_force: [f64; D], viscosity: f64) -> StepLimits {
        let terms = LimitTerms {
            spacing: self.grid.spacing(),
            courant: self.settings.courant,
            viscosity,
            body_force,
            upwind: self.settings.upwind,
        };
        let port_speed = self.ports.iter().map(|port| port.speed(self.time)).fold(0.0, f64::max);
        let greatest_inverse = self.flow.inverse_spacing().into_iter().fold(0.0, f64::max);
        let speeds = FlowSpeeds {
            crossing_rate: self.speeds.crossing_rate.max(port_speed * greatest_inverse),
            squared: self.speeds.squared.max(port_speed * port_speed),
        };
        StepLimits::new(&speeds, &terms)
    }

    /// Sets the initial state from cells and a surface that has been labelled: velocity by cell and pressure.
    pub fn initialise(
        &mut self,
        velocity_of: impl Fn([f64; D]) -> [f64; D],
        is_hydrostatic: bool,
    ) -> Result<(), Problem> {
        self.label_cells();
        self.set_initial_velocity(velocity_of);
        if is_hydrostatic {
            self.set_hydrostatic_pressure()?;
        }
        self.finish_state();
        self.totals.initial = self.surface.seen_volume(&self.cells);
        self.totals.seen = self.totals.initial;
        Ok(())
    }

    /// Labels the cells from the surface, and lists what follows from them (step 3 of §6).
    pub fn label_cells(&mut self) -> usize {
        let holes = self.surface.label(&mut self.cells);
        self.flow.set_kinds(&self.cells);
        self.surface_cells.find(&self.flow);
        holes
    }

    /// What follows from the state at the end of a step.
    pub fn finish_state(&mut self) {
        self.speeds = FlowSpeeds::of(&self.flow, 0.0);
        self.marker_positions = OnceLock::new();
    }

    /// Faces between two cells of fluid have the mean velocity of both, open faces that of their cell.
    fn set_initial_velocity(&mut self, velocity_of: impl Fn([f64; D]) -> [f64; D]) {
        let strides = self.flow.index.strides();
        let flow = &mut self.flow;
        for at in 0..flow.index.length() {
            if !is_fluid(flow.kinds[at]) {
                continue;
            }
            let velocity = velocity_of(self.grid.centre(flow.index.cell(at)));
            for a in 0..D {
                for (face, beyond) in [(at, at - strides[a]), (at + strides[a], at + strides[a])] {
                    flow.velocity[a][face] += match flow.kinds[beyond] {
                        CellKind::Full | CellKind::Surface => 0.5 * velocity[a],
                        CellKind::Empty => velocity[a],
                        _ => 0.0,
                    };
                }
            }
        }
        let spacing = self.grid.spacing();
        self.surface_cells.set_open_faces(&mut flow.velocity, strides, spacing);
        self.extension.extend(flow, &self.surface_cells);
    }

    /// The weight of the water above, in every column: p/ρ = |g| (h − z).
    fn set_hydrostatic_pressure(&mut self) -> Result<(), Problem> {
        let force = self.settings.body_force(0.0, 0.0)?;
        let axis = super::surface_pressure::axes_by_force(force)[0];
        let (g, stride, spacing) = (force[axis], self.flow.index.strides()[axis], self.grid.spacing()[axis]);
        let is_up_high = g < 0.0;
        let above = |at: usize| if is_up_high { at + stride } else { at - stride };
        let below = |at: usize| if is_up_high { at - stride } else { at + stride };
        for top in 0..self.flow.index.length() {
            if !is_fluid(self.flow.kinds[top]) || is_fluid(self.flow.kinds[above(top)]) {
                continue;
            }
            let cell = self.flow.index.cell(top).map(|i| i as usize);
            let is_open = self.flow.kinds[above(top)] == CellKind::Empty;
            let offset = match is_open {
                true => self.surface.interface(&self.cells, cell, axis, is_up_high),
                false => 0.5 * spacing,
            };
            let (mut at, mut depth) = (top, offset);
            while is_fluid(self.flow.kinds[at]) {
                self.flow.pressure[at] = g.abs() * depth;
                (at, depth) = (below(at), depth + spacing);
            }
        }
        Ok(())
    }

    /// Velocity at a point in m/s; zero outside of the water.
    pub fn velocity_at(&self, point: [f64; D]) -> [f64; D] {
        let cell = self.grid.cell_at(point);
        if !self.cells.is_fluid(cell) {
            return [0.0; D];
        }
        let at = self.flow.index.at(cell.map(|i| i as usize));
        let low = self.grid.node(cell);
        std::array::from_fn(|a| {
            let fraction = (point[a] - low[a]) / self.grid.spacing()[a];
            let u = &self.flow.velocity[a];
            let (first, last) = (u[at], u[at + self.flow.index.strides()[a]]);
            first + fraction * (last - first)
        })
    }

    /// Velocity at the centre of a cell.
    #[inline]
    pub fn cell_velocity(&self, at: usize, axis: usize) -> f64 {
        let u = &self.flow.velocity[axis];
        0.5 * (u[at] + u[at + self.flow.index.strides()[axis]])
    }

    fn push(&mut self, centre: [f64; 3], radius: f64, velocity: [f64; 3]) -> bool {
        let is_valid = velocity.iter().all(|u| u.is_finite()) && radius.is_finite() && radius > 0.0;
        if !is_valid || centre.iter().any(|x| !x.is_finite()) {
            return false;
        }
        let strides = self.flow.index.strides();
        let mut found = false;
        for a in 0..D {
            for at in strides[a]..self.flow.index.length() {
                let between = [at - strides[a], at].map(|cell| is_fluid(self.flow.kinds[cell]));
                let face = self.grid.face(a, self.flow.index.cell(at));
                let squared: f64 = (0..D).map(|axis| (face[axis] - centre[axis]).powi(2)).sum();
                if between == [true; 2] && squared < radius * radius {
                    self.flow.velocity[a][at] = velocity[a];
                    found = true;
                }
            }
        }
        if found {
            let spacing = self.grid.spacing();
            self.surface_cells.set_open_faces(&mut self.flow.velocity, strides, spacing);
            self.finish_state();
        }
        found
    }
}

impl<const D: usize> Sample for CellWater<D> {
    fn height(&self, xy: DVec2) -> Option<f64> {
        let mut point = self.grid.origin();
        point[0] = xy.x;
        if D == 3 {
            point[1] = xy.y;
        }
        let cell = self.grid.cell_at(point);
        let size = self.grid.cells();
        let is_inside = (0..D - 1).all(|axis| (0..size[axis] as isize).contains(&cell[axis]));
        let column = cell[0] + if D == 3 { cell[1] * size[0] as isize } else { 0 };
        is_inside.then(|| {
            let level = column_levels::level(&self.cells, &self.surface, column as usize);
            if level.is_nan() { self.grid.origin()[D - 1] } else { level }
        })
    }

    fn velocity(&self, at: DVec3) -> DVec3 {
        let point = at.to_array();
        let velocity = self.velocity_at(std::array::from_fn(|axis| point[axis]));
        DVec3::from_array(std::array::from_fn(|axis| velocity.get(axis).copied().unwrap_or(0.0)))
    }

    fn depth(&self, xy: DVec2) -> Option<f64> {
        self.height(xy).map(|height| height - self.grid.origin()[D - 1])
    }
}

impl<const D: usize> Simulation for CellWater<D> {
    fn max_dt(&self) -> Seconds {
        let settings = &self.settings;
        let body_force = settings.body_force(self.time, self.time).unwrap_or([0.0; D]);
        let limits = self.limits(body_force, settings.viscosity.at(self.time).unwrap_or(0.0));
        let step = settings.time_step.unwrap_or(f64::INFINITY);
        match settings.limits {
            LimitPolicy::Substep => step.min(limits.least().0),
            LimitPolicy::Paper => step.min(limits.convection),
            LimitPolicy::Refuse => settings.time_step.unwrap_or(limits.least().0),
            LimitPolicy::Ignore => settings.time_step.unwrap_or(limits.convection),
        }
    }

    fn step(&mut self, dt: Seconds, world: &mut World<'_>) -> Result<Step, StepError> {
        self.advance(dt, world)
    }

    fn disturb(&mut self, disturbance: &Disturbance) -> bool {
        match *disturbance {
            Disturbance::Push { at, radius, velocity } => {
                let mut centre = at.to_array();
                if D == 2 {
                    centre[2] = 0.0;
                }
                self.push(centre, radius, velocity.to_array())
            }
            _ => false,
        }
    }

    fn view(&self) -> View<'_> {
        view::view(self)
    }

    fn budget(&self) -> Budget {
        let (mass, strides) = (self.settings.density * self.grid.cell_measure(), self.flow.index.strides());
        let mut budget = Budget {
            volume: self.volume(),
            volume_drift: Some(self.totals.drift()),
            refused: Some(self.totals.refused),
            ..Budget::default()
        };
        let gravity = self.settings.scene_gravity;
        for at in 0..self.flow.index.length() {
            let share = match self.flow.kinds[at] {
                CellKind::Full => 1.0,
                CellKind::Surface => 0.5,
                _ => continue,
            };
            let height = self.grid.centre(self.flow.index.cell(at))[D - 1];
            budget.potential_energy += share * mass * gravity * height;
            for a in 0..D {
                let u = &self.flow.velocity[a];
                let (low, high) = (u[at], u[at + strides[a]]);
                budget.momentum[a] += share * mass * 0.5 * (low + high);
                budget.kinetic_energy += share * mass * 0.25 * (low * low + high * high);
            }
        }
        budget
    }

    fn volume(&self) -> Volume {
        self.totals.volume()
    }

    fn counters(&self) -> Counters {
        let StepCounts { sweeps, steps, full_cells, surface_cells, refilled, removed } = self.counts;
        let markers = match &self.surface {
            TrackedSurface::Markers(markers) => markers.len(),
            _ => 0,
        };
        Counters::new([
            Counter::sum("pressure sweeps", "sweeps", sweeps as u64),
            Counter::sum("explicit steps", "steps", steps as u64),
            Counter::sum("refilled holes", "events", refilled as u64),
            Counter::sum("removed particles", "events", removed as u64),
            Counter::state("full cells", "cells", full_cells as u64),
            Counter::state("surface cells", "cells", surface_cells as u64),
            Counter::state("markers", "markers", markers as u64),
        ])
    }

    fn notices(&self) -> Vec<Notice> {
        let text = |time: f64| Notice {
            time,
            text: format!(
                "water that comes in finds no room at t = {time:.3} s: it would enter water that is enclosed on all sides; \
                 what is refused is entered in the ledger. Leave room for air or add a [[port]] with flow = \"out\""
            ),
        };
        self.totals.first_refusal.map(text).into_iter().collect()
    }

    fn cells(&self) -> u64 {
        self.grid.cell_count() as u64
    }

    fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        self.save_state(to)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.restore_state(from)
    }
}
