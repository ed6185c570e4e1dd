//! Camera paths.
//!
//! A fly-through is a cubic Hermite spline through its waypoints (keyframes), component by component. The tangent at a
//! waypoint is that of the parabola through it and its two neighbours, which for equal time steps is the Catmull–Rom spline
//! [catmull1974]; it is zero at both ends, so that the camera starts and stops smoothly.

use glam::Vec3;

/// Path of a camera.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum CameraPath {
    /// None: position by angles and distance, which may be expressions of time.
    #[default]
    Still,
    /// Orbit around the target, without end.
    Turntable {
        /// Number of turns, from +x towards +y.
        turns: f64,
        /// Duration of these turns.
        seconds: f64,
    },
    /// Spline through waypoints, in order of time; stops at the last.
    FlyThrough(Vec<Waypoint>),
}

/// A keyframe of a fly-through.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Waypoint {
    /// Time in seconds.
    pub time: f64,
    /// Position of the camera.
    pub eye: Vec3,
    /// Look-at point.
    pub target: Option<Vec3>,
    /// Vertical field of view, in degrees.
    pub field: Option<f32>,
}

/// Interpolates waypoints, ordered by time, at `time`; `None` if there are none.
pub fn interpolate(waypoints: &[Waypoint], time: f64) -> Option<Waypoint> {
    let (first, last) = (waypoints.first()?, waypoints.last()?);
    if time <= first.time || time.is_nan() {
        return Some(*first);
    }
    let next = waypoints.partition_point(|waypoint| waypoint.time <= time);
    let (Some(from), Some(to)) = (waypoints.get(next.wrapping_sub(1)), waypoints.get(next)) else {
        return Some(*last);
    };
    let before = next.checked_sub(2).and_then(|index| waypoints.get(index));
    let segment = PathSegment { before, from, to, after: waypoints.get(next + 1), time };
    Some(Waypoint {
        time,
        eye: segment.hermite(|waypoint| Some(waypoint.eye)).unwrap_or(from.eye),
        target: segment.hermite(|waypoint| waypoint.target),
        field: segment.hermite(|waypoint| waypoint.field.map(Vec3::splat)).map(|field| field.x),
    })
}

/// The segment of a path between two waypoints, with their outer neighbours.
struct PathSegment<'w> {
    before: Option<&'w Waypoint>,
    from: &'w Waypoint,
    to: &'w Waypoint,
    after: Option<&'w Waypoint>,
    time: f64,
}

impl PathSegment<'_> {
    /// Cubic Hermite interpolation of one vector of the waypoints.
    fn hermite(&self, of: impl Fn(&Waypoint) -> Option<Vec3>) -> Option<Vec3> {
        let point = |waypoint: &Waypoint| Some((waypoint.time, of(waypoint)?));
        let (from, to) = (point(self.from)?, point(self.to)?);
        let length = (to.0 - from.0) as f32;
        let leaving = velocity(self.before.and_then(point), from, Some(to));
        let arriving = velocity(Some(from), to, self.after.and_then(point));
        let s = ((self.time - from.0) / (to.0 - from.0).max(1e-9)) as f32;
        let (s2, s3) = (s * s, s * s * s);
        Some(
            from.1 * (2.0 * s3 - 3.0 * s2 + 1.0)
                + leaving * (length * (s3 - 2.0 * s2 + s))
                + to.1 * (3.0 * s2 - 2.0 * s3)
                + arriving * (length * (s3 - s2)),
        )
    }
}

type Point = (f64, Vec3);

/// Tangent at a waypoint, by the parabola through it and its neighbours; zero at an end.
fn velocity(before: Option<Point>, here: Point, after: Option<Point>) -> Vec3 {
    let (Some(before), Some(after)) = (before, after) else { return Vec3::ZERO };
    let (past, coming) = ((here.0 - before.0).max(1e-9) as f32, (after.0 - here.0).max(1e-9) as f32);
    let (arriving, leaving) = ((here.1 - before.1) / past, (after.1 - here.1) / coming);
    (arriving * coming + leaving * past) / (past + coming)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waypoint(time: f64, eye: [f32; 3]) -> Waypoint {
        Waypoint { time, eye: Vec3::from(eye), target: Some(Vec3::from(eye) + Vec3::X), field: None }
    }

    fn flight() -> Vec<Waypoint> {
        vec![
            waypoint(1.0, [0.0; 3]),
            waypoint(2.0, [4.0, 0.0, 1.0]),
            waypoint(5.0, [4.0, 9.0, 2.0]),
            waypoint(6.0, [1.0, 9.0, 2.0]),
        ]
    }

    #[test]
    fn every_waypoint_is_passed_in_its_time() {
        for waypoint in flight() {
            let passed = interpolate(&flight(), waypoint.time).unwrap();
            assert!((passed.eye - waypoint.eye).length() < 1e-5, "{passed:?}");
            assert!((passed.target.unwrap() - waypoint.target.unwrap()).length() < 1e-5);
        }
        assert_eq!(interpolate(&flight(), -3.0).unwrap().eye, flight()[0].eye);
        assert_eq!(interpolate(&flight(), 99.0).unwrap().eye, flight()[3].eye);
        assert_eq!(interpolate(&[], 1.0), None);
    }

    #[test]
    fn the_flight_is_smooth_and_rests_at_its_ends() {
        let velocity = |time: f64| {
            let hermite = |time| interpolate(&flight(), time).unwrap().eye;
            (hermite(time + 1e-3) - hermite(time - 1e-3)) / 2e-3
        };
        for time in [2.0, 5.0] {
            let (before, after) = (velocity(time - 2e-3), velocity(time + 2e-3));
            assert!((before - after).length() < 0.1 * after.length(), "{before} {after}");
            assert!(after.length() > 1.0);
        }
        assert!(velocity(1.002).length() < 0.1 && velocity(5.998).length() < 0.1);
    }

    #[test]
    fn a_straight_flight_at_even_pace_stays_straight() {
        let straight: Vec<_> =
            (0..5).map(|i| waypoint(f64::from(i * i), [(i * i) as f32, 0.0, 0.0])).collect();
        // Between inner waypoints, where no end slows it down
        for time in [1.5, 3.0, 5.5, 8.0] {
            let eye = interpolate(&straight, time).unwrap().eye;
            assert!((eye.x - time as f32).abs() < 1e-4 && eye.y == 0.0, "{eye}");
        }
    }
}
