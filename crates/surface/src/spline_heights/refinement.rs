//! Uniform bicubic splines from a lattice of samples to a finer one over the same cells.

use undine_frame::{Heights, Shared};
use undine_grid::par;

/// Most samples of the finer lattice.
const MOST_SAMPLES: usize = 1 << 22;

/// A lattice of samples and a finer one over the same cells.
pub struct Refinement {
    /// Samples along both axes.
    pub size: [usize; 2],
    /// Finer samples per sample.
    factors: [usize; 2],
    /// Position of the first fine sample.
    origin: [f64; 2],
    /// Distances of the samples.
    pub coarse_spacing: [f64; 2],
}

impl Refinement {
    /// The lattice of a height field and one with `factor` samples per sample, fewer where they would be too many.
    pub fn of(heights: &Heights, factor: usize) -> Refinement {
        let size = heights.size.map(|samples| samples as usize);
        let mut factors = size.map(|samples| if samples > 1 { factor } else { 1 });
        while size[0] * factors[0] * size[1] * factors[1] > MOST_SAMPLES && factors != [1, 1] {
            factors = factors.map(|factor| (factor / 2).max(1));
        }
        let first =
            |axis: usize| heights.origin[axis] + heights.spacing[axis] * (0.5 / factors[axis] as f64 - 0.5);
        Refinement { size, factors, origin: [first(0), first(1)], coarse_spacing: heights.spacing }
    }

    /// Finer samples along both axes.
    pub fn finer(&self) -> [usize; 2] {
        [self.size[0] * self.factors[0], self.size[1] * self.factors[1]]
    }

    /// Distances of finer samples in metres.
    pub fn spacing(&self) -> [f64; 2] {
        [0, 1].map(|axis| self.coarse_spacing[axis] / self.factors[axis] as f64)
    }

    /// Position of a finer sample in metres.
    pub fn position(&self, sample: [usize; 2]) -> [f64; 2] {
        let spacing = self.spacing();
        [0, 1].map(|axis| self.origin[axis] + spacing[axis] * sample[axis] as f64)
    }

    /// Heights on the finer lattice.
    pub fn heights(
        &self,
        coarse: &Heights,
        level: Shared<f32>,
        bed: Option<Shared<f32>>,
        velocity: Option<Shared<[f32; 2]>>,
    ) -> Heights {
        let size = self.finer().map(|samples| samples as u32);
        let (origin, spacing) = (self.origin, self.spacing());
        Heights { size, origin, spacing, level, bed, velocity, dry_depth: coarse.dry_depth }
    }

    /// The spline through the samples: its values and slopes.
    pub fn interpolated(&self, samples: &[f32]) -> (Vec<f32>, Vec<[f32; 2]>) {
        let mut coefficients: Vec<f64> = samples.iter().map(|&value| f64::from(value)).collect();
        let [columns, rows] = self.size;
        let mut scratch = vec![0.0; columns.max(rows)];
        for row in 0..if columns > 1 { rows } else { 0 } {
            prefilter(&mut coefficients, row * columns, 1, columns, &mut scratch);
        }
        for column in 0..if rows > 1 { columns } else { 0 } {
            prefilter(&mut coefficients, column, columns, rows, &mut scratch);
        }
        self.with_slopes(&coefficients)
    }

    /// The spline with the samples as coefficients: its values and slopes.
    pub fn approximated(&self, samples: &[f32]) -> (Vec<f32>, Vec<[f32; 2]>) {
        self.with_slopes(&samples.iter().map(|&value| f64::from(value)).collect::<Vec<_>>())
    }

    /// Interleaved numbers, each component as coefficients.
    pub fn components(&self, numbers: &[f32], components: usize) -> Vec<f32> {
        let one = |component: usize| {
            let column: Vec<f32> = numbers.iter().skip(component).step_by(components).copied().collect();
            self.approximated(&column).0
        };
        let columns: Vec<Vec<f32>> = (0..components).map(one).collect();
        let samples = self.finer()[0] * self.finer()[1];
        (0..samples).flat_map(|sample| columns.iter().map(move |column| column[sample])).collect()
    }

    /// A spline at the finer samples, and its slopes.
    fn with_slopes(&self, coefficients: &[f64]) -> (Vec<f32>, Vec<[f32; 2]>) {
        let taps = |axis: usize, order: u32| {
            let mut taps = taps(self.size[axis], self.factors[axis], order);
            let per_cell = self.coarse_spacing[axis].max(f64::MIN_POSITIVE).recip().powi(order as i32);
            taps.as_flattened_mut().iter_mut().for_each(|(_, weight)| *weight *= per_cell);
            taps
        };
        let values = self.evaluated(coefficients, &taps(0, 0), &taps(1, 0));
        let along_x = self.evaluated(coefficients, &taps(0, 1), &taps(1, 0));
        let along_y = self.evaluated(coefficients, &taps(0, 0), &taps(1, 1));
        (values, along_x.into_iter().zip(along_y).map(|(x, y)| [x, y]).collect())
    }

    /// Sums of coefficients by their weights along both axes, at the finer samples.
    fn evaluated(&self, coefficients: &[f64], along_x: &[Taps], along_y: &[Taps]) -> Vec<f32> {
        let columns = self.size[0];
        let [width, height] = self.finer();
        let mut values = vec![0.0; width * height];
        if width > 0 {
            par::for_each_chunk(&mut values, width, |first, line| {
                let taps = &along_y[first / width];
                let row = |x: usize| {
                    taps.iter().map(|&(y, weight)| weight * coefficients[y * columns + x]).sum::<f64>()
                };
                let row: Vec<f64> = (0..columns).map(row).collect();
                for (value, taps) in line.iter_mut().zip(along_x) {
                    *value = taps.iter().map(|&(x, weight)| weight * row[x]).sum::<f64>() as f32;
                }
            });
        }
        values
    }
}

/// Four coefficients with their weights.
type Taps = [(usize, f64); 4];

/// The coefficients, mirrored at the borders, of every finer sample along an axis, with their weights for the value (order 0)
/// or the derivative per cell (order 1).
fn taps(samples: usize, factor: usize, order: u32) -> Vec<Taps> {
    if samples == 1 {
        let weight = if order == 0 { 1.0 } else { 0.0 };
        return vec![[(0, weight), (0, 0.0), (0, 0.0), (0, 0.0)]];
    }
    let mirrored = |i: isize| {
        let last = samples as isize - 1;
        let i = if i < 0 { -1 - i } else { i };
        (if i > last { 2 * last + 1 - i } else { i }).clamp(0, last) as usize
    };
    (0..samples * factor)
        .map(|fine| {
            let at = (fine as f64 + 0.5) / factor as f64 - 0.5;
            let (cell, t) = (at.floor(), at - at.floor());
            let s = 1.0 - t;
            let middle = |t: f64| (3.0 * t * t * t - 6.0 * t * t + 4.0) / 6.0;
            let steep = |t: f64| 1.5 * t * t - 2.0 * t;
            let weights = match order {
                0 => [s * s * s / 6.0, middle(t), middle(s), t * t * t / 6.0],
                _ => [-0.5 * s * s, steep(t), -steep(s), 0.5 * t * t],
            };
            std::array::from_fn(|tap| (mirrored(cell as isize + tap as isize - 1), weights[tap]))
        })
        .collect()
}

/// Replaces samples along a line by the coefficients of the spline through them, by the Thomas algorithm.
fn prefilter(values: &mut [f64], first: usize, step: usize, count: usize, scratch: &mut [f64]) {
    // (cᵢ₋₁ + 4 cᵢ + cᵢ₊₁)/6 = fᵢ, with c₋₁ = c₀ and cₙ = cₙ₋₁ at the mirrored borders
    let mut pivot = 5.0;
    values[first] *= 6.0 / pivot;
    for i in 1..count {
        scratch[i] = 1.0 / pivot;
        pivot = if i + 1 < count { 4.0 } else { 5.0 } - scratch[i];
        let at = first + i * step;
        values[at] = (6.0 * values[at] - values[at - step]) / pivot;
    }
    for i in (1..count).rev() {
        let at = first + i * step;
        values[at - step] -= scratch[i] * values[at];
    }
}
