//! Extrapolation of the water surface over dry samples, so that it intersects the ground at the shoreline.
//!
//! A dry sample next to wet ones takes their surface, linearly extrapolated. On a rising beach this lies below the
//! ground, and both intersect where still water would end. Where it would lie above the ground, as at a front on a
//! dry plain, the water ends half-way: the level goes as far below the ground as its wet neighbours are deep.

use crate::slopes::slopes;

/// The water surface on every sample, extrapolated beyond the shoreline.
#[derive(Debug, Clone, PartialEq)]
pub struct ShorelineLevels {
    /// Height of the surface; below the ground on dry samples.
    pub levels: Vec<f32>,
    /// Its slopes along x and y, from wet samples.
    pub slopes: Vec<[f32; 2]>,
    /// Which samples are wet.
    pub is_wet: Vec<bool>,
}

/// Least depth of the surface below the ground on dry samples, in metres.
pub const MIN_DEPTH_BELOW: f32 = 1e-4;

impl ShorelineLevels {
    /// The water between `levels` and `beds`, where it is deeper than `dry_depth`. NaN is dry.
    pub fn new(
        levels: Vec<f32>,
        beds: &[f32],
        samples: [usize; 2],
        spacing: [f32; 2],
        dry_depth: f32,
    ) -> Self {
        let is_wet: Vec<bool> = levels.iter().zip(beds).map(|(level, bed)| level - bed > dry_depth).collect();
        let slopes = slopes(&levels, samples, spacing, |sample| is_wet[sample]);
        let mut shore = ShorelineLevels { levels, slopes, is_wet };
        if shore.is_wet.contains(&false) {
            shore.extrapolate(beds, samples, spacing);
        }
        shore
    }

    fn extrapolate(&mut self, beds: &[f32], samples: [usize; 2], spacing: [f32; 2]) {
        for sample in (0..beds.len()).filter(|&sample| !self.is_wet[sample]) {
            let neighbours = WetExtrapolation::of(self, beds, sample, samples, spacing);
            let bed = beds[sample];
            self.levels[sample] = match neighbours.level {
                Some(level) if level < bed - MIN_DEPTH_BELOW => level,
                Some(_) => bed - neighbours.depth.max(MIN_DEPTH_BELOW),
                None => bed - MIN_DEPTH_BELOW,
            };
        }
        // Slopes come last, so that no dry sample counts as a neighbour of another.
        let dry = (0..beds.len()).filter(|&sample| !self.is_wet[sample]);
        let slopes: Vec<_> = dry
            .map(|sample| (sample, WetExtrapolation::of(self, beds, sample, samples, spacing).slope))
            .collect();
        slopes.into_iter().for_each(|(sample, slope)| self.slopes[sample] = slope);
    }
}

/// Extrapolation from the wet neighbours of a dry sample.
struct WetExtrapolation {
    level: Option<f32>,
    depth: f32,
    slope: [f32; 2],
}

impl WetExtrapolation {
    fn of(
        shore: &ShorelineLevels,
        beds: &[f32],
        sample: usize,
        [columns, rows]: [usize; 2],
        spacing: [f32; 2],
    ) -> Self {
        // Weighted sums over the eight neighbours that are wet.
        let (column, row) = (sample % columns, sample / columns);
        let (mut weights, mut levels, mut depths, mut slope) = (0.0, 0.0, 0.0, [0.0; 2]);
        for y in row.saturating_sub(1)..(row + 2).min(rows) {
            for x in column.saturating_sub(1)..(column + 2).min(columns) {
                let near = y * columns + x;
                if !shore.is_wet[near] {
                    continue;
                }
                // Diagonal neighbours are farther off and weigh less.
                let weight = if x == column || y == row { 1.0 } else { 0.5 };
                let [rise_x, rise_y] = shore.slopes[near];
                let run_x = (column as f32 - x as f32) * spacing[0];
                let run_y = (row as f32 - y as f32) * spacing[1];
                weights += weight;
                levels += weight * (shore.levels[near] + rise_x * run_x + rise_y * run_y);
                depths += weight * (shore.levels[near] - beds[near]);
                slope = [slope[0] + weight * rise_x, slope[1] + weight * rise_y];
            }
        }
        // Their means, if there are any.
        if weights == 0.0 {
            return WetExtrapolation { level: None, depth: 0.0, slope };
        }
        WetExtrapolation {
            level: Some(levels / weights),
            depth: depths / weights,
            slope: slope.map(|rise| rise / weights),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn still_water_stays_level_below_the_beach() {
        let beds = [-1.0, -0.5, 0.0, 0.5, 1.0];
        let shore = ShorelineLevels::new(vec![0.2; 5], &beds, [5, 1], [1.0, 1.0], 0.0);
        assert_eq!(shore.is_wet, [true, true, true, false, false]);
        assert_eq!(shore.levels[3], 0.2);
        assert!(shore.levels[4] < beds[4]);
    }

    #[test]
    fn a_front_on_a_plain_ends_half_way() {
        let shore = ShorelineLevels::new(vec![0.4, 0.4, 0.0, 0.0], &[0.0; 4], [4, 1], [1.0, 1.0], 0.001);
        assert_eq!(shore.levels[2], -0.4);
    }

    #[test]
    fn nan_is_dry() {
        let shore =
            ShorelineLevels::new(vec![1.0, f32::NAN, 1.0], &[0.0, 0.0, f32::NAN], [3, 1], [1.0, 1.0], 0.0);
        assert_eq!(shore.is_wet, [true, false, false]);
        assert_eq!(shore.slopes, [[0.0, 0.0]; 3]);
    }
}
