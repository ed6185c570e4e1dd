//! The state of a grid fluid, and its [`Simulation`] implementation.

use std::io;

use glam::{DVec2, DVec3};
use undine_grid::advection::{Scheme, Tracer};
use undine_grid::{Grid, MacVelocity, Side, par};
use undine_sim::{
    Budget, Disturbance, Reader, Sample, Seconds, Simulation, Step, StepError, View, Volume, World, Writer,
};

use super::collocated::Collocated;
use super::confinement::{Confinement, at_centre};
use super::diffusion::Diffusion;
use super::dye_sources::{DyeSources, add_white_dye};
use super::emitters::{FluidEmitter, InfluenceBall};
use super::flux_ledger::{FluxLedger, for_each_face};
use super::forces::Forces;
use super::sides::{BoundaryType, Sides};
use super::staggered::{Staggered, impose_solid_velocity};
use super::tracers::Tracers;
use super::transported_scalars::TransportedScalars;
use super::view;
use crate::solids::{Compartments, Solids};

/// A fluid that fills a box.
pub(super) struct StableFluid<const D: usize> {
    pub grid: Grid<D>,
    pub settings: FluidSettings,
    pub sides: Sides<D>,
    pub solids: Option<Solids<D>>,
    /// The velocity on faces: the state in the staggered layout, interpolated from centres in the collocated one.
    pub velocity: MacVelocity<f64, D>,
    pub layout: VelocityLayout<D>,
    pub diffusion: Diffusion,
    pub confinement: Option<Confinement<D>>,
    pub forces: Forces<D>,
    pub emitters: Vec<FluidEmitter<D>>,
    pub scalars: TransportedScalars<D>,
    pub dye_sources: DyeSources<D>,
    pub tracers: Tracers<D>,
    pub ledger: FluxLedger,
    /// The connected parts of the open space, and which of them have an outflow; found where obstacles and inflow meet.
    pub compartments: Compartments<D>,
    pub has_outflow: Vec<bool>,
    pub time: Seconds,
    /// Length of the last step, for the pressure.
    pub last_dt: f64,
    /// The greatest velocity component, in cells per second.
    pub rate: f64,
    /// Σ u² of all faces.
    pub energy: f64,
}

/// Location of the velocity components, with the solver for it.
pub(super) enum VelocityLayout<const D: usize> {
    Staggered(Box<Staggered<D>>),
    Collocated(Box<Collocated<D>>),
}

/// Parameters of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct FluidSettings {
    pub scheme: Scheme,
    pub viscosity: f64,
    pub density: f64,
    pub gravity: f64,
    pub raised: f64,
    /// Depth of the bed below the raised surface.
    pub depth: f64,
    pub courant: f64,
    /// Lower bound of the step length.
    pub shortest: f64,
    /// Whether the velocity is scaled so that the energy does not grow: only without forcing.
    pub limits_energy: bool,
}

impl<const D: usize> StableFluid<D> {
    /// Speed at the centre of a cell.
    pub fn speed_at(&self, cell: [isize; D]) -> f64 {
        (0..D).map(|axis| at_centre(&self.velocity, axis, cell).powi(2)).sum::<f64>().sqrt()
    }

    /// Pressure in a cell, in Pa, up to a constant in a closed box.
    pub fn pressure_at(&self, cell: [isize; D]) -> f64 {
        let specific = match &self.layout {
            VelocityLayout::Staggered(layout) => layout.pressure(cell) + self.head_at(cell),
            VelocityLayout::Collocated(layout) => layout.pressure(cell, self.last_dt),
        };
        self.settings.density * specific
    }

    /// Hydrostatic pressure in a cell for unit density; zero without gravity.
    fn head_at(&self, cell: [isize; D]) -> f64 {
        let depth = self.grid.far_corner()[D - 1] - self.grid.centre(cell)[D - 1];
        if self.forces.include_gravity() { self.settings.gravity * depth } else { 0.0 }
    }

    /// Level of the raised surface over a cell.
    pub fn level_at(&self, cell: [isize; D]) -> f64 {
        let gravity = self.settings.gravity;
        let moved = self.pressure_at(cell) / self.settings.density - self.head_at(cell);
        if gravity > 0.0 { self.settings.raised * moved / gravity } else { 0.0 }
    }

    /// Coordinates of a point in cells from the lowest corner; `None` outside the box.
    fn to_cells(&self, at: [f64; 3]) -> Option<[f64; D]> {
        let (origin, spacing, cells) = (self.grid.origin(), self.grid.spacing(), self.grid.cells());
        let point: [f64; D] = std::array::from_fn(|axis| (at[axis] - origin[axis]) / spacing[axis]);
        (0..D).all(|axis| (0.0..=cells[axis] as f64).contains(&point[axis])).then_some(point)
    }

    /// A side through which fluid comes in that obstacles keep from every outflow: ∇·u = 0 has no solution then.
    pub fn walled_off_inflow(&mut self) -> Option<Side> {
        let solids = self.solids.as_ref().filter(|_| self.sides.has(BoundaryType::Inflow))?;
        let open = solids.open();
        let parts = &mut self.compartments;
        parts.find(std::array::from_fn(|axis| self.sides.is_periodic(axis)), |axis, face| {
            open[axis][face] > 0.0
        });
        // The compartments that fluid can leave
        self.has_outflow.clear();
        self.has_outflow.resize(parts.count(), false);
        for side in
            Side::of_dimension(D).iter().filter(|side| self.sides.kind(**side) == BoundaryType::Outflow)
        {
            for_each_face(&self.velocity, *side, |face, _| {
                let part = parts.of(cell_beside(*side, face)).filter(|_| open[side.axis()][face] > 0.0);
                part.into_iter().for_each(|part| self.has_outflow[part] = true);
            });
        }
        let inflows =
            Side::of_dimension(D).iter().filter(|side| self.sides.kind(**side) == BoundaryType::Inflow);
        inflows.copied().find(|&side| {
            let mut is_walled_off = false;
            for_each_face(&self.velocity, side, |face, _| {
                let part = parts.of(cell_beside(side, face)).filter(|_| open[side.axis()][face] > 0.0);
                is_walled_off |= part.is_some_and(|part| !self.has_outflow[part]);
            });
            is_walled_off
        })
    }

    /// Computes the Courant rate and the kinetic energy.
    pub fn measure(&mut self) {
        let spacing = self.grid.spacing();
        let rate = |axis: usize| par::max(&self.velocity[axis], f64::abs) / spacing[axis];
        self.rate =
            (0..D).map(rate).fold(0.0, |most, rate| if most.is_nan() || rate < most { most } else { rate });
        self.energy = square_sum(&self.velocity);
    }

    /// The first face whose velocity is not finite.
    pub fn find_non_finite(&self) -> Option<StepError> {
        let is_bad = |value: f64| !value.is_finite();
        let cell =
            self.velocity.components().iter().find_map(|one| one.iter().find(|(_, value)| is_bad(*value)));
        let (at, _) = cell?;
        let cell = std::array::from_fn(|axis| at.get(axis).copied().unwrap_or(0));
        Some(StepError::NotFinite { field: "velocity", cell })
    }
}

/// The cell beside a face on a side.
fn cell_beside<const D: usize>(side: Side, mut face: [usize; D]) -> [usize; D] {
    face[side.axis()] -= usize::from(side.is_high());
    face
}

/// Σ u² of all faces; those on sides count half.
pub(super) fn square_sum<const D: usize>(velocity: &MacVelocity<f64, D>) -> f64 {
    let component = |axis: usize| {
        let (field, size) = (&velocity[axis], velocity[axis].size());
        let rows: usize = size[1..].iter().product();
        let row_sum = |row: usize| {
            let mut at = [0; D];
            let mut rest = row;
            for other in 1..D {
                at[other] = (rest % size[other]) as isize;
                rest /= size[other];
            }
            let values = field.row(at);
            let total: f64 = values.iter().map(|u| u * u).sum();
            if axis == 0 {
                return total - 0.5 * (values[0].powi(2) + values[size[0] - 1].powi(2));
            }
            let is_on_side = at[axis] == 0 || at[axis] as usize + 1 == size[axis];
            if is_on_side { 0.5 * total } else { total }
        };
        par::fold(rows, 16, |range| range.map(row_sum).sum::<f64>(), |a, b| a + b).unwrap_or(0.0)
    };
    (0..D).map(component).sum()
}

impl<const D: usize> Sample for StableFluid<D> {
    fn height(&self, xy: DVec2) -> Option<f64> {
        if D != 2 || self.settings.raised == 0.0 {
            return None;
        }
        let point = self.to_cells([xy.x, xy.y, 0.0])?;
        let cells = self.grid.cells();
        Some(self.level_at(std::array::from_fn(|axis| (point[axis] as isize).min(cells[axis] as isize - 1))))
    }

    fn depth(&self, xy: DVec2) -> Option<f64> {
        self.height(xy).map(|level| (level + self.settings.depth).max(0.0))
    }

    fn velocity(&self, at: DVec3) -> DVec3 {
        let Some(point) = self.to_cells(at.to_array()) else { return DVec3::ZERO };
        let velocity = Tracer::new(self.velocity.components().each_ref()).velocity(point);
        DVec3::from_array(std::array::from_fn(|axis| velocity.get(axis).copied().unwrap_or(0.0)))
    }
}

impl<const D: usize> Simulation for StableFluid<D> {
    fn max_dt(&self) -> Seconds {
        let spacing = self.grid.spacing().into_iter().fold(f64::INFINITY, f64::min);
        let pushed = self.solids.as_ref().map_or(0.0, |solids| solids.speed(self.time) / spacing);
        // The speed of a moving wall counts before the fluid has reached it
        let fluid = self.settings.courant / self.rate.max(self.sides.rate(self.time, self.grid.spacing()));
        // An obstacle must not cross more than a cell per step
        fluid.min(1.0 / pushed).max(self.settings.shortest)
    }

    fn step(&mut self, dt: Seconds, world: &mut World<'_>) -> Result<Step, StepError> {
        self.advance(dt, world).map(Step::Done)
    }

    fn disturb(&mut self, poke: &Disturbance) -> bool {
        let ball = |at: [f64; 3], radius: f64| {
            let at = std::array::from_fn(|axis| at[axis]);
            self.to_cells(std::array::from_fn(|axis| {
                [at[0], at[1], at.get(2).copied().unwrap_or(0.0)][axis]
            }))?;
            (radius >= 0.0 && radius.is_finite()).then_some(InfluenceBall { at, radius })
        };
        let top = self.grid.far_corner().get(2).copied().unwrap_or(0.0);
        match *poke {
            Disturbance::Push { at, radius, velocity } => {
                let Some(ball) = ball(at.to_array(), radius) else { return false };
                let velocity = velocity.to_array();
                self.set_velocity_in(ball, std::array::from_fn(|axis| velocity[axis]));
                true
            }
            Disturbance::Drop { at, radius, .. } if self.scalars.has_visible_scalars() => {
                let Some(ball) = ball([at.x, at.y, top], radius) else { return false };
                add_white_dye(ball, &self.grid, &mut self.scalars);
                self.scalars.fill_ghosts();
                true
            }
            Disturbance::Source { at, radius, rate, duration }
                if self.scalars.has_visible_scalars() && rate > 0.0 =>
            {
                let Some(ball) = ball([at.x, at.y, top], radius) else { return false };
                self.dye_sources.begin(ball, self.time + duration);
                true
            }
            // No rain, and no outflow from a full box
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
            // Faces on the two sides count half
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
        to.values("sides", self.sides.speeds())?;
        to.integer("solids", self.solid_fingerprint())?;
        match &self.layout {
            VelocityLayout::Staggered(layout) => {
                self.velocity.components().iter().try_for_each(|one| to.field("velocity", one))?;
                layout.save(to)?;
            }
            VelocityLayout::Collocated(layout) => {
                layout.velocity().iter().try_for_each(|one| to.field("velocity", one))?;
                to.field("phi", layout.phi())?;
            }
        }
        self.scalars.save(to)?;
        self.dye_sources.save(to)?;
        self.tracers.save(to)?;
        self.ledger.save(to)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.time = from.number("time")?;
        self.last_dt = from.number("last_dt")?;
        let mut speeds = self.sides.speeds_mut().iter_mut();
        from.records("sides", |[saved]: [f64; 1]| {
            speeds.next().into_iter().for_each(|speed| *speed = saved)
        })?;
        // Velocity and pressure potential, in either layout
        let solid_fingerprint = from.integer("solids")?;
        match &mut self.layout {
            VelocityLayout::Staggered(layout) => {
                for component in self.velocity.components_mut() {
                    from.field("velocity", component)?;
                }
                layout.restore(from)?;
            }
            VelocityLayout::Collocated(layout) => {
                for component in layout.velocity_mut() {
                    from.field("velocity", component)?;
                }
                from.field("phi", layout.phi_mut())?;
            }
        }
        self.scalars.restore(from)?;
        self.dye_sources.restore(from)?;
        self.tracers.restore(from, &self.grid)?;
        self.ledger.restore(from)?;
        // What follows from the state; obstacles may have changed since
        self.rebuild_derived_state()?;
        if solid_fingerprint != self.solid_fingerprint() {
            self.project_around_changed_solids()?;
        }
        Ok(())
    }
}

impl<const D: usize> StableFluid<D> {
    /// Recomputes solids, ghosts and measures after a restore.
    fn rebuild_derived_state(&mut self) -> io::Result<()> {
        if let Some(solids) = self.solids.as_mut().filter(|solids| !solids.are_still()) {
            solids.place_at(self.time).map_err(io::Error::other)?;
            if let VelocityLayout::Collocated(layout) = &mut self.layout {
                layout.refresh(solids);
            }
        }
        if let VelocityLayout::Collocated(layout) = &self.layout {
            layout.to_faces(&mut self.velocity);
        }
        self.sides.set_conditions(&mut self.velocity);
        self.sides.fill_ghosts(&mut self.velocity);
        self.measure();
        Ok(())
    }

    /// Hash of which samples are solid.
    fn solid_fingerprint(&self) -> u64 {
        self.solids.as_ref().map_or(0, Solids::fingerprint)
    }

    /// After solids were added, removed or moved by an edit: imposes their velocity inside and projects the velocity
    /// around them.
    fn project_around_changed_solids(&mut self) -> io::Result<()> {
        let solids = self.solids.as_ref();
        match &mut self.layout {
            VelocityLayout::Staggered(layout) => {
                if let Some(solids) = solids {
                    impose_solid_velocity(&mut self.velocity, solids);
                }
                layout.project_around_changed_solids(&mut self.velocity, solids).map_err(io::Error::other)?;
                layout.discard_history();
            }
            VelocityLayout::Collocated(layout) => {
                layout.set_border(&self.sides, solids);
                layout.to_faces(&mut self.velocity);
            }
        }
        self.sides.fill_ghosts(&mut self.velocity);
        self.measure();
        Ok(())
    }

    fn side_sum(&self, axis: usize) -> f64 {
        let field = &self.velocity[axis];
        let last = field.size()[axis] as isize - 1;
        let on_side = |at: &[usize; D]| at[axis] == 0 || at[axis] as isize == last;
        field.iter().filter(|(at, _)| on_side(at)).map(|(_, u)| u).sum()
    }

    /// Sides through which particles leave.
    pub fn open_sides(&self) -> [[bool; 2]; D] {
        let is_open =
            |side: Side| matches!(self.sides.kind(side), BoundaryType::Outflow | BoundaryType::Inflow);
        std::array::from_fn(|axis| [0, 1].map(|high| is_open(Side::ALL[2 * axis + high])))
    }

    fn set_velocity_in(&mut self, ball: InfluenceBall<D>, velocity: [f64; D]) {
        match &mut self.layout {
            VelocityLayout::Staggered(layout) => {
                ball.blend_velocity(self.velocity.components_mut(), velocity, 1.0);
                layout.discard_history();
            }
            VelocityLayout::Collocated(layout) => {
                ball.blend_velocity(layout.velocity_mut(), velocity, 1.0);
                layout.to_faces(&mut self.velocity);
            }
        }
        self.sides.fill_ghosts(&mut self.velocity);
        self.measure();
    }
}
