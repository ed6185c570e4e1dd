//! The matrix of −∇·(β∇p) + σp on a grid, stored by colour.
//!
//! Of cell i the row is d p − Σ c p(neighbour), with the couplings c = β/Δ² of its faces and the diagonal d = Σ c + e +
//! σ. The extra diagonal e holds what is fixed to zero nearby: a Dirichlet side or a free surface. A cell is an unknown
//! when its diagonal is above zero; every vector is zero elsewhere, always.

use std::ops::Range;

use super::PoissonError;
use super::checkered::{Checkered, offset, row_of};
use super::formulas::{Application, Coupling, DampedJacobi, Division, OverRelaxation, Relaxation, Residual};
use super::row_vectors::{WIDTH, product};
use super::spans::{BlockSpan, clear, row_at, row_number};
use super::stencil::{BlockKind, ColourRow, Formula, NumberBlock, evaluate};
use crate::field::Field;
use crate::par;
use crate::value::Real;

/// A symmetric matrix with one row per cell.
#[derive(Debug, Clone)]
pub(super) struct Matrix<T, const D: usize> {
    cells: [usize; D],
    /// Whether the first and last cells along an axis are neighbours.
    pub periodic: [bool; D],
    /// Coupling of two regular cells along each axis.
    pub weights: [T; D],
    pub shift: f64,
    pub diagonal: Checkered<T, D>,
    /// Coupling of each cell to the one below along each axis. `None` in a box, where all are full.
    pub couplings: Option<[Checkered<T, D>; D]>,
    /// `None` where nothing is fixed.
    pub extra: Option<Checkered<T, D>>,
    pub blocks: [ColourBlocks<T>; 2],
    /// Spans of unknowns of each row.
    pub spans: Vec<BlockSpan>,
    /// The previous spans.
    old_spans: Vec<BlockSpan>,
}

/// The kinds of the blocks of one colour, and what they need to know.
#[derive(Debug, Clone, Default)]
pub(super) struct ColourBlocks<T> {
    pub kinds: Vec<BlockKind>,
    /// For each row the place of its first coefficients.
    pub starts: Vec<usize>,
    pub coefficients: Vec<NumberBlock<T>>,
}

impl<T: Real, const D: usize> Matrix<T, D> {
    /// A matrix without unknowns.
    pub fn new(
        cells: [usize; D],
        periodic: [bool; D],
        weights: [T; D],
        shift: f64,
    ) -> Result<Self, PoissonError> {
        let rows: usize = cells[1..].iter().product();
        let kinds = vec![BlockKind::Empty; rows * cells[0].div_ceil(2).div_ceil(WIDTH)];
        let blocks = ColourBlocks { kinds, starts: vec![0; rows + 1], coefficients: Vec::new() };
        // One cell cannot be its own neighbour
        let periodic = std::array::from_fn(|axis| periodic[axis] && cells[axis] > 1);
        let diagonal = Checkered::new(cells)?;
        Ok(Matrix {
            cells,
            periodic,
            weights,
            shift,
            diagonal,
            couplings: None,
            extra: None,
            blocks: [blocks.clone(), blocks],
            spans: vec![BlockSpan::default(); rows],
            old_spans: Vec::new(),
        })
    }

    /// Cells along each axis.
    pub fn cells(&self) -> [usize; D] {
        self.cells
    }

    /// Whether neighbours always differ in colour: not so across a seam after an odd number of cells.
    pub fn is_two_coloured(&self) -> bool {
        (0..D).all(|axis| !self.periodic[axis] || self.cells[axis].is_multiple_of(2))
    }

    /// Diagonal of a cell with nothing in its way.
    pub fn full_diagonal(&self) -> T {
        T::from_f64(2.0 * self.weights.iter().map(|weight| weight.to_f64()).sum::<f64>() + self.shift)
    }

    /// Whether a cell is an unknown.
    pub fn is_unknown(&self, at: [isize; D]) -> bool {
        self.diagonal.get(at) > T::zeroed()
    }

    /// Coupling of a cell to the one below along `axis`, from 0 to the number of cells.
    pub fn coupling(&self, axis: usize, at: [isize; D]) -> f64 {
        let is_inside = (1..self.cells[axis] as isize).contains(&at[axis]);
        match &self.couplings {
            Some(couplings) if is_inside || self.periodic[axis] => couplings[axis].get(at).to_f64(),
            None if is_inside || self.periodic[axis] => self.weights[axis].to_f64(),
            _ => 0.0,
        }
    }

    /// The diagonal of an unknown from its parts, in double precision: rows of a closed domain add up to zero.
    pub fn exact_diagonal(&self, at: [isize; D]) -> f64 {
        let extra = self.extra.as_ref().map_or(0.0, |extra| extra.get(at).to_f64());
        let pair = |axis| self.coupling(axis, at) + self.coupling(axis, crate::neighbour(at, axis, 1));
        (0..D).map(pair).sum::<f64>() + extra + self.shift
    }

    /// Number of a row among all.
    pub fn row_number(&self, at: [isize; D]) -> usize {
        row_number(self.cells, at)
    }

    /// First coordinates of the row with a number.
    pub fn row_at(&self, number: usize) -> [isize; D] {
        row_at(self.cells, number)
    }

    /// Span of unknowns of the row through `at`.
    #[inline(always)]
    pub fn span(&self, at: [isize; D]) -> BlockSpan {
        self.spans[self.row_number(at)]
    }

    /// Sets the spans in which each row may have unknowns; values outside are set to zero.
    pub fn set_spans(&mut self, span_of: impl Fn([isize; D]) -> BlockSpan + Sync) {
        std::mem::swap(&mut self.spans, &mut self.old_spans);
        self.spans.resize(self.old_spans.len(), BlockSpan::default());
        let cells = self.cells;
        par::for_each_chunk(&mut self.spans, 256, |first, spans| {
            let numbers = first..;
            spans.iter_mut().zip(numbers).for_each(|(span, number)| *span = span_of(row_at(cells, number)));
        });
        let couplings = self.couplings.iter_mut().flatten();
        for values in couplings.chain(&mut self.extra).chain([&mut self.diagonal]) {
            values.halves.iter_mut().for_each(|half| clear(half, &self.old_spans, &self.spans));
        }
    }

    /// Sum of products over the unknowns, in double precision and in a fixed order.
    pub fn dot(&self, a: &Checkered<T, D>, b: &Checkered<T, D>) -> f64 {
        let length = self.cells[0].div_ceil(2);
        let part = |rows: Range<usize>| {
            let mut total = 0.0;
            for number in rows.filter(|&number| !self.spans[number].is_empty()) {
                let (at, cells) = (self.row_at(number), self.spans[number].cells(length));
                for colour in 0..2 {
                    let [a, b] = [a, b].map(|vector| &row_of(&vector.halves[colour], at)[cells.clone()]);
                    total += product(a, b);
                }
            }
            total
        };
        par::fold(self.spans.len(), par::pieces_per_task(self.cells[0]), part, |a, b| a + b).unwrap_or(0.0)
    }

    /// The kind of a block of the row of one colour through `at`.
    pub fn kind(&self, colour: usize, at: [isize; D], block: usize) -> BlockKind {
        self.blocks[colour].kinds[self.row_number(at) * self.blocks_per_row() + block]
    }

    /// Blocks of a row of one colour.
    pub fn blocks_per_row(&self) -> usize {
        self.cells[0].div_ceil(2).div_ceil(WIDTH)
    }

    /// The span of the row of one colour through `at`, coupled to values of the other colour.
    #[inline(always)]
    fn row<'a>(&'a self, colour: usize, at: [isize; D], other: &'a Field<T, D>) -> ColourRow<'a, T, D> {
        let (number, per_row, blocks) = (self.row_number(at), self.blocks_per_row(), &self.blocks[colour]);
        let span = self.spans[number];
        ColourRow {
            // Blocks before the span are empty and have no coefficients
            kinds: &blocks.kinds[number * per_row..][span.blocks()],
            coefficients: &blocks.coefficients[blocks.starts[number]..blocks.starts[number + 1]],
            neighbours: runs_of_neighbours(other, colour, at, span.cells(other.size()[0])),
            weights: self.weights,
            full: self.full_diagonal(),
        }
    }

    /// Half a sweep: applies a formula to the cells of one colour of `x`. On request, returns the sum of the products
    /// of the input and the new values.
    fn half_sweep(
        &self,
        colour: usize,
        formula: &impl Formula<T, 1>,
        input: &Checkered<T, D>,
        x: &mut Checkered<T, D>,
        with_product: bool,
    ) -> f64 {
        let [red, black] = &mut x.halves;
        let (own, other) = if colour == 0 { (red, &*black) } else { (black, &*red) };
        let total = par::rows_sum([own], |at, [out]| {
            let span = self.span(at);
            if span.is_empty() {
                return 0.0;
            }
            let cells = span.cells(out.len());
            let (input, out) = (&row_of(&input.halves[colour], at)[cells.clone()], &mut out[cells]);
            evaluate(&self.row(colour, at, other), formula, [input], out);
            if with_product { product(input, out) } else { 0.0 }
        });
        x.wrap(self.periodic);
        total
    }

    /// Solves the equations of one colour for its cells, the other colour as it is: half a sweep of Gauss–Seidel.
    pub fn relax(&self, colour: usize, b: &Checkered<T, D>, x: &mut Checkered<T, D>) {
        self.half_sweep(colour, &Relaxation, b, x, false);
    }

    /// Like [`Matrix::relax`]. Returns b·x over that colour.
    pub fn relax_and_measure(&self, colour: usize, b: &Checkered<T, D>, x: &mut Checkered<T, D>) -> f64 {
        self.half_sweep(colour, &Relaxation, b, x, true)
    }

    /// Like [`Matrix::relax`], going `omega` times as far.
    pub fn over_relax(&self, colour: usize, omega: f64, b: &Checkered<T, D>, x: &mut Checkered<T, D>) {
        self.half_sweep(colour, &OverRelaxation(T::from_f64(omega)), b, x, false);
    }

    /// x = b / d on one colour: half a sweep of Gauss–Seidel that starts from zero.
    pub fn divide(&self, colour: usize, b: &Checkered<T, D>, x: &mut Checkered<T, D>) {
        self.half_sweep(colour, &Division, b, x, false);
    }

    /// q = A p. Returns p·q.
    pub fn apply(&self, p: &Checkered<T, D>, q: &mut Checkered<T, D>) -> f64 {
        self.both_colours([p], p, &Application, q)
    }

    /// r = b − A x. Returns b·r.
    pub fn residual(&self, b: &Checkered<T, D>, x: &Checkered<T, D>, r: &mut Checkered<T, D>) -> f64 {
        self.both_colours([b, x], x, &Residual, r)
    }

    /// A step of Jacobi's method: `next` is `x` moved by `omega` times what would solve each equation alone.
    pub fn jacobi(&self, omega: f64, b: &Checkered<T, D>, x: &Checkered<T, D>, next: &mut Checkered<T, D>) {
        self.both_colours([b, x], x, &DampedJacobi(T::from_f64(omega)), next);
        next.wrap(self.periodic);
    }

    /// Writes a formula of `x` and the inputs everywhere. Returns the sum of the products of the first input and the
    /// result.
    fn both_colours<const N: usize>(
        &self,
        inputs: [&Checkered<T, D>; N],
        x: &Checkered<T, D>,
        formula: &impl Formula<T, N>,
        out: &mut Checkered<T, D>,
    ) -> f64 {
        let [red, black] = &mut out.halves;
        par::rows_sum([red, black], |at, out| {
            let span = self.span(at);
            if span.is_empty() {
                return 0.0;
            }
            let mut total = 0.0;
            for (colour, out) in out.into_iter().enumerate() {
                let cells = span.cells(out.len());
                let mut rows: [&[T]; N] = [&[]; N];
                for input in 0..N {
                    rows[input] = &row_of(&inputs[input].halves[colour], at)[cells.clone()];
                }
                let out = &mut out[cells];
                evaluate(&self.row(colour, at, &x.halves[1 - colour]), formula, rows, out);
                total += product(rows[0], out);
            }
            total
        })
    }

    /// b − A x on one colour. Without `b`, of an x that is b / d on that colour: then d x cancels b. `then` gets the span
    /// of each row, to divide it between two fields.
    pub fn residual_of_colour(
        &self,
        colour: usize,
        b: Option<&Checkered<T, D>>,
        x: &Checkered<T, D>,
        out: [&mut Field<T, D>; 2],
        then: impl Fn([isize; D], [&mut [T]; 2]) + Sync,
    ) {
        par::rows_each(out, |at, [residual, rest]| {
            let span = self.span(at);
            if span.is_empty() {
                return;
            }
            let cells = span.cells(residual.len());
            let (residual, rest) = (&mut residual[cells.clone()], &mut rest[cells.clone()]);
            let row = self.row(colour, at, &x.halves[1 - colour]);
            match b {
                Some(b) => {
                    let inputs = [b, x].map(|vector| &row_of(&vector.halves[colour], at)[cells.clone()]);
                    evaluate(&row, &Residual, inputs, residual);
                }
                None => evaluate(&row, &Coupling, [], residual),
            }
            then(at, [residual, rest]);
        });
    }
}

/// The couplings of some cells of one colour in a row, below and above along each axis. That above a cell is the one
/// below its neighbour, which has the other colour.
#[inline(always)]
pub(super) fn coupling_runs<T: Real, const D: usize>(
    couplings: &[Checkered<T, D>; D],
    colour: usize,
    at: [isize; D],
    cells: Range<usize>,
) -> [[&[T]; 2]; D] {
    let mut runs: [[&[T]; 2]; D] = [[&[]; 2]; D];
    for axis in 0..D {
        let (own, other) = (&couplings[axis].halves[colour], &couplings[axis].halves[1 - colour]);
        let above = runs_of_neighbours(other, colour, at, cells.clone())[axis][1];
        runs[axis] = [&row_of(own, at)[cells.clone()], above];
    }
    runs
}

/// The values that lie below and above some cells of a colour in a row, in the half of the other colour.
#[inline(always)]
pub(super) fn runs_of_neighbours<T: Real, const D: usize>(
    other: &Field<T, D>,
    colour: usize,
    at: [isize; D],
    cells: Range<usize>,
) -> [[&[T]; 2]; D] {
    let (layout, stored, length) = (other.layout(), other.storage(), cells.len());
    let mut row = at;
    row[0] = cells.start as isize;
    let start = layout.index(row);
    let mut runs: [[&[T]; 2]; D] = [[&[]; 2]; D];
    for axis in 0..D {
        let [low, high] = match axis {
            0 => [start + offset(colour, at) - 1, start + offset(colour, at)],
            _ => [start - layout.strides()[axis], start + layout.strides()[axis]],
        };
        runs[axis] = [&stored[low..low + length], &stored[high..high + length]];
    }
    runs
}
