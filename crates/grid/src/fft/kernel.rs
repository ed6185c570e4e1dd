//! The kernel: rustfft behind a trait object per precision, so that code generic in the number type can plan.

use std::fmt::Debug;
use std::sync::Arc;

use num_complex::Complex;
use rustfft::{Fft, FftDirection, FftPlanner};

/// Sign of the exponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// exp(−2πi jk/n).
    Minus,
    /// exp(+2πi jk/n).
    Plus,
}

/// Transforms whole lines of one length in place.
pub trait FftKernel<T>: Debug + Send + Sync {
    /// Transforms every line of `lines`.
    fn transform(&self, lines: &mut [Complex<T>], scratch: &mut [Complex<T>]);

    /// Values of scratch memory that a call needs.
    fn scratch(&self) -> usize;
}

/// A precision that transforms can be planned for.
pub trait Planned: Sized {
    /// Prepares for lines of a length above zero.
    fn plan(length: usize, sign: Sign) -> Arc<dyn FftKernel<Self>>;
}

struct Rustfft<T>(Arc<dyn Fft<T>>);

impl<T: rustfft::FftNum> Debug for Rustfft<T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Rustfft({}, {:?})", self.0.len(), self.0.fft_direction())
    }
}

impl<T: rustfft::FftNum> FftKernel<T> for Rustfft<T> {
    fn transform(&self, lines: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        self.0.process_with_scratch(lines, scratch);
    }

    fn scratch(&self) -> usize {
        self.0.get_inplace_scratch_len()
    }
}

fn plan<T: rustfft::FftNum>(length: usize, sign: Sign) -> Arc<dyn FftKernel<T>> {
    let direction = match sign {
        Sign::Minus => FftDirection::Forward,
        Sign::Plus => FftDirection::Inverse,
    };
    Arc::new(Rustfft(FftPlanner::new().plan_fft(length, direction)))
}

impl Planned for f32 {
    fn plan(length: usize, sign: Sign) -> Arc<dyn FftKernel<f32>> {
        plan(length, sign)
    }
}

impl Planned for f64 {
    fn plan(length: usize, sign: Sign) -> Arc<dyn FftKernel<f64>> {
        plan(length, sign)
    }
}
