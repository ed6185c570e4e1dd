//! Separable resampling of a lattice to pixels with cubic filters.
//!
//! The filters are of the family of [mitchell1988], applied along y, then along x. For minification the filter is widened
//! to the pixel spacing. Beyond the outermost samples values are clamped.

use rayon::prelude::*;

/// Reconstruction filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterKernel {
    /// Mitchell–Netravali, B = C = 1/3: sharp, with slight overshoot.
    Crisp,
    /// Cubic B-spline: no overshoot, smooth slopes for shading.
    Smooth,
}

impl FilterKernel {
    fn weight(self, at: f32) -> f32 {
        let (b, c) = match self {
            FilterKernel::Crisp => (1.0 / 3.0, 1.0 / 3.0),
            FilterKernel::Smooth => (1.0, 0.0),
        };
        let x = at.abs();
        let sixth = if x < 1.0 {
            (12.0 - 9.0 * b - 6.0 * c) * x * x * x + (-18.0 + 12.0 * b + 6.0 * c) * x * x + 6.0 - 2.0 * b
        } else if x < 2.0 {
            (-b - 6.0 * c) * x * x * x
                + (6.0 * b + 30.0 * c) * x * x
                + (-12.0 * b - 48.0 * c) * x
                + 8.0 * b
                + 24.0 * c
        } else {
            0.0
        };
        sixth / 6.0
    }
}

/// Mapping from pixels to samples along one axis: pixel p is at sample `first + step · p`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AxisMapping {
    /// Sample coordinate of the centre of pixel 0.
    pub first: f64,
    /// Samples per pixel; negative where the directions are opposite.
    pub step: f64,
}

/// `N` numbers per pixel of a rectangle.
#[derive(Debug, Clone, PartialEq)]
pub struct PixelBuffer<const N: usize> {
    /// Pixels along a row.
    pub width: usize,
    /// Rows from the top.
    pub pixels: Vec<[f32; N]>,
}

impl<const N: usize> PixelBuffer<N> {
    /// Resamples `samples` (rows of `columns`) to `size` pixels; NaN without samples.
    pub fn new(
        samples: &[[f32; N]],
        columns: usize,
        axis_mappings: [AxisMapping; 2],
        size: [usize; 2],
        kernel: FilterKernel,
    ) -> Self {
        let [width, height] = size;
        let mut pixels = vec![[f32::NAN; N]; width * height];
        let rows = samples.len().checked_div(columns).unwrap_or(0);
        if rows > 0 && width > 0 {
            let across = FilterTaps::new(axis_mappings[0], columns, width, kernel);
            let upright = FilterTaps::new(axis_mappings[1], rows, height, kernel);
            pixels.par_chunks_mut(width).enumerate().for_each_init(
                || vec![[0.0; N]; columns],
                |line, (y, row)| {
                    sum_rows(samples, upright.of(y), line);
                    sum_columns(line, &across, row);
                },
            );
        }
        PixelBuffer { width, pixels }
    }
}

impl<const N: usize> PixelBuffer<N> {
    /// Gradient of the first number per pixel, to the right and down; central differences, one-sided at the edges.
    pub fn slope(&self, x: usize, y: usize) -> [f32; 2] {
        let last = [self.width.saturating_sub(1), (self.pixels.len() / self.width.max(1)).saturating_sub(1)];
        let at = |x: usize, y: usize| self.pixels[y * self.width + x][0];
        let (left, right) = (x.saturating_sub(1), (x + 1).min(last[0]));
        let (above, below) = (y.saturating_sub(1), (y + 1).min(last[1]));
        let per = |rise: f32, run: usize| rise / run.max(1) as f32;
        [per(at(right, y) - at(left, y), right - left), per(at(x, below) - at(x, above), below - above)]
    }
}

fn sum_rows<const N: usize>(samples: &[[f32; N]], taps: &[(u32, f32)], line: &mut [[f32; N]]) {
    line.fill([0.0; N]);
    for &(row, weight) in taps {
        let start = row as usize * line.len();
        for (sum, sample) in line.iter_mut().zip(&samples[start..]) {
            (0..N).for_each(|number| sum[number] += weight * sample[number]);
        }
    }
}

fn sum_columns<const N: usize>(line: &[[f32; N]], across: &FilterTaps, row: &mut [[f32; N]]) {
    for (x, pixel) in row.iter_mut().enumerate() {
        let mut sum = [0.0; N];
        for &(column, weight) in across.of(x) {
            let sample = line[column as usize];
            (0..N).for_each(|number| sum[number] += weight * sample[number]);
        }
        *pixel = sum;
    }
}

/// Filter taps: sample indices and weights of each pixel.
struct FilterTaps {
    per_pixel: usize,
    all: Vec<(u32, f32)>,
}

impl FilterTaps {
    fn new(mapping: AxisMapping, samples: usize, pixels: usize, kernel: FilterKernel) -> Self {
        // The filter need not be wider than the lattice
        let width = mapping.step.abs().clamp(1.0, samples.max(1) as f64);
        let reach = (2.0 * width).ceil();
        let per_pixel = 2 * reach as usize;
        let mut all = Vec::with_capacity(per_pixel * pixels);
        for pixel in 0..pixels {
            let middle = mapping.first + mapping.step * pixel as f64;
            let middle = if middle.is_finite() { middle.clamp(-1e9, 1e9) } else { 0.0 };
            let low = middle.floor() - reach + 1.0;
            let weight = |tap: usize| kernel.weight(((low + tap as f64 - middle) / width) as f32);
            let total: f32 = (0..per_pixel).map(weight).sum();
            all.extend((0..per_pixel).map(|tap| {
                let sample = (low + tap as f64).clamp(0.0, samples.saturating_sub(1) as f64);
                (sample as u32, weight(tap) / total)
            }));
        }
        FilterTaps { per_pixel, all }
    }

    fn of(&self, pixel: usize) -> &[(u32, f32)] {
        &self.all[pixel * self.per_pixel..(pixel + 1) * self.per_pixel]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bring(samples: &[f32], pixels: usize, kernel: FilterKernel) -> Vec<f32> {
        let samples: Vec<[f32; 1]> = samples.iter().map(|&sample| [sample]).collect();
        let step = samples.len() as f64 / pixels as f64;
        let horizontal = AxisMapping { first: 0.5 * step - 0.5, step };
        let still = AxisMapping { first: 0.0, step: 1.0 };
        let plane = PixelBuffer::new(&samples, samples.len(), [horizontal, still], [pixels, 1], kernel);
        plane.pixels.iter().map(|pixel| pixel[0]).collect()
    }

    #[test]
    fn level_and_straight_values_stay_so() {
        for kernel in [FilterKernel::Crisp, FilterKernel::Smooth] {
            for pixels in [3, 8, 50] {
                assert!(bring(&[2.5; 8], pixels, kernel).iter().all(|value| (value - 2.5).abs() < 1e-5));
            }
            let ramp: Vec<f32> = (0..16).map(|sample| sample as f32).collect();
            let fine = bring(&ramp, 64, kernel);
            assert!((fine[32] - 7.625).abs() < 1e-4, "{}", fine[32]);
        }
    }

    #[test]
    fn a_spline_never_overshoots_and_no_sample_is_left_out() {
        let step: Vec<f32> = (0..40).map(|sample| if sample < 20 { 0.0 } else { 1.0 }).collect();
        assert!(bring(&step, 300, FilterKernel::Smooth).iter().all(|value| (0.0..=1.0).contains(value)));
        assert!(bring(&step, 300, FilterKernel::Crisp).iter().any(|&value| value > 1.001));
        let mut lone = vec![0.0; 64];
        lone[30] = 1.0;
        let shrunk: f32 = bring(&lone, 8, FilterKernel::Crisp).iter().sum();
        assert!((shrunk - 1.0 / 8.0).abs() < 0.02, "{shrunk}");
    }

    #[test]
    fn empty_input_gives_nan() {
        let mapping = AxisMapping { first: f64::NAN, step: f64::INFINITY };
        assert!(
            PixelBuffer::<1>::new(&[], 0, [mapping; 2], [2, 2], FilterKernel::Crisp).pixels[3][0].is_nan()
        );
        let one = PixelBuffer::new(&[[4.0]], 1, [mapping; 2], [2, 2], FilterKernel::Crisp);
        assert!((one.pixels[3][0] - 4.0).abs() < 1e-5);
    }
}
