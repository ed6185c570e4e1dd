//! The orthographic camera of a page: pan and zoom.

use glam::{DVec2, Vec2};

/// The visible part of the plane, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageCamera {
    /// The centre of the pane.
    pub centre: Vec2,
    /// Height of the pane.
    pub height: f32,
    /// Corners of the contents.
    contents: [Vec2; 2],
}

impl PageCamera {
    /// Fits everything between two corners into a pane with this ratio of width to height, with a margin around it of so
    /// many heights of the pane.
    pub fn fitting([low, high]: [Vec2; 2], margin: f32, aspect: f32) -> PageCamera {
        let size = (high - low).max(Vec2::splat(1e-6));
        let (margin, aspect) = (margin.clamp(0.0, 0.45), aspect.max(1e-3));
        let height = (size.y / (1.0 - 2.0 * margin)).max(size.x / (aspect - 2.0 * margin).max(1e-3));
        PageCamera { centre: 0.5 * (low + high), height, contents: [low, high] }
    }

    /// The point of the plane at a pane position, in points from its upper left corner.
    pub fn unproject(&self, position: Vec2, size: Vec2) -> DVec2 {
        let scale = self.height / size.y.max(1.0);
        let offset = (position - 0.5 * size) * scale;
        DVec2::new(f64::from(self.centre.x + offset.x), f64::from(self.centre.y - offset.y))
    }

    /// The pane position of a point of the plane, in points from its upper left corner.
    pub fn project(&self, point: Vec2, size: Vec2) -> Vec2 {
        let offset = (point - self.centre) * size.y.max(1.0) / self.height;
        0.5 * size + Vec2::new(offset.x, -offset.y)
    }

    /// Pans by a drag in points.
    pub fn pan(&mut self, drag: Vec2, size: Vec2) {
        self.centre += Vec2::new(-drag.x, drag.y) * self.height / size.y.max(1.0);
    }

    /// Scales the visible height about the point under the pointer.
    pub fn zoom(&mut self, factor: f32, position: Vec2, size: Vec2) {
        if !(factor.is_finite() && factor > 0.0) {
            return;
        }
        let extent = (self.contents[1] - self.contents[0]).max_element().max(1e-6);
        let before = self.unproject(position, size).as_vec2();
        self.height = (self.height * factor).clamp(1e-3 * extent, 20.0 * extent);
        self.centre += before - self.unproject(position, size).as_vec2();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projection_is_invertible_and_zoom_keeps_the_point_under_the_pointer() {
        let size = Vec2::new(400.0, 200.0);
        let mut page = PageCamera::fitting([Vec2::ZERO, Vec2::new(2.0, 1.0)], 0.1, 2.0);
        let position = Vec2::new(333.0, 41.0);
        let point = page.unproject(position, size);
        assert!((page.project(point.as_vec2(), size) - position).length() < 1e-2);
        page.zoom(0.3, position, size);
        assert!((page.unproject(position, size) - point).length() < 1e-5);
    }
}
