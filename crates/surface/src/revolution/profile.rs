//! Profiles of bodies of revolution: the parts of outlines on one side of an axis.

use undine_frame::Curves;

/// A point closer to the axis than this, in cells, lies on it: an outline follows the axis where it is a wall.
const ON_AXIS: f64 = 0.1;
/// Narrower profiles, in cells, are left out.
const NARROWEST: f64 = 0.2;
/// Points closer than this, in cells, are one.
const MERGED: f64 = 1e-3;
/// Fewest points of a profile with its reflection.
const FEWEST: usize = 8;

/// A profile with the liquid on its left, in distance r from the axis and height z.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Its points; the first and last one of an open profile lie on the axis.
    pub points: Vec<[f64; 2]>,
    /// Whether it is a loop beside the axis rather than a line from axis to axis.
    pub is_closed: bool,
}

/// The profiles of all outlines about an axis.
pub fn profiles(curves: &Curves, axis: f64) -> Vec<Profile> {
    let cell = curves.cell.max(f64::MIN_POSITIVE);
    let mut all = Vec::new();
    for curve in curves.iter() {
        let points = curve.iter().map(|&[x, y]| [f64::from(x) - axis, f64::from(y)]);
        let points: Vec<[f64; 2]> = points.filter(|at| at.iter().all(|x| x.is_finite())).collect();
        match points.iter().position(|at| at[0] <= ON_AXIS * cell) {
            None => all.push(Profile { points, is_closed: true }),
            Some(start) => all.extend(parts(&points, start, cell)),
        }
    }
    all.retain_mut(|profile| {
        profile.merge_points(MERGED * cell);
        let widest = profile.points.iter().map(|at| at[0]).fold(0.0, f64::max);
        profile.points.len() >= 3 && widest > NARROWEST * cell
    });
    all
}

/// The parts of a closed outline beyond the axis, of which the point `start` is on it or before it.
fn parts(points: &[[f64; 2]], start: usize, cell: f64) -> Vec<Profile> {
    let (mut parts, mut run) = (Vec::new(), Vec::new());
    for step in 1..=points.len() {
        let at = points[(start + step) % points.len()];
        if at[0] > ON_AXIS * cell {
            run.push(at);
        } else if !run.is_empty() {
            parts.push(open_profile(std::mem::take(&mut run)));
        }
    }
    parts
}

/// A profile from axis to axis through points beside it.
fn open_profile(mut points: Vec<[f64; 2]>) -> Profile {
    let low = pole(points[0], points.get(1));
    let high = pole(points[points.len() - 1], points.len().checked_sub(2).map(|before| &points[before]));
    points.insert(0, [0.0, low]);
    points.push([0.0, high]);
    Profile { points, is_closed: false }
}

/// Height at which a smooth body with these nearest points meets the axis: z = z₀ + c r² through both, no steeper than one
/// to one.
fn pole([r, z]: [f64; 2], next: Option<&[f64; 2]>) -> f64 {
    let rise = match next {
        Some([beyond, other]) if *beyond > 1.05 * r => (other - z) * r * r / (beyond * beyond - r * r),
        _ => 0.0,
    };
    z - rise.clamp(-r, r)
}

impl Profile {
    /// Merges points that are closer to their neighbour than `distance`.
    fn merge_points(&mut self, distance: f64) {
        let is_near = |a: &[f64; 2], b: &[f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]) < distance;
        let last = self.points.last().copied();
        self.points.dedup_by(|at, before| is_near(at, before));
        match (self.is_closed, last) {
            (true, _) => {
                while self.points.len() > 1 && is_near(&self.points[0], &self.points[self.points.len() - 1]) {
                    self.points.pop();
                }
            }
            // The end on the axis is kept
            (false, Some(end)) => {
                if let Some(kept) = self.points.last_mut() {
                    *kept = end;
                }
            }
            (false, None) => {}
        }
    }

    /// The points of a loop, or of an open profile with its reflection in the axis, as a closed line. Edges are halved while
    /// there are few.
    pub fn closed(&self) -> Vec<[f64; 2]> {
        let mut line = self.points.clone();
        if !self.is_closed {
            let inner = &self.points[1..self.points.len() - 1];
            line.extend(inner.iter().rev().map(|[r, z]| [-r, *z]));
        }
        while line.len() < FEWEST {
            let next = line.iter().cycle().skip(1);
            let halves = line
                .iter()
                .zip(next)
                .flat_map(|(at, next)| [*at, [0.5 * (at[0] + next[0]), 0.5 * (at[1] + next[1])]]);
            line = halves.collect();
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(curve: &[[f32; 2]], axis: f64) -> Vec<Profile> {
        profiles(&Curves::new([curve], [[0.0; 2], [4.0; 2]], 0.5), axis)
    }

    #[test]
    fn a_pool_at_the_axis_loses_its_side_there() {
        let pool = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [0.01, 1.0], [0.0, 0.5]];
        let found = of(&pool, 0.0);
        let points = vec![[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [0.0, 1.0]];
        assert_eq!(found, [Profile { points, is_closed: false }]);
    }

    #[test]
    fn an_outline_that_crosses_the_axis_often_has_several_parts() {
        let comb = [
            [-1.0, 0.0],
            [2.0, 0.0],
            [2.0, 1.0],
            [-1.0, 1.0],
            [-1.0, 2.0],
            [2.0, 2.0],
            [2.0, 3.0],
            [-2.0, 3.0],
        ];
        let found = of(&comb, 0.0);
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|part| part.points.len() == 4 && !part.is_closed));
        assert!(of(&comb, 3.0).is_empty());
        let beside = of(&comb, -3.0);
        assert!(beside.len() == 1 && beside[0].is_closed && beside[0].points.len() == 8);
    }

    #[test]
    fn the_pole_continues_the_curvature() {
        let round = |r: f64| [r, -(1.0 - r * r).sqrt()];
        let found = pole(round(0.1), Some(&round(0.2)));
        assert!((found + 1.0).abs() < 1e-4, "{found}");
        assert_eq!(pole([0.1, 2.0], None), 2.0);
    }

    #[test]
    fn broken_outlines_have_no_profile() {
        assert!(of(&[], 0.0).is_empty());
        assert!(of(&[[1.0, 1.0]; 9], 0.0).is_empty());
        assert!(of(&[[f32::NAN, 1.0], [1.0, f32::INFINITY], [2.0, 2.0]], 0.0).is_empty());
    }
}
