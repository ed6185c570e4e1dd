//! The water: its state, and one step of it.

use undine_grid::{BoundaryError, Field, FieldError, Grid, fill_ghosts, par};
use undine_sim::{Phases, Step, StepError, Volume, World};

use super::band::Input;
use super::friction::Friction;
use super::infiltration::Infiltration;
use super::settings::Settings;
use super::sides::Sides;
use super::sponge::Sponge;
use super::sweep::{self, Record};
use super::update::{Found, Stage, measure};
use crate::heightfield::{Land, Receiver, Sources, Span, Tally, Wetness};

/// Water thinner than this, in metres, is a film: it wets the ground and is not drawn.
pub(super) const FILM: f64 = 1e-4;

/// Courant numbers beyond this are not stable; `cfl` stays below it.
const STABLE: f64 = 1.0;

/// Depth and momentum along x and y.
pub(super) type State = [Field<f64, 2>; 3];

/// Shallow water over land, by finite volumes; see the [module](super).
pub struct ShallowWater {
    pub(super) grid: Grid<2>,
    pub(super) settings: Settings,
    pub(super) bed: Field<f64, 2>,
    pub(super) now: State,
    /// The state after the first stage.
    next: State,
    record: Record,
    pub(super) sides: Sides,
    sponge: Option<Sponge>,
    pub(super) infiltration: Option<Infiltration>,
    pub(super) sources: Option<Sources>,
    pub(super) wetness: Wetness,
    pub(super) still_level: f64,
    pub(super) initial: f64,
    /// What sponges have added and taken.
    pub(super) sponged: [Tally; 2],
    pub(super) held: f64,
    /// The greatest (|u| + c)/Δx + (|v| + c)/Δy.
    pub(super) rate: f64,
}

impl ShallowWater {
    /// Water on a given land, with nothing that pours on it.
    ///
    /// ```
    /// use undine_grid::{Condition, Field, Grid, Location};
    /// use undine_models::heightfield::Land;
    /// use undine_models::shallow_water::{Settings, ShallowWater};
    /// use undine_sim::Simulation;
    ///
    /// let grid = Grid::new([100, 1], [0.1, 0.1], [0.0, 0.0])?;
    /// let blank = Field::new(grid, Location::Center, Condition::Open, 3)?;
    /// let mut depth = blank.clone();
    /// depth.set_by_position(|[x, _]| if x < 5.0 { 1.0 } else { 0.2 });
    /// let velocity = [blank.clone(), blank.clone()];
    /// let land = Land { grid, bed: blank, depth, velocity, still_level: 0.0, warnings: Vec::new() };
    /// let dam_break = ShallowWater::new(land, Settings::default())?;
    /// assert!((dam_break.volume().held - 0.6).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(land: Land, settings: Settings) -> Result<ShallowWater, FieldError> {
        let Land { grid, mut bed, depth, velocity: [mut flow_x, mut flow_y], still_level, .. } = land;
        par::rows_each([&mut flow_x, &mut flow_y], |at, [u, v]| {
            let depth = depth.row(at);
            u.iter_mut().zip(depth).for_each(|(u, depth)| *u *= depth);
            v.iter_mut().zip(depth).for_each(|(v, depth)| *v *= depth);
        });
        let mut now = [depth, flow_x, flow_y];
        let sides = Sides::new(settings.borders.clone(), grid, settings.gravity, settings.sea_level);
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
            record: Record::new(grid.cells()),
            sponge: Sponge::new(&settings.borders, &grid),
            infiltration,
            sources: None,
            wetness: Wetness::new(&grid, settings.drying)?,
            still_level,
            initial: 0.0,
            sponged: [Tally::default(); 2],
            held: 0.0,
            rate: 0.0,
            grid,
            settings,
            bed,
            now,
            sides,
        };
        water.measure();
        water.initial = water.held;
        water.wet(0.0);
        Ok(water)
    }

    /// The same water with sources that pour on it.
    pub fn with_sources(self, sources: Sources) -> ShallowWater {
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

    /// Momentum of the water in a cell along x and y, per unit of density and area, in m²/s.
    ///
    /// # Panics
    /// When there is no such cell.
    pub fn discharge_in(&self, cell: [usize; 2]) -> [f64; 2] {
        [self.now[1][cell], self.now[2][cell]]
    }

    /// One step: two stages of the same kind, their mean, and then what pours and seeps.
    pub(super) fn advance(&mut self, dt: f64, world: &World<'_>) -> Result<Step, StepError> {
        if dt * self.rate > STABLE * (1.0 + 1e-9) {
            return Ok(Step::Retry { dt: self.longest_step(self.rate) });
        }
        let mut phases = Phases::default();
        phases.time("sides", || self.sides.look(world.driver, &self.bed));
        phases.time("first stage", || self.run_stage(dt, world.time, false));
        let found = self.found();
        if !found.check.is_finite() || dt * found.rate > STABLE {
            // The state is as it was: the first stage has written beside it
            return Ok(Step::Retry { dt: self.longest_step(found.rate).min(0.5 * dt) });
        }
        self.sides.enter(&self.record.through, 0.5 * dt);
        phases.time("second stage", || self.run_stage(dt, world.time + dt, true));
        self.sides.enter(&self.record.through, 0.5 * dt);
        self.sides.turn();
        self.take(self.found());

        phases.time("sources", || self.pour(dt, world));
        phases.time("wetness", || self.wet(dt));
        self.check_finite()?;
        Ok(Step::Done(phases))
    }

    /// The first stage reads the state and writes beside it; the second reads that, and ends in the state.
    fn run_stage(&mut self, dt: f64, time: f64, is_second: bool) {
        let (from, into) = match is_second {
            false => (&mut self.now, &mut self.next),
            true => (&mut self.next, &mut self.now),
        };
        from.iter_mut().for_each(fill_ghosts);
        let waves = self.sources.as_ref().map_or(&[][..], Sources::waves);
        self.sides.prepare(time, is_second, &from[0], &self.bed, waves);
        let stage = Stage {
            dt,
            is_second,
            gravity: self.settings.gravity,
            friction: Friction::of(&self.settings),
            dry: self.settings.dry,
            per_metre: per_metre(&self.grid),
        };
        let [depth, flow_x, flow_y] = &*from;
        let state = [depth, flow_x, flow_y];
        let input = Input { stage, grid: self.grid, state, bed: &self.bed, outside: self.sides.outside() };
        sweep::advance(&input, into, &mut self.record);
    }

    /// What pours on the water, what calms it and what seeps away.
    fn pour(&mut self, dt: f64, world: &World<'_>) {
        let mut is_changed = false;
        if let Some(sources) = self.sources.as_mut().filter(|sources| !sources.is_idle()) {
            let span = Span { time: world.time, dt, seed: world.seed };
            sources.act(span, &mut Pool { state: &mut self.now, bed: &self.bed });
            is_changed = true;
        }
        if self.sponge.is_some() {
            self.calm(dt);
            is_changed = true;
        }
        if let Some(infiltration) = self.infiltration.as_mut().filter(|ground| ground.drinks()) {
            infiltration.soak(dt, &mut self.now);
            is_changed = true;
        }
        if is_changed {
            self.measure();
        }
    }

    /// Brings the water in the sponges nearer to rest at the still level.
    fn calm(&mut self, dt: f64) {
        let Some(sponge) = &self.sponge else { return };
        let (area, still) = (self.grid.cell_measure(), self.settings.sea_level.unwrap_or(self.still_level));
        let ([depth, flow_x, flow_y], bed) = (&mut self.now, &self.bed);
        let [added, taken] = &mut self.sponged;
        sponge.each(dt, |cell, share| {
            let before = depth[cell];
            let after = before + share * ((still - bed[cell]).max(0.0) - before);
            (if after > before { &mut *added } else { &mut *taken }).add(area * (after - before).abs());
            depth[cell] = after;
            flow_x[cell] *= 1.0 - share;
            flow_y[cell] *= 1.0 - share;
        });
    }

    /// Wets what is covered, dries the rest.
    pub(super) fn wet(&mut self, dt: f64) {
        let loss = self.wetness.loss(dt);
        let depth = &self.now[0];
        par::rows(self.wetness.field_mut(), |at, wetness| {
            for (wetness, &depth) in wetness.iter_mut().zip(depth.row(at)) {
                *wetness = if depth > FILM { 1.0 } else { (*wetness - loss).max(0.0) };
            }
        });
    }

    /// Sums and speeds by a pass over all cells, after something else than a stage has changed them.
    pub(super) fn measure(&mut self) {
        let [depth, flow_x, flow_y] = &self.now;
        let (per_metre, gravity, dry) = (per_metre(&self.grid), self.settings.gravity, self.settings.dry);
        par::for_each_chunk(&mut self.record.found, 8, |first, rows| {
            for (row, found) in (first..).zip(rows) {
                let at = [0, row as isize];
                *found = measure([depth.row(at), flow_x.row(at), flow_y.row(at)], gravity, dry, per_metre);
            }
        });
        self.take(self.found());
    }

    /// What the last pass found in all rows, summed in their order.
    fn found(&self) -> Found {
        let mut depth = Tally::default();
        let mut all = Found::default();
        for row in &self.record.found {
            depth.add(row.depth);
            all.add(row);
        }
        Found { depth: depth.value(), ..all }
    }

    fn take(&mut self, found: Found) {
        self.held = found.depth * self.grid.cell_measure();
        self.rate = found.rate;
    }

    /// The longest step. A single row gets what a square grid would, half of what is stable: fronts are twice as sharp.
    pub(super) fn longest_step(&self, rate: f64) -> f64 {
        let axes = if self.grid.cells()[1] == 1 { 2.0 } else { 1.0 };
        self.settings.cfl / (axes * rate)
    }

    fn check_finite(&self) -> Result<(), StepError> {
        if self.held.is_finite() && self.rate.is_finite() {
            return Ok(());
        }
        let names = ["depth", "momentum along x", "momentum along y"];
        let broken = self.now.iter().zip(names).find_map(|(field, name)| {
            let cell = field.iter().find(|(_, value)| !value.is_finite())?.0;
            Some(StepError::NotFinite { field: name, cell: [cell[0], cell[1], 0] })
        });
        Err(broken.unwrap_or_else(|| StepError::Failed("the water has grown beyond all numbers".into())))
    }

    /// The ledger.
    pub(super) fn ledger(&self) -> Volume {
        let poured = self.sources.as_ref().map_or([0.0; 2], |sources| [sources.inflow(), sources.outflow()]);
        let soaked = self.infiltration.as_ref().map_or(0.0, Infiltration::volume);
        Volume {
            held: self.held,
            initial: self.initial,
            inflow: self.sides.inflow.value() + self.sponged[0].value() + poured[0],
            outflow: self.sides.outflow.value() + self.sponged[1].value() + poured[1] + soaked,
            prescribed: 0.0,
        }
    }
}

/// 1/Δx and 1/Δy; a single row has no way along y.
fn per_metre(grid: &Grid<2>) -> [f64; 2] {
    let [x, y] = grid.spacing().map(|spacing| 1.0 / spacing);
    [x, if grid.cells()[1] > 1 { y } else { 0.0 }]
}

/// The water as sources see it.
struct Pool<'a> {
    state: &'a mut State,
    bed: &'a Field<f64, 2>,
}

impl Receiver for Pool<'_> {
    fn level(&self, cell: [usize; 2]) -> f64 {
        self.state[0][cell] + self.bed[cell]
    }

    /// Water that is poured in is at rest; water that is drawn off takes its momentum along.
    fn add(&mut self, cell: [usize; 2], depth: f64) -> f64 {
        let before = self.state[0][cell];
        let after = (before + depth).max(0.0);
        if after < before {
            let share = after / before;
            self.state[1][cell] *= share;
            self.state[2][cell] *= share;
        }
        self.state[0][cell] = after;
        after - before
    }
}
