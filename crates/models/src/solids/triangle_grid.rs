//! A uniform grid over the triangles of a mesh, the acceleration structure for distance, segment and winding queries.

use std::ops::RangeInclusive;

use super::triangle::{self, Triangle, dot, normal, subtract};

/// Mean number of buckets per triangle allowed; buckets are enlarged until it holds.
const MOST_ENTRIES: usize = 48;

/// Buckets allowed beyond four per triangle.
const SPARE_BUCKETS: f64 = 4096.0;

/// Offset of the rays of the winding test from the point, in bucket edges, so that they hit no mesh edge.
const RAY_OFFSET: [f64; 2] = [3.1e-7, 7.7e-7];

/// Triangles sorted into the buckets of a uniform grid.
#[derive(Debug, Clone)]
pub struct TriangleGrid {
    triangles: Vec<Triangle>,
    low: [f64; 3],
    edge: f64,
    size: [usize; 3],
    /// First entry of each bucket, and the end of the last.
    starts: Vec<u32>,
    entries: Vec<u32>,
}

impl TriangleGrid {
    /// Sorts triangles into buckets.
    pub fn new(triangles: Vec<Triangle>) -> TriangleGrid {
        let [low, high] = triangle::bounds(&triangles);
        let low = low.map(|x| if x.is_finite() { x } else { 0.0 });
        let mut triangle_grid =
            TriangleGrid { triangles, low, edge: 1.0, size: [1; 3], starts: Vec::new(), entries: Vec::new() };
        let extent: [f64; 3] = std::array::from_fn(|axis| (high[axis] - low[axis]).max(0.0));
        triangle_grid.edge = triangle_grid.initial_edge(extent);
        while !triangle_grid.try_edge(extent) {
            triangle_grid.edge *= 1.5;
        }
        triangle_grid.fill_buckets();
        triangle_grid
    }

    /// Its triangles.
    pub fn triangles(&self) -> &[Triangle] {
        &self.triangles
    }

    /// Initial bucket edge: twice the width of a triangle of mean area.
    fn initial_edge(&self, extent: [f64; 3]) -> f64 {
        let area: f64 = self.triangles.iter().map(|one| 0.5 * dot(normal(one), normal(one)).sqrt()).sum();
        let largest = extent.into_iter().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        (2.0 * (area / self.triangles.len().max(1) as f64).sqrt()).max(1e-4 * largest)
    }

    /// Sets the grid size for the current edge; false if there would be too many buckets or entries.
    fn try_edge(&mut self, extent: [f64; 3]) -> bool {
        let along = extent.map(|length| (length / self.edge).floor() + 1.0);
        let most = 4.0 * self.triangles.len() as f64 + SPARE_BUCKETS;
        if along.iter().product::<f64>() > most {
            return false;
        }
        self.size = along.map(|count| count as usize);
        let entries: usize = self.triangles.iter().map(|one| self.buckets_of(one).count()).sum();
        entries <= MOST_ENTRIES * self.triangles.len().max(1) || self.size == [1; 3]
    }

    /// Counting sort: each bucket lists the triangles whose bounding boxes meet it, in their order.
    fn fill_buckets(&mut self) {
        let count = self.size.iter().product::<usize>();
        let mut starts = vec![0u32; count + 1];
        for triangle in &self.triangles {
            self.buckets_of(triangle).for_each(|bucket| starts[bucket + 1] += 1);
        }
        (0..count).for_each(|bucket| starts[bucket + 1] += starts[bucket]);
        let mut entries = vec![0u32; starts[count] as usize];
        let mut next = starts.clone();
        for (number, triangle) in self.triangles.iter().enumerate() {
            for bucket in self.buckets_of(triangle) {
                entries[next[bucket] as usize] = number as u32;
                next[bucket] += 1;
            }
        }
        (self.starts, self.entries) = (starts, entries);
    }

    fn buckets_of(&self, triangle: &Triangle) -> impl Iterator<Item = usize> + use<> {
        let [low, high] = triangle::bounds(std::slice::from_ref(triangle));
        self.buckets(low, high)
    }

    /// The buckets that a box overlaps.
    fn buckets(&self, low: [f64; 3], high: [f64; 3]) -> impl Iterator<Item = usize> + use<> {
        let [columns, rows, planes] = self.bucket_ranges(low, high);
        let [across, up, _] = self.size;
        planes.flat_map(move |z| {
            let columns = columns.clone();
            rows.clone().flat_map(move |y| columns.clone().map(move |x| x + across * (y + up * z)))
        })
    }

    /// The buckets that a box overlaps along each axis, clamped to the grid.
    fn bucket_ranges(&self, low: [f64; 3], high: [f64; 3]) -> [RangeInclusive<usize>; 3] {
        std::array::from_fn(|axis| self.bucket_at(axis, low[axis])..=self.bucket_at(axis, high[axis]))
    }

    fn bucket_at(&self, axis: usize, along: f64) -> usize {
        let last = self.size[axis] as f64 - 1.0;
        ((along - self.low[axis]) / self.edge).floor().clamp(0.0, last) as usize
    }

    fn triangles_in(&self, bucket: usize) -> impl Iterator<Item = &Triangle> {
        let entries = self.starts[bucket] as usize..self.starts[bucket + 1] as usize;
        self.entries[entries].iter().map(|&number| &self.triangles[number as usize])
    }

    /// Parameter t ∈ [0, 1] of the first intersection of a segment with a triangle.
    pub fn first_hit(&self, segment: [[f64; 3]; 2]) -> Option<f64> {
        self.hits(segment).map(|(t, _)| t).reduce(f64::min)
    }

    /// All intersections of a segment: parameter t and triangle; some occur several times.
    pub fn hits(&self, segment: [[f64; 3]; 2]) -> impl Iterator<Item = (f64, &Triangle)> {
        let pick = |pick: fn(f64, f64) -> f64, by: f64| -> [f64; 3] {
            std::array::from_fn(|axis| pick(segment[0][axis], segment[1][axis]) + by)
        };
        let tolerance = 1e-6 * self.edge;
        let buckets = self.buckets(pick(f64::min, -tolerance), pick(f64::max, tolerance));
        buckets
            .flat_map(|bucket| self.triangles_in(bucket))
            .filter_map(move |one| Some((triangle::intersect(segment, one)?, one)))
    }

    /// Distance of a point from the nearest triangle, or `within` if none is nearer.
    pub fn distance(&self, point: [f64; 3], within: f64) -> f64 {
        let mut reach = (0.5 * self.edge).min(within);
        loop {
            let buckets = self.buckets(point.map(|x| x - reach), point.map(|x| x + reach));
            let triangles = buckets.flat_map(|bucket| self.triangles_in(bucket));
            let nearest =
                triangles.fold(within, |nearest, one| triangle::nearest_distance(nearest, point, one));
            // Triangles of other buckets are farther away than the reach
            if nearest <= reach || reach >= within {
                return nearest;
            }
            reach = (4.0 * reach).min(nearest);
        }
    }

    /// Whether the winding number of a closed mesh around a point is not zero: majority of three axis-parallel rays.
    pub fn winds_around(&self, point: [f64; 3]) -> bool {
        let is_held = |axis: usize| self.winding_number(point, axis) != 0;
        let first = is_held(0);
        if is_held(1) == first { first } else { is_held(2) }
    }

    /// Winding number around a point: signed count of the triangles that a ray along an axis hits.
    fn winding_number(&self, point: [f64; 3], axis: usize) -> i32 {
        let (one, other) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut aside = point;
        aside[one] += RAY_OFFSET[0] * self.edge;
        aside[other] += RAY_OFFSET[1] * self.edge;
        let mut far = aside;
        far[axis] = f64::INFINITY;
        let row = self.bucket_ranges(aside, far);
        let mut winding_number = 0;
        for bucket in self.buckets(aside, far).zip(row[axis].clone()) {
            let (bucket, coordinate) = bucket;
            // A triangle lies in several buckets of the row; it counts in the one that contains the hit
            let is_here = |x: f64| x > point[axis] && self.bucket_at(axis, x) == coordinate;
            winding_number += self
                .triangles_in(bucket)
                .filter_map(|one| axis_crossing(one, axis, aside))
                .fold(0, |sum, met| {
                    let (along, sense) = met;
                    if is_here(along) { sum + sense } else { sum }
                });
        }
        winding_number
    }
}

/// Coordinate at which the axis-parallel line through a point intersects a triangle, and the sign of the crossing.
pub(super) fn axis_crossing(triangle: &Triangle, axis: usize, point: [f64; 3]) -> Option<(f64, i32)> {
    let (one, other) = ((axis + 1) % 3, (axis + 2) % 3);
    let [a, b, c] = triangle.map(|corner| subtract(corner, point));
    let side = |from: [f64; 3], to: [f64; 3]| from[one] * to[other] - from[other] * to[one];
    let weights = [side(b, c), side(c, a), side(a, b)];
    let sum: f64 = weights.iter().sum();
    let sense = if weights.iter().all(|&weight| weight > 0.0) {
        1
    } else if weights.iter().all(|&weight| weight < 0.0) {
        -1
    } else {
        return None;
    };
    let offset = (weights[0] * a[axis] + weights[1] * b[axis] + weights[2] * c[axis]) / sum;
    Some((point[axis] + offset, sense))
}

#[cfg(test)]
mod tests {
    use super::super::triangle::samples::ball;
    use super::*;

    fn points() -> impl Iterator<Item = [f64; 3]> {
        let part = |number: u32, step: f64| (f64::from(number) * step).fract() * 3.0 - 1.5;
        (1..400).map(move |number| [part(number, 0.618), part(number, 0.414), part(number, 0.732)])
    }

    #[test]
    fn queries_agree_with_brute_force() {
        let triangle_grid = TriangleGrid::new(ball(1.0, 24));
        for (point, next) in points().zip(points().skip(1)) {
            let all = triangle_grid.triangles.iter().map(|one| triangle::distance(point, one));
            assert_eq!(triangle_grid.distance(point, 0.4), all.fold(0.4, f64::min));
            let hits =
                triangle_grid.triangles.iter().filter_map(|one| triangle::intersect([point, next], one));
            assert_eq!(triangle_grid.first_hit([point, next]), hits.reduce(f64::min));
        }
    }

    #[test]
    fn winding_test_does_not_depend_on_orientation() {
        let mut triangles = ball(1.0, 24);
        for _ in 0..2 {
            let triangle_grid = TriangleGrid::new(triangles.clone());
            for point in points() {
                let away = dot(point, point).sqrt();
                if (away - 1.0).abs() > 0.02 {
                    assert_eq!(triangle_grid.winds_around(point), away < 1.0, "{point:?}");
                }
            }
            triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
        }
    }

    #[test]
    fn one_huge_triangle_among_small_ones_keeps_the_number_of_entries_bounded() {
        let mut triangles = ball(0.01, 16);
        triangles.push([[-100.0, -100.0, -100.0], [100.0, 100.0, -100.0], [0.0, 0.0, 100.0]]);
        let triangle_grid = TriangleGrid::new(triangles);
        assert!(triangle_grid.entries.len() <= MOST_ENTRIES * triangle_grid.triangles.len());
        assert!(triangle_grid.winds_around([0.0, 0.0, 0.0]));
    }
}
