//! The state of a liquid, and its answers to the simulation contract.

use std::io;
use std::sync::OnceLock;

use glam::{DVec2, DVec3};
use undine_grid::{Condition, Field, FieldError, Grid, Location, MacVelocity, par};
use undine_sim::{
    Budget, Counter, Counters, Disturbance, Notice, Reader, Sample, Seconds, Simulation, Step, StepError,
    View, Volume, World, Writer,
};

use super::capacity::{Capacity, SideFlow};
use super::density_correction::RestDensity;
use super::grid_to_particles::{Integrator, TransferScheme};
use super::inflow_outflow::InflowOutflow;
use super::ledger::ParticleLedger;
use super::live_sources::LiveSources;
use super::narrow_band::{Interior, ParticleStore};
use super::particles_to_grid::ParticlesToGrid;
use super::surface_tension::SurfaceTension;
use super::view::{self, ParticleArrays};
use super::viscosity_step::ViscosityStep;
use super::volume_control::VolumeController;
use crate::free_surface::cell_map::{CellMap, cell_of_index};
use crate::free_surface::extrapolation::Extrapolation;
use crate::free_surface::particles::Particles;
use crate::free_surface::projection::PressureProjection;
use crate::free_surface::solid_boundary::SolidBoundary;
use crate::free_surface::surface_distance::SurfaceReconstruction;
use crate::free_surface::tiles::{ParticleTiles, cell_of};

/// The greatest phase ω Δt of the shortest waves, in radians.
const MAX_WAVE_PHASE: f64 = 1.0;

/// A liquid of particles on a staggered grid, in a box.
pub(super) struct LiquidSimulation<const D: usize> {
    pub grid: Grid<D>,
    pub settings: LiquidSettings<D>,
    pub boundary: SolidBoundary<D>,
    pub particles: Particles<D>,
    pub scratch: Particles<D>,
    pub tiles: ParticleTiles<D>,
    pub transfer: ParticlesToGrid,
    pub velocity: MacVelocity<f32, D>,
    /// The velocity before forces; between steps, the advected velocity of the interior's faces.
    pub old_velocity: MacVelocity<f32, D>,
    /// The velocity of advection: the velocity and the density correction.
    pub transport: MacVelocity<f32, D>,
    /// Σ w of the transfer to the grid.
    pub weight: MacVelocity<f32, D>,
    /// φ, the signed distance from the surface at cell centres, in cells, negative in the liquid.
    pub distance: Field<f32, D>,
    pub reconstruction: SurfaceReconstruction<D>,
    /// Of the velocity and of the density correction.
    pub extrapolations: [Extrapolation; 2],
    pub near_liquid: CellMap<D>,
    pub rest_density: RestDensity<D>,
    pub pressure: PressureProjection<D>,
    pub viscosity: Option<ViscosityStep<D>>,
    pub surface_tension: Option<SurfaceTension<D>>,
    pub interior: Interior<D>,
    pub inflow_outflow: InflowOutflow<D>,
    /// The room for inflow in each compartment.
    pub capacity: Capacity<D>,
    /// What the sides prescribe in the step.
    pub side_flow: SideFlow<D>,
    pub live_sources: LiveSources,
    pub volume_control: VolumeController,
    pub ledger: ParticleLedger,
    pub time: Seconds,
    /// The start of the last step: solids have their velocity over that step.
    pub step_start: Seconds,
    /// The greatest velocity component in the liquid, in m/s; isolated particles may be faster.
    pub max_speed: f64,
    /// The speed that the Courant number is taken of: as `max_speed`, but a few faces in a thousand may be up to twice
    /// as fast.
    pub courant_speed: f64,
    /// Positions and velocities for views, made on demand.
    pub particle_arrays: OnceLock<ParticleArrays>,
}

/// Parameters of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct LiquidSettings<const D: usize> {
    pub transfer: TransferScheme,
    pub integrator: Integrator,
    pub gravity: f64,
    /// ρ in kg/m³.
    pub density: f64,
    /// Cells that the liquid may cross in a step.
    pub courant: f64,
    /// The least Δt that is asked for, in seconds.
    pub min_dt: f64,
    pub open_sides: [[bool; 2]; D],
    pub seed: u64,
}

/// Everything that a liquid is built from.
pub(super) struct LiquidSetup<const D: usize> {
    pub grid: Grid<D>,
    pub settings: LiquidSettings<D>,
    pub boundary: SolidBoundary<D>,
    pub has_colour: bool,
    pub inflow_outflow: InflowOutflow<D>,
    pub solver: String,
    pub tolerance: f64,
    /// Width of the narrow band in cells.
    pub band: Option<usize>,
    /// Kinematic viscosity in m²/s.
    pub viscosity: f64,
    /// Surface tension in N/m.
    pub tension: f64,
    pub controls_volume: bool,
}

impl<const D: usize> LiquidSimulation<D> {
    /// A box without liquid in it.
    pub fn new(setup: LiquidSetup<D>) -> Result<Self, FieldError> {
        let LiquidSetup { grid, settings, boundary, has_colour, .. } = setup;
        let is_affine = settings.transfer == TransferScheme::Apic;
        let faces = || MacVelocity::new(grid, Condition::FreeSlip, 1);
        // Fields and solvers; particles are seeded later
        Ok(LiquidSimulation {
            particles: Particles::new(is_affine, has_colour),
            scratch: Particles::new(is_affine, has_colour),
            tiles: ParticleTiles::new(&grid),
            transfer: ParticlesToGrid::new(D, is_affine),
            velocity: MacVelocity::new(grid, Condition::Open, 1)?,
            old_velocity: MacVelocity::new(grid, Condition::Open, 1)?,
            transport: MacVelocity::new(grid, Condition::Open, 1)?,
            weight: faces()?,
            distance: Field::new(grid, Location::Center, Condition::Open, 1)?,
            reconstruction: SurfaceReconstruction::new(grid, boundary.solids.is_some())?,
            extrapolations: [Extrapolation::default(), Extrapolation::default()],
            near_liquid: CellMap::new(grid.cells()),
            rest_density: RestDensity::new(grid, &boundary)?,
            pressure: PressureProjection::new(grid, settings.open_sides, &setup.solver, setup.tolerance)?,
            viscosity: (setup.viscosity > 0.0)
                .then(|| ViscosityStep::new(grid, settings.open_sides, setup.viscosity))
                .transpose()?,
            surface_tension: (setup.tension > 0.0)
                .then(|| SurfaceTension::new(grid, setup.tension))
                .transpose()?,
            interior: Interior::new(grid.cells(), setup.band, settings.seed),
            side_flow: SideFlow::new(&setup.inflow_outflow.sides, [[0.0; 2]; D], [[0.0; 2]; D]),
            capacity: Capacity::new(grid.cells(), grid.spacing()[0]),
            inflow_outflow: setup.inflow_outflow,
            live_sources: LiveSources::default(),
            volume_control: VolumeController::new(setup.controls_volume),
            ledger: ParticleLedger::new(grid.cell_measure() / f64::from(1 << D)),
            time: 0.0,
            step_start: 0.0,
            max_speed: 0.0,
            courant_speed: 0.0,
            particle_arrays: OnceLock::new(),
            grid,
            settings,
            boundary,
        })
    }

    /// Edge of a cell in metres.
    pub fn cell(&self) -> f64 {
        self.grid.spacing()[0]
    }

    /// A point in cells from the lowest corner; `None` outside the box.
    pub fn to_cells(&self, at: [f64; 3]) -> Option<[f32; D]> {
        let (origin, cells) = (self.grid.origin(), self.grid.cells());
        let point: [f64; D] = std::array::from_fn(|axis| (at[axis] - origin[axis]) / self.cell());
        (0..D).all(|axis| (0.0..=cells[axis] as f64).contains(&point[axis])).then(|| point.map(|x| x as f32))
    }

    /// Sets the initial state from the particles that were seeded.
    pub fn initialise(&mut self) {
        self.ledger.set_initial(self.particles.len());
        self.sort_particles();
        // Beside slanted walls the reconstruction uses the surface of the last one: three iterations
        (0..3).for_each(|_| self.update_surface());
    }

    /// Sorts the particles and updates the interior of the narrow band.
    pub fn sort_particles(&mut self) {
        self.tiles.count(&self.particles);
        let velocity = self.velocity.components();
        let is_kept = self.inflow_outflow.keeps_particles(&self.grid, self.time);
        let store = ParticleStore {
            particles: &mut self.particles,
            tiles: &mut self.tiles,
            ledger: &mut self.ledger,
        };
        self.interior.update(store, velocity, &self.boundary, is_kept);
        self.tiles.reorder(&mut self.particles, &mut self.scratch);
        let (tiles, cells) = (&self.tiles, self.grid.cells());
        self.particles.fill_missing_colours(|point, work| {
            let cell = cell_of(point, cells);
            for row in 0..3_usize.pow(D as u32 - 1) {
                let (mut rest, mut from) = (row, cell);
                for axis in 1..D {
                    from[axis] = (cell[axis] + rest % 3).saturating_sub(1).min(cells[axis] - 1);
                    rest /= 3;
                }
                from[0] = cell[0].saturating_sub(1);
                let count = (cell[0] + 1).min(cells[0] - 1) + 1 - from[0];
                tiles.for_each_range(from, count, &mut *work);
            }
        });
    }

    /// Reconstructs the surface from the particles.
    pub fn update_surface(&mut self) {
        let interior = &self.interior;
        self.reconstruction.compute(
            &self.particles,
            &self.tiles,
            &self.boundary,
            |cell| interior.contains(cell),
            &mut self.distance,
        );
        self.particle_arrays = OnceLock::new();
    }

    /// Velocity at a point of the box in cells.
    pub fn velocity_at(&self, point: [f32; D]) -> [f32; D] {
        let cell = cell_of(point, self.grid.cells()).map(|i| i as isize);
        std::array::from_fn(|axis| {
            let low = self.velocity[axis].at(cell);
            let high = self.velocity[axis].at(undine_grid::neighbour(cell, axis, 1));
            low + (point[axis] - cell[axis] as f32) * (high - low)
        })
    }

    /// Pressure in a cell, in Pa.
    pub fn pressure_at(&self, cell: [isize; D]) -> f64 {
        match self.pressure.last_dt() {
            dt if dt > 0.0 => self.settings.density * f64::from(self.pressure.psi.at(cell)) / dt,
            _ => 0.0,
        }
    }

    /// The volume enclosed by the surface, in m³. Isolated particles outside it count with their own volume.
    pub fn enclosed_volume(&self) -> f64 {
        let full = f64::from(1 << D);
        let row_sum = |row: usize| {
            let mut cell = cell_of_index(row * self.grid.cells()[0], self.grid.cells());
            let values = self.distance.row(cell.map(|i| i as isize));
            let mut sum = 0.0;
            for (x, (phi, open)) in values.iter().zip(self.rest_density.volume_fractions(cell)).enumerate() {
                cell[0] = x;
                let inside = f64::from((0.5 - phi).clamp(0.0, 1.0) * open);
                let isolated = || (self.tiles.particles_in(cell).len() as f64 / full).min(1.0);
                sum += if *phi > 1.0 { isolated() } else { inside };
            }
            sum
        };
        let rows = self.grid.cells()[1..].iter().product();
        let sum = par::fold(rows, 16, |range| range.map(row_sum).sum::<f64>(), |a, b| a + b);
        sum.unwrap_or(0.0) * self.grid.cell_measure()
    }
}

impl<const D: usize> LiquidSimulation<D> {
    /// A message of the first inflow that found no room, with its time and place.
    fn refusal_notice(&self) -> Option<Notice> {
        let (time, inlet) = self.ledger.first_refusal()?;
        let capacity = Simulation::capacity(self).unwrap_or_default();
        let text = self.inflow_outflow.describe_refusal(inlet, time, self.volume().held, capacity);
        Some(Notice { time, text })
    }
}

/// Sums over the interior cells, weighted by their open volume fraction.
struct InteriorSums<const D: usize> {
    velocity: [f64; D],
    squares: f64,
    /// In metres.
    height: f64,
}

impl<const D: usize> LiquidSimulation<D> {
    fn interior_sums(&self) -> InteriorSums<D> {
        let mut sums = InteriorSums { velocity: [0.0; D], squares: 0.0, height: 0.0 };
        if !self.interior.is_enabled() {
            return sums;
        }
        self.interior.map().for_each(|cell, is_interior| {
            if is_interior == 0 {
                return;
            }
            let open = f64::from(self.rest_density.volume_fractions(cell)[cell[0]]);
            let velocity = self.velocity_at(cell.map(|i| i as f32 + 0.5));
            for axis in 0..D {
                let u = f64::from(velocity[axis]);
                sums.velocity[axis] += open * u;
                sums.squares += open * u * u;
            }
            sums.height += open * self.grid.centre(cell.map(|i| i as isize))[D - 1];
        });
        sums
    }
}

impl<const D: usize> Sample for LiquidSimulation<D> {
    fn height(&self, xy: DVec2) -> Option<f64> {
        let top = self.grid.far_corner()[D - 1];
        let mut at = [xy.x, xy.y, 0.0];
        at[D - 1] = top;
        let mut cell = cell_of(self.to_cells(at)?, self.grid.cells());
        // From above down to the first cell of liquid; the surface lies between it and the one above
        let mut above = None;
        for level in (0..self.grid.cells()[D - 1]).rev() {
            cell[D - 1] = level;
            let here = self.distance[cell];
            if here < 0.0 {
                let beyond = above.map_or(0.5, |there: f32| here / (here - there));
                let base = self.grid.origin()[D - 1];
                return Some(base + (level as f64 + 0.5 + f64::from(beyond)) * self.cell());
            }
            above = Some(here);
        }
        Some(self.grid.origin()[D - 1])
    }

    fn depth(&self, xy: DVec2) -> Option<f64> {
        self.height(xy).map(|height| height - self.grid.origin()[D - 1])
    }

    fn velocity(&self, at: DVec3) -> DVec3 {
        let Some(point) = self.to_cells(at.to_array()) else { return DVec3::ZERO };
        if self.distance[cell_of(point, self.grid.cells())] >= 0.0 {
            return DVec3::ZERO;
        }
        let velocity = self.velocity_at(point);
        DVec3::from_array(std::array::from_fn(|axis| velocity.get(axis).map_or(0.0, |u| f64::from(*u))))
    }
}

/// The greatest Δt for gravity waves: ω Δt ≤ 1 for the shortest ones on the grid, ω = √(gk) with k = π/Δ. The surface
/// moves explicitly, by the pressure of the step before.
pub(super) fn wave_dt_limit(cell: f64, gravity: f64) -> f64 {
    MAX_WAVE_PHASE * (cell / (std::f64::consts::PI * gravity.max(1e-12))).sqrt()
}

impl<const D: usize> Simulation for LiquidSimulation<D> {
    fn max_dt(&self) -> Seconds {
        let (cell, settings) = (self.cell(), &self.settings);
        let solid_speed = self.boundary.max_speed(self.time);
        let speed = self.courant_speed.max(self.inflow_outflow.max_speed(self.time));
        let advection_limit = settings.courant * cell / speed.max(1e-12);
        let wave_limit = wave_dt_limit(cell, settings.gravity);
        // A solid crosses at most a cell, so that it does not jump over particles
        let solid_limit = cell / solid_speed.max(1e-12);
        let tension_limit = self
            .surface_tension
            .as_ref()
            .map_or(f64::INFINITY, |tension| tension.max_dt(cell, settings.density));
        advection_limit.min(wave_limit).min(solid_limit).min(tension_limit).max(settings.min_dt)
    }

    fn step(&mut self, dt: Seconds, world: &mut World<'_>) -> Result<Step, StepError> {
        self.advance(dt, world).map(Step::Done)
    }

    fn disturb(&mut self, disturbance: &Disturbance) -> bool {
        self.apply_disturbance(disturbance)
    }

    fn view(&self) -> View<'_> {
        view::view(self)
    }

    fn budget(&self) -> Budget {
        let mass = self.settings.density * self.ledger.particle_volume();
        let (particles, grid) = (&self.particles, &self.grid);
        let sum = |column: &[f32]| column.iter().map(|u| f64::from(*u)).sum::<f64>();
        let squares = |column: &[f32]| column.iter().map(|u| f64::from(*u).powi(2)).sum::<f64>();
        let height =
            sum(&particles.position[D - 1]) * self.cell() + particles.len() as f64 * grid.origin()[D - 1];
        let interior = self.interior_sums();
        let full = mass * f64::from(1 << D);
        Budget {
            volume: self.volume(),
            momentum: std::array::from_fn(|axis| match axis {
                _ if axis < D => mass * sum(&particles.velocity[axis]) + full * interior.velocity[axis],
                _ => 0.0,
            }),
            kinetic_energy: 0.5 * mass * (0..D).map(|axis| squares(&particles.velocity[axis])).sum::<f64>()
                + 0.5 * full * interior.squares,
            potential_energy: self.settings.gravity * (mass * height + full * interior.height),
            volume_drift: Some(self.volume_control.error()),
            refused: Some(self.ledger.refused()),
        }
    }

    fn volume(&self) -> Volume {
        self.ledger.volume(self.particles.len())
    }

    fn capacity(&self) -> Option<f64> {
        Some(self.rest_density.open_volume() * self.grid.cell_measure())
    }

    fn counts_particles(&self) -> bool {
        true
    }

    fn counters(&self) -> Counters {
        let viscosity = self.viscosity.as_ref().map_or(0, |viscosity| viscosity.iterations);
        let iterations = |name, count: usize| Counter::sum(name, "iterations", count as u64);
        let particles = self.particles.len() as u64;
        Counters::new([
            iterations("pressure iterations", self.pressure.iterations),
            iterations("density correction iterations", self.pressure.correction_iterations),
            iterations("viscosity iterations", viscosity),
            Counter::sum("particle updates", "updates", particles),
            Counter::state("particles", "particles", particles),
        ])
    }

    fn notices(&self) -> Vec<Notice> {
        self.refusal_notice().into_iter().collect()
    }

    fn cells(&self) -> u64 {
        self.particles.len() as u64
    }

    fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        self.save_state(to)
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.restore_state(from)
    }
}
