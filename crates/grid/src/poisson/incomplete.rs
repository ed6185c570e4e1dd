//! Modified incomplete Cholesky factors without fill-in, MIC(0) [gustafsson1978], as a preconditioner.
//!
//! L Lᵀ ≈ A, where L has entries only where A has: of what elimination would fill in elsewhere, 97 % is taken off
//! the diagonal, so that row sums are nearly kept. That makes the condition number grow with n instead of n². Where a
//! pivot falls below a quarter of its diagonal the diagonal itself is taken: a safeguard for cells with hardly any
//! coupling [bridson2015].
//!
//! Each row of L waits for the ones before it. To use several threads all the same the grid is cut into eight slabs
//! along its last axis, by its size alone; couplings between slabs and across seams are left out of the factors.

use super::PoissonError;
use super::checkered::{Checkered, moved};
use super::conjugate::Preconditioner;
use super::matrix::Matrix;
use super::problem::PoissonProblem;
use crate::par;
use crate::value::Real;

const SLABS: usize = 8;

/// Share of the fill-in that is moved to the diagonal.
const MOVED: f64 = 0.97;

/// Least share of its diagonal that a pivot may have.
const SAFE: f64 = 0.25;

/// The factors of a matrix, in the natural order of cells.
#[derive(Debug)]
pub(super) struct Incomplete<T, const D: usize> {
    /// Values between neighbours along each axis.
    strides: [usize; D],
    slab: usize,
    /// Coupling to the cell below along each axis, zero across the cuts.
    below: Vec<[T; D]>,
    /// One over the diagonal of L; zero where there is no unknown.
    inverse: Vec<T>,
    values: Vec<T>,
}

impl<T, const D: usize> Default for Incomplete<T, D> {
    fn default() -> Self {
        Incomplete { strides: [0; D], slab: 1, below: Vec::new(), inverse: Vec::new(), values: Vec::new() }
    }
}

impl<T: Real, const D: usize> Incomplete<T, D> {
    fn copy_couplings(&mut self, matrix: &Matrix<T, D>, planes_per_slab: usize) {
        let (strides, cells) = (self.strides, matrix.cells());
        par::for_each_chunk(&mut self.below, 4096, |first, below| {
            for (number, below) in below.iter_mut().enumerate() {
                let at = cell_at(first + number, strides, cells);
                *below = std::array::from_fn(|axis| {
                    let is_cut =
                        at[axis] == 0 || axis + 1 == D && (at[axis] as usize).is_multiple_of(planes_per_slab);
                    T::from_f64(if is_cut { 0.0 } else { matrix.coupling(axis, at) })
                });
            }
        });
    }

    fn factorise(&mut self, matrix: &Matrix<T, D>) {
        let (strides, cells, below) = (self.strides, matrix.cells(), &self.below);
        let coupling_above = |number: usize, axis: usize, end: usize| {
            let above = number + strides[axis];
            if above < end { below[above][axis].to_f64() } else { 0.0 }
        };
        par::for_each_chunk(&mut self.inverse, self.slab, |first, inverses| {
            let end = first + inverses.len();
            for number in first..end {
                let diagonal = matrix.diagonal.get(cell_at(number, strides, cells)).to_f64();
                let mut pivot = diagonal;
                for axis in 0..D {
                    let coupling = below[number][axis].to_f64();
                    if coupling > 0.0 {
                        let lower = number - strides[axis];
                        let inverse = inverses[lower - first].to_f64();
                        let others = (0..D).filter(|&other| other != axis);
                        let fill: f64 = others.map(|other| coupling_above(lower, other, end)).sum();
                        pivot -= coupling * inverse * inverse * (coupling + MOVED * fill);
                    }
                }
                let safe = if pivot < SAFE * diagonal { diagonal } else { pivot };
                inverses[number - first] = T::from_f64(if diagonal > 0.0 { 1.0 / safe.sqrt() } else { 0.0 });
            }
        });
    }

    /// Solves L Lᵀ z = r in place, slab by slab.
    fn substitute(&mut self) {
        let (strides, below, inverse) = (self.strides, &self.below, &self.inverse);
        par::for_each_chunk(&mut self.values, self.slab, |first, values| {
            let (below, inverse) = (&below[first..][..values.len()], &inverse[first..][..values.len()]);
            for cell in 0..values.len() {
                let mut sum = values[cell];
                for axis in (0..D).filter(|&axis| cell >= strides[axis]) {
                    let lower = cell - strides[axis];
                    sum = sum + below[cell][axis] * inverse[lower] * values[lower];
                }
                values[cell] = sum * inverse[cell];
            }
            for cell in (0..values.len()).rev() {
                let mut sum = values[cell];
                for axis in (0..D).filter(|&axis| cell + strides[axis] < values.len()) {
                    let upper = cell + strides[axis];
                    sum = sum + below[upper][axis] * inverse[cell] * values[upper];
                }
                values[cell] = sum * inverse[cell];
            }
        });
    }
}

impl<T: Real, const D: usize> Preconditioner<T, D> for Incomplete<T, D> {
    fn prepare(&mut self, problem: &PoissonProblem<T, D>) -> Result<(), PoissonError> {
        let matrix = &problem.matrix;
        let cells = matrix.cells();
        let mut count = 1;
        for axis in 0..D {
            self.strides[axis] = count;
            count *= cells[axis];
        }
        let planes_per_slab = cells[D - 1].div_ceil(SLABS);
        self.slab = planes_per_slab * self.strides[D - 1];
        self.below.clear();
        self.below.try_reserve(count).map_err(|_| PoissonError::Memory)?;
        self.below.resize(count, [T::zeroed(); D]);
        for list in [&mut self.inverse, &mut self.values] {
            list.clear();
            list.try_reserve(count).map_err(|_| PoissonError::Memory)?;
            list.resize(count, T::zeroed());
        }
        self.copy_couplings(matrix, planes_per_slab);
        self.factorise(matrix);
        Ok(())
    }

    fn apply(&mut self, matrix: &Matrix<T, D>, r: &Checkered<T, D>, z: &mut Checkered<T, D>) -> f64 {
        let (strides, cells) = (self.strides, matrix.cells());
        par::for_each_chunk(&mut self.values, cells[0], |first, row| {
            let at = cell_at(first, strides, cells);
            let [even, odd] = r.even_and_odd(at).map(|half| half.row(at));
            row.iter_mut()
                .enumerate()
                .for_each(|(x, to)| *to = if x & 1 == 0 { even[x / 2] } else { odd[x / 2] });
        });
        self.substitute();
        let values = &self.values;
        let start = |at: [isize; D]| (1..D).map(|axis| at[axis] as usize * strides[axis]).sum::<usize>();
        z.set(|at| {
            let row = &values[start(moved(at, 0, 0))..][..cells[0]];
            move |x| row[x]
        });
        z.wrap(matrix.periodic);
        matrix.dot(r, z)
    }
}

fn cell_at<const D: usize>(number: usize, strides: [usize; D], cells: [usize; D]) -> [isize; D] {
    std::array::from_fn(|axis| (number / strides[axis] % cells[axis]) as isize)
}
