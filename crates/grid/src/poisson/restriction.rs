//! Restriction to the next coarser grid: the transpose of the interpolation, row by row.

use super::checkered::{offset, row_of};
use super::matrix::Matrix;
use super::spans::BlockSpan;
use super::transfer::{CHUNK, FineChildren, GridTransfer, RED, weighted_sums};
use crate::value::Real;

/// Fine rows that a coarse one takes from, at most.
const MOST_ROWS: usize = 16;

/// Fine rows whose red cells are the even ones, or the odd ones, and their weights.
#[derive(Clone, Copy)]
struct FineRows<'a, T> {
    rows: [&'a [T]; MOST_ROWS],
    weights: [T; MOST_ROWS],
    count: usize,
}

impl<'a, T: Real> FineRows<'a, T> {
    #[inline(always)]
    fn none() -> Self {
        FineRows { rows: [&[]; MOST_ROWS], weights: [T::zeroed(); MOST_ROWS], count: 0 }
    }

    #[inline(always)]
    fn push(&mut self, row: &'a [T], weight: T) {
        (self.rows[self.count], self.weights[self.count]) = (row, weight);
        self.count += 1;
    }

    /// Weighted sums at some cells.
    #[inline(always)]
    fn sums(&self, cells: std::ops::Range<usize>) -> [T; CHUNK] {
        let mut rows: [&[T]; MOST_ROWS] = [&[]; MOST_ROWS];
        for row in 0..self.count {
            rows[row] = &self.rows[row][cells.clone()];
        }
        weighted_sums(&rows[..self.count], &self.weights[..self.count])
    }

    /// Weighted sum at one cell.
    #[inline(always)]
    fn sum_at(&self, cell: usize) -> T {
        let mut sum = T::zeroed();
        for row in 0..self.count {
            sum = sum + self.weights[row] * self.rows[row][cell];
        }
        sum
    }
}

/// The fine rows that take from a coarse one: apart for rows whose red cells are the even ones (0) and the odd ones (1).
pub(super) struct Gathering<'a, T, const D: usize> {
    transfer: &'a GridTransfer<T, D>,
    linear: [FineRows<'a, T>; 2],
    constant: [FineRows<'a, T>; 2],
    /// Red cells of a fine row.
    width: usize,
}

impl<'a, T: Real, const D: usize> Gathering<'a, T, D> {
    /// Finds the fine rows that contribute to a coarse row.
    pub fn new(transfer: &'a GridTransfer<T, D>, fine: &Matrix<T, D>, at: [isize; D]) -> Self {
        let [linear, constant] = &transfer.residuals;
        let mut gathering = Gathering {
            transfer,
            linear: [FineRows::none(); 2],
            constant: [FineRows::none(); 2],
            width: linear.size()[0],
        };
        // Fine rows along y and z that contribute, with the product of their weights
        let one = T::from_f64(1.0);
        let single = FineChildren { count: 1, of: [(0, one, true); 4] };
        let reach = |axis: usize| if axis < D { transfer.reached[axis][at[axis] as usize] } else { single };
        let (across, above) = (reach(1), reach(2));
        for &(z, z_weight, is_z_part) in &above.of[..above.count] {
            for &(y, y_weight, is_y_part) in &across.of[..across.count] {
                let row = std::array::from_fn(|axis| [0, y, z][axis]);
                if fine.span(row).is_empty() {
                    continue;
                }
                let half = offset(RED, row);
                gathering.linear[half].push(row_of(linear, row), y_weight * z_weight);
                // Where interpolation is piecewise constant, children contribute with weight one
                let interpolation_weights =
                    transfer.interpolation_weights.as_ref().filter(|_| is_y_part && is_z_part);
                if interpolation_weights.is_some_and(|interpolation_weights| {
                    interpolation_weights.of_row(fine.row_number(row), row).is_some()
                }) {
                    gathering.constant[half].push(row_of(constant, row), one);
                }
            }
        }
        gathering
    }

    /// The sums of a half at some cells with those before and after; zero where there are none.
    #[inline(always)]
    fn sums_with_ends(&self, half: usize, cells: std::ops::Range<usize>) -> [T; CHUNK + 2] {
        let mut all = [T::zeroed(); CHUNK + 2];
        all[1..=CHUNK].copy_from_slice(&self.linear[half].sums(cells.clone()));
        if cells.start > 0 {
            all[0] = self.linear[half].sum_at(cells.start - 1);
        }
        if cells.end < self.width {
            all[cells.len() + 1] = self.linear[half].sum_at(cells.end);
        }
        all
    }
}

/// One row of the restriction, written to its even and odd cells.
pub(super) struct Restriction<'a, T, const D: usize> {
    pub gathering: Gathering<'a, T, D>,
    pub span: BlockSpan,
    pub even: &'a mut [T],
    pub odd: &'a mut [T],
}

impl<T: Real, const D: usize> Restriction<'_, T, D> {
    /// Restricts a row.
    #[inline(always)]
    pub fn run(mut self) {
        let width = self.gathering.width;
        let is_merged = self.gathering.transfer.merged[0];
        let span = if is_merged { self.span.natural(width) } else { self.span.cells(width) };
        for start in span.clone().step_by(CHUNK) {
            let cells = start..span.end.min(start + CHUNK);
            match is_merged {
                true => self.write_merged(cells),
                false => self.write_single(cells),
            }
        }
        if is_merged {
            self.close_ends(width - 1);
        }
    }
}

impl<T: Real, const D: usize> Restriction<'_, T, D> {
    #[inline(always)]
    fn write_single(&mut self, cells: std::ops::Range<usize>) {
        let part = self.gathering.transfer.part;
        for (half, out) in [&mut *self.even, &mut *self.odd].into_iter().enumerate() {
            let linear = self.gathering.linear[half].sums(cells.clone());
            let constant = self.gathering.constant[half].sums(cells.clone());
            for (place, cell) in cells.clone().enumerate() {
                out[cell] = part * (linear[place] + constant[place]);
            }
        }
    }

    /// Each coarse cell takes ¾ of the fine cells in it and ¼ of those beside it.
    #[inline(always)]
    fn write_merged(&mut self, cells: std::ops::Range<usize>) {
        let linear = [0, 1].map(|half| self.gathering.sums_with_ends(half, cells.clone()));
        let constant = [0, 1].map(|half| self.gathering.constant[half].sums(cells.clone()));
        let part = self.gathering.transfer.part;
        let (near, far) = (part * T::from_f64(0.75), part * T::from_f64(0.25));
        let mut sums = [T::zeroed(); CHUNK];
        for cell in 0..CHUNK {
            let inside = linear[0][cell + 1] + linear[1][cell + 1];
            let beside = linear[0][cell + 2] + linear[1][cell];
            let constants = constant[0][cell] + constant[1][cell];
            sums[cell] = near * inside + far * beside + part * constants;
        }
        let pairs = cells.start / 2..;
        let (even, odd) = (&mut self.even[pairs.clone()], &mut self.odd[pairs]);
        for pair in 0..cells.len().div_ceil(2) {
            even[pair] = sums[2 * pair];
        }
        for pair in 0..cells.len() / 2 {
            odd[pair] = sums[2 * pair + 1];
        }
    }

    /// What the outermost fine cells take from beyond the ends comes from the end itself, or from the other end.
    #[inline(always)]
    fn close_ends(&mut self, last: usize) {
        let transfer = self.gathering.transfer;
        let far = transfer.part * T::from_f64(0.25);
        for (half, end) in [(0, 0), (1, last)] {
            let to = if transfer.periodic[0] { last - end } else { end };
            let out = if to & 1 == 0 { &mut self.even[to >> 1] } else { &mut self.odd[to >> 1] };
            *out = *out + far * self.gathering.linear[half].sum_at(end);
        }
    }
}
