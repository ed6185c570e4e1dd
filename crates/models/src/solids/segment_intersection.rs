//! Intersection of segments with primitive shapes: the parameter interval that lies inside.

use super::polygon::{sides, signed_distance};

/// The parameters t ∈ [0, 1] between which a segment lies in a convex shape.
type ParameterInterval = Option<[f64; 2]>;

/// With a ball about the origin: the roots of |from + t·along|² = r².
pub(super) fn intersect_ball<const N: usize>([from, to]: [[f64; N]; 2], radius: f64) -> ParameterInterval {
    let dot = |a: [f64; N], b: [f64; N]| (0..N).map(|axis| a[axis] * b[axis]).sum::<f64>();
    let along: [f64; N] = std::array::from_fn(|axis| to[axis] - from[axis]);
    let (square, slope) = (dot(along, along), dot(from, along));
    let outside = dot(from, from) - radius * radius;
    if square == 0.0 {
        return (outside <= 0.0).then_some([0.0, 1.0]);
    }
    let discriminant = slope * slope - square * outside;
    if discriminant < 0.0 {
        return None;
    }
    let root = discriminant.sqrt();
    clip_to_segment([(-slope - root) / square, (-slope + root) / square])
}

/// With a box about the origin: the slab method.
pub(super) fn intersect_block<const N: usize>(
    [from, to]: [[f64; N]; 2],
    half: [f64; N],
) -> ParameterInterval {
    let mut segment_intersection = [0.0, 1.0];
    for axis in 0..N {
        segment_intersection =
            intersect_intervals(segment_intersection, intersect_slab(from[axis], to[axis], half[axis])?)?;
    }
    Some(segment_intersection)
}

/// With an upright cylinder about the origin; in 2-D, with a disc.
pub(super) fn intersect_cylinder<const N: usize>(
    [from, to]: [[f64; N]; 2],
    radius: f64,
    half_height: f64,
) -> ParameterInterval {
    let to_xy = |point: [f64; N]| [point[0], point[1]];
    let across = intersect_ball([to_xy(from), to_xy(to)], radius)?;
    match (from.get(2), to.get(2)) {
        (Some(&from), Some(&to)) => intersect_intervals(across, intersect_slab(from, to, half_height)?),
        _ => Some(across),
    }
}

/// Parameter at which a segment enters a polygon.
pub(super) fn polygon_entry([from, to]: [[f64; 2]; 2], corners: &[[f64; 2]]) -> Option<f64> {
    if signed_distance(corners, from) <= 0.0 {
        return Some(0.0);
    }
    sides(corners).filter_map(|side| intersect_side([from, to], side)).reduce(f64::min)
}

/// Parameter at which a segment intersects a side, with a tolerance so that none slips through at a corner.
fn intersect_side([from, to]: [[f64; 2]; 2], [start, end]: [[f64; 2]; 2]) -> Option<f64> {
    let across = |a: [f64; 2], b: [f64; 2]| a[0] * b[1] - a[1] * b[0];
    let subtract = |a: [f64; 2], b: [f64; 2]| [a[0] - b[0], a[1] - b[1]];
    let (along, side, offset) = (subtract(to, from), subtract(end, start), subtract(start, from));
    let measure = across(along, side);
    let (t, place) = (across(offset, side) / measure, across(offset, along) / measure);
    let is_on = (-1e-9..=1.0 + 1e-9).contains(&t) && (-1e-9..=1.0 + 1e-9).contains(&place);
    is_on.then(|| t.clamp(0.0, 1.0))
}

fn intersect_slab(from: f64, to: f64, half: f64) -> ParameterInterval {
    if from == to {
        return (from.abs() <= half).then_some([0.0, 1.0]);
    }
    let (one, other) = ((-half - from) / (to - from), (half - from) / (to - from));
    clip_to_segment([one.min(other), one.max(other)])
}

fn clip_to_segment([first, last]: [f64; 2]) -> ParameterInterval {
    intersect_intervals([0.0, 1.0], [first, last])
}

fn intersect_intervals(one: [f64; 2], other: [f64; 2]) -> ParameterInterval {
    let segment_intersection = [one[0].max(other[0]), one[1].min(other[1])];
    (segment_intersection[0] <= segment_intersection[1]).then_some(segment_intersection)
}

#[cfg(test)]
mod tests {
    use super::super::shape::SolidShape;
    use super::*;

    /// The first of many small steps along a segment that lies in a shape.
    fn marched<const D: usize>(shape: &SolidShape<D>, [from, to]: [[f64; D]; 2]) -> Option<f64> {
        let fraction = |step: u32| f64::from(step) / 4000.0;
        let point = |t: f64| std::array::from_fn(|axis| from[axis] + t * (to[axis] - from[axis]));
        (0..=4000).map(fraction).find(|&t| shape.local_distance(point(t), 1.0) <= 0.0)
    }

    fn points<const D: usize>() -> impl Iterator<Item = [f64; D]> {
        let steps = [0.618034, 0.414214, 0.732051];
        (1..200).map(move |number| {
            std::array::from_fn(|axis| (f64::from(number) * steps[axis]).fract() * 3.0 - 1.5)
        })
    }

    fn check<const D: usize>(shape: &SolidShape<D>) {
        for segment in points().zip(points().skip(1)).map(|(from, to)| [from, to]) {
            match (shape.entry(segment), marched(shape, segment)) {
                (Some(entry), Some(marched)) => {
                    assert!((0.0..4e-4).contains(&(marched - entry)), "{segment:?}")
                }
                // The walk may step over what it only grazes
                (None, Some(marched)) => panic!("{shape:?}: {segment:?} enters at {marched}"),
                _ => {}
            }
        }
    }

    #[test]
    fn entries_are_where_the_distance_says() {
        check(&SolidShape::<3>::Ball { radius: 0.8 });
        check(&SolidShape::<2>::Ball { radius: 0.8 });
        check(&SolidShape::<3>::Block { half: [0.8, 0.05, 0.6] });
        check(&SolidShape::<2>::Block { half: [0.8, 0.05] });
        check(&SolidShape::<3>::Cylinder { radius: 0.6, half_height: 0.3 });
        let rest = vec![[-1.0, -0.5], [1.0, -0.5], [0.1, 0.0], [0.8, 1.0], [-0.9, 0.7]];
        let placed = super::super::polygon::Polygon::new(rest.clone()).unwrap();
        check(&SolidShape::<2>::Outline { rest, placed });
    }

    #[test]
    fn a_stretch_that_stays_or_slides_is_told_apart() {
        assert_eq!(intersect_ball([[2.0, 0.0], [2.0, 0.0]], 1.0), None);
        assert_eq!(intersect_ball([[0.5, 0.0], [0.5, 0.0]], 1.0), Some([0.0, 1.0]));
        assert_eq!(intersect_block([[2.0, -3.0], [2.0, 3.0]], [1.0, 1.0]), None);
        assert_eq!(intersect_block([[1.0, -3.0], [1.0, 3.0]], [1.0, 1.0]), Some([1.0 / 3.0, 2.0 / 3.0]));
        let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        assert_eq!(polygon_entry([[-1.0, -1.0], [2.0, 2.0]], &square), Some(1.0 / 3.0));
        assert_eq!(polygon_entry([[-1.0, 2.0], [2.0, 2.0]], &square), None);
    }
}
