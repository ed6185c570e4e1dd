//! Reductions whose result does not depend on the number of threads.

use std::ops::Range;

use super::{join, pieces_per_task};
use crate::field::Field;
use crate::value::{Real, Value};

/// Sums of a row are kept in this many lanes, so that additions overlap; the lanes are then added in pairs.
const LANES: usize = 8;

/// Cuts `0..count` into parts of `grain`, makes a result of each and combines neighbours pair by pair in a fixed tree.
/// `None` when `count` is zero.
///
/// ```
/// let harmonic = undine_grid::par::fold(
///     1000,
///     64,
///     |part| part.map(|n| 1.0 / (n + 1) as f64).sum::<f64>(),
///     |low, high| low + high,
/// );
/// assert!((harmonic.unwrap() - 7.485470860550345).abs() < 1e-14);
/// ```
pub fn fold<A: Send>(
    count: usize,
    grain: usize,
    part: impl Fn(Range<usize>) -> A + Sync,
    combine: impl Fn(A, A) -> A + Sync,
) -> Option<A> {
    (count > 0).then(|| fold_range(0..count, grain.max(1), &part, &combine))
}

fn fold_range<A: Send>(
    range: Range<usize>,
    grain: usize,
    part: &(impl Fn(Range<usize>) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> A {
    let grains = range.len().div_ceil(grain);
    if grains <= 1 {
        return part(range);
    }
    let middle = range.start + grains / 2 * grain;
    let (low, high) = join(
        || fold_range(range.start..middle, grain, part, combine),
        || fold_range(middle..range.end, grain, part, combine),
    );
    combine(low, high)
}

/// Reduces each row to a number and combines the rows in a fixed order.
fn fold_rows<T: Value, const D: usize>(
    field: &Field<T, D>,
    start: f64,
    row_value: impl Fn([isize; D], &[T]) -> f64 + Sync,
    combine: impl Fn(f64, f64) -> f64 + Sync,
) -> f64 {
    let layout = field.layout();
    let part = |rows: Range<usize>| {
        let starts = rows.filter_map(|row| layout.row_start(row));
        starts.fold(start, |so_far, at| combine(so_far, row_value(at, field.row(at))))
    };
    fold_numbers(layout.stored_rows(), pieces_per_task(layout.pitch()), &part, &combine).unwrap_or(start)
}

/// [`fold`] for numbers, compiled once; see [`super::indexed_sum`].
fn fold_numbers(
    count: usize,
    grain: usize,
    part: &(dyn Fn(Range<usize>) -> f64 + Sync),
    combine: &(dyn Fn(f64, f64) -> f64 + Sync),
) -> Option<f64> {
    fold(count, grain, part, combine)
}

/// Sum of `term` over all samples, in double precision and in a fixed order. Ghosts do not count. Where a periodic
/// field has samples on its sides, the repeated ones do: see [`Field::distinct_size`].
///
/// ```
/// use undine_grid::{Condition, Field, Grid, Location, par};
///
/// let grid = Grid::new([100, 50], [0.1, 0.1], [0.0, 0.0])?;
/// let mut depth = Field::<f32, 2>::new(grid, Location::Center, Condition::Wall, 1)?;
/// depth.fill(2.0);
/// let volume = par::sum(&depth, f64::from) * grid.cell_measure();
/// assert!((volume - 100.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sum<T: Value, const D: usize>(field: &Field<T, D>, term: impl Fn(T) -> f64 + Sync) -> f64 {
    fold_rows(field, 0.0, |_, row| sum_in_lanes(row.len(), |x| term(row[x])), |a, b| a + b)
}

/// Sum of the products of two fields, in double precision and in a fixed order.
///
/// # Panics
/// When the fields differ in grid, location or ghosts.
pub fn dot<T: Real, const D: usize>(a: &Field<T, D>, b: &Field<T, D>) -> f64 {
    a.assert_alike(b);
    let row_product = |at, row: &[T]| {
        let other = &b.row(at)[..row.len()];
        sum_in_lanes(row.len(), |x| row[x].to_f64() * other[x].to_f64())
    };
    fold_rows(a, 0.0, row_product, |a, b| a + b)
}

/// Greatest `measure` of all samples. NaN when any is NaN, so that none can hide.
pub fn max<T: Value, const D: usize>(field: &Field<T, D>, measure: impl Fn(T) -> f64 + Sync) -> f64 {
    let row_max = |_, row: &[T]| row.iter().map(|&value| measure(value)).fold(f64::NEG_INFINITY, greater);
    fold_rows(field, f64::NEG_INFINITY, row_max, greater)
}

/// Least `measure` of all samples. NaN when any is NaN, so that none can hide.
pub fn min<T: Value, const D: usize>(field: &Field<T, D>, measure: impl Fn(T) -> f64 + Sync) -> f64 {
    -max(field, |value| -measure(value))
}

fn greater(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

#[inline]
fn sum_in_lanes(count: usize, term: impl Fn(usize) -> f64) -> f64 {
    let mut lanes = [0.0; LANES];
    let full_lanes = count - count % LANES;
    for start in (0..full_lanes).step_by(LANES) {
        for lane in 0..LANES {
            lanes[lane] += term(start + lane);
        }
    }
    for (lane, index) in (full_lanes..count).enumerate() {
        lanes[lane] += term(index);
    }
    ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Condition, Grid, Location};

    fn rough<const D: usize>(cells: [usize; D]) -> Field<f32, D> {
        let grid = Grid::new(cells, [0.7; D], [0.0; D]).unwrap();
        let mut field = Field::new(grid, Location::Center, Condition::Open, 1).unwrap();
        field.set_by_position(|point| (1e3 * point.iter().sum::<f64>().sin()).sin() * 1e3);
        field.storage_mut()[0] = f32::NAN;
        field
    }

    #[test]
    fn sums_are_right_and_skip_ghosts_and_padding() {
        let field = rough([301, 77, 3]);
        let plain: f64 = field.to_dense().iter().map(|&value| f64::from(value)).sum();
        let squares: f64 = field.to_dense().iter().map(|&value| f64::from(value).powi(2)).sum();
        assert!((sum(&field, f64::from) - plain).abs() < 1e-6);
        assert!((dot(&field, &field) / squares - 1.0).abs() < 1e-12);
    }

    #[test]
    fn no_nan_hides_from_an_extreme() {
        let mut field = rough([33, 20]);
        let dense = field.to_dense();
        let greatest = dense.iter().copied().fold(f32::MIN, f32::max);
        let least = dense.iter().copied().fold(f32::MAX, f32::min);
        assert_eq!((max(&field, f64::from), min(&field, f64::from)), (greatest.into(), least.into()));
        field[[32, 19]] = f32::NAN;
        assert!(max(&field, f64::from).is_nan() && min(&field, f64::from).is_nan());
        field[[32, 19]] = 0.0;
        field[[0, 0]] = f32::NAN;
        assert!(max(&field, f64::from).is_nan() && min(&field, f64::from).is_nan());
    }

    #[test]
    fn nothing_folds_to_nothing() {
        assert_eq!(fold(0, 4, |range| range.len(), |a, b| a + b), None);
        assert_eq!(fold(9, 0, |range| range.len(), |a, b| a + b), Some(9));
    }
}
