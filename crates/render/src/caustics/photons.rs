//! Photon tracing, the reference: power in many small equal parts, each traced by itself [jensen1996].
//!
//! Every lit triangle emits photons in proportion to its power, from points that fill it evenly; each is refracted by
//! the normal at its own point and counted where it ends. The density of photons on a texel is its irradiance.
//! Nothing is interpolated between rays, so that this is independent of [`super::beams`]; the price is noise. A
//! photon depends on its number alone and counts are added in order: any number of threads gives the same bits.

use glam::{DVec2, DVec3};
use rayon::prelude::*;

use super::beams::PowerDeposits;
use super::light_path::LightPath;
use super::map::TexelGrid;
use super::scene::{CausticsScene, WaterSurface};
use crate::noise::unit;

/// Most photons.
const MAX_PHOTONS: f64 = 1e9;
/// Photons that are traced before they are counted.
const BATCH: usize = 1 << 18;

/// A triangle that emits photons, and the power of all triangles before it.
struct PhotonEmitter {
    surface: usize,
    triangle: [u32; 3],
    before: f64,
}

/// Traces photons: the power on the floor's texels, and the deposits on bodies with the power budget. Without water the
/// sun would send `density` photons to a level texel.
pub fn trace_photons(
    scene: &CausticsScene,
    texels: &TexelGrid,
    density: usize,
) -> (Vec<DVec3>, PowerDeposits) {
    let (emitters, total) = emitters(scene);
    let mut floor = vec![DVec3::ZERO; texels.size()[0] * texels.size()[1]];
    let mut deposits = PowerDeposits::default();
    let wanted = total / (texels.area() * scene.sun.z.max(1e-3)) * density as f64;
    let count = wanted.clamp(0.0, MAX_PHOTONS) as usize;
    let each = total / count.max(1) as f64;
    for first in (0..count).step_by(BATCH) {
        let numbers = first..count.min(first + BATCH);
        let light_paths: Vec<LightPath> =
            numbers.into_par_iter().map(|number| trace_photon(scene, &emitters, number, each)).collect();
        for light_path in light_paths.iter().filter(|light_path| light_path.is_lit()) {
            let received = deposits.power.record(std::slice::from_ref(light_path), each);
            deposits.deposit(light_path.end, received);
        }
        let missed: DVec3 = deposits.floor.iter().map(|deposit| texels.missed_power(deposit)).sum();
        deposits.power.escaped += missed;
        for (texel, power) in floor.iter_mut().zip(texels.accumulate(&deposits.floor)) {
            *texel += power;
        }
        deposits.floor.clear();
    }
    (floor, deposits)
}

fn emitters(scene: &CausticsScene) -> (Vec<PhotonEmitter>, f64) {
    let mut emitters = Vec::new();
    let mut before = 0.0;
    for (number, surface) in scene.surfaces.iter().enumerate() {
        for &triangle in &surface.triangles {
            let [a, b, c] = surface.corners(triangle);
            let power = 0.5 * (b - a).cross(c - a).dot(scene.sun);
            if power > 0.0 {
                emitters.push(PhotonEmitter { surface: number, triangle, before });
                before += power;
            }
        }
    }
    (emitters, before)
}

fn trace_photon(scene: &CausticsScene, emitters: &[PhotonEmitter], number: usize, each: f64) -> LightPath {
    let sum = (number as f64 + 0.5) * each;
    let index = emitters.partition_point(|emitter| emitter.before <= sum).saturating_sub(1);
    let Some(emitter) = emitters.get(index) else { return LightPath::DARK };
    let surface: &WaterSurface = &scene.surfaces[emitter.surface];
    let ([a, b, c], normals) = (surface.corners(emitter.triangle), surface.normals_of(emitter.triangle));
    let first = (emitter.before / each) as usize;
    let barycentric = square_to_triangle(r2_sequence(number.saturating_sub(first), index));
    let interpolated = |[a, b, c]: [DVec3; 3]| a * barycentric[0] + b * barycentric[1] + c * barycentric[2];
    let face = (b - a).cross(c - a).normalize_or(DVec3::Z);
    let normal = interpolated(normals).normalize_or(face);
    scene.trace(interpolated([a, b, c]), normal, face, surface.is_closed)
}

// The R2 low-discrepancy sequence [roberts2018], shifted for every triangle, so that neighbours show no common pattern.
fn r2_sequence(number: usize, triangle: usize) -> DVec2 {
    const STEP: DVec2 = DVec2::new(0.754_877_666_246_692_8, 0.569_840_290_998_053_2);
    let shift = |seed: u32| f64::from(unit(triangle as i32, (triangle >> 31) as i32, seed));
    (STEP * number as f64 + DVec2::new(shift(17), shift(18))).fract()
}

// Folds the unit square onto a triangle.
fn square_to_triangle(at: DVec2) -> [f64; 3] {
    let at = if at.x + at.y > 1.0 { DVec2::ONE - at } else { at };
    [1.0 - at.x - at.y, at.x, at.y]
}
