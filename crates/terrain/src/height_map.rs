//! Heights on a lattice.

use undine_grid::par;

use crate::error::{Fault, TerrainError};
use crate::fill;
use crate::resample::{Interpolation, Taps};

/// Default limit on the number of samples: 16384 × 16384.
pub const MOST_SAMPLES: usize = 1 << 28;

/// Heights on a rectangle of equal cells, in metres; NaN where there is no data.
///
/// Rows go from the south to the north, columns from the west to the east, and a sample stands for its cell.
///
/// ```
/// use undine_terrain::{DecodeOptions, HeightMap};
///
/// let grid = b"ncols 3\nnrows 2\nxllcorner 100\nyllcorner 50\ncellsize 10\n4 5 6\n1 2 3\n";
/// let map = HeightMap::decode(grid, &DecodeOptions::default())?;
/// assert_eq!((map.columns(), map.rows(), map.spacing()), (3, 2, [10.0, 10.0]));
/// assert_eq!(map.at(2, 0), Some(3.0));
/// assert_eq!(map.extent(), [[100.0, 50.0], [130.0, 70.0]]);
/// # Ok::<(), undine_terrain::TerrainError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct HeightMap {
    columns: usize,
    rows: usize,
    spacing: [f64; 2],
    origin: [f64; 2],
    heights: Vec<f64>,
    is_placed: bool,
}

impl HeightMap {
    /// A map of these heights, row after row from the south, in cells of one metre that start at (0, 0).
    pub fn new(columns: usize, rows: usize, heights: Vec<f64>) -> Result<HeightMap, TerrainError> {
        if columns == 0 || rows == 0 || columns.checked_mul(rows) != Some(heights.len()) {
            let fault = Fault::Request(format!("{} heights do not make {columns} × {rows}", heights.len()));
            return Err(TerrainError::of_file(fault, "give one height to each sample"));
        }
        Ok(HeightMap { columns, rows, spacing: [1.0; 2], origin: [0.0; 2], heights, is_placed: false })
    }

    /// The same heights with the low corner at `origin` and cells of `spacing`, both in metres.
    pub fn placed(mut self, origin: [f64; 2], spacing: [f64; 2]) -> Result<HeightMap, TerrainError> {
        let is_length = |length: f64| (1e-9..1e9).contains(&length);
        if !spacing.iter().all(|&step| is_length(step)) || !origin.iter().all(|at| at.abs() < 1e15) {
            let fault =
                Fault::Malformed(format!("cells of {spacing:?} m at {origin:?} m are no place on earth"));
            return Err(TerrainError::of_file(fault, "give the spacing of the samples in metres"));
        }
        (self.origin, self.spacing, self.is_placed) = (origin, spacing, true);
        Ok(self)
    }

    /// Samples from west to east.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Samples from south to north.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Distance of neighbouring samples along x and y in metres.
    pub fn spacing(&self) -> [f64; 2] {
        self.spacing
    }

    /// The corner in the south-west in metres, half a cell from the first sample.
    pub fn origin(&self) -> [f64; 2] {
        self.origin
    }

    /// All heights, row after row from the south; NaN is no data.
    pub fn heights(&self) -> &[f64] {
        &self.heights
    }

    /// Whether the positions of the samples are known; otherwise they are a metre apart.
    pub fn is_placed(&self) -> bool {
        self.is_placed
    }

    /// A sample; none outside the map.
    pub fn at(&self, column: usize, row: usize) -> Option<f64> {
        (column < self.columns && row < self.rows).then(|| self.heights[row * self.columns + column])
    }

    /// The middle of a sample in metres.
    pub fn position(&self, column: usize, row: usize) -> [f64; 2] {
        let along = |axis: usize, at: usize| self.origin[axis] + (at as f64 + 0.5) * self.spacing[axis];
        [along(0, column), along(1, row)]
    }

    /// The corners in the south-west and the north-east in metres.
    pub fn extent(&self) -> [[f64; 2]; 2] {
        let [x, y] = self.origin;
        let [dx, dy] = self.spacing;
        [self.origin, [x + self.columns as f64 * dx, y + self.rows as f64 * dy]]
    }

    /// The lowest and the highest height; none when there is no data at all.
    pub fn range(&self) -> Option<[f64; 2]> {
        let heights = self.heights.iter().filter(|height| !height.is_nan());
        heights.fold(None, |range, &height| {
            let [low, high] = range.unwrap_or([height; 2]);
            Some([f64::min(low, height), f64::max(high, height)])
        })
    }

    /// Number of samples without data.
    pub fn no_data_count(&self) -> usize {
        self.heights.iter().filter(|height| height.is_nan()).count()
    }

    /// The part of `size` samples from `first` on, both as column and row, rows from the north as in a file.
    pub fn crop(&self, first: [usize; 2], size: [usize; 2]) -> Result<HeightMap, TerrainError> {
        let end = |axis: usize| first[axis].checked_add(size[axis]);
        let (Some(east), Some(south)) = (end(0), end(1)) else { return Err(self.no_such_part()) };
        if size.contains(&0) || east > self.columns || south > self.rows {
            return Err(self.no_such_part());
        }
        let lowest = self.rows - south;
        let rows = self.heights.chunks_exact(self.columns).skip(lowest).take(size[1]);
        let heights = rows.flat_map(|row| &row[first[0]..east]).copied().collect();
        let corner = [first[0], lowest];
        let origin = std::array::from_fn(|axis| self.origin[axis] + corner[axis] as f64 * self.spacing[axis]);
        Ok(HeightMap { columns: size[0], rows: size[1], origin, heights, ..*self })
    }

    fn no_such_part(&self) -> TerrainError {
        let what = format!("the map has {} × {} samples, and the part leaves it", self.columns, self.rows);
        let remedy = "crop = [first column, first row, columns, rows], counted from the north-west";
        TerrainError::of_file(Fault::Request(what), remedy)
    }

    /// Resampled to a new size: averaged over the new cells, by the cubic surface through the samples.
    ///
    /// A new cell has no data where more than half of its weight has none.
    pub fn resample(&self, columns: usize, rows: usize) -> Result<HeightMap, TerrainError> {
        let count = columns.checked_mul(rows).filter(|&count| (1..=MOST_SAMPLES).contains(&count));
        let Some(count) = count else {
            let fault = Fault::Request(format!("a map cannot have {columns} × {rows} samples"));
            return Err(TerrainError::of_file(fault, "ask for 1 to 16384 each way"));
        };
        let along = |from: usize, to: usize| {
            let ratio = from as f64 / to as f64;
            let cells = (0..to).map(move |cell| [cell as f64 * ratio - 0.5, (cell + 1) as f64 * ratio - 0.5]);
            Taps::of_cells(Interpolation::Bicubic, from, cells)
        };
        let (across, up) = (along(self.columns, columns), along(self.rows, rows));
        let mut heights = vec![0.0; count];
        par::for_each_chunk(&mut heights, columns, |first, row| {
            for (column, height) in row.iter_mut().enumerate() {
                *height = up.average(first / columns, &across, column, &self.heights, self.columns);
            }
        });
        let ratio = [self.columns as f64 / columns as f64, self.rows as f64 / rows as f64];
        let spacing = std::array::from_fn(|axis| self.spacing[axis] * ratio[axis]);
        Ok(HeightMap { columns, rows, spacing, heights, ..*self })
    }

    /// Every height becomes `factor` times itself plus `offset`.
    pub fn scale(mut self, factor: f64, offset: f64) -> HeightMap {
        self.heights.iter_mut().for_each(|height| *height = factor * *height + offset);
        self
    }

    /// East and west change places.
    pub fn flip_columns(mut self) -> HeightMap {
        self.heights.chunks_exact_mut(self.columns).for_each(<[f64]>::reverse);
        self
    }

    /// North and south change places.
    pub fn flip_rows(self) -> HeightMap {
        let rows = self.heights.chunks_exact(self.columns).rev();
        let heights = rows.flatten().copied().collect();
        HeightMap { heights, ..self }
    }

    /// Turned by a quarter, anticlockwise, about its low corner: what was east is north.
    pub fn turn(self) -> HeightMap {
        let (columns, rows) = (self.rows, self.columns);
        let from = |to: usize| {
            let (column, row) = (to % columns, to / columns);
            (self.rows - 1 - column) * self.columns + row
        };
        let heights = (0..self.heights.len()).map(|to| self.heights[from(to)]).collect();
        let [dx, dy] = self.spacing;
        HeightMap { columns, rows, spacing: [dy, dx], heights, ..self }
    }

    /// Fills samples without data smoothly from their surroundings; see `fill.rs`.
    pub fn fill_no_data(mut self) -> Result<HeightMap, TerrainError> {
        if self.range().is_none() {
            return Err(TerrainError::of_file(Fault::NoData, "choose another file or another no_data_value"));
        }
        fill::fill(self.columns, &mut self.heights);
        Ok(self)
    }

    /// Fills samples without data with a constant.
    pub fn fill_no_data_with(mut self, level: f64) -> HeightMap {
        self.heights.iter_mut().filter(|height| height.is_nan()).for_each(|height| *height = level);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(columns: usize, rows: usize) -> HeightMap {
        let heights = (0..columns * rows).map(|n| n as f64).collect();
        HeightMap::new(columns, rows, heights).unwrap().placed([10.0, 20.0], [2.0, 3.0]).unwrap()
    }

    #[test]
    fn a_part_is_counted_from_the_north_west() {
        let part = numbered(4, 3).crop([1, 0], [2, 2]).unwrap();
        assert_eq!(part.heights(), [5.0, 6.0, 9.0, 10.0]);
        assert_eq!(part.origin(), [12.0, 23.0]);
        for (first, size) in [([0, 0], [5, 1]), ([4, 0], [1, 1]), ([0, 0], [0, 1]), ([usize::MAX, 0], [2, 1])]
        {
            assert!(matches!(numbered(4, 3).crop(first, size).unwrap_err().fault, Fault::Request(_)));
        }
    }

    #[test]
    fn a_quarter_turn_takes_east_to_north() {
        let turned = numbered(3, 2).turn();
        assert_eq!((turned.columns(), turned.rows(), turned.spacing()), (2, 3, [3.0, 2.0]));
        assert_eq!(turned.heights(), [3.0, 0.0, 4.0, 1.0, 5.0, 2.0]);
        let around = numbered(3, 2).turn().turn().turn().turn();
        assert_eq!(around, numbered(3, 2));
        assert_eq!(numbered(3, 2).turn().turn(), numbered(3, 2).flip_rows().flip_columns());
    }

    #[test]
    fn fewer_samples_are_averages_and_keep_the_mean() {
        let map = numbered(8, 6);
        let coarse = map.resample(4, 3).unwrap();
        assert_eq!((coarse.spacing(), coarse.origin()), ([4.0, 6.0], [10.0, 20.0]));
        let inner = coarse.at(1, 1).unwrap();
        assert!((inner - (18.0 + 19.0 + 26.0 + 27.0) / 4.0).abs() < 1e-12, "{inner}");
        assert_eq!(coarse.extent(), map.extent());
        assert!(map.resample(0, 3).is_err() && map.resample(usize::MAX, 2).is_err());
    }

    #[test]
    fn averages_leave_out_what_is_not_there() {
        let mut heights = vec![5.0; 64];
        heights[..8].fill(f64::NAN);
        let coarse = HeightMap::new(8, 8, heights).unwrap().resample(4, 4).unwrap();
        assert!(coarse.heights().iter().skip(4).all(|height| (height - 5.0).abs() < 1e-12));
        assert!(
            HeightMap::new(2, 1, vec![f64::NAN; 2]).unwrap().resample(1, 1).unwrap().heights()[0].is_nan()
        );
    }

    #[test]
    fn senseless_maps_are_refused() {
        assert!(HeightMap::new(3, 2, vec![0.0; 5]).is_err());
        assert!(HeightMap::new(0, 0, vec![]).is_err());
        for spacing in [[0.0, 1.0], [1.0, -1.0], [f64::NAN, 1.0], [1.0, f64::INFINITY]] {
            assert!(numbered(2, 2).placed([0.0; 2], spacing).is_err());
        }
        assert!(numbered(2, 2).placed([f64::NAN, 0.0], [1.0; 2]).is_err());
    }
}
