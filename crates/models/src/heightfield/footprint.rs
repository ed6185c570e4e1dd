//! Footprints of sources on the grid: a disc with a smooth profile, and a box of cells.

use std::ops::Range;

use undine_grid::Grid;

/// A disc of radius R in which a volume V raises the depth by V w(r)/∫w dA, with w = (1 − r²/R²)².
///
/// Along an axis with a single cell the distance counts as zero, so a source acts on a single row at any y.
#[derive(Debug, Clone)]
pub(super) struct DiscFootprint {
    grid: Grid<2>,
    columns: Range<usize>,
    rows: Range<usize>,
    at: [f64; 2],
    radius: f64,
    /// 1/∫w dA in 1/m²: the depth per m³ at the centre.
    per_volume: f64,
}

impl DiscFootprint {
    /// The disc around `at`; none when that is outside the grid.
    pub fn new(grid: &Grid<2>, at: [f64; 2], radius: f64) -> Option<DiscFootprint> {
        let cells = grid.cells();
        let middle = grid.cell_at(at);
        let is_inside = |axis: usize| cells[axis] == 1 || (0..cells[axis] as isize).contains(&middle[axis]);
        if !(is_inside(0) && is_inside(1) && radius >= 0.0) {
            return None;
        }
        let range = |axis: usize| {
            let extent = (radius / grid.spacing()[axis]).min(cells[axis] as f64) as isize + 1;
            let middle = middle[axis].clamp(0, cells[axis] as isize - 1);
            let low = (middle - extent).max(0) as usize;
            low..((middle + extent) as usize + 1).min(cells[axis])
        };
        let mut disc =
            DiscFootprint { grid: *grid, columns: range(0), rows: range(1), at, radius, per_volume: 1.0 };
        let mut sum = 0.0;
        disc.each_weight(|_, weight| sum += weight);
        if sum > 0.0 {
            disc.per_volume = 1.0 / (sum * grid.cell_measure());
            return Some(disc);
        }
        // Smaller than a cell: all of the volume goes into the cell that contains the centre
        let cell = |axis: usize| middle[axis].clamp(0, cells[axis] as isize - 1) as usize;
        let (column, row) = (cell(0), cell(1));
        let center = grid.centre([column as isize, row as isize]);
        let per_volume = 1.0 / grid.cell_measure();
        let radius = grid.spacing()[0];
        Some(DiscFootprint {
            columns: column..column + 1,
            rows: row..row + 1,
            at: center,
            radius,
            per_volume,
            ..disc
        })
    }

    /// Calls `visit` with every cell and the depth per cubic metre there.
    pub fn each(&self, mut visit: impl FnMut([usize; 2], f64)) {
        self.each_weight(|cell, weight| visit(cell, weight * self.per_volume));
    }

    /// The greatest depth per cubic metre.
    pub fn peak_depth(&self) -> f64 {
        self.per_volume
    }

    /// Calls `visit` with every cell inside the disc and w there.
    fn each_weight(&self, mut visit: impl FnMut([usize; 2], f64)) {
        let cells = self.grid.cells();
        for row in self.rows.clone() {
            for column in self.columns.clone() {
                let center = self.grid.centre([column as isize, row as isize]);
                let distance =
                    |axis: usize| if cells[axis] == 1 { 0.0 } else { center[axis] - self.at[axis] };
                let squared = (distance(0).powi(2) + distance(1).powi(2)) / self.radius.powi(2);
                if squared < 1.0 {
                    visit([column, row], (1.0 - squared).powi(2));
                }
            }
        }
    }
}

/// A box of cells: those whose centres lie in a rectangle.
#[derive(Debug, Clone)]
pub(super) struct BoxFootprint {
    pub columns: Range<usize>,
    pub rows: Range<usize>,
}

impl BoxFootprint {
    /// All cells.
    pub fn all(grid: &Grid<2>) -> BoxFootprint {
        let [columns, rows] = grid.cells();
        BoxFootprint { columns: 0..columns, rows: 0..rows }
    }

    /// The cells whose centres lie between two corners; none when there are no such cells.
    pub fn between(grid: &Grid<2>, from: [f64; 2], to: [f64; 2]) -> Option<BoxFootprint> {
        let range = |axis: usize| {
            let (low, high) = (from[axis].min(to[axis]), from[axis].max(to[axis]));
            let first = ((low - grid.origin()[axis]) / grid.spacing()[axis] - 0.5).ceil().max(0.0);
            let end = ((high - grid.origin()[axis]) / grid.spacing()[axis] - 0.5).floor() + 1.0;
            let end = end.clamp(0.0, grid.cells()[axis] as f64);
            (first < end).then_some(first as usize..end as usize)
        };
        Some(BoxFootprint { columns: range(0)?, rows: if grid.cells()[1] == 1 { 0..1 } else { range(1)? } })
    }

    /// Calls `visit` with every cell.
    pub fn each(&self, mut visit: impl FnMut([usize; 2])) {
        for row in self.rows.clone() {
            self.columns.clone().for_each(|column| visit([column, row]));
        }
    }

    /// Number of cells.
    pub fn count(&self) -> usize {
        self.columns.len() * self.rows.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid<2> {
        Grid::new([20, 10], [0.5, 0.5], [-5.0, 0.0]).unwrap()
    }

    #[test]
    fn a_disc_takes_exactly_its_volume_at_any_place_and_size() {
        for (at, radius) in [([0.1, 2.2], 1.3), ([-5.0, 0.0], 2.0), ([4.9, 4.9], 0.0), ([0.0, 2.0], 1e4)] {
            let disc = DiscFootprint::new(&grid(), at, radius).unwrap();
            let (mut volume, mut peak_depth) = (0.0, 0.0f64);
            disc.each(|_, depth| {
                volume += depth * 0.25;
                peak_depth = peak_depth.max(depth);
            });
            assert!((volume - 1.0).abs() < 1e-12, "{at:?} {radius}: {volume}");
            assert!(peak_depth <= disc.peak_depth());
        }
        assert!(DiscFootprint::new(&grid(), [5.1, 1.0], 1.0).is_none());
        assert!(DiscFootprint::new(&grid(), [0.0, 1.0], f64::NAN).is_none());
    }

    #[test]
    fn a_curve_is_poured_on_at_any_y() {
        let slit = Grid::new([20, 1], [0.5, 0.1], [0.0, 0.0]).unwrap();
        let mut cells = 0;
        DiscFootprint::new(&slit, [5.0, 77.0], 1.0).unwrap().each(|_, _| cells += 1);
        assert_eq!(cells, 4);
    }

    #[test]
    fn an_area_holds_the_centres_between_its_corners() {
        let area = BoxFootprint::between(&grid(), [1.0, 1.0], [-1.0, 2.0]).unwrap();
        assert_eq!((area.columns.clone(), area.rows.clone(), area.count()), (8..12, 2..4, 8));
        assert!(BoxFootprint::between(&grid(), [6.0, 0.0], [7.0, 1.0]).is_none());
    }
}
