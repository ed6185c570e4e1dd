//! Fills samples without data from those around them.
//!
//! Push and pull, as in [gortler1996]: samples are averaged two by two into ever coarser lattices until no hole is left
//! (push), then every hole takes the bilinear value of the coarser lattice (pull), where a few sweeps of averaging over
//! neighbours smooth what was filled. The result depends on nothing but the samples.

/// Sweeps over the filled samples of each lattice.
const SWEEPS: usize = 6;

/// Fills every NaN of a lattice in rows of `columns`; with no other sample at all there is nothing to fill from.
pub(crate) fn fill(columns: usize, heights: &mut [f64]) {
    let holes: Vec<usize> = (0..heights.len()).filter(|&at| heights[at].is_nan()).collect();
    if holes.is_empty() || holes.len() == heights.len() {
        return;
    }
    let (coarse_columns, mut coarse) = halve(columns, heights);
    fill(coarse_columns, &mut coarse);
    for &at in &holes {
        heights[at] = between(coarse_columns, &coarse, at % columns, at / columns);
    }
    for _ in 0..SWEEPS {
        let smoothed: Vec<f64> = holes.iter().map(|&at| mean_beside(columns, heights, at)).collect();
        holes.iter().zip(smoothed).for_each(|(&at, height)| heights[at] = height);
    }
}

/// The lattice of half as many samples each way; each is the mean of those of its four that are there.
fn halve(columns: usize, heights: &[f64]) -> (usize, Vec<f64>) {
    let (coarse_columns, coarse_rows) = (columns.div_ceil(2), (heights.len() / columns).div_ceil(2));
    let mean = |at: usize| {
        let (left, bottom) = (at % coarse_columns * 2, at / coarse_columns * 2);
        let (mut sum, mut count) = (0.0, 0.0);
        for line in heights.chunks_exact(columns).skip(bottom).take(2) {
            for height in line[left..].iter().take(2).filter(|height| !height.is_nan()) {
                sum += height;
                count += 1.0;
            }
        }
        // Without any there, zero by zero is NaN again.
        sum / count
    };
    (coarse_columns, (0..coarse_columns * coarse_rows).map(mean).collect())
}

/// The bilinear value of the coarse lattice at a sample of the fine one.
fn between(columns: usize, coarse: &[f64], column: usize, row: usize) -> f64 {
    // Fine samples lie a quarter of a coarse cell from the middle of theirs: three quarters of it, one of the next.
    let near = |at: usize, count: usize| {
        let own = at / 2;
        let next = if at.is_multiple_of(2) { own.saturating_sub(1) } else { (own + 1).min(count - 1) };
        [(own, 0.75), (next, 0.25)]
    };
    let mut sum = 0.0;
    for (row, weight_up) in near(row, coarse.len() / columns) {
        for (column, weight_along) in near(column, columns) {
            sum += weight_up * weight_along * coarse[row * columns + column];
        }
    }
    sum
}

/// The mean of the neighbours in the four directions.
fn mean_beside(columns: usize, heights: &[f64], at: usize) -> f64 {
    let (column, last) = (at % columns, heights.len() - 1);
    let west = if column > 0 { at - 1 } else { at };
    let east = if column + 1 < columns { at + 1 } else { at };
    let south = if at >= columns { at - columns } else { at };
    let north = if at + columns <= last { at + columns } else { at };
    0.25 * (heights[west] + heights[east] + heights[south] + heights[north])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_stays_and_nothing_leaves_the_range() {
        let mut heights: Vec<f64> = (0..35).map(|n| f64::from(n * n % 17)).collect();
        let whole = heights.clone();
        let holes = [0, 1, 7, 8, 16, 17, 18, 33, 34];
        holes.iter().for_each(|&at| heights[at] = f64::NAN);
        fill(7, &mut heights);
        for (at, height) in heights.iter().enumerate() {
            assert!((0.0..=16.0).contains(height), "{at}: {height}");
            assert!(holes.contains(&at) || *height == whole[at]);
        }
    }

    #[test]
    fn a_hole_in_a_plane_is_filled_with_nearly_the_plane() {
        let (columns, rows) = (64, 48);
        let plane = |at: usize| 2.0 * (at % columns) as f64 - (at / columns) as f64;
        let is_hole = |at: usize| (20..40).contains(&(at % columns)) && (10..30).contains(&(at / columns));
        let mut heights: Vec<f64> =
            (0..columns * rows).map(|at| if is_hole(at) { f64::NAN } else { plane(at) }).collect();
        fill(columns, &mut heights);
        let worst = (0..heights.len()).map(|at| (heights[at] - plane(at)).abs()).fold(0.0, f64::max);
        // The plane rises by 40 m across the hole.
        assert!(worst < 2.0, "{worst}");
    }

    #[test]
    fn one_sample_fills_everything() {
        let mut heights = vec![f64::NAN; 5 * 9];
        heights[13] = 3.5;
        fill(5, &mut heights);
        assert!(heights.iter().all(|height| *height == 3.5));
        let mut empty = vec![f64::NAN; 6];
        fill(3, &mut empty);
        assert!(empty.iter().all(|height| height.is_nan()));
    }
}
