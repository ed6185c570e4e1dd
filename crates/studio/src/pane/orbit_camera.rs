//! The camera of a pane in space: it orbits a target, pans, zooms and flies.

use glam::{Vec2, Vec3};
use undine::render::preview::PinholeCamera;

/// Smallest and largest distance from the target, relative to the distance at which the scene fits.
const DISTANCE_RANGE: [f32; 2] = [0.02, 40.0];
/// Largest elevation in radians: less than vertical, where the azimuth is undefined.
const MAX_ELEVATION: f32 = 1.55;

/// An orbit camera. Angles in radians, lengths in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrbitCamera {
    /// The point that it looks at.
    pub target: Vec3,
    /// Azimuth of the camera around the target, from +x towards +y.
    pub azimuth: f32,
    /// Elevation of the camera above the target.
    pub elevation: f32,
    /// Distance from the target.
    pub distance: f32,
    /// Vertical field of view.
    pub field: f32,
    /// The distance at which the scene fits the picture.
    fit_distance: f32,
}

impl OrbitCamera {
    /// The orbit of a camera.
    pub fn from_camera(camera: &PinholeCamera) -> OrbitCamera {
        let away = -camera.forward;
        let distance = camera.target_distance.max(1e-3);
        OrbitCamera {
            target: camera.position + camera.forward * distance,
            azimuth: away.y.atan2(away.x),
            elevation: away.z.clamp(-1.0, 1.0).asin().clamp(-MAX_ELEVATION, MAX_ELEVATION),
            distance,
            field: 2.0 * camera.half_extent().y.atan(),
            fit_distance: distance,
        }
    }

    /// The camera for a picture of this size.
    pub fn camera(&self, size: [u32; 2]) -> PinholeCamera {
        let position = self.target + self.distance * self.away();
        PinholeCamera::new(position, self.target, self.field, size[0] as usize, size[1] as usize)
    }

    /// Orbits by a drag in points.
    pub fn orbit(&mut self, drag: Vec2) {
        self.azimuth -= 0.006 * drag.x;
        self.elevation = (self.elevation + 0.006 * drag.y).clamp(-MAX_ELEVATION, MAX_ELEVATION);
    }

    /// Pans parallel to the picture, so that the point under the pointer stays there.
    pub fn pan(&mut self, drag: Vec2, height: f32) {
        let metres = 2.0 * self.distance * (0.5 * self.field).tan() / height.max(1.0);
        let (right, up) = self.right_and_up();
        self.target += (-right * drag.x + up * drag.y) * metres;
    }

    /// Scales the distance: a factor below 1 zooms in.
    pub fn zoom(&mut self, factor: f32) {
        if factor.is_finite() && factor > 0.0 {
            self.distance = (self.distance * factor)
                .clamp(DISTANCE_RANGE[0] * self.fit_distance, DISTANCE_RANGE[1] * self.fit_distance);
        }
    }

    /// Flies forward, right and up, in units of the distance.
    pub fn fly(&mut self, forward: f32, right: f32, up: f32) {
        let (aside, _) = self.right_and_up();
        self.target += self.distance * (-forward * self.away() + right * aside + up * Vec3::Z);
    }

    /// Unit vector from the target to the camera.
    fn away(&self) -> Vec3 {
        Vec2::from_angle(self.azimuth).extend(0.0) * self.elevation.cos() + Vec3::Z * self.elevation.sin()
    }

    /// Right and up vectors of the picture.
    fn right_and_up(&self) -> (Vec3, Vec3) {
        let ahead = -self.away();
        let right = ahead.cross(Vec3::Z).normalize_or(Vec3::X);
        (right, right.cross(ahead))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_camera_is_recovered_from_its_orbit() {
        let camera = PinholeCamera::new(Vec3::new(4.0, -3.0, 2.0), Vec3::new(0.5, 0.2, 0.1), 0.7, 320, 200);
        let again = OrbitCamera::from_camera(&camera).camera([320, 200]);
        assert!((again.position - camera.position).length() < 1e-4);
        assert!((again.forward - camera.forward).length() < 1e-5);
        assert!((again.half_extent() - camera.half_extent()).length() < 1e-5);
    }

    #[test]
    fn elevation_and_distance_stay_in_range() {
        let mut orbit = OrbitCamera::from_camera(&PinholeCamera::new(Vec3::ONE, Vec3::ZERO, 0.7, 100, 100));
        (0..100).for_each(|_| orbit.orbit(Vec2::new(50.0, 50.0)));
        (0..100).for_each(|_| orbit.zoom(0.5));
        orbit.zoom(f32::NAN);
        let camera = orbit.camera([100, 100]);
        assert!(camera.position.is_finite() && camera.up.z > 0.0);
        assert!(orbit.distance > 0.0);
    }
}
