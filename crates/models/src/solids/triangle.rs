//! Triangles: point–triangle distance and segment–triangle intersection.

use super::polygon::distance_to_segment;

/// Three corners in metres.
pub type Triangle = [[f64; 3]; 3];

/// Tolerance of the barycentric coordinates, so that no segment slips through between two adjacent triangles.
const TOLERANCE: f64 = 1e-7;

/// Least and greatest coordinates.
pub(super) fn bounds(triangles: &[Triangle]) -> [[f64; 3]; 2] {
    let fold = |pick: fn(f64, f64) -> f64, start: f64| {
        std::array::from_fn(|axis| triangles.iter().flatten().map(|corner| corner[axis]).fold(start, pick))
    };
    [fold(f64::min, f64::INFINITY), fold(f64::max, f64::NEG_INFINITY)]
}

/// Distance of a point from a triangle.
pub(super) fn distance(point: [f64; 3], triangle: &Triangle) -> f64 {
    nearest_distance(f64::INFINITY, point, triangle)
}

/// Minimum of `nearest` and the distance of a point from a triangle.
pub(super) fn nearest_distance(nearest: f64, point: [f64; 3], triangle: &Triangle) -> f64 {
    let [a, b, c] = *triangle;
    let normal = cross(subtract(b, a), subtract(c, a));
    let length = dot(normal, normal).sqrt();
    // The distance to the plane of a triangle is a lower bound
    if dot(normal, subtract(point, a)).abs() > nearest * length * (1.0 + 1e-12) {
        return nearest;
    }
    let is_over = [[a, b], [b, c], [c, a]]
        .iter()
        .all(|[from, to]| dot(cross(normal, subtract(*to, *from)), subtract(point, *from)) >= 0.0);
    if is_over && length > 0.0 {
        return nearest.min((dot(normal, subtract(point, a)) / length).abs());
    }
    let to_side = |side| distance_to_segment(point, side);
    nearest.min(to_side([a, b])).min(to_side([b, c])).min(to_side([c, a]))
}

/// Parameter t ∈ [0, 1] at which a segment intersects a triangle, by barycentric coordinates from triple products
/// [moller1997]. A segment within the plane of the triangle does not intersect it.
pub(super) fn intersect([from, to]: [[f64; 3]; 2], [a, b, c]: &Triangle) -> Option<f64> {
    let (along, first, second) = (subtract(to, from), subtract(*b, *a), subtract(*c, *a));
    let across = cross(along, second);
    let determinant = dot(first, across);
    if determinant == 0.0 {
        return None;
    }
    let offset = subtract(from, *a);
    let turned = cross(offset, first);
    let (one, other) = (dot(offset, across) / determinant, dot(along, turned) / determinant);
    let t = dot(second, turned) / determinant;
    let is_on = one >= -TOLERANCE && other >= -TOLERANCE && one + other <= 1.0 + TOLERANCE;
    (is_on && (-TOLERANCE..=1.0 + TOLERANCE).contains(&t)).then(|| t.clamp(0.0, 1.0))
}

/// The normal of a triangle, as long as twice its area.
pub(super) fn normal([a, b, c]: &Triangle) -> [f64; 3] {
    cross(subtract(*b, *a), subtract(*c, *a))
}

pub(super) fn subtract(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| a[axis] * b[axis]).sum()
}

pub(super) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
pub(super) mod samples {
    use std::f64::consts::{PI, TAU};

    use super::Triangle;

    /// A sphere about the origin of `rings` rings and twice as many segments around, facing outwards.
    pub fn ball(radius: f64, rings: u32) -> Vec<Triangle> {
        let corner = |ring: u32, piece: u32| {
            let (up, across) = (PI * (f64::from(ring) / f64::from(rings) - 0.5)).sin_cos();
            let (sine, cosine) = (TAU * f64::from(piece % (2 * rings)) / f64::from(2 * rings)).sin_cos();
            // The corners at a pole are one
            let across = if ring == 0 || ring == rings { 0.0 } else { across };
            [radius * across * cosine + 0.0, radius * across * sine + 0.0, radius * up]
        };
        let mut triangles = Vec::new();
        for ring in 0..rings {
            for piece in 0..2 * rings {
                let [a, b] = [corner(ring, piece), corner(ring, piece + 1)];
                let [c, d] = [corner(ring + 1, piece + 1), corner(ring + 1, piece)];
                triangles.extend((ring > 0).then_some([a, b, c]));
                triangles.extend((ring + 1 < rings).then_some([a, c, d]));
            }
        }
        triangles
    }

    /// The plane x = 0 from −`half` to `half`, as two triangles.
    pub fn sheet(half: f64) -> Vec<Triangle> {
        let corner = |y: f64, z: f64| [0.0, y * half, z * half];
        let [a, b, c, d] = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        vec![[a, b, c], [a, c, d]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_reach_faces_edges_and_corners() {
        let triangle = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
        assert_eq!(distance([0.5, 0.5, -3.0], &triangle), 3.0);
        assert_eq!(distance([1.0, -4.0, 3.0], &triangle), 5.0);
        assert_eq!(distance([-3.0, 0.0, 4.0], &triangle), 5.0);
        assert!((distance([2.0, 2.0, 0.0], &triangle) - 2.0_f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn stretches_meet_faces_and_shared_edges() {
        let triangle = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
        assert_eq!(intersect([[0.5, 0.5, 1.0], [0.5, 0.5, -3.0]], &triangle), Some(0.25));
        assert_eq!(intersect([[1.0, 1.0, 1.0], [1.0, 1.0, -1.0]], &triangle), Some(0.5));
        assert_eq!(intersect([[1.0, 0.0, 1.0], [1.0, 0.0, -1.0]], &triangle), Some(0.5));
        assert_eq!(intersect([[1.1, 1.0, 1.0], [1.1, 1.0, -1.0]], &triangle), None);
        assert_eq!(intersect([[0.5, 0.5, 1.0], [0.5, 0.5, 0.1]], &triangle), None);
        assert_eq!(intersect([[-1.0, 0.5, 0.0], [3.0, 0.5, 0.0]], &triangle), None);
    }
}
