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
//! samples first take the level of the nearest water: its surface ends where it meets the ground. Normals are those of the
//! splines.
//!
//! Rock, which is ground with steps of more than a cell, may be displaced by fractal noise on the finer lattice.

mod noise;
mod refinement;

use undine_frame::{Attribute, Heights, Mesh, Shared};
use undine_grid::par;

use crate::height::{ground_mesh, height_mesh};
use crate::liquid::Surfacing;
use crate::mesh_lattice::MeshLattice;
use crate::shoreline::MIN_DEPTH_BELOW;
use crate::slopes::normal;
use refinement::Refinement;

/// Steps to a neighbour, in cells, above which ground begins to count as rock, and from which on it does so entirely.
const ROCK_STEPS: [f32; 2] = [1.0, 2.0];
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
        let (finer, slopes) = self.water(water);
        with_normals(height_mesh(name, &finer), &finer, &slopes)
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
        let (level, slopes) = self.bed(&lattice, &ground.level);
        let finer = lattice.heights(ground, level.into(), None, None);
        with_normals(ground_mesh(name, &finer, &attributes), &finer, &slopes)
    }

    /// A water on the finer lattice, and the slopes of its surface.
    fn water(&self, water: &Heights) -> (Heights, Vec<[f32; 2]>) {
        let lattice = Refinement::of(water, self.factor);
        let bed = water.bed.as_ref().map(|bed| self.bed(&lattice, bed));
        let wet = match &water.bed {
            Some(bed) => wet_levels(&water.level, bed, lattice.size, water.dry_depth),
            None => Some(water.level.to_vec()),
        };
        let (level, slopes) = match (wet, &bed) {
            (Some(levels), _) => lattice.interpolated(&levels),
            // All of it is dry
            (None, Some((bed, slopes))) => {
                (bed.iter().map(|bed| bed - MIN_DEPTH_BELOW).collect(), slopes.clone())
            }
            (None, None) => lattice.interpolated(&water.level),
        };
        let bed = bed.map(|(levels, _)| levels.into());
        let velocity = water.velocity.as_ref().map(|velocity| {
            let numbers = lattice.components(velocity.as_flattened(), 2);
            Shared::from(numbers.as_chunks::<2>().0.to_vec())
        });
        (lattice.heights(water, level.into(), bed, velocity), slopes)
    }

    /// The ground on the finer lattice with its rocks, and its slopes.
    fn bed(&self, lattice: &Refinement, levels: &[f32]) -> (Vec<f32>, Vec<[f32; 2]>) {
        let (bed, slopes) = lattice.approximated(levels);
        if self.rock <= 0.0 {
            return (bed, slopes);
        }
        // The spline has slopes of its own, the noise those by differences
        let noise = self.displacement(lattice, levels);
        let spacing = lattice.spacing().map(|step| step as f32);
        let rough = crate::slopes::slopes(&noise, lattice.finer(), spacing, |_| true);
        let slopes = slopes.iter().zip(rough).map(|(one, other)| [one[0] + other[0], one[1] + other[1]]);
        (bed.iter().zip(&noise).map(|(bed, noise)| bed + noise).collect(), slopes.collect())
    }

    /// The noise by which ground of these levels is displaced.
    fn displacement(&self, lattice: &Refinement, levels: &[f32]) -> Vec<f32> {
        let coarse = lattice.coarse_spacing[0].max(lattice.coarse_spacing[1]);
        // Of rock and a cell around it, so that its top is part of it
        let steps = steepest_steps(levels, lattice.size, coarse as f32);
        let (steps, _) = lattice.approximated(&neighbourhood(&steps, lattice.size, |_, beside| beside));
        let length = self.rock_length.unwrap_or(ROCK_CELLS * coarse);
        let finest = lattice.spacing()[0].min(lattice.spacing()[1]);
        let columns = lattice.finer()[0];
        let mut noise = vec![0.0; steps.len()];
        par::for_each_chunk(&mut noise, columns.max(1), |first, row| {
            for (x, height) in row.iter_mut().enumerate() {
                let [low, high] = ROCK_STEPS;
                let part = ((steps[first + x] - low) / (high - low)).clamp(0.0, 1.0);
                let at = lattice.position([x, first / columns]).map(|metres| metres / length);
                let strength = self.rock * part * part * (3.0 - 2.0 * part);
                *height =
                    if strength > 0.0 { strength * noise::fractal(at, finest / length) as f32 } else { 0.0 };
            }
        });
        noise
    }
}

/// The highest step from each sample to its neighbours, in cells.
fn steepest_steps(levels: &[f32], size: [usize; 2], cell: f32) -> Vec<f32> {
    neighbourhood(levels, size, |level, beside| (beside - level).abs() / cell)
}

/// The greatest of `number(sample, neighbour)` over a sample and its eight neighbours.
fn neighbourhood(values: &[f32], [columns, rows]: [usize; 2], number: impl Fn(f32, f32) -> f32) -> Vec<f32> {
    let greatest = |sample: usize| {
        let (column, row) = (sample % columns, sample / columns);
        let near = |middle: usize, count: usize| middle.saturating_sub(1)..(middle + 2).min(count);
        let beside = near(row, rows).flat_map(|y| near(column, columns).map(move |x| y * columns + x));
        beside.map(|other| number(values[sample], values[other])).fold(f32::NEG_INFINITY, f32::max)
    };
    (0..values.len()).map(greatest).collect()
}

/// A mesh over a lattice of samples with the normals of these slopes.
fn with_normals(mesh: Mesh, heights: &Heights, slopes: &[[f32; 2]]) -> Mesh {
    Mesh { normals: MeshLattice::over(heights).map(|sample, _| normal(slopes[sample])), ..mesh }
}

/// Levels of the water with those of dry samples continued from the nearest wet ones; `None` if all are dry.
fn wet_levels(levels: &[f32], beds: &[f32], [columns, rows]: [usize; 2], dry_depth: f32) -> Option<Vec<f32>> {
    let mut levels = levels.to_vec();
    let mut is_known: Vec<bool> =
        levels.iter().zip(beds).map(|(level, bed)| level - bed > dry_depth).collect();
    if !is_known.contains(&true) {
        return None;
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
            return Some(levels);
        }
        for (sample, level) in ring {
            (levels[sample], is_known[sample]) = (level, true);
        }
    }
}

#[cfg(test)]
mod tests;
