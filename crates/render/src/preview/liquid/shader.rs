//! Shading of a liquid's picture from primary visibility.
//!
//! A pixel on one smooth piece of one surface is shaded once. One at an edge is shaded once for every sample; so is
//! one of high contrast to its neighbours, as where the liquid refracts something with edges.

use glam::{Vec2, Vec3};

use super::particle_spheres::ParticleSpheres;
use super::ray_tracer::WhittedTracer;
use super::tank_intersector::{TankHit, TankIntersector, TankMaterial};
use crate::preview::pinhole_camera::PinholeCamera;
use crate::preview::rasteriser::{NO_PRIMITIVE, VisibilityBuffer};

/// Pixels whose samples' normals are farther apart than this cosine are supersampled.
const SMOOTH: f32 = 0.985;
/// So are pixels whose relative contrast to a neighbour is higher.
const CONTRAST: f32 = 0.22;

/// The shader of a liquid's picture.
pub struct LiquidShader<'a> {
    /// The camera.
    pub eye: &'a PinholeCamera,
    /// Ray intersection.
    pub intersector: &'a TankIntersector<'a>,
    /// Secondary rays.
    pub tracer: WhittedTracer<'a>,
    /// Particles that are shown as spheres.
    pub particles: ParticleSpheres<'a>,
    /// Samples along the side of a pixel.
    pub samples: usize,
}

impl LiquidShader<'_> {
    /// Shades a band of rows, the first of which is number `first`.
    pub fn shade_band(&self, band: &VisibilityBuffer, first: usize, width: usize, pixels: &mut [[f32; 3]]) {
        let mut visible = vec![NO_PRIMITIVE; self.samples * self.samples];
        let mut is_shaded_once = vec![false; pixels.len()];
        for (index, pixel) in pixels.iter_mut().enumerate() {
            let [x, row] = [index % width, index / width];
            self.visible_primitives(band, x, row, &mut visible);
            let once = self.shade_once(x, first + row, &visible);
            is_shaded_once[index] = once.is_some();
            *pixel = once.unwrap_or_else(|| self.supersample(x, first + row, &visible)).to_array();
        }
        let before = pixels.to_vec();
        for index in
            (0..pixels.len()).filter(|&index| is_shaded_once[index] && has_contrast(&before, index, width))
        {
            let [x, row] = [index % width, index / width];
            self.visible_primitives(band, x, row, &mut visible);
            if self.is_clear(&visible) {
                pixels[index] = self.supersample(x, first + row, &visible).to_array();
            }
        }
    }

    fn visible_primitives(&self, band: &VisibilityBuffer, x: usize, row: usize, visible: &mut [u32]) {
        let samples = self.samples;
        for (sample, primitive) in visible.iter_mut().enumerate() {
            *primitive = band.primitive(x * samples + sample % samples, row * samples + sample / samples);
        }
    }

    // Whether what is visible transmits light.
    fn is_clear(&self, visible: &[u32]) -> bool {
        let material = visible.first().and_then(|&primitive| self.intersector.material(primitive));
        matches!(material, Some(TankMaterial::Water | TankMaterial::Glass))
    }

    fn shade_once(&self, x: usize, y: usize, visible: &[u32]) -> Option<Vec3> {
        let direction = self.eye.ray_direction(Vec2::new(x as f32, y as f32) + 0.5);
        let (&one, &other) = (visible.first()?, visible.last()?);
        if visible.iter().all(|&primitive| primitive == NO_PRIMITIVE) {
            return Some(self.camera_radiance(direction, None));
        }
        let is_plain = |&primitive: &u32| {
            primitive != NO_PRIMITIVE
                && !self.particles.contains(primitive)
                && self.intersector.is_same_surface(primitive, one)
        };
        if !visible.iter().all(is_plain) {
            return None;
        }
        let hit = |primitive: u32| self.intersector.camera_hit(primitive, self.eye.position, direction);
        let (one, other) = (hit(one)?, hit(other)?);
        let is_smooth = one.normal.dot(other.normal) > SMOOTH
            && one.is_outside == other.is_outside
            && (one.distance - other.distance).abs() < 0.02 * one.distance;
        is_smooth.then(|| self.camera_radiance(direction, Some(one)))
    }

    fn supersample(&self, x: usize, y: usize, visible: &[u32]) -> Vec3 {
        let corner = Vec2::new(x as f32, y as f32);
        let sample = |(sample, &primitive): (usize, &u32)| {
            let offset = Vec2::new((sample % self.samples) as f32, (sample / self.samples) as f32) + 0.5;
            let direction = self.eye.ray_direction(corner + offset / self.samples as f32);
            if self.particles.contains(primitive) {
                return self.particles.radiance(
                    primitive,
                    self.eye.position,
                    direction,
                    self.tracer.environment,
                );
            }
            let hit = if primitive == NO_PRIMITIVE {
                None
            } else {
                self.intersector.camera_hit(primitive, self.eye.position, direction)
            };
            self.camera_radiance(direction, hit)
        };
        visible.iter().enumerate().map(sample).sum::<Vec3>() / visible.len().max(1) as f32
    }

    // Radiance of a camera ray, with the reflections of the panes in front of the hit.
    fn camera_radiance(&self, direction: Vec3, hit: Option<TankHit>) -> Vec3 {
        let light = self.tracer.radiance(self.eye.position, direction, hit);
        // A pane in contact with the liquid is in front of it.
        let limit = hit.map_or(f32::INFINITY, |hit| hit.distance + self.tracer.media.contact);
        let panes = self.tracer.environment.tank.panes(self.eye.position, direction, limit);
        panes.fold(light, |light, (reflectance, reflected)| {
            light * (1.0 - reflectance)
                + self.tracer.environment.background(self.eye.position, reflected, false) * reflectance
        })
    }
}

fn luminance(pixel: [f32; 3]) -> f32 {
    0.3 * pixel[0] + 0.6 * pixel[1] + 0.1 * pixel[2]
}

// Whether a pixel has high contrast to one of its four neighbours.
fn has_contrast(pixels: &[[f32; 3]], index: usize, width: usize) -> bool {
    let own = luminance(pixels[index]);
    let column = index % width;
    let neighbours = [
        (column > 0).then(|| index - 1),
        (column + 1 < width).then_some(index + 1),
        index.checked_sub(width),
        Some(index + width),
    ];
    neighbours.into_iter().flatten().filter_map(|other| pixels.get(other)).any(|other| {
        let other = luminance(*other);
        (own - other).abs() > CONTRAST * own.max(other)
    })
}
