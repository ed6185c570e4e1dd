//! The level of the water in every column of cells: the tracked surface in its topmost Surface cell.

use super::cells::{Cells, is_fluid};
use super::surface::TrackedSurface;
use undine_frame::CellKind;

/// Levels of columns, x fastest; not a number in a column without water.
#[derive(Debug, Clone, Default)]
pub(super) struct ColumnLevels {
    columns: [usize; 2],
    levels: Vec<f64>,
}

impl ColumnLevels {
    /// Measures all columns.
    pub fn measure<const D: usize>(&mut self, cells: &Cells<D>, surface: &TrackedSurface<D>) {
        let size = cells.grid().cells();
        self.columns = [size[0], if D == 3 { size[1] } else { 1 }];
        let count = self.columns[0] * self.columns[1];
        self.levels.clear();
        self.levels.resize(count, f64::NAN);
        for column in 0..count {
            self.levels[column] = level(cells, surface, column);
        }
    }

    /// The level of a column and its slopes along x and y, one-sided beside columns without water.
    pub fn at(&self, column: [usize; 2], spacing: [f64; 2]) -> (f64, [f64; 2]) {
        let [width, depth] = self.columns;
        let here = self.levels[column[0] + width * column[1]];
        let level = |at: [isize; 2]| {
            let is_inside = (0..width as isize).contains(&at[0]) && (0..depth as isize).contains(&at[1]);
            let level =
                if is_inside { self.levels[at[0] as usize + width * at[1] as usize] } else { f64::NAN };
            (!level.is_nan()).then_some(level)
        };
        let at = column.map(|i| i as isize);
        let slope = |axis: usize| {
            let [low, high] = [-1, 1].map(|by| level(undine_grid::neighbour(at, axis, by)));
            match (low, high) {
                (Some(low), Some(high)) => 0.5 * (high - low) / spacing[axis],
                (Some(low), None) => (here - low) / spacing[axis],
                (None, Some(high)) => (high - here) / spacing[axis],
                (None, None) => 0.0,
            }
        };
        (here, [slope(0), slope(1)])
    }
}

/// The level of a column; not a number without water.
pub(super) fn level<const D: usize>(cells: &Cells<D>, surface: &TrackedSurface<D>, column: usize) -> f64 {
    let (size, grid) = (cells.grid().cells(), cells.grid());
    let mut cell = [0; D];
    cell[0] = column % size[0];
    if D == 3 {
        cell[1] = column / size[0];
    }
    for row in (0..size[D - 1]).rev() {
        cell[D - 1] = row;
        let kind = cells.kinds()[cells.index(cell)];
        if is_fluid(kind) {
            let centre = grid.centre(cell.map(|i| i as isize))[D - 1];
            let is_open =
                cells.kind(undine_grid::neighbour(cell.map(|i| i as isize), D - 1, 1)) == CellKind::Empty;
            return match is_open {
                true => centre + surface.interface(cells, cell, D - 1, true),
                false => centre + 0.5 * grid.spacing()[D - 1],
            };
        }
    }
    f64::NAN
}
