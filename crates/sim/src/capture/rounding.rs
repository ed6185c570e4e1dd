//! A liquid as a frame carries it: rounded, so that what is drawn now and what is made again from the cache are the
//! same, and the cache is short.
//!
//! Places and distances are rounded to a power of two of at most 1/256 of a cell, velocities to one of at most 1/2048
//! of the fastest. So a particle is at most 1/512 of a cell off along each axis, and 1/4096 of the greatest speed.

use undine_frame::Cloud;

/// Steps to a cell and to the greatest speed, at least.
const STEPS_PER_CELL: f32 = 256.0;
const STEPS_TO_FASTEST: f32 = 2048.0;
/// Cells beyond which distances say no more.
const FAR: f32 = 4.0;

/// Rounds the places and velocities of particles.
pub fn round_cloud(cloud: &mut Cloud, cell: f32) {
    round(cloud.positions.as_flattened_mut(), step(cell / STEPS_PER_CELL));
    let velocities = cloud.velocities.as_flattened_mut();
    let fastest = velocities.iter().fold(0.0, |fastest: f32, along| fastest.max(along.abs()));
    round(velocities, step(fastest / STEPS_TO_FASTEST));
}

/// Rounds distances, and cuts off those that are far from zero.
pub fn round_distances(values: &mut [f32], cell: f32) {
    values.iter_mut().for_each(|value| *value = value.clamp(-FAR * cell, FAR * cell));
    round(values, step(cell / STEPS_PER_CELL));
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
        let velocities: Vec<[f32; 3]> = positions.iter().map(|at| at.map(|x| 7.3 * x)).collect();
        let cell = 0.03;
        let mut cloud =
            Cloud { positions: positions.clone(), velocities: velocities.clone(), ..Cloud::default() };
        round_cloud(&mut cloud, cell);
        let furthest = |a: &[[f32; 3]], b: &[[f32; 3]]| {
            let gaps = a.as_flattened().iter().zip(b.as_flattened()).map(|(a, b)| (a - b).abs());
            gaps.fold(0.0, f32::max)
        };
        assert!(furthest(&positions, &cloud.positions) <= cell / 512.0);
        assert!(furthest(&velocities, &cloud.velocities) <= 7.3 / 4096.0);
        let again = cloud.clone();
        round_cloud(&mut cloud, cell);
        assert_eq!(cloud, again);
        assert_eq!(step(0.0), 0.0);
    }
}
