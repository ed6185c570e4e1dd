//! Mip levels: square tables of half the side of the previous level.

use std::ops::{Add, Mul};

/// The next mip level of a square table: each entry is the mean of 2 × 2.
pub fn downsample<T>(finer: &[T], side: usize) -> Vec<T>
where
    T: Copy + Add<Output = T> + Mul<f32, Output = T>,
{
    let half = side / 2;
    let mean = |index: usize| {
        let first = (index / half) * 2 * side + (index % half) * 2;
        (finer[first] + finer[first + 1] + finer[first + side] + finer[first + side + 1]) * 0.25
    };
    (0..half * half).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::downsample;

    #[test]
    fn entries_are_means_of_four() {
        let table: Vec<f32> = (0..16).map(|entry| entry as f32).collect();
        assert_eq!(downsample(&table, 4), [2.5, 4.5, 10.5, 12.5]);
        assert_eq!(downsample(&downsample(&table, 4), 2), [7.5]);
    }
}
