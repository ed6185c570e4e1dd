//! Solid things drawn without the water, so that they can be seen through it.

use glam::Vec3;

use super::pinhole_camera::PinholeCamera;
use super::water_shader::{RefractedHit, ShadingPoint};

/// The light and distance of what every pixel would see without water; infinitely far where there is nothing solid.
#[derive(Debug)]
pub struct OpaqueBuffer {
    /// Pixels along a row.
    pub width: usize,
    /// Light and distance per pixel, rows from the top.
    pub pixels: Vec<(Vec3, f32)>,
}

impl OpaqueBuffer {
    /// What lies along the refracted `ray` below a spot of water that the eye sees along `direction`.
    ///
    /// The straight look tells about how deep it is there; the pixel where the bent ray would end at that depth shows
    /// what is seen, unless something in front of the water hides it.
    pub fn below(
        &self,
        eye: &PinholeCamera,
        spot: &ShadingPoint,
        direction: Vec3,
        ray: Vec3,
    ) -> Option<RefractedHit> {
        let straight = self.at(eye, spot.point)?;
        let depth = (straight.1 - spot.distance) * -direction.z;
        let path = (depth / (-ray.z).max(0.05)).max(0.0);
        if !path.is_finite() {
            return None;
        }
        let bent = self.at(eye, spot.point + ray * path).filter(|bent| bent.1 > spot.distance);
        let (radiance, distance) = bent.unwrap_or(straight);
        let path = distance - spot.distance;
        path.is_finite().then_some(RefractedHit { radiance, path: path.max(0.0) })
    }

    // The pixel that shows a point, or the nearest one at the picture's edge; `None` behind the eye.
    fn at(&self, eye: &PinholeCamera, point: Vec3) -> Option<(Vec3, f32)> {
        let turned = eye.to_view_space(point);
        let pixel = eye.project(turned);
        let rows = self.pixels.len() / self.width.max(1);
        let column = (pixel.x.max(0.0) as usize).min(self.width.saturating_sub(1));
        let row = (pixel.y.max(0.0) as usize).min(rows.saturating_sub(1));
        self.pixels.get(row * self.width + column).filter(|_| turned.z > 0.0).copied()
    }
}
