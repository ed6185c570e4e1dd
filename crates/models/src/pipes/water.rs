//! The model: its state and how it is built.

use undine_grid::{Grid, Side};
use undine_scene::{Problem, Scene, SceneErrors, Values};
use undine_sim::Built;

use super::border::OpenSide;
use super::changes::{Changes, Wetting};
use super::columns::Columns;
use super::curve::Curve;
use super::drops::Drops;
use super::falls::Falls;
use super::ground::Ground;
use super::ledger::Ledger;
use super::limiter::Limiter;
use super::manager::{Exact, ManagedWater, Manager};
use super::pipe_set::{Direction, PipeSet};
use super::rain::Rain;
use super::settings::Settings;
use super::thesis::StepCounts;
use super::tile_budgets::TileBudgets;
use super::tiling::{TILES_PER_TASK, Tiling};
use super::units::Units;
use super::visits::Visits;
use super::volume_update::{SumsOfTiles, TileSums};
use crate::heightfield::{HeightFieldSetup, HeightFieldSources};

/// Depth in metres above which a column counts as wet.
pub(super) const FILM: f64 = 1e-4;

/// Water in columns joined by pipes; see [the module](super).
pub struct Pipes {
    pub(super) grid: Grid<2>,
    pub(super) units: Units,
    pub(super) settings: Settings,
    pub(super) columns: Columns,
    pub(super) ground: Ground,
    pub(super) sets: Vec<PipeSet>,
    pub(super) sides: [OpenSide; 4],
    pub(super) sources: HeightFieldSources,
    pub(super) visits: Visits,
    pub(super) sums: SumsOfTiles,
    pub(super) limiter: Limiter,
    pub(super) rain: Rain,
    pub(super) drops: Drops,
    pub(super) falls: Falls,
    /// Decides which tiles a step visits; without one it visits all.
    pub(super) manager: Option<Box<dyn Manager>>,
    pub(super) ledger: Ledger,
    /// What sources have left over by rounding, in units.
    pub(super) source_remainder: f64,
    /// Level of the still water in metres, from which potential energy counts.
    pub(super) still_level: f64,
    /// Time in seconds, for the wetness of the ground.
    pub(super) time: f64,
    /// Stacked pipes and regions of a curve that has them.
    pub(super) curve: Option<Curve>,
    /// What the last step did.
    pub(super) counts: StepCounts,
    /// What has changed in each tile, and when.
    pub(super) changes: Changes,
    pub(super) budgets: TileBudgets,
}

/// Reads and builds the model.
pub(super) fn build(scene: &Scene, values: &Values) -> Result<Built, SceneErrors> {
    let (water, warnings) = read(scene, values)?;
    Ok(Built { simulation: Box::new(water), warnings })
}

/// Reads the water of a section, and warnings with it.
pub(super) fn read(scene: &Scene, values: &Values) -> Result<(Pipes, Vec<Problem>), SceneErrors> {
    let mut setup = HeightFieldSetup::read(scene, values)?;
    let sources = HeightFieldSources::read(scene, values, &setup)?;
    let settings = Settings::read(scene, values, &sources, &setup.grid)?;
    let warnings = std::mem::take(&mut setup.warnings);
    Pipes::new(&setup, settings, sources, values).map(|water| (water, warnings))
}

impl Pipes {
    fn new(
        setup: &HeightFieldSetup,
        mut settings: Settings,
        sources: HeightFieldSources,
        values: &Values,
    ) -> Result<Pipes, SceneErrors> {
        let (grid, is_curve) = (setup.grid, setup.grid.cells()[1] == 1);
        let units = units(setup, settings.sea_level).map_err(|error| {
            values.problem("size", error.to_string(), "use a smaller part of the terrain, or lower it")
        })?;
        let columns = Columns::new(&setup.bed, &setup.depth, &units);
        let tiling = columns.tiling;
        let row = &columns.bed[..grid.cells()[0].min(columns.bed.len())];
        let curve = Curve::read(values, &mut settings, &units, grid.spacing(), row)?;
        let directions = Direction::all(grid.spacing(), settings.has_diagonals, is_curve);
        let mut water = Pipes {
            sets: directions.into_iter().map(|direction| PipeSet::new(direction, &tiling)).collect(),
            sides: [Side::West, Side::East, Side::South, Side::North].map(|side| OpenSide::new(side, &grid)),
            visits: Visits::all(&tiling),
            sums: vec![Default::default(); tiling.count().div_ceil(TILES_PER_TASK)],
            limiter: Limiter::new(&tiling),
            drops: Drops::default(),
            falls: Falls::default(),
            rain: Rain::new(sources.rain_areas(), &tiling),
            manager: manager(values, &grid, &units, &settings, &tiling),
            ledger: Ledger { initial: columns.total(), ..Ledger::default() },
            source_remainder: 0.0,
            still_level: setup.still_level,
            time: 0.0,
            curve,
            counts: StepCounts::default(),
            changes: Changes::all(&tiling),
            budgets: TileBudgets::new(&tiling),
            grid,
            units,
            settings,
            columns,
            ground: Ground::default(),
            sources,
        };
        water.find_lips();
        water.set_initial_flows(setup);
        water.cover_regions();
        water.measure();
        water.note_changes();
        Ok(water)
    }

    /// The thresholds of wetness, now.
    pub(super) fn wetting(&self) -> Wetting {
        Wetting { film: self.units.depth(FILM), drying: self.settings.drying, time: self.time }
    }

    /// Notes which tiles have changed since this was last called, and which columns have become wet or dry.
    pub(super) fn note_changes(&mut self) {
        let wetting = self.wetting();
        self.changes.note(&mut self.columns, &mut self.visits);
        self.changes.mark_wet(&mut self.columns, &mut self.sums, wetting);
    }

    /// Flows with the velocities of the initial condition.
    fn set_initial_flows(&mut self, setup: &HeightFieldSetup) {
        let tiling = self.columns.tiling;
        for set in 0..self.sets.len() {
            let direction = self.sets[set].direction;
            for (cell, _) in setup.bed.iter() {
                let Some(neighbour) = tiling.beside(cell, direction.offset) else { continue };
                let velocity: f64 = (0..2)
                    .map(|axis| {
                        let component = &setup.velocity[axis];
                        0.5 * (component[cell] + component[neighbour]) * direction.along[axis]
                    })
                    .sum();
                if velocity != 0.0 {
                    self.set_velocity(set, cell, velocity);
                }
            }
        }
    }

    /// Depth in metres of the pipe of a column.
    pub(super) fn pipe_depth(&self, set: usize, cell: [usize; 2]) -> f64 {
        let (tiling, offset) = (&self.columns.tiling, self.sets[set].direction.offset);
        let Some(neighbour) = tiling.beside(cell, offset) else { return 0.0 };
        let [own, beyond] = [tiling.index(cell), tiling.index(neighbour)];
        let level = self.columns.level(own).max(self.columns.level(beyond));
        let sill = self.columns.bed[own].max(self.columns.bed[beyond]);
        f64::from((level - sill).max(0)) * self.units.unit()
    }

    /// Velocity in the pipe of a column, in m/s from the neighbour to the column.
    pub(super) fn pipe_velocity(&self, set: usize, cell: [usize; 2]) -> f64 {
        let (depth, pipes) = (self.pipe_depth(set, cell), &self.sets[set]);
        let flow = pipes.values[PipeSet::flow_index(&self.columns.tiling, self.columns.tiling.index(cell))];
        if flow == 0.0 {
            return 0.0;
        }
        f64::from(flow) * self.unit_volume() / (pipes.direction.width * depth.max(FILM))
    }

    /// Sets the velocity in the pipe of a column; it stays below the greatest Froude number.
    pub(super) fn set_velocity(&mut self, set: usize, cell: [usize; 2], velocity: f64) {
        let depth = self.pipe_depth(set, cell);
        let fastest = self.settings.froude * (self.settings.gravity * depth).sqrt();
        let flow = velocity.clamp(-fastest, fastest) * depth * self.sets[set].direction.width;
        let index = PipeSet::flow_index(&self.columns.tiling, self.columns.tiling.index(cell));
        self.sets[set].values[index] = (flow / self.unit_volume()) as f32;
        self.set_stacked_velocity(cell[0], velocity.clamp(-fastest, fastest));
    }

    /// A unit of volume in m³.
    pub(super) fn unit_volume(&self) -> f64 {
        self.units.unit() * self.grid.cell_measure()
    }

    /// The parts that a manager may change, and the manager.
    pub(super) fn managed<R>(
        &mut self,
        work: impl FnOnce(&mut ManagedWater<'_>, &mut dyn Manager) -> R,
    ) -> Option<R> {
        let (rain, tiling, film) = (&self.rain, self.columns.tiling, self.units.depth(FILM));
        let mut water = ManagedWater {
            columns: &mut self.columns,
            sets: &mut self.sets,
            visits: &mut self.visits,
            sums: &mut self.sums,
            film,
            rain_owed: &|tile| rain.owed(&tiling, tile),
        };
        self.manager.as_deref_mut().map(|manager| work(&mut water, manager))
    }

    /// Takes the sums of all tiles anew.
    pub(super) fn measure(&mut self) {
        let (columns, count) = (&self.columns, self.columns.tiling.count());
        for (tile, sums) in self.sums.as_flattened_mut()[..count].iter_mut().enumerate() {
            *sums = TileSums::of(columns, tile);
        }
    }
}

/// The manager that the scene asks for.
fn manager(
    values: &Values,
    grid: &Grid<2>,
    units: &Units,
    settings: &Settings,
    tiling: &Tiling,
) -> Option<Box<dyn Manager>> {
    let cell_time = grid.spacing()[0] / (settings.gravity * units.unit()).sqrt();
    match values.word("manager") {
        "none" | "thesis" => None,
        _ => Some(Box::new(Exact::new(tiling, cell_time, settings.friction))),
    }
}

/// The units of the relief with all water in it.
fn units(setup: &HeightFieldSetup, sea_level: Option<f64>) -> Result<Units, super::units::ReliefTooGreat> {
    let (mut lowest, mut highest) = (f64::INFINITY, sea_level.unwrap_or(f64::NEG_INFINITY));
    for (cell, bed) in setup.bed.iter() {
        lowest = lowest.min(bed);
        highest = highest.max(bed + setup.depth[cell]);
    }
    Units::for_relief(lowest, highest)
}
