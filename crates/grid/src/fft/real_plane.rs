//! Transforms of planes of real numbers.

use num_complex::Complex;

use super::{FftMemoryError, GROUP, LineFft, gather_columns, lines_per_task, zeros};
use crate::par;
use crate::value::Real;

/// Transforms planes of real numbers to their half spectra and back, several at once, in parallel.
///
/// A plane of `[width, height]` is `height` rows of `width` values. Its spectrum has X[−k, −l] = conj X[k, l], so only
/// k from 0 to `width`/2 is kept: `height` rows of [`RealFft2::spectrum_width`] values, l from 0 to `height` − 1, where
/// l above `height`/2 stands for l − `height`.
///
/// ```
/// use undine_grid::fft::{Complex, RealFft2};
///
/// // Two fields of 8 × 6: a wave with amplitude 3 that goes around once along x, and its slope along x
/// let mut fft = RealFft2::<f64>::new([8, 6], 2)?;
/// let mut spectra = vec![Complex::new(0.0, 0.0); 2 * fft.spectrum_len()];
/// spectra[1] = Complex::new(1.5, 0.0);
/// spectra[fft.spectrum_len() + 1] = Complex::new(0.0, 1.5);
/// let mut fields = vec![0.0; 2 * 8 * 6];
/// fft.inverse(&spectra, &mut fields);
/// for (x, level) in fields[..8].iter().enumerate() {
///     assert!((level - 3.0 * (std::f64::consts::TAU * x as f64 / 8.0).cos()).abs() < 1e-12);
/// }
/// assert!((fields[48 + 2] + 3.0).abs() < 1e-12);
///
/// // And back, times the number of values
/// fft.forward(&fields, &mut spectra);
/// assert!((spectra[1].re - 1.5 * 48.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct RealFft2<T> {
    size: [usize; 2],
    planes: usize,
    /// Along x and along y.
    lines: [LineFft<T>; 2],
    /// Half spectra with rows and columns exchanged.
    turned: Vec<Complex<T>>,
    scratches: Vec<PlaneScratch<T>>,
}

/// Scratch memory of one task.
#[derive(Debug, Clone)]
struct PlaneScratch<T> {
    /// Rows of half spectra.
    halves: Vec<Complex<T>>,
    /// Two real rows as one complex row.
    pair: Vec<Complex<T>>,
    work: Vec<Complex<T>>,
}

impl<T: Real> RealFft2<T> {
    /// For planes of a size, with memory for `planes` at once. More are transformed in several passes.
    pub fn new([width, height]: [usize; 2], planes: usize) -> Result<Self, FftMemoryError> {
        let (size, planes) = ([width.max(1), height.max(1)], planes.max(1));
        let lines = size.map(LineFft::new);
        let work = lines.iter().map(LineFft::scratch).max().unwrap_or(0);
        let half = size[0] / 2 + 1;
        let scratch =
            || Ok(PlaneScratch { halves: zeros(GROUP * half)?, pair: zeros(size[0])?, work: zeros(work)? });
        Ok(RealFft2 {
            size,
            planes,
            lines,
            turned: zeros(planes * half * size[1])?,
            scratches: (0..super::TASKS).map(|_| scratch()).collect::<Result<_, _>>()?,
        })
    }

    /// Width and height of a plane.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// Values of a row of a half spectrum: width/2 + 1.
    pub fn spectrum_width(&self) -> usize {
        self.size[0] / 2 + 1
    }

    /// Values of a half spectrum.
    pub fn spectrum_len(&self) -> usize {
        self.spectrum_width() * self.size[1]
    }

    /// X[k, l] = Σ x[i, j] exp(−2πi (ik/width + jl/height)) for every plane.
    ///
    /// # Panics
    /// When there are no whole planes, or not as many spectra as planes.
    pub fn forward(&mut self, planes: &[T], spectra: &mut [Complex<T>]) {
        let ([width, height], half) = (self.size, self.spectrum_width());
        self.check(planes.len(), spectra.len());
        let (plane, spectrum) = (width * height, half * height);
        for (planes, spectra) in
            planes.chunks(self.planes * plane).zip(spectra.chunks_mut(self.planes * spectrum))
        {
            let count = planes.len() / plane;
            // Along rows, two at a time
            let per_task = lines_per_task(count * height);
            let lines = &self.lines;
            par::for_each_chunk_with(
                spectra,
                per_task * half,
                &mut self.scratches,
                |first, rows, scratch| {
                    let from = &planes[first / half * width..][..rows.len() / half * width];
                    for (from, to) in from.chunks(2 * width).zip(rows.chunks_mut(2 * half)) {
                        forward_pair(&lines[0], from, to, scratch);
                    }
                },
            );
            // Along columns, and back to rows
            let turned = &mut self.turned[..count * spectrum];
            let (from, per_task) = (&*spectra, lines_per_task(count * half));
            par::for_each_chunk_with(
                turned,
                per_task * height,
                &mut self.scratches,
                |first, columns, scratch| {
                    gather_columns(from, [half, height], first / height, columns);
                    lines[1].forward(columns, &mut scratch.work);
                },
            );
            let (from, per_task) = (&*turned, lines_per_task(count * height));
            par::for_each_chunk(spectra, per_task * half, |first, rows| {
                gather_columns(from, [height, half], first / half, rows);
            });
        }
    }

    /// x[i, j] = Σ X[k, l] exp(+2πi (ik/width + jl/height)) for every plane, with X[−k, −l] = conj X[k, l]. What would
    /// make x complex is passed over.
    ///
    /// # Panics
    /// When there are no whole planes, or not as many spectra as planes.
    pub fn inverse(&mut self, spectra: &[Complex<T>], planes: &mut [T]) {
        let ([width, height], half) = (self.size, self.spectrum_width());
        self.check(planes.len(), spectra.len());
        let (plane, spectrum) = (width * height, half * height);
        for (spectra, planes) in
            spectra.chunks(self.planes * spectrum).zip(planes.chunks_mut(self.planes * plane))
        {
            let count = planes.len() / plane;
            let lines = &self.lines;
            // Along columns
            let turned = &mut self.turned[..count * spectrum];
            let per_task = lines_per_task(count * half);
            par::for_each_chunk_with(
                turned,
                per_task * height,
                &mut self.scratches,
                |first, columns, scratch| {
                    gather_columns(spectra, [half, height], first / height, columns);
                    lines[1].inverse(columns, &mut scratch.work);
                },
            );
            // Along rows, two at a time
            let (from, per_task) = (&*turned, lines_per_task(count * height));
            par::for_each_chunk_with(
                planes,
                per_task * width,
                &mut self.scratches,
                |first, rows, scratch| {
                    for (number, group) in rows.chunks_mut(GROUP * width).enumerate() {
                        let halves = &mut scratch.halves[..group.len() / width * half];
                        gather_columns(from, [height, half], first / width + number * GROUP, halves);
                        for (number, to) in group.chunks_mut(2 * width).enumerate() {
                            inverse_pair(&lines[0], number, to, scratch);
                        }
                    }
                },
            );
        }
    }

    fn check(&self, values: usize, spectral: usize) {
        let [width, height] = self.size;
        assert!(values.is_multiple_of(width * height), "whole planes of {width} × {height}");
        assert_eq!(
            values / (width * height) * self.spectrum_len(),
            spectral,
            "a half spectrum for every plane"
        );
    }
}

/// Transforms two real rows, or the last one by itself, as z = a + i b. Then A[k] = (Z[k] + conj Z[−k])/2 and
/// B[k] = (Z[k] − conj Z[−k])/2i.
fn forward_pair<T: Real>(fft: &LineFft<T>, from: &[T], to: &mut [Complex<T>], scratch: &mut PlaneScratch<T>) {
    let width = fft.length();
    let (half, z) = (width / 2 + 1, &mut scratch.pair);
    let (a, b) = from.split_at(width);
    for x in 0..width {
        z[x] = Complex { re: a[x], im: b.get(x).copied().unwrap_or(T::zeroed()) };
    }
    fft.forward(z, &mut scratch.work);
    let (first, second) = to.split_at_mut(half);
    let by_half = T::from_f64(0.5);
    for k in 0..half {
        let (here, there) = (z[k], z[(width - k) % width]);
        first[k] = Complex { re: by_half * (here.re + there.re), im: by_half * (here.im - there.im) };
        if let Some(second) = second.get_mut(k) {
            *second = Complex { re: by_half * (here.im + there.im), im: by_half * (there.re - here.re) };
        }
    }
}

/// Undoes [`forward_pair`] for a pair of the half spectra in a room.
fn inverse_pair<T: Real>(fft: &LineFft<T>, number: usize, to: &mut [T], scratch: &mut PlaneScratch<T>) {
    let width = fft.length();
    let (half, z) = (width / 2 + 1, &mut scratch.pair);
    let (first, second) = scratch.halves[2 * number * half..].split_at(half);
    let zero = Complex { re: T::zeroed(), im: T::zeroed() };
    let is_pair = to.len() > width;
    for k in 0..half {
        let (a, b) = (first[k], if is_pair { second[k] } else { zero });
        if k == 0 || 2 * k == width {
            // These are real, or the result would not be
            z[k] = Complex { re: a.re, im: b.re };
            continue;
        }
        z[k] = Complex { re: a.re - b.im, im: a.im + b.re };
        z[width - k] = Complex { re: a.re + b.im, im: b.re - a.im };
    }
    fft.inverse(z, &mut scratch.work);
    let (a, b) = to.split_at_mut(width);
    a.iter_mut().zip(&*z).for_each(|(to, from)| *to = from.re);
    b.iter_mut().zip(&*z).for_each(|(to, from)| *to = from.im);
}

#[cfg(test)]
mod tests {
    use super::super::Fft2;
    use super::*;

    fn rough(count: usize) -> Vec<f64> {
        (0..count).map(|n| ((7 * n + n * n) as f64).sin()).collect()
    }

    #[test]
    fn half_spectra_are_those_of_the_complex_transform() {
        for [width, height] in
            [[1, 1], [2, 3], [5, 1], [1, 6], [8, 8], [7, 13], [33, 20], [18, 41], [64, 100]]
        {
            let (count, plane) = (3, width * height);
            let fields = rough(count * plane);
            let mut fft = RealFft2::new([width, height], 2).unwrap();
            let mut spectra = vec![Complex::new(0.0, 0.0); count * fft.spectrum_len()];
            fft.forward(&fields, &mut spectra);
            let mut wanted: Vec<Complex<f64>> = fields.iter().map(|&re| Complex::new(re, 0.0)).collect();
            Fft2::new([width, height], 3).unwrap().forward(&mut wanted);
            let half = fft.spectrum_width();
            for (number, value) in spectra.iter().enumerate() {
                let apart = (value - wanted[number / half * width + number % half]).norm();
                assert!(apart < 1e-10 * plane as f64, "{width} × {height}: {apart}");
            }
            let mut back = vec![0.0; fields.len()];
            fft.inverse(&spectra, &mut back);
            let error =
                back.iter().zip(&fields).map(|(a, b)| (a / plane as f64 - b).abs()).fold(0.0, f64::max);
            assert!(error < 1e-12, "{width} × {height}: {error}");
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    #[test]
    fn threads_do_not_change_the_bits() {
        let size = [90, 77];
        let on_threads = |count: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap();
            pool.install(|| {
                let fields: Vec<f32> = rough(4 * 90 * 77).into_iter().map(|value| value as f32).collect();
                let (mut fft, mut back) = (RealFft2::new(size, 4).unwrap(), fields.clone());
                let mut spectra = vec![Complex::new(0.0, 0.0); 4 * fft.spectrum_len()];
                fft.forward(&fields, &mut spectra);
                fft.inverse(&spectra, &mut back);
                (spectra, back)
            })
        };
        let alone = on_threads(1);
        assert!([2, 3, 8].into_iter().all(|count| on_threads(count) == alone));
    }
}
