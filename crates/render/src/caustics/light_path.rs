//! A ray of sunlight from the water surface to its end.

use glam::DVec3;

use super::body_lightmap::BodyPoint;
use super::fresnel::{INDEX, facing_normal, reflect, transmit};
use super::scene::CausticsScene;

/// Surfaces after which a ray is given up.
const MAX_SURFACES: usize = 8;

/// Where a ray ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PathEnd {
    /// On the floor.
    Floor(DVec3),
    /// On a body.
    Body(BodyPoint),
    /// Outside of everything.
    Away,
}

/// The path of the light that met a point of the water surface. Fractions are of the light that came from the sun;
/// `received`, `absorbed` and `escaped` add up to 1.
#[derive(Debug, Clone, Copy)]
pub struct LightPath {
    /// Its end.
    pub end: PathEnd,
    /// Fraction transmitted into the water.
    pub transmitted: f64,
    /// Fraction received at the end.
    pub received: DVec3,
    /// Fraction absorbed by the water.
    pub absorbed: DVec3,
    /// Fraction reflected, or transmitted out of reach.
    pub escaped: DVec3,
    /// Code of the sequence of surfaces; equal for rays that met the same kinds in the same order.
    pub history: u64,
}

impl LightPath {
    /// The path of a point in shadow.
    pub const DARK: LightPath = LightPath {
        end: PathEnd::Away,
        transmitted: 0.0,
        received: DVec3::ZERO,
        absorbed: DVec3::ZERO,
        escaped: DVec3::ZERO,
        history: u64::MAX,
    };

    /// Whether the sun reaches the water surface there.
    pub fn is_lit(&self) -> bool {
        self.history != u64::MAX
    }
}

/// The closest thing along a ray.
enum NextHit {
    Floor(DVec3),
    Body(BodyPoint),
    Water { point: DVec3, normal: DVec3, face: DVec3, is_outside: bool },
}

impl CausticsScene {
    /// Whether the sun reaches a point of the water surface with geometric normal `face`.
    pub fn is_lit(&self, point: DVec3, face: DVec3) -> bool {
        let start = point + face * self.ray_offset;
        face.dot(self.sun) > 0.0
            && self.floor.is_lit(point, self.sun)
            && self.bodies.as_ref().is_none_or(|bodies| bodies.closest_hit(start, self.sun, 1e6).is_none())
            && self.closest_water(point + face * (0.1 * self.contact), self.sun, 1e6).is_none()
    }

    /// Traces sunlight from a point of the water surface with this shading normal.
    pub fn trace(&self, point: DVec3, normal: DVec3, face: DVec3, is_closed: bool) -> LightPath {
        if !self.is_lit(point, face) {
            return LightPath::DARK;
        }
        let normal = facing_normal(normal, face, -self.sun);
        let Some((direction, transmitted)) = transmit(-self.sun, normal, INDEX) else {
            return LightPath::DARK;
        };
        // A steep shading normal must not send light out through its own face.
        let out = direction.dot(face);
        let direction =
            if out < -1e-3 { direction } else { (direction - face * (out + 1e-3)).normalize_or(-face) };
        let escaped = DVec3::splat(1.0 - transmitted);
        let light_path = LightPath {
            transmitted,
            received: DVec3::splat(transmitted),
            escaped,
            history: 0,
            ..LightPath::DARK
        };
        let start = if is_closed { point - face * self.ray_offset } else { point };
        if self.is_open() {
            self.trace_to_floor(light_path, start, direction)
        } else {
            self.trace_with_bodies(light_path, start, direction)
        }
    }

    // A straight ray to the floor.
    fn trace_to_floor(&self, mut light_path: LightPath, from: DVec3, direction: DVec3) -> LightPath {
        match self.floor.intersect(from, direction) {
            Some(length) => {
                light_path.attenuate(self, length);
                light_path.end = PathEnd::Floor(from + direction * length);
            }
            None => light_path.escape(),
        }
        light_path
    }

    fn trace_with_bodies(
        &self,
        mut light_path: LightPath,
        mut from: DVec3,
        mut direction: DVec3,
    ) -> LightPath {
        let mut is_inside = true;
        for _ in 0..MAX_SURFACES {
            // The next surface, with absorption up to it.
            let Some((length, hit)) = self.closest_hit(from, direction) else { break };
            if is_inside {
                light_path.attenuate(self, length);
            }
            // The floor and bodies end the path; water refracts or reflects it totally.
            match hit {
                NextHit::Floor(point) => {
                    light_path.end = PathEnd::Floor(point);
                    return light_path.with_event(1);
                }
                NextHit::Body(point) => {
                    light_path.end = PathEnd::Body(point);
                    return light_path.with_event(2);
                }
                NextHit::Water { point, normal, face, is_outside } => {
                    // A ray that meets the outside of a surface is in air, whatever it was before.
                    let index = if is_outside { INDEX } else { 1.0 / INDEX };
                    let normal = facing_normal(normal, face, direction);
                    match transmit(direction, normal, index) {
                        Some((refracted, transmittance)) => {
                            light_path.transmit(transmittance);
                            direction = refracted - face * (refracted.dot(face) + 1e-3).max(0.0);
                            from = point - face * self.ray_offset;
                            is_inside = is_outside;
                            light_path = light_path.with_event(if is_outside { 3 } else { 4 });
                        }
                        None => {
                            direction = reflect(direction, normal);
                            from = point + face * self.ray_offset;
                            light_path = light_path.with_event(5);
                        }
                    }
                    direction = direction.normalize_or(-DVec3::Z);
                }
            }
        }
        light_path.escape();
        light_path.with_event(6)
    }

    fn closest_hit(&self, from: DVec3, direction: DVec3) -> Option<(f64, NextHit)> {
        let floor = self.floor.intersect(from, direction);
        let limit = floor.unwrap_or(1e6);
        let body = self.bodies.as_ref().and_then(|bodies| bodies.closest_hit(from, direction, limit));
        let (limit, solid) = match body {
            Some((length, point)) => (length, Some((length, NextHit::Body(point)))),
            None => (limit, floor.map(|length| (length, NextHit::Floor(from + direction * length)))),
        };
        // No gap of air remains between water and a surface in contact with it.
        let before = if solid.is_some() { limit - self.contact } else { limit };
        self.closest_water(from, direction, before).or(solid)
    }

    fn closest_water(&self, from: DVec3, direction: DVec3, limit: f64) -> Option<(f64, NextHit)> {
        let bvh = self.closed.as_ref().filter(|_| limit > 0.0)?;
        let triangle_hit = bvh.closest_hit(from.as_vec3(), direction.as_vec3(), limit as f32)?;
        let &(surface, triangle) = self.owners.get(triangle_hit.triangle as usize)?;
        let surface = &self.surfaces[surface as usize];
        let triangle = surface.triangles[triangle as usize];
        let [a, b, c] = surface.corners(triangle);
        let [na, nb, nc] = surface.normals_of(triangle);
        let [second, third] = triangle_hit.barycentric.map(f64::from);
        let face = (b - a).cross(c - a).normalize_or(-direction);
        let normal = (na * (1.0 - second - third) + nb * second + nc * third).normalize_or(face);
        let is_outside = face.dot(direction) <= 0.0;
        let (normal, face) = if is_outside { (normal, face) } else { (-normal, -face) };
        let length = f64::from(triangle_hit.distance);
        Some((length, NextHit::Water { point: from + direction * length, normal, face, is_outside }))
    }
}

impl LightPath {
    fn attenuate(&mut self, scene: &CausticsScene, length: f64) {
        let left = self.received * scene.transmittance(length);
        self.absorbed += self.received - left;
        self.received = left;
    }

    fn transmit(&mut self, transmittance: f64) {
        self.escaped += self.received * (1.0 - transmittance);
        self.received *= transmittance;
    }

    fn escape(&mut self) {
        self.escaped += self.received;
        self.received = DVec3::ZERO;
        self.end = PathEnd::Away;
    }

    fn with_event(self, step: u64) -> LightPath {
        LightPath { history: self.history * 7 + step, ..self }
    }
}
