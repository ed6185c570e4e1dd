//! Values at cell centres, stored by colour as on a chequerboard.
//!
//! A cell is red when the sum of its coordinates is even, else black, so the 2D neighbours of a cell have the other
//! colour. Each colour lies in a field of its own, which is half as wide: cell x of a row is number x / 2 of its colour.
//! A half sweep of Gauss–Seidel then writes one array and reads the other. Nothing is computed in vain, and many threads
//! never touch what another one writes.
//!
//! ```text
//!   natural row      r0 b0 r1 b1 r2 b2        r0 r1 r2     red half
//!   the next row     b0 r0 b1 r1 b2 r2   →    b0 b1 b2     black half
//! ```
//!
//! Values outside the grid are zero, or those of the opposite side where the grid is periodic. On a periodic axis with
//! an odd number of cells two neighbours across the seam share a colour: the ghost then holds what its source was when
//! the half was written, as in Jacobi's method.

use super::PoissonError;
use super::spans::{BlockSpan, row_number};
use crate::boundary::Condition;
use crate::field::Field;
use crate::grid::Grid;
use crate::location::Location;
use crate::par;
use crate::value::Real;

/// One number per cell, red cells and black cells apart.
#[derive(Debug, Clone)]
pub(super) struct Checkered<T, const D: usize> {
    cells: [usize; D],
    pub halves: [Field<T, D>; 2],
}

/// Sum of the coordinates across a row, even (0) or odd (1).
#[inline]
pub(super) fn parity<const D: usize>(row: [isize; D]) -> usize {
    (row[1..].iter().sum::<isize>() & 1) as usize
}

/// Offset of cell i of a colour from 2i in this row: 0 or 1.
#[inline]
pub(super) fn offset<const D: usize>(colour: usize, row: [isize; D]) -> usize {
    (colour + parity(row)) & 1
}

impl<T: Real, const D: usize> Checkered<T, D> {
    /// Zeros.
    pub fn new(cells: [usize; D]) -> Result<Self, PoissonError> {
        let half = half_field(cells)?;
        Ok(Checkered { cells, halves: [half.clone(), half] })
    }

    /// Cells of the natural grid along each axis.
    pub fn cells(&self) -> [usize; D] {
        self.cells
    }

    /// Sets everything to zero.
    pub fn clear(&mut self) {
        self.halves.iter_mut().for_each(|half| half.fill(T::zeroed()));
    }

    /// The value of a cell, or of a ghost one cell outside.
    #[inline]
    pub fn get(&self, at: [isize; D]) -> T {
        let (colour, half_index) = self.locate(at);
        self.halves[colour].at(half_index)
    }

    /// Sets the value of a cell.
    pub fn put(&mut self, at: [isize; D], value: T) {
        let (colour, half_index) = self.locate(at);
        let offset = self.halves[colour].layout().offset(half_index);
        self.halves[colour].storage_mut()[offset] = value;
    }

    /// Colour of a cell and its coordinates in that half.
    #[inline]
    fn locate(&self, mut at: [isize; D]) -> (usize, [isize; D]) {
        let colour = (at.iter().sum::<isize>() & 1) as usize;
        at[0] >>= 1;
        (colour, at)
    }

    /// The colours that hold the even and the odd cells of a row.
    #[inline]
    pub fn even_and_odd(&self, row: [isize; D]) -> [&Field<T, D>; 2] {
        let first = parity(row);
        [&self.halves[first], &self.halves[1 - first]]
    }

    /// Sets every cell: `of_row` is called once per row and returns the value at each x.
    pub fn set<F: Fn(usize) -> T>(&mut self, of_row: impl Fn([isize; D]) -> F + Sync) {
        let width = self.cells[0];
        self.rows(|at, [even, odd]| {
            let value = of_row(at);
            even.iter_mut().enumerate().for_each(|(pair, even)| *even = value(2 * pair));
            odd[..width / 2].iter_mut().enumerate().for_each(|(pair, odd)| *odd = value(2 * pair + 1));
        });
    }

    /// The same within spans; the rest is left as it is.
    pub fn set_within<F: Fn(usize) -> T>(
        &mut self,
        spans: &[BlockSpan],
        of_row: impl Fn([isize; D]) -> F + Sync,
    ) {
        let cells = self.cells;
        self.rows(|at, [even, odd]| {
            let span = spans[row_number(cells, at)];
            if span.is_empty() {
                return;
            }
            let (value, range) = (of_row(at), span.natural(cells[0]));
            let pairs = range.start / 2..;
            let evens = even[..range.end.div_ceil(2)][pairs.clone()].iter_mut();
            evens.zip(pairs.clone()).for_each(|(even, pair)| *even = value(2 * pair));
            let odds = odd[..range.end / 2][pairs.clone()].iter_mut();
            odds.zip(pairs).for_each(|(odd, pair)| *odd = value(2 * pair + 1));
        });
    }

    /// Calls `work` on the even and the odd cells of every row, in parallel. The cell beyond the last of an odd width is
    /// among the odd ones and must be left zero.
    pub fn rows(&mut self, work: impl Fn([isize; D], [&mut [T]; 2]) + Sync) {
        let [red, black] = &mut self.halves;
        par::rows_each([red, black], |at, [red, black]| {
            work(at, if parity(at) == 0 { [red, black] } else { [black, red] });
        });
    }

    /// Copies the values into a field of the same cells.
    pub fn copy_to(&self, field: &mut Field<T, D>) {
        par::rows(field, |at, row| {
            let [even, odd] = self.even_and_odd(at).map(|half| half.row(at));
            let (pairs, last) = row.as_chunks_mut::<2>();
            for ((pair, &even), &odd) in pairs.iter_mut().zip(even).zip(odd) {
                *pair = [even, odd];
            }
            if let [last] = last {
                *last = even[pairs.len()];
            }
        });
    }

    /// Writes the ghosts across periodic axes.
    pub fn wrap(&mut self, periodic: [bool; D]) {
        for axis in 0..D {
            match axis {
                _ if !periodic[axis] => {}
                0 => self.wrap_rows(),
                _ => self.wrap_across(axis),
            }
        }
    }

    /// Writes the ghosts at both ends of every row.
    fn wrap_rows(&mut self) {
        let (layout, width) = (*self.halves[0].layout(), self.cells[0] as isize);
        for row in 0..layout.stored_rows() {
            let Some(at) = layout.row_start(row) else { continue };
            for (ghost, source) in [(-1, width - 1), (width, 0)] {
                let value = self.get(moved(at, 0, source));
                let (colour, half_index) = self.locate(moved(at, 0, ghost));
                let half_index = layout.index(half_index);
                self.halves[colour].storage_mut()[half_index] = value;
            }
        }
    }

    /// Copies whole rows or planes to the opposite side. With an odd number of them the colours change places.
    fn wrap_across(&mut self, axis: usize) {
        let (layout, count) = (*self.halves[0].layout(), self.cells[axis] as isize);
        let lines: usize = (axis + 1..D).map(|later| layout.ghosted(later)).product();
        let (width, apart) = (layout.strides()[axis], layout.strides()[axis] * layout.ghosted(axis));
        for (ghost, source) in [(-1, count - 1), (count, 0)] {
            for line in 0..lines {
                let first = layout.lead() - layout.ghost() + line * apart;
                let [from, to] = [source, ghost].map(|x| first + (x + 1) as usize * width);
                self.copy_run(from, to, width, count & 1 == 1);
            }
        }
    }

    fn copy_run(&mut self, from: usize, to: usize, length: usize, is_crossing: bool) {
        let [red, black] = self.halves.each_mut().map(|half| half.storage_mut());
        if is_crossing {
            red[to..to + length].copy_from_slice(&black[from..from + length]);
            black[to..to + length].copy_from_slice(&red[from..from + length]);
        } else {
            red.copy_within(from..from + length, to);
            black.copy_within(from..from + length, to);
        }
    }
}

/// The samples of a row that is known to exist. Without a check of its coordinates, which would cost measurable time.
#[inline(always)]
pub(super) fn row_of<T: Real, const D: usize>(field: &Field<T, D>, mut at: [isize; D]) -> &[T] {
    at[0] = 0;
    let layout = field.layout();
    let start = layout.index(at);
    &field.storage()[start..start + layout.size()[0]]
}

/// A field for the cells of one colour.
pub(super) fn half_field<T: Real, const D: usize>(
    mut cells: [usize; D],
) -> Result<Field<T, D>, PoissonError> {
    cells[0] = cells[0].div_ceil(2);
    let grid = Grid::new(cells, [1.0; D], [0.0; D])?;
    Ok(Field::new(grid, Location::Center, Condition::Open, 1)?)
}

/// The coordinates with this one along `axis`.
#[inline]
pub(super) fn moved<const D: usize>(mut at: [isize; D], axis: usize, to: isize) -> [isize; D] {
    at[axis] = to;
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered<const D: usize>(cells: [usize; D]) -> (Field<f64, D>, Checkered<f64, D>) {
        let grid = Grid::new(cells, [1.0; D], [0.0; D]).unwrap();
        let mut natural = Field::new(grid, Location::Center, Condition::Periodic, 1).unwrap();
        let dense: Vec<f64> = (1..=natural.len()).map(|n| n as f64).collect();
        natural.copy_from(&dense).unwrap();
        crate::fill_ghosts(&mut natural);
        let mut checkered = Checkered::new(cells).unwrap();
        let natural = &natural;
        checkered.set(|at| move |x| natural.at(moved(at, 0, x as isize)));
        (natural.clone(), checkered)
    }

    #[test]
    fn there_and_back() {
        let (natural, checkered) = numbered([7, 4, 3]);
        let mut back = natural.clone();
        back.fill(0.0);
        checkered.copy_to(&mut back);
        assert_eq!(back.to_dense(), natural.to_dense());
        let (natural, checkered) = numbered([1]);
        assert_eq!(natural[[0]], checkered.get([0]));
    }

    #[test]
    fn ghosts_are_those_of_a_natural_field() {
        for cells in [[4, 6, 2], [5, 4, 3], [3, 3, 3], [1, 2, 1]] {
            let (natural, mut checkered) = numbered(cells);
            checkered.wrap([true; 3]);
            for (at, _) in natural.iter() {
                for axis in 0..3 {
                    for by in [-1, 1] {
                        let adjacent = crate::neighbour(at.map(|x| x as isize), axis, by);
                        assert_eq!(checkered.get(adjacent), natural.at(adjacent), "{cells:?} {adjacent:?}");
                    }
                }
            }
        }
    }
}
