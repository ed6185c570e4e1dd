//! The waves that fit between two sides, and the transform into them and back.
//!
//! On an axis of n cells the operator −∂²/∂x² has these eigenvectors at the centres j + ½, with eigenvalue
//! 2w (1 − cos φ) where φ is the phase from one cell to the next [strang1999]:
//!
//! | sides | eigenvector k | φ | transform |
//! |---|---|---|---|
//! | closed, closed | cos(φ (j + ½)) | πk/n | DCT-II |
//! | fixed, fixed | sin(φ (j + ½)) | π(k + 1)/n | DST-II |
//! | closed, fixed | cos(φ (j + ½)) | π(k + ½)/n | DCT-IV |
//! | periodic | cos and sin(φ j) | 2πk/n | DFT |
//!
//! All of them rest on the complex transform of two real lines at once. DCT-II sorts the even cells before the odd
//! ones, backwards [makhoul1980]; DST-II is DCT-II with every other sign changed; fixed, closed is closed, fixed read
//! backwards.

use super::super::SideKind;
use super::fourier::{Complex, Fourier, LANES, Lane, each};
use crate::value::Real;

/// Lines that are worked on at once: the real and the imaginary parts of a complex transform.
pub(super) const LINES: usize = 2 * LANES;

/// One number of each line.
pub(super) type Line<T> = [T; LINES];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waves {
    Closed,
    Fixed,
    /// One side closed and one fixed; whether the low one is fixed.
    Mixed {
        is_low_fixed: bool,
    },
    Periodic,
}

/// The waves along one axis.
#[derive(Debug, Clone)]
pub(super) struct Basis<T> {
    waves: Waves,
    length: usize,
    fourier: Fourier<T>,
    /// Cosine and sine of the phases that turn a Fourier transform into the one wanted.
    phases: Vec<[T; 2]>,
    /// The same for what is transformed.
    phases_before: Vec<[T; 2]>,
}

impl<T: Real> Basis<T> {
    /// The waves between two sides.
    pub fn new(sides: [SideKind; 2], length: usize) -> Self {
        let waves = match sides {
            [SideKind::Periodic, _] => Waves::Periodic,
            [SideKind::Closed, SideKind::Closed] => Waves::Closed,
            [SideKind::Fixed, SideKind::Fixed] => Waves::Fixed,
            [low, _] => Waves::Mixed { is_low_fixed: low == SideKind::Fixed },
        };
        let is_mixed = matches!(waves, Waves::Mixed { .. });
        let quarter = std::f64::consts::PI / (2 * length) as f64;
        let phase = |angle: f64| [T::from_f64(angle.cos()), T::from_f64(angle.sin())];
        let shift = if is_mixed { 0.5 } else { 0.0 };
        Basis {
            waves,
            length,
            fourier: Fourier::new(if is_mixed { 2 * length } else { length }),
            phases: (0..length).map(|k| phase((k as f64 + shift) * quarter)).collect(),
            phases_before: (0..length).map(|j| phase(j as f64 * quarter)).collect(),
        }
    }

    /// Numbers per line that a transform needs beside the line.
    pub fn spare(&self) -> usize {
        4 * if matches!(self.waves, Waves::Mixed { .. }) { 2 * self.length } else { self.length }
    }

    /// Phase of each coefficient from one cell to the next.
    pub fn phase(&self, k: usize) -> f64 {
        let (n, k) = (self.length as f64, k as f64);
        match self.waves {
            Waves::Closed => std::f64::consts::PI * k / n,
            // The change of signs turns the order round
            Waves::Fixed => std::f64::consts::PI * (n - k) / n,
            Waves::Mixed { .. } => std::f64::consts::PI * (k + 0.5) / n,
            Waves::Periodic => std::f64::consts::TAU * k.min(n - k) / n,
        }
    }

    /// What forward and back multiply a line by.
    pub fn gain(&self) -> f64 {
        match self.waves {
            Waves::Mixed { .. } => 0.5 * self.length as f64,
            _ => self.length as f64,
        }
    }

    /// Turns values into coefficients.
    #[inline(always)]
    pub fn forward(&self, lines: &mut [Line<T>], spare: &mut [Lane<T>]) {
        match self.waves {
            Waves::Closed | Waves::Fixed => self.cosines(lines, spare),
            Waves::Mixed { is_low_fixed } => {
                if is_low_fixed {
                    lines.reverse();
                }
                self.quarter_waves(lines, spare);
            }
            Waves::Periodic => self.harmonics(lines, spare),
        }
    }

    /// Turns coefficients into values, times [`Basis::gain`].
    #[inline(always)]
    pub fn back(&self, lines: &mut [Line<T>], spare: &mut [Lane<T>]) {
        match self.waves {
            Waves::Closed | Waves::Fixed => self.cosines_back(lines, spare),
            Waves::Mixed { is_low_fixed } => {
                self.quarter_waves(lines, spare);
                if is_low_fixed {
                    lines.reverse();
                }
            }
            Waves::Periodic => self.harmonics_back(lines, spare),
        }
    }

    /// Where a cell goes when even cells are sorted before odd ones, backwards.
    #[inline(always)]
    fn sorted(&self, j: usize) -> usize {
        if j.is_multiple_of(2) { j / 2 } else { self.length - 1 - j / 2 }
    }

    /// −1 at odd cells of sines.
    #[inline(always)]
    fn sign(&self, j: usize) -> T {
        T::from_f64(if self.waves == Waves::Fixed && j % 2 == 1 { -1.0 } else { 1.0 })
    }

    #[inline(always)]
    fn cosines(&self, lines: &mut [Line<T>], spare: &mut [Lane<T>]) {
        let [re, im, spare_re, spare_im] = quarters(spare, self.length);
        for j in 0..self.length {
            let (line, sign, place) = (&lines[j], self.sign(j), self.sorted(j));
            re[place] = each(|lane| sign * line[lane]);
            im[place] = each(|lane| sign * line[lane + LANES]);
        }
        self.fourier.transform(Complex { re, im }, Complex { re: spare_re, im: spare_im });
        for k in 0..self.length {
            let [cos, sin] = self.phases[k];
            let [first, second] = untangled(re, im, k, (self.length - k) % self.length);
            for lane in 0..LANES {
                lines[k][lane] = cos * first[0][lane] + sin * first[1][lane];
                lines[k][lane + LANES] = cos * second[0][lane] + sin * second[1][lane];
            }
        }
    }

    #[inline(always)]
    fn cosines_back(&self, lines: &mut [Line<T>], spare: &mut [Lane<T>]) {
        let [re, im, spare_re, spare_im] = quarters(spare, self.length);
        let zeros = [T::zeroed(); LINES];
        for k in 0..self.length {
            let [cos, sin] = self.phases[k];
            let (here, there) = (&lines[k], if k == 0 { &zeros } else { &lines[self.length - k] });
            for lane in 0..LANES {
                let [a, b] = [here[lane], there[lane]];
                let [c, d] = [here[lane + LANES], there[lane + LANES]];
                re[k][lane] = (cos * a + sin * b) - (sin * c - cos * d);
                im[k][lane] = (sin * a - cos * b) + (cos * c + sin * d);
            }
        }
        // With its parts exchanged the transform runs backwards
        self.fourier.transform(Complex { re: im, im: re }, Complex { re: spare_im, im: spare_re });
        for j in 0..self.length {
            let (place, sign) = (self.sorted(j), self.sign(j));
            for lane in 0..LANES {
                lines[j][lane] = sign * re[place][lane];
                lines[j][lane + LANES] = sign * im[place][lane];
            }
        }
    }

    /// DCT-IV, which is its own inverse.
    #[inline(always)]
    fn quarter_waves(&self, lines: &mut [Line<T>], spare: &mut [Lane<T>]) {
        let [re, im, spare_re, spare_im] = quarters(spare, 2 * self.length);
        for j in 0..self.length {
            let ([cos, sin], line) = (self.phases_before[j], &lines[j]);
            re[j] = each(|lane| cos * line[lane] + sin * line[lane + LANES]);
            im[j] = each(|lane| cos * line[lane + LANES] - sin * line[lane]);
        }
        re[self.length..].fill([T::zeroed(); LANES]);
        im[self.length..].fill([T::zeroed(); LANES]);
        self.fourier.transform(Complex { re, im }, Complex { re: spare_re, im: spare_im });
        for k in 0..self.length {
            let [cos, sin] = self.phases[k];
            let [first, second] = untangled(re, im, k, 2 * self.length - 1 - k);
            for lane in 0..LANES {
                lines[k][lane] = cos * first[0][lane] + sin * first[1][lane];
                lines[k][lane + LANES] = cos * second[0][lane] + sin * second[1][lane];
            }
        }
    }

    /// The discrete Fourier transform: cosines from the front, sines from the back.
    #[inline(always)]
    fn harmonics(&self, lines: &mut [Line<T>], spare: &mut [Lane<T>]) {
        let [re, im, spare_re, spare_im] = quarters(spare, self.length);
        for j in 0..self.length {
            re[j] = each(|lane| lines[j][lane]);
            im[j] = each(|lane| lines[j][lane + LANES]);
        }
        self.fourier.transform(Complex { re, im }, Complex { re: spare_re, im: spare_im });
        for k in 0..=self.length / 2 {
            let mirrored = (self.length - k) % self.length;
            let [first, second] = untangled(re, im, k, mirrored);
            for lane in 0..LANES {
                if mirrored > k {
                    lines[mirrored][lane] = first[1][lane];
                    lines[mirrored][lane + LANES] = second[1][lane];
                }
                lines[k][lane] = first[0][lane];
                lines[k][lane + LANES] = second[0][lane];
            }
        }
    }

    #[inline(always)]
    fn harmonics_back(&self, lines: &mut [Line<T>], spare: &mut [Lane<T>]) {
        let [re, im, spare_re, spare_im] = quarters(spare, self.length);
        for k in 0..=self.length / 2 {
            let mirrored = (self.length - k) % self.length;
            let (cosines, sines) = (&lines[k], &lines[mirrored]);
            if mirrored <= k {
                re[k] = each(|lane| cosines[lane]);
                im[k] = each(|lane| cosines[lane + LANES]);
                continue;
            }
            re[k] = each(|lane| cosines[lane] - sines[lane + LANES]);
            im[k] = each(|lane| sines[lane] + cosines[lane + LANES]);
            re[mirrored] = each(|lane| cosines[lane] + sines[lane + LANES]);
            im[mirrored] = each(|lane| cosines[lane + LANES] - sines[lane]);
        }
        self.fourier.transform(Complex { re: im, im: re }, Complex { re: spare_im, im: spare_re });
        for j in 0..self.length {
            for lane in 0..LANES {
                lines[j][lane] = re[j][lane];
                lines[j][lane + LANES] = im[j][lane];
            }
        }
    }
}

#[inline(always)]
fn quarters<T>(spare: &mut [Lane<T>], length: usize) -> [&mut [Lane<T>]; 4] {
    let (first, second) = spare[..4 * length].split_at_mut(2 * length);
    let ((a, b), (c, d)) = (first.split_at_mut(length), second.split_at_mut(length));
    [a, b, c, d]
}

/// The transforms of two real lines from that of the one plus i times the other: Z at k and at its mirror image.
#[inline(always)]
fn untangled<T: Real>(re: &[Lane<T>], im: &[Lane<T>], k: usize, mirrored: usize) -> [[Lane<T>; 2]; 2] {
    let half = T::from_f64(0.5);
    let [(a, b), (c, d)] = [(re[k], im[k]), (re[mirrored], im[mirrored])];
    [
        [each(|lane| half * (a[lane] + c[lane])), each(|lane| half * (b[lane] - d[lane]))],
        [each(|lane| half * (b[lane] + d[lane])), each(|lane| half * (c[lane] - a[lane]))],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use SideKind::{Closed, Fixed, Periodic};

    const ALL: [[SideKind; 2]; 5] =
        [[Closed, Closed], [Fixed, Fixed], [Closed, Fixed], [Fixed, Closed], [Periodic, Periodic]];

    fn rough(length: usize) -> Vec<Line<f64>> {
        let value = |j: usize, lane: usize| ((j * 5 + lane * lane) as f64).cos();
        (0..length).map(|j| std::array::from_fn(|lane| value(j, lane))).collect()
    }

    #[test]
    fn there_and_back() {
        for sides in ALL {
            for length in [1, 2, 3, 4, 7, 12, 16, 37] {
                let basis = Basis::<f64>::new(sides, length);
                let (mut lines, given) = (rough(length), rough(length));
                let mut spare = vec![[0.0; LANES]; basis.spare()];
                basis.forward(&mut lines, &mut spare);
                basis.back(&mut lines, &mut spare);
                for (line, given) in lines.iter().zip(&given) {
                    for lane in 0..LINES {
                        let error = (line[lane] / basis.gain() - given[lane]).abs();
                        assert!(error < 1e-12, "{sides:?} {length}: {error}");
                    }
                }
            }
        }
    }

    /// Each coefficient of A x is that of x times the eigenvalue.
    #[test]
    fn waves_are_eigenvectors() {
        for sides in ALL {
            for length in [2, 3, 8, 15] {
                let basis = Basis::<f64>::new(sides, length);
                let given = rough(length);
                let beyond = |side: usize, end: usize, across: usize, lane: usize| match sides[side] {
                    Closed => given[end][lane],
                    Fixed => -given[end][lane],
                    Periodic => given[across][lane],
                };
                let mut lines = given.clone();
                for j in 0..length {
                    for lane in 0..LINES {
                        let below = if j == 0 { beyond(0, 0, length - 1, lane) } else { given[j - 1][lane] };
                        let above = if j + 1 == length { beyond(1, j, 0, lane) } else { given[j + 1][lane] };
                        lines[j][lane] = 2.0 * given[j][lane] - below - above;
                    }
                }
                let mut coefficients = given.clone();
                let mut spare = vec![[0.0; LANES]; basis.spare()];
                basis.forward(&mut lines, &mut spare);
                basis.forward(&mut coefficients, &mut spare);
                for k in 0..length {
                    let eigenvalue = 2.0 - 2.0 * basis.phase(k).cos();
                    let error = (lines[k][3] - eigenvalue * coefficients[k][3]).abs();
                    assert!(error < 1e-11, "{sides:?} {length} {k}: {error}");
                }
            }
        }
    }
}
