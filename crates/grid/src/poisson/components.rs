//! The connected parts of a problem that are fixed nowhere.
//!
//! In such a part p is only known up to a constant, and there is a solution only if the right-hand side sums up to zero
//! over the part. So its mean is taken out of the right-hand side, and the mean of p is made zero.
//!
//! Rows are cut into runs of cells that are coupled one to the next. Runs are then united with those they touch across
//! the other axes: a few numbers per row instead of one per cell.

use super::checkered::{Checkered, moved, parity};
use super::matrix::Matrix;
use super::spans::{row_at, row_number};
use crate::field::Field;
use crate::par;
use crate::value::Real;

/// Marks a run of a part that is fixed somewhere.
const FIXED: u32 = u32::MAX;

/// Cells `start..end` of a row.
#[derive(Debug, Clone, Copy)]
struct CellRun {
    row: usize,
    start: usize,
    end: usize,
    /// Number of its closed part, or `FIXED`. While parts are sought: the run it is united with.
    part: u32,
}

/// The closed parts of a problem.
#[derive(Debug, Clone, Default)]
pub(super) struct Components {
    runs: Vec<CellRun>,
    /// First run of each row, and the end.
    rows: Vec<usize>,
    /// Cells of each closed part.
    cells: Vec<u64>,
    is_fixed: Vec<bool>,
}

/// Mean of each closed part.
#[derive(Debug, Clone, Default)]
pub(super) struct Means {
    of_runs: Vec<f64>,
    of_parts: Vec<f64>,
}

impl Means {
    /// The greatest, without its sign.
    pub fn greatest(&self) -> f64 {
        self.of_parts.iter().fold(0.0, |greatest, mean| mean.abs().max(greatest))
    }

    /// That of the first part; zero when there is none.
    pub fn first(&self) -> f64 {
        self.of_parts.first().copied().unwrap_or(0.0)
    }
}

impl Components {
    /// Closed parts.
    pub fn closed(&self) -> usize {
        self.cells.len()
    }

    /// Finds the closed parts of a matrix.
    pub fn find<T: Real, const D: usize>(&mut self, matrix: &Matrix<T, D>) {
        self.runs.clear();
        self.rows.clear();
        self.cells.clear();
        self.is_fixed.clear();
        if matrix.shift > 0.0 || (matrix.couplings.is_none() && matrix.extra.is_some()) {
            return;
        }
        let rows: usize = matrix.cells()[1..].iter().product();
        for row in 0..rows {
            self.rows.push(self.runs.len());
            self.cut_row(matrix, row);
        }
        self.rows.push(self.runs.len());
        if matrix.couplings.is_none() {
            // A closed box is one part
            self.runs.iter_mut().for_each(|run| run.part = 0);
            self.cells.push(matrix.cells().iter().map(|&n| n as u64).product());
            return;
        }
        (0..rows).for_each(|row| self.unite_row(matrix, row));
        self.number_parts();
    }

    fn cut_row<T: Real, const D: usize>(&mut self, matrix: &Matrix<T, D>, row: usize) {
        let (at, width) = (matrix.row_at(row), matrix.cells()[0]);
        let Some(couplings) = &matrix.couplings else {
            self.runs.push(CellRun { row, start: 0, end: width, part: 0 });
            return;
        };
        let (diagonal, coupling) = (Natural::new(&matrix.diagonal, at), Natural::new(&couplings[0], at));
        let extra = matrix.extra.as_ref().map(|extra| Natural::new(extra, at));
        let mut is_open = false;
        for x in matrix.spans[row].natural(width) {
            if diagonal.at(x) == T::zeroed() {
                is_open = false;
                continue;
            }
            if !(is_open && coupling.at(x) > T::zeroed()) {
                self.is_fixed.push(false);
                self.runs.push(CellRun { row, start: x, end: x, part: self.runs.len() as u32 });
                is_open = true;
            }
            let is_pulled = extra.as_ref().is_some_and(|extra| extra.at(x) > T::zeroed());
            if let (Some(run), Some(is_fixed)) = (self.runs.last_mut(), self.is_fixed.last_mut()) {
                run.end = x + 1;
                *is_fixed |= is_pulled;
            }
        }
    }

    /// Unites the runs of a row with those below them along every axis.
    fn unite_row<T: Real, const D: usize>(&mut self, matrix: &Matrix<T, D>, row: usize) {
        let Some(couplings) = &matrix.couplings else { return };
        let at = matrix.row_at(row);
        let own = self.rows[row]..self.rows[row + 1];
        if matrix.periodic[0] && !own.is_empty() && couplings[0].get(at) > T::zeroed() {
            self.unite(own.start, own.end - 1);
        }
        for axis in 1..D {
            let below = match at[axis] {
                0 if !matrix.periodic[axis] => continue,
                0 => moved(at, axis, matrix.cells()[axis] as isize - 1),
                _ => crate::neighbour(at, axis, -1),
            };
            let coupling = Natural::new(&couplings[axis], at);
            let number = matrix.row_number(below);
            let (mut here, mut there) = (own.start, self.rows[number]);
            while here < own.end && there < self.rows[number + 1] {
                let (a, b) = (self.runs[here], self.runs[there]);
                let mut both = a.start.max(b.start)..a.end.min(b.end);
                if both.any(|x| coupling.at(x) > T::zeroed()) {
                    self.unite(here, there);
                }
                if a.end < b.end { here += 1 } else { there += 1 }
            }
        }
    }

    fn root(&self, mut run: usize) -> usize {
        while self.runs[run].part as usize != run {
            run = self.runs[run].part as usize;
        }
        run
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a_root, b_root) = (self.root(a), self.root(b));
        let (low, high) = (a_root.min(b_root), a_root.max(b_root));
        self.runs[high].part = low as u32;
        let is_fixed = self.is_fixed[low] || self.is_fixed[high];
        self.is_fixed[low] = is_fixed;
        // Shorter ways for later
        self.runs[a].part = low as u32;
        self.runs[b].part = low as u32;
    }

    /// Numbers the closed parts. Roots come before the runs united with them.
    fn number_parts(&mut self) {
        for run in 0..self.runs.len() {
            let CellRun { start, end, part, .. } = self.runs[run];
            let number = match part as usize {
                own if own == run && self.is_fixed[run] => FIXED,
                own if own == run => {
                    self.cells.push(0);
                    self.cells.len() as u32 - 1
                }
                other => self.runs[other].part,
            };
            self.runs[run].part = number;
            if number != FIXED {
                self.cells[number as usize] += (end - start) as u64;
            }
        }
    }

    /// The means of a field over the closed parts.
    pub fn measure<T: Real, const D: usize>(&self, field: &Field<T, D>, means: &mut Means) {
        let size = field.size();
        self.average(means, |run| sum(&field.row(row_at(size, run.row))[run.start..run.end]));
    }

    /// The same of what is stored by colour.
    pub fn measure_checkered<T: Real, const D: usize>(&self, values: &Checkered<T, D>, means: &mut Means) {
        let size = values.cells();
        self.average(means, |CellRun { row, start, end, .. }| {
            let Natural { even, odd } = Natural::new(values, row_at(size, *row));
            sum(&even[start.div_ceil(2)..end.div_ceil(2)]) + sum(&odd[start / 2..end / 2])
        });
    }

    fn average(&self, means: &mut Means, sum_of: impl Fn(&CellRun) -> f64 + Sync) {
        means.of_parts.clear();
        means.of_parts.resize(self.cells.len(), 0.0);
        if self.cells.is_empty() {
            return;
        }
        means.of_runs.resize(self.runs.len(), 0.0);
        par::for_each_chunk(&mut means.of_runs, 64, |first, sums| {
            sums.iter_mut().zip(&self.runs[first..]).for_each(|(sum, run)| *sum = sum_of(run));
        });
        for (run, sum) in self.runs.iter().zip(&means.of_runs).filter(|(run, _)| run.part != FIXED) {
            means.of_parts[run.part as usize] += sum;
        }
        means.of_parts.iter_mut().zip(&self.cells).for_each(|(mean, &cells)| *mean /= cells as f64);
    }

    /// Subtracts the means from a field.
    pub fn subtract<T: Real, const D: usize>(&self, means: &Means, field: &mut Field<T, D>) {
        if self.cells.is_empty() {
            return;
        }
        let size = field.size();
        par::rows(field, |at, row| {
            for (run, mean) in self.runs_of_row(row_number(size, at), means) {
                row[run.start..run.end].iter_mut().for_each(|value| *value = *value - T::from_f64(mean));
            }
        });
    }

    /// Subtracts the means from a vector stored by colour.
    pub fn subtract_checkered<T: Real, const D: usize>(&self, means: &Means, values: &mut Checkered<T, D>) {
        if self.cells.is_empty() {
            return;
        }
        let size = values.cells();
        values.rows(|at, [even, odd]| {
            for (CellRun { start, end, .. }, mean) in self.runs_of_row(row_number(size, at), means) {
                let mean = T::from_f64(mean);
                even[start.div_ceil(2)..end.div_ceil(2)].iter_mut().for_each(|value| *value = *value - mean);
                odd[start / 2..end / 2].iter_mut().for_each(|value| *value = *value - mean);
            }
        });
    }

    /// The runs of a row that are in closed parts, with the means of those.
    fn runs_of_row<'a>(&'a self, row: usize, means: &'a Means) -> impl Iterator<Item = (CellRun, f64)> + 'a {
        let runs = &self.runs[self.rows[row]..self.rows[row + 1]];
        let closed = runs.iter().filter(|run| run.part != FIXED);
        closed.map(|&run| (run, means.of_parts[run.part as usize]))
    }
}

fn sum<T: Real>(values: &[T]) -> f64 {
    let (blocks, rest) = values.as_chunks::<8>();
    let mut lanes = [0.0; 8];
    for block in blocks {
        lanes.iter_mut().zip(block).for_each(|(lane, value)| *lane += value.to_f64());
    }
    lanes.iter_mut().zip(rest).for_each(|(lane, value)| *lane += value.to_f64());
    lanes.iter().sum()
}

/// A row in its natural order.
struct Natural<'a, T> {
    even: &'a [T],
    odd: &'a [T],
}

impl<'a, T: Real> Natural<'a, T> {
    fn new<const D: usize>(values: &'a Checkered<T, D>, at: [isize; D]) -> Self {
        let first = parity(at);
        Natural { even: values.halves[first].row(at), odd: values.halves[1 - first].row(at) }
    }

    #[inline]
    fn at(&self, x: usize) -> T {
        if x & 1 == 0 { self.even[x >> 1] } else { self.odd[x >> 1] }
    }
}
