//! Between a grid and the next coarser one.
//!
//! A correction is interpolated linearly, with weights ¾ and ¼ along each merged axis, where the coarse cells around are
//! coupled in full to each other. Elsewhere a fine cell takes the value of the coarse cell that it is part of: linear
//! interpolation through a solid would tell one side what happens on the other. Towards a surface where p = 0 the
//! correction falls off as the extra diagonal does. Beyond closed sides lies the mirror image.
//!
//! Restriction is the transpose, so that a cycle is symmetric. Only red cells take part: after a half sweep over the
//! black ones their residuals are zero, and what they would be given is overwritten by the next half sweep.

use super::PoissonError;
use super::checkered::{Checkered, half_field, offset, row_of};
use super::lanes::{Work, fastest};
use super::matrix::Matrix;
use super::shares::Shares;
use crate::field::Field;
use crate::par;
use crate::value::Real;

/// Colour of the cells that take part.
pub(super) const RED: usize = 0;

/// Cells that are interpolated together, in memory on the stack. Even.
const CHUNK: usize = 64;

/// Interpolation and restriction between two matrices.
#[derive(Debug, Clone)]
pub(super) struct Transfer<T, const D: usize> {
    merged: [bool; D],
    periodic: [bool; D],
    /// For each axis and fine coordinate, the coarse coordinates that it takes from.
    parents: [Vec<[(isize, T); 2]>; D],
    /// For each axis and coarse coordinate, the fine coordinates that take from it.
    reached: [Vec<Reach<T>>; D],
    /// `None` when everything is linear.
    shares: Option<Shares<T, D>>,
    /// What is restricted linearly and as constants.
    residuals: [Field<T, D>; 2],
    /// Of each coarse cell, how much of it a fine one is.
    part: T,
}

/// Fine coordinates that take from a coarse one, by how much, and whether they are part of it.
#[derive(Debug, Clone, Copy)]
struct Reach<T> {
    count: usize,
    of: [(isize, T, bool); 4],
}

impl<T: Real, const D: usize> Transfer<T, D> {
    /// Room for the transfer between two matrices.
    pub fn new(fine: &Matrix<T, D>, coarse: &Matrix<T, D>, merged: [bool; D]) -> Result<Self, PoissonError> {
        let is_linear = coarse.couplings.is_none() && fine.couplings.is_none() && fine.extra.is_none();
        let half = half_field(fine.cells())?;
        let parents: [_; D] = std::array::from_fn(|axis| {
            let (count, is_periodic) = (coarse.cells()[axis], fine.periodic[axis]);
            let all = 0..fine.cells()[axis] as isize;
            all.map(|along| parents_of(along, merged[axis], count, is_periodic)).collect::<Vec<_>>()
        });
        Ok(Transfer {
            merged,
            periodic: fine.periodic,
            reached: std::array::from_fn(|axis| reached_from(&parents[axis], coarse.cells()[axis])),
            parents,
            shares: if is_linear { None } else { Some(Shares::new(fine, coarse, merged)?) },
            residuals: [half.clone(), half],
            part: T::from_f64(merged.iter().map(|&merged| if merged { 0.5 } else { 1.0 }).product()),
        })
    }

    /// Looks at two matrices that are filled anew.
    pub fn update(&mut self, fine: &Matrix<T, D>, coarse: &Matrix<T, D>) {
        if let Some(shares) = &mut self.shares {
            shares.update(fine, coarse, self.merged);
        }
    }

    /// The right-hand side of the coarse grid from b − A x on the red cells of the fine one. `b` may be left out when x is
    /// b / d there.
    pub fn restrict(
        &mut self,
        fine: &Matrix<T, D>,
        b: Option<&Checkered<T, D>>,
        x: &Checkered<T, D>,
        coarse: &mut Checkered<T, D>,
    ) {
        let shares = self.shares.as_ref();
        let shares_of = |at| shares.and_then(|shares| shares.of_row(fine.row_number(at), at));
        let [linear, constant] = &mut self.residuals;
        fine.residual_of_colour(RED, b, x, [linear, constant], |at, [residual, rest]| {
            if let Some([linear, constant]) = shares_of(at) {
                for cell in 0..residual.len() {
                    rest[cell] = constant[cell] * residual[cell];
                    residual[cell] = linear[cell] * residual[cell];
                }
            }
        });
        let [linear, constant] = &self.residuals;
        coarse.rows(|at, [even, odd]| {
            let gathering = Gathering { transfer: self, fine, linear, constant, at };
            fastest(Restriction { gathering, even, odd });
        });
    }

    /// Adds the interpolated correction to the red cells of `x`.
    pub fn prolong(&self, fine: &Matrix<T, D>, coarse: &Checkered<T, D>, x: &mut Checkered<T, D>) {
        par::rows(&mut x.halves[RED], |at, row| {
            let shares = self.shares.as_ref().and_then(|shares| shares.of_row(fine.row_number(at), at));
            fastest(Interpolation { transfer: self, coarse, at, shares, row });
        });
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

fn reached_from<T: Real>(parents: &[[(isize, T); 2]], coarse: usize) -> Vec<Reach<T>> {
    let mut reached = vec![Reach { count: 0, of: [(0, T::zeroed(), false); 4] }; coarse];
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

impl<T: Real> Reach<T> {
    fn push(&mut self, along: usize, weight: T, is_part: bool) {
        self.of[self.count] = (along as isize, weight, is_part);
        self.count += 1;
    }
}

/// One row of the interpolation.
struct Interpolation<'a, T, const D: usize> {
    transfer: &'a Transfer<T, D>,
    coarse: &'a Checkered<T, D>,
    at: [isize; D],
    shares: Option<[&'a [T]; 2]>,
    row: &'a mut [T],
}

/// Up to four coarse rows around a fine one, each as its even and odd cells, and their weights.
struct CoarseRows<'a, T> {
    rows: [[&'a [T]; 2]; 4],
    weights: [T; 4],
    count: usize,
}

impl<T: Real, const D: usize> Work for Interpolation<'_, T, D> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let rows = self.coarse_rows();
        let right = offset(RED, self.at);
        for start in (0..self.row.len()).step_by(CHUNK) {
            let cells = start..self.row.len().min(start + CHUNK);
            let corrections = match self.transfer.merged[0] {
                true => self.linear_chunk(&rows, cells.clone(), right),
                false => rows.sum_of_half(right, cells.clone()),
            };
            let row = &mut self.row[cells.clone()];
            match self.shares {
                None => (0..row.len()).for_each(|cell| row[cell] = row[cell] + corrections[cell]),
                Some(shares) => {
                    let [linear, constant] = shares.map(|share| &share[cells.clone()]);
                    for cell in 0..row.len() {
                        let own = rows.own(start + cell, right, self.transfer.merged[0]);
                        row[cell] = row[cell] + (linear[cell] * corrections[cell] + constant[cell] * own);
                    }
                }
            }
        }
    }
}

impl<'a, T: Real, const D: usize> Interpolation<'a, T, D> {
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

    /// The coarse cell that a fine one is part of.
    #[inline(always)]
    fn own(&self, cell: usize, right: usize, is_merged: bool) -> T {
        match is_merged {
            true => self.rows[0][cell & 1][cell >> 1],
            false => self.rows[0][right][cell],
        }
    }

    /// Weighted sums over the rows at the even cells (0) or the odd ones (1).
    #[inline(always)]
    fn sum_of_half(&self, half: usize, pairs: std::ops::Range<usize>) -> [T; CHUNK] {
        let mut sums = [T::zeroed(); CHUNK];
        for row in 0..self.count {
            let (values, weight) = (&self.rows[row][half][pairs.clone()], self.weights[row]);
            for pair in 0..values.len().min(CHUNK) {
                sums[pair] = sums[pair] + weight * values[pair];
            }
        }
        sums
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

/// The fine rows that take from a coarse one.
struct Gathering<'a, T, const D: usize> {
    transfer: &'a Transfer<T, D>,
    fine: &'a Matrix<T, D>,
    linear: &'a Field<T, D>,
    constant: &'a Field<T, D>,
    at: [isize; D],
}

impl<T: Real, const D: usize> Gathering<'_, T, D> {
    /// Calls `work` with each fine row, its weight and whether it is part of the coarse one.
    #[inline(always)]
    fn for_each(&self, mut work: impl FnMut([isize; D], T, bool)) {
        let single = Reach { count: 1, of: [(0, T::from_f64(1.0), true); 4] };
        let reach = |axis: usize| match axis < D {
            true => self.transfer.reached[axis][self.at[axis] as usize],
            false => single,
        };
        let (across, above) = (reach(1), reach(2));
        for &(z, z_weight, is_z_part) in &above.of[..above.count] {
            for &(y, y_weight, is_y_part) in &across.of[..across.count] {
                let row = std::array::from_fn(|axis| [0, y, z][axis]);
                work(row, y_weight * z_weight, is_y_part && is_z_part);
            }
        }
    }

    /// Sums over the fine rows at some of their red cells, apart for rows where those are the even cells (0) and the odd
    /// ones (1), with the cells before and after. Of constants without those, and without weights.
    #[inline(always)]
    fn sums(&self, cells: std::ops::Range<usize>) -> ([[T; CHUNK + 2]; 2], [[T; CHUNK + 2]; 2]) {
        let zeros = [[T::zeroed(); CHUNK + 2]; 2];
        let (mut linear, mut constant) = (zeros, zeros);
        let (before, width) = (usize::from(cells.start > 0), self.linear.size()[0]);
        let reach = cells.start - before..width.min(cells.end + 1);
        self.for_each(|row, weight, is_part| {
            let half = offset(RED, row);
            let values = &row_of(self.linear, row)[reach.clone()];
            let sums = &mut linear[half][1 - before..][..values.len()];
            (0..values.len()).for_each(|cell| sums[cell] = sums[cell] + weight * values[cell]);
            let shares = self.transfer.shares.as_ref();
            if is_part && shares.is_some_and(|shares| shares.of_row(self.fine.row_number(row), row).is_some()) {
                let values = &row_of(self.constant, row)[cells.clone()];
                let sums = &mut constant[half][1..][..values.len()];
                (0..values.len()).for_each(|cell| sums[cell] = sums[cell] + values[cell]);
            }
        });
        (linear, constant)
    }

    /// Weighted sum over the fine rows whose red cells are the even (0) or odd (1) ones, at one cell.
    #[inline(always)]
    fn sum_at(&self, half: usize, cell: usize) -> T {
        let mut sum = T::zeroed();
        self.for_each(|row, weight, _| {
            if offset(RED, row) == half {
                sum = sum + weight * row_of(self.linear, row)[cell];
            }
        });
        sum
    }
}

/// One row of the restriction, written to its even and odd cells.
struct Restriction<'a, T, const D: usize> {
    gathering: Gathering<'a, T, D>,
    even: &'a mut [T],
    odd: &'a mut [T],
}

impl<T: Real, const D: usize> Work for Restriction<'_, T, D> {
    type Result = ();

    #[inline(always)]
    fn run(mut self) {
        let width = self.gathering.linear.size()[0];
        for start in (0..width).step_by(CHUNK) {
            let cells = start..width.min(start + CHUNK);
            match self.gathering.transfer.merged[0] {
                true => self.write_merged(cells),
                false => self.write_single(cells),
            }
        }
        if self.gathering.transfer.merged[0] {
            self.close_ends(width - 1);
        }
    }
}

impl<T: Real, const D: usize> Restriction<'_, T, D> {
    #[inline(always)]
    fn write_single(&mut self, cells: std::ops::Range<usize>) {
        let (linear, constant) = self.gathering.sums(cells.clone());
        let part = self.gathering.transfer.part;
        for (half, out) in [&mut *self.even, &mut *self.odd].into_iter().enumerate() {
            for (place, cell) in cells.clone().enumerate() {
                out[cell] = part * (linear[half][place + 1] + constant[half][place + 1]);
            }
        }
    }

    /// Each coarse cell takes ¾ of the fine cells in it and ¼ of those beside it.
    #[inline(always)]
    fn write_merged(&mut self, cells: std::ops::Range<usize>) {
        let (linear, constant) = self.gathering.sums(cells.clone());
        let part = self.gathering.transfer.part;
        let (near, far) = (part * T::from_f64(0.75), part * T::from_f64(0.25));
        let mut sums = [T::zeroed(); CHUNK];
        for cell in 0..CHUNK {
            let inside = linear[0][cell + 1] + linear[1][cell + 1];
            let beside = linear[0][cell + 2] + linear[1][cell];
            let constants = constant[0][cell + 1] + constant[1][cell + 1];
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
            *out = *out + far * self.gathering.sum_at(half, end);
        }
    }
}
