//! The surface between the centres of columns, smooth, for drawing and for gauges.

use super::HeightField;

impl<const D: usize> HeightField<D> {
    /// Height at a horizontal position in metres (in the plane the second coordinate means nothing): cubic between the
    /// columns, with slopes limited so that nothing rises above or falls below the columns around. Closed columns take the
    /// mean height of the open ones beside them; `None` where there is none, or outside of the domain.
    pub fn height_at(&self, at: [f64; 2]) -> Option<f64> {
        let (grid, mut place) = (self.grid(), [[0_isize; 2]; 2]);
        let mut fractions = [0.0; 2];
        for axis in 0..D - 1 {
            let x = (at[axis] - grid.origin()[axis]) / grid.spacing()[axis];
            if !(0.0..=grid.cells()[axis] as f64).contains(&x) {
                return None;
            }
            let low = (x - 0.5).floor();
            place[axis] = [low as isize, low as isize];
            fractions[axis] = x - 0.5 - low;
        }
        let row = |j: isize| {
            let values =
                std::array::from_fn(|number| self.column_height([place[0][0] + number as isize - 1, j]));
            cubic(values, fractions[0])
        };
        if D == 2 {
            return row(0);
        }
        let j = place[1][0];
        cubic([row(j - 1), row(j), row(j + 1), row(j + 2)], fractions[1])
    }

    /// Height of a column, or the mean of the open ones beside a closed one; of the nearest one inside for coordinates beyond
    /// the domain.
    fn column_height(&self, at: [isize; 2]) -> Option<f64> {
        let cells = self.grid().cells();
        let mut cell = [0; D];
        for axis in 0..D - 1 {
            cell[axis] = at[axis].clamp(0, cells[axis] as isize - 1) as usize;
        }
        let column = self.columns.of_cell(cell);
        if self.is_open(column) {
            return Some(self.heights[column]);
        }
        let (mut sum, mut count) = (0.0, 0.0);
        for axis in 0..D - 1 {
            for high in [false, true] {
                if let Some(beside) = self.columns.beside(column, cell[axis], axis, high) {
                    sum += self.heights[beside];
                    count += 1.0;
                }
            }
        }
        (count > 0.0).then(|| sum / count)
    }
}

/// Cubic (Hermite) interpolation between the second and the third of four values, with the harmonic mean of the differences
/// on both sides as slope, zero at extrema: monotone between the values. Missing values continue.
fn cubic(values: [Option<f64>; 4], t: f64) -> Option<f64> {
    let low = values[1].or(values[2])?;
    let high = values[2].unwrap_or(low);
    let (before, after) = (values[0].unwrap_or(low), values[3].unwrap_or(high));
    let slope = |a: f64, b: f64| if a * b > 0.0 { 2.0 * a * b / (a + b) } else { 0.0 };
    let rise = high - low;
    let (from, to) = (slope(low - before, rise), slope(rise, after - high));
    let (u, v) = (1.0 - t, t * t * (3.0 - 2.0 * t));
    Some(low + rise * v + t * u * (u * from - t * to))
}
