//! Finite-difference slopes of a height field, restricted to chosen samples.

/// Slopes along x and y of every sample, from the neighbours for which `counts` holds: central differences where both
/// do, one-sided where one does, zero where none does. Samples that do not count themselves have slope zero.
pub fn slopes(
    heights: &[f32],
    [columns, rows]: [usize; 2],
    spacing: [f32; 2],
    counts: impl Fn(usize) -> bool,
) -> Vec<[f32; 2]> {
    let rise = |here: usize, low: Option<usize>, high: Option<usize>, step: f32| {
        let (low, high) = (low.filter(|&at| counts(at)), high.filter(|&at| counts(at)));
        let steps = f32::from(u8::from(low.is_some()) + u8::from(high.is_some()));
        let run = (steps * step).max(1e-20);
        (heights[high.unwrap_or(here)] - heights[low.unwrap_or(here)]) / run
    };
    let slope = |here: usize| {
        if !counts(here) {
            return [0.0; 2];
        }
        let (column, row) = (here % columns, here / columns);
        let (west, east) = ((column > 0).then(|| here - 1), (column + 1 < columns).then(|| here + 1));
        let (south, north) = ((row > 0).then(|| here - columns), (row + 1 < rows).then(|| here + columns));
        [rise(here, west, east, spacing[0]), rise(here, south, north, spacing[1])]
    };
    (0..heights.len()).map(slope).collect()
}

/// The unit normal of a surface with this slope.
pub fn normal([slope_x, slope_y]: [f32; 2]) -> [f32; 3] {
    let length = (slope_x * slope_x + slope_y * slope_y + 1.0).sqrt();
    [-slope_x / length, -slope_y / length, 1.0 / length]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excluded_samples_do_not_affect_slopes() {
        let heights = [0.0, 1.0, 2.0, 900.0];
        let seen = slopes(&heights, [4, 1], [0.5, 0.5], |sample| sample != 3);
        assert_eq!(seen, [[2.0, 0.0], [2.0, 0.0], [2.0, 0.0], [0.0, 0.0]]);
    }

    #[test]
    fn a_single_sample_is_level() {
        assert_eq!(slopes(&[5.0], [1, 1], [1.0, 1.0], |_| true), [[0.0, 0.0]]);
        assert_eq!(normal([0.0, 0.0]), [0.0, 0.0, 1.0]);
    }
}
