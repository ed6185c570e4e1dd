//! Loops over rows, compiled once for any machine and once for AVX2, and chosen at run time.
//!
//! Both versions do the same operations in the same order, and neither contracts a product and a sum into one rounding:
//! the bits are equal. Loops run over blocks of [`WIDTH`] values, which the compiler turns into whole registers without
//! asking whether slices overlap.

use crate::value::Real;

/// Values of a block.
pub(super) const WIDTH: usize = 8;

/// Something to compile twice. `run` must be inlined, and so must everything hot below it.
pub(super) trait Work {
    /// What comes out.
    type Result;

    /// Does it.
    fn run(self) -> Self::Result;
}

/// Does the work with the widest registers of this machine.
#[inline]
pub(super) fn fastest<W: Work>(work: W) -> W::Result {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has AVX2, which is all that `on_avx2` asks for.
        return unsafe { on_avx2(work) };
    }
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn on_avx2<W: Work>(work: W) -> W::Result {
    work.run()
}

/// Sum of the products of two rows, in double precision.
#[inline]
pub(super) fn product<T: Real>(a: &[T], b: &[T]) -> f64 {
    fastest(Product { a, b })
}

struct Product<'a, T> {
    a: &'a [T],
    b: &'a [T],
}

impl<T: Real> Work for Product<'_, T> {
    type Result = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let ((a, a_rest), (b, b_rest)) = (self.a.as_chunks::<WIDTH>(), self.b.as_chunks::<WIDTH>());
        let b = &b[..a.len()];
        let mut lanes = [0.0; WIDTH];
        for block in 0..a.len() {
            for lane in 0..WIDTH {
                lanes[lane] += a[block][lane].to_f64() * b[block][lane].to_f64();
            }
        }
        for (lane, (a, b)) in a_rest.iter().zip(b_rest).enumerate() {
            lanes[lane] += a.to_f64() * b.to_f64();
        }
        ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]))
    }
}

/// Adds `factor * from` to a row.
#[inline]
pub(super) fn add<T: Real>(to: &mut [T], factor: T, from: &[T]) {
    fastest(Combine { to, own: T::from_f64(1.0), factor, from });
}

/// Turns a row into `own * row + from`.
#[inline]
pub(super) fn scale_and_add<T: Real>(to: &mut [T], own: T, from: &[T]) {
    fastest(Combine { to, own, factor: T::from_f64(1.0), from });
}

struct Combine<'a, T> {
    to: &'a mut [T],
    own: T,
    factor: T,
    from: &'a [T],
}

impl<T: Real> Work for Combine<'_, T> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let from = &self.from[..self.to.len()];
        for x in 0..self.to.len() {
            self.to[x] = self.own * self.to[x] + self.factor * from[x];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_and_narrow_registers_give_the_same_bits() {
        let row: Vec<f32> = (0..77).map(|n| (n as f32 * 1.7).sin()).collect();
        let other: Vec<f32> = (0..77).map(|n| (n as f32 * 0.3).cos()).collect();
        assert_eq!(product(&row, &other), Product { a: &row, b: &other }.run());
        let (mut wide, mut narrow) = (row.clone(), row.clone());
        add(&mut wide, 0.37, &other);
        Combine { to: &mut narrow, own: 1.0, factor: 0.37, from: &other }.run();
        assert_eq!(wide, narrow);
        let plain: f64 = row.iter().zip(&other).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
        assert!((product(&row, &other) - plain).abs() < 1e-12);
    }
}
