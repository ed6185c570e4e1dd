//! Transfer between a grid and the next coarser one: interpolation and restriction.
//!
//! A correction is interpolated linearly, with weights ¾ and ¼ along each merged axis, where the coarse cells around are
//! coupled in full to each other. Elsewhere a fine cell takes the value of the coarse cell that it is part of: linear
//! interpolation through a solid would couple its two sides. Towards a surface where p = 0 the
//! correction falls off as the extra diagonal does. Beyond closed sides lies the mirror image. Cells that a wall cuts off
//! from their coarse cell follow another one.
//!
//! Restriction is the transpose, so that a cycle is symmetric. Only red cells take part: after a half sweep over the
//! black ones their residuals are zero, and what they would be given is overwritten by the next half sweep.

use super::PoissonError;
use super::checkered::{Checkered, half_field, offset, row_of};
use super::detached_cells::DetachedCells;
use super::interpolation_weights::InterpolationWeights;
use super::matrix::Matrix;
use super::restriction::{Gathering, Restriction};
use super::row_vectors::WIDTH;
use super::spans::{ActiveSpans, BlockSpan};
use crate::field::Field;
use crate::par;
use crate::simd;
use crate::value::Real;

/// Colour of the cells that take part.
pub(super) const RED: usize = 0;

/// Cells that are interpolated together, in memory on the stack. Even.
pub(super) const CHUNK: usize = 64;

/// Interpolation and restriction between two matrices.
#[derive(Debug, Clone)]
pub(super) struct GridTransfer<T, const D: usize> {
    pub merged: [bool; D],
    pub periodic: [bool; D],
    /// For each axis and fine coordinate, the coarse coordinates that it takes from.
    parents: [Vec<[(isize, T); 2]>; D],
    /// For each axis and coarse coordinate, the fine coordinates that take from it.
    pub reached: [Vec<FineChildren<T>>; D],
    /// `None` when everything is linear.
    pub interpolation_weights: Option<InterpolationWeights<T, D>>,
    /// Residuals restricted linearly and as constants.
    pub residuals: [Field<T, D>; 2],
    extent: ActiveSpans,
    pub detached_cells: DetachedCells<D>,
    /// Of each coarse cell, how much of it a fine one is.
    pub part: T,
}

/// Fine coordinates that interpolate from a coarse one: coordinate, weight, and whether it is one of its children.
#[derive(Debug, Clone, Copy)]
pub(super) struct FineChildren<T> {
    pub count: usize,
    pub of: [(isize, T, bool); 4],
}

impl<T: Real, const D: usize> GridTransfer<T, D> {
    /// Memory for the transfer between two matrices.
    pub fn new(fine: &Matrix<T, D>, coarse: &Matrix<T, D>, merged: [bool; D]) -> Result<Self, PoissonError> {
        let is_linear = coarse.couplings.is_none() && fine.couplings.is_none() && fine.extra.is_none();
        let half = half_field(fine.cells())?;
        let parents: [_; D] = std::array::from_fn(|axis| {
            let (count, is_periodic) = (coarse.cells()[axis], fine.periodic[axis]);
            let all = 0..fine.cells()[axis] as isize;
            all.map(|x| parents_of(x, merged[axis], count, is_periodic)).collect::<Vec<_>>()
        });
        Ok(GridTransfer {
            merged,
            periodic: fine.periodic,
            reached: std::array::from_fn(|axis| reached_from(&parents[axis], coarse.cells()[axis])),
            parents,
            interpolation_weights: if is_linear {
                None
            } else {
                Some(InterpolationWeights::new(fine, coarse, merged)?)
            },
            residuals: [half.clone(), half],
            extent: ActiveSpans::default(),
            detached_cells: DetachedCells::new(coarse.cells(), merged)?,
            part: T::from_f64(merged.iter().map(|&merged| if merged { 0.5 } else { 1.0 }).product()),
        })
    }

    /// Updates after two matrices were assembled again.
    pub fn update(&mut self, fine: &Matrix<T, D>, coarse: &Matrix<T, D>) {
        self.extent.renew_halves(&fine.spans, &mut self.residuals);
        if let Some(interpolation_weights) = &mut self.interpolation_weights {
            interpolation_weights.update(fine, coarse, self.merged, &self.detached_cells);
        }
    }

    /// The right-hand side of the coarse grid from b − A x on the red cells of the fine one. `is_first` says that x is
    /// b / d there.
    pub fn restrict(
        &mut self,
        fine: &Matrix<T, D>,
        is_first: bool,
        b: &Checkered<T, D>,
        x: &Checkered<T, D>,
        coarse: &Matrix<T, D>,
        to: &mut Checkered<T, D>,
    ) {
        let interpolation_weights = self.interpolation_weights.as_ref();
        let weights_of = |at| {
            interpolation_weights
                .and_then(|interpolation_weights| interpolation_weights.of_row(fine.row_number(at), at))
        };
        // Residuals of the red cells, divided into the linear and the piecewise constant part of the interpolation
        let [linear, constant] = &mut self.residuals;
        fine.residual_of_colour(
            RED,
            (!is_first).then_some(b),
            x,
            [linear, constant],
            |at, [residual, rest]| {
                if let Some(interpolation_weights) = weights_of(at) {
                    let cells = fine.span(at).cells(interpolation_weights[0].len());
                    let [linear, constant] =
                        interpolation_weights.map(|weights| &weights[cells.clone()][..residual.len()]);
                    let rest = &mut rest[..residual.len()];
                    for cell in 0..residual.len() {
                        rest[cell] = constant[cell] * residual[cell];
                        residual[cell] = linear[cell] * residual[cell];
                    }
                }
            },
        );
        // Gather them into the coarse cells: the transpose of the interpolation
        let this = &*self;
        to.rows(|at, [even, odd]| {
            let span = coarse.span(at);
            if !span.is_empty() {
                let gathering = Gathering::new(this, fine, at);
                simd::dispatch(
                    #[inline(always)]
                    || Restriction { gathering, span, even, odd }.run(),
                );
            }
        });
        self.detached_cells.restrict(fine, self.part, b, x, to);
    }

    /// Adds the interpolated correction to the red cells of `x`.
    pub fn prolong(&self, fine: &Matrix<T, D>, coarse: &Checkered<T, D>, x: &mut Checkered<T, D>) {
        par::rows(&mut x.halves[RED], |at, row| {
            let span = fine.span(at);
            if !span.is_empty() {
                let interpolation_weights = self
                    .interpolation_weights
                    .as_ref()
                    .and_then(|interpolation_weights| interpolation_weights.of_row(fine.row_number(at), at));
                let interpolation =
                    InterpolationRow { transfer: self, coarse, at, span, interpolation_weights, row };
                simd::dispatch(
                    #[inline(always)]
                    || interpolation.run(),
                );
            }
        });
        self.detached_cells.prolong(coarse, x);
        x.wrap(self.periodic);
    }
}

/// The coarse coordinate that a fine one is part of and the next one, with their weights. At a side where nothing
/// follows it is the same one twice.
fn parents_of<T: Real>(along: isize, is_merged: bool, coarse: usize, is_periodic: bool) -> [(isize, T); 2] {
    let (near, far, count) = (T::from_f64(0.75), T::from_f64(0.25), coarse as isize);
    if !is_merged {
        return [(along, T::from_f64(1.0)), (along, T::zeroed())];
    }
    let own = along / 2;
    let other = if along % 2 == 1 { own + 1 } else { own - 1 };
    match is_periodic {
        true => [(own, near), (other.rem_euclid(count), far)],
        false => [(own, near), (if (0..count).contains(&other) { other } else { own }, far)],
    }
}

fn reached_from<T: Real>(parents: &[[(isize, T); 2]], coarse: usize) -> Vec<FineChildren<T>> {
    let mut reached = vec![FineChildren { count: 0, of: [(0, T::zeroed(), false); 4] }; coarse];
    for (along, &[(own, near), (other, far)]) in parents.iter().enumerate() {
        if own == other {
            reached[own as usize].push(along, near + far, true);
        } else {
            reached[own as usize].push(along, near, true);
            reached[other as usize].push(along, far, false);
        }
    }
    reached
}

impl<T: Real> FineChildren<T> {
    fn push(&mut self, along: usize, weight: T, is_part: bool) {
        self.of[self.count] = (along as isize, weight, is_part);
        self.count += 1;
    }
}

/// One row of the interpolation.
struct InterpolationRow<'a, T, const D: usize> {
    transfer: &'a GridTransfer<T, D>,
    coarse: &'a Checkered<T, D>,
    at: [isize; D],
    span: BlockSpan,
    interpolation_weights: Option<[&'a [T]; 2]>,
    row: &'a mut [T],
}

/// Up to four coarse rows around a fine one, each as its even and odd cells, and their weights.
struct CoarseRows<'a, T> {
    rows: [[&'a [T]; 2]; 4],
    weights: [T; 4],
    count: usize,
}

impl<T: Real, const D: usize> InterpolationRow<'_, T, D> {
    #[inline(always)]
    fn run(self) {
        let rows = self.coarse_rows();
        let right = offset(RED, self.at);
        let span = self.span.cells(self.row.len());
        for start in span.clone().step_by(CHUNK) {
            let cells = start..span.end.min(start + CHUNK);
            let corrections = match self.transfer.merged[0] {
                true => self.linear_chunk(&rows, cells.clone(), right),
                false => rows.sum_of_half(right, cells.clone()),
            };
            let row = &mut self.row[cells.clone()];
            match self.interpolation_weights {
                None => (0..row.len()).for_each(|cell| row[cell] = row[cell] + corrections[cell]),
                Some(interpolation_weights) => {
                    let [linear, constant] =
                        interpolation_weights.map(|weights| &weights[cells.clone()][..row.len()]);
                    let own = rows.own(cells, right, self.transfer.merged[0]);
                    for cell in 0..row.len().min(CHUNK) {
                        let correction = linear[cell] * corrections[cell] + constant[cell] * own[cell];
                        row[cell] = row[cell] + correction;
                    }
                }
            }
        }
    }
}

impl<'a, T: Real, const D: usize> InterpolationRow<'a, T, D> {
    #[inline(always)]
    fn coarse_rows(&self) -> CoarseRows<'a, T> {
        let mut all = CoarseRows { rows: [[&[]; 2]; 4], weights: [T::zeroed(); 4], count: 0 };
        for choice in 0..1_usize << (D - 1) {
            let (mut row, mut weight) = ([0; D], T::from_f64(1.0));
            for axis in 1..D {
                let (along, share) =
                    self.transfer.parents[axis][self.at[axis] as usize][choice >> (axis - 1) & 1];
                row[axis] = along;
                weight = weight * share;
            }
            if weight != T::zeroed() {
                all.rows[all.count] = {
                    let [even, odd] = self.coarse.even_and_odd(row);
                    [row_of(even, row), row_of(odd, row)]
                };
                all.weights[all.count] = weight;
                all.count += 1;
            }
        }
        all
    }

    /// ¾ of the own coarse cell and ¼ of the one before or after it.
    #[inline(always)]
    fn linear_chunk(
        &self,
        rows: &CoarseRows<'_, T>,
        cells: std::ops::Range<usize>,
        right: usize,
    ) -> [T; CHUNK] {
        let (near, far, last) = (T::from_f64(0.75), T::from_f64(0.25), self.row.len() - 1);
        let natural = rows.natural(cells.clone());
        let mut chunk = [T::zeroed(); CHUNK];
        for cell in 0..cells.len() {
            chunk[cell] = near * natural[cell + 1] + far * natural[cell + 2 * right];
        }
        // At the ends of the row the next cell is the own one, or the one at the other end
        let end = if right == 0 { 0 } else { last };
        if cells.contains(&end) {
            let beyond = if self.transfer.periodic[0] { last - end } else { end };
            chunk[end - cells.start] = near * rows.sum(end) + far * rows.sum(beyond);
        }
        chunk
    }
}

impl<T: Real> CoarseRows<'_, T> {
    /// Weighted sum over the rows at one cell.
    #[inline(always)]
    fn sum(&self, x: usize) -> T {
        let of_row = |row: usize| self.weights[row] * self.rows[row][x & 1][x >> 1];
        (0..self.count).fold(T::zeroed(), |sum, row| sum + of_row(row))
    }

    /// The coarse cells that fine ones are part of. The first cell is even.
    #[inline(always)]
    fn own(&self, cells: std::ops::Range<usize>, right: usize, is_merged: bool) -> [T; CHUNK] {
        let mut own = [T::zeroed(); CHUNK];
        if !is_merged {
            own[..cells.len()].copy_from_slice(&self.rows[0][right][cells]);
            return own;
        }
        let pairs = cells.start / 2..cells.end.div_ceil(2);
        let [even, odd] = [0, 1].map(|half| &self.rows[0][half][pairs.clone()]);
        for pair in 0..even.len().min(CHUNK / 2) {
            own[2 * pair] = even[pair];
            own[2 * pair + 1] = odd[pair];
        }
        own
    }

    /// Weighted sums over the rows at the even cells (0) or the odd ones (1).
    #[inline(always)]
    fn sum_of_half(&self, half: usize, pairs: std::ops::Range<usize>) -> [T; CHUNK] {
        let rows =
            self.rows.map(|row| if row[half].is_empty() { row[half] } else { &row[half][pairs.clone()] });
        weighted_sums(&rows[..self.count], &self.weights[..self.count])
    }

    /// Weighted sums over the rows at some cells in their natural order, with the cells before and after; zero where
    /// there are none. The first cell is even.
    #[inline(always)]
    fn natural(&self, cells: std::ops::Range<usize>) -> [T; CHUNK + 2] {
        let mut natural = [T::zeroed(); CHUNK + 2];
        let pairs = cells.start / 2..cells.end.div_ceil(2);
        let even = self.sum_of_half(0, pairs.clone());
        let odd = self.sum_of_half(1, pairs.clone());
        for pair in 0..CHUNK / 2 {
            natural[2 * pair + 1] = even[pair];
            natural[2 * pair + 2] = odd[pair];
        }
        let width = 2 * self.rows[0][0].len();
        if cells.start > 0 {
            natural[0] = self.sum(cells.start - 1);
        }
        if cells.end < width {
            natural[cells.len() + 1] = self.sum(cells.end);
        }
        natural
    }
}

/// Sums of rows of the same length, at most a chunk, each times its weight. Blocks of a few cells are summed over all
/// rows before the next block begins, so that sums stay in registers.
#[inline(always)]
pub(super) fn weighted_sums<T: Real>(rows: &[&[T]], weights: &[T]) -> [T; CHUNK] {
    let mut sums = [T::zeroed(); CHUNK];
    let length = rows.first().map_or(0, |row| row.len().min(CHUNK));
    let full = length - length % WIDTH;
    for start in (0..full).step_by(WIDTH) {
        let mut block = [T::zeroed(); WIDTH];
        for (row, &weight) in rows.iter().zip(weights) {
            let values = &row[start..start + WIDTH];
            for lane in 0..WIDTH {
                block[lane] = block[lane] + weight * values[lane];
            }
        }
        sums[start..start + WIDTH].copy_from_slice(&block);
    }
    for cell in full..length {
        for (row, &weight) in rows.iter().zip(weights) {
            sums[cell] = sums[cell] + weight * row[cell];
        }
    }
    sums
}
