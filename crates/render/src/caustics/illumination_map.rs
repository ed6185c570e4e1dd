//! The illumination map of Kass and Miller, to the letter [kass1990].
//!
//! Samples are evenly spaced on the terrain. With no water a sample stays where it is, at A. With water, the surface is
//! taken as flat to find where the ray towards A met it: a = h / tan i before A, h being the depth over A and i the
//! sun's height. There the ray is bent by the normal, and the bottom is taken as flat to find where it ends, at B, the
//! depth times the slant away. Every sample is a cone added into the map around B. Its mean is one: the map is to be
//! multiplied by the cosine of the sun on the ground, which even samples leave out.
//!
//! The paper says nothing of the light that the surface reflects or the water takes; both are those of level water
//! here. Bodies and shadows are left out, as there.

use glam::{DVec2, DVec3};
use rayon::prelude::*;
use undine_frame::Mesh;

use super::floor::Floor;
use super::fresnel::{INDEX, transmit};
use super::map::TexelGrid;
use super::water_heights::WaterHeights;

/// Radius of the cone in texels.
const RADIUS: f64 = 1.5;
/// Texels across a cone, wherever its middle lies.
const SIDE: usize = 4;
/// Samples beyond the border go no farther than this many texels.
const FARTHEST: usize = 512;

/// The illumination map: how often the mean of the light every texel gets; and the depth of the water over it. If the
/// water `carries_on`, there are samples beyond the border too, on ground and water as they are at the border.
pub fn illumination(
    meshes: &[&Mesh],
    floor: &Floor,
    texels: &TexelGrid,
    sun: DVec3,
    carries_on: bool,
) -> (Vec<f64>, Vec<f64>) {
    let [columns, rows] = texels.size();
    let sheets = WaterHeights::of(meshes);
    let depth_at = |at: DVec2| (sheets.level(at) - floor.height(at)).max(0.0);
    let depths: Vec<f64> =
        (0..columns * rows).into_par_iter().map(|index| depth_at(texels.centre(index))).collect();
    let slant = sun.truncate() / sun.z.max(0.05);
    let moved = |a: DVec2| {
        let depth = depth_at(a);
        if depth <= 0.0 {
            return a;
        }
        let w = a + slant * depth;
        let bent = transmit(-sun, sheets.normal(w), INDEX).map_or(-DVec3::Z, |(bent, _)| bent);
        let b = w + bent.truncate() / (-bent.z).max(0.05) * depth_at(w);
        if b.is_finite() { b } else { a }
    };
    // Samples move towards the sun, so that those from behind the far side are missed most.
    let deepest = depths.iter().copied().fold(0.0, f64::max);
    let around = if carries_on { slant.abs() * deepest / texels.step() + 4.0 } else { DVec2::ZERO };
    let around = [around.x, around.y].map(|count| count.min(FARTHEST as f64) as i64);
    let wide = columns as i64 + 2 * around[0];
    let sample = |index: i64| texels.centre_of([index % wide - around[0], index / wide - around[1]]);
    let samples = wide * (rows as i64 + 2 * around[1]);
    let ends: Vec<DVec2> = (0..samples).into_par_iter().map(|index| moved(sample(index))).collect();
    let mut map = vec![0.0; columns * rows];
    ends.iter().for_each(|&end| add_cone(&mut map, texels, end));
    (map, depths)
}

// Adds a cone of weight one; what reaches beyond the border is lost.
fn add_cone(map: &mut [f64], texels: &TexelGrid, at: DVec2) {
    let [columns, rows] = texels.size();
    let place = texels.to_texels(at);
    let is_near = place.cmpge(DVec2::splat(-RADIUS)).all()
        && place.x <= columns as f64 + RADIUS
        && place.y <= rows as f64 + RADIUS;
    if !is_near {
        return;
    }
    let first = (place - 0.5 - RADIUS).ceil();
    let height = |column: usize, row: usize| {
        let offset = first + DVec2::new(column as f64 + 0.5, row as f64 + 0.5) - place;
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
