//! One row of the matrix applied to a cell and its 2D neighbours of the other colour.
//!
//! Away from solids and surfaces the stencil is the same for every cell, and only values are read. So the blocks of a row
//! are sorted into kinds, and the coefficients are read only where they differ.

use std::ops::Range;

use super::row_vectors::WIDTH;
use crate::simd;
use crate::value::Real;

/// Kind of the cells of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockKind {
    /// No unknowns.
    Empty,
    /// Every cell is coupled in full to all its neighbours.
    Regular,
    /// Every unknown is coupled in full to all unknowns around it. Values elsewhere are zero, so the sum over the
    /// neighbours is that of a regular block, and only the diagonal differs.
    Plain,
    /// Anything else.
    General,
}

/// A block of numbers.
pub(super) type NumberBlock<T> = [T; WIDTH];

/// The cells of one colour in a row, and all they are coupled to. Slices have the length of the row.
pub(super) struct ColourRow<'a, T, const D: usize> {
    pub kinds: &'a [BlockKind],
    /// What differs from a regular block, block by block: the diagonal, zero where a cell is no unknown, and of general
    /// blocks the couplings below and above along each axis.
    pub coefficients: &'a [NumberBlock<T>],
    /// Values of the other colour, below and above along each axis.
    pub neighbours: [[&'a [T]; 2]; D],
    /// Coupling of two regular cells along each axis.
    pub weights: [T; D],
    /// Diagonal of a regular cell.
    pub full: T,
}

impl BlockKind {
    /// Blocks of coefficients that a block of this kind brings.
    #[inline(always)]
    pub fn coefficients(self, dimension: usize) -> usize {
        match self {
            BlockKind::Empty | BlockKind::Regular => 0,
            BlockKind::Plain => 1,
            BlockKind::General => 1 + 2 * dimension,
        }
    }
}

/// Update formula of a cell.
pub(super) trait Formula<T, const N: usize>: Sync {
    /// The new value, from the sum over the neighbours, the diagonal and its inverse, the values of the cell in the
    /// inputs, and its value before.
    fn value(&self, sum: T, diagonal: T, inverse: T, inputs: [T; N], before: T) -> T;
}

/// Writes what the formula says at every unknown of the row, and zero elsewhere.
#[inline]
pub(super) fn evaluate<T: Real, const D: usize, const N: usize>(
    row: &ColourRow<'_, T, D>,
    formula: &impl Formula<T, N>,
    inputs: [&[T]; N],
    out: &mut [T],
) {
    simd::dispatch(
        #[inline(always)]
        || Evaluation { row, formula, inputs, out }.run(),
    );
}

struct Evaluation<'a, T, F, const D: usize, const N: usize> {
    row: &'a ColourRow<'a, T, D>,
    formula: &'a F,
    inputs: [&'a [T]; N],
    out: &'a mut [T],
}

impl<T: Real, F: Formula<T, N>, const D: usize, const N: usize> Evaluation<'_, T, F, D, N> {
    /// Runs over blocks of one kind after another.
    #[inline(always)]
    fn run(mut self) {
        let (kinds, length) = (self.row.kinds, self.out.len());
        let (mut block, mut coefficients) = (0, self.row.coefficients);
        while block < kinds.len() {
            let (start, kind) = (block, kinds[block]);
            while block < kinds.len() && kinds[block] == kind {
                block += 1;
            }
            let (first, end) = (start * WIDTH, length.min(block * WIDTH));
            let full = end - (end - first) % WIDTH;
            let (of_full, rest) = coefficients.split_at((full - first) / WIDTH * kind.coefficients(D));
            self.fill::<WIDTH>(kind, of_full, first..full);
            self.fill::<1>(kind, rest, full..end);
            coefficients = &coefficients[(block - start) * kind.coefficients(D)..];
        }
    }

    /// Fills some cells of one kind: whole blocks at once, or what is left of the last block cell by cell.
    #[inline(always)]
    fn fill<const W: usize>(
        &mut self,
        kind: BlockKind,
        coefficients: &[NumberBlock<T>],
        cells: Range<usize>,
    ) {
        match kind {
            BlockKind::Empty => self.out[cells].fill(T::zeroed()),
            BlockKind::Regular => self.fill_regular::<W>(cells),
            BlockKind::Plain => self.fill_irregular::<W, false>(coefficients, cells),
            BlockKind::General => self.fill_irregular::<W, true>(coefficients, cells),
        }
    }

    #[inline(always)]
    fn fill_regular<const W: usize>(&mut self, cells: Range<usize>) {
        let ColourRow { neighbours, weights, full, .. } = *self.row;
        let out = self.out[cells.clone()].as_chunks_mut::<W>().0;
        let neighbours = cut_pairs::<T, W, D>(neighbours, &cells, out.len());
        let inputs = cut::<T, W, N>(self.inputs, &cells, out.len());
        let inverse = T::from_f64(1.0) / full;
        for block in 0..out.len() {
            let mut values = [T::zeroed(); W];
            for lane in 0..W {
                let sum = plain_sum(&neighbours, weights, block, lane);
                let inputs = pick(&inputs, block, lane);
                values[lane] = self.formula.value(sum, full, inverse, inputs, out[block][lane]);
            }
            out[block] = values;
        }
    }

    #[inline(always)]
    fn fill_irregular<const W: usize, const GENERAL: bool>(
        &mut self,
        coefficients: &[NumberBlock<T>],
        cells: Range<usize>,
    ) {
        let ColourRow { neighbours, weights, .. } = *self.row;
        let out = self.out[cells.clone()].as_chunks_mut::<W>().0;
        let neighbours = cut_pairs::<T, W, D>(neighbours, &cells, out.len());
        let inputs = cut::<T, W, N>(self.inputs, &cells, out.len());
        let per_block = if GENERAL { 1 + 2 * D } else { 1 };
        for block in 0..out.len() {
            // A last block that is not whole is visited cell by cell: W is 1 and `block` counts its cells
            let (own, shift) = if W == WIDTH { (block, 0) } else { (0, block) };
            let of_block = &coefficients[own * per_block..(own + 1) * per_block];
            let mut values = [T::zeroed(); W];
            for lane in 0..W {
                let sum = match GENERAL {
                    true => coupled_sum(&neighbours, of_block, shift, block, lane),
                    false => plain_sum(&neighbours, weights, block, lane),
                };
                let inputs = pick(&inputs, block, lane);
                values[lane] = masked(self.formula, sum, of_block[0][shift + lane], inputs, out[block][lane]);
            }
            out[block] = values;
        }
    }
}

/// The formula at an unknown, zero elsewhere.
#[inline(always)]
fn masked<T: Real, const N: usize>(
    formula: &impl Formula<T, N>,
    sum: T,
    diagonal: T,
    inputs: [T; N],
    before: T,
) -> T {
    let is_unknown = diagonal > T::zeroed();
    let inverse = T::from_f64(1.0) / if is_unknown { diagonal } else { T::from_f64(1.0) };
    let value = formula.value(sum, diagonal, inverse, inputs, before);
    if is_unknown { value } else { T::zeroed() }
}

type BlockSlice<'a, T, const W: usize> = &'a [[T; W]];

/// The blocks of some runs, all of the same number, so that no bounds are left to check.
#[inline(always)]
fn cut<'a, T: Real, const W: usize, const N: usize>(
    runs: [&'a [T]; N],
    cells: &Range<usize>,
    blocks: usize,
) -> [BlockSlice<'a, T, W>; N] {
    let mut all: [BlockSlice<'a, T, W>; N] = [&[]; N];
    for n in 0..N {
        all[n] = &runs[n][cells.clone()].as_chunks::<W>().0[..blocks];
    }
    all
}

#[inline(always)]
fn cut_pairs<'a, T: Real, const W: usize, const D: usize>(
    pairs: [[&'a [T]; 2]; D],
    cells: &Range<usize>,
    blocks: usize,
) -> [[BlockSlice<'a, T, W>; 2]; D] {
    let mut all: [[BlockSlice<'a, T, W>; 2]; D] = [[&[]; 2]; D];
    for axis in 0..D {
        all[axis] = cut(pairs[axis], cells, blocks);
    }
    all
}

#[inline(always)]
fn pick<T: Real, const W: usize, const N: usize>(
    inputs: &[BlockSlice<'_, T, W>; N],
    block: usize,
    lane: usize,
) -> [T; N] {
    let mut values = [T::zeroed(); N];
    for input in 0..N {
        values[input] = inputs[input][block][lane];
    }
    values
}

#[inline(always)]
fn plain_sum<T: Real, const W: usize, const D: usize>(
    neighbours: &[[BlockSlice<'_, T, W>; 2]; D],
    weights: [T; D],
    block: usize,
    lane: usize,
) -> T {
    let mut sum = weights[0] * (neighbours[0][0][block][lane] + neighbours[0][1][block][lane]);
    for axis in 1..D {
        sum = sum + weights[axis] * (neighbours[axis][0][block][lane] + neighbours[axis][1][block][lane]);
    }
    sum
}

#[inline(always)]
fn coupled_sum<T: Real, const W: usize, const D: usize>(
    neighbours: &[[BlockSlice<'_, T, W>; 2]; D],
    coefficients: &[NumberBlock<T>],
    shift: usize,
    block: usize,
    lane: usize,
) -> T {
    let mut sum = T::zeroed();
    for axis in 0..D {
        let low = coefficients[1 + 2 * axis][shift + lane] * neighbours[axis][0][block][lane];
        let high = coefficients[2 + 2 * axis][shift + lane] * neighbours[axis][1][block][lane];
        sum = sum + (low + high);
    }
    sum
}
