//! A ray of sunlight on its way from the surface of the water to where it ends.

use glam::DVec3;

use super::boundary::{INDEX, crossed, mirrored, turned_to};
use super::objects::Place;
use super::setting::Setting;

/// Boundaries after which a ray is given up.
const LONGEST: usize = 8;

/// Where light ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum End {
    /// On the floor.
    Floor(DVec3),
    /// On a body.
    Object(Place),
    /// Out of reach.
    Away,
}

/// What became of the light that met a point of the surface. All shares are of the light that came from the sun, and
/// `landed`, `absorbed` and `lost` together are all of it.
#[derive(Debug, Clone, Copy)]
pub struct Landing {
    /// Where it ended.
    pub end: End,
    /// The share that entered the water.
    pub entered: f64,
    /// The share that arrived there.
    pub landed: DVec3,
    /// The share that the water took.
    pub absorbed: DVec3,
    /// The share that boundaries sent elsewhere.
    pub lost: DVec3,
    /// The same for rays that met the same kinds of things in the same order.
    pub way: u64,
}

impl Landing {
    /// That of light that never came.
    pub const DARK: Landing = Landing {
        end: End::Away,
        entered: 0.0,
        landed: DVec3::ZERO,
        absorbed: DVec3::ZERO,
        lost: DVec3::ZERO,
        way: u64::MAX,
    };

    /// Whether the sun reached the surface.
    pub fn is_lit(&self) -> bool {
        self.way != u64::MAX
    }
}

/// The first thing on a way.
enum Met {
    Floor(DVec3),
    Object(Place),
    Water { point: DVec3, normal: DVec3, face: DVec3, is_outside: bool },
}

impl Setting {
    /// Whether the sun reaches a point of the surface with face normal `face`.
    pub fn is_lit(&self, point: DVec3, face: DVec3) -> bool {
        let start = point + face * self.near;
        face.dot(self.sun) > 0.0
            && self.floor.is_lit(point, self.sun)
            && self.objects.as_ref().is_none_or(|objects| objects.first(start, self.sun, 1e6).is_none())
            && self.first_water(point + face * (0.1 * self.contact), self.sun, 1e6).is_none()
    }

    /// Follows the sun's light from a point of the surface, where it has this smooth normal, if it gets there.
    pub fn follow(&self, point: DVec3, normal: DVec3, face: DVec3, is_closed: bool) -> Landing {
        if !self.is_lit(point, face) {
            return Landing::DARK;
        }
        let normal = turned_to(normal, face, -self.sun);
        let Some((along, entered)) = crossed(-self.sun, normal, INDEX) else { return Landing::DARK };
        // A steep smooth normal must not send light out through its own face.
        let out = along.dot(face);
        let along = if out < -1e-3 { along } else { (along - face * (out + 1e-3)).normalize_or(-face) };
        let lost = DVec3::splat(1.0 - entered);
        let landing = Landing { entered, landed: DVec3::splat(entered), lost, way: 0, ..Landing::DARK };
        let start = if is_closed { point - face * self.near } else { point };
        if self.is_open() { self.land(landing, start, along) } else { self.walk(landing, start, along) }
    }

    // Straight down to the floor.
    fn land(&self, mut landing: Landing, from: DVec3, along: DVec3) -> Landing {
        match self.floor.meet(from, along) {
            Some(length) => {
                landing.fade(self, length);
                landing.end = End::Floor(from + along * length);
            }
            None => landing.leave(),
        }
        landing
    }

    fn walk(&self, mut landing: Landing, mut from: DVec3, mut along: DVec3) -> Landing {
        let mut is_inside = true;
        for _ in 0..LONGEST {
            let Some((length, met)) = self.first(from, along) else { break };
            if is_inside {
                landing.fade(self, length);
            }
            match met {
                Met::Floor(point) => {
                    landing.end = End::Floor(point);
                    return landing.on(1);
                }
                Met::Object(place) => {
                    landing.end = End::Object(place);
                    return landing.on(2);
                }
                Met::Water { point, normal, face, is_outside } => {
                    // A ray that meets the outside was in air, whatever it was taken for.
                    let index = if is_outside { INDEX } else { 1.0 / INDEX };
                    let normal = turned_to(normal, face, along);
                    match crossed(along, normal, index) {
                        Some((bent, share)) => {
                            landing.pass(share);
                            along = bent - face * (bent.dot(face) + 1e-3).max(0.0);
                            from = point - face * self.near;
                            is_inside = is_outside;
                            landing = landing.on(if is_outside { 3 } else { 4 });
                        }
                        None => {
                            along = mirrored(along, normal);
                            from = point + face * self.near;
                            landing = landing.on(5);
                        }
                    }
                    along = along.normalize_or(-DVec3::Z);
                }
            }
        }
        landing.leave();
        landing.on(6)
    }

    fn first(&self, from: DVec3, along: DVec3) -> Option<(f64, Met)> {
        let floor = self.floor.meet(from, along);
        let limit = floor.unwrap_or(1e6);
        let object = self.objects.as_ref().and_then(|objects| objects.first(from, along, limit));
        let (limit, solid) = match object {
            Some((length, place)) => (length, Some((length, Met::Object(place)))),
            None => (limit, floor.map(|length| (length, Met::Floor(from + along * length)))),
        };
        // Water that all but touches what is behind it leaves no air between.
        let before = if solid.is_some() { limit - self.contact } else { limit };
        self.first_water(from, along, before).or(solid)
    }

    fn first_water(&self, from: DVec3, along: DVec3, limit: f64) -> Option<(f64, Met)> {
        let tree = self.closed.as_ref().filter(|_| limit > 0.0)?;
        let meeting = tree.first(from.as_vec3(), along.as_vec3(), limit as f32)?;
        let &(surface, triangle) = self.owners.get(meeting.triangle as usize)?;
        let surface = &self.surfaces[surface as usize];
        let triangle = surface.triangles[triangle as usize];
        let [a, b, c] = surface.corners(triangle);
        let [na, nb, nc] = surface.normals_of(triangle);
        let [second, third] = meeting.shares.map(f64::from);
        let face = (b - a).cross(c - a).normalize_or(-along);
        let normal = (na * (1.0 - second - third) + nb * second + nc * third).normalize_or(face);
        let is_outside = face.dot(along) <= 0.0;
        let (normal, face) = if is_outside { (normal, face) } else { (-normal, -face) };
        let length = f64::from(meeting.distance);
        Some((length, Met::Water { point: from + along * length, normal, face, is_outside }))
    }
}

impl Landing {
    fn fade(&mut self, setting: &Setting, length: f64) {
        let left = self.landed * setting.faded(length);
        self.absorbed += self.landed - left;
        self.landed = left;
    }

    fn pass(&mut self, share: f64) {
        self.lost += self.landed * (1.0 - share);
        self.landed *= share;
    }

    fn leave(&mut self) {
        self.lost += self.landed;
        self.landed = DVec3::ZERO;
        self.end = End::Away;
    }

    fn on(self, step: u64) -> Landing {
        Landing { way: self.way * 7 + step, ..self }
    }
}
