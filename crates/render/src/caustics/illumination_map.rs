//! The illumination map of [kass1990].
//!
//! Samples are evenly spaced on the terrain. Without water a sample stays at its point A. With water, the surface is
//! taken as flat to find where the ray towards A met it: a = h / tan i before A, with the depth h over A and the
//! sun's elevation i. There the ray is refracted by the normal, and the bottom is taken as flat to find its end B.
//! Every sample adds a cone to the map around B. The mean of the map is 1: it is to be multiplied by the cosine of
//! the sun on the ground, which evenly spaced samples leave out.
//!
//! The paper does not cover reflection and absorption; here both are those of level water. As in the paper, bodies and
//! shadows are left out.

use glam::{DVec2, DVec3};
use rayon::prelude::*;
use undine_frame::Mesh;

use super::floor::Floor;
use super::fresnel::{INDEX, transmit};
use super::map::TexelGrid;
use super::water_heights::WaterHeights;

/// Radius of the cone in texels.
const RADIUS: f64 = 1.5;
/// Texels along the side of a cone's footprint.
const SIDE: usize = 4;
/// Samples beyond the border extend no farther than this many texels.
const FARTHEST: usize = 512;

/// The illumination map, relative to its mean, and the water depth over every texel. If the water `extends_water`, there
/// are samples beyond the border too, on ground and water as at the border.
pub fn illumination(
    meshes: &[&Mesh],
    floor: &Floor,
    texels: &TexelGrid,
    sun: DVec3,
    extends_water: bool,
) -> (Vec<f64>, Vec<f64>) {
    let [columns, rows] = texels.size();
    let sheets = WaterHeights::of(meshes);
    let depth_at = |at: DVec2| (sheets.level(at) - floor.height(at)).max(0.0);
    // Depth over every texel, and the displacement A → B of a sample.
    let depths: Vec<f64> =
        (0..columns * rows).into_par_iter().map(|index| depth_at(texels.centre(index))).collect();
    let slant = sun.truncate() / sun.z.max(0.05);
    let refracted_end = |a: DVec2| {
        let depth = depth_at(a);
        if depth <= 0.0 {
            return a;
        }
        let w = a + slant * depth;
        let refracted = transmit(-sun, sheets.normal(w), INDEX).map_or(-DVec3::Z, |(refracted, _)| refracted);
        let b = w + refracted.truncate() / (-refracted.z).max(0.05) * depth_at(w);
        if b.is_finite() { b } else { a }
    };
    // Samples move towards the sun, so that most of the missing ones lie beyond the far side.
    let deepest = depths.iter().copied().fold(0.0, f64::max);
    let padding = if extends_water { slant.abs() * deepest / texels.step() + 4.0 } else { DVec2::ZERO };
    let padding = [padding.x, padding.y].map(|count| count.min(FARTHEST as f64) as i64);
    let padded = columns as i64 + 2 * padding[0];
    let sample = |index: i64| texels.centre_of([index % padded - padding[0], index / padded - padding[1]]);
    let samples = padded * (rows as i64 + 2 * padding[1]);
    let ends: Vec<DVec2> = (0..samples).into_par_iter().map(|index| refracted_end(sample(index))).collect();
    // Every sample adds its cone.
    let mut map = vec![0.0; columns * rows];
    ends.iter().for_each(|&end| add_cone(&mut map, texels, end));
    (map, depths)
}

// Adds a cone of weight 1; the part beyond the border is lost.
fn add_cone(map: &mut [f64], texels: &TexelGrid, at: DVec2) {
    let [columns, rows] = texels.size();
    let at_texel = texels.to_texels(at);
    let is_near = at_texel.cmpge(DVec2::splat(-RADIUS)).all()
        && at_texel.x <= columns as f64 + RADIUS
        && at_texel.y <= rows as f64 + RADIUS;
    if !is_near {
        return;
    }
    let first = (at_texel - 0.5 - RADIUS).ceil();
    let height = |column: usize, row: usize| {
        let offset = first + DVec2::new(column as f64 + 0.5, row as f64 + 0.5) - at_texel;
        (1.0 - offset.length() / RADIUS).max(0.0)
    };
    let weights: [[f64; SIDE]; SIDE] =
        std::array::from_fn(|row| std::array::from_fn(|column| height(column, row)));
    let sum: f64 = weights.iter().flatten().sum();
    for (row, weights) in (first.y as i64..).zip(&weights).filter(|(row, _)| (0..rows as i64).contains(row)) {
        for (column, weight) in (first.x as i64..).zip(weights) {
            if (0..columns as i64).contains(&column) {
                map[row as usize * columns + column as usize] += weight / sum;
            }
        }
    }
}
