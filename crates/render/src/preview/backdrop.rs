//! Solid things drawn without the water, so that they can be seen through it.

use glam::Vec3;

use super::camera::Eye;
use super::water::{Below, Spot};

/// The light and distance of what every pixel would see without water; infinitely far where there is nothing solid.
#[derive(Debug)]
pub struct Backdrop {
    /// Pixels along a row.
    pub width: usize,
    /// Light and distance per pixel, rows from the top.
    pub pixels: Vec<(Vec3, f32)>,
}

impl Backdrop {
    /// What lies along the refracted `ray` below a spot of water that the eye sees along `direction`.
    ///
    /// The straight look tells about how deep it is there; the pixel where the bent ray would end at that depth shows
    /// what is seen, unless something in front of the water hides it.
    pub fn below(&self, eye: &Eye, spot: &Spot, direction: Vec3, ray: Vec3) -> Option<Below> {
        let straight = self.at(eye, spot.point)?;
        let depth = (straight.1 - spot.distance) * -direction.z;
        let path = (depth / (-ray.z).max(0.05)).max(0.0);
        if !path.is_finite() {
            return None;
        }
        let bent =
            self.at(eye, spot.point + ray * path).filter(|bent| bent.1 > spot.distance && bent.1.is_finite());
        let (radiance, _) = bent.unwrap_or(straight);
        Some(Below { radiance, path })
    }

    fn at(&self, eye: &Eye, point: Vec3) -> Option<(Vec3, f32)> {
        let turned = eye.turned(point);
        let pixel = eye.projected(turned);
        let inside = turned.z > 0.0 && pixel.x >= 0.0 && pixel.x < self.width as f32 && pixel.y >= 0.0;
        let index = pixel.y as usize * self.width + pixel.x as usize;
        self.pixels.get(index).filter(|_| inside).copied()
    }
}
