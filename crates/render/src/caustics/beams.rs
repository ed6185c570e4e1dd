//! Beams: every lit triangle of the water's surface is the mouth of a beam of sunlight [watt1990].
//!
//! The light that meets a corner is bent by the smooth normal there and followed to where it ends. When the three
//! corners of a beam went the same way to the floor, the power of the beam lies evenly on the triangle between their
//! ends: where rays close in the triangle is small and bright, where the beam is folded its sides are swapped and its
//! light adds to that of others. A beam that bodies or shadows cut is quartered until it is small, and then goes where
//! its middle goes. No power is made or lost on the way: what is sent is received, absorbed, or named as escaped.

use glam::DVec3;
use rayon::prelude::*;

use super::Power;
use super::map::Deposit;
use super::path::{End, Landing};
use super::setting::{Setting, Surface};

/// Triangles that are one piece of work.
const BATCH: usize = 2048;
/// A cut beam is quartered until it is narrower than this share of a texel, or half of it where it is to light a body,
const NARROW: f64 = 0.2;
/// but not more often than this.
const DEEPEST: u32 = 5;

/// What beams bring.
#[derive(Debug, Default)]
pub struct Brought {
    /// To the floor.
    pub floor: Vec<Deposit>,
    /// To triangles of bodies.
    pub objects: Vec<(u32, Deposit)>,
    /// The ledger, still without what was received.
    pub power: Power,
}

/// A corner of a beam.
#[derive(Clone, Copy)]
struct Corner {
    at: DVec3,
    normal: DVec3,
    landing: Landing,
}

/// One surface and how its beams are cut.
struct Mouth<'a> {
    setting: &'a Setting,
    surface: &'a Surface,
    narrow: f64,
}

/// Follows the beams of all surfaces. `texel` is the width of a texel.
pub fn beams(setting: &Setting, texel: f64) -> Brought {
    let mut all = Brought::default();
    for surface in &setting.surfaces {
        let landings: Vec<Landing> = surface
            .positions
            .par_iter()
            .zip(&surface.normals)
            .map(|(&at, &normal)| setting.follow(at, normal, normal, surface.is_closed))
            .collect();
        let mouth = Mouth { setting, surface, narrow: (NARROW * texel).powi(2) };
        let batches: Vec<Brought> = surface
            .triangles
            .par_chunks(BATCH)
            .map(|triangles| {
                let mut brought = Brought::default();
                triangles.iter().for_each(|&triangle| mouth.send(triangle, &landings, &mut brought));
                brought
            })
            .collect();
        for batch in batches {
            all.floor.extend(batch.floor);
            all.objects.extend(batch.objects);
            all.power.add(&batch.power);
        }
    }
    all
}

impl Mouth<'_> {
    fn send(&self, triangle: [u32; 3], landings: &[Landing], brought: &mut Brought) {
        let [a, b, c] = self.surface.corners(triangle);
        let area = 0.5 * (b - a).cross(c - a);
        let power = area.dot(self.setting.sun);
        if power <= 0.0 {
            return;
        }
        let corner = |vertex: u32| {
            let vertex = vertex as usize;
            Corner {
                at: self.surface.positions[vertex],
                normal: self.surface.normals[vertex],
                landing: landings[vertex],
            }
        };
        self.split(triangle.map(corner), area.normalize(), power, 0, brought);
    }

    fn split(&self, corners: [Corner; 3], face: DVec3, power: f64, depth: u32, brought: &mut Brought) {
        let [a, b, c] = corners;
        let is_one_way = a.landing.way == b.landing.way && b.landing.way == c.landing.way;
        let ends = corners.map(|corner| corner.landing.end);
        if is_one_way {
            if !a.landing.is_lit() {
                return;
            }
            if let [End::Floor(a), End::Floor(b), End::Floor(c)] = ends {
                let landed = brought.power.count(&corners.map(|corner| corner.landing), power);
                brought.floor.push(Deposit::Triangle([a, b, c].map(|end| end.truncate()), landed));
                return;
            }
            if let [End::Object(a), End::Object(b), End::Object(c)] = ends
                && a.triangle == b.triangle
                && b.triangle == c.triangle
            {
                let landed = brought.power.count(&corners.map(|corner| corner.landing), power);
                let shares = [a, b, c].map(|place| place.shares);
                brought.objects.push((a.triangle, Deposit::Triangle(shares, landed)));
                return;
            }
            if ends == [End::Away; 3] {
                brought.power.count(&corners.map(|corner| corner.landing), power);
                return;
            }
        }
        let is_on_body = ends.iter().any(|end| matches!(end, End::Object(_)));
        let narrow = if is_on_body { 0.2 * self.narrow } else { self.narrow };
        if power < narrow || depth >= DEEPEST {
            let at = (a.at + b.at + c.at) / 3.0;
            let normal = (a.normal + b.normal + c.normal).normalize_or(face);
            let landing = self.setting.follow(at, normal, face, self.surface.is_closed);
            if landing.is_lit() {
                let landed = brought.power.count(&[landing], power);
                brought.deliver(landing.end, landed);
            }
            return;
        }
        let [ab, bc, ca] = [(a, b), (b, c), (c, a)].map(|(one, other)| self.between(one, other, face));
        for part in [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]] {
            self.split(part, face, 0.25 * power, depth + 1, brought);
        }
    }

    fn between(&self, one: Corner, other: Corner, face: DVec3) -> Corner {
        let at = 0.5 * (one.at + other.at);
        let normal = (one.normal + other.normal).normalize_or(face);
        Corner { at, normal, landing: self.setting.follow(at, normal, face, self.surface.is_closed) }
    }
}

impl Brought {
    /// Brings power to where a ray ended.
    pub fn deliver(&mut self, end: End, power: DVec3) {
        match end {
            End::Floor(point) => self.floor.push(Deposit::Point(point.truncate(), power)),
            End::Object(place) => self.objects.push((place.triangle, Deposit::Point(place.shares, power))),
            End::Away => {}
        }
    }
}
