//! Interpolation between samples, and averages over cells.
//!
//! A row of samples f_j at j = 0 … n-1 is seen as the curve f(t) = Σ f_j K(t − j), where K is the hat (linear) or the
//! cubic of [catmull1974]; beyond its ends the last sample goes on. A cell takes the average of that curve,
//!
//! ```text
//! 1/(b−a) ∫ₐᵇ f dt = Σ f_j (P(b−j) − P(a−j)) / (b−a),     P′ = K.
//! ```
//!
//! Fine cells find the curve itself and coarse cells the mean of the samples in them, with all steps between: nothing
//! aliases, and the mean height is kept. On a rectangle the same is done along both axes.

/// Interpolation between the samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interpolation {
    /// Planes, creased at the samples.
    Bilinear,
    /// Cubic curves, smooth at the samples; may swing a little beyond them.
    Bicubic,
}

/// Half width of the kernel K.
const REACH: f64 = 2.0;
/// Positions in samples are held within this, where differences are still exact.
const FARTHEST: f64 = 1e12;

impl Interpolation {
    fn kernel(self, t: f64) -> f64 {
        let t = t.abs();
        match self {
            Interpolation::Bilinear => (1.0 - t).max(0.0),
            Interpolation::Bicubic if t < 1.0 => (1.5 * t - 2.5) * t * t + 1.0,
            Interpolation::Bicubic if t < 2.0 => ((-0.5 * t + 2.5) * t - 4.0) * t + 2.0,
            Interpolation::Bicubic => 0.0,
        }
    }

    /// P(t) = ∫₀ᵗ K, an odd function.
    fn integral(self, t: f64) -> f64 {
        let (sign, t) = (t.signum(), t.abs().min(REACH));
        sign * match self {
            Interpolation::Bilinear if t < 1.0 => t - 0.5 * t * t,
            Interpolation::Bilinear => 0.5,
            Interpolation::Bicubic if t < 1.0 => t * (1.0 + t * t * (0.375 * t - 2.5 / 3.0)),
            // From 1 on, with P(2) = 1/2.
            Interpolation::Bicubic => {
                let primitive = |t: f64| t * (2.0 + t * (-2.0 + t * (2.5 / 3.0 - 0.125 * t)));
                0.5 + primitive(t) - primitive(2.0)
            }
        }
    }
}

/// For each of many cells along one axis, the samples it takes and how much of each.
#[derive(Debug, Clone)]
pub(crate) struct Taps {
    cells: Vec<Cell>,
    weights: Vec<f64>,
}

#[derive(Debug, Clone, Copy)]
struct Cell {
    first_sample: usize,
    first_weight: usize,
    count: usize,
}

impl Taps {
    /// For cells `[low, high]` in units of samples, on an axis of `samples` samples.
    pub fn of_cells(
        interpolation: Interpolation,
        samples: usize,
        cells: impl Iterator<Item = [f64; 2]>,
    ) -> Taps {
        let mut taps = Taps { cells: Vec::new(), weights: Vec::new() };
        for cell in cells {
            let [low, high] = cell.map(|at| at.clamp(-FARTHEST, FARTHEST));
            taps.add(interpolation, samples, low, high.max(low));
        }
        taps
    }

    fn add(&mut self, interpolation: Interpolation, samples: usize, low: f64, high: f64) {
        let last = samples.saturating_sub(1);
        // Beyond these the curve is level, and the end sample takes all.
        let (before, after) = (-REACH, last as f64 + REACH);
        let (inner_low, inner_high) = (low.clamp(before, after), high.clamp(before, after));
        let nearest = |at: f64| at.clamp(0.0, last as f64) as usize;
        let first_sample = nearest((inner_low - REACH).ceil());
        let count = nearest((inner_high + REACH).floor()) - first_sample + 1;
        let first_weight = self.weights.len();
        self.weights.resize(first_weight + count, 0.0);
        let weights = &mut self.weights[first_weight..];

        let length = high - low;
        let (from, to) = ((inner_low - REACH).ceil() as i64, (inner_high + REACH).floor() as i64);
        for sample in from..=to {
            let at = sample as f64;
            let weight = match length > 0.0 {
                true => interpolation.integral(inner_high - at) - interpolation.integral(inner_low - at),
                false => interpolation.kernel(inner_low - at),
            };
            let place = (sample.clamp(0, last as i64) as usize).clamp(first_sample, first_sample + count - 1);
            weights[place - first_sample] += weight;
        }
        weights[0] += before.min(high) - before.min(low);
        weights[count - 1] += after.max(high) - after.max(low);
        // The weights sum to the length already, but for rounding.
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);
        self.cells.push(Cell { first_sample, first_weight, count });
    }

    fn of(&self, cell: usize) -> (usize, &[f64]) {
        let Cell { first_sample, first_weight, count } = self.cells[cell];
        (first_sample, &self.weights[first_weight..first_weight + count])
    }

    /// The average over cell (`column` of `across`, `row` of `self`) of samples in rows of `pitch`; NaN when more than
    /// half of the weight is on samples that are NaN.
    pub fn average(&self, row: usize, across: &Taps, column: usize, samples: &[f64], pitch: usize) -> f64 {
        let ((bottom, up), (left, along)) = (self.of(row), across.of(column));
        let (mut sum, mut total) = (0.0, 0.0);
        for (weight_up, line) in up.iter().zip(samples.chunks_exact(pitch).skip(bottom)) {
            for (weight_along, sample) in along.iter().zip(&line[left..]) {
                let weight = weight_up * weight_along;
                let is_there = !sample.is_nan();
                sum += if is_there { weight * sample } else { 0.0 };
                total += if is_there { weight } else { 0.0 };
            }
        }
        if total > 0.5 { sum / total } else { f64::NAN }
    }
}

/// The value at a point, in units of samples, of samples in rows of `pitch`.
pub(crate) fn point(interpolation: Interpolation, samples: &[f64], pitch: usize, [x, y]: [f64; 2]) -> f64 {
    let taps = |at: f64, count: usize| -> [(usize, f64); 4] {
        let last = count.saturating_sub(1) as f64;
        let at = at.clamp(-REACH, last + REACH);
        let base = at.floor() - 1.0;
        std::array::from_fn(|tap| {
            let sample = base + tap as f64;
            (sample.clamp(0.0, last) as usize, interpolation.kernel(at - sample))
        })
    };
    let (across, up) = (taps(x, pitch), taps(y, samples.len() / pitch));
    let line = |row: usize| {
        across.iter().map(|(column, weight)| weight * samples[row * pitch + column]).sum::<f64>()
    };
    up.iter().map(|(row, weight)| weight * line(*row)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [Interpolation; 2] = [Interpolation::Bilinear, Interpolation::Bicubic];

    fn cell(interpolation: Interpolation, samples: &[f64], low: f64, high: f64) -> f64 {
        let across = Taps::of_cells(interpolation, samples.len(), [[low, high]].into_iter());
        let up = Taps::of_cells(interpolation, 1, [[-0.5, 0.5]].into_iter());
        up.average(0, &across, 0, samples, samples.len())
    }

    #[test]
    fn the_integral_belongs_to_the_kernel() {
        for interpolation in BOTH {
            let whole = interpolation.integral(2.0) - interpolation.integral(-2.0);
            assert!((whole - 1.0).abs() < 1e-15);
            for t in [-1.9, -1.0, -0.3, 0.0, 0.7, 1.0, 1.4, 2.0] {
                let h = 1e-5;
                let slope = (interpolation.integral(t + h) - interpolation.integral(t - h)) / (2.0 * h);
                assert!((slope - interpolation.kernel(t)).abs() < 1e-5, "{t}");
            }
        }
    }

    #[test]
    fn straight_lines_are_kept_at_points_and_in_cells() {
        let line: Vec<f64> = (0..20).map(|n| 3.0 * f64::from(n) - 7.0).collect();
        for interpolation in BOTH {
            for at in [5.0, 7.25, 9.9] {
                assert!((point(interpolation, &line, 20, [at, 0.0]) - (3.0 * at - 7.0)).abs() < 1e-12);
                for width in [0.0, 0.3, 1.0, 4.7] {
                    let mean = cell(interpolation, &line, at - 0.5 * width, at + 0.5 * width);
                    assert!((mean - (3.0 * at - 7.0)).abs() < 1e-11, "{at} {width} {mean}");
                }
            }
        }
    }

    #[test]
    fn a_coarse_cell_sees_the_mean_and_not_one_sample() {
        let comb: Vec<f64> = (0..64).map(|n| f64::from(n % 2)).collect();
        for interpolation in BOTH {
            assert!((cell(interpolation, &comb, 9.5, 19.5) - 0.5).abs() < 1e-12);
        }
    }

    #[test]
    fn outside_the_ends_go_on() {
        let samples = [2.0, 8.0, 4.0];
        for interpolation in BOTH {
            assert_eq!(point(interpolation, &samples, 3, [-100.0, 0.0]), 2.0);
            assert_eq!(point(interpolation, &samples, 3, [1e300, 5.0]), 4.0);
            assert!((cell(interpolation, &samples, -50.0, -40.0) - 2.0).abs() < 1e-15);
            assert!((cell(interpolation, &samples, 1e300, f64::INFINITY) - 4.0).abs() < 1e-15);
            // Half before the first sample, half behind the last: the ends in equal parts.
            let wide = cell(interpolation, &samples, -1e6, 1e6 + 2.0);
            assert!((wide - 3.0).abs() < 1e-4, "{wide}");
            assert!((cell(interpolation, &[5.0], -3.0, 4.0) - 5.0).abs() < 1e-15);
        }
    }
}
