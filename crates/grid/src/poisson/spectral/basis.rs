//! The waves that fit between two sides.
//!
//! On an axis of n cells the operator −∂²/∂x² has these eigenvectors at the centres j + ½, with eigenvalue
//! 2w (1 − cos φ) where φ is the phase from one cell to the next [strang1999]:
//!
//! | sides | eigenvector k | φ | transform |
//! |---|---|---|---|
//! | closed, closed | cos(φ (j + ½)) | πk/n | DCT-II |
//! | fixed, fixed | sin(φ (j + ½)) | π(n − k)/n | DST-II |
//! | closed, fixed | cos(φ (j + ½)) | π(k + ½)/n | DCT-IV |
//! | periodic | cos and sin(φ j) | 2πk/n | DFT |
//!
//! Fixed, closed is closed, fixed read backwards.

use super::super::SideKind;
use crate::fft::{Complex, WaveBasis, WaveTransform};
use crate::value::Real;

/// The waves along one axis.
#[derive(Debug, Clone)]
pub(super) struct AxisBasis<T> {
    waves: WaveBasis,
    /// Whether lines are read backwards.
    is_reversed: bool,
    transform: WaveTransform<T>,
}

impl<T: Real> AxisBasis<T> {
    /// The waves between two sides.
    pub fn new(sides: [SideKind; 2], length: usize) -> Self {
        let waves = match sides {
            [SideKind::Periodic, _] => WaveBasis::Harmonic,
            [SideKind::Closed, SideKind::Closed] => WaveBasis::Cosine,
            [SideKind::Fixed, SideKind::Fixed] => WaveBasis::Sine,
            _ => WaveBasis::QuarterCosine,
        };
        let is_reversed = sides == [SideKind::Fixed, SideKind::Closed];
        AxisBasis { waves, is_reversed, transform: WaveTransform::new(waves, length) }
    }

    /// Complex numbers of working memory that a transform needs.
    pub fn work(&self) -> usize {
        self.transform.work()
    }

    /// Phase of each coefficient from one cell to the next.
    pub fn phase(&self, k: usize) -> f64 {
        let (n, k) = (self.transform.length() as f64, k as f64);
        match self.waves {
            WaveBasis::Cosine => std::f64::consts::PI * k / n,
            WaveBasis::Sine => std::f64::consts::PI * (n - k) / n,
            WaveBasis::QuarterCosine => std::f64::consts::PI * (k + 0.5) / n,
            WaveBasis::Harmonic => std::f64::consts::TAU * k.min(n - k) / n,
        }
    }

    /// Factor of a forward and inverse transform together.
    pub fn gain(&self) -> f64 {
        self.transform.gain()
    }

    /// Turns the values of two lines into coefficients.
    pub fn forward(&self, a: &mut [T], b: &mut [T], work: &mut [Complex<T>]) {
        if self.is_reversed {
            a.reverse();
            b.reverse();
        }
        self.transform.forward(a, b, work);
    }

    /// Turns coefficients into values, times [`AxisBasis::gain`].
    pub fn back(&self, a: &mut [T], b: &mut [T], work: &mut [Complex<T>]) {
        self.transform.inverse(a, b, work);
        if self.is_reversed {
            a.reverse();
            b.reverse();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use SideKind::{Closed, Fixed, Periodic};

    const ALL: [[SideKind; 2]; 5] =
        [[Closed, Closed], [Fixed, Fixed], [Closed, Fixed], [Fixed, Closed], [Periodic, Periodic]];

    /// Each coefficient of A x is that of x times the eigenvalue.
    #[test]
    fn waves_are_eigenvectors() {
        for sides in ALL {
            for length in [2, 3, 8, 15] {
                let basis = AxisBasis::<f64>::new(sides, length);
                let given: Vec<f64> = (0..length).map(|j| ((j * 5 + 3) as f64).cos()).collect();
                let beyond = |side: usize, end: usize, across: usize| match sides[side] {
                    Closed => given[end],
                    Fixed => -given[end],
                    Periodic => given[across],
                };
                let applied = |j: usize| {
                    let below = if j == 0 { beyond(0, 0, length - 1) } else { given[j - 1] };
                    let above = if j + 1 == length { beyond(1, j, 0) } else { given[j + 1] };
                    2.0 * given[j] - below - above
                };
                let (mut coefficients, mut images) =
                    (given.clone(), (0..length).map(applied).collect::<Vec<_>>());
                let mut work = vec![Complex::new(0.0, 0.0); basis.work()];
                basis.forward(&mut coefficients, &mut images, &mut work);
                for k in 0..length {
                    let eigenvalue = 2.0 - 2.0 * basis.phase(k).cos();
                    let error = (images[k] - eigenvalue * coefficients[k]).abs();
                    assert!(error < 1e-11, "{sides:?} {length} {k}: {error}");
                }
            }
        }
    }
}
