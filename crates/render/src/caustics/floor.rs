//! The bed as a height field over a rectangle, and its ray intersection.
//!
//! Heights are bilinear between nodes. Cells are grouped in tiles of known maximum height: a ray skips a tile that it
//! passes above, and otherwise advances cell by cell until it is below the ground; the crossing is then refined by
//! regula falsi.

use glam::{DVec2, DVec3};

/// Cells along the side of a tile.
const TILE: usize = 8;
/// Iterations of the refinement.
const ROUNDS: usize = 6;

/// The bed of the water and the land around it, as a height field.
#[derive(Debug, Clone)]
pub struct Floor {
    low: DVec2,
    high: DVec2,
    step: DVec2,
    cells: [usize; 2],
    heights: Vec<f64>,
    tiles: Vec<f64>,
    range: [f64; 2],
}

impl Floor {
    /// A level floor between two corners.
    pub fn level(corners: [DVec2; 2], height: f64) -> Self {
        Floor::sampled(corners, [1, 1], |_| height)
    }

    /// A floor of `cells` cells between two corners with the node heights `height`. Heights that are not finite
    /// become the lowest.
    pub fn sampled([low, high]: [DVec2; 2], cells: [usize; 2], height: impl Fn(DVec2) -> f64) -> Self {
        let high = high.max(low + DVec2::splat(1e-9));
        let cells = cells.map(|count| count.clamp(1, 1 << 14));
        let step = (high - low) / DVec2::new(cells[0] as f64, cells[1] as f64);
        let node = |index: usize| {
            low + step * DVec2::new((index % (cells[0] + 1)) as f64, (index / (cells[0] + 1)) as f64)
        };
        let mut heights: Vec<f64> =
            (0..(cells[0] + 1) * (cells[1] + 1)).map(|index| height(node(index))).collect();
        let finite = heights.iter().copied().filter(|height| height.is_finite());
        let range = finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], height| {
            [least.min(height), most.max(height)]
        });
        let range = if range[0] <= range[1] { range } else { [0.0; 2] };
        heights.iter_mut().filter(|height| !height.is_finite()).for_each(|height| *height = range[0]);
        let mut floor = Floor { low, high, step, cells, heights, tiles: Vec::new(), range };
        floor.tiles = floor.highest_of_tiles();
        floor
    }

    fn highest_of_tiles(&self) -> Vec<f64> {
        let count = self.cells.map(|cells| cells.div_ceil(TILE));
        let highest = |tile: usize| {
            let first = [tile % count[0] * TILE, tile / count[0] * TILE];
            let last = [0, 1].map(|axis| (first[axis] + TILE).min(self.cells[axis]));
            let rows = (first[1]..=last[1]).map(|row| {
                let start = row * (self.cells[0] + 1);
                self.heights[start + first[0]..=start + last[0]].iter().copied().fold(f64::MIN, f64::max)
            });
            rows.fold(f64::MIN, f64::max)
        };
        (0..count[0] * count[1]).map(highest).collect()
    }

    /// Its corners.
    pub fn corners(&self) -> [DVec2; 2] {
        [self.low, self.high]
    }

    /// Its lowest and highest point.
    pub fn range(&self) -> [f64; 2] {
        self.range
    }

    fn is_level(&self) -> bool {
        self.range[0] == self.range[1]
    }

    fn contains(&self, at: DVec2) -> bool {
        at.cmpge(self.low).all() && at.cmple(self.high).all()
    }

    // The cell that holds a point, or the nearest one, and the fractions of the point within it.
    fn cell(&self, at: DVec2) -> ([usize; 2], DVec2) {
        let position = (at - self.low) / self.step;
        let last = DVec2::new(self.cells[0] as f64, self.cells[1] as f64);
        // NaN becomes the lowest corner.
        let position = position.max(DVec2::ZERO).min(last);
        let cell = [0, 1].map(|axis| (position[axis] as usize).min(self.cells[axis] - 1));
        (cell, position - DVec2::new(cell[0] as f64, cell[1] as f64))
    }

    fn corners_of(&self, [column, row]: [usize; 2]) -> [f64; 4] {
        let first = row * (self.cells[0] + 1) + column;
        let above = first + self.cells[0] + 1;
        [self.heights[first], self.heights[first + 1], self.heights[above], self.heights[above + 1]]
    }

    /// Height at a point, or at the nearest point of the border.
    pub fn height(&self, at: DVec2) -> f64 {
        if self.is_level() {
            return self.range[0];
        }
        let (cell, fraction) = self.cell(at);
        let [a, b, c, d] = self.corners_of(cell);
        let (south, north) = (a + (b - a) * fraction.x, c + (d - c) * fraction.x);
        south + (north - south) * fraction.y
    }

    /// Unit normal at a point.
    pub fn normal(&self, at: DVec2) -> DVec3 {
        if self.is_level() {
            return DVec3::Z;
        }
        let (cell, fraction) = self.cell(at);
        let [a, b, c, d] = self.corners_of(cell);
        let slope_x = ((b - a) * (1.0 - fraction.y) + (d - c) * fraction.y) / self.step.x;
        let slope_y = ((c - a) * (1.0 - fraction.x) + (d - b) * fraction.x) / self.step.y;
        DVec3::new(-slope_x, -slope_y, 1.0).normalize()
    }

    /// Distance at which a ray from a point above the floor meets it.
    pub fn intersect(&self, from: DVec3, direction: DVec3) -> Option<f64> {
        if !(from.is_finite() && direction.is_finite()) || (direction.z >= 0.0 && from.z >= self.range[1]) {
            return None;
        }
        if self.is_level() {
            return (direction.z < 0.0).then(|| ((from.z - self.range[0]) / -direction.z).max(0.0));
        }
        // Start at the greatest height of the floor.
        let mut reached =
            if direction.z < 0.0 { ((from.z - self.range[1]) / -direction.z).max(0.0) } else { 0.0 };
        let run = direction.truncate().length();
        let cell = self.step.min_element() / run.max(1e-12);
        loop {
            let at = from + direction * reached;
            let flat = at.truncate();
            if direction.z >= 0.0 && at.z > self.range[1] {
                return None;
            }
            if !self.contains(flat) {
                return self.intersect_outside(at, direction).map(|further| reached + further);
            }
            let next = reached + self.empty_distance(at, direction).max(cell);
            // Every ray ends at the least height of the floor at the latest.
            let bottom =
                if direction.z < 0.0 { (from.z - self.range[0]) / -direction.z } else { f64::INFINITY };
            let next = next.min(bottom);
            let point = from + direction * next;
            let clearance = point.z - self.height(point.truncate());
            if clearance <= 1e-12 || next >= bottom {
                return Some(self.regula_falsi(from, direction, [reached, next]));
            }
            reached = next;
        }
    }

    // Distance over which a ray stays in its tile and above the tile's maximum.
    fn empty_distance(&self, at: DVec3, direction: DVec3) -> f64 {
        let ([column, row], _) = self.cell(at.truncate());
        let tile = [column / TILE, row / TILE];
        let top = self.tiles[tile[1] * self.cells[0].div_ceil(TILE) + tile[0]];
        if at.z <= top {
            return 0.0;
        }
        let leaves = |axis: usize| {
            let edge = if direction[axis] > 0.0 { tile[axis] + 1 } else { tile[axis] };
            let wall = self.low[axis] + (edge * TILE) as f64 * self.step[axis];
            if direction[axis].abs() < 1e-12 { f64::INFINITY } else { (wall - at[axis]) / direction[axis] }
        };
        let sinks = if direction.z < 0.0 { (at.z - top) / -direction.z } else { f64::INFINITY };
        leaves(0).min(leaves(1)).min(sinks).max(0.0)
    }

    // Outside the rectangle the floor has the height of the nearest border.
    fn intersect_outside(&self, at: DVec3, direction: DVec3) -> Option<f64> {
        if direction.z >= 0.0 {
            return None;
        }
        let mut length = 0.0;
        for _ in 0..3 {
            let point = at + direction * length;
            length += ((point.z - self.height(point.truncate())) / -direction.z).max(-0.5 * length);
        }
        Some(length.max(0.0))
    }

    // Crossing between a point above and one below, by regula falsi with the Illinois weights.
    fn regula_falsi(&self, from: DVec3, direction: DVec3, [mut above, mut below]: [f64; 2]) -> f64 {
        let clearance = |length: f64| {
            let point = from + direction * length;
            point.z - self.height(point.truncate())
        };
        let (mut high, mut low) = (clearance(above).max(0.0), clearance(below).min(0.0));
        let mut middle = below;
        for _ in 0..ROUNDS {
            if high - low <= 1e-300 {
                break;
            }
            middle = above + (below - above) * high / (high - low);
            let gap = clearance(middle);
            if gap > 0.0 {
                (above, high, low) = (middle, gap, 0.5 * low);
            } else {
                (below, low, high) = (middle, gap, 0.5 * high);
            }
        }
        middle
    }

    /// Whether the ground leaves the sun in direction `sun` visible from a point.
    pub fn is_lit(&self, point: DVec3, sun: DVec3) -> bool {
        let is_buried = self.contains(point.truncate()) && point.z < self.height(point.truncate());
        sun.z > 0.0 && !is_buried && self.intersect(point, sun).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hills() -> Floor {
        Floor::sampled([DVec2::ZERO, DVec2::splat(10.0)], [100, 100], |at| (at.x).sin() * (0.8 * at.y).cos())
    }

    #[test]
    fn rays_end_where_a_fine_march_ends() {
        let floor = hills();
        for index in 0..300 {
            let from = DVec3::new(f64::from(index % 20) * 0.5 + 0.1, f64::from(index / 20) * 0.6 + 0.2, 1.5);
            let angle = f64::from(index);
            let direction = DVec3::new(angle.sin(), angle.cos(), -0.4).normalize();
            let found = floor.intersect(from, direction).unwrap();
            let end = from + direction * found;
            if !floor.contains(end.truncate()) {
                continue;
            }
            let is_below = |length: f64| {
                let point = from + direction * length;
                point.z < floor.height(point.truncate()) - 1e-3
            };
            assert!((end.z - floor.height(end.truncate())).abs() < 1e-4, "{index}: {end}");
            assert!(
                !(0..2000).any(|step| is_below(found * f64::from(step) / 2000.0)),
                "{index} passes ground"
            );
        }
    }

    #[test]
    fn a_wall_shades_what_is_behind_it() {
        let wall = |at: DVec2| if (at.x - 5.0).abs() < 0.2 { 1.0 } else { 0.0 };
        let floor = Floor::sampled([DVec2::ZERO, DVec2::splat(10.0)], [200, 20], wall);
        let sun = DVec3::new(1.0, 0.0, 1.0).normalize();
        assert!(!floor.is_lit(DVec3::new(4.2, 5.0, 0.0), sun));
        assert!(floor.is_lit(DVec3::new(3.5, 5.0, 0.0), sun) && floor.is_lit(DVec3::new(6.0, 5.0, 0.0), sun));
        assert!(!floor.is_lit(DVec3::new(5.0, 5.0, 0.5), sun), "a point in the ground");
    }

    #[test]
    fn strange_rays_and_floors_are_answered() {
        assert_eq!(hills().intersect(DVec3::splat(f64::NAN), -DVec3::Z), None);
        assert_eq!(hills().intersect(DVec3::splat(3.0), DVec3::Z), None);
        let nothing = Floor::sampled([DVec2::ZERO; 2], [0, 0], |_| f64::NAN);
        assert_eq!(nothing.height(DVec2::ONE), 0.0);
        assert_eq!(
            Floor::level([DVec2::ZERO, DVec2::ONE], -2.0).intersect(DVec3::ZERO, -DVec3::Z),
            Some(2.0)
        );
    }
}
