//! The triangles of a mesh, sorted into buckets, so that only those near a point or a stretch are looked at.

use std::ops::RangeInclusive;

use super::mesh::{self, Triangle, dot, minus, normal};

/// Entries in all buckets per triangle; buckets are made larger until there are no more.
const MOST_ENTRIES: usize = 48;

/// Buckets beside the triangles: this many more are allowed.
const SPARE_BUCKETS: f64 = 4096.0;

/// How far beside a point its lines of sight pass, in bucket edges, so that they meet no edge of a mesh.
const ASIDE: [f64; 2] = [3.1e-7, 7.7e-7];

/// A mesh that can be asked what is near.
#[derive(Debug, Clone)]
pub struct Facets {
    triangles: Vec<Triangle>,
    low: [f64; 3],
    edge: f64,
    size: [usize; 3],
    /// Where the entries of each bucket begin, and where the last one ends.
    starts: Vec<u32>,
    entries: Vec<u32>,
}

impl Facets {
    /// Sorts triangles into buckets.
    pub fn new(triangles: Vec<Triangle>) -> Facets {
        let [low, high] = mesh::bounds(&triangles);
        let low = low.map(|along| if along.is_finite() { along } else { 0.0 });
        let mut facets =
            Facets { triangles, low, edge: 1.0, size: [1; 3], starts: Vec::new(), entries: Vec::new() };
        let extent: [f64; 3] = std::array::from_fn(|axis| (high[axis] - low[axis]).max(0.0));
        facets.edge = facets.first_edge(extent);
        while !facets.fits(extent) {
            facets.edge *= 1.5;
        }
        facets.sort();
        facets
    }

    /// Its triangles.
    pub fn triangles(&self) -> &[Triangle] {
        &self.triangles
    }

    /// Twice the width of a triangle of mean area.
    fn first_edge(&self, extent: [f64; 3]) -> f64 {
        let area: f64 = self.triangles.iter().map(|one| 0.5 * dot(normal(one), normal(one)).sqrt()).sum();
        let largest = extent.into_iter().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        (2.0 * (area / self.triangles.len().max(1) as f64).sqrt()).max(1e-4 * largest)
    }

    /// Takes the buckets that this edge makes, if they are not too many and not too full.
    fn fits(&mut self, extent: [f64; 3]) -> bool {
        let along = extent.map(|length| (length / self.edge).floor() + 1.0);
        let most = 4.0 * self.triangles.len() as f64 + SPARE_BUCKETS;
        if along.iter().product::<f64>() > most {
            return false;
        }
        self.size = along.map(|count| count as usize);
        let entries: usize = self.triangles.iter().map(|one| self.reach(one).count()).sum();
        entries <= MOST_ENTRIES * self.triangles.len().max(1) || self.size == [1; 3]
    }

    /// Counts, then places: each bucket lists its triangles in their order.
    fn sort(&mut self) {
        let count = self.size.iter().product::<usize>();
        let mut starts = vec![0u32; count + 1];
        for triangle in &self.triangles {
            self.reach(triangle).for_each(|bucket| starts[bucket + 1] += 1);
        }
        (0..count).for_each(|bucket| starts[bucket + 1] += starts[bucket]);
        let mut entries = vec![0u32; starts[count] as usize];
        let mut next = starts.clone();
        for (number, triangle) in self.triangles.iter().enumerate() {
            for bucket in self.reach(triangle) {
                entries[next[bucket] as usize] = number as u32;
                next[bucket] += 1;
            }
        }
        (self.starts, self.entries) = (starts, entries);
    }

    fn reach(&self, triangle: &Triangle) -> impl Iterator<Item = usize> + use<> {
        let [low, high] = mesh::bounds(std::slice::from_ref(triangle));
        self.buckets(low, high)
    }

    /// The buckets that a box meets.
    fn buckets(&self, low: [f64; 3], high: [f64; 3]) -> impl Iterator<Item = usize> + use<> {
        let [columns, rows, planes] = self.spans(low, high);
        let [across, up, _] = self.size;
        planes.flat_map(move |z| {
            let columns = columns.clone();
            rows.clone().flat_map(move |y| columns.clone().map(move |x| x + across * (y + up * z)))
        })
    }

    /// The buckets that a box meets along each axis; those of a box beyond the mesh are the nearest ones.
    fn spans(&self, low: [f64; 3], high: [f64; 3]) -> [RangeInclusive<usize>; 3] {
        std::array::from_fn(|axis| self.place(axis, low[axis])..=self.place(axis, high[axis]))
    }

    fn place(&self, axis: usize, along: f64) -> usize {
        let last = self.size[axis] as f64 - 1.0;
        ((along - self.low[axis]) / self.edge).floor().clamp(0.0, last) as usize
    }

    fn held(&self, bucket: usize) -> impl Iterator<Item = &Triangle> {
        let entries = self.starts[bucket] as usize..self.starts[bucket + 1] as usize;
        self.entries[entries].iter().map(|&number| &self.triangles[number as usize])
    }

    /// How far along a stretch, as a share of it, it first meets a triangle.
    pub fn first_hit(&self, stretch: [[f64; 3]; 2]) -> Option<f64> {
        self.hits(stretch).map(|(way, _)| way).reduce(f64::min)
    }

    /// All triangles that a stretch meets, and how far along it; some of them several times.
    pub fn hits(&self, stretch: [[f64; 3]; 2]) -> impl Iterator<Item = (f64, &Triangle)> {
        let pick = |pick: fn(f64, f64) -> f64, by: f64| -> [f64; 3] {
            std::array::from_fn(|axis| pick(stretch[0][axis], stretch[1][axis]) + by)
        };
        let hair = 1e-6 * self.edge;
        let buckets = self.buckets(pick(f64::min, -hair), pick(f64::max, hair));
        buckets
            .flat_map(|bucket| self.held(bucket))
            .filter_map(move |one| Some((mesh::hit(stretch, one)?, one)))
    }

    /// Distance of a point from the nearest triangle, or `within` if none is nearer.
    pub fn distance(&self, point: [f64; 3], within: f64) -> f64 {
        let mut reach = (0.5 * self.edge).min(within);
        loop {
            let buckets = self.buckets(point.map(|along| along - reach), point.map(|along| along + reach));
            let triangles = buckets.flat_map(|bucket| self.held(bucket));
            let nearest = triangles.fold(within, |nearest, one| mesh::nearer(nearest, point, one));
            // Whatever lies in other buckets is farther than the reach
            if nearest <= reach || reach >= within {
                return nearest;
            }
            reach = (4.0 * reach).min(nearest);
        }
    }

    /// Whether a closed mesh winds around a point, as two of three lines of sight find.
    pub fn holds(&self, point: [f64; 3]) -> bool {
        let is_held = |axis: usize| self.turns(point, axis) != 0;
        let first = is_held(0);
        if is_held(1) == first { first } else { is_held(2) }
    }

    /// How often the mesh winds around a point, by the triangles that a line along an axis meets beyond it.
    fn turns(&self, point: [f64; 3], axis: usize) -> i32 {
        let (one, other) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut aside = point;
        aside[one] += ASIDE[0] * self.edge;
        aside[other] += ASIDE[1] * self.edge;
        let mut far = aside;
        far[axis] = f64::INFINITY;
        let row = self.spans(aside, far);
        let mut turns = 0;
        for bucket in self.buckets(aside, far).zip(row[axis].clone()) {
            let (bucket, place) = bucket;
            // A triangle lies in several buckets of the row, but is met in only one of them
            let is_here = |along: f64| along > point[axis] && self.place(axis, along) == place;
            turns += self.held(bucket).filter_map(|one| crossing(one, axis, aside)).fold(0, |sum, met| {
                let (along, sense) = met;
                if is_here(along) { sum + sense } else { sum }
            });
        }
        turns
    }
}

/// Where the line along an axis through a point meets a triangle, and in which sense.
pub(super) fn crossing(triangle: &Triangle, axis: usize, point: [f64; 3]) -> Option<(f64, i32)> {
    let (one, other) = ((axis + 1) % 3, (axis + 2) % 3);
    let [a, b, c] = triangle.map(|corner| minus(corner, point));
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
    use super::super::mesh::samples::ball;
    use super::*;

    fn points() -> impl Iterator<Item = [f64; 3]> {
        let part = |number: u32, step: f64| (f64::from(number) * step).fract() * 3.0 - 1.5;
        (1..400).map(move |number| [part(number, 0.618), part(number, 0.414), part(number, 0.732)])
    }

    #[test]
    fn buckets_find_what_a_look_at_every_triangle_finds() {
        let facets = Facets::new(ball(1.0, 24));
        for (point, next) in points().zip(points().skip(1)) {
            let all = facets.triangles.iter().map(|one| mesh::distance(point, one));
            assert_eq!(facets.distance(point, 0.4), all.fold(0.4, f64::min));
            let hits = facets.triangles.iter().filter_map(|one| mesh::hit([point, next], one));
            assert_eq!(facets.first_hit([point, next]), hits.reduce(f64::min));
        }
    }

    #[test]
    fn what_a_mesh_winds_around_is_inside_whichever_way_it_faces() {
        let mut triangles = ball(1.0, 24);
        for _ in 0..2 {
            let facets = Facets::new(triangles.clone());
            for point in points() {
                let away = dot(point, point).sqrt();
                if (away - 1.0).abs() > 0.02 {
                    assert_eq!(facets.holds(point), away < 1.0, "{point:?}");
                }
            }
            triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
        }
    }

    #[test]
    fn one_huge_triangle_among_small_ones_does_not_fill_every_bucket() {
        let mut triangles = ball(0.01, 16);
        triangles.push([[-100.0, -100.0, -100.0], [100.0, 100.0, -100.0], [0.0, 0.0, 100.0]]);
        let facets = Facets::new(triangles);
        assert!(facets.entries.len() <= MOST_ENTRIES * facets.triangles.len());
        assert!(facets.holds([0.0, 0.0, 0.0]));
    }
}
