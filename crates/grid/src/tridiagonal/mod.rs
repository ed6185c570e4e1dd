//! Tridiagonal systems: lower x[i-1] + diagonal x[i] + upper x[i+1] = right.
//!
//! They are what an implicit step along one axis leaves to solve. Thomas' algorithm [thomas1949] eliminates the lower
//! entries from the first row to the last, then substitutes backwards: 8 operations and one division a row, in place
//! of the n² of a dense solver. It needs no pivots, and divides by nothing near zero, when each diagonal entry
//! outweighs the other two of its row, |diagonal| > |lower| + |upper|: any implicit diffusion or wave does.
//!
//! Each row waits for the one before it, so a single system cannot use wide registers. Many systems side by side can:
//! [`bundles`] hands out the lines of a field in bundles, and the per-row operations of this page ([`TridiagonalRow`],
//! [`Reduced`]) are small enough to be woven into a solver's own loop over them. Systems with the same coefficients share
//! one elimination ([`Factors`]), which also takes lines that are periodic.

mod bundle;
mod factors;
mod lines;

pub use bundle::{Bundle, bundles};
pub use factors::{Factors, solve_lane};
pub use lines::StridedLines;

use crate::value::Real;

/// One row of a system: `lower x[i-1] + diagonal x[i] + upper x[i+1] = right`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TridiagonalRow<T> {
    /// Factor of the unknown before.
    pub lower: T,
    /// Factor of the unknown itself.
    pub diagonal: T,
    /// Factor of the unknown after.
    pub upper: T,
    /// The right-hand side.
    pub right: T,
}

/// How the lower entry of a row is eliminated, whatever its right-hand side: x[i] = (right − lower r[i−1]) scale + weight
/// x[i+1], where r[i−1] is what the row before was left with.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Elimination<T> {
    lower: T,
    scale: T,
    weight: T,
}

impl<T: Real> Elimination<T> {
    /// Of a row after one with this weight.
    #[inline(always)]
    fn new(weight_before: T, row: TridiagonalRow<T>) -> Self {
        let scale = T::from_f64(1.0) / (row.diagonal + row.lower * weight_before);
        Elimination { lower: row.lower, scale, weight: -row.upper * scale }
    }

    /// The reduced right-hand side.
    #[inline(always)]
    fn reduce(self, right: T, before: T) -> T {
        (right - self.lower * before) * self.scale
    }
}

/// A row whose lower entry has been eliminated: `x[i] = right + weight x[i+1]`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Reduced<T> {
    /// Weight of the next unknown.
    pub weight: T,
    /// The constant part.
    pub right: T,
}

impl<T: Real> Reduced<T> {
    /// Eliminates the lower entry of the row after this one. Before the first row stands `Reduced::default()`.
    #[inline(always)]
    pub fn eliminate(self, row: TridiagonalRow<T>) -> Reduced<T> {
        let elimination = Elimination::new(self.weight, row);
        Reduced { weight: elimination.weight, right: elimination.reduce(row.right, self.right) }
    }

    /// The unknown of this row, when the one after it is known. After the last stands zero.
    #[inline(always)]
    pub fn substitute(self, after: T) -> T {
        self.right + self.weight * after
    }
}

/// Solves one system. `row(i)` gives its rows; the unknowns are written to `unknowns`, whose length is the number of
/// rows. `lower` of the first row and `upper` of the last are not used.
///
/// The diagonal must outweigh its row, as [the module](self) says; otherwise the result may hold infinities or NaN.
/// `room` is working memory of the same length, so that nothing is allocated.
///
/// ```
/// use undine_grid::tridiagonal::{Reduced, TridiagonalRow, solve};
///
/// // Heat along a rod of four cells after one implicit step of diffusion; its ends are insulated
/// let heat = [4.0, 0.0, 0.0, 0.0];
/// let row = |i: usize| {
///     let (lower, upper) = (if i > 0 { -1.0 } else { 0.0 }, if i < 3 { -1.0 } else { 0.0 });
///     TridiagonalRow { lower, diagonal: 1.0 - lower - upper, upper, right: heat[i] }
/// };
/// let mut after = [0.0; 4];
/// solve(row, &mut after, &mut [Reduced::default(); 4]);
/// assert!(after[0] > after[1] && after[3] > 0.0);
/// assert!((after.iter().sum::<f64>() - 4.0).abs() < 1e-15);
/// ```
pub fn solve<T: Real>(row: impl Fn(usize) -> TridiagonalRow<T>, unknowns: &mut [T], room: &mut [Reduced<T>]) {
    let mut before = Reduced::default();
    for (index, reduced) in room.iter_mut().enumerate().take(unknowns.len()) {
        before = before.eliminate(row(index));
        *reduced = before;
    }
    let mut after = T::default();
    for (unknown, reduced) in unknowns.iter_mut().zip(room.iter()).rev() {
        // The upper entry of the last row meets the zero that `after` starts with.
        after = reduced.substitute(after);
        *unknown = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gauss' elimination with pivots, on all n² entries.
    fn dense(rows: &[TridiagonalRow<f64>]) -> Vec<f64> {
        let n = rows.len();
        let mut matrix = vec![vec![0.0; n + 1]; n];
        for (i, row) in rows.iter().enumerate() {
            (matrix[i][i], matrix[i][n]) = (row.diagonal, row.right);
            if i > 0 {
                matrix[i][i - 1] = row.lower;
            }
            if i + 1 < n {
                matrix[i][i + 1] = row.upper;
            }
        }
        for column in 0..n {
            let pivot = (column..n)
                .max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))
                .unwrap();
            matrix.swap(column, pivot);
            for i in (0..n).filter(|&i| i != column) {
                let factor = matrix[i][column] / matrix[column][column];
                for j in column..=n {
                    matrix[i][j] -= factor * matrix[column][j];
                }
            }
        }
        (0..n).map(|i| matrix[i][n] / matrix[i][i]).collect()
    }

    fn rows(count: usize, courant: f64) -> Vec<TridiagonalRow<f64>> {
        let rough = |i: usize, salt: f64| 0.5 + 0.5 * (12.9898 * i as f64 + salt).sin();
        let conductance = |i: usize| courant * courant * rough(i, 0.3);
        let row = |i: usize| {
            let (lower, upper) = (-conductance(i), -conductance(i + 1));
            TridiagonalRow { lower, diagonal: 1.0 - lower - upper, upper, right: rough(i, 4.1) - 0.5 }
        };
        (0..count).map(row).collect()
    }

    fn solved<T: Real>(rows: &[TridiagonalRow<f64>]) -> Vec<f64> {
        let number = T::from_f64;
        let row = |i: usize| TridiagonalRow {
            lower: number(rows[i].lower),
            diagonal: number(rows[i].diagonal),
            upper: number(rows[i].upper),
            right: number(rows[i].right),
        };
        let mut unknowns = vec![T::default(); rows.len()];
        solve(row, &mut unknowns, &mut vec![Reduced::default(); rows.len()]);
        unknowns.into_iter().map(T::to_f64).collect()
    }

    #[test]
    fn the_solution_is_that_of_a_dense_solver() {
        for count in [1, 2, 3, 4, 17, 100] {
            for courant in [0.0, 0.1, 1.0, 50.0] {
                let rows = rows(count, courant);
                let wanted = dense(&rows);
                for (index, wanted) in wanted.iter().enumerate() {
                    assert!((solved::<f64>(&rows)[index] - wanted).abs() < 1e-12, "{count} at {courant}");
                    assert!((solved::<f32>(&rows)[index] - wanted).abs() < 2e-4, "{count} at {courant}");
                }
            }
        }
    }

    #[test]
    fn a_dominant_diagonal_keeps_the_solution_within_the_right_hand_side() {
        let rows = rows(1000, 1e4);
        let (low, high) = rows
            .iter()
            .fold((f64::MAX, f64::MIN), |(low, high), row| (low.min(row.right), high.max(row.right)));
        assert!(solved::<f64>(&rows).iter().all(|unknown| (low..=high).contains(unknown)));
    }

    #[test]
    fn no_rows_are_no_work() {
        let nothing = TridiagonalRow { lower: 0.0, diagonal: 0.0, upper: 0.0, right: 0.0 };
        solve(|_| nothing, &mut [], &mut []);
    }
}
