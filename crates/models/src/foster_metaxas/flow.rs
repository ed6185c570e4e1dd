//! Velocity and pressure of the cells, in flat arrays.
//!
//! All arrays have one layer of cells around the grid, which is Solid, and the same strides. A velocity component is stored
//! at the low face of a cell across its axis, so that cell, faces and pressure share one index: the faces of cell i across
//! axis a are i and i + strides[a]. A stencil of a cell of the grid never leaves the arrays.

use undine_frame::CellKind;
use undine_grid::Grid;

use super::cells::{Cells, is_fluid};

/// Strides and sizes of the arrays.
#[derive(Debug, Clone, Copy)]
pub(super) struct PaddedIndex<const D: usize> {
    cells: [usize; D],
    strides: [usize; D],
    length: usize,
}

impl<const D: usize> PaddedIndex<D> {
    /// The arrays of a grid.
    pub fn new(grid: &Grid<D>) -> Self {
        let cells = grid.cells();
        let strides = std::array::from_fn(|axis| cells[..axis].iter().map(|count| count + 2).product());
        PaddedIndex { cells, strides, length: cells.iter().map(|count| count + 2).product() }
    }

    /// Values in an array.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Distance of neighbours along each axis.
    pub fn strides(&self) -> [usize; D] {
        self.strides
    }

    /// Place of a cell.
    #[inline]
    pub fn at(&self, cell: [usize; D]) -> usize {
        (0..D).map(|axis| (cell[axis] + 1) * self.strides[axis]).sum()
    }

    /// Coordinates of the cell at a place; −1 and the number of cells in the layer around the grid.
    #[inline]
    pub fn cell(&self, at: usize) -> [isize; D] {
        let mut rest = at;
        std::array::from_fn(|axis| {
            let count = self.cells[axis] + 2;
            let along = if axis + 1 < D { rest % count } else { rest };
            rest /= count;
            along as isize - 1
        })
    }

    /// Rows of the grid along x: the cell that each begins with.
    pub fn rows(&self) -> impl Iterator<Item = [usize; D]> + use<D> {
        let cells = self.cells;
        let count: usize = cells[1..].iter().product();
        (0..count).map(move |row| {
            let mut rest = row;
            let mut cell = [0; D];
            for axis in 1..D {
                cell[axis] = rest % cells[axis];
                rest /= cells[axis];
            }
            cell
        })
    }
}

/// The state of the flow, and the arrays of a step.
#[derive(Debug, Clone)]
pub(super) struct Flow<const D: usize> {
    pub grid: Grid<D>,
    pub index: PaddedIndex<D>,
    /// u, v, w in m/s.
    pub velocity: [Vec<f64>; D],
    /// ũ, ṽ, w̃ in m/s.
    pub tentative: [Vec<f64>; D],
    /// p/ρ in m²/s².
    pub pressure: Vec<f64>,
    /// Kinds of cells.
    pub kinds: Vec<CellKind>,
    /// Whether a cell and all its neighbours hold fluid.
    pub is_inner: Vec<bool>,
    /// Whether an obstacle drags on the fluid along it; of cells around the grid by their side.
    pub is_no_slip: Vec<bool>,
}

impl<const D: usize> Flow<D> {
    /// A flow at rest in Empty cells.
    pub fn new(grid: Grid<D>) -> Self {
        let index = PaddedIndex::new(&grid);
        let zeros = || vec![0.0; index.length()];
        Flow {
            velocity: std::array::from_fn(|_| zeros()),
            tentative: std::array::from_fn(|_| zeros()),
            pressure: zeros(),
            kinds: vec![CellKind::Solid; index.length()],
            is_inner: vec![false; index.length()],
            is_no_slip: vec![false; index.length()],
            grid,
            index,
        }
    }

    /// Takes over the kinds of the cells.
    pub fn set_kinds(&mut self, cells: &Cells<D>) {
        let width = self.grid.cells()[0];
        for start in self.index.rows() {
            let (from, to) = (cells.index(start), self.index.at(start));
            self.kinds[to..to + width].copy_from_slice(&cells.kinds()[from..from + width]);
        }
        let strides = self.index.strides();
        for start in self.index.rows() {
            let first = self.index.at(start);
            for at in first..first + width {
                let is_inner = is_fluid(self.kinds[at])
                    && strides.iter().all(|s| is_fluid(self.kinds[at - s]) && is_fluid(self.kinds[at + s]));
                self.is_inner[at] = is_inner;
            }
        }
    }

    /// 1/δ along each axis.
    pub fn inverse_spacing(&self) -> [f64; D] {
        self.grid.spacing().map(f64::recip)
    }

    /// D of eq. (5) of a cell for one of the velocities: the volume per second and volume of cell that flows in.
    #[inline]
    pub fn missing_mass(velocity: &[Vec<f64>; D], at: usize, strides: [usize; D], inverse: [f64; D]) -> f64 {
        -(0..D).map(|a| (velocity[a][at + strides[a]] - velocity[a][at]) * inverse[a]).sum::<f64>()
    }
}
