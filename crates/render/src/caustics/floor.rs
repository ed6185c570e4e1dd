//! The bed as heights over a level rectangle, and where rays meet it.
//!
//! Heights are linear between nodes along each axis. Nodes are grouped in tiles whose highest point is known: a ray
//! skips a tile that it passes above, and is otherwise taken on cell by cell until it is below the ground; the crossing
//! is then closed in from both sides.

use glam::{DVec2, DVec3};

/// Cells along the side of a tile.
const TILE: usize = 8;
/// Rounds in which a crossing is closed in.
const ROUNDS: usize = 6;

/// The bed of the water and the land around it.
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

    /// A floor of `cells` cells between two corners, whose nodes have the heights that `height` tells. What is not a
    /// number is as low as the lowest.
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

    // The cell of a place, or the nearest one, and where in it the place lies.
    fn cell(&self, at: DVec2) -> ([usize; 2], DVec2) {
        let place = (at - self.low) / self.step;
        let last = DVec2::new(self.cells[0] as f64, self.cells[1] as f64);
        // A place that is no number is taken for the lowest corner.
        let place = place.max(DVec2::ZERO).min(last);
        let cell = [0, 1].map(|axis| (place[axis] as usize).min(self.cells[axis] - 1));
        (cell, place - DVec2::new(cell[0] as f64, cell[1] as f64))
    }

    fn corners_of(&self, [column, row]: [usize; 2]) -> [f64; 4] {
        let first = row * (self.cells[0] + 1) + column;
        let above = first + self.cells[0] + 1;
        [self.heights[first], self.heights[first + 1], self.heights[above], self.heights[above + 1]]
    }

    /// Height at a place, or at the nearest place of the border.
    pub fn height(&self, at: DVec2) -> f64 {
        if self.is_level() {
            return self.range[0];
        }
        let (cell, share) = self.cell(at);
        let [a, b, c, d] = self.corners_of(cell);
        let (south, north) = (a + (b - a) * share.x, c + (d - c) * share.x);
        south + (north - south) * share.y
    }

    /// Unit normal at a place.
    pub fn normal(&self, at: DVec2) -> DVec3 {
        if self.is_level() {
            return DVec3::Z;
        }
        let (cell, share) = self.cell(at);
        let [a, b, c, d] = self.corners_of(cell);
        let along = ((b - a) * (1.0 - share.y) + (d - c) * share.y) / self.step.x;
        let up = ((c - a) * (1.0 - share.x) + (d - b) * share.x) / self.step.y;
        DVec3::new(-along, -up, 1.0).normalize()
    }

    /// How far a ray from a point above the floor runs until it meets it.
    pub fn intersect(&self, from: DVec3, along: DVec3) -> Option<f64> {
        if !(from.is_finite() && along.is_finite()) || (along.z >= 0.0 && from.z >= self.range[1]) {
            return None;
        }
        if self.is_level() {
            return (along.z < 0.0).then(|| ((from.z - self.range[0]) / -along.z).max(0.0));
        }
        // Above the highest point there is nothing to meet.
        let mut reached = if along.z < 0.0 { ((from.z - self.range[1]) / -along.z).max(0.0) } else { 0.0 };
        let run = along.truncate().length();
        let cell = self.step.min_element() / run.max(1e-12);
        loop {
            let at = from + along * reached;
            let flat = at.truncate();
            if along.z >= 0.0 && at.z > self.range[1] {
                return None;
            }
            if !self.contains(flat) {
                return self.intersect_outside(at, along).map(|further| reached + further);
            }
            let next = reached + self.empty_distance(at, along).max(cell);
            // Below the lowest point every ray has met the floor.
            let bottom = if along.z < 0.0 { (from.z - self.range[0]) / -along.z } else { f64::INFINITY };
            let next = next.min(bottom);
            let point = from + along * next;
            let clearance = point.z - self.height(point.truncate());
            if clearance <= 1e-12 || next >= bottom {
                return Some(self.regula_falsi(from, along, [reached, next]));
            }
            reached = next;
        }
    }

    // How far a ray stays in its tile and above the tile's highest point.
    fn empty_distance(&self, at: DVec3, along: DVec3) -> f64 {
        let ([column, row], _) = self.cell(at.truncate());
        let tile = [column / TILE, row / TILE];
        let top = self.tiles[tile[1] * self.cells[0].div_ceil(TILE) + tile[0]];
        if at.z <= top {
            return 0.0;
        }
        let leaves = |axis: usize| {
            let beside = if along[axis] > 0.0 { tile[axis] + 1 } else { tile[axis] };
            let wall = self.low[axis] + (beside * TILE) as f64 * self.step[axis];
            if along[axis].abs() < 1e-12 { f64::INFINITY } else { (wall - at[axis]) / along[axis] }
        };
        let sinks = if along.z < 0.0 { (at.z - top) / -along.z } else { f64::INFINITY };
        leaves(0).min(leaves(1)).min(sinks).max(0.0)
    }

    // Beyond the border the floor keeps the height of the border.
    fn intersect_outside(&self, at: DVec3, along: DVec3) -> Option<f64> {
        if along.z >= 0.0 {
            return None;
        }
        let mut length = 0.0;
        for _ in 0..3 {
            let point = at + along * length;
            length += ((point.z - self.height(point.truncate())) / -along.z).max(-0.5 * length);
        }
        Some(length.max(0.0))
    }

    // The crossing between a point above and one below, by regula falsi with the Illinois weights.
    fn regula_falsi(&self, from: DVec3, along: DVec3, [mut above, mut below]: [f64; 2]) -> f64 {
        let clearance = |length: f64| {
            let point = from + along * length;
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

    /// Whether the sun in direction `sun` reaches a point past the ground.
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
            let along = DVec3::new(angle.sin(), angle.cos(), -0.4).normalize();
            let found = floor.intersect(from, along).unwrap();
            let end = from + along * found;
            if !floor.contains(end.truncate()) {
                continue;
            }
            let is_below = |length: f64| {
                let point = from + along * length;
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
