//! Sums, products and combinations of rows.
//!
//! Loops run over blocks of [`WIDTH`] values, which the compiler vectorises without checks whether slices
//! overlap. [`simd::dispatch`] chooses the registers; the bits are equal on every machine.

use crate::simd;
use crate::value::Real;

/// Values of a block.
pub(super) const WIDTH: usize = 8;

/// Sum of the products of two rows, in double precision.
#[inline]
pub(super) fn product<T: Real>(a: &[T], b: &[T]) -> f64 {
    simd::dispatch(
        #[inline(always)]
        || sum_of_products(a, b),
    )
}

#[inline(always)]
fn sum_of_products<T: Real>(a: &[T], b: &[T]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<WIDTH>(), b.as_chunks::<WIDTH>());
    let b = &b[..a.len()];
    let mut sums = [0.0; WIDTH];
    for block in 0..a.len() {
        for lane in 0..WIDTH {
            sums[lane] += a[block][lane].to_f64() * b[block][lane].to_f64();
        }
    }
    for (lane, (a, b)) in a_rest.iter().zip(b_rest).enumerate() {
        sums[lane] += a.to_f64() * b.to_f64();
    }
    ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]))
}

/// Adds `factor * from` to a row.
#[inline]
pub(super) fn add<T: Real>(to: &mut [T], factor: T, from: &[T]) {
    simd::dispatch(
        #[inline(always)]
        || combine(to, T::from_f64(1.0), factor, from),
    );
}

/// Turns a row into `own * row + from`.
#[inline]
pub(super) fn scale_and_add<T: Real>(to: &mut [T], own: T, from: &[T]) {
    simd::dispatch(
        #[inline(always)]
        || combine(to, own, T::from_f64(1.0), from),
    );
}

/// Turns a row into `own * row + factor * from`.
#[inline(always)]
fn combine<T: Real>(to: &mut [T], own: T, factor: T, from: &[T]) {
    let from = &from[..to.len()];
    for x in 0..to.len() {
        to[x] = own * to[x] + factor * from[x];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_and_narrow_registers_give_the_same_bits() {
        let row: Vec<f32> = (0..77).map(|n| (n as f32 * 1.7).sin()).collect();
        let other: Vec<f32> = (0..77).map(|n| (n as f32 * 0.3).cos()).collect();
        assert_eq!(product(&row, &other), sum_of_products(&row, &other));
        let (mut wide, mut narrow) = (row.clone(), row.clone());
        add(&mut wide, 0.37, &other);
        combine(&mut narrow, 1.0, 0.37, &other);
        assert_eq!(wide, narrow);
        let plain: f64 = row.iter().zip(&other).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
        assert!((product(&row, &other) - plain).abs() < 1e-12);
    }
}
