//! The path of a river: distance of a point from it, and distance downstream.

use glam::DVec2;

/// Pieces between two of the points that a path is given.
const PIECES: usize = 32;
/// Pieces in a group that is passed over together when it is too far away.
const GROUP: usize = 16;

/// Centre line of a river.
#[derive(Debug)]
pub(super) enum RiverPath {
    /// Along an axis, swinging to both sides as a sine.
    Straight { center: DVec2, direction: DVec2, meander: f64, wave_number: f64 },
    /// Through points.
    Through(Path),
}

/// Position of a point relative to a river.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RiverPosition {
    /// Distance from the river's middle.
    pub away: f64,
    /// Distance from the river's start, along the straight line to its end: along the river itself it would jump
    /// between bends that are equally near.
    pub downstream: f64,
}

impl RiverPath {
    pub fn nearest(&self, at: DVec2) -> RiverPosition {
        match self {
            RiverPath::Straight { center, direction, meander, wave_number } => {
                let from = at - *center;
                let (along, across) = (from.dot(*direction), from.dot(direction.perp()));
                let (sin, cos) = (wave_number * along).sin_cos();
                // To first order: the distance across, foreshortened by the slant of the course.
                let slant = meander * wave_number * cos;
                let away = (across - meander * sin).abs() / (1.0 + slant * slant).sqrt();
                RiverPosition { away, downstream: along }
            }
            RiverPath::Through(path) => path.nearest(at),
        }
    }
}

/// A smooth curve, cut into straight pieces.
#[derive(Debug)]
pub(super) struct Path {
    points: Vec<DVec2>,
    /// Vector from the start to the end.
    direction: DVec2,
    /// Middle and radius of a disc around each group of pieces.
    discs: Vec<(DVec2, f64)>,
}

impl Path {
    /// The curve of [catmull1974] through at least two different points.
    pub fn through(knots: &[DVec2]) -> Option<Path> {
        let mut knots = knots.to_vec();
        knots.dedup();
        let &[first, second, ..] = knots.as_slice() else { return None };
        let last = knots.len() - 1;
        // Beyond its ends the curve would go straight on.
        let at = |knot: usize| match knot {
            0 => 2.0 * first - second,
            knot if knot > last + 1 => 2.0 * knots[last] - knots[last - 1],
            knot => knots[knot - 1],
        };
        let mut points = vec![first];
        for knot in 0..last {
            let around = [at(knot), at(knot + 1), at(knot + 2), at(knot + 3)];
            points.extend((1..=PIECES).map(|piece| curve(around, piece as f64 / PIECES as f64)));
        }
        Some(Path::of_points(points))
    }

    fn of_points(points: Vec<DVec2>) -> Path {
        let direction = (points[points.len() - 1] - points[0]).normalize_or_zero();
        let starts = (0..points.len() - 1).step_by(GROUP);
        let disc = |start: usize| disc_around(&points[start..(start + GROUP + 1).min(points.len())]);
        let discs = starts.map(disc).collect();
        Path { points, direction, discs }
    }

    fn nearest(&self, at: DVec2) -> RiverPosition {
        RiverPosition { away: self.distance(at), downstream: (at - self.points[0]).dot(self.direction) }
    }

    fn distance(&self, at: DVec2) -> f64 {
        // No group can matter that begins further away than another one ends
        let reach = |(center, radius): &(DVec2, f64)| at.distance(*center) + radius;
        let farthest = self.discs.iter().map(reach).fold(f64::INFINITY, f64::min);
        // or, but for rounding, than what has been found.
        let mut nearest = farthest * (1.0 + 1e-9);
        for (group, (center, radius)) in self.discs.iter().enumerate() {
            if at.distance(*center) - radius > nearest {
                continue;
            }
            let start = group * GROUP;
            for ends in self.points[start..(start + GROUP + 1).min(self.points.len())].windows(2) {
                nearest = nearest.min(distance_to_piece(at, ends[0], ends[1]));
            }
        }
        nearest
    }
}

fn curve([a, b, c, d]: [DVec2; 4], t: f64) -> DVec2 {
    let slope_b = 0.5 * (c - a);
    let slope_c = 0.5 * (d - b);
    let (squared, cubed) = (t * t, t * t * t);
    b * (2.0 * cubed - 3.0 * squared + 1.0)
        + slope_b * (cubed - 2.0 * squared + t)
        + c * (3.0 * squared - 2.0 * cubed)
        + slope_c * (cubed - squared)
}

fn disc_around(points: &[DVec2]) -> (DVec2, f64) {
    let center = points.iter().sum::<DVec2>() / points.len() as f64;
    (center, points.iter().map(|point| point.distance(center)).fold(0.0, f64::max))
}

fn distance_to_piece(at: DVec2, from: DVec2, to: DVec2) -> f64 {
    let along = to - from;
    let squared = along.length_squared();
    let share = if squared > 0.0 { ((at - from).dot(along) / squared).clamp(0.0, 1.0) } else { 0.0 };
    at.distance(from.lerp(to, share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_path_is_straight() {
        let path = Path::through(&[DVec2::ZERO, DVec2::new(4.0, 0.0), DVec2::new(10.0, 0.0)]).unwrap();
        let spot = path.nearest(DVec2::new(7.0, -2.0));
        assert!((spot.away - 2.0).abs() < 1e-12 && (spot.downstream - 7.0).abs() < 1e-12, "{spot:?}");
        let before = path.nearest(DVec2::new(-3.0, 4.0));
        assert!((before.away - 5.0).abs() < 1e-12 && before.downstream == -3.0);
    }

    #[test]
    fn groups_that_are_passed_over_hold_nothing_nearer() {
        let knots: Vec<DVec2> =
            (0..20).map(|n| DVec2::new(f64::from(n) * 5.0, f64::from(n * 37 % 11) * 3.0)).collect();
        let path = Path::through(&knots).unwrap();
        for n in 0..200 {
            let at = DVec2::new(f64::from(n) * 0.5, f64::from(n * 13 % 50) - 10.0);
            let pieces = path.points.windows(2);
            let brute =
                pieces.map(|ends| distance_to_piece(at, ends[0], ends[1])).fold(f64::INFINITY, f64::min);
            assert_eq!(path.distance(at), brute);
        }
    }

    #[test]
    fn one_point_is_no_path() {
        assert!(Path::through(&[]).is_none());
        assert!(Path::through(&[DVec2::ONE, DVec2::ONE]).is_none());
        assert!(Path::through(&[DVec2::ONE, DVec2::ZERO]).is_some());
    }
}
