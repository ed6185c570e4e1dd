//! Curves: a single row of columns, whose pipes may be stacked, and whose regions the thesis' manager may keep.

use std::io;

use undine_frame::RegionState;
use undine_scene::{Absent, Key, SceneErrors, Values};
use undine_sim::{Reader, Writer};

use super::pipe_set::PipeSet;
use super::settings::{Border, PipeArea, Settings};
use super::stacked_pipes::{self, PipeEnds, PipePhysics, StackedPipes};
use super::thesis::{
    ClassThresholds, CurvePipes, Lattice, RegionKind, StepCounts, StepPhysics, ThesisConstants, ThesisManager,
};
use super::units::{CEILING, Units};
use super::water::{FILM, Pipes};

/// The keys of stacked pipes and of the thesis' manager, in the order in which `settings::KEYS` lists them.
pub(super) const CURVE_KEYS: [Key; 6] = [
    Key::number("cell_height")
        .unit("m")
        .optional("a single pipe from column to column")
        .positive_to(1e4)
        .help("of a curve: height of the cells of its columns; each pair of neighbouring cells that overlap has a pipe"),
    Key::integer("cells")
        .default(Absent::Integer(8))
        .within(1.0, 1024.0)
        .help("of a curve with cells: how many a column has; the uppermost one is open upwards"),
    Key::number("flat_tolerance")
        .unit("m")
        .optional("a 200th of a column's width")
        .within(0.0, 1e4)
        .help("of the manager `thesis`: C_tolerance, the step from column to column that still counts as flat"),
    Key::number("stable_flow")
        .unit("m³/s")
        .or(0.01)
        .within(0.0, 1e6)
        .help("of the manager `thesis`: C_stable, the mean net flow below which a region is no longer simulated"),
    Key::integer("stable_samples")
        .default(Absent::Integer(64))
        .within(1.0, 4096.0)
        .help("of the manager `thesis`: n_samples, the steps over which the net flow of a region is averaged"),
    Key::number("fall_spread")
        .or(0.2)
        .within(0.0, 1.0)
        .help("C_xsply, by how much the speed with which a waterfall leaves its lip varies to either side"),
];

/// What a curve has beside its columns and pipes.
#[derive(Debug, Clone)]
pub(super) struct Curve {
    stack: StackedPipes,
    /// Height of a cell in metres, and how many a column has.
    cell_height: f64,
    cells: usize,
    pub manager: Option<ThesisManager>,
}

impl Curve {
    /// The stacked pipes and the manager that a section asks for; `None` where it asks for neither.
    pub fn read(
        values: &Values,
        settings: &mut Settings,
        units: &Units,
        spacing: [f64; 2],
        bed: &[i32],
    ) -> Result<Option<Curve>, SceneErrors> {
        let is_managed = values.word("manager") == "thesis";
        let given = values.number_if("cell_height");
        if !values.flag("curve") {
            let key = if is_managed { "manager" } else { "cell_height" };
            let refused = |what| values.problem(key, what, "set `curve = true`").into();
            return match (is_managed, given) {
                (true, _) => Err(refused("the thesis' manager knows a single row of columns only")),
                (_, Some(_)) => Err(refused("only the columns of a curve have cells")),
                _ => Ok(None),
            };
        }
        if given.is_none() && !is_managed {
            return Ok(None);
        }
        let cells = if given.is_some() { values.integer("cells").max(1) as usize } else { 1 };
        let cell_height = match (given, settings.area) {
            (Some(height), _) => height,
            (None, PipeArea::Constant(depth)) => depth,
            (None, PipeArea::Wet) => spacing[0],
        };
        // The depth by which the step is limited
        if let PipeArea::Constant(depth) = &mut settings.area {
            *depth = cell_height * cells as f64;
        }
        let mut curve = Curve { stack: StackedPipes::default(), cell_height, cells, manager: None };
        curve.lay(bed, units);
        if is_managed {
            let lattice = Lattice { columns: bed.len(), rows: 1 };
            let [west, east] = [0, 1].map(|side| settings.borders[side] == Border::Open);
            let constants = constants(values, settings, units, spacing[0]);
            curve.manager = Some(ThesisManager::new(lattice, constants, [east, west, false, false]));
        }
        Ok(Some(curve))
    }

    /// The push of a drop that lands in a column: its impulse per area E Δt, as E Δt/ρ in m²/s, accelerates the water in all
    /// pipes away from the column by E Δt/(ρ l), the pressure term of eq. (4.6). Stable regions take no part.
    pub fn push(&mut self, column: usize, impulse: f64, length: f64) {
        let is_idle = |column: usize| {
            let region = self.manager.as_ref().and_then(|manager| manager.region_at(column));
            region.is_some_and(|(_, is_stable)| is_stable)
        };
        let change = impulse / length;
        if !change.is_finite() || is_idle(column) {
            return;
        }
        self.stack.push(column, change);
        if let Some(before) = column.checked_sub(1) {
            self.stack.push(before, -change);
        }
    }

    /// Lays the pipes anew over a bed in its units.
    fn lay(&mut self, bed: &[i32], units: &Units) {
        let height = (self.cell_height / units.unit()).round().clamp(1.0, f64::from(CEILING));
        self.stack = StackedPipes::new(bed, height as i64, self.cells);
    }

    /// Lays the pipes over a bed that has changed; those that stay keep their velocities, and all regions wake.
    fn lay_again(&mut self, bed: &[i32]) {
        self.stack.lay(bed);
        if let Some(manager) = &mut self.manager {
            manager.touch_all();
        }
    }

    /// Writes velocities and regions.
    pub fn save(&self, to: &mut Writer<'_>, bed: &[i32]) -> io::Result<()> {
        self.stack.save(to)?;
        to.integer("hash of the bed", hash(bed))?;
        to.integer("has regions", u64::from(self.manager.is_some()))?;
        self.manager.as_ref().map_or(Ok(()), |manager| manager.save(to))
    }

    /// Reads what [`save`](Curve::save) wrote; over another bed the pipes start at rest.
    pub fn restore(&mut self, from: &mut Reader<'_>, bed: &[i32], units: &Units) -> io::Result<()> {
        self.lay(bed, units);
        self.stack.restore(from)?;
        let is_same_bed = from.integer("hash of the bed")? == hash(bed);
        if (from.integer("has regions")? != 0) != self.manager.is_some() {
            let message = "the saved state of the pipes has another manager";
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        let Some(manager) = &mut self.manager else { return Ok(()) };
        manager.restore(from)?;
        if !is_same_bed {
            manager.touch_all();
        }
        Ok(())
    }
}

/// FNV-1a of the levels of a bed.
fn hash(bed: &[i32]) -> u64 {
    bed.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &level| {
        (hash ^ u64::from(level as u32)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The constants of the thesis in whole units.
fn constants(values: &Values, settings: &Settings, units: &Units, width: f64) -> ThesisConstants {
    let whole = |metres: f64| (metres / units.unit()).round().clamp(0.0, 1e12) as i64;
    ThesisConstants {
        thresholds: ClassThresholds {
            tolerance: whole(values.number_if("flat_tolerance").unwrap_or(width / 200.0)),
            sharp_drop: whole(settings.sharp_drop).max(1),
        },
        stable: values.number("stable_flow"),
        samples: values.integer("stable_samples").max(1) as usize,
        spread: settings.fall_spread,
        drag: settings.drops.drag,
        film: units.depth(FILM),
    }
}

impl Pipes {
    /// Number of columns of the row.
    fn row_length(&self) -> usize {
        self.grid.cells()[0]
    }

    fn stacked_physics(&self, dt: f64) -> PipePhysics {
        PipePhysics {
            dt,
            gravity: self.settings.gravity,
            length: self.grid.spacing()[0],
            delta: self.units.unit(),
            friction: self.settings.friction,
            manning: self.settings.manning,
            froude_cap: self.settings.froude,
            area: match self.settings.area {
                PipeArea::Wet => stacked_pipes::PipeArea::Wetted,
                PipeArea::Constant(_) => stacked_pipes::PipeArea::Constant,
            },
        }
    }

    pub(super) fn region_physics(&self, dt: f64) -> StepPhysics {
        StepPhysics {
            dt,
            gravity: self.settings.gravity,
            delta: self.units.unit(),
            spacing: self.grid.spacing(),
            ceiling: i64::from(CEILING),
        }
    }

    /// Whether the columns of the curve have cells, whose pipes the step is to update.
    pub(super) fn has_cells(&self) -> bool {
        self.curve.as_ref().is_some_and(|curve| curve.manager.is_none())
    }

    /// Whether the thesis' manager keeps the columns.
    pub(super) fn has_regions(&self) -> bool {
        self.curve.as_ref().is_some_and(|curve| curve.manager.is_some())
    }

    /// Flows of the stacked pipes of all faces, and the transfers of this step.
    pub(super) fn update_stacked_flows(&mut self, dt: f64) {
        let (physics, unit, width) = (self.stacked_physics(dt), self.unit_volume(), self.grid.spacing()[1]);
        let length = self.row_length();
        let (Some(curve), Some(set)) = (&mut self.curve, self.sets.first_mut()) else { return };
        let (columns, mut updates) = (&self.columns, 0);
        let tile_len = columns.tiling.tile_len();
        for face in 0..length - 1 {
            let tiles = [face, face + 1].map(|column| column / tile_len);
            if !tiles.into_iter().any(|tile| self.visits.is_awake(tile)) {
                continue;
            }
            // A pipe that its manager has stopped
            if set.values[PipeSet::flow_index(&columns.tiling, face + 1)] == 0.0 {
                curve.stack.stop(face);
            }
            updates += 1;
            let level = [face, face + 1].map(|column| i64::from(columns.level(column)));
            let ends = PipeEnds { level, pressure_head: [0.0; 2] };
            let flow = (width * curve.stack.advance(face, ends, &physics) / unit) as f32;
            let transfer = &mut set.values[PipeSet::flow_index(&columns.tiling, face + 1) + tile_len];
            let carried = *transfer - transfer.round_ties_even();
            // No column is filled above the ceiling
            let [left, right] = [face, face + 1].map(|column| columns.headroom(column) as f32 / 9.0);
            *transfer = (flow * dt as f32 + carried).clamp(-left, right);
            set.values[PipeSet::flow_index(&columns.tiling, face + 1)] = flow;
        }
        self.counts.flow_updates += updates;
    }

    /// Regions, flows and volumes of the curve by the thesis' manager.
    pub(super) fn advance_regions(&mut self, dt: f64) {
        let (pipe_physics, physics) = (self.stacked_physics(dt), self.region_physics(dt));
        let (unit, width, length) = (self.unit_volume(), self.grid.spacing()[1], self.row_length());
        let Some(Curve { stack, manager: Some(manager), .. }) = &mut self.curve else { return };
        let mut pipes = CurvePipes { stack, physics: pipe_physics, width, pressure_head: &[] };
        let (bed, volume) = (&self.columns.bed[..length], &mut self.columns.volume[..length]);
        manager.advance(bed, volume, &mut pipes, &physics);
        // The flows for views
        let set = &mut self.sets[0];
        for face in 0..length - 1 {
            let index = PipeSet::flow_index(&self.columns.tiling, face + 1);
            set.values[index] = (manager.rate(face) / unit) as f32;
        }
        self.measure();
    }

    /// Ends a step of the thesis' manager; what the sides took or gave counts in the net flow of their regions.
    pub(super) fn finish_regions(&mut self, dt: f64) {
        let (physics, length) = (self.region_physics(dt), self.row_length());
        let Some(manager) = self.curve.as_mut().and_then(|curve| curve.manager.as_mut()) else { return };
        // Rain and drops that fell outside all regions
        let (bed, volume) = (&self.columns.bed[..length], &self.columns.volume[..length]);
        manager.cover(super::thesis::Water { bed, volume });
        manager.finish(&physics);
        let counts = manager.counts();
        self.counts = StepCounts { drop_updates: self.counts.drop_updates + counts.drop_updates, ..counts };
    }

    /// Regions around the water that is there at the start.
    pub(super) fn cover_regions(&mut self) {
        let length = self.row_length();
        let Some(manager) = self.curve.as_mut().and_then(|curve| curve.manager.as_mut()) else { return };
        let (bed, volume) = (&self.columns.bed[..length], &self.columns.volume[..length]);
        manager.cover(super::thesis::Water { bed, volume });
    }

    /// Velocity of the water in the stacked pipes between a column and the one before it, in m/s along x.
    pub(super) fn set_stacked_velocity(&mut self, column: usize, velocity: f64) {
        if let (Some(curve), Some(face)) = (&mut self.curve, column.checked_sub(1)) {
            curve.stack.set_velocity(face, velocity);
        }
    }

    /// Lays stacked pipes over a bed that has changed.
    pub(super) fn lay_curve(&mut self) {
        let length = self.row_length();
        if let Some(curve) = &mut self.curve {
            curve.lay_again(&self.columns.bed[..length]);
        }
    }

    /// Writes velocities and regions.
    pub(super) fn save_curve(&self, to: &mut Writer<'_>) -> io::Result<()> {
        let length = self.row_length();
        self.curve.as_ref().map_or(Ok(()), |curve| curve.save(to, &self.columns.bed[..length]))
    }

    /// Reads velocities and regions, over the bed that the water now has.
    pub(super) fn restore_curve(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        let length = self.row_length();
        let Some(curve) = &mut self.curve else { return Ok(()) };
        curve.restore(from, &self.columns.bed[..length], &self.units)
    }

    /// The region of the thesis' manager that holds a column.
    pub(super) fn region_of(&self, column: usize) -> RegionState {
        let manager = self.curve.as_ref().and_then(|curve| curve.manager.as_ref());
        match manager.and_then(|manager| manager.region_at(column)) {
            None => RegionState::None,
            Some((RegionKind::Pooling, false)) => RegionState::Pooling,
            Some((RegionKind::Flowing, false)) => RegionState::Flowing,
            Some((RegionKind::Waterfall, false)) => RegionState::Waterfall,
            Some((RegionKind::Pooling, true)) => RegionState::PoolingAsleep,
            Some((RegionKind::Flowing, true)) => RegionState::FlowingAsleep,
            Some((RegionKind::Waterfall, true)) => RegionState::WaterfallAsleep,
        }
    }

    /// Units that stable regions of the thesis' manager made, or lost when negative.
    pub(super) fn withheld(&self) -> i128 {
        let manager = self.curve.as_ref().and_then(|curve| curve.manager.as_ref());
        manager.map_or(0, ThesisManager::withheld)
    }

    /// Counts a step without regions: the columns of the awake tiles, and the pipes that lead to them.
    pub(super) fn count_unmanaged(&mut self) {
        let tiling = &self.columns.tiling;
        let columns: usize = (0..tiling.count())
            .filter(|tile| self.visits.is_awake(*tile))
            .map(|tile| tiling.extent(tile).map(|range| range.len()).into_iter().product::<usize>())
            .sum();
        if !self.has_cells() {
            self.counts.flow_updates = (self.sets.len() * columns) as u64;
        }
        self.counts.volume_updates = columns as u64;
    }
}
