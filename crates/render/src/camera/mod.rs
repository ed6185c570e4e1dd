//! The camera of a scene: where it stands, or the way it takes.

mod keys;
mod path;
mod read;

use glam::Vec3;
use undine_scene::Timed;

pub use keys::CAMERA_KEYS;
pub use path::{CameraPath, Waypoint};

use crate::preview::{ViewSide, Viewpoint};

/// A camera that may move.
#[derive(Debug, Clone, Default)]
pub struct Camera {
    /// Where it is; `None` to place it by the angles and distance.
    pub eye: Option<Vec3>,
    /// What it looks at; `None` for the middle of the scene.
    pub target: Option<Vec3>,
    /// The side from which it looks; `None` to suit the scene.
    pub side: Option<ViewSide>,
    /// Where it stands as seen from the target, in degrees from +x towards +y; `None` to suit the side.
    pub azimuth: Option<Timed>,
    /// How high it stands, in degrees above the level; `None` to suit the side.
    pub elevation: Option<Timed>,
    /// Distance from the target in metres; `None` to fit the scene.
    pub distance: Option<Timed>,
    /// Vertical angle of view in degrees; `None` for 42.
    pub field: Option<Timed>,
    /// The way it takes.
    pub path: CameraPath,
    /// The time at which it is held, in seconds; `None` to go with the frames.
    pub held: Option<f64>,
}

impl Camera {
    /// Its point of view at `time` seconds.
    pub fn at(&self, time: f64) -> Viewpoint {
        let time = self.held.unwrap_or(time);
        let now = |timed: &Option<Timed>| timed.as_ref().map(|timed| timed.at(time) as f32);
        let standing = Viewpoint {
            eye: self.eye,
            target: self.target,
            side: self.side,
            azimuth: now(&self.azimuth),
            elevation: now(&self.elevation),
            distance: now(&self.distance),
            field: now(&self.field),
            ..Viewpoint::default()
        };
        match &self.path {
            CameraPath::Still => standing,
            CameraPath::Turntable { turns, seconds } => {
                let turned = 360.0 * (turns * time / seconds.max(1e-9)).rem_euclid(1.0);
                Viewpoint { turned: Some(turned as f32), ..standing }
            }
            CameraPath::FlyThrough(waypoints) => match path::interpolate(waypoints, time) {
                Some(passed) => Viewpoint {
                    eye: Some(passed.eye),
                    target: passed.target.or(self.target),
                    field: passed.field.or(standing.field),
                    ..standing
                },
                None => standing,
            },
        }
    }
}
