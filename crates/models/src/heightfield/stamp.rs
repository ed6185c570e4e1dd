//! Where poured water goes: discs and boxes of cells.

use std::ops::Range;

use undine_grid::Grid;

/// A disc of cells that takes a volume, most of it in the middle: depth falls as (1 − r²/R²)².
///
/// Along an axis with a single cell the distance does not count, so that a curve can be poured on at any y.
#[derive(Debug, Clone)]
pub(super) struct Disc {
    grid: Grid<2>,
    columns: Range<usize>,
    rows: Range<usize>,
    at: [f64; 2],
    radius: f64,
    /// Depth per m³ in the middle; infinite when no cell centre is inside.
    depth: f64,
}

impl Disc {
    /// The disc around `at`; none when that is outside the grid.
    pub fn new(grid: &Grid<2>, at: [f64; 2], radius: f64) -> Option<Disc> {
        let cells = grid.cells();
        let middle = grid.cell_at(at);
        let is_inside = |axis: usize| cells[axis] == 1 || (0..cells[axis] as isize).contains(&middle[axis]);
        if !(is_inside(0) && is_inside(1) && radius >= 0.0) {
            return None;
        }
        let range = |axis: usize| {
            let reach = (radius / grid.spacing()[axis]).min(cells[axis] as f64) as isize + 1;
            let middle = middle[axis].clamp(0, cells[axis] as isize - 1);
            let low = (middle - reach).max(0) as usize;
            low..((middle + reach) as usize + 1).min(cells[axis])
        };
        let mut disc = Disc { grid: *grid, columns: range(0), rows: range(1), at, radius, depth: 1.0 };
        let mut sum = 0.0;
        disc.each_weight(|_, weight| sum += weight);
        if sum > 0.0 {
            disc.depth = 1.0 / (sum * grid.cell_measure());
            return Some(disc);
        }
        // Smaller than a cell: all goes into the one it stands in.
        let cell = |axis: usize| middle[axis].clamp(0, cells[axis] as isize - 1) as usize;
        let (column, row) = (cell(0), cell(1));
        let center = grid.centre([column as isize, row as isize]);
        let depth = 1.0 / grid.cell_measure();
        let radius = grid.spacing()[0];
        Some(Disc { columns: column..column + 1, rows: row..row + 1, at: center, radius, depth, ..disc })
    }

    /// Calls `take` with every cell and the depth that one cubic metre makes there.
    pub fn each(&self, mut take: impl FnMut([usize; 2], f64)) {
        self.each_weight(|cell, weight| take(cell, weight * self.depth));
    }

    /// The largest depth that one cubic metre makes anywhere.
    pub fn deepest(&self) -> f64 {
        self.depth
    }

    fn each_weight(&self, mut take: impl FnMut([usize; 2], f64)) {
        let cells = self.grid.cells();
        for row in self.rows.clone() {
            for column in self.columns.clone() {
                let center = self.grid.centre([column as isize, row as isize]);
                let distance =
                    |axis: usize| if cells[axis] == 1 { 0.0 } else { center[axis] - self.at[axis] };
                let squared = (distance(0).powi(2) + distance(1).powi(2)) / self.radius.powi(2);
                if squared < 1.0 {
                    take([column, row], (1.0 - squared).powi(2));
                }
            }
        }
    }
}

/// A box of cells: those whose centres lie in a rectangle.
#[derive(Debug, Clone)]
pub(super) struct Area {
    pub columns: Range<usize>,
    pub rows: Range<usize>,
}

impl Area {
    /// All cells.
    pub fn whole(grid: &Grid<2>) -> Area {
        let [columns, rows] = grid.cells();
        Area { columns: 0..columns, rows: 0..rows }
    }

    /// The cells between two corners; none when there are no cells between them.
    pub fn between(grid: &Grid<2>, from: [f64; 2], to: [f64; 2]) -> Option<Area> {
        let range = |axis: usize| {
            let (low, high) = (from[axis].min(to[axis]), from[axis].max(to[axis]));
            let first = ((low - grid.origin()[axis]) / grid.spacing()[axis] - 0.5).ceil().max(0.0);
            let end = ((high - grid.origin()[axis]) / grid.spacing()[axis] - 0.5).floor() + 1.0;
            let end = end.clamp(0.0, grid.cells()[axis] as f64);
            (first < end).then_some(first as usize..end as usize)
        };
        Some(Area { columns: range(0)?, rows: if grid.cells()[1] == 1 { 0..1 } else { range(1)? } })
    }

    /// Calls `take` with every cell.
    pub fn each(&self, mut take: impl FnMut([usize; 2])) {
        for row in self.rows.clone() {
            self.columns.clone().for_each(|column| take([column, row]));
        }
    }

    /// How many cells.
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
            let disc = Disc::new(&grid(), at, radius).unwrap();
            let (mut volume, mut deepest) = (0.0, 0.0f64);
            disc.each(|_, depth| {
                volume += depth * 0.25;
                deepest = deepest.max(depth);
            });
            assert!((volume - 1.0).abs() < 1e-12, "{at:?} {radius}: {volume}");
            assert!(deepest <= disc.deepest());
        }
        assert!(Disc::new(&grid(), [5.1, 1.0], 1.0).is_none());
        assert!(Disc::new(&grid(), [0.0, 1.0], f64::NAN).is_none());
    }

    #[test]
    fn a_curve_is_poured_on_at_any_y() {
        let slit = Grid::new([20, 1], [0.5, 0.1], [0.0, 0.0]).unwrap();
        let mut cells = 0;
        Disc::new(&slit, [5.0, 77.0], 1.0).unwrap().each(|_, _| cells += 1);
        assert_eq!(cells, 4);
    }

    #[test]
    fn an_area_holds_the_centres_between_its_corners() {
        let area = Area::between(&grid(), [1.0, 1.0], [-1.0, 2.0]).unwrap();
        assert_eq!((area.columns.clone(), area.rows.clone(), area.count()), (8..12, 2..4, 8));
        assert!(Area::between(&grid(), [6.0, 0.0], [7.0, 1.0]).is_none());
    }
}
