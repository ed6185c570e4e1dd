//! A liquid as a frame carries it: rounded, so that what is drawn now and what is made again from the cache are the
//! same.
//!
//! Places and distances are rounded to a power of two of at most 1/256 of a cell, velocities to one of at most 1/2048
//! of the fastest. So a particle is at most 1/512 of a cell off along each axis, and 1/4096 of the greatest speed.

use undine_frame::{DISTANCE, Frame, Points, Raster, RasterKind, SOLIDS, Wants};
use undine_sim::{Lattice, LiquidView};

use super::{Surfacing, liquid_mesh};

/// Steps to a cell and to the greatest speed, at least.
const STEPS_PER_CELL: f32 = 256.0;
const STEPS_TO_FASTEST: f32 = 2048.0;
/// Cells beyond which distances say no more.
const FAR: f32 = 4.0;

/// Adds what is wanted of a liquid to a frame: its particles, its distances, its mesh. `prefix` stands before the
/// names of its rasters.
pub fn add_liquid(
    mut points: Points,
    liquid: &LiquidView<'_>,
    surfaces: &[Surfacing],
    prefix: &str,
    wants: Wants,
    frame: &mut Frame,
) {
    let wants_mesh = wants.meshes && wants.liquid_meshes;
    if !(wants_mesh || wants.points || wants.rasters) {
        return;
    }
    let cell = liquid.cell as f32;
    round_points(&mut points, cell);
    let solids = liquid.solids.as_ref().map(|solids| raster(prefix, SOLIDS, &**solids, cell));
    let mut parts = Frame::new(frame.index, frame.time);
    parts.rasters = [raster(prefix, DISTANCE, &*liquid.distance, cell)].into_iter().chain(solids).collect();
    parts.points.push(points);
    if wants_mesh {
        make_liquid_meshes(&mut parts, surfaces);
    }
    frame.meshes.append(&mut parts.meshes);
    if wants.points {
        frame.points.append(&mut parts.points);
    }
    // Pictures of a liquid find the box in its distance
    if wants.rasters || wants_mesh {
        // A model may name the same field itself, for plots
        frame.rasters.retain(|raster| parts.raster(&raster.name).is_none());
        frame.rasters.append(&mut parts.rasters);
    }
}

/// Makes the meshes of all liquids of a frame that it lacks, as those from the cache do: the same bits as when the
/// frame was captured with the same `surfaces`. Flat liquids have none.
pub fn make_liquid_meshes(frame: &mut Frame, surfaces: &[Surfacing]) {
    let lacking = frame
        .liquids()
        .filter(|liquid| liquid.distance.size[2] > 1 && frame.mesh(&liquid.points.name).is_none());
    let made: Vec<_> =
        lacking.map(|liquid| liquid_mesh(&liquid, &Surfacing::of(surfaces, &liquid.points.name))).collect();
    frame.meshes.extend(made);
}

fn round_points(points: &mut Points, cell: f32) {
    round(points.positions.as_flattened_mut(), step(cell / STEPS_PER_CELL));
    let velocities = points.velocities.as_flattened_mut();
    let fastest = velocities.iter().fold(0.0, |fastest: f32, along| fastest.max(along.abs()));
    round(velocities, step(fastest / STEPS_TO_FASTEST));
}

fn raster(prefix: &str, name: &str, samples: &dyn Lattice, cell: f32) -> Raster {
    let mut values = samples.values();
    values.iter_mut().for_each(|value| *value = value.clamp(-FAR * cell, FAR * cell));
    round(&mut values, step(cell / STEPS_PER_CELL));
    Raster {
        name: format!("{prefix}{name}"),
        unit: String::from("m"),
        kind: RasterKind::Signed,
        size: samples.size().map(|count| count as u32),
        components: samples.components() as u32,
        origin: samples.origin(),
        spacing: samples.spacing(),
        values,
    }
}

/// The greatest power of two that is not above a length; 0 where there is none.
fn step(length: f32) -> f32 {
    let is_sound = length.is_normal() && length > 0.0;
    if is_sound { length.log2().floor().exp2() } else { 0.0 }
}

/// Rounds numbers to whole steps, and a negative zero to a plain one.
fn round(numbers: &mut [f32], step: f32) {
    if step > 0.0 {
        numbers.iter_mut().for_each(|number| *number = (*number / step).round() * step + 0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_stays_within_its_bounds() {
        let positions: Vec<[f32; 3]> =
            (0..999).map(|n| [1.7, 1.1, 0.3].map(|f| (f * n as f32).sin())).collect();
        let velocities: Vec<[f32; 3]> = positions.iter().map(|at| at.map(|along| 7.3 * along)).collect();
        let cell = 0.03;
        let mut points =
            Points { positions: positions.clone(), velocities: velocities.clone(), ..Points::default() };
        round_points(&mut points, cell);
        let furthest = |a: &[[f32; 3]], b: &[[f32; 3]]| {
            let gaps = a.as_flattened().iter().zip(b.as_flattened()).map(|(a, b)| (a - b).abs());
            gaps.fold(0.0, f32::max)
        };
        assert!(furthest(&positions, &points.positions) <= cell / 512.0);
        assert!(furthest(&velocities, &points.velocities) <= 7.3 / 4096.0);
        let again = points.clone();
        round_points(&mut points, cell);
        assert_eq!(points, again);
        assert_eq!(step(0.0), 0.0);
    }
}
