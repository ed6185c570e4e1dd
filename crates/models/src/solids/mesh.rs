//! Triangles: how far a point is from one, and where a stretch meets it.

use super::polygon::distance_to_side;

/// Three corners in metres.
pub type Triangle = [[f64; 3]; 3];

/// By this share of its sides a triangle is grown when a stretch is tested against it, so that none slips through
/// between two neighbours.
const GROWN: f64 = 1e-7;

/// Least and greatest coordinates.
pub(super) fn bounds(triangles: &[Triangle]) -> [[f64; 3]; 2] {
    let fold = |pick: fn(f64, f64) -> f64, start: f64| {
        std::array::from_fn(|axis| triangles.iter().flatten().map(|corner| corner[axis]).fold(start, pick))
    };
    [fold(f64::min, f64::INFINITY), fold(f64::max, f64::NEG_INFINITY)]
}

/// Distance of a point from a triangle.
pub(super) fn distance(point: [f64; 3], triangle: &Triangle) -> f64 {
    nearer(f64::INFINITY, point, triangle)
}

/// Distance of a point from a triangle, or `nearest` if that is less.
pub(super) fn nearer(nearest: f64, point: [f64; 3], triangle: &Triangle) -> f64 {
    let [a, b, c] = *triangle;
    let normal = cross(minus(b, a), minus(c, a));
    let length = dot(normal, normal).sqrt();
    // No point of a triangle is nearer than its plane
    if dot(normal, minus(point, a)).abs() > nearest * length * (1.0 + 1e-12) {
        return nearest;
    }
    let is_over = [[a, b], [b, c], [c, a]]
        .iter()
        .all(|[from, to]| dot(cross(normal, minus(*to, *from)), minus(point, *from)) >= 0.0);
    if is_over && length > 0.0 {
        return nearest.min((dot(normal, minus(point, a)) / length).abs());
    }
    let to_side = |side| distance_to_side(point, side);
    nearest.min(to_side([a, b])).min(to_side([b, c])).min(to_side([c, a]))
}

/// How far along a stretch, as a share of it, it meets a triangle. One that runs within its plane does not meet it.
pub(super) fn hit([from, to]: [[f64; 3]; 2], [a, b, c]: &Triangle) -> Option<f64> {
    let (along, first, second) = (minus(to, from), minus(*b, *a), minus(*c, *a));
    let across = cross(along, second);
    let measure = dot(first, across);
    if measure == 0.0 {
        return None;
    }
    let offset = minus(from, *a);
    let turned = cross(offset, first);
    let (one, other) = (dot(offset, across) / measure, dot(along, turned) / measure);
    let way = dot(second, turned) / measure;
    let is_on = one >= -GROWN && other >= -GROWN && one + other <= 1.0 + GROWN;
    (is_on && (-GROWN..=1.0 + GROWN).contains(&way)).then(|| way.clamp(0.0, 1.0))
}

/// The normal of a triangle, as long as twice its area.
pub(super) fn normal([a, b, c]: &Triangle) -> [f64; 3] {
    cross(minus(*b, *a), minus(*c, *a))
}

pub(super) fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
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

    /// A sphere about the origin in so many rings and twice as many pieces around, facing outwards.
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
        assert_eq!(hit([[0.5, 0.5, 1.0], [0.5, 0.5, -3.0]], &triangle), Some(0.25));
        assert_eq!(hit([[1.0, 1.0, 1.0], [1.0, 1.0, -1.0]], &triangle), Some(0.5));
        assert_eq!(hit([[1.0, 0.0, 1.0], [1.0, 0.0, -1.0]], &triangle), Some(0.5));
        assert_eq!(hit([[1.1, 1.0, 1.0], [1.1, 1.0, -1.0]], &triangle), None);
        assert_eq!(hit([[0.5, 0.5, 1.0], [0.5, 0.5, 0.1]], &triangle), None);
        assert_eq!(hit([[-1.0, 0.5, 0.0], [3.0, 0.5, 0.0]], &triangle), None);
    }
}
