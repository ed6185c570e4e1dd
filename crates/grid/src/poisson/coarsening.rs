//! The matrix on a grid of twice the spacing.
//!
//! Cells are merged in pairs along every axis that is coupled strongly enough; a weakly coupled axis waits until the
//! others have caught up, so that relaxation smooths along all axes that are coarsened. An odd last cell stays alone.
//! The face of a coarse cell is open as far as the fine faces in it are on average, and distances double: that
//! is the finite-volume scheme of the coarse grid with the solids of the fine one. It equals PᵀAP for constant
//! interpolation, halved as [braess1995] found necessary.
//!
//! A cell at distance θΔ of a surface where p = 0 has the extra diagonal e = w/θ; its coarse cell is half a cell further
//! away. So e becomes the mean of e / (1 + e/2w), which is exact for a plane surface and a Dirichlet side.

use super::PoissonError;
use super::checkered::{Checkered, moved};
use super::detached_cells::DetachedCells;
use super::matrix::Matrix;
use super::spans::BlockSpan;
use crate::value::Real;

/// An axis is coarsened when its coupling is above this share of the strongest.
const STRONG: f64 = 0.3;

/// Which axes of a matrix are merged next; none when only one cell is left.
pub(super) fn axes_to_merge<T: Real, const D: usize>(matrix: &Matrix<T, D>) -> [bool; D] {
    let cells = matrix.cells();
    let weight = |axis: usize| if cells[axis] > 1 { matrix.weights[axis].to_f64() } else { 0.0 };
    let strongest = (0..D).map(weight).fold(0.0, f64::max);
    std::array::from_fn(|axis| weight(axis) > STRONG * strongest)
}

/// By how much what is interpolated falls off towards a surface near a cell with this extra diagonal.
#[inline]
pub(super) fn fall_off(extra: f64, weight: f64) -> f64 {
    1.0 / (1.0 + 0.5 * extra / weight)
}

/// The strongest of the couplings along merged axes.
pub(super) fn merged_weight<T: Real, const D: usize>(matrix: &Matrix<T, D>, merged: [bool; D]) -> f64 {
    let weights = (0..D).filter(|&axis| merged[axis]).map(|axis| matrix.weights[axis].to_f64());
    weights.fold(0.0, f64::max)
}

impl<T: Real, const D: usize> Matrix<T, D> {
    /// A matrix with the axes `merged`, without unknowns yet.
    pub fn coarse(&self, merged: [bool; D]) -> Result<Self, PoissonError> {
        let cells = std::array::from_fn(|axis| match merged[axis] {
            true => self.cells()[axis].div_ceil(2),
            false => self.cells()[axis],
        });
        let weights = std::array::from_fn(|axis| match merged[axis] {
            true => self.weights[axis] * T::from_f64(0.25),
            false => self.weights[axis],
        });
        let mut coarse = Matrix::new(cells, self.periodic, weights, self.shift)?;
        let halves_evenly = (0..D).all(|axis| !merged[axis] || self.cells()[axis].is_multiple_of(2));
        if self.couplings.is_some() || !halves_evenly {
            coarse.set_room_for_couplings()?;
        }
        if self.extra.is_some() {
            coarse.extra = Some(Checkered::new(cells)?);
        }
        Ok(coarse)
    }

    /// Makes room for couplings of every axis.
    pub fn set_room_for_couplings(&mut self) -> Result<(), PoissonError> {
        let empty = Checkered::new(self.cells())?;
        self.couplings = Some(std::array::from_fn(|_| empty.clone()));
        Ok(())
    }

    /// Fills this matrix from the finer one that it was made from.
    pub fn merge(&mut self, fine: &Matrix<T, D>, merged: [bool; D], detached_cells: &DetachedCells<D>) {
        let children = Children::new(fine, merged);
        self.set_spans(|at| {
            let (rows, count) = children.rows(at, None);
            let span = rows[..count].iter().fold(BlockSpan::default(), |span, &row| span.and(fine.span(row)));
            if merged[0] { span.halved() } else { span }
        });
        self.diagonal.set_within(&self.spans, |at| {
            let sum = children.sum_of_row(&fine.diagonal, at, None);
            move |x| sum(x)
        });
        if let Some(extra) = &mut self.extra {
            children.merge_extra(fine, &self.spans, extra);
        }
        let periodic = self.periodic;
        for (axis, coupling) in self.couplings.iter_mut().flatten().enumerate() {
            children.merge_couplings(fine, axis, periodic[axis], &self.spans, coupling);
        }
        if let Some(couplings) = &mut self.couplings {
            detached_cells.mend(fine, couplings);
        }
        self.assemble();
    }
}

/// The fine cells of a coarse one.
struct Children<const D: usize> {
    fine: [usize; D],
    merged: [bool; D],
}

impl<const D: usize> Children<D> {
    fn new<T: Real>(fine: &Matrix<T, D>, merged: [bool; D]) -> Self {
        Children { fine: fine.cells(), merged }
    }

    /// Fine cells that a coarse one has when it is whole.
    fn count(&self) -> f64 {
        self.merged.iter().map(|&merged| if merged { 2.0 } else { 1.0 }).product()
    }

    /// The fine rows of a coarse row; only the lower ones along `lower`.
    fn rows(&self, at: [isize; D], lower: Option<usize>) -> ([[isize; D]; 4], usize) {
        let (mut rows, mut count) = ([[0; D]; 4], 0);
        for choice in 0..4_usize {
            let mut row = [0; D];
            let mut exists = true;
            for axis in 1..D {
                let upper = (choice >> (axis - 1) & 1) as isize;
                row[axis] = if self.merged[axis] { 2 * at[axis] + upper } else { at[axis] };
                exists &= row[axis] < self.fine[axis] as isize
                    && (upper == 0 || (self.merged[axis] && lower != Some(axis)));
            }
            if exists && choice >> (D - 1) == 0 {
                rows[count] = row;
                count += 1;
            }
        }
        (rows, count)
    }

    /// For each x of a coarse row, the sum of the values of the fine cells in it; along `lower` only of the lower ones.
    fn sum_of_row<'a, T: Real>(
        &self,
        values: &'a Checkered<T, D>,
        at: [isize; D],
        lower: Option<usize>,
    ) -> impl Fn(usize) -> T + use<'a, T, D> {
        let (rows, count) = self.rows(at, lower);
        let runs = rows.map(|row| values.even_and_odd(row).map(|half| half.row(row)));
        let (is_merged, width) = (self.merged[0], if lower == Some(0) { 0 } else { self.fine[0] });
        move |x| {
            let of_row = |[even, odd]: [&[T]; 2]| match (is_merged, x & 1) {
                (true, _) if 2 * x + 1 < width => even[x] + odd[x],
                (true, _) => even[x],
                (false, 0) => even[x >> 1],
                (false, _) => odd[x >> 1],
            };
            // In pairs, so that equal values add up without rounding
            match count {
                1 => of_row(runs[0]),
                2 => of_row(runs[0]) + of_row(runs[1]),
                3 => (of_row(runs[0]) + of_row(runs[1])) + of_row(runs[2]),
                _ => (of_row(runs[0]) + of_row(runs[1])) + (of_row(runs[2]) + of_row(runs[3])),
            }
        }
    }

    fn merge_couplings<T: Real>(
        &self,
        fine: &Matrix<T, D>,
        axis: usize,
        is_periodic: bool,
        spans: &[BlockSpan],
        coarse: &mut Checkered<T, D>,
    ) {
        // Areas are averaged; along a merged axis the distance doubles, and so does the volume
        let faces = self.count() / if self.merged[axis] { 2.0 } else { 1.0 };
        let scale = T::from_f64(if self.merged[axis] { 0.25 } else { 1.0 } / faces);
        let lower = self.merged[axis].then_some(axis);
        let is_side = |at: [isize; D], x: usize| {
            let along = if axis == 0 { x as isize } else { at[axis] };
            along == 0 && !is_periodic
        };
        match &fine.couplings {
            Some(couplings) => coarse.set_within(spans, |at| {
                let sum = self.sum_of_row(&couplings[axis], at, lower);
                move |x| if is_side(at, x) { T::zeroed() } else { sum(x) * scale }
            }),
            None => coarse.set_within(spans, |at| {
                move |x| if is_side(at, x) { T::zeroed() } else { self.sum_in_box(fine, axis, at, x) * scale }
            }),
        }
    }

    /// The sum of the couplings of a box: all of the same weight, so only their number matters.
    fn sum_in_box<T: Real>(&self, fine: &Matrix<T, D>, axis: usize, at: [isize; D], x: usize) -> T {
        let lower = self.merged[axis].then_some(axis);
        let (rows, count) = self.rows(at, lower);
        let first = if self.merged[0] { 2 * x } else { x };
        let is_pair = self.merged[0] && lower != Some(0);
        let cells = first..(first + 1 + usize::from(is_pair)).min(self.fine[0]);
        let of_row = |row| cells.clone().map(|x| fine.coupling(axis, moved(row, 0, x as isize))).sum::<f64>();
        T::from_f64(rows[..count].iter().map(|&row| of_row(row)).sum())
    }

    fn merge_extra<T: Real>(&self, fine: &Matrix<T, D>, spans: &[BlockSpan], coarse: &mut Checkered<T, D>) {
        let Some(extra) = &fine.extra else { return };
        let (weight, fraction) = (merged_weight(fine, self.merged), 1.0 / self.count());
        coarse.set_within(spans, |at| {
            let (rows, count) = self.rows(at, None);
            let runs = rows.map(|row| extra.even_and_odd(row).map(|half| half.row(row)));
            let (is_merged, width) = (self.merged[0], self.fine[0]);
            move |x| {
                let reduced = |extra: T| extra.to_f64() * fall_off(extra.to_f64(), weight);
                let of_row = |[even, odd]: [&[T]; 2]| match (is_merged, x & 1) {
                    (true, _) if 2 * x + 1 < width => reduced(even[x]) + reduced(odd[x]),
                    (true, _) => reduced(even[x]),
                    (false, 0) => reduced(even[x >> 1]),
                    (false, _) => reduced(odd[x >> 1]),
                };
                T::from_f64(runs[..count].iter().map(|&run| of_row(run)).sum::<f64>() * fraction)
            }
        });
    }
}
