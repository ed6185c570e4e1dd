//! Where an obstacle is, and how it moves.

use undine_scene::{Timed, Values};

/// Over this time, in seconds, the speed of a motion is looked at when a step is chosen.
const GLANCE: f64 = 1e-3;

/// A course in time: a place plus a motion, and a turn about an axis.
#[derive(Debug, Clone)]
pub struct Course<const D: usize> {
    at: [f64; D],
    shift: [Timed; D],
    turn: Timed,
    /// The plane in which it turns, from the first axis to the second.
    plane: [usize; 2],
}

/// A place and an angle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose<const D: usize> {
    centre: [f64; D],
    /// Cosine and sine of the angle.
    spin: [f64; 2],
    plane: [usize; 2],
}

/// A rigid motion: how fast each point of a body moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion<const D: usize> {
    centre: [f64; D],
    velocity: [f64; D],
    /// Radians per second.
    spin: f64,
    plane: [usize; 2],
}

impl<const D: usize> Course<D> {
    /// Reads `at`, `move_x`, `move_y`, `move_z`, `turn` and `axis`.
    pub fn read(values: &Values) -> Course<D> {
        let names = ["move_x", "move_y", "move_z"];
        let plane = match if D == 3 { values.word("axis") } else { "z" } {
            "x" => [1, 2],
            "y" => [2, 0],
            _ => [0, 1],
        };
        Course {
            at: values.vector("at"),
            shift: std::array::from_fn(|axis| values.timed(names[axis]).clone()),
            turn: values.timed("turn").clone(),
            plane,
        }
    }

    /// The course of what stands at a place.
    pub fn still(at: [f64; D]) -> Course<D> {
        let zero = || Timed::constant(0.0);
        Course { at, shift: std::array::from_fn(|_| zero()), turn: zero(), plane: [0, 1] }
    }

    /// Whether it stands still at all times.
    pub fn is_still(&self) -> bool {
        self.turn.is_constant() && self.shift.iter().all(Timed::is_constant)
    }

    /// Place and angle at a time. What has no value there counts as zero.
    pub fn pose(&self, time: f64) -> Pose<D> {
        let (sine, cosine) = finite(self.turn.at(time)).sin_cos();
        Pose { centre: self.centre(time), spin: [cosine, sine], plane: self.plane }
    }

    /// The mean motion between two times.
    pub fn motion(&self, from: f64, to: f64) -> Motion<D> {
        let span = to - from;
        if self.is_still() || span <= 0.0 {
            return Motion { centre: self.at, velocity: [0.0; D], spin: 0.0, plane: self.plane };
        }
        let (start, end) = (self.centre(from), self.centre(to));
        Motion {
            centre: end,
            velocity: std::array::from_fn(|axis| (end[axis] - start[axis]) / span),
            spin: finite(self.turn.at(to) - self.turn.at(from)) / span,
            plane: self.plane,
        }
    }

    /// The greatest speed of any point within `reach` of the centre, now.
    pub fn speed(&self, time: f64, reach: f64) -> f64 {
        self.motion(time, time + GLANCE).speed(reach)
    }

    fn centre(&self, time: f64) -> [f64; D] {
        std::array::from_fn(|axis| self.at[axis] + finite(self.shift[axis].at(time)))
    }
}

impl<const D: usize> Pose<D> {
    /// Where its origin is.
    pub fn position(&self) -> [f64; D] {
        self.centre
    }

    /// Its turn as a unit quaternion (x, y, z, w).
    pub fn rotation(&self) -> [f64; 4] {
        let (sine, cosine) = (0.5 * self.spin[1].atan2(self.spin[0])).sin_cos();
        let mut rotation = [0.0, 0.0, 0.0, cosine];
        // The axis about which it turns is the one that is not in the plane
        rotation[3 - self.plane[0] - self.plane[1]] = sine;
        rotation
    }

    /// Where a point of the body is in the world.
    pub fn outwards(&self, point: [f64; D]) -> [f64; D] {
        let turned = spun(point, self.plane, self.spin);
        std::array::from_fn(|axis| self.centre[axis] + turned[axis])
    }

    /// Where a point of the world is in the body.
    pub fn inwards(&self, point: [f64; D]) -> [f64; D] {
        let offset = std::array::from_fn(|axis| point[axis] - self.centre[axis]);
        spun(offset, self.plane, [self.spin[0], -self.spin[1]])
    }
}

impl<const D: usize> Motion<D> {
    /// A body that stands still.
    pub fn none() -> Motion<D> {
        Motion { centre: [0.0; D], velocity: [0.0; D], spin: 0.0, plane: [0, 1] }
    }

    /// The greatest speed of any point within `reach` of the centre.
    pub fn speed(&self, reach: f64) -> f64 {
        let straight = self.velocity.iter().map(|along| along * along).sum::<f64>().sqrt();
        straight + self.spin.abs() * reach
    }

    /// The component along an axis of the velocity at a point of the body. It is the same all along that axis, so that
    /// the motion has no divergence on any grid.
    #[inline]
    pub fn component(&self, axis: usize, point: [f64; D]) -> f64 {
        let [from, to] = self.plane;
        let turning = if axis == from {
            -self.spin * (point[to] - self.centre[to])
        } else if axis == to {
            self.spin * (point[from] - self.centre[from])
        } else {
            0.0
        };
        self.velocity[axis] + turning
    }
}

fn spun<const D: usize>(point: [f64; D], [from, to]: [usize; 2], [cosine, sine]: [f64; 2]) -> [f64; D] {
    let mut turned = point;
    turned[from] = cosine * point[from] - sine * point[to];
    turned[to] = sine * point[from] + cosine * point[to];
    turned
}

fn finite(number: f64) -> f64 {
    if number.is_finite() { number } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_and_its_inverse_cancel() {
        let pose = Pose { centre: [1.0, -2.0, 0.5], spin: [0.6, 0.8], plane: [2, 0] };
        let point = [0.3, 0.4, -0.7];
        let back = pose.inwards(pose.outwards(point));
        assert!((0..3).all(|axis| (back[axis] - point[axis]).abs() < 1e-15));
    }

    #[test]
    fn the_quaternion_turns_as_the_pose_does() {
        for plane in [[1, 2], [2, 0], [0, 1]] {
            let pose = Pose { centre: [0.0; 3], spin: [-0.6, 0.8], plane };
            let turn = glam::DQuat::from_array(pose.rotation());
            let point = [0.3, -0.4, 0.7];
            let turned = turn * glam::DVec3::from_array(point);
            assert!(turned.distance(glam::DVec3::from_array(pose.outwards(point))) < 1e-15, "{plane:?}");
        }
    }

    #[test]
    fn a_turning_body_moves_across_its_radius() {
        let motion = Motion { centre: [1.0, 1.0], velocity: [0.5, 0.0], spin: 2.0, plane: [0, 1] };
        let at = [1.0, 1.5];
        assert_eq!((motion.component(0, at), motion.component(1, at)), (0.5 - 1.0, 0.0));
    }
}
