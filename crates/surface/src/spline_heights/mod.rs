//! Height fields over coarse cells, drawn smoothly: bicubic splines on a finer lattice [foster1996, §8].
//!
//! The uniform cubic B-spline with coefficients c has the value
//!
//! ```text
//! s(i + t) = [(1 − t)³ cᵢ₋₁ + (3t³ − 6t² + 4) cᵢ + (3(1 − t)³ − 6(1 − t)² + 4) cᵢ₊₁ + t³ cᵢ₊₂] / 6
//! ```
//!
//! along either axis, with two continuous derivatives. Water is interpolated: the coefficients solve (cᵢ₋₁ + 4 cᵢ + cᵢ₊₁)/6 =
//! fᵢ, so that no wave loses height. Ground takes its samples as coefficients: steps of cells become slopes, without the
//! overshoot of an interpolation. Beyond the border samples are mirrored, so that surfaces meet walls at right angles. Dry
//! samples first take the level of the nearest water: its surface ends where it meets the ground.
//!
//! Steep ground, such as rock, may be displaced by fractal noise on the finer lattice.

mod noise;

use undine_frame::{Attribute, Heights, Mesh, Shared};
use undine_grid::par;

use crate::height::{ground_mesh, height_mesh};
use crate::liquid::Surfacing;
use crate::slopes::slopes;

/// Most samples of the finer lattice.
const MOST_SAMPLES: usize = 1 << 22;
/// Slopes from which on ground counts as rock, and above which it does so entirely.
const ROCK_SLOPES: [f32; 2] = [0.15, 0.6];
/// Default size of rocks in cells.
const ROCK_CELLS: f64 = 4.0;

/// How a height field is drawn by splines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SplineHeights {
    /// Samples of the finer lattice along a cell.
    pub factor: usize,
    /// Height in metres of the noise on rock, and its greatest length.
    pub rock: f32,
    /// Greatest length of the noise in metres; `None` for four cells.
    pub rock_length: Option<f64>,
}

impl SplineHeights {
    /// The splines that a scene asks for, if it does.
    pub(crate) fn of(surfacing: &Surfacing) -> Option<SplineHeights> {
        let Surfacing { uses_spline, cells, rock, rock_length, .. } = *surfacing;
        let factor = cells.round().clamp(1.0, 8.0) as usize;
        uses_spline.then_some(SplineHeights { factor, rock: rock as f32, rock_length })
    }

    /// The mesh of a water surface.
    pub fn water_mesh(&self, name: &str, water: &Heights) -> Mesh {
        height_mesh(name, &self.water(water))
    }

    /// The mesh of a ground with attributes of its samples.
    pub fn ground_mesh(&self, name: &str, ground: &Heights, attributes: &[Attribute]) -> Mesh {
        let lattice = Refinement::of(ground, self.factor);
        let sound = attributes.iter().filter(|one| one.inconsistency(ground.level.len(), "").is_none());
        let finer = |attribute: &Attribute| {
            let values = lattice.components(&attribute.values, attribute.components as usize);
            Attribute { values: values.into(), ..attribute.clone() }
        };
        let attributes: Vec<Attribute> = sound.map(finer).collect();
        let level = self.bed(&lattice, &ground.level).into();
        ground_mesh(name, &lattice.heights(ground, level, None, None), &attributes)
    }

    /// A water on the finer lattice.
    fn water(&self, water: &Heights) -> Heights {
        let lattice = Refinement::of(water, self.factor);
        let levels = match &water.bed {
            Some(bed) => wet_levels(&water.level, bed, lattice.size, water.dry_depth),
            None => water.level.to_vec(),
        };
        let level = lattice.interpolated(&levels);
        let bed = water.bed.as_ref().map(|bed| self.bed(&lattice, bed).into());
        let velocity = water.velocity.as_ref().map(|velocity| {
            let numbers = lattice.components(velocity.as_flattened(), 2);
            Shared::from(numbers.as_chunks::<2>().0.to_vec())
        });
        lattice.heights(water, level.into(), bed, velocity)
    }

    /// The ground on the finer lattice, with its rocks.
    fn bed(&self, lattice: &Refinement, levels: &[f32]) -> Vec<f32> {
        let mut bed = lattice.approximated(levels);
        if self.rock <= 0.0 {
            return bed;
        }
        let slopes = slopes(&bed, lattice.finer(), lattice.spacing().map(|step| step as f32), |_| true);
        let coarse = lattice.coarse_spacing[0].max(lattice.coarse_spacing[1]);
        let length = self.rock_length.unwrap_or(ROCK_CELLS * coarse);
        let finest = lattice.spacing()[0].min(lattice.spacing()[1]);
        let columns = lattice.finer()[0];
        par::for_each_chunk(&mut bed, columns.max(1), |first, row| {
            for (x, level) in row.iter_mut().enumerate() {
                let [along_x, along_y] = slopes[first + x];
                let [low, high] = ROCK_SLOPES;
                let part = ((along_x.hypot(along_y) - low) / (high - low)).clamp(0.0, 1.0);
                let at = lattice.position([x, first / columns]).map(|metres| metres / length);
                let noise = noise::fractal(at, finest / length) as f32;
                *level += self.rock * part * part * (3.0 - 2.0 * part) * noise;
            }
        });
        bed
    }
}

/// A lattice of samples and a finer one over the same cells.
struct Refinement {
    size: [usize; 2],
    factors: [usize; 2],
    /// Position of the first fine sample, and the distances of coarse ones.
    origin: [f64; 2],
    coarse_spacing: [f64; 2],
}

impl Refinement {
    fn of(heights: &Heights, factor: usize) -> Refinement {
        let size = heights.size.map(|samples| samples as usize);
        let mut factors = size.map(|samples| if samples > 1 { factor } else { 1 });
        while size[0] * factors[0] * size[1] * factors[1] > MOST_SAMPLES && factors != [1, 1] {
            factors = factors.map(|factor| (factor / 2).max(1));
        }
        let first =
            |axis: usize| heights.origin[axis] + heights.spacing[axis] * (0.5 / factors[axis] as f64 - 0.5);
        Refinement { size, factors, origin: [first(0), first(1)], coarse_spacing: heights.spacing }
    }

    fn finer(&self) -> [usize; 2] {
        [self.size[0] * self.factors[0], self.size[1] * self.factors[1]]
    }

    fn spacing(&self) -> [f64; 2] {
        [0, 1].map(|axis| self.coarse_spacing[axis] / self.factors[axis] as f64)
    }

    fn position(&self, sample: [usize; 2]) -> [f64; 2] {
        let spacing = self.spacing();
        [0, 1].map(|axis| self.origin[axis] + spacing[axis] * sample[axis] as f64)
    }

    fn heights(
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

    /// The spline through the samples.
    fn interpolated(&self, samples: &[f32]) -> Vec<f32> {
        let mut coefficients: Vec<f64> = samples.iter().map(|&value| f64::from(value)).collect();
        let [columns, rows] = self.size;
        let mut scratch = vec![0.0; columns.max(rows)];
        for row in 0..if columns > 1 { rows } else { 0 } {
            prefilter(&mut coefficients, row * columns, 1, columns, &mut scratch);
        }
        for column in 0..if rows > 1 { columns } else { 0 } {
            prefilter(&mut coefficients, column, columns, rows, &mut scratch);
        }
        self.evaluated(&coefficients)
    }

    /// The spline with the samples as coefficients.
    fn approximated(&self, samples: &[f32]) -> Vec<f32> {
        self.evaluated(&samples.iter().map(|&value| f64::from(value)).collect::<Vec<_>>())
    }

    /// The same of interleaved numbers.
    fn components(&self, numbers: &[f32], components: usize) -> Vec<f32> {
        let one = |component: usize| {
            let column: Vec<f32> = numbers.iter().skip(component).step_by(components).copied().collect();
            self.approximated(&column)
        };
        let columns: Vec<Vec<f32>> = (0..components).map(one).collect();
        let samples = self.finer()[0] * self.finer()[1];
        (0..samples).flat_map(|sample| columns.iter().map(move |column| column[sample])).collect()
    }

    /// A spline at the finer samples.
    fn evaluated(&self, coefficients: &[f64]) -> Vec<f32> {
        let [columns, rows] = self.size;
        let [width, height] = self.finer();
        let along_x = taps(columns, self.factors[0]);
        let along_y = taps(rows, self.factors[1]);
        let mut values = vec![0.0; width * height];
        if width > 0 {
            par::for_each_chunk(&mut values, width, |first, line| {
                let taps = &along_y[first / width];
                let row = |x: usize| {
                    taps.iter().map(|&(y, weight)| weight * coefficients[y * columns + x]).sum::<f64>()
                };
                let row: Vec<f64> = (0..columns).map(row).collect();
                for (value, taps) in line.iter_mut().zip(&along_x) {
                    *value = taps.iter().map(|&(x, weight)| weight * row[x]).sum::<f64>() as f32;
                }
            });
        }
        values
    }
}

/// The four coefficients, mirrored at the borders, and weights of every finer sample along an axis.
fn taps(samples: usize, factor: usize) -> Vec<[(usize, f64); 4]> {
    if samples == 1 {
        return vec![[(0, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)]];
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
            let weights = [s * s * s / 6.0, middle(t), middle(s), t * t * t / 6.0];
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

/// Levels of the water with those of dry samples continued from the nearest wet ones.
fn wet_levels(levels: &[f32], beds: &[f32], [columns, rows]: [usize; 2], dry_depth: f32) -> Vec<f32> {
    let mut levels = levels.to_vec();
    let mut is_known: Vec<bool> =
        levels.iter().zip(beds).map(|(level, bed)| level - bed > dry_depth).collect();
    if !is_known.contains(&true) {
        return beds.iter().map(|bed| bed - dry_depth.max(1e-3)).collect();
    }
    // Rings of dry samples around the water, each with the mean of its known neighbours
    loop {
        let mean = |sample: usize| {
            let (column, row) = (sample % columns, sample / columns);
            let (mut sum, mut count) = (0.0, 0.0_f32);
            for y in row.saturating_sub(1)..(row + 2).min(rows) {
                for x in column.saturating_sub(1)..(column + 2).min(columns) {
                    if is_known[y * columns + x] {
                        sum += levels[y * columns + x];
                        count += 1.0;
                    }
                }
            }
            (count > 0.0).then(|| (sample, sum / count))
        };
        let ring: Vec<(usize, f32)> =
            (0..levels.len()).filter(|&sample| !is_known[sample]).filter_map(mean).collect();
        if ring.is_empty() {
            return levels;
        }
        for (sample, level) in ring {
            (levels[sample], is_known[sample]) = (level, true);
        }
    }
}

#[cfg(test)]
mod tests;
