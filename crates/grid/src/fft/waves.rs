//! Transforms of pairs of real lines into the waves that fit between two sides.
//!
//! With n values at the centres j + ½ of cells:
//!
//! | waves | X[k] | transform |
//! |---|---|---|
//! | [`WaveBasis::Cosine`] | Σ x[j] cos(π k (j + ½)/n) | DCT-II |
//! | [`WaveBasis::Sine`] | Σ x[j] sin(π (n − k)(j + ½)/n), up to a sign | DST-II, shortest wave first |
//! | [`WaveBasis::QuarterCosine`] | Σ x[j] cos(π (k + ½)(j + ½)/n) | DCT-IV |
//! | [`WaveBasis::Harmonic`] | Σ x[j] cos(2π jk/n) at k ≤ n/2, −Σ x[j] sin(2π j(n − k)/n) above | DFT |
//!
//! Two real lines a, b are the parts of z = a + i b, and one complex transform serves both. DCT-II sorts the even cells
//! before the odd ones, backwards [makhoul1980]; DST-II is DCT-II with every other sign changed.

use num_complex::Complex;

use super::LineFft;
use crate::simd;
use crate::value::Real;

/// The basis of a trigonometric transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaveBasis {
    /// Slope zero at both ends.
    Cosine,
    /// Value zero at both ends.
    Sine,
    /// Slope zero at the low end, value zero at the high end.
    QuarterCosine,
    /// The line begins again at its end.
    Harmonic,
}

/// Transforms pairs of real lines into waves and back.
///
/// ```
/// use undine_grid::fft::{Complex, WaveBasis, WaveTransform};
///
/// let cosines = WaveTransform::<f64>::new(WaveBasis::Cosine, 5);
/// let mut work = vec![Complex::new(0.0, 0.0); cosines.work()];
/// let (mut level, mut slope) = ([2.0; 5], [0.0, 1.0, 2.0, 3.0, 4.0]);
/// cosines.forward(&mut level, &mut slope, &mut work);
/// assert!((level[0] - 10.0).abs() < 1e-12 && level[1].abs() < 1e-12);
/// cosines.inverse(&mut level, &mut slope, &mut work);
/// assert!((slope[3] / cosines.gain() - 3.0).abs() < 1e-12);
/// ```
#[derive(Debug, Clone)]
pub struct WaveTransform<T> {
    waves: WaveBasis,
    length: usize,
    fft: LineFft<T>,
    /// Cosine and sine of the phases that turn a Fourier transform into the one wanted.
    phases: Vec<[T; 2]>,
    /// The same for what is transformed, for [`WaveBasis::QuarterCosine`].
    phases_before: Vec<[T; 2]>,
}

impl<T: Real> WaveTransform<T> {
    /// For lines of `length` values, at least one.
    pub fn new(waves: WaveBasis, length: usize) -> Self {
        let length = length.max(1);
        let is_quarter = waves == WaveBasis::QuarterCosine;
        let quarter = std::f64::consts::PI / (2 * length) as f64;
        let phase = |angle: f64| [T::from_f64(angle.cos()), T::from_f64(angle.sin())];
        let shift = if is_quarter { 0.5 } else { 0.0 };
        let before = if is_quarter { length } else { 0 };
        WaveTransform {
            waves,
            length,
            fft: LineFft::new(if is_quarter { 2 * length } else { length }),
            phases: (0..length).map(|k| phase((k as f64 + shift) * quarter)).collect(),
            phases_before: (0..before).map(|j| phase(j as f64 * quarter)).collect(),
        }
    }

    /// Values of a line.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Complex values of working memory that a call needs.
    pub fn work(&self) -> usize {
        self.fft.length() + self.fft.scratch()
    }

    /// Factor of a forward and inverse transform together.
    pub fn gain(&self) -> f64 {
        match self.waves {
            WaveBasis::QuarterCosine => 0.5 * self.length as f64,
            _ => self.length as f64,
        }
    }

    /// Turns the values of two lines into coefficients.
    ///
    /// # Panics
    /// When a line has another length, or `work` is too short.
    pub fn forward(&self, a: &mut [T], b: &mut [T], work: &mut [Complex<T>]) {
        let (a, b) = (&mut a[..self.length], &mut b[..self.length]);
        let (z, scratch) = work.split_at_mut(self.fft.length());
        match self.waves {
            WaveBasis::Cosine | WaveBasis::Sine => self.cosines(a, b, z, scratch),
            WaveBasis::QuarterCosine => self.quarter_waves(a, b, z, scratch),
            WaveBasis::Harmonic => self.harmonics(a, b, z, scratch),
        }
    }

    /// Turns the coefficients of two lines into values, times [`WaveTransform::gain`].
    ///
    /// # Panics
    /// When a line has another length, or `work` is too short.
    pub fn inverse(&self, a: &mut [T], b: &mut [T], work: &mut [Complex<T>]) {
        let (a, b) = (&mut a[..self.length], &mut b[..self.length]);
        let (z, scratch) = work.split_at_mut(self.fft.length());
        match self.waves {
            WaveBasis::Cosine | WaveBasis::Sine => self.cosines_back(a, b, z, scratch),
            WaveBasis::QuarterCosine => self.quarter_waves(a, b, z, scratch),
            WaveBasis::Harmonic => self.harmonics_back(a, b, z, scratch),
        }
    }

    /// −1 for the odd cells of sines.
    fn odd_sign(&self) -> T {
        T::from_f64(if self.waves == WaveBasis::Sine { -1.0 } else { 1.0 })
    }

    fn cosines(&self, a: &mut [T], b: &mut [T], z: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        let (n, sign) = (self.length, self.odd_sign());
        simd::dispatch(
            #[inline(always)]
            || {
                let (front, back) = z.split_at_mut(n.div_ceil(2));
                for (to, (a, b)) in front.iter_mut().zip(a.iter().step_by(2).zip(b.iter().step_by(2))) {
                    *to = Complex { re: *a, im: *b };
                }
                let odd = a.iter().skip(1).step_by(2).zip(b.iter().skip(1).step_by(2));
                for (to, (a, b)) in back.iter_mut().rev().zip(odd) {
                    *to = Complex { re: sign * *a, im: sign * *b };
                }
            },
        );
        self.fft.forward(z, scratch);
        simd::dispatch(
            #[inline(always)]
            || {
                let half = T::from_f64(0.5);
                (a[0], b[0]) = (z[0].re, z[0].im);
                let mirrored = z[1..].iter().rev();
                let out = a[1..].iter_mut().zip(&mut b[1..]);
                for (((a, b), &[cos, sin]), (here, there)) in
                    out.zip(&self.phases[1..]).zip(z[1..].iter().zip(mirrored))
                {
                    // The transforms of a and b at k, by symmetry
                    let (a_re, a_im) = (half * (here.re + there.re), half * (here.im - there.im));
                    let (b_re, b_im) = (half * (here.im + there.im), half * (there.re - here.re));
                    *a = cos * a_re + sin * a_im;
                    *b = cos * b_re + sin * b_im;
                }
            },
        );
    }

    fn cosines_back(&self, a: &mut [T], b: &mut [T], z: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        let (n, sign) = (self.length, self.odd_sign());
        // The complex spectrum of the reordered lines a + ib from their coefficients k and n − k [makhoul1980]
        simd::dispatch(
            #[inline(always)]
            || {
                z[0] = Complex { re: a[0], im: b[0] };
                let mirrored = a[1..].iter().rev().zip(b[1..].iter().rev());
                let here = a[1..].iter().zip(&b[1..]);
                for (((to, &[cos, sin]), (&a, &b)), (&a_mirrored, &b_mirrored)) in
                    z[1..].iter_mut().zip(&self.phases[1..]).zip(here).zip(mirrored)
                {
                    to.re = (cos * a + sin * a_mirrored) - (sin * b - cos * b_mirrored);
                    to.im = (sin * a - cos * a_mirrored) + (cos * b + sin * b_mirrored);
                }
            },
        );
        self.fft.inverse(z, scratch);
        // Undo the reordering: even samples from the front, odd ones backwards from the end
        simd::dispatch(
            #[inline(always)]
            || {
                let (front, back) = z.split_at(n.div_ceil(2));
                for (from, (a, b)) in front.iter().zip(a.iter_mut().step_by(2).zip(b.iter_mut().step_by(2))) {
                    (*a, *b) = (from.re, from.im);
                }
                let odd = a.iter_mut().skip(1).step_by(2).zip(b.iter_mut().skip(1).step_by(2));
                for (from, (a, b)) in back.iter().rev().zip(odd) {
                    (*a, *b) = (sign * from.re, sign * from.im);
                }
            },
        );
    }

    /// DCT-IV by a Fourier transform of twice the length; it is its own inverse.
    fn quarter_waves(&self, a: &mut [T], b: &mut [T], z: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        let (n, zero, half) = (self.length, T::zeroed(), T::from_f64(0.5));
        for j in 0..n {
            let [cos, sin] = self.phases_before[j];
            z[j] = Complex { re: cos * a[j] + sin * b[j], im: cos * b[j] - sin * a[j] };
        }
        z[n..].fill(Complex { re: zero, im: zero });
        self.fft.forward(z, scratch);
        for k in 0..n {
            let ([cos, sin], here, there) = (self.phases[k], z[k], z[2 * n - 1 - k]);
            let (a_re, a_im) = (half * (here.re + there.re), half * (here.im - there.im));
            let (b_re, b_im) = (half * (here.im + there.im), half * (there.re - here.re));
            a[k] = cos * a_re + sin * a_im;
            b[k] = cos * b_re + sin * b_im;
        }
    }

    /// The discrete Fourier transform: cosines from the front, sines from the back.
    fn harmonics(&self, a: &mut [T], b: &mut [T], z: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        let (n, half) = (self.length, T::from_f64(0.5));
        z.iter_mut().zip(a.iter().zip(&*b)).for_each(|(z, (&re, &im))| *z = Complex { re, im });
        self.fft.forward(z, scratch);
        for k in 0..=n / 2 {
            let mirrored = (n - k) % n;
            let (here, there) = (z[k], z[mirrored]);
            if mirrored > k {
                a[mirrored] = half * (here.im - there.im);
                b[mirrored] = half * (there.re - here.re);
            }
            a[k] = half * (here.re + there.re);
            b[k] = half * (here.im + there.im);
        }
    }

    fn harmonics_back(&self, a: &mut [T], b: &mut [T], z: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        let n = self.length;
        for k in 0..=n / 2 {
            let mirrored = (n - k) % n;
            if mirrored <= k {
                z[k] = Complex { re: a[k], im: b[k] };
                continue;
            }
            z[k] = Complex { re: a[k] - b[mirrored], im: a[mirrored] + b[k] };
            z[mirrored] = Complex { re: a[k] + b[mirrored], im: b[k] - a[mirrored] };
        }
        self.fft.inverse(z, scratch);
        z.iter().zip(a.iter_mut().zip(b)).for_each(|(z, (a, b))| (*a, *b) = (z.re, z.im));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{PI, TAU};

    fn coefficient(waves: WaveBasis, x: &[f64], k: usize) -> f64 {
        let n = x.len();
        let factor = |j: usize| {
            let (centre, k, count) = (j as f64 + 0.5, k as f64, n as f64);
            match waves {
                WaveBasis::Cosine => (PI * k * centre / count).cos(),
                WaveBasis::Sine => (PI * (count - k) * centre / count).sin(),
                WaveBasis::QuarterCosine => (PI * (k + 0.5) * centre / count).cos(),
                WaveBasis::Harmonic if 2.0 * k <= count => (TAU * j as f64 * k / count).cos(),
                WaveBasis::Harmonic => -(TAU * j as f64 * (count - k) / count).sin(),
            }
        };
        x.iter().enumerate().map(|(j, x)| x * factor(j)).sum()
    }

    #[test]
    fn coefficients_are_the_sums_and_go_back() {
        for waves in [WaveBasis::Cosine, WaveBasis::Sine, WaveBasis::QuarterCosine, WaveBasis::Harmonic] {
            for length in (1..=40).chain([64, 97, 100, 127, 128]) {
                let transform = WaveTransform::<f64>::new(waves, length);
                let line =
                    |salt: usize| (0..length).map(|j| ((j * 5 + salt) as f64).cos()).collect::<Vec<_>>();
                let (given_a, given_b) = (line(1), line(2));
                let (mut a, mut b) = (given_a.clone(), given_b.clone());
                let mut work = vec![Complex::new(0.0, 0.0); transform.work()];
                transform.forward(&mut a, &mut b, &mut work);
                for k in 0..length {
                    for (line, given) in [(&a, &given_a), (&b, &given_b)] {
                        let apart = (line[k].abs() - coefficient(waves, given, k).abs()).abs();
                        assert!(apart < 1e-11 * length as f64, "{waves:?} {length} {k}: {apart}");
                    }
                }
                transform.inverse(&mut a, &mut b, &mut work);
                let pairs = a.iter().zip(&given_a).chain(b.iter().zip(&given_b));
                let error = pairs.map(|(a, given)| (a / transform.gain() - given).abs()).fold(0.0, f64::max);
                assert!(error < 1e-12, "{waves:?} {length}: {error}");
            }
        }
    }
}
