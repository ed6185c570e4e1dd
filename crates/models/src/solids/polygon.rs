//! Simple polygons, convex or not, filled by a scanline algorithm with an active edge table [demeulenaere2008 §3.5e].
//!
//! Rows are visited from bottom to top. The edge table is sorted by lower ends; an edge becomes active at the first row
//! at or above its lower end and inactive at the first row above its upper end. The x of the active edges in a row,
//! sorted, bound the spans inside (even–odd rule). An edge includes its lower end and excludes its upper one, so a
//! corner between a rising and a falling edge counts once, and a local extremum twice or not at all.

/// A polygon with its edge table. Scanning does not allocate.
#[derive(Debug, Clone)]
pub struct Polygon {
    corners: Vec<[f64; 2]>,
    table: Vec<Edge>,
    active: Vec<Edge>,
    crossings: Vec<f64>,
}

#[derive(Debug, Clone, Copy)]
struct Edge {
    lower: [f64; 2],
    upper: [f64; 2],
}

/// Why corners make no polygon.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum PolygonError {
    /// Fewer than three corners.
    #[error("a polygon has at least three corners, not {0}")]
    TooFew(usize),
    /// Two sides that are not neighbours meet.
    #[error("side {0} of the polygon meets side {1}")]
    Crossing(usize, usize),
    /// All corners on a line, or two of them at the same place.
    #[error("the polygon encloses nothing")]
    Flat,
}

impl Polygon {
    /// The polygon with these corners in either sense of rotation.
    ///
    /// ```
    /// use undine_models::solids::{Polygon, PolygonError};
    /// assert!(Polygon::new(vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).is_ok());
    /// let bow_tie = Polygon::new(vec![[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]);
    /// assert_eq!(bow_tie.unwrap_err(), PolygonError::Crossing(0, 2));
    /// ```
    pub fn new(corners: Vec<[f64; 2]>) -> Result<Polygon, PolygonError> {
        if corners.len() < 3 {
            return Err(PolygonError::TooFew(corners.len()));
        }
        if lie_on_a_line(&corners) {
            return Err(PolygonError::Flat);
        }
        if let Some((one, other)) = find_crossing(&corners) {
            return Err(PolygonError::Crossing(one, other));
        }
        let count = corners.len();
        let room = || Vec::with_capacity(count);
        Ok(Polygon { table: room(), active: room(), crossings: Vec::with_capacity(count), corners })
    }

    /// Its corners.
    pub fn corners(&self) -> &[[f64; 2]] {
        &self.corners
    }

    /// Sets the corners to `from` transformed by `to`. A rigid motion keeps the polygon simple.
    pub fn place(&mut self, from: &[[f64; 2]], to: impl Fn([f64; 2]) -> [f64; 2]) {
        self.corners.iter_mut().zip(from).for_each(|(corner, &rest)| *corner = to(rest));
    }

    /// Least and greatest x and y.
    pub fn bounds(&self) -> [[f64; 2]; 2] {
        let fold = |pick: fn(f64, f64) -> f64| {
            std::array::from_fn(|axis| {
                self.corners.iter().map(|corner| corner[axis]).reduce(pick).unwrap_or(0.0)
            })
        };
        [fold(f64::min), fold(f64::max)]
    }

    /// Its sides, from corner to corner.
    pub fn sides(&self) -> impl Iterator<Item = [[f64; 2]; 2]> {
        sides(&self.corners)
    }

    /// Signed distance of a point from the outline, negative inside: exact, O(sides).
    pub fn distance(&self, point: [f64; 2]) -> f64 {
        signed_distance(&self.corners, point)
    }

    /// Scans rows at `height(0), height(1), …, height(rows − 1)`, which must ascend, and calls `fill` with the index of
    /// the row and the x interval of each span inside.
    pub fn scan(
        &mut self,
        rows: usize,
        height: impl Fn(usize) -> f64,
        mut fill: impl FnMut(usize, [f64; 2]),
    ) {
        self.sort_edges();
        let mut waiting = 0;
        for row in 0..rows {
            let y = height(row);
            while let Some(edge) = self.table.get(waiting).filter(|edge| edge.lower[1] <= y) {
                self.active.push(*edge);
                waiting += 1;
            }
            self.active.retain(|edge| edge.upper[1] > y);
            self.crossings.clear();
            self.crossings.extend(self.active.iter().map(|edge| edge.x_at(y)));
            self.crossings.sort_unstable_by(f64::total_cmp);
            for gap in self.crossings.as_chunks::<2>().0 {
                fill(row, *gap);
            }
        }
    }

    /// Fills the edge table with all edges that are not horizontal, sorted by their lower ends.
    fn sort_edges(&mut self) {
        self.table.clear();
        self.active.clear();
        let count = self.corners.len();
        for number in 0..count {
            let (from, to) = (self.corners[number], self.corners[(number + 1) % count]);
            let (lower, upper) = if from[1] < to[1] { (from, to) } else { (to, from) };
            if lower[1] < upper[1] {
                self.table.push(Edge { lower, upper });
            }
        }
        self.table.sort_unstable_by(|one, other| one.lower[1].total_cmp(&other.lower[1]));
    }
}

impl Edge {
    fn x_at(&self, y: f64) -> f64 {
        let t = (y - self.lower[1]) / (self.upper[1] - self.lower[1]);
        self.lower[0] + t * (self.upper[0] - self.lower[0])
    }
}

/// The sides between corners.
pub(super) fn sides(corners: &[[f64; 2]]) -> impl Iterator<Item = [[f64; 2]; 2]> {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(&from, &to)| [from, to])
}

/// Signed distance of a point from the outline of corners, negative inside.
pub(super) fn signed_distance(corners: &[[f64; 2]], point: [f64; 2]) -> f64 {
    let mut nearest = f64::INFINITY;
    let mut is_inside = false;
    for side in sides(corners) {
        nearest = nearest.min(distance_to_segment(point, side));
        let [low, high] = if side[0][1] < side[1][1] { side } else { [side[1], side[0]] };
        if low[1] <= point[1] && point[1] < high[1] {
            is_inside ^= Edge { lower: low, upper: high }.x_at(point[1]) <= point[0];
        }
    }
    if is_inside { -nearest } else { nearest }
}

/// Distance of a point from a segment.
pub(super) fn distance_to_segment<const D: usize>(point: [f64; D], [from, to]: [[f64; D]; 2]) -> f64 {
    let dot = |a: [f64; D], b: [f64; D]| (0..D).map(|axis| a[axis] * b[axis]).sum::<f64>();
    let subtract = |a: [f64; D], b: [f64; D]| -> [f64; D] { std::array::from_fn(|axis| a[axis] - b[axis]) };
    let (along, offset) = (subtract(to, from), subtract(point, from));
    let length = dot(along, along);
    let t = if length > 0.0 { (dot(offset, along) / length).clamp(0.0, 1.0) } else { 0.0 };
    let nearest: [f64; D] = std::array::from_fn(|axis| offset[axis] - t * along[axis]);
    dot(nearest, nearest).sqrt()
}

/// Whether corners are collinear or not finite.
fn lie_on_a_line(corners: &[[f64; 2]]) -> bool {
    let first = corners[0];
    let away = |corner: &[f64; 2]| (corner[0] - first[0]).hypot(corner[1] - first[1]);
    let farthest =
        corners.iter().copied().max_by(|one, other| away(one).total_cmp(&away(other))).unwrap_or(first);
    let reach = away(&farthest);
    !corners.iter().any(|&corner| orientation(first, farthest, corner).abs() > 1e-12 * reach * reach)
}

/// Two sides that intersect though they are not adjacent, or adjacent ones that fold back onto each other.
fn find_crossing(corners: &[[f64; 2]]) -> Option<(usize, usize)> {
    let count = corners.len();
    let side = |number: usize| [corners[number], corners[(number + 1) % count]];
    for one in 0..count {
        for other in one + 1..count {
            let are_neighbours = other == one + 1 || (one == 0 && other == count - 1);
            let meet = match are_neighbours {
                true => folds_back(side(one), side(other)),
                false => sides_meet(side(one), side(other)),
            };
            if meet {
                return Some((one, other));
            }
        }
    }
    None
}

/// Orientation of three points: positive counter-clockwise, zero when collinear.
fn orientation(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn sides_meet([a, b]: [[f64; 2]; 2], [c, d]: [[f64; 2]; 2]) -> bool {
    let straddles = |p: f64, q: f64| (p <= 0.0 && q >= 0.0) || (p >= 0.0 && q <= 0.0);
    let boxes_meet = (0..2).all(|axis| {
        a[axis].min(b[axis]) <= c[axis].max(d[axis]) && c[axis].min(d[axis]) <= a[axis].max(b[axis])
    });
    boxes_meet
        && straddles(orientation(a, b, c), orientation(a, b, d))
        && straddles(orientation(c, d, a), orientation(c, d, b))
}

fn folds_back([a, b]: [[f64; 2]; 2], [c, d]: [[f64; 2]; 2]) -> bool {
    let (shared, start, end) = if b == c { (b, a, d) } else { (a, b, c) };
    let ahead = |axis: usize| (start[axis] - shared[axis]) * (end[axis] - shared[axis]);
    orientation(shared, start, end) == 0.0 && ahead(0) + ahead(1) > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An L with a notch: not convex, with horizontal sides, local maxima and minima.
    fn rough() -> Vec<[f64; 2]> {
        vec![[0.0, 0.0], [6.0, 0.0], [6.0, 2.0], [4.0, 1.0], [2.0, 3.0], [3.0, 5.0], [1.0, 4.0], [0.0, 5.0]]
    }

    /// Whether a point is inside, by the winding number.
    fn winds_around(corners: &[[f64; 2]], [x, y]: [f64; 2]) -> bool {
        let angle = |corner: &[f64; 2]| (corner[1] - y).atan2(corner[0] - x);
        let next = corners.iter().cycle().skip(1);
        let turned = corners.iter().zip(next).map(|(from, to)| {
            let change = angle(to) - angle(from);
            change - std::f64::consts::TAU * (change / std::f64::consts::TAU).round()
        });
        turned.sum::<f64>().abs() > 3.0
    }

    #[test]
    fn the_scan_finds_what_the_winding_number_finds() {
        for angle in [0.0_f64, 0.3, 1.0, 2.2, 4.0] {
            let spun =
                |[x, y]: [f64; 2]| [x * angle.cos() - y * angle.sin(), x * angle.sin() + y * angle.cos()];
            let mut polygon = Polygon::new(rough()).unwrap();
            polygon.place(&rough(), spun);
            let corners = polygon.corners().to_vec();
            let at = |step: usize| -8.031 + 0.11 * step as f64;
            let mut inside = vec![[false; 160]; 160];
            polygon.scan(160, at, |row, [from, to]| {
                (0..160).filter(|&x| at(x) >= from && at(x) < to).for_each(|x| inside[row][x] = true);
            });
            for (row, found) in inside.iter().enumerate() {
                for (x, &found) in found.iter().enumerate() {
                    assert_eq!(found, winds_around(&corners, [at(x), at(row)]), "{angle}: {x}, {row}");
                }
            }
        }
    }

    #[test]
    fn distances_are_signed() {
        let square = Polygon::new(vec![[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]).unwrap();
        assert_eq!(square.distance([1.0, 0.25]), -0.25);
        assert_eq!(square.distance([-3.0, -4.0]), 5.0);
        assert_eq!(square.distance([3.0, 1.0]), 1.0);
        let notched = Polygon::new(rough()).unwrap();
        for number in 0..400 {
            let point = [f64::from(number % 20) * 0.71 - 7.0, f64::from(number / 20) * 0.73 - 7.0];
            assert_eq!(notched.distance(point) < 0.0, winds_around(&rough(), point), "{point:?}");
        }
    }

    #[test]
    fn rows_through_corners_are_filled_once() {
        let mut diamond = Polygon::new(vec![[0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]).unwrap();
        let mut pieces = Vec::new();
        diamond.scan(3, |row| row as f64 - 1.0, |row, piece| pieces.push((row, piece)));
        assert_eq!(pieces, [(0, [0.0, 0.0]), (1, [-1.0, 1.0])]);
    }

    #[test]
    fn what_is_no_simple_polygon_is_refused() {
        assert_eq!(Polygon::new(vec![[0.0; 2]; 2]).unwrap_err(), PolygonError::TooFew(2));
        let line = vec![[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]];
        assert_eq!(Polygon::new(line).unwrap_err(), PolygonError::Flat);
        let star = (0..5).map(|n| (4.0 * std::f64::consts::PI * f64::from(n) / 5.0).sin_cos());
        let star = Polygon::new(star.map(|(s, c)| [s, c]).collect());
        assert!(matches!(star, Err(PolygonError::Crossing(..))));
        let spike = vec![[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [2.0, 1.0], [0.0, 1.0]];
        assert!(matches!(Polygon::new(spike), Err(PolygonError::Crossing(1, 2))));
        assert_eq!(Polygon::new(vec![[f64::NAN; 2]; 3]).unwrap_err(), PolygonError::Flat);
        assert!(Polygon::new(rough()).is_ok());
    }
}
