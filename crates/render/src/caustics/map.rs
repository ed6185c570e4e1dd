//! Accumulation of power on a grid of texels, with exact areas.
//!
//! A beam spreads its power evenly over a triangle, and each texel receives the part of the area that it covers: to
//! the right of an edge x(y) a texel [i, i + 1] is covered by the mean of clamp(i + 1 − x, 0, 1), whose integral is a
//! parabola between two straight lines. Only the differences between neighbouring texels are stored, and one prefix
//! sum along each row turns all beams into power. Beams add, whatever their orientation. Rows are filled in bands,
//! each in the order of the beams, so that any number of threads gives the same bits.

use glam::{DVec2, DVec3, Vec3};
use rayon::prelude::*;

/// Rows of texels in a band.
const BAND: usize = 16;
/// Deposits whose row range is tested together.
const BATCH: usize = 1024;
/// A triangle of less area, in texels, is replaced by points.
const MIN_AREA: f64 = 1e-6;

/// Power deposited on the floor, in coordinates of the floor.
#[derive(Debug, Clone, Copy)]
pub enum Deposit {
    /// Spread evenly over a triangle.
    Triangle([DVec2; 3], DVec3),
    /// At one point.
    Point(DVec2, DVec3),
}

/// A rectangle of texels.
#[derive(Debug, Clone, PartialEq)]
pub struct TexelGrid {
    low: DVec2,
    step: DVec2,
    size: [usize; 2],
}

impl TexelGrid {
    /// Nearly square texels between two corners, `longest` of them along the longer side.
    pub fn new([low, high]: [DVec2; 2], longest: usize) -> Self {
        let extent = (high - low).max(DVec2::splat(1e-9));
        let edge = extent.max_element() / longest.clamp(2, 1 << 13) as f64;
        let size = [0, 1].map(|axis| ((extent[axis] / edge).round() as usize).max(2));
        TexelGrid { low, step: extent / DVec2::new(size[0] as f64, size[1] as f64), size }
    }

    /// The unit square with `side` texels along its side.
    pub fn square(side: usize) -> Self {
        let side = side.max(1);
        TexelGrid { low: DVec2::ZERO, step: DVec2::splat(1.0 / side as f64), size: [side; 2] }
    }

    /// Texels along both axes.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// Width and height of a texel.
    pub fn step(&self) -> DVec2 {
        self.step
    }

    /// Area of a texel.
    pub fn area(&self) -> f64 {
        self.step.x * self.step.y
    }

    /// The lowest and the highest corner.
    pub fn corners(&self) -> [DVec2; 2] {
        [self.low, self.low + self.step * self.extent()]
    }

    /// The centre of a texel by its index.
    pub fn centre(&self, index: usize) -> DVec2 {
        self.centre_of([(index % self.size[0]) as i64, (index / self.size[0]) as i64])
    }

    /// The centre of a texel by its column and row, which may lie beyond the border.
    pub fn centre_of(&self, [column, row]: [i64; 2]) -> DVec2 {
        self.low + (DVec2::new(column as f64, row as f64) + 0.5) * self.step
    }

    fn extent(&self) -> DVec2 {
        DVec2::new(self.size[0] as f64, self.size[1] as f64)
    }

    /// A point in texels from the lowest corner.
    pub fn to_texels(&self, at: DVec2) -> DVec2 {
        (at - self.low) / self.step
    }

    /// The fraction of a deposit that falls onto the texels, by clipping.
    pub fn received_fraction(&self, deposit: &Deposit) -> f64 {
        let is_inside = |at: DVec2| at.cmpge(DVec2::ZERO).all() && at.cmplt(self.extent()).all();
        match *deposit {
            Deposit::Point(at, _) => f64::from(u8::from(is_inside(self.to_texels(at)))),
            Deposit::Triangle(corners, _) => {
                let corners = corners.map(|corner| self.to_texels(corner));
                if corners.iter().all(|&corner| is_inside(corner)) {
                    return 1.0;
                }
                let full = doubled_area(corners).abs();
                if !full.is_finite() {
                    return 0.0;
                }
                if 0.5 * full < MIN_AREA {
                    let points = thin_triangle_points(corners);
                    let received = points.iter().filter(|&&point| is_inside(point)).count();
                    return received as f64 / points.len() as f64;
                }
                clipped_area(corners, self.extent()) / full
            }
        }
    }

    /// The power of a deposit that falls outside the texels.
    pub fn missed_power(&self, deposit: &Deposit) -> DVec3 {
        let (Deposit::Triangle(_, power) | Deposit::Point(_, power)) = deposit;
        *power * (1.0 - self.received_fraction(deposit))
    }

    /// Accumulates deposits; returns the power on every texel.
    pub fn accumulate(&self, deposits: &[Deposit]) -> Vec<DVec3> {
        let [columns, rows] = self.size;
        let batches: Vec<[f64; 2]> = deposits.par_chunks(BATCH).map(|batch| self.rows_of(batch)).collect();
        let mut power = vec![DVec3::ZERO; columns * rows];
        power.par_chunks_mut(BAND * columns).enumerate().for_each(|(index, power)| {
            let first = index * BAND;
            let ends = [first as f64, (first + power.len() / columns) as f64];
            let mut band = TexelBand { first, columns, power };
            for (batch, reach) in deposits.chunks(BATCH).zip(&batches) {
                if reach[0] < ends[1] && reach[1] >= ends[0] {
                    batch.iter().for_each(|deposit| band.add_triangle(self, deposit));
                }
            }
            band.prefix_sum();
            // Points come after the prefix sum: they are values, not differences.
            for (batch, reach) in deposits.chunks(BATCH).zip(&batches) {
                if reach[0] < ends[1] && reach[1] >= ends[0] {
                    batch.iter().for_each(|deposit| band.add_points(self, deposit));
                }
            }
        });
        power
    }

    // The first and last row that some deposits may cover.
    fn rows_of(&self, deposits: &[Deposit]) -> [f64; 2] {
        let mut ends = [f64::INFINITY, f64::NEG_INFINITY];
        let mut include = |at: DVec2| {
            let row = self.to_texels(at).y;
            ends = [ends[0].min(row), ends[1].max(row)];
        };
        for deposit in deposits {
            match deposit {
                Deposit::Triangle(corners, _) => corners.iter().for_each(|&corner| include(corner)),
                Deposit::Point(at, _) => include(*at),
            }
        }
        ends
    }

    /// Bilinear interpolation of `values` at texel centres.
    pub fn bilinear(&self, values: &[Vec3], at: DVec2) -> Vec3 {
        let last = self.extent() - 1.0;
        let at_texel = (self.to_texels(at) - 0.5).max(DVec2::ZERO).min(last);
        let cell = [0, 1].map(|axis| (at_texel[axis] as usize).min(self.size[axis] - 2));
        let fraction = [0, 1].map(|axis| (at_texel[axis] - cell[axis] as f64) as f32);
        let first = cell[1] * self.size[0] + cell[0];
        let row = |first: usize| match values.get(first..first + 2) {
            Some(pair) => pair[0].lerp(pair[1], fraction[0]),
            None => Vec3::ZERO,
        };
        row(first).lerp(row(first + self.size[0]), fraction[1])
    }

    /// Whether a point lies on the texels.
    pub fn contains(&self, at: DVec2) -> bool {
        let at_texel = self.to_texels(at);
        at_texel.cmpge(DVec2::ZERO).all() && at_texel.cmple(self.extent()).all()
    }
}

/// A band of rows while it is filled.
struct TexelBand<'a> {
    first: usize,
    columns: usize,
    power: &'a mut [DVec3],
}

impl TexelBand<'_> {
    fn rows(&self) -> usize {
        self.power.len() / self.columns
    }

    fn add_triangle(&mut self, texels: &TexelGrid, deposit: &Deposit) {
        let Deposit::Triangle(corners, power) = *deposit else { return };
        let [a, b, c] = corners.map(|corner| texels.to_texels(corner));
        let area = 0.5 * doubled_area([a, b, c]);
        if area.abs() < MIN_AREA || !area.is_finite() {
            return;
        }
        // Counter-clockwise, the edges that go down have the inside to their right.
        let density = power / area;
        for (from, to) in [(a, b), (b, c), (c, a)] {
            self.add_edge(from, to, density);
        }
    }

    fn add_points(&mut self, texels: &TexelGrid, deposit: &Deposit) {
        match *deposit {
            Deposit::Point(at, power) => self.add_point(texels.to_texels(at), power),
            Deposit::Triangle(corners, power) => {
                let corners = corners.map(|corner| texels.to_texels(corner));
                if 0.5 * doubled_area(corners).abs() < MIN_AREA {
                    let points = thin_triangle_points(corners);
                    let each = power / points.len() as f64;
                    points.iter().for_each(|&point| self.add_point(point, each));
                }
            }
        }
    }

    fn add_point(&mut self, at: DVec2, power: DVec3) {
        let first = self.first as f64;
        let is_inside = at.x >= 0.0 && at.x < self.columns as f64 && at.y >= first;
        let row = if is_inside { (at.y - first) as usize } else { usize::MAX };
        if row < self.rows() {
            self.power[row * self.columns + at.x as usize] += power;
        }
    }

    // Adds the differences of coverage along every row that an edge passes.
    fn add_edge(&mut self, from: DVec2, to: DVec2, density: DVec3) {
        let (low, high, sign) = if from.y < to.y { (from, to, -1.0) } else { (to, from, 1.0) };
        let (bottom, top) = (self.first as f64, (self.first + self.rows()) as f64);
        let (start, end) = (low.y.max(bottom), high.y.min(top));
        if start >= end {
            return;
        }
        let slope = (high.x - low.x) / (high.y - low.y);
        let at = |y: f64| (low.x + (y - low.y) * slope).clamp(low.x.min(high.x), low.x.max(high.x));
        for row in start as usize..=(end.ceil() as usize - 1) {
            let span = [start.max(row as f64), end.min(row as f64 + 1.0)];
            let [entry, exit] = span.map(at);
            let weight = density * (sign * (span[1] - span[0]));
            let first = (row - self.first) * self.columns;
            let (left, right) = (entry.min(exit), entry.max(exit));
            if left >= self.columns as f64 {
                continue;
            }
            let last = ((right.max(0.0) as usize) + 1).min(self.columns - 1);
            let mut before = 0.0;
            for column in left.max(0.0) as usize..=last {
                let covered = coverage(column as f64 + 1.0, left, right);
                self.power[first + column] += weight * (covered - before);
                before = covered;
            }
        }
    }

    fn prefix_sum(&mut self) {
        for row in self.power.chunks_exact_mut(self.columns) {
            let mut sum = DVec3::ZERO;
            for texel in row {
                sum += *texel;
                *texel = sum;
            }
        }
    }
}

// The mean of clamp(end − x, 0, 1) over x from `left` to `right`.
fn coverage(end: f64, left: f64, right: f64) -> f64 {
    let width = right - left;
    if width < 1e-7 {
        return (end - 0.5 * (left + right)).clamp(0.0, 1.0);
    }
    let integral = |t: f64| {
        if t <= 0.0 {
            0.0
        } else if t < 1.0 {
            0.5 * t * t
        } else {
            t - 0.5
        }
    };
    (integral(end - left) - integral(end - right)) / width
}

fn doubled_area([a, b, c]: [DVec2; 3]) -> f64 {
    (b - a).perp_dot(c - a)
}

// Points that stand for a thin triangle: the centroids of its recursive quarters.
fn thin_triangle_points(corners: [DVec2; 3]) -> Vec<DVec2> {
    let [a, b, c] = corners;
    let longest = (b - a).length().max((c - b).length()).max((a - c).length());
    let mut parts = vec![corners];
    while parts.len() < 1024 && (longest * 2.0).powi(2) > parts.len() as f64 {
        let quarters = |[a, b, c]: [DVec2; 3]| {
            let [ab, bc, ca] = [0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)];
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        parts = parts.into_iter().flat_map(quarters).collect();
    }
    parts.into_iter().map(|[a, b, c]| (a + b + c) / 3.0).collect()
}

// Twice the area of a triangle within the rectangle from the origin to `extent`, by Sutherland–Hodgman clipping.
fn clipped_area(corners: [DVec2; 3], extent: DVec2) -> f64 {
    let mut polygon = corners.to_vec();
    for (axis, limit, sign) in [(0, 0.0, 1.0), (0, extent.x, -1.0), (1, 0.0, 1.0), (1, extent.y, -1.0)] {
        let inside = |at: DVec2| sign * (at[axis] - limit);
        let mut cut = Vec::with_capacity(polygon.len() + 1);
        for (index, &to) in polygon.iter().enumerate() {
            let from = polygon[(index + polygon.len() - 1) % polygon.len()];
            let (before, after) = (inside(from), inside(to));
            if (before < 0.0) != (after < 0.0) {
                cut.push(from + (to - from) * (before / (before - after)));
            }
            if after >= 0.0 {
                cut.push(to);
            }
        }
        polygon = cut;
    }
    let turn = |index: usize| polygon[index].perp_dot(polygon[(index + 1) % polygon.len()]);
    (0..polygon.len()).map(turn).sum::<f64>().abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::unit;

    fn texels() -> TexelGrid {
        TexelGrid::new([DVec2::ZERO, DVec2::new(40.0, 24.0)], 40)
    }

    fn scattered(count: i32, spread: f64) -> Vec<Deposit> {
        let number = |index: i32, part: i32| f64::from(unit(index, part, 5));
        let corner = |index: i32, part: i32| {
            let middle = DVec2::new(number(index, 0) * 50.0 - 5.0, number(index, 1) * 34.0 - 5.0);
            middle + spread * (DVec2::new(number(index, part), number(index, part + 1)) - 0.5)
        };
        let triangle = |index: i32| {
            Deposit::Triangle([2, 4, 6].map(|part| corner(index, part)), DVec3::new(1.0, 0.5, 0.25))
        };
        (0..count).map(triangle).collect()
    }

    #[test]
    fn accumulated_power_equals_the_received_fraction() {
        let texels = texels();
        for spread in [1e-5, 0.03, 1.0, 12.0] {
            let deposits = scattered(500, spread);
            let received: f64 = deposits.iter().map(|deposit| texels.received_fraction(deposit)).sum();
            let sum: DVec3 = texels.accumulate(&deposits).into_iter().sum();
            assert!((sum.x - received).abs() < 1e-9 * received, "spread {spread}: {} of {received}", sum.x);
            assert!((sum.z - 0.25 * received).abs() < 1e-9 * received);
        }
    }

    #[test]
    fn covered_areas_are_exact() {
        // A right triangle over 2 × 2 texels, whose slanted side cuts two of them in half.
        let corners = [DVec2::new(10.0, 10.0), DVec2::new(12.0, 10.0), DVec2::new(10.0, 12.0)];
        let power = texels().accumulate(&[Deposit::Triangle(corners, DVec3::splat(2.0))]);
        let at = |x: usize, y: usize| power[y * 40 + x].x;
        let found = [at(10, 10), at(11, 10), at(10, 11), at(11, 11), at(9, 10), at(12, 10)];
        for (found, expected) in found.into_iter().zip([1.0, 0.5, 0.5, 0.0, 0.0, 0.0]) {
            assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
        }
        // With the opposite orientation, the power is the same.
        let folded = texels()
            .accumulate(&[Deposit::Triangle([0, 2, 1].map(|corner| corners[corner]), DVec3::splat(2.0))]);
        assert!(folded.iter().zip(&power).all(|(one, other)| (*one - *other).length() < 1e-12));
    }

    #[test]
    fn strange_deposits_do_no_harm() {
        let broken = Deposit::Triangle([DVec2::splat(f64::NAN), DVec2::ZERO, DVec2::X], DVec3::ONE);
        let far = Deposit::Triangle([DVec2::splat(-1e30), DVec2::X * 1e30, DVec2::Y * 1e30], DVec3::ONE);
        let power = texels().accumulate(&[broken, far, Deposit::Point(DVec2::splat(f64::NAN), DVec3::ONE)]);
        assert!(power.iter().all(|texel| texel.is_finite()));
        assert_eq!(texels().received_fraction(&Deposit::Point(DVec2::splat(-1.0), DVec3::ONE)), 0.0);
    }

    #[test]
    fn values_between_texels_are_bilinear() {
        let texels = texels();
        let values: Vec<Vec3> =
            (0..40 * 24).map(|index| Vec3::splat(texels.centre(index).x as f32)).collect();
        assert!((texels.bilinear(&values, DVec2::new(7.3, 20.0)).x - 7.3).abs() < 1e-5);
        texels.bilinear(&values, DVec2::splat(f64::NAN));
    }
}
