//! Where stretches pass through shapes: the first and last share of the way that lies inside.

use super::polygon::{sides, signed_distance};

/// Shares of a stretch between which it lies in a shape.
type Passage = Option<[f64; 2]>;

/// Through a ball about the origin.
pub(super) fn through_ball<const N: usize>([from, to]: [[f64; N]; 2], radius: f64) -> Passage {
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
    clipped([(-slope - root) / square, (-slope + root) / square])
}

/// Through a block about the origin.
pub(super) fn through_block<const N: usize>([from, to]: [[f64; N]; 2], half: [f64; N]) -> Passage {
    let mut passage = [0.0, 1.0];
    for axis in 0..N {
        passage = both(passage, between_planes(from[axis], to[axis], half[axis])?)?;
    }
    Some(passage)
}

/// Through an upright cylinder about the origin; in a plane, through a disc.
pub(super) fn through_cylinder<const N: usize>(
    [from, to]: [[f64; N]; 2],
    radius: f64,
    half_height: f64,
) -> Passage {
    let flat = |point: [f64; N]| [point[0], point[1]];
    let across = through_ball([flat(from), flat(to)], radius)?;
    match (from.get(2), to.get(2)) {
        (Some(&from), Some(&to)) => both(across, between_planes(from, to, half_height)?),
        _ => Some(across),
    }
}

/// Where a stretch enters a polygon.
pub(super) fn enter_outline([from, to]: [[f64; 2]; 2], corners: &[[f64; 2]]) -> Option<f64> {
    if signed_distance(corners, from) <= 0.0 {
        return Some(0.0);
    }
    sides(corners).filter_map(|side| crossing([from, to], side)).reduce(f64::min)
}

/// Where a stretch meets a side, which is grown by a hair so that none slips through at a corner.
fn crossing([from, to]: [[f64; 2]; 2], [start, end]: [[f64; 2]; 2]) -> Option<f64> {
    let across = |a: [f64; 2], b: [f64; 2]| a[0] * b[1] - a[1] * b[0];
    let minus = |a: [f64; 2], b: [f64; 2]| [a[0] - b[0], a[1] - b[1]];
    let (along, side, offset) = (minus(to, from), minus(end, start), minus(start, from));
    let measure = across(along, side);
    let (way, place) = (across(offset, side) / measure, across(offset, along) / measure);
    let is_on = (-1e-9..=1.0 + 1e-9).contains(&way) && (-1e-9..=1.0 + 1e-9).contains(&place);
    is_on.then(|| way.clamp(0.0, 1.0))
}

fn between_planes(from: f64, to: f64, half: f64) -> Passage {
    if from == to {
        return (from.abs() <= half).then_some([0.0, 1.0]);
    }
    let (one, other) = ((-half - from) / (to - from), (half - from) / (to - from));
    clipped([one.min(other), one.max(other)])
}

fn clipped([first, last]: [f64; 2]) -> Passage {
    both([0.0, 1.0], [first, last])
}

fn both(one: [f64; 2], other: [f64; 2]) -> Passage {
    let passage = [one[0].max(other[0]), one[1].min(other[1])];
    (passage[0] <= passage[1]).then_some(passage)
}

#[cfg(test)]
mod tests {
    use super::super::shape::Shape;
    use super::*;

    /// The first of many small steps along a stretch that lies in a shape.
    fn walked<const D: usize>(shape: &Shape<D>, [from, to]: [[f64; D]; 2]) -> Option<f64> {
        let share = |step: u32| f64::from(step) / 4000.0;
        let point = |way: f64| std::array::from_fn(|axis| from[axis] + way * (to[axis] - from[axis]));
        (0..=4000).map(share).find(|&way| shape.own_distance(point(way), 1.0) <= 0.0)
    }

    fn points<const D: usize>() -> impl Iterator<Item = [f64; D]> {
        let steps = [0.618034, 0.414214, 0.732051];
        (1..200).map(move |number| {
            std::array::from_fn(|axis| (f64::from(number) * steps[axis]).fract() * 3.0 - 1.5)
        })
    }

    fn check<const D: usize>(shape: &Shape<D>) {
        for stretch in points().zip(points().skip(1)).map(|(from, to)| [from, to]) {
            match (shape.entry(stretch), walked(shape, stretch)) {
                (Some(entry), Some(walked)) => {
                    assert!((0.0..4e-4).contains(&(walked - entry)), "{stretch:?}")
                }
                // The walk may step over what it only grazes
                (None, Some(walked)) => panic!("{shape:?}: {stretch:?} enters at {walked}"),
                _ => {}
            }
        }
    }

    #[test]
    fn entries_are_where_the_distance_says() {
        check(&Shape::<3>::Ball { radius: 0.8 });
        check(&Shape::<2>::Ball { radius: 0.8 });
        check(&Shape::<3>::Block { half: [0.8, 0.05, 0.6] });
        check(&Shape::<2>::Block { half: [0.8, 0.05] });
        check(&Shape::<3>::Cylinder { radius: 0.6, half_height: 0.3 });
        let rest = vec![[-1.0, -0.5], [1.0, -0.5], [0.1, 0.0], [0.8, 1.0], [-0.9, 0.7]];
        let placed = super::super::polygon::Polygon::new(rest.clone()).unwrap();
        check(&Shape::<2>::Outline { rest, placed });
    }

    #[test]
    fn a_stretch_that_stays_or_slides_is_told_apart() {
        assert_eq!(through_ball([[2.0, 0.0], [2.0, 0.0]], 1.0), None);
        assert_eq!(through_ball([[0.5, 0.0], [0.5, 0.0]], 1.0), Some([0.0, 1.0]));
        assert_eq!(through_block([[2.0, -3.0], [2.0, 3.0]], [1.0, 1.0]), None);
        assert_eq!(through_block([[1.0, -3.0], [1.0, 3.0]], [1.0, 1.0]), Some([1.0 / 3.0, 2.0 / 3.0]));
        let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        assert_eq!(enter_outline([[-1.0, -1.0], [2.0, 2.0]], &square), Some(1.0 / 3.0));
        assert_eq!(enter_outline([[-1.0, 2.0], [2.0, 2.0]], &square), None);
    }
}
