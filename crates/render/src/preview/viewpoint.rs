//! Where a picture is taken from, in the words of a scene file.

use glam::{Vec2, Vec3};

use super::camera::Eye;

/// A point of view at one moment. What is left open is chosen so that the scene fills the picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Viewpoint {
    /// Where the eye is; `None` to place it by the angles and distance below.
    pub eye: Option<Vec3>,
    /// What it looks at; `None` for the middle of the scene.
    pub target: Option<Vec3>,
    /// Where the eye stands as seen from the target, in degrees from +x towards +y.
    pub azimuth: f32,
    /// How high it stands as seen from the target, in degrees above the level.
    pub elevation: f32,
    /// Distance from the target in metres; `None` to fit the scene.
    pub distance: Option<f32>,
    /// Vertical angle of view in degrees.
    pub field: f32,
}

impl Default for Viewpoint {
    fn default() -> Self {
        Viewpoint { eye: None, target: None, azimuth: -110.0, elevation: 14.0, distance: None, field: 42.0 }
    }
}

impl Viewpoint {
    /// The eye for a scene between two corners, `None` for an empty one.
    pub fn eye(&self, bounds: Option<([f32; 3], [f32; 3])>, width: usize, height: usize) -> Eye {
        let (low, high) = bounds.map_or((Vec3::ZERO, Vec3::ONE), |(low, high)| (low.into(), high.into()));
        let (low, high) =
            if low.is_finite() && high.is_finite() { (low, high) } else { (Vec3::ZERO, Vec3::ONE) };
        let target = self.target.unwrap_or(0.5 * (low + high));
        let position = self.eye.unwrap_or_else(|| {
            let (azimuth, elevation) = (self.azimuth.to_radians(), self.elevation.to_radians());
            let towards = Vec2::from_angle(azimuth).extend(0.0) * elevation.cos() + Vec3::Z * elevation.sin();
            target + towards * self.distance.unwrap_or_else(|| self.fitting(high - low, width, height))
        });
        Eye::new(position, target, self.field.to_radians(), width, height)
    }

    // Seen flat, a sheet looks short: its width is what must fit. Seen from above, its whole diagonal must.
    fn fitting(&self, size: Vec3, width: usize, height: usize) -> f32 {
        let radius = (0.5 * size.length()).max(1e-3);
        let steepness = self.elevation.to_radians().sin().abs();
        let tall = (0.5 * self.field.to_radians()).tan().max(0.01);
        let wide = tall * width.max(1) as f32 / height.max(1) as f32;
        let flat = 0.72 * radius / wide;
        let above = radius / tall.min(wide);
        flat.max(0.45 * radius) * (1.0 - steepness) + above * steepness
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_looks_at_the_middle_from_above() {
        let bounds = Some(([0.0, 0.0, -0.5], [60.0, 40.0, 0.5]));
        let eye = Viewpoint::default().eye(bounds, 1280, 720);
        let middle = eye.projected(eye.turned(Vec3::new(30.0, 20.0, 0.0)));
        assert!((middle - Vec2::new(640.0, 360.0)).length() < 1.0);
        assert!(eye.position.z > 1.0);
    }

    #[test]
    fn from_above_everything_is_in_the_picture() {
        let bounds = Some(([0.0, 0.0, 0.0], [10.0, 30.0, 0.0]));
        let eye = Viewpoint { elevation: 90.0, ..Viewpoint::default() }.eye(bounds, 300, 200);
        for corner in [[0.0, 0.0], [10.0, 0.0], [0.0, 30.0], [10.0, 30.0]] {
            let at = eye.projected(eye.turned(Vec3::new(corner[0], corner[1], 0.0)));
            assert!(at.x > 0.0 && at.x < 300.0 && at.y > 0.0 && at.y < 200.0, "{at}");
        }
    }

    #[test]
    fn an_empty_scene_has_an_eye() {
        assert!(Viewpoint::default().eye(None, 16, 16).position.is_finite());
    }
}
