//! Extrapolation of the water surface over dry ground, so that the waterline lies between the samples.
//!
//! A dry sample next to wet ones gets their surface, extrapolated linearly. On a rising beach it is below the ground,
//! and the depth changes sign where still water would end: the shader discards fragments of negative depth, so the
//! waterline is as smooth as both surfaces. Where the extrapolation is above dry ground, as ahead of a front on a
//! plain, the surface is put as far below the ground as the neighbours are deep.

use rayon::prelude::*;

/// Least distance of the surface below the ground at a dry sample, in metres.
const BELOW: f32 = 1e-4;

/// Water over ground on the samples of a lattice.
pub struct ShoreExtension<'a> {
    /// Samples along both axes.
    pub size: [usize; 2],
    /// Grid spacing.
    pub spacing: [f32; 2],
    /// Level of the ground.
    pub beds: &'a [f32],
    /// Which samples are wet.
    pub is_wet: Vec<bool>,
    /// Level of the surface, extrapolated over dry samples by [`ShoreExtension::extend`].
    pub levels: Vec<f32>,
}

impl<'a> ShoreExtension<'a> {
    /// Water where `levels` − `beds` exceeds `dry_depth`. A NaN is dry.
    pub fn new(
        size: [usize; 2],
        spacing: [f32; 2],
        levels: Vec<f32>,
        beds: &'a [f32],
        dry_depth: f32,
    ) -> Self {
        let is_wet = levels.iter().zip(beds).map(|(level, bed)| level - bed > dry_depth).collect();
        ShoreExtension { size, spacing, beds, is_wet, levels }
    }

    /// Slopes along x and y at wet samples, by differences of wet neighbours.
    pub fn slopes(&self) -> Vec<[f32; 2]> {
        slopes(&self.levels, self.size, self.spacing, |sample| self.is_wet[sample])
    }

    /// Extrapolates the surface and its slopes to the dry samples next to wet ones; at other dry samples it is below
    /// the ground.
    pub fn extend(&mut self, slopes: &mut [[f32; 2]]) {
        if !self.is_wet.contains(&false) {
            return;
        }
        let neighbours: Vec<_> = (0..self.levels.len())
            .into_par_iter()
            .with_min_len(4096)
            .map(|sample| self.wet_neighbours(slopes, sample))
            .collect();
        for (sample, neighbours) in neighbours.into_iter().enumerate() {
            if self.is_wet[sample] {
                continue;
            }
            let bed = if self.beds[sample].is_finite() { self.beds[sample] } else { 0.0 };
            let (level, slope) = match neighbours {
                Some(WetNeighbours { level, slope, .. }) if level < bed - BELOW => (level, slope),
                Some(WetNeighbours { depth, slope, .. }) => (bed - depth.max(BELOW), slope),
                None => (bed - BELOW, [0.0; 2]),
            };
            self.levels[sample] = level;
            slopes[sample] = slope;
        }
    }

    // Weighted means over the wet samples among the eight neighbours of a dry one
    fn wet_neighbours(&self, slopes: &[[f32; 2]], sample: usize) -> Option<WetNeighbours> {
        if self.is_wet[sample] {
            return None;
        }
        let (column, row) = (sample % self.size[0], sample / self.size[0]);
        let mut sum = WetNeighbours { level: 0.0, depth: 0.0, slope: [0.0; 2] };
        let mut weights = 0.0;
        for y in row.saturating_sub(1)..(row + 2).min(self.size[1]) {
            for x in column.saturating_sub(1)..(column + 2).min(self.size[0]) {
                let near = y * self.size[0] + x;
                if !self.is_wet[near] {
                    continue;
                }
                // Diagonal neighbours are farther away and get half the weight
                let weight = if x == column || y == row { 1.0 } else { 0.5 };
                let run =
                    [(column as f32 - x as f32) * self.spacing[0], (row as f32 - y as f32) * self.spacing[1]];
                let [rise_x, rise_y] = slopes[near];
                weights += weight;
                sum.level += weight * (self.levels[near] + rise_x * run[0] + rise_y * run[1]);
                sum.depth += weight * (self.levels[near] - self.beds[near]);
                sum.slope = [sum.slope[0] + weight * rise_x, sum.slope[1] + weight * rise_y];
            }
        }
        (weights > 0.0).then(|| WetNeighbours {
            level: sum.level / weights,
            depth: sum.depth / weights,
            slope: sum.slope.map(|rise| rise / weights),
        })
    }
}

// Means over the wet neighbours of a dry sample: extrapolated level, depth and slope.
struct WetNeighbours {
    level: f32,
    depth: f32,
    slope: [f32; 2],
}

/// Slopes of heights along x and y: central differences, one-sided where a neighbour does not count, zero without any.
pub fn slopes(
    heights: &[f32],
    [columns, rows]: [usize; 2],
    spacing: [f32; 2],
    counts: impl Fn(usize) -> bool + Send + Sync,
) -> Vec<[f32; 2]> {
    let rise = |sample: usize, before: Option<usize>, after: Option<usize>, step: f32| {
        let before = before.filter(|&near| counts(near)).unwrap_or(sample);
        let after = after.filter(|&near| counts(near)).unwrap_or(sample);
        let cells = match (before == sample, after == sample) {
            (true, true) => return 0.0,
            (false, false) => 2.0,
            _ => 1.0,
        };
        let slope = (heights[after] - heights[before]) / (cells * step);
        if slope.is_finite() { slope } else { 0.0 }
    };
    let slope = |sample: usize| {
        if !counts(sample) {
            return [0.0; 2];
        }
        let (column, row) = (sample % columns, sample / columns);
        let west = (column > 0).then(|| sample - 1);
        let east = (column + 1 < columns).then(|| sample + 1);
        let south = (row > 0).then(|| sample - columns);
        let north = (row + 1 < rows).then(|| sample + columns);
        [rise(sample, west, east, spacing[0]), rise(sample, south, north, spacing[1])]
    };
    (0..heights.len()).into_par_iter().with_min_len(4096).map(slope).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carried(levels: &[f32], beds: &[f32], dry_depth: f32) -> Vec<f32> {
        let mut shore = ShoreExtension::new([levels.len(), 1], [1.0, 1.0], levels.to_vec(), beds, dry_depth);
        let mut slopes = shore.slopes();
        shore.extend(&mut slopes);
        assert!(slopes.iter().flatten().all(|slope| slope.is_finite()));
        shore.levels
    }

    #[test]
    fn still_water_is_extrapolated_level_below_the_beach() {
        let beds = [-1.0, -0.5, 0.0, 0.5, 1.0];
        let levels = carried(&[0.2; 5], &beds, 0.0);
        assert_eq!(levels[3], 0.2);
        assert!(levels[4] < beds[4]);
    }

    #[test]
    fn the_surface_ahead_of_a_front_is_below_the_plain() {
        assert_eq!(carried(&[0.4, 0.4, 0.0, 0.0], &[0.0; 4], 0.001)[2], -0.4);
    }

    #[test]
    fn nan_samples_are_dry() {
        let levels = carried(&[1.0, f32::NAN, 1.0], &[0.0, 0.0, f32::NAN], 0.0);
        assert!(levels.iter().all(|level| level.is_finite()));
    }
}
