//! A liquid: its state, and what it answers.

use std::io;
use std::sync::OnceLock;

use glam::{DVec2, DVec3};
use undine_grid::{Condition, Field, FieldError, Grid, Location, MacVelocity, par};
use undine_sim::{
    Budget, Disturbance, Reader, Sample, Seconds, Simulation, Step, StepError, View, Volume, World, Writer,
};

use super::bulk::{Bulk, Store};
use super::density::Density;
use super::follow::{Kind, Move};
use super::hand::Hand;
use super::ledger::Ledger;
use super::pour::Sources;
use super::tension::Tension;
use super::transfer::Transfer;
use super::view::{self, Shown};
use super::viscous::Viscous;
use super::volume::Controller;
use crate::free_surface::cell_map::{CellMap, cell_at};
use crate::free_surface::extrapolation::Extension;
use crate::free_surface::particles::Particles;
use crate::free_surface::projection::Pressure;
use crate::free_surface::solid_boundary::Walls;
use crate::free_surface::surface_distance::SurfaceFinder;
use crate::free_surface::tiles::{Tiles, cell_of};

/// How far the shortest waves may turn in a step, in radians.
const TURN: f64 = 1.0;

/// A liquid of particles in a box.
pub(super) struct Liquid<const D: usize> {
    pub grid: Grid<D>,
    pub settings: Settings<D>,
    pub walls: Walls<D>,
    pub particles: Particles<D>,
    pub spare: Particles<D>,
    pub tiles: Tiles<D>,
    pub transfer: Transfer,
    pub velocity: MacVelocity<f32, D>,
    /// The velocity before forces; between steps, that of the faces around the bulk, carried along.
    pub before: MacVelocity<f32, D>,
    /// What particles follow: the velocity, and what spreads them.
    pub motion: MacVelocity<f32, D>,
    /// Weight of what particles gave each face.
    pub weight: MacVelocity<f32, D>,
    /// Distance from the surface at the middles of cells, in cells, negative in the liquid.
    pub distance: Field<f32, D>,
    pub finder: SurfaceFinder<D>,
    /// For the velocity and for what spreads particles.
    pub extensions: [Extension; 2],
    pub near_liquid: CellMap<D>,
    pub density: Density<D>,
    pub pressure: Pressure<D>,
    pub viscous: Option<Viscous<D>>,
    pub tension: Option<Tension<D>>,
    pub bulk: Bulk<D>,
    pub sources: Sources<D>,
    pub hand: Hand,
    pub control: Controller,
    pub ledger: Ledger,
    pub time: Seconds,
    /// When the last step began: walls are met with the motion that they had in it.
    pub began: Seconds,
    /// The greatest velocity component in the liquid, in m/s; particles that fly alone may be faster.
    pub fastest: f64,
    /// What the step goes by: as `fastest`, but a few faces in a thousand may be up to twice as fast.
    pub pace: f64,
    /// Positions and velocities as they are shown, made when somebody asks.
    pub shown: OnceLock<Shown>,
}

/// Numbers that a step needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings<const D: usize> {
    pub kind: Kind,
    pub motion: Move,
    pub gravity: f64,
    /// kg/m³.
    pub density: f64,
    /// Cells that the liquid may cross in a step.
    pub courant: f64,
    /// No step is asked to be shorter than this.
    pub shortest: f64,
    pub open_sides: [[bool; 2]; D],
    pub seed: u64,
}

/// What a liquid is made with.
pub(super) struct Recipe<const D: usize> {
    pub grid: Grid<D>,
    pub settings: Settings<D>,
    pub walls: Walls<D>,
    pub has_colour: bool,
    pub sources: Sources<D>,
    pub solver: String,
    pub tolerance: f64,
    /// Cells of particles around the surface.
    pub band: Option<usize>,
    /// Kinematic viscosity in m²/s.
    pub viscosity: f64,
    /// Surface tension in N/m.
    pub tension: f64,
    pub controls_volume: bool,
}

impl<const D: usize> Liquid<D> {
    /// A box without any liquid in it.
    pub fn new(recipe: Recipe<D>) -> Result<Self, FieldError> {
        let Recipe { grid, settings, walls, has_colour, .. } = recipe;
        let is_affine = settings.kind == Kind::Apic;
        let faces = || MacVelocity::new(grid, Condition::FreeSlip, 1);
        Ok(Liquid {
            particles: Particles::new(is_affine, has_colour),
            spare: Particles::new(is_affine, has_colour),
            tiles: Tiles::new(&grid),
            transfer: Transfer::new(D, is_affine),
            velocity: MacVelocity::new(grid, Condition::Open, 1)?,
            before: MacVelocity::new(grid, Condition::Open, 1)?,
            motion: MacVelocity::new(grid, Condition::Open, 1)?,
            weight: faces()?,
            distance: Field::new(grid, Location::Center, Condition::Open, 1)?,
            finder: SurfaceFinder::new(grid, walls.solids.is_some())?,
            extensions: [Extension::default(), Extension::default()],
            near_liquid: CellMap::new(grid.cells()),
            density: Density::new(grid, &walls)?,
            pressure: Pressure::new(grid, settings.open_sides, &recipe.solver, recipe.tolerance)?,
            viscous: (recipe.viscosity > 0.0)
                .then(|| Viscous::new(grid, settings.open_sides, recipe.viscosity))
                .transpose()?,
            tension: (recipe.tension > 0.0).then(|| Tension::new(grid, recipe.tension)).transpose()?,
            bulk: Bulk::new(grid.cells(), recipe.band, settings.seed),
            sources: recipe.sources,
            hand: Hand::default(),
            control: Controller::new(recipe.controls_volume),
            ledger: Ledger::new(grid.cell_measure() / f64::from(1 << D)),
            time: 0.0,
            began: 0.0,
            fastest: 0.0,
            pace: 0.0,
            shown: OnceLock::new(),
            grid,
            settings,
            walls,
        })
    }

    /// Edge of a cell in metres.
    pub fn cell(&self) -> f64 {
        self.grid.spacing()[0]
    }

    /// A point in cells from the lowest corner; `None` outside the box.
    pub fn place(&self, at: [f64; 3]) -> Option<[f32; D]> {
        let (origin, cells) = (self.grid.origin(), self.grid.cells());
        let point: [f64; D] = std::array::from_fn(|axis| (at[axis] - origin[axis]) / self.cell());
        (0..D)
            .all(|axis| (0.0..=cells[axis] as f64).contains(&point[axis]))
            .then(|| point.map(|along| along as f32))
    }

    /// Begins with the particles that are there.
    pub fn begin(&mut self) {
        self.ledger.begin(self.particles.len());
        self.settle();
        // Beside slanted walls the surface is found along what was found before
        (0..3).for_each(|_| self.find_surface());
    }

    /// Puts the particles in order and settles what is bulk.
    pub fn settle(&mut self) {
        self.tiles.count(&self.particles);
        let velocity = self.velocity.components();
        let is_kept = self.sources.keeps_particles(&self.grid, self.time);
        let store =
            Store { particles: &mut self.particles, tiles: &mut self.tiles, ledger: &mut self.ledger };
        self.bulk.settle(store, velocity, &self.walls, is_kept);
        self.tiles.arrange(&mut self.particles, &mut self.spare);
        let (tiles, cells) = (&self.tiles, self.grid.cells());
        self.particles.take_colours(|point, work| {
            let cell = cell_of(point, cells);
            for row in 0..3_usize.pow(D as u32 - 1) {
                let (mut rest, mut from) = (row, cell);
                for axis in 1..D {
                    from[axis] = (cell[axis] + rest % 3).saturating_sub(1).min(cells[axis] - 1);
                    rest /= 3;
                }
                from[0] = cell[0].saturating_sub(1);
                let count = (cell[0] + 1).min(cells[0] - 1) + 1 - from[0];
                tiles.for_each_piece(from, count, &mut *work);
            }
        });
    }

    /// Finds the surface of the particles.
    pub fn find_surface(&mut self) {
        let bulk = &self.bulk;
        self.finder.find(
            &self.particles,
            &self.tiles,
            &self.walls,
            |cell| bulk.has(cell),
            &mut self.distance,
        );
        self.shown = OnceLock::new();
    }

    /// Velocity at a point of the box in cells.
    pub fn velocity_at(&self, point: [f32; D]) -> [f32; D] {
        let cell = cell_of(point, self.grid.cells()).map(|along| along as isize);
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

    /// Volume inside the surface, in m³: what is seen, beside what the ledger counts. Particles that fly apart from it
    /// count with their own.
    pub fn seen_volume(&self) -> f64 {
        let full = f64::from(1 << D);
        let row_sum = |row: usize| {
            let mut cell = cell_at(row * self.grid.cells()[0], self.grid.cells());
            let values = self.distance.row(cell.map(|along| along as isize));
            let mut sum = 0.0;
            for (x, (phi, open)) in values.iter().zip(self.density.volumes(cell)).enumerate() {
                cell[0] = x;
                let inside = f64::from((0.5 - phi).clamp(0.0, 1.0) * open);
                let alone = || (self.tiles.in_cell(cell).len() as f64 / full).min(1.0);
                sum += if *phi > 1.0 { alone() } else { inside };
            }
            sum
        };
        let rows = self.grid.cells()[1..].iter().product();
        let sum = par::fold(rows, 16, |range| range.map(row_sum).sum::<f64>(), |a, b| a + b);
        sum.unwrap_or(0.0) * self.grid.cell_measure()
    }
}

/// Sums over the cells of the bulk, each by its open share.
struct BulkSums<const D: usize> {
    velocity: [f64; D],
    squares: f64,
    /// In metres.
    height: f64,
}

impl<const D: usize> Liquid<D> {
    fn bulk_sums(&self) -> BulkSums<D> {
        let mut sums = BulkSums { velocity: [0.0; D], squares: 0.0, height: 0.0 };
        if !self.bulk.is_in_use() {
            return sums;
        }
        self.bulk.map().for_each(|cell, is_bulk| {
            if is_bulk == 0 {
                return;
            }
            let open = f64::from(self.density.volumes(cell)[cell[0]]);
            let velocity = self.velocity_at(cell.map(|along| along as f32 + 0.5));
            for axis in 0..D {
                let along = f64::from(velocity[axis]);
                sums.velocity[axis] += open * along;
                sums.squares += open * along * along;
            }
            sums.height += open * self.grid.centre(cell.map(|along| along as isize))[D - 1];
        });
        sums
    }
}

impl<const D: usize> Sample for Liquid<D> {
    fn height(&self, xy: DVec2) -> Option<f64> {
        let top = self.grid.far_corner()[D - 1];
        let mut at = [xy.x, xy.y, 0.0];
        at[D - 1] = top;
        let mut cell = cell_of(self.place(at)?, self.grid.cells());
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
        let Some(point) = self.place(at.to_array()) else { return DVec3::ZERO };
        if self.distance[cell_of(point, self.grid.cells())] >= 0.0 {
            return DVec3::ZERO;
        }
        let velocity = self.velocity_at(point);
        DVec3::from_array(std::array::from_fn(|axis| {
            velocity.get(axis).map_or(0.0, |along| f64::from(*along))
        }))
    }
}

/// The longest step in seconds for waves on cells of this length. The surface answers to the pressure of the step before,
/// so the shortest waves on it need a step of their own time scale: ω = √(gk) with k = π/Δ.
pub(super) fn longest_for_waves(cell: f64, gravity: f64) -> f64 {
    TURN * (cell / (std::f64::consts::PI * gravity.max(1e-12))).sqrt()
}

impl<const D: usize> Simulation for Liquid<D> {
    fn max_dt(&self) -> Seconds {
        let (cell, settings) = (self.cell(), &self.settings);
        let pushed = self.walls.speed(self.time);
        let pace = self.pace.max(self.sources.fastest(self.time));
        let carried = settings.courant * cell / pace.max(1e-12);
        let waves = longest_for_waves(cell, settings.gravity);
        // A solid must not jump over particles
        let shoved = cell / pushed.max(1e-12);
        let rippled = self.tension.as_ref().map_or(f64::INFINITY, |one| one.max_dt(cell, settings.density));
        carried.min(waves).min(shoved).min(rippled).max(settings.shortest)
    }

    fn step(&mut self, dt: Seconds, world: &mut World<'_>) -> Result<Step, StepError> {
        self.advance(dt, world).map(Step::Done)
    }

    fn disturb(&mut self, poke: &Disturbance) -> bool {
        self.poke(poke)
    }

    fn view(&self) -> View<'_> {
        view::view(self)
    }

    fn budget(&self) -> Budget {
        let mass = self.settings.density * self.ledger.particle();
        let (particles, grid) = (&self.particles, &self.grid);
        let sum = |column: &[f32]| column.iter().map(|along| f64::from(*along)).sum::<f64>();
        let squares = |column: &[f32]| column.iter().map(|along| f64::from(*along).powi(2)).sum::<f64>();
        let height =
            sum(&particles.position[D - 1]) * self.cell() + particles.len() as f64 * grid.origin()[D - 1];
        let bulk = self.bulk_sums();
        let full = mass * f64::from(1 << D);
        Budget {
            volume: self.volume(),
            momentum: std::array::from_fn(|axis| match axis {
                _ if axis < D => mass * sum(&particles.velocity[axis]) + full * bulk.velocity[axis],
                _ => 0.0,
            }),
            kinetic_energy: 0.5 * mass * (0..D).map(|axis| squares(&particles.velocity[axis])).sum::<f64>()
                + 0.5 * full * bulk.squares,
            potential_energy: self.settings.gravity * (mass * height + full * bulk.height),
            volume_drift: self.control.error(),
        }
    }

    fn volume(&self) -> Volume {
        self.ledger.volume(self.particles.len())
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
