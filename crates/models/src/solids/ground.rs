//! The terrain of a scene as a solid: everything below the height of its `[[terrain]]`.
//!
//! Heights are sampled at the nodes of the grid and triangulated; the distance is that to the triangles, its sign that
//! of z − height. A height field has no overhangs and no thin parts.

use undine_grid::Grid;
use undine_scene::{Scene, SceneErrors};
use undine_terrain::Terrain;

use super::immersed_solids::Obstacle;
use super::shape::SolidShape;
use super::trajectory::Trajectory;
use super::triangle::Triangle;
use super::triangle_grid::TriangleGrid;

/// Cells beyond the sides of the box that are sampled too, so that distances near the sides are exact.
const MARGIN_CELLS: usize = 4;

/// Bisections to locate the point where a segment enters the ground.
const BISECTIONS: u32 = 20;

/// Heights at nodes, and the triangles between them.
#[derive(Debug, Clone)]
pub struct Ground {
    low: [f64; 2],
    spacing: [f64; 2],
    size: [usize; 2],
    heights: Vec<f64>,
    triangle_grid: TriangleGrid,
}

/// The ground of a scene as a stationary obstacle; `None` without `[[terrain]]`, and in 2-D.
pub fn read_ground<const D: usize>(
    scene: &Scene,
    grid: &Grid<D>,
) -> Result<Option<Obstacle<D>>, SceneErrors> {
    if D < 3 {
        return Ok(None);
    }
    let terrain = Terrain::read(scene)?;
    Ok(terrain.map(|terrain| Obstacle {
        name: None,
        material: undine_frame::Material::Solid,
        shape: SolidShape::Ground(Box::new(Ground::new(grid, |x, y| terrain.height(x, y)))),
        trajectory: Trajectory::still([0.0; D]),
    }))
}

impl Ground {
    /// The ground below `height(x, y)`, sampled at the nodes of a 3-D grid. Heights that are not finite become zero.
    pub fn new<const D: usize>(grid: &Grid<D>, height: impl Fn(f64, f64) -> f64) -> Ground {
        let along = |axis: usize| grid.cells().get(axis).map_or(1, |cells| cells + 1) + 2 * MARGIN_CELLS;
        let spacing = [0, 1].map(|axis: usize| grid.spacing()[axis.min(D - 1)]);
        let low =
            [0, 1].map(|axis: usize| grid.origin()[axis.min(D - 1)] - MARGIN_CELLS as f64 * spacing[axis]);
        let size = [along(0), along(1)];
        let at = |index: usize, axis: usize| low[axis] + index as f64 * spacing[axis];
        let node = |number: usize| height(at(number % size[0], 0), at(number / size[0], 1));
        let finite = |height: f64| if height.is_finite() { height } else { 0.0 };
        let heights: Vec<f64> = (0..size[0] * size[1]).map(|number| finite(node(number))).collect();
        let corner = |x: usize, y: usize| [at(x, 0), at(y, 1), heights[x + size[0] * y]];
        let mut triangles: Vec<Triangle> = Vec::with_capacity(2 * heights.len());
        for y in 0..size[1] - 1 {
            for x in 0..size[0] - 1 {
                let (low, high) = (corner(x, y), corner(x + 1, y + 1));
                triangles.extend([[low, corner(x + 1, y), high], [low, high, corner(x, y + 1)]]);
            }
        }
        Ground { low, spacing, size, heights, triangle_grid: TriangleGrid::new(triangles) }
    }

    /// Its surface.
    pub fn triangles(&self) -> &[Triangle] {
        self.triangle_grid.triangles()
    }

    /// Signed distance of a point, negative below, exact up to `within`.
    pub fn distance(&self, point: [f64; 3], within: f64) -> f64 {
        let height_above = self.height_above(point);
        // The vertical distance is an upper bound
        let away = self.triangle_grid.distance(point, height_above.abs().min(within));
        if height_above < 0.0 { -away } else { away }
    }

    /// Whether a point lies in the ground.
    pub fn contains(&self, point: [f64; 3]) -> bool {
        self.height_above(point) <= 0.0
    }

    /// Height of a point above the triangle below it.
    fn height_above(&self, [x, y, z]: [f64; 3]) -> f64 {
        let locate = |at: f64, axis: usize| {
            let along = ((at - self.low[axis]) / self.spacing[axis]).clamp(0.0, self.size[axis] as f64 - 1.0);
            let below = (along as usize).min(self.size[axis] - 2);
            (below, along - below as f64)
        };
        let ((x, fraction_x), (y, fraction_y)) = (locate(x, 0), locate(y, 1));
        let node = |x: usize, y: usize| self.heights[x + self.size[0] * y];
        let (low, high) = (node(x, y), node(x + 1, y + 1));
        // The cell is divided along the diagonal from its low to its high corner
        let height = if fraction_x >= fraction_y {
            low + fraction_x * (node(x + 1, y) - low) + fraction_y * (high - node(x + 1, y))
        } else {
            low + fraction_y * (node(x, y + 1) - low) + fraction_x * (high - node(x, y + 1))
        };
        z - height
    }

    /// Parameter t ∈ [0, 1] at which a segment enters the ground: sampled twice per cell, then bisected.
    pub fn entry(&self, [from, to]: [[f64; 3]; 2]) -> Option<f64> {
        let at = |way: f64| {
            self.height_above(std::array::from_fn(|axis| from[axis] + way * (to[axis] - from[axis])))
        };
        if at(0.0) <= 0.0 {
            return Some(0.0);
        }
        let length =
            (0..2).map(|axis| ((to[axis] - from[axis]) / self.spacing[axis]).abs()).fold(0.0, f64::max);
        let looks = (2.0 * length).ceil().clamp(1.0, 1e4) as u32;
        let fraction = |look: u32| f64::from(look) / f64::from(looks);
        let first = (1..=looks).find(|&look| at(fraction(look)) <= 0.0)?;
        let (mut open, mut closed) = (fraction(first - 1), fraction(first));
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (open + closed);
            *(if at(middle) > 0.0 { &mut open } else { &mut closed }) = middle;
        }
        Some(open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slope() -> Ground {
        let grid = Grid::new([20, 10, 10], [0.1; 3], [0.0; 3]).unwrap();
        Ground::new(&grid, |x, _| 0.75 * x - 0.5)
    }

    #[test]
    fn the_distance_from_a_slope_is_across_it() {
        for point in [[1.0, 0.5, 0.5], [1.0, 0.5, 0.3], [0.2, 0.9, -0.4], [1.9, 0.1, 0.8]] {
            let exact = 0.8 * (point[2] - (0.75 * point[0] - 0.5));
            assert!((slope().distance(point, 0.3) - exact.clamp(-0.3, 0.3)).abs() < 1e-12, "{point:?}");
        }
        let ridge = Ground::new(&Grid::new([20, 10, 10], [0.1; 3], [0.0; 3]).unwrap(), |x, _| {
            1.0 - (x - 1.0_f64).abs()
        });
        assert!((ridge.distance([1.0, 0.5, 1.1], 0.3) - 0.1).abs() < 1e-12);
        assert!((ridge.distance([1.0, 0.5, 0.9], 0.3) + 0.1 * 0.5_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_stretch_enters_the_ground_once() {
        let entry = slope().entry([[1.0, 0.5, 0.5], [1.0, 0.5, 0.0]]).unwrap();
        assert!((entry - 0.5).abs() < 1e-6, "{entry}");
        assert_eq!(slope().entry([[1.0, 0.5, 0.5], [1.2, 0.5, 0.5]]), None);
        assert_eq!(slope().entry([[1.0, 0.5, 0.1], [1.2, 0.5, 0.5]]), Some(0.0));
    }
}
