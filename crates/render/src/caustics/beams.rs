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
use super::light_path::{LightPath, PathEnd};
use super::map::Deposit;
use super::scene::{CausticsScene, WaterSurface};

/// Triangles that are one piece of work.
const BATCH: usize = 2048;
/// A cut beam is quartered until it is narrower than this share of a texel, or half of it where it is to light a body,
const NARROW: f64 = 0.2;
/// but not more often than this.
const MAX_SUBDIVISIONS: u32 = 5;

/// What beams bring.
#[derive(Debug, Default)]
pub struct PowerDeposits {
    /// To the floor.
    pub floor: Vec<Deposit>,
    /// To triangles of bodies.
    pub objects: Vec<(u32, Deposit)>,
    /// The ledger, still without what was received.
    pub power: Power,
}

/// A corner of a beam.
#[derive(Clone, Copy)]
struct BeamVertex {
    at: DVec3,
    normal: DVec3,
    light_path: LightPath,
}

/// One surface and how its beams are cut.
struct BeamSource<'a> {
    scene: &'a CausticsScene,
    surface: &'a WaterSurface,
    narrow: f64,
}

/// Follows the beams of all surfaces. `texel` is the width of a texel.
pub fn trace_beams(scene: &CausticsScene, texel: f64) -> PowerDeposits {
    let mut all = PowerDeposits::default();
    for surface in &scene.surfaces {
        let light_paths: Vec<LightPath> = surface
            .positions
            .par_iter()
            .zip(&surface.normals)
            .map(|(&at, &normal)| scene.trace(at, normal, normal, surface.is_closed))
            .collect();
        let source = BeamSource { scene, surface, narrow: (NARROW * texel).powi(2) };
        let batches: Vec<PowerDeposits> = surface
            .triangles
            .par_chunks(BATCH)
            .map(|triangles| {
                let mut deposits = PowerDeposits::default();
                triangles
                    .iter()
                    .for_each(|&triangle| source.trace_triangle(triangle, &light_paths, &mut deposits));
                deposits
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

impl BeamSource<'_> {
    fn trace_triangle(&self, triangle: [u32; 3], light_paths: &[LightPath], deposits: &mut PowerDeposits) {
        let [a, b, c] = self.surface.corners(triangle);
        let area = 0.5 * (b - a).cross(c - a);
        let power = area.dot(self.scene.sun);
        if power <= 0.0 {
            return;
        }
        let corner = |vertex: u32| {
            let vertex = vertex as usize;
            BeamVertex {
                at: self.surface.positions[vertex],
                normal: self.surface.normals[vertex],
                light_path: light_paths[vertex],
            }
        };
        self.subdivide(triangle.map(corner), area.normalize(), power, 0, deposits);
    }

    fn subdivide(
        &self,
        corners: [BeamVertex; 3],
        face: DVec3,
        power: f64,
        depth: u32,
        deposits: &mut PowerDeposits,
    ) {
        let [a, b, c] = corners;
        let is_one_way =
            a.light_path.history == b.light_path.history && b.light_path.history == c.light_path.history;
        let ends = corners.map(|corner| corner.light_path.end);
        if is_one_way {
            if !a.light_path.is_lit() {
                return;
            }
            if let [PathEnd::Floor(a), PathEnd::Floor(b), PathEnd::Floor(c)] = ends {
                let received = deposits.power.count(&corners.map(|corner| corner.light_path), power);
                deposits.floor.push(Deposit::Triangle([a, b, c].map(|end| end.truncate()), received));
                return;
            }
            if let [PathEnd::Object(a), PathEnd::Object(b), PathEnd::Object(c)] = ends
                && a.triangle == b.triangle
                && b.triangle == c.triangle
            {
                let received = deposits.power.count(&corners.map(|corner| corner.light_path), power);
                let barycentric = [a, b, c].map(|place| place.barycentric);
                deposits.objects.push((a.triangle, Deposit::Triangle(barycentric, received)));
                return;
            }
            if ends == [PathEnd::Away; 3] {
                deposits.power.count(&corners.map(|corner| corner.light_path), power);
                return;
            }
        }
        let is_on_body = ends.iter().any(|end| matches!(end, PathEnd::Object(_)));
        let narrow = if is_on_body { 0.2 * self.narrow } else { self.narrow };
        if power < narrow || depth >= MAX_SUBDIVISIONS {
            let at = (a.at + b.at + c.at) / 3.0;
            let normal = (a.normal + b.normal + c.normal).normalize_or(face);
            let light_path = self.scene.trace(at, normal, face, self.surface.is_closed);
            if light_path.is_lit() {
                let received = deposits.power.count(&[light_path], power);
                deposits.deposit(light_path.end, received);
            }
            return;
        }
        let [ab, bc, ca] = [(a, b), (b, c), (c, a)].map(|(one, other)| self.midpoint(one, other, face));
        for part in [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]] {
            self.subdivide(part, face, 0.25 * power, depth + 1, deposits);
        }
    }

    fn midpoint(&self, one: BeamVertex, other: BeamVertex, face: DVec3) -> BeamVertex {
        let at = 0.5 * (one.at + other.at);
        let normal = (one.normal + other.normal).normalize_or(face);
        BeamVertex { at, normal, light_path: self.scene.trace(at, normal, face, self.surface.is_closed) }
    }
}

impl PowerDeposits {
    /// Brings power to where a ray ended.
    pub fn deposit(&mut self, end: PathEnd, power: DVec3) {
        match end {
            PathEnd::Floor(point) => self.floor.push(Deposit::Point(point.truncate(), power)),
            PathEnd::Object(place) => {
                self.objects.push((place.triangle, Deposit::Point(place.barycentric, power)))
            }
            PathEnd::Away => {}
        }
    }
}
