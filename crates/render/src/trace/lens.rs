//! The lens: where rays of the eye start, and when.

use glam::Vec2;

use super::numbers::Numbers;
use super::path::Ray;
use super::place::Place;
use super::spread::on_disc;
use crate::preview::camera::Eye;
use crate::preview::liquid::media::Inside;

/// A thin lens before the eye.
pub struct Lens<'a> {
    /// The eye.
    pub eye: &'a Eye,
    /// Radius of the lens in metres; 0 for a pinhole.
    pub radius: f32,
    /// Distance at which things are sharp.
    pub focus: f32,
    /// Distance of the window of an underwater housing, which water may cross; 0 for none.
    pub port: f32,
    /// Whether the eye itself is under water.
    pub is_under_water: bool,
    /// Whether things move while the shutter is open.
    pub has_shutter: bool,
}

impl Lens<'_> {
    /// A ray through a random point of the pixel whose upper left corner is at `corner`.
    pub fn ray(&self, place: &Place<'_>, corner: Vec2, numbers: &mut Numbers) -> Ray {
        let eye = self.eye;
        let direction = eye.through(corner + numbers.pair());
        let time = if self.has_shutter { numbers.one() - 0.5 } else { 0.0 };
        let (mut from, mut direction) = (eye.position, direction);
        if self.radius > 0.0 {
            let sharp = from + direction * (self.focus / direction.dot(eye.ahead).max(1e-3));
            let aside = on_disc(numbers.pair()) * self.radius;
            from += eye.right * aside.x + eye.up * aside.y;
            direction = (sharp - from).normalize_or(direction);
        }
        let mut water = self.is_under_water;
        if self.port > 0.0 {
            from += direction * (self.port / direction.dot(eye.ahead).max(1e-3));
            water = place.world.is_in_water(from, time);
        }
        let inside = Inside { water, glass: false };
        Ray { from, direction, inside, width: 0.0, spread: 0.7 * eye.pixel_angle(), time }
    }
}
