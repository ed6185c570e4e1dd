//! Beam tracing: every lit triangle of the water surface emits a beam of sunlight [watt1990].
//!
//! The sun ray at each vertex is refracted by the vertex normal and traced to its end. If the three rays of a beam
//! have the same history and end on the floor, the power of the beam is spread evenly over the triangle between their
//! ends: where rays converge the triangle is small and bright, where the beam folds its orientation flips and its
//! light adds to that of others. A beam that bodies or shadows cut is subdivided until it is narrow, and then
//! deposited at the end of its centre ray. Power is conserved: sent = received + absorbed + escaped.

use glam::DVec3;
use rayon::prelude::*;

use super::Power;
use super::light_path::{LightPath, PathEnd};
use super::map::Deposit;
use super::scene::{CausticsScene, WaterSurface};

/// Triangles per parallel task.
const BATCH: usize = 2048;
/// A cut beam is subdivided until it is narrower than this fraction of a texel, or about half of that on a body,
const NARROW: f64 = 0.2;
/// but not more often than this.
const MAX_SUBDIVISIONS: u32 = 5;

/// Power deposited by beams or photons.
#[derive(Debug, Default)]
pub struct PowerDeposits {
    /// On the floor.
    pub floor: Vec<Deposit>,
    /// On triangles of bodies.
    pub bodies: Vec<(u32, Deposit)>,
    /// The power budget, still without what was received.
    pub power: Power,
}

/// A vertex of a beam.
#[derive(Clone, Copy)]
struct BeamVertex {
    at: DVec3,
    normal: DVec3,
    light_path: LightPath,
}

/// A water surface that emits beams, and the squared width down to which they are subdivided.
struct BeamSource<'a> {
    scene: &'a CausticsScene,
    surface: &'a WaterSurface,
    narrow: f64,
}

/// Traces the beams of all surfaces. `texel` is the width of a texel.
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
            all.bodies.extend(batch.bodies);
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
        let has_one_history =
            a.light_path.history == b.light_path.history && b.light_path.history == c.light_path.history;
        let ends = corners.map(|corner| corner.light_path.end);
        // Rays of one history: the beam ends on a triangle of the floor or of a body, or misses everything.
        if has_one_history {
            if !a.light_path.is_lit() {
                return;
            }
            if let [PathEnd::Floor(a), PathEnd::Floor(b), PathEnd::Floor(c)] = ends {
                let received = deposits.power.record(&corners.map(|corner| corner.light_path), power);
                deposits.floor.push(Deposit::Triangle([a, b, c].map(|end| end.truncate()), received));
                return;
            }
            if let [PathEnd::Body(a), PathEnd::Body(b), PathEnd::Body(c)] = ends
                && a.triangle == b.triangle
                && b.triangle == c.triangle
            {
                let received = deposits.power.record(&corners.map(|corner| corner.light_path), power);
                let barycentric = [a, b, c].map(|point| point.barycentric);
                deposits.bodies.push((a.triangle, Deposit::Triangle(barycentric, received)));
                return;
            }
            if ends == [PathEnd::Away; 3] {
                deposits.power.record(&corners.map(|corner| corner.light_path), power);
                return;
            }
        }
        // A narrow beam ends where its centre ray ends.
        let is_on_body = ends.iter().any(|end| matches!(end, PathEnd::Body(_)));
        let narrow = if is_on_body { 0.2 * self.narrow } else { self.narrow };
        if power < narrow || depth >= MAX_SUBDIVISIONS {
            let at = (a.at + b.at + c.at) / 3.0;
            let normal = (a.normal + b.normal + c.normal).normalize_or(face);
            let light_path = self.scene.trace(at, normal, face, self.surface.is_closed);
            if light_path.is_lit() {
                let received = deposits.power.record(&[light_path], power);
                deposits.deposit(light_path.end, received);
            }
            return;
        }
        // Any other is divided into four.
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
    /// Deposits power at the end of a ray.
    pub fn deposit(&mut self, end: PathEnd, power: DVec3) {
        match end {
            PathEnd::Floor(point) => self.floor.push(Deposit::Point(point.truncate(), power)),
            PathEnd::Body(point) => {
                self.bodies.push((point.triangle, Deposit::Point(point.barycentric, power)))
            }
            PathEnd::Away => {}
        }
    }
}
