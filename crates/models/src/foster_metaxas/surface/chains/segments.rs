//! Segments in the plane: closest approach, crossing, clipping by a box.

/// Where two segments are nearest to each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Approach {
    /// Square of the distance; zero where they cross.
    pub distance2: f64,
    /// Fractions of the way along each of them.
    pub at: [f64; 2],
}

/// The closest approach of the segments from a to b and from c to d.
pub fn approach([a, b]: [[f64; 2]; 2], [c, d]: [[f64; 2]; 2]) -> Approach {
    if let Some(at) = crossing([a, b], [c, d]) {
        return Approach { distance2: 0.0, at };
    }
    // Segments that do not cross are nearest at an end of one of them
    let (to_a, to_b) = (foot(a, [c, d]), foot(b, [c, d]));
    let (to_c, to_d) = (foot(c, [a, b]), foot(d, [a, b]));
    let ends = [
        Approach { distance2: to_a.1, at: [0.0, to_a.0] },
        Approach { distance2: to_b.1, at: [1.0, to_b.0] },
        Approach { distance2: to_c.1, at: [to_c.0, 0.0] },
        Approach { distance2: to_d.1, at: [to_d.0, 1.0] },
    ];
    let nearer = |one: Approach, other: Approach| if other.distance2 < one.distance2 { other } else { one };
    ends.into_iter().reduce(nearer).unwrap_or(ends[0])
}

/// Fractions of the way to the point where two segments cross, each in [0, 1]. Parallel ones do not cross.
fn crossing([a, b]: [[f64; 2]; 2], [c, d]: [[f64; 2]; 2]) -> Option<[f64; 2]> {
    let (along, across, offset) = (minus(b, a), minus(d, c), minus(c, a));
    let area = cross(along, across);
    let at = [cross(offset, across) / area, cross(offset, along) / area];
    at.iter().all(|t| (0.0..=1.0).contains(t)).then_some(at)
}

/// The fraction of a segment that is nearest to a point, and the square of the distance.
fn foot(point: [f64; 2], [a, b]: [[f64; 2]; 2]) -> (f64, f64) {
    let (along, offset) = (minus(b, a), minus(point, a));
    let length2 = dot(along, along);
    let t = if length2 > 0.0 { (dot(offset, along) / length2).clamp(0.0, 1.0) } else { 0.0 };
    let away = [offset[0] - t * along[0], offset[1] - t * along[1]];
    (t, dot(away, away))
}

/// Whether any part of a segment lies in a box, its border included (clipping by slabs, Liang and Barsky).
pub fn meets_box([a, b]: [[f64; 2]; 2], low: [f64; 2], high: [f64; 2]) -> bool {
    let mut range = [0.0_f64, 1.0_f64];
    for axis in 0..2 {
        let along = b[axis] - a[axis];
        if along == 0.0 {
            if a[axis] < low[axis] || a[axis] > high[axis] {
                return false;
            }
            continue;
        }
        let (near, far) = ((low[axis] - a[axis]) / along, (high[axis] - a[axis]) / along);
        range = [range[0].max(near.min(far)), range[1].min(near.max(far))];
    }
    range[0] <= range[1]
}

/// u − v.
pub fn minus(u: [f64; 2], v: [f64; 2]) -> [f64; 2] {
    [u[0] - v[0], u[1] - v[1]]
}

/// u · v.
pub fn dot(u: [f64; 2], v: [f64; 2]) -> f64 {
    u[0] * v[0] + u[1] * v[1]
}

/// The third component of u × v.
pub fn cross(u: [f64; 2], v: [f64; 2]) -> f64 {
    u[0] * v[1] - u[1] * v[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_cross_or_are_nearest_at_an_end() {
        let found = approach([[0.0, 0.0], [4.0, 0.0]], [[1.0, -1.0], [1.0, 3.0]]);
        assert_eq!(found, Approach { distance2: 0.0, at: [0.25, 0.25] });
        let found = approach([[0.0, 0.0], [4.0, 0.0]], [[3.0, 2.0], [3.0, 5.0]]);
        assert_eq!(found, Approach { distance2: 4.0, at: [0.75, 0.0] });
        let parallel = approach([[0.0, 0.0], [1.0, 0.0]], [[3.0, 0.0], [2.0, 0.0]]);
        assert_eq!(parallel, Approach { distance2: 1.0, at: [1.0, 1.0] });
        let point = approach([[1.0, 1.0], [1.0, 1.0]], [[0.0, 0.0], [2.0, 0.0]]);
        assert_eq!(point.distance2, 1.0);
    }

    #[test]
    fn a_segment_meets_a_box_that_it_passes() {
        let meets = |a, b| meets_box([a, b], [0.0, 0.0], [1.0, 1.0]);
        assert!(
            meets([-1.0, 0.5], [2.0, 0.5]) && meets([0.4, 0.4], [0.5, 0.6]) && meets([0.5, -1.0], [0.5, 0.0])
        );
        assert!(!meets([-1.0, 0.5], [0.5, 2.1]) && !meets([1.1, 0.0], [1.1, 1.0]));
    }
}
