//! One byte per cell of a grid: flags and small counts, with dilation by a cube.

use undine_grid::par;

/// The least number of values per parallel task.
const MIN_VALUES_PER_TASK: usize = 1 << 13;

/// A byte for every cell of a box, x fastest.
#[derive(Debug, Clone)]
pub(crate) struct CellMap<const D: usize> {
    cells: [usize; D],
    values: Vec<u8>,
    scratch: Vec<u8>,
}

impl<const D: usize> CellMap<D> {
    /// Zero everywhere.
    pub fn new(cells: [usize; D]) -> Self {
        let count = cells.iter().product();
        CellMap { cells, values: vec![0; count], scratch: vec![0; count] }
    }

    /// The byte of a cell.
    #[inline]
    pub fn at(&self, cell: [usize; D]) -> u8 {
        self.values[self.index(cell)]
    }

    #[inline]
    fn index(&self, cell: [usize; D]) -> usize {
        (0..D).rev().fold(0, |index, axis| index * self.cells[axis] + cell[axis])
    }

    /// The bytes of the row that starts at a cell.
    #[inline]
    pub fn row(&self, cell: [usize; D]) -> &[u8] {
        let index = self.index(cell);
        &self.values[index..index + self.cells[0] - cell[0]]
    }

    /// Sets all rows at once; `work` is given the first cell of each.
    pub fn set_rows(&mut self, work: impl Fn([usize; D], &mut [u8]) + Sync) {
        let cells = self.cells;
        for_each_row(&mut self.values, cells, |first, row| work(cell_of_index(first, cells), row));
    }

    /// Calls `work` with every cell and its byte, in order.
    pub fn for_each(&self, mut work: impl FnMut([usize; D], u8)) {
        let mut cell = [0; D];
        for &value in &self.values {
            work(cell, value);
            for axis in 0..D {
                cell[axis] += 1;
                if cell[axis] < self.cells[axis] {
                    break;
                }
                cell[axis] = 0;
            }
        }
    }

    /// All bytes, x fastest.
    pub fn values(&self) -> &[u8] {
        &self.values
    }

    /// All bytes, to write to.
    pub fn values_mut(&mut self) -> &mut [u8] {
        &mut self.values
    }

    /// Dilation: sets every byte to the maximum over the cube of cells within `reach` along every axis.
    pub fn dilate(&mut self, reach: usize) {
        let mut stride = 1;
        for axis in 0..D {
            let (cells, from) = (self.cells, &self.values);
            for_each_row(&mut self.scratch, cells, |first, row| {
                if axis == 0 {
                    dilate_row(&from[first..first + cells[0]], row, reach);
                    return;
                }
                let i = cell_of_index(first, cells)[axis];
                row.copy_from_slice(&from[first..first + cells[0]]);
                for by in 1..=reach {
                    if i >= by {
                        max_into(row, &from[first - by * stride..]);
                    }
                    if i + by < cells[axis] {
                        max_into(row, &from[first + by * stride..]);
                    }
                }
            });
            std::mem::swap(&mut self.values, &mut self.scratch);
            stride *= self.cells[axis];
        }
    }
}

/// Calls `work` in parallel with the index of the first value of each row, and the row.
pub(crate) fn for_each_row<T: Send, const D: usize>(
    values: &mut [T],
    cells: [usize; D],
    work: impl Fn(usize, &mut [T]) + Sync,
) {
    let length = cells[0];
    par::for_each_chunk(values, MIN_VALUES_PER_TASK.div_ceil(length) * length, |first, rows| {
        for (row_index, row) in rows.chunks_mut(length).enumerate() {
            work(first + row_index * length, row);
        }
    });
}

/// The cell with this index in memory order, x fastest.
pub(crate) fn cell_of_index<const D: usize>(index: usize, cells: [usize; D]) -> [usize; D] {
    let mut rest = index;
    std::array::from_fn(|axis| {
        let i = rest % cells[axis];
        rest /= cells[axis];
        i
    })
}

fn dilate_row(from: &[u8], to: &mut [u8], reach: usize) {
    to.copy_from_slice(from);
    for by in 1..=reach.min(from.len().saturating_sub(1)) {
        max_into(&mut to[by..], from);
        max_into(to, &from[by..]);
    }
}

fn max_into(to: &mut [u8], from: &[u8]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = (*to).max(*from));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_dilates_to_a_cube_and_not_beyond_the_sides() {
        let mut map = CellMap::new([7, 5, 6]);
        map.set_rows(|at, row| row[5] = u8::from(at[1] == 1 && at[2] == 3));
        map.dilate(2);
        let is_near = |i: usize, centre: usize| i.abs_diff(centre) <= 2;
        for z in 0..6 {
            for y in 0..5 {
                for x in 0..7 {
                    let wanted = is_near(x, 5) && is_near(y, 1) && is_near(z, 3);
                    assert_eq!(map.at([x, y, z]) == 1, wanted, "{x} {y} {z}");
                }
            }
        }
    }
}
