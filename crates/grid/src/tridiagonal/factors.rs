//! Factorisation shared by systems with the same coefficients, also periodic ones.
//!
//! A periodic line couples its first unknown to its last: `lower` of the first row and `upper` of the last are corners of
//! the matrix. A = B + u vᵀ with u = (γ, 0, …, 0, upper[n−1]), v = (1, 0, …, 0, lower[0]/γ) and γ = −diagonal[0]; then
//! x = y − z (v·y)/(1 + v·z), where B y = right and B z = u [sherman1950].

use super::{Elimination, TridiagonalRow};
use crate::value::Real;

/// The elimination of one matrix, made once and used for many right-hand sides.
///
/// ```
/// use undine_grid::tridiagonal::{Factors, TridiagonalRow};
///
/// // Diffusion on two rings of four cells
/// let row = |_| TridiagonalRow { lower: -1.0, diagonal: 3.0, upper: -1.0, right: 0.0 };
/// let mut factors = Factors::with_capacity(4);
/// factors.factor(4, row, true);
/// let mut heat = [[4.0_f64, 1.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0]];
/// factors.solve(&mut heat);
/// assert!((heat[1][0] - heat[3][0]).abs() < 1e-15 && heat[2][0] < heat[1][0]);
/// assert!((heat[2][1] - 1.0).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Factors<T> {
    rows: Vec<Elimination<T>>,
    /// z, the response to the corners.
    response: Vec<T>,
    correction: Option<CyclicCorrection<T>>,
}

/// Sherman–Morrison correction of a cyclic system, which turns B⁻¹ into A⁻¹: the last entry of v, and 1/(1 + v·z).
#[derive(Debug, Clone, Copy)]
struct CyclicCorrection<T> {
    last: T,
    scale: T,
}

impl<T: Real> Factors<T> {
    /// Memory for systems of up to `rows` rows, so that nothing is allocated later.
    pub fn with_capacity(rows: usize) -> Self {
        Factors { rows: Vec::with_capacity(rows), response: Vec::with_capacity(rows), correction: None }
    }

    /// Eliminates a matrix of `length` rows; their right-hand sides are not used. `is_periodic` says whether the corners
    /// count.
    pub fn factor(&mut self, length: usize, row: impl Fn(usize) -> TridiagonalRow<T>, is_periodic: bool) {
        self.rows.clear();
        self.response.clear();
        self.correction = None;
        if length == 0 {
            return;
        }
        // Forward elimination of B, the matrix without its corners
        let split = is_periodic.then(|| Split::new(row(0), row(length - 1)));
        let mut before = T::zeroed();
        for index in 0..length {
            let row = split.map_or(row(index), |split| split.without_corners(row(index), index, length));
            let elimination = Elimination::new(before, row);
            before = elimination.weight;
            self.rows.push(elimination);
        }
        // Sherman–Morrison for the corners: z = B⁻¹ u and 1/(1 + v·z) [sherman1950]
        if let Some(split) = split {
            self.response.extend((0..length).map(|index| split.u(index, length)));
            let (rows, response) = (&self.rows, &mut self.response);
            substitute(
                rows,
                T::zeroed(),
                response,
                |value, lower, before, scale| (value - lower * before) * scale,
                |value, weight, after| value + weight * after,
            );
            let last = split.v_last();
            let scale =
                T::from_f64(1.0) / (T::from_f64(1.0) + self.response[0] + last * self.response[length - 1]);
            self.correction = Some(CyclicCorrection { last, scale });
        }
    }

    /// Solves `W` systems side by side: right-hand sides become unknowns.
    ///
    /// # Panics
    /// When there are more values than rows.
    #[inline(always)]
    pub fn solve<const W: usize>(&self, values: &mut [[T; W]]) {
        let length = values.len();
        substitute(
            &self.rows[..length],
            [T::zeroed(); W],
            values,
            |value, lower, before, scale| {
                std::array::from_fn(|lane| (value[lane] - lower * before[lane]) * scale)
            },
            |value, weight, after| std::array::from_fn(|lane| value[lane] + weight * after[lane]),
        );
        if let (Some(correction), true) = (self.correction, length > 0) {
            let sum: [T; W] = std::array::from_fn(|lane| {
                correction.scale * (values[0][lane] + correction.last * values[length - 1][lane])
            });
            for (value, &response) in values.iter_mut().zip(&self.response) {
                (0..W).for_each(|lane| value[lane] = value[lane] - response * sum[lane]);
            }
        }
    }
}

/// Forward elimination of right-hand sides and backward substitution, for numbers or for several side by side.
#[inline(always)]
fn substitute<T: Real, V: Copy>(
    rows: &[Elimination<T>],
    zero: V,
    values: &mut [V],
    reduce: impl Fn(V, T, V, T) -> V,
    add: impl Fn(V, T, V) -> V,
) {
    let mut before = zero;
    for (row, value) in rows.iter().zip(values.iter_mut()) {
        *value = reduce(*value, row.lower, before, row.scale);
        before = *value;
    }
    for index in (0..values.len().saturating_sub(1)).rev() {
        values[index] = add(values[index], rows[index].weight, values[index + 1]);
    }
}

/// A periodic matrix as B + u vᵀ.
#[derive(Debug, Clone, Copy)]
struct Split<T> {
    gamma: T,
    /// `lower` of the first row, and `upper` of the last.
    corners: [T; 2],
}

impl<T: Real> Split<T> {
    fn new(first: TridiagonalRow<T>, last: TridiagonalRow<T>) -> Self {
        Split { gamma: -first.diagonal, corners: [first.lower, last.upper] }
    }

    /// A row of B.
    #[inline(always)]
    fn without_corners(self, mut row: TridiagonalRow<T>, index: usize, length: usize) -> TridiagonalRow<T> {
        if index == 0 {
            row.diagonal = row.diagonal - self.gamma;
            row.lower = T::zeroed();
        }
        if index + 1 == length {
            row.diagonal = row.diagonal - self.corners[0] * self.corners[1] / self.gamma;
            row.upper = T::zeroed();
        }
        row
    }

    #[inline(always)]
    fn u(self, index: usize, length: usize) -> T {
        match index {
            _ if index + 1 == length => self.corners[1],
            0 => self.gamma,
            _ => T::zeroed(),
        }
    }

    fn v_last(self) -> T {
        self.corners[0] / self.gamma
    }
}

/// Solves one of `W` systems side by side whose coefficients are its own. `row(i, value)` gives row i for what stands in
/// `values`; the unknowns replace that. `room` is working memory, twice as long.
///
/// # Panics
/// When `lane` is not below `W`, or the room is too short.
pub fn solve_lane<T: Real, const W: usize>(
    row: impl Fn(usize, T) -> TridiagonalRow<T>,
    is_periodic: bool,
    lane: usize,
    values: &mut [[T; W]],
    room: &mut [[T; W]],
) {
    let (zero, one, length) = (T::zeroed(), T::from_f64(1.0), values.len());
    if length == 0 {
        return;
    }
    let split = is_periodic.then(|| Split::new(row(0, zero), row(length - 1, zero)));
    let (weights, responses) = room.split_at_mut(length);

    // Eliminate from the first row to the last
    let (mut weight, mut value, mut response) = (zero, zero, zero);
    for index in 0..length {
        let entry = row(index, values[index][lane]);
        let entry = split.map_or(entry, |split| split.without_corners(entry, index, length));
        let elimination = Elimination::new(weight, entry);
        weight = elimination.weight;
        value = elimination.reduce(entry.right, value);
        response = elimination.reduce(split.map_or(zero, |split| split.u(index, length)), response);
        (weights[index][lane], values[index][lane], responses[index][lane]) = (weight, value, response);
    }

    // Substitute backwards, then take the corners' part off
    for index in (0..length - 1).rev() {
        let weight = weights[index][lane];
        values[index][lane] = values[index][lane] + weight * values[index + 1][lane];
        responses[index][lane] = responses[index][lane] + weight * responses[index + 1][lane];
    }
    if let Some(split) = split {
        let (last, end) = (split.v_last(), length - 1);
        let sum = (values[0][lane] + last * values[end][lane])
            / (one + responses[0][lane] + last * responses[end][lane]);
        for index in 0..length {
            values[index][lane] = values[index][lane] - responses[index][lane] * sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A x for a system whose corners count or not.
    fn applied(
        row: &impl Fn(usize) -> TridiagonalRow<f64>,
        is_periodic: bool,
        x: &[f64],
        index: usize,
    ) -> f64 {
        let (length, own) = (x.len(), row(index));
        let before = if index > 0 {
            x[index - 1]
        } else if is_periodic {
            x[length - 1]
        } else {
            0.0
        };
        let after = if index + 1 < length {
            x[index + 1]
        } else if is_periodic {
            x[0]
        } else {
            0.0
        };
        own.lower * before + own.diagonal * x[index] + own.upper * after
    }

    #[test]
    fn shared_and_own_rows_find_the_unknowns() {
        for is_periodic in [false, true] {
            for length in [3, 4, 5, 17, 100] {
                let row = |i: usize| {
                    let (lower, upper) = (-0.3 - (i as f64).sin().abs(), -0.2 - (3.0 * i as f64).cos().abs());
                    TridiagonalRow { lower, diagonal: 1.0 - lower - upper, upper, right: 0.0 }
                };
                let wanted =
                    |lane: usize| (0..length).map(|i| ((7 * i + lane) as f64).sin()).collect::<Vec<_>>();
                let right =
                    |index: usize| [0, 1].map(|lane| applied(&row, is_periodic, &wanted(lane), index));
                // Both solvers start from the right-hand side of known unknowns
                let mut shared: Vec<[f64; 2]> = (0..length).map(right).collect();
                let mut own = shared.clone();
                let mut factors = Factors::with_capacity(length);
                factors.factor(length, row, is_periodic);
                factors.solve(&mut shared);
                let mut room = vec![[0.0; 2]; 2 * length];
                for lane in 0..2 {
                    let with = |index: usize, right: f64| TridiagonalRow { right, ..row(index) };
                    solve_lane(with, is_periodic, lane, &mut own, &mut room);
                    for (index, wanted) in wanted(lane).into_iter().enumerate() {
                        for found in [shared[index][lane], own[index][lane]] {
                            assert!(
                                (found - wanted).abs() < 1e-12,
                                "{length} {is_periodic}: {found} {wanted}"
                            );
                        }
                    }
                }
            }
        }
    }
}
