//! A ray of sunlight on its way from the surface of the water to where it ends.

use glam::DVec3;

use super::body_lightmap::BodyPoint;
use super::fresnel::{INDEX, facing_normal, reflect, transmit};
use super::scene::CausticsScene;

/// Boundaries after which a ray is given up.
const MAX_SURFACES: usize = 8;

/// Where light ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PathEnd {
    /// On the floor.
    Floor(DVec3),
    /// On a body.
    Object(BodyPoint),
    /// Out of reach.
    Away,
}

/// What became of the light that met a point of the surface. All shares are of the light that came from the sun, and
/// `landed`, `absorbed` and `lost` together are all of it.
#[derive(Debug, Clone, Copy)]
pub struct LightPath {
    /// Where it ended.
    pub end: PathEnd,
    /// The share that entered the water.
    pub transmitted: f64,
    /// The share that arrived there.
    pub received: DVec3,
    /// The share that the water took.
    pub absorbed: DVec3,
    /// The share that boundaries sent elsewhere.
    pub escaped: DVec3,
    /// The same for rays that met the same kinds of things in the same order.
    pub history: u64,
}

impl LightPath {
    /// That of light that never came.
    pub const DARK: LightPath = LightPath {
        end: PathEnd::Away,
        transmitted: 0.0,
        received: DVec3::ZERO,
        absorbed: DVec3::ZERO,
        escaped: DVec3::ZERO,
        history: u64::MAX,
    };

    /// Whether the sun reached the surface.
    pub fn is_lit(&self) -> bool {
        self.history != u64::MAX
    }
}

/// The first thing on a way.
enum NextHit {
    Floor(DVec3),
    Object(BodyPoint),
    Water { point: DVec3, normal: DVec3, face: DVec3, is_outside: bool },
}

impl CausticsScene {
    /// Whether the sun reaches a point of the surface with face normal `face`.
    pub fn is_lit(&self, point: DVec3, face: DVec3) -> bool {
        let start = point + face * self.near;
        face.dot(self.sun) > 0.0
            && self.floor.is_lit(point, self.sun)
            && self.objects.as_ref().is_none_or(|objects| objects.closest_hit(start, self.sun, 1e6).is_none())
            && self.closest_water(point + face * (0.1 * self.contact), self.sun, 1e6).is_none()
    }

    /// Follows the sun's light from a point of the surface, where it has this smooth normal, if it gets there.
    pub fn trace(&self, point: DVec3, normal: DVec3, face: DVec3, is_closed: bool) -> LightPath {
        if !self.is_lit(point, face) {
            return LightPath::DARK;
        }
        let normal = facing_normal(normal, face, -self.sun);
        let Some((along, transmitted)) = transmit(-self.sun, normal, INDEX) else { return LightPath::DARK };
        // A steep smooth normal must not send light out through its own face.
        let out = along.dot(face);
        let along = if out < -1e-3 { along } else { (along - face * (out + 1e-3)).normalize_or(-face) };
        let escaped = DVec3::splat(1.0 - transmitted);
        let light_path = LightPath {
            transmitted,
            received: DVec3::splat(transmitted),
            escaped,
            history: 0,
            ..LightPath::DARK
        };
        let start = if is_closed { point - face * self.near } else { point };
        if self.is_open() {
            self.trace_to_floor(light_path, start, along)
        } else {
            self.trace_with_objects(light_path, start, along)
        }
    }

    // Straight down to the floor.
    fn trace_to_floor(&self, mut light_path: LightPath, from: DVec3, along: DVec3) -> LightPath {
        match self.floor.intersect(from, along) {
            Some(length) => {
                light_path.attenuate(self, length);
                light_path.end = PathEnd::Floor(from + along * length);
            }
            None => light_path.escape(),
        }
        light_path
    }

    fn trace_with_objects(&self, mut light_path: LightPath, mut from: DVec3, mut along: DVec3) -> LightPath {
        let mut is_inside = true;
        for _ in 0..MAX_SURFACES {
            let Some((length, hit)) = self.closest_hit(from, along) else { break };
            if is_inside {
                light_path.attenuate(self, length);
            }
            match hit {
                NextHit::Floor(point) => {
                    light_path.end = PathEnd::Floor(point);
                    return light_path.with_event(1);
                }
                NextHit::Object(point) => {
                    light_path.end = PathEnd::Object(point);
                    return light_path.with_event(2);
                }
                NextHit::Water { point, normal, face, is_outside } => {
                    // A ray that meets the outside was in air, whatever it was taken for.
                    let index = if is_outside { INDEX } else { 1.0 / INDEX };
                    let normal = facing_normal(normal, face, along);
                    match transmit(along, normal, index) {
                        Some((bent, share)) => {
                            light_path.transmit(share);
                            along = bent - face * (bent.dot(face) + 1e-3).max(0.0);
                            from = point - face * self.near;
                            is_inside = is_outside;
                            light_path = light_path.with_event(if is_outside { 3 } else { 4 });
                        }
                        None => {
                            along = reflect(along, normal);
                            from = point + face * self.near;
                            light_path = light_path.with_event(5);
                        }
                    }
                    along = along.normalize_or(-DVec3::Z);
                }
            }
        }
        light_path.escape();
        light_path.with_event(6)
    }

    fn closest_hit(&self, from: DVec3, along: DVec3) -> Option<(f64, NextHit)> {
        let floor = self.floor.intersect(from, along);
        let limit = floor.unwrap_or(1e6);
        let object = self.objects.as_ref().and_then(|objects| objects.closest_hit(from, along, limit));
        let (limit, solid) = match object {
            Some((length, point)) => (length, Some((length, NextHit::Object(point)))),
            None => (limit, floor.map(|length| (length, NextHit::Floor(from + along * length)))),
        };
        // Water that all but touches what is behind it leaves no air between.
        let before = if solid.is_some() { limit - self.contact } else { limit };
        self.closest_water(from, along, before).or(solid)
    }

    fn closest_water(&self, from: DVec3, along: DVec3, limit: f64) -> Option<(f64, NextHit)> {
        let bvh = self.closed.as_ref().filter(|_| limit > 0.0)?;
        let triangle_hit = bvh.closest_hit(from.as_vec3(), along.as_vec3(), limit as f32)?;
        let &(surface, triangle) = self.owners.get(triangle_hit.triangle as usize)?;
        let surface = &self.surfaces[surface as usize];
        let triangle = surface.triangles[triangle as usize];
        let [a, b, c] = surface.corners(triangle);
        let [na, nb, nc] = surface.normals_of(triangle);
        let [second, third] = triangle_hit.barycentric.map(f64::from);
        let face = (b - a).cross(c - a).normalize_or(-along);
        let normal = (na * (1.0 - second - third) + nb * second + nc * third).normalize_or(face);
        let is_outside = face.dot(along) <= 0.0;
        let (normal, face) = if is_outside { (normal, face) } else { (-normal, -face) };
        let length = f64::from(triangle_hit.distance);
        Some((length, NextHit::Water { point: from + along * length, normal, face, is_outside }))
    }
}

impl LightPath {
    fn attenuate(&mut self, scene: &CausticsScene, length: f64) {
        let left = self.received * scene.faded(length);
        self.absorbed += self.received - left;
        self.received = left;
    }

    fn transmit(&mut self, share: f64) {
        self.escaped += self.received * (1.0 - share);
        self.received *= share;
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
