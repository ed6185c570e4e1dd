//! Signed distance from the outline of a 2-D liquid.
//!
//! Samples lie closer than the cells, since points of a curve do. The distance is exact up to a few cells from the outline
//! and constant beyond; its sign is that of the winding number. Where the outline follows a side of the domain it counts as
//! a border of the liquid but not as surface: there is no air behind a wall.

use undine_frame::Curves;
use undine_grid::par;

use crate::Lattice;

/// Samples along a cell, fewer where the domain has many cells.
const SAMPLES_PER_CELL: f64 = 4.0;
/// Most samples along an axis.
const MOST_SAMPLES: f64 = 1024.0;
/// Reach of the distance in cells.
const REACH: f64 = 3.0;
/// A segment this close to a side of the domain, in cells, follows it.
const AT_WALL: f64 = 0.02;
/// Rows per parallel task.
const BAND: usize = 16;

/// The signed distance in metres from the outline of a liquid, negative inside, computed on demand: a field with
/// [`Quantity::SurfaceDistance`](undine_frame::Quantity::SurfaceDistance), by which pages fill the liquid.
///
/// ```
/// use undine_frame::Curves;
/// use undine_sim::{Lattice, OutlineDistance};
/// let pool = [[0.0, 0.0], [2.0, 0.0], [2.0, 0.5], [0.0, 0.5]];
/// let distance = OutlineDistance(Curves::new([pool], [[0.0; 2], [2.0, 1.0]], 0.25));
/// assert_eq!(distance.size(), [32, 16, 1]);
/// // Just below the surface and just above it, half a sample away, and at the floor, which is no surface
/// let column: Vec<f32> = distance.values().into_iter().step_by(32).collect();
/// assert_eq!([column[7], column[8], column[0]], [-0.03125, 0.03125, -0.46875]);
/// ```
pub struct OutlineDistance(pub Curves);

impl OutlineDistance {
    fn extent(&self) -> [f64; 2] {
        let [low, high] = self.0.bounds;
        [0, 1].map(|axis| (high[axis] - low[axis]).max(f64::MIN_POSITIVE))
    }

    fn samples(&self) -> [usize; 2] {
        let extent = self.extent();
        let cell = self.0.cell.max(f64::MIN_POSITIVE);
        let cells = extent.map(|length| (length / cell).round().max(1.0));
        let fine = (MOST_SAMPLES / cells[0].max(cells[1])).clamp(0.0, SAMPLES_PER_CELL);
        cells.map(|cells| (cells * fine).round().clamp(1.0, MOST_SAMPLES) as usize)
    }

    /// Whether a segment follows a side of the domain.
    fn is_at_wall(&self, segment: [[f64; 2]; 2]) -> bool {
        let near = AT_WALL * self.0.cell;
        let is_on = |axis: usize, side: usize| {
            segment.iter().all(|at| (at[axis] - self.0.bounds[side][axis]).abs() < near)
        };
        [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().any(|(axis, side)| is_on(axis, side))
    }
}

impl Lattice for OutlineDistance {
    fn size(&self) -> [usize; 3] {
        let [columns, rows] = self.samples();
        [columns, rows, 1]
    }

    fn origin(&self) -> [f64; 3] {
        let ([low, _], spacing) = (self.0.bounds, self.spacing());
        [low[0] + 0.5 * spacing[0], low[1] + 0.5 * spacing[1], 0.0]
    }

    fn spacing(&self) -> [f64; 3] {
        let (extent, samples) = (self.extent(), self.samples());
        [extent[0] / samples[0] as f64, extent[1] / samples[1] as f64, 1.0]
    }

    fn components(&self) -> usize {
        1
    }

    fn values(&self) -> Vec<f32> {
        let [columns, rows] = self.samples();
        let ([x0, y0, _], [dx, dy, _]) = (self.origin(), self.spacing());
        let reach = REACH * self.0.cell;
        // Segments, and the rows that each of them reaches
        let exact = |[from, to]: [[f32; 2]; 2]| [from.map(f64::from), to.map(f64::from)];
        let is_finite = |segment: &[[f64; 2]; 2]| segment.as_flattened().iter().all(|x| x.is_finite());
        let segments: Vec<Segment> = self
            .0
            .segments()
            .map(exact)
            .filter(is_finite)
            .map(|ends| Segment { ends, is_surface: !self.is_at_wall(ends) })
            .collect();
        let bands = bands(&segments, rows, |y| (y - y0) / dy, reach);
        // The distance from the nearest segment, then its sign
        let mut values = vec![reach as f32; columns * rows];
        par::for_each_chunk(&mut values, BAND * columns, |first, band| {
            let row = first / columns;
            let near: Vec<&Segment> =
                bands[row / BAND].iter().map(|&index| &segments[index as usize]).collect();
            let mut crossings = Vec::new();
            for (index, line) in band.chunks_mut(columns).enumerate() {
                let y = y0 + dy * (row + index) as f64;
                near.iter().filter(|segment| segment.is_surface).for_each(|segment| {
                    segment.lower(line, [x0, dx], y, reach);
                });
                crossings.clear();
                crossings.extend(near.iter().filter_map(|segment| segment.crossing(y)));
                negate_inside(line, [x0, dx], &mut crossings);
            }
        });
        values
    }
}

/// A segment of an outline.
struct Segment {
    ends: [[f64; 2]; 2],
    is_surface: bool,
}

impl Segment {
    /// Lowers the distances of the samples of a row, at x₀ + i dx, to that from the segment.
    fn lower(&self, line: &mut [f32], [x0, dx]: [f64; 2], y: f64, reach: f64) {
        let [from, to] = self.ends;
        if y < from[1].min(to[1]) - reach || y > from[1].max(to[1]) + reach {
            return;
        }
        let sample = |x: f64| ((x - x0) / dx).clamp(-1.0, line.len() as f64);
        let first = sample(from[0].min(to[0]) - reach).ceil().max(0.0) as usize;
        let end = (sample(from[0].max(to[0]) + reach).floor() + 1.0).min(line.len() as f64) as usize;
        let along = [to[0] - from[0], to[1] - from[1]];
        let squared = (along[0] * along[0] + along[1] * along[1]).max(f64::MIN_POSITIVE);
        for (i, value) in line.iter_mut().enumerate().take(end).skip(first) {
            let offset = [x0 + dx * i as f64 - from[0], y - from[1]];
            let t = ((offset[0] * along[0] + offset[1] * along[1]) / squared).clamp(0.0, 1.0);
            let distance = (offset[0] - t * along[0]).hypot(offset[1] - t * along[1]);
            *value = value.min(distance as f32);
        }
    }

    /// Where the segment crosses a row, and whether upwards (1) or downwards (−1).
    fn crossing(&self, y: f64) -> Option<(f64, i32)> {
        let [[x0, y0], [x1, y1]] = self.ends;
        let is_upwards = y0 <= y;
        (is_upwards != (y1 <= y))
            .then(|| (x0 + (x1 - x0) * ((y - y0) / (y1 - y0)), if is_upwards { 1 } else { -1 }))
    }
}

/// Negates the values of a row where the winding number is not zero.
fn negate_inside(line: &mut [f32], [x0, dx]: [f64; 2], crossings: &mut [(f64, i32)]) {
    crossings.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (mut next, mut winding) = (0, 0);
    for (i, value) in line.iter_mut().enumerate() {
        let x = x0 + dx * i as f64;
        while let Some((_, turn)) = crossings.get(next).filter(|(at, _)| *at <= x) {
            winding += turn;
            next += 1;
        }
        if winding != 0 {
            *value = -*value;
        }
    }
}

/// The indices of the segments within reach of each band of rows, in rising order.
fn bands(segments: &[Segment], rows: usize, row: impl Fn(f64) -> f64, reach: f64) -> Vec<Vec<u32>> {
    let mut bands = vec![Vec::new(); rows.div_ceil(BAND)];
    let last = bands.len().saturating_sub(1) as f64;
    for (index, Segment { ends: [from, to], .. }) in (0_u32..).zip(segments) {
        let band = |y: f64| (row(y) / BAND as f64).floor().clamp(0.0, last) as usize;
        let (low, high) = (from[1].min(to[1]) - reach, from[1].max(to[1]) + reach);
        bands[band(low)..=band(high)].iter_mut().for_each(|band| band.push(index));
    }
    bands
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;

    fn circle(centre: [f64; 2], radius: f64, turns: f64) -> Vec<[f32; 2]> {
        let point = |n: usize| {
            let angle = turns * TAU * n as f64 / 400.0;
            [(centre[0] + radius * angle.cos()) as f32, (centre[1] + radius * angle.sin()) as f32]
        };
        (0..400).map(point).collect()
    }

    fn at(distance: &OutlineDistance, values: &[f32], [x, y]: [f64; 2]) -> f32 {
        let (origin, spacing) = (distance.origin(), distance.spacing());
        let [i, j] = [((x - origin[0]) / spacing[0]).round(), ((y - origin[1]) / spacing[1]).round()];
        values[j as usize * distance.size()[0] + i as usize]
    }

    #[test]
    fn the_distance_from_a_ring_is_that_of_its_circles() {
        let rings = [circle([1.0, 1.0], 0.8, 1.0), circle([1.0, 1.0], 0.4, -1.0)];
        let distance = OutlineDistance(Curves::new(rings, [[0.0; 2], [2.0; 2]], 0.1));
        let values = distance.values();
        assert_eq!(values.len(), 80 * 80);
        let ([x0, y0, _], [dx, dy, _]) = (distance.origin(), distance.spacing());
        for (index, value) in values.iter().enumerate() {
            let [x, y] = [x0 + dx * (index % 80) as f64 - 1.0, y0 + dy * (index / 80) as f64 - 1.0];
            let radius = x.hypot(y);
            let exact = (radius - 0.8).max(0.4 - radius).clamp(-0.3, 0.3);
            // Chords of 1/400 of a turn lie at most 0.8 (1 − cos(π/400)) inside their circle
            assert!((f64::from(*value) - exact).abs() < 3e-5, "{radius}: {value} for {exact}");
        }
    }

    #[test]
    fn walls_bound_the_liquid_but_are_no_surface() {
        let pool = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]];
        let distance = OutlineDistance(Curves::new([pool], [[0.0; 2], [2.0, 1.5]], 0.1));
        let values = distance.values();
        assert!((at(&distance, &values, [0.0125, 0.5]) + 0.3).abs() < 1e-6, "deep at a wall");
        assert!((at(&distance, &values, [0.0125, 0.9875]) + 0.0125).abs() < 1e-6, "below the surface");
        assert!((at(&distance, &values, [1.0, 1.0125]) - 0.0125).abs() < 1e-6, "above it");
    }

    #[test]
    fn any_curves_have_a_distance() {
        let empty = OutlineDistance(Curves::default());
        assert_eq!(empty.values().len(), empty.size().iter().product::<usize>());
        let odd = Curves::new([[[f32::NAN; 2], [0.1, 0.1], [9e9, -3.0]]], [[0.0; 2], [1.0, 1e-9]], 1e-3);
        let distance = OutlineDistance(odd);
        assert!(distance.values().iter().all(|value| value.is_finite()) && distance.size()[0] <= 1024);
    }
}
