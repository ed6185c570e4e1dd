//! Marker particles: massless points throughout the liquid [foster1996 §4.1], [harlow1965].
//!
//!   dx/dt = u(x)
//!
//! with u by area weighting (fig. 3), and either Euler's step of the paper or the midpoint rule (second order, default).
//! A displacement of a step is at most a cell where eq. 3 holds; longer ones are taken in pieces. At obstacles markers
//! slide along the faces, and never enter them.
//!
//! Cells are labelled as in §4.1: one that holds a marker holds liquid. A hole, an Empty cell with liquid but no Empty
//! cell beside it, comes from markers that have drifted apart; it gets a marker at its centre, and is counted.
//!
//! The surface within a cell is known only as well as markers are dense. In a Surface cell it is taken to lie half a
//! marker spacing beyond its outermost marker in the direction asked for, and the cell's share of liquid is the number of
//! its markers over that of a full cell, at most one. The markers have no effect on the mass: a difference between their
//! volume and the ledger is drift, not a loss.

mod births;
pub mod seeding;
#[cfg(test)]
mod tests;

use std::io;

use undine_frame::CellKind;
use undine_grid::{Grid, par};
use undine_sim::{Reader, Writer};

use super::super::cells::{Cells, is_obstacle};
use super::area_weighting::AreaWeighting;
use super::sliding::slide;
use super::{InflowFaces, SurfaceChange, SurfaceStep};
use births::InflowCounter;

/// Markers per parallel task.
const CHUNK: usize = 2048;

/// Most markers per open cell, as a multiple of the initial density: births beyond it are refused.
const MAX_DENSITY: usize = 4;

/// How markers follow the velocity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkerMotion {
    /// x ← x + Δt u(x), as in the paper.
    Euler,
    /// x ← x + Δt u(x + Δt u(x) / 2).
    Midpoint,
}

/// How markers are seeded and move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MarkerSettings {
    /// Markers in a cell full of liquid (25 in the drop of the paper).
    pub per_cell: usize,
    /// Random displacement, as a share of the marker spacing: 0 is a regular lattice.
    pub jitter: f64,
    pub seed: u64,
    pub motion: MarkerMotion,
}

/// Marker particles.
#[derive(Debug, Clone)]
pub struct Markers<const D: usize> {
    settings: MarkerSettings,
    grid: Grid<D>,
    /// In cells from the lowest corner.
    positions: Vec<[f64; D]>,
    max_markers: usize,
    inflows: Vec<InflowCounter>,
    weighting: AreaWeighting<D>,
    /// Markers per cell.
    counts: Vec<u32>,
    /// The least and greatest offset of the markers of Surface cells, of the last labelling.
    extents: Vec<[[f32; 2]; D]>,
}

impl<const D: usize> Markers<D> {
    /// Markers in the part of the open cells that is `inside` the liquid; it is asked with points in metres.
    pub fn new(cells: &Cells<D>, settings: MarkerSettings, inside: impl Fn([f64; D]) -> bool) -> Self {
        let grid = *cells.grid();
        let settings = MarkerSettings { per_cell: settings.per_cell.max(1), ..settings };
        let open = cells.kinds().iter().filter(|&&kind| !is_obstacle(kind)).count();
        let mut markers = Markers {
            settings,
            grid,
            positions: Vec::with_capacity(open * settings.per_cell),
            max_markers: MAX_DENSITY * open * settings.per_cell,
            inflows: Vec::new(),
            weighting: AreaWeighting::new(grid.cells()),
            counts: vec![0; grid.cell_count()],
            extents: vec![[[0.0; 2]; D]; grid.cell_count()],
        };
        for index in (0..grid.cell_count()).filter(|&index| !is_obstacle(cells.kinds()[index])) {
            markers.seed_cell(cells.cell(index), index, &inside);
        }
        markers.count(cells, &mut SurfaceChange::default());
        markers
    }

    fn seed_cell(&mut self, cell: [usize; D], index: usize, inside: &impl Fn([f64; D]) -> bool) {
        let MarkerSettings { per_cell, jitter, seed, .. } = self.settings;
        for number in 0..per_cell {
            let identity = [seed, (index * per_cell + number) as u64];
            let offset =
                seeding::jittered(seeding::offset::<D>(number, per_cell), per_cell, jitter, identity);
            let point = std::array::from_fn(|axis| cell[axis] as f64 + offset[axis]);
            if inside(to_metres(&self.grid, point)) {
                self.positions.push(point);
            }
        }
    }

    /// The number of markers.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// All markers, in metres.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = [f64; D]> {
        self.positions.iter().map(|&point| to_metres(&self.grid, point))
    }

    /// Moves all markers for a step, removes those that have left, and lets new ones be born at inflows.
    pub fn advance(&mut self, step: &SurfaceStep<'_, D>, inflows: &[InflowFaces<'_, D>]) -> SurfaceChange {
        self.weighting.update(step.cells, step.velocity);
        let (weighting, motion) = (&self.weighting, self.settings.motion);
        par::for_each_chunk(&mut self.positions, CHUNK, |_, chunk| {
            chunk.iter_mut().for_each(|point| *point = destination(*point, step, weighting, motion));
        });
        let mut change = SurfaceChange::default();
        self.count(step.cells, &mut change);
        self.give_birth(step, inflows, &mut change);
        change
    }

    /// Counts the markers of every cell; removes those in outflows, and those in solids.
    fn count(&mut self, cells: &Cells<D>, change: &mut SurfaceChange) {
        let (kinds, counts, grid) = (cells.kinds(), &mut self.counts, &self.grid);
        counts.fill(0);
        self.positions.retain(|&point| match index_of(grid, point) {
            Some(index) if !is_obstacle(kinds[index]) => {
                counts[index] += 1;
                true
            }
            index => {
                let has_left = index.is_some_and(|index| kinds[index] == CellKind::Outflow);
                *(if has_left { &mut change.left } else { &mut change.lost }) += 1;
                false
            }
        });
    }

    /// Labels all cells but obstacles by the markers in them. Answers the number of holes that were refilled.
    pub fn label(&mut self, cells: &mut Cells<D>) -> usize {
        for (index, &count) in self.counts.iter().enumerate() {
            if !is_obstacle(cells.kinds()[index]) {
                cells.set(index, if count > 0 { CellKind::Full } else { CellKind::Empty });
            }
        }
        let holes = self.refill_holes(cells);
        cells.mark_surface();
        self.measure_extents(cells);
        holes
    }

    /// Puts a marker at the centre of every Empty cell that has liquid but no Empty cell beside it.
    fn refill_holes(&mut self, cells: &mut Cells<D>) -> usize {
        let mut holes = 0;
        for index in 0..self.counts.len() {
            if cells.kinds()[index] != CellKind::Empty {
                continue;
            }
            let cell = cells.cell(index);
            let (mut has_liquid, mut has_air) = (false, false);
            for axis in 0..D {
                for high in [false, true] {
                    let kind = cells.beside(index, cell, axis, high);
                    has_air |= kind == CellKind::Empty;
                    has_liquid |= kind == CellKind::Full;
                }
            }
            if has_liquid && !has_air && self.positions.len() < self.max_markers {
                self.positions.push(cell.map(|i| i as f64 + 0.5));
                self.counts[index] = 1;
                cells.set(index, CellKind::Full);
                holes += 1;
            }
        }
        holes
    }

    fn measure_extents(&mut self, cells: &Cells<D>) {
        self.extents.fill([[f32::INFINITY, f32::NEG_INFINITY]; D]);
        for &point in &self.positions {
            let surface = index_of(&self.grid, point).filter(|&i| cells.kinds()[i] == CellKind::Surface);
            let Some(index) = surface else { continue };
            for (axis, [least, greatest]) in self.extents[index].iter_mut().enumerate() {
                let offset = (point[axis] - f64::from(point[axis] as u32)) as f32;
                (*least, *greatest) = (least.min(offset), greatest.max(offset));
            }
        }
    }

    /// Distance from the centre of a Surface cell to the surface, in cells: half a marker spacing beyond the outermost.
    pub fn interface(&self, cells: &Cells<D>, cell: [usize; D], axis: usize, towards_high: bool) -> f64 {
        let [least, greatest] = self.extents[cells.index(cell)][axis];
        let outermost = if towards_high { f64::from(greatest) - 0.5 } else { 0.5 - f64::from(least) };
        let half_spacing = 0.5 * (self.settings.per_cell as f64).powf(-1.0 / D as f64);
        if outermost.is_finite() { outermost + half_spacing } else { 0.5 }
    }

    /// Volume of the Full cells and of the estimated share of the Surface cells.
    pub fn seen_volume(&self, cells: &Cells<D>) -> f64 {
        let full = self.settings.per_cell as f64;
        let share = |(&kind, &count): (&CellKind, &u32)| match kind {
            CellKind::Full => 1.0,
            CellKind::Surface => (f64::from(count) / full).min(1.0),
            _ => 0.0,
        };
        cells.kinds().iter().zip(&self.counts).map(share).sum::<f64>() * self.grid.cell_measure()
    }

    /// Writes the markers and what is due at the inflows.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.records("markers", self.positions.iter().copied())?;
        to.records("births", self.inflows.iter().map(|counter| counter.parts()))
    }

    /// Reads what was written. The cells must be labelled again.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        self.positions.clear();
        from.records("markers", |point| self.positions.push(point))?;
        self.inflows.clear();
        from.records("births", |parts| self.inflows.push(InflowCounter::from_parts(parts)))?;
        // Until they are counted again by the next step, cells are labelled by all of them
        self.counts.fill(0);
        for &point in &self.positions {
            match index_of(&self.grid, point) {
                Some(index) => self.counts[index] += 1,
                None => {
                    return Err(io::Error::new(io::ErrorKind::InvalidData, "a saved marker lies outside"));
                }
            }
        }
        Ok(())
    }
}

/// Where a marker comes to in a step.
#[inline]
fn destination<const D: usize>(
    point: [f64; D],
    step: &SurfaceStep<'_, D>,
    weighting: &AreaWeighting<D>,
    motion: MarkerMotion,
) -> [f64; D] {
    let mut velocity = weighting.velocity(point);
    if motion == MarkerMotion::Midpoint {
        let middle = std::array::from_fn(|axis| point[axis] + 0.5 * step.dt * velocity[axis]);
        velocity = weighting.velocity(middle);
    }
    slide(step.cells, point, velocity.map(|u| u * step.dt), is_blocking)
}

/// Whether markers cannot enter cells of this kind.
fn is_blocking(kind: CellKind) -> bool {
    matches!(kind, CellKind::Solid | CellKind::Inflow)
}

/// Index of the cell that holds a point in cells; `None` beyond the domain.
#[inline]
fn index_of<const D: usize>(grid: &Grid<D>, point: [f64; D]) -> Option<usize> {
    let (mut index, mut stride) = (0, 1);
    for (x, count) in point.into_iter().zip(grid.cells()) {
        if !(x >= 0.0 && x < count as f64) {
            return None;
        }
        index += x as u32 as usize * stride;
        stride *= count;
    }
    Some(index)
}

fn to_metres<const D: usize>(grid: &Grid<D>, point: [f64; D]) -> [f64; D] {
    std::array::from_fn(|axis| grid.origin()[axis] + point[axis] * grid.spacing()[axis])
}
