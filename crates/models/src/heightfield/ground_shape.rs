//! Shapes in which ground is changed: heaps and pits along a path, and dams.

use std::ops::Range;

use glam::DVec2;
use undine_grid::Grid;
use undine_sim::Disturbance;

/// What a scene file accepts: what is done by hand can be written and done again.
const FARTHEST: f64 = 1e12;
const HIGHEST: f64 = 1e7;
const SLOPES: std::ops::RangeInclusive<f64> = 0.01..=1e3;

/// What a disturbance makes of the ground.
pub struct GroundShape(Shape);

enum Shape {
    Heap { heap: Heap, height: f64 },
    Dam(Dam),
}

impl GroundShape {
    /// The shape of a disturbance over a grid whose lowest ground is at the level `lowest`; none where it is no change of
    /// the ground or lies beside the grid.
    pub fn new(
        grid: &Grid<2>,
        disturbance: &Disturbance,
        lowest: impl FnOnce() -> f64,
    ) -> Option<GroundShape> {
        let shape = match *disturbance {
            Disturbance::Ground { path, radius, height } => {
                Shape::Heap { heap: Heap::new(grid, path, radius)?, height }
            }
            Disturbance::Dam { path, radius, level, slope } => {
                Shape::Dam(Dam::new(grid, path, radius, level, slope, lowest())?)
            }
            _ => return None,
        };
        Some(GroundShape(shape))
    }

    /// The cells that it may change, by columns and rows.
    pub fn cells(&self) -> [Range<usize>; 2] {
        match &self.0 {
            Shape::Heap { heap, .. } => heap.cells(),
            Shape::Dam(dam) => dam.cells(),
        }
    }

    /// What the change of a cell becomes whose ground was at the level `original` before all changes, in metres.
    pub fn changed(&self, cell: [usize; 2], change: f64, original: f64) -> f64 {
        match &self.0 {
            Shape::Heap { heap, height } => change + height * heap.weight(cell),
            Shape::Dam(dam) => change.max(dam.level(cell) - original),
        }
    }
}

/// What a round tool of radius R leaves when its middle goes along a straight path: the mean of w over the path, with
/// w = (1 − r²/R²)² inside R.
struct Heap {
    line: Line,
    radius: f64,
}

/// The level of a dam: that of its crest within half its width from a line, and falling evenly beyond.
struct Dam {
    line: Line,
    crest: f64,
    level: f64,
    slope: f64,
    reach: f64,
}

/// A straight line over a grid. Along an axis with a single cell all distances count as zero.
struct Line {
    grid: Grid<2>,
    from: DVec2,
    to: DVec2,
}

impl Heap {
    /// Along a path; none when no cell is within the radius. A radius below the spacing counts as one spacing, so that a
    /// heap never falls between the cells.
    pub fn new(grid: &Grid<2>, path: [DVec2; 2], radius: f64) -> Option<Heap> {
        let finest = grid.spacing().into_iter().zip(grid.cells()).filter(|(_, cells)| *cells > 1);
        let finest = finest.map(|(spacing, _)| spacing).fold(0.0, f64::max);
        let heap = Heap { line: Line::new(grid, path), radius: radius.max(finest) };
        (radius >= 0.0 && heap.line.is_near(heap.radius)).then_some(heap)
    }

    /// The cells that may have a weight, by columns and rows.
    pub fn cells(&self) -> [Range<usize>; 2] {
        self.line.cells_within(self.radius)
    }

    /// The weight in a cell, between 0 and 1.
    ///
    /// With the position s along the path of length L, the foot u of the perpendicular from the cell, its length v and
    /// a² = R² − v², the mean is 1/(L R⁴) ∫ (a² − (u − s)²)² ds over the part of the path within R.
    pub fn weight(&self, cell: [usize; 2]) -> f64 {
        let (at, along) = (self.line.centre(cell), self.line.to - self.line.from);
        let (radius, length) = (self.radius, along.length());
        if length < 1e-3 * radius {
            let middle = self.line.from + 0.5 * along;
            return (1.0 - at.distance_squared(middle) / (radius * radius)).max(0.0).powi(2);
        }
        let offset = at - self.line.from;
        // In radii
        let (u, v) = (offset.dot(along) / (length * radius), offset.perp_dot(along) / (length * radius));
        let (squared, length) = (1.0 - v * v, length / radius);
        if squared <= 0.0 {
            return 0.0;
        }
        let a = squared.sqrt();
        let integral = |t: f64| t * (squared * squared - t * t * (2.0 / 3.0 * squared - 0.2 * t * t));
        let [start, end] = [-u, length - u].map(|t| integral(t.clamp(-a, a)));
        ((end - start) / length).clamp(0.0, 1.0)
    }
}

impl Dam {
    /// Along a path, over ground that is nowhere lower than `lowest`; none when no cell is near it.
    pub fn new(
        grid: &Grid<2>,
        path: [DVec2; 2],
        crest: f64,
        level: f64,
        slope: f64,
        lowest: f64,
    ) -> Option<Dam> {
        let reach = crest + ((level - lowest) / slope).max(0.0);
        let dam = Dam { line: Line::new(grid, path), crest, level, slope, reach };
        let is_valid = crest >= 0.0 && SLOPES.contains(&slope) && level.abs() <= HIGHEST && reach.is_finite();
        (is_valid && dam.line.is_near(reach)).then_some(dam)
    }

    /// The cells that the dam may reach, by columns and rows.
    pub fn cells(&self) -> [Range<usize>; 2] {
        self.line.cells_within(self.reach)
    }

    /// Its level in a cell, in metres.
    pub fn level(&self, cell: [usize; 2]) -> f64 {
        let distance = self.line.distance(self.line.centre(cell));
        self.level - self.slope * (distance - self.crest).max(0.0)
    }
}

impl Line {
    fn new(grid: &Grid<2>, path: [DVec2; 2]) -> Line {
        let flattened = |mut at: DVec2| {
            (0..2)
                .filter(|&axis| grid.cells()[axis] == 1)
                .for_each(|axis| at[axis] = grid.centre([0, 0])[axis]);
            at
        };
        let [from, to] = path.map(flattened);
        Line { grid: *grid, from, to }
    }

    fn centre(&self, cell: [usize; 2]) -> DVec2 {
        DVec2::from(self.grid.centre(cell.map(|index| index as isize)))
    }

    fn distance(&self, at: DVec2) -> f64 {
        let along = self.to - self.from;
        let squared = along.length_squared();
        let part = if squared > 0.0 { ((at - self.from).dot(along) / squared).clamp(0.0, 1.0) } else { 0.0 };
        at.distance(self.from + part * along)
    }

    /// Whether the domain comes within this distance of the line, whose ends a scene file can name.
    fn is_near(&self, distance: f64) -> bool {
        if self.from.abs().max(self.to.abs()).max_element() > FARTHEST {
            return false;
        }
        let [columns, rows] = self.cells_within(distance);
        let mut cells = rows.flat_map(|y| columns.clone().map(move |x| [x, y]));
        cells.any(|cell| self.distance(self.centre(cell)) <= distance)
    }

    /// The cells whose centres may lie within this distance.
    fn cells_within(&self, distance: f64) -> [Range<usize>; 2] {
        let (low, high) = (self.from.min(self.to) - distance, self.from.max(self.to) + distance);
        [0, 1].map(|axis| {
            let (origin, spacing, cells) =
                (self.grid.origin()[axis], self.grid.spacing()[axis], self.grid.cells()[axis]);
            let index = |x: f64| ((x - origin) / spacing).clamp(0.0, cells as f64);
            index(low[axis]).floor() as usize..index(high[axis]).ceil() as usize
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid<2> {
        Grid::new([80, 60], [0.1; 2], [-4.0, -3.0]).unwrap()
    }

    fn volume(heap: &Heap) -> f64 {
        let [columns, rows] = heap.cells();
        rows.flat_map(|y| columns.clone().map(move |x| [x, y])).map(|cell| heap.weight(cell)).sum::<f64>()
            * 0.01
    }

    #[test]
    fn a_path_of_any_length_takes_the_volume_of_one_heap() {
        let disc = std::f64::consts::PI * 0.64 / 3.0;
        for end in [0.0, 1e-5, 7.9e-4, 8.1e-4, 0.05, 0.7, 4.0] {
            let heap =
                Heap::new(&grid(), [DVec2::new(-2.0, -0.3), DVec2::new(-2.0 + end, 0.3 * end)], 0.8).unwrap();
            assert!((volume(&heap) / disc - 1.0).abs() < 2e-3, "{end}: {} {disc}", volume(&heap));
        }
    }

    #[test]
    fn the_mean_over_a_path_is_the_mean_of_heaps_on_it() {
        let (from, to) = (DVec2::new(-1.0, 0.2), DVec2::new(1.1, -0.9));
        let path = Heap::new(&grid(), [from, to], 0.6).unwrap();
        for cell in [[30, 32], [45, 25], [36, 27], [52, 18], [20, 20]] {
            let place = |step: i32| from + (to - from) * (f64::from(step) + 0.5) / 2000.0;
            let weights =
                (0..2000).map(|step| Heap::new(&grid(), [place(step); 2], 0.6).unwrap().weight(cell));
            let mean = weights.sum::<f64>() / 2000.0;
            assert!((path.weight(cell) - mean).abs() < 1e-6, "{cell:?}: {} {mean}", path.weight(cell));
        }
    }

    #[test]
    fn heaps_beside_the_domain_are_none_and_small_ones_are_on_a_cell() {
        assert!(Heap::new(&grid(), [DVec2::splat(9.0); 2], 1.0).is_none());
        assert!(Heap::new(&grid(), [DVec2::splat(0.0); 2], f64::NAN).is_none());
        let small = Heap::new(&grid(), [DVec2::splat(1.0); 2], 1e-6).unwrap();
        assert!(small.weight([50, 40]) > 0.2);
        let crossing = Heap::new(&grid(), [DVec2::new(-9.0, 0.0), DVec2::new(9.0, 0.0)], 0.3).unwrap();
        assert_eq!(crossing.cells(), [0..80, 27..33]);
    }

    #[test]
    fn a_slit_is_dug_at_any_y() {
        let slit = Grid::new([20, 1], [0.5, 0.1], [0.0, 0.0]).unwrap();
        let heap = Heap::new(&slit, [DVec2::new(5.25, 77.0); 2], 1.0).unwrap();
        assert_eq!(heap.weight([10, 0]), 1.0);
        assert_eq!(heap.weight([12, 0]), 0.0);
    }

    #[test]
    fn a_dam_has_a_level_crest_and_even_sides() {
        let dam =
            Dam::new(&grid(), [DVec2::new(0.05, -9.0), DVec2::new(0.05, 9.0)], 0.15, 2.0, 0.5, 1.5).unwrap();
        let levels: Vec<f64> = (40..46).map(|x| dam.level([x, 30])).collect();
        for (level, expected) in levels.iter().zip([2.0, 2.0, 1.975, 1.925, 1.875, 1.825]) {
            assert!((level - expected).abs() < 1e-12, "{levels:?}");
        }
        assert!(Dam::new(&grid(), [DVec2::splat(20.0); 2], 0.1, 2.0, 0.5, 1.5).is_none());
        assert!(Dam::new(&grid(), [DVec2::ZERO; 2], 0.1, 2.0, 0.0, 1.5).is_none());
    }
}
