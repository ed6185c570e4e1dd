//! Triangle clipping against the near plane and a guard band (Sutherland–Hodgman).

use glam::Vec3;

use super::pinhole_camera::PinholeCamera;

/// Guard band: triangles are clipped only beyond this many half picture sizes.
pub const GUARD_BAND: f32 = 4.0;

/// The clipping planes as (normal, offset) in view space: kept is `normal · p >= offset`.
pub fn planes(eye: &PinholeCamera, near: f32) -> [(Vec3, f32); 5] {
    let reach = eye.half_extent() * GUARD_BAND;
    [
        (Vec3::Z, near),
        (Vec3::new(1.0, 0.0, reach.x), 0.0),
        (Vec3::new(-1.0, 0.0, reach.x), 0.0),
        (Vec3::new(0.0, 1.0, reach.y), 0.0),
        (Vec3::new(0.0, -1.0, reach.y), 0.0),
    ]
}

/// Clips a triangle by `planes` to a convex polygon; empty when nothing is left.
pub fn clip(corners: [Vec3; 3], planes: &[(Vec3, f32)]) -> Vec<Vec3> {
    // Trivial rejection: most triangles here are outside one plane
    let aside = |&(normal, offset): &(Vec3, f32)| corners.iter().all(|&corner| normal.dot(corner) < offset);
    if planes.iter().any(aside) || !corners.iter().all(|corner| corner.is_finite()) {
        return Vec::new();
    }
    let mut polygon = corners.to_vec();
    for &(normal, offset) in planes {
        polygon = cut(&polygon, normal, offset);
    }
    polygon
}

fn cut(polygon: &[Vec3], normal: Vec3, offset: f32) -> Vec<Vec3> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (index, &here) in polygon.iter().enumerate() {
        let next = polygon[(index + 1) % polygon.len()];
        let (height, next_height) = (normal.dot(here) - offset, normal.dot(next) - offset);
        if height >= 0.0 {
            kept.push(here);
        }
        if (height >= 0.0) != (next_height >= 0.0) {
            kept.push(here.lerp(next, height / (height - next_height)));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(polygon: &[Vec3]) -> f32 {
        let fan = polygon.windows(2).skip(1).map(|edge| (edge[0] - polygon[0]).cross(edge[1] - polygon[0]));
        0.5 * fan.sum::<Vec3>().length()
    }

    #[test]
    fn half_a_triangle_is_left() {
        let triangle = [Vec3::new(-1.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 2.0)];
        let left = clip(triangle, &[(Vec3::Z, 1.0)]);
        assert!((area(&left) - 0.5).abs() < 1e-6);
        assert!(clip(triangle, &[(Vec3::Z, 3.0)]).is_empty());
        assert!((area(&clip(triangle, &[(Vec3::Z, -1.0)])) - 2.0).abs() < 1e-6);
    }

    #[test]
    fn degenerate_triangles_are_culled() {
        let eye = PinholeCamera::new(Vec3::ZERO, Vec3::X, 1.0, 64, 64);
        let planes = planes(&eye, 0.1);
        assert!(clip([Vec3::splat(f32::NAN), Vec3::ZERO, Vec3::ONE], &planes).is_empty());
        assert!(clip([Vec3::ZERO; 3], &planes).is_empty());
    }
}
