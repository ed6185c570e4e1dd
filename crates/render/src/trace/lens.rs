//! Camera rays: thin lens, shutter time, and the port of an underwater housing.

use glam::Vec2;

use super::integrator::Ray;
use super::sampler::Sampler;
use super::sampling::sample_disc;
use super::scene::TraceScene;
use crate::preview::liquid::media::RayMedium;
use crate::preview::pinhole_camera::PinholeCamera;

/// A thin lens in front of the camera.
pub struct Lens<'a> {
    /// The camera.
    pub eye: &'a PinholeCamera,
    /// Radius of the lens in metres; 0 for a pinhole.
    pub radius: f32,
    /// Distance of the plane of focus, in metres.
    pub focus: f32,
    /// Distance of the port of an underwater housing, which the water line may cross; 0 for none.
    pub port: f32,
    /// Whether the camera itself is under water.
    pub is_under_water: bool,
    /// Whether things move during the exposure.
    pub has_shutter: bool,
}

impl Lens<'_> {
    /// A camera ray through a random point of the pixel whose upper left corner is `corner`.
    pub fn ray(&self, scene: &TraceScene<'_>, corner: Vec2, sampler: &mut Sampler) -> Ray {
        let eye = self.eye;
        let direction = eye.ray_direction(corner + sampler.get_2d());
        let time = if self.has_shutter { sampler.get_1d() - 0.5 } else { 0.0 };
        let (mut from, mut direction) = (eye.position, direction);
        if self.radius > 0.0 {
            let sharp = from + direction * (self.focus / direction.dot(eye.forward).max(1e-3));
            let aside = sample_disc(sampler.get_2d()) * self.radius;
            from += eye.right * aside.x + eye.up * aside.y;
            direction = (sharp - from).normalize_or(direction);
        }
        let mut water = self.is_under_water;
        if self.port > 0.0 {
            from += direction * (self.port / direction.dot(eye.forward).max(1e-3));
            water = scene.intersector.is_in_water(from, time);
        }
        let medium = RayMedium { water, glass: false };
        Ray { from, direction, medium, width: 0.0, spread: 0.7 * eye.pixel_angle(), time }
    }
}
