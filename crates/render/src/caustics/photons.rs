//! Photons: the reference. Light in many small equal parts, each followed by itself [jensen1996].
//!
//! Every lit triangle sends photons in proportion to its power, from places that fill it evenly; each is bent by the
//! normal at its own place and counted where it ends. The density of photons on a texel is its light. Nothing is
//! interpolated between rays, so that this agrees with [`super::beams`] only as far as both are right; the price is
//! noise. A photon depends on its number alone and counts are added in order: any number of threads gives the same
//! bits.

use glam::{DVec2, DVec3};
use rayon::prelude::*;

use super::beams::Brought;
use super::map::Texels;
use super::path::Landing;
use super::setting::{Setting, Surface};
use crate::noise::unit;

/// Most photons.
const MOST: f64 = 1e9;
/// Photons that are followed before they are counted.
const BATCH: usize = 1 << 18;

/// A triangle that sends photons, and what all triangles before it send.
struct Sender {
    surface: usize,
    triangle: [u32; 3],
    before: f64,
}

/// What photons brought: the power on the floor's texels, and on those of bodies; and the ledger. Without water in its way
/// the sun would send `density` photons to a level texel.
pub fn photons(setting: &Setting, texels: &Texels, density: usize) -> (Vec<DVec3>, Brought) {
    let (senders, total) = senders(setting);
    let mut floor = vec![DVec3::ZERO; texels.size()[0] * texels.size()[1]];
    let mut brought = Brought::default();
    let wanted = total / (texels.area() * setting.sun.z.max(1e-3)) * density as f64;
    let count = wanted.clamp(0.0, MOST) as usize;
    let each = total / count.max(1) as f64;
    for first in (0..count).step_by(BATCH) {
        let numbers = first..count.min(first + BATCH);
        let landings: Vec<Landing> =
            numbers.into_par_iter().map(|number| photon(setting, &senders, number, each)).collect();
        for landing in landings.iter().filter(|landing| landing.is_lit()) {
            let landed = brought.power.count(std::slice::from_ref(landing), each);
            brought.deliver(landing.end, landed);
        }
        let lost: DVec3 = brought.floor.iter().map(|deposit| texels.lost(deposit)).sum();
        brought.power.escaped += lost;
        for (texel, power) in floor.iter_mut().zip(texels.collect(&brought.floor)) {
            *texel += power;
        }
        brought.floor.clear();
    }
    (floor, brought)
}

fn senders(setting: &Setting) -> (Vec<Sender>, f64) {
    let mut senders = Vec::new();
    let mut before = 0.0;
    for (number, surface) in setting.surfaces.iter().enumerate() {
        for &triangle in &surface.triangles {
            let [a, b, c] = surface.corners(triangle);
            let power = 0.5 * (b - a).cross(c - a).dot(setting.sun);
            if power > 0.0 {
                senders.push(Sender { surface: number, triangle, before });
                before += power;
            }
        }
    }
    (senders, before)
}

fn photon(setting: &Setting, senders: &[Sender], number: usize, each: f64) -> Landing {
    let sum = (number as f64 + 0.5) * each;
    let place = senders.partition_point(|sender| sender.before <= sum).saturating_sub(1);
    let Some(sender) = senders.get(place) else { return Landing::DARK };
    let surface: &Surface = &setting.surfaces[sender.surface];
    let ([a, b, c], normals) = (surface.corners(sender.triangle), surface.normals_of(sender.triangle));
    let first = (sender.before / each) as usize;
    let shares = in_triangle(spread(number.saturating_sub(first), place));
    let mixed = |[a, b, c]: [DVec3; 3]| a * shares[0] + b * shares[1] + c * shares[2];
    let face = (b - a).cross(c - a).normalize_or(DVec3::Z);
    let normal = mixed(normals).normalize_or(face);
    setting.follow(mixed([a, b, c]), normal, face, surface.is_closed)
}

// Multiples of the two numbers that fill a square most evenly [roberts2018], shifted for every triangle, so that those
// of neighbours make no pattern together.
fn spread(number: usize, triangle: usize) -> DVec2 {
    const STEP: DVec2 = DVec2::new(0.754_877_666_246_692_8, 0.569_840_290_998_053_2);
    let shift = |seed: u32| f64::from(unit(triangle as i32, (triangle >> 31) as i32, seed));
    (STEP * number as f64 + DVec2::new(shift(17), shift(18))).fract()
}

// A square folded onto a triangle.
fn in_triangle(at: DVec2) -> [f64; 3] {
    let at = if at.x + at.y > 1.0 { DVec2::ONE - at } else { at };
    [1.0 - at.x - at.y, at.x, at.y]
}
