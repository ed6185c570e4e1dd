//! The model: its state, its construction and the volume ledger.

use undine_grid::{BoundaryError, Field, FieldError, Grid, fill_ghosts, par};
use undine_sim::Volume;

use super::infiltration::Infiltration;
use super::settings::Settings;
use super::sides::DomainSides;
use super::sponge::Sponge;
use super::stage::StageTotals;
use super::update::{RowSums, measure};
use crate::heightfield::{BedChange, CompensatedSum, HeightFieldSetup, HeightFieldSources, Wetness};

/// Depth in metres up to which water counts as a film: the ground below it dries, and it is not drawn.
pub(super) const FILM: f64 = 1e-4;

/// Conserved variables U = (h, q_x, q_y), q = h u.
pub(super) type ConservedState = [Field<f64, 2>; 3];

/// The shallow-water equations by finite volumes; see the [module](super).
pub struct ShallowWater {
    pub(super) grid: Grid<2>,
    pub(super) settings: Settings,
    pub(super) bed: Field<f64, 2>,
    /// What has been heaped up and dug away.
    pub(super) bed_change: BedChange<f64>,
    /// Uⁿ.
    pub(super) now: ConservedState,
    /// U¹, the result of the first stage.
    pub(super) next: ConservedState,
    pub(super) stage_totals: StageTotals,
    pub(super) sides: DomainSides,
    pub(super) sponge: Option<Sponge>,
    pub(super) infiltration: Option<Infiltration>,
    pub(super) sources: Option<HeightFieldSources>,
    pub(super) wetness: Wetness,
    pub(super) still_level: f64,
    /// Volume at the start, in m³.
    pub(super) initial: f64,
    /// Volume that sponges have added and removed, in m³.
    pub(super) sponge_volume: [CompensatedSum; 2],
    /// Volume now, in m³.
    pub(super) held: f64,
    /// The largest (|u| + c)/Δx + (|v| + c)/Δy.
    pub(super) rate: f64,
}

impl ShallowWater {
    /// The model for a given bed and initial condition, without sources.
    ///
    /// ```
    /// use undine_grid::{Condition, Field, Grid, Location};
    /// use undine_models::heightfield::HeightFieldSetup;
    /// use undine_models::shallow_water::{Settings, ShallowWater};
    /// use undine_sim::Simulation;
    ///
    /// let grid = Grid::new([100, 1], [0.1, 0.1], [0.0, 0.0])?;
    /// let blank = Field::new(grid, Location::Center, Condition::Open, 3)?;
    /// let mut depth = blank.clone();
    /// depth.set_by_position(|[x, _]| if x < 5.0 { 1.0 } else { 0.2 });
    /// let velocity = [blank.clone(), blank.clone()];
    /// let setup = HeightFieldSetup { grid, bed: blank, depth, velocity, still_level: 0.0, warnings: Vec::new() };
    /// let dam_break = ShallowWater::new(setup, Settings::default())?;
    /// assert!((dam_break.volume().held - 0.6).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(setup: HeightFieldSetup, settings: Settings) -> Result<ShallowWater, FieldError> {
        let HeightFieldSetup {
            grid, mut bed, depth, velocity: [mut flow_x, mut flow_y], still_level, ..
        } = setup;
        par::rows_each([&mut flow_x, &mut flow_y], |at, [u, v]| {
            let depth = depth.row(at);
            u.iter_mut().zip(depth).for_each(|(u, depth)| *u *= depth);
            v.iter_mut().zip(depth).for_each(|(v, depth)| *v *= depth);
        });
        // Boundary conditions of the ghost cells
        let mut now = [depth, flow_x, flow_y];
        let sides = DomainSides::new(settings.borders.clone(), grid, settings.gravity, settings.sea_level);
        sides.set_ghosts(&mut bed, None)?;
        let mut set =
            |index: usize, axis| -> Result<(), BoundaryError> { sides.set_ghosts(&mut now[index], axis) };
        set(0, None)?;
        set(1, Some(0))?;
        set(2, Some(1))?;
        fill_ghosts(&mut bed);
        let [conductivity, capillary] = settings.infiltration;
        let infiltration = match conductivity > 0.0 {
            true => Some(Infiltration::new(&grid, conductivity, capillary)?),
            false => None,
        };
        let mut water = ShallowWater {
            next: now.clone(),
            stage_totals: StageTotals::new(grid.cells()),
            sponge: Sponge::new(&settings.borders, &grid),
            infiltration,
            sources: None,
            wetness: Wetness::new(&grid, settings.drying)?,
            still_level,
            initial: 0.0,
            sponge_volume: [CompensatedSum::default(); 2],
            held: 0.0,
            rate: 0.0,
            grid,
            settings,
            bed,
            bed_change: BedChange::new(0.0, 0.0),
            now,
            sides,
        };
        // The ledger and the wetness at t = 0
        water.measure();
        water.initial = water.held;
        water.update_wetness(0.0);
        Ok(water)
    }

    /// The same with sources.
    pub fn with_sources(self, sources: HeightFieldSources) -> ShallowWater {
        ShallowWater { sources: Some(sources), ..self }
    }

    /// The cells.
    pub fn grid(&self) -> &Grid<2> {
        &self.grid
    }

    /// Depth of the water in a cell, in metres.
    ///
    /// # Panics
    /// When there is no such cell.
    pub fn depth_in(&self, cell: [usize; 2]) -> f64 {
        self.now[0][cell]
    }

    /// Specific discharge (q_x, q_y) = h u in a cell, in m²/s.
    ///
    /// # Panics
    /// When there is no such cell.
    pub fn discharge_in(&self, cell: [usize; 2]) -> [f64; 2] {
        [self.now[1][cell], self.now[2][cell]]
    }

    /// Computes volume and rate by a pass over all cells, after something else than a stage has changed the state.
    pub(super) fn measure(&mut self) {
        let [depth, flow_x, flow_y] = &self.now;
        let (per_metre, gravity, dry) = (per_metre(&self.grid), self.settings.gravity, self.settings.dry);
        par::for_each_chunk(&mut self.stage_totals.rows, 8, |first, rows| {
            for (row, sums) in (first..).zip(rows) {
                let at = [0, row as isize];
                *sums = measure([depth.row(at), flow_x.row(at), flow_y.row(at)], gravity, dry, per_metre);
            }
        });
        self.store_totals(self.totals());
    }

    /// The sums of all rows, added in their order.
    pub(super) fn totals(&self) -> RowSums {
        let mut depth = CompensatedSum::default();
        let mut all = RowSums::default();
        for row in &self.stage_totals.rows {
            depth.add(row.depth);
            all.add(row);
        }
        RowSums { depth: depth.value(), ..all }
    }

    /// Stores volume and rate.
    pub(super) fn store_totals(&mut self, totals: RowSums) {
        self.held = totals.depth * self.grid.cell_measure();
        self.rate = totals.rate;
    }

    /// The volume ledger: held = initial + inflow − outflow.
    pub(super) fn ledger(&self) -> Volume {
        let from_sources =
            self.sources.as_ref().map_or([0.0; 2], |sources| [sources.inflow(), sources.outflow()]);
        let infiltrated = self.infiltration.as_ref().map_or(0.0, Infiltration::volume);
        Volume {
            held: self.held,
            initial: self.initial,
            inflow: self.sides.inflow.value() + self.sponge_volume[0].value() + from_sources[0],
            outflow: self.sides.outflow.value()
                + self.sponge_volume[1].value()
                + from_sources[1]
                + infiltrated,
            prescribed: 0.0,
        }
    }
}

/// 1/Δx and 1/Δy; the latter zero for a single row, which has no fluxes along y.
pub(super) fn per_metre(grid: &Grid<2>) -> [f64; 2] {
    let [x, y] = grid.spacing().map(|spacing| 1.0 / spacing);
    [x, if grid.cells()[1] > 1 { y } else { 0.0 }]
}
