//! Opaque buffer: the scene without water, for screen-space refraction.

use glam::Vec3;

use super::pinhole_camera::PinholeCamera;
use super::water_shader::{RefractedHit, ShadingPoint};

/// Radiance and distance of the opaque geometry at every pixel; infinite distance where there is none.
#[derive(Debug)]
pub struct OpaqueBuffer {
    /// Pixels along a row.
    pub width: usize,
    /// Radiance and distance per pixel, rows from the top.
    pub pixels: Vec<(Vec3, f32)>,
}

impl OpaqueBuffer {
    /// Screen-space refraction: what the refracted `ray` meets below a shading point seen along `direction`.
    ///
    /// The depth is taken from the unrefracted ray; the pixel of the refracted ray's end at that depth gives the result,
    /// unless geometry in front of the water occludes it.
    pub fn refract(
        &self,
        eye: &PinholeCamera,
        shading_point: &ShadingPoint,
        direction: Vec3,
        ray: Vec3,
    ) -> Option<RefractedHit> {
        let straight = self.at(eye, shading_point.point)?;
        let depth = (straight.1 - shading_point.distance) * -direction.z;
        let path = (depth / (-ray.z).max(0.05)).max(0.0);
        if !path.is_finite() {
            return None;
        }
        let bent =
            self.at(eye, shading_point.point + ray * path).filter(|bent| bent.1 > shading_point.distance);
        let (radiance, distance) = bent.unwrap_or(straight);
        let path = distance - shading_point.distance;
        path.is_finite().then_some(RefractedHit { radiance, path: path.max(0.0) })
    }

    // The pixel that a point projects to, clamped to the picture; `None` behind the camera.
    fn at(&self, eye: &PinholeCamera, point: Vec3) -> Option<(Vec3, f32)> {
        let view_point = eye.to_view_space(point);
        let pixel = eye.project(view_point);
        let rows = self.pixels.len() / self.width.max(1);
        let column = (pixel.x.max(0.0) as usize).min(self.width.saturating_sub(1));
        let row = (pixel.y.max(0.0) as usize).min(rows.saturating_sub(1));
        self.pixels.get(row * self.width + column).filter(|_| view_point.z > 0.0).copied()
    }
}
