//! Curves in the plane of a 2-D water.

use crate::Shared;

/// Closed oriented polylines in the plane: the liquid lies on their left, so that they run counter-clockwise around it and
/// clockwise around its holes.
///
/// ```
/// use undine_frame::Curves;
/// let outer = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]];
/// let hole = [[0.5, 0.25], [0.5, 0.75], [1.0, 0.75], [1.0, 0.25]];
/// let curves = Curves::new([outer, hole], [[0.0; 2], [2.0, 1.0]], 0.1);
/// assert_eq!((curves.iter().count(), curves.segments().count()), (2, 8));
/// assert!((curves.area() - 1.75).abs() < 1e-12);
/// assert_eq!((curves.winding([0.25, 0.5]), curves.winding([0.75, 0.5])), (1, 0));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Curves {
    /// Points in metres, one curve after another; the last point of a curve is joined to its first.
    pub points: Shared<[f32; 2]>,
    /// Number of points up to the end of each curve.
    pub ends: Shared<u32>,
    /// Lowest and highest corner of the domain in metres.
    pub bounds: [[f64; 2]; 2],
    /// Shortest edge of a cell of the simulation in metres.
    pub cell: f64,
}

impl Curves {
    /// Curves in a domain between two corners, with cells of this edge.
    pub fn new<C: AsRef<[[f32; 2]]>>(
        curves: impl IntoIterator<Item = C>,
        bounds: [[f64; 2]; 2],
        cell: f64,
    ) -> Curves {
        let (mut points, mut ends) = (Vec::new(), Vec::new());
        for curve in curves {
            points.extend_from_slice(curve.as_ref());
            ends.push(points.len() as u32);
        }
        Curves { points: points.into(), ends: ends.into(), bounds, cell }
    }

    /// The points of each curve.
    pub fn iter(&self) -> impl Iterator<Item = &[[f32; 2]]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(self.ends.iter())
            .map(|(start, &end)| self.points.get(start as usize..end as usize).unwrap_or_default())
    }

    /// The segments of all curves, each from its first point to its second.
    pub fn segments(&self) -> impl Iterator<Item = [[f32; 2]; 2]> + '_ {
        self.iter().flat_map(|curve| {
            let next = curve.iter().skip(1).chain(curve.first());
            curve.iter().zip(next).map(|(from, to)| [*from, *to])
        })
    }

    /// The area inside the curves in m²: ½ Σ x × x′ over their segments. Holes count as negative.
    pub fn area(&self) -> f64 {
        // Relative to a corner, so that a distant curve loses no digits
        let origin = self.points.first().copied().unwrap_or_default().map(f64::from);
        let relative = |at: [f32; 2]| [0, 1].map(|axis: usize| f64::from(at[axis]) - origin[axis]);
        let twice = |[from, to]: [[f32; 2]; 2]| {
            let ([x, y], [u, v]) = (relative(from), relative(to));
            x * v - y * u
        };
        0.5 * self.segments().map(twice).sum::<f64>()
    }

    /// How often the curves run around a point, counter-clockwise; liquid is where this is not zero.
    pub fn winding(&self, [x, y]: [f32; 2]) -> i32 {
        let turn = |[[x0, y0], [x1, y1]]: [[f32; 2]; 2]| {
            if (y0 <= y) == (y1 <= y) {
                return 0;
            }
            let crossing = x0 + (x1 - x0) * ((y - y0) / (y1 - y0));
            match crossing > x {
                true if y1 > y0 => 1,
                true => -1,
                false => 0,
            }
        };
        self.segments().map(turn).sum()
    }

    /// What is inconsistent about these curves, if anything: ends that do not divide the points.
    pub fn inconsistency(&self) -> Option<String> {
        let points = self.points.len();
        let is_rising = self.ends.is_sorted();
        let last = self.ends.last().map_or(0, |&end| end as usize);
        (!is_rising || last != points).then(|| format!("ends of curves at {last} for {points} points"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_inside_as_often_as_curves_run_around_it() {
        let square = |x: f32| [[x, 0.0], [x + 2.0, 0.0], [x + 2.0, 2.0], [x, 2.0]];
        let curves = Curves::new([square(0.0), square(1.0)], [[0.0; 2], [3.0, 2.0]], 0.5);
        let windings = [-0.5, 0.5, 1.5, 2.5, 3.5].map(|x| curves.winding([x, 1.0]));
        assert_eq!(windings, [0, 1, 2, 1, 0]);
        assert_eq!(curves.area(), 8.0);
    }

    #[test]
    fn ends_must_divide_the_points() {
        let whole = Curves::new([[[0.0; 2]; 3], [[1.0; 2]; 3]], [[0.0; 2]; 2], 1.0);
        assert_eq!((whole.inconsistency(), Curves::default().inconsistency()), (None, None));
        for ends in [vec![3], vec![4, 3, 6], vec![3, 9], vec![]] {
            let broken = Curves { ends: ends.into(), ..whole.clone() };
            assert!(broken.inconsistency().is_some(), "{:?}", broken.ends);
            assert!(broken.segments().count() <= 9 && broken.area().is_finite());
        }
    }
}
