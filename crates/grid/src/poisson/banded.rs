//! Gaussian elimination in the band of a matrix.
//!
//! Cells are numbered along the shorter axes first, so that neighbours are at most `band` numbers apart, the product of
//! the cells along all axes but the longest. Elimination fills the band and nothing else [golub2013, §4.3]: N band²
//! operations, N band numbers to keep. The matrix is symmetric and without negative eigenvalues, so no pivots need to be
//! sought. Where a pivot vanishes the equations before it already say all that this one does: a part of the domain is
//! fixed nowhere; its last cell is set to zero, and then its mean. Runs on one thread, in double precision.

use super::PoissonError;
use super::checkered::{Checkered, moved};
use super::matrix::Matrix;
use crate::value::Real;

/// A pivot below this share of its diagonal is a sum of rounding errors.
const VANISHING: f64 = 1e-9;

/// The upper factor of a matrix: row i holds the coefficients of unknowns i to i + band.
#[derive(Debug, Clone, Default)]
pub(super) struct Banded {
    band: usize,
    factor: Vec<f64>,
    values: Vec<f64>,
    /// The first cell of the connected part that each cell is in.
    parts: Vec<usize>,
    /// Cells of each part that is fixed nowhere, at its first cell; zero elsewhere.
    closed: Vec<usize>,
    sums: Vec<f64>,
}

impl Banded {
    /// Bytes that the factor of a matrix on such cells takes; not more than fit this number.
    pub fn bytes<const D: usize>(cells: [usize; D], periodic: [bool; D]) -> u64 {
        let order = Numbering::new(cells, periodic);
        let values = (order.count as u64).saturating_mul(order.band as u64 + 1);
        values.saturating_mul(size_of::<f64>() as u64)
    }

    /// Eliminates. Memory of an earlier matrix is used again.
    pub fn factorise<T: Real, const D: usize>(&mut self, matrix: &Matrix<T, D>) -> Result<(), PoissonError> {
        let order = Numbering::new(matrix.cells(), matrix.periodic);
        self.band = order.band;
        zero(&mut self.factor, order.count * (order.band + 1))?;
        [&mut self.values, &mut self.sums].into_iter().try_for_each(|list| zero(list, order.count))?;
        zero(&mut self.closed, order.count)?;
        self.parts.clear();
        self.parts.extend(0..order.count);
        for number in 0..order.count {
            self.enter(matrix, &order, number);
        }
        self.eliminate();
        self.count_closed();
        Ok(())
    }

    /// Writes the row of one cell: its diagonal and the couplings to cells with higher numbers.
    fn enter<T: Real, const D: usize>(&mut self, matrix: &Matrix<T, D>, order: &Numbering<D>, number: usize) {
        let at = order.cell(number);
        let width = self.band + 1;
        if !matrix.is_unknown(at) {
            return;
        }
        self.factor[number * width] += matrix.exact_diagonal(at);
        for axis in 0..D {
            let above = crate::neighbour(at, axis, 1);
            let coupling = matrix.coupling(axis, above);
            let other = order.number(order.wrapped(above, axis));
            self.factor[number.min(other) * width + number.abs_diff(other)] -= coupling;
            if coupling > 0.0 {
                let (a, b) = (self.first_of_part(number), self.first_of_part(other));
                self.parts[a.max(b)] = a.min(b);
            }
        }
    }

    fn first_of_part(&self, mut number: usize) -> usize {
        while self.parts[number] != number {
            number = self.parts[number];
        }
        number
    }

    /// Counts the cells of the parts that had a vanishing pivot.
    fn count_closed(&mut self) {
        let width = self.band + 1;
        for number in 0..self.parts.len() {
            self.parts[number] = self.parts[self.parts[number]];
            // Alone and without diagonal is no unknown
            let is_unknown = self.values[number] > 0.0;
            if is_unknown && self.factor[number * width] == 0.0 {
                self.closed[self.parts[number]] = 1;
            }
        }
        for number in 0..self.parts.len() {
            let first = self.parts[number];
            self.closed[first] += usize::from(self.closed[first] > 0);
        }
        self.closed.iter_mut().for_each(|cells| *cells = cells.saturating_sub(1));
    }

    /// Subtracts the mean over each closed part.
    fn centre(&mut self) {
        if self.closed.iter().all(|&cells| cells == 0) {
            return;
        }
        self.sums.fill(0.0);
        for (&part, value) in self.parts.iter().zip(&self.values) {
            self.sums[part] += value;
        }
        for (&part, value) in self.parts.iter().zip(&mut self.values) {
            if self.closed[part] > 0 {
                *value -= self.sums[part] / self.closed[part] as f64;
            }
        }
    }

    fn eliminate(&mut self) {
        let width = self.band + 1;
        let count = self.factor.len() / width;
        let scale = &mut self.values;
        scale.iter_mut().enumerate().for_each(|(row, scale)| *scale = self.factor[row * width]);
        for row in 0..count {
            let (above, below) = self.factor.split_at_mut((row + 1) * width);
            let row_values = &mut above[row * width..];
            if row_values[0] <= VANISHING * scale[row] {
                row_values[0] = 0.0;
                continue;
            }
            let reach = self.band.min(count - 1 - row);
            for step in 1..=reach {
                let factor = row_values[step] / row_values[0];
                if factor != 0.0 {
                    let target = &mut below[(step - 1) * width..step * width - step];
                    target.iter_mut().zip(&row_values[step..]).for_each(|(to, from)| *to -= factor * from);
                }
            }
        }
    }

    /// Solves for one right-hand side.
    pub fn solve<T: Real, const D: usize>(
        &mut self,
        matrix: &Matrix<T, D>,
        b: &Checkered<T, D>,
        x: &mut Checkered<T, D>,
    ) {
        let order = Numbering::new(matrix.cells(), matrix.periodic);
        for (number, value) in self.values.iter_mut().enumerate() {
            *value = b.get(order.cell(number)).to_f64();
        }
        self.centre();
        self.substitute();
        self.centre();
        let values = &self.values;
        x.set(|at| move |cell| T::from_f64(values[order.number(moved(at, 0, cell as isize))]));
        x.wrap(matrix.periodic);
    }

    fn substitute(&mut self) {
        let (width, count) = (self.band + 1, self.values.len());
        for row in 0..count {
            let coefficients = &self.factor[row * width..(row + 1) * width];
            let (above, below) = self.values.split_at_mut(row + 1);
            let value = if coefficients[0] > 0.0 { above[row] / coefficients[0] } else { 0.0 };
            above[row] = value;
            below.iter_mut().zip(&coefficients[1..]).for_each(|(to, coefficient)| *to -= coefficient * value);
        }
        for row in (0..count).rev() {
            let coefficients = &self.factor[row * width..(row + 1) * width];
            if coefficients[0] > 0.0 {
                let known = coefficients[1..].iter().zip(&self.values[row + 1..]);
                let sum: f64 = known.map(|(coefficient, value)| coefficient * value).sum();
                self.values[row] -= sum / coefficients[0];
            }
        }
    }
}

/// Sets a list to `count` zeros.
fn zero<V: Clone + Default>(list: &mut Vec<V>, count: usize) -> Result<(), PoissonError> {
    list.clear();
    list.try_reserve(count).map_err(|_| PoissonError::Memory)?;
    list.resize(count, V::default());
    Ok(())
}

/// Numbers of cells: along the shorter axes first, and along periodic ones before the others.
///
/// Where even the last axis is periodic its two ends would be far apart. So it is folded: its cells are numbered from
/// both ends in turn, and neighbours are at most two apart.
#[derive(Debug, Clone, Copy)]
struct Numbering<const D: usize> {
    cells: [usize; D],
    strides: [usize; D],
    folded: Option<usize>,
    count: usize,
    band: usize,
}

impl<const D: usize> Numbering<D> {
    fn new(cells: [usize; D], periodic: [bool; D]) -> Self {
        let mut axes: [usize; D] = std::array::from_fn(|axis| axis);
        axes.sort_by_key(|&axis| (!periodic[axis], cells[axis]));
        let (mut strides, mut count, mut band) = ([1; D], 1, 0);
        for axis in axes {
            strides[axis] = count;
            band = count;
            count *= cells[axis];
        }
        let folded = axes.last().copied().filter(|&axis| periodic[axis]);
        let reach = if folded.is_some() { 2 * band } else { band };
        Numbering { cells, strides, folded, count, band: reach.min(count - 1) }
    }

    fn number(&self, at: [isize; D]) -> usize {
        let place = |axis: usize| match at[axis] as usize {
            along if self.folded != Some(axis) => along,
            along if 2 * along < self.cells[axis] => 2 * along,
            along => 2 * (self.cells[axis] - 1 - along) + 1,
        };
        (0..D).map(|axis| place(axis) * self.strides[axis]).sum()
    }

    fn cell(&self, number: usize) -> [isize; D] {
        std::array::from_fn(|axis| {
            let place = number / self.strides[axis] % self.cells[axis];
            let along = match place & 1 {
                _ if self.folded != Some(axis) => place,
                0 => place / 2,
                _ => self.cells[axis] - 1 - place / 2,
            };
            along as isize
        })
    }

    fn wrapped(&self, mut at: [isize; D], axis: usize) -> [isize; D] {
        at[axis] %= self.cells[axis] as isize;
        at
    }
}
