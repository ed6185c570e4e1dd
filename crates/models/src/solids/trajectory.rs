//! Prescribed rigid motion of an obstacle: pose and velocity as functions of time.

use undine_scene::{Problem, Timed, Values};

/// Time interval, in seconds, over which the current speed of a trajectory is measured.
const SPEED_INTERVAL: f64 = 1e-3;

/// Position and rotation about a fixed axis as functions of time.
#[derive(Debug, Clone)]
pub struct Trajectory<const D: usize> {
    at: [f64; D],
    shift: [Timed; D],
    turn: Timed,
    /// The plane of rotation, from the first axis to the second.
    plane: [usize; 2],
    /// The pose at the start.
    start: Pose<D>,
}

/// Position and rotation of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose<const D: usize> {
    centre: [f64; D],
    /// Cosine and sine of the rotation angle.
    spin: [f64; 2],
    plane: [usize; 2],
}

/// The velocity field of a rigid body, v(x) = v₀ + ω × (x − centre).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidVelocity<const D: usize> {
    centre: [f64; D],
    velocity: [f64; D],
    /// Angular velocity ω in rad/s.
    spin: f64,
    plane: [usize; 2],
}

impl<const D: usize> Trajectory<D> {
    /// Reads `at`, `move_x`, `move_y`, `move_z`, `turn` and `axis`.
    pub fn read(values: &Values) -> Result<Trajectory<D>, Problem> {
        let names = ["move_x", "move_y", "move_z"];
        let plane = match if D == 3 { values.word("axis") } else { "z" } {
            "x" => [1, 2],
            "y" => [2, 0],
            _ => [0, 1],
        };
        let shift = std::array::from_fn(|axis| values.timed(names[axis]).clone());
        let still = Trajectory::still(values.vector("at"));
        let trajectory = Trajectory { shift, turn: values.timed("turn").clone(), plane, ..still };
        Ok(Trajectory { start: trajectory.pose(0.0)?, ..trajectory })
    }

    /// A body at rest at a position.
    pub fn still(at: [f64; D]) -> Trajectory<D> {
        let zero = || Timed::constant(0.0);
        let (plane, spin) = ([0, 1], [1.0, 0.0]);
        let start = Pose { centre: at, spin, plane };
        Trajectory { at, shift: std::array::from_fn(|_| zero()), turn: zero(), plane, start }
    }

    /// Whether it is at rest at all times.
    pub fn is_still(&self) -> bool {
        self.turn.is_constant() && self.shift.iter().all(Timed::is_constant)
    }

    /// Position and rotation at the start.
    pub fn start(&self) -> Pose<D> {
        self.start
    }

    /// Position and rotation at a time.
    pub fn pose(&self, time: f64) -> Result<Pose<D>, Problem> {
        let (sine, cosine) = self.turn.at(time)?.sin_cos();
        Ok(Pose { centre: self.centre(time)?, spin: [cosine, sine], plane: self.plane })
    }

    /// The mean velocity between two times: the difference of the poses.
    pub fn rigid_velocity(&self, from: f64, to: f64) -> Result<RigidVelocity<D>, Problem> {
        let span = to - from;
        if self.is_still() || span <= 0.0 {
            return Ok(RigidVelocity { centre: self.at, velocity: [0.0; D], spin: 0.0, plane: self.plane });
        }
        let (start, end) = (self.centre(from)?, self.centre(to)?);
        Ok(RigidVelocity {
            centre: end,
            velocity: std::array::from_fn(|axis| (end[axis] - start[axis]) / span),
            spin: (self.turn.at(to)? - self.turn.at(from)?) / span,
            plane: self.plane,
        })
    }

    /// The greatest speed of any point within `reach` of the centre at a time, for the length of steps. A trajectory
    /// that cannot be followed has none: the step that needs it fails.
    pub fn speed(&self, time: f64, reach: f64) -> f64 {
        self.rigid_velocity(time, time + SPEED_INTERVAL).map_or(0.0, |velocity| velocity.speed(reach))
    }

    fn centre(&self, time: f64) -> Result<[f64; D], Problem> {
        let mut centre = self.at;
        for (x, shift) in centre.iter_mut().zip(&self.shift) {
            *x += shift.at(time)?;
        }
        Ok(centre)
    }
}

impl<const D: usize> Pose<D> {
    /// Position of its origin.
    pub fn position(&self) -> [f64; D] {
        self.centre
    }

    /// Its rotation as a unit quaternion (x, y, z, w).
    pub fn rotation(&self) -> [f64; 4] {
        let (sine, cosine) = (0.5 * self.spin[1].atan2(self.spin[0])).sin_cos();
        let mut rotation = [0.0, 0.0, 0.0, cosine];
        // The axis of rotation is the one that is not in the plane
        rotation[3 - self.plane[0] - self.plane[1]] = sine;
        rotation
    }

    /// Transforms a point from local to world coordinates.
    pub fn to_world(&self, point: [f64; D]) -> [f64; D] {
        let turned = rotated(point, self.plane, self.spin);
        std::array::from_fn(|axis| self.centre[axis] + turned[axis])
    }

    /// Transforms a point from world to local coordinates.
    pub fn to_local(&self, point: [f64; D]) -> [f64; D] {
        let offset = std::array::from_fn(|axis| point[axis] - self.centre[axis]);
        rotated(offset, self.plane, [self.spin[0], -self.spin[1]])
    }
}

impl<const D: usize> RigidVelocity<D> {
    /// A body at rest.
    pub fn none() -> RigidVelocity<D> {
        RigidVelocity { centre: [0.0; D], velocity: [0.0; D], spin: 0.0, plane: [0, 1] }
    }

    /// The greatest speed of any point within `reach` of the centre.
    pub fn speed(&self, reach: f64) -> f64 {
        let straight = self.velocity.iter().map(|x| x * x).sum::<f64>().sqrt();
        straight + self.spin.abs() * reach
    }

    /// The component along an axis of the velocity at a point of the body. It is constant along that axis, so the
    /// discrete divergence is zero on any grid.
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

fn rotated<const D: usize>(point: [f64; D], [from, to]: [usize; 2], [cosine, sine]: [f64; 2]) -> [f64; D] {
    let mut turned = point;
    turned[from] = cosine * point[from] - sine * point[to];
    turned[to] = sine * point[from] + cosine * point[to];
    turned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_and_its_inverse_cancel() {
        let pose = Pose { centre: [1.0, -2.0, 0.5], spin: [0.6, 0.8], plane: [2, 0] };
        let point = [0.3, 0.4, -0.7];
        let back = pose.to_local(pose.to_world(point));
        assert!((0..3).all(|axis| (back[axis] - point[axis]).abs() < 1e-15));
    }

    #[test]
    fn the_quaternion_turns_as_the_pose_does() {
        for plane in [[1, 2], [2, 0], [0, 1]] {
            let pose = Pose { centre: [0.0; 3], spin: [-0.6, 0.8], plane };
            let turn = glam::DQuat::from_array(pose.rotation());
            let point = [0.3, -0.4, 0.7];
            let turned = turn * glam::DVec3::from_array(point);
            assert!(turned.distance(glam::DVec3::from_array(pose.to_world(point))) < 1e-15, "{plane:?}");
        }
    }

    #[test]
    fn a_turning_body_moves_across_its_radius() {
        let rigid_velocity =
            RigidVelocity { centre: [1.0, 1.0], velocity: [0.5, 0.0], spin: 2.0, plane: [0, 1] };
        let at = [1.0, 1.5];
        assert_eq!((rigid_velocity.component(0, at), rigid_velocity.component(1, at)), (0.5 - 1.0, 0.0));
    }
}
