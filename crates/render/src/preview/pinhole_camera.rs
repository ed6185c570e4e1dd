//! Pinhole camera: projection between world, view space and pixels.

use glam::{Vec2, Vec3};
use undine_surface::QuadtreeView;

/// A pinhole camera for a picture of a given size.
#[derive(Debug, Clone, PartialEq)]
pub struct PinholeCamera {
    /// Position.
    pub position: Vec3,
    /// Unit vector to the right in the picture.
    pub right: Vec3,
    /// Unit vector up in the picture.
    pub up: Vec3,
    /// Unit view direction.
    pub forward: Vec3,
    /// Distance of the look-at point.
    pub target_distance: f32,
    /// Half the picture's width and height at distance one.
    half_extent: Vec2,
    /// Size of the picture in pixels.
    size: Vec2,
}

impl PinholeCamera {
    /// A camera at `position` that looks at `target`; `field` is the vertical field of view in radians.
    ///
    /// Any input gives a usable camera: one that looks straight down has +y up, one at its own target looks along +x.
    pub fn new(position: Vec3, target: Vec3, field: f32, width: usize, height: usize) -> Self {
        let finite = |v: Vec3, otherwise: Vec3| if v.is_finite() { v } else { otherwise };
        let position = finite(position, Vec3::ZERO);
        let towards = finite(target, position + Vec3::X) - position;
        let (forward, target_distance) = (towards.normalize_or(Vec3::X), towards.length());
        let side = forward.cross(Vec3::Z);
        // Looking straight up or down, up in the picture is north
        let right = if side.length_squared() > 1e-8 { side.normalize() } else { Vec3::X };
        let up = right.cross(forward);
        let field = if field.is_finite() { field.clamp(0.01, 3.0) } else { 0.7 };
        let tall = (0.5 * field).tan();
        let size = Vec2::new(width.max(1) as f32, height.max(1) as f32);
        PinholeCamera {
            position,
            right,
            up,
            forward,
            target_distance,
            half_extent: Vec2::new(tall * size.x / size.y, tall),
            size,
        }
    }

    /// Unit direction of the ray through a point of the picture, in pixels from its top left corner.
    pub fn ray_direction(&self, pixel: Vec2) -> Vec3 {
        let plane = (pixel / self.size * 2.0 - 1.0) * self.half_extent;
        (self.forward + self.right * plane.x - self.up * plane.y).normalize()
    }

    /// A world point in view space: (right, up, forward).
    pub fn to_view_space(&self, point: Vec3) -> Vec3 {
        let offset = point - self.position;
        Vec3::new(offset.dot(self.right), offset.dot(self.up), offset.dot(self.forward))
    }

    /// Projects a view-space point in front of the camera to pixels.
    pub fn project(&self, view_space: Vec3) -> Vec2 {
        let plane = Vec2::new(view_space.x, -view_space.y) / (view_space.z * self.half_extent);
        (plane + 1.0) * 0.5 * self.size
    }

    /// Focal length in pixels.
    pub fn focal_length(&self) -> f32 {
        0.5 * self.size.y / self.half_extent.y
    }

    /// The angle that a pixel spans, in radians.
    pub fn pixel_angle(&self) -> f32 {
        1.0 / self.focal_length()
    }

    /// The viewpoint that the mesh of a large water is made for.
    pub fn quadtree_view(&self) -> QuadtreeView {
        QuadtreeView {
            eye: self.position,
            right: self.right,
            up: self.up,
            forward: self.forward,
            half_extent: self.half_extent,
            pixel_angle: self.pixel_angle(),
        }
    }

    /// Half the width and height of the view at distance one.
    pub fn half_extent(&self) -> Vec2 {
        self.half_extent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projection_undoes_rays() {
        let eye = PinholeCamera::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(9.0, -4.0, 0.0), 0.8, 320, 200);
        for pixel in [Vec2::new(0.0, 0.0), Vec2::new(200.5, 17.0), Vec2::new(320.0, 200.0)] {
            let point = eye.position + 7.0 * eye.ray_direction(pixel);
            assert!((eye.project(eye.to_view_space(point)) - pixel).length() < 1e-2);
        }
    }

    #[test]
    fn up_is_up_and_right_is_right() {
        let eye = PinholeCamera::new(Vec3::ZERO, Vec3::Y, 1.0, 100, 100);
        assert!((eye.right - Vec3::X).length() < 1e-6 && (eye.up - Vec3::Z).length() < 1e-6);
        assert!(eye.ray_direction(Vec2::new(50.0, 0.0)).z > 0.0);
    }

    #[test]
    fn degenerate_cameras_are_usable() {
        let strange = [
            (Vec3::ZERO, -Vec3::Z, 1.0),
            (Vec3::ONE, Vec3::ONE, 1.0),
            (Vec3::splat(f32::NAN), Vec3::ZERO, 1.0),
            (Vec3::ZERO, Vec3::splat(f32::INFINITY), f32::NAN),
        ];
        for (position, target, field) in strange {
            let eye = PinholeCamera::new(position, target, field, 0, 7);
            let direction = eye.ray_direction(Vec2::new(0.5, 3.0));
            assert!((direction.length() - 1.0).abs() < 1e-5);
            assert!(eye.up.is_finite() && eye.right.is_finite());
        }
    }
}
