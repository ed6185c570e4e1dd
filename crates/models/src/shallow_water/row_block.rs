//! A stage over a block of rows, in one sweep: each kernel of the scheme works on a row as soon as the rows that it reads
//! are complete, while they are in cache.
//!
//! At row r the sweep runs, in this order,
//!
//! ```text
//! load_row        W = (h, η, u, v) of row r + 1
//! reconstruct_x   edge states W ∓ ½ σ_x of row r, and its slope term g h σ_η along x
//! solve_riemann_x F_{i+½} of row r
//! reconstruct_y   edge states W ∓ ½ σ_y of row r, and its slope term along y
//! solve_riemann_y G_{r−½}, between the rows r − 1 and r
//! limit           positivity limiter on F of row r − 1 and on G_{r−3/2}
//! update          U of row r − 2, whose fluxes are now final
//! ```
//!
//! Rows beside the block are computed by both blocks that need them, to the same bits, so blocks and tiles are
//! independent of each other.

use std::ops::Range;

use undine_grid::{Field, Grid, simd};

use super::boundary::{extrapolate_cell, extrapolate_row, set_high_side_flux, set_low_side_flux};
use super::exterior_state::ExteriorState;
use super::reconstruct::reconstruct;
use super::riemann::solve_riemann;
use super::tile::{BLANK, CellRow, EdgeRow, FluxRow, HALO, LANES, TILE, TileRow};
use super::update::{RowFluxes, RowSums, StageParameters, load_primitives, positivity_factors, update};

/// Inputs of a stage.
#[derive(Clone, Copy)]
pub(super) struct StageInput<'a> {
    pub stage: StageParameters,
    pub grid: Grid<2>,
    /// U = (h, q_x, q_y), ghosts filled.
    pub state: [&'a Field<f64, 2>; 3],
    pub bed: &'a Field<f64, 2>,
    /// Exterior states west, east, south and north; none at walls and periodic sides, which ghost cells describe.
    pub exterior: [Option<&'a [ExteriorState]>; 4],
}

/// Outputs of a stage for a block of rows.
pub(super) struct RowBlock<'a> {
    pub rows: Range<usize>,
    /// U; from the first sample of the first row on, rows `pitch` apart.
    pub state: [&'a mut [f64]; 3],
    pub pitch: usize,
    pub sums: &'a mut [RowSums],
    /// Mass flux inwards through the west and east face of each row.
    pub boundary_flux: [&'a mut [f64]; 2],
    /// Mass flux inwards through the south faces, in the first block, and the north faces, in the last.
    pub south: Option<&'a mut [f64]>,
    pub north: Option<&'a mut [f64]>,
}

/// Rows of the window: as many as the sweep looks back.
const WINDOW_ROWS: usize = 4;

/// The rows of a tile that the sweep is working on, as ring buffers indexed by [`slot`].
struct RowWindow {
    cells: [CellRow; WINDOW_ROWS],
    west: EdgeRow,
    east: EdgeRow,
    south: EdgeRow,
    /// Of this row and of the one before.
    north: [EdgeRow; 2],
    /// F_{i+½} of each row, and G between each row and the one before.
    x_fluxes: [FluxRow; WINDOW_ROWS],
    y_fluxes: [FluxRow; WINDOW_ROWS],
    /// Slope terms g h σ_η.
    slope_x: [TileRow; WINDOW_ROWS],
    slope_y: [TileRow; WINDOW_ROWS],
    /// Factors r of the positivity limiter, valid where a row is limited.
    factor: [TileRow; WINDOW_ROWS],
    is_limited: [bool; WINDOW_ROWS],
    /// The two outermost rows inside a side.
    inside: [CellRow; 2],
    /// Temporary values of a kernel.
    scratch: [TileRow; 2],
}

impl RowWindow {
    const BLANK: RowWindow = RowWindow {
        cells: [CellRow::BLANK; WINDOW_ROWS],
        west: EdgeRow::BLANK,
        east: EdgeRow::BLANK,
        south: EdgeRow::BLANK,
        north: [EdgeRow::BLANK; 2],
        x_fluxes: [FluxRow::BLANK; WINDOW_ROWS],
        y_fluxes: [FluxRow::BLANK; WINDOW_ROWS],
        slope_x: [BLANK; WINDOW_ROWS],
        slope_y: [BLANK; WINDOW_ROWS],
        factor: [BLANK; WINDOW_ROWS],
        is_limited: [false; WINDOW_ROWS],
        inside: [CellRow::BLANK; 2],
        scratch: [BLANK; 2],
    };
}

/// The slot of a row in the ring buffers.
#[inline(always)]
fn slot(row: isize) -> usize {
    row.rem_euclid(WINDOW_ROWS as isize) as usize
}

/// Advances a block with the widest vector instructions of this machine. Every variant gives the same bits.
pub(super) fn advance(input: &StageInput<'_>, block: &mut RowBlock<'_>) {
    simd::dispatch(
        #[inline(always)]
        || sweep(input, block),
    );
}

/// Sweeps over the block, one tile of columns after another.
#[inline(always)]
fn sweep(input: &StageInput<'_>, block: &mut RowBlock<'_>) {
    let [columns, rows] = input.grid.cells();
    let mut window = RowWindow::BLANK;
    block.sums.fill(RowSums::default());
    for first in (0..columns).step_by(TILE) {
        let tile = ColumnTile { input, columns: first..columns.min(first + TILE), total: [columns, rows] };
        if rows == 1 { tile.sweep_single_row(&mut window, block) } else { tile.sweep(&mut window, block) }
    }
}

/// Some columns of the domain.
struct ColumnTile<'a> {
    input: &'a StageInput<'a>,
    columns: Range<usize>,
    /// Columns and rows of the domain.
    total: [usize; 2],
}

impl ColumnTile<'_> {
    /// `count`, padded to full vectors.
    #[inline(always)]
    fn padded(&self, count: usize) -> usize {
        count.next_multiple_of(LANES)
    }

    /// Length of a row, halo included.
    #[inline(always)]
    fn width(&self) -> usize {
        self.columns.len() + 2 * HALO
    }

    /// The sweep of the module's header over the rows of the block and those beside it.
    #[inline(always)]
    fn sweep(&self, window: &mut RowWindow, block: &mut RowBlock<'_>) {
        let (start, end) = (block.rows.start as isize, block.rows.end as isize);
        self.load_row(window, start - 3);
        self.load_row(window, start - 2);
        for row in start - 2..end + 2 {
            self.load_row(window, row + 1);
            if (start - 1..=end).contains(&row) {
                self.reconstruct_x(window, row);
                self.solve_riemann_x(window, row);
            }
            self.reconstruct_y(window, row);
            self.solve_riemann_y(window, row);
            if row >= start {
                self.limit(window, row - 1, start);
            }
            if row > start + 1 {
                self.update(window, row - 2, block);
            }
        }
    }

    /// The sweep over a domain of one row, which has no faces normal to y.
    #[inline(always)]
    fn sweep_single_row(&self, window: &mut RowWindow, block: &mut RowBlock<'_>) {
        self.load_row(window, 0);
        self.reconstruct_x(window, 0);
        self.solve_riemann_x(window, 0);
        self.limit(window, 0, 0);
        self.update(window, 0, block);
    }

    /// W of a row, from the stored state or, beyond a south or north side with exterior states, by extrapolation.
    #[inline(always)]
    fn load_row(&self, window: &mut RowWindow, row: isize) {
        let [.., south, north] = self.input.exterior;
        let [_, rows] = self.total.map(|count| count as isize);
        let inwards = match row {
            -1 if south.is_some() => 1,
            _ if row == rows && north.is_some() => -1,
            _ => 0,
        };
        if inwards == 0 || rows < 2 {
            return self.load_cells(row, &mut window.cells[slot(row)]);
        }
        let RowWindow { cells, inside, .. } = window;
        for (distance, inside) in (1..).zip(inside.iter_mut()) {
            self.load_cells(row + inwards * distance, inside);
        }
        extrapolate_row(inside, &mut cells[slot(row)], inwards as f64, self.input.stage.gravity);
    }

    /// W of a row from the stored state; the cells beyond a west or east side with exterior states by extrapolation.
    #[inline(always)]
    fn load_cells(&self, row: isize, cells: &mut CellRow) {
        let from = [self.columns.start as isize - HALO as isize, row];
        let StageInput { state: [depth, flow_x, flow_y], bed, stage, .. } = self.input;
        let stored = [depth, flow_x, flow_y, bed].map(|field| field.run(from, self.width()));
        load_primitives(stored, stage.dry, cells);
        let [west, east, ..] = self.input.exterior;
        let [columns, _] = self.total;
        if west.is_some() && self.columns.start == 0 && columns >= 2 {
            extrapolate_cell(cells, HALO - 1, [HALO, HALO + 1], 1.0, stage.gravity);
        }
        if east.is_some() && self.columns.end == columns && columns >= 2 {
            let last = self.width() - HALO - 1;
            extrapolate_cell(cells, last + 1, [last, last - 1], -1.0, stage.gravity);
        }
    }

    /// MUSCL along x: W ∓ ½ σ at the west and east edges of a row of cells, and its slope term g h σ_η.
    #[inline(always)]
    fn reconstruct_x(&self, window: &mut RowWindow, row: isize) {
        let stage = &self.input.stage;
        let RowWindow { cells, west, east, slope_x, .. } = window;
        let cells = &cells[slot(row)];
        let count = self.padded(self.width() - 2);
        let stencil = [0, 1, 2].map(|i| cells.along_x(i, i + count));
        reconstruct(stencil, stage.gravity, stage.dry, 1, west, east, &mut slope_x[slot(row)]);
    }

    /// F_{i+½} = HLLC(east edge of i, west edge of i + 1) along a row, and the boundary fluxes west and east.
    #[inline(always)]
    fn solve_riemann_x(&self, window: &mut RowWindow, row: isize) {
        let gravity = self.input.stage.gravity;
        let RowWindow { west, east, x_fluxes, .. } = window;
        let fluxes = &mut x_fluxes[slot(row)];
        let count = self.padded(self.width() - 3);
        solve_riemann(east.slice(1, 1 + count), west.slice(2, 2 + count), gravity, 2, fluxes);
        if (0..self.total[1] as isize).contains(&row) {
            self.set_west_and_east_flux(row as usize, west, east, fluxes);
        }
    }

    /// Fluxes through the faces on the west and east side, where these have exterior states.
    #[inline(always)]
    fn set_west_and_east_flux(&self, row: usize, west: &EdgeRow, east: &EdgeRow, fluxes: &mut FluxRow) {
        let [west_side, east_side, ..] = self.input.exterior;
        if let Some(exterior) = west_side.filter(|_| self.columns.start == 0) {
            set_low_side_flux(exterior[row], west, HALO, self.input.stage.gravity, fluxes);
        }
        if let Some(exterior) = east_side.filter(|_| self.columns.end == self.total[0]) {
            set_high_side_flux(exterior[row], east, self.width() - HALO, 1, self.input.stage.gravity, fluxes);
        }
    }

    /// MUSCL along y: W ∓ ½ σ at the south and north edges of a row of cells, and its slope term g h σ_η.
    #[inline(always)]
    fn reconstruct_y(&self, window: &mut RowWindow, row: isize) {
        let stage = &self.input.stage;
        let RowWindow { cells, south, north, slope_y, .. } = window;
        let [_, north] = row_pair(north, row);
        let end = 2 + self.padded(self.width() - 4);
        let slice = |row: isize| cells[slot(row)].along_y(2, end);
        let stencil = [slice(row - 1), slice(row), slice(row + 1)];
        reconstruct(stencil, stage.gravity, stage.dry, 2, south, north, &mut slope_y[slot(row)]);
    }

    /// G_{r−½} = HLLC(north edge of r − 1, south edge of r), and the boundary fluxes south and north.
    #[inline(always)]
    fn solve_riemann_y(&self, window: &mut RowWindow, row: isize) {
        let gravity = self.input.stage.gravity;
        let RowWindow { south, north, y_fluxes, .. } = window;
        let [before, _] = row_pair(north, row);
        let end = 2 + self.padded(self.width() - 4);
        let fluxes = &mut y_fluxes[slot(row)];
        solve_riemann(before.slice(2, end), south.slice(2, end), gravity, 2, fluxes);

        // Faces on a side with exterior states
        let [.., south_side, north_side] = self.input.exterior;
        if let Some(exterior) = south_side.filter(|_| row == 0) {
            for (i, column) in (HALO..).zip(self.columns.clone()) {
                set_low_side_flux(exterior[column], south, i, gravity, fluxes);
            }
        }
        if let Some(exterior) = north_side.filter(|_| row == self.total[1] as isize) {
            for (i, column) in (HALO..).zip(self.columns.clone()) {
                set_high_side_flux(exterior[column], before, i, 0, gravity, fluxes);
            }
        }
    }

    /// Positivity limiter: scales the fluxes out of a cell by r = min(1, h/(dt Σ outgoing fluxes)) so that depth stays
    /// ≥ 0. Acts on F of this row, and on G between it and the row before, whose r are both known now.
    #[inline(always)]
    fn limit(&self, window: &mut RowWindow, row: isize, start: isize) {
        // r of this row, and its fluxes along x
        let width = self.width();
        let RowWindow { cells, x_fluxes, y_fluxes, factor, is_limited, scratch: [scratch, _], .. } = window;
        let [south, north] = [&y_fluxes[slot(row)], &y_fluxes[slot(row + 1)]];
        let (depth, own) = (&cells[slot(row)].depth, &mut factor[slot(row)]);
        let x_fluxes = &mut x_fluxes[slot(row)];
        let range = [2, 2 + self.padded(width - 4)];
        let is_own_limited = !self.is_exterior(row)
            && positivity_factors(&self.input.stage, depth, x_fluxes, [south, north], range, [scratch, own]);
        is_limited[slot(row)] = is_own_limited;
        if is_own_limited {
            self.exempt_exterior(own);
            x_fluxes.scale(3, width - 2, |mass, face| if mass > 0.0 { own[face - 1] } else { own[face] });
        }
        if row < start || !(is_own_limited || is_limited[slot(row - 1)]) {
            return;
        }
        // Fluxes between this row and the one before, by r of the upwind cell
        for row in [row - 1, row] {
            if !is_limited[slot(row)] {
                factor[slot(row)].fill(1.0);
            }
        }
        let [below, own] = [&factor[slot(row - 1)], &factor[slot(row)]];
        let fluxes = &mut y_fluxes[slot(row)];
        fluxes.scale(3, width - 3, |mass, face| if mass > 0.0 { below[face] } else { own[face] });
    }

    /// Whether a row lies beyond a side with exterior states; the limiter does not apply to it.
    #[inline(always)]
    fn is_exterior(&self, row: isize) -> bool {
        let [.., south, north] = self.input.exterior;
        (row < 0 && south.is_some()) || (row >= self.total[1] as isize && north.is_some())
    }

    /// r = 1 for the cells beyond a west or east side with exterior states.
    #[inline(always)]
    fn exempt_exterior(&self, factor: &mut TileRow) {
        let [west, east, ..] = self.input.exterior;
        if west.is_some() && self.columns.start == 0 {
            factor[HALO - 1] = 1.0;
        }
        if east.is_some() && self.columns.end == self.total[0] {
            factor[self.width() - HALO] = 1.0;
        }
    }

    /// Conservative update of a row whose fluxes are final: U − dt (div F + slope terms), then friction and averaging.
    #[inline(always)]
    fn update(&self, window: &mut RowWindow, row: isize, block: &mut RowBlock<'_>) {
        // The fluxes around the row, its stored state and where the result goes
        let (width, count) = (self.width(), self.columns.len());
        let RowWindow { cells, x_fluxes, y_fluxes, slope_x, slope_y, scratch, .. } = window;
        let fluxes = RowFluxes {
            x_faces: &x_fluxes[slot(row)],
            south: &y_fluxes[slot(row)],
            north: &y_fluxes[slot(row + 1)],
            slope_x: &slope_x[slot(row)],
            slope_y: &slope_y[slot(row)],
        };
        let local = row as usize - block.rows.start;
        let from = [self.columns.start as isize, row];
        let state = self.input.state;
        let stored = [state[0].run(from, count), state[1].run(from, count), state[2].run(from, count)];
        let first = local * block.pitch + self.columns.start;
        let [depth, flow_x, flow_y] = &mut block.state;
        let into = [
            &mut depth[first..first + count],
            &mut flow_x[first..first + count],
            &mut flow_y[first..first + count],
        ];
        // One kernel each with and without friction, for the first and the second stage
        let stage = &self.input.stage;
        let cells = &cells[slot(row)];
        let sums = match (stage.friction.is_none(), stage.is_second) {
            (true, false) => {
                update::<false, false>(stage, cells, stored, &fluxes, HALO, into, scratch.each_mut())
            }
            (true, true) => {
                update::<false, true>(stage, cells, stored, &fluxes, HALO, into, scratch.each_mut())
            }
            (false, false) => {
                update::<true, false>(stage, cells, stored, &fluxes, HALO, into, scratch.each_mut())
            }
            (false, true) => {
                update::<true, true>(stage, cells, stored, &fluxes, HALO, into, scratch.each_mut())
            }
        };
        block.sums[local].add(&sums);
        self.record_boundary_flux(&fluxes, row as usize, width, block);
    }

    /// Writes the mass flux inwards through the faces on the sides, for the volume ledger.
    #[inline(always)]
    fn record_boundary_flux(
        &self,
        fluxes: &RowFluxes<'_>,
        row: usize,
        width: usize,
        block: &mut RowBlock<'_>,
    ) {
        let local = row - block.rows.start;
        if self.columns.start == 0 {
            block.boundary_flux[0][local] = fluxes.x_faces.mass[HALO];
        }
        if self.columns.end == self.total[0] {
            block.boundary_flux[1][local] = -fluxes.x_faces.mass[width - HALO];
        }
        if let Some(south) = block.south.as_mut().filter(|_| row == 0) {
            south[self.columns.clone()].copy_from_slice(&fluxes.south.mass[HALO..width - HALO]);
        }
        if let Some(north) = block.north.as_mut().filter(|_| row + 1 == self.total[1]) {
            let out = &fluxes.north.mass[HALO..width - HALO];
            north[self.columns.clone()].iter_mut().zip(out).for_each(|(inward, out)| *inward = -out);
        }
    }
}

/// The edges of the row before and of this one.
#[inline(always)]
fn row_pair(edges: &mut [EdgeRow; 2], row: isize) -> [&mut EdgeRow; 2] {
    let [even, odd] = edges;
    if row % 2 == 0 { [odd, even] } else { [even, odd] }
}
