//! Transforms of complex lines that lie one after another.

use std::sync::Arc;

use num_complex::Complex;

use super::kernel::{FftKernel, Sign};
use crate::value::Real;

/// Transforms lines of complex numbers of one length, in place and on the calling thread.
///
/// ```
/// use undine_grid::fft::{Complex, LineFft};
///
/// // Two lines of six: an impulse, and a wave that goes around once
/// let fft = LineFft::<f64>::new(6);
/// let mut lines = vec![Complex::new(0.0, 0.0); 12];
/// lines[0].re = 1.0;
/// for j in 0..6 {
///     lines[6 + j] = Complex::cis(std::f64::consts::TAU * j as f64 / 6.0);
/// }
/// let mut scratch = vec![Complex::new(0.0, 0.0); fft.scratch()];
/// fft.forward(&mut lines, &mut scratch);
/// assert!(lines[..6].iter().all(|value| (value - 1.0).norm() < 1e-12));
/// assert!((lines[7] - 6.0).norm() < 1e-12 && lines[8].norm() < 1e-12);
/// fft.inverse(&mut lines, &mut scratch);
/// assert!((lines[0] - 6.0).norm() < 1e-12);
/// ```
#[derive(Debug, Clone)]
pub struct LineFft<T> {
    length: usize,
    forward: Arc<dyn FftKernel<T>>,
    inverse: Arc<dyn FftKernel<T>>,
}

impl<T: Real> LineFft<T> {
    /// For lines of `length` values, at least one.
    pub fn new(length: usize) -> Self {
        let length = length.max(1);
        LineFft { length, forward: T::plan(length, Sign::Minus), inverse: T::plan(length, Sign::Plus) }
    }

    /// Values of a line.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Values of scratch memory that a call needs, for any number of lines.
    pub fn scratch(&self) -> usize {
        self.forward.scratch().max(self.inverse.scratch())
    }

    /// X[k] = Σ x[j] exp(−2πi jk/n) for every line.
    ///
    /// # Panics
    /// When `lines` are no whole lines, or `scratch` is too short.
    pub fn forward(&self, lines: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        self.forward.transform(lines, scratch);
    }

    /// x[j] = Σ X[k] exp(+2πi jk/n) for every line; n times what [`LineFft::forward`] was given.
    ///
    /// # Panics
    /// When `lines` are no whole lines, or `scratch` is too short.
    pub fn inverse(&self, lines: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        self.inverse.transform(lines, scratch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every length against the sum, forward and inverse, two lines at once.
    fn check<T: Real>(length: usize, tolerance: f64) {
        let value = |j: usize| (((j * 7 + 1) as f64).sin(), ((j * 3 + 2) as f64).cos());
        let fft = LineFft::<T>::new(length);
        let given: Vec<Complex<T>> = (0..2 * length)
            .map(|j| Complex { re: T::from_f64(value(j).0), im: T::from_f64(value(j).1) })
            .collect();
        let zero = Complex { re: T::zeroed(), im: T::zeroed() };
        let mut scratch = vec![zero; fft.scratch()];
        for sign in [-1.0, 1.0] {
            let mut lines = given.clone();
            match sign < 0.0 {
                true => fft.forward(&mut lines, &mut scratch),
                false => fft.inverse(&mut lines, &mut scratch),
            }
            for k in 0..length {
                let (mut re, mut im) = (0.0, 0.0);
                for j in 0..length {
                    let angle = sign * std::f64::consts::TAU * (j * k % length) as f64 / length as f64;
                    let (x, y) = value(length + j);
                    re += x * angle.cos() - y * angle.sin();
                    im += x * angle.sin() + y * angle.cos();
                }
                let error =
                    (lines[length + k].re.to_f64() - re).abs() + (lines[length + k].im.to_f64() - im).abs();
                assert!(error < tolerance * length as f64, "{length} {sign} {k}: {error}");
            }
        }
    }

    #[test]
    fn every_length_agrees_with_the_sum() {
        for length in (1..=130).chain([256, 257, 360]) {
            check::<f64>(length, 1e-13);
            check::<f32>(length, 1e-5);
        }
    }
}
