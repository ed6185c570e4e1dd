//! Scissor rectangles: the part of a picture that bounding boxes cover.

use glam::{Vec2, Vec3};
use undine_render::preview::PinholeCamera;

/// A rectangle as fractions of the picture's width and height, from the upper left corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScissorRect {
    low: Vec2,
    high: Vec2,
}

impl ScissorRect {
    /// The whole picture.
    pub const FULL: ScissorRect = ScissorRect { low: Vec2::ZERO, high: Vec2::ONE };

    /// The bounding rectangle of projected boxes; `None` without boxes. A box that reaches behind the eye covers
    /// everything.
    pub fn of(boxes: impl Iterator<Item = [Vec3; 2]>, camera: &PinholeCamera) -> Option<ScissorRect> {
        let rects = boxes.map(|bounds| ScissorRect::of_box(bounds, camera));
        rects.reduce(|a, b| ScissorRect { low: a.low.min(b.low), high: a.high.max(b.high) })
    }

    fn of_box(bounds: [Vec3; 2], camera: &PinholeCamera) -> ScissorRect {
        let corners = (0..8).map(|corner| {
            let at = Vec3::new(bounds[corner & 1].x, bounds[corner >> 1 & 1].y, bounds[corner >> 2].z);
            camera.to_view_space(at)
        });
        let mut rect = ScissorRect { low: Vec2::INFINITY, high: Vec2::NEG_INFINITY };
        for corner in corners {
            if corner.z <= 1e-3 * camera.target_distance.max(1.0) {
                return ScissorRect::FULL;
            }
            let plane = Vec2::new(corner.x, -corner.y) / (corner.z * camera.half_extent());
            let uv = 0.5 * (plane + 1.0);
            rect = ScissorRect { low: rect.low.min(uv), high: rect.high.max(uv) };
        }
        rect
    }

    /// Left, top, width and height in pixels of a picture of this size, with a margin for filters; `None` if it is
    /// outside the picture.
    pub fn pixels(&self, size: [u32; 2]) -> Option<[u32; 4]> {
        let size = Vec2::new(size[0] as f32, size[1] as f32);
        let low = (self.low * size - 4.0).floor().clamp(Vec2::ZERO, size);
        let high = (self.high * size + 4.0).ceil().clamp(Vec2::ZERO, size);
        let span = high - low;
        (span.min_element() >= 1.0).then_some([low.x, low.y, span.x, span.y].map(|pixels| pixels as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rectangle_covers_the_projected_boxes() {
        let camera = PinholeCamera::new(Vec3::new(0.0, -10.0, 0.0), Vec3::ZERO, 0.5, 400, 200);
        let unit = [Vec3::splat(-0.5), Vec3::splat(0.5)];
        let rect = ScissorRect::of([unit].into_iter(), &camera).unwrap();
        let [left, top, width, height] = rect.pixels([400, 200]).unwrap();
        assert!(left > 100 && left + width < 300 && top > 50 && top + height < 150, "{rect:?}");
        let aside = unit.map(|corner| corner + 100.0 * Vec3::X);
        assert_eq!(
            ScissorRect::of([aside].into_iter(), &camera).and_then(|rect| rect.pixels([400, 200])),
            None
        );
        let around = [Vec3::splat(-20.0), Vec3::splat(20.0)];
        assert_eq!(ScissorRect::of([around].into_iter(), &camera), Some(ScissorRect::FULL));
        assert_eq!(ScissorRect::of(std::iter::empty(), &camera), None);
    }
}
