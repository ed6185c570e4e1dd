//! A fluid: its state, and what it answers.

use std::io;

use glam::{DVec2, DVec3};
use undine_grid::advection::{Scheme, Tracer};
use undine_grid::{Grid, MacVelocity, Side, par};
use undine_sim::{
    Budget, Disturbance, Reader, Sample, Seconds, Simulation, Step, StepError, View, Volume, World, Writer,
};

use super::cargo::Cargo;
use super::collocated::Collocated;
use super::confinement::{Confinement, at_centre};
use super::diffusion::Diffusion;
use super::emitters::{Ball, Emitter};
use super::forces::Forces;
use super::ledger::Ledger;
use super::pours::{Pours, whiten};
use super::sides::{SideKind, Sides};
use super::staggered::{Staggered, hold_in_solids};
use super::tracers::Tracers;
use super::view;
use crate::solids::Solids;

/// A fluid that fills a box.
pub(super) struct Fluid<const D: usize> {
    pub grid: Grid<D>,
    pub settings: Settings,
    pub sides: Sides<D>,
    pub solids: Option<Solids<D>>,
    /// The velocity on faces: the state itself where staggered, else the mean of centres.
    pub velocity: MacVelocity<f64, D>,
    pub layout: Layout<D>,
    pub diffusion: Diffusion,
    pub confinement: Option<Confinement<D>>,
    pub forces: Forces<D>,
    pub emitters: Vec<Emitter<D>>,
    pub cargo: Cargo<D>,
    pub pours: Pours<D>,
    pub tracers: Tracers<D>,
    pub ledger: Ledger,
    pub time: Seconds,
    /// Length of the last step, for the pressure.
    pub last_dt: f64,
    /// The greatest velocity component, in cells per second.
    pub rate: f64,
    /// Σ u² of all faces.
    pub energy: f64,
}

/// Where the components of the velocity lie.
pub(super) enum Layout<const D: usize> {
    Staggered(Box<Staggered<D>>),
    Collocated(Box<Collocated<D>>),
}

/// Numbers that a step needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    pub scheme: Scheme,
    pub viscosity: f64,
    pub density: f64,
    pub gravity: f64,
    pub raised: f64,
    /// How deep the bed is below a raised surface.
    pub depth: f64,
    pub courant: f64,
    /// No step is asked to be shorter than this.
    pub shortest: f64,
    /// Whether nothing drives the fluid, so that its energy may only fall.
    pub is_unforced: bool,
}

impl<const D: usize> Fluid<D> {
    /// Speed at the middle of a cell.
    pub fn speed_at(&self, cell: [isize; D]) -> f64 {
        (0..D).map(|axis| at_centre(&self.velocity, axis, cell).powi(2)).sum::<f64>().sqrt()
    }

    /// Pressure in a cell, in Pa, apart from a constant in a closed box.
    pub fn pressure_at(&self, cell: [isize; D]) -> f64 {
        let specific = match &self.layout {
            Layout::Staggered(layout) => layout.pressure(cell) + self.head_at(cell),
            Layout::Collocated(layout) => layout.pressure(cell, self.last_dt),
        };
        self.settings.density * specific
    }

    /// Weight of the fluid above a cell, for a density of one, where gravity acts.
    fn head_at(&self, cell: [isize; D]) -> f64 {
        let depth = self.grid.far_corner()[D - 1] - self.grid.centre(cell)[D - 1];
        if self.forces.have_weight() { self.settings.gravity * depth } else { 0.0 }
    }

    /// Level of the raised surface over a cell.
    pub fn level_at(&self, cell: [isize; D]) -> f64 {
        let gravity = self.settings.gravity;
        let moved = self.pressure_at(cell) / self.settings.density - self.head_at(cell);
        if gravity > 0.0 { self.settings.raised * moved / gravity } else { 0.0 }
    }

    /// A point in cells from the lowest corner; `None` outside the box.
    fn place(&self, at: [f64; 3]) -> Option<[f64; D]> {
        let (origin, spacing, cells) = (self.grid.origin(), self.grid.spacing(), self.grid.cells());
        let point: [f64; D] = std::array::from_fn(|axis| (at[axis] - origin[axis]) / spacing[axis]);
        (0..D).all(|axis| (0.0..=cells[axis] as f64).contains(&point[axis])).then_some(point)
    }

    /// Measures what the next step and the ledger of energy ask for.
    pub fn measure(&mut self) {
        let spacing = self.grid.spacing();
        let rate = |axis: usize| par::max(&self.velocity[axis], f64::abs) / spacing[axis];
        self.rate =
            (0..D).map(rate).fold(0.0, |most, rate| if most.is_nan() || rate < most { most } else { rate });
        self.energy = square_sum(&self.velocity);
    }

    /// The first face whose velocity is not a number.
    pub fn find_fault(&self) -> Option<StepError> {
        let is_bad = |value: f64| !value.is_finite();
        let cell =
            self.velocity.components().iter().find_map(|one| one.iter().find(|(_, value)| is_bad(*value)));
        let (at, _) = cell?;
        let cell = std::array::from_fn(|axis| at.get(axis).copied().unwrap_or(0));
        Some(StepError::NotFinite { field: "velocity", cell })
    }
}

/// Σ u² of all faces; those on sides stand for half a cell.
pub(super) fn square_sum<const D: usize>(velocity: &MacVelocity<f64, D>) -> f64 {
    let component = |axis: usize| {
        let (field, size) = (&velocity[axis], velocity[axis].size());
        let rows: usize = size[1..].iter().product();
        let row_sum = |row: usize| {
            let mut at = [0; D];
            let mut rest = row;
            for along in 1..D {
                at[along] = (rest % size[along]) as isize;
                rest /= size[along];
            }
            let values = field.row(at);
            let whole: f64 = values.iter().map(|u| u * u).sum();
            if axis == 0 {
                return whole - 0.5 * (values[0].powi(2) + values[size[0] - 1].powi(2));
            }
            let is_on_side = at[axis] == 0 || at[axis] as usize + 1 == size[axis];
            if is_on_side { 0.5 * whole } else { whole }
        };
        par::fold(rows, 16, |range| range.map(row_sum).sum::<f64>(), |a, b| a + b).unwrap_or(0.0)
    };
    (0..D).map(component).sum()
}

impl<const D: usize> Sample for Fluid<D> {
    fn height(&self, xy: DVec2) -> Option<f64> {
        if D != 2 || self.settings.raised == 0.0 {
            return None;
        }
        let point = self.place([xy.x, xy.y, 0.0])?;
        let cells = self.grid.cells();
        Some(self.level_at(std::array::from_fn(|axis| (point[axis] as isize).min(cells[axis] as isize - 1))))
    }

    fn depth(&self, xy: DVec2) -> Option<f64> {
        self.height(xy).map(|level| (level + self.settings.depth).max(0.0))
    }

    fn velocity(&self, at: DVec3) -> DVec3 {
        let Some(point) = self.place(at.to_array()) else { return DVec3::ZERO };
        let velocity = Tracer::new(self.velocity.components().each_ref()).velocity(point);
        DVec3::from_array(std::array::from_fn(|axis| velocity.get(axis).copied().unwrap_or(0.0)))
    }
}

impl<const D: usize> Simulation for Fluid<D> {
    fn max_dt(&self) -> Seconds {
        let spacing = self.grid.spacing().into_iter().fold(f64::INFINITY, f64::min);
        let pushed = self.solids.as_ref().map_or(0.0, |solids| solids.speed(self.time) / spacing);
        // A wall that sets out will drag the fluid along, so its speed counts before any fluid has it
        let fluid = self.settings.courant / self.rate.max(self.sides.rate(self.time, self.grid.spacing()));
        // An obstacle must not jump over cells that it should push
        fluid.min(1.0 / pushed).max(self.settings.shortest)
    }

    fn step(&mut self, dt: Seconds, world: &mut World<'_>) -> Result<Step, StepError> {
        self.advance(dt, world).map(Step::Done)
    }

    fn disturb(&mut self, poke: &Disturbance) -> bool {
        let ball = |at: [f64; 3], radius: f64| {
            let at = std::array::from_fn(|axis| at[axis]);
            self.place(std::array::from_fn(|axis| [at[0], at[1], at.get(2).copied().unwrap_or(0.0)][axis]))?;
            (radius >= 0.0 && radius.is_finite()).then_some(Ball { at, radius })
        };
        let top = self.grid.far_corner().get(2).copied().unwrap_or(0.0);
        match *poke {
            Disturbance::Push { at, radius, velocity } => {
                let Some(ball) = ball(at.to_array(), radius) else { return false };
                let velocity = velocity.to_array();
                self.push(ball, std::array::from_fn(|axis| velocity[axis]));
                true
            }
            Disturbance::Drop { at, radius, .. } if self.cargo.shows_ink() => {
                let Some(ball) = ball([at.x, at.y, top], radius) else { return false };
                whiten(ball, &self.grid, &mut self.cargo);
                self.cargo.fill_ghosts();
                true
            }
            Disturbance::Source { at, radius, rate, duration } if self.cargo.shows_ink() && rate > 0.0 => {
                let Some(ball) = ball([at.x, at.y, top], radius) else { return false };
                self.pours.begin(ball, self.time + duration);
                true
            }
            // Rain falls on no surface here, and a box that is full cannot be drawn off
            _ => false,
        }
    }

    fn view(&self) -> View<'_> {
        view::view(self)
    }

    fn budget(&self) -> Budget {
        let mass = self.settings.density * self.grid.cell_measure();
        let component = |axis: usize| {
            let total = par::sum(&self.velocity[axis], |u| u);
            // Faces on the two sides stand for half a cell each
            mass * (total - 0.5 * self.side_sum(axis))
        };
        Budget {
            volume: self.volume(),
            momentum: std::array::from_fn(|axis| if axis < D { component(axis) } else { 0.0 }),
            kinetic_energy: 0.5 * mass * self.energy,
            potential_energy: 0.0,
            ..Budget::default()
        }
    }

    fn volume(&self) -> Volume {
        self.ledger.volume()
    }

    fn cells(&self) -> u64 {
        self.grid.cell_count() as u64
    }

    fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.number("time", self.time)?;
        to.number("last_dt", self.last_dt)?;
        to.integer("solids", self.footprint())?;
        match &self.layout {
            Layout::Staggered(layout) => {
                self.velocity.components().iter().try_for_each(|one| to.field("velocity", one))?;
                layout.save(to)?;
            }
            Layout::Collocated(layout) => {
                layout.velocity().iter().try_for_each(|one| to.field("velocity", one))?;
                to.field("phi", layout.phi())?;
            }
        }
        self.cargo.save(to)?;
        self.pours.save(to)?;
        self.tracers.save(to)?;
        self.ledger.save(to)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.time = from.number("time")?;
        self.last_dt = from.number("last_dt")?;
        let footprint = from.integer("solids")?;
        match &mut self.layout {
            Layout::Staggered(layout) => {
                for component in self.velocity.components_mut() {
                    from.field("velocity", component)?;
                }
                layout.restore(from)?;
            }
            Layout::Collocated(layout) => {
                for component in layout.velocity_mut() {
                    from.field("velocity", component)?;
                }
                from.field("phi", layout.phi_mut())?;
            }
        }
        self.cargo.restore(from)?;
        self.pours.restore(from)?;
        self.tracers.restore(from, &self.grid)?;
        self.ledger.restore(from)?;
        self.take_up();
        if footprint != self.footprint() {
            self.flow_around_new_solids()?;
        }
        Ok(())
    }
}

impl<const D: usize> Fluid<D> {
    /// Makes everything that follows from a state that was restored.
    fn take_up(&mut self) {
        if let Some(solids) = self.solids.as_mut().filter(|solids| !solids.are_still()) {
            solids.place_at(self.time);
            if let Layout::Collocated(layout) = &mut self.layout {
                layout.refresh(solids);
            }
        }
        if let Layout::Collocated(layout) = &self.layout {
            layout.to_faces(&mut self.velocity);
        }
        self.sides.apply(&mut self.velocity, self.time);
        self.sides.fill(&mut self.velocity, self.time);
        self.measure();
    }

    /// Tells apart where solids stand.
    fn footprint(&self) -> u64 {
        self.solids.as_ref().map_or(0, Solids::fingerprint)
    }

    /// Solids have come, gone or been put elsewhere: what is in them now rests, what was in them flows, and the fluid
    /// finds its way around.
    fn flow_around_new_solids(&mut self) -> io::Result<()> {
        let solids = self.solids.as_ref();
        match &mut self.layout {
            Layout::Staggered(layout) => {
                if let Some(solids) = solids {
                    hold_in_solids(&mut self.velocity, solids);
                }
                layout.settle(&mut self.velocity, solids).map_err(io::Error::other)?;
                layout.interrupt();
            }
            Layout::Collocated(layout) => {
                layout.set_border(&self.sides, self.time, solids);
                layout.to_faces(&mut self.velocity);
            }
        }
        self.sides.fill(&mut self.velocity, self.time);
        self.measure();
        Ok(())
    }

    fn side_sum(&self, axis: usize) -> f64 {
        let field = &self.velocity[axis];
        let last = field.size()[axis] as isize - 1;
        let on_side = |at: &[usize; D]| at[axis] == 0 || at[axis] as isize == last;
        field.iter().filter(|(at, _)| on_side(at)).map(|(_, u)| u).sum()
    }

    /// Which sides let particles out.
    pub fn open_sides(&self) -> [[bool; 2]; D] {
        let is_open = |side: Side| matches!(self.sides.kind(side), SideKind::Outflow | SideKind::Inflow);
        std::array::from_fn(|axis| [0, 1].map(|high| is_open(Side::ALL[2 * axis + high])))
    }

    fn push(&mut self, ball: Ball<D>, velocity: [f64; D]) {
        match &mut self.layout {
            Layout::Staggered(layout) => {
                ball.drag(self.velocity.components_mut(), velocity, 1.0);
                layout.interrupt();
            }
            Layout::Collocated(layout) => {
                ball.drag(layout.velocity_mut(), velocity, 1.0);
                layout.to_faces(&mut self.velocity);
            }
        }
        self.sides.fill(&mut self.velocity, self.time);
        self.measure();
    }
}
