//! The contents of the cells: Solid, Full, Surface, Empty [foster1996, §3.1], Inflow and Outflow (§3.2.2).

use undine_frame::CellKind;
use undine_grid::Grid;

/// The kind of every cell, x fastest.
#[derive(Debug, Clone)]
pub(super) struct Cells<const D: usize> {
    grid: Grid<D>,
    kinds: Vec<CellKind>,
    /// Distance in `kinds` of neighbours along each axis.
    strides: [usize; D],
}

impl<const D: usize> Cells<D> {
    /// Cells that are all Empty.
    pub fn new(grid: Grid<D>) -> Self {
        let size = grid.cells();
        let strides = std::array::from_fn(|axis| size[..axis].iter().product());
        Cells { kinds: vec![CellKind::Empty; grid.cell_count()], grid, strides }
    }

    /// The grid.
    pub fn grid(&self) -> &Grid<D> {
        &self.grid
    }

    /// All kinds, x fastest.
    pub fn kinds(&self) -> &[CellKind] {
        &self.kinds
    }

    /// Place of a cell in [`Cells::kinds`].
    #[inline]
    pub fn index(&self, cell: [usize; D]) -> usize {
        (0..D).map(|axis| cell[axis] * self.strides[axis]).sum()
    }

    /// Coordinates of the cell at a place in [`Cells::kinds`].
    #[inline]
    pub fn cell(&self, index: usize) -> [usize; D] {
        let (size, mut rest) = (self.grid.cells(), index);
        std::array::from_fn(|axis| {
            let along = if axis + 1 < D { rest % size[axis] } else { rest };
            rest /= size[axis];
            along
        })
    }

    /// Distance in [`Cells::kinds`] of neighbours along each axis.
    pub fn strides(&self) -> [usize; D] {
        self.strides
    }

    /// Whether there is a cell with these coordinates.
    #[inline]
    pub fn contains(&self, cell: [isize; D]) -> bool {
        let size = self.grid.cells();
        (0..D).all(|axis| (0..size[axis] as isize).contains(&cell[axis]))
    }

    /// Kind of a cell; Solid outside of the domain.
    #[inline]
    pub fn kind(&self, cell: [isize; D]) -> CellKind {
        match self.contains(cell) {
            true => self.kinds[self.index(cell.map(|i| i as usize))],
            false => CellKind::Solid,
        }
    }

    /// Kind of the neighbour of a cell on one side; Solid outside of the domain.
    #[inline]
    pub fn beside(&self, index: usize, cell: [usize; D], axis: usize, high: bool) -> CellKind {
        match high {
            true if cell[axis] + 1 < self.grid.cells()[axis] => self.kinds[index + self.strides[axis]],
            false if cell[axis] > 0 => self.kinds[index - self.strides[axis]],
            _ => CellKind::Solid,
        }
    }

    /// Whether a cell holds fluid: Full or Surface.
    #[inline]
    pub fn is_fluid(&self, cell: [isize; D]) -> bool {
        is_fluid(self.kind(cell))
    }

    /// Whether a cell never holds fluid: Solid, Inflow or Outflow.
    #[inline]
    pub fn is_obstacle(&self, cell: [isize; D]) -> bool {
        is_obstacle(self.kind(cell))
    }

    /// Sets the kind of the cell at a place in [`Cells::kinds`].
    #[inline]
    pub fn set(&mut self, index: usize, kind: CellKind) {
        self.kinds[index] = kind;
    }

    /// Makes Surface of every cell of fluid with an Empty neighbour across a face, and Full of the others.
    pub fn mark_surface(&mut self) {
        for index in 0..self.kinds.len() {
            if !is_fluid(self.kinds[index]) {
                continue;
            }
            let cell = self.cell(index);
            let is_open = (0..D).any(|axis| {
                [false, true].iter().any(|&high| self.beside(index, cell, axis, high) == CellKind::Empty)
            });
            self.kinds[index] = if is_open { CellKind::Surface } else { CellKind::Full };
        }
    }
}

/// Whether cells of this kind hold fluid.
#[inline]
pub(super) fn is_fluid(kind: CellKind) -> bool {
    matches!(kind, CellKind::Full | CellKind::Surface)
}

/// Whether the kind of such cells is fixed for a step: Solid, Inflow or Outflow.
#[inline]
pub(super) fn is_obstacle(kind: CellKind) -> bool {
    matches!(kind, CellKind::Solid | CellKind::Inflow | CellKind::Outflow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fluid_beside_empty_is_surface_and_outside_is_solid() {
        let grid = Grid::new([3, 3], [1.0; 2], [0.0; 2]).unwrap();
        let mut cells = Cells::new(grid);
        (0..6).for_each(|index| cells.set(index, CellKind::Full));
        cells.mark_surface();
        assert_eq!(cells.kind([1, 0]), CellKind::Full);
        assert_eq!(cells.kind([1, 1]), CellKind::Surface);
        assert_eq!(cells.kind([1, 2]), CellKind::Empty);
        assert_eq!(cells.kind([-1, 0]), CellKind::Solid);
        assert_eq!(cells.cell(cells.index([2, 1])), [2, 1]);
        // What was Surface is Full again once the air above has gone
        (6..9).for_each(|index| cells.set(index, CellKind::Solid));
        cells.mark_surface();
        assert!(cells.is_obstacle([0, 2]) && cells.kind([1, 1]) == CellKind::Full);
    }
}
