//! Fast Fourier transforms: X[k] = Σ x[j] exp(∓2πi jk/n), of any length, in single and double precision.
//!
//! | type | what it transforms |
//! |---|---|
//! | [`LineFft`] | lines of complex numbers, one after another in memory |
//! | [`Fft2`] | planes of complex numbers, several at once, in parallel |
//! | [`RealFft2`] | planes of real numbers to half spectra and back, several at once, in parallel |
//! | [`WaveTransform`] | pairs of real lines into the waves that fit between two sides: DCT-II, DST-II, DCT-IV, DFT |
//!
//! Nothing is normalised: forward and then inverse multiplies by the number of values. The kernel is rustfft. Its cost is
//! O(n log n) for every n; lengths with factors 2 and 3 are the fastest, large primes cost about four times as much.
//! `undine bench grid/fft` measures it. Two real lines are transformed as one complex line, z = a + i b, and separated by
//! symmetry afterwards: measured 1.1 to 3.7 times faster than a cosine transform of each line, from 24 samples on.
//!
//! # The same bits
//!
//! On one machine the bits are the same for any number of threads: which lines are transformed together depends on the
//! size alone. Between machines they may differ in the last places: rustfft chooses its kernel by what the processor can
//! do (AVX with fused multiply-add, SSE, NEON, none), and these round differently. Everything else in this crate gives
//! the same bits on every machine.

mod kernel;
mod lines;
mod plane;
mod real_plane;
mod waves;

pub(crate) use kernel::Planned;
pub use lines::LineFft;
pub use num_complex::Complex;
pub use plane::Fft2;
pub use real_plane::RealFft2;
pub use waves::{WaveBasis, WaveTransform};

use crate::transpose::transpose;
use bytemuck::Pod;

/// Tasks that a pass over lines is cut into, at most: each has scratch memory of its own.
pub(crate) const TASKS: usize = 32;

/// Lines that are gathered at a time: a cache line of single-precision numbers.
pub(crate) const GROUP: usize = 16;

/// No memory for a transform of this size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no memory for a transform of {0} values; use fewer")]
pub struct FftMemoryError(pub usize);

/// Lines per task for a number of lines to transform. Even, so that pairs stay together; it depends on sizes only.
fn lines_per_task(lines: usize) -> usize {
    lines.div_ceil(TASKS).next_multiple_of(8)
}

/// Zeros, or an error in place of an abort.
fn zeros<V: Pod>(count: usize) -> Result<Vec<V>, FftMemoryError> {
    bytemuck::allocation::try_zeroed_vec(count).map_err(|_| FftMemoryError(count))
}

/// Columns of matrices as lines. `from` holds matrices of `width` × `height` values, rows one after another; line l is
/// column l mod `width` of matrix l / `width`. Fills `to` with whole lines of `height` values from line `first` on.
fn gather_columns<V: Pod>(from: &[V], [width, height]: [usize; 2], first: usize, to: &mut [V]) {
    let (mut line, end) = (first, first + to.len() / height);
    let mut to = to;
    while line < end {
        let (matrix, column) = (line / width, line % width);
        let count = (end - line).min(width - column).min(GROUP);
        let (group, rest) = to.split_at_mut(count * height);
        transpose(&from[matrix * width * height + column..], width, group, height, [height, count]);
        (line, to) = (line + count, rest);
    }
}
