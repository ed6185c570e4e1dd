//! Fourier transforms: lines relative to the bare complex transform, planes relative to the memory bandwidth.

use undine_checks::{Figures, best_of};

use super::memory::copy_bandwidth;
use crate::Real;
use crate::fft::{Complex, LineFft, RealFft2, WaveBasis, WaveTransform};

/// Lengths with small factors, powers of two, and primes.
const LENGTHS: [usize; 12] = [64, 100, 127, 128, 200, 256, 257, 360, 512, 1000, 1009, 1024];

/// Sizes of square planes.
const PLANES: [usize; 6] = [128, 250, 256, 360, 512, 1024];

/// Planes that are transformed together, as a sea does with its heights, slopes and displacements.
const FIELDS: usize = 4;

/// `undine bench grid/fft`.
pub fn fft(figures: &mut Figures) -> anyhow::Result<()> {
    lines::<f32>(figures, "f32");
    lines::<f64>(figures, "f64");
    let bandwidth = copy_bandwidth();
    planes::<f32>(figures, "f32", bandwidth)?;
    planes::<f64>(figures, "f64", bandwidth)
}

fn zero<T: Real>() -> Complex<T> {
    Complex { re: T::from_f64(0.0), im: T::from_f64(0.0) }
}

/// Nanoseconds of one real line in a pair, beside half a complex line of rustfft: two real lines need one complex one.
fn lines<T: Real>(figures: &mut Figures, precision: &str) {
    for length in LENGTHS {
        // About a hundred microseconds of work, in the nearest cache
        let pairs = (1 << 14) / length;
        let bare = LineFft::<T>::new(length);
        let (mut line, mut scratch) = (vec![zero::<T>(); length], vec![zero(); bare.scratch()]);
        let seconds = best_of(25, || (0..pairs).for_each(|_| bare.forward(&mut line, &mut scratch)));
        let half_complex = 1e9 * seconds / (2 * pairs) as f64;
        for (name, waves) in [("DCT-II", WaveBasis::Cosine), ("DFT", WaveBasis::Harmonic)] {
            let transform = WaveTransform::<T>::new(waves, length);
            let (mut a, mut b) = (vec![T::from_f64(0.0); length], vec![T::from_f64(0.0); length]);
            let mut work = vec![zero(); transform.work()];
            let seconds =
                best_of(25, || (0..pairs).for_each(|_| transform.forward(&mut a, &mut b, &mut work)));
            let metric = format!("{name} of {length}, {precision}");
            let value = 1e9 * seconds / (2 * pairs) as f64;
            figures.rate(metric, value, "ns a line", half_complex, "ns of half a complex line of rustfft");
        }
    }
}

/// Milliseconds of an inverse transform of several planes, beside copying what it reads and writes.
fn planes<T: Real>(figures: &mut Figures, precision: &str, bandwidth: f64) -> anyhow::Result<()> {
    for size in PLANES {
        let mut fft = RealFft2::<T>::new([size, size], FIELDS)?;
        let spectra = vec![zero::<T>(); FIELDS * fft.spectrum_len()];
        let mut fields = vec![T::from_f64(0.0); FIELDS * size * size];
        let seconds = best_of(7, || fft.inverse(&spectra, &mut fields));
        let bytes = size_of_val(spectra.as_slice()) + size_of_val(fields.as_slice());
        let per_line = 1e9 * seconds / (FIELDS * size) as f64;
        let metric = format!("{FIELDS} inverse {size} × {size}, {precision}, {per_line:.0} ns a row");
        figures.rate(metric, 1e3 * seconds, "ms", 1e3 * bytes as f64 / bandwidth, "ms to copy as much");
    }
    Ok(())
}
