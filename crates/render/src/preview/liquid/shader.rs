//! From what every sample sees to the light of the pixels of a liquid's picture.
//!
//! A pixel that sees one smooth piece of one surface is looked at once. One at an edge is looked at once for every
//! sample; so is one that differs much from its neighbours, as where a liquid bends the light of something with edges.

use glam::{Vec2, Vec3};

use super::particle_spheres::ParticleSpheres;
use super::ray_tracer::WhittedTracer;
use super::tank_intersector::{TankHit, TankIntersector, TankMaterial};
use crate::preview::pinhole_camera::PinholeCamera;
use crate::preview::rasteriser::{NO_PRIMITIVE, VisibilityBuffer};

/// Normals of a pixel's samples that agree by less than this cosine are looked at one by one.
const SMOOTH: f32 = 0.985;
/// So are pixels that differ by more than this share from a neighbour.
const CONTRAST: f32 = 0.22;

/// Everything needed to paint a liquid.
pub struct LiquidShader<'a> {
    /// The eye.
    pub eye: &'a PinholeCamera,
    /// What stands before it.
    pub intersector: &'a TankIntersector<'a>,
    /// Follows light.
    pub tracer: WhittedTracer<'a>,
    /// Particles that are shown as balls.
    pub particles: ParticleSpheres<'a>,
    /// Samples along the side of a pixel.
    pub samples: usize,
}

impl LiquidShader<'_> {
    /// Paints a band of rows, the first of which is number `first`.
    pub fn band(&self, band: &VisibilityBuffer, first: usize, width: usize, pixels: &mut [[f32; 3]]) {
        let mut seen = vec![NO_PRIMITIVE; self.samples * self.samples];
        let mut is_simple = vec![false; pixels.len()];
        for (place, pixel) in pixels.iter_mut().enumerate() {
            let [x, row] = [place % width, place / width];
            self.gather(band, x, row, &mut seen);
            let once = self.at_once(x, first + row, &seen);
            is_simple[place] = once.is_some();
            *pixel = once.unwrap_or_else(|| self.each(x, first + row, &seen)).to_array();
        }
        let before = pixels.to_vec();
        for place in (0..pixels.len()).filter(|&place| is_simple[place] && differs(&before, place, width)) {
            let [x, row] = [place % width, place / width];
            self.gather(band, x, row, &mut seen);
            if self.is_clear(&seen) {
                pixels[place] = self.each(x, first + row, &seen).to_array();
            }
        }
    }

    fn gather(&self, band: &VisibilityBuffer, x: usize, row: usize, seen: &mut [u32]) {
        let samples = self.samples;
        for (sample, primitive) in seen.iter_mut().enumerate() {
            *primitive = band.primitive(x * samples + sample % samples, row * samples + sample / samples);
        }
    }

    // Whether light goes on behind what is seen.
    fn is_clear(&self, seen: &[u32]) -> bool {
        let material = seen.first().and_then(|&primitive| self.intersector.material(primitive));
        matches!(material, Some(TankMaterial::Water | TankMaterial::Glass))
    }

    fn at_once(&self, x: usize, y: usize, seen: &[u32]) -> Option<Vec3> {
        let direction = self.eye.ray_direction(Vec2::new(x as f32, y as f32) + 0.5);
        let (&one, &other) = (seen.first()?, seen.last()?);
        if seen.iter().all(|&primitive| primitive == NO_PRIMITIVE) {
            return Some(self.look(direction, None));
        }
        let is_plain = |&primitive: &u32| {
            primitive != NO_PRIMITIVE
                && !self.particles.are(primitive)
                && self.intersector.is_same_surface(primitive, one)
        };
        if !seen.iter().all(is_plain) {
            return None;
        }
        let hit = |primitive: u32| self.intersector.seen(primitive, self.eye.position, direction);
        let (one, other) = (hit(one)?, hit(other)?);
        let is_smooth = one.normal.dot(other.normal) > SMOOTH
            && one.is_outside == other.is_outside
            && (one.distance - other.distance).abs() < 0.02 * one.distance;
        is_smooth.then(|| self.look(direction, Some(one)))
    }

    fn each(&self, x: usize, y: usize, seen: &[u32]) -> Vec3 {
        let corner = Vec2::new(x as f32, y as f32);
        let sample = |(sample, &primitive): (usize, &u32)| {
            let offset = Vec2::new((sample % self.samples) as f32, (sample / self.samples) as f32) + 0.5;
            let direction = self.eye.ray_direction(corner + offset / self.samples as f32);
            if self.particles.are(primitive) {
                return self.particles.light(
                    primitive,
                    self.eye.position,
                    direction,
                    self.tracer.environment,
                );
            }
            let hit = if primitive == NO_PRIMITIVE {
                None
            } else {
                self.intersector.seen(primitive, self.eye.position, direction)
            };
            self.look(direction, hit)
        };
        seen.iter().enumerate().map(sample).sum::<Vec3>() / seen.len().max(1) as f32
    }

    // The light of a ray of the eye, with what the panes before it mirror.
    fn look(&self, direction: Vec3, hit: Option<TankHit>) -> Vec3 {
        let light = self.tracer.radiance(self.eye.position, direction, hit);
        // A pane that a liquid lies against is before it.
        let limit = hit.map_or(f32::INFINITY, |hit| hit.distance + self.tracer.media.contact);
        let panes = self.tracer.environment.tank.panes(self.eye.position, direction, limit);
        panes.fold(light, |light, (share, mirrored)| {
            light * (1.0 - share) + self.tracer.environment.beyond(self.eye.position, mirrored, false) * share
        })
    }
}

fn brightness(pixel: [f32; 3]) -> f32 {
    0.3 * pixel[0] + 0.6 * pixel[1] + 0.1 * pixel[2]
}

// Whether a pixel differs much from the one to the right, to the left, above or below.
fn differs(pixels: &[[f32; 3]], place: usize, width: usize) -> bool {
    let own = brightness(pixels[place]);
    let column = place % width;
    let neighbours = [
        (column > 0).then(|| place - 1),
        (column + 1 < width).then_some(place + 1),
        place.checked_sub(width),
        Some(place + width),
    ];
    neighbours.into_iter().flatten().filter_map(|other| pixels.get(other)).any(|other| {
        let other = brightness(*other);
        (own - other).abs() > CONTRAST * own.max(other)
    })
}
