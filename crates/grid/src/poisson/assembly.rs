//! Assembly of the diagonal of a matrix and of the kinds of its blocks, from couplings and Dirichlet values.

use super::checkered::{Checkered, offset};
use super::matrix::{Matrix, coupling_runs, runs_of_neighbours};
use super::row_vectors::WIDTH;
use super::spans::row_number;
use super::stencil::{BlockKind, NumberBlock};
use crate::par;
use crate::value::Real;

impl<T: Real, const D: usize> Matrix<T, D> {
    /// Finishes a matrix whose couplings and extra diagonal are set, and whose diagonal is above zero where there
    /// are unknowns.
    pub fn assemble(&mut self) {
        self.couplings.iter_mut().flatten().for_each(|coupling| coupling.wrap(self.periodic));
        match self.couplings.take() {
            Some(couplings) => {
                self.sum_couplings(&couplings);
                self.couplings = Some(couplings);
            }
            None => self.sum_box(),
        }
        self.sort_blocks();
    }

    fn sum_couplings(&mut self, couplings: &[Checkered<T, D>; D]) {
        let (shift, extra, spans, size) = (self.shift, &self.extra, &self.spans, self.cells());
        for colour in 0..2 {
            par::rows(&mut self.diagonal.halves[colour], |at, diagonals| {
                let span = spans[row_number(size, at)];
                if span.is_empty() {
                    return;
                }
                let cells = span.cells(diagonals.len());
                let runs = coupling_runs(couplings, colour, at, cells.clone());
                let extra = extra.as_ref().map(|extra| &extra.halves[colour].row(at)[cells.clone()]);
                for (cell, diagonal) in diagonals[cells].iter_mut().enumerate() {
                    if *diagonal > T::zeroed() {
                        let pair = |axis: usize| runs[axis][0][cell].to_f64() + runs[axis][1][cell].to_f64();
                        let fixed = extra.map_or(0.0, |extra| extra[cell].to_f64());
                        *diagonal = T::from_f64((0..D).map(pair).sum::<f64>() + fixed + shift);
                    }
                }
            });
        }
    }

    /// Without couplings a row has the same diagonal everywhere but at its ends.
    fn sum_box(&mut self) {
        let (cells, periodic, shift, extra) = (self.cells(), self.periodic, self.shift, &self.extra);
        let weights = self.weights.map(|weight| weight.to_f64());
        let faces = |axis: usize, along: usize| match cells[axis] {
            _ if periodic[axis] => 2.0,
            count => f64::from(u8::from(along > 0) + u8::from(along + 1 < count)),
        };
        for colour in 0..2 {
            par::rows(&mut self.diagonal.halves[colour], |at, diagonals| {
                let across: f64 = (1..D).map(|axis| weights[axis] * faces(axis, at[axis] as usize)).sum();
                let extra = extra.as_ref().map(|extra| extra.halves[colour].row(at));
                for (cell, diagonal) in diagonals.iter_mut().enumerate() {
                    if *diagonal > T::zeroed() {
                        let along = weights[0] * faces(0, 2 * cell + offset(colour, at));
                        let fixed = extra.map_or(0.0, |extra| extra[cell].to_f64());
                        *diagonal = T::from_f64(along + across + fixed + shift);
                    }
                }
            });
        }
    }

    /// Finds the kinds of all blocks and collects what the irregular ones need to know, in the order of reading.
    fn sort_blocks(&mut self) {
        let per_row = self.blocks_per_row();
        for colour in 0..2 {
            let mut blocks = std::mem::take(&mut self.blocks[colour]);
            par::for_each_chunk(
                &mut blocks.kinds,
                per_row * par::pieces_per_task(per_row * WIDTH),
                |first, kinds| {
                    for (number, kinds) in kinds.chunks_exact_mut(per_row).enumerate() {
                        self.sort_row(colour, self.row_at(first / per_row + number), kinds);
                    }
                },
            );
            let mut end = 0;
            for (row, kinds) in blocks.kinds.chunks_exact(per_row).enumerate() {
                let kinds = &kinds[self.spans[row].blocks()];
                end += kinds.iter().map(|kind| kind.coefficients(D)).sum::<usize>();
                blocks.starts[row + 1] = end;
            }
            blocks.coefficients.resize(end, [T::zeroed(); WIDTH]);
            self.collect(colour, 0, &blocks.kinds, &blocks.starts, &mut blocks.coefficients);
            self.blocks[colour] = blocks;
        }
    }

    /// Collects the coefficients of rows from `first` on: half of them here, half of them on another thread, until
    /// few are left.
    fn collect(
        &self,
        colour: usize,
        first: usize,
        kinds: &[BlockKind],
        starts: &[usize],
        to: &mut [NumberBlock<T>],
    ) {
        let (per_row, rows) = (self.blocks_per_row(), starts.len() - 1);
        if rows <= par::pieces_per_task(per_row * WIDTH) {
            let mut to = to.iter_mut();
            for (row, kinds) in kinds.chunks_exact(per_row).enumerate() {
                self.collect_row(colour, self.row_at(first + row), kinds, &mut to);
            }
            return;
        }
        let half = rows / 2;
        let (low_kinds, high_kinds) = kinds.split_at(half * per_row);
        let (low, high) = to.split_at_mut(starts[half] - starts[0]);
        par::join(
            || self.collect(colour, first, low_kinds, &starts[..=half], low),
            || self.collect(colour, first + half, high_kinds, &starts[half..], high),
        );
    }

    fn collect_row<'a>(
        &self,
        colour: usize,
        at: [isize; D],
        kinds: &[BlockKind],
        to: &mut impl Iterator<Item = &'a mut NumberBlock<T>>,
    ) where
        T: 'a,
    {
        let diagonal = self.diagonal.halves[colour].row(at);
        let row = 0..diagonal.len();
        let couplings = self.couplings.as_ref().map(|couplings| coupling_runs(couplings, colour, at, row));
        for block in self.span(at).blocks() {
            let kind = kinds[block];
            let cells = block * WIDTH..diagonal.len().min((block + 1) * WIDTH);
            let pairs = couplings.iter().flatten().flatten().take(kind.coefficients(D).saturating_sub(1));
            let runs = std::iter::once(&diagonal).chain(pairs).take(kind.coefficients(D));
            for (run, to) in runs.zip(&mut *to) {
                *to = [T::zeroed(); WIDTH];
                to[..cells.len()].copy_from_slice(&run[cells.clone()]);
            }
        }
    }

    fn sort_row(&self, colour: usize, at: [isize; D], kinds: &mut [BlockKind]) {
        let full = self.full_diagonal();
        let diagonals = self.diagonal.halves[colour].row(at);
        kinds.fill(BlockKind::Empty);
        for block in self.span(at).blocks() {
            let kind = &mut kinds[block];
            let cells = block * WIDTH..diagonals.len().min((block + 1) * WIDTH);
            let of_block = &diagonals[cells.clone()];
            *kind = match () {
                _ if of_block.iter().all(|&diagonal| diagonal == T::zeroed()) => BlockKind::Empty,
                _ if !self.is_plain(colour, at, cells) => BlockKind::General,
                _ if of_block.iter().all(|&diagonal| diagonal == full) => BlockKind::Regular,
                _ => BlockKind::Plain,
            };
        }
    }

    /// Whether all unknowns of some cells are coupled in full to all unknowns around them.
    fn is_plain(&self, colour: usize, at: [isize; D], mut cells: std::ops::Range<usize>) -> bool {
        let Some(couplings) = &self.couplings else { return true };
        let diagonals = self.diagonal.halves[colour].row(at);
        let row = 0..diagonals.len();
        let neighbours = runs_of_neighbours(&self.diagonal.halves[1 - colour], colour, at, row.clone());
        let couplings = coupling_runs(couplings, colour, at, row);
        // Across a seam the diagonal is not seen: there only a full coupling will do
        let is_seam = |axis: usize, side: usize, cell: usize| {
            let along = if axis == 0 { 2 * cell + offset(colour, at) } else { at[axis] as usize };
            self.periodic[axis] && along == side * (self.cells()[axis] - 1)
        };
        let is_full = |axis: usize, side: usize, cell: usize| {
            couplings[axis][side][cell] == self.weights[axis]
                || (neighbours[axis][side][cell] == T::zeroed() && !is_seam(axis, side, cell))
        };
        cells.all(|cell| {
            diagonals[cell] == T::zeroed()
                || (0..D).all(|axis| is_full(axis, 0, cell) && is_full(axis, 1, cell))
        })
    }
}
