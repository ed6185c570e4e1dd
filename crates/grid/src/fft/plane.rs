//! Transforms of planes of complex numbers.

use num_complex::Complex;

use super::{FftMemoryError, LineFft, gather_columns, lines_per_task, zeros};
use crate::par;
use crate::value::Real;

/// Transforms planes of complex numbers, several at once, in place and in parallel. A plane of `[width, height]` is
/// `height` rows of `width` values, one after another.
///
/// ```
/// use undine_grid::fft::{Complex, Fft2};
///
/// let mut fft = Fft2::<f32>::new([12, 10], 1)?;
/// let mut plane = vec![Complex::new(0.0, 0.0); 120];
/// plane[3 * 12 + 2].re = 1.0;
/// fft.forward(&mut plane);
/// fft.inverse(&mut plane);
/// assert!((plane[3 * 12 + 2].re - 120.0).abs() < 1e-3 && plane[0].norm() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Fft2<T> {
    size: [usize; 2],
    planes: usize,
    /// Along x and along y.
    lines: [LineFft<T>; 2],
    /// Planes with rows and columns exchanged.
    turned: Vec<Complex<T>>,
    scratch: Vec<Vec<Complex<T>>>,
}

impl<T: Real> Fft2<T> {
    /// For planes of a size, with memory for `planes` at once. More are transformed in several passes.
    pub fn new([width, height]: [usize; 2], planes: usize) -> Result<Self, FftMemoryError> {
        let (size, planes) = ([width.max(1), height.max(1)], planes.max(1));
        let lines = size.map(LineFft::new);
        let room = lines.iter().map(LineFft::scratch).max().unwrap_or(0);
        Ok(Fft2 {
            size,
            planes,
            lines,
            turned: zeros(planes * size[0] * size[1])?,
            scratch: (0..super::TASKS).map(|_| zeros(room)).collect::<Result<_, _>>()?,
        })
    }

    /// Width and height of a plane.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// X[k, l] = Σ x[i, j] exp(−2πi (ik/width + jl/height)) for every plane.
    ///
    /// # Panics
    /// When `planes` are no whole planes.
    pub fn forward(&mut self, planes: &mut [Complex<T>]) {
        self.transform(planes, LineFft::forward);
    }

    /// x[i, j] = Σ X[k, l] exp(+2πi (ik/width + jl/height)) for every plane.
    ///
    /// # Panics
    /// When `planes` are no whole planes.
    pub fn inverse(&mut self, planes: &mut [Complex<T>]) {
        self.transform(planes, LineFft::inverse);
    }

    fn transform(
        &mut self,
        planes: &mut [Complex<T>],
        work: impl Fn(&LineFft<T>, &mut [Complex<T>], &mut [Complex<T>]) + Sync,
    ) {
        let [width, height] = self.size;
        let plane = width * height;
        assert!(planes.len().is_multiple_of(plane), "whole planes of {width} × {height}");
        for some in planes.chunks_mut(self.planes * plane) {
            let count = some.len() / plane;
            // Along rows, in place
            let per_task = lines_per_task(count * height);
            par::for_each_chunk_with(some, per_task * width, &mut self.scratch, |_, rows, scratch| {
                work(&self.lines[0], rows, scratch);
            });
            // Along columns, which are rows of the turned planes
            let turned = &mut self.turned[..some.len()];
            let per_task = lines_per_task(count * width);
            let from = &*some;
            par::for_each_chunk_with(
                turned,
                per_task * height,
                &mut self.scratch,
                |first, columns, scratch| {
                    gather_columns(from, [width, height], first / height, columns);
                    work(&self.lines[1], columns, scratch);
                },
            );
            let (from, per_task) = (&*turned, lines_per_task(count * height));
            par::for_each_chunk(some, per_task * width, |first, rows| {
                gather_columns(from, [height, width], first / width, rows);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_agree_with_the_sum() {
        for [width, height] in [[1, 1], [5, 1], [1, 6], [8, 8], [7, 12], [33, 20], [18, 41]] {
            let (mut fft, count) = (Fft2::<f64>::new([width, height], 2).unwrap(), 3);
            let value = |n: usize| Complex::new(((5 * n) as f64).sin(), ((n * n) as f64).cos());
            let given: Vec<Complex<f64>> = (0..count * width * height).map(value).collect();
            let mut planes = given.clone();
            fft.forward(&mut planes);
            for (number, [k, l]) in
                [[0, 0], [width / 2, height / 3], [width - 1, height - 1]].into_iter().enumerate()
            {
                let plane = number * width * height;
                let wanted: Complex<f64> = (0..width * height)
                    .map(|n| {
                        let turns =
                            (n % width * k) as f64 / width as f64 + (n / width * l) as f64 / height as f64;
                        given[plane + n] * Complex::cis(-std::f64::consts::TAU * turns)
                    })
                    .sum();
                assert!((planes[plane + l * width + k] - wanted).norm() < 1e-9, "{width} × {height}");
            }
            fft.inverse(&mut planes);
            let scale = 1.0 / (width * height) as f64;
            let error = planes.iter().zip(&given).map(|(a, b)| (a * scale - b).norm()).fold(0.0, f64::max);
            assert!(error < 1e-12, "{width} × {height}: {error}");
        }
    }
}
