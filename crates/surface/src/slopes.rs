//! Finite-difference slopes of a height field, restricted to chosen samples.

/// Slopes along x and y of every sample, from the neighbours for which `counts` holds: central differences where both
/// do, one-sided where one does, zero where none does. Samples that do not count themselves have slope zero.
pub fn slopes(
    heights: &[f32],
    size: [usize; 2],
    spacing: [f32; 2],
    counts: impl Fn(usize) -> bool,
) -> Vec<[f32; 2]> {
    (0..heights.len()).map(|here| slope_at(heights, size, spacing, here, 1, &counts)).collect()
}

/// The slope at one sample, from those `reach` samples away.
#[inline]
pub fn slope_at(
    heights: &[f32],
    [columns, rows]: [usize; 2],
    spacing: [f32; 2],
    here: usize,
    reach: usize,
    counts: impl Fn(usize) -> bool,
) -> [f32; 2] {
    if !counts(here) {
        return [0.0; 2];
    }
    let rise = |low: Option<usize>, high: Option<usize>, step: f32| {
        let (low, high) = (low.filter(|&at| counts(at)), high.filter(|&at| counts(at)));
        let steps = f32::from(u8::from(low.is_some()) + u8::from(high.is_some()));
        let run = (steps * step).max(1e-20);
        (heights[high.unwrap_or(here)] - heights[low.unwrap_or(here)]) / run
    };
    let (column, row) = (here % columns, here / columns);
    let (west, east) =
        ((column >= reach).then(|| here - reach), (column + reach < columns).then(|| here + reach));
    let (south, north) = (
        (row >= reach).then(|| here - reach * columns),
        (row + reach < rows).then(|| here + reach * columns),
    );
    let reach = reach as f32;
    [rise(west, east, reach * spacing[0]), rise(south, north, reach * spacing[1])]
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
