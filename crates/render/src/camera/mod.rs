//! The camera of a scene: its position, or its path.

mod keys;
mod path;
mod read;

use glam::Vec3;
use undine_scene::{Problem, Timed};

pub use keys::CAMERA_KEYS;
pub use path::{CameraPath, Waypoint};

use crate::preview::{ViewSide, Viewpoint};

/// An animated camera.
#[derive(Debug, Clone, Default)]
pub struct Camera {
    /// Position; `None` to compute it from the angles and the distance.
    pub eye: Option<Vec3>,
    /// Look-at point; `None` for the centre of the scene.
    pub target: Option<Vec3>,
    /// Preset view direction; `None` for a default of the scene.
    pub side: Option<ViewSide>,
    /// Azimuth of the camera as seen from the target, in degrees from +x towards +y; `None` for that of the side.
    pub azimuth: Option<Timed>,
    /// Elevation of the camera as seen from the target, in degrees; `None` for that of the side.
    pub elevation: Option<Timed>,
    /// Distance from the target in metres; `None` to fit the scene.
    pub distance: Option<Timed>,
    /// Vertical field of view in degrees; `None` for 42.
    pub field: Option<Timed>,
    /// Camera path.
    pub path: CameraPath,
    /// Time at which it is frozen, in seconds; `None` to follow the time of the frames.
    pub held: Option<f64>,
}

impl Camera {
    /// The viewpoint at `time` seconds.
    pub fn at(&self, time: f64) -> Result<Viewpoint, Problem> {
        let time = self.held.unwrap_or(time);
        // The camera without its path
        let now = |timed: &Option<Timed>| -> Result<Option<f32>, Problem> {
            Ok(timed.as_ref().map(|timed| timed.at(time)).transpose()?.map(|number| number as f32))
        };
        let standing = Viewpoint {
            eye: self.eye,
            target: self.target,
            side: self.side,
            azimuth: now(&self.azimuth)?,
            elevation: now(&self.elevation)?,
            distance: now(&self.distance)?,
            field: now(&self.field)?,
            ..Viewpoint::default()
        };
        // Its path
        Ok(match &self.path {
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
        })
    }
}
