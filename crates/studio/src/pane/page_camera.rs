//! The page of a pane that is looked at straight on: which part of it is seen.

use glam::{DVec2, Vec2};

/// The part of a plane that is seen, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageCamera {
    /// The point in the middle of the pane.
    pub centre: Vec2,
    /// Metres from the upper to the lower edge.
    pub height: f32,
    /// Corners of what there is to see.
    whole: [Vec2; 2],
}

impl PageCamera {
    /// A page that shows everything between two corners in a pane whose width is so many times its height.
    pub fn fitting(low: Vec2, high: Vec2, aspect: f32) -> PageCamera {
        let size = (high - low).max(Vec2::splat(1e-6));
        let height = size.y.max(size.x / aspect.max(1e-3)) * 1.06;
        PageCamera { centre: 0.5 * (low + high), height, whole: [low, high] }
    }

    /// The point under a place of the pane, given in points from its upper left corner.
    pub fn under(&self, place: Vec2, size: Vec2) -> DVec2 {
        let scale = self.height / size.y.max(1.0);
        let offset = (place - 0.5 * size) * scale;
        DVec2::new(f64::from(self.centre.x + offset.x), f64::from(self.centre.y - offset.y))
    }

    /// Where a point of the plane is in the pane, in points from its upper left corner.
    pub fn place(&self, point: Vec2, size: Vec2) -> Vec2 {
        let offset = (point - self.centre) * size.y.max(1.0) / self.height;
        0.5 * size + Vec2::new(offset.x, -offset.y)
    }

    /// Moves by a drag of so many points.
    pub fn pan(&mut self, drag: Vec2, size: Vec2) {
        self.centre += Vec2::new(-drag.x, drag.y) * self.height / size.y.max(1.0);
    }

    /// Comes nearer to, or goes away from, the place under the pointer.
    pub fn zoom(&mut self, factor: f32, place: Vec2, size: Vec2) {
        if !(factor.is_finite() && factor > 0.0) {
            return;
        }
        let whole = (self.whole[1] - self.whole[0]).max_element().max(1e-6);
        let before = self.under(place, size).as_vec2();
        self.height = (self.height * factor).clamp(1e-3 * whole, 20.0 * whole);
        self.centre += before - self.under(place, size).as_vec2();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_points_belong_together_and_zooming_holds_the_pointer() {
        let size = Vec2::new(400.0, 200.0);
        let mut page = PageCamera::fitting(Vec2::ZERO, Vec2::new(2.0, 1.0), 2.0);
        let place = Vec2::new(333.0, 41.0);
        let point = page.under(place, size);
        assert!((page.place(point.as_vec2(), size) - place).length() < 1e-2);
        page.zoom(0.3, place, size);
        assert!((page.under(place, size) - point).length() < 1e-5);
    }
}
